"""Shared by the cases of Django and Flask: classes with their JSON part as a separate call, and WSGI requests."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from bench import generated
from bench.kit import wsgi
from bench.subject import WrongResultError
from bench.timing import called_loop
from bench.web.web_case import JSON_PART, STOCK, Checked, Contender, Step, WebCase, canonical
from ssrjson_web import scan_utf8_cache

N_ROWS = 50
Ask = Callable[[bytes | None], bytes]
"""Sends a request, with a body or without, and returns the body of the answer."""


@dataclass(frozen=True, kw_only=True)
class AdapterRival:
    """One class for one kind of request."""

    name: str
    part: Callable[[Any], Any]
    """The class's JSON work on a value, by itself."""
    ask: Callable[[str], Ask]
    """Makes requests to the route of that name."""
    reference: Callable[[Any], Any] | None = None
    """The expected result of the part for a value, where the class is ours."""


def adapter_case(
    kind: str,
    title: str,
    rivals: Sequence[AdapterRival],
    make_value: Callable[[], Any],
    *,
    body: bytes | None = None,
    n_bytes: int,
) -> WebCase:
    """A kind of request; `make_value` makes the JSON part's argument, and `body` is the body of a POST."""
    return WebCase(
        name=kind,
        kind=kind,
        title=title,
        n_bytes=n_bytes,
        make_request=lambda: body,
        make_value=make_value,
        contenders=lambda names: _contenders(kind, [each for each in rivals if each.name in names], make_value, body),
    )


def _contenders(
    kind: str, rivals: Sequence[AdapterRival], make_value: Callable[[], Any], body: bytes | None
) -> Iterator[Contender]:
    stock: list[str] = []

    def contender(number: int, rival: AdapterRival) -> Contender:
        ask = rival.ask(f"{kind}-{number}")

        def check() -> Checked:
            answer, value = ask(body), make_value()
            result = rival.part(value)
            cache_bytes = scan_utf8_cache([value, result])["bytes"]
            if rival.name == STOCK:
                stock[:] = [canonical(result), canonical(answer)]
            if rival.reference is not None:
                _compare(rival.reference(make_value()), result, answer, cache_bytes, stock[1])
            note = "" if canonical(result) == stock[0] else "another JSON value"
            return Checked(n_bytes=len(answer if body is None else body), cache_bytes=cache_bytes, note=note)

        return Contender(
            rival=rival.name,
            is_ours=rival.reference is not None,
            loop=called_loop(ask),
            check=check,
            steps=[Step(name=JSON_PART, run=rival.part)],
        )

    return (contender(number, rival) for number, rival in enumerate(rivals))


def _compare(expected: Any, result: Any, answer: bytes, cache_bytes: int, stock_answer: str) -> None:
    """Raises WrongResultError where ours differs from the expected result."""
    faults = []
    if canonical(result) != canonical(expected):
        faults.append("the value differs from the expected one")
    elif isinstance(result, bytes) and result != expected:
        faults.append("the bytes differ from the expected ones")
    if canonical(answer) not in (stock_answer, canonical(expected)):
        faults.append("the answer differs from the expected one")
    if cache_bytes:
        faults.append(f"{cache_bytes} bytes of cached UTF-8 copies")
    if faults:
        raise WrongResultError("; ".join(faults))


def item_rows(script: str, *, joiner: str) -> list[dict[str, Any]]:
    """50 rows of 11 fields, with dates and decimals: 42 KB as JSON in Chinese; `joiner` joins the summaries' words."""
    records: Any = generated.rows(script)
    began = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, datetime.timezone.utc)
    return [
        {
            "id": place + 1,
            "sku": row["sku"],
            "title": row["title"],
            "summary": joiner.join([row["summary"]] * 4),
            "seller": row["seller"]["name"],
            "city": row["title"][:6],
            "price": decimal.Decimal(str(row["price"])).quantize(decimal.Decimal("0.01")),
            "rating": 3.5 + place / 100,
            "stock": row["stock"],
            "created_at": began + datetime.timedelta(hours=place),
            "active": row["active"],
        }
        for place, row in enumerate(records[:N_ROWS])
    ]


def asked_by_wsgi(application: Any, path: str, body: bytes | None) -> bytes:
    """The body of a WSGI application's answer, without a socket. Raises RuntimeError if the status is not 200."""
    status, answer = wsgi.ask(application, path, body)
    if not status.startswith("200"):
        raise RuntimeError(f"{path}: {status}: {answer[:200]!r}")
    return answer
