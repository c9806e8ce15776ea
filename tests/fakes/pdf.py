"""Makes PDFs of plain text, page by page: enough of the format for a reader to find the words again."""

from collections.abc import Sequence

LINE_HEIGHT = 12


def pdf(pages: Sequence[str], *, encrypted: bool = False) -> bytes:
    """A PDF whose pages hold these texts; their lines must be Latin-1. `encrypted` locks it with a password."""
    font = 3
    numbers = [(4 + 2 * at, 5 + 2 * at) for at in range(len(pages))]
    kids = " ".join(f"{page} 0 R" for page, _ in numbers)
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        font: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    }
    for (page, content), text in zip(numbers, pages, strict=True):
        resources = f"<< /Font << /F1 {font} 0 R >> >>"
        objects[page] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources {resources} "
            f"/Contents {content} 0 R >>"
        ).encode()
        drawn = _drawn(text)
        objects[content] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn)
    made = _assembled(objects)
    return _locked(made) if encrypted else made


def _drawn(text: str) -> bytes:
    lines = [line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for line in text.split("\n")]
    shown = "\n".join(f"({line}) Tj T*" for line in lines)
    return f"BT /F1 10 Tf {LINE_HEIGHT} TL 40 750 Td\n{shown}\nET".encode("latin-1")


def _assembled(objects: dict[int, bytes]) -> bytes:
    out, places = bytearray(b"%PDF-1.4\n"), dict[int, int]()
    for number in sorted(objects):
        places[number] = len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for number in sorted(objects):
        out += b"%010d 00000 n \n" % places[number]
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return bytes(out)


def _locked(made: bytes) -> bytes:
    import io

    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(made)))
    writer.encrypt("a password", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()
