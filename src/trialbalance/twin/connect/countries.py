"""Countries that accounts can be in: their currency, and which details they ask for.

Source: https://stripe.com/global and https://docs.stripe.com/connect/required-verification-information
"""

from __future__ import annotations

from typing import NamedTuple


class Country(NamedTuple):
    """`currency` of the account, whether addresses have a `state`, the fields that only some countries ask for.

    `person`: an identity number of people (`ssn_last_4` or `id_number`); `registry`: whether directors and
    executives of companies are asked for.
    """

    currency: str
    state: bool = False
    person: str | None = None
    registry: bool = False
    delay: int = 7


_EURO = Country("eur", registry=True)
COUNTRIES: dict[str, Country] = {
    "US": Country("usd", state=True, person="ssn_last_4", delay=2),
    "CA": Country("cad", state=True),
    "GB": Country("gbp", registry=True),
    "AU": Country("aud", state=True, registry=True, delay=2),
    "NZ": Country("nzd", registry=True, delay=4),
    "JP": Country("jpy", state=True, delay=4),
    "SG": Country("sgd", person="id_number", registry=True, delay=4),
    "HK": Country("hkd", person="id_number", registry=True),
    "MY": Country("myr", state=True, person="id_number"),
    "TH": Country("thb", person="id_number"),
    "IN": Country("inr", state=True, person="id_number"),
    "BR": Country("brl", state=True, person="id_number", delay=30),
    "MX": Country("mxn", state=True, person="id_number"),
    "AE": Country("aed", state=True),
    "CH": Country("chf", registry=True),
    "LI": Country("chf", registry=True),
    "NO": Country("nok", registry=True),
    "SE": Country("sek", registry=True),
    "DK": Country("dkk", registry=True),
    "PL": Country("pln", registry=True),
    "CZ": Country("czk", registry=True),
    "HU": Country("huf", registry=True),
    "RO": Country("ron", registry=True),
    "BG": Country("eur", registry=True),
    "GI": Country("gbp", registry=True),
    **dict.fromkeys(
        (
            "AT", "BE", "CY", "DE", "EE", "ES", "FI", "FR", "GR", "HR", "IE", "IT", "LT", "LU", "LV", "MT", "NL",
            "PT", "SI", "SK",
        ),
        _EURO,
    ),
}  # fmt: skip
"""Countries whose businesses can take payments."""

RECIPIENTS: dict[str, str] = {
    "AR": "ars", "BO": "bob", "CL": "clp", "CO": "cop", "CR": "crc", "DO": "dop", "EG": "egp", "GH": "ghs",
    "GM": "gmd", "ID": "idr", "IL": "ils", "IS": "eur", "KE": "kes", "KR": "krw", "MA": "mad", "NG": "ngn",
    "PE": "pen", "PH": "php", "PK": "pkr", "PY": "pyg", "RS": "rsd", "SA": "sar", "TN": "tnd", "TR": "try",
    "TT": "ttd", "TW": "twd", "UY": "uyu", "VN": "vnd", "ZA": "zar",
}  # fmt: skip
"""Countries whose accounts can only receive transfers (`tos_acceptance[service_agreement]=recipient`)."""


def known(country: str) -> bool:
    """Whether accounts can be in a country."""
    return country in COUNTRIES or country in RECIPIENTS


def currency_of(country: str) -> str:
    """The currency of a country's accounts."""
    return COUNTRIES[country].currency if country in COUNTRIES else RECIPIENTS.get(country, "usd")


def facts(country: str) -> Country:
    """What is asked for in a country; recipients' countries ask for little."""
    return COUNTRIES.get(country) or Country(RECIPIENTS.get(country, "usd"))
