"""Attempts to break out of a sandbox, or to disturb its neighbours. All of them must fail."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import pytest

import trialbalance
from tests.sandbox.conftest import OpenSandbox
from tests.sandbox.test_sandbox import shell, wait_until
from trialbalance.sandbox import Sandbox, SandboxError, SandboxSpec, UnsafeSandbox, open_sandbox
from trialbalance.sandbox.channel import Channel
from trialbalance.sandbox.opening import _verify
from trialbalance.tasks.workspace import copy_untrusted

pytestmark = pytest.mark.sandbox

BACKENDS = ("bubblewrap", "unshare")


@pytest.fixture(params=BACKENDS)
def sandbox(request: pytest.FixtureRequest, opened: OpenSandbox) -> Sandbox:
    return opened(backend=request.param)


def python(sandbox: Sandbox, script: str) -> str:
    """Run a script inside; it must end well, and what it printed is the answer."""
    done = sandbox.exec(["python3", "-c", textwrap.dedent(script)], timeout=60)
    assert done.exit_code == 0, done.stderr
    return done.stdout.strip()


# Files of the host


def test_the_hosts_secrets_are_not_there(sandbox: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x", encoding="utf-8")
    checkout = Path(trialbalance.__file__).parent
    places = (
        "/etc/shadow",
        "/etc/gshadow",
        "/etc/ssh",
        "/root/.ssh",
        "/home/*",
        "/mnt/*",
        "/sys",
        "/boot",
        secret,
        checkout,
    )
    for place in places:
        assert shell(sandbox, f"ls -d {place}").exit_code != 0, place


def test_only_the_expected_is_at_the_root(sandbox: Sandbox) -> None:
    expected = {
        "app",
        "dev",
        "etc",
        "home",
        "media",
        "mnt",
        "opt",
        "proc",
        "root",
        "run",
        "srv",
        "tmp",
        "usr",
        "var",
    }
    expected |= {
        name for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32") if Path("/", name).exists()
    }
    assert set(shell(sandbox, "ls -A /").stdout.split()) == expected


def test_the_hosts_temporary_files_are_not_there(sandbox: Sandbox, tmp_path: Path) -> None:
    assert shell(sandbox, "ls -A /tmp /var/tmp /run/user /var/log /var/lib").stdout.split() == [
        "/tmp:",
        "/var/lib:",
        "/var/log:",
        "/var/tmp:",
    ]
    assert shell(sandbox, f"ls {tmp_path}").exit_code != 0


@pytest.mark.parametrize(
    "trick", ["/proc/1/root", "/proc/self/root/proc/1/root", "/proc/2/root", "/proc/self/cwd/../../.."]
)
def test_proc_shows_no_other_root(sandbox: Sandbox, trick: str) -> None:
    assert shell(sandbox, f"ls {trick}/etc/shadow {trick}/boot {trick}/sys/kernel").exit_code != 0


def test_the_first_process_cannot_be_read_or_traced(sandbox: Sandbox) -> None:
    script = """
        import ctypes, os
        failed = []
        links = ("fd/0", "root", "cwd", "exe")
        for name in ("mem", "environ", "maps", "fd/0", "root", "cwd", "exe"):
            try:
                (os.readlink if name in links else open)(f"/proc/1/{name}")
            except OSError:
                failed.append(name)
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.ptrace(16, 1, 0, 0) != 0:
            failed.append("ptrace")
        if libc.syscall(438, os.pidfd_open(1), 0, 0) < 0:
            failed.append("pidfd_getfd")
        print(*failed)
    """
    assert python(sandbox, script) == "mem environ maps fd/0 root cwd exe ptrace pidfd_getfd"


def test_signals_to_the_first_process_do_nothing(sandbox: Sandbox) -> None:
    shell(sandbox, "for n in INT TERM QUIT HUP USR1 SEGV KILL STOP CHLD; do kill -s $n 1; done")
    assert sandbox.exec(["true"]).ok
    for _ in range(5):
        assert shell(sandbox, "kill -9 -1").exit_code == 137
        assert sandbox.spawn(["bash", "-c", "kill -9 -1"]).wait(10) == 137
    assert sandbox.exec(["true"]).ok


@pytest.mark.parametrize("trick", ["kill -STOP $PPID", "kill -KILL $PPID"])
def test_who_disables_its_supervisor_does_not_outlive_its_time(sandbox: Sandbox, trick: str) -> None:
    """A command's parent is of its own user, so it can be stopped and killed; that must not save anything."""
    done = shell(sandbox, f"setsid -f sleep 4711; {trick}; sleep 4712", timeout=0.5)
    assert done.exit_code in (124, 137)
    process = sandbox.spawn(["bash", "-c", f"setsid -f sleep 4713; {trick}; sleep 4714"])
    pause = threading.Event()
    while "4714" not in sandbox.exec(["ps", "-eo", "args"]).stdout:
        pause.wait(0.01)
    process.terminate(grace=0.1)
    assert process.poll() in (137, 143)
    assert "sleep" not in sandbox.exec(["ps", "-eo", "args"]).stdout
    with contextlib.suppress(SandboxError):
        sandbox.spawn(["bash", "-c", f"setsid -f sleep 4715; {trick}"]).kill()
    assert "sleep" not in sandbox.exec(["ps", "-eo", "args"]).stdout


