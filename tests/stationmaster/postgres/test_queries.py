"""Query files: named, explained, and read as psycopg wants them."""

from pathlib import Path

import pytest

from stationmaster.postgres.queries import QueryError, load


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "desk.sql"


def test_parameters_become_placeholders_and_casts_stay(file: Path) -> None:
    file.write_text(
        "-- name: find_it\n-- One by its key.\nSELECT :key::text AS key, ':no' AS text WHERE n > :least;\n"
    )
    queries = load(file)
    assert queries["find_it"] == "SELECT %(key)s::text AS key, ':no' AS text WHERE n > %(least)s;"
    assert list(queries) == ["find_it"]
    assert len(queries) == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("-- name: bare\nSELECT 1;\n", "desk.sql: say in a comment below its name what 'bare' is for"),
        (
            "-- name: a\n-- One.\nSELECT 1;\n-- name: a\n-- Two.\nSELECT 2;\n",
            "desk.sql has two queries 'a': rename one",
        ),
        ("-- name: a b c\n-- One.\nSELECT 1;\n", "desk.sql: invalid query name"),
    ],
)
def test_a_file_in_disorder_is_refused(file: Path, text: str, reason: str) -> None:
    file.write_text(text)
    with pytest.raises(QueryError, match=reason):
        load(file)


def test_an_unknown_name_lists_what_there_is(file: Path) -> None:
    file.write_text("-- name: find_it\n-- One.\nSELECT 1;\n")
    with pytest.raises(QueryError, match=r"desk\.sql has no query 'fnid_it': it has find_it"):
        load(file)["fnid_it"]
