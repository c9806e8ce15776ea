"""Which assistants without a file a prune leaves, and why: somebody still needs them. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from stationmaster.reconcile.resources import ServedAssistant, ServedCron, Work

WAY_OUT = "end or answer that first, or apply with --force and lose it"


def spared(
    without_file: Sequence[ServedAssistant],
    assistants: Iterable[ServedAssistant],
    crons: Iterable[ServedCron],
    work: Mapping[str, Work],
    *,
    even_busy: bool = False,
) -> dict[str, str]:
    """Why each that is not deleted stays, by id.

    `crons`: those that a server would delete with their assistant although nobody asked. `work`: by id. With
    `even_busy` work is no reason; that others lead to it is one all the same.
    """
    names = {each.assistant_id: each.known_as for each in without_file}
    leaning = {cron.assistant_id for cron in crons}
    found = {key: "crons that are not deleted use it" for key in names if key in leaning}
    if not even_busy:
        found |= {
            key: f"{words(work[key])} ({WAY_OUT})" for key in names if key not in found and work.get(key)
        }
    leading = [each for each in assistants if each.leads_to]
    while True:
        reached = {
            target: f"the canary or a pin of {each.known_as or each.name} leads to it"
            for each in leading
            if each.assistant_id not in names or each.assistant_id in found
            for target in each.leads_to & names.keys()
            if target not in found
        }
        if not reached:
            return found
        found |= reached


def words(work: Work) -> str:
    """`2 questions wait for a person and 1 run is under way`."""
    said = list[str]()
    if work.waiting:
        said.append("1 question waits" if work.waiting == 1 else f"{work.waiting} questions wait")
        said[0] += " for a person"
    if work.running:
        said.append("1 run is under way" if work.running == 1 else f"{work.running} runs are under way")
    return " and ".join(said)
