"""Numbers in words that people read: shares, durations, money. One place, for the terminal and the pages."""

from __future__ import annotations

import time


def percent(share: float | None) -> str:
    """`66.7 %`, without decimals where there are none."""
    if share is None:
        return "–"
    value = round(share * 100, 1)
    return f"{value:.0f} %" if value == int(value) else f"{value:.1f} %"


def interval(low: float, high: float) -> str:
    """`21–94 %`."""
    return f"{low * 100:.0f}–{high * 100:.0f} %"


def duration(seconds: float | None) -> str:
    """`0.8 s`, `42 s`, `3 min 05 s`, `1 h 02 min`."""
    if seconds is None:
        return "–"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def count(value: float | None) -> str:
    """`7`, `7.5`, `12,400`."""
    if value is None:
        return "–"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def money(usd: float | None) -> str:
    """`$0.0421`, `$3.10`; an unknown price is a dash."""
    if usd is None:
        return "–"
    return f"${usd:.4f}" if 0 < usd < 0.1 else f"${usd:.2f}"


def moment(unix: int) -> str:
    """`2026-01-31 23:59 UTC`."""
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(unix))


def size(bytes_: int) -> str:
    """`812 B`, `1.2 kB`, `3.4 MB`."""
    if bytes_ < 1000:
        return f"{bytes_} B"
    return f"{bytes_ / 1000:.1f} kB" if bytes_ < 1_000_000 else f"{bytes_ / 1_000_000:.1f} MB"


def plural(number: int, one: str, many: str = "") -> str:
    """`1 trial`, `2 trials`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
