"""How a model is named, and where its key comes from."""

import pytest

from trialbalance.gateway import ModelSpec, ModelSpecError, Upstream


def test_a_known_provider_needs_only_a_name() -> None:
    spec = ModelSpec.parse("openai/gpt-5")
    assert (spec.provider, spec.name, str(spec)) == ("openai", "gpt-5", "openai/gpt-5")
    assert spec.base_url == "https://api.openai.com/v1" and spec.key_variable == "OPENAI_API_KEY"
    assert ModelSpec.parse("anthropic/claude-opus-5").key_variable == "ANTHROPIC_API_KEY"


def test_a_compatible_server_is_openai_at_another_address() -> None:
    spec = ModelSpec.parse("openai/meta/llama", base_url="http://localhost:8000/v1/", key_variable="OUR_KEY")
    assert (spec.name, spec.base_url, spec.key_variable) == (
        "meta/llama",
        "http://localhost:8000/v1",
        "OUR_KEY",
    )
    assert spec.key({}) == ""  # such servers often need no key
    assert "authorization" not in Upstream.of(spec, {}).headers({})


@pytest.mark.parametrize("text", ["gpt-5", "openai/", "gemini/x", ""])
def test_other_names_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(ModelSpecError, match=r"write provider/name .* e\.g\. openai/gpt-5"):
        ModelSpec.parse(text)


def test_a_base_url_must_be_whole() -> None:
    with pytest.raises(ModelSpecError, match="base URL 'localhost:8000': write it whole"):
        ModelSpec.parse("openai/x", base_url="localhost:8000")


def test_a_missing_key_is_named() -> None:
    with pytest.raises(ModelSpecError, match="model openai/gpt-5: set OPENAI_API_KEY"):
        ModelSpec.parse("openai/gpt-5").key({})
