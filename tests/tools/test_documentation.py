"""The SDK's docstrings, extracted and found."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from trialbalance.tools import Documentation
from trialbalance.tools.documentation import Entry, extract, index
from trialbalance.tools.documentation.extract import entries

SERVICE = '''
from stripe._widget import Widget
class WidgetService:
    def create(self, params: "WidgetCreateParams|None" = None) -> "Widget":
        """
        Makes a [widget](https://docs.stripe.com/widgets).
        """
        return self._request("post", "/v1/widgets/{shop}".format(shop=1), params=params)
    def helper(self): ...
from stripe.params._widget_create_params import WidgetCreateParams
'''
PARAMETERS = '''
class WidgetCreateParams(RequestOptions):
    name: str
    """
    What it is called.
    """
    size: NotRequired["Literal['big', 'small']|str"]
    metadata: NotRequired["Literal['']|Dict[str, str]|UntypedStripeObject[str]"]
    parts: NotRequired["List[WidgetCreateParamsPart]"]
class WidgetCreateParamsPart(TypedDict):
    count: NotRequired[int]
    """How many."""
    gone: NotRequired["Literal[True]"]
'''
RESOURCE = '''
class Widget(APIResource):
    """
    A thing.
    """
    OBJECT_NAME: ClassVar[Literal["widget"]] = "widget"
    class Part(StripeObject):
        class Maker(StripeObject):
            name: str
        count: int
        """How many there are."""
        maker: Optional[Maker]
    parts: Optional[List[Part]]
    owner: ExpandableField["Customer"]
    _inner: int
'''
EVENT = '''
class Event:
    """Something happened."""
    OBJECT_NAME: ClassVar[Literal["event"]] = "event"
    type: Literal["widget.created", "widget.deleted"]
'''
WEBHOOK = '''
class Webhook:
    @staticmethod
    def construct_event(payload, header, secret):
        """Checks the signature of what came."""
    @staticmethod
    def undocumented(): ...
'''


@pytest.fixture
def sdk(tmp_path: Path) -> Path:
    """A tiny SDK of the same making."""
    files = {
        "_version.py": 'VERSION = "1.0"',
        "_webhook.py": WEBHOOK,
        "_stripe_client.py": "class StripeClient: ...",
        "_error_object.py": "class ErrorObject:\n    code: Optional[str]\n    '''Why.'''",
        "_widget.py": RESOURCE,
        "_widget_service.py": SERVICE,
        "_event.py": EVENT,
        "params/_widget_create_params.py": PARAMETERS,
    }
    for name, text in files.items():
        path = tmp_path / "stripe" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "stripe"


def test_everything_documented_is_extracted(sdk: Path) -> None:
    found = {entry.id: entry for entry in entries(sdk)}
    endpoint = found["POST /v1/widgets/{shop}"]
    assert (endpoint.kind, endpoint.detail, endpoint.text) == (
        "endpoint",
        "WidgetService.create",
        "Makes a widget.",
    )
    details = {id: entry.detail for id, entry in found.items() if entry.kind in ("parameter", "field")}
    assert details == {
        "POST /v1/widgets/{shop}#name": "string, required",
        "POST /v1/widgets/{shop}#size": "one of: big, small",
        "POST /v1/widgets/{shop}#metadata": '"" or map',
        "POST /v1/widgets/{shop}#parts": "array of hash",
        "POST /v1/widgets/{shop}#parts[count]": "integer",
        "POST /v1/widgets/{shop}#parts[gone]": "one of: true",
        "error.code": "string or null",
        "event.type": "one of: widget.created, widget.deleted",
        "widget.owner": "Customer (expandable)",
        "widget.parts": "array of hash or null",
        "widget.parts.count": "integer",
        "widget.parts.maker": "hash or null",
        "widget.parts.maker.name": "string",
    }
    assert found["POST /v1/widgets/{shop}#parts[count]"].text == "How many."
    assert found["widget"].text == "A thing." and found["event widget.deleted"].kind == "event"
    assert found["Webhook.construct_event"].detail.endswith("(payload, header, secret)")
    assert "Webhook.undocumented" not in found


@pytest.fixture
def widgets(sdk: Path, tmp_path: Path) -> Documentation:
    path = tmp_path / "cache" / "index.sqlite"
    index.build(path, entries(sdk))
    return Documentation(path)


def test_a_page_shows_what_is_below_it_and_names_what_is_deeper(widgets: Documentation) -> None:
    assert widgets.read("widget.parts") == (
        "# widget.parts\narray of hash or null\n\n\n\n## Fields\n- widget.parts.count (integer): How many there are.\n"
        "- widget.parts.maker (hash or null)\n  contains name; read 'widget.parts.maker' for them\n"
    )
    assert "- name (string, required): What it is called." in (widgets.read("POST /v1/widgets/{shop}") or "")
    assert widgets.read("gadget") is None


def test_a_name_is_found_first_and_words_find_what_holds_most_of_them(widgets: Documentation) -> None:
    assert widgets.search("widget")[0].id == "widget"
    assert widgets.search("signature checks")[0].id == "Webhook.construct_event"
    assert widgets.search('"( *') == [] and widgets.search("zzzz") == []


@pytest.mark.parametrize(
    ("query", "id"),
    [
        ("POST /v1/payment_intents", "POST /v1/payment_intents"),
        ("POST /v1/payment_intents setup_future_usage confirm", "POST /v1/payment_intents"),
        (
            "what does /v1/checkout/sessions/{session}/expire do",
            "POST /v1/checkout/sessions/{session}/expire",
        ),
        ("checkout.session.completed", "event checkout.session.completed"),
        ("preview upcoming invoice", "POST /v1/invoices/create_preview"),
        ("proration_behavior", "POST /v1/subscriptions#proration_behavior"),
        ("how do I verify a webhook signature?", "Webhook.construct_event"),
        ("checkout session ui_mode", "checkout.session.ui_mode"),
        ("expire a checkout session", "POST /v1/checkout/sessions/{session}/expire"),
    ],
)
def test_questions_about_the_real_api_are_answered(stripe: Documentation, query: str, id: str) -> None:
    assert id in [found.id for found in stripe.search(query, 5)]


def test_one_parameter_is_not_repeated_for_every_endpoint(stripe: Documentation) -> None:
    found = stripe.search("expand fields in the response", 20)
    assert len({(item.name, item.text) for item in found}) == len(found) == 20


def test_real_pages_are_complete(stripe: Documentation) -> None:
    page = stripe.read("POST /v1/refunds") or ""
    assert "- reason (one of: duplicate, fraudulent, requested_by_customer):" in page
    assert "[interval] (one of: day, month, week, year, required)" in (
        stripe.read("POST /v1/checkout/sessions#line_items[price_data][recurring]") or ""
    )


def test_the_index_is_kept_in_the_users_cache(
    sdk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stripe: Documentation
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    monkeypatch.setattr(index, "_sdk", lambda: sdk)
    assert Documentation.open().read("widget") is not None
    assert [path.suffix for path in (tmp_path / "mine" / "trialbalance").iterdir()] == [".sqlite"]
    monkeypatch.setattr(extract, "entries", lambda root: pytest.fail("built twice"))
    assert Documentation.open().read("widget") is not None


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[Entry]:
        yield Entry("a", "object", "a", "", "", "")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        index.build(tmp_path / "index.sqlite", broken())
    assert list(tmp_path.iterdir()) == []
