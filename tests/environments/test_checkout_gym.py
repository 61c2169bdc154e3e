"""The Checkout gym: its sets are complete, its scoring is fair, its truth is out of reach, and it is proved."""

from __future__ import annotations

import importlib
import json
import random
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import Browser

from tests.environments.gym_changes import Change, added, changed, dropped
from tests.environments.seen import Viewer
from tests.twin.pages.conftest import chromium  # noqa: F401
from tests.twin.pages.site import Served
from trialbalance.grading import load_checks
from trialbalance.tasks import load_task
from trialbalance.twin import Twin
from trialbalance.twin.config import TwinConfig
from trialbalance.twin.control import play
from trialbalance.twin.server import DataPlane
from trialbalance.twin.wire.call import BROWSER

ROOT = Path(__file__).resolve().parents[2]
TASK = ROOT / "environments" / "checkout-gym"
MODULES = ("shown", "score", "catalogue", "challenges", "documents", "bench", "baselines", "make")
PRICES = (
    "ink-2",
    "paper-1",
    "tool-1-old",
    "club-1-month",
    "club-2-month-old",
    "pad-1",
    "hours-1",
    "hours-2",
    "gift-2",
)
OTHER_SEED = 40_961


@pytest.fixture(scope="module")
def gym() -> Iterator[SimpleNamespace]:
    """The modules beside the task's checks."""
    sys.path.insert(0, str(TASK / "tests"))
    try:
        yield SimpleNamespace(**{name: importlib.import_module(name) for name in MODULES})
    finally:
        sys.path.remove(str(TASK / "tests"))
        for name in MODULES:
            sys.modules.pop(name, None)


class Set:
    """One challenge set on its bench, with the facts of its pages."""

    def __init__(self, gym: SimpleNamespace, seed: int) -> None:
        self.gym, self.seed = gym, seed
        self.bench = gym.bench.Bench(gym.documents.document(seed))
        self.pages = gym.documents.pages_of(self.bench.document)
        self.truth = {page.name: self.facts(page.form) for page in self.pages}

    def facts(self, form: dict[str, Any]) -> Any:
        """The facts of a page, or None where the API refuses it."""
        try:
            return self.bench.facts(self.gym.documents.filled(form, self.bench.ids))
        except self.gym.bench.Refused:
            return None

    def score(self, page: Any, form: dict[str, Any]) -> Any:
        """The score of parameters for a page."""
        facts = self.facts(form)
        wanted = self.truth[page.name]
        return self.gym.score.compare(facts, wanted) if facts is not None else self.gym.score.nothing(wanted)

    def mean(self, answers: dict[str, dict[str, Any]]) -> float:
        """The mean structural score of answers."""
        scores = [self.score(page, answers[page.name]).structural for page in self.pages]
        return float(sum(scores) / len(scores))


@pytest.fixture(scope="module")
def published(gym: SimpleNamespace) -> Set:
    """The set that the task has."""
    return Set(gym, gym.documents.read_document()["seed"])


# Sets


def test_the_files_are_those_of_the_seed(gym: SimpleNamespace, tmp_path: Path) -> None:
    written = gym.documents.read_document()
    assert written == gym.documents.document(written["seed"])
    pages = json.loads((TASK / "solution/pages.json").read_text("utf-8"))
    assert pages == {page.name: page.form for page in gym.documents.pages_of(written)}
    assert json.loads((TASK / "solution/catalogue.json").read_text("utf-8")) == gym.make.catalogue_of(
        written["seed"]
    )


def test_every_set_has_the_same_ladder_and_shows_everything(gym: SimpleNamespace) -> None:
    wanted = {
        "adjustable_quantity", "allow_promotion_codes", "automatic_tax", "billing_cycle_anchor", "branding_settings",
        "billing_cycle_anchor_config", "consent_collection", "currency", "custom_fields", "custom_text", "customer",
        "discounts", "donate", "locale", "name_collection", "optional_items", "payment_method_types",
        "phone_number_collection", "saved_payment_method_options", "shipping_address_collection", "shipping_options",
        "tax_id_collection", "trial_period_days", "wallet_options", "delivery_estimate",
    }  # fmt: skip
    seen = []
    for seed in (1, 2, 3, OTHER_SEED):
        _, pages = gym.challenges.draw_pages(seed)
        levels = [page.level for page in pages]
        assert {level: levels.count(level) for level in levels} == gym.challenges.LEVELS
        assert {page.form["mode"] for page in pages} == {"payment", "setup", "subscription"}
        text = json.dumps([page.form for page in pages])
        assert [word for word in wanted if f'"{word}"' not in text] == []
        seen.append(text)
    assert len(set(seen)) == 4


