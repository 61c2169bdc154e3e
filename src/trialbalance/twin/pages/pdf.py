"""A small PDF of plain lines: what `invoice_pdf` and credit notes point at.

One font, one column, as many pages as it takes. Text outside of Latin-1 is shown as question marks.
"""

from __future__ import annotations

LINES_PER_PAGE = 52


def pdf(title: str, lines: list[str]) -> bytes:
    """The document's bytes."""
    pages = [lines[start : start + LINES_PER_PAGE] for start in range(0, max(len(lines), 1), LINES_PER_PAGE)]
    objects: list[bytes] = []

    def add(body: bytes) -> int:
        objects.append(body)
        return len(objects)

    catalog, tree = add(b""), add(b"")
    font = add(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
    kids = []
    for number, page in enumerate(pages):
        size = [16] if number == 0 else [10]
        text = [b"BT", b"/F1 %d Tf" % size[0], b"50 790 Td", b"16 TL"]
        rows = [title, "", *page] if number == 0 else page
        for position, row in enumerate(rows):
            if position == 1 and number == 0:
                text.append(b"/F1 10 Tf")
            text.append(b"(" + _escaped(row) + b") Tj T*")
        text.append(b"ET")
        stream = b"\n".join(text)
        content = add(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        kids.append(
            add(
                b"<< /Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
                b"/Resources << /Font << /F1 %d 0 R >> >> >>" % (tree, content, font)
            )
        )
    objects[catalog - 1] = b"<< /Type /Catalog /Pages %d 0 R >>" % tree
    names = b" ".join(b"%d 0 R" % kid for kid in kids)
    objects[tree - 1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (names, len(kids))
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for position, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (position, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer << /Size %d /Root %d 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        catalog,
        start,
    )
    return bytes(out)


def _escaped(text: str) -> bytes:
    plain = text.encode("cp1252", "replace")
    return plain.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
