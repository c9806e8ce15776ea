"""Source files, parsed once: the definition at a line, and the comments."""

import ast
import io
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
OUTSIDE = frozenset({"site-packages", "dist-packages", "node_modules", "__pycache__"})


@dataclass(frozen=True)
class SourceFile:
    """One Python file that could be parsed."""

    path: Path
    text: str
    tree: ast.Module

    @cached_property
    def definitions(self) -> dict[int, list[Definition]]:
        """Functions and lambdas by the line where Python says they begin (that of the first decorator)."""
        found: dict[int, list[Definition]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                decorators = getattr(node, "decorator_list", [])
                first = min([node.lineno, *(each.lineno for each in decorators)])
                found.setdefault(first, []).append(node)
        return found

    @cached_property
    def calling(self) -> frozenset[int]:
        """The ids of the nodes that hold a call, or a part that loops: all others do nothing."""
        found: set[int] = set()
        _mark(self.tree, found)
        return frozenset(found)

    def comments(self) -> Iterator[tuple[int, bool, str]]:
        """(line, whether it stands alone there, text) of each comment."""
        lines = self.text.splitlines()
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type == tokenize.COMMENT:
                line, column = token.start
                yield line, not lines[line - 1][:column].strip(), token.string


@cache
def read(path: Path) -> SourceFile | None:
    """The file; None where there is none, or one that is not Python (generated code has no file)."""
    try:
        text = path.read_text(encoding="utf-8")
        return SourceFile(path, text, ast.parse(text))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@cache
def is_ours(path: Path, roots: tuple[Path, ...]) -> bool:
    """Whether a file is the project's own: below one of its roots, and not installed there."""
    for root in roots:
        if path.is_relative_to(root):
            inner = path.relative_to(root).parts
            return not any(part in OUTSIDE or part.startswith(".") for part in inner)
    return False


def _mark(node: ast.AST, found: set[int]) -> bool:
    inner = [_mark(child, found) for child in ast.iter_child_nodes(node)]
    if isinstance(node, ast.Call) or any(inner):
        found.add(id(node))
        return True
    return False


def is_test(path: Path, roots: tuple[Path, ...]) -> bool:
    """Whether it is a test's: what is wrong there is wrong on purpose, or does no harm."""
    inner = next((path.relative_to(root) for root in roots if path.is_relative_to(root)), path)
    if inner.name.startswith("test_") or inner.name.endswith("_test.py") or inner.name == "conftest.py":
        return True
    return any(part in ("tests", "test", "testing") for part in inner.parts[:-1])


def sources(roots: tuple[Path, ...], most: int = 20_000) -> Iterator[Path]:
    """The Python files of a project, each once, without those of its tests."""
    seen: set[Path] = set()
    for root in roots:
        for path in _below(root):
            if path not in seen and not is_test(path, roots):
                seen.add(path)
                yield path
                if len(seen) >= most:
                    return


def _below(directory: Path) -> Iterator[Path]:
    for path in sorted(directory.iterdir()):
        if path.name.startswith(".") or path.name in OUTSIDE or path.is_symlink():
            continue
        if path.is_dir():
            if not (path / "pyvenv.cfg").exists():
                yield from _below(path)
        elif path.suffix == ".py":
            yield path


def named(node: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    match node:
        case ast.Assign(targets=targets):
            return [each.id for each in targets if isinstance(each, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
    return []
