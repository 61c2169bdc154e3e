"""An isolated place for one trial: its own files, processes and network, with Stripe's names leading to the twin.

`open_sandbox` opens one, `SandboxSpec` says what it should be, `Authority` makes the certificates that it trusts, and
`preflight` tells whether this machine can isolate at all.
"""

from trialbalance.sandbox.authority import STRIPE_HOSTS, Authority
from trialbalance.sandbox.browser import BrowserLauncher
from trialbalance.sandbox.errors import (
    BackendUnavailable,
    RequestRefused,
    SandboxClosed,
    SandboxError,
    UnsafeSandbox,
)
from trialbalance.sandbox.forward import Forward
from trialbalance.sandbox.opening import open_sandbox
from trialbalance.sandbox.postgresql import find_postgresql
from trialbalance.sandbox.preflight import Finding, preflight
from trialbalance.sandbox.process import Process, Terminal
from trialbalance.sandbox.sandbox import Sandbox
from trialbalance.sandbox.spec import Completed, Mount, SandboxSpec, Usage

__all__ = [
    "STRIPE_HOSTS",
    "Authority",
    "BackendUnavailable",
    "BrowserLauncher",
    "Completed",
    "Finding",
    "Forward",
    "Mount",
    "Process",
    "RequestRefused",
    "Sandbox",
    "SandboxClosed",
    "SandboxError",
    "SandboxSpec",
    "Terminal",
    "UnsafeSandbox",
    "Usage",
    "find_postgresql",
    "open_sandbox",
    "preflight",
]
