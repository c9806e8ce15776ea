"""Read the files of both folders: everything that is wrong at once, each with file and line and what to write."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from stationmaster.errors import StationmasterError
from stationmaster.reconcile.diff import Desired
from stationmaster.reconcile.files.format import AssistantFile, CronFile
from stationmaster.reconcile.files.problems import problem_of, unknown, without_secrets
from stationmaster.reconcile.files.secrets import hidden, secrets_in, telling
from stationmaster.reconcile.files.texts import TextFiles, with_texts
from stationmaster.reconcile.resources import Assistant, Cron
from stationmaster.yaml_source import Problem, Source
from stationmaster.yaml_source import read as read_yaml

Model = TypeVar("Model", bound=BaseModel)


class FilesWrong(StationmasterError):
    """Files that can't be used; the message has a line for each problem."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        told = {replace(each, message=hidden(each.message)) for each in problems}
        self.problems = tuple(sorted(told))
        count = f"{len(self.problems)} problems" if len(self.problems) > 1 else "1 problem"
        super().__init__("\n  ".join([f"{count} in the files; nothing was sent", *map(str, self.problems)]))


@dataclass(frozen=True)
class AssistantSource:
    """An assistant, the file that says so, and the texts that stand in files of their own."""

    assistant: Assistant
    source: Source
    texts: TextFiles


@dataclass(frozen=True)
class CronSource:
    """A cron and the file that says so."""

    cron: Cron
    source: Source


@dataclass(frozen=True)
class Files:
    """What both folders say; `problems` is what is wrong, and then the rest is what could be read."""

    assistants: tuple[AssistantSource, ...]
    crons: tuple[CronSource, ...]
    problems: tuple[Problem, ...] = ()
    partial: tuple[AssistantSource, ...] = ()
    """Files with a wrong key, without it: only to be checked for more."""

    def desired(self, besides: Sequence[Problem] = ()) -> Desired:
        """What they say; FilesWrong with these problems and others that were found, if there is one."""
        if self.problems or besides:
            raise FilesWrong([*self.problems, *besides])
        return Desired(
            tuple(each.assistant for each in self.assistants), tuple(each.cron for each in self.crons)
        )


def read(assistants: Path, crons: Path) -> Files:
    """Every .yaml file of both folders, in the order of their names. A folder that is not there has none."""
    problems: list[Problem] = []
    broken: list[tuple[Source, AssistantFile]] = []
    whole = list(_contents(assistants, AssistantFile, problems, broken))
    made, partial = ([_source(*each, problems) for each in some] for some in (whole, broken))
    scheduled = [
        CronSource(_cron(content), source) for source, content in _contents(crons, CronFile, problems)
    ]
    problems += _twice([(each.source, each.assistant.name) for each in made], "assistant")
    problems += _twice([(each.source, each.cron.name) for each in scheduled], "cron")
    all_read = not any(problem.file.startswith(str(assistants)) for problem in problems)
    problems += _without_assistant(scheduled, [each.assistant.name for each in made], whole=all_read)
    return Files(tuple(made), tuple(scheduled), tuple(problems), tuple(partial))


def _source(source: Source, content: AssistantFile, problems: list[Problem]) -> AssistantSource:
    texts = with_texts(source, content.context, problems)
    return AssistantSource(_assistant(content, texts), source, texts)


def secrets_of(source: Source) -> list[Problem]:
    """Lines that seem to hold a secret, by what they look like or by the name over them."""
    said = "seems to hold {}: secrets belong into the environment; take it out"
    found = {line: Problem(source.file, line, said.format(kind)) for line, kind in secrets_in(source.text)}
    for place, _ in telling(source.value):
        problem = source.problem(place, said.format("a secret under a telling name"))
        found.setdefault(problem.line, problem)
    return list(found.values())


def _rest(source: Source, model: type[Model], error: ValidationError) -> Model | None:
    """What a file says besides its wrong keys, if that is whole: so that the rest is checked too."""
    wrong = {str(detail["loc"][0]) for detail in error.errors(include_url=False) if detail["loc"]}
    try:
        return model.model_validate({key: value for key, value in source.value.items() if key not in wrong})
    except ValidationError:
        return None


def _contents(
    directory: Path,
    model: type[Model],
    problems: list[Problem],
    partial: list[tuple[Source, Model]] | None = None,
) -> Iterator[tuple[Source, Model]]:
    """Files that can be used; of the others their problems, and in `partial` what else they say."""
    if not directory.exists():
        return
    if not directory.is_dir():
        problems.append(Problem(str(directory), 1, "is no folder: make it one, with a .yaml file for each"))
        return
    for path in sorted(file for file in directory.iterdir() if file.suffix in (".yaml", ".yml")):
        found = read_yaml(path, str(path))
        if isinstance(found, list):
            problems += found
            continue
        problems += secrets_of(found)
        try:
            yield found, model.model_validate(found.value)
        except ValidationError as error:
            said = [problem_of(found, model, detail) for detail in error.errors(include_url=False)]
            problems += [without_secrets(found, each) for each in said]
            if partial is not None and (rest := _rest(found, model, error)) is not None:
                partial.append((found, rest))


def _assistant(content: AssistantFile, texts: TextFiles) -> Assistant:
    return Assistant(
        content.name, content.graph, content.description, texts.context, content.recursion_limit, content.tags,
        content.metadata, content.live,
    )  # fmt: skip


def _cron(content: CronFile) -> Cron:
    return Cron(
        content.name, content.assistant, content.schedule, content.timezone, content.input, content.thread,
        content.overlap, content.missed, content.keep, content.enabled, content.review.model_dump(exclude_none=True),
    )  # fmt: skip


def _twice(named: Sequence[tuple[Source, str]], kind: str) -> Iterator[Problem]:
    first: dict[str, Source] = {}
    for source, name in named:
        if name in first:
            yield source.problem(
                ["name"], f"name {name} is that of the {kind} in {first[name].file} too: write another name"
            )
        first.setdefault(name, source)


def _without_assistant(
    crons: Sequence[CronSource], names: Sequence[str], *, whole: bool
) -> Iterator[Problem]:
    """Crons whose assistant has no file; unsaid while some assistant's file can't be read."""
    for each in crons:
        if whole and each.cron.assistant not in names:
            said = unknown("assistant that has a file", each.cron.assistant, names)
            yield each.source.problem(["assistant"], f"assistant {each.cron.assistant} {said}")
