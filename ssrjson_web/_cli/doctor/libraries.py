"""Which installed JSON libraries cache UTF-8 copies in strings, found by encoding with each.

Each is tried in its own process: a library that is broken, slow or crashes gets one line in the report.
"""

from __future__ import annotations

import importlib.util
import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata

__all__ = ["LIBRARIES", "PROBE_CHARS", "Library", "LibraryTrial", "try_libraries"]

PROBE_CHARS = 1000
"""Length of the Chinese text that is encoded: its cached UTF-8 copy takes 3 bytes a character, and 1 for the end."""

_SECONDS = 30.0
_AT_ONCE = 4

_TRIAL = """\
import json, sys
sys.path[:], module, encode, n_chars = json.loads(sys.argv[1])
from ssrjson_web import utf8_cache_size
library = __import__(module)
text = "".join(["\\u4e2d"] * n_chars)
content = {"text": text}
exec(encode, {**globals(), module: library})
print(f"\\ncopy: {utf8_cache_size(text)}")
"""
"""The new process gets the import path of this one: `-m` would put the working folder first."""


@dataclass(frozen=True, kw_only=True)
class Library:
    """A library that encodes JSON."""

    name: str
    module: str
    distribution: str | None
    """The package on PyPI; None for a part of Python."""
    encode: str
    """Statements that encode the dict `content`, without escaping characters beyond ASCII."""

    @property
    def is_installed(self) -> bool:
        """Whether its module can be found, without an import."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str | None:
        """The version of the installed distribution; None if it is unknown."""
        if self.distribution is None:
            return None
        try:
            return metadata.version(self.distribution)
        except metadata.PackageNotFoundError:
            return None


@dataclass(frozen=True, kw_only=True)
class LibraryTrial:
    """What encoding with a library did to a string."""

    name: str
    version: str | None
    copy_bytes: int | None
    """Size of the cached UTF-8 copy that the string held afterwards; None if the trial failed."""
    failure: str | None = None

    @property
    def leaves_copies(self) -> bool:
        """Whether the library cached a UTF-8 copy in the string."""
        return bool(self.copy_bytes)


LIBRARIES = (
    Library(name="json", module="json", distribution=None, encode="json.dumps(content, ensure_ascii=False)"),
    Library(name="orjson", module="orjson", distribution="orjson", encode="orjson.dumps(content)"),
    Library(
        name="msgspec",
        module="msgspec",
        distribution="msgspec",
        encode="import msgspec.json; msgspec.json.encode(content)",
    ),
    Library(
        name="pydantic",
        module="pydantic",
        distribution="pydantic",
        encode="pydantic.create_model('Probe', text=(str, ...))(**content).model_dump_json()",
    ),
    Library(
        name="fastsimdjson",
        module="fastsimdjson",
        distribution="fastsimdjson",
        encode="fastsimdjson.dumpb(content)",
    ),
    Library(name="isojson", module="isojson", distribution="isojson", encode="isojson.dumps(content)"),
    Library(name="ujson", module="ujson", distribution="ujson", encode="ujson.dumps(content, ensure_ascii=False)"),
    Library(
        name="rapidjson",
        module="rapidjson",
        distribution="python-rapidjson",
        encode="rapidjson.dumps(content, ensure_ascii=False)",
    ),
    Library(
        name="simplejson",
        module="simplejson",
        distribution="simplejson",
        encode="simplejson.dumps(content, ensure_ascii=False)",
    ),
    Library(name="ssrjson", module="ssrjson", distribution="ssrjson", encode="ssrjson.dumps_to_bytes(content)"),
    Library(
        name="ssrjson_web",
        module="ssrjson_web",
        distribution="ssrjson_web",
        encode="ssrjson_web.dumps_to_bytes(content)",
    ),
)


def try_libraries(libraries: Sequence[Library] = LIBRARIES, *, seconds: float = _SECONDS) -> tuple[LibraryTrial, ...]:
    """A trial of each installed library, in the given order; `seconds`: the timeout of each trial."""
    installed = [library for library in libraries if library.is_installed]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return tuple(pool.map(lambda library: _try(library, seconds=seconds), installed))


def _try(library: Library, *, seconds: float) -> LibraryTrial:
    copy_bytes, failure = None, None
    setting = json.dumps([sys.path, library.module, library.encode, PROBE_CHARS])
    try:
        ran = subprocess.run(
            [sys.executable, "-c", _TRIAL, setting],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=seconds,
        )
    except subprocess.TimeoutExpired:
        failure = f"not finished after {seconds:g} s"
    except OSError as error:
        failure = f"no process could be started: {error}"
    else:
        if ran.returncode < 0:
            failure = f"ended by {signal.Signals(-ran.returncode).name}"
        elif ran.returncode:
            failure = ran.stderr.strip().rpartition("\n")[2] or f"ended with status {ran.returncode}"
        elif (answer := re.search(r"^copy: (\d+)$", ran.stdout, re.MULTILINE)) is None:
            failure = "ended without a result"
        else:
            copy_bytes = int(answer[1])
    return LibraryTrial(name=library.name, version=library.version, copy_bytes=copy_bytes, failure=failure)
