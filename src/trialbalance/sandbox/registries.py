"""Which package registries this machine uses, as its own package clients say; no host is written here.

Each client is asked, or its configuration is read: pip, npm, Maven, apt, Go and cargo. What they answer is all that the
proxy of a sandbox lets through. Credentials in an address are dropped: a sandbox never sees one.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.request
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit, urlunsplit

log = logging.getLogger(__name__)

PATIENCE = 60
PORTS = {"http": 80, "https": 443}


class Place(NamedTuple):
    """A host and port that the proxy lets through."""

    host: str
    port: int


class Mirror(NamedTuple):
    """A Maven mirror."""

    id: str
    url: str
    of: str


@dataclass
class Registries:
    """What the package clients of this machine are set to use; empty for a client that is not there."""

    pip_index: str = ""
    pip_extra: tuple[str, ...] = ()
    pip_links: tuple[str, ...] = ()
    pip_files: tuple[str, ...] = ()
    npm: dict[str, str] = field(default_factory=dict)
    maven: tuple[str, ...] = ()
    mirrors: tuple[Mirror, ...] = ()
    apt: tuple[str, ...] = ()
    apt_options: dict[str, str] = field(default_factory=dict)
    go: tuple[str, ...] = ()
    go_checksums: str = ""
    cargo: dict[str, Any] = field(default_factory=dict)
    cargo_indexes: tuple[str, ...] = ()

    def urls(self) -> list[str]:
        """Every address that a client may call."""
        links = [link for link in self.pip_links if "://" in link]
        mirrors = [mirror.url for mirror in self.mirrors]
        found = [self.pip_index, *self.pip_extra, *links, *self.pip_files, *self.npm.values(), *self.maven]
        return [url for url in [*found, *mirrors, *self.apt, *self.go, *self.cargo_indexes] if url]

    def places(self) -> frozenset[Place]:
        """What the proxy lets through."""
        found = set()
        for url in self.urls():
            parts = urlsplit(url.removeprefix("sparse+"))
            if parts.hostname and parts.scheme in PORTS:
                found.add(Place(parts.hostname, parts.port or PORTS[parts.scheme]))
        return frozenset(found)


@functools.cache
def discover() -> Registries:
    """Ask every package client of this machine; once per process, all at the same time."""
    found = Registries()
    clients: tuple[Callable[[Registries], None], ...] = (_pip, _npm, _maven, _apt, _go, _cargo)
    with ThreadPoolExecutor(len(clients)) as pool:
        for client, future in [(client, pool.submit(client, found)) for client in clients]:
            try:
                future.result()
            except Exception as error:  # one client that is set up oddly must not cost the others
                log.warning("the registries of %s are not available: %s", client.__name__.strip("_"), error)
    return found


def without_credentials(url: str) -> str:
    """An address without the user and password that it may hold."""
    parts = urlsplit(url)
    if "@" not in parts.netloc:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _ask(*command: str | Path) -> str:
    """What a client prints."""
    done = subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd="/",
    )
    if done.returncode != 0:
        raise OSError(f"{command[0]} failed: {done.stderr.strip().splitlines()[-1:] or done.returncode}")
    return done.stdout


def _pip(found: Registries) -> None:
    """Source: pip's own configuration, and for its default index the constant in its own source."""
    python = next((place for place in (sys.executable, "/usr/bin/python3") if _has_pip(place)), None)
    if python is None:
        return
    settings: dict[str, str] = {}
    for line in _ask(python, "-m", "pip", "--no-input", "config", "list").splitlines():
        name, _, value = line.partition("=")
        section, _, option = name.rpartition(".")
        if section in ("global", "install", ":env:"):
            if option in settings and section == "global":
                continue
            with contextlib.suppress(ValueError, SyntaxError):
                settings[option] = str(ast.literal_eval(value))
    index = "from pip._internal.models.index import PyPI; print(PyPI.simple_url, PyPI.file_storage_domain)"
    default, files = _ask(python, "-c", index).split()
    found.pip_index = without_credentials(settings.get("index-url", default))
    found.pip_extra = tuple(without_credentials(url) for url in settings.get("extra-index-url", "").split())
    found.pip_links = tuple(without_credentials(url) for url in settings.get("find-links", "").split())
    if found.pip_index == default:
        found.pip_files = (f"https://{files}/",)
    for url in (*([] if found.pip_index == default else [found.pip_index]), *found.pip_extra):
        found.pip_files += _file_places(url)


