"""One trial's life; jobs of many trials; where they run; how a killed job is taken up again."""

from trialbalance.trials.errors import BadJob, Invalid, Missing, StorageFailed, TrialsError
from trialbalance.trials.executor import Executor, Processes, Threads, executor_named
from trialbalance.trials.job import Job, JobConfig, Tick
from trialbalance.trials.plan import AgentChoice, TaskChoice, TrialPlan, plan_trials, trial_seed
from trialbalance.trials.result import TrialResult, read_result, read_results

__all__ = [
    "AgentChoice",
    "BadJob",
    "Executor",
    "Invalid",
    "Job",
    "JobConfig",
    "Missing",
    "Processes",
    "StorageFailed",
    "TaskChoice",
    "Threads",
    "Tick",
    "TrialPlan",
    "TrialResult",
    "TrialsError",
    "executor_named",
    "plan_trials",
    "read_result",
    "read_results",
    "trial_seed",
]
