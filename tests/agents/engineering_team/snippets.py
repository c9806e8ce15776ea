"""Code that the auditor has to object to, and code that it has to let pass, each by name."""

from textwrap import dedent
from typing import Any


def _all(text: str) -> dict[str, str]:
    """Snippets by name: a line `# --- name` begins one."""
    found: dict[str, Any] = {}
    for part in dedent(text).split("# --- ")[1:]:
        name, _, code = part.partition("\n")
        found[name.strip()] = code.strip() + "\n"
    return found


UNSAFE = _all(
    """
    # --- plain
    def verify(signature, expected): return signature == expected
    # --- reversed operands
    def verify(expected, signature): return expected == signature
    # --- not equal, and raise
    def verify(sig, expected):
        if sig != expected:
            raise ValueError("no")
    # --- negated
    def verify(sig, expected): return not sig == expected
    # --- hexdigest on the spot
    import hashlib, hmac
    def verify(key, body, given): return hmac.new(key, body, hashlib.sha256).hexdigest() == given
    # --- hmac.digest
    import hmac
    def verify(key, body, given): return given == hmac.digest(key, body, "sha256")
    # --- from hmac import digest, renamed
    from hmac import digest as d
    def verify(key, body, given): return given == d(key, body, "sha256")
    # --- module alias
    import hmac as h
    def verify(key, body, given): return given == h.new(key, body, "sha256").digest()
    # --- through neutral variables
    import hmac
    def verify(key, body, headers):
        a = hmac.new(key, body, "sha256").hexdigest()
        b = headers["X-Hub-Signature-256"]
        return a == b
    # --- through two neutral variables and a prefix
    import hmac
    def verify(key, body, given):
        a = hmac.new(key, body, "sha256")
        b = a.hexdigest()
        c = "sha256=" + b
        return c == given
    # --- header by get
    def verify(headers, wanted): return headers.get("X-Signature") == wanted
    # --- environment
    import os
    def verify(given): return os.environ["API_TOKEN"] == given
    # --- getenv
    import os
    def verify(given): return given == os.getenv("SERVICE_PASSWORD")
    # --- getattr
    def verify(request, wanted): return getattr(request, "signature") == wanted
    # --- method of a class
    import hmac
    class Hook:
        def __init__(self, key): self.key = key
        def made(self, body): return hmac.new(self.key, body, "sha256").hexdigest()
        def verify(self, body, given): return self.made(body) == given
    # --- attribute set elsewhere
    import hmac
    class Hook:
        def __init__(self, key, body): self.wanted = hmac.digest(key, body, "sha256")
        def verify(self, given): return given == self.wanted
    # --- nested function
    def outer(token):
        def inner(other):
            return other == token
        return inner
    # --- variable of the outer function
    import hmac
    def outer(key, body):
        wanted = hmac.digest(key, body, "sha256")
        def inner(given):
            return given == wanted
        return inner
    # --- own helper with neutral names
    def same(a, b): return a == b
    def verify(signature, expected): return same(signature, expected)
    # --- own helper named as if it were safe
    def compare_digest(a, b): return a == b
    def verify(signature, expected): return compare_digest(signature, expected)
    # --- helper by keyword
    def same(*, a, b): return a == b
    def verify(signature, expected): return same(a=signature, b=expected)
    # --- lambda
    same = lambda a, b: a == b
    def verify(signature, expected): return same(signature, expected)
    # --- operator.eq
    import operator
    def verify(signature, expected): return operator.eq(signature, expected)
    # --- operator.eq under another name
    from operator import eq as same
    def verify(signature, expected): return same(expected, signature)
    # --- operator.eq as a default argument
    import operator
    def verify(signature, expected, same=operator.eq): return same(signature, expected)
    # --- operator.eq in a map
    import operator
    def verify(signature, expected): return all(map(operator.eq, signature, expected))
    # --- dunder
    def verify(signature, expected): return signature.__eq__(expected)
    # --- dunder of the class
    def verify(signature, expected): return str.__eq__(signature, expected)
    # --- byte by byte
    def verify(signature, expected):
        return all(x == y for x, y in zip(signature, expected))
    # --- loop that leaves early
    def verify(signature, expected):
        for x, y in zip(signature, expected):
            if x != y:
                return False
        return len(signature) == len(expected)
    # --- in a list
    def verify(given, api_key, old): return given in [api_key, old]
    # --- startswith
    def verify(given, signature): return given.startswith(signature)
    # --- slices
    def verify(signature, expected): return signature[:16] == expected[:16]
    # --- decoded and stripped
    def verify(signature, expected): return signature.strip().lower().encode() == expected
    # --- base64
    import base64
    def verify(mac, given): return base64.b64encode(mac) == given
    # --- f-string
    def verify(signature, given): return f"v1={signature}" == given
    # --- or
    def verify(token, given): return (token or "") == given
    # --- conditional
    def verify(token, given, on): return (token if on else given) == given
    # --- walrus
    def verify(headers, wanted): return (a := headers["X-Token"]) == wanted
    # --- tuples
    def verify(user, password, a, b): return (user, password) == (a, b)
    # --- unpacked
    import hmac
    def verify(key, body, given):
        name, made = "x", hmac.digest(key, body, "sha256")
        return made == given
    # --- chained
    def verify(a, token, b): return a == token == b
    # --- async
    async def verify(request, wanted): return (await request.signature()) == wanted
    # --- match
    class Wanted: value = ""
    def verify(token):
        match token:
            case Wanted.value: return True
        return False
    # --- function named after what it returns
    def verify(body, given): return make_signature(body) == given
    # --- returned through two functions
    import hmac
    def one(key, body): return hmac.digest(key, body, "sha256")
    def two(key, body): return one(key, body)
    def verify(key, body, given): return given == two(key, body)
    # --- camel case
    def verify(accessToken, given): return accessToken == given
    # --- at module level
    import os
    ok = os.environ["SECRET"] == input()
    # --- comprehension
    def users(all_users, token): return [u for u in all_users if u.token == token]
    # --- password
    def login(user, password): return user.password_hash == password
    # --- plain digest
    import hashlib
    def verify(data, given): return hashlib.sha256(data).hexdigest() == given
    # --- literal
    def verify(api_key): return api_key == "a1b2c3d4e5f6"
    # --- isort-like import inside
    def verify(key, body, given):
        import hmac as x
        return x.new(key, body, "sha1").hexdigest() == given
    # --- __import__
    def verify(key, body, given): return __import__("hmac").digest(key, body, "sha256") == given
    # --- beside a safe one
    import hmac
    def safe(a, signature): return hmac.compare_digest(a, signature)
    def verify(a, signature): return a == signature
    # --- else after the safe one
    import hmac
    def verify(signature, expected):
        try:
            return hmac.compare_digest(signature, expected)
        except TypeError:
            return signature == expected
    # --- kwargs dict
    def same(a, b): return a == b
    def verify(signature, expected): return same(**{"a": signature, "b": expected})
    # --- varargs
    def same(*both): return both[0] == both[1]
    def verify(signature, expected): return same(signature, expected)
    # --- dict membership
    def verify(signature, expected): return signature in {expected: 1}
    # --- global
    import hmac
    wanted = None
    def prepare(k, b):
        global wanted
        wanted = hmac.digest(k, b, "sha256")
    def verify(given): return given == wanted
    # --- nonlocal in closure
    import hmac
    def outer(k, b):
        w = None
        def set_it():
            nonlocal w
            w = hmac.digest(k, b, "sha256")
        def verify(given): return given == w
        return set_it, verify
    # --- yield
    import hmac
    def gen(k, b): yield hmac.digest(k, b, "sha256")
    def verify(k, b, given):
        for w in gen(k, b):
            return w == given
    # --- try import
    try:
        from hmac import compare_digest
    except ImportError:
        def compare_digest(a, b): return a == b
    def verify(signature, expected): return compare_digest(signature, expected)
    # --- rebound compare_digest
    from hmac import compare_digest
    import operator
    compare_digest = operator.eq
    def verify(signature, expected): return compare_digest(signature, expected)
    # --- lambda default
    def verify(signature, expected, same=lambda a, b: a == b): return same(signature, expected)
    # --- lambda immediately
    def verify(signature, expected): return (lambda a, b: a == b)(signature, expected)
    # --- map lambda
    def verify(signature, expected): return all(map(lambda a, b: a == b, signature, expected))
    # --- getattr eq
    def verify(signature, expected): return getattr(signature, "__eq__")(expected)
    # --- setattr
    import hmac
    class A: pass
    def verify(k, b, given):
        a = A(); setattr(a, "w", hmac.digest(k, b, "sha256"))
        return a.w == given
    # --- os.environb
    import os
    def verify(given): return given == os.environ["WEBHOOK_KEY"]
    # --- neutral names, header auth
    def verify(request, wanted): return request.headers["Authorization"] == wanted
    # --- bearer
    def verify(request, wanted): return request.headers.get("Authorization") == f"Bearer {wanted}"
    # --- code
    def check(user, code): return user.verification_code == code
    # --- class attr helper
    class A:
        @staticmethod
        def same(a, b): return a == b
    def verify(signature, expected): return A.same(signature, expected)
    # --- self helper
    class A:
        def same(self, a, b): return a == b
        def verify(self, signature, expected): return self.same(signature, expected)
    # --- star args
    def same(a, b): return a == b
    def verify(signature, expected):
        pair = (signature, expected)
        return same(*pair)
    # --- list index
    def verify(signature, expected):
        both = [signature, expected]
        return both[0] == both[1]
    # --- while loop
    def verify(signature, expected):
        i = 0
        while i < len(signature):
            if signature[i] != expected[i]: return False
            i += 1
        return True
    # --- any != zip
    def verify(signature, expected): return not any(a != b for a, b in zip(signature, expected))
    # --- starred assign
    import hmac
    def verify(k, b, given):
        w, *_ = [hmac.digest(k, b, "sha256"), 1]
        return w == given
    # --- decorated
    import functools
    @functools.lru_cache
    def same(a, b): return a == b
    def verify(signature, expected): return same(signature, expected)
    """
)

