"""A plan as Markdown, for a pull request. Whatever a file or a server says is shown, never obeyed. Pure."""

from collections.abc import Iterable, Iterator
from itertools import groupby

from stationmaster.reconcile.plan import Plan
from stationmaster.reconcile.remarks import changed_by
from stationmaster.reconcile.wording import SIGNS, headline, is_long, rows, text_diff


def markdown(plan: Plan, remarks: Iterable[str]) -> str:
    """Headline, a table of changes, long texts as folded diffs, remarks, and the checksum."""
    lines = [f"### Stationmaster plan for {_code(plan.target)}", "", f"**{headline(plan)}**", ""]
    if plan.changes:
        lines += [
            "| | what | field | the server has | it will have |",
            "|---|---|---|---|---|",
            *_table(plan),
            "",
        ]
    for remark in remarks:
        lines += [f"- {_inline(remark)}"]
    lines += ["", *_texts(plan), f"Checksum {_code(plan.checksum)}"]
    return "\n".join(lines) + "\n"


def _table(plan: Plan) -> Iterator[str]:
    for change in plan.changes:
        what = f"{SIGNS[change.action]} {change.action} {change.kind} {_code(change.name)}"
        by = changed_by(change)
        for number, row in enumerate(rows(change, plan.names)):
            first = f"{what}{f' ({_inline(by)})' if by else ''}" if number == 0 else ""
            drifted = "!" if row.drifted else ""
            field = _code(row.field) if row.field else ""
            yield f"| {drifted} | {first} | {field} | {_code(row.served)} | {_code(row.wanted)} |"


def _texts(plan: Plan) -> Iterator[str]:
    for change in plan.changes:
        for field in change.fields:
            if is_long(field) and change.action != "create":
                body = text_diff(field)
                fence = "`" * max(3, *(_longest_run(line) + 1 for line in body))
                yield from [
                    f"<details><summary>{change.name}: {_inline(field.field)}</summary>",
                    "",
                    f"{fence}diff",
                ]
                yield from body
                yield from [fence, "", "</details>", ""]


def _code(text: str) -> str:
    """A code span that a table can hold; a pipe would end the cell even there."""
    plain = text.replace("\n", " ").replace("|", "\\|")
    fence = "`" * (_longest_run(plain) + 1)
    space = " " if plain.startswith("`") or plain.endswith("`") else ""
    return f"{fence}{space}{plain}{space}{fence}"


def _inline(text: str) -> str:
    """Words of ours with names of others in them."""
    for letter in ("&", "<", ">", "|", "[", "]", "*", "@"):
        text = text.replace(letter, f"&#{ord(letter)};")
    return text.replace("\n", " ")


def _longest_run(text: str) -> int:
    return max((len(list(run)) for letter, run in groupby(text) if letter == "`"), default=0)
