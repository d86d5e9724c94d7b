"""What a load test may be asked for, and what a server process is told of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from bench.command_output import UsageError
from bench.load.shelf import SCRIPTS

Interface = Literal["asgi", "wsgi"]

SERVERS: Mapping[str, Mapping[str, Interface]] = {
    "fastapi": {"uvicorn": "asgi", "hypercorn": "asgi", "gunicorn": "asgi"},
    "django": {"gunicorn": "wsgi", "uvicorn": "asgi", "hypercorn": "asgi"},
    "flask": {"gunicorn": "wsgi", "hypercorn": "wsgi"},
}
"""By application: the servers that take it, its usual one first, and how they call it."""

ENGINES: Mapping[str, tuple[str, ...]] = {
    "stock": ("json", "pydantic"),
    "orjson": ("orjson",),
    "msgspec": ("msgspec",),
    "ssrjson_web": (),
}
"""By engine: the libraries whose calls the middleware is to time; its own it times without being asked."""

SHARES = frozenset({"django", "flask"})
"""Applications whose engines are all timed from the value in hand to JSON, and back, so that shares can be compared.

Not FastAPI: ours converts and encodes in one call, while values of the others are converted before the call that is
timed, by `jsonable_encoder` or by pydantic.
"""

SETTING, TOKEN = "SSRJSON_LOAD_SETTING", "SSRJSON_LOAD_TOKEN"
"""Variables of the environment. The token is nowhere else: a command line can be read by all users."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What a server process is told."""

    app: str
    engine: str
    interface: Interface
    script: str
    megabytes: float

    @classmethod
    def from_environment(cls) -> Setting:
        """What this process was told. Raises KeyError where nothing was."""
        return cls(**json.loads(os.environ[SETTING]))

    def as_environment(self, *, token: str) -> dict[str, str]:
        """The variables to start the process with."""
        return {SETTING: json.dumps(asdict(self)), TOKEN: token}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One load test. Raises UsageError for what there is not, and for what does not go together."""

    app: str
    engine: str
    server: str = ""
    """Empty: the application's usual one."""
    workers: int = 1
    users: int = 10
    seconds: int = 20
    script: str = "mix"
    megabytes: float = 30.0
    """Resident records of each worker."""
    processes: int = 0
    """Of locust: 0 is a single one, else so many workers of a master."""
    out: Path = Path("load-out")
    is_web: bool = False
    """locust's web page stays until Ctrl-C."""

    def __post_init__(self) -> None:
        for name, value, choices in (
            ("APP", self.app, SERVERS),
            ("ENGINE", self.engine, ENGINES),
            ("SCRIPT", self.script, SCRIPTS),
        ):
            if value not in choices:
                hint = " (ssrjson is another library; ours is ssrjson_web)" if value == "ssrjson" else ""
                raise UsageError(f"no {name} {value!r}: choose from {', '.join(choices)}{hint}")
        servers = SERVERS[self.app]
        everywhere = sorted({server for each in SERVERS.values() for server in each})
        if self.server and self.server not in everywhere:
            raise UsageError(f"no SERVER {self.server!r}: choose from {', '.join(everywhere)}")
        if self.server and self.server not in servers:
            raise UsageError(f"{self.server} does not serve {self.app} here: choose from {', '.join(servers)}")
        for name, number, least, most in (
            ("WORKERS", self.workers, 1, 64),
            ("USERS", self.users, 1, 1000),
            ("SECONDS", self.seconds, 1, 3600),
            ("MEGABYTES", self.megabytes, 0.1, 10_000),
            ("PROCESSES", self.processes, 0, 64),
        ):
            if not least <= number <= most:
                raise UsageError(f"{name} is {number:g}: from {least:g} to {most:g}")

    @property
    def served_by(self) -> str:
        """The server."""
        return self.server or next(iter(SERVERS[self.app]))

    @property
    def has_share(self) -> bool:
        """Whether JSON's share of the time is shown."""
        return self.app in SHARES

    @property
    def setting(self) -> Setting:
        """What the server's processes are told."""
        return Setting(
            app=self.app,
            engine=self.engine,
            interface=SERVERS[self.app][self.served_by],
            script=self.script,
            megabytes=self.megabytes,
        )

    @property
    def name(self) -> str:
        """What tells it from others: the name of its folder."""
        return self.name_with([self.engine])

    def name_with(self, engines: Iterable[str]) -> str:
        """The name of the folder of a test with these engines."""
        script = "" if self.script == Plan.script else f"-{self.script}"
        return f"{self.app}-{'+'.join(engines)}-{self.served_by}-{self.workers}{script}"

    @property
    def folder(self) -> Path:
        """Where its files go."""
        return self.out / self.name
