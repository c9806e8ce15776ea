"""The tasks that the rules know, from the YAML file beside this module."""

from dataclasses import dataclass
from functools import cache
from importlib import resources

from ruamel.yaml import YAML

FILE = "library.yaml"


@dataclass(frozen=True)
class Known:
    """`words` is a pattern over the task in lower case; `draft` a first attempt with a flaw, empty for none."""

    name: str
    words: str
    code: str
    tests: str
    draft: str = ""


@cache
def known() -> tuple[Known, ...]:
    """All of them, in the order of the file."""
    rows: dict[str, dict[str, str]] = YAML(typ="safe").load(_TEXT)
    return tuple(Known(name=name, **row) for name, row in rows.items())


_TEXT = resources.files("agents.coder.rules").joinpath(FILE).read_text(encoding="utf-8")
"""Read while the module is imported: nodes may not read files."""
