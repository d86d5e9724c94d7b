"""Options: what is malformed fails when the middleware is made, and the message names the option."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from ssrjson_web import asgi, wsgi
from ssrjson_web.monitor.options import Options

TOKEN = "0123456789abcdef"
MIDDLEWARES = pytest.mark.parametrize(
    "middleware", [pytest.param(asgi.MemoryMiddleware, id="asgi"), pytest.param(wsgi.MemoryMiddleware, id="wsgi")]
)

WRONG: list[tuple[str, Any, type[Exception]]] = [
    ("enabled", 1, TypeError),
    ("enabled", None, TypeError),
    ("token", b"0123456789abcdef", TypeError),
    ("token", "", ValueError),
    ("token", "0123456789abcde", ValueError),
    ("token", "0123456789 abcdef", ValueError),
    ("token", "0123456789abcdeé", ValueError),
    ("token", "0123456789abcdef\n", ValueError),
    ("prefix", None, TypeError),
    ("prefix", "", ValueError),
    ("prefix", "/", ValueError),
    ("prefix", "ssrjson", ValueError),
    ("prefix", "/ssrjson/", ValueError),
    ("prefix", "/a b", ValueError),
    ("prefix", "/a\n", ValueError),
    ("prefix", "//ssrjson", ValueError),
    ("prefix", "/ssrjson/..", ValueError),
    ("observe", "json", TypeError),
    ("observe", b"json", TypeError),
    ("observe", None, TypeError),
    ("observe", 5, TypeError),
    ("observe", ["orjsn"], ValueError),
    ("observe", [1], TypeError),
    ("observe", ["yaml"], ValueError),
    ("server_timing", "yes", TypeError),
    ("page", 0, TypeError),
    ("share", "", TypeError),
    ("share", 5, TypeError),
    ("share", "a\0b", TypeError),
    ("share", b"/tmp", TypeError),
    ("sample_every", "1", TypeError),
    ("sample_every", True, TypeError),
    ("sample_every", 0, ValueError),
    ("sample_every", float("nan"), ValueError),
    ("trim_every", -1, ValueError),
    ("scan_every", 1e9, ValueError),
]


@MIDDLEWARES
@pytest.mark.parametrize(("name", "value", "error"), WRONG)
def test_malformed_option_is_refused_by_name(middleware: Any, name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"^MemoryMiddleware: {name}\\b"):
        middleware(lambda: None, **{"enabled": True, "share": False, name: value})


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("tokne", "token"),
        ("tokens", "token"),
        ("enable", "enabled"),
        ("Enabled", "enabled"),
        ("observed", "observe"),
        ("path_prefix", "prefix"),
        ("servertiming", "server_timing"),
        ("sample_evry", "sample_every"),
    ],
)
@MIDDLEWARES
def test_unknown_option_names_the_middleware_and_the_nearest(middleware: Any, wrong: str, right: str) -> None:
    with pytest.raises(TypeError) as raised:
        middleware(lambda: None, **{wrong: TOKEN})
    assert str(raised.value) == f"MemoryMiddleware has no option {wrong!r}; did you mean {right!r}?"


@MIDDLEWARES
def test_option_unlike_any_has_them_all_named(middleware: Any) -> None:
    with pytest.raises(
        TypeError, match=r"^MemoryMiddleware has no option 'zzz'; it has enabled, token, .*, scan_every$"
    ):
        middleware(lambda: None, zzz=1)


@pytest.mark.parametrize(
    ("arguments", "options"), [((), {"enabled": True}), ((len, True), {}), ((None,), {}), (("x",), {})]
)
@MIDDLEWARES
def test_wrong_application_names_the_middleware(middleware: Any, arguments: Any, options: Any) -> None:
    with pytest.raises(TypeError, match=r"^MemoryMiddleware\b"):
        middleware(*arguments, **options)


@pytest.mark.parametrize(
    ("name", "value", "hint"),
    [
        ("prefix", "ssrjson", "did you mean '/ssrjson'?"),
        ("prefix", "/ssrjson/", "did you mean '/ssrjson'?"),
        ("observe", ["ORJSON"], "did you mean 'orjson'?"),
        ("observe", ["pydantc"], "did you mean 'pydantic'?"),
        ("observe", "json", "['json']"),
    ],
)
def test_refusal_shows_what_would_do(name: str, value: Any, hint: str) -> None:
    with pytest.raises((TypeError, ValueError)) as raised:
        Options(**{name: value})
    assert str(raised.value).endswith(hint)


def test_libraries_to_observe_may_come_from_an_iterator() -> None:
    assert Options(observe=(name for name in ("json", "orjson"))).observe == ("json", "orjson")
    assert Options(observe={"json": 1}).observe == ("json",)


def _warnings(log: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in log.records if record.levelname == "WARNING"]


@pytest.mark.parametrize("error", [ImportError, AttributeError])
@MIDDLEWARES
def test_library_that_cannot_be_imported_is_warned_of_once_where_it_is_made(
    middleware: Any, error: type[Exception], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(name: str) -> Any:
        if name == "orjson":
            raise error("it is broken")
        return sys.modules[name]

    monkeypatch.setattr("ssrjson_web.monitor.observation.importlib.import_module", fail)
    made = middleware(lambda: None, enabled=True, token=TOKEN, share=False, observe=["orjson", "json", "orjson"])
    assert made.monitor.observation.libraries == ("json",)
    made.monitor.observation.remove()
    assert _warnings(caplog) == [
        "MemoryMiddleware: observe: orjson cannot be imported (it is broken), so its calls are not timed:"
        " install it in this environment, or take its name out of observe"
    ]


def test_requests_are_answered_where_a_library_to_observe_is_missing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "orjson", None)
    app = Starlette(routes=[Route("/", lambda _: JSONResponse([1]))])
    options: Any = {"enabled": True, "token": TOKEN, "share": False, "observe": ["json", "orjson", "pydantic"]}
    app.add_middleware(asgi.MemoryMiddleware, **options)
    client = TestClient(app, headers={"authorization": f"Bearer {TOKEN}"})
    assert [client.get("/").json() for _ in range(3)] == [[1]] * 3
    assert set(client.get("/ssrjson/stats").json()["libraries"]) == {"ssrjson_web", "json"}
    made: Any = app.middleware_stack
    made.app.monitor.observation.remove()
    assert len(_warnings(caplog)) == 1


@MIDDLEWARES
def test_middleware_without_a_token_warns_once_where_it_is_made(middleware: Any) -> None:
    with pytest.warns(RuntimeWarning, match=r"^MemoryMiddleware is enabled without a token") as seen:
        middleware(lambda: None, enabled=True, share=False)
    assert [warning.filename for warning in seen] == [__file__]


@pytest.mark.parametrize("options", [{}, {"token": TOKEN}, {"enabled": True, "token": TOKEN, "share": False}])
@MIDDLEWARES
def test_middleware_that_is_off_or_has_a_token_does_not_warn(middleware: Any, options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        middleware(lambda: None, **options)


@pytest.mark.parametrize("token", ["short-token-15c", "0123456789 abcdef"])
def test_refusal_of_a_token_does_not_show_it(token: str) -> None:
    with pytest.raises(ValueError, match=r"^MemoryMiddleware: token") as raised:
        Options(token=token)
    assert token not in str(raised.value)


def test_options_do_not_show_the_token() -> None:
    assert TOKEN not in repr(Options(token=TOKEN))


@pytest.mark.parametrize("share", [True, False, "/tmp/x", Path("x")])
def test_folder_to_share_may_be_named(share: Any) -> None:
    assert Options(share=share).share == share


def test_middleware_that_is_not_enabled_makes_nothing() -> None:
    assert asgi.MemoryMiddleware(lambda: None, token=TOKEN).monitor is None  # type: ignore[arg-type, return-value]
    assert wsgi.MemoryMiddleware(lambda: None, token=TOKEN).monitor is None  # type: ignore[arg-type, return-value]
