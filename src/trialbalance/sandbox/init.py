# ruff: noqa: PTH108, PTH116, PTH123, PTH208 (quicker to start without pathlib)
"""The first process of a sandbox, run there by the host's own read-only ``/usr/bin/python3 -I -S``.

It is a script of its own: it imports nothing of this package, it is copied into the sandbox, and it is loaded
before anything of an agent's exists. It holds one end of a socket pair, the *control*; the host holds the other.

What it does, in order:

1. makes itself undumpable, so that no process of the same user can trace it or reach its descriptors;
2. tries what an attacker would try (remount read-write, see the host's paths, write kernel settings);
3. puts itself and all that will ever run here under a system call filter;
4. reports what it found, and from then on serves requests.

A request is one message on the control with one descriptor: a fresh stream socket, the *channel*, which carries
frames (4 bytes of length, then JSON, with descriptors beside the first byte). Each request gets a forked supervisor, which
adopts every orphan of what it starts, so that a whole tree can be killed although its members have detached
themselves. When the host's end of the control closes, for whatever reason, everything here ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import termios
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Message = dict[str, Any]

PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
MS_REMOUNT = 32
MS_BIND = 4096
MSG_CMSG_CLOEXEC = 0x40000000
CAP_NET_BIND_SERVICE = 1 << 10
KERNEL_DOORS = (
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/kernel/hostname",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sysrq-trigger",
    "/proc/mtrr",
    "/proc/pressure/memory",
)

libc = ctypes.CDLL(None, use_errno=True)


# ---------------------------------------------------------------- frames


def send(channel: socket.socket, message: Message, descriptors: tuple[int, ...] = ()) -> None:
    """Send one frame, with descriptors beside its first byte."""
    body = json.dumps(message).encode()
    data = struct.pack(">I", len(body)) + body
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, struct.pack(f"{len(descriptors)}i", *descriptors))]
    sent = channel.sendmsg([data], rights if descriptors else [])
    channel.sendall(data[sent:])


def receive(channel: socket.socket) -> tuple[Message, list[int]] | None:
    """Read one frame and its descriptors; None at the end of the stream."""
    descriptors: list[int] = []
    data = b""
    wanted = 4
    while len(data) < wanted:
        piece, ancillary, _, _ = channel.recvmsg(wanted - len(data), 256, MSG_CMSG_CLOEXEC)
        if not piece:
            return None
        descriptors += rights_of(ancillary)
        data += piece
        if wanted == 4 and len(data) == 4:
            wanted = 4 + int(struct.unpack(">I", data)[0])
    message: Message = json.loads(data[4:])
    return message, descriptors


def rights_of(ancillary: list[tuple[int, int, bytes]]) -> list[int]:
    """The descriptors that came beside a message."""
    found: list[int] = []
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            found += struct.unpack(f"{len(data) // 4}i", data[: len(data) // 4 * 4])
    return found


# ---------------------------------------------------------------- attacks on our own walls


def probe(config: Message) -> list[str]:
    """What an attacker could do here although it must not be possible; empty when the walls hold."""
    faults: list[str] = []
    if os.getpid() != 1:
        faults.append("the first process is not process 1: the process namespace is shared")
    status = dict(line.split(":\t", 1) for line in read("/proc/self/status").splitlines() if ":\t" in line)
    for name in ("CapEff", "CapPrm", "CapInh", "CapAmb"):
        if int(status[name], 16) & ~CAP_NET_BIND_SERVICE:
            faults.append(f"capabilities were kept: {name} is {status[name]}")
    if status.get("NoNewPrivs") != "1":
        faults.append("set-user-id programs could raise privileges (NoNewPrivs is not set)")
    for path in config["readonly"]:
        if libc.mount(None, path.encode(), None, MS_REMOUNT | MS_BIND, None) == 0:
            faults.append(f"{path} could be remounted read-write")
        if os.access(path, os.W_OK):
            faults.append(f"{path} is writable")
    faults += [f"the host's {path} is visible" for path in config["invisible"] if os.path.lexists(path)]
    faults += [f"{path} is writable" for path in KERNEL_DOORS if os.access(path, os.W_OK)]
    interfaces = sorted(name for _, name in socket.if_nameindex())
    if interfaces != ["lo"]:
        faults.append(f"network interfaces other than loopback: {', '.join(interfaces)}")
    with contextlib.suppress(OSError):
        os.mknod("/run/probe", 0o20600, os.makedev(1, 1))
        os.unlink("/run/probe")
        faults.append("device files can be made")
    return faults


def read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def namespaces() -> dict[str, int]:
    """The inode numbers of our namespaces, for the host to compare with its own."""
    found = {}
    for name in ("net", "pid", "ipc", "uts", "mnt"):
        found[name] = os.stat(f"/proc/self/ns/{name}").st_ino
    return found


def install(program: bytes) -> None:
    """Put this process and its descendants under a compiled system call filter."""

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    buffer = ctypes.create_string_buffer(program, len(program))
    argument = Program(len(program) // 8, ctypes.cast(buffer, ctypes.c_void_p))
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(argument), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the system call filter was refused")


# ---------------------------------------------------------------- processes


def parents() -> dict[int, int]:
    """Every visible process and its parent."""
    found: dict[int, int] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, ValueError, IndexError):
                found[int(name)] = int(read(f"/proc/{name}/stat").rpartition(")")[2].split()[1])
    return found


def descendants(ancestor: int) -> list[int]:
    """Every process below ``ancestor``."""
    family = parents()
    found: list[int] = []
    level = [ancestor]
    while level:
        level = [pid for pid, parent in family.items() if parent in level]
        found += level
    return found


def signal_tree(number: int) -> int:
    """Send a signal to every descendant of this process; answers how many there were."""
    members = descendants(os.getpid())
    for pid in members:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)
    return len(members)


def kill_everything() -> None:
    """Kill all that lives here except this process, and wait until it is gone.

    As process 1 that is one call, which nothing escapes by forking. Without a process namespace the family is looked up, and
    looked up again, for it changes under our eyes.
    """
    if os.getpid() == 1:
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)  # the dead are not kept, so this waits for the last one
        return
    while True:
        remaining = signal_tree(signal.SIGKILL)
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            if not remaining:
                return
        time.sleep(0.001)


class Overuse:
    """Keeps memory and process count within limits where no control group does it."""

    def __init__(self, memory: int, processes: int) -> None:
        self.memory = memory
        self.processes = processes
        self.page = os.sysconf("SC_PAGESIZE")

    def check(self) -> None:
        """Kill the largest process when memory is over, everything when there are too many processes."""
        sizes: dict[int, int] = {}
        members = [pid for pid in parents() if pid != 1] if os.getpid() == 1 else descendants(os.getpid())
        if len(members) > self.processes:
            kill_everything()
            return
        for pid in members:
            with contextlib.suppress(OSError, ValueError, IndexError):
                fields = read(f"/proc/{pid}/statm").split()
                sizes[pid] = (int(fields[1]) - int(fields[2])) * self.page
        if sum(sizes.values()) > self.memory:
            largest = max(sizes, key=lambda pid: sizes[pid])
            with contextlib.suppress(ProcessLookupError):
                os.kill(largest, signal.SIGKILL)


# ---------------------------------------------------------------- requests


def listen(channel: socket.socket, request: Message) -> None:
    """Hand the host a socket that listens here."""
    with socket.socket() as server:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((request["host"], request["port"]))
        server.listen(request["backlog"])
        send(channel, {"ok": True}, (server.fileno(),))


def connect(channel: socket.socket, request: Message) -> None:
    """Hand the host a socket that is connected here."""
    with socket.socket() as client:
        client.settimeout(request["timeout"])
        client.connect((request["host"], request["port"]))
        client.setblocking(True)
        send(channel, {"ok": True}, (client.fileno(),))


def await_listener(channel: socket.socket, request: Message) -> None:
    """Wait until something listens on a port, without connecting to it."""
    deadline = time.monotonic() + request["timeout"]
    while True:
        if listening(request["port"]):
            send(channel, {"ok": True, "listening": True})
            return
        left = deadline - time.monotonic()
        if left <= 0:
            send(channel, {"ok": True, "listening": False})
            return
        if select.select([channel], [], [], min(0.02, left))[0]:
            return


def listening(port: int) -> bool:
    """Whether 127.0.0.1:port would be answered, from the kernel's own table."""
    addresses = ("0100007F", "00000000", "0" * 32, "0000000000000000FFFF00000100007F")
    for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
        with contextlib.suppress(OSError):
            for line in read(table).splitlines()[1:]:
                fields = line.split()
                address, _, number = fields[1].partition(":")
                if fields[3] == "0A" and int(number, 16) == port and address in addresses:
                    return True
    return False


