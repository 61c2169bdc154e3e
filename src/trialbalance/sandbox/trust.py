"""Makes everything in a sandbox trust a trial's authority, without any setting of its own.

Each kind of program has its own list of trusted certificates, so each list is served:

- curl, wget, git, OpenSSL, Go, Ruby, PHP, .NET: the system's bundle and directory (``/etc/ssl/certs``), the host's plus one;
- Python's own clients: the bundle; ``requests`` and ``httpx`` with the certificates of ``certifi``, and every version of
  the Stripe SDK with those it carries: a few lines at the end of the interpreter's ``ssl`` module (see `HOOK`), so that
  virtual environments, ``python -I`` and ``python -S`` are served too;
- Node: ``NODE_EXTRA_CA_CERTS``;
- Java: a trust store at the place where the JDK looks;
- Chromium: a managed policy.

Nothing that the host trusts is taken away: a machine behind a gateway that signs anew still reaches its registries.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import hashlib
import json
import os
import re
import ssl
import struct
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from trialbalance.sandbox.authority import Authority
from trialbalance.sandbox.etc import Etc
from trialbalance.sandbox.layout import Layout

BUNDLE = "/etc/ssl/certs/ca-certificates.crt"
AUTHORITY = "/etc/ssl/trial/authority.pem"
NODE = "/etc/ssl/trial/node.pem"
ALIASES = (
    "pki/tls/certs/ca-bundle.crt",
    "pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "ssl/cert.pem",
    "ssl/ca-bundle.pem",
)
HOST_BUNDLES = (
    BUNDLE,
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)
HOST_VARIABLES = ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT")
POLICIES = ("chromium/policies/managed", "chromium-browser/policies/managed", "opt/chrome/policies/managed")
PYTHON_MODULES = ("/usr/lib/python3*/ssl.py", "/usr/lib64/python3*/ssl.py", "/usr/local/lib/python3*/ssl.py")
JAVA_STORES = ("/usr/lib/jvm/*/lib/security/cacerts", "/usr/lib/jvm/*/jre/lib/security/cacerts")

HOOK = f"""

def _with_trial_authority(load):
    import functools

    @functools.wraps(load)
    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        load(self, cafile=cafile, capath=capath, cadata=cadata)
        try:
            name = _os.fsdecode(cafile)
        except TypeError:
            return
        if name.endswith(("/stripe/data/ca-certificates.crt", "/certifi/cacert.pem")) and _os.path.exists({AUTHORITY!r}):
            load(self, cafile={AUTHORITY!r})

    return load_verify_locations


import os as _os

SSLContext.load_verify_locations = _with_trial_authority(SSLContext.load_verify_locations)
"""
"""Added to the ``ssl`` module of the sandbox's Python: who loads a public list of authorities gets the trial's as well."""

CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----\s*([A-Za-z0-9+/=\s]+?)-----END CERTIFICATE-----")


class HostTrust(NamedTuple):
    """What this machine trusts."""

    bundle: bytes
    """Its certificates, PEM: the system's, and those that the environment adds for a gateway that signs anew."""
    extra: bytes
    """Those that the environment adds to the lists of programs that do not read the system's."""
    certificates: tuple[bytes, ...]
    """The bundle's, DER."""


def install(etc: Etc, authority: Authority | None, *, registries: bool) -> dict[str, str]:
    """Fill in the trust stores; answers the environment variables that go with them.

    Call it before ``etc`` is mounted; `overlay` comes after the host's programs are. Node starts slower with many more
    authorities, so it gets the host's own only where it may leave the sandbox.
    """
    host = host_trust()
    trusted, known = host.bundle, host.certificates
    extra = host.extra if registries else b""
    env = {"SSL_CERT_FILE": BUNDLE, "REQUESTS_CA_BUNDLE": BUNDLE}
    if authority is not None:
        trusted = append(trusted, authority.pem)
        known = (*known, authority.der)
        extra = append(authority.pem, extra)
        etc.write("ssl/trial/authority.pem", authority.pem)
        policy = json.dumps({"CACertificates": [base64.b64encode(authority.der).decode()]})
        for place in POLICIES:
            etc.write(f"{place}/trial.json", policy)
    if extra:
        etc.write("ssl/trial/node.pem", extra)
        env["NODE_EXTRA_CA_CERTS"] = NODE
    etc.write("ssl/certs/ca-certificates.crt", trusted)
    for alias in ALIASES:
        etc.link(alias, BUNDLE)
    if registries:
        copy_directory(etc)
    if authority is not None:
        etc.link(f"ssl/certs/{free_name(etc, authority.subject_hash)}", AUTHORITY)
    with contextlib.suppress(OSError):
        etc.write("ssl/openssl.cnf", Path("/etc/ssl/openssl.cnf").read_bytes())
    if Path("/usr/lib/jvm").is_dir():
        etc.write("ssl/certs/java/cacerts", java_store(known))
    return env


def overlay(etc: Etc, layout: Layout, authority: Authority | None) -> None:
    """Lay changed files over the host's programs, for those that keep their own list of authorities."""
    store = etc.directory / "ssl/certs/java/cacerts"
    for path in sorted({Path(os.path.realpath(place)) for place in matches(JAVA_STORES)}):
        if path.is_relative_to("/usr"):
            layout.bind(store, str(path))
    if authority is None:
        return
    for module in sorted({Path(os.path.realpath(place)) for place in matches(PYTHON_MODULES)}):
        hooked = hooked_module(module)
        layout.bind(hooked / "ssl.py", str(module))
        for compiled in hooked.glob("*.pyc"):
            if (module.parent / "__pycache__" / compiled.name).exists():
                layout.bind(compiled, str(module.parent / "__pycache__" / compiled.name))


