"""PostgreSQL refuses user 0, so a sandbox can be an ordinary user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox.conftest import OpenSandbox
from trialbalance.sandbox import BackendUnavailable, SandboxSpec, find_postgresql, open_sandbox

POSTGRES = find_postgresql()
pytestmark = [pytest.mark.sandbox]


def test_an_ordinary_user_owns_the_workspace_and_nothing_else(opened: OpenSandbox) -> None:
    sandbox = opened(as_root=False)
    done = sandbox.exec(["sh", "-c", "id -un; id -u; touch /app/mine && stat -c %U /app/mine; echo ~"])
    assert done.stdout.split() == ["app", "1000", "app", "/root"], done
    for refused in ("mount -o remount,rw /usr", "touch /usr/x", "touch /etc/x", "mount -t tmpfs none /app"):
        assert sandbox.exec(["sh", "-c", refused]).exit_code != 0, refused


def test_the_host_listens_on_ports_that_an_ordinary_user_may_not_have(opened: OpenSandbox) -> None:
    sandbox = opened(as_root=False)
    reach = "import socket; print(socket.create_connection(('127.0.0.1', 443), 5).recv(9).decode())"
    take = "import socket; socket.socket().bind(('127.0.0.1', 444))"
    with sandbox.listen(443) as server:
        client = sandbox.spawn(["python3", "-c", reach])
        server.settimeout(20)
        connection, _ = server.accept()
        with connection:
            connection.sendall(b"the host")
        assert client.wait(20) == 0
        with pytest.raises(OSError, match="in use"):
            sandbox.listen(443)
    assert "Permission denied" in sandbox.exec(["python3", "-c", take]).stderr


def test_it_is_refused_where_it_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(BackendUnavailable, match="needs bubblewrap and user namespaces"):
        open_sandbox(SandboxSpec(tmp_path, as_root=False), backend="unshare")


@pytest.mark.skipif(POSTGRES is None, reason="postgresql is not installed (apt-get install postgresql)")
def test_a_database_runs(opened: OpenSandbox) -> None:
    sandbox = opened(as_root=False)
    script = f"""
        set -e
        export PATH={POSTGRES}:$PATH
        initdb -D /app/db -U postgres -A trust >/dev/null
        pg_ctl -D /app/db -o "-c listen_addresses=127.0.0.1 -k /tmp" -w -l /app/db.log start >/dev/null
        psql -h 127.0.0.1 -U postgres -Atc "select 6 * 7"
        pg_ctl -D /app/db -m fast -w stop >/dev/null
    """
    done = sandbox.exec(["bash", "-c", script], timeout=120)
    assert (done.stdout.strip(), done.exit_code) == ("42", 0), done


def test_the_newest_server_is_found(tmp_path: Path) -> None:
    for version in ("9.6", "15", "8"):
        programs = tmp_path / version / "bin"
        programs.mkdir(parents=True)
        (programs / "initdb").touch()
        (programs / "postgres").touch()
    (tmp_path / "17" / "bin").mkdir(parents=True)  # a client alone
    assert find_postgresql(tmp_path) == tmp_path / "15" / "bin"
    assert find_postgresql(tmp_path / "nowhere") is None