SAFE = _all(
    """
    # --- hmac.compare_digest
    import hmac
    def verify(signature, expected): return hmac.compare_digest(signature, expected)
    # --- secrets.compare_digest
    import secrets
    def verify(token, given): return secrets.compare_digest(token, given)
    # --- renamed
    from hmac import compare_digest as same
    def verify(signature, expected): return same(signature, expected)
    # --- module alias
    import hmac as h
    def verify(signature, expected): return h.compare_digest(signature, expected)
    # --- assigned
    import hmac
    same = hmac.compare_digest
    def verify(signature, expected): return same(signature, expected)
    # --- negated, and raise
    import hmac
    def verify(key, body, signature):
        if not hmac.compare_digest(hmac.new(key, body, "sha256").hexdigest(), signature):
            raise ValueError("no")
    # --- its answer is compared
    import hmac
    def verify(signature, expected): return hmac.compare_digest(signature, expected) == True
    # --- its answer in a variable
    import hmac
    def verify(signature, expected, wanted):
        same_signature = hmac.compare_digest(signature, expected)
        return same_signature == wanted
    # --- nested
    import hmac
    def outer(key):
        def verify(body, signature):
            return hmac.compare_digest(hmac.digest(key, body, "sha256"), signature)
        return verify
    # --- none
    def given(token): return token is None or token == None or token == ""
    # --- lengths
    def verify(token, other): return len(token) == len(other)
    # --- counts
    def enough(token_count, tokens): return token_count == len(tokens)
    # --- kinds
    def kind(token_type, other): return token_type == other
    # --- words of a parser
    def parse(token):
        return token == "(" or token == "while" or token in ("+", "-", "operator_name")
    # --- members of an enumeration
    def parse(token, Kind): return token == Kind.PLUS
    # --- prefix of a header
    def scheme(signature): return signature.startswith("sha256=")
    # --- names of fields
    def order(digest_size, block): return digest_size == block
    # --- nothing to hide
    def same(a, b): return a == b
    def check(count): return same(count, 3)
    # --- order
    def later(a, b): return a == b and a > b
    # --- a bool
    def check(is_token, other): return is_token == other
    # --- without an early end
    def verify(signature, expected):
        found = len(signature) ^ len(expected)
        for x, y in zip(signature, expected):
            found |= x ^ y
        return found == 0
    # --- a password and itself
    def ok(password): return password != password.lower() and len(password) > 8
    # --- other words
    def f(sign, x, secret_santa, file_hash, auth):
        return sign == x or secret_santa == x or file_hash == x or auth.scheme == "digest"
    # --- membership
    def seen(tokens, token): return token in tokens
    """
)