@functools.cache
def _has_pip(python: str) -> bool:
    return subprocess.run([python, "-c", "import pip"], capture_output=True, check=False).returncode == 0


def _file_places(index: str) -> tuple[str, ...]:
    """Where an index that is not pip's default keeps its files: it says so on the page of every project."""
    page = urljoin(index.rstrip("/") + "/", "pip/")
    with contextlib.suppress(OSError, ValueError), urllib.request.urlopen(page, timeout=10) as answer:
        text = answer.read(1 << 22).decode(errors="replace")
        links = (urlsplit(urljoin(page, link)) for link in re.findall(r"""href=["']([^"']+)""", text))
        return tuple(sorted({f"{link.scheme}://{link.netloc}/" for link in links if link.scheme in PORTS}))
    return ()


def _npm(found: Registries) -> None:
    if shutil.which("npm") is None:
        return
    settings = json.loads(_ask("npm", "config", "list", "--json"))
    for name, value in settings.items():
        if isinstance(value, str) and (name == "registry" or name.endswith(":registry")):
            found.npm[name] = without_credentials(value)


def _maven(found: Registries) -> None:
    """Source: Maven's settings files; its default repository is in the POM that it carries."""
    program = shutil.which("mvn")
    if program is None:
        return
    home = Path(os.path.realpath(program)).parent.parent
    urls: list[str] = []
    mirrors: list[Mirror] = []
    for settings in (Path("~/.m2/settings.xml").expanduser(), home / "conf/settings.xml"):
        if settings.is_file():
            root = ElementTree.parse(settings).getroot()
            for element in root.iter():
                element.tag = element.tag.rpartition("}")[2]
            for mirror in root.iterfind("mirrors/mirror"):
                fields = {part.tag: (part.text or "").strip() for part in mirror}
                if fields.get("blocked") != "true" and fields.get("url"):
                    mirrors.append(
                        Mirror(
                            fields.get("id", "mirror"),
                            without_credentials(fields["url"]),
                            fields.get("mirrorOf", "*"),
                        )
                    )
            for kind in ("repositories/repository", "pluginRepositories/pluginRepository"):
                urls += [
                    without_credentials(part.text or "")
                    for part in root.iterfind(f"profiles/profile/{kind}/url")
                ]
    for archive in sorted((home / "lib").glob("maven-model-builder*.jar")):
        with zipfile.ZipFile(archive) as jar:
            text = jar.read("org/apache/maven/model/pom-4.0.0.xml").decode()
        urls += re.findall(r"<url>\s*([^<\s]+)\s*</url>", text)
        break
    found.maven = tuple(dict.fromkeys(url for url in urls if url))
    found.mirrors = tuple(dict.fromkeys(mirrors))


def _apt(found: Registries) -> None:
    if shutil.which("apt-get") is None:
        return
    sites = _ask("apt-get", "indextargets", "--format", "$(SITE)").split()
    found.apt = tuple(dict.fromkeys(without_credentials(site) for site in sites if "://" in site))
    options = ("Acquire::Check-Valid-Until", "Acquire::Check-Date")
    for line in _ask("apt-config", "dump", *options).splitlines():
        name, _, value = line.rstrip(";").partition(" ")
        if name in options:
            found.apt_options[name] = value.strip('"')


def _go(found: Registries) -> None:
    if shutil.which("go") is None:
        return
    settings = json.loads(_ask("go", "env", "-json", "GOPROXY", "GOSUMDB"))
    proxies = re.split(r"[,|]", settings["GOPROXY"])
    found.go = tuple(without_credentials(proxy).rstrip("/") for proxy in proxies if "://" in proxy)
    found.go_checksums = settings["GOSUMDB"]


def _cargo(found: Registries) -> None:
    """Source: cargo's configuration files; cargo cannot be asked for its default."""
    home = Path(os.environ.get("CARGO_HOME") or Path("~/.cargo").expanduser())
    for name in ("config.toml", "config"):
        if (home / name).is_file():
            settings = tomllib.loads((home / name).read_text(encoding="utf-8"))
            found.cargo = {
                key: settings[key] for key in ("source", "registries", "registry") if key in settings
            }
            found.cargo_indexes = tuple(_addresses(found.cargo))
            return


def _addresses(value: object) -> Iterable[str]:
    if isinstance(value, dict):
        for part in value.values():
            yield from _addresses(part)
    elif isinstance(value, str) and "://" in value:
        yield without_credentials(value)
