"""Who this process is among those that share the database: new at each start."""

import os
import socket
from uuid import uuid4

WORKER_ID = uuid4()
HOST = socket.gethostname()
PID = os.getpid()
