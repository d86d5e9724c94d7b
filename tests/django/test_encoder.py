"""`DjangoJSONEncoder` and `JSONDecoder` compared with stock, hook by hook."""

from __future__ import annotations

import datetime
import decimal
import io
import json
import sys
import uuid
from typing import Any

import pytest
from django import forms
from django.core.serializers.json import DjangoJSONEncoder as StockEncoder
from django.db import connection, models
from django.http import JsonResponse
from django.template import Context, Template
from django.test import Client, RequestFactory
from django.utils.html import json_script
from helpers.call_outcome import assert_same, outcome
from helpers.django_values import LAYOUTS, VALUES, nested

from ssrjson_web.django import DjangoJSONEncoder, JSONDecoder
from ssrjson_web.django._encoding import Layout, pair_for


def dumped_by_chunks(value: Any, **options: Any) -> str:
    stream = io.StringIO()
    json.dump(value, stream, **options)
    return stream.getvalue()


def assert_alike(ours: Any, theirs: Any, case: object) -> None:
    """Two calls without arguments give the same, or raise exceptions of the same class and text."""
    assert_same(with_class(ours), with_class(theirs), case)


def with_class(call: Any) -> tuple[Any, ...]:
    raised = []

    def watched() -> Any:
        try:
            return call()
        except Exception as error:
            raised.append(type(error))
            raise

    return (outcome(watched), raised)


@pytest.mark.parametrize("dumps", [json.dumps, dumped_by_chunks])
@pytest.mark.parametrize("name", VALUES)
def test_encoder_gives_the_text_of_stock_in_each_layout(name: str, dumps: Any) -> None:
    make = VALUES[name]
    for layout in LAYOUTS:
        assert_alike(
            lambda layout=layout: dumps(make(), cls=DjangoJSONEncoder, **layout),
            lambda layout=layout: dumps(make(), cls=StockEncoder, **layout),
            (name, layout),
        )


def derived(stock: Any) -> Any:
    """A project's encoder, derived from either."""

    class Encoder(stock):
        def default(self, o: Any) -> Any:
            if isinstance(o, (set, datetime.datetime)):
                return [type(o).__name__, decimal.Decimal("1.5")]
            return super().default(o)

    return Encoder


def derived_without_default(stock: Any) -> Any:
    class Encoder(stock):
        item_separator = " ,"

    return Encoder


def derived_with_mixin(stock: Any) -> Any:
    """Stock's `default` calls the next class, which is not stdlib's here."""

    class Sets(json.JSONEncoder):
        def default(self, o: Any) -> Any:
            return sorted(o) if isinstance(o, set) else super().default(o)

    return type("Encoder", (stock, Sets), {})


def derived_with_encode(stock: Any) -> Any:
    class Encoder(stock):
        def encode(self, o: Any) -> Any:
            return "<" + super().encode([o, o]) + ">"

    return Encoder


def derived_with_iterencode(stock: Any) -> Any:
    class Encoder(stock):
        def iterencode(self, o: Any, _one_shot: bool = False) -> Any:
            yield "<"
            yield from super().iterencode(o, _one_shot)
            yield ">"

    return Encoder


@pytest.mark.parametrize(
    "derive",
    [derived, derived_without_default, derived_with_mixin, derived_with_encode, derived_with_iterencode],
    ids=lambda derive: derive.__name__,
)
@pytest.mark.parametrize("dumps", [json.dumps, dumped_by_chunks])
def test_encoder_of_a_project_gives_what_it_gives_on_top_of_stock(derive: Any, dumps: Any) -> None:
    ours, theirs = derive(DjangoJSONEncoder), derive(StockEncoder)
    for name, make in VALUES.items():
        for layout in LAYOUTS:
            assert_alike(
                lambda make=make, layout=layout: dumps(make(), cls=ours, **layout),
                lambda make=make, layout=layout: dumps(make(), cls=theirs, **layout),
                (name, layout),
            )


def class_name(o: Any) -> str:
    return type(o).__name__


def test_encoder_with_default_argument_uses_it() -> None:
    for name, make in VALUES.items():
        assert_alike(
            lambda make=make: json.dumps(make(), cls=DjangoJSONEncoder, default=class_name),
            lambda make=make: json.dumps(make(), cls=StockEncoder, default=class_name),
            name,
        )


def test_encoder_follows_a_default_that_was_put_on_stock_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StockEncoder, "default", lambda self, o: f"patched {type(o).__name__}")
    assert json.dumps([datetime.date(2024, 1, 1), {1}], cls=DjangoJSONEncoder) == '["patched date", "patched set"]'


def test_encoder_takes_what_is_nested_deeper_than_stock_takes() -> None:
    deep = nested(100_000)
    with pytest.raises(RecursionError):
        json.dumps(deep, cls=StockEncoder)
    assert json.dumps(deep, cls=DjangoJSONEncoder) == "[" * 100_000 + "1" + "]" * 100_000


def test_encoder_error_has_no_other_as_its_context() -> None:
    with pytest.raises(TypeError) as raised:
        json.dumps({"a": {1}}, cls=DjangoJSONEncoder)
    assert type(raised.value) is TypeError
    assert raised.value.__context__ is None


