"""Exact arithmetic on minor units: every division names its rounding, and nothing is a float.

Percentages and decimal unit amounts come from the API as decimals; they are kept as whole fractions
(numerator, denominator) until one final division makes an integer of minor units.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any


def half_up(numerator: int, denominator: int) -> int:
    """The nearest integer; a tie goes away from zero.

    Example:
        >>> half_up(5, 2), half_up(-5, 2), half_up(7, 3)
        (3, -3, 2)
    """
    if denominator < 0:
        numerator, denominator = -numerator, -denominator
    if numerator < 0:
        return -((-2 * numerator + denominator) // (2 * denominator))
    return (2 * numerator + denominator) // (2 * denominator)


def half_floor(numerator: int, denominator: int) -> int:
    """The nearest integer; a tie goes to the lower one, also below zero.

    Example:
        >>> half_floor(5, 2), half_floor(-5, 2), half_floor(8, 3)
        (2, -3, 3)
    """
    if denominator < 0:
        numerator, denominator = -numerator, -denominator
    return -((denominator - 2 * numerator) // (2 * denominator))


def toward_zero(numerator: int, denominator: int) -> int:
    """The integer part.

    Example:
        >>> toward_zero(500, 3), toward_zero(-500, 3)
        (166, -166)
    """
    quotient = abs(numerator) // abs(denominator)
    return quotient if (numerator < 0) == (denominator < 0) else -quotient


def fraction(value: Any) -> tuple[int, int]:
    """A decimal as the API writes it (`"0.05"`, `22.5`, `7`) as numerator and denominator."""
    return Decimal(str(value)).as_integer_ratio()


def decimal_text(value: Any) -> str:
    """A decimal in the API's spelling: no exponent, no trailing zeros, no plus sign.

    Example:
        >>> decimal_text("123.450"), decimal_text(1500), decimal_text("0.10e1")
        ('123.45', '1500', '1')
    """
    text = format(Decimal(str(value)), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text
