"""The payments twin: a stateful, Stripe-compatible test-mode API. A library first, a server second."""

from trialbalance.twin.config import TlsFiles, TwinConfig
from trialbalance.twin.twin import Response, Twin

__all__ = ["Response", "TlsFiles", "Twin", "TwinConfig"]