def test_reserved_seeds_are_not_made_by_accident(gym: SimpleNamespace) -> None:
    argv = [sys.executable, str(TASK / "tests/make.py"), "--seed", str(gym.challenges.RESERVED.start)]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert done.returncode == 2
    assert "kept for evaluators" in done.stderr
    assert gym.documents.read_document()["seed"] not in gym.challenges.RESERVED


def test_every_page_has_a_check_and_a_mistake_of_its_own(gym: SimpleNamespace) -> None:
    required = {check.id for check in load_checks(TASK / "tests/checks.py").checks if check.required}
    assert len(required) == 24
    assert {mutant.kills for mutant in load_task(TASK).mutants} == required


# Scores


@pytest.mark.parametrize("seed", [1, OTHER_SEED])
def test_the_truth_scores_one_and_no_other_page_does(gym: SimpleNamespace, seed: int) -> None:
    made = Set(gym, seed)
    for page in made.pages:
        assert made.score(page, page.form).structural == 1.0
        assert made.score(page, page.form).exact
        others = [
            made.gym.score.compare(made.truth[other.name], made.truth[page.name]) for other in made.pages
        ]
        assert sum(score.exact for score in others) == 1


@pytest.mark.parametrize("seed", [1, OTHER_SEED])
def test_leaving_out_any_one_part_lowers_the_score(gym: SimpleNamespace, seed: int) -> None:
    made = Set(gym, seed)
    tried = 0
    for page in made.pages:
        for change in dropped(page.form):
            score = made.score(page, change.form)
            assert score.structural < 1.0, (page.name, change.where)
            assert not score.exact
            tried += 1
    assert tried > 500


def test_changing_or_adding_anything_that_is_seen_lowers_the_score(published: Set) -> None:
    tried = 0
    for page in published.pages:
        for change in (*changed(page.form, list(PRICES)), *added(page.form)):
            if unseen(page.form, change):
                continue
            score = published.score(page, change.form)
            assert score.structural < 1.0, (page.name, change.where)
            tried += 1
    assert tried > 1000


def unseen(form: dict[str, Any], change: Change) -> bool:
    """Whether nobody can see the change: the browser tests prove of each such kind that it is not seen."""
    where, _, value = change.where.partition(" = ")
    if where.startswith("with "):
        return any(word in where for word in UNSEEN) or not seen_here(form, where)
    if where.startswith("payment_method_types"):
        return value.strip("'") in form["payment_method_types"]
    if where.endswith("billing_cycle_anchor"):
        return int(value) - form["subscription_data"]["billing_cycle_anchor"] < 60
    name = where.split(".")[-1]
    return name in ("key", "value", "setup_future_usage") or (name == "currency" and form["mode"] == "setup")


UNSEEN = (
    "False", "'none'", "'auto'", "'pay'", "'fi'", "'#0074D4'", "'disabled'", "customer_creation", "client_reference_id",
    "metadata", "description", "invoice_creation", "excluded", "['card', 'link']", "['card']", "payment_method_types",
)  # fmt: skip
"""Of what may be added: what is said already by saying nothing, and what only the merchant sees."""


