"""Tax calculations: what taxes a purchase carries, by the twin's own table of rates.

Source: https://docs.stripe.com/api/tax/calculations and https://docs.stripe.com/tax/custom
"""

from __future__ import annotations

from typing import Any

from trialbalance.twin import addresses, currencies
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.resources import tax_codes, tax_registrations, tax_settings
from trialbalance.twin.taxes import engine
from trialbalance.twin.taxes.rates import Place
from trialbalance.twin.wire.call import Call, endpoint, included
from trialbalance.twin.wire.lists import embedded

KIND = "tax.calculation"
LINE = "tax.calculation_line_item"
BREAKDOWN = "_tax_breakdown"
LIFETIME = 90 * 24 * 3600


@endpoint("POST /v1/tax/calculations")
def create(call: Call) -> JsonObject:
    """Calculate taxes; the result can become a transaction within ninety days."""
    params = call.params
    call.exclusive("customer", "customer_details")
    if not tax_settings.active(call):
        raise InvalidRequest(
            "Stripe Tax is not active on this account: set the head office address with POST /v1/tax/settings or in the "
            "Dashboard.",
            code="stripe_tax_inactive",
        )
    currency = currencies.check_currency(params["currency"])
    details = _customer(call)
    at = params.get("tax_date") or call.now
    settings = tax_settings.current(call)
    home = (settings["head_office"] or {}).get("address") or {}
    sold_from = params.plain("ship_from_details")
    seller = tax_registrations.seller(call, home.get("country"), at)
    buyer = _buyer(details)
    calculation = call.new(
        KIND,
        "taxcalc",
        currency=currency,
        customer=params.get("customer") or None,
        customer_details=details,
        expires_at=call.now + LIFETIME,
        ship_from_details={"address": addresses.address(sold_from["address"])} if sold_from else None,
        tax_date=at,
    )
    lines = [
        _line(call, given, seller, buyer, settings, position)
        for position, given in enumerate(params["line_items"])
    ]
    references = [line["reference"] for line in lines]
    if len(set(references)) != len(references):
        raise InvalidRequest("Line items must have different references.", param="line_items")
    shipping = _shipping(call, seller, buyer, settings)
    calculation["_lines"] = lines
    calculation["_shipping"] = shipping
    calculation["shipping_cost"] = _shown(shipping) if shipping else None
    _total(calculation)
    calculation["line_items"] = embedded(
        [_shown(line) for line in lines], f"/v1/tax/calculations/{calculation['id']}/line_items", total=True
    )
    head = {name: calculation[name] for name in ("id", "object")}
    return call.insert(head | {n: calculation[n] for n in sorted(calculation) if n not in head})


@endpoint("GET /v1/tax/calculations/{calculation}")
def retrieve(call: Call) -> JsonObject:
    """One calculation, until it expires."""
    return find(call, call.path["calculation"], param="calculation", in_path=True)


@endpoint("GET /v1/tax/calculations/{calculation}/line_items")
def line_items(call: Call) -> JsonObject:
    """The lines of a calculation."""
    calculation = find(call, call.path["calculation"], param="calculation", in_path=True)
    return call.page_of([_shown(line) for line in calculation["_lines"]], url=call.path_name)


def find(call: Call, identifier: str, *, param: str, in_path: bool = False) -> JsonObject:
    """A calculation that has not expired.

    Raises:
        NotFound: there is none (any more).
    """
    found = call.find(KIND, identifier)
    if found is None or call.now >= found["expires_at"]:
        raise NotFound(KIND, identifier, param=param, in_path=in_path)
    return found


