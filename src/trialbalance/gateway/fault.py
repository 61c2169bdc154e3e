"""What a provider's failure means: which kind it is, and whether another attempt may help."""

import re
from typing import NamedTuple

from trialbalance.gateway.dialects.content import mapping, text
from trialbalance.gateway.errors import ProviderFault

RETRYABLE: frozenset[ProviderFault] = frozenset(
    {"rate_limit", "overloaded", "server", "timeout", "connection", "stream"}
)

_CONTEXT = re.compile(
    r"context_length_exceeded|maximum context length|context (window|length)|prompt is too long"
    r"|input is too long|too many (input )?tokens"
    r"|exceeds? the (model'?s )?(context|maximum number of tokens)",
    re.IGNORECASE,
)
_QUOTA = re.compile(r"insufficient_quota|billing|credit balance|exceeded your current quota", re.IGNORECASE)


class Fault(NamedTuple):
    """A classified failure."""

    kind: ProviderFault
    message: str

    @property
    def retryable(self) -> bool:
        """Whether another attempt may help."""
        return self.kind in RETRYABLE


def classify(status: int, body: object) -> Fault:
    """Judge an error answer by its status and what it says."""
    error = mapping(mapping(body).get("error")) or mapping(body)
    said = text(error.get("message")) or (body if isinstance(body, str) else "")
    codes = f"{error.get('code') or ''} {error.get('type') or ''} {said}"
    message = f"the provider answered {status}: {said.strip()[:500] or 'no message'}"
    if status in (400, 413, 422) and _CONTEXT.search(codes):
        return Fault("context_length", message)
    if status == 402 or (status in (400, 403, 429) and _QUOTA.search(codes)):
        return Fault("quota", message)
    if status in (401, 403):
        return Fault("authentication", message)
    if status == 429:
        return Fault("rate_limit", message)
    if status in (503, 529):
        return Fault("overloaded", message)
    if status == 408:
        return Fault("timeout", message)
    if status >= 500:
        return Fault("server", message)
    return Fault("invalid_request", message)


_IN_STREAM: dict[str, ProviderFault] = {
    "overloaded_error": "overloaded",
    "rate_limit_error": "rate_limit",
    "rate_limit_exceeded": "rate_limit",
    "api_error": "server",
    "server_error": "server",
    "authentication_error": "authentication",
    "insufficient_quota": "quota",
    "context_length_exceeded": "context_length",
    "invalid_request_error": "invalid_request",
}


def classify_in_stream(kind: str, said: str) -> Fault:
    """Judge an error that came inside a stream, by its type and what it says."""
    message = f"the provider's stream reported {kind or 'an error'}: {said[:500]}"
    if _CONTEXT.search(f"{kind} {said}"):
        return Fault("context_length", message)
    return Fault(_IN_STREAM.get(kind, "stream"), message)
