"""Connected accounts: what they must tell, how it is verified, and what they may do then, as pure functions."""
