"""The database's side of the guard: two roles that see the schema `desk` alone, and sessions of one transaction."""

from agents.sql_operator.access.logins import Login, RolesMissing, RoleTooStrong, configure
from agents.sql_operator.access.sessions import (
    CountChanged,
    Found,
    TooSlow,
    carry_out,
    count_rows,
    fetch,
    plan_only,
)

__all__ = [
    "CountChanged",
    "Found",
    "Login",
    "RoleTooStrong",
    "RolesMissing",
    "TooSlow",
    "carry_out",
    "configure",
    "count_rows",
    "fetch",
    "plan_only",
]
