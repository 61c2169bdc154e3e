"""The start tree of the first task takes cards with the Card Element: what the agent is given works."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from trialbalance.grading.locate import css
from trialbalance.grading.log import Log
from trialbalance.grading.place import Ground, Place
from trialbalance.tasks import load_task, open_environment, prepare

TASK = Path(__file__).resolve().parents[2] / "environments" / "card-element-to-checkout"
DECLINED = "4000000000000002"

pytestmark = [pytest.mark.sandbox, pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """The prepared shop in a sandbox, with a twin and a browser."""
    task = load_task(TASK)
    with Log(tmp_path / "log.txt") as log:
        ground = Ground(
            task=task,
            tree=prepare(task).tree,
            scratch=tmp_path / "places",
            screenshots=tmp_path / "screenshots",
            trial_twin=tmp_path / "twin",
            seed=1,
            log=log,
            open=lambda t, tree, scratch, seed: open_environment(t, tree, scratch, seed=seed),
            build=None,
            started=0,
        )
        place = Place(ground, "shop")
        yield place
        place.close()


def test_a_declined_card_and_then_a_good_one(place: Place) -> None:
    app, shopper, twin, database = place.app, place.shopper, place.twin, place.database
    for script in ("reset_shop.py", "sync_catalogue.py"):
        done = app.run([".venv/bin/python", f"scripts/{script}"])
        assert done.exit_code == 0, done.stderr
    shopper.open("/product/LB-PF")
    shopper.fill("How many", "3")
    shopper.click("Into the basket")
    shopper.fill("Discount code", "earlybed")
    shopper.click("Use it")
    shopper.see("−€3.96")
    shopper.click("Go to pay", role="link")
    for name, value in (
        ("E-mail", "nuala@example.test"),
        ("Name", "Nuala Tiernan"),
        ("Street and number", "1 Hill Road"),
        ("Town", "Drumgarrow"),
        ("Postcode", "N41 XX00"),
    ):
        shopper.fill(re.compile(f"^{name}"), value)
    shopper.fill_card(DECLINED)
    shopper.screenshot("card element")
    shopper.press(shopper.require([css('[data-testid="pay"]')], "there is no button to pay with"), "pay")
    shopper.see(re.compile("declined", re.IGNORECASE))
    assert [row["status"] for row in database.rows("SELECT status FROM orders")] == ["pending"]

    shopper.fill_card()
    shopper.press(shopper.require([css('[data-testid="pay"]')], "there is no button to pay with"), "pay")
    shopper.wait_for_url("/receipt/")
    (order,) = database.rows("SELECT status, subtotal, discount, shipping, total, email FROM orders")
    assert order == {
        "status": "paid",
        "subtotal": 2640,
        "discount": 396,
        "shipping": 690,
        "total": 2934,
        "email": "nuala@example.test",
    }
    (intent,) = twin.created("payment_intent")
    assert (intent["status"], intent["amount"], intent["currency"]) == ("succeeded", 2934, "eur")
