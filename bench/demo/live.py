"""The live page of one server of the demo: the memory middleware, and the texts on its page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from ssrjson_web.asgi import MemoryMiddleware

__all__ = ["live_app"]


def live_app(
    app: ASGIApp, *, token: str, engine: str, catalogue: str, pages: int, observe: Sequence[Any]
) -> MemoryMiddleware:
    """`app` with a live page that shows the engine, and the pass over a catalogue of `pages` pages."""
    served = _PagesServed(app, engine=engine, catalogue=catalogue, pages=pages)
    middleware = MemoryMiddleware(served, enabled=True, token=token, observe=observe, scan_every=1)
    assert middleware.monitor is not None
    middleware.monitor.describe = served.describe
    return middleware


class _PagesServed:
    """Counts the pages of the catalogue that this process was asked for."""

    def __init__(self, app: ASGIApp, *, engine: str, catalogue: str, pages: int) -> None:
        self._app = app
        self._engine = engine
        self._catalogue = catalogue
        self._pages = pages
        self._n_served = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == "/records":
            self._n_served += 1
        await self._app(scope, receive, send)

    def describe(self) -> tuple[str, str]:
        """The engine, and the pass: whether the records are served for the first time or again."""
        n_passes, n_pages = divmod(self._n_served, self._pages)
        if n_pages == 0:
            state = f"pass {n_passes} is complete" if n_passes else "ready for the first pass"
            return self._engine, f"{state}, {self._catalogue} catalogue"
        name = "first pass" if n_passes == 0 else f"pass {n_passes + 1}, the same records again"
        return self._engine, f"{name}: page {n_pages:,} of {self._pages:,}, {self._catalogue} catalogue"
