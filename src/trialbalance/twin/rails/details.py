"""What objects say about a payment method that is not a card: the type's hash, and the published test values.

Bank accounts are tested by their numbers; each number means an outcome, kept as the hidden `_test`.
Source: https://docs.stripe.com/testing#non-card-payments
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from trialbalance.twin.errors import InvalidRequest, JsonObject
from trialbalance.twin.ledger.ids import ALPHABET
from trialbalance.twin.rails import sepa

if TYPE_CHECKING:
    from trialbalance.twin.wire.call import Call

US_BANK: dict[str, str] = {
    "000123456789": "success",
    "000111111113": "account_closed",
    "000000004954": "blocked",
    "000111111116": "no_account",
    "000222222227": "insufficient_funds",
    "000333333335": "debit_not_authorized",
    "000444444440": "invalid_currency",
    "000666666661": "microdeposits_fail",
    "000555555559": "dispute",
    "000000000009": "processing",
    "000777777771": "weekly_limit_exceeded",
    "000888888885": "tokenized_account_number_deactivated",
}
"""US test account numbers.

Source: https://docs.stripe.com/payments/ach-direct-debit/accept-a-payment#test-account-numbers
"""
US_MAGIC: dict[str, str] = {
    "pm_usBankAccount_success": "000123456789",
    "pm_usBankAccount": "000123456789",
    "pm_usBankAccount_accountClosed": "000111111113",
    "pm_usBankAccount_riskLevelHighest": "000000004954",
    "pm_usBankAccount_noAccount": "000111111116",
    "pm_usBankAccount_insufficientFunds": "000222222227",
    "pm_usBankAccount_debitNotAuthorized": "000333333335",
    "pm_usBankAccount_invalidCurrency": "000444444440",
    "pm_usBankAccount_failMicrodeposits": "000666666661",
    "pm_usBankAccount_dispute": "000555555559",
    "pm_usBankAccount_processing": "000000000009",
    "pm_usBankAccount_weeklyLimitExceeded": "000777777771",
}
BACS: dict[str, str] = {
    "00012345": "success",
    "90012345": "success_delayed",
    "33333335": "debit_not_authorized",
    "93333335": "debit_not_authorized_delayed",
    "22222227": "insufficient_funds",
    "92222227": "insufficient_funds_delayed",
    "55555559": "dispute_delayed",
    "00033333": "mandate_fails",
    "00044444": "mandate_fails",
}
"""Bacs test account numbers (sort code 108800).

Source: https://docs.stripe.com/payments/bacs-debit/accept-a-payment#test-integration
"""
BECS: dict[str, str] = {
    "000123456": "success",
    "900123456": "success_delayed",
    "111111113": "account_closed",
    "111111116": "no_account",
    "222222227": "insufficient_funds",
    "922222227": "insufficient_funds_delayed",
    "666666660": "dispute",
    "343434343": "failed",
}
"""Becs test account numbers (BSB 000000).

Source: https://docs.stripe.com/payments/au-becs-debit/accept-a-payment#test-account-numbers
"""
ACSS: dict[str, str] = {
    "000123456789": "success",
    "900123456789": "success_delayed",
    "000222222227": "failed",
    "900222222227": "failed_delayed",
    "000666666661": "microdeposits_fail",
    "000777777771": "weekly_limit_exceeded",
    "000888888881": "daily_limit_exceeded",
}
"""Canadian test account numbers (institution 000, transit 11000).

Source: https://docs.stripe.com/payments/acss-debit/accept-a-payment#test-account-numbers
"""


def magic(identifier: str) -> tuple[str, str, str] | None:
    """Type, account and outcome behind a magic payment method id."""
    number = US_MAGIC.get(identifier)
    if number is not None:
        return "us_bank_account", number, US_BANK[number]
    iban = sepa.magic(identifier)
    if iban is not None or identifier == "pm_sepa_debit":
        iban = iban or sepa.IBANS["de"][0]
        return "sepa_debit", iban, sepa.outcome(iban)
    if identifier in ("pm_bacs_debit_success", "pm_bacsDebit_success"):
        return "bacs_debit", "00012345", "success"
    if identifier in ("pm_link", "pm_link_success"):
        return "link", "", "success"
    return None


def hash_of(call: Call, type: str, account: str) -> JsonObject:
    """The type's hash behind a magic id."""
    if type == "us_bank_account":
        return _us_bank(call, account, "110000000", "individual", "checking")
    if type == "sepa_debit":
        return _sepa(call, account)
    if type == "bacs_debit":
        return {"fingerprint": fingerprint_of(call, account), "last4": account[-4:], "sort_code": "108800"}
    return {"email": None, "persistent_token": None}


