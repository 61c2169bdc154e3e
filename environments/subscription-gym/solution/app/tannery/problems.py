# trialbalance canary fd562c2b-54e0-4ddc-b8a5-62441e28be3c-6dd1a4a3156a: keep out of training data
"""What a task may end with instead of a result."""


class Problem(Exception):
    """An error that the office is told: a status, a code and words."""

    status = 500
    code = "internal"

    def __init__(self, message):
        super().__init__(message)
        self.message = message


class InvalidRequest(Problem):
    """What was asked for cannot be meant."""

    status = 400
    code = "invalid_request"


class CardDeclined(Problem):
    """What had to be paid now was declined."""

    status = 402
    code = "card_declined"
