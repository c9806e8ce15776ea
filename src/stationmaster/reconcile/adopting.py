"""What people changed on a server, written into its file; or a file for what has none. Nothing is sent."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from stationmaster.reconcile.diff import Actual, Desired, diff
from stationmaster.reconcile.errors import ReconcileError
from stationmaster.reconcile.files import Files
from stationmaster.reconcile.files.proving import prove
from stationmaster.reconcile.files.reading import AssistantSource, CronSource
from stationmaster.reconcile.files.writing import Edit, NotEditable, adopted, new_text
from stationmaster.reconcile.resources import (
    Assistant,
    Cron,
    Kind,
    ServedAssistant,
    ServedCron,
)

KINDS: Sequence[Kind] = ("assistant", "cron")


class NothingToAdopt(ReconcileError):
    """There is no such thing, or the server has it as the file was applied."""

    exit_code = 2


def adopt(wanted: str, files: Files, actual: Actual, folders: tuple[Path, Path]) -> Edit:
    """The edit for `support`, `assistant/support` or `cron/nightly`. `folders`: of assistants and crons.

    NothingToAdopt says why there is none; FilesWrong when its file can't be read; NotEditable when the next plan would
    refuse what would be written, or other assistants would change with it.
    """
    kind, name = _which(wanted, files, actual)
    row = _row(kind, name, actual)
    names = {found.assistant_id: found.known_as for found in actual.assistants if found.owned}
    source = _source(kind, name, files)
    if source is None:
        files.desired()  # or its own file may be the one that can't be read
        return _proved(
            Edit({_free(folders[KINDS.index(kind)], name): new_text(_content(row, names))}), files, folders
        )
    if isinstance(source, AssistantSource):
        changes = diff(
            Desired((source.assistant,)), Actual((row,) if isinstance(row, ServedAssistant) else ())
        )
    else:
        changes = diff(Desired((), (source.cron,)), Actual((), (row,) if isinstance(row, ServedCron) else ()))
    fields = [field for change in changes for field in change.fields if field.drifted or not row.applied]
    if not fields:
        raise NothingToAdopt(f"{kind} {name}: nothing was changed on the server since it was applied")
    edit = adopted(source, fields, names)
    _require_own_texts(source, edit, files)
    return _proved(edit, files, folders)


def _proved(edit: Edit, files: Files, folders: tuple[Path, Path]) -> Edit:
    prove(edit.texts, files, folders)
    return edit


def _free(folder: Path, name: str) -> Path:
    path = folder / f"{name}.yaml"
    if path.exists():
        raise NotEditable(f"{path} is there, under another name: rename it, then adopt again")
    return path


def _require_own_texts(source: AssistantSource | CronSource, edit: Edit, files: Files) -> None:
    """NotEditable where a text file is that of others too: they would change with it."""
    written = {path.resolve() for path in edit.texts}
    for each in files.assistants:
        for key, path in each.texts.paths.items():
            if each is not source and path.resolve() in written:
                raise NotEditable(
                    f"{path} is context.{key} of {each.assistant.name} too, which would change with it: give one of "
                    "them a text file of its own, then adopt again"
                )


def _which(wanted: str, files: Files, actual: Actual) -> tuple[Kind, str]:
    prefix, _, rest = wanted.partition("/")
    if rest:
        for kind in KINDS:
            if prefix.rstrip("s") == kind:
                return kind, rest
        raise NothingToAdopt(f"{prefix} is no kind of thing: write assistant/{rest} or cron/{rest}")
    found: list[Kind] = []
    if any(each.known_as == wanted for each in actual.assistants if each.owned):
        found.append("assistant")
    if any(each.name == wanted for each in actual.crons if each.owned):
        found.append("cron")
    if len(found) > 1:
        raise NothingToAdopt(
            f"{wanted} is an assistant and a cron: write assistant/{wanted} or cron/{wanted}"
        )
    if not found:
        raise NothingToAdopt(
            f"the server has no {wanted} that came from a file: `stationmaster plan` shows what it has"
        )
    return found[0], wanted


def _row(kind: Kind, name: str, actual: Actual) -> ServedAssistant | ServedCron:
    if kind == "assistant":
        rows: list[ServedAssistant | ServedCron] = [
            each for each in actual.assistants if each.owned and each.known_as == name
        ]
    else:
        rows = [each for each in actual.crons if each.owned and each.name == name]
    if len(rows) != 1:
        why = (
            "is there more than once: apply first, it merges them"
            if rows
            else "is not on the server: plan again"
        )
        raise NothingToAdopt(f"{kind} {name} {why}")
    return rows[0]


def _source(kind: Kind, name: str, files: Files) -> AssistantSource | CronSource | None:
    if kind == "assistant":
        return next((each for each in files.assistants if each.assistant.name == name), None)
    return next((each for each in files.crons if each.cron.name == name), None)


def _content(row: ServedAssistant | ServedCron, names: Mapping[str, str]) -> Assistant | Cron:
    if isinstance(row, ServedAssistant):
        return row.content()
    if row.assistant_id not in names:
        raise NothingToAdopt(f"cron {row.name} runs an assistant that has no file: adopt that one first")
    return row.content(names[row.assistant_id])