def _customer(call: Call) -> JsonObject:
    """The customer's place, exemption and tax ids, from what was sent or from the customer."""
    params = call.params
    if params.get("customer"):
        customer = call.get("customer", params["customer"], param="customer")
        shipping = (customer["shipping"] or {}).get("address")
        address = shipping or customer["address"]
        ids = [
            {"type": tax_id["type"], "value": tax_id["value"]}
            for tax_id in call.ledger.all(call.account, "tax_id", customer=customer["id"])
        ]
        override = {"exempt": "customer_exempt", "reverse": "reverse_charge"}.get(
            customer["tax_exempt"], "none"
        )
        given: JsonObject = {
            "address": address,
            "address_source": "shipping" if shipping else "billing",
            "tax_ids": ids,
            "taxability_override": override,
        }
        where = "customer"
    else:
        given = params.plain("customer_details") or {}
        where = "customer_details[address]"
    if not given.get("address") and not given.get("ip_address"):
        raise InvalidRequest(
            "The customer's location is not known: an address with a country is needed.",
            param=where,
            code="customer_tax_location_invalid",
        )
    address = addresses.address(given.get("address") or {"country": "US"}) or {}
    if not address.get("country"):
        raise InvalidRequest(
            "The customer's address needs a country.", param=where, code="customer_tax_location_invalid"
        )
    if address["country"] in ("US", "CA") and not (address.get("state") or address.get("postal_code")):
        raise InvalidRequest(
            "We could not determine the customer's tax location based on the provided customer address.",
            param=where,
            code="customer_tax_location_invalid",
        )
    return {
        "address": address,
        "address_source": given.get("address_source") or "billing",
        "ip_address": given.get("ip_address"),
        "tax_ids": [{"type": t["type"], "value": t["value"]} for t in given.get("tax_ids") or []],
        "taxability_override": given.get("taxability_override") or "none",
    }


def _buyer(details: JsonObject) -> engine.Buyer:
    address = details["address"]
    state = address.get("state")
    if address["country"] == "US" and not state:
        state = _state_of(address.get("postal_code") or "")
    return engine.Buyer(
        Place(address["country"], state if address["country"] in ("US", "CA") else None),
        details["taxability_override"],
        tuple(t["type"] for t in details["tax_ids"]),
    )


_POSTAL = (
    ("0", "MA"), ("1", "NY"), ("2", "VA"), ("3", "FL"), ("4", "OH"), ("5", "MN"), ("6", "IL"), ("7", "TX"),
    ("8", "CO"), ("9", "CA"),
)  # fmt: skip


def _state_of(postal_code: str) -> str | None:
    """The largest state of a postal code's first digit: a rough guess where no state was given."""
    return dict(_POSTAL).get(postal_code[:1])


def _line(
    call: Call, given: Any, seller: engine.Seller, buyer: engine.Buyer, settings: JsonObject, position: int
) -> JsonObject:
    if given.get("performance_location"):
        call.unsupported("line_items")
    product = given.get("product") or None
    code = given.get("tax_code") or None
    if product is not None:
        found = call.get("product", product, param=f"line_items[{position}][product]")
        code = code or found.get("tax_code")
    code = tax_codes.known(
        code or settings["defaults"]["tax_code"] or tax_codes.DEFAULT, f"line_items[{position}][tax_code]"
    )
    behavior = given.get("tax_behavior") or _behavior(settings)
    parts = engine.tax(
        given["amount"], inclusive=behavior == "inclusive", code=code, seller=seller, buyer=buyer
    )
    line: JsonObject = {
        "id": f"tax_li_{call.twin.ids.random(14)}",
        "object": LINE,
        "amount": given["amount"],
        "amount_tax": sum(part.amount for part in parts),
        "livemode": False,
        "metadata": dict(given.plain("metadata") or {}),
        "product": product,
        "quantity": given.get("quantity", 1),
        "reference": given.get("reference") or f"L{position + 1}",
        "tax_behavior": behavior,
        "tax_code": code,
        "_breakdown": engine.breakdown(parts),
    }
    call.insert({"id": line["id"], "object": BREAKDOWN, "parts": line["_breakdown"]}, kind=BREAKDOWN)
    return line


