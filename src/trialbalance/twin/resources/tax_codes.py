"""Tax codes: what kind of thing a product is, for taxes.

A part of Stripe's list; other codes of its form are accepted where a code is asked for.
Source: https://docs.stripe.com/tax/tax-codes
"""

from __future__ import annotations

import re

from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.wire.call import Call, endpoint

KIND = "tax_code"
CODES: dict[str, str] = {
    "txcd_00000000": "Nontaxable",
    "txcd_10000000": "General - Electronically Supplied Services",
    "txcd_10010001": "Infrastructure as a service (IaaS) - personal use",
    "txcd_10102000": "Platform as a service (PaaS) - personal use",
    "txcd_10103000": "Software as a service (SaaS) - personal use",
    "txcd_10103001": "Software as a service (SaaS) - business use",
    "txcd_10202000": "Downloadable Software - personal use",
    "txcd_10302000": "Digital Books - downloaded - non subscription - with permanent rights",
    "txcd_10502000": "Gift Card",
    "txcd_20030000": "General - Services",
    "txcd_92010001": "Shipping",
    "txcd_99999999": "General - Tangible Goods",
}
DEFAULT = "txcd_10000000"
SHIPPING = "txcd_92010001"
_FORM = re.compile(r"^txcd_\d{8}$")


@endpoint("GET /v1/tax_codes")
def list_(call: Call) -> JsonObject:
    """The codes that the twin lists."""
    return call.page_of((_code(identifier) for identifier in sorted(CODES)), url=call.path_name)


@endpoint("GET /v1/tax_codes/{id}")
def retrieve(call: Call) -> JsonObject:
    """One code."""
    if call.path["id"] not in CODES:
        raise NotFound(KIND, call.path["id"], param="id")
    return _code(call.path["id"])


def known(code: str, param: str) -> str:
    """The code, if it can be one.

    Raises:
        InvalidRequest: it has not the form of a tax code.
    """
    if not _FORM.match(code):
        raise InvalidRequest(f"No such tax code: '{code}'", param=param, code="resource_missing")
    return code


def _code(identifier: str) -> JsonObject:
    name = CODES[identifier]
    return {"id": identifier, "object": KIND, "description": f"{name}.", "name": name}
