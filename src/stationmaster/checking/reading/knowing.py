"""What is known to touch the world: HTTP, mail, SQL, processes, files, models; by the names of their libraries."""

import ast
import functools
import inspect
import re
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.language_models import BaseLanguageModel
from langchain_core.runnables import RunnableBinding, RunnableSequence
from langgraph.errors import GraphInterrupt
from langgraph.pregel import Pregel
from langgraph.types import interrupt
from psycopg.sql import SQL

from stationmaster.checking.reading.resolving import Scope
from stationmaster.checking.reading.standing import Inner, Instance, Live, Method, Named, Stands

Kind = Literal["write", "read", "model"]


@dataclass(frozen=True)
class Effect:
    """`write` changes something outside, `read` looks there, `model` asks a model (or runs a graph, which may)."""

    kind: Kind
    what: str


HTTP = frozenset({"httpx", "httpx2", "requests", "aiohttp", "urllib3"})
HTTP_READS = frozenset({"get", "head", "options"})
HTTP_WRITES = frozenset({"post", "put", "patch", "delete", "request", "stream", "send"})
# Libraries of which nearly every method is a request to somebody; what these begin with only looks.
REMOTE = frozenset({
    "boto3", "botocore", "aiobotocore", "stripe", "twilio", "sendgrid", "slack_sdk", "resend", "redis", "pymongo",
    "motor", "kafka", "aiokafka", "pika", "aio_pika", "elasticsearch", "opensearchpy", "paramiko", "apprise",
})  # fmt: skip
LOOKS = (
    "get",
    "list",
    "describe",
    "head",
    "retrieve",
    "find",
    "search",
    "count",
    "exists",
    "read",
    "ping",
    "fetch",
)
DATABASES = frozenset(
    {"psycopg", "psycopg2", "asyncpg", "sqlite3", "aiosqlite", "sqlalchemy", "databases", "pymysql"}
)
SQL_METHODS = frozenset({
    "execute", "executemany", "executescript", "fetch", "fetchrow", "fetchval", "fetch_all", "fetch_one", "scalar",
    "scalars", "exec", "copy",
})  # fmt: skip
MODEL_METHODS = frozenset({
    "invoke", "ainvoke", "stream", "astream", "batch", "abatch", "generate", "agenerate", "predict", "apredict",
    "create", "parse", "complete", "acomplete", "astream_events", "call", "acall",
})  # fmt: skip
MODEL_LIBRARIES = frozenset(
    {"openai", "anthropic", "mistralai", "cohere", "groq", "ollama", "litellm", "google.genai"}
)
LIKE_A_MODEL = re.compile(r"(^|_)(llm|model|chain|agent|chat|runnable)s?$", re.IGNORECASE)
LIKE_HTTP = re.compile(r"(^|_)(http|client|session|requests?|api)$", re.IGNORECASE)
MAIL = re.compile(r"^(send_?(e?mail|message|sms)|sendmail)$", re.IGNORECASE)
WRITES_SQL = re.compile(
    r"(?:^|;|\)|\bas\s*\()\s*(insert|update|delete|merge|create|drop|alter|truncate|call|copy)\b",
    re.IGNORECASE,
)
COMMENTS_SQL = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
PLAIN: dict[str, Kind] = {
    **dict.fromkeys(("os.remove", "os.unlink", "os.rename", "os.replace", "os.mkdir", "os.makedirs", "os.rmdir",
    "os.removedirs", "os.system", "os.popen", "os.kill", "os.symlink", "os.truncate", "os.write"), "write"),
    **dict.fromkeys(("os.listdir", "os.scandir", "os.walk", "os.stat", "glob.glob", "glob.iglob", "os.path.exists"),
    "read"),
    **dict.fromkeys(("shutil.rmtree", "shutil.copy", "shutil.copy2", "shutil.copyfile", "shutil.copytree",
    "shutil.move"), "write"),
    **dict.fromkeys(("subprocess.run", "subprocess.call", "subprocess.check_call", "subprocess.check_output",
    "subprocess.Popen", "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell",
    "asyncio.subprocess.create_subprocess_exec", "asyncio.subprocess.create_subprocess_shell"), "write"),
    "urllib.request.urlopen": "read", "urllib.request.urlretrieve": "write", "socket.create_connection": "write",
    "aiosmtplib.send": "write", "webbrowser.open": "write",
}  # fmt: skip
PATH_WRITES = frozenset({
    "write_text", "write_bytes", "unlink", "mkdir", "rmdir", "touch", "rename", "replace", "symlink_to", "chmod",
})  # fmt: skip
PATH_READS = frozenset(
    {"read_text", "read_bytes", "iterdir", "glob", "rglob", "exists", "is_file", "is_dir", "stat"}
)


def is_interrupt(called: Stands | None) -> bool:
    """Whether it is LangGraph's own `interrupt`, or the exception that it raises."""
    if not isinstance(called, Live):
        return False
    return called.thing is interrupt or (
        inspect.isclass(called.thing) and issubclass(called.thing, GraphInterrupt)
    )


