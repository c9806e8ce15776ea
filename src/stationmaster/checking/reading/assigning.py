"""The names that a statement gives a value."""

import ast
from collections.abc import Iterator


def named(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The names that a statement gives a value, and what it gives them."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _targets(target, value)
        case (
            ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.NamedExpr(target=target, value=value)
        ):
            yield from _targets(target, value)
        case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
            yield from ((name, node) for name in _names(target))
        case ast.withitem(optional_vars=ast.expr() as target):
            yield from ((name, node) for name in _names(target))
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, node
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            for alias in names:
                whole = isinstance(node, ast.ImportFrom) or alias.asname
                yield (alias.asname or alias.name) if whole else alias.name.partition(".")[0], node


def _targets(target: ast.AST, value: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """`a, b = x, y` gives each its own; any other unpacking gives a name what can't be told."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        for index, inner in enumerate(target.elts):
            yield from _targets(inner, values[index] if len(values) == len(target.elts) else ast.Pass())


def _names(target: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]
