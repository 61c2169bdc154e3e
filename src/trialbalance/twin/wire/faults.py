"""Faults on demand: what networks and servers do to a client, per endpoint, seeded.

    kind            what the client sees                                        was the work done
    timeout_before  no answer until it gives up                                 no
    timeout_after   no answer until it gives up                                 yes
    reset_before    the connection is reset                                     no
    reset_after     the connection is reset                                     yes
    rate_limit      429, code rate_limit                                        no
    lock_timeout    429, code lock_timeout                                      no
    conflict        409, code lock_timeout (as older accounts answer)           no
    server_error    500, api_error                                              no
    server_error_after  500, api_error                                          yes
    unavailable     503, api_error                                              no
    slow            the answer, `delay` seconds late                            yes

Source: https://docs.stripe.com/error-low-level and https://docs.stripe.com/rate-limits
"""

from __future__ import annotations

from trialbalance.twin import rules
from trialbalance.twin.errors import ApiError, Conflict, JsonObject, RateLimited, ServerFault

KINDS = (
    "timeout_before",
    "timeout_after",
    "reset_before",
    "reset_after",
    "rate_limit",
    "lock_timeout",
    "conflict",
    "server_error",
    "server_error_after",
    "unavailable",
    "slow",
)
LOCKED = (
    "This object cannot be accessed right now because another API request or Stripe process is currently accessing "
    "it. If you see this error intermittently, retry the request. If you see this error frequently and are making "
    "multiple concurrent requests to a single object, make your requests serially or at a lower rate."
)
LIMITED = (
    "Testmode request rate limit exceeded, the rate limits in testmode are lower than livemode. You can learn more "
    "about rate limits here https://stripe.com/docs/rate-limits."
)


class _Lost(ApiError):
    """Never reaches a client: the connection is gone before."""

    status = 499


class _Unavailable(ServerFault):
    status = 503


class Fault:
    """One fault about to happen to one request."""

    def __init__(self, kind: str, delay: float) -> None:
        self.kind = kind
        self.delay = delay if kind == "slow" else 0.0
        self.lost: str | None = None
        if kind.startswith("timeout"):
            self.lost = "hang"
        elif kind.startswith("reset"):
            self.lost = "reset"

    def before(self) -> None:
        """Raise what keeps the work from being done."""
        if self.kind in ("timeout_before", "reset_before"):
            raise _Lost("the connection was lost before the request was worked on")
        if self.kind == "rate_limit":
            error: ApiError = RateLimited(LIMITED, code="rate_limit")
            error.headers = {"Stripe-Rate-Limited-Reason": "global-rate"}
            raise error
        if self.kind == "lock_timeout":
            error = RateLimited(LOCKED, code="lock_timeout")
            error.headers = {"Stripe-Rate-Limited-Reason": "resource-specific", "Stripe-Should-Retry": "true"}
            raise error
        if self.kind == "conflict":
            raise Conflict(LOCKED, code="lock_timeout")
        if self.kind == "server_error":
            raise _server_error()
        if self.kind == "unavailable":
            raise _Unavailable("The API is temporarily unavailable. Please try again.")

    def after(self, status: int) -> ApiError | None:
        """The error that takes the answer's place, although the work was done."""
        return _server_error() if self.kind == "server_error_after" else None


def _server_error() -> ApiError:
    return ServerFault(
        "Sorry, an error has occurred. We've been notified of the problem and will look into it."
    )


class Rule(rules.Rule):
    """One rule: which requests, which fault, how often."""

    def __init__(self, document: JsonObject, position: int) -> None:
        super().__init__(document, position, own=frozenset({"endpoint", "fault"}), count=None, delay=1.0)
        self.kind = document.get("fault")
        if self.kind not in KINDS:
            raise ValueError(f"{self.where}: fault {self.kind!r} is none of {', '.join(KINDS)}")
        self.endpoint: str = document.get("endpoint") or "*"
        if self.endpoint != "*" and " /" not in self.endpoint:
            raise ValueError(f"{self.where}: endpoint must look like 'POST /v1/refunds' or '* /v1/refunds'")

    def matches(self, method: str, path: str) -> bool:
        """Whether a request is one of those the rule is for; `*` at a path's end matches the rest."""
        if self.endpoint == "*":
            return True
        wanted_method, _, wanted = self.endpoint.partition(" ")
        if wanted_method not in ("*", method):
            return False
        if wanted.endswith("*"):
            return path.startswith(wanted[:-1])
        parts, given = wanted.strip("/").split("/"), path.strip("/").split("/")
        return len(parts) == len(given) and all(
            p == g or p.startswith("{") for p, g in zip(parts, given, strict=True)
        )


class Faults:
    """The rules in force; the first that matches and fires wins."""

    def __init__(self, seed: int) -> None:
        self.rules: list[Rule] = []
        self._chance = rules.Chance(seed, "faults", 8)

    def set(self, documents: list[JsonObject]) -> None:
        """Replace the rules.

        Raises:
            ValueError: a rule is wrong; the old ones stay.
        """
        self.rules = [Rule(document, position) for position, document in enumerate(documents)]

    def pick(self, method: str, path: str) -> Fault | None:
        """The fault for a request, or None; counts rules down."""
        for rule in self.rules:
            if rule.matches(method, path) and rule.fires(self._chance):
                return Fault(str(rule.kind), rule.delay)
        return None
