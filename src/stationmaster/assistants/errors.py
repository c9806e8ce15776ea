"""What can go wrong with versions and canaries; the message says it and ends with what to do."""

from stationmaster.errors import StationmasterError


class AssistantsError(StationmasterError):
    """The root of this room's errors: the request can't be carried out as it stands."""


class NoSuchAssistant(AssistantsError):
    """No assistant, or no version of it, goes by that name."""


class NotOurs(AssistantsError):
    """The server's own, or somebody else's: only what Stationmaster made is changed."""


class NothingToDo(AssistantsError):
    """The assistant is as it was asked to be."""


class CanaryRuns(AssistantsError):
    """A canary is in the way."""


class NoCanary(AssistantsError):
    """There is no canary to end, to compare or to promote."""


class KeptOtherwise(AssistantsError):
    """The server took the content, and has other content now."""

    exit_code = 1


class NotKeepable(AssistantsError):
    """Content with a value that servers do not keep as it was sent; nothing was written."""
