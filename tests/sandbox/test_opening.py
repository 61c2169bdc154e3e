"""Which sandbox is opened, for whom, and what happens when none can be."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.conftest import OpenSandbox
from trialbalance.sandbox import (
    Authority,
    BackendUnavailable,
    Mount,
    SandboxError,
    SandboxSpec,
    bubblewrap,
    open_sandbox,
    opening,
    unshare,
)

SOURCE = Path(__file__).resolve().parents[2] / "src"


@pytest.mark.sandbox
def test_auto_takes_bubblewrap_then_unshare(opened: OpenSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert opened().backend == "bubblewrap"
    monkeypatch.setattr(bubblewrap, "executable", lambda: None)
    sandbox = opened()
    assert sandbox.backend == "unshare"
    assert sandbox.isolated


def test_auto_never_takes_no_isolation(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "executable", lambda: None)
    monkeypatch.setattr(unshare, "executable", lambda: None)
    with pytest.raises(BackendUnavailable, match=r"apt-get install bubblewrap.*apt-get install util-linux"):
        open_sandbox(SandboxSpec(workspace))


@pytest.mark.sandbox
def test_a_backend_that_fails_says_why(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "_working", [])
    monkeypatch.setattr(
        bubblewrap, "arguments", lambda *_, **__: ["sh", "-c", "echo no namespaces today >&2; exit 1"]
    )
    with pytest.raises(BackendUnavailable, match="bubblewrap: no namespaces today"):
        open_sandbox(SandboxSpec(workspace), backend="bubblewrap")


@pytest.mark.sandbox
def test_root_does_without_a_user_namespace_where_there_is_none(
    opened: OpenSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("for root only")
    original = bubblewrap.arguments

    def refusing(*positional: object, **named: object) -> list[str]:
        if named["user_namespace"]:
            return ["sh", "-c", "echo no user namespaces >&2; exit 1"]
        return original(*positional, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(opening, "_working", [])
    monkeypatch.setattr(bubblewrap, "arguments", refusing)
    sandbox = opened()
    assert sandbox.backend == "bubblewrap"
    sandbox.listen(443).close()
    done = sandbox.exec(
        ["bash", "-c", "grep CapEff /proc/self/status; cat /etc/shadow; mount -o remount,rw,bind /usr"]
    )
    assert done.stdout.split() == ["CapEff:", "0000000000000400"]
    assert done.exit_code != 0


def test_docker_is_named_as_missing(workspace: Path) -> None:
    with pytest.raises(BackendUnavailable, match="docker backend is not built yet"):
        open_sandbox(SandboxSpec(workspace), backend="docker")


def test_an_unknown_backend_is_an_error(workspace: Path) -> None:
    with pytest.raises(SandboxError, match=r"no backend is called 'jail'; choose from auto, bubblewrap"):
        open_sandbox(SandboxSpec(workspace), backend="jail")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"workspace": Path("/no/such/place")}, "/no/such/place is not a directory"),
        ({"mounts": (Mount(Path("/no/such/file"), "/x"),)}, "/no/such/file does not exist"),
        ({"mounts": (Mount(Path("/usr"), "relative"),)}, "not an absolute path"),
        ({"mounts": (Mount(Path("/usr"), "/x/../etc"),)}, "not an absolute path"),
        ({"mounts": (Mount(Path("/usr"), "/etc/"),)}, "belongs to the sandbox"),
        ({"hosts": ("api.stripe.com\n1.2.3.4 evil",)}, "is not a host name"),
        ({"hostname": ""}, "is not a host name"),
        ({"memory_mb": 0}, "memory_mb must be positive"),
    ],
)
def test_a_wrong_spec_is_refused(workspace: Path, fields: dict[str, object], message: str) -> None:
    with pytest.raises(SandboxError, match=message):
        SandboxSpec(**{"workspace": workspace, **fields})  # type: ignore[arg-type]


@pytest.mark.sandbox
def test_a_failed_opening_leaves_nothing(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setattr(opening, "_verify", lambda hello: (_ for _ in ()).throw(KeyboardInterrupt))
    before = sorted(os.listdir("/proc/self/fd"))  # noqa: PTH208
    with pytest.raises(KeyboardInterrupt):
        open_sandbox(SandboxSpec(workspace))
    assert list(temporary.iterdir()) == []
    assert sorted(os.listdir("/proc/self/fd")) == before  # noqa: PTH208
    children = (
        Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text(encoding="ascii").split()
    )
    assert not [
        child for child in children if "bwrap" in Path(f"/proc/{child}/comm").read_text(encoding="ascii")
    ]


@pytest.mark.sandbox
def test_a_sandbox_outlives_the_thread_that_opened_it(opened: OpenSandbox) -> None:
    made: list[object] = []
    thread = threading.Thread(target=lambda: made.append(opened()))
    thread.start()
    thread.join()
    assert made[0].exec(["echo", "alive"]).stdout == "alive\n"  # type: ignore[attr-defined]


@pytest.mark.sandbox
def test_opening_is_quick(opened: OpenSandbox) -> None:
    """About 60 ms on a quiet machine; the bound leaves room for a busy one."""
    opened().close()
    times = []
    for _ in range(5):
        started = time.perf_counter()
        sandbox = opened()
        times.append(time.perf_counter() - started)
        sandbox.close()
    assert min(times) < 0.5


NOBODY = """
import os, sys, tempfile
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from trialbalance.sandbox import STRIPE_HOSTS, Authority, SandboxSpec, open_sandbox, preflight
assert os.geteuid() == 65534
with tempfile.TemporaryDirectory() as place:
    workspace = Path(place, "workspace")
    workspace.mkdir()
    authority = Authority.create(Path(place, "authority"))
    with open_sandbox(SandboxSpec(workspace, hosts=STRIPE_HOSTS, authority=authority), backend=sys.argv[2]) as sandbox:
        print(sandbox.backend, sandbox.isolated)
        script = "id -u; touch here; cat /etc/shadow; mount -o remount,rw,bind /usr; unshare -U true"
        done = sandbox.exec(["bash", "-c", script])
        print(done.stdout.strip(), done.exit_code != 0, (workspace / "here").exists())
        with sandbox.listen(443) as listener, sandbox.connect(443):
            listener.accept()[0].close()
        memory = sandbox.exec(["python3", "-c", "import time; x = b'x' * (6000 << 20); time.sleep(5)"], timeout=60)
        print(memory.exit_code)
        assert Path(sandbox.browser().executable).exists()
