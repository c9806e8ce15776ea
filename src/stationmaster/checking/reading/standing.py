"""What an expression can stand for, and its attributes, without running any code of the project's."""

import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any, get_type_hints

from stationmaster.checking.reading.functions import Function

SIMPLE = (str, int, float, bool, type(None), bytes)


@dataclass(frozen=True)
class Live:
    """The object itself."""

    thing: Any

    @property
    def key(self) -> Any:
        return id(self.thing)


@dataclass(frozen=True)
class Instance:
    """Some object of a class."""

    kind: type


@dataclass(frozen=True)
class Inner:
    """A function that is defined in the body of another."""

    function: Function

    @property
    def key(self) -> Any:
        return self.function.key


@dataclass(frozen=True)
class Method:
    """A method of some object of a class."""

    kind: type
    name: str


@dataclass(frozen=True)
class Named:
    """A dotted name of a module that is imported in the function and not loaded now."""

    name: str


Stands = Live | Instance | Inner | Method | Named
_HINTS: dict[int, tuple[Any, Mapping[str, Any]]] = {}  # with the thing, whose id is then nobody else's


def attribute(holder: Stands | None, name: str) -> Stands | None:
    """An attribute, without running any code of the object's."""
    match holder:
        case Named(name=module):
            return Named(f"{module}.{name}")
        case Instance(kind=kind):
            return Method(kind, name)
        case Live(thing=ModuleType() as module):
            if name in vars(module):
                return Live(vars(module)[name])
            inner = sys.modules.get(f"{module.__name__}.{name}")
            return Live(inner) if inner else Named(f"{module.__name__}.{name}")
        case Live(thing=super() as above):
            return Live(getattr(above, name)) if hasattr(above, name) else None
        case Live(thing=thing):
            return _static(thing, name)
    return None


def _static(thing: Any, name: str) -> Stands | None:
    found = inspect.getattr_static(thing, name, None)
    if isinstance(found, FunctionType) and not inspect.isclass(thing):
        return Live(found.__get__(thing))
    if isinstance(found, staticmethod | classmethod):
        return Live(found.__get__(None, thing if inspect.isclass(thing) else type(thing)))
    if found is None or isinstance(found, property) or hasattr(type(found), "__get__"):
        return Method(thing if inspect.isclass(thing) else type(thing), name)
    return Live(found)


def hints_of(thing: Any) -> Mapping[str, Any]:
    """The type hints; none where they name what isn't there."""
    if id(thing) not in _HINTS:
        try:
            _HINTS[id(thing)] = (thing, get_type_hints(thing))
        except Exception:  # noqa: BLE001 - annotations of anybody's code, evaluated
            _HINTS[id(thing)] = (thing, {})
    return _HINTS[id(thing)][1]


def returned(live: FunctionType | None) -> Stands | None:
    """What a function returns, by its annotation: some object of a class."""
    hint = hints_of(live).get("return") if live is not None else None
    return Instance(hint) if inspect.isclass(hint) and hint not in SIMPLE else None


def module_of(name: str) -> Stands:
    """A module that is loaded, or its name alone."""
    found = sys.modules.get(name)
    return Live(found) if found is not None else Named(name)