def effect_of(node: ast.Call, called: Stands | None, scope: Scope) -> Effect | None:
    """What a call does to the world, where its name is known to do something."""
    if isinstance(called, Live) and isinstance(called.thing, functools.partial):
        called = Live(called.thing.func)
    name, shown = dotted(called), ast.unparse(node.func)
    root, last = name.partition(".")[0], shown.rpartition(".")[2]
    for judge in (_plain, _files, _sql, _model):
        if found := judge(node, called, scope, name, last):
            return Effect(found, shown)
    for each in (last, name.rpartition(".")[2]):  # as it is called here, and as its library calls it
        if root in HTTP and each in HTTP_READS | HTTP_WRITES:
            return Effect(_http(node, each), shown)
    if root in REMOTE and isinstance(called, Live | Method | Named) and not inspect.isclass(_thing(called)):
        return Effect("read" if last.startswith(LOOKS) else "write", shown)
    if MAIL.match(last) and not isinstance(called, Inner):
        return Effect("write", shown)
    holder = node.func.value if isinstance(node.func, ast.Attribute) else None
    writes = last in ("post", "put", "patch", "delete")
    if called is None and holder is not None and writes and LIKE_HTTP.search(_last(holder)):
        return Effect("write", shown)
    return None


def dotted(called: Stands | None) -> str:
    """Module and name, such as `httpx.AsyncClient.post`; empty where it isn't known."""
    match called:
        case Named(name=name):
            return name
        case Method(kind=kind, name=name):
            owner = next((each for each in kind.__mro__ if name in vars(each)), kind)
            return f"{owner.__module__}.{owner.__qualname__}.{name}"
        case Instance(kind=kind):
            return f"{kind.__module__}.{kind.__qualname__}"
        case Live(thing=thing):
            module = getattr(thing, "__module__", None) or getattr(
                type(getattr(thing, "__self__", None)), "__module__", ""
            )
            name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", "")
            return f"{module}.{name}" if isinstance(module, str) and isinstance(name, str) else ""
    return ""


def _plain(_node: ast.Call, _called: Stands | None, _scope: Scope, name: str, _last: str) -> Kind | None:
    known = name.replace("posix.", "os.", 1) if name.startswith("posix.") else name
    known = re.sub(r"^asyncio\.subprocess\.", "asyncio.", known)
    if known.startswith(("smtplib.", "aiosmtplib.")) and _last in ("sendmail", "send_message", "send"):
        return "write"
    if known.startswith("subprocess.Popen"):
        return "write"
    return PLAIN.get(known)


def _files(node: ast.Call, called: Stands | None, scope: Scope, name: str, last: str) -> Kind | None:
    of_path = name.startswith("pathlib.") and last == "open"
    if (
        of_path
        or (isinstance(called, Live) and called.thing is open)
        or name in ("aiofiles.open", "_io.open")
    ):
        words = [each.value for each in node.keywords if each.arg == "mode"]
        given = next(iter([*node.args[0 if of_path else 1 :], *words]), None)
        mode = scope.resolve(given) if given is not None else Live("r")
        text = mode.thing if isinstance(mode, Live) and isinstance(mode.thing, str) else ""
        return "write" if set(text) & set("wax+") else "read"
    if name.startswith("pathlib."):
        return "write" if last in PATH_WRITES else "read" if last in PATH_READS else None
    return None


def _sql(node: ast.Call, called: Stands | None, scope: Scope, name: str, last: str) -> Kind | None:
    """By the text of the statement, whoever executes it; a statement that can't be read only looks."""
    ours = name.partition(".")[0] in DATABASES
    if ours and last in ("commit", "add", "add_all", "merge", "bulk_save_objects"):
        return "write"
    if last not in SQL_METHODS or not isinstance(node.func, ast.Attribute):
        return None
    found = scope.resolve(node.args[0]) if node.args else None
    text = _text(node.args[0] if node.args else None, found)
    if text is None:
        return "read" if ours else None
    if WRITES_SQL.search(COMMENTS_SQL.sub(" ", text)):
        return "write"
    return "read" if ours or re.match(r"\s*(select|with|table|values)\b", text, re.IGNORECASE) else None


def _text(node: ast.AST | None, found: Stands | None) -> str | None:
    """A statement's text; of an f-string the parts that are written down, of `text("...")` what is in it."""
    if isinstance(found, Live) and isinstance(found.thing, str | SQL):
        return found.thing if isinstance(found.thing, str) else found.thing.as_string()
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
        return str(node.args[0].value)
    return None


def _model(node: ast.Call, called: Stands | None, _scope: Scope, name: str, last: str) -> Kind | None:
    if last not in MODEL_METHODS or not isinstance(node.func, ast.Attribute):
        return None
    if isinstance(called, Method):
        return "model" if issubclass(called.kind, BaseLanguageModel | Pregel) else _by_library(name)
    if isinstance(called, Live):
        owner = getattr(called.thing, "__self__", None)
        return "model" if asks_a_model(owner) else _by_library(name)
    if (
        called is None
        and LIKE_A_MODEL.search(_last(node.func.value))
        and last not in ("create", "parse", "call")
    ):
        return "model"
    return _by_library(name)


def asks_a_model(thing: Any) -> bool:
    """Whether it is a model or a graph, or has one among its steps."""
    if isinstance(thing, RunnableBinding):
        return asks_a_model(thing.bound)
    if isinstance(thing, RunnableSequence):
        return any(asks_a_model(step) for step in thing.steps)
    return isinstance(thing, BaseLanguageModel | Pregel)


def _by_library(name: str) -> Kind | None:
    return "model" if any(name.startswith(f"{library}.") for library in MODEL_LIBRARIES) else None


def _http(node: ast.Call, last: str) -> Kind:
    if last in HTTP_READS:
        return "read"
    first = node.args[0] if node.args else None
    asked = first.value if isinstance(first, ast.Constant) else None
    return (
        "read"
        if last in ("request", "stream") and str(asked).upper() in ("GET", "HEAD", "OPTIONS")
        else "write"
    )


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _thing(called: Live | Method | Named) -> Any:
    return called.thing if isinstance(called, Live) else None
