"""The smaller parts of the sandbox, each by itself."""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import trialbalance
from tests.sandbox.conftest import OpenSandbox
from trialbalance.sandbox import (
    STRIPE_HOSTS,
    Authority,
    Finding,
    SandboxError,
    enter,
    preflight,
    root,
    seccomp,
    state,
)
from trialbalance.sandbox import cgroup as cgroups
from trialbalance.sandbox.channel import Channel
from trialbalance.sandbox.enter import started
from trialbalance.sandbox.errors import RequestLost, RequestRefused, SandboxClosed
from trialbalance.sandbox.etc import Etc
from trialbalance.sandbox.init import receive, send
from trialbalance.sandbox.layout import Layout
from trialbalance.sandbox.preflight import attack

# Authority


def test_a_certificate_is_for_its_names_and_the_key_is_private(tmp_path: Path) -> None:
    authority = Authority.create(tmp_path / "authority")
    files = authority.issue(STRIPE_HOSTS)
    assert files.key.stat().st_mode & 0o077 == 0
    assert b"PRIVATE" not in b"".join(
        path.read_bytes() for path in (authority.certificate, files.certificate)
    )
    again = authority.issue(["app.test"])
    assert again.certificate != files.certificate
    with pytest.raises(SandboxError, match="at least one name"):
        authority.issue([])


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_the_subject_hash_is_openssls(authority: Authority) -> None:
    command = ["openssl", "x509", "-noout", "-subject_hash", "-in", str(authority.certificate)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == authority.subject_hash


def test_the_names_are_stripes() -> None:
    assert len(set(STRIPE_HOSTS)) == len(STRIPE_HOSTS)
    assert {"api.stripe.com", "js.stripe.com", "checkout.stripe.com", "files.stripe.com"} <= set(STRIPE_HOSTS)
    assert "docs.stripe.com" not in STRIPE_HOSTS


# The system call filter


def run_filter(program: bytes, number: int, first: int = 0, second: int = 0, audit: int = 0xC000003E) -> int:
    """What a filter decides: an interpreter of the few instructions that it uses."""
    data = struct.pack("=iIQQQ", number, audit, 0, first, second)
    steps = [struct.unpack("=HBBI", program[place : place + 8]) for place in range(0, len(program), 8)]
    value = position = 0
    while True:
        code, if_true, if_false, constant = steps[position]
        position += 1
        if code == seccomp.RETURN:
            return int(constant)
        if code == seccomp.LOAD:
            value = struct.unpack_from("=I", data, constant)[0]
            continue
        outcome = {
            seccomp.JUMP_EQUAL: value == constant,
            seccomp.JUMP_GREATER_EQUAL: value >= constant,
            seccomp.JUMP_BITS: bool(value & constant),
        }[code]
        position += if_true if outcome else if_false


ALLOWED, REFUSED, MISSING, NO_FAMILY = 0x7FFF0000, 0x50001, 0x50026, 0x50061


@pytest.mark.parametrize("machine", sorted(seccomp.ARCHITECTURES))
def test_the_filter_refuses_what_it_should_and_nothing_else(machine: str) -> None:
    program = seccomp.compile_filter(machine)
    audit, numbers, foreign = seccomp.ARCHITECTURES[machine]

    def decide(number: int, first: int = 0, second: int = 0) -> int:
        return run_filter(program, number, first, second, audit)

    for name in sorted(set(numbers) - set(seccomp.SPECIAL)):
        assert decide(numbers[name]) == REFUSED, name
    assert decide(numbers["clone3"]) == MISSING
    assert decide(numbers["clone"], 0x10000000 | 17) == REFUSED
    assert decide(numbers["clone"], 0x003D0F00) == ALLOWED
    assert [decide(numbers["socket"], family) for family in (1, 2, 10, 16)] == [ALLOWED] * 4
    assert [decide(numbers["socket"], family) for family in (0, 17, 38, 40)] == [NO_FAMILY] * 4
    assert decide(numbers["ioctl"], 0, 0x5412) == REFUSED
    assert decide(numbers["ioctl"], 0, 0x5401) == ALLOWED
    others = set(range(470)) - set(numbers.values())
    assert {decide(number) for number in others} == {ALLOWED}
    assert run_filter(program, 1, audit=0x40000003) == MISSING
    if foreign:
        assert decide(foreign + 1) == MISSING


def test_an_unknown_processor_has_no_filter() -> None:
    assert seccomp.compile_filter("pdp11") == b""
    assert not seccomp.supported("pdp11")


# Control groups


def fake_groups(tmp_path: Path, own: str, **files: str) -> tuple[Path, Path]:
    mount = tmp_path / "cgroup"
    mount.mkdir()
    for name, text in files.items():
        path = mount / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="ascii")
    (tmp_path / "own").write_text(own, encoding="ascii")
    return mount, tmp_path / "own"


