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
