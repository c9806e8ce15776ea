"""The tasks that the rules know, from the YAML file beside this module."""

from agents.shared.offline.known_tasks import Known, read

_KNOWN = read("agents.coder.rules")


def known() -> tuple[Known, ...]:
    """All of them, in the order of the file."""
    return _KNOWN
