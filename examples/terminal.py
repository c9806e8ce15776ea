"""What the terminal chat shows: words as they stream in, what goes on, and what waits for a person."""

import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langgraph_sdk.schema import StreamPart

from stationmaster.client import Question

MARGIN = 10
WIDEST = 96
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the direction of writing."""


def plain(text: object) -> str:
    """What the server, the agent or a person wrote, without what a terminal obeys: it must not draw its own screen.
    Tabs and line feeds stay."""
    return OBEYED.sub("\N{REPLACEMENT CHARACTER}", str(text))


def styled(text: str, *codes: int) -> str:
    """The text with ANSI styles, where a terminal shows them: 1 bold, 2 dim, 31 red, 32 green, 33 yellow, 36 cyan."""
    if not sys.stdout.isatty():
        return text
    return f"\x1b[{';'.join(map(str, codes))}m{text}\x1b[0m"


@dataclass
class Paragraph:
    """Text that arrives in pieces, folded at the terminal's width behind a margin; a word shows once it is whole."""

    name: str
    column: int = 0
    begun: bool = False
    word: str = ""
    between: str = ""
    paused: bool = False

    def write(self, text: str) -> None:
        """More of it."""
        for character in plain(text):
            if character.isspace():
                self._put_word()
                self.between += character
            else:
                self.word += character
        sys.stdout.flush()

    def pause(self) -> None:
        """Something else is printed in between, on lines of its own."""
        if self.begun and not self.paused:
            print()
            self.paused = True

    def close(self) -> None:
        """That was all."""
        self._put_word()
        if self.begun:
            print(flush=True)

    def _put_word(self) -> None:
        if not self.word:
            return
        width = min(shutil.get_terminal_size((80, 24)).columns, WIDEST) - MARGIN
        breaks = self.between.count("\n")
        if not self.begun:
            print(styled(self.name[: MARGIN - 1].ljust(MARGIN), 1, 36), end="")
            self.begun, self.between = True, ""
        elif self.paused:
            print(" " * MARGIN, end="")
            self.column, self.between, self.paused = 0, "", False
        elif breaks or self.column + len(self.between) + len(self.word) > width:
            print("\n" * max(breaks, 1) + " " * MARGIN, end="")
            self.column, self.between = 0, ""
        print(self.between + self.word, end="")
        self.column += len(self.between) + len(self.word)
        self.word = self.between = ""


@dataclass
class Terminal:
    """Shows one conversation. `speaking`: the nodes whose words are meant for the customer as they stream."""

    name: str
    speaking: frozenset[str]
    drafted: str = ""
    """What has streamed in of the reply that is not sent yet."""
    questions: list[Question] = field(default_factory=list)
    failed: bool = False
    forgotten: bool = False
    _paragraph: Paragraph | None = None

    def begin(self) -> None:
        """A run is about to stream."""
        self.drafted, self.questions, self.failed, self.forgotten = "", [], False, False

    def show(self, part: StreamPart) -> None:
        """One event of the stream."""
        data: Any = part.data
        match part.event:
            case "messages":
                self._token(*data)
            case "updates":
                self._updates(data)
            case "custom" if isinstance(data, Mapping) and "progress" in data:
                self.status(f"{data['progress']} ...")
            case "metadata" if data.get("attempt", 1) > 1:
                self._end_paragraph()
                self.note("The server begins this step again.")
                self.drafted = ""
            case "gap":
                self.forgotten = True
            case "error":
                self._end_paragraph()
                self.failed = True
                self.trouble(f"the run failed: {data.get('message') or data}")
            case _:
                pass

    def end(self) -> None:
        """The stream has ended."""
        self._end_paragraph()
        self.status("")

    def said(self, text: str) -> None:
        """A whole message of the agent, unless it has streamed in already."""
        if text.strip() != self.drafted.strip():
            self._end_paragraph()
            self.status("")
            whole = Paragraph(self.name)
            whole.write(text)
            whole.close()
            self.drafted = text

    def asks(self, question: Question) -> None:
        """What waits for a person, and that what stands above was not sent."""
        value = question.value if isinstance(question.value, Mapping) else {"title": str(question.value)}
        print(f"{styled('waits'.ljust(MARGIN), 1, 33)}{plain(value.get('title') or 'for a person')}")
        if value.get("problem"):
            self.note(f"The last answer could not be used: {value['problem']}")
        if self.drafted:
            self.note("The reply above is a draft; it is sent once a person has said yes.")

    def person(self, number: int, text: str) -> None:
        """What the customer wrote, when an older conversation is shown."""
        print(f"{styled('you'.ljust(MARGIN), 1)}{styled(f'{number}.', 2)} {plain(text)}")

    def note(self, text: str) -> None:
        """An aside; one about the connection may come in the middle of a word."""
        if self._paragraph is not None:
            self._paragraph.pause()
        self.status("")
        print(f"{' ' * MARGIN}{styled(plain(text), 2)}", flush=True)

    def good(self, text: str) -> None:
        """Something has come out well."""
        self.status("")
        print(f"{styled('answered'.ljust(MARGIN), 1, 32)}{plain(text)}", flush=True)

    def trouble(self, text: str) -> None:
        """Something went wrong; the text says what to do."""
        self._end_paragraph()
        self.status("")
        print(f"{styled('trouble'.ljust(MARGIN), 1, 31)}{plain(text)}", flush=True)

    def status(self, text: str) -> None:
        """A line that the next one takes the place of; only where it can."""
        if sys.stdout.isatty() and self._paragraph is None:
            print(f"\r\x1b[2K{' ' * MARGIN if text else ''}{styled(plain(text), 2)}", end="", flush=True)

    def _token(self, chunk: Mapping[str, Any], metadata: Mapping[str, Any]) -> None:
        text = chunk.get("content")
        if metadata.get("langgraph_node") not in self.speaking or not isinstance(text, str) or not text:
            return
        if self._paragraph is None:
            self.status("")
            self._paragraph = Paragraph(self.name)
            self.drafted = ""
        self.drafted += text
        self._paragraph.write(text)

    def _updates(self, update: Mapping[str, Any]) -> None:
        for node, written in update.items():
            if node == "__interrupt__":
                self.questions = [Question(str(each["id"]), each["value"]) for each in written]
                continue
            if node in self.speaking:
                self._end_paragraph()
            for message in (written.get("messages") or []) if isinstance(written, Mapping) else []:
                if message.get("type") == "ai" and isinstance(message.get("content"), str):
                    self.said(message["content"])

    def _end_paragraph(self) -> None:
        if self._paragraph is not None:
            self._paragraph.close()
            self._paragraph = None
