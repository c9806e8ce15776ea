"""What a function does and where it pauses, as `flow` finds it."""

import ast
from dataclasses import dataclass, field

from stationmaster.checking.finding import Place
from stationmaster.checking.reading.functions import Function
from stationmaster.checking.reading.knowing import Effect
from stationmaster.checking.reading.resolving import Scope


@dataclass(frozen=True)
class Done:
    """An effect and where it is."""

    effect: Effect
    place: Place


@dataclass(frozen=True)
class Around:
    """What stands around a statement: handlers that would swallow a pause, and loops whose order may change. `looped`:
    it may come several times; `branched`: perhaps not at all.
    """

    guards: tuple[tuple[Place, str], ...] = ()
    loops: tuple[tuple[Place, str], ...] = ()
    looped: bool = False
    branched: bool = False


@dataclass(frozen=True)
class Pause:
    """A place where the function waits for a person; `call` is the `interrupt()` itself where it is in our source."""

    place: Place
    before: frozenset[Done]
    around: Around
    call: ast.Call | None = None
    scope: Scope | None = field(default=None, compare=False, repr=False)


@dataclass
class Flow:
    """Everything a function does, functions that it calls included."""

    effects: set[Done] = field(default_factory=set)
    pauses: set[Pause] = field(default_factory=set)
    functions: dict[int, Function] = field(default_factory=dict)
