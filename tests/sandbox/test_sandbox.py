"""What can be done in a sandbox, by the backends that isolate."""

from __future__ import annotations

import os
import selectors
import signal
import socket
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.sandbox.conftest import OpenSandbox
from trialbalance.sandbox import Completed, Mount, Sandbox, SandboxClosed, SandboxError, Terminal

pytestmark = pytest.mark.sandbox


def wait_until(condition: Callable[[], bool], seconds: float = 10) -> None:
    """Wait on a condition, and fail when it does not come."""
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come"
        pause.wait(0.01)


def shell(sandbox: Sandbox, script: str, **options: object) -> Completed:
    return sandbox.exec(["bash", "-c", script], **options)  # type: ignore[arg-type]


# Commands


def test_a_command_gives_its_output_and_code(sandbox: Sandbox) -> None:
    done = shell(sandbox, "echo out; echo err >&2; exit 3")
    assert done == Completed(3, "out\n", "err\n")
    assert not done.ok


def test_a_command_killed_by_a_signal_is_reported_as_a_shell_would(sandbox: Sandbox) -> None:
    assert shell(sandbox, "kill -SEGV $$").exit_code == 128 + signal.SIGSEGV


def test_a_missing_command_is_127_and_a_directory_126(sandbox: Sandbox) -> None:
    missing = sandbox.exec(["no-such-command"])
    assert missing.exit_code == 127
    assert "no-such-command" in missing.stderr
    assert sandbox.exec(["/app"]).exit_code == 126


def test_a_missing_directory_is_named(sandbox: Sandbox) -> None:
    done = sandbox.exec(["true"], cwd="/nowhere")
    assert done.exit_code == 127
    assert "/nowhere" in done.stderr


def test_an_empty_command_is_an_error(sandbox: Sandbox) -> None:
    with pytest.raises(SandboxError, match="no command"):
        sandbox.exec([])


@pytest.mark.parametrize("size", [0, 5, 3_000_000])
def test_standard_input_arrives_whole(sandbox: Sandbox, size: int) -> None:
    assert sandbox.exec(["wc", "-c"], stdin=b"x" * size).stdout.strip() == str(size)


def test_standard_input_that_nobody_reads_does_no_harm(sandbox: Sandbox) -> None:
    assert sandbox.exec(["true"], stdin="x" * 3_000_000).ok


def test_without_standard_input_a_command_reads_nothing(sandbox: Sandbox) -> None:
    assert sandbox.exec(["cat"]).stdout == ""


def test_long_output_keeps_its_beginning_and_says_so(sandbox: Sandbox) -> None:
    done = shell(sandbox, "seq 1000000; echo end >&2", output_limit=1000)
    assert len(done.stdout) == 1000
    assert done.stdout.startswith("1\n2\n")
    assert done.stderr == "end\n"
    assert done.truncated


def test_variables_add_to_those_of_the_sandbox(opened: OpenSandbox) -> None:
    sandbox = opened(env={"ONE": "1", "TWO": "2"})
    done = shell(sandbox, "echo $ONE $TWO $HOME $PWD", env={"TWO": "zwei"})
    assert done.stdout == "1 zwei /root /app\n"


