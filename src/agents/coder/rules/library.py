"""The tasks that the rules know, from the YAML file beside this module."""

from dataclasses import dataclass
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


def known() -> tuple[Known, ...]:
    """All of them, in the order of the file."""
    return _KNOWN


def _read() -> tuple[Known, ...]:
    text = resources.files("agents.coder.rules").joinpath(FILE).read_text(encoding="utf-8")
    rows: dict[str, dict[str, str]] = YAML(typ="safe").load(text)
    return tuple(Known(name=name, **row) for name, row in rows.items())


_KNOWN = _read()
"""While the module is imported: nodes may not read files, and the YAML library looks for its plug-ins."""
