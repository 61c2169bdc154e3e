"""The real goose. It works alone in a sandbox without a network, where it reaches two things: its model through the
gateway on a loopback port, and our tools through a unix socket. Neither the key nor the project is in there.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from trialbalance.agents.agent import AgentContext, AgentOutcome, Usage
from trialbalance.agents.build_trajectory import build_trajectory, offered
from trialbalance.agents.errors import AgentBroken, AgentUnavailable
from trialbalance.agents.goose.program import Program, find_goose
from trialbalance.agents.goose.recipe import EXTENSION, write_recipe
from trialbalance.agents.goose.stream import read_stream
from trialbalance.agents.outcome import judge
from trialbalance.agents.trajectory import write_trajectory
from trialbalance.agents.transcript import Transcript
from trialbalance.gateway import CallLimits, Gateway, Upstream
from trialbalance.sandbox import Mount, Process, Sandbox, SandboxSpec, open_sandbox
from trialbalance.tools import ToolServer

_PLACE = "/opt/trial"
_PROGRAM = "/opt/goose/goose"
_COMPLAINTS = "/tmp/goose.stderr"
_HINTS = ("AGENTS.md", ".goosehints")
_HINTS_LIMIT = 1 << 18
_LOG_LIMIT = 1 << 30
_GLANCE_SECONDS = 0.5
_GRACE_SECONDS = 10.0
"""How long goose may take to end by itself once no model call can succeed any more."""


@dataclass(frozen=True)
class _Ended:
    """How the program ended: its exit code, and the time limit if that ended it."""

    code: int
    overdue: float | None


class Goose:
    """Runs goose and judges how it ended."""

    name = "goose"

    def __init__(self, program: Program | None = None) -> None:
        self._program = program

    def run(self, context: AgentContext) -> AgentOutcome:
        """Let goose try the task."""
        program = self._program or find_goose()
        if shutil.which("socat") is None:
            raise AgentUnavailable("goose reaches our tools through socat: apt-get install socat")
        started = time.time()
        with ExitStack() as stack:
            meeting = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trial-")))
            home = stack.enter_context(_open_home(context, meeting, program))
            gateway = stack.enter_context(_open_gateway(context, home))
            stack.enter_context(_open_tools(context, meeting))
            recipe = write_recipe(context.instruction, ["socat", "-", f"UNIX-CONNECT:{_PLACE}/tools.sock"])
            (meeting / "recipe.json").write_text(recipe)
            ended = _follow(context, home, gateway)
            _check_sandbox(context)
            remarks = home.exec(["cat", _COMPLAINTS], timeout=30).stdout
            lines = _log(context).read_text(errors="replace").splitlines()
            ids = frozenset(turn.id for _, turn in gateway.answered if turn is not None and turn.id)
            transcript = read_stream([*remarks.splitlines(), *lines], ids)
            return self._conclude(context, program, gateway, transcript, ended, started)

    def _conclude(
        self,
        context: AgentContext,
        program: Program,
        gateway: Gateway,
        transcript: Transcript,
        ended: _Ended,
        started: float,
    ) -> AgentOutcome:
        answered, totals = gateway.answered, gateway.usage()
        _check_tools(gateway, transcript)
        verdict = judge(
            answered,
            halt=gateway.halt,
            turns=context.limits.turns,
            overdue=ended.overdue,
            killed_by=ended.code - 128 if ended.code > 128 and ended.overdue is None else None,
            complaint=transcript.complaint,
        )
        trajectory = build_trajectory(
            session=context.trial_dir.name,
            agent=self.name,
            version=program.version,
            instruction=context.instruction,
            started=started,
            answered=answered,
            transcript=transcript,
            totals=totals,
            pictures=context.trial_dir / "agent" / "images",
            notes=f"{verdict.status}: {verdict.message}",
        )
        write_trajectory(trajectory, context.trial_dir / "agent" / "trajectory.json")
        return AgentOutcome(verdict.status, verdict.message, totals.turns, Usage.of(totals), trajectory)


def _log(context: AgentContext) -> Path:
    path = context.trial_dir / "agent" / "stdout.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def _open_home(context: AgentContext, meeting: Path, program: Program) -> Iterator[Sandbox]:
    """goose's own sandbox. Of the project it holds the hints that goose reads where it is started, and nothing else."""
    with tempfile.TemporaryDirectory(prefix="trial-") as folder:
        for name in _HINTS:
            hints = context.sandbox.exec(["cat", f"/app/{name}"], timeout=30, output_limit=_HINTS_LIMIT)
            if hints.ok:
                Path(folder, name).write_text(hints.stdout)
        spec = SandboxSpec(
            workspace=Path(folder),
            mounts=(Mount(program.path, _PROGRAM), Mount(meeting, _PLACE)),
            hostname="agent",
        )
        with open_sandbox(spec) as sandbox:
            yield sandbox


