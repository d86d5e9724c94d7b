"""A pytest plug-in: it runs a framework's own tests on our classes, counts calls of ours and records each outcome.

Loaded by `-p ssrjson_compat` into an environment with the framework, the packages of its tests and ssrjson_web. These
environment variables control it:

    SSRJSON_COMPAT         `stock` to plug nothing in, `orjson`, or the names in PLUGS, by commas
    SSRJSON_COMPAT_REPORT  the JSON file to write
"""

from __future__ import annotations

import functools
import json
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MODE = os.environ.get("SSRJSON_COMPAT", "stock")
GIST_CHARS = 2000
RANK = ("passed", "skipped", "xfailed", "xpassed", "failed", "error")
"""Outcomes of set-up, call and tear-down; the outcome of the test is the one that is last in this list."""

counts: Counter[str] = Counter()
outcomes: dict[str, dict[str, str]] = {}
count_at_end: list[Callable[[], None]] = []


def count(owner: type, method: str, name: str) -> Callable[..., Any]:
    """Counts calls of the method and returns the counting method. An inherited one is counted only for that class."""
    function = getattr(owner, method)
    counts[name] += 0

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        counts[name] += 1
        return function(*args, **options)

    setattr(owner, method, call)
    return call


def lend(stock: type, ours: type, method: str, name: str) -> None:
    """Gives `stock` our class's method, and all our attributes that it lacks. Calls by either class are counted.

    Ours call super() where stock's is not known. What is lent replaces stock's, so the caller says that it is known.
    """
    setattr(stock, method, count(ours, method, name))
    for attribute, value in vars(ours).items():
        if not attribute.startswith("__") and not hasattr(stock, attribute):
            setattr(stock, attribute, value)


def set_up_each(kind: type, setup: Callable[[Any], None], *, but: tuple[type, ...] = ()) -> None:
    """Sets up every new application of the class, except those of the classes in `but`."""
    stock_init = kind.__init__  # type: ignore[misc]

    @functools.wraps(stock_init)
    def init(self: Any, *args: Any, **options: Any) -> None:
        stock_init(self, *args, **options)
        if not isinstance(self, but):
            counts["applications set up"] += 1
            setup(self)

    kind.__init__ = init  # type: ignore[misc]


def plug_in_starlette() -> None:
    from starlette import requests, responses, websockets

    from ssrjson_web import starlette as ours
    from ssrjson_web.starlette import _requests, _responses, _websockets

    for module in (_requests, _responses):  # otherwise the methods that are lent would count as somebody's
        module._is_stock = lambda: True
    _websockets._SEAMS.are_known = lambda: True
    lend(responses.JSONResponse, ours.SSRJSONResponse, "render", "responses rendered")
    lend(requests.Request, ours.SSRJSONRequest, "json", "requests parsed")
    lend(websockets.WebSocket, ours.SSRJSONWebSocket, "send_json", "frames sent")
    lend(websockets.WebSocket, ours.SSRJSONWebSocket, "receive_json", "frames received")


def plug_in_fastapi() -> None:
    import fastapi

    from ssrjson_web.fastapi import _carrier, _field, setup

    set_up_each(fastapi.FastAPI, setup)
    count(_field.EncodingField, "serialize", "models encoded")
    count(_field.EncodingField, "serialize_json", "models encoded")
    count(_carrier.CarriedResponse, "render", "results encoded")


def count_results(module: Any, name: str, nothing: Any, said: str) -> None:
    """Counts the calls of a module's function that give something else than `nothing`."""
    function = getattr(module, name)
    counts[said] += 0

    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        result = function(*args, **options)
        counts[said] += result is not nothing
        return result

    setattr(module, name, call)


def plug_in_rest_framework() -> None:
    from rest_framework import parsers, renderers, views
    from rest_framework.settings import api_settings

    from ssrjson_web import rest_framework as ours
    from ssrjson_web.rest_framework import _loading, _reading, _templates

    count_results(_reading, "plan_to_read", None, "serializers read")
    count_results(_loading, "plan_in_use", None, "serializers loaded")
    ours.setup()
    _templates.MIN_USES = 1  # most classes of the tests are used once or twice

    count(ours.SSRJSONRenderer, "render", "responses rendered")
    count(ours.SSRJSONParser, "parse", "requests parsed")
    renderers.JSONRenderer = ours.SSRJSONRenderer
    parsers.JSONParser = ours.SSRJSONParser
    api_settings.reload()
    views.APIView.renderer_classes = api_settings.DEFAULT_RENDERER_CLASSES
    views.APIView.parser_classes = api_settings.DEFAULT_PARSER_CLASSES


def plug_in_flask() -> None:
    import flask.json.provider
    import flask.sansio.app

    from ssrjson_web import flask as ours
    from ssrjson_web.flask import _provider

    count(ours.SSRJSONProvider, "response", "responses rendered")
    count(ours.SSRJSONProvider, "loads", "requests parsed")
    # it compares the method itself to see whether it was overridden
    _provider._OUR_DUMPS = count(ours.SSRJSONProvider, "dumps", "texts encoded")
    flask.json.provider.DefaultJSONProvider = ours.SSRJSONProvider
    flask.sansio.app.App.json_provider_class = ours.SSRJSONProvider


