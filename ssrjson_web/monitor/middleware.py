"""The base of the memory middlewares: an application, and the monitor of its requests."""

from __future__ import annotations

import difflib
import functools
import inspect
import warnings
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Generic, TypeVar, cast

from ssrjson_web.monitor.endpoints import Endpoints
from ssrjson_web.monitor.monitor import Monitor
from ssrjson_web.monitor.observation import Library
from ssrjson_web.monitor.options import NAME, Options

__all__ = ["Middleware"]

Application = TypeVar("Application")
_Initializer = TypeVar("_Initializer", bound=Callable[..., None])


def _check_names(initialize: _Initializer) -> _Initializer:
    """`initialize` with an error of ours for a wrong name, which says what was probably meant.

    The type stays: `add_middleware` of Starlette takes no class that accepts any name.
    """
    kinds = inspect.signature(initialize).parameters.values()
    names = [parameter.name for parameter in kinds if parameter.kind is parameter.KEYWORD_ONLY]

    @functools.wraps(initialize)
    def checked(*arguments: Any, **options: Any) -> None:
        for name in options:
            if name not in (*names, "app"):
                near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
                hint = f"; did you mean {near[0]!r}?" if near else f"; it has {', '.join(names)}"
                raise TypeError(f"{NAME} has no option {name!r}{hint}")
        initialize(*arguments, **options)

    # Python's own messages for missing and positional arguments begin with this name
    initialize.__qualname__ = checked.__qualname__ = f"{NAME}.__init__"
    return cast(_Initializer, checked)


class Middleware(Generic[Application]):
    """An application around another; subclasses are called by the protocol. `__init__` explains the options.

    Raises TypeError or ValueError for a wrong option. Warns if it is enabled without a token, so without endpoints. A
    library to observe that cannot be imported is a warning in the log.
    """

    @_check_names
    def __init__(
        self,
        app: Application,
        *,
        enabled: bool = False,
        token: str | None = None,
        prefix: str = "/ssrjson",
        observe: Sequence[Library] = (),
        server_timing: bool = False,
        page: bool = True,
        share: bool | str | PathLike[str] = True,
        sample_every: float = 0.25,
        trim_every: float = 5.0,
        scan_every: float = 10.0,
    ) -> None:
        """Put the middleware around `app`.

        enabled: False calls the application and does nothing else.
        token: 16 or more printable ASCII characters that the endpoints ask for; None: no endpoints.
        prefix: the path of the endpoints. GET /ssrjson/ is the live page, /ssrjson/stats has all figures as JSON, and
            /ssrjson/metrics those for Prometheus; POST /ssrjson/scan counts cached UTF-8 copies, /ssrjson/trim returns
            free memory to the system. All but the page want the header Authorization: Bearer with the token.
        observe: other JSON libraries whose calls are timed.
        server_timing: add the header Server-Timing to responses.
        page: serve the live page.
        share: the folder in which workers share their figures; True: a private temporary one; False: none.
        sample_every: seconds between two samples of the resident set.
        trim_every, scan_every: minimum seconds between two trims, two scans.
        """
        if not callable(app):
            raise TypeError(f"{NAME}: app must be an application, which is callable, not {type(app).__name__}")
        self.app: Application = app
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
        if options.enabled and options.token is None:
            warnings.warn(
                f"{NAME} is enabled without a token: it measures requests, but has no endpoints that show the figures."
                " Give it token=..., or enabled=False.",
                RuntimeWarning,
                stacklevel=3,  # after the check of the names
            )
        self.monitor: Monitor | None = Monitor(options) if options.enabled else None
        self._endpoints = None if self.monitor is None or options.token is None else Endpoints(self.monitor)
        self._prefix = prefix
        self._has_server_timing = server_timing
