"""A place in a stream, against every way in which a server may play back: the log comes out once, in order."""

from collections.abc import Iterator
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph_sdk.schema import StreamPart

from stationmaster.client.place import CATCH_UP_S, FROM_START, Place


@dataclass
class Server:
    """The in-memory server's way: play back what is kept after an id, then send what has come since the request,
    the events that came during the playback a second time."""

    log: list[StreamPart]

    def connection(self, after: str, asked_at: int, played_at: int) -> Iterator[StreamPart]:
        """`asked_at`, `played_at`: how many events there were when the request came, and when the playback ended."""
        yield from (part for part in self.log[:played_at] if _number(part.id) > _number(after))
        yield from self.log[asked_at:]


def _number(event_id: str | None) -> int:
    return -1 if event_id in (None, FROM_START) else int(event_id or 0)


@st.composite
def logs(draw: st.DrawFn) -> list[StreamPart]:
    """Several events under one id, the last of which may look just like the first."""
    parts: list[StreamPart] = []
    for at in range(draw(st.integers(1, 9))):
        size = draw(st.integers(1, 4))
        contents = [*range(size), *([0] if size > 1 and draw(st.booleans()) else [])]
        parts += [StreamPart("messages", {"text": content}, str(at)) for content in contents]
    return parts


@given(log=logs(), data=st.data())
@settings(max_examples=200)
def test_each_event_once_however_the_line_is_cut(log: list[StreamPart], data: st.DataObject) -> None:
    assert _received(log, data) == log


def _received(log: list[StreamPart], data: st.DataObject) -> list[StreamPart]:
    server, place, got = Server(log), Place(), list[StreamPart]()
    asked, after = 0, FROM_START
    for connection in range(data.draw(st.integers(1, 6))):
        if connection:
            after = place.reopen(connection)
        asked = data.draw(st.integers(len(got) if connection else 0, len(log))) if connection else 0
        played = data.draw(st.integers(asked, len(log))) if connection else asked
        arriving = list(server.connection(after, asked, played))
        cut = len(arriving) if connection == 5 else data.draw(st.integers(0, len(arriving)))
        for part in arriving[:cut]:
            got += place.take(part, connection)
        assert place.met or not cut or place.empty
    after = place.reopen(9, over=True)
    for part in server.connection(after, len(log), len(log)):
        got += place.take(part, 9)
    return got


def test_a_server_that_forgot_the_stream_is_noticed() -> None:
    place = Place()
    assert place.take(StreamPart("metadata", {}, "7"), 0) == [StreamPart("metadata", {}, "7")]
    place.reopen(1)
    assert not place.met
    fresh = StreamPart("metadata", {"attempt": 2}, "9")
    assert place.take(fresh, 1) == [fresh]
    assert not place.met


def test_twins_that_come_live_are_both_passed_on() -> None:
    """Two searches that found nothing, in one millisecond."""
    found = StreamPart("updates", {"search_kb": None}, "5")
    place = Place()
    assert place.take(found, 0) + place.take(found, 0) == [found, found]
    place.reopen(1)
    later = 1 + CATCH_UP_S
    assert place.take(found, 1) + place.take(found, 1) == []
    assert place.take(found, later) == [found]
