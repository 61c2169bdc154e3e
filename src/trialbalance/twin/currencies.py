"""Currencies: which exist, how many decimals they have, what may be charged in them, what they are worth.

Amounts are integers in a currency's smallest unit. The exchange rates are a fixed table of ours (one US dollar in
each currency), so that conversions are the same on every run.
Source: https://docs.stripe.com/currencies
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from trialbalance.twin.errors import InvalidRequest

_SUPPORTED = """
    usd aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bhd bif bmd bnd bob brl bsd bwp byn bzd cad
    cdf chf clp cny cop crc cve czk djf dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gnf gtq gyd hkd hnl
    hrk htg huf idr ils inr isk jmd jod jpy kes kgs khr kmf krw kwd kyd kzt lak lbp lkr lrd lsl mad mdl mga
    mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd omr pab pen pgk php pkr pln pyg qar ron
    rsd rub rwf sar sbd scr sek sgd shp sle sos srd std szl thb tjs tnd top try ttd twd tzs uah ugx uyu uzs
    vnd vuv wst xaf xcd xcg xof xpf yer zar zmw usdc btn ghs eek lvl svc vef ltl sll mro
"""
SUPPORTED: tuple[str, ...] = tuple(_SUPPORTED.split())
_ZERO_DECIMAL = "bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf"
ZERO_DECIMAL = frozenset(_ZERO_DECIMAL.split())
THREE_DECIMAL = frozenset(["bhd", "jod", "kwd", "omr", "tnd"])
STEPS: dict[str, int] = {**dict.fromkeys(THREE_DECIMAL, 10), "isk": 100, "ugx": 100}
"""What amounts must be divisible by: no third decimal, and no fractions of a króna or a Ugandan shilling, which keep two.

Source: https://docs.stripe.com/currencies#special-cases and https://docs.stripe.com/currencies#three-decimal
"""
PAYOUT_STEPS: dict[str, int] = {"huf": 100, "twd": 100}
"""The same for payouts made by hand."""

MINIMUM: dict[str, int] = {
    "usd": 50, "aed": 200, "aud": 50, "bgn": 100, "brl": 50, "cad": 50, "chf": 50, "czk": 1500, "dkk": 250,
    "eur": 50, "gbp": 30, "hkd": 400, "huf": 17500, "inr": 50, "jpy": 50, "mxn": 1000, "myr": 200, "nok": 300,
    "nzd": 50, "pln": 200, "ron": 200, "sek": 300, "sgd": 50, "thb": 1000,
}  # fmt: skip
"""The smallest charge, where the documentation gives one."""
MAXIMUM = 99_999_999
MAXIMUM_OF: dict[str, int] = {
    "cop": 9_999_999_999, "huf": 9_999_999_999, "idr": 999_999_999_999, "inr": 999_999_999,
    "jpy": 9_999_999_999, "lbp": 999_999_999_999,
}  # fmt: skip
"""The largest charge, where it is not eight digits."""

PER_DOLLAR: dict[str, str] = {
    "usd": "1", "aed": "3.6725", "ars": "1050", "aud": "1.52", "bgn": "1.70", "bhd": "0.376", "brl": "5.40",
    "cad": "1.40", "chf": "0.88", "clp": "950", "cny": "7.15", "cop": "4000", "crc": "510", "czk": "21.9",
    "dkk": "6.48", "dop": "60", "egp": "49", "eur": "0.87", "gbp": "0.76", "hkd": "7.78", "hrk": "6.55",
    "huf": "342", "idr": "16300", "ils": "3.40", "inr": "86", "isk": "126", "jod": "0.709", "jpy": "150",
    "kes": "129", "krw": "1390", "kwd": "0.307", "lbp": "89500", "mad": "9.2", "mxn": "18.6", "myr": "4.25",
    "ngn": "1500", "nok": "10.2", "nzd": "1.70", "omr": "0.385", "pen": "3.6", "php": "57", "pln": "3.70",
    "pyg": "7400", "ron": "4.42", "sar": "3.75", "sek": "9.6", "sgd": "1.30", "thb": "32.8", "tnd": "2.95",
    "try": "41", "twd": "31", "ugx": "3600", "uyu": "40", "vnd": "26000", "xaf": "570", "xof": "570",
    "zar": "17.8",
}  # fmt: skip
"""Units of a currency for one US dollar; a currency that is not listed is taken at ten."""

SYMBOLS = {"usd": "$", "eur": "€", "gbp": "£", "jpy": "¥", "inr": "₹", "krw": "₩"}


def decimals(currency: str) -> int:
    """How many decimals the currency's amounts have."""
    return 0 if currency in ZERO_DECIMAL else 3 if currency in THREE_DECIMAL else 2


