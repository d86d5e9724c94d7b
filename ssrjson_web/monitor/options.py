"""What a middleware is asked for, checked when it is made."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["MIN_TOKEN_CHARACTERS", "Options"]

MIN_TOKEN_CHARACTERS = 16
_TOKEN = re.compile(r"[!-~]+")
_PREFIX = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a memory middleware. Raises TypeError or ValueError that names the option."""

    enabled: bool = False
    token: str | None = field(default=None, repr=False)
    prefix: str = "/ssrjson"
    observe: Iterable[str] = ()
    server_timing: bool = False
    page: bool = True
    share: bool | str | os.PathLike[str] = True
    sample_every: float = 0.25
    trim_every: float = 5.0
    scan_every: float = 10.0

    def __post_init__(self) -> None:
        for name in ("enabled", "server_timing", "page"):
            if not isinstance(getattr(self, name), bool):
                raise TypeError(f"{name} must be a bool, not {type(getattr(self, name)).__name__}")
        self._check_token()
        if not isinstance(self.prefix, str):
            raise TypeError(f"prefix must be a str, not {type(self.prefix).__name__}")
        if not _PREFIX.fullmatch(self.prefix):
            raise ValueError(f"prefix must be a path such as '/ssrjson', without a slash at its end: {self.prefix!r}")
        if isinstance(self.observe, str) or not all(isinstance(name, str) for name in self.observe):
            raise TypeError("observe must be names of libraries, such as ['json', 'orjson']")
        object.__setattr__(self, "observe", tuple(self.observe))
        if not isinstance(self.share, (bool, str, os.PathLike)) or self.share == "":
            raise TypeError(f"share must be a bool or the path of a folder, not {self.share!r}")
        for name, least, most in (("sample_every", 0.01, 60), ("trim_every", 0, 3600), ("scan_every", 0, 3600)):
            seconds = getattr(self, name)
            if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
                raise TypeError(f"{name} must be seconds, not {type(seconds).__name__}")
            if not least <= seconds <= most:
                raise ValueError(f"{name} must be between {least} and {most} seconds, not {seconds!r}")

    def _check_token(self) -> None:
        if self.token is None:
            return
        if not isinstance(self.token, str):
            raise TypeError(f"token must be a str, not {type(self.token).__name__}")
        # a message must not show what may be a secret
        if len(self.token) < MIN_TOKEN_CHARACTERS:
            raise ValueError(f"token must have {MIN_TOKEN_CHARACTERS} characters or more, not {len(self.token)}")
        if not _TOKEN.fullmatch(self.token):
            raise ValueError("token must be of printable ASCII characters without spaces")
