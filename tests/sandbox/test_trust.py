"""Unmodified programs talk to Stripe's names inside as they would outside, with no setting of their own."""

from __future__ import annotations

import json
import re
import shutil
import ssl
import struct
import subprocess
from pathlib import Path

import pytest

from tests.sandbox.conftest import OpenSandbox, serving_stripe
from tests.sandbox.test_sandbox import shell
from trialbalance.sandbox import STRIPE_HOSTS, Authority, Mount, Sandbox, trust

pytestmark = pytest.mark.sandbox

ROOT = Path(__file__).resolve().parents[2]
URL = "https://api.stripe.com/v1/customers"


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"needs {program}")


def test_curl(stripe_sandbox: Sandbox) -> None:
    done = stripe_sandbox.exec(["curl", "-sS", URL, "-u", "sk_test_x:", "-d", "name=Ada"])
    answer = json.loads(done.stdout)
    assert answer == answer | {
        "method": "POST",
        "host": "api.stripe.com",
        "path": "/v1/customers",
        "body": "name=Ada",
    }


def test_curl_with_an_empty_environment(stripe_sandbox: Sandbox) -> None:
    assert "cus_echo" in shell(stripe_sandbox, f"env -i /usr/bin/curl -sS {URL}").stdout


@pytest.mark.parametrize(
    "name", ["js.stripe.com", "checkout.stripe.com", "files.stripe.com", "m.stripe.network"]
)
def test_the_other_names(stripe_sandbox: Sandbox, name: str) -> None:
    answer = json.loads(stripe_sandbox.exec(["curl", "-sS", f"https://{name}/x"]).stdout)
    assert answer["host"] == name


def test_other_names_are_not_certified(stripe_sandbox: Sandbox) -> None:
    done = stripe_sandbox.exec(
        ["curl", "-sS", "--resolve", "example.com:443:127.0.0.1", "https://example.com"]
    )
    assert done.exit_code == 60


def test_without_the_authority_nothing_is_trusted(opened: OpenSandbox, authority: Authority) -> None:
    sandbox = opened(hosts=STRIPE_HOSTS)
    with serving_stripe(sandbox, authority):
        assert sandbox.exec(["curl", "-sS", URL]).exit_code == 60
        assert "CERTIFICATE_VERIFY_FAILED" in python(
            sandbox, f"import urllib.request; urllib.request.urlopen('{URL}')"
        )


@needs("wget")
def test_wget(stripe_sandbox: Sandbox) -> None:
    assert "cus_echo" in stripe_sandbox.exec(["wget", "-qO-", URL]).stdout


@needs("openssl")
def test_openssl_by_bundle_and_by_directory(stripe_sandbox: Sandbox) -> None:
    for place in ("", "-CAfile /etc/ssl/certs/ca-certificates.crt", "-no-CAfile -CApath /etc/ssl/certs"):
        command = f"echo | openssl s_client -connect api.stripe.com:443 -verify_return_error {place} 2>&1"
        assert "Verify return code: 0 (ok)" in shell(stripe_sandbox, command).stdout, place


@needs("git")
def test_git(stripe_sandbox: Sandbox) -> None:
    assert "not found" in shell(stripe_sandbox, "git ls-remote https://api.stripe.com/missing.git").stderr


def python(sandbox: Sandbox, script: str, *flags: str) -> str:
    done = sandbox.exec(["python3", *flags, "-c", script])
    return done.stdout + done.stderr


@pytest.mark.parametrize("flags", [[], ["-I"], ["-S"], ["-E"], ["-I", "-S"]])
def test_pythons_own_client(stripe_sandbox: Sandbox, flags: list[str]) -> None:
    script = f"import urllib.request; print(urllib.request.urlopen('{URL}').read())"
    assert "cus_echo" in python(stripe_sandbox, script, *flags)


