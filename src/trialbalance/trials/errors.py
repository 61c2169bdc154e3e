"""What can go wrong with a job or a trial.

TrialsError
├── BadJob        the user asked for something that cannot be run (unknown task, unreadable folder, wrong
option)
├── Missing       this machine lacks something (chromium, bubblewrap, a model key)
├── StorageFailed the job folder cannot be written; nothing half-written is left behind
└── Invalid       one trial failed by no fault of the agent; carries the stage and whether it may be tried
again
"""

from __future__ import annotations

_LONGEST = 360


class TrialsError(Exception):
    """Base of every error of this package; the message is one line: what, where, what to do."""


class BadJob(TrialsError):
    """The request itself cannot be carried out."""


class Missing(TrialsError):
    """Something that the request needs is not on this machine."""


class StorageFailed(TrialsError):
    """A file of the job could not be written."""


class Invalid(TrialsError):
    """A trial ended by a fault that is not the agent's.

    `stage` is one of `prepare`, `sandbox`, `twin`, `agent`, `freeze`, `grading`, `worker`; `retries` is how
    often the failure table allows to try again with the same seed.
    """

    def __init__(self, stage: str, reason: str, *, retries: int = 2) -> None:
        line = " ".join(reason.split())
        self.reason = (
            line if len(line) <= _LONGEST else f"{line[: _LONGEST // 3]} … {line[-_LONGEST * 2 // 3 :]}"
        )
        super().__init__(self.reason)
        self.stage = stage
        self.retries = retries
