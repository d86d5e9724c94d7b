"""A function of ours that runs in a process of its own: whatever a library does there, this process goes on."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

__all__ = ["ask"]

_CHILD = """\
import importlib, json, sys
sys.path[:], module, name, *given = json.loads(sys.argv[1])
answer = getattr(importlib.import_module(module), name)(*given)
print(f"\\nanswer: {json.dumps(answer)}")
"""
"""The new process gets the import path of this one: `-m` would put the working folder first."""


def ask(module: str, name: str, *given: Any, seconds: float, options: Sequence[str] = ()) -> tuple[Any, str]:
    """What a function returns, by JSON, and an empty text; or None, and why there is no answer.

    `options` are those of the new interpreter.
    """
    setting = json.dumps([sys.path, module, name, *given])
    try:
        ran = subprocess.run(
            [sys.executable, *options, "-c", _CHILD, setting],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        return None, f"not finished after {seconds:g} s"
    except OSError as error:
        return None, f"no process could be started: {error}"
    if ran.returncode < 0:
        return None, f"ended by {signal.Signals(-ran.returncode).name}"
    if ran.returncode:
        return None, ran.stderr.strip().rpartition("\n")[2] or f"ended with status {ran.returncode}"
    found = re.search(r"^answer: (.*)$", ran.stdout, re.MULTILINE)
    return (json.loads(found[1]), "") if found is not None else (None, "ended without a result")
