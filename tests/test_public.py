"""The public line: which modules users import, which names each has, and that every name says what it is."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "ssrjson_web"

CORE = """
    Decoder Encoder Fragment JSONDecodeError JSONDepthError JSONEncodeAttributeError JSONEncodeBufferError
    JSONEncodeError JSONEncodeRecursionError JSONEncodeRuntimeError JSONEncodeTypeError JSONEncodeUnicodeDecodeError
    JSONEncodeUnicodeEncodeError JSONEncodeValueError JSONSizeError JSONTypeError Recorder __version__
    dumps dumps_to_bytes encode_async get_current_features loads scan_utf8_cache utf8_cache_size write_utf8_cache
"""
DJANGO = """
    DjangoJSONEncoder JSONDecoder PartReport RouteReport
    SSRJSONCacheSerializer SSRJSONCatalog SSRJSONEvent SSRJSONEventResponse SSRJSONItems SSRJSONLinesResponse
    SSRJSONMiddleware SSRJSONResponse SSRJSONSerializer SSRJSONStreamingResponse json_items parse_json route_report
    settings_report
"""
STARLETTE = """
    ORJSONResponse RouteReport SSRJSONEvent SSRJSONEventResponse SSRJSONLinesResponse SSRJSONRequest
    SSRJSONResponse SSRJSONRoute
    SSRJSONStreamingResponse SSRJSONWebSocket SSRJSONWebSocketRoute json_event route_report
"""
FLASK = """
    RouteReport SSRJSON SSRJSONEvent SSRJSONFastProvider SSRJSONProvider json_parts output_json route_report
    stream_array stream_events stream_lines
"""
QUART = """
    SSRJSON SSRJSONEvent SSRJSONFastProvider SSRJSONProvider json_items receive_message route_report
    send_message stream_array stream_events stream_lines
"""
ORJSON = """
    Fragment JSONDecodeError JSONEncodeError OPT_APPEND_NEWLINE OPT_INDENT_2 OPT_NAIVE_UTC OPT_NON_STR_KEYS
    OPT_OMIT_MICROSECONDS OPT_PASSTHROUGH_DATACLASS OPT_PASSTHROUGH_DATETIME OPT_PASSTHROUGH_SUBCLASS
    OPT_SERIALIZE_DATACLASS OPT_SERIALIZE_NUMPY OPT_SERIALIZE_UUID OPT_SORT_KEYS OPT_STRICT_INTEGER OPT_UTC_Z
    __version__ dumps loads
