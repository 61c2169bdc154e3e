"""The agent that applies the task's own solution: what it does not solve, cannot be solved as written."""

import io
import tarfile
from pathlib import Path

from trialbalance.agents.agent import AgentContext, AgentOutcome
from trialbalance.agents.errors import AgentBroken

_PLACE = "/solution"
_UNPACK = f"mkdir -p {_PLACE} && tar -x -f - -C {_PLACE}"


class Reference:
    """Runs `bash /solution/solve.sh` in /app; what it prints goes to `agent/stdout.log`."""

    name = "reference"

    def run(self, context: AgentContext) -> AgentOutcome:
        """Apply the solution."""
        if context.solution is None or not (context.solution / "solve.sh").is_file():
            raise AgentBroken(f"the task has no solution/solve.sh ({context.solution}); reference needs one")
        _provide(context, context.solution)
        log = context.trial_dir / "agent" / "stdout.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with context.sandbox.spawn(["bash", f"{_PLACE}/solve.sh"], cwd="/app", log=log) as process:
            try:
                code = process.wait(context.limits.seconds)
            except TimeoutError:
                return AgentOutcome(
                    "timeout", f"solve.sh was still running after {context.limits.seconds:g} s"
                )
        if code != 0:
            return AgentOutcome("agent_error", f"solve.sh ended with exit code {code}: {_last_line(log)}")
        return AgentOutcome("completed", "applied the task's own solution")


def _provide(context: AgentContext, solution: Path) -> None:
    """Put the solution into the sandbox, unless it has been mounted there."""
    if context.sandbox.exec(["test", "-f", f"{_PLACE}/solve.sh"], timeout=30).ok:
        return
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(solution, arcname=".")
    done = context.sandbox.exec(["sh", "-c", _UNPACK], cwd="/", stdin=packed.getvalue(), timeout=120)
    if not done.ok:
        raise AgentBroken(
            f"the solution cannot be put at {_PLACE} of the sandbox ({done.stderr.strip()}); mount it there"
        )


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").split("\n") if log.exists() else []
    return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "it printed nothing")
