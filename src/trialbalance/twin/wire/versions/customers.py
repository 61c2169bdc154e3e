"""What changed in customers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from trialbalance.twin.errors import JsonObject
from trialbalance.twin.wire.call import INCLUDED
from trialbalance.twin.wire.versions.base import VersionChange

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

WRITES = ("POST /v1/customers", "POST /v1/customers/{customer}")


class ListsOfCustomers(VersionChange):
    """A customer held its sources, subscriptions and tax ids without being asked."""

    version = "2020-08-27"
    description = "`sources`, `subscriptions` and `tax_ids` of customers appear only on expansion"
    source = "https://docs.stripe.com/changelog/2020-08-27/deprecates-auto-expansion-customer-sources"
    kinds = ("customer",)

    def response(self, call: Call, obj: JsonObject) -> None:
        for field in ("sources", "subscriptions", "tax_ids"):
            make = INCLUDED.get(("customer", field))
            if field not in obj and make is not None:
                listed = make(call, obj)
                shown = [call.twin.versions.render(call, call.version, item) for item in listed["data"]]
                obj[field] = {**listed, "data": shown}


class TaxInfoOfCustomers(VersionChange):
    """A customer had `tax_info` and its verification; tax ids replaced them."""

    version = "2019-12-03"
    description = "Removes `tax_info` and `tax_info_verification` from customers"
    source = "https://docs.stripe.com/changelog/2019-12-03/removes-deprecated-tax-information-fields"
    kinds = ("customer",)

    def response(self, call: Call, obj: JsonObject) -> None:
        obj["tax_info"] = None
        obj["tax_info_verification"] = None


class AccountBalanceOfCustomers(VersionChange):
    """A customer's balance was `account_balance`."""

    version = "2019-10-17"
    description = "Renames `account_balance` of customers to `balance`"
    source = "https://docs.stripe.com/changelog/2019-10-17/renames-account-balance-customer-object"
    kinds = ("customer",)
    endpoints = WRITES
    accepts: ClassVar[dict[str, dict[str, Any]]] = {name: {"account_balance": "int"} for name in WRITES}

    def request(self, call: Call, endpoint: str, params: dict[str, Any]) -> None:
        if "account_balance" in params:
            params["balance"] = params.pop("account_balance")

    def response(self, call: Call, obj: JsonObject) -> None:
        obj["account_balance"] = obj.pop("balance", 0)