def check_currency(currency: str, param: str = "currency") -> str:
    """The currency in lower case.

    Raises:
        InvalidRequest: no such currency.
    """
    code = currency.lower()
    if code not in SUPPORTED:
        raise InvalidRequest(
            f"Invalid currency: {code}. Stripe currently supports these currencies: {', '.join(SUPPORTED)}",
            param=param,
        )
    return code


def shown(amount: int, currency: str, *, code: bool = False) -> str:
    """An amount as messages show it: `$11.00`, `€5.00`, `kr`-less others as `12.00 nok`."""
    places = decimals(currency)
    number = f"{Decimal(amount).scaleb(-places):,.{places}f}"
    symbol = SYMBOLS.get(currency)
    text = f"{symbol}{number}" if symbol else number
    return f"{text} {currency}" if code or not symbol else text


def minimum(currency: str) -> int:
    """The smallest charge; unlisted currencies: what fifty US cents are worth."""
    listed = MINIMUM.get(currency)
    return listed if listed is not None else max(1, convert(50, "usd", currency))


def check_amount(amount: int, currency: str, *, param: str = "amount") -> None:
    """Refuse an amount that cannot be charged.

    Raises:
        InvalidRequest: below one, below the currency's minimum, above the maximum, or with too many decimals.
    """
    if amount < 1:
        raise InvalidRequest(
            "The amount must be greater than or equal to the minimum charge amount allowed for your account and the "
            "currency set (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts).  If you want to "
            "save a Payment Method for future use without an immediate payment, use a Setup Intent instead: "
            "https://docs.stripe.com/payments/setup-intents",
            param=param,
            code="parameter_invalid_integer",
        )
    most = MAXIMUM_OF.get(currency, MAXIMUM)
    if amount > most:
        raise InvalidRequest(
            f"Amount must be no more than {shown(most, currency)}", param=param, code="amount_too_large"
        )
    least = minimum(currency)
    if amount < least:
        raise InvalidRequest(
            f"Amount must be at least {shown(least, currency, code=True)}",
            param=param,
            code="amount_too_small",
        )
    check_step(amount, currency, STEPS, param=param)


def check_step(amount: int, currency: str, steps: dict[str, int], *, param: str = "amount") -> None:
    """Refuse an amount with decimals that the currency does not use.

    Raises:
        InvalidRequest: not divisible by the currency's step.
    """
    step = steps.get(currency, 1)
    if amount % step:
        raise InvalidRequest(
            f"Invalid amount: {amount}. Amounts in {currency} must be evenly divisible by {step}. See "
            "https://docs.stripe.com/currencies#special-cases.",
            param=param,
        )


def rate(source: str, target: str) -> Decimal:
    """Units of `target` for one unit of `source`, in whole (not smallest) units, to six decimals."""
    if source == target:
        return Decimal(1)
    value = Decimal(PER_DOLLAR.get(target, "10")) / Decimal(PER_DOLLAR.get(source, "10"))
    return value.quantize(Decimal("0.000001"), ROUND_HALF_UP)


def convert(amount: int, source: str, target: str) -> int:
    """An amount in another currency's smallest unit, rounded half up."""
    if source == target:
        return amount
    whole = Decimal(amount).scaleb(-decimals(source)) * rate(source, target)
    return int(whole.scaleb(decimals(target)).quantize(Decimal(1), ROUND_HALF_UP))
