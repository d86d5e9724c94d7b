"""Whether the installed pydantic-core does what the core does in its place.

It is compiled and has no texts to know. Known are the versions that the releases of pydantic since our oldest one need:
`make known-texts` reads them in the wheels of these releases, with which `make test` and `make check-models` run. An
unknown version is accepted where a sample of values is validated and written alike in both ways; otherwise all is left
to it.
"""

from __future__ import annotations

import threading

import pydantic_core

from ssrjson_web._known.texts import known_versions

__all__ = ["obstacle_of_core"]

_lock = threading.RLock()  # of the thread that checks, too, which asks again meanwhile
_is_known: bool | None = None
_is_checking = False


def obstacle_of_core() -> str:
    """`pydantic-core 2.99.0, which is not known`; empty for a version that is known, or that does the same."""
    version = pydantic_core.__version__
    return "" if _is_accepted(version) else f"pydantic-core {version}, which is not known"


def _is_accepted(version: str) -> bool:
    global _is_known, _is_checking
    if _is_known is None:
        with _lock:
            if _is_checking:
                return True
            if _is_known is None:
                _is_checking = True
                try:
                    _is_known = version in known_versions("pydantic_core") or _does_alike()
                finally:
                    _is_checking = False
    return _is_known


def _does_alike() -> bool:
    from ssrjson_web._models.pydantic.samples import does_alike

    return does_alike()