def test_quick_encoder_runs_no_python_for_a_value() -> None:
    rows = [
        {
            "created": datetime.datetime(2024, 1, 2, 3, 4, 5, i, tzinfo=datetime.timezone.utc),
            "day": datetime.date(2024, 1, 2),
            "price": decimal.Decimal(i),
            "key": uuid.UUID(int=i),
            "text": "中文",
        }
        for i in range(10)
    ]
    pair = pair_for(Layout(ensure_ascii=False, separators=(",", ":")))
    n_calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal n_calls
        n_calls += event == "call"

    sys.setprofile(count)
    try:
        text = pair.quick.encode(rows)
    finally:
        sys.setprofile(None)
    assert n_calls == 0
    assert text == json.dumps(rows, cls=StockEncoder, ensure_ascii=False, separators=(",", ":")).encode()


# the hooks of Django


@pytest.mark.parametrize("name", VALUES)
def test_hooks_of_django_give_what_they_give_with_stock(name: str) -> None:
    make = VALUES[name]
    hooks = {
        "JsonResponse": lambda encoder: JsonResponse(make(), encoder=encoder, safe=False).content,
        "json_script": lambda encoder: json_script(make(), "an-id", encoder),
        "JSONField": lambda encoder: connection.ops.adapt_json_value(make(), encoder),
        "validate": lambda encoder: models.JSONField(encoder=encoder, blank=True).validate(make(), None),
        "form": lambda encoder: forms.JSONField(encoder=encoder).prepare_value(make()),
        "client": lambda encoder: Client(json_encoder=encoder)._encode_json([make()], "application/json"),
        "factory": lambda encoder: RequestFactory(json_encoder=encoder).put("/", [make()], "application/json").body,
    }
    for hook, call in hooks.items():
        assert_alike(
            lambda call=call: call(DjangoJSONEncoder), lambda call=call: call(StockEncoder), f"{hook} of {name}"
        )


def test_template_filter_writes_what_stock_writes() -> None:
    for name, make in VALUES.items():
        for tag in ('{{ value|json_script:"an-id" }}', "{{ value|json_script }}"):
            assert_alike(
                lambda tag=tag, make=make: Template("{% load ssrjson %}" + tag).render(Context({"value": make()})),
                lambda tag=tag, make=make: Template(tag).render(Context({"value": make()})),
                name,
            )


def test_classes_are_named_by_the_package_in_migrations() -> None:
    field = models.JSONField(encoder=DjangoJSONEncoder, decoder=JSONDecoder)
    from django.db.migrations.writer import MigrationWriter

    text, imports = MigrationWriter.serialize(field)
    assert "encoder=ssrjson_web.django.DjangoJSONEncoder" in text
    assert "decoder=ssrjson_web.django.JSONDecoder" in text
    assert "import ssrjson_web.django" in imports


DOCUMENTS = (
    "null", " [1, 2.5, -0.0, 1e400] ", '{"a": {"b": "\\ud800é中"}}', "NaN", '{"a": 1, "a": 2}', "[" * 500 + "]" * 500,
    "", " ", "{", "[1,]", '{"a" 1}', "\ufeff[]", "tru", '"\x01"', "1 2", "1" * 4301,
)  # fmt: skip


def test_decoder_gives_the_values_and_errors_of_stock() -> None:
    options: tuple[dict[str, Any], ...] = ({}, {"parse_float": decimal.Decimal}, {"object_hook": sorted})
    for document in DOCUMENTS:
        for hooks in options:
            assert_same(
                outcome(json.loads, document, cls=JSONDecoder, **hooks),
                outcome(json.loads, document, **hooks),
                (document, hooks),
            )
        field = models.JSONField(decoder=JSONDecoder)
        assert_same(
            outcome(field.from_db_value, document, None, connection),
            outcome(models.JSONField().from_db_value, document, None, connection),
            document,
        )
        assert_same(
            outcome(forms.JSONField(decoder=JSONDecoder).clean, document),
            outcome(forms.JSONField().clean, document),
            document,
        )


def test_decoder_has_the_attributes_of_stock() -> None:
    ours, theirs = JSONDecoder(), json.JSONDecoder()
    assert vars(theirs).keys() - {"parse_constant"} <= {name for name in dir(theirs) if hasattr(ours, name)}
    for name in ("object_hook", "object_pairs_hook", "parse_float", "parse_int", "strict", "memo"):
        assert getattr(ours, name) == getattr(theirs, name), name
        assert getattr(JSONDecoder(), name) == getattr(theirs, name), name
    with pytest.raises(AttributeError, match="'JSONDecoder' object has no attribute 'other'"):
        ours.other  # noqa: B018
    assert ours.raw_decode("[1] 2") == theirs.raw_decode("[1] 2") == ([1], 3)


def test_decoder_uses_what_is_put_in_place_of_its_scanner() -> None:
    for cls in (JSONDecoder, json.JSONDecoder):
        decoder = cls()
        decoder.scan_once = lambda text, index: ("scanned", len(text))
        assert decoder.decode("[1]") == "scanned"
        assert decoder.strict is True


def test_decoder_of_a_project_is_asked() -> None:
    class Own(JSONDecoder):
        def __init__(self, **options: Any) -> None:
            super().__init__(object_hook=lambda pairs: sorted(pairs), **options)

    class Raw(JSONDecoder):
        def raw_decode(self, s: str, idx: int = 0) -> Any:
            return "raw", len(s)

    assert json.loads('{"b": 1, "a": 2}', cls=Own) == ["a", "b"]
    assert json.loads("[1]", cls=Raw) == "raw"