def test_nothing_of_the_hosts_environment_comes_in(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET_OF_THE_HOST", "yes")
    assert "A_SECRET_OF_THE_HOST" not in shell(sandbox, "env; tr '\\0' '\\n' < /proc/1/environ").stdout


def test_signals_have_their_defaults_and_core_dumps_are_off(sandbox: Sandbox) -> None:
    assert shell(sandbox, "grep SigIgn /proc/self/status").stdout.split() == ["SigIgn:", "0" * 16]
    assert shell(sandbox, "ulimit -c").stdout == "0\n"
    done = shell(sandbox, "yes | head -1; exit ${PIPESTATUS[0]}")
    assert done.exit_code == 128 + signal.SIGPIPE


def test_what_runs_out_of_time_is_killed_with_all_that_came_of_it(sandbox: Sandbox) -> None:
    script = "setsid -f sleep 1111 & (setsid sleep 2222 &) ; sleep 3333"
    done = shell(sandbox, script, timeout=0.5)
    assert done.timed_out
    assert done.exit_code == 124
    assert "sleep" not in sandbox.exec(["ps", "-eo", "comm"]).stdout


def test_output_before_the_time_ran_out_is_kept(sandbox: Sandbox) -> None:
    assert shell(sandbox, "echo early; sleep 100", timeout=0.5).stdout == "early\n"


def test_a_background_command_goes_on_and_may_still_print(sandbox: Sandbox, workspace: Path) -> None:
    script = "(echo line; cat go >/dev/null; for i in $(seq 20); do echo more || exit; done; touch done) &"
    shell(sandbox, "mkfifo go")
    done = shell(sandbox, script)
    assert done.ok
    assert not (workspace / "done").exists()
    shell(sandbox, "echo > go")
    wait_until((workspace / "done").exists)


def test_commands_run_at_the_same_time(sandbox: Sandbox) -> None:
    shell(sandbox, "mkfifo meet")
    answers: list[str] = []
    reader = threading.Thread(target=lambda: answers.append(sandbox.exec(["cat", "meet"]).stdout))
    reader.start()
    shell(sandbox, "echo hello > meet")
    reader.join(10)
    assert answers == ["hello\n"]


# Files


def test_the_workspace_is_written_through_and_home_is_fresh(sandbox: Sandbox, workspace: Path) -> None:
    (workspace / "in").write_text("from the host", encoding="utf-8")
    assert (
        shell(sandbox, "cat in; echo out > out; ls -A ~ /tmp /opt").stdout
        == "from the host/opt:\n\n/root:\n\n/tmp:\n"
    )
    assert (workspace / "out").read_text(encoding="utf-8") == "out\n"


def test_a_read_only_workspace_cannot_be_written(opened: OpenSandbox) -> None:
    done = shell(opened(writable=False), "touch /app/x")
    assert "Read-only" in done.stderr


def test_mounts_are_read_only_unless_asked(opened: OpenSandbox, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    (tmp_path / "file").write_text("text", encoding="utf-8")
    sandbox = opened(
        mounts=(
            Mount(tmp_path / "one", "/data/one"),
            Mount(tmp_path / "two", "/data/two", writable=True),
            Mount(tmp_path / "file", "/etc/app/settings"),
        )
    )
    done = shell(sandbox, "touch /data/one/x; touch /data/two/x; cat /etc/app/settings")
    assert done.stdout == "text"
    assert "/data/one/x" in done.stderr
    assert (tmp_path / "two/x").exists()


def test_login_shells_see_the_same_variables(opened: OpenSandbox) -> None:
    sandbox = opened(env={"MINE": "1"})
    assert shell(sandbox, "env | sort | grep -v SHLVL") == shell(
        sandbox, "bash -lc env | sort | grep -v SHLVL"
    )
    fresh = shell(sandbox, "env -i bash -lc 'echo $PATH $SSL_CERT_FILE'").stdout
    assert fresh.split() == [sandbox.env["PATH"], sandbox.env["SSL_CERT_FILE"]]


# Spawned processes


def test_a_spawned_process_logs_and_ends(sandbox: Sandbox, tmp_path: Path) -> None:
    log = tmp_path / "log"
    process = sandbox.spawn(["bash", "-c", "echo one; echo two >&2; exit 5"], log=log)
    assert process.wait(10) == 5
    assert process.poll() == 5
    assert log.read_text(encoding="utf-8") == "one\ntwo\n"


def test_a_log_is_added_to_and_ends_at_its_limit(sandbox: Sandbox, tmp_path: Path) -> None:
    log = tmp_path / "log"
    sandbox.spawn(["echo", "first"], log=log).wait(10)
    sandbox.spawn(["seq", "100000"], log=log, log_limit=20).wait(10)
    text = log.read_text(encoding="utf-8")
    assert text.startswith("first\n1\n2\n")
    assert len(text) < 100
    assert "limit" in text


def test_waiting_for_what_runs_on_is_a_timeout(sandbox: Sandbox) -> None:
    process = sandbox.spawn(["sleep", "100"])
    with pytest.raises(TimeoutError):
        process.wait(0.1)
    assert process.poll() is None
    assert process.kill() == 137


def test_terminate_is_polite_first(sandbox: Sandbox, tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = "trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
    process = sandbox.spawn(["bash", "-c", script], log=log)
    wait_until(lambda: "ready" in log.read_text(encoding="utf-8"))
    assert process.terminate() == 7
    assert "bye" in log.read_text(encoding="utf-8")


def test_terminate_kills_what_does_not_listen_and_what_detached_itself(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    script = (
        "trap '' TERM; setsid -f bash -c \"trap '' TERM; sleep 4444\"; echo ready; sleep 5555; sleep 5555"
    )
    process = sandbox.spawn(["bash", "-c", script], log=log)
    wait_until(lambda: "ready" in log.read_text(encoding="utf-8"))
    assert process.terminate(grace=0.3) in (137, 143)
    assert "sleep" not in sandbox.exec(["ps", "-eo", "comm"]).stdout


def test_a_tree_is_killed_although_its_root_has_ended(sandbox: Sandbox) -> None:
    process = sandbox.spawn(["bash", "-c", "setsid -f sleep 6666"])
    assert process.wait(10) == 0
    assert "sleep" in sandbox.exec(["ps", "-eo", "comm"]).stdout
    process.kill()
    assert "sleep" not in sandbox.exec(["ps", "-eo", "comm"]).stdout


def test_what_cannot_be_started_is_an_error(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(SandboxError, match="no-such-command"):
        sandbox.spawn(["no-such-command"])
    with pytest.raises(SandboxError, match="cannot be written"):
        sandbox.spawn(["true"], log=tmp_path / "no" / "such" / "place")


def read_until(terminal: Terminal, wanted: bytes, seconds: float = 10) -> bytes:
    """What a terminal shows until something is seen."""
    seen = b""
    with selectors.DefaultSelector() as selector:
        selector.register(terminal, selectors.EVENT_READ)
        while wanted not in seen:
            assert selector.select(seconds), f"{wanted!r} did not come, only {seen!r}"
            piece = terminal.read()
            assert piece, f"the terminal ended after {seen!r}"
            seen += piece
    return seen


def test_a_terminal_is_interactive(sandbox: Sandbox) -> None:
    with sandbox.pty(["bash", "--norc", "-i"], env={"PS1": "READY> "}, rows=33, columns=77) as terminal:
        read_until(terminal, b"READY>")
        terminal.write(b"stty size; tty\n")
        assert b"33 77" in read_until(terminal, b"/dev/pts/")
        terminal.resize(20, 100)
        terminal.write(b"stty size\n")
        read_until(terminal, b"20 100\r\n")
        terminal.write(b"echo at-$((40 + 1)); cat\n")
        read_until(terminal, b"at-41")
        terminal.write(b"ping\n")
        read_until(terminal, b"ping\r\nping\r\n")
        terminal.write(b"\x03")
        read_until(terminal, b"READY>")
        terminal.write(b"echo at-$((40 + 2))\n")
        read_until(terminal, b"at-42")
        terminal.write(b"exit 4\n")
        assert terminal.wait(10) == 4


# Network


def test_the_host_reaches_a_port_inside(sandbox: Sandbox, workspace: Path) -> None:
    (workspace / "page").write_text("hello", encoding="utf-8")
    with pytest.raises(ConnectionRefusedError):
        sandbox.connect(4242)
    process = sandbox.spawn(["python3", "-m", "http.server", "4242", "--bind", "127.0.0.1"])
    assert sandbox.wait_for_port(4242, 20, process)
    with sandbox.connect(4242) as connection:
        connection.sendall(b"GET /page HTTP/1.0\r\n\r\n")
        answer = b""
        while piece := connection.recv(4096):
            answer += piece
    assert answer.endswith(b"hello")


def test_a_forward_carries_many_requests(sandbox: Sandbox, workspace: Path) -> None:
    (workspace / "page").write_bytes(b"x" * 300_000)
    sandbox.spawn(["python3", "-m", "http.server", "4242", "--bind", "127.0.0.1"])
    assert sandbox.wait_for_port(4242, 20)
    with sandbox.forward(4242) as forward:
        for _ in range(5):
            with urllib.request.urlopen(f"{forward.url}/page", timeout=10) as answer:
                assert len(answer.read()) == 300_000
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(f"{forward.url}/page", timeout=10)


def test_waiting_for_a_port_sees_that_the_app_has_ended(sandbox: Sandbox) -> None:
    process = sandbox.spawn(["false"])
    started = time.monotonic()
    assert not sandbox.wait_for_port(4242, 30, process)
    assert time.monotonic() - started < 10
    assert not sandbox.wait_for_port(4242, 0.05)


def test_an_app_on_ipv6_loopback_alone_is_not_taken_for_one_on_ipv4(sandbox: Sandbox) -> None:
    script = "import socket; s = socket.create_server(('::1', 4242), family=socket.AF_INET6); s.accept()"
    both = "import socket; s = socket.create_server(('::', 4243), family=socket.AF_INET6, dualstack_ipv6=True); s.accept()"
    sandbox.spawn(["python3", "-c", script])
    sandbox.spawn(["python3", "-c", both])
    assert sandbox.wait_for_port(4243, 20)
    assert not sandbox.wait_for_port(4242, 0.2)


def test_the_host_serves_a_port_inside(sandbox: Sandbox) -> None:
    with sandbox.listen(443) as listener:
        process = sandbox.spawn(
            [
                "bash",
                "-c",
                "exec 3<>/dev/tcp/127.0.0.1/443; echo hello >&3; read answer <&3; test $answer = bye",
            ]
        )
        connection, _ = listener.accept()
        with connection:
            assert connection.recv(100) == b"hello\n"
            connection.sendall(b"bye\n")
        assert process.wait(10) == 0
        with pytest.raises(OSError, match="in use"):
            sandbox.listen(443)
    sandbox.listen(443).close()


def test_an_app_may_listen_on_a_low_port(sandbox: Sandbox) -> None:
    process = sandbox.spawn(["python3", "-m", "http.server", "80", "--bind", "127.0.0.1"])
    assert sandbox.wait_for_port(80, 20, process)


# End


def test_freezing_stops_everything_and_keeps_the_files(sandbox: Sandbox, workspace: Path) -> None:
    process = sandbox.spawn(["bash", "-c", "while :; do echo x >> grows; done"])
    wait_until((workspace / "grows").exists)
    sandbox.freeze()
    sandbox.freeze()
    size = (workspace / "grows").stat().st_size
    assert process.poll() == 137
    with pytest.raises(SandboxClosed, match="frozen"):
        sandbox.exec(["true"])
    assert (workspace / "grows").stat().st_size == size


def test_a_closed_sandbox_says_so(opened: OpenSandbox) -> None:
    sandbox = opened()
    process = sandbox.spawn(["sleep", "100"])
    sandbox.close()
    sandbox.close()
    assert process.poll() == 137
    assert process.kill() == 137
    for use in (lambda: sandbox.exec(["true"]), lambda: sandbox.listen(1), sandbox.freeze, sandbox.browser):
        with pytest.raises(SandboxClosed):
            use()


def test_closing_ends_a_command_that_another_thread_waits_for(opened: OpenSandbox) -> None:
    sandbox = opened()
    codes: list[int] = []
    waiting = threading.Thread(target=lambda: codes.append(sandbox.exec(["sleep", "100"]).exit_code))
    waiting.start()
    wait_until(lambda: "sleep" in sandbox.exec(["ps", "-eo", "comm"]).stdout)
    sandbox.close()
    waiting.join(10)
    assert codes == [137]


def test_closing_leaves_no_process_and_no_file(opened: OpenSandbox) -> None:
    sandbox = opened()
    sandbox.spawn(["setsid", "-f", "sleep", "100"])
    shell(
        sandbox,
        "mkdir -p ~/a/b; chmod 0 ~/a; mkfifo ~/pipe; ln -s / ~/root; cd ~; for i in $(seq 300); do mkdir d && cd d; done",
    )
    with sandbox.forward(4242):
        place = sandbox.state.directory
        groups = sandbox._group.directories if sandbox._group else []
        descriptor = os.pidfd_open(sandbox.pid)
        sandbox.close()
    with selectors.DefaultSelector() as selector:
        selector.register(descriptor, selectors.EVENT_READ)
        assert selector.select(0), "the first process is still alive"
    os.close(descriptor)
    assert not place.exists()
    assert not [group for group in groups if group.exists()]
    assert str(place) not in Path("/proc/self/mountinfo").read_text(encoding="utf-8")


def test_nothing_is_left_open_on_the_host(opened: OpenSandbox) -> None:
    opened().close()
    before = sorted(os.listdir("/proc/self/fd"))  # noqa: PTH208
    sandbox = opened()
    sandbox.exec(["true"])
    sandbox.spawn(["true"]).wait(10)
    sandbox.pty(["true"]).wait(10)
    sandbox.forward(1).close()
    sandbox.listen(443).close()
    sandbox.close()
    assert sorted(os.listdir("/proc/self/fd")) == before  # noqa: PTH208


def test_usage_is_known_where_a_control_group_counts(sandbox: Sandbox) -> None:
    assert sandbox.exec(["python3", "-c", "x = b'x' * (20 << 20)"]).ok
    usage = sandbox.usage()
    if sandbox._group is None:
        assert usage.peak_memory_bytes is None
    else:
        assert usage.peak_memory_bytes is not None
        assert usage.peak_memory_bytes > 20 << 20


def test_two_sandboxes_run_at_once(opened: OpenSandbox, tmp_path: Path) -> None:
    places = [tmp_path / "one", tmp_path / "two"]
    for place in places:
        place.mkdir()
        (place / "who").write_text(place.name, encoding="utf-8")
    sandboxes = [opened(workspace=place) for place in places]
    for sandbox in sandboxes:
        sandbox.spawn(["python3", "-m", "http.server", "4242", "--bind", "127.0.0.1"])
    for sandbox, place in zip(sandboxes, places, strict=True):
        assert sandbox.wait_for_port(4242, 20)
        with (
            sandbox.forward(4242) as forward,
            urllib.request.urlopen(f"{forward.url}/who", timeout=10) as answer,
        ):
            assert answer.read().decode() == place.name


def test_the_loopback_of_the_host_is_another(sandbox: Sandbox) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, pytest.raises(ConnectionRefusedError):
        sandbox.connect(server.getsockname()[1])
