"""The start tree of Deckle Row's task is a marketplace that sells: what the agent is given works, and can be shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trialbalance.grading.locate import css
from trialbalance.grading.log import Log
from trialbalance.grading.place import Ground, Place
from trialbalance.tasks import load_task, open_environment, prepare

TASK = Path(__file__).resolve().parents[2] / "environments" / "marketplace-payments"

pytestmark = [pytest.mark.sandbox, pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """The prepared Deckle Row in a sandbox, with a twin and a browser."""
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
        place = Place(ground, "deckle-row")
        yield place
        place.close()


def test_a_shop_of_the_office_sells(place: Place) -> None:
    app, shopper, twin = place.app, place.shopper, place.twin
    for command in (["build"], ["db:reset"], ["connect:shop", "--", "cold-press-row"]):
        done = app.run(["npm", "run", "--silent", *command], timeout=300)
        assert done.exit_code == 0, done.stderr
    (account,) = twin.created("account")
    assert done.stdout.splitlines()[0] == f"Cold Press Row: {account['id']}"
    assert account["metadata"] == {"seller": "2"}

    shopper.open("/")
    shopper.see("Guest book in half leather")
    shopper.not_see("Clamshell box")
    shopper.screenshot("market")
    shopper.click("Concertina album", role="link")
    shopper.see("£54.25")
    shopper.screenshot("item")
    shopper.click("Buy")
    shopper.see("This shop cannot take payments yet.")
    shopper.screenshot("not ready")

    shopper.open(done.stdout.splitlines()[1])
    shopper.click("Agree and submit")
    shopper.wait_for_url("/dashboard")
    shopper.see("Sign in")
    shopper.screenshot("sign in")
    shopper.fill("E-mail", "post@coldpress.example")
    shopper.fill("Password", "bone folder bone folder")
    shopper.press(shopper.require([css('[data-testid="sign-in"] button')], "no button"), "sign in")
    shopper.see("Something new")
    for name, value in (("Title", "Mould"), ("Description", "For paper."), ("Price", "12")):
        shopper.fill(name, value)
    shopper.click("Put it on sale")
    shopper.see("£12.00")
    shopper.screenshot("items")

    shopper.click("Mould", role="link")
    shopper.click("Buy")
    shopper.wait_for_url("checkout.stripe.com")
    assert shopper.pay(email="ottilie@example.test", name="Ottilie Brandt") == "left"
    shopper.see("is paid")
    shopper.open("/dashboard/orders")
    shopper.see("ottilie@example.test")
    shopper.screenshot("orders")
    (payment,) = twin.created("payment_intent", account=account["id"])
    assert (payment["amount"], payment["application_fee_amount"]) == (1200, 96)
    shopper.new_visitor()
    shopper.open("/sign-up")
    shopper.see("Open a shop")
    shopper.screenshot("sign up")
