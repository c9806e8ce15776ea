"""The kinds of values that policy files are made of: names, durations, clocks, and parts that may be written short."""

import re
from datetime import time, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainValidator,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from stationmaster.reviews.policies import durations

_CLOCK = re.compile(r"([01]\d|2[0-3]):[0-5]\d")


def many(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _clock(value: object) -> time:
    if not isinstance(value, str) or not _CLOCK.fullmatch(value):
        raise ValueError("is no time of day")
    return time.fromisoformat(value)


def _zone(value: object) -> ZoneInfo:
    try:
        return ZoneInfo(value if isinstance(value, str) else "")
    except (KeyError, ValueError, OSError):
        raise ValueError("is no time zone") from None


Name = Annotated[str, Field(min_length=1, max_length=200, strict=True)]
Names = Annotated[
    tuple[Name, ...],
    BeforeValidator(many),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
Duration = Annotated[
    timedelta,
    PlainValidator(durations.parse),
    WithJsonSchema({"type": "string", "pattern": durations.PATTERN}),
]
Clock = Annotated[time, PlainValidator(_clock), WithJsonSchema({"type": "string", "pattern": _CLOCK.pattern})]
Zone = Annotated[ZoneInfo, PlainValidator(_zone), WithJsonSchema({"type": "string"})]
Flag = Annotated[bool, Field(strict=True)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
SCALAR: JsonSchemaValue = {"type": ["string", "number", "boolean", "null"]}


class Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


class Shorthand(Part):
    """A part that may be written shorter; the JSON Schema says both."""

    @classmethod
    def short(cls) -> JsonSchemaValue:
        raise NotImplementedError

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [cls.short(), handler.resolve_ref_schema(handler(core))]}
