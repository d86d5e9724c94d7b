"""`key_case` of the renderer and the parser, held against djangorestframework-camel-case."""

from __future__ import annotations

import datetime
import json
import random
from io import BytesIO
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from rest_framework.exceptions import ParseError
from rest_framework.utils.encoders import JSONEncoder
from rest_framework.utils.serializer_helpers import ReturnDict

from ssrjson_web import JSONEncodeValueError
from ssrjson_web.rest_framework import SSRJSONParser, SSRJSONRenderer

camel_case = pytest.importorskip("djangorestframework_camel_case.util", reason="the package has no wheel here")


class CamelRenderer(SSRJSONRenderer):
    key_case = "camel"


class SnakeParser(SSRJSONParser):
    key_case = "snake"


class JoinedParser(SSRJSONParser):
    key_case = "snake-joined"


def random_document(draw: random.Random, depth: int = 3) -> Any:
    if depth == 0 or draw.random() < 0.2:
        return draw.choice([1, "a_b", None, 1.5, True])
    if draw.random() < 0.3:
        return [random_document(draw, depth - 1) for _ in range(3)]
    keys = ("".join(draw.choices("aabB01_Z9__éÉ", k=draw.randrange(1, 9))) for _ in range(6))
    return {key: random_document(draw, depth - 1) for key in keys}


def has_clash(value: Any) -> bool:
    """Whether two keys of a dict become one, which ours refuses."""
    if isinstance(value, list):
        return any(map(has_clash, value))
    if not isinstance(value, dict):
        return False
    return len(camel_case.camelize(dict.fromkeys(value))) < len(value) or any(map(has_clash, value.values()))


def test_random_documents_are_rendered_as_the_package_does() -> None:
    draw = random.Random(1)
    n_clashes = 0
    for _ in range(500):
        document = random_document(draw)
        if has_clash(document):
            n_clashes += 1
            with pytest.raises(JSONEncodeValueError, match="Two keys of an object are both written"):
                CamelRenderer().render(document)
            continue
        expected = SSRJSONRenderer().render(camel_case.camelize(document))
        assert CamelRenderer().render(document) == expected
        for media, context in (("application/json; indent=4", {}), (None, {"indent": 2})):
            indented = SSRJSONRenderer().render(camel_case.camelize(document), media, context)
            assert CamelRenderer().render(document, media, context) == indented
    assert 0 < n_clashes < 250


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_random_documents_are_parsed_as_the_package_does(encoding: str) -> None:
    draw = random.Random(2)
    for _ in range(300):
        document = random_document(draw)
        body = json.dumps(document, ensure_ascii=False).encode(encoding)
        context = {"encoding": encoding}
        for parser, is_joined in ((SnakeParser(), False), (JoinedParser(), True)):
            expected = camel_case.underscoreize(document, no_underscore_before_number=is_joined)
            assert parser.parse(BytesIO(body), None, context) == expected


def test_values_of_other_types_and_dicts_of_subclasses() -> None:
    class Named(dict[Any, Any]):
        pass

    when = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)
    value = ReturnDict({"created_at": when, "by_name": Named(a_b={1: {"c_d": when}})}, serializer=None)
    text = b'{"createdAt":"2026-01-02T00:00:00Z","byName":{"aB":{"1":{"cD":"2026-01-02T00:00:00Z"}}}}'
    assert CamelRenderer().render(value) == text

    class Encoder(JSONEncoder):
        def default(self, obj: Any) -> Any:
            return {"own_class": 1} if isinstance(obj, complex) else super().default(obj)

    class OwnRenderer(CamelRenderer):
        encoder_class = Encoder

    assert OwnRenderer().render({"a_b": 1j, "c_d": when}) == b'{"aB":{"ownClass":1},"cD":"2026-01-02T00:00:00Z"}'


def test_errors_are_those_of_the_stock_classes() -> None:
    for body in (b'{"aB": }', b'{"aB": NaN}', b'{"aB": 1'):
        with pytest.raises(ParseError) as expected:
            SSRJSONParser().parse(BytesIO(body))
        with pytest.raises(ParseError) as caught:
            SnakeParser().parse(BytesIO(body))
        assert str(caught.value) == str(expected.value)
    with pytest.raises(TypeError, match="not JSON serializable"):
        CamelRenderer().render({"a_b": object()})


def test_what_key_case_cannot_do_is_refused() -> None:
    class Kebab(SSRJSONRenderer):
        key_case = "kebab"  # type: ignore[assignment]

    with pytest.raises(ImproperlyConfigured, match=r"Kebab\.key_case must be 'camel' or None, not 'kebab'"):
        Kebab().render({})

    class Encoder(JSONEncoder):
        def encode(self, o: Any) -> str:
            return "own"

    class OwnRenderer(CamelRenderer):
        encoder_class = Encoder

    with pytest.raises(ImproperlyConfigured, match="key_case='camel' has no effect on Encoder"):
        OwnRenderer().render({})
