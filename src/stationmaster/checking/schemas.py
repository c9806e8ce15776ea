"""State schemas: their keys, which of them are required, and the lines where they are declared."""

import ast
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from stationmaster.checking.finding import Place
from stationmaster.checking.reading import files


def class_place(schema: Any) -> Place | None:
    """The line of the class; None where it was made by a function or has no source."""
    found = _source(schema)
    return Place(found[0].path, found[1].lineno) if found else None


def key_place(schema: Any, key: str) -> Place | None:
    """The line that declares a key, in the class or in one above it."""
    for each in bases(schema):
        found = _source(each)
        for node in found[1].body if found else ():
            if (
                found
                and isinstance(node, ast.AnnAssign)
                and isinstance(node.target, ast.Name)
                and node.target.id == key
            ):
                return Place(found[0].path, node.lineno, node.end_lineno or node.lineno)
    return None


def required(schema: Any) -> set[str]:
    """The keys that have to be there: without a default, and not declared as NotRequired."""
    if inspect.isclass(schema) and issubclass(schema, BaseModel):
        return {name for name, field in schema.model_fields.items() if field.is_required()}
    if hasattr(schema, "__dataclass_fields__"):
        parameters = inspect.signature(schema).parameters.values()
        return {each.name for each in parameters if each.default is each.empty}
    return set(getattr(schema, "__required_keys__", ()))


def is_checked(schema: Any) -> bool:
    """Whether a state without a required key fails as a whole: a model or a dataclass, where a TypedDict is a dict."""
    is_model = inspect.isclass(schema) and issubclass(schema, BaseModel)
    return is_model or hasattr(schema, "__dataclass_fields__")


def bases(schema: Any) -> Iterator[Any]:
    """The class and those above it; a TypedDict has no such at run time, but remembers what it was made of."""
    yield schema
    above = getattr(schema, "__orig_bases__", ()) or getattr(schema, "__mro__", (schema,))[1:]
    for each in above:
        if inspect.isclass(each) and each not in (object, dict, BaseModel) and each is not schema:
            yield from bases(each)


def _source(schema: Any) -> tuple[files.SourceFile, ast.ClassDef] | None:
    module = sys.modules.get(getattr(schema, "__module__", ""))
    path = getattr(module, "__file__", None)
    file = files.read(Path(path)) if path else None
    for node in ast.walk(file.tree) if file else ():
        if file and isinstance(node, ast.ClassDef) and node.name == getattr(schema, "__name__", ""):
            return file, node
    return None
