"""The back office of Bellows Lane: accordions and concertinas repaired, invoiced and hired out."""
