"""The replacement of each name of other libraries. The page on migration has the differences."""

from __future__ import annotations

import ast
from typing import NamedTuple

from ssrjson_web import json as _json
from ssrjson_web import orjson as _orjson
from ssrjson_web._cli.doctor.migration.calls import CALLS

__all__ = [
    "CLASSES",
    "LIBRARIES",
    "PACKAGES",
    "SETTINGS",
    "FrameworkClass",
    "ReplacedLibrary",
    "has_same_name",
    "replacement_of",
]


class ReplacedLibrary(NamedTuple):
    """A JSON library: its module, and what replaces its names."""

    distributions: tuple[str, ...]
    """Its names on PyPI; none for the standard library's."""
    drop_in: str | None
    """The module of ours with the same names, where there is one."""
    names: dict[str, str]
    """Replacements by name, beside those of `CALLS`; those of a module with a drop-in are the same names."""
    otherwise: str
    """The replacement of names that are not listed."""


_NOT_LISTED = "nothing of ours has this name: rewrite it by hand"
_ERROR = {"JSONDecodeError": "ssrjson_web.JSONDecodeError"}

LIBRARIES: dict[str, ReplacedLibrary] = {
    "orjson": ReplacedLibrary(("orjson",), "ssrjson_web.orjson", {}, "the same name of ssrjson_web.orjson"),
    "ujson": ReplacedLibrary(("ujson",), None, _ERROR, _NOT_LISTED),
    "simplejson": ReplacedLibrary(
        ("simplejson",),
        None,
        {
            **_ERROR,
            "JSONEncoder": "ssrjson_web.json.JSONEncoder",
            "JSONDecoder": "ssrjson_web.json.JSONDecoder",
            "RawJSON": "ssrjson_web.Fragment",
            "JSONEncoderForHTML": "ssrjson_web.Encoder(html_safe=True)",
        },
        _NOT_LISTED,
    ),
    "rapidjson": ReplacedLibrary(
        ("python-rapidjson",),
        None,
        {
            **_ERROR,
            "Encoder": "ssrjson_web.Encoder(...), with the options of dumps",
            "Decoder": "ssrjson_web.Decoder(...), with the options of loads",
            "RawJSON": "ssrjson_web.Fragment",
        },
        _NOT_LISTED,
    ),
    "msgspec.json": ReplacedLibrary(
        ("msgspec",), None, {"format": "ssrjson_web.dumps_to_bytes(ssrjson_web.loads(data), indent=2)"}, _NOT_LISTED
    ),
    "json": ReplacedLibrary((), "ssrjson_web.json", {}, "the same name of ssrjson_web.json"),
}
"""By the name of the module. The functions of libraries without a drop-in are in `CALLS`."""

PACKAGES = {name: module for module, library in LIBRARIES.items() for name in library.distributions} | {
    "drf-orjson-renderer": "orjson",
    "drf-ujson2": "ujson",
    "django-orjson": "orjson",
    "flask-orjson": "orjson",
}
"""The module that a distribution is for, by the distribution's name on PyPI."""


class FrameworkClass(NamedTuple):
    """A class of a framework that ours replaces."""

    framework: str
    module: str
    """Of ours."""
    name: str
    """Of ours."""
    risk: str = ""
    """What else changes for a program where the names are exchanged; empty: nothing."""

    @property
    def is_safe(self) -> bool:
        """Whether exchanging the names changes nothing else that a program sees."""
        return not self.risk


_STARLETTE = FrameworkClass("Starlette", "ssrjson_web.starlette", "SSRJSONResponse")
_FASTAPI = FrameworkClass("FastAPI", "ssrjson_web.fastapi", "SSRJSONResponse")
_RENDERER = FrameworkClass("REST framework", "ssrjson_web.rest_framework", "SSRJSONRenderer")
_PARSER = FrameworkClass("REST framework", "ssrjson_web.rest_framework", "SSRJSONParser")
_DJANGO = FrameworkClass(
    "Django",
    "ssrjson_web.django",
    "SSRJSONResponse",
    'it writes compact UTF-8; with SSRJSON = {"ASCII": True, "COMPACT": False} in the settings the same bytes',
)

_OF_UJSON = "ujson writes / as \\/, 1e-07 as 1e-7 and Decimals as numbers"
_OF_ORJSON = "orjson writes NaN as null, and other formats of dates and durations"

CLASSES: dict[tuple[str, str], FrameworkClass] = {
    ("fastapi.responses", "ORJSONResponse"): _FASTAPI._replace(name="ORJSONResponse"),
    ("fastapi.responses", "UJSONResponse"): _FASTAPI._replace(risk=_OF_UJSON),
    ("fastapi.responses", "JSONResponse"): _FASTAPI,
    ("starlette.responses", "JSONResponse"): _STARLETTE,
    ("starlette.responses", "UJSONResponse"): _STARLETTE._replace(risk=_OF_UJSON),
    ("django.http", "JsonResponse"): _DJANGO,
    ("rest_framework.renderers", "JSONRenderer"): _RENDERER,
    ("rest_framework.parsers", "JSONParser"): _PARSER,
    ("drf_orjson_renderer.renderers", "ORJSONRenderer"): _RENDERER._replace(risk=_OF_ORJSON),
    ("drf_orjson_renderer.parsers", "ORJSONParser"): _PARSER._replace(risk="other texts of errors"),
    ("drf_ujson.renderers", "UJSONRenderer"): _RENDERER._replace(risk=_OF_UJSON),
    ("drf_ujson.parsers", "UJSONParser"): _PARSER._replace(risk="other texts of errors"),
    ("flask_orjson", "OrjsonProvider"): FrameworkClass(
        "Flask", "ssrjson_web.flask", 'SSRJSON(app, mode="fast")', "it is a call, not a class"
    ),
    ("django_orjson", "OrjsonResponse"): _DJANGO._replace(risk=_OF_ORJSON),
}
"""By the module and the name of the class."""

SETTINGS = {
    f"{module}.{name}": found for (module, name), found in CLASSES.items() if found.framework == "REST framework"
}
"""Classes that Django's settings name by a str."""


def replacement_of(module: str, name: str, call: ast.Call | None = None) -> str:
    """What to write instead of a name of a library, with the options of the call, if it is called."""
    library = LIBRARIES[module]
    if library.drop_in is not None:
        is_there = has_same_name(module, name)
        return library.otherwise if is_there else f"none: {library.drop_in} has no {name}; keep {module} for it"
    function = CALLS.get((module, name))
    if function is None:
        return library.names.get(name, library.otherwise)
    return function.replacement(call)


def has_same_name(module: str, name: str) -> bool:
    """Whether the drop-in of a library has a name of it."""
    return LIBRARIES[module].drop_in is not None and hasattr(_orjson if module == "orjson" else _json, name)