def host_trust() -> HostTrust:
    """What this machine trusts now; read again only when a file has changed."""
    places = [*HOST_BUNDLES, ssl.get_default_verify_paths().cafile or ""]
    system = next((place for place in places if place and Path(place).is_file()), "")
    added = [os.environ.get(name, "") for name in HOST_VARIABLES]
    return _read_trust(
        system, tuple(place for place in dict.fromkeys(added) if place), _signature([system, *added])
    )


@functools.lru_cache(maxsize=4)
def _read_trust(system: str, added: tuple[str, ...], signature: tuple[tuple[int, int], ...]) -> HostTrust:
    bundle = Path(system).read_bytes() if system else b""
    extra = b""
    for place in added:
        with contextlib.suppress(OSError):
            extra = append(extra, Path(place).read_bytes())
    bundle = append(bundle, extra)
    return HostTrust(bundle, extra, tuple(dict.fromkeys(certificates(bundle))))


def _signature(places: Iterable[str]) -> tuple[tuple[int, int], ...]:
    found = []
    for place in places:
        with contextlib.suppress(OSError):
            status = Path(place).stat()
            found.append((status.st_mtime_ns, status.st_size))
    return tuple(found)


def append(bundle: bytes, more: bytes) -> bytes:
    """A bundle with certificates appended, without those that it has already."""
    if not bundle or more in bundle:
        return bundle or more
    known = set(certificates(bundle)) if more.count(b"BEGIN CERTIFICATE") > 1 else set()
    added = [der for der in dict.fromkeys(certificates(more)) if der not in known]
    return bundle.rstrip(b"\n") + b"\n" + b"".join(pem(der) for der in added)


def certificates(bundle: bytes) -> Iterator[bytes]:
    """The certificates of a PEM bundle, DER."""
    for match in CERTIFICATE.finditer(bundle):
        with contextlib.suppress(ValueError):
            yield base64.b64decode(match.group(1))


def pem(der: bytes) -> bytes:
    text = base64.b64encode(der)
    lines = [text[start : start + 64] for start in range(0, len(text), 64)]
    return b"\n".join([b"-----BEGIN CERTIFICATE-----", *lines, b"-----END CERTIFICATE-----", b""])


def copy_directory(etc: Etc) -> None:
    """Repeat the host's directory of hashed certificates, link by link."""
    target = etc.directory / "ssl/certs"
    with contextlib.suppress(FileNotFoundError), os.scandir("/etc/ssl/certs") as entries:
        for entry in entries:
            with contextlib.suppress(FileExistsError):
                if entry.is_symlink():
                    (target / entry.name).symlink_to(Path(entry.path).readlink())
                elif entry.is_file() and entry.name.endswith((".pem", ".crt", ".0", ".1")):
                    etc_file = target / entry.name
                    if not etc_file.exists():
                        etc_file.write_bytes(Path(entry.path).read_bytes())


def free_name(etc: Etc, subject: str) -> str:
    """The next free ``hash.n`` in the directory of certificates."""
    number = 0
    while os.path.lexists(etc.directory / f"ssl/certs/{subject}.{number}"):
        number += 1
    return f"{subject}.{number}"


def java_store(trusted: Iterable[bytes]) -> bytes:
    """A Java trust store (JKS) with the password that every JDK's has, "changeit"."""
    entries = list(dict.fromkeys(trusted))
    body = struct.pack(">III", 0xFEEDFEED, 2, len(entries))
    for number, der in enumerate(entries):
        alias = f"authority-{number}".encode()
        body += struct.pack(">IH", 2, len(alias)) + alias + struct.pack(">QH", 0, 5) + b"X.509"
        body += struct.pack(">I", len(der)) + der
    seal = hashlib.sha1("changeit".encode("utf-16-be") + b"Mighty Aphrodite" + body, usedforsecurity=False)
    return body + seal.digest()


def matches(patterns: Iterable[str]) -> set[Path]:
    """The files of the host that exist under these patterns."""
    return {path for pattern in patterns for path in Path("/").glob(pattern.lstrip("/"))}


def hooked_module(module: Path) -> Path:
    """A directory with the module plus `HOOK`, and its compiled form; made once and kept."""
    content = module.read_text(encoding="utf-8") + HOOK
    interpreter = Path(f"/usr/bin/{module.parent.name}")
    if not interpreter.exists():
        interpreter = Path(f"/usr/local/bin/{module.parent.name}")
    key = hashlib.sha256(f"{module}\n{content}".encode()).hexdigest()[:24]
    place = cache_directory() / f"ssl-{key}"
    if place.is_dir():
        return place
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as scratch:
        made = Path(scratch, "made")
        made.mkdir()
        source = made / "ssl.py"
        source.write_text(content, encoding="utf-8")
        tag = f"cpython-{module.parent.name.removeprefix('python').replace('.', '')}"
        script = (
            "import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2], sys.argv[3], doraise=True)"
        )
        with contextlib.suppress(OSError):
            subprocess.run(
                [interpreter, "-I", "-S", "-c", script, source, made / f"ssl.{tag}.pyc", module],
                capture_output=True,
                check=False,
                timeout=60,
            )
        with contextlib.suppress(OSError):  # another process was quicker
            made.rename(place)
    return place


def cache_directory() -> Path:
    """Where this package keeps what is costly to make again."""
    base = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(base, "trialbalance", "sandbox")
