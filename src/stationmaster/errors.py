"""The root of every error that ends a command: one line that says what is wrong and what to do."""


class StationmasterError(Exception):
    """The command line prints the message as `error: ...`, without a traceback, and exits with `exit_code`."""

    exit_code = 2
