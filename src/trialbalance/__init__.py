"""Trial Balance: prove whether an AI agent can build a complete, correct Stripe payment integration."""
