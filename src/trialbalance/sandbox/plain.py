"""No isolation: for machines that cannot isolate, when it is asked for by name. Results must say "not isolated"."""

from __future__ import annotations

import os

from trialbalance.sandbox import trust
from trialbalance.sandbox.errors import BackendUnavailable
from trialbalance.sandbox.sandbox import Sandbox
from trialbalance.sandbox.spec import SandboxSpec
from trialbalance.sandbox.state import State

KEPT = ("LANG", "LC_ALL", "TZ")


class PlainSandbox(Sandbox):
    """Runs commands as the user who started us, among all other processes of the machine.

    ``/app`` in a command's name or directory means the workspace, ``HOME`` is fresh, and memory and process count are
    watched. Names cannot be made to resolve to the twin without touching the machine, so a spec with ``hosts`` is refused.
    """

    @classmethod
    def prepare(cls, spec: SandboxSpec, place: State) -> dict[str, str]:
        """The variables of every command.

        :raises BackendUnavailable: the spec needs something that only an isolating backend has.
        """
        for asked, what in (
            (spec.hosts, "make names resolve to the twin"),
            (spec.mounts, "mount anything"),
            (not spec.writable, "keep the workspace read-only"),
            (spec.registries, "limit which registries are reached"),
        ):
            if asked:
                raise BackendUnavailable(
                    f"the plain backend cannot {what}; use bubblewrap (apt-get install bubblewrap)"
                )
        env = {name: os.environ[name] for name in KEPT if name in os.environ}
        env |= {
            "HOME": str(place.subdirectory("home")),
            "TMPDIR": str(place.subdirectory("tmp")),
            "PATH": os.environ.get("PATH", os.defpath),
        }
        if spec.authority is not None:
            bundle = place / "authorities.pem"
            bundle.write_bytes(trust.append(trust.host_trust().bundle, spec.authority.pem))
            env |= dict.fromkeys(("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"), str(bundle))
            env["NODE_EXTRA_CA_CERTS"] = str(spec.authority.certificate.resolve())
        return {**env, **spec.env}

    def inside(self, path: str) -> str:
        if path == "/app" or path.startswith("/app/"):
            return str(self.spec.workspace.resolve()) + path.removeprefix("/app")
        return path
