"""Named queries from .sql files, read by aiosql: `-- name: find_it`, then a comment line saying what it is for."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import LiteralString, cast

from aiosql.adapters.pyformat import PyFormatAdapter
from aiosql.query_loader import QueryLoader
from aiosql.utils import SQLParseException

from stationmaster.errors import StationmasterError


class QueryError(StationmasterError):
    """A query file that can't be read, or a query that it doesn't hold."""


class Queries(Mapping[str, LiteralString]):
    """Statements by name, with `:x` of the file as `%(x)s`: pass the parameters to execute as a dict.

    Look names up when the module is loaded, so that a misspelt one fails there.
    """

    def __init__(self, path: Path, statements: Mapping[str, LiteralString]) -> None:
        self._path = path
        self._statements = statements

    def __getitem__(self, name: str) -> LiteralString:
        if name not in self._statements:
            known = ", ".join(sorted(self._statements))
            raise QueryError(f"{self._path.name} has no query {name!r}: it has {known}")
        return self._statements[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._statements)

    def __len__(self) -> int:
        return len(self._statements)


def load(path: Path) -> Queries:
    """The queries of one file; one without purpose, or a name used twice, is an error."""
    loader = QueryLoader(PyFormatAdapter(), None, mandatory_parameters=False)
    try:
        found = loader.load_query_data_from_file(path, encoding="utf-8")
    except SQLParseException as error:
        raise QueryError(f"{path.name}: {error}: correct the file") from error
    statements: dict[str, LiteralString] = {}
    for query in found:
        if query.query_name in statements:
            raise QueryError(f"{path.name} has two queries {query.query_name!r}: rename one")
        if not query.doc_comments:
            raise QueryError(f"{path.name}: say in a comment below its name what {query.query_name!r} is for")
        # Part of the program as much as a literal: nothing a user says ever gets into a query file.
        statements[query.query_name] = cast("LiteralString", query.sql)
    return Queries(path, statements)
