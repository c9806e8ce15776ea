"""Named SQL queries from the .sql files that stand beside the modules using them."""

from pathlib import Path
from typing import LiteralString, cast

import aiosql
from psycopg.sql import SQL


def load(module_file: str) -> dict[str, SQL]:
    """The queries of the `.sql` file beside a module (pass `__file__`), by name, with %(x)s placeholders.

    A name that is not in the file fails where it is looked up: do that at import, in a constant.
    """
    path = Path(module_file).with_suffix(".sql")
    queries = aiosql.from_path(path, "psycopg")
    names = [name for name in queries.available_queries if not name.endswith("_cursor")]
    # The cast is true: the text comes from a file of this package, never from input.
    return {name: SQL(cast("LiteralString", getattr(queries, name).sql)) for name in names}
