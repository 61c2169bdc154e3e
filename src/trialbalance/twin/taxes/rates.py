"""The twin's tax table: one standard rate a place, fixed, published in docs/payments.md.

It is made for tests, not for filing: rates are the countries' and states' standard ones and leave out counties,
cities, reduced rates and thresholds.
"""

from __future__ import annotations

from typing import NamedTuple


class Rate(NamedTuple):
    """One tax of a place: percent as text, its kind, what it is called, and the level that levies it."""

    percent: str
    type: str
    name: str
    level: str


class Place(NamedTuple):
    """Where something is taxed: the country and, where it matters, the state or province."""

    country: str
    state: str | None = None


STATES: dict[str, tuple[str, str]] = {
    "AL": ("Alabama", "4"), "AK": ("Alaska", "0"), "AZ": ("Arizona", "5.6"), "AR": ("Arkansas", "6.5"),
    "CA": ("California", "7.25"), "CO": ("Colorado", "2.9"), "CT": ("Connecticut", "6.35"), "DE": ("Delaware", "0"),
    "DC": ("District of Columbia", "6"), "FL": ("Florida", "6"), "GA": ("Georgia", "4"), "HI": ("Hawaii", "4"),
    "ID": ("Idaho", "6"), "IL": ("Illinois", "6.25"), "IN": ("Indiana", "7"), "IA": ("Iowa", "6"),
    "KS": ("Kansas", "6.5"), "KY": ("Kentucky", "6"), "LA": ("Louisiana", "5"), "ME": ("Maine", "5.5"),
    "MD": ("Maryland", "6"), "MA": ("Massachusetts", "6.25"), "MI": ("Michigan", "6"), "MN": ("Minnesota", "6.875"),
    "MS": ("Mississippi", "7"), "MO": ("Missouri", "4.225"), "MT": ("Montana", "0"), "NE": ("Nebraska", "5.5"),
    "NV": ("Nevada", "6.85"), "NH": ("New Hampshire", "0"), "NJ": ("New Jersey", "6.625"),
    "NM": ("New Mexico", "4.875"), "NY": ("New York", "4"), "NC": ("North Carolina", "4.75"),
    "ND": ("North Dakota", "5"), "OH": ("Ohio", "5.75"), "OK": ("Oklahoma", "4.5"), "OR": ("Oregon", "0"),
    "PA": ("Pennsylvania", "6"), "RI": ("Rhode Island", "7"), "SC": ("South Carolina", "6"),
    "SD": ("South Dakota", "4.2"), "TN": ("Tennessee", "7"), "TX": ("Texas", "6.25"), "UT": ("Utah", "6.1"),
    "VT": ("Vermont", "6"), "VA": ("Virginia", "5.3"), "WA": ("Washington", "6.5"), "WV": ("West Virginia", "6"),
    "WI": ("Wisconsin", "5"), "WY": ("Wyoming", "4"),
}  # fmt: skip
"""States of the United States: name and sales tax."""

PROVINCES: dict[str, tuple[str, str, tuple[str, str, str] | None]] = {
    "AB": ("Alberta", "gst", None),
    "BC": ("British Columbia", "gst", ("7", "pst", "PST")),
    "MB": ("Manitoba", "gst", ("7", "rst", "RST")),
    "NB": ("New Brunswick", "15", None),
    "NL": ("Newfoundland and Labrador", "15", None),
    "NS": ("Nova Scotia", "14", None),
    "NT": ("Northwest Territories", "gst", None),
    "NU": ("Nunavut", "gst", None),
    "ON": ("Ontario", "13", None),
    "PE": ("Prince Edward Island", "15", None),
    "QC": ("Quebec", "gst", ("9.975", "qst", "QST")),
    "SK": ("Saskatchewan", "gst", ("6", "pst", "PST")),
    "YT": ("Yukon", "gst", None),
}
"""Provinces of Canada: name, their HST or "gst" for the federal five percent, and their own tax."""

VAT: dict[str, str] = {
    "AT": "20", "BE": "21", "BG": "20", "HR": "25", "CY": "19", "CZ": "21", "DK": "25", "EE": "24", "FI": "25.5",
    "FR": "20", "DE": "19", "GR": "24", "HU": "27", "IE": "23", "IT": "22", "LV": "21", "LT": "21", "LU": "17",
    "MT": "18", "NL": "21", "PL": "23", "PT": "23", "RO": "21", "SK": "23", "SI": "22", "ES": "21", "SE": "25",
    "GB": "20", "CH": "8.1", "LI": "8.1", "NO": "25", "IS": "24", "ZA": "15", "AE": "5", "SA": "15", "BH": "10",
    "OM": "5", "TR": "20", "CL": "19", "CO": "19", "MX": "16", "PE": "18", "KR": "10", "TH": "7", "UA": "20",
    "GE": "18", "KE": "16", "NG": "7.5", "EG": "14", "PH": "12", "VN": "10", "ID": "11", "RS": "20",
}  # fmt: skip
GST: dict[str, str] = {"AU": "10", "NZ": "15", "SG": "9", "IN": "18"}
EU = frozenset(list(VAT)[:27])
"""Member states of the European Union."""


def rates_of(place: Place) -> list[Rate] | None:
    """The taxes of a place; empty where nothing is taxed, None where the table knows nothing."""
    country, state = place
    if country == "US":
        if state not in STATES:
            return None
        percent = STATES[state][1]
        return [] if percent == "0" else [Rate(percent, "sales_tax", "Sales Tax", "state")]
    if country == "CA":
        province = PROVINCES.get(state or "")
        if province is None:
            return [Rate("5", "gst", "GST", "country")]
        _, federal, own = province
        if federal != "gst":
            return [Rate(federal, "hst", "HST", "state")]
        return [Rate("5", "gst", "GST", "country"), *([Rate(*own, "state")] if own else [])]
    if country == "JP":
        return [Rate("10", "jct", "Consumption Tax", "country")]
    if country in GST:
        return [Rate(GST[country], "gst", "GST", "country")]
    if country in VAT:
        return [Rate(VAT[country], "vat", "VAT", "country")]
    return None


def name_of(place: Place, level: str) -> str:
    """What a jurisdiction is called."""
    if level == "state" and place.country == "US":
        return STATES.get(place.state or "", (place.state or "", ""))[0]
    if level == "state" and place.country == "CA":
        return PROVINCES.get(place.state or "", (place.state or "", "", None))[0]
    return NAMES.get(place.country, place.country)


NAMES: dict[str, str] = {
    "US": "United States", "CA": "Canada", "GB": "United Kingdom", "AU": "Australia", "NZ": "New Zealand",
    "JP": "Japan", "SG": "Singapore", "IN": "India", "CH": "Switzerland", "NO": "Norway", "AT": "Austria",
    "BE": "Belgium", "BG": "Bulgaria", "HR": "Croatia", "CY": "Cyprus", "CZ": "Czech Republic", "DK": "Denmark",
    "EE": "Estonia", "FI": "Finland", "FR": "France", "DE": "Germany", "GR": "Greece", "HU": "Hungary",
    "IE": "Ireland", "IT": "Italy", "LV": "Latvia", "LT": "Lithuania", "LU": "Luxembourg", "MT": "Malta",
    "NL": "Netherlands", "PL": "Poland", "PT": "Portugal", "RO": "Romania", "SK": "Slovakia", "SI": "Slovenia",
    "ES": "Spain", "SE": "Sweden",
}  # fmt: skip
