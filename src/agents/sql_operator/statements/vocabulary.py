"""The parts of SQL that a statement may be made of. What is not listed is refused, whatever it would do.

Names are those of sqlglot's classes: a new version that reads something into a class of its own refuses it until
somebody has looked at it.
"""

_PARTS = """
Select Union Intersect Except Subquery With CTE TableAlias From Join Where Group Having Order Ordered Limit Offset
Distinct Window WindowSpec Filter WithinGroup Star Column Identifier Alias Literal Boolean Null Paren Tuple Table
Case If Between In Is Not And Or EQ NEQ GT GTE LT LTE Like ILike Escape Add Sub Mul Div Mod Neg DPipe Exists Interval
Var IntervalSpan Cast DataType DataTypeParam Anonymous Values Schema Update Insert
Count Sum Avg Min Max Round Coalesce Lower Upper Length TimestampTrunc DateTrunc Extract CurrentDate CurrentTimestamp
TimeToStr ToChar Substring Trim Concat ConcatWs Abs Ceil Floor Nullif Greatest Least RowNumber Rank DenseRank Lag Lead
FirstValue LastValue GroupConcat Stddev StddevSamp Median PercentileCont Initcap
"""
PARTS = frozenset(_PARTS.split())

FUNCTIONS = frozenset(
    {"age", "to_char", "date_part", "rank", "dense_rank", "initcap", "make_date", "justify_days"}
)
"""Functions that sqlglot has no class for."""

_TYPES = """
TEXT VARCHAR CHAR INT BIGINT SMALLINT DECIMAL DOUBLE FLOAT BOOLEAN DATE TIMESTAMP TIMESTAMPTZ INTERVAL
"""
TYPES = frozenset(_TYPES.split())
"""What a value may be cast to; regclass, oid, xml and their like look things up."""

QUERIES = frozenset({"Select", "Union", "Intersect", "Except"})

NAMED = {
    "Command": "a command",
    "Copy": "COPY",
    "Into": "SELECT INTO",
    "Lock": "a row lock (FOR UPDATE)",
    "Delete": "DELETE",
    "Merge": "MERGE",
    "Drop": "DROP",
    "Create": "CREATE",
    "Alter": "ALTER",
    "TruncateTable": "TRUNCATE",
    "Grant": "GRANT",
    "Set": "SET",
    "Transaction": "transaction control",
    "Commit": "transaction control",
    "Rollback": "transaction control",
    "Placeholder": "a placeholder",
    "Parameter": "a parameter",
    "Dot": "a name with a schema before a function, or of a field",
    "Operator": "OPERATOR(...)",
    "Lateral": "LATERAL",
    "TableSample": "TABLESAMPLE",
    "Returning": "RETURNING",
    "OnConflict": "ON CONFLICT",
}
"""What people call the parts that are refused most."""