print([found.name for found in preflight() if found.required and not found.ok])
"""


@pytest.fixture
def nobodys() -> Iterator[Path]:
    """A directory of an ordinary user's."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to become somebody else")
    with tempfile.TemporaryDirectory() as directory:
        os.chown(directory, 65534, 65534)
        yield Path(directory)


@pytest.mark.sandbox
@pytest.mark.parametrize("backend", ["bubblewrap", "unshare"])
def test_an_ordinary_user_is_isolated_as_well(backend: str, nobodys: Path) -> None:
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    environment = {
        "PATH": "/usr/bin:/bin:/usr/sbin",
        "HOME": "/nonexistent",
        "XDG_CACHE_HOME": str(nobodys),
        "PYTHONPATH": packages,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    python = f"/usr/bin/python3.{sys.version_info.minor}"
    command = [python, "-c", textwrap.dedent(NOBODY), str(SOURCE), backend]
    possible = [
        python,
        "-c",
        "import sys; sys.path.insert(0, sys.argv[1]); import trialbalance.sandbox",
        str(SOURCE),
    ]
    run = functools.partial(
        subprocess.run,
        capture_output=True,
        text=True,
        timeout=200,
        user=65534,
        group=65534,
        extra_groups=[],
        cwd="/",
    )
    if not Path(python).exists() or run(possible, env=environment, check=False).returncode != 0:
        pytest.skip("the checkout cannot be read by an ordinary user")
    done = run(command, env=environment, check=False)
    assert done.stdout.splitlines() == [f"{backend} True", "0 True True", "137", "[]"], done.stderr


@pytest.mark.sandbox
def test_the_workspace_of_the_trial_may_lie_where_only_root_looks(
    tmp_path: Path, opened: OpenSandbox
) -> None:
    place = tmp_path / "private" / "workspace"
    place.mkdir(parents=True)
    place.parent.chmod(0o700)
    assert opened(workspace=place).exec(["bash", "-c", "echo x > y && cat y"]).stdout == "x\n"


# Without isolation


def test_plain_runs_and_says_that_nothing_is_isolated(
    opened: OpenSandbox, workspace: Path, authority: Authority
) -> None:
    sandbox = opened(backend="plain", authority=authority, env={"MINE": "1"})
    assert not sandbox.isolated
    done = sandbox.exec(["bash", "-c", "pwd; echo $MINE; ls -A ~; touch made"])
    assert done.stdout == f"{workspace}\n1\n"
    assert (workspace / "made").exists()
    bundle = Path(sandbox.env["SSL_CERT_FILE"]).read_bytes()
    assert authority.pem in bundle
    process = sandbox.spawn(["setsid", "-f", "sleep", "12321"])
    process.wait(10)
    descriptor = os.pidfd_open(sandbox.pid)
    sandbox.close()
    os.close(descriptor)
    assert (
        "12321"
        not in subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    )


def test_plain_serves_and_reaches_ports(opened: OpenSandbox) -> None:
    sandbox = opened(backend="plain")
    with sandbox.listen(0) as listener:
        port = listener.getsockname()[1]
        with sandbox.connect(port):
            listener.accept()[0].close()


def test_plain_limits_memory_and_processes(opened: OpenSandbox) -> None:
    sandbox = opened(backend="plain", memory_mb=100, processes=50)
    done = sandbox.exec(["python3", "-c", "import time; x = b'x' * (300 << 20); time.sleep(20)"], timeout=60)
    assert done.exit_code == 137
    done = sandbox.exec(["bash", "-c", "for i in $(seq 80); do sleep 30 & done; wait"], timeout=60)
    assert done.exit_code == 137
    assert sandbox.exec(["true"]).ok


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        ({"hosts": ("api.stripe.com",)}, "make names resolve"),
        ({"mounts": (Mount(Path("/usr"), "/data"),)}, "mount anything"),
        ({"writable": False}, "read-only"),
        ({"registries": True}, "registries"),
    ],
)
def test_plain_refuses_what_it_cannot_do(opened: OpenSandbox, fields: dict[str, object], what: str) -> None:
    with pytest.raises(BackendUnavailable, match=what):
        opened(backend="plain", **fields)
