"""Which installed JSON libraries cache UTF-8 copies in strings, found by encoding and decoding with each.

Each is tried in its own process: a library that is broken, slow or crashes gets one line in the report.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib import metadata

from ssrjson_web._cli.child import ask
from ssrjson_web._cli.doctor.trial import Span

__all__ = ["LIBRARIES", "Library", "LibraryTrial", "try_libraries"]

_SECONDS = 30.0
_AT_ONCE = 4


@dataclass(frozen=True, kw_only=True)
class Library:
    """A library that encodes and decodes JSON."""

    name: str
    module: str
    distribution: str | None
    """The package on PyPI; None for a part of Python."""
    encode: str
    """Statements that encode the dict `content`, without escaping characters beyond ASCII."""
    decode: str = ""
    """Statements that decode the str `document`; none where there is no function for it."""

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
    """What a library did to strings: to those that it encoded, and to a str that it decoded."""

    name: str
    version: str | None
    copy_bytes: int | None
    """Size of the cached UTF-8 copy in a string of `PROBE_CHARS` that was encoded; None if the trial failed."""
    encoded: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    """For each kind of text: the lengths of the strings that got a copy when they were encoded."""
    decoded: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    """For each kind of text: the lengths of the documents, as a str, that got a copy when they were decoded."""
    failure: str | None = None

    @property
    def leaves_copies(self) -> bool:
        """Whether the library cached a UTF-8 copy in a string that it encoded."""
        return bool(self.copy_bytes) or any(self.encoded.values())


def _library(name: str, *, distribution: str | None = "", encode: str, decode: str = "loads(document)") -> Library:
    """A library whose calls begin with the name of its module; `distribution`: if it has another name."""
    return Library(
        name=name,
        module=name,
        distribution=name if distribution == "" else distribution,
        encode=f"{name}.{encode}",
        decode=f"{name}.{decode}",
    )


LIBRARIES = (
    _library("json", distribution=None, encode="dumps(content, ensure_ascii=False)"),
    _library("orjson", encode="dumps(content)"),
    Library(
        name="msgspec",
        module="msgspec",
        distribution="msgspec",
        encode="import msgspec.json; msgspec.json.encode(content)",
        decode="import msgspec.json; msgspec.json.decode(document)",
    ),
    Library(
        name="pydantic",
        module="pydantic",
        distribution="pydantic",
        encode="pydantic.create_model('Probe', text=(str, ...))(**content).model_dump_json()",
        decode="import pydantic_core; pydantic_core.from_json(document)",
    ),
    Library(  # the JSON of two packages for Django: django-bolt calls msgspec
        name="django-bolt",
        module="django_bolt",
        distribution="django-bolt",
        encode="import django_bolt._json; django_bolt._json.encode(content)",
    ),
    Library(
        name="drf-oxide",
        module="drf_oxide_core",
        distribution="drf-oxide-core",
        encode="drf_oxide_core.to_json(content, ensure_ascii=False)",
    ),
    _library("blitzjson", encode="dumps(content, ensure_ascii=False)"),
    _library("fastsimdjson", encode="dumpb(content)"),
    _library("isojson", encode="dumps(content)"),
    _library("oxjson", encode="dumps(content)"),
    _library("rjson", distribution="pyrjson", encode="dumps(content)"),
    Library(
        name="rjson.dumps_str",
        module="rjson",
        distribution="pyrjson",
        encode="rjson.dumps_str(content)",
        decode="rjson.loads(document)",
    ),
    _library("strata", distribution="strata-plf", encode="dumps(content)"),
    _library("yjson", encode="dumps(content)"),
    _library("ujson", encode="dumps(content, ensure_ascii=False)"),
    _library("rapidjson", distribution="python-rapidjson", encode="dumps(content, ensure_ascii=False)"),
    _library("simplejson", encode="dumps(content, ensure_ascii=False)"),
    _library("ssrjson", encode="dumps_to_bytes(content)"),
    _library("ssrjson_web", encode="dumps_to_bytes(content)"),
)


def try_libraries(libraries: Sequence[Library] = LIBRARIES, *, seconds: float = _SECONDS) -> tuple[LibraryTrial, ...]:
    """A trial of each installed library, in the given order; `seconds`: the timeout of each trial."""
    installed = [library for library in libraries if library.is_installed]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        return tuple(pool.map(lambda library: _try(library, seconds=seconds), installed))


def _try(library: Library, *, seconds: float) -> LibraryTrial:
    call = (library.module, library.encode, library.decode)
    answer, failure = ask("ssrjson_web._cli.doctor.trial", "try_library", *call, seconds=seconds)
    found = answer or {"copy_bytes": None}
    return LibraryTrial(name=library.name, version=library.version, failure=failure or None, **found)
