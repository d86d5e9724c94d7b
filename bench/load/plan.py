"""The options of a load test, and the setting of its server processes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from bench.command_output import UsageError

Interface = Literal["asgi", "wsgi"]

SERVERS: Mapping[str, Mapping[str, Interface]] = {
    "fastapi": {"uvicorn": "asgi", "hypercorn": "asgi", "gunicorn": "asgi"},
    "django": {"gunicorn": "wsgi", "uvicorn": "asgi", "hypercorn": "asgi"},
    "flask": {"gunicorn": "wsgi", "hypercorn": "wsgi"},
}
"""By application: the servers that can run it, its default first, and the interface that they use."""

ENGINES = ("stock", "orjson", "msgspec", "ssrjson_web")

TRAFFIC: Mapping[str, tuple[str, ...]] = {"pages": tuple(SERVERS), "streams": ("fastapi",)}
"""By kind of traffic: the applications that have it. Streams are server-sent events, and uploads that come in parts."""

SETTING, TOKEN = "SSRJSON_LOAD_SETTING", "SSRJSON_LOAD_TOKEN"
"""Environment variables. The token is passed only here, because all users can read a command line."""


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The setting of a server process."""

    app: str
    engine: str
    interface: Interface
    script: str
    megabytes: float

    @classmethod
    def from_environment(cls) -> Setting:
        """The setting of this process. Raises KeyError without one."""
        return cls(**json.loads(os.environ[SETTING]))

    def as_environment(self, *, token: str) -> dict[str, str]:
        """The variables to start the process with."""
        return {SETTING: json.dumps(asdict(self)), TOKEN: token}


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One load test. Raises UsageError for values that cannot be combined."""

    app: str
    engine: str
    server: str = ""
    """Empty for the application's default."""
    workers: int = 1
    users: int = 10
    seconds: int = 20
    script: str = "mix"
    traffic: str = "pages"
    megabytes: float = 30.0
    """Resident records of each worker."""
    processes: int = 0
    """locust's processes: 0 is a single one, n is a master and n workers."""
    out: Path = Path("load-out")
    is_web: bool = False
    """Whether locust's web page stays open until Ctrl-C."""

    def __post_init__(self) -> None:
        servers = SERVERS[self.app]
        if self.server and self.server not in servers:
            raise UsageError(f"{self.server} does not serve {self.app} here: choose from {', '.join(servers)}")
        if self.app not in TRAFFIC[self.traffic]:
            having = ", ".join(TRAFFIC[self.traffic])
            raise UsageError(f"{self.app} has no {self.traffic} here: choose from {having}")

    @property
    def served_by(self) -> str:
        """The server."""
        return self.server or next(iter(SERVERS[self.app]))

    @property
    def setting(self) -> Setting:
        """The setting of the server's processes."""
        return Setting(
            app=self.app,
            engine=self.engine,
            interface=SERVERS[self.app][self.served_by],
            script=self.script,
            megabytes=self.megabytes,
        )

    @property
    def name(self) -> str:
        """The name of the test and of its folder."""
        return self.name_with([self.engine])

    def name_with(self, engines: Iterable[str]) -> str:
        """The name of the folder of a test with these engines."""
        script = "" if self.script == Plan.script else f"-{self.script}"
        traffic = "" if self.traffic == Plan.traffic else f"-{self.traffic}"
        return f"{self.app}-{'+'.join(engines)}-{self.served_by}-{self.workers}{script}{traffic}"

    @property
    def folder(self) -> Path:
        """The folder of its files."""
        return self.out / self.name
