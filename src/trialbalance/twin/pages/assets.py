"""Static files of the pages, by content: one hash over the whole tree names every address.

`/v3/fingerprinted/<hash>/checkout/main.js` is a file of `static/`; relative imports between modules just work and
everything may be cached for ever. The scripts that other sites load (`stripe.js`, `connect.js`) have fixed addresses:
each is joined from its parts, in order of their names, inside one function.
"""

from __future__ import annotations

import gzip
import re
from functools import cache
from hashlib import blake2b
from pathlib import Path
from posixpath import normpath
from typing import NamedTuple

IMPORT = re.compile(r"^(?:import|export)\s[^;]*?from '(\.[^']+)';", re.MULTILINE)
SCRIPTS = {"connect-js": ("connect-js/", "stripe-js/20-frames.js"), "stripe-js": ("stripe-js/",)}
"""What the scripts of fixed addresses are joined from, in order of the file names."""
STATIC = Path(__file__).with_name("static")
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
}


class Asset(NamedTuple):
    """One file as it is sent: its bytes, also compressed, and its type."""

    body: bytes
    compressed: bytes
    type: str


class Assets:
    """All static files, read once."""

    def __init__(self, root: Path = STATIC) -> None:
        files = {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in sorted(root.rglob("*"))
            if path.is_file() and path.suffix in TYPES
        }
        digest = blake2b(digest_size=16)
        for name, body in files.items():
            digest.update(f"{name}\0{len(body)}\0".encode())
            digest.update(body)
        self.hash = digest.hexdigest()
        self.files = {
            name: Asset(body, gzip.compress(body, 6, mtime=0), TYPES[Path(name).suffix])
            for name, body in files.items()
        }
        self._graphs: dict[str, list[str]] = {}
        self._scripts: dict[tuple[str, str], Asset] = {}

    def url(self, name: str) -> str:
        """The address of a file on any of the page hosts.

        Raises:
            KeyError: there is no such file.
        """
        if name not in self.files:
            raise KeyError(name)
        return f"/v3/fingerprinted/{self.hash}/{name}"

    def graph(self, entry: str) -> list[str]:
        """A module and everything it imports from the start, for preloading."""
        found = self._graphs.get(entry)
        if found is None:
            found = [entry]
            for name in found:
                text = self.files[name].body.decode()
                for path in IMPORT.findall(text):
                    other = normpath(f"{name}/../{path}")
                    if other not in found:
                        found.append(other)
            self._graphs[entry] = found
        return found

    def script(self, name: str, release: str) -> Asset:
        """One of `SCRIPTS` for one release, which its parts know as RELEASE."""
        made = self._scripts.get((name, release))
        if made is None:
            found = [path for path in self.files if path.startswith(SCRIPTS[name])]
            ordered = sorted(found, key=lambda path: path.rpartition("/")[2])
            parts = [self.files[path].body.decode() for path in ordered]
            head = f'"use strict";\nconst RELEASE = "{release}";\nconst BUILD = "{self.hash}";\n'
            body = f"(function () {{\n{head}{''.join(parts)}}})();\n".encode()
            made = Asset(body, gzip.compress(body, 6, mtime=0), TYPES[".js"])
            self._scripts[(name, release)] = made
        return made


@cache
def assets() -> Assets:
    """The static files of this installation."""
    return Assets()