def test_version_2_makes_a_relative_below_who_hands_out_controllers(tmp_path: Path) -> None:
    mount, own = fake_groups(
        tmp_path,
        "0::/user.slice/session.scope\n",
        cgroup_dot_subtree_control="cpu memory pids",
        user_dot_slice__cgroup_dot_subtree_control="memory pids",
    )
    group = cgroups.ControlGroup.create("ours", 1 << 20, 10, mount, own)
    assert group is not None
    assert group.version == 2
    place = mount / "user.slice/ours"
    assert group.directories == [place]
    assert (place / "memory.max").read_text(encoding="ascii") == "1048576"
    assert (place / "pids.max").read_text(encoding="ascii") == "10"
    (place / "memory.peak").write_text("77\n", encoding="ascii")
    (place / "memory.events").write_text("oom 3\noom_kill 2\n", encoding="ascii")
    assert (group.peak_memory(), group.out_of_memory_kills()) == (77, 2)
    group.add(42)
    assert (place / "cgroup.procs").read_text(encoding="ascii") == "42"


@pytest.mark.parametrize("own", ["0::/\n", "0::/a/b\n", ""])
def test_version_2_without_controllers_is_not_used(tmp_path: Path, own: str) -> None:
    mount, place = fake_groups(
        tmp_path,
        own,
        cgroup_dot_subtree_control="cpu",
        a__cgroup_dot_subtree_control="",
        a__b__cgroup_dot_procs="",
    )
    assert cgroups.ControlGroup.create("ours", 1, 1, mount, place) is None


def test_version_1_makes_a_child_for_each_controller(tmp_path: Path) -> None:
    mount, own = fake_groups(tmp_path, "4:memory:/jobs\n8:pids:/\n", memory__jobs__x="", pids__x="")
    group = cgroups.ControlGroup.create("ours", 1 << 20, 10, mount, own)
    assert group is not None
    assert group.version == 1
    assert group.directories == [mount / "memory/jobs/ours", mount / "pids/ours"]
    assert (mount / "memory/jobs/ours/memory.limit_in_bytes").read_text(encoding="ascii") == "1048576"


def test_no_control_groups_at_all(tmp_path: Path) -> None:
    mount, own = fake_groups(tmp_path, "")
    assert cgroups.ControlGroup.create("ours", 1, 1, mount, own) is None


def test_groups_of_the_dead_are_swept(tmp_path: Path) -> None:
    mount, _ = fake_groups(tmp_path, "", memory__jobs__x="")
    mine = f"trialbalance-{os.getpid()}-{started(os.getpid())}-1-x"
    names = {
        mine,
        f"trialbalance-{os.getpid()}-1-1-x",
        "trialbalance-999999999-1-1-x",
        "trialbalance-of-another",
    }
    for name in names:
        (mount / "memory/jobs" / name).mkdir()
    cgroups.sweep(state.PREFIX, state.is_alive, mount)
    left = {path.name for path in (mount / "memory/jobs").glob("trialbalance-*")}
    assert left == {mine, "trialbalance-of-another"}


# State


def test_the_directories_of_the_living_are_not_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    mine = state.State.create()
    dead = tmp_path / "trialbalance-999999999-1-1-x"
    dead.mkdir()
    (dead / "lock").touch()
    (tmp_path / "trialbalance-999999999-1-file").touch()
    state.sweep()
    assert mine.directory.exists()
    assert not dead.exists()
    assert (tmp_path / "trialbalance-999999999-1-file").exists()
    mine.remove()
    mine.remove()
    assert not mine.directory.exists()


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    doomed = tmp_path / "doomed"
    doomed.mkdir()
    (doomed / "link").symlink_to(precious)
    state.remove_tree(doomed)
    assert not doomed.exists()
    assert (precious / "file").exists()


# Requests


