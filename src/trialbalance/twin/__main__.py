"""`python -m trialbalance.twin serve`: the twin's commands without the rest of the product."""

from trialbalance.twin.commands import twin

if __name__ == "__main__":
    twin()