@pytest.mark.parametrize("flags", [[], ["-I"], ["-S"], ["-I", "-S"]])
@pytest.mark.parametrize(
    "carried", ["site-packages/stripe/data/ca-certificates.crt", "site-packages/certifi/cacert.pem"]
)
def test_python_clients_that_carry_a_list_of_authorities(
    stripe_sandbox: Sandbox, workspace: Path, flags: list[str], carried: str
) -> None:
    """As the Stripe SDK does with its own, and requests and httpx with certifi's."""
    place = workspace / carried
    place.parent.mkdir(parents=True)
    shutil.copyfile(ssl.get_default_verify_paths().cafile or "/etc/ssl/certs/ca-certificates.crt", place)
    script = f"""
import http.client, ssl, pathlib
for context in (ssl.create_default_context(cafile=r"/app/{carried}"), ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)):
    if not context.get_ca_certs():
        context.load_verify_locations(pathlib.Path("/app/{carried}"))
    connection = http.client.HTTPSConnection("api.stripe.com", context=context)
    connection.request("GET", "/v1/customers")
    print(connection.getresponse().status)
"""
    assert python(stripe_sandbox, script, *flags).split() == ["200", "200"]


def test_a_list_of_an_apps_own_stays_as_it_is(
    stripe_sandbox: Sandbox, workspace: Path, tmp_path: Path
) -> None:
    """Pinning is the app's business: only the well-known public lists are added to."""
    other = Authority.create(tmp_path / "other")
    (workspace / "pinned.pem").write_bytes(other.pem)
    script = f"""
import ssl, urllib.request
context = ssl.create_default_context(cafile="/app/pinned.pem")
urllib.request.urlopen("{URL}", context=context)
"""
    assert "CERTIFICATE_VERIFY_FAILED" in python(stripe_sandbox, script)


def test_the_changed_module_is_compiled_beforehand(stripe_sandbox: Sandbox) -> None:
    said = python(stripe_sandbox, "import ssl", "-v")
    origin = re.search(r"# code object from '(.*/ssl\..*)'", said)
    assert origin
    assert origin[1].endswith(".pyc")


@needs("node")
@pytest.mark.parametrize("shell_flags", ["-c", "-lc"])
def test_nodes_own_clients(stripe_sandbox: Sandbox, shell_flags: str) -> None:
    script = (
        f"require('https').get('{URL}', r => {{ console.log(r.statusCode); r.resume() }})"
        ".on('error', e => console.log(e.code));"
        f"fetch('{URL}').then(r => r.text().then(() => console.log(r.status)), e => console.log(e.cause.code))"
    )
    done = stripe_sandbox.exec(["bash", shell_flags, f'node -e "{script}"'], timeout=60)
    assert done.stdout.split() == ["200", "200"], done.stderr


@needs("node")
@pytest.mark.parametrize("package", ["stripe", "stripe-2022", "stripe-2024"])
def test_the_node_sdk(opened: OpenSandbox, authority: Authority, package: str) -> None:
    if not (ROOT / "node_modules" / package).is_dir():
        pytest.skip(f"npm package {package} is not installed")
    sandbox = opened(
        hosts=STRIPE_HOSTS, authority=authority, mounts=(Mount(ROOT / "node_modules", "/app/node_modules"),)
    )
    script = f"""
        const {{ default: Stripe = require('{package}') }} = require('{package}');
        const clients = [new Stripe('sk_test_x')];
        if (Stripe.createFetchHttpClient)
            clients.push(new Stripe('sk_test_x', {{ httpClient: Stripe.createFetchHttpClient() }}));
        Promise.all(clients.map(client => client.customers.create({{ name: 'Ada' }})))
            .then(all => console.log(all.map(customer => customer.id + ' ' + customer.body).join('\\n')))
            .catch(error => console.log(String(error)));
    """
    with serving_stripe(sandbox, authority):
        done = sandbox.exec(["node", "-e", script], timeout=60)
    assert set(done.stdout.splitlines()) == {"cus_echo name=Ada"}, done


JAVA = """
public class Call {
    public static void main(String[] arguments) throws Exception {
        var connection = (java.net.HttpURLConnection) new java.net.URL("https://api.stripe.com/v1/customers").openConnection();
        System.out.println(connection.getResponseCode());
        var client = java.net.http.HttpClient.newHttpClient();
        var request = java.net.http.HttpRequest.newBuilder(java.net.URI.create("https://api.stripe.com/v1/customers")).build();
        System.out.println(client.send(request, java.net.http.HttpResponse.BodyHandlers.ofString()).statusCode());
    }
}
"""


