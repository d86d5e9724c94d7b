"""Options of other JSON libraries: the TypeError says what to write instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

ENCODING = {
    "cls": "use default=, or ssrjson_web.json with its JSONEncoder",
    "fp": "write the result to the file, or use ssrjson_web.json.dump()",
    "option": "its flags are options here, such as indent=2, sort_keys=True and numpy=True; "
    "ssrjson_web.orjson takes option=",
    "enc_hook": "use default=",
    "order": "use sort_keys=True for 'sorted'; sets have no order",
    "decimal_format": "use decimal='str' or 'number'",
    "uuid_format": "use uuid='hyphenated' for 'canonical', or 'hex'",
    "use_decimal": "use decimal='number'",
    "ignore_nan": "use nan_as_null=True",
    "for_json": "use default=lambda value: value.for_json()",
    "tuple_as_array": "tuples are always arrays; with exact_types=True, subclasses go to default=",
    "iterable_as_array": "use iterables=True",
    "bigint_as_string": "use int53='str'",
    "int_as_string_bitcount": "use int53='str' for 53 bits, or int64='str'",
    "item_sort_key": "use sort_keys=True; there is no other order",
    "encoding": "use bytes='utf-8' to write bytes as text; the result of dumps_to_bytes() is UTF-8",
    "encode_html_chars": "use html_safe=True",
    "escape_forward_slashes": "slashes are never escaped; html_safe=True escapes < > &",
    "reject_bytes": "use bytes=None, the default, which refuses them",
    "double_precision": "floats are written so that they are read back unchanged; round() them before",
    "datetime_mode": "use datetime='iso' or 'epoch', date= and time=, with utc= and naive=",
    "uuid_mode": "use uuid='hyphenated' or 'hex'",
    "number_mode": "use decimal='number', allow_nan=False or int64='error'",
    "write_mode": "use indent=",
    "bytes_mode": "use bytes='utf-8', or bytes=None, the default, which refuses them",
    "iterable_mode": "use iterables=True",
    "mapping_mode": "use mapping=True; skipkeys=True leaves out keys that are no str",
    "chunk_size": "use Encoder().iterencode(obj, chunk_size=)",
    "include": "choose fields by ssrjson_web.models.TypedEncoder(type, include=)",
    "exclude": "choose fields by ssrjson_web.models.TypedEncoder(type, exclude=)",
    "inf_nan_mode": "use nan_as_null=True for 'null', allow_nan=True for 'constants', or nan_as_str=True for 'strings'",
    "ser_json_inf_nan": "use nan_as_null=True for 'null', allow_nan=True for 'constants', "
    "or nan_as_str=True for 'strings'",
    "ser_json_timedelta": "use timedelta='iso' for 'iso8601', or 'seconds' for 'float'",
    "timedelta_mode": "use timedelta='iso' for 'iso8601', or 'seconds' for 'float'",
    "ser_json_bytes": "use bytes='utf-8' for 'utf8', or 'base64url' for 'base64'",
    "serialize_as_any": "there is none: fields are written as they are declared",
    "serialize_unknown": "use default=str",
    "fallback": "use default=",
    "custom_encoder": "use default=, which gets every value of an unknown type",
    "exclude_computed_fields": "there is none: computed fields are written",
    "round_trip": "there is none: use pydantic's model_dump_json",
    "warnings": "there is none: use pydantic's model_dump_json",
    "context": "there is none: use pydantic's model_dump_json",
    "camel": "use key_case='camel'",
    "case": "use key_case='camel'",
    "camel_case": "use key_case='camel'",
    "jcs": "use canonical=True",
    "rfc8785": "use canonical=True",
    "sort": "use sort_keys=True",
    "sorted": "use sort_keys=True",
}
DECODING = {
    "cls": "use object_hook=, or ssrjson_web.json with its JSONDecoder",
    "fp": "pass what the file's read() gives, or use ssrjson_web.json.load()",
    "encoding": "bytes are UTF-8, UTF-16 or UTF-32, which is detected; decode others before",
    "dec_hook": "use object_hook=, or ssrjson_web.models.TypedDecoder",
    "float_hook": "use parse_float=",
    "use_decimal": "use parse_float='decimal'",
    "precise_float": "floats are always read exactly",
    "datetime_mode": "there is none: use object_hook= with datetime.fromisoformat",
    "uuid_mode": "there is none: use object_hook= with uuid.UUID",
    "number_mode": "use parse_float='decimal', allow_nan=False or int64='error'",
    "parse_mode": "use jsonc=True for comments and trailing commas",
    "chunk_size": "use Decoder().feed()",
    "allow_inf_nan": "use allow_nan=",
    "cache_strings": "there is none: keys are kept and reused, other strings are not",
    "allow_partial": "there is none: a document must be complete; Decoder().feed() takes it in parts",
    "model": "use type=, or ssrjson_web.models.TypedDecoder for types of pydantic",
    "schema": "use type=, or ssrjson_web.models.TypedDecoder for types of pydantic",
    "fields": "use only= with JSON Pointers",
    "include": "use only= with JSON Pointers",
    "pointer": "use only= with JSON Pointers",
    "case": "use key_case='snake'",
    "numpy": "use number_arrays='numpy'",
    "dtype": "arrays are of float64 or int64: call their astype()",
    "comments": "use jsonc=True",
    "allow_comments": "use jsonc=True",
    "allow_trailing_commas": "use jsonc=True",
}


def takers(is_of_encoding: bool) -> Iterator[tuple[str, Callable[..., Any]]]:
    if is_of_encoding:
        yield "dumps", lambda **options: _core.dumps(1, **options)
        yield "dumps_to_bytes", lambda **options: _core.dumps_to_bytes(1, **options)
        yield "Encoder", _core.Encoder
    else:
        yield "loads", lambda **options: _core.loads("1", **options)
        yield "Decoder", _core.Decoder


@pytest.mark.parametrize("is_of_encoding", [True, False], ids=["encoding", "decoding"])
def test_error_names_what_to_write_instead(is_of_encoding: bool) -> None:
    for name, advice in (ENCODING if is_of_encoding else DECODING).items():
        for function, call in takers(is_of_encoding):
            with pytest.raises(TypeError) as raised:
                call(**{name: None})
            assert str(raised.value) == f"{function}() got an unexpected keyword argument '{name}'; {advice}"


def test_option_of_the_other_direction_gets_no_advice() -> None:
    for name in ENCODING.keys() - DECODING.keys():
        with pytest.raises(TypeError, match=rf"^loads\(\) got an unexpected keyword argument '{name}'(\. Did|$)"):
            _core.loads("1", **{name: None})  # type: ignore[misc]
    for name in DECODING.keys() - ENCODING.keys() - {"numpy"}:  # an option of encoding
        with pytest.raises(TypeError, match=rf"^dumps\(\) got an unexpected keyword argument '{name}'(\. Did|$)"):
            _core.dumps(1, **{name: None})  # type: ignore[misc]


def test_advice_names_options_that_there_are() -> None:
    rows = _core._options()
    for is_of_encoding, advices in ((True, ENCODING), (False, DECODING)):
        known = {name: formats or [] for name, _, formats, _, _, of_encoding in rows if of_encoding == is_of_encoding}
        for name, advice in advices.items():
            assert name not in known
            if "ssrjson_web." in advice or "()." in advice:
                continue
            for option, value in re.findall(r"\b([a-z_0-9]+)=(?:'([^']*)')?", advice):
                assert option in known
                assert not value or value in known[option]