HOLES = _all(
    """
    # --- runs-text: eval
    def f(x): return eval(x)
    # --- runs-text: exec by another name
    from builtins import exec as run
    def f(x): run(x)
    # --- runs-text: builtins
    import builtins as b
    def f(x): return b.eval(x)
    # --- runs-text: alias
    e = eval
    def f(x): return e(x)
    # --- runs-text: getattr
    import builtins
    def f(x): return getattr(builtins, "eval")(x)
    # --- shell: true
    import subprocess
    def f(x): subprocess.run(x, shell=True)
    # --- shell: variable
    import subprocess
    def f(x, yes): subprocess.Popen(x, shell=yes)
    # --- shell: by a dict
    import subprocess
    def f(x): subprocess.run(x, **{"shell": True})
    # --- shell: os.system
    import os
    def f(x): os.system("ls " + x)
    # --- shell: popen renamed
    from os import popen as p
    def f(x): return p(x).read()
    # --- unsafe-loading: pickle
    import pickle
    def f(x): return pickle.loads(x)
    # --- unsafe-loading: renamed
    from pickle import loads as read
    def f(x): return read(x)
    # --- unsafe-loading: yaml
    import yaml
    def f(x): return yaml.load(x)
    # --- unsafe-loading: yaml with a loader
    import yaml
    def f(x): return yaml.load(x, Loader=yaml.Loader)
    # --- sql-injection: f-string
    def f(conn, name): conn.execute(f"SELECT * FROM users WHERE name = '{name}'")
    # --- sql-injection: plus
    def f(conn, name): conn.execute("select id from users where name = '" + name + "'")
    # --- sql-injection: percent
    def f(conn, name): conn.execute("delete from users where name = '%s'" % name)
    # --- sql-injection: format
    def f(conn, name): conn.execute("insert into users values ('{}')".format(name))
    # --- sql-injection: variable
    def f(conn, name):
        statement = f"update users set x = 1 where name = '{name}'"
        conn.execute(statement)
    # --- sql-injection: grown
    def f(conn, name):
        statement = "select * from users"
        statement += " where name = '" + name + "'"
        conn.execute(statement)
    # --- sql-injection: returned
    def f(table): return f"drop table {table}"
    # --- sql-injection: any text that is executed
    def f(conn, what): conn.execute(f"vacuum {what}")
    # --- secret-in-code: password
    PASSWORD = "correct horse battery"
    # --- secret-in-code: keyword
    def f(connect): return connect(user="ann", password="s3cr3t-enough")
    # --- secret-in-code: default
    def f(api_key="k-123456789"): return api_key
    # --- secret-in-code: dict
    SETTINGS = {"db_password": "hunter2hunter2"}
    # --- secret-in-code: shape
    X = "AKIAABCDEFGHIJKLMNOP"
    # --- secret-in-code: url
    X = "postgresql://ann:hunter22@db/shop"
    # --- secret-in-code: default of the environment
    import os
    X = os.environ.get("API_TOKEN", "tok-123456789")
    # --- secret-in-code: compared
    def f(password): return password == "letmein1"
    # --- guessable: token
    import random
    def f():
        token = "".join(random.choice("abc") for _ in range(9))
        return token
    # --- guessable: function
    import random as r
    def make_token(): return r.getrandbits(128)
    # --- guessable: argument
    from random import randint
    def f(send): send(otp=randint(0, 999999))
    # --- guessable: uuid1
    import uuid
    def reset_token(): return str(uuid.uuid1())
    # --- weak-hash: md5
    import hashlib
    def f(x): return hashlib.md5(x)
    # --- weak-hash: hmac
    import hmac
    def f(k, x): return hmac.new(k, x, "md5")
    # --- fast-password-hash: sha256
    import hashlib
    def f(password): return hashlib.sha256(password.encode())
    # --- no-certificate-check: verify
    import requests
    def f(u): return requests.get(u, verify=False)
    # --- no-certificate-check: context
    import ssl
    def f(): return ssl._create_unverified_context()
    # --- unsigned-token: options
    import jwt
    def f(t): return jwt.decode(t, options={"verify_signature": False})
    # --- unsigned-token: none
    import jwt
    def f(t, k): return jwt.decode(t, k, algorithms=["none"])
    # --- guessable-file: mktemp
    import tempfile
    def f(): return tempfile.mktemp()
    # --- open-to-all: chmod
    import os
    def f(p): os.chmod(p, 0o777)
    # --- assert-guards: compare_digest
    import hmac
    def f(a, b): assert hmac.compare_digest(a, b)
    # --- runs-text: handed on
    def f(xs): return list(map(eval, xs))
    # --- runs-text: importlib
    import importlib
    def f(x): importlib.import_module("builtins").exec(x)
    # --- shell: sh -c
    import subprocess
    def f(x): subprocess.run(["/bin/sh", "-c", x])
    # --- unsafe-loading: class
    import pickle
    class U(pickle.Unpickler): pass
    # --- sql-injection: put together step by step
    def f(c, x):
        q = "select * from t where a = "
        q = q + x
        c.execute(q)
    # --- sql-injection: replace
    def f(c, x): c.execute("select * from t where a = X".replace("X", x))
    # --- sql-injection: over lines
    def f(c, x): return f'''
        SELECT *
        FROM t
        WHERE a = '{x}'
    '''
    # --- secret-in-code: sum
    PASSWORD = "abcdef" + "123456"
    # --- secret-in-code: tuple
    USER, PASSWORD = "ann", "abcdef123456"
    # --- secret-in-code: key of an hmac
    import hmac
    def f(b): return hmac.new(b"my-very-own-key", b, "sha256")
    # --- guessable: seeded generator
    import random
    rng = random.Random(1)
    def new_password(): return rng.choices("abc", k=9)
    # --- guessable: by a helper
    import random
    def part(): return random.choice("abc")
    def make_token(): return part() * 3
    # --- weak-hash: by name
    import hashlib
    def f(x): return hashlib.new("md5", x)
    # --- no-certificate-check: session
    import requests
    s = requests.Session()
    s.verify = False
    # --- no-certificate-check: mode
    import ssl
    c = ssl.create_default_context()
    c.verify_mode = ssl.CERT_NONE
    """
)

