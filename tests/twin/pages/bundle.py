"""Unmodified npm packages for a page of a test: CommonJS modules, found as Node finds them, in one script.

No bundler is installed for tests; this is the little of one that they need.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

ROOT = (Path(__file__).parents[3] / "node_modules").resolve()
REQUIRE = re.compile(r"""require\(\s*['"]([^'"]+)['"]\s*\)""")


def installed() -> bool:
    """Whether the packages are there (`npm ci`)."""
    return (ROOT / "@stripe" / "react-stripe-js").is_dir()


@cache
def bundle(*packages: str, aliases: tuple[tuple[str, str], ...] = ()) -> str:
    """A script that defines `require` for `packages` and everything they need.

    `aliases` are pairs of a package's name, as any module requires it, and the folder that answers to it.
    """
    folders = dict(aliases)
    names: dict[str, str] = {}
    sources: dict[str, tuple[str, dict[str, str]]] = {}

    def add(path: Path) -> str:
        key = path.relative_to(ROOT).as_posix()
        if key not in sources:
            text = path.read_text()
            links: dict[str, str] = {}
            sources[key] = (text, links)
            for wanted in sorted(set(REQUIRE.findall(text))):
                found = _resolve(wanted, path, folders)
                if found is not None:
                    links[wanted] = add(found)
        return key

    for package in packages:
        found = _resolve(package, ROOT / "index.js", folders)
        assert found is not None, f"{package} is not installed"
        names[package] = add(found)
    table = ",".join(
        f"{json.dumps(key)}: [function (module, exports, require, process, global) {{\n{text}\n}}, {json.dumps(links)}]"
        for key, (text, links) in sources.items()
    )
    return (
        "window.require = (() => { const table = {" + table + "}; const made = {};"
        'const process = {env: {NODE_ENV: "development"}};'
        "const load = (key) => { if (made[key]) return made[key].exports; const module = made[key] = {exports: {}};"
        "const [run, links] = table[key]; run(module, module.exports, (name) => load(links[name]), process, window);"
        f"return module.exports; }}; const names = {json.dumps(names)}; return (name) => load(names[name]); }})();"
    )


def _resolve(name: str, origin: Path, folders: dict[str, str]) -> Path | None:
    if name.startswith("."):
        return _file(origin.parent / name)
    scope, _, rest = name.partition("/")
    if scope.startswith("@"):
        second, _, rest = rest.partition("/")
        scope = f"{scope}/{second}"
    scope = folders.get(scope, scope)
    nests = [parent / "node_modules" for parent in origin.parents if parent.is_relative_to(ROOT)]
    folder = next((nest / scope for nest in (*nests, ROOT) if (nest / scope).is_dir()), None)
    if folder is None:
        return None
    manifest = json.loads((folder / "package.json").read_text())
    exports = manifest.get("exports")
    wanted = exports.get(f"./{rest}" if rest else ".") if isinstance(exports, dict) else None
    while isinstance(wanted, dict):
        wanted = wanted.get("require") or wanted.get("default") or wanted.get("import")
    if wanted:
        return _file(folder / wanted)
    return _file(folder / rest) if rest else _file(folder / manifest.get("main", "index.js"))


def _file(path: Path) -> Path | None:
    for found in (path, path.with_name(path.name + ".js"), path / "index.js"):
        if found.is_file() and found.suffix == ".js":
            return found.resolve()
    if path.is_dir() and (path / "package.json").is_file():
        return _file(path / json.loads((path / "package.json").read_text()).get("main", "index.js"))
    return None
