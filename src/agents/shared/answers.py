"""What the answers to all questions have in common: nothing unknown in them, and words where words are asked for."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict


class StrictAnswer(BaseModel):
    """One way to answer; its docstring and its fields' descriptions are what a form shows."""

    model_config = ConfigDict(extra="forbid")


def _words(text: str) -> str:
    if not text.strip():
        raise ValueError("must hold more than spaces: somebody reads it")
    return text


# No `pattern`: forms show what the schema says, and "must not be empty" is the better word.
Words = Annotated[str, AfterValidator(_words)]