def read(
    call: Call, type: str, given: JsonObject, billing: JsonObject, prefix: str
) -> tuple[JsonObject, str]:
    """The type's hash and its test outcome from what was sent.

    Raises:
        InvalidRequest: bank details are missing or wrong.
    """
    where = f"{prefix}[{type}]" if prefix else type
    reader = _READERS.get(type)
    if reader is not None:
        found: tuple[JsonObject, str] = reader(call, given, billing, where)
        return found
    shown = {name: given.get(name) for name in _SHOWN.get(type, ())}
    return shown, "success"


_SHOWN: dict[str, tuple[str, ...]] = {
    "bizum": ("buyer_id",),
    "blik": ("buyer_id",),
    "boleto": ("tax_id",),
    "cashapp": ("buyer_id", "cashtag"),
    "eps": ("bank",),
    "fpx": ("bank",),
    "ideal": ("bank", "bic"),
    "link": ("email", "persistent_token"),
    "naver_pay": ("buyer_id", "funding"),
    "p24": ("bank",),
    "paypal": ("country", "payer_email", "payer_id"),
    "payto": ("bsb_number", "last4", "pay_id"),
    "sofort": ("country",),
    "upi": ("vpa",),
    "custom": ("type",),
}
"""Fields the type's hash shows."""


def _us_bank(call: Call, number: str, routing: str, holder: str, kind: str) -> JsonObject:
    return {
        "account_holder_type": holder,
        "account_type": kind,
        "bank_name": "STRIPE TEST BANK",
        "financial_connections_account": None,
        "fingerprint": fingerprint_of(call, routing + number),
        "last4": number[-4:],
        "networks": {"preferred": "ach", "supported": ["ach"]},
        "routing_number": routing,
        "status_details": {},
    }


def _read_us_bank(call: Call, given: JsonObject, billing: JsonObject, where: str) -> tuple[JsonObject, str]:
    if given.get("financial_connections_account"):
        raise InvalidRequest(
            "No such financial_connections account: the twin has no Financial Connections. Send the account and "
            "routing number instead.",
            param=f"{where}[financial_connections_account]",
        )
    _need(given, where, "account_holder_type", "account_number", "routing_number")
    _need_name(billing)
    number, routing = given["account_number"], given["routing_number"]
    if routing not in ("110000000", "021000021", "110000"):
        raise InvalidRequest(
            "You must use a test bank account number in test mode. Try 000123456789 or see more options at "
            "https://stripe.com/docs/connect/testing#account-numbers.",
            param=f"{where}[routing_number]",
            code="routing_number_invalid",
        )
    outcome = _outcome(US_BANK, number, f"{where}[account_number]")
    kind = given.get("account_type") or "checking"
    return _us_bank(call, number, routing, given["account_holder_type"], kind), outcome


def _sepa(call: Call, iban: str) -> JsonObject:
    return {
        "bank_code": iban[4:12],
        "branch_code": "",
        "country": iban[:2],
        "fingerprint": fingerprint_of(call, iban),
        "generated_from": {"charge": None, "setup_attempt": None},
        "last4": iban[-4:],
    }


def valid_iban(iban: str) -> bool:
    """Whether an IBAN's check digits are right."""
    if not (iban.isascii() and iban.isalnum() and 15 <= len(iban) <= 34):
        return False
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97 == 1


def _read_sepa(call: Call, given: JsonObject, billing: JsonObject, where: str) -> tuple[JsonObject, str]:
    _need(given, where, "iban")
    _need_name(billing)
    if not billing.get("email"):
        raise InvalidRequest(
            "Missing required param: billing_details[email].",
            param="billing_details[email]",
            code="parameter_missing",
        )
    iban = given["iban"].replace(" ", "").upper()
    if not valid_iban(iban):
        raise InvalidRequest(
            "The IBAN you entered is invalid.", param=f"{where}[iban]", code="invalid_bank_account_iban"
        )
    why = sepa.unusable(iban)
    if why is not None:
        raise InvalidRequest(why[1], param=f"{where}[iban]", code=why[0])
    return _sepa(call, iban), sepa.outcome(iban)