class Supervisor:
    """Starts one command, reports its end, and can kill all that came of it."""

    def __init__(self, channel: socket.socket, request: Message, descriptors: list[int]) -> None:
        self.channel = channel
        self.request = request
        self.descriptors = descriptors
        self.main = 0
        self.code: int | None = None

    def run(self) -> None:
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        wake, woken = socket.socketpair()
        woken.setblocking(False)
        signal.signal(signal.SIGCHLD, lambda number, frame: None)
        signal.set_wakeup_fd(woken.fileno(), warn_on_full_buffer=False)
        if not self.start():
            return
        while True:
            ready, _, _ = select.select([self.channel, wake], [], [])
            if wake in ready:
                wake.recv(4096)
            if self.channel in ready and not self.obey():
                return
            if not self.reap():
                with contextlib.suppress(OSError):
                    send(self.channel, {"done": True})
                return

    def start(self) -> bool:
        """Fork and execute; tells the host the process id, or why not."""
        master = -1
        standard = list(self.descriptors)
        if self.request.get("tty"):
            master, slave = os.openpty()
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *self.request["tty"], 0, 0))
            standard = [slave, slave, slave]
        elif self.request["stdin"] is False:
            standard.insert(0, os.open("/dev/null", os.O_RDONLY))
        failed, failure = os.pipe()
        self.main = os.fork()
        if self.main == 0:
            execute(self.request, standard, failure)
        os.close(failure)
        for descriptor in set(standard):
            os.close(descriptor)
        problem = os.read(failed, 4096)
        os.close(failed)
        if problem:
            os.waitpid(self.main, 0)
            number, _, text = problem.decode().partition(" ")
            send(self.channel, {"error": int(number), "message": text})
            return False
        send(self.channel, {"ok": True, "pid": self.main}, (master,) if master >= 0 else ())
        return True

    def obey(self) -> bool:
        """Act on one frame of the host; False when there is nothing left to do."""
        try:
            frame = receive(self.channel)
        except OSError:
            frame = None
        if frame is None:
            if self.code is None:
                self.slaughter()
            return False
        order = frame[0]
        if "signal" in order:
            signal_tree(order["signal"])
        elif "kill" in order:
            self.slaughter()
            send(self.channel, {"killed": True, "exit": self.code})
            return False
        return True

    def slaughter(self) -> None:
        """Kill every descendant, including those that detached themselves."""
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            remaining = signal_tree(signal.SIGKILL)
            if not self.reap(report=False) and not remaining:
                return
            time.sleep(0.001)  # the dying need the processor more than we do

    def reap(self, report: bool = True) -> bool:
        """Collect the dead; False when no child is left."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.main:
                self.code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
                if report:
                    with contextlib.suppress(OSError):
                        send(self.channel, {"exit": self.code})


def forget_private_signals() -> None:
    """Give signals 32 and 33 their defaults, which libc keeps to itself and a careless parent leaves ignored."""
    number = {"x86_64": 13, "aarch64": 134}.get(os.uname().machine)
    if number is not None:
        default = ctypes.create_string_buffer(
            64
        )  # struct sigaction of the kernel: SIG_DFL, no flags, no mask
        for private in (32, 33):
            libc.syscall(number, private, default, None, 8)


def execute(request: Message, standard: list[int], failure: int) -> None:
    """In the forked child: become the command, or report why not. Never returns."""
    try:
        os.setsid()
        if request.get("tty"):
            fcntl.ioctl(standard[0], termios.TIOCSCTTY, 0)
        spare = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10) for descriptor in standard]
        for target, descriptor in enumerate(spare):
            os.dup2(descriptor, target)
        signal.set_wakeup_fd(-1)
        for number in signal.valid_signals():
            with contextlib.suppress(OSError, ValueError):
                signal.signal(number, signal.SIG_DFL)
        forget_private_signals()
        os.umask(0o022)
        for name, limit in request["limits"].items():
            _, hard = resource.getrlimit(getattr(resource, name))
            wanted = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(getattr(resource, name), (wanted, wanted))
        with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
            file.write("300")
        os.chdir(request["cwd"])
        os.execvpe(request["argv"][0], request["argv"], request["env"])
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) else request["argv"][0]
        os.write(failure, f"{error.errno or errno.EIO} {where}: {os.strerror(error.errno or 5)}".encode())
    except BaseException as error:
        os.write(failure, f"{errno.EIO} {type(error).__name__}: {error}".encode()[:4000])
    finally:
        os._exit(127)


def handle(channel: socket.socket) -> None:
    """In a forked supervisor: serve one request to its end."""
    frame = receive(channel)
    if frame is None:
        return
    request, descriptors = frame
    try:
        if request["op"] == "exec":
            Supervisor(channel, request, descriptors).run()
        elif request["op"] == "listen":
            listen(channel, request)
        elif request["op"] == "connect":
            connect(channel, request)
        elif request["op"] == "await":
            await_listener(channel, request)
        else:
            send(channel, {"error": errno.ENOSYS, "message": f"no such operation: {request['op']}"})
    except OSError as error:
        number = errno.ETIMEDOUT if isinstance(error, TimeoutError) else error.errno or errno.EIO
        with contextlib.suppress(OSError):
            send(channel, {"error": number, "message": os.strerror(number)})


def serve(control: socket.socket, overuse: Overuse | None) -> None:
    """Answer requests until the host is gone."""
    while True:
        if overuse is not None and not select.select([control], [], [], 0.2)[0]:
            overuse.check()
            continue
        try:
            order, ancillary, _, _ = control.recvmsg(16, 256, MSG_CMSG_CLOEXEC)
        except InterruptedError:
            continue
        if not order:
            return
        for descriptor in rights_of(ancillary):
            channel = socket.socket(fileno=descriptor)
            if order == b"k":
                kill_everything()
                with contextlib.suppress(OSError):
                    send(channel, {"ok": True})
            else:
                delegate(control, channel)
            channel.close()


def delegate(control: socket.socket, channel: socket.socket) -> None:
    """Fork a supervisor for one request."""
    try:
        pid = os.fork()
    except OSError as error:
        with contextlib.suppress(OSError):
            send(channel, {"error": error.errno, "message": "the process limit of the sandbox is reached"})
        return
    if pid:
        return
    try:
        control.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        handle(channel)
    except BaseException as error:
        with contextlib.suppress(OSError):
            send(channel, {"error": errno.EIO, "message": f"{type(error).__name__}: {error}"})
    finally:
        os._exit(0)


def main() -> None:
    """Probe, report, serve; the only argument is the descriptor of the control."""
    libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    config: Message = json.loads(control.recv(1 << 20))
    faults = probe(config) if config["isolated"] else []
    if not config["isolated"]:
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if config["filter"]:
        try:
            install(bytes.fromhex(config["filter"]))
        except OSError as error:
            faults.append(str(error))
    watch = config["watch"]
    hello = {"faults": faults, "namespaces": namespaces()}
    control.send(json.dumps(hello).encode())
    serve(control, Overuse(**watch) if watch else None)
    if os.getpid() != 1:
        kill_everything()


if __name__ == "__main__":
    main()
