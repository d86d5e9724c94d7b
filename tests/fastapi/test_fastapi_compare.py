"""setup(app, compare=...): a planted fault is found, named and not served; nothing of an application runs twice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from helpers.threads import in_threads

pytest.importorskip("fastapi", reason="FastAPI is not installed")

from fastapi import BackgroundTasks, Body, Depends, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, JSONResponse, StreamingResponse
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field, RootModel, computed_field, field_serializer, field_validator, model_validator

from ssrjson_web._compare import comparison
from ssrjson_web._compare.record import RECORD
from ssrjson_web._models.adapter import AdapterEncoder
from ssrjson_web._models.pydantic.models_maker import ModelsMaker
from ssrjson_web.fastapi import _carrier as carrier
from ssrjson_web.fastapi import _compare as compare_module
from ssrjson_web.fastapi import route_report, setup

SERVES = pytest.mark.parametrize("serve", ["stock", "core"])


@pytest.fixture(autouse=True)
def fresh_record() -> Iterator[None]:
    RECORD.reset_after_fork()
    yield
    RECORD.reset_after_fork()


class Item(BaseModel):
    name: str
    price: float = 1.5


def shop() -> FastAPI:
    app = FastAPI()

    @app.get("/dict", response_model=None)
    async def of_dict() -> Any:
        return {"name": "José", "n": [1, 2.5, None]}

    @app.get("/model")
    def of_model() -> list[Item]:
        return [Item(name="José"), {"name": "é", "price": 2}]  # type: ignore[list-item]

    @app.post("/item")
    async def item(item: Item) -> dict[str, Any]:
        return {"got": item.name}

    return app


def client_of(app: FastAPI, **options: Any) -> TestClient:
    setup(app, **{"compare": 1.0, **options})
    return TestClient(app, raise_server_exceptions=False)


def differences() -> list[dict[str, str]]:
    return RECORD.figures()["differences"]  # type: ignore[no-any-return]


def numbers(route: str) -> tuple[int, int]:
    found = RECORD.figures()["routes"].get(route, {"compared": 0, "differ": 0})
    return found["compared"], found["differ"]


# ---- answers and bodies without a fault ---------------------------------------------------------


@SERVES
def test_answers_and_bodies_that_are_alike_do_not_differ(serve: str) -> None:
    client, stock = client_of(shop(), serve=serve), TestClient(shop())
    bodies: list[bytes] = [b'{"name": "a"}', b'{"name": 1}', b"[]", b"{", b"", b'{"name": \xff}', b'"\xef\xbb\xbf"']
    for _ in range(2):
        for path in ("/dict", "/model"):
            assert client.get(path).content == stock.get(path).content
        for body in bodies:
            kind = {"content-type": "application/json"}
            ours, its = (one.post("/item", content=body, headers=kind) for one in (client, stock))
            assert (ours.status_code, ours.content) == (its.status_code, its.content)
    assert differences() == []
    assert numbers("GET /dict") == numbers("GET /model") == (2, 0)
    assert numbers("POST /item") == (2 * len(bodies) - 2, 0)  # an empty body is none
    assert RECORD.figures()["left_out"] == {}


def test_with_0_nothing_is_wrapped_or_called(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise AssertionError("of the comparison")

    for name in ("handler_with_trials", "ComparedAnswers", "ComparedBody"):
        monkeypatch.setattr(f"ssrjson_web.fastapi._compare.{name}", fail)
    monkeypatch.setattr(comparison.Comparison, "begin", fail)
    client = client_of(shop(), compare=0)
    assert client.get("/dict").status_code == client.post("/item", json={"name": "a"}).status_code == 200
    assert RECORD.figures()["routes"] == {}


def test_with_0_a_request_makes_the_same_calls_as_without_the_option() -> None:
    import sys

    def calls_of(**options: Any) -> list[str]:
        client = client_of(shop(), **{"compare": 0, **options})
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/dict",
            "headers": [],
            "query_string": b"",
            "app": client.app,
        }
        called: list[str] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": b""}

        async def send(_: Any) -> None:
            return None

        for _ in range(3):
            asyncio.run(client.app(dict(scope), receive, send))  # type: ignore[arg-type]
        loop = asyncio.new_event_loop()
        sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_qualname) if event == "call" else None)
        try:
            loop.run_until_complete(client.app(dict(scope), receive, send))
        finally:
            sys.setprofile(None)
            loop.close()
        return called

    if not hasattr(calls_of.__code__, "co_qualname"):
        pytest.skip("code has no qualified name before Python 3.11")
    plain, with_option = calls_of(), calls_of(serve="core", mask=False)
    assert plain == with_option
    assert "trial" not in " ".join(plain)


def test_share_of_requests_is_compared_and_stock_answers_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([0.9, 0.005, 0.5, 0.009, 0.01])
    monkeypatch.setitem(vars(comparison.Comparison)["__init__"].__kwdefaults__, "draw", lambda: next(drawn))
    client = client_of(shop(), compare=0.01)
    asked: list[int] = []
    encode = carrier._JSONABLE.encode
    monkeypatch.setattr(carrier, "_JSONABLE", Encoder(lambda value: asked.append(1) or encode(value)))  # type: ignore[func-returns-value]
    for _ in range(5):
        assert client.get("/dict").status_code == 200
    assert numbers("GET /dict") == (2, 0)
    assert len(asked) == 2


# ---- planted faults -----------------------------------------------------------------------------


class Encoder:
    def __init__(self, encode: Any) -> None:
        self.encode = encode


def plant_in_answers(monkeypatch: pytest.MonkeyPatch, fault: Any) -> None:
    """Make the core's answers others, with a response model and without."""
    encode, of_models, unvalidated = carrier._JSONABLE.encode, AdapterEncoder.encode, AdapterEncoder.encode_unvalidated
    monkeypatch.setattr(carrier, "_JSONABLE", Encoder(lambda value: fault(encode(value))))
    monkeypatch.setattr(AdapterEncoder, "encode", lambda self, value: fault(of_models(self, value)))

    def instead(self: Any, value: Any) -> Any:
        made = unvalidated(self, value)
        return made and fault(made)

    monkeypatch.setattr(AdapterEncoder, "encode_unvalidated", instead)


