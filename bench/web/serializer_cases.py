"""Requests that are served by REST framework's serializers: stock, ours and drf-oxide, each in a process of its own.

The processes take turns, so that what else the machine does meets all of them. drf-oxide needs an older REST framework;
its environment is made at the first run, and stock is measured there once more.
"""

from __future__ import annotations

import base64
import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from bench.source_tree import ROOT
from bench.subject import UnableError, WrongResultError
from bench.timing import Clock
from bench.web.web_case import STOCK, Checked, Contender, Framework, WebCase, WebGoal

OURS = "ssrjson_web"
OXIDE = "drf-oxide"
OLDER_STOCK = "stock, as drf-oxide needs it"
RIVALS = (STOCK, OURS, OLDER_STOCK, OXIDE)
N_BYTES = 50_000
"""About the size of a list's answer."""
OXIDE_REQUIREMENTS = ("drf-oxide==0.1.0", "django<6", "djangorestframework<3.17")
PROGRAM = Path(__file__).with_name("serializer_process.py")

TITLES: Mapping[str, str] = {
    "serializer-list": "a list of a ModelSerializer",
    "serializer-nested": "a list with a nested serializer",
    "serializer-method": "a list with a SerializerMethodField",
    "serializer-retrieve": "one row",
    "serializer-post": "a POST, with a query for each foreign key",
    "serializer-post-unrelated": "a POST without foreign keys",
    "serializer-400": "a POST with an error in one row",
    "serializer-data": "`.data` alone",
    "serializer-data-nested": "`.data` alone, nested",
    "serializer-data-declared": "`.data` alone of declared fields",
    "serializer-is-valid": "`is_valid` alone, without foreign keys",
    "serializer-is-valid-declared": "`is_valid` alone of declared fields",
}
TIMES = (1, 2, 4, 8, 16)
SINGLE_TITLES: Mapping[str, str] = {
    **{f"serializer-read-{n}-times": f"one object, {n} times by a class that is new" for n in TIMES},
    **{f"serializer-read-{n}-times-small": f"the same of 3 declared fields, {n} times" for n in TIMES},
    **{f"serializer-loaded-{n}-times": f"one dict, {n} times by a class that is new" for n in TIMES},
    **{f"serializer-loaded-{n}-times-small": f"the same of 3 declared fields, {n} times" for n in TIMES},
    "serializer-first-list": "10 objects by a class that is new",
    "serializer-checked": "one dict, 3 fields with a HiddenField and a `validate_<field>`",
    "serializer-wrong": "one dict that is wrong",
    "serializer-wrong-small": "one dict that is wrong, of 3 fields",
    "serializer-nested-wrong": "one dict with nested ones, of which two are wrong",
    "serializer-chosen": "one object, by an `__init__` that removes fields",
    "serializer-chosen-list": "10 objects, by an `__init__` that removes fields",
    "serializer-marked": "one object, with a `to_representation` around that of stock",
}
"""Where plans gain little: they must not cost more than that."""
GOALS: Sequence[WebGoal] = (
    WebGoal(kind="serializer-list", at_least=1.9, no_cache=True),
    WebGoal(kind="serializer-nested", at_least=2.5, no_cache=True),
    WebGoal(kind="serializer-method", at_least=1.8, no_cache=True),
    WebGoal(kind="serializer-retrieve", at_least=1.8, no_cache=True),
    WebGoal(kind="serializer-post", at_least=8, no_cache=True),
    WebGoal(kind="serializer-post-unrelated", at_least=8, no_cache=True),
    WebGoal(kind="serializer-400", at_least=1, no_cache=True),
    WebGoal(kind="serializer-data", at_least=8),
    WebGoal(kind="serializer-data-nested", at_least=8),
    WebGoal(kind="serializer-data-declared", at_least=8),
    WebGoal(kind="serializer-is-valid", at_least=12),
    WebGoal(kind="serializer-is-valid-declared", at_least=12),
    *(WebGoal(kind=kind, at_least=0.95) for kind in SINGLE_TITLES),
)


