"""What may leave a sandbox: package clients, to the registries of this machine; nothing else."""

from __future__ import annotations

import contextlib
import functools
import http.client
import http.server
import json
import shutil
import socket
import ssl
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.conftest import Echo, EchoServer, OpenSandbox
from tests.sandbox.test_sandbox import shell
from trialbalance.sandbox import Authority, clients, registries
from trialbalance.sandbox.etc import Etc
from trialbalance.sandbox.proxy import RegistryProxy, dial, read_head
from trialbalance.sandbox.registries import Mirror, Place, Registries, without_credentials

# The proxy


@contextlib.contextmanager
def upstream() -> Iterator[int]:
    """A plain HTTP server that echoes requests; its port."""

    class Quick(http.server.ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

    with Quick(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@contextlib.contextmanager
def serving_files(directory: Path) -> Iterator[str]:
    """A plain HTTP server of a directory; its URL."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(directory))
    with http.server.HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@contextlib.contextmanager
def proxying(
    places: set[Place], reverse: dict[str, str] | None = None
) -> Iterator[tuple[RegistryProxy, int]]:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    with contextlib.closing(RegistryProxy(listener, places, reverse or {})) as proxy:
        yield proxy, port


def ask(port: int, method: str, target: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    with contextlib.closing(connection):
        connection.request(method, target, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def test_a_tunnel_to_an_allowed_place(authority: Authority) -> None:
    files = authority.issue(["registry.test"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(files.certificate, files.key)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    with EchoServer(listener, context) as server, proxying({Place("127.0.0.1", port)}) as (proxy, own):
        threading.Thread(target=server.serve_forever, daemon=True).start()
        trusting = ssl.create_default_context(cadata=authority.der)
        trusting.check_hostname = False
        connection = http.client.HTTPSConnection("127.0.0.1", own, timeout=10, context=trusting)
        connection.set_tunnel("127.0.0.1", port)
        with contextlib.closing(connection):
            connection.request("GET", "/package")
            assert json.loads(connection.getresponse().read())["path"] == "/package"
        assert proxy.refused == []
        server.shutdown()


def test_every_other_place_is_refused_and_noted(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    with upstream() as port, proxying({Place("127.0.0.1", port)}) as (proxy, own):
        assert ask(own, "CONNECT", "example.com:443")[0] == 403
        assert ask(own, "CONNECT", f"127.0.0.1:{port + 1}")[0] == 403
        assert ask(own, "GET", "http://example.com/")[0] == 403
        assert ask(own, "GET", "/")[0] == 403
        assert ask(own, "GET", f"http://127.0.0.1:{port}@example.com/")[0] == 403
        assert ask(own, "POST", f"http://127.0.0.1:{port}/")[0] == 403
        assert ask(own, "GET", "file:///etc/passwd")[0] == 403
        assert len(proxy.refused) == 7
    assert "example.com" in caplog.text


def test_plain_requests_are_carried_out_one_for_each_connection() -> None:
    with upstream() as port, proxying({Place("127.0.0.1", port)}) as (_, own):
        status, body = ask(own, "GET", f"http://127.0.0.1:{port}/pool/x?y=1", cookie="no", range="bytes=0-")
        assert status == 200
        assert json.loads(body)["path"] == "/pool/x?y=1"
        assert ask(own, "GET", f"http://127.0.0.1:{port}/missing")[0] == 404
        with socket.create_connection(("127.0.0.1", own), timeout=10) as client:
            first = f"GET http://127.0.0.1:{port}/1 HTTP/1.1\r\nHost: x\r\n\r\n"
            client.sendall(f"{first}GET http://example.com/2 HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            said = b""
            with contextlib.suppress(ConnectionResetError):
                while piece := client.recv(4096):
                    said += piece
        assert said.count(b"HTTP/1.1 ") == 1


def test_a_mirror_behind_a_prefix() -> None:
    with upstream() as port, proxying(set(), {"/go/0": f"http://127.0.0.1:{port}/mod"}) as (_, own):
        assert (
            json.loads(ask(own, "GET", "/go/0/example.com/x/@v/list")[1])["path"]
            == "/mod/example.com/x/@v/list"
        )
        assert ask(own, "GET", "/go/0/../../secret")[0] == 403
        assert ask(own, "GET", "/go/00/x")[0] == 403


def test_a_place_that_is_down_is_a_502() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with proxying({Place("127.0.0.1", port)}) as (_, own):
        assert ask(own, "CONNECT", f"127.0.0.1:{port}")[0] == 502
        assert ask(own, "GET", f"http://127.0.0.1:{port}/")[0] == 502


def test_nonsense_is_dropped() -> None:
    with proxying(set()) as (_, own):
        for nonsense in (b"\x16\x03\x01\r\n\r\n", b"GET\r\n\r\n", b"x" * 70_000 + b"\r\n\r\n"):
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", own), timeout=10) as client,
            ):
                client.sendall(nonsense)
                assert client.recv(100) == b""


def test_a_head_is_read_to_its_end_and_no_further() -> None:
    one, two = socket.socketpair()
    with one, two:
        one.sendall(b"CONNECT a:1 HTTP/1.1\r\nX: y\r\n")
        one.sendall(b"\r\nrest")
        head = read_head(two)
        assert head == ("CONNECT", "a:1", {"x": "y"})
        assert two.recv(100) == b"rest"
        one.close()
        assert read_head(two) is None


def test_the_hosts_own_proxy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with upstream() as port, proxying({Place("registry.test", 443)}) as (first, own):
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{own}")
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(OSError, match="answered 403"):
            dial(Place("other.test", 443))
        assert first.refused == ["CONNECT other.test:443"]
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        dial(Place("127.0.0.1", port)).close()


# What this machine's clients say


def test_credentials_are_dropped() -> None:
    assert (
        without_credentials("https://user:pass@registry.test:8443/simple")
        == "https://registry.test:8443/simple"
    )
    assert without_credentials("https://registry.test/a@b") == "https://registry.test/a@b"


def test_places_are_hosts_and_ports() -> None:
    found = Registries(
        pip_index="https://one.test/simple",
        pip_links=("/a/directory", "http://two.test:8080/"),
        npm={"registry": "https://three.test/"},
        mirrors=(Mirror("m", "https://four.test/maven", "*"),),
        cargo_indexes=("sparse+https://five.test/index/",),
    )
    assert found.places() == {
        Place("one.test", 443),
        Place("two.test", 8080),
        Place("three.test", 443),
        Place("four.test", 443),
        Place("five.test", 443),
    }


def test_pip_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PIP_CONFIG_FILE", "PIP_FIND_LINKS", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    found = Registries()
    registries._pip(found)
    default = found.pip_index
    assert default.startswith("https://")
    assert found.pip_files
    with upstream() as port:
        mirror = f"http://user:word@127.0.0.1:{port}/simple"
        monkeypatch.setenv("PIP_INDEX_URL", mirror)
        monkeypatch.setenv("PIP_FIND_LINKS", "/some/wheels https://wheels.test/")
        changed = Registries()
        registries._pip(changed)
    assert changed.pip_index == f"http://127.0.0.1:{port}/simple"
    assert changed.pip_links == ("/some/wheels", "https://wheels.test/")
    assert default not in changed.urls()


def test_an_index_says_where_its_files_are(tmp_path: Path) -> None:
    page = tmp_path / "simple/pip/index.html"
    page.parent.mkdir(parents=True)
    page.write_text(
        '<a href="https://files.test/p/pip-1.whl#x">1</a> <a href="../../pip-2.whl">2</a>', encoding="utf-8"
    )
    with serving_files(tmp_path) as url:
        assert registries._file_places(f"{url}/simple") == (f"{url}/", "https://files.test/")


@pytest.mark.skipif(shutil.which("npm") is None, reason="needs npm")
def test_npm_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("npm_config_registry", "https://npm.test/")
    found = Registries()
    registries._npm(found)
    assert found.npm["registry"] == "https://npm.test/"


@pytest.mark.skipif(shutil.which("mvn") is None, reason="needs Maven")
def test_maven_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2/settings.xml").write_text(
        '<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0"><mirrors><mirror><id>ours</id>'
        "<url>https://u:p@maven.test/all</url><mirrorOf>central</mirrorOf></mirror></mirrors></settings>",
        encoding="utf-8",
    )
    found = Registries()
    registries._maven(found)
    assert Mirror("ours", "https://maven.test/all", "central") in found.mirrors
    assert any(url.startswith("https://") for url in found.maven)


@pytest.mark.skipif(shutil.which("go") is None, reason="needs Go")
def test_go_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOPROXY", "https://go.test/,direct")
    found = Registries()
    registries._go(found)
    assert found.go == ("https://go.test",)


def test_cargo_is_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    text = (
        '[source.crates-io]\nreplace-with = "ours"\n[source.ours]\nregistry = "sparse+https://crates.test/"\n'
    )
    (tmp_path / "config.toml").write_text(text, encoding="utf-8")
    found = Registries()
    registries._cargo(found)
    assert found.places() == {Place("crates.test", 443)}
    assert tomllib.loads(clients._toml(found.cargo)) == tomllib.loads(text)


def test_one_client_that_is_set_up_oddly_does_not_cost_the_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CARGO_HOME", str(tmp_path))
    (tmp_path / "config.toml").write_text("not = [toml", encoding="utf-8")
    monkeypatch.setattr(registries, "_pip", lambda found: setattr(found, "pip_index", "https://one.test/"))
    for name in ("_npm", "_maven", "_apt", "_go"):
        monkeypatch.setattr(registries, name, lambda found: None)
        getattr(registries, name).__name__ = name
    registries._pip.__name__ = "_pip"
    assert registries.discover.__wrapped__().places() == {Place("one.test", 443)}


# What the clients inside are told


def test_no_password_is_written(tmp_path: Path) -> None:
    etc = Etc(tmp_path / "etc")
    source = tmp_path / "ours.list"
    source.write_text("deb https://user:word@apt.test/ stable main\n", encoding="utf-8")
    clients._copy_sources(source, tmp_path / "copy")
    assert not (tmp_path / "copy").exists()
    (tmp_path / "home").mkdir()
    found = Registries(
        pip_index="https://one.test/simple",
        npm={"registry": "https://npm.test/", "@us:registry": "https://us.test/"},
        mirrors=(Mirror("a", "https://maven.test/?a=1&b=2", "*"),),
        go=("https://go.test",),
        go_checksums="off",
    )
    env = clients.online(found, etc, tmp_path / "home", tmp_path)
    assert env["GOPROXY"] == "http://127.0.0.1:3128/go/0"
    assert "index-url = https://one.test/simple" in (etc.directory / "pip.conf").read_text(encoding="utf-8")
    assert "@us:registry=https://us.test/" in (etc.directory / "npmrc").read_text(encoding="utf-8")
    assert "a=1&amp;b=2" in (tmp_path / "home/.m2/settings.xml").read_text(encoding="utf-8")
    assert not [name for name in env if name.lower() in ("http_proxy", "https_proxy", "all_proxy")]


@pytest.mark.sandbox
def test_without_registries_clients_give_up_at_once(opened: OpenSandbox) -> None:
    sandbox = opened()
    for command in ("pip download stripe", "npm view stripe"):
        done = shell(sandbox, command, timeout=30)
        assert not done.timed_out, command
        assert done.exit_code != 0, command
    assert sandbox.refused == ()


@pytest.mark.sandbox
@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "script"),
    [
        ("pip", "python3 -m venv v && v/bin/pip install -q certifi && v/bin/python -c 'import certifi'"),
        (
            "npm",
            "npm install is-number && node -e 'require(\"is-number\")' && npm install -g is-odd"
            " && ls ~/.local/lib/node_modules/is-odd",
        ),
        (
            "mvn",
            "mvn -q -B dependency:get -Dartifact=org.slf4j:slf4j-api:2.0.9 && ls ~/.m2/repository/org/slf4j/slf4j-api/2.0.9",
        ),
        ("apt-get", "apt-get update -q && apt-get download hello && ls hello*.deb"),
        ("go", "go mod init x && go get github.com/google/uuid@v1.6.0 && grep uuid go.sum"),
    ],
)
def test_package_clients_reach_their_registries(opened: OpenSandbox, program: str, script: str) -> None:
    if shutil.which(program) is None or (program == "go" and "/usr/" not in str(shutil.which("go"))):
        pytest.skip(f"needs {program}")
    sandbox = opened(registries=True)
    done = shell(sandbox, script, timeout=280)
    assert done.ok, done
    assert sandbox.refused == ()


@pytest.mark.sandbox
@pytest.mark.slow
def test_other_places_stay_out_of_reach(opened: OpenSandbox) -> None:
    sandbox = opened(registries=True)
    assert sandbox.exec(["curl", "-sS", "-x", "http://127.0.0.1:3128", "https://example.com"]).exit_code == 56
    assert sandbox.exec(["curl", "-sS", "https://example.com"]).exit_code == 6
    assert sandbox.refused == ("CONNECT example.com:443",)
