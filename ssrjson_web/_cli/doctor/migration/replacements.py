"""The replacement of each name of other libraries. docs/migrating.md has the differences."""

from __future__ import annotations

from typing import NamedTuple

from ssrjson_web import json as _json
from ssrjson_web import orjson as _orjson

__all__ = [
    "CLASSES",
    "LIBRARIES",
    "PACKAGES",
    "SETTINGS",
    "FrameworkClass",
    "Library",
    "has_same_name",
    "replacement_of",
]


class Library(NamedTuple):
    """A JSON library: its module, and what replaces its names."""

    distributions: tuple[str, ...]
    """Its names on PyPI; none for the standard library's."""
    drop_in: str | None
    """The module of ours with the same names, where there is one."""
    names: dict[str, str]
    """Replacements by name; those of a module with a drop-in are the same names."""
    otherwise: str
    """The replacement of names that are not listed."""


_NOT_LISTED = "see docs/migrating.md"
_ENCODE = "ssrjson_web.dumps_to_bytes(obj, natives=True), or dumps() for a str"
_UJSON = {
    "dumps": "ssrjson_web.dumps(obj, ensure_ascii=True); slashes are not escaped",
    "encode": "ssrjson_web.dumps(obj, ensure_ascii=True); slashes are not escaped",
    "dump": "file.write(ssrjson_web.dumps(obj, ensure_ascii=True))",
    "loads": "ssrjson_web.loads(text)",
    "decode": "ssrjson_web.loads(text)",
    "load": "ssrjson_web.loads(file.read())",
    "JSONDecodeError": "ssrjson_web.JSONDecodeError",
}

LIBRARIES: dict[str, Library] = {
    "orjson": Library(("orjson",), "ssrjson_web.orjson", {}, "the same name of ssrjson_web.orjson"),
    "ujson": Library(("ujson",), None, _UJSON, _NOT_LISTED),
    "simplejson": Library(
        ("simplejson",),
        None,
        {
            "dumps": "ssrjson_web.json.dumps(obj), or ssrjson_web.dumps(obj, decimal='number') with its options",
            "dump": "ssrjson_web.json.dump(obj, file)",
            "loads": "ssrjson_web.loads(text); parse_float='decimal' for use_decimal=True",
            "load": "ssrjson_web.loads(file.read()); parse_float='decimal' for use_decimal=True",
            "JSONEncoder": "ssrjson_web.json.JSONEncoder",
            "JSONDecoder": "ssrjson_web.json.JSONDecoder",
            "JSONDecodeError": "ssrjson_web.JSONDecodeError",
            "RawJSON": "ssrjson_web.Fragment",
            "JSONEncoderForHTML": "ssrjson_web.Encoder(html_safe=True)",
        },
        _NOT_LISTED,
    ),
    "rapidjson": Library(
        ("python-rapidjson",),
        None,
        {
            "dumps": "ssrjson_web.dumps(obj); formats by datetime=, uuid=, decimal=, bytes=",
            "dump": "file.write(ssrjson_web.dumps(obj))",
            "loads": "ssrjson_web.loads(text); number_mode=NM_DECIMAL is parse_float='decimal'",
            "load": "ssrjson_web.loads(file.read())",
            "Encoder": "ssrjson_web.Encoder(...)",
            "Decoder": "ssrjson_web.Decoder(...)",
            "RawJSON": "ssrjson_web.Fragment",
            "JSONDecodeError": "ssrjson_web.JSONDecodeError",
        },
        _NOT_LISTED,
    ),
    "msgspec.json": Library(
        ("msgspec",),
        None,
        {
            "encode": "ssrjson_web.dumps_to_bytes(obj, models=True)",
            "decode": "ssrjson_web.loads(data); with type=, keep msgspec",
            "Encoder": "ssrjson_web.Encoder(models=True, default=enc_hook)",
            "Decoder": "ssrjson_web.Decoder(); with a type, keep msgspec",
            "format": "ssrjson_web.dumps(ssrjson_web.loads(data), indent=2)",
        },
        _NOT_LISTED,
    ),
    "json": Library((), "ssrjson_web.json", {}, "the same name of ssrjson_web.json"),
}
"""By the name of the module."""

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
    is_safe: bool
    """Whether exchanging the names changes nothing else that a program sees."""


_FASTAPI = FrameworkClass("FastAPI", "ssrjson_web.fastapi", "SSRJSONResponse", True)
_STARLETTE = FrameworkClass("Starlette", "ssrjson_web.starlette", "SSRJSONResponse", True)
_RENDERER = FrameworkClass("REST framework", "ssrjson_web.rest_framework", "SSRJSONRenderer", True)
_PARSER = FrameworkClass("REST framework", "ssrjson_web.rest_framework", "SSRJSONParser", True)

_PROVIDER = FrameworkClass("Flask", "ssrjson_web.flask", 'SSRJSON(app, mode="fast")', False)

CLASSES: dict[tuple[str, str], FrameworkClass] = {
    ("fastapi.responses", "ORJSONResponse"): _FASTAPI,
    ("fastapi.responses", "UJSONResponse"): _FASTAPI,
    ("fastapi.responses", "JSONResponse"): _FASTAPI,
    ("starlette.responses", "JSONResponse"): _STARLETTE,
    ("starlette.responses", "ORJSONResponse"): _STARLETTE,
    ("starlette.responses", "UJSONResponse"): _STARLETTE,
    ("django.http", "JsonResponse"): FrameworkClass("Django", "ssrjson_web.django", "SSRJSONResponse", True),
    ("rest_framework.renderers", "JSONRenderer"): _RENDERER,
    ("rest_framework.parsers", "JSONParser"): _PARSER,
    ("drf_orjson_renderer.renderers", "ORJSONRenderer"): _RENDERER._replace(is_safe=False),
    ("drf_orjson_renderer.parsers", "ORJSONParser"): _PARSER._replace(is_safe=False),
    ("drf_ujson.renderers", "UJSONRenderer"): _RENDERER._replace(is_safe=False),
    ("drf_ujson.parsers", "UJSONParser"): _PARSER._replace(is_safe=False),
    ("flask_orjson", "OrjsonProvider"): _PROVIDER,
    ("django_orjson", "OrjsonResponse"): FrameworkClass("Django", "ssrjson_web.django", "SSRJSONResponse", False),
}
"""By the module and the name of the class."""

SETTINGS = {
    f"{module}.{name}": found for (module, name), found in CLASSES.items() if found.framework == "REST framework"
}
"""Classes that Django's settings name by a str."""


def replacement_of(module: str, name: str) -> str:
    """What to write instead of a name of a library."""
    library = LIBRARIES[module]
    if library.drop_in is not None:
        is_there = has_same_name(module, name)
        return library.otherwise if is_there else f"none: {library.drop_in} has no {name}; keep {module} for it"
    return library.names.get(name, library.otherwise)


def has_same_name(module: str, name: str) -> bool:
    """Whether the drop-in of a library has a name of it."""
    return LIBRARIES[module].drop_in is not None and hasattr(_orjson if module == "orjson" else _json, name)
