"""Code that the auditor has to object to, and code that it has to let pass, each by name: a file of each kind."""

from pathlib import Path

HERE = Path(__file__).parent


def _all(kind: str) -> dict[str, str]:
    """Snippets by name: a line `# --- name` begins one."""
    found: dict[str, str] = {}
    for part in (HERE / f"{kind}.txt").read_text(encoding="utf-8").split("# --- ")[1:]:
        name, _, code = part.partition("\n")
        found[name.strip()] = code.strip() + "\n"
    return found


UNSAFE = _all("unsafe")
SAFE = _all("safe")
HOLES = _all("holes")
PASSING = _all("passing")
ODD = _all("odd")
