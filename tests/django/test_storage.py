"""Sessions, signed values and values in a cache."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest
from django.contrib.sessions.backends.signed_cookies import SessionStore
from django.core import signing
from django.test import override_settings
from helpers.call_outcome import assert_same, outcome
from helpers.django_values import VALUES

from ssrjson_web.django import SSRJSONCacheSerializer, SSRJSONSerializer

OURS = "ssrjson_web.django.SSRJSONSerializer"
STOCK = "django.contrib.sessions.serializers.JSONSerializer"


@pytest.mark.parametrize("name", VALUES)
def test_signing_serializer_writes_and_reads_what_stock_does(name: str) -> None:
    make = VALUES[name]
    stock = signing.JSONSerializer()
    assert_same(outcome(SSRJSONSerializer().dumps, make()), outcome(stock.dumps, make()), name)


def test_signing_serializer_raises_the_very_classes_of_stock() -> None:
    for value in ({1, 2}, VALUES["circular"](), {(1,): 1}):
        with pytest.raises((TypeError, ValueError)) as ours:
            SSRJSONSerializer().dumps(value)
        assert type(ours.value) in (TypeError, ValueError)
        assert ours.value.__context__ is None


def test_signing_serializer_reads_what_stock_reads() -> None:
    stock = signing.JSONSerializer()
    for data in (b'{"a":"\\u4e2d"}', '{"a":"é"}'.encode("latin-1"), '{"a":"中"}'.encode(), b"", b"{", b"[1,2", b"\xff"):
        assert_same(outcome(SSRJSONSerializer().loads, data), outcome(stock.loads, data), data)


def test_signed_values_are_those_of_stock() -> None:
    value = {"名": ["值", 1.5, None], "long": "é" * 500}
    for compress in (False, True):
        signer = signing.Signer(key="k")
        ours = signer.sign_object(value, serializer=SSRJSONSerializer, compress=compress)
        assert ours == signer.sign_object(value, compress=compress)
        assert signer.unsign_object(ours, serializer=SSRJSONSerializer) == value


def test_sessions_are_read_by_ours_and_by_stock_whoever_wrote_them() -> None:
    for writer, reader in ((OURS, STOCK), (STOCK, OURS), (OURS, OURS)):
        with override_settings(SESSION_SERIALIZER=writer):
            written = SessionStore().encode({"名": "值", "n": [1, None]})
        with override_settings(SESSION_SERIALIZER=reader):
            assert SessionStore().decode(written) == {"名": "值", "n": [1, None]}
            assert SessionStore().decode("broken") == {}


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -7, 10**30, 1.5, "", "中文", "12", [1, ["é"]], {"a": {"名": None}}, "\ud800", ["é", "\udfff"]],
    ids=repr,
)
def test_cache_serializer_gives_back_what_it_was_given(value: Any) -> None:
    serializer = SSRJSONCacheSerializer()
    kept = serializer.dumps(value)
    if type(value) is int:
        assert kept is value  # which Redis can count
        kept = str(kept).encode()
    assert isinstance(kept, bytes)
    got = serializer.loads(kept)
    assert (got, type(got)) == (value, type(value))
    assert serializer.loads(kept.decode()) == value  # decode_responses=True


def test_cache_serializer_writes_utf8() -> None:
    assert SSRJSONCacheSerializer().dumps({"名": [1, 2]}) == '{"名":[1,2]}'.encode()


@pytest.mark.parametrize("value", [datetime.date(2024, 1, 1), {1}, b"a", object()], ids=lambda value: str(type(value)))
def test_cache_serializer_refuses_what_would_come_back_as_another_type(value: Any) -> None:
    with pytest.raises(TypeError, match="is not JSON serializable"):
        SSRJSONCacheSerializer().dumps(value)


def test_cache_serializer_refuses_a_pickle() -> None:
    import pickle

    with pytest.raises(ValueError, match=r"codec can't decode|Expecting value"):
        SSRJSONCacheSerializer().loads(pickle.dumps({"a": 1}))


def test_cache_of_redis_takes_the_serializer_by_name() -> None:
    pytest.importorskip("redis", reason="redis is not installed")
    from django.core.cache.backends.redis import RedisCache

    options = {"OPTIONS": {"serializer": "ssrjson_web.django.SSRJSONCacheSerializer"}}
    cache = RedisCache("redis://127.0.0.1:1", options)
    assert isinstance(cache._cache._serializer, SSRJSONCacheSerializer)
    assert json.loads(cache._cache._serializer.dumps(["é"])) == ["é"]
