"""Arguments: an unknown one or one of a wrong type raises TypeError; none is silently ignored."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from helpers import stdlib_json
from helpers.call_outcome import assert_same, outcome

from ssrjson_web import _core

pytestmark = pytest.mark.usefixtures("isa")

ENCODERS: tuple[Callable[..., Any], ...] = (_core.dumps, _core.dumps_to_bytes)


def test_unknown_keyword_raises_type_error_that_names_it() -> None:
    for name in ("ident", "sort", "cls", "skip_keys", "é", "indent ", "parse_float", "max_size"):
        for encode in ENCODERS:
            with pytest.raises(TypeError, match=name):
                encode("1", **{name: None})
    for name in ("ident", "cls", "object_Hook", "é", "strict ", "indent", "default", "sort_keys", "encoding"):
        for call in (lambda **options: _core.loads("1", **options), _core.Decoder):
            with pytest.raises(TypeError, match=name):
                call(**{name: None})
    with pytest.raises(TypeError, match="is_write_cache"):
        _core.dumps("1", is_write_cache=True)  # type: ignore[call-arg]


def takers() -> Iterator[tuple[str, Callable[..., Any]]]:
    yield "dumps", lambda **options: _core.dumps(1, **options)
    yield "dumps_to_bytes", lambda **options: _core.dumps_to_bytes(1, **options)
    yield "Encoder", _core.Encoder
    yield "loads", lambda **options: _core.loads("1", **options)
    yield "Decoder", _core.Decoder


def test_unknown_keyword_suggests_the_nearest_that_is_taken() -> None:
    encoding = {
        "natvies": "natives",
        "naitves": "natives",
        "indnt": "indent",
        "Indent": "indent",
        "skip_keys": "skipkeys",
        "sortkeys": "sort_keys",
        "ensureascii": "ensure_ascii",
        "seperators": "separators",
        "datetimes": "datetime",
        "exclude_unsets": "exclude_unset",
        "defualt": "default",
        "int_53": "int53",
    }
    decoding = {
        "object_hooks": "object_hook",
        "objecthook": "object_hook",
        "parsefloat": "parse_float",
        "max_dpeth": "max_depth",
        "duplicatekeys": "duplicate_keys",
        "strct": "strict",
        "allow_nans": "allow_nan",
    }
    for function, call in takers():
        for typed, meant in (encoding if function in ("dumps", "dumps_to_bytes", "Encoder") else decoding).items():
            with pytest.raises(TypeError) as raised:
                call(**{typed: None})
            text = f"{function}() got an unexpected keyword argument '{typed}'. Did you mean '{meant}'?"
            assert str(raised.value) == text


def test_unknown_keyword_that_is_near_to_none_suggests_nothing() -> None:
    for function, call in takers():
        for typed in ("", "clazz", "xyz", "é", "indént", "\ud800", "a_name_that_is_much_too_long", "x" * 10_000):
            with pytest.raises(TypeError) as raised:
                call(**{typed: None})
            assert str(raised.value) == f"{function}() got an unexpected keyword argument '{typed}'"
    with pytest.raises(TypeError, match=r"'is_write_cache'$"):  # known, but not to dumps
        _core.dumps(1, is_write_cache=True)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"'max_dept'$"):
        _core.dumps(1, max_dept=1)  # type: ignore[call-arg]


IDLE: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"utc": "Z"}, {"datetime": "iso"}, "datetime='iso', time='iso', numpy=True, arrays=True or natives=True"),
    ({"utc": "Z"}, {"time": "iso"}, "datetime='iso', time='iso', numpy=True, arrays=True or natives=True"),
    ({"timespec": "seconds"}, {"numpy": True}, "datetime='iso', time='iso', numpy=True, arrays=True or natives=True"),
    (
        {"timespec": "auto-milliseconds"},
        {"natives": True},
        "datetime='iso', time='iso', numpy=True, arrays=True or natives=True",
    ),
    ({"naive": "utc"}, {"datetime": "rfc3339"}, "datetime='iso', numpy=True, arrays=True or natives=True"),
    ({"naive": "utc"}, {"models": True}, "datetime='iso', numpy=True, arrays=True or natives=True"),
    ({"by_alias": True}, {"models": True}, "models=True or 'pydantic'"),
    ({"exclude_unset": True}, {"models": "pydantic"}, "models=True or 'pydantic'"),
    ({"exclude_defaults": True}, {"models": True}, "models=True or 'pydantic'"),
    ({"exclude_none": "pydantic"}, {"models": True}, "models=True or 'pydantic'"),
    ({"omit_defaults": True}, {"natives": True}, "dataclass=True, natives=True or models=True"),
    ({"sqlalchemy_safe": True}, {"exact_types": True}, "exact_types=True"),
]


@pytest.mark.parametrize(("idle", "needed", "text"), IDLE, ids=str)
def test_option_without_what_it_is_for_is_refused(idle: dict[str, Any], needed: dict[str, Any], text: str) -> None:
    [(name, value)] = idle.items()
    for encode in (*ENCODERS, lambda value, **options: _core.Encoder(**options)):
        with pytest.raises(TypeError) as raised:
            encode(1, **idle)
        assert str(raised.value) == f"{name}={value!r} has no effect without {text}"
        encode(1, **idle, **needed)
        encode(1, **needed, **idle)


def test_option_at_its_default_needs_nothing_else() -> None:
    for name, value in {
        "utc": "+00:00",
        "timespec": "auto",
        "naive": None,
        "by_alias": False,
        "exclude_unset": False,
        "exclude_defaults": None,
        "exclude_none": False,
        "omit_defaults": False,
        "sqlalchemy_safe": False,
    }.items():
        for encode in (*ENCODERS, lambda value, **options: _core.Encoder(**options)):
            encode(1, **{name: value})


def test_option_of_a_part_of_natives_that_is_switched_off_is_refused() -> None:
    off = {"natives": True, "datetime": None, "time": None, "numpy": False, "arrays": False}
    for idle in ({"utc": "Z"}, {"timespec": "seconds"}, {"naive": "utc"}):
        with pytest.raises(TypeError, match="has no effect without"):
            _core.dumps(1, **off, **idle)
    with pytest.raises(TypeError, match="utc='Z' has no effect"):
        _core.dumps(1, datetime="http", utc="Z")


def test_object_by_keyword_raises_type_error() -> None:
    for encode in ENCODERS:
        with pytest.raises(TypeError):
            encode(obj=1)
    with pytest.raises(TypeError):
        _core.loads(s="1")  # type: ignore[call-arg]


def test_wrong_number_of_arguments_raises_type_error() -> None:
    others: list[Callable[..., Any]] = [_core.loads, _core.write_utf8_cache, _core.utf8_cache_size, _core._use_level]
    for function in (*ENCODERS, *others):
        with pytest.raises(TypeError):
            function()
        with pytest.raises(TypeError):
            function("portable", 2)
    with pytest.raises(TypeError):
        _core.get_current_features(1)  # type: ignore[call-arg]


def test_indent_of_a_wrong_type_raises_type_error() -> None:
    for encode in ENCODERS:
        for indent in (1.5, b"  ", [], (), {}, object(), 1j):
            for value in ([1], [], 1, "a"):
                with pytest.raises(TypeError):
                    encode(value, indent=indent)


def test_separators_of_a_wrong_type_or_number_raise() -> None:
    for encode in ENCODERS:
        for separators in (5, (",",), (",", ":", ";"), (",", b":"), (1, 2), (None, None), ",", "", True, object()):
            values: list[Any] = [{"a": [1, 2]}, [], 1, "a"]
            for value in values:
                with pytest.raises((TypeError, ValueError)):
                    encode(value, separators=separators)


def test_separators_as_a_list_are_taken_as_in_stdlib_or_refused() -> None:
    for encode in (_core.dumps,):
        got = outcome(encode, {"a": [1, 2]}, separators=[";", "="])
        assert got[0] == "TypeError" or got == outcome(stdlib_json.dumps, {"a": [1, 2]}, separators=[";", "="])


def test_default_that_is_not_callable_raises_type_error() -> None:
    for encode in ENCODERS:
        for hook in (5, "repr", [], object()):
            with pytest.raises(TypeError):
                encode(object(), default=hook)


def test_options_given_twice_or_by_position_raise_type_error() -> None:
    for encode in ENCODERS:
        with pytest.raises(TypeError):
            encode([], None)
        with pytest.raises(TypeError):
            encode(*[[], True, True])


def test_flag_whose_truth_raises_passes_its_error_through() -> None:
    class NoTruth:
        def __bool__(self) -> bool:
            raise KeyError("truth")

    for encode in ENCODERS:
        for name in ("skipkeys", "ensure_ascii", "check_circular", "allow_nan", "sort_keys"):
            with pytest.raises((KeyError, TypeError)):
                encode([1], **{name: NoTruth()})


def test_utf8_cache_size_of_what_is_no_str_raises_type_error() -> None:
    for value in (b"a", 1, None, ["a"], bytearray(b"a")):
        with pytest.raises(TypeError):
            _core.utf8_cache_size(value)  # type: ignore[arg-type]


def test_keyword_of_an_equal_but_not_identical_str_is_understood() -> None:
    name = "".join(["in", "dent"])
    assert _core.dumps([1], **{name: 0}) == "[\n1\n]"  # type: ignore[arg-type]

    class Text(str):
        pass

    assert _core.dumps([1], **{Text("indent"): 0}) == "[\n1\n]"  # type: ignore[arg-type]


def test_flags_of_the_core_are_bools_or_none() -> None:
    flags = [
        "append_newline",
        "html_safe",
        "line_safe",
        "escape_surrogates",
        "nan_as_null",
        "nan_as_str",
        "natives",
        "dataclass",
        "iterables",
        "mapping",
        "path",
        "numpy",
        "arrays",
    ]
    for encode in (*ENCODERS, lambda value, **options: _core.Encoder(**options)):
        for name in flags:
            for flag in (True, False, None):
                encode(1, **{name: flag})
            for wrong in (1, 0, "iso", "", [], object()):
                with pytest.raises(TypeError, match=f"^{name} must be None or a bool, not {type(wrong).__name__}$"):
                    encode(1, **{name: wrong})


CHOICES: dict[str, tuple[str, ...]] = {
    "datetime": ("iso",),
    "date": ("iso",),
    "time": ("iso",),
    "timespec": ("auto", "auto-milliseconds", "seconds", "milliseconds", "microseconds"),
    "utc": ("+00:00", "Z"),
    "naive": ("utc",),
    "timedelta": ("iso", "seconds"),
    "uuid": ("hyphenated", "hex"),
    "enum": ("value", "name"),
    "decimal": ("number", "str", "float"),
    "bytes": ("utf-8", "base64", "base64url"),
    "int53": ("error", "str"),
}


@pytest.mark.parametrize("name", CHOICES)
def test_choice_of_an_unknown_name_raises_and_lists_the_names(name: str) -> None:
    on = {"datetime": "iso"} if name in ("timespec", "utc", "naive") else {}
    formats = next(row[2] for row in _core._options() if row[0] == name and row[5]) or []
    assert set(CHOICES[name]) <= set(formats)
    names = f"one of {formats}" if len(formats) > 1 else repr(formats[0])
    for encode in (*ENCODERS, lambda value, **options: _core.Encoder(**options)):
        for choice in (*CHOICES[name], None, "".join(CHOICES[name][0])):
            encode(1, **{name: choice}, **on)
        for wrong in ("", "ISO", "unknown", "iso ", "\ud800", "é"):
            with pytest.raises(ValueError, match=f"^{re.escape(f'{name} must be None or {names}, not {wrong!r}')}$"):
                encode(1, **{name: wrong})
        for odd in (True, 1, b"iso", ["iso"], object()):
            words = f"{name} must be None or {names}, not {type(odd).__name__}"
            with pytest.raises(TypeError, match=f"^{re.escape(words)}$"):
                encode(1, **{name: odd})


def test_natives_is_the_ground_on_which_other_options_stand_in_any_order() -> None:
    for options in ({"natives": True, "bytes": "base64"}, {"bytes": "base64", "natives": True}):
        assert _core.dumps([b"ab", {1}], **options) == '["YWI=",[1]]'  # type: ignore[arg-type]
    for options in ({"natives": True, "bytes": None}, {"bytes": None, "natives": True}):
        assert outcome(_core.dumps, b"ab", **options)[0] == "TypeError"
    for natives in (False, None):
        assert outcome(_core.dumps, b"ab", natives=natives)[0] == "TypeError"
        assert _core.dumps(b"ab", natives=natives, bytes="utf-8") == '"ab"'  # type: ignore[arg-type]


def test_every_option_together_is_understood() -> None:
    for encode in ENCODERS:
        got = encode(
            {"b": 1, "a": [1.5, {1}], (): 3},
            default=list,
            skipkeys=True,
            ensure_ascii=True,
            check_circular=False,
            allow_nan=False,
            indent=1,
            separators=(";", "="),
            sort_keys=False,
        )
        expected = '{\n "b"=1;\n "a"=[\n  1.5;\n  [\n   1\n  ]\n ]\n}'
        assert got == (expected if encode is _core.dumps else expected.encode())


def test_calls_from_one_place_with_other_values() -> None:
    """The options of the last call are used again only for the same names and values."""
    document = {"b": [float("nan"), "é"], "a": None}
    pairs = ((_core.dumps, stdlib_json.dumps), (_core.dumps_to_bytes, stdlib_json.dumps_to_bytes))
    choices = itertools.product((True, False, 1, 0, "yes"), (True, False), (True, False), (None, 2))
    for choice, _, (encode, reference) in itertools.product(choices, range(2), pairs):
        sort, nan, ascii_only, indent = choice
        got = outcome(encode, document, sort_keys=sort, allow_nan=nan, ensure_ascii=ascii_only, indent=indent)
        options = {"sort_keys": sort, "allow_nan": nan, "ensure_ascii": ascii_only, "indent": indent}
        assert_same(got, outcome(reference, document, **options), choice)


def test_a_call_within_a_call_has_other_options() -> None:
    class Inner(dict[str, Any]):
        def items(self) -> Any:
            assert _core.dumps_to_bytes({"b": 1, "a": 2}, sort_keys=True) == b'{"a":2,"b":1}'
            assert _core.dumps_to_bytes(["é"], ensure_ascii=True) == b'["\\u00e9"]'
            return super().items()

    document = ["é", Inner(d=1, c=["é"]), {"b": "é", "a": 2}]
    for _ in range(4):
        text = _core.dumps_to_bytes(document, allow_nan=False)
        assert text == '["é",{"d":1,"c":["é"]},{"b":"é","a":2}]'.encode()


@pytest.mark.usefixtures("utf8_cache_switch")
def test_the_global_switch_counts_for_arguments_that_are_remembered() -> None:
    for enabled in (False, True, False, True):
        _core.write_utf8_cache(enabled)
        string = "中" * 20 + str(enabled)
        long = "中" * 2000 + str(enabled)
        _core.dumps_to_bytes([string, long], allow_nan=False)
        assert (_core.utf8_cache_size(long) > 0) == enabled
        _core.dumps_to_bytes([string + "x", long], is_write_cache=None, sort_keys=False)
