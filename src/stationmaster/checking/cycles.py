"""The cycles of a graph."""

from collections.abc import Mapping


def cycles_of(ways: Mapping[str, set[str]]) -> list[frozenset[str]]:
    """Strongly connected components that hold a way back (Tarjan's, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[frozenset[str]] = []
    for root in ways:
        work = [(root, iter(sorted(ways[root])))] if root not in index else []
        while work:
            name, left = work[-1]
            if name not in index:
                index[name] = low[name] = len(index)
                stack.append(name)
            inner = next((each for each in left if each not in index or each in stack), None)
            if inner is not None and inner not in index:
                work.append((inner, iter(sorted(ways[inner]))))
            elif inner is not None:
                low[name] = min(low[name], index[inner])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    component = frozenset(stack[stack.index(name) :])
                    del stack[stack.index(name) :]
                    if len(component) > 1 or name in ways[name]:
                        found.append(component)
    return found