def seen_here(form: dict[str, Any], where: str) -> bool:
    """Whether what is added can be seen on this page."""
    needs = {
        "shipping_address": "shipping_address_collection" in form,
        "terms_of_service_acceptance": "terms_of_service" in form.get("consent_collection", {}),
        "billing_address_collection": not form.get("automatic_tax")
        and form.get("payment_method_collection") is None,
        "setup_future_usage": "payment_intent_data" not in form,
        "hidden": form["mode"] != "payment" or "payment_intent_data" in form,
        "wallet_options": form["mode"] != "setup" and form.get("payment_method_collection") is None,
        "automatic_tax": form["mode"] != "setup" and form.get("payment_method_collection") is None,
        "allow_promotion_codes": form["mode"] != "setup",
        "submit_type": form["mode"] == "payment",
        "payment_method_save": form["mode"] == "payment",
        "if_required": "trial_period_days" in form.get("subscription_data", {})
        and len(form["line_items"]) == 1,
        "shipping_address_collection": "shipping_address_collection" not in form,
        "customer_email": True,
    }
    return all(seen for word, seen in needs.items() if f"'{word}'" in where)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"phone_number_collection": {"enabled": False}}),
        ({}, {"billing_address_collection": "auto", "submit_type": "pay", "locale": "auto"}),
        (
            {},
            {
                "metadata": {"a": "b"},
                "client_reference_id": "7",
                "success_url": "https://other.example.test/",
            },
        ),
        ({}, {"branding_settings": {"button_color": "#0074D4", "border_style": "rounded"}}),
        ({}, {"custom_text": {"shipping_address": {"message": "No address is asked for."}}}),
        ({}, {"payment_method_types": ["link", "card"]}),
        ({}, {"locale": "fi"}),
        ({}, {"customer_email": None}),
        (
            {"payment_intent_data": {"setup_future_usage": "on_session"}},
            {"payment_intent_data": {"setup_future_usage": "off_session"}},
        ),
        (
            {"shipping_address_collection": {"allowed_countries": ["FR", "DE"]}},
            {"shipping_address_collection": {"allowed_countries": ["DE", "FR"]}},
        ),
        (
            {"payment_method_types": ["card", "klarna", "affirm"]},
            {"payment_method_types": ["affirm", "card", "klarna", "link"]},
        ),
        (
            {"line_items": [{"price": "@ink-1", "quantity": 2}]},
            {"line_items": [{"price": "@ink-1-again", "quantity": 2}]},
        ),
        (
            {"line_items": [{"price": "@ink-1", "quantity": 2, "adjustable_quantity": {"enabled": True}}]},
            {
                "line_items": [
                    {
                        "price": "@ink-1",
                        "quantity": 2,
                        "adjustable_quantity": {"enabled": True, "minimum": 0, "maximum": 99},
                    }
                ]
            },
        ),
        (
            {"automatic_tax": {"enabled": True}},
            {"automatic_tax": {"enabled": True}, "billing_address_collection": "required"},
        ),
    ],
)
def test_one_page_has_one_score(published: Set, one: dict[str, Any], other: dict[str, Any]) -> None:
    base = {"mode": "payment", "line_items": [{"price": "@tool-1", "quantity": 1}]}
    first, second = published.facts({**base, **one}), published.facts({**base, **other})
    assert first is not None
    assert second is not None
    assert published.gym.score.compare(first, second).exact
    for page in published.pages[:8]:
        assert published.score(page, {**base, **one}) == published.score(page, {**base, **other})


def test_prices_and_rates_may_be_described(published: Set) -> None:
    form = published.bench.document["requests"]
    price = next(request["form"] for request in form if request.get("as") == "ours-tool-1")
    product = next(request["form"] for request in form if request.get("as") == "ours-tool-1-product")
    named = {"mode": "payment", "line_items": [{"price": "@tool-1", "quantity": 3}]}
    data = {"currency": "usd", "unit_amount": price["unit_amount"]}
    for described in ({**data, "product": "@tool-1-product"}, {**data, "product_data": product}):
        lines = [{"price_data": described, "quantity": 3}]
        same = published.gym.score.compare(
            published.facts({"mode": "payment", "line_items": lines}), published.facts(named)
        )
        assert same.exact
    wrong = [
        {
            "price_data": {**data, "unit_amount": price["unit_amount"] + 1, "product": "@tool-1-product"},
            "quantity": 3,
        }
    ]
    assert not published.gym.score.compare(
        published.facts({"mode": "payment", "line_items": wrong}), published.facts(named)
    ).exact


def test_one_entry_too_many_costs_itself_and_a_wrong_order_one_fact(published: Set) -> None:
    page = published.pages[14]
    lines = page.form["line_items"]
    more = published.score(page, {**page.form, "line_items": [{"price": "@gift-1", "quantity": 1}, *lines]})
    assert (len(more.missing), len(more.extra)) == (0, 1)
    turned = published.score(page, {**page.form, "line_items": lines[::-1]})
    assert (len(turned.missing), len(turned.extra)) == (1, 1)


