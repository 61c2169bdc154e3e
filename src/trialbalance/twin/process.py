"""A twin in a process of its own, with its data plane on given sockets and its control plane on a private one."""

from __future__ import annotations

import argparse
import asyncio
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

import msgspec

from trialbalance.twin.config import TlsFiles, TwinConfig
from trialbalance.twin.control import Control, ControlError, application

START_SECONDS = 30.0


class TwinProcessError(RuntimeError):
    """The twin's process did not start or died; the message ends with the last lines of its log."""


class TwinProcess:
    """A running twin. Use as a context manager; `stop` is idempotent and leaves nothing behind.

    Attributes:
        url: plain HTTP on an ephemeral loopback port of the host (SDK: `base_addresses`/`api_base`).
        control: the control plane.
        secret_key, publishable_key, account: of the default account.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        directory: Path,
        url: str,
        control: Control,
        info: dict[str, str],
        token: str,
    ) -> None:
        self._process = process
        self._directory = directory
        self.url = url
        self.control = control
        self.control_token = token
        self.secret_key = info["secret_key"]
        self.publishable_key = info["publishable_key"]
        self.account = info["account"]

    @classmethod
    def start(
        cls,
        *,
        seed: int = 0,
        config: TwinConfig | None = None,
        listeners: Sequence[socket.socket] = (),
        tls: TlsFiles | None = None,
        journal: Path | None = None,
        log: Path | None = None,
        webhook_proxy: str | None = None,
    ) -> TwinProcess:
        """Start a twin.

        `listeners` are listening sockets (they may belong to another network namespace); with `tls` they speak
        TLS. `config.seed` is replaced by `seed`. Webhooks are posted through the HTTP proxy `webhook_proxy`.

        Raises:
            TwinProcessError: it did not come up within 30 seconds.
        """
        directory = Path(tempfile.mkdtemp(prefix="twin-"))
        directory.chmod(0o700)
        local = socket.create_server(("127.0.0.1", 0), backlog=256)
        url = f"http://127.0.0.1:{local.getsockname()[1]}"
        settings = _settings(config or TwinConfig(), seed, url)
        token = secrets.token_urlsafe(32)
        control_path = directory / "control.sock"
        plane = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        plane.bind(str(control_path))
        plane.listen(64)
        sockets = [local, plane, *listeners]
        command = [
            sys.executable,
            "-m",
            "trialbalance.twin.process",
            "--config",
            msgspec.json.encode(settings).decode(),
            "--control",
            str(plane.fileno()),
            "--plain",
            str(local.fileno()),
            "--directory",
            str(directory),
        ]
        for listener in listeners:
            command += ["--listener", str(listener.fileno())]
        if tls is not None:
            command += ["--certificate", str(tls.certificate), "--key", str(tls.key)]
        if journal is not None:
            command += ["--journal", str(journal)]
        if webhook_proxy is not None:
            command += ["--webhook-proxy", webhook_proxy]
        log_path = log or directory / "twin.log"
        with log_path.open("ab") as output:
            process = subprocess.Popen(
                command,
                pass_fds=[s.fileno() for s in sockets],
                env={**os.environ, "TRIALBALANCE_CONTROL_TOKEN": token},
                stdin=subprocess.PIPE,  # its end tells the twin that this process is gone, however it went
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        local.close()
        plane.close()
        control = Control(token, socket_path=str(control_path))
        deadline = time.monotonic() + START_SECONDS
        while True:
            if process.poll() is not None or time.monotonic() > deadline:
                tail = log_path.read_text(errors="replace")[-2000:] if log_path.exists() else ""
                process.kill()
                process.communicate()
                control.close()
                shutil.rmtree(directory, ignore_errors=True)
                raise TwinProcessError(
                    f"the twin did not start (exit code {process.returncode}): {tail.strip()}"
                )
            try:
                info = control.info()
                break
            except ControlError:
                time.sleep(0.01)
        return cls(process, directory, url, control, info, token)

    @property
    def control_path(self) -> str:
        """The control plane's unix socket."""
        return str(self._directory / "control.sock")

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def stop(self) -> None:
        """End the process and remove its files."""
        self.control.close()
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def __enter__(self) -> TwinProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def _settings(config: TwinConfig, seed: int, url: str) -> dict[str, object]:
    fields: dict[str, object] = msgspec.to_builtins(config)
    return {**fields, "seed": seed, "base_url": url}


def main() -> None:
    """The child process."""
    from trialbalance.twin.server import Asgi, DataPlane, Listener, serve
    from trialbalance.twin.twin import Twin

    parser = argparse.ArgumentParser(prog="python -m trialbalance.twin.process")
    parser.add_argument("--config", required=True)
    parser.add_argument("--control", type=int, required=True)
    parser.add_argument("--plain", type=int, required=True)
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--listener", type=int, action="append", default=[])
    parser.add_argument("--certificate", type=Path)
    parser.add_argument("--key", type=Path)
    parser.add_argument("--journal", type=Path)
    parser.add_argument("--webhook-proxy")
    arguments = parser.parse_args()
    config = msgspec.convert(msgspec.json.decode(arguments.config), TwinConfig)
    token = os.environ.pop("TRIALBALANCE_CONTROL_TOKEN")
    twin = Twin(config=config, journal=arguments.journal)
    tls = TlsFiles(arguments.certificate, arguments.key) if arguments.certificate else None
    plane = DataPlane(twin)
    control, _ = application(twin, token)
    control_socket = socket.socket(fileno=arguments.control)
    listeners: list[tuple[Asgi, Listener]] = [(plane, Listener(socket.socket(fileno=arguments.plain)))]
    listeners += [(plane, Listener(socket.socket(fileno=fd), tls)) for fd in arguments.listener]

    async def run() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, stop.set)
        loop.add_reader(sys.stdin.fileno(), stop.set)
        planes = [*listeners, (control, Listener(control_socket))]
        await serve(planes, twin=twin, stop=stop, webhook_proxy=arguments.webhook_proxy)

    import uvloop

    uvloop.run(run())
    twin.journal.close()
    shutil.rmtree(arguments.directory, ignore_errors=True)


if __name__ == "__main__":
    main()
