"""Read policy files: everything that is wrong at once, each with file and line and what to write instead."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from stationmaster.errors import StationmasterError
from stationmaster.reviews.policies.format import PolicyFile
from stationmaster.reviews.policies.problems import problem_of
from stationmaster.yaml_source import Problem, line_of, plain


class PoliciesWrong(StationmasterError):
    """Policies that can't be used; the message has a line for each problem."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, problems)))


@dataclass(frozen=True)
class Source:
    """A file that was read: what it says, and where it says it."""

    file: str
    content: PolicyFile
    tree: object

    def line(self, *location: int | str) -> int:
        return line_of(self.tree, location)


def read(path: Path, shown: str) -> Source | list[Problem]:
    """The file's content, or what is wrong with it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        tree = YAML(typ="rt").load(StringIO(text))
    except UnicodeDecodeError:
        return [Problem(shown, 1, "is not UTF-8: save it as UTF-8")]
    except OSError as error:
        return [Problem(shown, 1, f"can't be read ({error.strerror}): correct its permissions, or remove it")]
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = (error.problem or str(error)).strip().splitlines()[0]
        return [Problem(shown, mark.line + 1 if mark else 1, f"is no YAML ({problem}): correct this line")]
    except YAMLError as error:
        return [Problem(shown, 1, f"is no YAML ({str(error).splitlines()[0]}): correct it")]
    if not isinstance(tree, CommentedMap):
        return [Problem(shown, 1, "has no policies: write `policies:` with a list below it, or `default:`")]
    try:
        return Source(shown, PolicyFile.model_validate(plain(tree)), tree)
    except ValidationError as error:
        found = [problem_of(shown, tree, detail) for detail in error.errors(include_url=False)]
        return sorted(found, key=lambda problem: problem.line)


def problems_of(sources: Sequence[Source | list[Problem]]) -> Iterator[Problem]:
    """What is wrong within files, and then between them: names used twice, no default or several."""
    for source in sources:
        if isinstance(source, list):
            yield from source
    read_well = [source for source in sources if isinstance(source, Source)]
    yield from _names_used_twice(read_well)
    defaults = [source for source in read_well if source.content.default]
    for later in defaults[1:]:
        first = defaults[0]
        yield Problem(
            later.file, later.line("default"),
            f"default stands in {first.file}:{first.line('default')} too: keep one, give the other a name and a match",
        )  # fmt: skip
    if not defaults and len(read_well) == len(sources) and sources:
        yield Problem(
            read_well[-1].file, 1, "no file has a default: write `default:` with reviewers in one of them"
        )


def _names_used_twice(sources: Sequence[Source]) -> Iterator[Problem]:
    seen: dict[str, str] = {}
    for source in sources:
        for index, policy in enumerate(source.content.policies):
            line = source.line("policies", index, "name")
            if policy.name in seen:
                yield Problem(
                    source.file,
                    line,
                    f"{policy.name} is the name of {seen[policy.name]} too: write another name",
                )
            seen.setdefault(policy.name, f"{source.file}:{line}")
