"""What connexion 3.3 has of Flask's JSON: the provider, the jsonifier that operations write with, and the application.

The names are where connexion has them. Where it is installed, it is taken itself.
"""

from __future__ import annotations

import datetime
import functools
import importlib.util
import json
import sys
import types
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import flask
from flask.json.provider import DefaultJSONProvider

__all__ = ["stand_in"]


def wrap_default(function: Any) -> Any:
    @functools.wraps(function)
    def wrapped(self: Any, o: Any) -> Any:
        if isinstance(o, datetime.datetime):
            return o.isoformat("T") + ("" if o.tzinfo else "Z")
        if isinstance(o, datetime.date):
            return o.isoformat()
        if isinstance(o, Decimal):
            return float(o)
        return str(o) if isinstance(o, uuid.UUID) else function(self, o)

    return wrapped


class JSONEncoder(json.JSONEncoder):
    @wrap_default
    def default(self, o: Any) -> Any:
        return super().default(o)


class Jsonifier:
    def __init__(self, json_: Any = json, **kwargs: Any) -> None:
        self.json = json_
        self.dumps_args = kwargs
        self.dumps_args.setdefault("cls", JSONEncoder)

    def dumps(self, data: Any, **kwargs: Any) -> str:
        text: str = self.json.dumps(data, **{**self.dumps_args, **kwargs})
        return text + "\n"


class FlaskJSONProvider(DefaultJSONProvider):
    @wrap_default
    def default(self, o: Any) -> Any:
        return super().default(o)


class FlaskApp:
    """An application whose operations answer with what the jsonifier writes."""

    def __init__(self, import_name: str, *, jsonifier: Any = None) -> None:
        self.app = flask.Flask(import_name)
        self.app.json = FlaskJSONProvider(self.app)
        self._jsonifier = jsonifier or Jsonifier(flask.json, indent=2)

    def add_operation(self, path: str, function: Callable[[], Any]) -> None:
        def answer() -> flask.Response:
            return self.app.response_class(self._jsonifier.dumps(function()), mimetype="application/json")

        self.app.add_url_rule(path, path, answer)


def stand_in() -> None:
    """Make these names importable from `connexion`, where that is not installed."""
    if "connexion" in sys.modules or importlib.util.find_spec("connexion") is not None:
        return
    names = {
        "connexion": {"FlaskApp": FlaskApp},
        "connexion.frameworks": {},
        "connexion.frameworks.flask": {"FlaskJSONProvider": FlaskJSONProvider},
        "connexion.jsonifier": {"JSONEncoder": JSONEncoder, "Jsonifier": Jsonifier},
    }
    for name, content in names.items():
        module = types.ModuleType(name)
        vars(module).update(content)
        sys.modules[name] = module
