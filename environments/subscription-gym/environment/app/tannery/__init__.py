"""The front desk of The Tannery: what the members' office asks for, done in Stripe."""
