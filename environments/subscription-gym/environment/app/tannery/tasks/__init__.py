"""The tasks by name. Each takes the Stripe client and its input, and returns its answer."""

from . import card

TASKS = {"card": card.card}
