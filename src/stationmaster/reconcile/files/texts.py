"""Texts of a context that stand in files of their own, beside the assistant's: `{text_file: prompt.md}`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stationmaster.keepable import wrong_with
from stationmaster.reconcile.files.format import TEXT_FILE
from stationmaster.reconcile.files.secrets import secrets_in
from stationmaster.yaml_source import LARGEST_BYTES, Problem, Source


@dataclass(frozen=True)
class TextFiles:
    """A context with its texts in it, and which keys have theirs from which file."""

    context: Mapping[str, Any]
    paths: Mapping[str, Path] = field(default_factory=dict)


def with_texts(source: Source, context: Mapping[str, Any], problems: list[Problem]) -> TextFiles:
    """The context with the files' texts; what can't be read is added to `problems` and left out."""
    whole, paths = dict[str, Any](), dict[str, Path]()
    for key, value in context.items():
        if not isinstance(value, dict) or TEXT_FILE not in value:
            whole[key] = value
            continue
        place = ["context", key, TEXT_FILE]
        found = _read(source.path.parent, value)
        if isinstance(found, str):
            problems.append(source.problem(place, f"context.{key} {found}"))
            continue
        paths[key], whole[key] = found, text_of(found)
        problems += [
            Problem(
                str(found), line, f"seems to hold {kind}: secrets belong into the environment; take it out"
            )
            for line, kind in secrets_in(whole[key])
        ]
        if (said := wrong_with(whole[key])) is not None:
            line = whole[key].partition("\0")[0].count("\n") + 1
            problems.append(Problem(str(found), line, said))
    return TextFiles(whole, paths)


def text_of(path: Path) -> str:
    """The text without the line end that editors put at the end of a file."""
    text = path.read_text(encoding="utf-8-sig")
    return text.removesuffix("\n")


def _read(folder: Path, value: Mapping[str, Any]) -> Path | str:
    """The file, or what is wrong with it."""
    name = value[TEXT_FILE]
    if len(value) > 1 or not isinstance(name, str) or not name:
        return "names a text file in another way than it is read: write {text_file: prompt.md}"
    path = folder / name
    if Path(name).is_absolute() or not path.resolve().is_relative_to(folder.resolve()):
        return f"names {name}, which is not in this folder: put the text beside the file, or in a folder below it"
    try:
        if path.stat().st_size > LARGEST_BYTES:
            return f"names {name}, which is larger than 1 MB: write a shorter text"
        path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return f"names {name}, which is not there: write the name of a file in this folder, or make it"
    except UnicodeDecodeError:
        return f"names {name}, which is not UTF-8: save it as UTF-8"
    except OSError as error:
        return f"names {name}, which can't be read ({error.strerror}): correct its permissions"
    return path
