"""The start tree of Kilnbook's task sells plans on Stripe's own page: what the agent is given works, and can be shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from trialbalance.grading.locate import css
from trialbalance.grading.log import Log
from trialbalance.grading.place import Ground, Place
from trialbalance.tasks import load_task, open_environment, prepare

TASK = Path(__file__).resolve().parents[2] / "environments" / "saas-embedded-checkout"
POSTGRES = Path("/usr/lib/postgresql")

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(
        not POSTGRES.is_dir(), reason="postgresql is not installed (apt-get install postgresql)"
    ),
]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """The prepared Kilnbook in a sandbox, with a twin and a browser."""
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
        place = Place(ground, "kilnbook")
        yield place
        place.close()


def test_a_studio_buys_a_plan_changes_it_and_ends_it(place: Place) -> None:
    app, shopper, twin, database = place.app, place.shopper, place.twin, place.database
    app.start_services()
    for command in ("build", "db:reset", "stripe:sync"):
        done = app.run(["npm", "run", "--silent", command], timeout=300)
        assert done.exit_code == 0, done.stderr
    shopper.open("/")
    shopper.screenshot("front")
    shopper.open("/pricing")
    shopper.see("€29")
    shopper.screenshot("pricing")
    shopper.press(shopper.require([css('[data-testid="choose-stoneware"]')], "no choice"), "Stoneware")
    for name, value in (
        ("Your name", "Nell Barrow"),
        ("E-mail", "nell@example.test"),
        ("Password", "a kiln full of mugs"),
        ("Name of the studio", "Canal Street Potters"),
    ):
        shopper.fill(name, value)
    shopper.screenshot("sign up")
    shopper.click("Continue")
    shopper.wait_for_url("checkout.stripe.com")
    assert shopper.pay(email="nell@example.test", name="Nell Barrow") == "left"
    shopper.wait_for_url("/studio")
    shopper.see("Trial")
    shopper.fill("Name", "Big Bertha")
    shopper.fill("Litres", "180")
    shopper.click("Add a kiln")
    shopper.see("1 of 6 in use")
    shopper.screenshot("studio")
    (subscription,) = twin.created("subscription")
    assert subscription["status"] == "trialing"

    shopper.click("Manage plan and payments")
    shopper.see("Kilnbook Stoneware")
    twin.stripe.v1.subscriptions.cancel(subscription["id"])
    shopper.wait_until(
        lambda: database.rows("SELECT plan FROM teams") == [{"plan": None}], "the plan has ended", 20
    )
    shopper.open("/activity")
    shopper.see("The plan ended")
    shopper.see("The plan Stoneware began")
    shopper.screenshot("activity")
