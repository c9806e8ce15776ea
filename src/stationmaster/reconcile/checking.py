"""Files against a server: its graphs, and the schemas of their contexts. Problems have the line of the file."""

from collections.abc import Sequence

from stationmaster.reconcile.errors import Missing
from stationmaster.reconcile.files import Files
from stationmaster.reconcile.files.contexts import wrong_in
from stationmaster.reconcile.files.problems import unknown, without_secrets
from stationmaster.reconcile.files.reading import AssistantSource
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.yaml_source import Problem


async def check(files: Files, served: Sequence[ServedAssistant], gateway: Gateway) -> list[Problem]:
    """Everything that the server will not take, or that will have no effect there."""
    graphs = sorted({assistant.graph for assistant in served if assistant.system})
    problems: list[Problem] = []
    for each in (*files.assistants, *files.partial):
        if graphs and each.assistant.graph not in graphs:
            said = unknown("graph of this server", each.assistant.graph, graphs)
            problems.append(each.source.problem(["graph"], f"graph {each.assistant.graph} {said}"))
        else:
            problems += await _context(each, gateway)
    return problems


async def _context(each: AssistantSource, gateway: Gateway) -> list[Problem]:
    """A graph without a schema of its own takes any context."""
    try:
        schema = (await gateway.schemas(each.assistant.graph)).get("context_schema")
    except Missing as error:
        return [each.source.problem(["graph"], f"graph {each.assistant.graph} can't be used: {error}")]
    if not isinstance(schema, dict):
        return []
    return [
        without_secrets(each.source, each.source.problem(("context", *place), message))
        for place, message in wrong_in(each.assistant.context, schema, each.assistant.graph)
    ]
