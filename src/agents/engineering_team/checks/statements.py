"""Single statements that are wrong, odd, or left behind."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agents.engineering_team.checks.reading import Code

if TYPE_CHECKING:
    from agents.engineering_team.checks.style import Remark

_LEAVES = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def odd(code: Code) -> Iterator["Remark"]:
    """The findings, statement by statement."""
    for node in code.nodes:
        match node:
            case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=value)]) if (
                isinstance(value, str | int | bytes) and not isinstance(value, bool)
            ):
                yield (
                    "is-literal",
                    node.lineno,
                    "medium",
                    "`is` compares identity, which literals don't have: use ==",
                )
            case ast.Compare(ops=[ast.Eq() | ast.NotEq()], comparators=[ast.Constant(value=None)]):
                yield "equals-none", node.lineno, "low", "compare with None by `is`"
            case ast.Call(func=func) if code.dotted(func) in ("builtins.breakpoint", "pdb.set_trace"):
                yield "left-behind", node.lineno, "medium", "a debugger is left behind: remove it"
            case ast.Call(func=func) if code.dotted(func) == "builtins.print":
                yield "left-behind", node.lineno, "low", "prints: return it, or log it"
            case ast.Global(names=names):
                yield (
                    "global",
                    node.lineno,
                    "low",
                    f"writes {', '.join(names)} of the module: return a value instead",
                )
            case _:
                pass
        yield from _after_the_end(node)


def _after_the_end(node: ast.AST) -> Iterator["Remark"]:
    for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
        for one, after in (
            zip(block or [], (block or [])[1:], strict=False) if isinstance(block, list) else ()
        ):
            if isinstance(one, _LEAVES):
                yield "unreachable", after.lineno, "medium", "nothing gets here: the line before leaves"
