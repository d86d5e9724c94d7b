"""Other processes: a snippet of Python, a command that serves or is interrupted, and whether they are gone."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import sysconfig
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LIMIT = "import resource; resource.setrlimit(resource.RLIMIT_AS, ({0}, {0}))"


def run_python(
    snippet: str, folder: Path, *, max_gib: int | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The snippet's exit code and output; beyond `max_gib` of memory it gets a MemoryError.

    `folder` is the working folder: not the checkout, whose `ssrjson_web/` would hide the installed one.
    SSRJSON_ISA is not inherited. Sanitizers' and coverage's variables are.
    """
    variables = {name: value for name, value in os.environ.items() if name != "SSRJSON_ISA"} | environment
    snippet = textwrap.dedent(snippet)
    if max_gib is not None and "asan" in os.environ.get("LD_PRELOAD", ""):
        # AddressSanitizer reserves far more address space than it uses; its limit on all memory acts late
        mib = max_gib * 1024
        options = f"soft_rss_limit_mb={mib}:max_allocation_size_mb={mib}:allocator_may_return_null=1:detect_leaks=0"
        variables["ASAN_OPTIONS"] = options
    elif max_gib is not None:
        # a free-threaded interpreter reserves address space for the heaps of its threads
        reserved = 8 if sysconfig.get_config_var("Py_GIL_DISABLED") else 0
        snippet = f"{LIMIT.format((max_gib + reserved) << 30)}\n{snippet}"
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-c", snippet],
        cwd=folder,
        env=variables,
        capture_output=True,
        encoding="utf-8",
        errors="backslashreplace",
        timeout=300,
    )


START_S = 60
STOP_S = 30


@dataclass(frozen=True, kw_only=True)
class Started:
    """A server that answers."""

    address: str
    process: subprocess.Popen[str]


@contextmanager
def serving(command: Sequence[str], *, folder: Path | None = None) -> Iterator[str]:
    """`127.0.0.1:port` once the command answers there; `{port}` in its words is that port. It is ended then."""
    with started(command, folder=folder) as server:
        yield server.address


@contextmanager
def started(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    log: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Started]:
    """As `serving`, with the process; what it prints goes to the log, where there is one."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [word.format(port=port) for word in command]
    with (
        contextlib.nullcontext() if log is None else log.open("w", encoding="utf-8") as output,
        subprocess.Popen(
            words,
            cwd=folder,
            env=None if environment is None else {**os.environ, **environment},
            stdout=output or subprocess.DEVNULL,
            stderr=output or subprocess.PIPE,
            text=True,
        ) as server,
    ):
        try:
            deadline = time.monotonic() + START_S
            while True:
                try:
                    socket.create_connection(("127.0.0.1", port), timeout=1).close()
                    break
                except OSError:
                    assert server.poll() is None, log.read_text("utf-8") if log else server.communicate()[1]
                    assert time.monotonic() < deadline, "no answer"
                    time.sleep(0.05)
            yield Started(address=f"127.0.0.1:{port}", process=server)
        finally:
            server.terminate()
            try:
                server.communicate(timeout=STOP_S)
            except subprocess.TimeoutExpired:
                server.kill()
                raise


def children(pid: int) -> list[int]:
    """The processes that `pid` started and that still run."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def is_running(pid: int) -> bool:
    """Whether a process runs. A zombie does not: it has ended, and its parent has not read its status."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def wait_until(condition: Callable[[], bool], *, seconds: float = 30.0) -> bool:
    """Whether `condition` came true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def all_gone(pids: Iterable[int], *, seconds: float = 30.0) -> bool:
    """Whether all of them end in time."""
    pids = list(pids)
    return wait_until(lambda: not any(map(is_running, pids)), seconds=seconds)


def assert_stops_by_ctrl_c(command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
    """Interrupt a command after its first line of progress: it says so, without a traceback."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True
    ) as process:
        assert process.stderr is not None
        assert "no difference so far" in process.stderr.readline()
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert errors.endswith("stopped by Ctrl-C\n")
    assert "Traceback" not in errors


@contextmanager
def ctrl_c_noted() -> Iterator[list[int]]:
    """A list that the first Ctrl-C fills, for a check to look at between two cases; the second raises.

    A KeyboardInterrupt within a case is no answer: pydantic and orjson turn it into an error of their own where they
    call Python code, and then the case differs.
    """
    noted: list[int] = []

    def note(number: int, frame: object) -> None:
        if noted:
            raise KeyboardInterrupt
        noted.append(number)

    previous = signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, previous)
