"""Reads a statement before anybody runs it: what it is, what it touches, or why it is refused."""

from agents.sql_operator.statements.reading import Refused, Statement, digest, read

__all__ = ["Refused", "Statement", "digest", "read"]
