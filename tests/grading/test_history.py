"""What a history asks of Stripe, in which order, and that sales are drawn alike from one seed."""

from __future__ import annotations

from typing import Any

import pytest

from trialbalance.grading import Draw
from trialbalance.grading.history import CARDS, DECLINES, History, Sale, SaleDraw


class Account:
    """Notes what is asked of it, and answers with ids that count up; an invoice's total is 1001."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, dict[str, Any]]] = []
        self.seeded: list[dict[str, Any]] = []

    def ask(self, method: str, path: str, **form: Any) -> dict[str, Any]:
        self.asked.append((method, path, form))
        return {"id": f"id_{len(self.asked)}", "total": 1001, "payment_intent": "pi_own"}

    def seed(self, document: dict[str, Any]) -> dict[str, Any]:
        self.seeded += document["requests"]
        return {step["as"]: {"id": step["as"]} for step in document["requests"] if "as" in step}

    def forms(self, path: str) -> list[dict[str, Any]]:
        return [form for _, asked, form in self.asked if asked == path]


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.fixture
def history(account: Account) -> History:
    return History(account.ask, account.seed, "2022-08-01", "gbp", {"payment_method_types": ["card"]})


def draw_sales(seed: int) -> SaleDraw:
    return SaleDraw(Draw(seed), "S", ("A jug", "A cup"), 4000, 90_000)


def test_sales_of_every_kind_come_from_the_seed() -> None:
    sales = draw_sales(3).every_kind()
    assert sales == draw_sales(3).every_kind() != draw_sales(4).every_kind()
    assert len({sale.number for sale in sales.values()}) == len(sales)
    assert all(4000 <= sale.amount <= 90_000 and sale.what in {"A jug", "A cup"} for sale in sales.values())
    assert sum(sales["all back"].refunds) == sales["all back"].amount
    assert len(sales["many back"].refunds) == len(sales["declined often"].cards) == 12
    assert set(sales["declined often"].cards) < set(DECLINES)
    assert sales["paid"].cards[0] in CARDS
    assert sales["cancelled"].cancelled and not sales["open"].cards


def test_a_sale_is_tried_and_given_back_as_drawn(account: Account, history: History) -> None:
    sale = Sale("S-1", "A jug", 900, ("pm_no", "pm_yes"), (300, 200), cancelled=True)
    assert history.sell(sale, sale="S-1") == "id_1"
    assert account.asked == [
        (
            "POST",
            "/v1/payment_intents",
            {
                "amount": 900,
                "currency": "gbp",
                "payment_method_types": ["card"],
                "metadata": {"sale": "S-1"},
            },
        ),
        ("POST", "/v1/payment_intents/id_1/confirm", {"payment_method": "pm_no"}),
        ("POST", "/v1/payment_intents/id_1/confirm", {"payment_method": "pm_yes"}),
        ("POST", "/v1/refunds", {"payment_intent": "id_1", "amount": 300}),
        ("POST", "/v1/refunds", {"payment_intent": "id_1", "amount": 200}),
        ("POST", "/v1/payment_intents/id_1/cancel", {}),
    ]


def test_customers_have_their_card_or_none(account: Account, history: History) -> None:
    history.customer("Ada")
    history.customer("Cash", None)
    with_card, without = account.forms("/v1/customers")
    assert with_card["invoice_settings"] == {"default_payment_method": "pm_card_visa"}
    assert without == {"name": "Cash", "metadata": {"known_as": "Cash"}}


def test_prices_recur_or_do_not(account: Account, history: History) -> None:
    history.price("prod_1", 400)
    history.price("prod_1", 500, interval="month", usage_type="metered")
    once, monthly = account.forms("/v1/prices")
    assert once == {"product": "prod_1", "currency": "gbp", "unit_amount": 400}
    assert monthly["recurring"] == {"interval": "month", "usage_type": "metered"}


def test_an_invoice_has_its_items_and_is_paid_in_parts(account: Account, history: History) -> None:
    invoices = history.invoices("cus_1", iter((700, 800)), days_until_due=20)
    invoices.bill("long", items=3)
    items = account.forms("/v1/invoiceitems")
    assert [(item["amount"], item["description"]) for item in items] == [
        (700, "long 1"),
        (501, "long 2"),
        (502, "long 3"),
    ]
    assert account.forms("/v1/invoices")[0]["days_until_due"] == 20
    assert account.asked[-1][1] == f"/v1/invoices/{invoices.made['long']}/finalize"
    invoices.bill("draft", "cus_2", finalize=False)
    assert account.asked[-1][1] == "/v1/invoices" and account.asked[-1][2]["customer"] == "cus_2"
    invoices.attach("in_1", 30)
    invoices.attach("in_1", 30, rest=True)
    assert [form["amount"] for form in account.forms("/v1/payment_intents")] == [300, 701]
    assert invoices.payment_of("long") == "pi_own"


def test_invoices_of_every_kind(account: Account, history: History) -> None:
    invoices = history.invoices("cus_1", iter(range(1000, 1030)))
    invoices.every_kind(30, "txr_1", "cus_broke", "cus_cash")
    assert len(set(invoices.made.values())) == len(invoices.made) == 16
    assert list(invoices.parts) == ["a part", "the first part", "the second part", "a part before a card"]
    assert ("POST", f"/v1/invoices/{invoices.made['void']}/void", {}) in account.asked
    assert ("POST", f"/v1/invoices/{invoices.made['draft']}/finalize", {}) not in account.asked
    billed = {form["customer"] for form in account.forms("/v1/invoices")}
    assert billed == {"cus_1", "cus_broke", "cus_cash"}
    invoices.drafts(3)
    assert [step["version"] for step in account.seeded] == ["2022-08-01"] * 3


def test_subscriptions_are_made_at_once_in_order(account: Account, history: History) -> None:
    made = history.subscriptions([{"customer": "cus_1"}, {"customer": "cus_2"}])
    assert made == ["more0", "more1"]
    assert [step["form"]["customer"] for step in account.seeded] == ["cus_1", "cus_2"]


def test_a_busy_day_numbers_every_third_payment(account: Account, history: History) -> None:
    history.busy_day(2, 4, "cus_1", (900, 600, 800), sale="S-{number}", what="A cup")
    payments = [step["form"] for step in account.seeded]
    assert [payment["amount"] for payment in payments] == [900, 601, 802, 903]
    assert [payment["metadata"] for payment in payments] == [
        {"sale": "S-2000", "what": "A cup"},
        {},
        {},
        {"sale": "S-2003", "what": "A cup"},
    ]
    assert account.forms("/v1/refunds") == [{"payment_intent": "id_1", "amount": 200}]
    assert [form["amount"] for form in account.forms("/v1/invoiceitems")] == [802]
    assert account.asked[-1][1].endswith("/pay")
