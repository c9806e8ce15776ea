"""What a terminal may be sent: texts of agents, servers and people, without what it would obey."""

import re
from pathlib import Path
from typing import Any

# Control characters but tab and line feed, and those that turn the direction of writing.
_OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def harmless(value: Any) -> Any:
    """The same JSON without characters that a terminal obeys: what an agent asks must not draw a screen of its own."""
    match value:
        case str():
            return _OBEYED.sub("\N{REPLACEMENT CHARACTER}", value)
        case dict():
            return {harmless(name): harmless(inner) for name, inner in value.items()}
        case list():
            return [harmless(inner) for inner in value]
        case _:
            return value


def shown(path: Path) -> Path:
    """The path from the working directory, if it lies below it."""
    try:
        return path.absolute().relative_to(Path.cwd())
    except ValueError:
        return path