"""
MEMORY = "malloc_in_use_bytes peak_rss_bytes pss_bytes reset_peak rss_bytes trim uss_bytes"

PUBLIC = {
    "": CORE,
    "aiohttp": "dumps dumps_to_bytes json_response loads",
    "asgi": "MemoryMiddleware",
    "audit": "Audit Copies audit",
    "channels": "SSRJSONAsyncWebsocketConsumer SSRJSONWebsocketConsumer",
    "clients": "decode decode_async json_body",
    "django": DJANGO,
    "django.apps": "SSRJSONConfig",
    "django.serializers": "",
    "django.serializers.json": "Deserializer Serializer",
    "django.serializers.jsonl": "Deserializer Serializer",
    "django.templatetags": "",
    "django.templatetags.ssrjson": "json_script register",
    "django.testing": "SSRJSONAsyncClient SSRJSONClient SSRJSONClientMixin",
    "falcon": "SSRJSONHandler setup",
    "fastapi": "ORJSONResponse RouteReport SSRJSONRequest SSRJSONResponse SSRJSONRoute route_report setup",
    "flask": FLASK,
    "marshmallow": "SchemaReport disabled schema_report setup teardown",
    "json": "JSONDecodeError JSONDecoder JSONEncoder dump dumps load loads",
    "litestar": "SSRJSONRequest SSRJSONResponse",
    "logging": "SSRJSONFormatter",
    "memory": MEMORY,
    "models": "TypedDecoder TypedEncoder json_type",
    "monitor": "observe record unwatch watch",
    "ninja": "SSRJSONParser SSRJSONRenderer setup",
    "orjson": ORJSON,
    "quart": QUART,
    "rest_framework": "SSRJSONParser SSRJSONRenderer disabled setup teardown",
    "rest_framework.apps": "SSRJSONRestConfig",
    "sanic": "dumps loads",
    "starlette": STARLETTE,
    "wsgi": "MemoryMiddleware",
}


# Migrations record the first two. Django looks for the next two in modules that settings name. The last are results.
OTHER_CLASS_NAMES = {
    "DjangoJSONEncoder",
    "JSONDecoder",
    "Deserializer",
    "Serializer",
    "RouteReport",
    "PartReport",
    "SchemaReport",
    "ORJSONResponse",  # FastAPI's name of it, which its users have in their code
}

FRAMEWORKS = {
    name: [name]
    for name in ("aiohttp", "falcon", "fastapi", "flask", "litestar", "marshmallow", "quart", "sanic", "starlette")
}
FRAMEWORKS |= {"channels": ["django", "channels"]}
FRAMEWORKS |= {"django": ["django"], "rest_framework": ["django", "rest_framework"], "ninja": ["django", "ninja"]}


def imported(name: str) -> types.ModuleType:
    """A module by its name below the package. The test is skipped where its framework is not installed."""
    frameworks = FRAMEWORKS.get(name.partition(".")[0], [])
    for framework in frameworks:
        pytest.importorskip(framework, reason=f"{framework} is not installed")
    if "django" in frameworks:
        importlib.import_module("helpers.django_project")
    return importlib.import_module(f"ssrjson_web.{name}".rstrip("."))


def module_names() -> Iterator[str]:
    """Modules without a leading underscore in their path. The modules inside `monitor/` are not public."""
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        if parts[-1] == "__init__":
            parts = parts[:-1]
        elif parts[0] == "monitor":
            continue
        if not any(part.startswith("_") for part in parts):
            yield ".".join(parts)


def test_public_modules_are_these_and_no_other() -> None:
    assert sorted(module_names()) == sorted(PUBLIC)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_module_has_these_names_and_no_other(name: str) -> None:
    module = imported(name)
    listed = getattr(module, "__all__", [])
    assert sorted(listed) == PUBLIC[name].split()
    assert [one for one in listed if not hasattr(module, one)] == []


def has_docstring(value: object) -> bool:
    """Whether a class or function has a docstring of its own, not one that it inherits. Other objects have none."""
    if inspect.isclass(value):
        return bool(vars(value).get("__doc__"))
    return bool(value.__doc__) or not callable(value)


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_a_docstring(name: str) -> None:
    module = imported(name)
    assert module.__doc__ or not PUBLIC[name]
    assert [one for one in PUBLIC[name].split() if not has_docstring(getattr(module, one))] == []


@pytest.mark.parametrize("name", [name for name in PUBLIC if name.partition(".")[0] in FRAMEWORKS])
def test_public_class_of_an_adapter_begins_with_the_name_of_the_project(name: str) -> None:
    module = imported(name)
    classes = [one for one in PUBLIC[name].split() if inspect.isclass(getattr(module, one))]
    assert [one for one in classes if not one.startswith("SSRJSON") and one not in OTHER_CLASS_NAMES] == []


@pytest.mark.parametrize("name", ["fastapi", "starlette"])
def test_name_that_is_imported_when_used_is_listed_and_its_typo_is_told(name: str) -> None:
    module = imported(name)
    assert set(PUBLIC[name].split()) <= set(dir(module))
    with pytest.raises(AttributeError, match=rf"^module 'ssrjson_web.{name}' has no attribute 'route_reports'$"):
        _ = module.route_reports


def test_setup_imports_nothing_of_reports_streams_sockets_typed_values_and_compare_mode() -> None:
    """A worker that uses none of them does not hold their code."""
    imported("fastapi")
    program = (
        "import sys\n"
        "from fastapi import FastAPI\n"
        "from ssrjson_web.fastapi import setup\n"
        "setup(FastAPI())\n"
        "print(*(name for name in sys.modules if name.startswith('ssrjson_web.')))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    found = run.stdout.split()
    assert "ssrjson_web.fastapi._setup" in found
    unused = (
        "_report",
        "_counts",
        "_chunks",
        "_events",
        "_streaming",
        "_websockets",
        "_shared.streaming",
        "_models.types",
        "_compare.comparison",
    )
    assert [one for one in found if any(f".{part}." in f"{one}." for part in unused)] == []
