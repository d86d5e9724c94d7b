"""gunicorn's settings: a worker for each core, with threads that keep connections open."""

import os

workers = len(os.sched_getaffinity(0))
worker_class = "gthread"
threads = 4
keepalive = 120
loglevel = "critical"
