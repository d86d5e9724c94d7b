"""A PostgreSQL server of this run alone, where the machine has one installed."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


def _program(name: str) -> str:
    """Where a program of the server is: on PATH, or where Debian puts it."""
    found = shutil.which(name) or next((str(p) for p in Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), None)
    if found is None:
        pytest.skip("no PostgreSQL server is installed: apt install postgresql")
    return found


def _user() -> str | None:
    """Who runs the server: not root, which it refuses; None for whoever runs the tests."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name).pw_name
    pytest.skip("PostgreSQL does not run as root, and there is no other user")


@contextlib.contextmanager
def postgres() -> Iterator[dict[str, str]]:
    """Django's settings for a database of a new cluster, reached by a socket in its folder."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    initdb, server, user = _program("initdb"), _program("postgres"), _user()
    folder = Path(tempfile.mkdtemp(prefix="ssrjson-pg-"))  # short: a socket's path has 107 characters
    running: subprocess.Popen[bytes] | None = None
    try:
        if user is not None:
            shutil.chown(folder, user)
        data = folder / "data"
        made = subprocess.run(
            [initdb, "-D", data, "-U", "tests", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"],
            user=user, cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        running = subprocess.Popen(
            [server, "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"],
            user=user, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        database = {"ENGINE": "django.db.backends.postgresql", "HOST": str(folder), "USER": "tests", "NAME": "postgres"}
        _wait_for(database, running)
        yield database
    finally:
        if running is not None:
            running.terminate()
            running.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def _wait_for(database: dict[str, str], running: subprocess.Popen[bytes]) -> None:
    import time

    import psycopg

    deadline = time.monotonic() + 60
    while True:
        try:
            psycopg.connect(host=database["HOST"], user=database["USER"], dbname=database["NAME"]).close()
            return
        except psycopg.OperationalError:
            assert running.poll() is None, "the server has ended"
            assert time.monotonic() < deadline, "no answer of the server"
            time.sleep(0.05)
