"""Requests to Flask: for each kind the providers, its JSON part as a separate call, and the ratios to reach."""

from __future__ import annotations

import datetime
import json
import pickle
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.metadata import version
from typing import Any

from flask import Flask, jsonify, render_template_string, request, session
from flask.json.provider import DefaultJSONProvider
from flask.json.tag import TaggedJSONSerializer
from flask_orjson import OrjsonProvider
from jinja2.utils import htmlsafe_json_dumps

from bench.web.adapter_cases import N_ROWS, AdapterRival, Ask, adapter_case, asked_by_wsgi, item_rows
from bench.web.web_case import STOCK, Framework, WebCase, WebGoal
from ssrjson_web.flask import SSRJSONFastProvider, SSRJSONProvider

OURS = "ssrjson_web"
FAST = "ssrjson_web, fast"
FLASK_ORJSON = "flask-orjson"
PROVIDERS: Mapping[str, type[Any]] = {
    STOCK: DefaultJSONProvider,
    FLASK_ORJSON: OrjsonProvider,
    FAST: SSRJSONFastProvider,
    OURS: SSRJSONProvider,
}
_SESSION = {"user": 48_271, "name": "王小明", "roles": ("reader", "editor"), "_flashes": [("message", "已保存")]}

GOALS: Sequence[WebGoal] = (
    *(
        goal
        for kind in ("jsonify-chinese", "jsonify-english", "dict-chinese")
        for goal in (
            WebGoal(kind=kind, at_least=10),
            WebGoal(kind=kind, ours=FAST, at_least=25),
            WebGoal(kind=kind, over=FLASK_ORJSON, at_least=1),
            WebGoal(kind=kind, ours=FAST, over=FLASK_ORJSON, at_least=1),
        )
    ),
    WebGoal(kind="get_json", at_least=2),
    *(WebGoal(kind=kind, ours=ours, at_least=1) for kind in ("session", "tojson") for ours in (OURS, FAST)),
)


def rows(script: str, *, is_plain: bool = False) -> list[dict[str, Any]]:
    """50 rows of 11 fields, with dates and decimals; with `is_plain` only text and numbers."""
    made = item_rows(script, joiner=", ")
    plain = [{**row, "price": float(row["price"]), "created_at": row["created_at"].isoformat()} for row in made]
    return plain if is_plain else made


def _fast_default(o: Any) -> Any:
    return o.isoformat() if isinstance(o, datetime.date) else DefaultJSONProvider.default(o)


_fast_dumps = partial(json.dumps, ensure_ascii=False, default=_fast_default)


def _bare_response(response: str | bytes, *, mimetype: str) -> bytes:
    """The bytes that a response of Flask holds."""
    return response.encode() if isinstance(response, str) else response


def _application(name: str) -> Flask:
    app = Flask("bench")
    app.secret_key = "of the benchmark"
    app.json = PROVIDERS[name](app)
    return app


def _rivals(
    part: Callable[[Flask], Callable[[Any], Any]],
    view: Callable[[], Any],
    fast_reference: Callable[[Any], Any],
) -> list[AdapterRival]:
    """One contender for each provider; `part` makes the JSON part of an application."""
    stock = part(_application(STOCK))
    references = {OURS: stock, FAST: fast_reference}

    def ask(route: str, *, name: str) -> Ask:
        app = _application(name)
        app.add_url_rule(f"/{route}/", view_func=view, methods=["GET", "POST"])
        return lambda body: asked_by_wsgi(app, f"/{route}/", body)

    return [
        AdapterRival(
            name=name, part=part(_application(name)), ask=partial(ask, name=name), reference=references.get(name)
        )
        for name in PROVIDERS
    ]


def _response_part(app: Flask) -> Callable[[Any], Any]:
    app.response_class = _bare_response  # type: ignore[assignment]
    return lambda value: app.json.response(value)  # the lambda keeps the application alive, the provider does not


def _rows_case(kind: str, title: str, data: Any, *, is_returned: bool = False) -> WebCase:
    pickled = pickle.dumps({"rows": data})

    def view() -> Any:
        value = pickle.loads(pickled)
        return value if is_returned else jsonify(value)

    return adapter_case(
        kind=kind,
        title=title,
        rivals=_rivals(_response_part, view, lambda value: _fast_dumps(value, separators=(",", ":")).encode() + b"\n"),
        make_value=lambda: pickle.loads(pickled),
        n_bytes=len(pickled),
    )


def _parse_case() -> WebCase:
    body = json.dumps({"rows": rows("chinese", is_plain=True)}, ensure_ascii=False).encode()
    return adapter_case(
        kind="get_json",
        title="get_json of a POST",
        rivals=_rivals(lambda app: app.json.loads, lambda: str(len(request.get_json())), json.loads),
        make_value=lambda: bytes(bytearray(body)),
        body=body,
        n_bytes=len(body),
    )


def _session_case() -> WebCase:
    pickled = pickle.dumps(TaggedJSONSerializer().tag(_SESSION))

    def view() -> str:
        session.update(pickle.loads(pickled))
        return "1"

    separators = (",", ":")
    return adapter_case(
        kind="session",
        title="a session",
        rivals=_rivals(
            lambda app: lambda value: app.json.dumps(value, separators=separators),
            view,
            lambda value: _fast_dumps(value, separators=separators),
        ),
        make_value=lambda: pickle.loads(pickled),
        n_bytes=len(pickled),
    )


def _template_case() -> WebCase:
    pickled = pickle.dumps(rows("chinese", is_plain=True)[:5])

    def view() -> str:
        return json.dumps(render_template_string("{{ rows|tojson }}", rows=pickle.loads(pickled)))

    return adapter_case(
        kind="tojson",
        title="tojson, 5 rows",
        rivals=_rivals(
            lambda app: lambda value: str(htmlsafe_json_dumps(value, dumps=app.json.dumps, sort_keys=True)),
            view,
            lambda value: str(htmlsafe_json_dumps(value, dumps=_fast_dumps, sort_keys=True)),
        ),
        make_value=lambda: pickle.loads(pickled),
        n_bytes=len(pickled),
    )


def framework() -> Framework:
    """Flask."""
    return Framework(
        title=f"Flask, {N_ROWS} rows of 11 fields, and other uses of JSON",
        cases=[
            _rows_case("jsonify-chinese", "jsonify, Chinese", rows("chinese")),
            _rows_case("jsonify-english", "jsonify, English", rows("ascii")),
            _rows_case("dict-chinese", "a dict, Chinese", rows("chinese"), is_returned=True),
            _rows_case("plain-chinese", "no dates or decimals", rows("chinese", is_plain=True)),
            _parse_case(),
            _session_case(),
            _template_case(),
        ],
        rivals=tuple(PROVIDERS),
        ours=(OURS, FAST),
        goals=GOALS,
        versions={name: version(name) for name in ("ssrjson_web", "flask", "werkzeug", "orjson", FLASK_ORJSON)},
        notes=["a request goes by WSGI without a socket; making the data is included"],
    )
