"""Reading the app's database: SQLite from a copy, PostgreSQL through its server, and hostile files."""

from __future__ import annotations

import os
import shutil
import socket
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from trialbalance.grading import App, Database, Failed, GraderFault
from trialbalance.grading.evidence import Evidence
from trialbalance.sandbox import Completed
from trialbalance.tasks import DatabaseTable, Environment, ServiceTable


def open_database(workspace: Path, path: str = "data/shop.db") -> Database:
    """The driver on a workspace, without a sandbox."""
    metadata = SimpleNamespace(database=DatabaseTable(kind="sqlite", path=path), services=[])
    task = SimpleNamespace(config=SimpleNamespace(metadata=metadata))
    environment = SimpleNamespace(task=task, workspace=workspace, scratch=workspace.parent / "scratch")
    return Database(cast(Environment, environment), None, Evidence())


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace with two orders."""
    workspace = tmp_path / "app"
    (workspace / "data").mkdir(parents=True)
    with sqlite3.connect(workspace / "data" / "shop.db") as database:
        database.execute("create table orders (id integer primary key, total integer, email text)")
        database.executemany("insert into orders (total, email) values (?, ?)", [(500, "a"), (700, "b")])
    database.close()
    return workspace


def test_rows_are_dicts(workspace: Path) -> None:
    database = open_database(workspace)

    assert database.rows("select total, email from orders where total > :low order by id", low=100) == [
        {"total": 500, "email": "a"},
        {"total": 700, "email": "b"},
    ]
    assert database.value("select count(*) from orders") == 2
    with pytest.raises(Failed, match="the database has 2 rows, not one"):
        database.value("select id from orders")


def test_what_is_still_in_the_write_ahead_log_is_seen(workspace: Path) -> None:
    writer = sqlite3.connect(workspace / "data" / "shop.db")
    writer.execute("pragma journal_mode = wal")
    writer.execute("insert into orders (total) values (900)")
    writer.commit()

    assert open_database(workspace).value("select count(*) from orders") == 3
    writer.close()


def test_reading_changes_nothing(workspace: Path) -> None:
    file = workspace / "data" / "shop.db"
    before = file.read_bytes()
    database = open_database(workspace)

    with pytest.raises((Failed, GraderFault), match=r"readonly|read-only"):
        database.rows("delete from orders")
    assert file.read_bytes() == before
    assert sorted(path.name for path in file.parent.iterdir()) == ["shop.db"]


@pytest.mark.parametrize("sql", ["select * from customers", "select colour from orders"])
def test_a_table_or_column_that_is_not_there_fails(workspace: Path, sql: str) -> None:
    with pytest.raises(Failed, match="the database cannot be read: no such"):
        open_database(workspace).rows(sql)


def test_a_wrong_query_is_a_fault(workspace: Path) -> None:
    with pytest.raises(GraderFault, match="the query is wrong"):
        open_database(workspace).rows("selekt * from orders")


def test_no_database_fails(workspace: Path) -> None:
    with pytest.raises(Failed, match=r"there is no file data/other\.db"):
        open_database(workspace, "data/other.db").rows("select 1")


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_database_fails(workspace: Path, content: bytes) -> None:
    (workspace / "data" / "shop.db").write_bytes(content)

    with pytest.raises(Failed, match="the database cannot be read"):
        open_database(workspace).rows("select * from orders")


def test_a_link_and_a_pipe_fail(workspace: Path, tmp_path: Path) -> None:
    file = workspace / "data" / "shop.db"
    shutil.move(file, tmp_path / "secret.db")
    file.symlink_to(tmp_path / "secret.db")
    with pytest.raises(Failed, match="is not a plain file"):
        open_database(workspace).rows("select 1")
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(Failed, match="is not a plain file"):
        open_database(workspace).rows("select 1")


def test_a_view_without_end_is_cut_off(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialbalance.grading.database._SECONDS", 0.2)
    with sqlite3.connect(workspace / "data" / "shop.db") as database:
        database.execute(
            "create view trap as with recursive r(n) as (select 1 union all select n + 1 from r) select n from r"
        )
    database.close()

    with pytest.raises(Failed, match="the database cannot be read: interrupted"):
        open_database(workspace).rows("select max(n) from trap")


def test_a_task_without_a_database_has_none(workspace: Path) -> None:
    metadata = SimpleNamespace(database=None)
    environment: Any = SimpleNamespace(task=SimpleNamespace(config=SimpleNamespace(metadata=metadata)))

    with pytest.raises(GraderFault, match=r"the task has no \[metadata\.database\]"):
        Database(environment, None, Evidence())


BIN = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


class Host:
    """Runs a sandbox's commands on this machine, for a server that refuses to run as root in a sandbox."""

    def exec(self, argv: list[str], *, env: dict[str, str], stdin: str, timeout: float) -> Completed:
        """See `Sandbox.exec`."""
        done = subprocess.run(
            argv, env={**os.environ, **env}, input=stdin, timeout=timeout, capture_output=True, text=True
        )
        return Completed(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def server() -> Iterator[int]:
    """A PostgreSQL server with one order; its port. Its folder is one that another user can reach."""
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    folder.chmod(0o777)
    user = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    data = str(folder / "data")
    options = f"-k {folder} -p {port} -c listen_addresses=127.0.0.1 -c fsync=off"

    def run(*argv: str) -> None:
        subprocess.run([*user, *argv], check=True, cwd=folder, stdout=subprocess.DEVNULL)

    run(str(BIN[-1] / "initdb"), "-D", data, "-U", "shop", "--auth=trust", "--no-sync")
    run(str(BIN[-1] / "pg_ctl"), "-D", data, "-l", str(folder / "log"), "-w", "-o", options, "start")
    psql = ["psql", "-q", "-h", "127.0.0.1", "-p", str(port), "-U", "shop"]
    run(*psql, "-d", "postgres", "-c", "create database shop")
    run(
        *psql,
        "-d",
        "shop",
        "-c",
        "create sequence numbers; create table orders (id int, email text)",
        "-c",
        "insert into orders values (1, 'o''h')",
    )
    yield port
    run(str(BIN[-1] / "pg_ctl"), "-D", data, "-m", "immediate", "stop")
    shutil.rmtree(folder)


@pytest.mark.skipif(not BIN, reason="PostgreSQL is not installed on this machine")
def test_postgresql_is_asked_through_its_own_server(server: int) -> None:
    table = DatabaseTable(kind="postgresql", path="data", name="shop", user="shop")
    service = ServiceTable(name="database", start="postgres", port=server)
    metadata = SimpleNamespace(database=table, services=[service])
    environment = SimpleNamespace(
        task=SimpleNamespace(config=SimpleNamespace(metadata=metadata)), sandbox=Host()
    )
    started: list[str] = []
    app = SimpleNamespace(start_services=lambda: started.append("services"))
    evidence = Evidence()
    database = Database(cast(Environment, environment), cast(App, app), evidence)

    assert database.rows("select id, email::text from orders where email = :email;", email="o'h") == [
        {"id": 1, "email": "o'h"}
    ]
    assert database.rows("select * from orders where id = :id", id=7) == []
    assert started == ["services", "services"]
    assert evidence.all()[0]["rows"] == 1
    with pytest.raises(Failed, match="does not exist"):
        database.rows("select * from customers")
    with pytest.raises(Failed, match="read-only transaction"):
        database.rows("select nextval('numbers') as n")
    with pytest.raises(GraderFault, match="the query is wrong"):
        database.rows("selekt 1")
