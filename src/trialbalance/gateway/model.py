"""Which model a trial uses, and where its provider is."""

import os
from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from trialbalance.gateway.errors import ModelSpecError

Provider = Literal["openai", "anthropic"]

_HOMES: dict[Provider, str] = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
}
_KEYS: dict[Provider, str] = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}


class ModelSpec(msgspec.Struct, frozen=True):
    """A model as the user names it: `--model openai/gpt-5 --base-url https://llm.example.test/v1`.

    `provider` is the dialect family that the server speaks; any OpenAI-compatible server is `openai`.
    The key is not kept here: `key()` reads it from the environment when the gateway starts.
    """

    provider: Provider
    name: str
    base_url: str
    key_variable: str

    @classmethod
    def parse(cls, text: str, *, base_url: str | None = None, key_variable: str | None = None) -> "ModelSpec":
        """Read `provider/name`; the name may hold further slashes."""
        provider, slash, name = text.partition("/")
        if provider not in _HOMES or not slash or not name:
            raise ModelSpecError(
                f"model {text!r}: write provider/name with the provider one of {', '.join(sorted(_HOMES))},"
                " e.g. openai/gpt-5; a compatible server is openai/NAME with a base URL"
            )
        known: Provider = "openai" if provider == "openai" else "anthropic"
        home = (base_url or _HOMES[known]).rstrip("/")
        parts = urlsplit(home)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise ModelSpecError(f"base URL {home!r}: write it whole, e.g. https://llm.example.test/v1")
        return cls(known, name, home, key_variable or _KEYS[known])

    def key(self, environment: Mapping[str, str] | None = None) -> str:
        """The provider's key, out of the environment.

        A server of one's own may need none: the variable must be set, but with a base URL that is not the
        provider's own an unset variable is no error and gives an empty key.
        """
        value = (os.environ if environment is None else environment).get(self.key_variable, "").strip()
        if not value and self.base_url == _HOMES[self.provider]:
            raise ModelSpecError(f"model {self}: set {self.key_variable} to the provider's key")
        return value

    def __str__(self) -> str:
        return f"{self.provider}/{self.name}"
