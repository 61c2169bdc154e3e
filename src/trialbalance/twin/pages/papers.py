"""Documents of the pages that are files: invoices and credit notes as PDF, codes to scan."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING

from trialbalance.twin.currencies import shown
from trialbalance.twin.pages.pdf import pdf

if TYPE_CHECKING:
    from trialbalance.twin.twin import Twin


def date(seconds: int | None) -> str:
    """A day, as documents write it."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%d %B %Y") if seconds else ""


def invoice(twin: Twin, account: str, token: str) -> bytes | None:
    """The PDF of an invoice, or None where there is none."""
    found = next(twin.store.all(account, "invoice", _token=token), None)
    if found is None:
        return None

    def money(amount: int) -> str:
        return shown(amount, found["currency"])

    lines = [
        f"Number: {found['number']}",
        f"Issued: {date(found['created'])}",
        f"Due: {date(found['due_date'])}" if found["due_date"] else "",
        f"From: {found['account_name'] or ''}",
        f"Bill to: {found['customer_name'] or ''} {found['customer_email'] or ''}",
        "",
    ]
    for name in found["_lines"]:
        line = twin.store.find(account, "line_item", name) or {}
        lines.append(
            f"{line.get('description') or ''}   {line.get('quantity') or ''}   {money(line.get('amount', 0))}"
        )
    lines += [
        "",
        f"Subtotal: {money(found['subtotal'])}",
        f"Total: {money(found['total'])}",
        f"Amount due: {money(found['amount_remaining'])}",
        "",
        f"Status: {found['status']}",
    ]
    return pdf("Invoice", lines)


def credit_note(twin: Twin, account: str, token: str) -> bytes | None:
    """The PDF of a credit note, or None."""
    for note in twin.store.all(account, "credit_note"):
        if f"/{token}/" in str(note["pdf"]):
            money = shown(note["total"], note["currency"])
            return pdf(
                "Credit note",
                [f"Number: {note['number']}", f"Issued: {date(note['created'])}", f"Total: {money}"],
            )
    return None


def code(text: str) -> bytes:
    """A picture that stands for a code to scan: a pattern of its own for every text, for eyes, not for scanners."""
    size, digest = 25, blake2b(text.encode(), digest_size=64).digest()
    bits = int.from_bytes(digest * 2, "big")
    squares = []
    for row in range(size):
        for column in range(size):
            corner = (row < 7 and (column < 7 or column > 17)) or (row > 17 and column < 7)
            if corner:
                x, y = min(column, size - 1 - column), min(row, size - 1 - row)
                dark = x in (0, 6) or y in (0, 6) or (2 <= x <= 4 and 2 <= y <= 4)
            else:
                dark = bool(bits >> ((row * size + column) % 1024) & 1)
            if dark:
                squares.append(f"M{column} {row}h1v1h-1z")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-2 -2 {size + 4} {size + 4}">'
        f'<path fill="#fff" d="M-2-2h{size + 4}v{size + 4}h-{size + 4}z"/><path d="{"".join(squares)}"/></svg>'
    ).encode()
