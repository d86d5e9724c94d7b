"""Requests to FastAPI applications: their data, their checks, and the ratios to reach."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from bench.kit.asgi import Answer
from bench.subject import UnableError, WrongResultError
from bench.web.documents import Document, documents
from bench.web.fastapi_exchange import Desk, Exchange, application
from bench.web.fastapi_rivals import (
    EMPTY,
    EMPTY_IN_THREAD,
    KINDS,
    ORJSON_CLASS,
    OUR_CLASS,
    RIVALS,
    SET_UP,
    STOCK,
    Kind,
    WebRival,
    versions,
)
from bench.web.fastapi_routes import model_of
from bench.web.fastapi_steps import steps_of
from bench.web.web_case import Checked, Contender, Framework, WebCase, WebGoal
from ssrjson_web import scan_utf8_cache

GOALS: Sequence[WebGoal] = (
    WebGoal(kind="dict", ours=SET_UP.name, at_least=20),
    WebGoal(kind="dict", ours=SET_UP.name, over=ORJSON_CLASS.name, at_least=15),
    WebGoal(kind="instances", ours=SET_UP.name, at_least=2, no_cache=True),
    WebGoal(kind="dicts", ours=SET_UP.name, at_least=3, no_cache=True),
    WebGoal(kind="objects", ours=SET_UP.name, at_least=3, no_cache=True),
    WebGoal(kind="checked", ours=SET_UP.name, at_least=1.7, no_cache=True),
    WebGoal(kind="validated", ours=SET_UP.name, at_least=0.98, no_cache=True),
    WebGoal(kind="direct", ours=OUR_CLASS.name, over=ORJSON_CLASS.name, at_least=1.1),
    WebGoal(kind="post-any", ours=SET_UP.name, at_least=2),
    WebGoal(kind="post-models", ours=SET_UP.name, at_least=2),
    WebGoal(kind="post-checked", ours=SET_UP.name, at_least=1.5),
)


@dataclass(frozen=True, kw_only=True)
class FastAPICase:
    """A kind of request with its data."""

    kind: str
    """Of KINDS."""
    document: Document

    @property
    def name(self) -> str:
        """`dict/chinese`."""
        return "empty" if self.kind == "empty" else f"{self.kind}/{self.document.name}"

    @property
    def n_bytes(self) -> int:
        """The size of its JSON, as UTF-8."""
        return 0 if self.kind == "empty" else len(self.document.body)

    @property
    def is_always_run(self) -> bool:
        """Whether it runs with every choice of cases."""
        return self.kind == "empty"

    @property
    def is_post(self) -> bool:
        """Whether the document is the request's body; else it is the response's."""
        return KINDS[self.kind].endpoint == "take"

    def value_maker(self) -> Callable[[], Any]:
        """Makes the data of a request: a body to send, or a value to return. No library has encoded its strings."""
        if self.is_post:
            body = self.document.body
            return lambda: bytes(bytearray(body))
        if self.kind == "objects":
            return self.document.object_maker()
        return self.document.model_maker() if self.kind == "instances" else self.document.graph_maker()


def all_cases() -> list[FastAPICase]:
    """Every kind with every document. The empty answer, without a document, comes first."""
    kinds = [kind for kind in KINDS if kind != "empty"]
    found = documents()
    return [
        FastAPICase(kind="empty", document=found[-1]),
        *(FastAPICase(kind=kind, document=document) for kind in kinds for document in found),
    ]


def check(
    case: FastAPICase, rival: WebRival, value: Any, exchange: Exchange, desk: Desk, stock: Answer | None
) -> Answer:
    """The rival's answer. Raises WrongResultError if it is not the expected one, or if ours differs from stock's."""
    desk.incoming.clear()
    desk.keeps_incoming = True
    try:
        answer = exchange.ask(value)
    except Exception as error:
        raise UnableError(f"{type(error).__name__}: {error}") from error
    finally:
        desk.keeps_incoming = False
    if answer.status != 200:
        raise WrongResultError(f"status {answer.status}")
    if case.is_post:
        _check_incoming(case, desk)
    elif case.kind != "empty":
        if answer.header(b"content-type") != b"application/json":
            raise WrongResultError(f"content type {answer.header(b'content-type')!r}")
        if repr(json.loads(answer.body)) != case.document.reference:
            raise WrongResultError("the body parses to another value")
    if rival.is_ours and stock is not None:
        if answer.body != stock.body:
            raise WrongResultError("the body is not byte for byte stock's")
        if sorted(answer.headers) != sorted(stock.headers):
            raise WrongResultError(f"headers {answer.headers}, stock {stock.headers}")
    return answer


def _check_incoming(case: FastAPICase, desk: Desk) -> None:
    (arrived,) = desk.incoming
    if case.kind == "post-any":
        if repr(arrived) != case.document.reference:
            raise WrongResultError("the endpoint got another value")
        return
    if arrived != TypeAdapter(model_of(KINDS[case.kind], case.document)).validate_python(
        json.loads(case.document.text)
    ):
        raise WrongResultError("the endpoint got other models")


def framework() -> Framework:
    """FastAPI on its own event loop; `close` ends it."""
    loop = asyncio.new_event_loop()

    def close() -> None:
        loop.run_until_complete(loop.shutdown_default_executor())
        loop.close()

    return Framework(
        title="FastAPI, in this process and without a socket",
        cases=[web_case(case, loop) for case in all_cases()],
        rivals=[rival.name for rival in RIVALS],
        ours=(),
        goals=GOALS,
        goal_part="",
        versions=versions(),
        notes=["the data of every request is made and freed while the clock is stopped"],
        close=close,
    )


def web_case(case: FastAPICase, loop: asyncio.AbstractEventLoop) -> WebCase:
    """The case as the command measures it."""
    make_value = case.value_maker()
    return WebCase(
        name=case.name,
        kind=case.kind,
        title=KINDS[case.kind].title,
        n_bytes=case.n_bytes,
        make_request=make_value,
        make_value=make_value,
        contenders=lambda names: _contenders(case, names, make_value, loop),
        is_always_run=case.is_always_run,
    )


def _contenders(
    case: FastAPICase, names: Collection[str], make_value: Callable[[], Any], loop: asyncio.AbstractEventLoop
) -> Iterator[Contender]:
    answers: dict[str, Answer] = {}
    kind = KINDS[case.kind]

    def exchange_of(rival: WebRival, kind: Kind, desk: Desk) -> Exchange:
        return Exchange(application(rival, kind, case.document, desk), desk, loop, is_post=case.is_post)

    def contender(rival: WebRival) -> Contender:
        desk = Desk()
        exchange = exchange_of(rival, kind, desk)

        def checked() -> Checked:
            value = make_value()
            answer = check(case, rival, value, exchange, desk, answers.get(STOCK.name))
            answers[rival.name] = answer
            cache_bytes = scan_utf8_cache([desk.incoming if case.is_post else value])["bytes"]
            return Checked(n_bytes=case.n_bytes, cache_bytes=cache_bytes)

        empty = EMPTY_IN_THREAD if kind.in_thread else EMPTY
        return Contender(
            rival=rival.name,
            is_ours=rival.is_ours,
            loop=exchange.timed,
            check=checked,
            steps=steps_of(rival, kind, case.document),
            rest=None if case.kind == "empty" else exchange_of(rival, empty, Desk()).timed,
        )

    return (contender(rival) for rival in kind.rivals if rival.name in names)
