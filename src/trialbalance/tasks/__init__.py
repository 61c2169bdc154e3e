"""Task directories: read, validated, prepared, and proved sound.
 `load_task`, `find_task`, `find_tasks` and `load_suite` read; `prepare` makes the tree that an agent starts
from, once; `open_environment` puts it into a sandbox with a payments twin; `check` proves a task with a
grader that it is given.
"""

from trialbalance.tasks.attempt import Attempt, attempt
from trialbalance.tasks.canary import SUITE_GUID, missing_canaries, strip_canary, write_canaries
from trialbalance.tasks.environment import Environment, open_environment
from trialbalance.tasks.errors import AttemptError, PrepareError, ProfileError, SuiteError, TaskError
from trialbalance.tasks.grader import CheckOutline, Grader, Verdict
from trialbalance.tasks.overlay import Overlay
from trialbalance.tasks.prepare import Prepared, prepare, prepared_tree
from trialbalance.tasks.profile import AppTable, DatabaseTable, ServiceTable, TaskConfig
from trialbalance.tasks.proof import Proof, Row, read_proof, stale
from trialbalance.tasks.requirement import Requirement
from trialbalance.tasks.soundness import RowProgress, check, kept_rows
from trialbalance.tasks.suite import Suite, load_suite
from trialbalance.tasks.task import Task, find_task, find_tasks, load_task
from trialbalance.tasks.workspace import (
    Oddity,
    WorkspaceTooLarge,
    copy_tree,
    copy_untrusted,
    remove_tree,
    survey,
)

__all__ = [
    "SUITE_GUID",
    "AppTable",
    "Attempt",
    "AttemptError",
    "CheckOutline",
    "DatabaseTable",
    "Environment",
    "Grader",
    "Oddity",
    "Overlay",
    "PrepareError",
    "Prepared",
    "ProfileError",
    "Proof",
    "Requirement",
    "Row",
    "RowProgress",
    "ServiceTable",
    "Suite",
    "SuiteError",
    "Task",
    "TaskConfig",
    "TaskError",
    "Verdict",
    "WorkspaceTooLarge",
    "attempt",
    "check",
    "copy_tree",
    "copy_untrusted",
    "find_task",
    "find_tasks",
    "kept_rows",
    "load_suite",
    "load_task",
    "missing_canaries",
    "open_environment",
    "prepare",
    "prepared_tree",
    "read_proof",
    "remove_tree",
    "stale",
    "strip_canary",
    "survey",
    "write_canaries",
]
