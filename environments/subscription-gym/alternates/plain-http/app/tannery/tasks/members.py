"""Memberships: how they begin, change and end."""

from ..problems import Declined, InvalidRequest


def now_of(wire, customer):
    """The moment on a customer's clock."""
    clock = wire.get(f"customers/{customer}")["test_clock"]
    return wire.get(f"test_helpers/test_clocks/{clock}")["frozen_time"]


def begin(wire, customer, items, **more):
    """Begin incomplete, then pay the first invoice; a decline ends it again."""
    made = wire.post(
        "subscriptions", customer=customer, items=items, payment_behavior="default_incomplete", **more
    )
    invoice = wire.get(f"invoices/{made['latest_invoice']}")
    if invoice["status"] == "open":
        card = wire.get(f"customers/{customer}")["invoice_settings"]["default_payment_method"]
        try:
            if card is None:
                raise Declined("There is no card.")
            invoice = wire.post(f"invoices/{invoice['id']}/pay", payment_method=card)
        except Declined:
            wire.delete(f"subscriptions/{made['id']}")
            if wire.get(f"invoices/{invoice['id']}")["status"] == "open":
                wire.post(f"invoices/{invoice['id']}/void")
            raise
    subscription = wire.get(f"subscriptions/{made['id']}")
    answer = {"subscription": made["id"], "invoice": invoice["id"], "amount_paid": invoice["amount_paid"]}
    return subscription, answer


def end_of(subscription):
    return min(item["current_period_end"] for item in subscription["items"]["data"])


def join(wire, _, customer, price, quantity):
    made, answer = begin(wire, customer, [{"price": price, "quantity": quantity}])
    return {**answer, "status": made["status"], "currency": made["currency"], "period_end": end_of(made)}


def trial(wire, _, customer, price, days):
    end = now_of(wire, customer) + days * 86400
    made, _ = begin(
        wire, customer, [{"price": price}], trial_end=end,
        trial_settings={"end_behavior": {"missing_payment_method": "cancel"}},
    )
    return {"subscription": made["id"], "status": made["status"], "trial_end": made["trial_end"]}


def by_the_day(wire, _, customer, price, day, coupon):
    if day > 31:
        raise InvalidRequest("There is no such day.")
    discounts = [{"coupon": coupon}] if coupon else []
    made, answer = begin(
        wire, customer, [{"price": price}], billing_cycle_anchor_config={"day_of_month": day}, discounts=discounts
    )
    return {**answer, "next_payment": end_of(made)}


def induction(wire, _, customer, price, fee, fee_quantity):
    fees = [{"price": fee, "quantity": fee_quantity}]
    return begin(wire, customer, [{"price": price}], add_invoice_items=fees)[1]


def kiln(wire, _, customer, price, usage_price):
    return begin(wire, customer, [{"price": usage_price}, {"price": price}])[1]


def team(wire, _, customer, price, seats, currency):
    made, answer = begin(wire, customer, [{"price": price, "quantity": seats}], currency=currency)
    return {**answer, "currency": made["currency"]}


def seasons(wire, _, customer, first, then):
    for season in (first, then):
        if not isinstance(season.get("price"), str) or "periods" not in season:
            raise InvalidRequest("A season is a price and periods.")
        wire.get(f"prices/{season['price']}")
    if not isinstance(first["periods"], int):
        raise InvalidRequest("periods must be a number")
    made, answer = begin(wire, customer, [{"price": first["price"]}])
    schedule = wire.post("subscription_schedules", from_subscription=made["id"])
    wire.post(
        f"subscription_schedules/{schedule['id']}",
        end_behavior="cancel" if then["periods"] else "release",
        phases=[
            {
                "start_date": schedule["phases"][0]["start_date"],
                "iterations": first["periods"],
                "items": [{"price": first["price"], "quantity": 1}],
            },
            {"iterations": then["periods"] or 1, "items": [{"price": then["price"], "quantity": 1}],
             "proration_behavior": "none"},
        ],
    )
    return {**answer, "schedule": schedule["id"]}


def find(wire, subscription, price):
    """A membership, and its item with a price."""
    found = wire.get(f"subscriptions/{subscription}")
    for item in found["items"]["data"]:
        if item["price"]["id"] == price:
            return found, item
    raise InvalidRequest(f"No item has the price {price}.")


def charged(wire, subscription, **change):
    """A change that is charged at once, or not made."""
    changed = wire.post(
        f"subscriptions/{subscription}", proration_behavior="always_invoice",
        payment_behavior="error_if_incomplete", **change,
    )
    return changed, wire.get(f"invoices/{changed['latest_invoice']}")


def upgrade(wire, _, subscription, from_, to):
    _, item = find(wire, subscription, from_)
    swap = [{"id": item["id"], "deleted": True}, {"price": to, "quantity": item["quantity"]}]
    _, invoice = charged(wire, subscription, items=swap)
    return {"subscription": subscription, "invoice": invoice["id"], "amount_paid": invoice["amount_paid"]}


def downgrade(wire, _, subscription, from_, to):
    found, changed = find(wire, subscription, from_)
    wire.get(f"prices/{to}")
    schedule = wire.post("subscription_schedules", from_subscription=subscription)
    phase = schedule["phases"][0]
    discounts = [{"discount": name} for name in found["discounts"]]
    items = [{"price": item["price"]["id"], "quantity": item["quantity"]} for item in found["items"]["data"]]
    later = [{**item, "price": to} if item["price"] == changed["price"]["id"] else item for item in items]
    wire.post(
        f"subscription_schedules/{schedule['id']}",
        end_behavior="release",
        phases=[
            {"start_date": phase["start_date"], "end_date": phase["end_date"], "items": items, "discounts": discounts},
            {"iterations": 1, "items": later, "discounts": discounts, "proration_behavior": "none"},
        ],
    )
    return {"subscription": subscription, "effective_at": phase["end_date"]}


def leave(wire, _, subscription, when):
    if when == "now":
        ended = wire.delete(f"subscriptions/{subscription}")
        return {"subscription": subscription, "status": ended["status"], "ends_at": ended["ended_at"]}
    if when == "period_end":
        end = end_of(wire.get(f"subscriptions/{subscription}"))
        going = wire.post(f"subscriptions/{subscription}", cancel_at=end, proration_behavior="none")
        return {"subscription": subscription, "status": going["status"], "ends_at": going["cancel_at"]}
    raise InvalidRequest("when must be now or period_end")


def pause(wire, _, subscription, until):
    how = {"behavior": "void", "resumes_at": until}
    paused = wire.post(f"subscriptions/{subscription}", pause_collection=how)
    return {
        "subscription": subscription, "status": paused["status"], "until": paused["pause_collection"]["resumes_at"],
    }


def resume(wire, _, subscription):
    going = wire.post(f"subscriptions/{subscription}", pause_collection="")
    return {"subscription": subscription, "status": going["status"], "next_payment": end_of(going)}


def switch(wire, _, subscription, price):
    found = wire.get(f"subscriptions/{subscription}")
    if len(found["items"]["data"]) != 1:
        raise InvalidRequest("There must be one item.")
    item = found["items"]["data"][0]
    change = [{"id": item["id"], "price": price, "quantity": item["quantity"]}]
    changed, invoice = charged(wire, subscription, items=change, billing_cycle_anchor="now")
    balance = invoice["ending_balance"] or 0
    return {
        "subscription": subscription,
        "invoice": invoice["id"],
        "amount_paid": invoice["amount_paid"],
        "credit": -min(0, balance),
        "period_end": end_of(changed),
    }
