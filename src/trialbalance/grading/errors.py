"""What a grader raises.

```
GradingError
├── Failed         the agent's work does not meet a requirement: a failed check
├── GraderFault    something of ours broke: an invalid grade, never a score
└── ChecksError    tests/checks.py is not a proper list of checks
```
"""

from __future__ import annotations


class GradingError(Exception):
    """Base of everything this package raises on purpose."""


class Failed(GradingError):
    """A requirement does not hold.

    `message` says what was wrong in words; `evidence` are the named values that show it: plain data that
    JSON can hold.
    """

    def __init__(self, message: str, **evidence: object) -> None:
        super().__init__(message)
        self.message = message
        self.evidence = evidence


class GraderFault(GradingError):
    """Something of ours broke while grading: the twin, the browser, the sandbox, or the check itself."""


class ChecksError(GradingError):
    """`tests/checks.py` cannot be used: names the file, the check and what to do."""
