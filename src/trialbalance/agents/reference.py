"""The agent that applies the task's own solution: what it does not solve, cannot be solved as written."""

from pathlib import Path

from trialbalance.agents.agent import AgentContext, AgentOutcome
from trialbalance.agents.errors import AgentBroken

_SCRIPT = "/solution/solve.sh"


class Reference:
    """Runs `bash /solution/solve.sh` in /app; what it prints goes to `agent/stdout.log`.

    The task's solution must be mounted in the sandbox at /solution, and only for this agent.
    """

    name = "reference"

    def run(self, context: AgentContext) -> AgentOutcome:
        """Apply the solution."""
        if context.solution is None or not (context.solution / "solve.sh").is_file():
            raise AgentBroken(f"the task has no solution/solve.sh ({context.solution}); reference needs one")
        if not context.sandbox.exec(["test", "-f", _SCRIPT], timeout=30).ok:
            raise AgentBroken(f"{_SCRIPT} is not in the sandbox; mount {context.solution} at /solution")
        log = context.trial_dir / "agent" / "stdout.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with context.sandbox.spawn(["bash", _SCRIPT], cwd="/app", log=log) as process:
            try:
                code = process.wait(context.limits.seconds)
            except TimeoutError:
                return AgentOutcome(
                    "timeout", f"solve.sh was still running after {context.limits.seconds:g} s"
                )
        if code != 0:
            return AgentOutcome("agent_error", f"solve.sh ended with exit code {code}: {_last_line(log)}")
        return AgentOutcome("completed", "applied the task's own solution")


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "it printed nothing")