EVERYTHING: dict[str, Any] = {
    "mode": "payment",
    "line_items": [{"price": "@paper-2", "quantity": 2, "adjustable_quantity": {"enabled": True}}],
    "optional_items": [{"price": "@gift-1", "quantity": 1}],
    "allow_promotion_codes": True,
    "automatic_tax": {"enabled": True},
    "billing_address_collection": "required",
    "phone_number_collection": {"enabled": True},
    "tax_id_collection": {"enabled": True},
    "name_collection": {"business": {"enabled": True}, "individual": {"enabled": True}},
    "consent_collection": {"terms_of_service": "required", "promotions": "auto"},
    "custom_text": {
        slot: {"message": "Thank you."} for slot in ("submit", "after_submit", "shipping_address")
    },
    "custom_fields": [{"key": "a", "label": {"type": "custom", "custom": "More"}, "type": "text"}],
    "branding_settings": {"background_color": "#eeeeee", "button_color": "#111111", "border_style": "pill"},
    "locale": "de",
    "cancel_url": "https://shop.example.test/",
    "wallet_options": {"link": {"display": "never"}},
    "customer_email": "somebody@example.test",
    "shipping_address_collection": {"allowed_countries": ["US", "CA", "GB", "DE", "FR"]},
    "shipping_options": [{"shipping_rate": "@rate-1"}],
    "submit_type": "donate",
    "payment_method_types": ["card", "klarna", "affirm"],
    "payment_intent_data": {"setup_future_usage": "off_session"},
}
EXAMPLE = {
    "mode": "payment",
    "line_items": [{"price": "@ink-1", "quantity": 2}],
    "phone_number_collection": {"enabled": True},
}


def test_answers_without_work_score_near_nothing(published: Set) -> None:
    pages = published.pages
    assert published.mean({page.name: {} for page in pages}) == 0.0
    assert published.mean({page.name: {"mode": page.form["mode"]} for page in pages}) == 0.0
    assert published.mean({page.name: EXAMPLE for page in pages}) < 0.15
    assert published.facts(EVERYTHING) is not None
    assert published.mean({page.name: EVERYTHING for page in pages}) < 0.15


def test_what_guessing_is_worth(published: Set, capsys: pytest.CaptureFixture[str]) -> None:
    baselines = published.gym.baselines
    pages = published.pages
    guessed = baselines.scores(published.bench, pages, baselines.random_guess(published.seed))
    nearest = baselines.scores(
        published.bench, pages, baselines.nearest_template(published.bench, published.seed)
    )
    with capsys.disabled():
        for name, found in (("random guess", guessed), ("nearest template", nearest)):
            exact = sum(score.exact for score in found.values())
            print(f"\n{name}: structural {baselines.mean(found):.3f}, {exact} of {len(found)} exact", end="")
    assert baselines.mean(guessed) < 0.15
    assert 0.15 < baselines.mean(nearest) < 0.7
    assert sum(score.exact for score in nearest.values()) <= 3


@pytest.mark.parametrize(
    "form",
    [
        {"mode": "payment", "line_items": "all of it"},
        {"mode": ["payment"], "line_items": [[]]},
        {"mode": "payment", "line_items": [{"price": {"a": 1}}]},
        {"mode": "payment", "line_items": [{"price": "price_1", "quantity": 10**30}]},
        {"mode": "payment", "ui_mode": "embedded_page"},
        {"mode": "payment", "line_items": [{"price": "@ink-1", "quantity": 0.5}]},
        {"expand": [["x"]], "mode": "payment"},
        {"mode": "payment", "line_items": [{"price": "@ink-1", "quantity": 1}], "tax": True},
    ],
)
def test_what_is_no_page_scores_nothing(published: Set, form: dict[str, Any]) -> None:
    assert published.facts(form) is None
    assert published.score(published.pages[0], form).structural == 0.0


# Out of reach


@pytest.fixture(scope="module")
def trial(gym: SimpleNamespace) -> Iterator[tuple[Twin, dict[str, Any]]]:
    """A twin as a trial has it, and what its seed made."""
    config = TwinConfig(
        seed=77, api_version=gym.bench.VERSION, clock=gym.challenges.CLOCK, frozen=True, site="stripe"
    )
    twin = Twin(config=config)
    yield twin, play(twin, gym.documents.read_document())


