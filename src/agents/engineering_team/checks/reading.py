"""Code as the checks read it: its tree, who stands in whom, and what a name stands for."""

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Scope = Function | ast.Module
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_BUILTINS = frozenset(dir(builtins))
_KEPT = ("operator.", "_operator.")
"""A name that once stands for one of these is taken for it, whatever else it is given."""
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What reading raises for text that is no Python, or nested deeper than Python reads."""


@dataclass
class Code:
    """A module that was read. `nodes` are all of its nodes, outer ones first; `parents`: in which one each stands."""

    tree: ast.Module
    nodes: list[ast.AST] = field(default_factory=list)
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)
    functions: dict[str, list[Function]] = field(default_factory=dict)
    known: dict[str, str] = field(default_factory=dict)
    """What names stand for: imports, and plain assignments of what is known, in any scope."""
    bound: set[str] = field(default_factory=set)

    def scope_of(self, node: ast.AST) -> Scope:
        """The function, or the module, that a node stands in."""
        while (node := self.parents.get(node, self.tree)) is not self.tree:
            if isinstance(node, _FUNCTIONS):
                return node
        return self.tree

    def scopes_of(self, node: ast.AST) -> Iterator[Scope]:
        """All scopes around a node, inner ones first, the module last."""
        scope = self.scope_of(node)
        while scope is not self.tree:
            yield scope
            scope = self.scope_of(scope)
        yield self.tree

    def binding(self, node: ast.AST, name: str) -> list[Scope]:
        """The scopes in which a name lives that is given a value here: several where it is global or nonlocal."""
        scope = self.scope_of(node)
        shared = (ast.Global, ast.Nonlocal)
        outer = any(isinstance(one, shared) and name in one.names for one in getattr(scope, "body", []))
        return [scope, *(self.scopes_of(scope) if outer else [])]

    def dotted(self, node: ast.AST | None) -> str:
        """What an expression names, as `module.name`, through imports and aliases; empty for anything else."""
        match node:
            case ast.Name(id=name):
                if name in self.known:
                    return self.known[name]
                return f"builtins.{name}" if name in _BUILTINS and name not in self.bound else ""
            case ast.Attribute(value=value, attr=attr):
                owner = self.dotted(value)
                return f"{owner}.{attr}" if owner else ""
            case ast.Call(func=func, args=args):
                return self._made_by(self.dotted(func), args)
            case _:
                return ""

    def _made_by(self, function: str, args: list[ast.expr]) -> str:
        """What a call names. `function` is looked up once: twice at each of many calls in a row would take years."""
        match function, args:
            case "random.Random", _:
                return "random"
            case "builtins.getattr", [owner, ast.Constant(value=str(attr)), *_]:
                owned_by = self.dotted(owner)
                return f"{owned_by}.{attr}" if owned_by else ""
            case (("builtins.__import__" | "importlib.import_module"), [ast.Constant(value=str(module)), *_]):
                return module
            case _:
                return ""


def read(source: str) -> Code:
    """Read a module. Raises UNREADABLE."""
    code = Code(ast.parse(source))
    waiting: list[ast.AST] = [code.tree]
    for node in waiting:
        code.nodes.append(node)
        for child in ast.iter_child_nodes(node):
            code.parents[child] = node
            waiting.append(child)
    for node in code.nodes:
        _note(code, node)
    for _ in range(3):  # an alias of an alias of an alias
        for node in code.nodes:
            _note_alias(code, node)
    return code


def _note(code: Code, node: ast.AST) -> None:
    match node:
        case ast.Import() | ast.ImportFrom():
            code.known.update(_imported(node))
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            code.functions.setdefault(name, []).append(node)
            code.bound.add(name)
        case ast.ClassDef(name=name):
            code.bound.add(name)
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            code.bound.add(name)
        case _:
            pass


def _imported(node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
    """The names that an import binds, and what they stand for."""
    for one in node.names:
        if isinstance(node, ast.ImportFrom):
            yield one.asname or one.name, f"{node.module or ''}.{one.name}"
        elif one.asname:
            yield one.asname, one.name
        else:
            top = one.name.partition(".")[0]
            yield top, top


def _note_alias(code: Code, node: ast.AST) -> None:
    """`same = operator.eq`, `same = lambda ...`, and the same as a default of a parameter."""
    for name, value in named(node):
        if isinstance(value, ast.Lambda):
            if value not in code.functions.setdefault(name, []):
                code.functions[name].append(value)
            continue
        stands_for = code.dotted(value)
        if stands_for and not code.known.get(name, "").startswith(_KEPT):
            code.known[name] = stands_for


def named(node: ast.AST) -> list[tuple[str, ast.expr]]:
    """The plain names that a statement, or the parameters of a function, give to values."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return [(target.id, value) for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return [(name, value)]
        case ast.arguments(
            args=args, posonlyargs=first, kwonlyargs=keywords, defaults=defaults, kw_defaults=kw
        ):
            taken = [*first, *args][len(first) + len(args) - len(defaults) :]
            pairs = [*zip(taken, defaults, strict=True), *zip(keywords, kw, strict=True)]
            return [(arg.arg, value) for arg, value in pairs if value is not None]
        case _:
            return []
