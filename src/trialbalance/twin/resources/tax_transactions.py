"""Tax transactions: taxes that were collected, and taken back.

A payment whose intent carries a calculation in its `hooks` records its transaction by itself.
Source: https://docs.stripe.com/api/tax/transactions
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin.cards.fees import share
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import tax_calculations
from trialbalance.twin.wire.call import Call, endpoint, included, reacts
from trialbalance.twin.wire.lists import embedded

KIND = "tax.transaction"
LINE = "tax.transaction_line_item"
ASSOCIATION = "tax.association"


@endpoint("POST /v1/tax/transactions/create_from_calculation")
def create(call: Call) -> JsonObject:
    """Record a calculation as collected."""
    params = call.params
    calculation = tax_calculations.find(call, params["calculation"], param="calculation")
    _unused(call, params["reference"])
    transaction = record(call, calculation, params["reference"], params.get("posted_at"))
    call.merge_metadata(transaction)
    return transaction


@endpoint("POST /v1/tax/transactions/create_reversal")
def reverse(call: Call) -> JsonObject:
    """Take a transaction back, in full or in part."""
    params = call.params
    original = call.edit(KIND, params["original_transaction"], param="original_transaction")
    if original["type"] == "reversal":
        raise InvalidRequest("A reversal cannot be reversed.", param="original_transaction")
    _unused(call, params["reference"])
    given: Any = params.get("line_items")
    if params["mode"] == "full":
        if given or params.get("flat_amount") is not None or params.get("shipping_cost"):
            raise InvalidRequest("A full reversal takes no amounts.", param="mode")
        amounts = {line["id"]: (-_left(line)[0], -_left(line)[1]) for line in original["_lines"]}
        shipping = None
        if original["_shipping"]:
            left = _left(original["_shipping"])
            shipping = (-left[0], -left[1])
    elif params.get("flat_amount") is not None:
        amounts, shipping = _flat(original, params["flat_amount"])
    else:
        amounts, shipping = _partial(original, given, params.get("shipping_cost"))
    reversal = _new(call, original, params["reference"], "reversal", call.now)
    reversal["reversal"] = {"original_transaction": original["id"]}
    references = {item["original_line_item"]: item for item in given or []}
    lines = []
    for line in original["_lines"]:
        amount, tax = amounts.get(line["id"], (0, 0))
        if not amount and not tax:
            continue
        line["_reversed"] = [line["_reversed"][0] - amount, line["_reversed"][1] - tax]
        item: Any = references.get(line["id"]) or {}
        lines.append(
            _line(
                call,
                line,
                amount,
                tax,
                kind="reversal",
                reference=item.get("reference") or line["reference"],
                metadata=dict(item.plain("metadata") or {}) if item else {},
                quantity=item.get("quantity") or line["quantity"],
            )
        )
    reversal["_lines"] = lines
    if shipping is not None and original["_shipping"]:
        cost = original["_shipping"]
        cost["_reversed"] = [cost["_reversed"][0] - shipping[0], cost["_reversed"][1] - shipping[1]]
        shown = {**cost, "amount": shipping[0], "amount_tax": shipping[1], "_reversed": [0, 0]}
        reversal["_shipping"] = shown
        reversal["shipping_cost"] = _public(shown)
    call.merge_metadata(reversal)
    return call.insert(_ordered(reversal))


@endpoint("GET /v1/tax/transactions/{transaction}")
def retrieve(call: Call) -> JsonObject:
    """One transaction."""
    return call.get(KIND, call.path["transaction"], param="transaction")


@endpoint("GET /v1/tax/transactions/{transaction}/line_items")
def line_items(call: Call) -> JsonObject:
    """The lines of a transaction."""
    found = call.get(KIND, call.path["transaction"], param="transaction")
    return call.page_of([_public(line) for line in found["_lines"]], url=call.path_name)


@endpoint("GET /v1/tax/associations/find")
def find_association(call: Call) -> JsonObject:
    """Which calculation a PaymentIntent carries, and what came of it."""
    intent = call.params["payment_intent"]
    found = call.find(ASSOCIATION, f"taxa_{intent}")
    if found is None:
        raise NotFound("tax association for payment_intent", intent, param="payment_intent", in_path=True)
    return found


def record(call: Call, calculation: JsonObject, reference: str, posted_at: int | None = None) -> JsonObject:
    """A new, stored transaction of a calculation."""
    transaction = _new(call, calculation, reference, "transaction", posted_at or call.now)
    transaction["_lines"] = [
        _line(
            call,
            line,
            line["amount"],
            line["amount_tax"],
            kind="transaction",
            reference=line["reference"],
            metadata=dict(line["metadata"]),
            quantity=line["quantity"],
        )
        for line in calculation["_lines"]
    ]
    if calculation["_shipping"]:
        transaction["_shipping"] = {**calculation["_shipping"], "_reversed": [0, 0]}
        transaction["shipping_cost"] = _public(transaction["_shipping"])
    return call.insert(_ordered(transaction))


def associate(call: Call, intent: JsonObject, calculation: str) -> None:
    """Remember the calculation that an intent's `hooks` name.

    Raises:
        NotFound: no such calculation.
        InvalidRequest: it is in another currency.
    """
    where = "hooks[inputs][tax][calculation]"
    found = tax_calculations.find(call, calculation, param=where)
    if found["currency"] != intent["currency"]:
        raise InvalidRequest("The calculation's currency is not the PaymentIntent's.", param=where)
    intent["hooks"] = {"inputs": {"tax": {"calculation": calculation}}}
    identifier = f"taxa_{intent['id']}"
    known = call.ledger.edit(call.account, ASSOCIATION, identifier)
    if known is not None:
        known["calculation"] = calculation
        return
    call.insert(
        {
            "id": identifier,
            "object": ASSOCIATION,
            "calculation": calculation,
            "payment_intent": intent["id"],
            "tax_transaction_attempts": [],
        }
    )


def dissociate(call: Call, intent: JsonObject) -> None:
    """Forget the calculation of an intent."""
    if call.find(ASSOCIATION, f"taxa_{intent['id']}") is not None:
        call.ledger.delete(call.account, ASSOCIATION, f"taxa_{intent['id']}")


@reacts("payment_intent.succeeded")
def _paid(call: Call, intent: JsonObject) -> None:
    """Record the calculation of a payment that succeeded."""
    association = call.ledger.edit(call.account, ASSOCIATION, f"taxa_{intent['id']}")
    if association is None:
        return
    calculation = call.find(tax_calculations.KIND, association["calculation"])
    attempt: JsonObject = {"source": intent["id"], "status": "committed"}
    if calculation is None or call.now >= calculation["expires_at"]:
        attempt |= {"errored": {"reason": "calculation_expired"}, "status": "errored"}
    elif _reference(call, intent["id"]) is not None:
        attempt |= {"errored": {"reason": "unique_reference_violation"}, "status": "errored"}
    else:
        attempt["committed"] = {"transaction": record(call, calculation, intent["id"])["id"]}
    association["tax_transaction_attempts"].append({name: attempt[name] for name in sorted(attempt)})


@reacts("refund.created")
def _refunded(call: Call, refund: JsonObject) -> None:
    """Take back the tax of what a refund returns."""
    association = call.ledger.edit(call.account, ASSOCIATION, f"taxa_{refund['payment_intent']}")
    if association is None or not association["tax_transaction_attempts"]:
        return
    committed = association["tax_transaction_attempts"][0].get("committed")
    original = call.ledger.edit(call.account, KIND, committed["transaction"]) if committed else None
    if original is None:
        return
    whole = sum(sum(_left(item)) for item in _priced(original))
    amounts, shipping = _flat(original, -min(refund["amount"], whole))
    reversal = _new(call, original, refund["id"], "reversal", call.now)
    reversal["reversal"] = {"original_transaction": original["id"]}
    reversal["_lines"] = []
    for line in original["_lines"]:
        amount, tax = amounts[line["id"]]
        line["_reversed"] = [line["_reversed"][0] - amount, line["_reversed"][1] - tax]
        reversal["_lines"].append(
            _line(
                call,
                line,
                amount,
                tax,
                kind="reversal",
                reference=line["reference"],
                metadata={},
                quantity=line["quantity"],
            )
        )
    if shipping is not None:
        cost = original["_shipping"]
        cost["_reversed"] = [cost["_reversed"][0] - shipping[0], cost["_reversed"][1] - shipping[1]]
        reversal["_shipping"] = {
            **cost,
            "amount": shipping[0],
            "amount_tax": shipping[1],
            "_reversed": [0, 0],
        }
        reversal["shipping_cost"] = _public(reversal["_shipping"])
    call.insert(_ordered(reversal))
    association["tax_transaction_attempts"].append(
        {"committed": {"transaction": reversal["id"]}, "source": refund["id"], "status": "committed"}
    )


# Steps


def _new(call: Call, origin: JsonObject, reference: str, kind: str, posted_at: int) -> JsonObject:
    transaction = call.new(
        KIND,
        "tax",
        currency=origin["currency"],
        customer=origin["customer"],
        customer_details=origin["customer_details"],
        posted_at=posted_at,
        reference=reference,
        ship_from_details=origin["ship_from_details"],
        tax_date=origin["tax_date"],
        type=kind,
    )
    transaction |= {"_lines": [], "_shipping": None}
    return transaction


def _line(
    call: Call,
    origin: JsonObject,
    amount: int,
    tax: int,
    *,
    kind: str,
    reference: str,
    metadata: JsonObject,
    quantity: int,
) -> JsonObject:
    return {
        "id": f"tax_li_{call.twin.ids.random(14)}",
        "object": LINE,
        "amount": amount,
        "amount_tax": tax,
        "livemode": False,
        "metadata": metadata,
        "product": origin["product"],
        "quantity": quantity,
        "reference": reference,
        "reversal": {"original_line_item": origin["id"]} if kind == "reversal" else None,
        "tax_behavior": origin["tax_behavior"],
        "tax_code": origin["tax_code"],
        "type": kind,
        "_reversed": [0, 0],
    }


def _left(item: JsonObject) -> tuple[int, int]:
    """What of a line or of shipping is not reversed: amount and tax."""
    done = item["_reversed"]
    return item["amount"] - done[0], item["amount_tax"] - done[1]


def _gross(item: JsonObject) -> int:
    """What was paid for a line, with its tax."""
    amount, tax = _left(item)
    return amount if item["tax_behavior"] == "inclusive" else amount + tax


def _priced(transaction: JsonObject) -> list[JsonObject]:
    return [*transaction["_lines"], *([transaction["_shipping"]] if transaction["_shipping"] else [])]


def _flat(original: JsonObject, flat: int) -> tuple[dict[str, tuple[int, int]], tuple[int, int] | None]:
    """Spread a negative total over lines and shipping, in proportion to what is left of them."""
    if flat >= 0:
        raise InvalidRequest("The flat_amount must be negative.", param="flat_amount")
    items = _priced(original)
    whole = sum(_gross(item) for item in items)
    if -flat > whole:
        raise InvalidRequest(
            f"The flat_amount is more than what is left of the transaction ({whole}).", param="flat_amount"
        )
    amounts: dict[str, tuple[int, int]] = {}
    shipping = None
    done = covered = 0
    for item in items:
        gross = _gross(item)
        covered += gross
        part = share(covered, whole, -flat) - done
        done += part
        tax_part = share(part, gross, _left(item)[1])
        net = part if item["tax_behavior"] == "inclusive" else part - tax_part
        if "id" in item:
            amounts[item["id"]] = (-net, -tax_part)
        else:
            shipping = (-net, -tax_part)
    return amounts, shipping


def _partial(
    original: JsonObject, given: Any, shipping: Any
) -> tuple[dict[str, tuple[int, int]], tuple[int, int] | None]:
    """The amounts that were sent, each within what is left."""
    if not given and not shipping:
        raise InvalidRequest(
            "A partial reversal needs line_items, shipping_cost or flat_amount.", param="line_items"
        )
    amounts: dict[str, tuple[int, int]] = {}
    lines = {line["id"]: line for line in original["_lines"]}
    for position, item in enumerate(given or []):
        line = lines.get(item["original_line_item"])
        where = f"line_items[{position}]"
        if line is None:
            raise NotFound("tax line item", item["original_line_item"], param=f"{where}[original_line_item]")
        amounts[line["id"]] = _within(line, item["amount"], item["amount_tax"], where)
    if not shipping:
        return amounts, None
    if original["_shipping"] is None:
        raise InvalidRequest("The transaction has no shipping cost.", param="shipping_cost")
    return amounts, _within(
        original["_shipping"], shipping["amount"], shipping["amount_tax"], "shipping_cost"
    )


def _within(item: JsonObject, amount: int, tax: int, where: str) -> tuple[int, int]:
    left = _left(item)
    if amount > 0 or tax > 0:
        raise InvalidRequest("Amounts of reversals must not be positive.", param=f"{where}[amount]")
    if -amount > left[0] or -tax > left[1]:
        raise InvalidRequest(
            f"Only {left[0]} (and {left[1]} of tax) is left to reverse.", param=f"{where}[amount]"
        )
    return amount, tax


def _unused(call: Call, reference: str) -> None:
    if _reference(call, reference) is not None:
        raise InvalidRequest(
            f"A tax transaction with the reference {reference} already exists.",
            param="reference",
            code="resource_already_exists",
        )


def _reference(call: Call, reference: str) -> JsonObject | None:
    return next(call.ledger.all(call.account, KIND, reference=reference), None)


def _public(item: JsonObject) -> JsonObject:
    return {name: value for name, value in item.items() if not name.startswith("_")}


def _ordered(obj: JsonObject) -> JsonObject:
    head = {name: obj[name] for name in ("id", "object")}
    return head | {name: obj[name] for name in sorted(obj) if name not in head}


@included(KIND, "line_items")
def _lines(call: Call, transaction: JsonObject) -> JsonObject:
    stored = call.find(KIND, transaction["id"]) or {"_lines": []}
    return embedded(
        [_public(line) for line in stored["_lines"]],
        f"/v1/tax/transactions/{transaction['id']}/line_items",
        total=True,
    )