class Child:
    """A process that makes the requests of one engine."""

    def __init__(self, python: Path, engine: str) -> None:
        self._process = subprocess.Popen(
            [str(python), str(PROGRAM), engine],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def ask(self, **question: Any) -> Any:
        """The answer. Raises UnableError where the process has ended."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(question), file=process.stdin, flush=True)
        line = process.stdout.readline()
        if not line:
            process.wait()
            assert process.stderr is not None
            raise UnableError((process.stderr.read().strip().splitlines() or ["it ended"])[-1])
        return json.loads(line)

    def close(self) -> None:
        """Ends the process."""
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        self._process.wait()


class Children:
    """The processes, each started when it is first asked for."""

    def __init__(self) -> None:
        self._started: dict[str, Child] = {}

    def of(self, name: str) -> Child:
        """The process of a rival. Raises UnableError where its packages cannot be installed."""
        if name not in self._started:
            python = oxide_python() if name in (OXIDE, OLDER_STOCK) else Path(sys.executable)
            self._started[name] = Child(python, STOCK if name == OLDER_STOCK else name)
        return self._started[name]

    def close(self) -> None:
        """Ends them."""
        for child in self._started.values():
            child.close()


def oxide_python() -> Path:
    """The interpreter of the environment with drf-oxide, which is made at first. Raises UnableError."""
    folder = ROOT / "build" / "bench" / f"drf-oxide-{sys.version_info[0]}.{sys.version_info[1]}"
    python, stamp = folder / "bin" / "python", folder / "complete"
    if stamp.exists() and stamp.read_text() == str(OXIDE_REQUIREMENTS):
        return python
    shutil.rmtree(folder, ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "--disable-pip-version-check", "--quiet", "install", *OXIDE_REQUIREMENTS],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise UnableError((done.stderr.strip().splitlines() or ["it cannot be installed"])[-1])
    stamp.write_text(str(OXIDE_REQUIREMENTS))
    return python


def _case(kind: str, children: Children) -> WebCase:
    return WebCase(
        name=kind,
        kind=kind,
        title={**TITLES, **SINGLE_TITLES}[kind],
        n_bytes=N_BYTES,
        make_request=lambda: None,
        make_value=lambda: None,
        contenders=lambda names: _contenders(kind, [name for name in RIVALS if name in names], children),
    )


def _contenders(kind: str, names: Sequence[str], children: Children) -> Iterator[Contender]:
    stock: dict[str, Any] = {}

    def contender(name: str) -> Contender:
        def check() -> Checked:
            found = children.of(name).ask(check=kind)
            if name == STOCK:
                stock.update(found)
            elif name == OURS and (found["status"], found["body"]) != (stock["status"], stock["body"]):
                raise WrongResultError(f"{found['status']} and other bytes than stock's")
            note = "" if found["body"] == stock["body"] else "other bytes"
            return Checked(n_bytes=len(base64.b64decode(found["body"])), cache_bytes=found["copies"], note=note)

        def loop(batch: Sequence[object], _: Clock) -> int:
            ns: int = children.of(name).ask(time=kind, n=len(batch))["ns"]
            return ns

        return Contender(rival=name, is_ours=name == OURS, loop=loop, check=check, steps=())

    return map(contender, names)


def framework() -> Framework:
    """REST framework, with a process for each engine."""
    children = Children()
    return Framework(
        title="REST framework's serializers, 100 rows of 12 fields",
        cases=[_case(kind, children) for kind in (*TITLES, *SINGLE_TITLES)],
        rivals=RIVALS,
        ours=(OURS,),
        goals=GOALS,
        goal_part="",
        versions={name: version(name) for name in ("ssrjson_web", "django", "djangorestframework")},
        notes=[
            "a request goes by WSGI without a socket; query, serializer and renderer are included",
            "each engine has a process of its own, and they take turns; CPU time of the thread",
            f"{OXIDE} is to be compared with {OLDER_STOCK!r}: {', '.join(OXIDE_REQUIREMENTS)}",
        ],
        close=children.close,
    )