PASSING = _all(
    """
    # --- literal_eval
    import ast
    def f(x): return ast.literal_eval(x)
    # --- re.compile, model.eval
    import re
    def f(model): return re.compile("a"), model.eval()
    # --- own eval
    def eval(x): return x
    def f(x): return eval(x)
    # --- a list of arguments
    import subprocess
    def f(x): subprocess.run(["ls", x], shell=False, check=True)
    # --- safe yaml
    import yaml
    def f(x): return yaml.safe_load(x), yaml.load(x, Loader=yaml.SafeLoader)
    # --- json
    import json
    def f(x): return json.loads(x)
    # --- placeholders
    def f(conn, name): conn.execute("select * from users where name = %s", (name,))
    # --- placeholders over two lines
    def f(conn, name): conn.execute("select * " "from users where name = ?", (name,))
    # --- a number and a constant in SQL
    TABLE = "users"
    def f(conn, n): conn.execute(f"select * from {TABLE} limit {int(n)}")
    # --- words that begin like SQL
    def f(name): return f"Select {name} or update it"
    # --- secrets from outside
    import os
    PASSWORD = os.environ["PASSWORD"]
    TOKEN = ""
    SECRET = None
    # --- names of secrets
    TOKEN_HEADER = "X-Auth-Token"
    PASSWORD = "password_field"
    API_KEY = "<your key>"
    # --- dice
    import random
    def roll(): return random.randint(1, 6)
    # --- a real generator
    import random, secrets
    def token(): return random.SystemRandom().choice("abc") + secrets.token_hex()
    # --- a hash for a cache
    import hashlib
    def key(x): return hashlib.md5(x, usedforsecurity=False).hexdigest()
    # --- a slow hash
    import hashlib
    def f(password, salt): return hashlib.scrypt(password, salt=salt, n=2, r=8, p=1)
    # --- an ordinary assertion
    def f(x):
        assert x > 3
        return x
    # --- modes
    import os
    def f(p): os.chmod(p, 0o600)
    # --- words with from
    def f(name): return "select a plan from the list, " + name
    # --- tokens of a language
    def parse(token): return token == "identifier"
    """
)

ODD = _all(
    """
    # --- broad-except: bare
    def f():
        try:
            return 1
        except:
            return 2
    # --- broad-except: Exception
    def f():
        try:
            return 1
        except Exception:
            return 2
    # --- broad-except: in a tuple
    def f():
        try:
            return 1
        except (ValueError, BaseException):
            return 2
    # --- swallowed: pass
    def f():
        try:
            return 1
        except ValueError:
            pass
    # --- unused: import
    import os
    # --- unused: from, renamed
    from os import path as p
    # --- unused: variable
    def f():
        x = 1
        return 2
    # --- star-import: all
    from os import *
    # --- mutable-default: list
    def f(x=[]): return x
    # --- mutable-default: call
    def f(*, x=dict()): return x
    # --- is-literal: text
    def f(x): return x is "a"
    # --- equals-none: equal
    def f(x): return x == None
    # --- left-behind: print
    def f(x): print(x)
    # --- left-behind: breakpoint
    def f(): breakpoint()
    # --- unreachable: after return
    def f():
        return 1
        x = 2
    # --- global: count
    def f():
        global x
        x = 1
    # --- no-docstring: function
    def f(x): return x
    """
)
