"""The payments twin: a stateful, Stripe-compatible test-mode API. A library first, a server second.

`from trialbalance.twin import Twin` reads every handler and the contract, some tenths of a second, so that each
`Twin()` after it takes a millisecond. Other parts of this package, such as the command line, read only what they use.
"""

from typing import TYPE_CHECKING

from trialbalance.twin.config import TlsFiles, TwinConfig

if TYPE_CHECKING:
    from trialbalance.twin.twin import Response, Twin

__all__ = ["Response", "TlsFiles", "Twin", "TwinConfig"]


def __getattr__(name: str) -> object:
    if name not in ("Response", "Twin"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from trialbalance.twin import resources, twin
    from trialbalance.twin.wire import versions

    resources.load()
    versions.all_changes()
    globals().update(Response=twin.Response, Twin=twin.Twin)
    return globals()[name]