def test_frames_carry_messages_and_descriptors() -> None:
    control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with control, other, Channel(control) as channel:
        _, descriptors, _, _ = socket.recv_fds(other, 16, 1)
        with socket.socket(fileno=descriptors[0]) as theirs:
            read, write = os.pipe()
            channel.send({"text": "é"}, [read, write])
            frame = receive(theirs)
            assert frame is not None
            assert frame[0] == {"text": "é"}
            for descriptor in (read, write, *frame[1]):
                os.close(descriptor)
            send(theirs, {"error": 2, "message": "no"})
            with pytest.raises(RequestRefused, match="no"):
                channel.ask({})
            with pytest.raises(TimeoutError):
                channel.receive(0)
        with pytest.raises(RequestLost):
            channel.ask({})


def test_a_channel_to_nobody_is_closed() -> None:
    control, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    other.close()
    with control, pytest.raises(SandboxClosed):
        Channel(control)


# Files


def test_files_of_the_host_that_only_some_may_read_are_left_out(tmp_path: Path) -> None:
    etc = Etc(tmp_path / "etc")
    etc.basics("box", ("api.stripe.com", "api.stripe.com"))
    names = {path.name for path in etc.directory.iterdir()}
    assert not names & {"shadow", "gshadow", "sudoers", "ssh", "crontab", "fstab"}
    hosts = (etc.directory / "hosts").read_text(encoding="utf-8").splitlines()
    assert hosts == ["127.0.0.1\tlocalhost", "127.0.0.1\tbox", "127.0.0.1\tapi.stripe.com"]
    assert (etc.directory / "resolv.conf").read_text(encoding="utf-8") == ""
    layout = Layout(tmp_path / "empty")
    etc.show(layout)
    for operation in layout:
        assert not operation.writable
        assert "ssh" not in operation.target


def test_a_package_below_usr_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trialbalance, "__file__", "/usr/lib/python3/dist-packages/trialbalance/__init__.py")
    assert root.own_places() == [Path("/usr/lib/python3/dist-packages/trialbalance")]


# Preflight


@pytest.mark.sandbox
def test_preflight_finds_this_machine_fit() -> None:
    findings = preflight()
    assert [found for found in findings if found.required and not found.ok] == []
    assert {"isolation", "walls", "network", "limits", "browser"} <= {found.name for found in findings}
    for found in findings:
        assert found.detail
        assert found.ok or found.hint


@pytest.mark.sandbox
def test_an_attack_that_succeeds_is_reported(opened: OpenSandbox, tmp_path: Path) -> None:
    """Without isolation some of them do succeed; only the harmless one is tried."""
    sandbox = opened(backend="plain")
    finding = attack(sandbox, str(tmp_path), {"read the host's files": 'ls "$1"'})
    assert finding == Finding(
        "walls", False, "from inside one can read the host's files", "do not run untrusted agents here"
    )


def test_init_needs_nothing_but_the_standard_library() -> None:
    """It runs on the system's own Python, as old as 3.9, with nothing installed."""
    for name in ("init.py", "builder.py", "enter.py"):
        source = Path(sys.modules["trialbalance.sandbox"].__path__[0], name).read_text(encoding="utf-8")
        imports = {
            line.split()[1].split(".")[0]
            for line in source.splitlines()
            if line.startswith(("import ", "from "))
        }
        assert imports <= set(sys.stdlib_module_names) | {"__future__"}, name


# The interface that makes pages look online


@pytest.fixture
def interface(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The interface can be made; its flags are those of the list, the last one for good."""
    flags: list[int] = []

    def answer(control: socket.socket, request: int, asked: bytes) -> bytes:
        found = flags.pop(0) if len(flags) > 1 else flags[0]
        return struct.pack("16sH14s", asked[:16], found, b"")

    monkeypatch.setattr(enter, "configure", lambda kind: True)
    monkeypatch.setattr("fcntl.ioctl", answer)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    return flags


def test_a_browser_waits_until_its_interface_is_running(interface: list[int]) -> None:
    interface += [0x1, 0x1, 0x1 | enter.IFF_RUNNING]
    enter.look_online()
    assert len(interface) == 1


def test_an_interface_that_never_runs_is_an_error_that_says_so(interface: list[int]) -> None:
    interface += [0x1]
    with pytest.raises(
        OSError, match=r"net0, which makes pages look online, is not running after 2 seconds .*0x1"
    ):
        enter.look_online()
