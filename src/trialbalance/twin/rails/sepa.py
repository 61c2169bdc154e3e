"""SEPA test accounts: what each published IBAN does.

Five countries' accounts are listed one by one; the endings for limits and unusable accounts are the same in all
countries. Every other valid IBAN succeeds.
Source: https://docs.stripe.com/testing#sepa-direct-debit
"""

from __future__ import annotations

SCENARIOS: dict[str, str] = {
    "success": "success",
    "successDelayed": "success_delayed",
    "failed": "failed",
    "failedDelayed": "failed_delayed",
    "disputed": "dispute",
    "exceedsWeeklyVolumeLimit": "charge_exceeds_source_limit",
    "exceedsWeeklyTransactionLimit": "charge_exceeds_weekly_limit",
    "insufficientFunds": "insufficient_funds",
}
"""Scenarios as the names of test payment methods spell them, and their outcomes."""
IBANS: dict[str, tuple[str, str, str, str, str, str, str, str]] = {
    "at": (
        "AT611904300234573201", "AT321904300235473204", "AT861904300235473202", "AT051904300235473205",
        "AT591904300235473203", "AT981904300000343434", "AT601904300000121212", "AT981904300002222227",
    ),
    "be": (
        "BE62510007547061", "BE78510007547064", "BE68539007547034", "BE51510007547065", "BE08510007547063",
        "BE90510000343434", "BE52510000121212", "BE90510002222227",
    ),
    "de": (
        "DE89370400440532013000", "DE08370400440532013003", "DE62370400440532013001", "DE78370400440532013004",
        "DE35370400440532013002", "DE65370400440000343434", "DE27370400440000121212", "DE65370400440002222227",
    ),
    "fr": (
        "FR1420041010050500013M02606", "FR3020041010050500013M02609", "FR8420041010050500013M02607",
        "FR7920041010050500013M02600", "FR5720041010050500013M02608", "FR9720041010050000000343434",
        "FR5920041010050000000121212", "FR9720041010050000002222227",
    ),
    "ie": (
        "IE29AIBK93115212345678", "IE24AIBK93115212345671", "IE02AIBK93115212345679", "IE94AIBK93115212345672",
        "IE51AIBK93115212345670", "IE10AIBK93115200343434", "IE69AIBK93115200121212", "IE10AIBK93115202222227",
    ),
}  # fmt: skip
"""Accounts of a country, in the order of `SCENARIOS`."""
ENDINGS: dict[str, str] = {
    "0000343434": "charge_exceeds_source_limit",
    "0000121212": "charge_exceeds_weekly_limit",
    "0002222227": "insufficient_funds",
}
UNUSABLE: dict[str, tuple[str, str]] = {
    "00000055555": ("sepa_debit_bank_not_supported", "The bank does not support SEPA Direct Debit."),
    "00000066666": ("sepa_debit_debits_not_supported", "The account cannot be debited by SEPA Direct Debit."),
}
"""Endings of accounts that no payment method can be made of."""
_OUTCOMES = {
    iban: outcome
    for accounts in IBANS.values()
    for iban, outcome in zip(accounts, SCENARIOS.values(), strict=True)
}


def outcome(iban: str) -> str:
    """What a debit of an account does."""
    known = _OUTCOMES.get(iban)
    if known is not None:
        return known
    return next((found for ending, found in ENDINGS.items() if iban.endswith(ending[-6:])), "success")


def unusable(iban: str) -> tuple[str, str] | None:
    """Why no payment method can be made of an account: code and message."""
    return next((why for ending, why in UNUSABLE.items() if iban.endswith(ending[-9:])), None)


def magic(identifier: str) -> str | None:
    """The IBAN behind `pm_sepaDebit_<scenario>_<country>`; without a country it is Germany's."""
    parts = identifier.split("_")
    if parts[:2] != ["pm", "sepaDebit"] or len(parts) > 4:
        return None
    scenario = parts[2] if len(parts) > 2 else "success"
    country = parts[3] if len(parts) > 3 else "de"
    if scenario not in SCENARIOS or country not in IBANS:
        return None
    return IBANS[country][list(SCENARIOS).index(scenario)]
