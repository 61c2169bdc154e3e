"""Sets up the package clients of a sandbox: for the proxy and the host's registries, or for giving up quickly."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from trialbalance.sandbox.etc import Etc, public
from trialbalance.sandbox.proxy import PORT
from trialbalance.sandbox.registries import Registries
from trialbalance.sandbox.trust import BUNDLE

PROXY = f"http://127.0.0.1:{PORT}"
GO = "/go"
APT = (
    "sources.list",
    "sources.list.d",
    "trusted.gpg",
    "trusted.gpg.d",
    "keyrings",
    "preferences",
    "preferences.d",
)
NPM = "prefix=/root/.local\nupdate-notifier=false\naudit=false\nfund=false\n"


def offline(etc: Etc) -> dict[str, str]:
    """Without a way out: clients fail at once rather than try again for minutes. Answers variables."""
    etc.write("pip.conf", "[global]\ndisable-pip-version-check = true\nretries = 0\n")
    etc.write("npmrc", NPM + "fetch-retries=0\n")
    return {"NPM_CONFIG_GLOBALCONFIG": "/etc/npmrc"}


def online(found: Registries, etc: Etc, home: Path, variable: Path) -> dict[str, str]:
    """Through the proxy, to the registries that the host uses. Answers variables.

    There is no ``HTTPS_PROXY``: it would lead the app's own calls to Stripe astray.
    """
    env = {"NPM_CONFIG_GLOBALCONFIG": "/etc/npmrc"}
    _pip(found, etc)
    _npm(found, etc)
    _maven(found, home)
    _apt(found, etc, variable)
    if found.go:
        proxies = [f"{PROXY}{GO}/{number}" for number in range(len(found.go))]
        env |= {"GOPROXY": ",".join(proxies), "GOSUMDB": found.go_checksums, "GOTOOLCHAIN": "local"}
    if found.cargo:
        env["CARGO_HTTP_PROXY"] = f"127.0.0.1:{PORT}"
        (home / ".cargo").mkdir()
        (home / ".cargo/config.toml").write_text(_toml(found.cargo), encoding="utf-8")
    return env


def reverse(found: Registries) -> dict[str, str]:
    """Path prefixes of the proxy for Go, which knows no proxy but in the environment."""
    return {f"{GO}/{number}": base for number, base in enumerate(found.go)}


def local_links(found: Registries) -> list[Path]:
    """Directories of the host from which pip installs."""
    return [Path(link) for link in found.pip_links if "://" not in link and Path(link).is_dir()]


def _pip(found: Registries, etc: Etc) -> None:
    lines = ["[global]", "disable-pip-version-check = true", f"proxy = {PROXY}", f"cert = {BUNDLE}"]
    if found.pip_index:
        lines.append(f"index-url = {found.pip_index}")
    links = [link for link in found.pip_links if "://" in link] + [str(path) for path in local_links(found)]
    for name, values in (("extra-index-url", found.pip_extra), ("find-links", tuple(links))):
        if values:
            lines.append(f"{name} =" + "".join(f"\n    {value}" for value in values))
    etc.write("pip.conf", "\n".join(lines) + "\n")


def _npm(found: Registries, etc: Etc) -> None:
    lines = [f"{name}={value}" for name, value in sorted(found.npm.items())]
    lines += [f"proxy={PROXY}", f"https-proxy={PROXY}", f"cafile={BUNDLE}"]
    if Path("/usr/include/node/node.h").exists():
        lines.append("nodedir=/usr")
    etc.write("npmrc", NPM + "\n".join(lines) + "\n")


def _maven(found: Registries, home: Path) -> None:
    proxies = "".join(
        f"<proxy><id>{kind}</id><active>true</active><protocol>{kind}</protocol>"
        f"<host>127.0.0.1</host><port>{PORT}</port><nonProxyHosts>127.0.0.1|localhost</nonProxyHosts></proxy>"
        for kind in ("http", "https")
    )
    mirrors = "".join(
        f"<mirror><id>{escape(mirror.id)}</id><url>{escape(mirror.url)}</url><mirrorOf>{escape(mirror.of)}</mirrorOf></mirror>"
        for mirror in found.mirrors
    )
    (home / ".m2").mkdir()
    settings = f"<settings><proxies>{proxies}</proxies><mirrors>{mirrors}</mirrors></settings>\n"
    (home / ".m2/settings.xml").write_text(settings, encoding="utf-8")


def _apt(found: Registries, etc: Etc, variable: Path) -> None:
    """``apt-get update``, ``download`` and ``source`` work; installing into a read-only ``/usr`` does not."""
    if not found.apt:
        return
    for name in APT:
        source = Path("/etc/apt", name)
        target = etc.directory / "apt" / name
        target.parent.mkdir(exist_ok=True)
        if source.is_dir():
            target.mkdir()
            for file in source.iterdir():
                _copy_sources(file, target / file.name)
        else:
            _copy_sources(source, target)
    options = {
        "Acquire::http::Proxy": PROXY,
        "Acquire::https::Proxy": PROXY,
        "APT::Sandbox::User": "root",
        "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        **found.apt_options,
    }
    etc.write("apt/apt.conf.d/00sandbox", "".join(f'{name} "{value}";\n' for name, value in options.items()))
    for name in (
        "lib/apt/lists/partial",
        "cache/apt/archives/partial",
        "lib/dpkg/info",
        "lib/dpkg/updates",
        "log/apt",
    ):
        (variable / name).mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(OSError):
        shutil.copyfile("/var/lib/dpkg/status", variable / "lib/dpkg/status")


def _copy_sources(source: Path, target: Path) -> None:
    """Copy one file of apt's unless it is private or holds a password."""
    if source.is_file() and public(source):
        content = source.read_bytes()
        if not any(b"://" in word and b"@" in word for word in content.split()):
            target.write_bytes(content)


def _toml(tables: Mapping[str, object], prefix: str = "") -> str:
    """Nested tables of texts as TOML."""
    values = {name: value for name, value in tables.items() if not isinstance(value, dict)}
    text = f"[{prefix.rstrip('.')}]\n" if prefix and values else ""
    text += "".join(f"{json.dumps(name)} = {json.dumps(value)}\n" for name, value in values.items())
    for name, value in tables.items():
        if isinstance(value, dict):
            text += _toml(value, f"{prefix}{json.dumps(name)}.")
    return text
