"""Judge finished trials by checks, evidence, and the drivers a grader uses. See docs/grading.md."""

from trialbalance.grading.app import App, Ran
from trialbalance.grading.check import Check, CheckSet, check, load_checks, scenario
from trialbalance.grading.database import Database
from trialbalance.grading.draw import Coupon, Draw, Person, Product
from trialbalance.grading.errors import ChecksError, Failed, GraderFault, GradingError
from trialbalance.grading.expect import eventually, every, same
from trialbalance.grading.grade import grade
from trialbalance.grading.grader_twin import GraderTwin, Mark
from trialbalance.grading.journal import Journal
from trialbalance.grading.original import Original
from trialbalance.grading.prover import Prover
from trialbalance.grading.result import CheckResult, Flag, Grade, read_metrics
from trialbalance.grading.runner import Progress
from trialbalance.grading.session import Session
from trialbalance.grading.shopper import Shopper
from trialbalance.grading.submission import Submission
from trialbalance.grading.trial_twin import TrialTwin

__all__ = [
    "App",
    "Check",
    "CheckResult",
    "CheckSet",
    "ChecksError",
    "Coupon",
    "Database",
    "Draw",
    "Failed",
    "Flag",
    "Grade",
    "GraderFault",
    "GraderTwin",
    "GradingError",
    "Journal",
    "Mark",
    "Original",
    "Person",
    "Product",
    "Progress",
    "Prover",
    "Ran",
    "Session",
    "Shopper",
    "Submission",
    "TrialTwin",
    "check",
    "eventually",
    "every",
    "grade",
    "load_checks",
    "read_metrics",
    "same",
    "scenario",
]
