"""What an agent did and whether it knew: verification, recovery, claims against evidence."""

from trialbalance.insight.behaviour import Behaviour, Moment, claims_success, judge, read_behaviour

__all__ = ["Behaviour", "Moment", "claims_success", "judge", "read_behaviour"]
