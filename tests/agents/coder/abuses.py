"""Code that must end in a clean verdict and touch nothing, and the kinds of verdict that are clean for it.

`{...}` is filled in by the tests: a file with a secret, a place to write to, a port that listens, the server's process.
"""

NAMED = (
    "fork bomb", "endless loop", "2 GB", "the environment", "a network call", "writing outside", "a file with a secret",
    "the server's environment", "killing the server",
)  # fmt: skip
"""The ones that every run of the tests tries; the rest is a long proof."""

# ruff: noqa: ISC004, E501 - code in texts
ABUSES: dict[str, tuple[str, frozenset[str]]] = {
    "fork bomb": ("import os\nwhile True:\n    os.fork()", frozenset({"blocked"})),
    "fork bomb that swallows errors": (
        "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass",
        frozenset({"cpu", "time"}),
    ),
    "processes by multiprocessing": (
        "import multiprocessing\nmultiprocessing.Process(target=print).start()", frozenset({"blocked"}),
    ),
    "a thread bomb": (
        "import threading, time\nthreading.stack_size(32768)\n"
        "for _ in range(100000):\n    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
        frozenset({"failed", "memory"}),
    ),
    "endless loop": ("while True:\n    pass", frozenset({"cpu", "time"})),
    "endless sleep": ("import time\ntime.sleep(600)", frozenset({"time"})),
    "endless loop that ignores signals": (
        "import signal\nfor one in (signal.SIGXCPU, signal.SIGTERM, signal.SIGINT):\n"
        "    signal.signal(one, signal.SIG_IGN)\nwhile True:\n    pass",
        frozenset({"cpu", "time"}),
    ),
    "2 GB": ("x = bytearray(2 << 30)", frozenset({"memory"})),
    "memory bit by bit": ("x = []\nwhile True:\n    x.append(bytearray(1 << 20))", frozenset({"memory"})),
    "endless recursion": ("def f():\n    return f()\nf()", frozenset({"failed"})),
    "endless printing": ("while True:\n    print('x' * 4096)", frozenset({"cpu", "time"})),
    "a disk full of files": (
        "n = 0\nwhile True:\n    open(f'{{n}}', 'wb').write(bytes(4 << 20)); n += 1",
        frozenset({"disk", "memory", "failed"}),
    ),
    "a large file": ("open('x', 'wb').write(bytes(64 << 20))", frozenset({"failed", "disk", "crashed"})),
    "the environment": (
        "import os\nassert 'SECRET' not in str(dict(os.environ)), os.environ\n"
        "print(dict(os.environ))\nraise SystemExit(str(sorted(os.environ)))",
        frozenset({"failed"}),
    ),
    "the server's environment": ("print(open('/proc/{server}/environ').read())", frozenset({"blocked"})),
    "its own environment, by /proc": ("print(open('/proc/self/environ').read())", frozenset({"blocked"})),
    "the server's memory": ("open('/proc/{server}/mem', 'rb').read(1)", frozenset({"blocked"})),
    "a file with a secret": ("print(open('{secret}').read())", frozenset({"blocked"})),
    "a file with a secret, by a link": (
        "import os\nos.symlink('{secret}', 'link')\nprint(open('link').read())", frozenset({"blocked"}),
    ),
    "a file with a secret, by a hard link": ("import os\nos.link('{secret}', 'link')", frozenset({"blocked", "failed"})),
    "the password file": ("print(open('/etc/passwd').read())", frozenset({"blocked"})),
    "the list of a directory": ("import os\nprint(os.listdir('/'))", frozenset({"blocked"})),
    "a network call": (
        "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:{port}/').read()", frozenset({"blocked"}),
    ),
    "a socket": ("import socket\nsocket.create_connection(('127.0.0.1', {port}))", frozenset({"blocked"})),
    "a listening socket": ("import socket\nsocket.create_server(('127.0.0.1', 0))", frozenset({"blocked"})),
    "a datagram": (
        "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {port}))",
        frozenset({"blocked"}),
    ),
    "a Unix socket": ("import socket\nsocket.socket(socket.AF_UNIX).connect('/run/x')", frozenset({"blocked"})),
    "writing outside": ("open('{outside}', 'w').write('x')", frozenset({"blocked"})),
    "removing outside": ("import os\nos.remove('{secret}')", frozenset({"blocked"})),
    "renaming outside": ("import os\nopen('x', 'w')\nos.rename('x', '{outside}')", frozenset({"blocked", "failed"})),
    "emptying outside": ("import os\nos.truncate('{secret}', 0)", frozenset({"blocked"})),
    "changing a mode outside": ("import os\nos.chmod('{secret}', 0o777)", frozenset({"blocked"})),
    "changing times outside": ("import os\nos.utime('{secret}', (0, 0))", frozenset({"blocked", "failed"})),
    "killing the server": ("import os\nos.kill({server}, 9)", frozenset({"blocked"})),
    "killing everybody": ("import os\nos.kill(-1, 9)", frozenset({"blocked"})),
    "stopping the server": ("import os, signal\nos.kill({server}, signal.SIGSTOP)", frozenset({"blocked"})),
    "a program": ("import subprocess\nsubprocess.run(['/bin/sh', '-c', 'echo x > {outside}'])", frozenset({"blocked"})),
    "os.system": ("import os\nassert os.system('echo x > {outside}') == 0", frozenset({"blocked", "failed"})),
    "becoming another program": ("import os\nos.execv('/bin/sh', ['sh', '-c', 'echo x > {outside}'])", frozenset({"blocked"})),
    "limits": (
        "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))", frozenset({"blocked", "failed"}),
    ),
    "the server's limits": (
        "import resource\nresource.prlimit({server}, resource.RLIMIT_NOFILE, (1, 1))", frozenset({"blocked", "failed"}),
    ),
    "the server's priority": (
        "import os\nos.setpriority(os.PRIO_PROCESS, {server}, 19)", frozenset({"blocked", "failed"}),
    ),
    "tracing the server": (
        "import ctypes\nassert ctypes.CDLL(None, use_errno=True).ptrace(16, {server}, 0, 0) == 0",
        frozenset({"failed"}),
    ),
    "mounting": (
        "import ctypes\nassert ctypes.CDLL(None).mount(b'x', b'/tmp', b'tmpfs', 0, b'') == 0", frozenset({"failed"}),
    ),
    "another namespace": (
        "import ctypes\nassert ctypes.CDLL(None).unshare(0x10000000) == 0", frozenset({"failed"}),
    ),
    "becoming root": ("import os\nos.setuid(0)", frozenset({"blocked", "failed"})),
    "shared memory": (
        "import ctypes\nassert ctypes.CDLL(None).shmget(0, 4096, 0o1666) >= 0", frozenset({"failed"}),
    ),
    "memory that no limit counts": ("import os\nos.memfd_create('x')", frozenset({"blocked", "failed"})),
    "an end of its own making": ("import os\nos._exit(0)", frozenset({"crashed"})),
    "a segmentation fault": ("import ctypes\nctypes.string_at(0)", frozenset({"crashed"})),
    "an abort": ("import os\nos.abort()", frozenset({"crashed"})),
    "closing every file": (
        "import os, time\nos.closerange(0, 64)\ntime.sleep(600)", frozenset({"crashed", "time"}),
    ),
    "an error that can't be printed": (
        "class E(Exception):\n    def __str__(self):\n        raise ValueError\nraise E", frozenset({"failed"}),
    ),
    "a forged report": (
        "import os\nfor fd in range(3, 64):\n    try:\n"
        "        os.write(fd, b'{{\"event\": \"end\", \"nonce\": \"0\"}}\\n')\n    except OSError:\n        pass\nos._exit(0)",
        frozenset({"crashed"}),
    ),
}  # fmt: skip