def _read_bacs(call: Call, given: JsonObject, billing: JsonObject, where: str) -> tuple[JsonObject, str]:
    _need(given, where, "account_number", "sort_code")
    _need_name(billing)
    number = given["account_number"]
    shown = {
        "fingerprint": fingerprint_of(call, number),
        "last4": number[-4:],
        "sort_code": given["sort_code"].replace("-", ""),
    }
    return shown, _outcome(BACS, number, f"{where}[account_number]")


def _read_becs(call: Call, given: JsonObject, billing: JsonObject, where: str) -> tuple[JsonObject, str]:
    _need(given, where, "account_number", "bsb_number")
    _need_name(billing)
    number = given["account_number"]
    bsb = given["bsb_number"].replace("-", "")
    if not (bsb.isdigit() and len(bsb) == 6):
        raise InvalidRequest(
            "The BSB number must have six digits.", param=f"{where}[bsb_number]", code="invalid_bsb_number"
        )
    shown = {
        "bsb_number": bsb,
        "fingerprint": fingerprint_of(call, number),
        "last4": number[-4:],
    }
    return shown, _outcome(BECS, number, f"{where}[account_number]")


def _read_acss(call: Call, given: JsonObject, billing: JsonObject, where: str) -> tuple[JsonObject, str]:
    _need(given, where, "account_number", "institution_number", "transit_number")
    number = given["account_number"]
    shown = {
        "bank_name": "STRIPE TEST BANK",
        "fingerprint": fingerprint_of(call, number),
        "institution_number": given["institution_number"],
        "last4": number[-4:],
        "transit_number": given["transit_number"],
    }
    return shown, _outcome(ACSS, number, f"{where}[account_number]")


def _read_nz(call: Call, given: JsonObject, billing: JsonObject, where: str) -> tuple[JsonObject, str]:
    _need(given, where, "account_number", "bank_code", "branch_code", "suffix")
    return {
        "account_holder_name": given.get("account_holder_name") or billing.get("name"),
        "bank_code": given["bank_code"],
        "bank_name": "STRIPE TEST BANK",
        "branch_code": given["branch_code"],
        "last4": given["account_number"][-4:],
        "suffix": given["suffix"],
    }, {"2222227": "insufficient_funds", "1111113": "account_closed"}.get(given["account_number"], "success")


def _read_klarna(call: Call, given: JsonObject, billing: JsonObject, where: str) -> tuple[JsonObject, str]:
    return ({"dob": given["dob"]} if given.get("dob") else {}), "success"


_READERS: dict[str, Any] = {
    "us_bank_account": _read_us_bank,
    "sepa_debit": _read_sepa,
    "bacs_debit": _read_bacs,
    "au_becs_debit": _read_becs,
    "acss_debit": _read_acss,
    "nz_bank_account": _read_nz,
    "klarna": _read_klarna,
}


def _need(given: JsonObject, where: str, *names: str) -> None:
    for name in names:
        if not given.get(name):
            raise InvalidRequest(
                f"Missing required param: {where}[{name}].",
                param=f"{where}[{name}]",
                code="parameter_missing",
            )


def _need_name(billing: JsonObject) -> None:
    if not billing.get("name"):
        raise InvalidRequest(
            "Missing required param: billing_details[name].",
            param="billing_details[name]",
            code="parameter_missing",
        )


def _outcome(table: dict[str, str], number: str, param: str) -> str:
    outcome = table.get(number)
    if outcome is None:
        raise InvalidRequest(
            "You must use a test bank account number in test mode. Try "
            f"{next(iter(table))} or see https://stripe.com/docs/testing#non-card-payments.",
            param=param,
            code="account_number_invalid",
        )
    return outcome


def fingerprint_of(call: Call, number: str) -> str:
    value = int.from_bytes(blake2b(f"{call.twin.account}:{number}".encode(), digest_size=16).digest(), "big")
    text = ""
    for _ in range(16):
        value, digit = divmod(value, 62)
        text += ALPHABET[digit]
    return text