def plug_in_falcon() -> None:
    import falcon.asgi.structures
    import falcon.http_error
    import falcon.media.handlers
    import falcon.media.multipart
    import falcon.request

    from ssrjson_web import falcon as ours

    count(ours.SSRJSONHandler, "_serialize_b", "responses rendered")
    count(ours.SSRJSONHandler, "_serialize_async_b", "responses rendered")
    count(ours.SSRJSONHandler, "_deserialize", "requests parsed")
    count(ours._TextHandler, "serialize", "frames sent")
    count(ours._TextHandler, "deserialize", "frames received")
    set_up_each(falcon.App, ours.setup, but=(falcon.asgi.App,))  # its own set-up comes when it is complete
    set_up_each(falcon.asgi.App, ours.setup)
    # and where there is no application, or an option without a handler
    falcon.media.handlers.JSONHandler = ours.SSRJSONHandler
    handler = ours.SSRJSONHandler()
    falcon.media.multipart.MultipartParseOptions._DEFAULT_HANDLERS[falcon.MEDIA_JSON] = handler
    for module in (falcon.asgi.structures, falcon.http_error, falcon.media.json, falcon.request):
        module._DEFAULT_JSON_HANDLER = handler


def plug_in_marshmallow() -> None:
    """Plans from the first call on: most schemas of tests are used once."""
    from ssrjson_web.marshmallow import _plans, setup
    from ssrjson_web.marshmallow._loading import LoadPlan
    from ssrjson_web.marshmallow._reading import ReadPlan

    _plans.FEW_ITEMS = 0
    for cls, methods, name in ((ReadPlan, ("read", "read_all"), "dumped"), (LoadPlan, ("load", "load_all"), "loaded")):
        for method in methods:
            count(cls, method, f"{name} by plans")
    setup()


SHARED_WRITING = frozenset(
    {"skipkeys", "ensure_ascii", "check_circular", "allow_nan", "indent", "separators", "default", "sort_keys"}
)
SHARED_READING = frozenset({"object_hook", "parse_float", "parse_int", "parse_constant", "object_pairs_hook"})
"""The options that simplejson shares with the standard library."""


def plug_in_simplejson() -> None:
    import simplejson

    from ssrjson_web import json as ours

    def lend_function(name: str, shared: frozenset[str], n_positional: int, said: str, **defaults: object) -> None:
        own, our = getattr(simplejson, name), getattr(ours, name)
        counts[said] += 0

        @functools.wraps(own)
        def call(*args: Any, **options: Any) -> Any:
            if len(args) > n_positional or not shared.issuperset(options):
                return own(*args, **options)  # options that only simplejson has
            counts[said] += 1
            return our(*args, **{**defaults, **options})

        setattr(simplejson, name, call)

    lend_function("dumps", SHARED_WRITING, 1, "texts encoded", allow_nan=False)
    lend_function("dump", SHARED_WRITING, 2, "texts encoded", allow_nan=False)
    lend_function("loads", SHARED_READING, 1, "documents parsed")
    lend_function("load", SHARED_READING, 1, "documents parsed")
    # so `except simplejson.JSONDecodeError` catches both; simplejson's own modules still raise its class
    simplejson.JSONDecodeError = (simplejson.JSONDecodeError, ours.JSONDecodeError)


def plug_in_json_test_suite() -> None:
    """Nothing to lend: its tests import the module that they test."""


def plug_in_orjson() -> None:
    """Puts our module where `import orjson` finds it. A recorder counts the calls: the functions are in C."""
    from ssrjson_web import Recorder
    from ssrjson_web import orjson as ours
    from ssrjson_web._core import current_recorder

    recorder = Recorder()
    current_recorder.set(recorder)
    sys.modules["orjson"] = ours
    count_at_end.append(
        lambda: counts.update({"texts encoded": recorder.encodes, "documents parsed": recorder.decodes})
    )


PLUGS = {
    "starlette": plug_in_starlette,
    "fastapi": plug_in_fastapi,
    "rest_framework": plug_in_rest_framework,
    "flask": plug_in_flask,
    "falcon": plug_in_falcon,
    "marshmallow": plug_in_marshmallow,
    "simplejson": plug_in_simplejson,
    "json_test_suite": plug_in_json_test_suite,
}
if MODE == "orjson":
    plug_in_orjson()  # now, because files that pytest loads before it is configured may import orjson


@pytest.hookimpl(trylast=True)  # after the suite's own hook, which sets Django's settings
def pytest_configure(config: pytest.Config) -> None:
    for name in MODE.split(","):
        if name not in ("stock", "orjson"):
            PLUGS[name]()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    outcome: str = report.outcome
    if hasattr(report, "wasxfail"):
        outcome = "xfailed" if report.skipped else "xpassed"
    elif report.failed and report.when != "call":
        outcome = "error"
    note(report.nodeid, outcome, report.longreprtext if report.failed else "")


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        note(report.nodeid, "error", report.longreprtext)


def note(test: str, outcome: str, text: str) -> None:
    known = outcomes.get(test)
    if known is None or RANK.index(outcome) > RANK.index(known["outcome"]):
        outcomes[test] = {"outcome": outcome, "gist": text[-GIST_CHARS:]}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Adds the counts of a worker of pytest-xdist."""
    counts.update(getattr(node, "workeroutput", {}).get("ssrjson_counts", {}))


def pytest_sessionfinish(session: pytest.Session) -> None:
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["ssrjson_counts"] = dict(counts)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        write_report()


def write_report() -> None:
    """Writes the requested report."""
    for add in count_at_end:
        add()
    path = os.environ.get("SSRJSON_COMPAT_REPORT")
    if path:
        document = {"outcomes": outcomes, "counts": dict(counts)}
        Path(path).write_text(json.dumps(document, indent=1), "utf-8")
