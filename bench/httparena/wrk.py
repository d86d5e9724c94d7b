"""Load by wrk: the requests of a profile in turn, for a time."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bench.httparena.profiles import Ask, Profile
from bench.kit.processes import HOST

__all__ = ["Load", "LoadError", "program", "run", "script_of"]

_SCRIPT = """\
local requests = {}
local n = 0
function init(args)
%(requests)s
end
function request()
  n = n %% #requests + 1
  return requests[n]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('figures {"n": %%d, "us": %%d, "wrong": %%d, "p50_us": %%d, "p99_us": %%d}\\n',
    summary.requests, summary.duration, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(99)))
end
"""


class LoadError(Exception):
    """wrk failed, or an answer was none that counts."""


@dataclass(frozen=True, kw_only=True)
class Load:
    """What wrk measured."""

    n_requests: int
    requests_per_s: float
    p50_us: float
    p99_us: float


def program() -> str | None:
    """wrk, where it is installed."""
    return shutil.which("wrk")


def script_of(profile: Profile) -> str:
    """The Lua program that makes wrk send the requests of a profile."""
    return _SCRIPT % {"requests": "\n".join(f"  requests[#requests + 1] = {_lua(ask)}" for ask in profile.asks())}


def _lua(ask: Ask) -> str:
    head = [f"{ask.method} {ask.path} HTTP/1.1", f"Host: {HOST}", *(f"{k}: {v}" for k, v in ask.headers.items())]
    body = ask.body
    if ask.is_chunked:
        head.append("Transfer-Encoding: chunked")
        body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    elif ask.method == "POST":
        head.append(f"Content-Length: {len(body)}")
    text = "\r\n".join([*head, "", ""])
    long_body = f' .. string.rep("x", {len(body)})'  # a literal of megabytes would be parsed by each thread
    return _quoted(text) + long_body if set(body[:2]) == {ord("x")} else _quoted(text + body.decode())


def _quoted(text: str) -> str:
    return json.dumps(text)  # for ASCII, JSON's escapes are Lua's


def run(profile: Profile, port: int, script: Path, *, seconds: float, threads: int) -> Load:
    """Load the server on `port`. Raises LoadError."""
    wrk = program()
    assert wrk is not None
    connections = max(profile.n_connections, threads)
    command = [wrk, "-t", str(threads), "-c", str(connections), "-d", f"{max(1, round(seconds))}s", "--timeout", "10s"]
    command += ["-s", str(script), f"http://{HOST}:{port}"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=seconds + 60, env={**os.environ, "LC_ALL": "C"}
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("figures ")]
    if done.returncode or not lines:
        raise LoadError(f"wrk failed with status {done.returncode}: {(done.stderr or done.stdout).strip()[-200:]}")
    figures = json.loads(lines[0].removeprefix("figures "))
    if figures["wrong"] or not figures["n"]:
        raise LoadError(f"{figures['n']} answers, and {figures['wrong']} that failed or were no 200")
    return Load(
        n_requests=figures["n"],
        requests_per_s=figures["n"] / figures["us"] * 1e6,
        p50_us=figures["p50_us"],
        p99_us=figures["p99_us"],
    )
