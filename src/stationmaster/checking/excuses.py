"""Exceptions: a comment `# check: allow RULE: the reason` at the line of a finding, or above it.

One without a reason is a finding, and so is one that excuses nothing (any more), or that names no rule.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from stationmaster.checking.finding import Finding, Place
from stationmaster.checking.reading import files
from stationmaster.checking.reading.files import SourceFile

MARK = "check: allow"
_COMMENT = re.compile(r"#\s*check: allow\b\s*([\w-]*)\s*:?\s*(.*)$")
RULE = "exception"
LOOKS_FOR = "a comment that allows a rule without a reason, or that allows what would not be found"
WHY = "An exception is an answer to whoever asks why later: it needs its reason, and has to go when it excuses nothing."


@dataclass(frozen=True)
class Excuse:
    """One comment. `lines` are those of which it speaks."""

    rule: str
    reason: str
    place: Place
    lines: range


def applied(
    found: Sequence[Finding], looked_at: Iterable[SourceFile], rules: frozenset[str]
) -> tuple[list[Finding], list[Finding]]:
    """Findings that are left, those of wrong comments among them; and those that are excused, with the reasons."""
    places = {finding.place.file for finding in found if finding.place.file.suffix == ".py"}
    sources = {file.path: file for file in looked_at}
    sources |= {path: file for path in places if (file := files.read(path)) is not None}
    excuses = [each for file in sources.values() for each in of_file(file)]
    excuses += [each for path in {f.place.file for f in found} - set(sources) for each in of_settings(path)]
    left: list[Finding] = []
    excused: list[Finding] = []
    used: set[Excuse] = set()
    for finding in found:
        excuse = next((each for each in excuses if _fits(each, finding)), None)
        if excuse is None or not excuse.reason:
            left.append(finding)
        else:
            excused.append(replace(finding, excused=excuse.reason))
        used |= {excuse} if excuse is not None else set()
    return [*left, *_wrong(excuses, used, rules)], excused


def of_file(file: SourceFile) -> list[Excuse]:
    """The comments of a Python file. One that stands alone speaks of the next line; its reason may go on below."""
    if MARK not in file.text:
        return []
    comments = {line: (alone, text) for line, alone, text in file.comments()}
    found: list[Excuse] = []
    for line, (alone, text) in comments.items():
        match = _COMMENT.match(text)
        if match is None:
            continue
        last, reason = line, match[2].strip()
        while alone and comments.get(last + 1, (False, ""))[0]:
            last += 1
            if not any(_COMMENT.match(comments[number][1]) for number in range(line + 1, last + 1)):
                reason += " " + comments[last][1].lstrip("# ").strip()
        place = Place(file.path, line, line)
        found.append(Excuse(match[1], reason.strip(), place, range(line, last + 2 if alone else line + 1)))
    return found


def of_settings(path: Path) -> list[Excuse]:
    """The comments of a `.env` file: such a file has findings too."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines() if path.name.startswith(".env") else []
    except OSError:
        return []
    matches = [(number, _COMMENT.search(line)) for number, line in enumerate(lines, 1)]
    return [
        Excuse(match[1], match[2].strip(), Place(path, number, number), range(number, number + 2))
        for number, match in matches
        if match is not None
    ]


def _fits(excuse: Excuse, finding: Finding) -> bool:
    place = finding.place
    return (
        excuse.rule == finding.rule
        and excuse.place.file == place.file
        and any(line in excuse.lines for line in range(place.line, max(place.last, place.line) + 1))
    )


def _wrong(excuses: Iterable[Excuse], used: set[Excuse], rules: frozenset[str]) -> Iterable[Finding]:
    for each in excuses:
        if each.rule not in rules:
            said = f"it allows {each.rule or 'nothing'}, which is no rule"
            yield Finding(RULE, "", each.place, said, WHY, f"one of {', '.join(sorted(rules))}")
        elif not each.reason:
            said = f"it allows {each.rule} and gives no reason"
            yield Finding(
                RULE, "", each.place, said, WHY, f"# check: allow {each.rule}: why it is right here"
            )
        elif each not in used:
            said = f"it allows {each.rule}, and nothing here would be found"
            yield Finding(RULE, "", each.place, said, WHY, "nothing: remove the comment")