def _shipping(
    call: Call, seller: engine.Seller, buyer: engine.Buyer, settings: JsonObject
) -> JsonObject | None:
    given: Any = call.params.get("shipping_cost")
    if not given:
        return None
    amount, rate = given.get("amount"), given.get("shipping_rate") or None
    code, behavior = given.get("tax_code") or None, given.get("tax_behavior") or None
    if rate is not None:
        if amount is not None:
            raise InvalidRequest(
                "You may only specify one of these parameters: amount, shipping_rate.",
                param="shipping_cost[amount]",
                code="parameters_exclusive",
            )
        found = call.get("shipping_rate", rate, param="shipping_cost[shipping_rate]")
        amount = (found["fixed_amount"] or {}).get("amount", 0)
        code = code or found.get("tax_code")
        if found.get("tax_behavior") in ("inclusive", "exclusive"):
            behavior = behavior or found["tax_behavior"]
    code = tax_codes.known(code or tax_codes.SHIPPING, "shipping_cost[tax_code]")
    behavior = behavior or _behavior(settings)
    parts = engine.tax(amount or 0, inclusive=behavior == "inclusive", code=code, seller=seller, buyer=buyer)
    cost: JsonObject = {
        "amount": amount or 0,
        "amount_tax": sum(part.amount for part in parts),
        "tax_behavior": behavior,
        "tax_code": code,
        "_breakdown": engine.breakdown(parts),
    }
    if rate is not None:
        cost["shipping_rate"] = rate
    return {name: cost[name] for name in sorted(cost)}


def _behavior(settings: JsonObject) -> str:
    chosen = settings["defaults"]["tax_behavior"]
    return str(chosen) if chosen in ("inclusive", "exclusive") else "exclusive"


def _shown(line: JsonObject) -> JsonObject:
    return {name: value for name, value in line.items() if not name.startswith("_")}


def _total(calculation: JsonObject) -> None:
    """Sum the lines and shipping, and the taxes by rate."""
    priced = [*calculation["_lines"], *([calculation["_shipping"]] if calculation["_shipping"] else [])]
    exclusive = sum(item["amount_tax"] for item in priced if item["tax_behavior"] == "exclusive")
    inclusive = sum(item["amount_tax"] for item in priced if item["tax_behavior"] == "inclusive")
    calculation["amount_total"] = sum(item["amount"] for item in priced) + exclusive
    calculation["tax_amount_exclusive"] = exclusive
    calculation["tax_amount_inclusive"] = inclusive
    groups: dict[tuple[Any, ...], JsonObject] = {}
    for item in priced:
        for part in item["_breakdown"]:
            details = part["tax_rate_details"] or {}
            key = (
                item["tax_behavior"],
                part["taxability_reason"],
                details.get("tax_type"),
                details.get("percentage_decimal"),
                part["jurisdiction"]["state"],
            )
            group = groups.setdefault(
                key,
                {
                    "amount": 0,
                    "inclusive": item["tax_behavior"] == "inclusive",
                    "tax_rate_details": {
                        "country": part["jurisdiction"]["country"],
                        "flat_amount": None,
                        "percentage_decimal": details.get("percentage_decimal") or "0.0",
                        "rate_type": "percentage" if details else None,
                        "state": part["jurisdiction"]["state"],
                        "tax_type": details.get("tax_type"),
                    },
                    "taxability_reason": part["taxability_reason"],
                    "taxable_amount": 0,
                },
            )
            group["amount"] += part["amount"]
            group["taxable_amount"] += part["taxable_amount"]
    calculation["tax_breakdown"] = list(groups.values())


@included(LINE, "tax_breakdown")
def _line_breakdown(call: Call, line: JsonObject) -> list[JsonObject] | None:
    stored = call.find(BREAKDOWN, line["id"])
    found: list[JsonObject] | None = stored["parts"] if stored is not None else None
    return found


@included(KIND, "shipping_cost.tax_breakdown")
def _shipping_breakdown(call: Call, calculation: JsonObject) -> list[JsonObject] | None:
    stored = call.find(KIND, calculation["id"]) or {}
    found: list[JsonObject] | None = (stored.get("_shipping") or {}).get("_breakdown")
    return found
