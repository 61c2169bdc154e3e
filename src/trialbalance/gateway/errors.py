"""Everything that can go wrong between an agent and its model.

```
GatewayError
├── ModelSpecError     `--model` names something we cannot reach
├── ReplayError        a recording or a script is not usable; the message says where
└── CallRefused        one model call is answered with an error, and the call log says why
    ├── ProviderFailure    the provider failed, after our own retries
    ├── LimitReached       the trial used its turns or its tokens
    ├── ReplayDiverged     the conversation left the recording, or the script has no answer to it
    └── BadRequest         the agent sent something that no dialect of ours can read
```
"""

from typing import Literal

ProviderFault = Literal[
    "authentication",
    "quota",
    "rate_limit",
    "overloaded",
    "server",
    "timeout",
    "connection",
    "stream",
    "context_length",
    "invalid_request",
]
"""What a provider's failure was; only some of them are worth another attempt."""

Refusal = Literal["turn_limit", "token_limit", "replay_diverged", "bad_request"] | ProviderFault
"""Why a model call was answered with an error."""


class GatewayError(Exception):
    """Base of all errors of the gateway; the message is one line that says what to do."""


class ModelSpecError(GatewayError):
    """The model asked for cannot be reached: unknown provider, no key, no address."""


class ReplayError(GatewayError):
    """A replay file is not usable; the message names the file and the place in it."""


class CallRefused(GatewayError):
    """One model call is answered with an error instead of a turn.

    `kind` says why, `status` is the HTTP status that the agent gets.
    """

    def __init__(self, kind: Refusal, message: str, status: int) -> None:
        super().__init__(message)
        self.kind: Refusal = kind
        self.message = message
        self.status = status


class ProviderFailure(CallRefused):
    """The provider failed and more attempts did not help."""

    def __init__(self, kind: ProviderFault, message: str, status: int, attempts: int = 1) -> None:
        super().__init__(kind, message, status)
        self.attempts = attempts


class LimitReached(CallRefused):
    """The trial has used the turns or tokens that it was given.

    The status is 403: harnesses do not try again after it.
    """

    def __init__(self, kind: Literal["turn_limit", "token_limit"], message: str) -> None:
        super().__init__(kind, message, 403)


class ReplayDiverged(CallRefused):
    """The conversation is not the recorded one, or the script has no answer to it."""

    def __init__(self, message: str) -> None:
        super().__init__("replay_diverged", message, 403)


class BadRequest(CallRefused):
    """The agent's request cannot be read."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__("bad_request", message, status)