def other_byte(body: bytes) -> bytes:
    return body.replace("José".encode(), b"JosX!")


@SERVES
@pytest.mark.parametrize("path", ["/dict", "/model"])
def test_another_byte_of_an_answer_is_found_and_not_served(
    serve: str, path: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    right = TestClient(shop()).get(path).content
    plant_in_answers(monkeypatch, other_byte)
    client = client_of(shop(), serve=serve)
    assert client.get(path).content == (right if serve == "stock" else other_byte(right))
    (difference,) = differences()
    assert (difference["route"], difference["part"]) == (f"GET {path}", "answer")
    assert difference["place"].endswith("name")
    assert difference["place"].startswith("byte ")
    shown = difference["stock"] + difference["core"] + caplog.text
    assert "Jos" not in shown
    assert "xxxx" in difference["stock"]
    assert f"GET {path}: the core's answer differs from stock's at byte" in caplog.text


@SERVES
def test_another_value_of_a_body_is_found_and_not_served(serve: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make = ModelsMaker.make

    def instead(self: Any, value: Any) -> Any:
        made, replay = make(self, value)
        return (made.model_copy(update={"name": "other 7"}), replay) if isinstance(made, Item) else (made, replay)

    monkeypatch.setattr(ModelsMaker, "make", instead)
    client = client_of(shop(), serve=serve)
    assert client.post("/item", json={"name": "right"}).json() == {"got": "right" if serve == "stock" else "other 7"}
    (difference,) = differences()
    assert difference == {
        "route": "POST /item",
        "part": "body `item`",
        "place": "[0].name",
        "stock": "str 'xxxxx'",
        "core": "str 'xxxxx 9'",
    }


def test_body_that_the_core_refuses_is_found_and_served(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Any, value: Any) -> Any:
        raise TypeError("secret 7")

    monkeypatch.setattr(ModelsMaker, "make", refuse)
    assert client_of(shop()).post("/item", json={"name": "right"}).json() == {"got": "right"}
    (difference,) = differences()
    assert (difference["place"], difference["core"]) == ("an exception", "TypeError: xxxxxx 9")


def test_value_of_a_body_that_the_core_decodes_otherwise_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare_module, "decode", lambda body: {"name": "Other"})
    assert client_of(shop()).post("/item", json={"name": "right"}).json() == {"got": "right"}
    (difference,) = differences()
    assert (difference["part"], difference["place"]) == ("value of the body", ".name")


def test_exception_of_the_core_is_found_and_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    plant_in_answers(monkeypatch, lambda body: 1 / 0)
    client = client_of(shop())
    for path in ("/dict", "/model"):
        assert client.get(path).status_code == 200
    assert [one["core"] for one in differences()] == ["ZeroDivisionError: xxxxxxxx xx xxxx"] * 2


def test_fault_of_the_comparison_itself_harms_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    comparison.tell_of_fault.cache_clear()

    def fail(*_: Any) -> Any:
        raise RuntimeError("of the comparison")

    for module, name in ((compare_module, "once_only"), (comparison, "difference_of_values")):
        monkeypatch.setattr(module, name, fail)
    monkeypatch.setattr(RECORD, "add", fail)
    client = client_of(shop())
    for _ in range(2):
        assert client.get("/dict").json()["name"] == "José"
        assert client.post("/item", json={"name": "a"}).json() == {"got": "a"}
    assert "could not be compared; the request was answered as usual" in caplog.text


def test_schema_that_cannot_be_looked_at_harms_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    comparison.tell_of_fault.cache_clear()
    monkeypatch.setattr(compare_module, "users_code_in", lambda schema: 1 / 0)
    client = client_of(shop())
    assert client.post("/item", json={"name": "a"}).json() == {"got": "a"}
    assert client.get("/model").status_code == 200


def test_report_and_log_say_that_stock_answers(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ssrjson_web.fastapi")
    app = shop()
    setup(app, compare=0.5)
    assert "the core is compared on 3 of 3 routes" in caplog.text
    reports = {report.path: report for report in route_report(app)}
    assert (reports["/dict"].encodes, reports["/dict"].decodes) == (False, False)
    assert reports["/dict"].reason == "setup(app, compare=...) sends FastAPI's answers: serve='core' the core's"
    setup(app, compare=0.5, serve="core")
    assert {report.path: report.encodes for report in route_report(app)}["/dict"]


# ---- code of the application --------------------------------------------------------------------


CALLED: list[str] = []


class Checked(Item):
    @field_validator("name")
    def check(cls, name: str) -> str:
        CALLED.append(name)
        return name


class Written(Item):
    @field_serializer("name")
    def write(self, name: str) -> str:
        CALLED.append(name)
        return name


class Computed(Item):
    @computed_field  # type: ignore[prop-decorator]
    @property
    def title(self) -> str:
        CALLED.append(self.name)
        return self.name


class Made(Item):
    price: float = Field(default_factory=lambda: CALLED.append("price") or 2.5)  # type: ignore[func-returns-value]


class Initialized(Item):
    def model_post_init(self, _: Any) -> None:
        CALLED.append("init")


class Row:
    name = "a"

    @property
    def price(self) -> float:
        CALLED.append("price")
        return 1.5


class Plain:
    def __init__(self) -> None:
        self.name, self.price = "a", 2.5


class Iterable:
    def __iter__(self) -> Iterator[tuple[str, int]]:
        CALLED.append("iter")
        return iter([("a", 1)])


@SERVES
@pytest.mark.parametrize("model", [Checked, Computed, Made, Initialized])
def test_code_of_a_model_runs_once_and_its_body_is_left_out(model: Any, serve: str) -> None:
    app = FastAPI()

    def endpoint(item: Any) -> Any:
        return {}

    endpoint.__annotations__ = {"item": model}
    app.post("/")(endpoint)
    client, expected = client_of(app, serve=serve), []
    for n in range(2):
        CALLED.clear()
        assert client.post("/", json={"name": "a"}).json() == {}
        expected = CALLED[:]
        assert len(expected) == (model is not Computed), n
    assert "body `item`: " in RECORD.figures()["left_out"]["POST /"]
    assert numbers("POST /") == (2, 0)  # the JSON of the body, and the answer


@SERVES
@pytest.mark.parametrize("model", [Checked, Written, Computed, Made, Initialized])
def test_code_of_a_response_model_runs_once_and_its_answers_are_left_out(model: Any, serve: str) -> None:
    app = FastAPI()
    app.get("/")(lambda: {"name": "a"})
    app = FastAPI()
    app.add_api_route("/", lambda: {"name": "a"}, response_model=model)
    client = client_of(app, serve=serve)
    for _ in range(3):
        CALLED.clear()
        assert client.get("/").json()["name"] == "a"
        assert len(CALLED) == 1
    assert "twice" in RECORD.figures()["left_out"]["GET /"] or "two values" in RECORD.figures()["left_out"]["GET /"]
    assert numbers("GET /") == (0, 0)


@SERVES
@pytest.mark.parametrize(
    ("make", "response_model", "reason"),
    [
        (Row, Item, f"the attribute `price` of {__name__}.Row would be read twice"),
        (Iterable, None, f"code of {__name__}.Iterable may run twice"),
        (lambda: [Written(name="a")], None, f"`{__name__}.Written.write` would run twice"),
        (lambda: (n for n in range(3)), None, "an answer holds an iterator, which can be iterated once"),
        (lambda: {"a": (n for n in range(3))}, None, "an answer holds an iterator, which can be iterated once"),
        (lambda: JSONResponse({"a": 1}), None, "its endpoint returns a JSONResponse that it made itself"),
        (lambda: StreamingResponse(iter(["a"])), None, "its endpoint returns a StreamingResponse that it made itself"),
    ],
)
def test_value_whose_code_would_run_twice_is_left_out_and_named(
    make: Any, response_model: Any, reason: str, serve: str
) -> None:
    def app() -> FastAPI:
        made = FastAPI()
        made.add_api_route("/", lambda: make(), response_model=response_model)
        return made

    CALLED.clear()
    stock = TestClient(app()).get("/").content
    n_calls = len(CALLED)
    client = client_of(app(), serve=serve)
    CALLED.clear()
    assert client.get("/").content == stock
    assert len(CALLED) == n_calls
    assert RECORD.figures()["left_out"]["GET /"] == reason
    assert numbers("GET /") == (0, 0)


class Whole(Item):
    @model_validator(mode="after")
    def check(self) -> Any:
        CALLED.append("whole")
        return self


class Revalidated(Checked, revalidate_instances="always"):
    pass


class Holder(BaseModel):
    held: Any


@SERVES
@pytest.mark.parametrize(
    ("response_model", "make", "is_compared"),
    [
        (Checked, lambda: Checked(name="a"), True),
        (list[Checked], lambda: [Checked(name="a")], True),
        (list[Checked], lambda: [Checked(name="a"), {"name": "b"}], False),
        (list[Checked], lambda: ({"name": "b"},), False),
        (Checked | None, lambda: Checked(name="a"), True),
        (Checked | None, lambda: None, True),
        (Whole, lambda: Whole(name="a"), False),
        (Revalidated, lambda: Revalidated(name="a"), False),
        (Written, lambda: Written(name="a"), False),
        (Holder, lambda: Holder(held=Checked(name="a")), True),
        (Holder, lambda: Holder(held=[Written(name="a")]), False),
        (None, lambda: {"a": Checked(name="a")}, True),
        (None, lambda: {"a": Computed(name="a")}, False),
    ],
)
def test_instances_of_models_with_validators_are_compared_where_no_validator_runs(
    response_model: Any, make: Any, is_compared: bool, serve: str
) -> None:
    app = FastAPI()
    app.add_api_route("/", lambda: make(), response_model=response_model)
    stock = FastAPI()
    stock.add_api_route("/", lambda: make(), response_model=response_model)
    called = []
    for client in (TestClient(stock), client_of(app, serve=serve)):
        CALLED.clear()
        assert client.get("/").status_code == 200
        called.append(CALLED[:])
    assert called[0] == called[1]
    assert numbers("GET /") == (int(is_compared), 0)
    assert bool(RECORD.figures()["left_out"]) is not is_compared


@SERVES
def test_objects_without_code_are_compared(serve: str) -> None:
    app = FastAPI()
    app.add_api_route("/row", Plain, response_model=Item)
    app.add_api_route("/model", lambda: Item(name="a"))
    app.add_api_route("/root", lambda: RootModel[list[Item]]([Item(name="a")]))
    client = client_of(app, serve=serve)
    assert client.get("/row").json() == {"name": "a", "price": 2.5}
    assert client.get("/model").json() == {"name": "a", "price": 1.5}
    assert client.get("/root").json() == [{"name": "a", "price": 1.5}]
    assert numbers("GET /row") == numbers("GET /model") == numbers("GET /root") == (1, 0)
    assert RECORD.figures()["left_out"] == {}


@SERVES
def test_endpoint_dependencies_and_background_tasks_run_once(serve: str) -> None:
    app, called = FastAPI(), []

    def dependency(n: int = Body(embed=True)) -> Iterator[int]:
        called.append("begin")
        yield n
        called.append("end")

    @app.post("/")
    def endpoint(tasks: BackgroundTasks, n: int = Depends(dependency)) -> dict[str, int]:
        called.append("endpoint")
        tasks.add_task(called.append, "task")
        return {"n": n}

    @app.get("/refused")
    def refused() -> None:
        called.append("refused")
        raise HTTPException(418, {"a": "é"})

    client = client_of(app, serve=serve)
    assert client.post("/", json={"n": 3}).json() == {"n": 3}
    assert sorted(called) == ["begin", "end", "endpoint", "task"]
    assert client.get("/refused").json() == {"detail": {"a": "é"}}
    assert called.count("refused") == 1
    assert numbers("POST /") == (1, 0)


@SERVES
def test_routes_that_stream_or_answer_otherwise_are_left_out_at_once(serve: str) -> None:
    def made() -> FastAPI:
        app = FastAPI()

        @app.get("/lines")
        async def lines() -> Any:
            yield {"a": 1}

        app.get("/page", response_class=HTMLResponse)(lambda: "<p>")
        return app

    client, stock = client_of(made(), serve=serve), TestClient(made(), raise_server_exceptions=False)
    figures = RECORD.figures
    for path in ("/lines", "/page"):  # FastAPI before 0.134 has no streams of items
        assert client.get(path).content == stock.get(path).content
    assert figures()["left_out"]["GET /page"] == "the core does not encode its answers"
    assert figures()["left_out"]["GET /lines"] == "its items are streamed"
    assert figures()["routes"] == {}


# ---- stock stays stock --------------------------------------------------------------------------


def test_errors_and_schema_are_stocks_where_stock_is_sent() -> None:
    app, stock = shop(), shop()
    setup(app, compare=0.5)
    assert app.exception_handlers == stock.exception_handlers
    assert [type(one) for one in app.routes if not hasattr(one, "dependant")] == [
        type(one) for one in stock.routes if not hasattr(one, "dependant")
    ]
    seen: list[type] = []

    @app.post("/class")
    async def class_of(request: Request) -> dict[str, int]:
        seen.append(type(request))
        return {}

    assert TestClient(app).post("/class").json() == {}
    assert seen == [Request]


@pytest.mark.parametrize("options", [{"max_body_size": 9}, {"max_depth": 9}, {"slice_ms": 2.0}])
def test_what_only_the_core_does_needs_its_answers(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="are the core's: with compare they need serve='core'"):
        setup(shop(), compare=0.5, **options)
    setup(shop(), compare=0.5, serve="core", **options)


def test_setup_may_be_called_again_with_another_share_and_without() -> None:
    app = shop()
    for share in (0.5, 0.25, 0):
        setup(app, compare=share)
        routes: list[Any] = [route for route in app.routes if hasattr(route, "dependant")]
        shares = [getattr(getattr(type(route), "comparison", None), "share", 0) for route in routes]
        assert shares == [share] * 3
    with TestClient(app) as client:
        assert client.post("/item", json={"name": "a"}).json() == {"got": "a"}
    assert RECORD.figures()["routes"] == {}


def test_explicit_response_class_is_compared() -> None:
    app = FastAPI(default_response_class=JSONResponse)

    @app.get("/")
    def endpoint() -> Item:
        return Item(name="é")

    assert client_of(app).get("/").json() == {"name": "é", "price": 1.5}
    assert numbers("GET /") == (1, 0)


def test_both_ways_may_raise() -> None:
    app = FastAPI()
    app.get("/nan")(lambda: {"a": float("nan")})
    app.add_api_route("/wrong", lambda: {"name": 1}, response_model=Item)
    client = client_of(app)
    assert client.get("/nan").status_code == client.get("/wrong").status_code == 500
    assert numbers("GET /nan") == numbers("GET /wrong") == (1, 0)


def test_two_threads_are_counted_apart_and_whole() -> None:
    client = client_of(shop())
    client.get("/dict")

    def ask() -> None:
        with TestClient(client.app) as own:
            for n in range(20):
                assert own.post("/item", json={"name": f"{n}"}).json() == {"got": f"{n}"}
                assert own.get("/model").status_code == 200

    in_threads(ask, 2)
    assert numbers("POST /item") == numbers("GET /model") == (40, 0)


def test_large_answer_is_compared(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    app = FastAPI()
    rows = [{"id": n, "name": "é" * 50} for n in range(30_000)]
    app.get("/")(lambda: rows)
    assert len(client_of(app).get("/").content) > 3_000_000
    assert numbers("GET /") == (1, 0)
    assert caplog.text == ""


def test_requests_within_a_request_are_trials_of_their_own() -> None:
    app = shop()

    @app.get("/outer")
    def outer() -> Any:
        return TestClient(app).get("/dict").json()

    assert client_of(app).get("/outer").json()["n"] == [1, 2.5, None]
    assert numbers("GET /outer") == numbers("GET /dict") == (1, 0)
