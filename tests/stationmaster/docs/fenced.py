"""The code of a page of docs/, run as it stands there: what somebody copies from it works."""

import ast
import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.fakes.agent_server import ROOT

_FENCE = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: `kind` is what stands behind the fence, `line` where its code begins."""

    page: Path
    kind: str
    line: int
    code: str


def blocks(page: str, *kinds: str) -> list[Block]:
    """Those of docs/PAGE whose first word is one of the kinds, in order."""
    path = ROOT / "docs" / page
    text = path.read_text(encoding="utf-8")
    found = [
        Block(path, match["kind"].strip(), text.count("\n", 0, match.start()) + 2, match["code"])
        for match in _FENCE.finditer(text)
    ]
    return [block for block in found if block.kind.split(" ")[0] in kinds]


async def run_python(block: Block, names: dict[str, Any], changed: Mapping[str, str]) -> None:
    """As in `python -m asyncio`: `await` at the top, names kept from block to block. A failure points to the page.

    `changed`: what stands on the page, by what it is in this test; each must be there or nowhere in the page.
    """
    code = block.code
    for said, meant in changed.items():
        code = code.replace(said, meant)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    compiled = compile("\n" * (block.line - 1) + code, str(block.page), "exec", flags=flags)
    result = eval(compiled, names)
    if inspect.iscoroutine(result):
        await result


def commands(block: Block) -> list[str]:
    """The lines of a shell block without their comments."""
    lines = (line.split("  #")[0].strip() for line in block.code.splitlines())
    return [line for line in lines if line and not line.startswith("#")]
