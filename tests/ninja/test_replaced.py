"""Functions of Ninja and Django that somebody has replaced, or that a newer release has changed."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.core.serializers.json import DjangoJSONEncoder
from ninja import NinjaAPI
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from ssrjson_web.ninja import SSRJSONRenderer, setup


class Rendered(SSRJSONRenderer):
    ascii = True
    compact = False


def outcome(renderer: Any) -> str:
    made = renderer.render(None, {"at": dt.datetime(2026, 11, 27)}, response_status=200)
    return made.decode() if isinstance(made, bytes) else made


@pytest.mark.parametrize("cls", [NinjaJSONEncoder, DjangoJSONEncoder])
def test_replaced_default_is_called(cls: type, monkeypatch: pytest.MonkeyPatch) -> None:
    assert outcome(Rendered()) == outcome(JSONRenderer()) == '{"at": "2026-11-27T00:00:00"}'
    monkeypatch.setattr(cls, "default", lambda self, o: "marked")
    assert outcome(Rendered()) == outcome(JSONRenderer()) == '{"at": "marked"}'
    monkeypatch.undo()
    assert outcome(Rendered()) == '{"at": "2026-11-27T00:00:00"}'


def test_replaced_render_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JSONRenderer, "render", lambda self, request, data, *, response_status: "marked")
    assert outcome(Rendered()) == "marked"


def test_functions_of_the_installed_releases_are_known() -> None:
    from ssrjson_web._known.functions import declared, found_at, is_own

    names = (*declared("ninja"), "django.core.serializers.json.DjangoJSONEncoder.default")
    assert len(names) > 2
    found = {name: found_at(name) for name in names}  # None: the release has no such function
    assert [name for name, one in found.items() if one is not None and not is_own(one, name)] == []


def test_setup_says_in_one_line_what_is_not_known(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    setup(NinjaAPI(urls_namespace="known"))
    assert caplog.messages == []
    monkeypatch.setattr(DjangoJSONEncoder, "default", lambda self, o: "marked")
    setup(NinjaAPI(urls_namespace="unknown"))
    (message,) = caplog.messages
    assert "left to stock: django.core.serializers.json.DjangoJSONEncoder.default (replaced by " in message
