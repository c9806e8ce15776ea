"""Protections that are switched off by an argument or a setting: shells, certificates, signatures of tokens."""

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agents.engineering_team.checks.flowing import Flow, keywords

if TYPE_CHECKING:
    from agents.engineering_team.checks.security import Hole


def switched(flow: Flow) -> Iterator["Hole"]:
    """The findings."""
    for node in flow.code.nodes:
        match node:
            case ast.Call():
                yield from _by_arguments(node)
            case ast.Assign(targets=[ast.Attribute(attr=attr)], value=value) if _switches_off(
                flow, attr, value
            ):
                message = f"{attr} is switched off, so that every certificate is trusted: leave it as it is"
                yield "no-certificate-check", node.lineno, "high", message
            case _:
                pass


def _by_arguments(node: ast.Call) -> Iterator["Hole"]:
    for name, value in keywords(node):
        if name == "shell" and not _is(value, False, None, 0):
            yield (
                "shell",
                node.lineno,
                "high",
                "shell=True reads the text as a script: give a list of arguments instead",
            )
        elif name == "verify" and _is(value, False):
            yield (
                "no-certificate-check",
                node.lineno,
                "high",
                "verify=False trusts every certificate: leave it out",
            )
        elif name == "options" and isinstance(value, ast.Dict) and _unsigned(value):
            yield (
                "unsigned-token",
                node.lineno,
                "high",
                "the token's signature is not verified: leave the option out",
            )
        elif name == "algorithms" and any(
            isinstance(one, ast.Constant) and str(one.value).lower() == "none" for one in ast.walk(value)
        ):
            yield (
                "unsigned-token",
                node.lineno,
                "high",
                "'none' accepts tokens that nobody has signed: leave it out",
            )


def _switches_off(flow: Flow, attr: str, value: ast.expr) -> bool:
    off = attr in ("verify", "check_hostname") and _is(value, False)
    return off or (attr == "verify_mode" and flow.code.dotted(value) == "ssl.CERT_NONE")


def _unsigned(options: ast.Dict) -> bool:
    return any(
        isinstance(key, ast.Constant) and key.value == "verify_signature" and _is(value, False)
        for key, value in zip(options.keys, options.values, strict=True)
    )


def _is(node: ast.expr, *values: object) -> bool:
    return isinstance(node, ast.Constant) and any(
        node.value is value or node.value == value for value in values
    )