def _open_gateway(context: AgentContext, home: Sandbox) -> Gateway:
    if context.replay is None and context.model is None:
        raise AgentBroken("goose needs a model (--model openai/NAME) or a replay (--replay FILE)")
    upstream = Upstream.of(context.model) if context.replay is None and context.model is not None else None
    return Gateway.start(
        record=context.trial_dir / "gateway" / "calls.jsonl",
        upstream=upstream,
        replay=context.replay,
        listener=home.listen(0),
        limits=CallLimits(turns=context.limits.turns, tokens=context.limits.tokens),
    )


def _open_tools(context: AgentContext, meeting: Path) -> ToolServer:
    return ToolServer.start(
        context.sandbox,
        meeting / "tools.sock",
        events=context.trial_dir / "events.jsonl",
        browser=lambda: context.sandbox.browser().executable,
    )


def _follow(context: AgentContext, home: Sandbox, gateway: Gateway) -> _Ended:
    """Start goose and wait for its end, or end it: at the time limit, and when its model can answer no more."""
    command = f'exec "$@" 2>{_COMPLAINTS}'
    argv = ["sh", "-c", command, "goose", _PROGRAM, *_arguments(context)]
    environment = _environment(gateway)
    began = time.monotonic()
    deadline = began + context.limits.seconds if context.limits.seconds is not None else None
    grace: float | None = None
    with home.spawn(argv, cwd="/app", env=environment, log=_log(context), log_limit=_LOG_LIMIT) as process:
        while True:
            now = time.monotonic()
            _check_sandbox(context)
            if deadline is not None and now >= deadline:
                return _Ended(process.kill(), context.limits.seconds)
            if gateway.halted.is_set():
                grace = now + _GRACE_SECONDS if grace is None else grace
                if now >= grace:
                    process.kill()
                    return _Ended(0, None)
            code = _wait(
                process, _GLANCE_SECONDS if deadline is None else min(_GLANCE_SECONDS, deadline - now)
            )
            if code is not None:
                return _Ended(code, None)


def _check_sandbox(context: AgentContext) -> None:
    if not context.sandbox.alive:
        raise AgentBroken("the project's sandbox died while goose worked in it")


def _wait(process: Process, seconds: float) -> int | None:
    try:
        return process.wait(seconds)
    except TimeoutError:
        return None


def _arguments(context: AgentContext) -> list[str]:
    """A recipe names the extension; `--no-profile` would drop it again. The gateway counts turns, so that goose's own
    limit is only a second one."""
    arguments = [
        "run",
        "--no-session",
        "-q",
        "--output-format",
        "stream-json",
        "--recipe",
        f"{_PLACE}/recipe.json",
    ]
    if context.limits.turns is not None:
        arguments += ["--max-turns", str(context.limits.turns)]
    return arguments


def _environment(gateway: Gateway) -> dict[str, str]:
    """Without session naming and tool-call summaries, which ask the model beside the conversation and in no fixed
    order; without pauses between tries, which the gateway makes itself."""
    environment = {
        "GOOSE_PROVIDER": gateway.provider,
        "GOOSE_MODEL": gateway.model,
        "GOOSE_MODE": "auto",
        "GOOSE_DISABLE_KEYRING": "1",
        "GOOSE_DISABLE_SESSION_NAMING": "true",
        "GOOSE_TOOL_PAIR_SUMMARIZATION": "false",
        "GOOSE_TELEMETRY_ENABLED": "false",
        "GOOSE_PROVIDER_SKIP_BACKOFF": "true",
        "TERM": "dumb",
        "NO_COLOR": "1",
    }
    prefix = gateway.provider.upper()
    return {**environment, f"{prefix}_HOST": gateway.url, f"{prefix}_API_KEY": "sk-trialbalance"}


def _check_tools(gateway: Gateway, transcript: Transcript) -> None:
    """goose goes on without an extension that did not start; such a trial says nothing about the agent."""
    answered = gateway.answered
    if answered and not any(name.startswith(f"{EXTENSION}__") for name in offered(answered)):
        warned = next(
            (line for line in transcript.remarks if "extension" in line.lower()), "it does not say why"
        )
        raise AgentBroken(f"goose worked without our tools: {warned}")
