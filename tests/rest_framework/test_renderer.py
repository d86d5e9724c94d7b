"""`SSRJSONRenderer` compared with the stock renderer: every value in every setting, the same bytes or error."""

from __future__ import annotations

import datetime
import decimal
import itertools
import json
import uuid
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.serializers.json import DjangoJSONEncoder
from helpers.call_outcome import assert_same
from helpers.encoder_hook_values import MAKERS, OwnDict, OwnList, deep_subclasses, error_of, with_surrogates_escaped
from helpers.threads import in_threads
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.utils.serializer_helpers import ReturnDict, ReturnList

from ssrjson_web import json as our_json
from ssrjson_web import utf8_cache_size
from ssrjson_web.rest_framework import SSRJSONRenderer

SWITCHES = ("ensure_ascii", "compact", "strict")
SETTINGS = [dict(zip(SWITCHES, choice, strict=True)) for choice in itertools.product((False, True), repeat=3)]
MEDIA = {
    "plain": (None, None),
    "json": ("application/json", {}),
    "indent": ("application/json; indent=4", {}),
    "too much": ("application/json; indent=99", None),
    "zero": ("application/json; indent=0", {"indent": 2}),
    "no number": ("application/json; indent=x", {"indent": 2}),
    "browsable": ("text/html", {"indent": 4}),
    "indent of text": (None, {"indent": "\t"}),
    "indent below": (None, {"indent": -1}),
    "indent of nothing": (None, {"indent": 0}),
}

WORDED_ANOTHER_WAY = ("bad items", "lazy text")
"""stdlib's encoder in Python, which is used for indents, has other texts for these errors than the one in C."""


def twins(**attributes: Any) -> tuple[JSONRenderer, SSRJSONRenderer]:
    theirs, ours = JSONRenderer(), SSRJSONRenderer()
    for renderer in (theirs, ours):
        for name, value in attributes.items():
            setattr(renderer, name, value)
    return theirs, ours


def assert_rendered_alike(make: Any, media: str = "plain", **attributes: Any) -> tuple[Any, ...]:
    theirs, ours = twins(**attributes)
    expected = with_surrogates_escaped(error_of(lambda: theirs.render(make(), *MEDIA[media])))
    assert_same(error_of(lambda: ours.render(make(), *MEDIA[media])), expected, (attributes, media))
    return expected


@pytest.mark.parametrize("name", MAKERS)
def test_value_is_rendered_as_stock(name: str) -> None:
    for chosen in SETTINGS:
        assert_rendered_alike(MAKERS[name], **chosen)
        assert_rendered_alike(lambda: {"in": [MAKERS[name]()], "é": None}, **chosen)


@pytest.mark.parametrize("media", MEDIA)
@pytest.mark.parametrize("chosen", SETTINGS, ids=str)
def test_layout_of_an_accept_header_is_stocks(media: str, chosen: dict[str, bool]) -> None:
    n_values = 0
    for name, make in MAKERS.items():
        if name in WORDED_ANOTHER_WAY:
            continue
        n_values += assert_rendered_alike(make, media, **chosen)[0] == "value"
    assert n_values > 40


def test_table_holds_values_and_errors_of_every_kind() -> None:
    theirs = JSONRenderer()
    kinds = {name: error_of(lambda make=make: theirs.render(make()))[0] for name, make in MAKERS.items()}
    assert set(kinds.values()) >= {"value", TypeError, ValueError, UnicodeEncodeError, UnicodeDecodeError, LookupError}


def test_nothing_is_rendered_as_nothing() -> None:
    assert SSRJSONRenderer().render(None) == b""
    assert SSRJSONRenderer().render([]) == b"[]"


def test_renderer_is_stocks_but_for_how_it_renders() -> None:
    assert isinstance(SSRJSONRenderer(), JSONRenderer)
    for name in ("media_type", "format", "charset", "render_style", "encoder_class", *SWITCHES):
        assert getattr(SSRJSONRenderer, name) == getattr(JSONRenderer, name)


class Authors(serializers.Serializer):
    name = serializers.CharField()


class Books(serializers.Serializer):
    title = serializers.CharField()
    price = serializers.DecimalField(max_digits=6, decimal_places=2)
    raw_price = serializers.DecimalField(max_digits=6, decimal_places=2, coerce_to_string=False, source="price")
    added = serializers.DateTimeField()
    raw_added = serializers.DateTimeField(format=None, source="added")
    key = serializers.UUIDField()
    author = Authors()
    tags = serializers.ListField()


def book() -> dict[str, Any]:
    return {
        "title": "红楼梦\u2028“”",
        "price": decimal.Decimal("12.50"),
        "added": datetime.datetime(2020, 1, 2, 3, 4, 5, 6, datetime.timezone.utc),
        "key": uuid.UUID(int=7),
        "author": {"name": "曹雪芹"},
        "tags": ["a", "é"],
    }


@pytest.mark.parametrize("chosen", SETTINGS, ids=str)
def test_data_of_serializers_is_rendered_as_stock(chosen: dict[str, bool]) -> None:
    one, many = Books(book()).data, Books([book(), book()], many=True).data
    assert type(one) is ReturnDict
    assert type(many) is ReturnList
    for data in (one, many, {"count": 2, "results": many}, ReturnList([one, many], serializer=None)):
        assert assert_rendered_alike(lambda data=data: data, **chosen)[0] == "value"


