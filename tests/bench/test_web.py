"""The command `web`: the checks before the timing, the timed work, and the figures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from bench.subject import WrongResultError
from bench.timing import Sample, Settings
from bench.web.documents import documents
from bench.web.fastapi_cases import GOALS, FastAPICase, all_cases, check, framework, web_case
from bench.web.fastapi_exchange import Desk, Exchange, application
from bench.web.fastapi_rivals import KINDS, OUR_CLASS, SET_UP, STOCK, WebRival
from bench.web.web_case import Framework
from bench.web.web_command import RIVAL_NAMES
from bench.web.web_measure import PROCESS_CLOCK, Measured, WebPlan, WebRow, measure, verdicts
from bench.web.web_tables import web_tables
from ssrjson_web import scan_utf8_cache

CASES = {case.name: case for case in all_cases()}
SMALL = {case.kind: case for case in CASES.values() if case.document.name == "small"}
QUICK = Settings(rounds=2, min_rounds=2, loop_ns=1000, budget_ns=1)


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    made = asyncio.new_event_loop()
    yield made
    made.run_until_complete(made.shutdown_default_executor())
    made.close()


def answering(body: bytes, *, status: int = 200, headers: list[tuple[bytes, bytes]] | None = None) -> Any:
    """An ASGI application that always gives this answer."""
    shown = [(b"content-type", b"application/json")] if headers is None else headers

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": shown})
        await send({"type": "http.response.body", "body": body})

    return app


def checked(app: Any, loop: asyncio.AbstractEventLoop, rival: WebRival = OUR_CLASS, stock: Any = None) -> Any:
    case, desk = SMALL["direct"], Desk()
    return check(case, rival, case.value_maker()(), Exchange(app, desk, loop, is_post=False), desk, stock)


def test_cases_cover_every_kind_and_document() -> None:
    assert len(CASES) == len(all_cases()) == 1 + 3 * (len(KINDS) - 1)
    assert [len(json.loads(document.text)) for document in documents()[:2]] == [100, 100]
    assert all(44_000 < len(document.body) < 48_000 for document in documents()[:2])
    assert not documents()[0].text.isascii()
    assert documents()[1].text.isascii()


@pytest.mark.parametrize("case", [case for case in CASES.values() if not case.is_post], ids=lambda case: case.name)
def test_values_are_made_anew_and_hold_no_copy(case: FastAPICase) -> None:
    make = case.value_maker()
    first, second = make(), make()
    assert first is not second
    assert first == second
    assert scan_utf8_cache([first, second])["bytes"] == 0
    if case.kind == "dict":
        texts = [value for value in (first[0] if isinstance(first, list) else first).values() if isinstance(value, str)]
        others = (second[0] if isinstance(second, list) else second).values()
        assert not any(text is other for text in texts for other in others if len(text) > 1)


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_every_rival_answers_every_case_as_promised(case: FastAPICase, loop: asyncio.AbstractEventLoop) -> None:
    stock = None
    for rival in KINDS[case.kind].rivals:
        desk = Desk()
        exchange = Exchange(application(rival, KINDS[case.kind], case.document, desk), desk, loop, is_post=case.is_post)
        value = case.value_maker()()
        answer = check(case, rival, value, exchange, desk, stock)
        stock = answer if rival is STOCK else stock
        if rival.is_ours:
            assert scan_utf8_cache([value])["bytes"] == 0
    assert stock is not None


@pytest.mark.parametrize(
    ("app", "message"),
    [
        (answering(b"{}", status=500), "status 500"),
        (answering(SMALL["direct"].document.body, headers=[]), "content type None"),
        (answering(b'{"id":48271}'), "the body parses to another value"),
        (answering(SMALL["direct"].document.body + b" "), "the body is not byte for byte stock's"),
        (
            answering(
                SMALL["direct"].document.body, headers=[(b"content-type", b"application/json"), (b"x-more", b"1")]
            ),
            "headers ",
        ),
    ],
)
def test_wrong_answer_of_ours_is_not_timed(app: Any, message: str, loop: asyncio.AbstractEventLoop) -> None:
    stock = checked(answering(SMALL["direct"].document.body), loop, STOCK)
    with pytest.raises(WrongResultError) as caught:
        checked(app, loop, stock=stock)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("kind", ["post-any", "post-models", "post-checked"])
def test_endpoint_that_got_something_else_is_wrong(kind: Any, loop: asyncio.AbstractEventLoop) -> None:
    case, desk = SMALL[kind], Desk()
    exchange = Exchange(application(STOCK, KINDS[kind], case.document, desk), desk, loop, is_post=True)
    changed = case.document.text.replace("48271", "48272").encode()
    assert check(case, STOCK, case.document.body, exchange, desk, None).status == 200
    with pytest.raises(WrongResultError, match=r"^the endpoint got (another value|other models)$"):
        check(case, STOCK, changed, exchange, desk, None)


def test_exchange_hands_out_each_value_once_in_order_within_the_clock(loop: asyncio.AbstractEventLoop) -> None:
    events: list[Any] = []
    desk = Desk()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        events.append(desk.outgoing.pop())

    def clock() -> int:
        events.append("tick")
        return len(events)

    assert Exchange(app, desk, loop, is_post=False).timed(["a", "b"], clock) == 3
    assert events == ["tick", "a", "b", "tick"]
    assert desk.outgoing == []


@pytest.fixture
def fastapi() -> Iterator[Framework]:
    made = framework()
    yield made
    made.close()


def test_row_has_times_copies_and_steps_of_every_rival(fastapi: Framework, loop: asyncio.AbstractEventLoop) -> None:
    plan = WebPlan(cases=[], rivals=RIVAL_NAMES, settings=QUICK, clock=PROCESS_CLOCK)
    row = measure(web_case(CASES["dicts/chinese"], loop), plan)
    found = {each.rival: each for each in row.measured}
    assert list(found) == list(RIVAL_NAMES)
    assert all(each.request and each.request.median_ns > 0 and not each.reason for each in found.values())
    assert found["stock"].cache_bytes > 10_000
    assert found["setup(app)"].cache_bytes == 0
    assert list(found["stock"].steps) == ["validate", "encode", "rest"]
    assert list(found["ORJSONResponse"].steps) == ["validate", "convert", "encode", "rest"]
    text = "\n".join(table.as_text() for table in web_tables([row], fastapi))
    assert "dicts/chinese" in text


def row_of(case: str, us: dict[str, float], *, cache_bytes: int = 0) -> WebRow:
    """A row in which the rivals took the given microseconds, in every round."""
    ours = (OUR_CLASS.name, SET_UP.name)
    return WebRow(
        case=case,
        kind=case.partition("/")[0],
        title="a title",
        n_bytes=45_000,
        measured=[
            Measured(
                rival=name,
                is_ours=name in ours,
                request=Sample(median_ns=n * 1000, p25_ns=n * 1000, p75_ns=n * 1000, best_ns=n * 1000),
                cache_bytes=cache_bytes if name in ours else 0,
            )
            for name, n in us.items()
        ],
    )


def test_goals_hold_ours_against_the_rival_that_each_names() -> None:
    rows = [
        row_of("dict/chinese", {"stock": 2000, "ORJSONResponse": 1400, "SSRJSONResponse": 1, "setup(app)": 100}),
        row_of("dict/small", {"stock": 60, "setup(app)": 40}),
        row_of("direct/english", {"stock": 300, "ORJSONResponse": 100, "SSRJSONResponse": 80}),
    ]
    found = [(each.row.case, each.goal.over, each.duel.ratio, each.is_met) for each in verdicts(rows, GOALS, "")]
    assert found == [
        ("dict/chinese", "stock", 20.0, True),
        ("dict/chinese", "ORJSONResponse", 14.0, False),
        ("direct/english", "ORJSONResponse", 1.25, True),
    ]
