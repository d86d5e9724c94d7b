"""The servers that are held against each other: the entries, and applications by the same rules."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from bench.kit.processes import HOST, python_module
from bench.kit.servers import Server, started
from bench.source_tree import ROOT

__all__ = ["CONTENDERS", "ENTRIES", "OURS", "Contender", "cores", "of_clone", "serving"]

ENTRIES = {name: Path(__file__).with_name(f"{name}-ssrjson") for name in ("fastapi", "flask")}
OURS = "ssrjson_web"


@dataclass(frozen=True, kw_only=True)
class Contender:
    """An application and its server."""

    framework: str
    name: str
    folder: Path
    """Where its server starts."""
    command: tuple[str, ...]
    """The module that Python runs and its arguments, without port and workers."""
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"{self.framework}: {self.name}"


_UVICORN = ("uvicorn", "--loop", "uvloop", "--http", "httptools", "--log-level", "critical", "--no-access-log")
_GUNICORN = ("gunicorn", "--config", str(ENTRIES["flask"] / "gunicorn_conf.py"), "--log-level", "critical")


def _rival(framework: str, engine: str) -> Contender:
    server = {"fastapi": (*_UVICORN, "--factory"), "flask": _GUNICORN}[framework]
    call = "" if framework == "fastapi" else "()"
    return Contender(
        framework=framework,
        name=engine,
        folder=ROOT,
        command=(*server, f"bench.httparena.rivals:{framework}_app{call}"),
        environment={"ARENA_ENGINE": engine},
    )


CONTENDERS = (
    _rival("fastapi", "dict"),
    _rival("fastapi", "pydantic"),
    _rival("fastapi", "stock"),
    _rival("fastapi", "orjson"),
    Contender(framework="fastapi", name=OURS, folder=ENTRIES["fastapi"], command=(*_UVICORN, "fastapi_app:app")),
    _rival("flask", "stock"),
    _rival("flask", "orjson"),
    Contender(framework="flask", name=OURS, folder=ENTRIES["flask"], command=(*_GUNICORN, "flask_app:app")),
)


def of_clone(clone: Path) -> list[Contender]:
    """HttpArena's own entries of FastAPI and Flask, in a clone of its repository. Raises OSError."""
    found = []
    for framework, server in (
        ("fastapi", ("uvicorn", "--loop", "uvloop", "--log-level", "critical")),
        ("flask", ("gunicorn", "--config", "gunicorn_conf.py")),
    ):
        folder = clone / "frameworks" / framework
        (folder / "app.py").stat()
        found.append(
            Contender(framework=framework, name="HttpArena's entry", folder=folder, command=(*server, "app:app"))
        )
    return found


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def serving(contender: Contender, *, workers: int, environment: Mapping[str, str]) -> AbstractContextManager[Server]:
    """Its server, ready for requests. Raises ProcessDied."""
    module, *arguments = contender.command

    def command(port: int, _: int) -> list[str]:
        address = ("--host", HOST, "--port", str(port)) if module == "uvicorn" else ("--bind", f"{HOST}:{port}")
        return python_module(module, *arguments, *address, "--workers", str(workers))

    return started(
        command,
        ready="/pipeline",
        takes_socket=False,
        environment={**contender.environment, **environment, "PYTHONDONTWRITEBYTECODE": "1"},
        folder=contender.folder,
    )
