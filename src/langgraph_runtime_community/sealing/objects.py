"""JSON objects, key by key, as the server's routes encrypt them: what the runtime writes itself it seals the same way.

The routes open what they answer with; an object that was opened here passes them as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from langgraph_runtime_community.sealing import blobs

ROOT = "__root__"
"""Where a state that is no object stands: the routes take objects alone."""
Row = dict[str, Any]


async def seal_values(value: Any) -> Any:
    """A thread's values, or its error."""
    if value is None or not blobs.active():
        return value
    plain = _plain(value)
    whole = plain if isinstance(plain, dict) else {ROOT: plain}
    return (
        await _sealed(whole, "thread", "values") if blobs.seals_json() else await blobs.seal_document(whole)
    )


async def seal_interrupts(questions: Mapping[str, Sequence[Any]]) -> Row:
    """Pending questions by task. Ids stay readable: a refusal of new input names them."""
    if not blobs.active():
        return dict(questions)
    return {task: [await _question(_plain(one)) for one in several] for task, several in questions.items()}


async def _question(question: Row) -> Row:
    if blobs.seals_bytes():
        return {"id": question.get("id"), **await blobs.seal_document(question)}
    return {"id": question.get("id"), **await _sealed(question, "thread", "interrupts")}


async def seal_metadata(metadata: Row) -> Row:
    """A checkpoint's metadata; what the runtime itself looks for stays readable."""
    return await _sealed(_plain(metadata), "checkpoint", "metadata") if blobs.active() else metadata


async def seal_hook(hook: Row | None) -> Row | None:
    """A webhook that is to wait in the outbox."""
    if hook is None or not blobs.active():
        return hook
    return {**hook, "payload": await blobs.seal_document(hook["payload"])}


async def open_object(value: Any, model: str = "checkpoint") -> Any:
    """An object that was sealed here or by a route; anything else as it is."""
    from langgraph_api.encryption.middleware import decrypt_json_if_needed
    from langgraph_api.encryption.shared import ENCRYPTION_CONTEXT_KEY, get_encryption

    if not isinstance(value, dict) or ENCRYPTION_CONTEXT_KEY not in value or not blobs.active():
        return value
    return await decrypt_json_if_needed(value, get_encryption(), model)  # pyright: ignore[reportArgumentType]


async def open_thread(row: Row) -> Row:
    """A thread's row, for the API and for its graph."""
    if not blobs.active():
        return row
    told = {
        name: await open_object(await blobs.open_document(row[name]), "thread")
        for name in ("values", "error")
        if name in row
    }
    if "interrupts" in row:
        told["interrupts"] = {
            task: [await open_object(await blobs.open_document(one), "thread") for one in several]
            for task, several in row["interrupts"].items()
        }
    return {**row, **told}


async def open_config(config: Row) -> Row:
    """A configuration with what is nested in it."""
    whole = await open_object(config, "run")
    nested = {
        name: await open_object(whole[name], "run") for name in ("configurable", "metadata") if name in whole
    }
    return {**whole, **nested}


async def open_run(run: Row) -> Row:
    """A run's row as its worker has it."""
    from langgraph_api.encryption.middleware import decrypt_response
    from langgraph_api.schema import RUN_ENCRYPTION_FIELDS

    return {**await decrypt_response(run, "run", RUN_ENCRYPTION_FIELDS, plaintext_from_core=False)}


async def read_keys(metadata: Row, names: Sequence[str]) -> Row:
    """The metadata with some keys readable: those that speak to the runtime, and are taken out or looked at in SQL."""
    from langgraph_api.encryption.shared import ENCRYPTION_CONTEXT_KEY

    if not blobs.active() or ENCRYPTION_CONTEXT_KEY not in metadata:
        return metadata
    wanted = {name: metadata[name] for name in names if name in metadata}
    if not wanted:
        return metadata
    marker = {ENCRYPTION_CONTEXT_KEY: metadata[ENCRYPTION_CONTEXT_KEY]}
    return {**metadata, **await open_object({**wanted, **marker}, "run")}


async def _sealed(value: Row, model: str, field: str) -> Row:
    from langgraph_api.encryption.middleware import encrypt_json_if_needed
    from langgraph_api.encryption.shared import get_encryption

    made = await encrypt_json_if_needed(
        value, get_encryption(), model, field, f"{model}.{field}"  # pyright: ignore[reportArgumentType]
    )  # fmt: skip
    return made or {}


def _plain(value: Any) -> Any:
    """As it will stand in the database; handlers are given JSON."""
    from langgraph_api.serde import json_dumpb, json_loads

    return json_loads(json_dumpb(value))
