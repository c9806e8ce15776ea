"""The one report, from what the branches came to; pure. No value that a rule found stands in it, only masked ones."""

from collections.abc import Mapping, Sequence

from agents.document_review.finding import Finding, worst
from agents.document_review.state import Document, Kind, Section, Severity
from agents.shared.plain import plain

TITLES = {
    "sentiment": "Tone",
    "pii": "Personal data",
    "security": "Security",
    "compliance": "Compliance",
    "standard_processor": "Standard review",
}
SHOWN = 25
"""Findings of a branch that stand in the report; the table has all."""
EXCERPT = 4_000
LONGEST_LINE = 1_000
BY_RULES = "A model could not be used for all of it: another one, or written rules, read it instead."


def severity_of(sections: Mapping[str, Section]) -> Severity:
    """The worst of all sections."""
    return worst(section["severity"] for section in sections.values())  # type: ignore[return-value]


def is_complete(sections: Mapping[str, Section]) -> bool:
    """Whether no branch failed."""
    return all(section["status"] == "done" for section in sections.values())


def headline(document: Document, kind: Kind, sections: Mapping[str, Section]) -> str:
    """The report in one line."""
    found = sum(sum(section["counts"].values()) for section in sections.values())
    part = "" if is_complete(sections) else ", INCOMPLETE: a part of the review failed"
    pages = f"{document['pages']} page{'' if document['pages'] == 1 else 's'}"
    findings = f"{found} finding{'' if found == 1 else 's'}"
    return f"{document['title']}: {kind}, {pages}, {findings}, severity {severity_of(sections)}{part}"


def markdown(
    document: Document,
    kind: Kind,
    sections: Mapping[str, Section],
    found: Mapping[str, Sequence[Finding]],
    notes: Sequence[str],
) -> str:
    """The whole report."""
    parts = [f"# Review of {_plain(document['title'])}", _plain(headline(document, kind, sections)) + "."]
    for branch, title in TITLES.items():
        if branch in sections:
            parts += [f"## {title}", _plain(sections[branch]["summary"])]
            parts += _lines(found.get(branch, ()), sum(sections[branch]["counts"].values()))
    if notes:
        parts += ["## Notes", "\n".join(f"- {_plain(note)}" for note in notes)]
    parts.append(f"`{document['document_id']}`, SHA-256 `{document['sha256']}`")
    return "\n\n".join(parts) + "\n"


def for_readers(notes: Sequence[str]) -> list[str]:
    """Of what did not work on the way, what readers have to know: how the text was had, and that rules judged it."""
    of_text = [
        note
        for note in notes
        if not note.startswith(("model ", "classify: ", *(f"{name}: " for name in TITLES)))
    ]
    models = any(note.startswith("model ") or " gave an unusable answer" in note for note in notes)
    return [*of_text, *([BY_RULES] if models else [])]


def excerpt(text: str) -> str:
    """As much of the report as state holds."""
    return text if len(text) <= EXCERPT else text[: EXCERPT - 1] + "…"


def _lines(found: Sequence[Finding], total: int) -> list[str]:
    if not found:
        return []
    lines = [f"- **{finding.severity}** {_plain(str(finding))}" for finding in found[:SHOWN]]
    if total > len(lines):
        lines.append(f"- and {total - len(lines):,} more, in the table of findings")
    return ["\n".join(lines)]


def _plain(text: str) -> str:
    return plain(text, LONGEST_LINE)