@needs("java")
def test_every_java(stripe_sandbox: Sandbox, workspace: Path) -> None:
    (workspace / "Call.java").write_text(JAVA, encoding="utf-8")
    machines = sorted({path.resolve() for path in Path("/usr/lib/jvm").glob("*/bin/java")})
    assert machines
    for machine in machines:
        if not (machine.parent / "javac").exists():
            continue
        done = stripe_sandbox.exec([str(machine), "Call.java"], timeout=120)
        assert done.stdout.split() == ["200", "200"], done.stderr
        assert "JAVA_TOOL_OPTIONS" not in done.stderr


GO = """
package main
import ("fmt"; "net/http")
func main() {
    answer, err := http.Get("https://api.stripe.com/v1/customers")
    if err != nil { fmt.Println(err); return }
    fmt.Println(answer.StatusCode)
}
"""


@needs("go")
@pytest.mark.slow
def test_go(stripe_sandbox: Sandbox, workspace: Path) -> None:
    if "/usr/" not in (shutil.which("go") or ""):
        pytest.skip("this machine's go is not below /usr")
    (workspace / "main.go").write_text(GO, encoding="utf-8")
    done = stripe_sandbox.exec(["go", "run", "main.go"], timeout=240)
    assert done.stdout.split() == ["200"], done.stderr


def test_the_official_command_line_tool(opened: OpenSandbox, authority: Authority) -> None:
    program = ROOT / "node_modules/@stripe/cli-linux-x64/bin/stripe"
    if not program.exists():
        pytest.skip("the Stripe CLI is not installed")
    sandbox = opened(hosts=STRIPE_HOSTS, authority=authority, mounts=(Mount(program, "/opt/stripe"),))
    with serving_stripe(sandbox, authority):
        done = sandbox.exec(
            ["/opt/stripe", "get", "/v1/customers/cus_1", "--api-key", "sk_test_0123456789abcdef"], timeout=60
        )
    assert "cus_echo" in done.stdout, done


def test_the_hosts_own_authorities_stay_trusted(sandbox: Sandbox) -> None:
    inside = set(trust.certificates(shell(sandbox, "cat /etc/ssl/certs/ca-certificates.crt").stdout.encode()))
    assert set(trust.host_trust().certificates) <= inside


def test_an_authority_of_a_gateway_is_kept(
    opened: OpenSandbox, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, authority: Authority
) -> None:
    gateway = Authority.create(tmp_path / "gateway")
    monkeypatch.setenv("SSL_CERT_FILE", str(gateway.certificate))
    sandbox = opened(authority=authority)
    inside = list(
        trust.certificates(shell(sandbox, "cat /etc/ssl/certs/ca-certificates.crt").stdout.encode())
    )
    assert gateway.der in inside
    assert authority.der in inside
    assert len(inside) == len(set(inside))


def test_no_key_of_the_authority_comes_in(stripe_sandbox: Sandbox) -> None:
    found = shell(
        stripe_sandbox,
        "grep -rlE 'BEGIN (EC |RSA )?PRIVATE KEY' /etc /root /tmp /app /run /opt /var 2>/dev/null",
    )
    assert found.stdout == ""


# The parts


def test_a_bundle_is_added_to_once(authority: Authority) -> None:
    once = trust.append(b"", authority.pem)
    assert trust.append(once, authority.pem) == once
    assert list(trust.certificates(once)) == [authority.der]


def test_a_java_store_is_what_keytool_reads(authority: Authority, tmp_path: Path) -> None:
    store = trust.java_store([authority.der, authority.der])
    magic, version, count = struct.unpack(">III", store[:12])
    assert (magic, version, count) == (0xFEEDFEED, 2, 1)
    if shutil.which("keytool"):
        (tmp_path / "store").write_bytes(store)
        done = subprocess.run(
            ["keytool", "-list", "-keystore", tmp_path / "store", "-storepass", "changeit"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "contains 1 entry" in done.stdout
