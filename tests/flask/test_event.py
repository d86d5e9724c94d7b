"""Events of Flask: their format, their context and errors of arguments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask, g, request, stream_with_context

from ssrjson_web.flask import SSRJSON, SSRJSONEvent, stream_events

app = Flask("events")
SSRJSON(app, ensure_ascii=False)


def test_events_have_the_request_with_its_context() -> None:
    own = Flask("own")
    SSRJSON(own)

    @own.get("/")
    def view() -> Any:
        g.name = "n"

        @stream_with_context
        def items() -> Iterator[Any]:
            for i in range(3):
                yield SSRJSONEvent([request.args["q"], g.name], id=str(i))

        return stream_events(items())

    assert own.test_client().get("/?q=e").data == b"".join(b'data: ["e","n"]\nid: %d\n\n' % i for i in range(3))


def test_events_of_an_async_source_or_without_the_provider_are_an_error_at_once() -> None:
    async def items() -> Any:
        yield 1

    with app.app_context(), pytest.raises(TypeError, match="Flask streams the items of a sync iterable"):
        stream_events(items())  # type: ignore[arg-type]
    with Flask("stock").app_context(), pytest.raises(RuntimeError, match=r"DefaultJSONProvider: call SSRJSON\(app\)"):
        stream_events([])