class Tagged(JSONEncoder):
    def default(self, obj: Any) -> Any:
        return {"tag": type(obj).__name__} if isinstance(obj, (datetime.date, object().__class__)) else None


class Sorted(JSONEncoder):
    def __init__(self, **options: Any) -> None:
        super().__init__(**{**options, "sort_keys": True, "separators": (" ,", " :")})


class Whole(JSONEncoder):
    def encode(self, o: Any) -> str:
        return f"<{super().encode(o)}>"


class Chunked(JSONEncoder):
    def iterencode(self, o: Any, _one_shot: bool = False) -> Any:
        yield "chunk"


class Ours(our_json.JSONEncoder):
    pass


@pytest.mark.parametrize("encoder", [Tagged, Sorted, Whole, Chunked, DjangoJSONEncoder, json.JSONEncoder, Ours])
@pytest.mark.parametrize("media", ["plain", "indent"])
def test_encoder_of_ones_own_is_asked(encoder: type[json.JSONEncoder], media: str) -> None:
    for name, make in MAKERS.items():
        if name in WORDED_ANOTHER_WAY:
            continue
        assert_rendered_alike(make, media, encoder_class=encoder)
        assert_rendered_alike(make, media, encoder_class=encoder, ensure_ascii=True, strict=False)


def test_default_that_is_replaced_on_the_stock_encoder_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JSONEncoder, "default", lambda self, o: f"replaced {o}")
    assert SSRJSONRenderer().render([datetime.date(2020, 1, 1)]) == b'["replaced 2020-01-01"]'


class NanAsNull(SSRJSONRenderer):
    nan = "null"


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("encoder", [JSONEncoder, DjangoJSONEncoder, Sorted])
@pytest.mark.parametrize("media", ["plain", "indent"])
def test_nan_as_null_is_what_was_asked_for(strict: bool, encoder: type[json.JSONEncoder], media: str) -> None:
    class Chosen(NanAsNull):
        encoder_class = encoder

    renderer = Chosen()
    renderer.strict = strict
    values = {"a": [float("nan"), -float("inf"), 1.5, OwnList([float("inf")])], "b": datetime.date(2020, 1, 1)}
    expected = {"a": [None, None, 1.5, [None]], "b": datetime.date(2020, 1, 1)}
    plain = JSONRenderer()
    plain.encoder_class = encoder
    assert renderer.render(values, *MEDIA[media]) == plain.render(expected, *MEDIA[media])
    with pytest.raises(TypeError, match="object is not JSON serializable"):
        renderer.render([object(), float("nan")])


def test_nan_that_nobody_knows_is_improperly_configured() -> None:
    class Unknown(SSRJSONRenderer):
        nan: Any = "zero"

    with pytest.raises(ImproperlyConfigured, match=r"Unknown\.nan must be 'null' or None, not 'zero'"):
        Unknown().render([])


@pytest.mark.parametrize("encoder", [Whole, Chunked])
def test_nan_as_null_with_an_encoder_that_decides_itself_is_improperly_configured(encoder: Any) -> None:
    renderer = NanAsNull()
    renderer.encoder_class = encoder
    with pytest.raises(
        ImproperlyConfigured,
        match=f"nan='null' has no effect on {encoder.__name__}, which overrides encode or iterencode",
    ):
        renderer.render([float("nan")])


def test_no_utf8_copy_is_left_in_strings() -> None:
    texts = ["".join(("中文", str(n))) for n in range(20)]
    data = {"rows": OwnList([{"title": text, 1: OwnDict({text: text})} for text in texts])}
    SSRJSONRenderer().render(data)
    assert [utf8_cache_size(text) for text in texts] == [0] * 20


def test_error_of_hooks_passes_through_and_nothing_runs_twice() -> None:
    calls = []

    class Once:
        def tolist(self) -> object:
            calls.append(1)
            raise UnicodeEncodeError("utf-8", "é", 0, 1, "of its own")

    with pytest.raises(UnicodeEncodeError, match="of its own"):
        SSRJSONRenderer().render({"a": Once()})
    assert calls == [1]


def test_data_that_is_used_up_when_it_is_refused_gives_no_half_of_an_answer() -> None:
    numbers = (number for number in (float("nan"),))
    with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
        SSRJSONRenderer().render({"a": numbers})


def test_depth_beyond_pythons_stack_is_rendered() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RecursionError):
        JSONRenderer().render(deep)
    assert SSRJSONRenderer().render(deep) == b"[" * 100_001 + b"]" * 100_001


def test_subclasses_in_each_other_are_rendered_as_deep_as_stock() -> None:
    assert assert_rendered_alike(lambda: deep_subclasses(100))[0] == "value"
    with pytest.raises(RecursionError):
        SSRJSONRenderer().render(deep_subclasses(50_000))


def test_threads_that_share_a_renderer_get_their_own_bytes() -> None:
    renderer = SSRJSONRenderer()

    def work(n: int) -> None:
        data = {"n": n, "rows": OwnList([{"day": datetime.date(2020, 1, n + 1), n: (x for x in "é" * n)}] * 5)}
        expected = {"n": n, "rows": [{"day": f"2020-01-{n + 1:02}", str(n): ["é"] * n}] * 5}
        for _ in range(200):
            data["rows"] = OwnList([{**row, n: (x for x in "é" * n)} for row in data["rows"]])
            assert json.loads(renderer.render(data)) == expected

    in_threads(work, range(8))