def test_no_key_of_a_trial_reads_the_truth(trial: tuple[Twin, dict[str, Any]], gym: SimpleNamespace) -> None:
    twin, made = trial
    merchant = twin.merchant(gym.documents.MERCHANT)
    session = made["page-21"]
    assert session["url"].startswith("https://checkout.stripe.com/c/pay/")
    lists = (
        "checkout/sessions",
        "events",
        "prices",
        "products",
        "customers",
        "payment_intents",
        "setup_intents",
        "coupons",
    )
    paths = [f"/v1/{name}?limit=100" for name in lists]
    paths += [f"/v1/checkout/sessions/{session['id']}", f"/v1/checkout/sessions/{session['id']}/line_items"]
    for key in (twin.secret_key, twin.publishable_key, merchant.publishable_key):
        for account in (None, merchant.account):
            for path in paths:
                answer = twin.request("GET", path, key=key, account=account)
                own = key == twin.secret_key and account is None
                assert answer.status >= 400 or own
                assert session["id"] not in answer.body.decode() or answer.status >= 400
    assert merchant.secret_key not in json.dumps(twin.journal.entries)
    assert not any(name.startswith("GET /v1/checkout/sessions") for name in BROWSER)


def test_the_page_key_opens_the_page(trial: tuple[Twin, dict[str, Any]], gym: SimpleNamespace) -> None:
    twin, made = trial
    merchant = twin.merchant(gym.documents.MERCHANT)
    for number in range(1, 25):
        path = f"/v1/payment_pages/{made[f'page-{number:02}']['id']}"
        shown = twin.request("GET", path, key=merchant.publishable_key).json()
        assert shown["object"] == "payment_page"
        ids = [line["price"]["id"] for line in shown["line_items"]]
        assert not [name for name in ids if twin.request("GET", f"/v1/prices/{name}").status == 200]


def test_ids_are_translated_by_the_seed_alone(trial: tuple[Twin, dict[str, Any]], published: Set) -> None:
    twin, made = trial
    answers = [entry["response"] for entry in twin.journal.entries if entry.get("source") == "seed"]
    ids = published.bench.translation(answers)
    assert ids[made["ours-ink-2"]["id"]] == published.bench.ids["ink-2"]
    assert made["theirs-ink-2"]["id"] not in ids
    mine = {name.removeprefix("ours-"): thing["id"] for name, thing in made.items() if "id" in thing}
    for page in published.pages:
        form = published.gym.documents.filled(page.form, mine)
        assert published.gym.score.compare(published.bench.facts(form, ids), published.truth[page.name]).exact


# In a browser


@pytest.fixture
def viewer(chromium: Browser, published: Set) -> Iterator[Viewer]:  # noqa: F811
    """Looks at pages of the bench's twin."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        served = Served(DataPlane(published.bench.twin), sock)
        found = Viewer(chromium, f"http://127.0.0.1:{sock.getsockname()[1]}")
        yield found
        found.close()
        served.stop()


def unfair(published: Set, viewer: Viewer, page: Any, changes: list[Change]) -> list[str]:
    """Changes that are seen and not scored, or scored and not seen."""
    fill, ids = published.gym.documents.filled, published.bench.ids
    before = viewer.seen(published.bench.session(fill(page.form, ids))["id"])
    found = []
    for change in changes:
        facts = published.facts(change.form)
        if facts is None:
            continue
        same = published.gym.score.compare(facts, published.truth[page.name]).exact
        after = viewer.seen(published.bench.session(fill(change.form, ids))["id"])
        if same != (before == after):
            found.append(f"{page.name} {change.where}: {'seen' if same else 'scored'} only")
    return found


@pytest.mark.browser
def test_facts_differ_exactly_when_the_page_does(published: Set, viewer: Viewer) -> None:
    page = published.pages[10]
    draw = random.Random(11)
    every = [*dropped(page.form), *changed(page.form, list(PRICES)), *added(page.form)]
    assert unfair(published, viewer, page, draw.sample(every, 12)) == []


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("number", range(24))
def test_every_change_is_seen_or_not_scored(published: Set, viewer: Viewer, number: int) -> None:
    page = published.pages[number]
    changes = [*dropped(page.form), *changed(page.form, list(PRICES)), *added(page.form)]
    assert unfair(published, viewer, page, changes) == []
