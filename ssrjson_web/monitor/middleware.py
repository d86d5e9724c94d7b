"""What the memory middlewares of both protocols are: an application, and the monitor of its requests."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Generic, TypeVar

from ssrjson_web.monitor.endpoints import Endpoints
from ssrjson_web.monitor.monitor import Monitor
from ssrjson_web.monitor.options import Options

__all__ = ["Middleware"]

Application = TypeVar("Application")


class Middleware(Generic[Application]):
    """An application around another; how it is called is the protocol's. See docs/middleware.md for the options.

    Raises TypeError or ValueError for wrong ones.
    """

    def __init__(
        self,
        app: Application,
        *,
        enabled: bool = False,
        token: str | None = None,
        prefix: str = "/ssrjson",
        observe: Iterable[str] = (),
        server_timing: bool = False,
        page: bool = True,
        share: bool | str | PathLike[str] = True,
        sample_every: float = 0.25,
        trim_every: float = 5.0,
        scan_every: float = 10.0,
    ) -> None:
        self.app = app
        options = Options(
            enabled=enabled,
            token=token,
            prefix=prefix,
            observe=observe,
            server_timing=server_timing,
            page=page,
            share=share,
            sample_every=sample_every,
            trim_every=trim_every,
            scan_every=scan_every,
        )
        self.monitor = Monitor(options) if options.enabled else None
        self._endpoints = None if self.monitor is None or options.token is None else Endpoints(self.monitor)
        self._prefix = prefix
        self._has_server_timing = server_timing
