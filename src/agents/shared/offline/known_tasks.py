"""Programming tasks that written rules know by heart, from a YAML file beside a graph's rules."""

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


def read(package: str) -> tuple[Known, ...]:
    """All tasks of a package's `library.yaml`, in the order of the file.

    To be called while a module is imported: nodes may not read files, and the YAML library looks for its plug-ins.
    """
    text = resources.files(package).joinpath(FILE).read_text(encoding="utf-8")
    rows: dict[str, dict[str, str]] = YAML(typ="safe").load(text)
    return tuple(Known(name=name, **row) for name, row in rows.items())
