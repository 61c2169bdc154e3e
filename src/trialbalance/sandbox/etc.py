"""A small ``/etc`` for a sandbox: what programs need to run, and nothing that says anything about the host."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from trialbalance.sandbox.layout import Layout

PASSWD = """\
root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
bin:x:2:2:bin:/bin:/usr/sbin/nologin
www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin
app:x:1000:1000:app:/root:/bin/bash
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
"""
GROUP = """\
root:x:0:
daemon:x:1:
bin:x:2:
tty:x:5:
www-data:x:33:
users:x:100:
app:x:1000:
nogroup:x:65534:
"""
NSSWITCH = "passwd: files\ngroup: files\nshadow: files\nhosts: files\nservices: files\nprotocols: files\nnetworks: files\n"
GIT = "[safe]\n\tdirectory = *\n[init]\n\tdefaultBranch = main\n[advice]\n\tdetachedHead = false\n"
PROFILE = """\
# Login shells see the same variables as every other command.
if [ -d /etc/profile.d ]; then
  for part in /etc/profile.d/*.sh; do
    if [ -r "$part" ]; then . "$part"; fi
  done
  unset part
fi
if [ -n "$BASH_VERSION" ] && [ -n "$PS1" ]; then PS1='\\u@\\h:\\w\\$ '; fi
"""
COPIED = (
    "bash.bashrc",
    "debian_version",
    "ethertypes",
    "fedora-release",
    "host.conf",
    "inputrc",
    "ld.so.cache",
    "ld.so.conf",
    "locale.alias",
    "login.defs",
    "lsb-release",
    "magic",
    "magic.mime",
    "maven/m2.conf",
    "maven/toolchains.xml",
    "mime.types",
    "networks",
    "protocols",
    "redhat-release",
    "rpc",
    "services",
    "shells",
)
SHOWN = (
    ".java",
    "ImageMagick-*",
    "R",
    "alternatives",
    "bash_completion.d",
    "chromium.d",
    "dpkg/origins",
    "fonts",
    "glvnd",
    "groff",
    "java*",
    "maven/logging",
    "ld.so.conf.d",
    "perl",
    "php",
    "python*",
    "ruby*",
    "skel",
    "terminfo",
    "vim",
    "xdg",
)


class Etc:
    """The directory of the host that becomes ``/etc``; the sandbox sees it read-only."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(exist_ok=True)

    def write(self, name: str, text: str | bytes) -> None:
        """Write one file, making the directories above it."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)

    def link(self, name: str, target: str) -> None:
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def basics(self, hostname: str, hosts: Sequence[str]) -> None:
        """Users, names and the files that programs look for."""
        names = ["localhost", hostname, *hosts]
        self.write("hosts", "".join(f"127.0.0.1\t{name}\n" for name in dict.fromkeys(names)))
        self.write("hostname", hostname + "\n")
        self.write("passwd", PASSWD)
        self.write("group", GROUP)
        self.write("nsswitch.conf", NSSWITCH)
        self.write("resolv.conf", "")
        self.write("gitconfig", GIT)
        self.write("profile", PROFILE)
        self.write("timezone", "Etc/UTC\n")
        self.write("machine-id", "0" * 31 + "1\n")
        self.link("localtime", "/usr/share/zoneinfo/Etc/UTC")
        self.link("mtab", "../proc/self/mounts")
        if Path("/usr/lib/os-release").exists():
            self.link("os-release", "../usr/lib/os-release")
        for name in COPIED:
            source = Path("/etc", name)
            if public(source) and source.is_file():
                self.write(name, source.read_bytes())

    def environment(self, env: Mapping[str, str]) -> None:
        """Give login shells the variables that every other command gets."""
        lines = "".join(
            f'export {name}="${{{name}-{value}}}"\n' for name, value in env.items() if name != "PATH"
        )
        path = env["PATH"]
        lines += f'case ":$PATH:" in *:{path.partition(":")[0]}:*) ;; *) export PATH="{path}" ;; esac\n'
        self.write("profile.d/00-environment.sh", lines)
        self.write("environment", "".join(f"{name}={value}\n" for name, value in env.items()))

    def show(self, layout: Layout) -> None:
        """Mount this directory at ``/etc``, and harmless directories of the host's ``/etc`` in it."""
        binds = []
        for pattern in SHOWN:
            for source in sorted(Path("/etc").glob(pattern)):
                if public(source) and source.is_dir() and not source.is_symlink():
                    name = source.relative_to("/etc")
                    (self.directory / name).mkdir(parents=True, exist_ok=True)
                    binds.append((source, f"/etc/{name}"))
        layout.bind(self.directory, "/etc")
        for source, target in binds:
            layout.bind(source, target)


def public(path: Path) -> bool:
    """Whether everybody on the host may read a file or directory."""
    with contextlib.suppress(OSError):
        return bool(path.stat().st_mode & stat.S_IROTH)
    return False
