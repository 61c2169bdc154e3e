"""Bank accounts: saved on customers in the sources era, and the external accounts that payouts go to.

Test account numbers say how payouts and debits end.
Source: https://docs.stripe.com/api/customer_bank_accounts and https://docs.stripe.com/connect/testing#account-numbers
"""

from __future__ import annotations

from typing import Any

from trialbalance.contract import load
from trialbalance.twin import currencies
from trialbalance.twin.connect import fields
from trialbalance.twin.errors import InvalidRequest, JsonObject, NotFound
from trialbalance.twin.rails.details import fingerprint_of
from trialbalance.twin.wire.call import Call, endpoint, own_endpoint

KIND = "bank_account"
DEBIT_DELAY = 180
"""How long a debit of a saved bank account is pending."""
OUTCOMES: dict[str, str | None] = {
    "000123456789": None,
    "000999999991": None,
    "000111111116": "no_account",
    "000111111113": "account_closed",
    "000222222227": "insufficient_funds",
    "000333333335": "debit_not_authorized",
    "000444444440": "invalid_currency",
    "000888888883": "transit_number_invalid",
}
"""US test numbers and why a payout to them fails."""
MAGIC = {
    "btok_us_verified": ("000123456789", "verified"),
    "btok_us": ("000123456789", "new"),
    "btok_us_verified_noAccount": ("000111111116", "verified"),
    "btok_us_verified_accountClosed": ("000111111113", "verified"),
    "btok_us_verified_insufficientFunds": ("000222222227", "verified"),
    "btok_us_verified_debitNotAuthorized": ("000333333335", "verified"),
    "btok_us_verified_invalidCurrency": ("000444444440", "verified"),
}
_VERIFY = load().endpoints.get("POST /v1/customers/{customer}/sources/{id}/verify")


def build(call: Call, given: Any, *, where: str = "bank_account") -> JsonObject:
    """A bank account object (not stored) from `country`, `currency`, `account_number` and so on.

    Raises:
        InvalidRequest: something is missing or not a test value.
    """
    data = given if isinstance(given, dict) else {}
    for name in ("country", "account_number"):
        if not data.get(name):
            raise InvalidRequest(
                f"Missing required param: {where}[{name}].",
                param=f"{where}[{name}]",
                code="parameter_missing",
            )
    country = str(data["country"]).upper()
    currency = currencies.check_currency(
        data.get("currency")
        or {"US": "usd", "GB": "gbp", "CA": "cad", "AU": "aud", "JP": "jpy"}.get(country, "eur"),
        f"{where}[currency]",
    )
    number = str(data["account_number"]).replace(" ", "")
    routing = data.get("routing_number") or None
    if country == "US":
        if routing is None:
            raise InvalidRequest(
                f"Missing required param: {where}[routing_number].",
                param=f"{where}[routing_number]",
                code="parameter_missing",
            )
        if not (routing.isdigit() and len(routing) == 9):
            raise InvalidRequest(
                "Routing number must have 9 digits",
                param=f"{where}[routing_number]",
                code="routing_number_invalid",
            )
        if number not in OUTCOMES:
            raise InvalidRequest(
                "You must use a test bank account number in test mode. Try 000123456789 or see more options at "
                "https://stripe.com/docs/connect/testing#account-numbers.",
                param=f"{where}[account_number]",
                code="account_number_invalid",
            )
    account = _new(
        call,
        country=country,
        currency=currency,
        number=number,
        routing=routing,
        holder=data.get("account_holder_name") or None,
        holder_type=data.get("account_holder_type") or None,
        account_type=data.get("account_type") or None,
    )
    for name in ("metadata", "object", "default_for_currency"):
        data.get(name)
    return account


def from_token(call: Call, token: str, *, param: str, holder: Call | None = None) -> JsonObject:
    """The bank account (not stored) behind a token, which is used up; published ones never are.

    `holder`: the call on the account that the token was made on, when it is another.
    """
    if token in MAGIC:
        number, status = MAGIC[token]
        account = _new(call, country="US", currency="usd", number=number, routing="110000000")
        account["status"] = status
        return account
    found = (holder or call).edit("token", token, param=param)
    if found["type"] != KIND:
        raise NotFound("token", token, param=param)
    if found["used"]:
        raise InvalidRequest(
            f"You cannot use a Stripe token more than once: {token}.", param=param, code="token_already_used"
        )
    found["used"] = True
    return {**found["_data"], "id": call.new_id("ba")}


def token(call: Call, given: Any) -> JsonObject:
    """A new, stored token for a bank account."""
    account = build(call, given)
    if isinstance(given, dict):
        given.get("payment_method")
    found = call.new("token", "btok", type=KIND, used=False)
    found["client_ip"] = "192.0.2.1"
    found[KIND] = {k: v for k, v in account.items() if not k.startswith("_") and k != "metadata"}
    found["_data"] = account
    return call.insert(found)


def give(call: Call, customer: JsonObject, name: str) -> JsonObject:
    """Save the bank account of a token on a customer."""
    account = from_token(call, name, param="source")
    for known in call.ledger.all(call.account, KIND, customer=customer["id"]):
        if known["fingerprint"] == account["fingerprint"]:
            raise InvalidRequest(
                "A bank account with that routing number and account number already exists for this customer.",
                code="bank_account_exists",
            )
    account["customer"] = customer["id"]
    return call.insert(fields.arrange(account))


@endpoint("POST /v1/customers/{customer}/sources/{id}/verify")
def verify(call: Call) -> JsonObject:
    """Verify a saved bank account by its two deposits: 32 and 45."""
    call.get("customer", call.path["customer"])
    account = call.edit(KIND, call.path["id"])
    if account["customer"] != call.path["customer"]:
        raise NotFound(KIND, call.path["id"])
    if account["status"] == "verified":
        raise InvalidRequest("This bank account has already been verified.")
    amounts = sorted(call.params.plain("amounts") or [])
    if amounts != [32, 45]:
        raise InvalidRequest(
            "The amounts provided do not match the amounts that were sent to the bank account.",
            param="amounts",
            code="bank_account_verification_failed",
        )
    account["status"] = "verified"
    call.emit("customer.source.updated", account)
    return account


@own_endpoint(
    "POST /v1/customers/{customer}/bank_accounts/{id}/verify",
    _VERIFY.params if _VERIFY else {"hash": {"amounts": {"array": "int"}}},
    {"ref": KIND},
)
def verify_older(call: Call) -> JsonObject:
    """The older path of the same."""
    return verify(call)


def own(call: Call, country: str, currency: str) -> JsonObject:
    """A bank account (not stored) such as an account's owner keeps: nothing fails with it."""
    return _new(call, country=country, currency=currency, number="000123456789", routing="110000000")


def failure_of(account: JsonObject) -> str | None:
    """Why a payout to a bank account fails, if it does."""
    return OUTCOMES.get(account.get("_number") or "")


def _new(
    call: Call,
    *,
    country: str,
    currency: str,
    number: str,
    routing: str | None,
    holder: str | None = None,
    holder_type: str | None = None,
    account_type: str | None = None,
) -> JsonObject:
    account = call.new(
        KIND,
        "ba",
        account_holder_name=holder,
        account_holder_type=holder_type,
        account_type=account_type,
        bank_name="STRIPE TEST BANK",
        country=country,
        currency=currency,
        fingerprint=fingerprint_of(call, f"{routing}{number}"),
        last4=number[-4:],
        routing_number=routing,
        status="new",
    )
    return {**account, "_number": number}
