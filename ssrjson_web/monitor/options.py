"""The options of a middleware, checked when it is made."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ssrjson_web.monitor.observation import LIBRARIES, Library

__all__ = ["MIN_TOKEN_CHARACTERS", "NAME", "Options"]

NAME = "MemoryMiddleware"
"""The first word of messages: the name of both middlewares."""
MIN_TOKEN_CHARACTERS = 16
_TOKEN = re.compile(r"[!-~]+")
_PREFIX = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of a memory middleware. Raises a TypeError or ValueError that names the option."""

    enabled: bool = False
    token: str | None = field(default=None, repr=False)
    prefix: str = "/ssrjson"
    observe: Sequence[Library] = ()
    server_timing: bool = False
    page: bool = True
    share: bool | str | os.PathLike[str] = True
    sample_every: float = 0.25
    trim_every: float = 5.0
    scan_every: float = 10.0

    def __post_init__(self) -> None:
        for name in ("enabled", "server_timing", "page"):
            _expect(name, getattr(self, name), bool, "a bool")
        self._check_token()
        self._check_prefix()
        self._check_observe()
        if not isinstance(self.share, (bool, str, os.PathLike)) or self.share == "" or "\0" in str(self.share):
            raise TypeError(f"{NAME}: share must be a bool or the path of a folder, not {self.share!r}")
        for name, least, greatest in (("sample_every", 0.01, 60), ("trim_every", 0, 3600), ("scan_every", 0, 3600)):
            seconds = getattr(self, name)
            if isinstance(seconds, bool) or not isinstance(seconds, (int, float)):
                raise TypeError(f"{NAME}: {name} must be seconds, an int or a float, not {type(seconds).__name__}")
            if not least <= seconds <= greatest:
                raise ValueError(f"{NAME}: {name} must be between {least} and {greatest} seconds, not {seconds!r}")

    def _check_token(self) -> None:
        if self.token is None:
            return
        _expect("token", self.token, str, "a str")
        # a message must not show the token, which may be a secret
        if len(self.token) < MIN_TOKEN_CHARACTERS:
            raise ValueError(
                f"{NAME}: token must have {MIN_TOKEN_CHARACTERS} characters or more, not {len(self.token)}"
            )
        if not _TOKEN.fullmatch(self.token):
            raise ValueError(f"{NAME}: token must consist of printable ASCII characters without spaces")

    def _check_prefix(self) -> None:
        prefix = self.prefix
        _expect("prefix", prefix, str, "a str")
        if not _PREFIX.fullmatch(prefix) or not {".", ".."}.isdisjoint(prefix.split("/")):
            middle = "/" + prefix.strip("/")
            hint = f"; did you mean {middle!r}?" if middle != prefix and _PREFIX.fullmatch(middle) else ""
            raise ValueError(
                f"{NAME}: prefix must be a path such as '/ssrjson', with a slash at its start and none at its end,"
                f" not {prefix!r}{hint}"
            )

    def _check_observe(self) -> None:
        names: Any = self.observe
        if isinstance(names, str):
            raise TypeError(f"{NAME}: observe must be a list of names, not a str: [{names!r}]")
        try:
            names = tuple(names)  # an iterator can be iterated only once
        except TypeError:
            raise TypeError(f"{NAME}: observe must be a list of names, not {type(names).__name__}") from None
        for name in names:
            if not isinstance(name, str):
                raise TypeError(f"{NAME}: observe must be a list of names, each a str, not {type(name).__name__}")
            if name not in LIBRARIES:
                near = difflib.get_close_matches(name.lower(), LIBRARIES, n=1, cutoff=0.5)
                hint = f"; did you mean {near[0]!r}?" if near else ""
                raise ValueError(f"{NAME}: observe: {name!r} is not one of {', '.join(LIBRARIES)}{hint}")
        object.__setattr__(self, "observe", names)


def _expect(name: str, value: Any, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{NAME}: {name} must be {what}, not {type(value).__name__}")
