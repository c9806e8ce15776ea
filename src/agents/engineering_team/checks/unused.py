"""Imports that nothing names, and variables of functions that nothing reads."""

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agents.engineering_team.checks.reading import Code

if TYPE_CHECKING:
    from agents.engineering_team.checks.style import Remark


_WORD = re.compile(r"[A-Za-z_]\w*")
_LONGEST_QUOTE = 200


def names(code: Code) -> Iterator["Remark"]:
    """Imports that nothing names, and variables of functions that nothing reads."""
    used = _used(code)
    for node in code.nodes:
        match node:
            case ast.ImportFrom(module="__future__"):
                pass
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                for one in names:
                    name = one.asname or one.name.partition(".")[0]
                    if one.asname == one.name:  # as itself: for others to import from here
                        continue
                    if name == "*":
                        yield (
                            "star-import",
                            node.lineno,
                            "medium",
                            "names come from nowhere: import them by name",
                        )
                    elif name not in used:
                        yield "unused", node.lineno, "medium", f"{name} is imported and not used"
            case ast.Name(id=name, ctx=ast.Store()) if (
                name not in used and not name.startswith("_") and _is_plain_local(code, node)
            ):
                yield "unused", node.lineno, "medium", f"{name} is given a value that nothing reads"
            case _:
                pass


def _used(code: Code) -> set[str]:
    """The names that are read, those in quotes among them: of __all__, and of annotations."""
    used = {node.id for node in code.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    for node in code.nodes:
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and len(node.value) < _LONGEST_QUOTE
        ):
            used.update(_WORD.findall(node.value))
    return used


def _is_plain_local(code: Code, node: ast.Name) -> bool:
    """Of a function, by a plain assignment: not a part of an unpacking, a loop, a global."""
    outer = code.parents[node]
    scope = code.scope_of(node)
    shared = (
        name for one in ast.walk(scope) if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names
    )
    plain = isinstance(outer, ast.Assign | ast.AnnAssign | ast.NamedExpr)
    in_class = isinstance(code.parents.get(outer), ast.ClassDef)
    return plain and not in_class and not isinstance(scope, ast.Module) and node.id not in shared