def test_who_stops_its_supervisor_before_it_has_answered_is_killed_in_time(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unanswered(channel: Channel, message: Any, descriptors: Any = (), timeout: float = 60) -> None:
        channel.send(message, descriptors)
        raise TimeoutError("the sandbox did not answer in time")

    with monkeypatch.context() as patch:
        patch.setattr(Channel, "ask", unanswered)
        done = shell(sandbox, "sleep 4716", timeout=0.5)
        process = sandbox.spawn(["sleep", "4717"])
    assert done.exit_code == 124
    process.terminate(grace=0.1)
    assert "sleep" not in sandbox.exec(["ps", "-eo", "args"]).stdout


def test_a_chroot_cannot_be_made_and_so_not_escaped(sandbox: Sandbox) -> None:
    script = """
        import os
        os.mkdir("/tmp/jail")
        root = os.open("/", os.O_RDONLY)
        try:
            os.chroot("/tmp/jail")
            print("made")
        except PermissionError:
            print("refused")
        os.fchdir(root)
        for _ in range(64):
            os.chdir("..")
        print(os.path.exists("etc/shadow"), os.path.exists("sys/kernel"))
    """
    assert python(sandbox, script).split() == ["refused", "False", "False"]


def test_what_a_sandbox_leaves_behind_leads_the_host_nowhere(
    sandbox: Sandbox, workspace: Path, tmp_path: Path
) -> None:
    script = """
        mkdir real; echo mine > real/file; ln -s /etc/shadow shadow; ln -s /etc passwords; ln -s ../../.. up
        ln -s /dev/zero endless; mkfifo pipe; chmod 6777 real/file; truncate -s 1T huge
        python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
    """
    shell(sandbox, script)
    sandbox.freeze()
    oddities = copy_untrusted(workspace, tmp_path / "copy", 1 << 20)
    copied = {str(path.relative_to(tmp_path / "copy")): path for path in (tmp_path / "copy").rglob("*")}
    assert set(copied) == {"real", "real/file", "shadow", "passwords", "up", "endless", "huge"}
    assert copied["huge"].stat().st_size == 0, "the limit on the size of a file does not hold"
    assert all(copied[name].is_symlink() for name in ("shadow", "passwords", "up", "endless"))
    assert copied["real/file"].stat().st_mode & 0o6000 == 0
    assert {oddity.path for oddity in oddities} >= {"pipe", "socket"}


def test_a_log_is_not_written_through_a_link(sandbox: Sandbox, workspace: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("untouched", encoding="utf-8")
    shell(sandbox, f"ln -s {precious} app.log")
    with pytest.raises(SandboxError, match="cannot be written"):
        sandbox.spawn(["echo", "overwritten"], log=workspace / "app.log")
    assert precious.read_text(encoding="utf-8") == "untouched"


# Writing to the host


def test_read_only_mounts_stay_so(sandbox: Sandbox) -> None:
    script = """
        import ctypes, os
        libc = ctypes.CDLL(None, use_errno=True)
        for place in (b"/usr", b"/etc", b"/", b"/proc/sys"):
            for flags in (32 | 4096, 32):
                print(libc.mount(b"none", place, None, flags, None), end=" ")
            print(libc.umount2(place, 2), end=" ")
        for place in ("/usr/bin", "/usr/lib", "/etc", "/", "/usr/bin/python3"):
            print(int(os.access(place, os.W_OK)), end=" ")
    """
    assert python(sandbox, script).split() == ["-1"] * 12 + ["0"] * 5


def test_open_files_of_programs_cannot_be_written_through(sandbox: Sandbox) -> None:
    done = shell(
        sandbox, "exec 9</usr/bin/env; echo x > /proc/self/fd/9; echo x > /proc/self/exe; echo x >> /bin/ls"
    )
    assert done.stderr.count("Read-only file system") + done.stderr.count("Text file busy") == 3


def test_new_mounts_are_refused(sandbox: Sandbox) -> None:
    commands = (
        "mount -t tmpfs none /tmp",
        "mount -t proc proc /mnt",
        "mount -t sysfs s /mnt",
        "mount --bind / /mnt",
    )
    for command in commands:
        assert shell(sandbox, command).exit_code != 0, command


def test_kernel_settings_cannot_be_written(sandbox: Sandbox) -> None:
    """As root of the host without any capability one may write them, were they not mounted read-only."""
    script = """
        import os
        for top, directories, files in os.walk("/proc"):
            if top == "/proc":
                directories[:] = [name for name in directories if not name.isdigit() and name not in ("self", "thread-self")]
            for name in files:
                if os.access(os.path.join(top, name), os.W_OK):
                    print(os.path.join(top, name))
    """
    assert python(sandbox, script) == ""
    done = shell(sandbox, "echo x > /proc/sys/kernel/hostname")
    assert "Read-only" in done.stderr


def test_device_files_cannot_be_made_or_opened(sandbox: Sandbox) -> None:
    assert shell(sandbox, "mknod /app/disk b 8 0").exit_code != 0
    assert shell(sandbox, "mknod /tmp/memory c 1 1").exit_code != 0
    devices = shell(sandbox, "ls /dev").stdout.split()
    assert set(devices) <= {
        *("console", "core", "fd", "full", "null", "ptmx", "pts", "random", "shm"),
        *("stderr", "stdin", "stdout", "tty", "urandom", "zero"),
    }


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a device file to find")
def test_device_files_that_lie_in_the_workspace_cannot_be_opened(
    workspace: Path, opened: OpenSandbox
) -> None:
    os.mknod(workspace / "zero", 0o666 | stat.S_IFCHR, os.makedev(1, 5))
    for backend in BACKENDS:
        assert "Permission denied" in shell(opened(backend=backend), "head -c1 zero").stderr


def test_set_user_id_programs_raise_nothing(sandbox: Sandbox) -> None:
    shell(sandbox, "cp /usr/bin/grep /app/raised; chmod 6755 /app/raised")
    for program in ("/app/raised", "grep"):
        status = shell(sandbox, f"{program} -E 'CapEff|NoNewPrivs' /proc/self/status").stdout.split()
        assert status == ["CapEff:", "0000000000000400", "NoNewPrivs:", "1"]


def test_privileges_cannot_be_gained_in_new_namespaces(sandbox: Sandbox) -> None:
    for kind in ("user", "mount", "net", "pid", "ipc", "uts", "cgroup"):
        assert shell(sandbox, f"unshare --{kind} true").exit_code != 0, kind
    script = """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        CLONE_NEWUSER = 0x10000000
        print(libc.syscall(56, CLONE_NEWUSER | 17, 0, 0, 0, 0))
        print(libc.syscall(435, ctypes.create_string_buffer(88), 88))
        import os
        print(libc.setns(os.open("/proc/self/ns/net", os.O_RDONLY), 0))
    """
    if os.uname().machine == "x86_64":
        assert python(sandbox, script).split() == ["-1", "-1", "-1"]


def test_seldom_used_doors_of_the_kernel_are_shut(sandbox: Sandbox) -> None:
    script = """
        import ctypes, socket
        libc = ctypes.CDLL(None, use_errno=True)
        numbers = {"keyctl": 250, "add_key": 248, "bpf": 321, "perf_event_open": 298, "userfaultfd": 323,
                   "io_uring_setup": 425, "kexec_load": 246, "init_module": 175, "syslog": 103, "open_by_handle_at": 304}
        print([name for name, number in numbers.items() if libc.syscall(number, 0, 0, 0, 0, 0) != -1])
        opened = []
        for family in (socket.AF_VSOCK, socket.AF_PACKET, socket.AF_ALG, socket.AF_BLUETOOTH, 31, 40):
            try:
                socket.socket(family, socket.SOCK_STREAM if family != socket.AF_ALG else socket.SOCK_SEQPACKET)
                opened.append(family)
            except OSError:
                pass
        print(opened)
    """
    if os.uname().machine == "x86_64":
        assert python(sandbox, script).split("\n") == ["[]", "[]"]


def test_a_program_for_another_convention_of_calls_gets_nowhere(sandbox: Sandbox) -> None:
    """The filter knows calls by their numbers; those of x32 and of 32-bit programs are others."""
    script = """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        print(libc.syscall(0x40000000 + 272, 0x10000000), ctypes.get_errno())
    """
    if os.uname().machine == "x86_64":
        assert python(sandbox, script).split() == ["-1", "38"]


# Other processes


def test_other_processes_are_not_seen(sandbox: Sandbox) -> None:
    me = os.getpid()
    assert shell(sandbox, f"kill -0 {me}").exit_code != 0 or me < 50
    shown = shell(sandbox, "ps -eo args").stdout
    assert "pytest" not in shown
    assert len(shown.splitlines()) < 8


def test_system_v_and_posix_memory_is_not_shared(sandbox: Sandbox) -> None:
    made = subprocess.run(["ipcmk", "-M", "64"], capture_output=True, text=True, check=True)
    number = made.stdout.split()[-1]
    try:
        assert number not in shell(sandbox, "ipcs -m").stdout.split()
    finally:
        subprocess.run(["ipcrm", "-m", number], check=True)
    assert shell(sandbox, "ls -A /dev/shm").stdout == ""


# Network


def test_nothing_but_loopback_can_be_reached(sandbox: Sandbox) -> None:
    script = """
        import socket
        for address in (("1.1.1.1", 443), ("8.8.8.8", 53), ("169.254.169.254", 80), ("10.0.0.1", 80)):
            try:
                socket.create_connection(address, timeout=3)
                print("reached", address)
            except OSError:
                pass
        with socket.socket(socket.AF_INET6) as six:
            try:
                six.connect(("2606:4700:4700::1111", 443))
                print("reached six")
            except OSError:
                pass
        for name in ("example.com", "pypi.org", "api.stripe.com", "host.docker.internal"):
            try:
                print("resolved", name, socket.gethostbyname(name))
            except OSError:
                pass
        print(*sorted(name for number, name in socket.if_nameindex()))
    """
    assert python(sandbox, script) == "lo"


def test_services_of_the_host_cannot_be_reached(sandbox: Sandbox) -> None:
    with socket.create_server(("0.0.0.0", 0)) as server:
        port = server.getsockname()[1]
        for address in ("127.0.0.1", "localhost", "0.0.0.0", socket.gethostbyname(socket.gethostname())):
            assert shell(sandbox, f"exec 3<>/dev/tcp/{address}/{port}").exit_code != 0
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_abstract_sockets_of_the_host_cannot_be_reached(sandbox: Sandbox) -> None:
    name = f"\0a-service-of-the-host-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        script = f"""
            import socket
            try:
                socket.socket(socket.AF_UNIX).connect({name!r})
                print("reached")
            except OSError:
                print("refused")
        """
        assert python(sandbox, script) == "refused"
        assert name[1:] not in shell(sandbox, "cat /proc/net/unix").stdout


def test_two_sandboxes_on_one_port_do_not_meet(opened: OpenSandbox) -> None:
    one, two = opened(), opened()
    with one.listen(4242) as first, two.listen(4242) as second:
        shell(one, "exec 3<>/dev/tcp/127.0.0.1/4242")
        first.settimeout(10)
        first.accept()[0].close()
        second.settimeout(0)
        with pytest.raises(BlockingIOError):
            second.accept()
    name = "\0one-for-both"
    for sandbox in (one, two):
        process = sandbox.spawn(
            [
                "python3",
                "-c",
                f"import socket; s = socket.socket(1); s.bind({name!r}); s.listen(); print(1); s.accept()",
            ]
        )
        assert process.poll() is None


def test_a_sandbox_sees_nothing_of_another(opened: OpenSandbox, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    one, two = opened(), opened(workspace=other)
    shell(
        one, "echo secret > ~/file; echo secret > /tmp/file; echo secret > /app/file; echo secret > /opt/file"
    )
    assert shell(two, "cat ~/file /tmp/file /app/file /opt/file; ls /tmp/..*").stdout == ""
    two.spawn(["sleep", "77777"])
    assert "77777" not in shell(one, "ps -ef").stdout


# Resources


def test_a_fork_bomb_is_contained(opened: OpenSandbox) -> None:
    bombed, other = opened(processes=64), opened()
    bomb = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
    done = bombed.exec(["python3", "-c", bomb], timeout=1)
    assert done.timed_out or done.exit_code != 0
    assert other.exec(["true"], timeout=20).ok
    assert len(_children(bombed)) <= 70
    bombed.freeze()
    wait_until(lambda: len(_children(bombed)) <= 1)


def _children(sandbox: Sandbox) -> list[str]:
    """The host's view of all processes of a sandbox."""
    space = Path(f"/proc/{sandbox.pid}/ns/pid").stat().st_ino
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (process / "ns/pid").stat().st_ino == space:
                found.append(process.name)
    return found


def test_memory_is_limited(opened: OpenSandbox) -> None:
    sandbox = opened(memory_mb=128)
    done = sandbox.exec(["python3", "-c", "x = b'x' * (400 << 20); print('got it')"], timeout=60)
    assert done.exit_code == 137
    assert done.stdout == ""
    assert sandbox.exec(["echo", "alive"]).stdout == "alive\n"


def test_memory_file_systems_are_limited(opened: OpenSandbox) -> None:
    sandbox = opened(memory_mb=256)
    for place in ("/dev/shm", "/run"):
        done = shell(sandbox, f"head -c 400M /dev/zero > {place}/fill", timeout=60)
        assert done.exit_code != 0, place
        shell(sandbox, f"rm -f {place}/fill")
    for place in ("/", "/dev", "/home", "/proc"):
        assert shell(sandbox, f"echo > {place}/file").exit_code != 0, place


def test_a_file_cannot_grow_without_end(opened: OpenSandbox, workspace: Path) -> None:
    done = shell(opened(file_mb=2), "head -c 10M /dev/zero > big")
    assert done.exit_code != 0
    assert (workspace / "big").stat().st_size == 2 << 20


def test_endless_output_ends_with_the_time_and_costs_little(sandbox: Sandbox) -> None:
    done = sandbox.exec(["yes"], timeout=0.5, output_limit=5000)
    assert done.timed_out
    assert done.truncated
    assert len(done.stdout) == 5000


def test_a_daemon_that_was_left_behind_dies_with_the_sandbox(opened: OpenSandbox) -> None:
    sandbox = opened()
    shell(
        sandbox,
        "(setsid nohup sleep 88888 >/dev/null 2>&1 &) ; (trap '' TERM HUP; setsid sleep 99999 >/dev/null 2>&1 &)",
    )
    assert len(_children(sandbox)) >= 3
    numbers = _children(sandbox)
    descriptors = [os.pidfd_open(int(number)) for number in numbers]
    sandbox.close()
    for descriptor in descriptors:
        assert select.select([descriptor], [], [], 5)[0]
        os.close(descriptor)


# The host's own interpreter


HOST_SCRIPT = """
import sys, time
from pathlib import Path
from typing import Any
from trialbalance.sandbox import SandboxSpec, open_sandbox
sandbox = open_sandbox(SandboxSpec(Path(sys.argv[1])), backend=sys.argv[2])
sandbox.spawn(["sleep", "100000"])
print(sandbox.pid, sandbox.state.directory, flush=True)
if sys.argv[3] == "raise":
    raise RuntimeError("an exception")
sandbox.exec(["sleep", "1000"])
"""


def start_host(workspace: Path, backend: str, end: str) -> tuple[subprocess.Popen[str], int, Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOST_SCRIPT, str(workspace), backend, end],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    pid, directory = process.stdout.readline().split()
    return process, int(pid), Path(directory)


@pytest.mark.parametrize("backend", ["bubblewrap", "unshare", "plain"])
@pytest.mark.parametrize("end", ["raise", "SIGINT", "SIGTERM", "SIGKILL"])
def test_nothing_survives_the_program_that_opened_the_sandbox(
    workspace: Path, backend: str, end: str
) -> None:
    process, pid, directory = start_host(workspace, backend, end)
    with process, contextlib.suppress(ProcessLookupError):
        descriptor = os.pidfd_open(pid)
        if end != "raise":
            process.send_signal(getattr(signal, end))
        process.wait(20)
        assert select.select([descriptor], [], [], 10)[0], "what runs in the sandbox outlived its opener"
        os.close(descriptor)
    if end in ("raise", "SIGINT"):
        assert not directory.exists()
    else:  # killed without a chance to tidy up: the next program does it
        subprocess.run(
            [sys.executable, "-c", "from trialbalance.sandbox import state; state.sweep()"], check=True
        )
        assert not directory.exists()


# A machine whose walls do not hold


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (["--cap-add", "ALL"], "capabilities were kept"),
        (["--bind", "/usr", "/usr"], "/usr is writable"),
        (["--bind", "/etc/shadow", "/etc/shadow"], "shadow is visible"),
        (["--bind", "/proc", "/proc"], "is writable"),
        (["--share-net"], "network|net namespace"),
    ],
)
def test_a_sandbox_with_a_hole_is_refused(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, changed: list[str], expected: str
) -> None:
    """The walls are tried at every opening, from inside."""
    from trialbalance.sandbox import bubblewrap, root

    original = bubblewrap.arguments

    def with_a_hole(*positional: object, **named: object) -> list[str]:
        command: list[str] = original(*positional, **named)  # type: ignore[arg-type]
        if changed == ["--share-net"]:
            return [word for word in command if word != "--unshare-net"]
        end = len(command) - 1 - command[::-1].index("--chdir")
        seal = command.index("--remount-ro", end - 2)
        return [*command[:seal], *changed, *command[seal:]]

    if changed[0] == "--bind" and changed[2] == "/etc/shadow":
        if os.geteuid() != 0:
            pytest.skip("only root could show it")
        layout = root.layout

        def with_a_place(spec: SandboxSpec, state: object, etc: object, mounts: object) -> object:
            etc.write("shadow", "")  # type: ignore[attr-defined]
            return layout(spec, state, etc, mounts)  # type: ignore[arg-type]

        monkeypatch.setattr(root, "layout", with_a_place)
    monkeypatch.setattr(bubblewrap, "arguments", with_a_hole)
    with pytest.raises(UnsafeSandbox, match=expected):
        open_sandbox(SandboxSpec(workspace), backend="bubblewrap")


def test_a_shared_namespace_is_refused() -> None:
    own = Path("/proc/self/ns/pid").stat().st_ino
    with pytest.raises(UnsafeSandbox, match="pid namespace is the host's own"):
        _verify({"faults": [], "namespaces": {"pid": own}})
