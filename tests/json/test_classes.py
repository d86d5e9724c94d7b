"""JSONEncoder and JSONDecoder: overrides of a subclass or an instance have effect, as in stdlib."""

from __future__ import annotations

import copy
import io
import json as theirs
import pickle
import re
from collections.abc import Iterator
from json import scanner
from typing import Any

import pytest
from helpers import json_documents
from helpers.call_outcome import outcome
from helpers.json_module_parity import assert_same_from, count_core_calls, dumped
from hypothesis import given

from ssrjson_web import json as ours

VALUE: Any = {"é": [1, 2.5, None], "a": {"b": ()}}


class Thing:
    pass


# Encoder


@given(json_documents.values, json_documents.options)
def test_chunks_equal_stdlib(value: Any, options: dict[str, Any]) -> None:
    assert_same_from(lambda json: list(json.JSONEncoder(**options).iterencode(value)), (value, options))


def test_chunks_are_made_as_they_are_asked_for() -> None:
    def squares() -> Iterator[int]:
        for n in range(3):
            made.append(n)
            yield n * n

    class Stream(list[Any]):
        def __len__(self) -> int:
            return 1

        def __iter__(self) -> Iterator[int]:
            return squares()

    made: list[int] = []
    chunks = ours.JSONEncoder().iterencode(Stream())
    assert next(iter(chunks)) == "[0"
    assert made == [0]


def encoder_classes(json: Any) -> dict[str, type[Any]]:
    """Subclasses that override one thing each."""

    class Default(json.JSONEncoder):  # type: ignore[misc]
        def default(self, o: Any) -> Any:
            return super().default(o) if o is Thing else f"default of {type(o).__name__}"

    class ByName(json.JSONEncoder):  # type: ignore[misc]
        def default(self, o: Any) -> Any:
            return json.JSONEncoder.default(self, o)

    class Encode(json.JSONEncoder):  # type: ignore[misc]
        def encode(self, o: Any) -> str:
            return f"<{super().encode(o)}>"

    class Iterencode(json.JSONEncoder):  # type: ignore[misc]
        def iterencode(self, o: Any, _one_shot: bool = False) -> Iterator[str]:
            yield "<"
            yield from super().iterencode(o, _one_shot)
            yield ">"

    class Separators(json.JSONEncoder):  # type: ignore[misc]
        item_separator = ";"
        key_separator = "="

    class OddSeparators(json.JSONEncoder):  # type: ignore[misc]
        item_separator = b","

    class Properties(json.JSONEncoder):  # type: ignore[misc]
        indent = property(lambda self: 1, lambda self, value: None)
        sort_keys = property(lambda self: True, lambda self, value: None)
        ensure_ascii = property(lambda self: False, lambda self, value: None)

    class Options(json.JSONEncoder):  # type: ignore[misc]
        def __init__(self, *, extra: int = 0, **options: Any) -> None:
            super().__init__(**{**options, "indent": extra, "ensure_ascii": False})

    class NoInit(json.JSONEncoder):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            pass

    class NoDefault(json.JSONEncoder):  # type: ignore[misc]
        default = None

    class StaticDefault(json.JSONEncoder):  # type: ignore[misc]
        default = staticmethod(lambda o: "static")

    class OnTheInstance(json.JSONEncoder):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.iterencode = lambda o, _one_shot=False: iter(["in", "stance"])

    return {name: thing for name, thing in locals().items() if isinstance(thing, type)}


@pytest.mark.parametrize("name", encoder_classes(theirs))
def test_subclass_equals_the_same_subclass_of_stdlibs(name: str) -> None:
    values: list[Any] = ["é", VALUE, [Thing()], [Thing], {"b": Thing(), "a": [Thing()]}, {(): 1}, []]
    choices: list[dict[str, Any]] = [{}, {"indent": 2}, {"ensure_ascii": False}, {"separators": (",", ":")}]
    for value in values:
        for options in (*choices, {"default": repr}):
            if name == "Options" and value == "é":
                options = {**options, "extra": 3}

            def encode(json: Any, value: Any = value, options: dict[str, Any] = options) -> Any:
                cls = encoder_classes(json)[name]
                return json.dumps(value, cls=cls, **options), cls(**options).encode(value)

            def write(json: Any, value: Any = value, options: dict[str, Any] = options) -> Any:
                cls = encoder_classes(json)[name]
                return dumped(json, value, cls=cls, **options), list(cls(**options).iterencode(value))

            assert_same_from(encode, (name, value, options))
            got, expected = outcome(write, ours), outcome(write, theirs)
            assert got == expected or got[0] == expected[0] != "value", (name, value, options)


@pytest.mark.parametrize("name", ["Default", "ByName", "Separators", "Properties", "Options", "StaticDefault"])
def test_subclass_that_overrides_what_the_core_knows_is_served_by_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = count_core_calls(monkeypatch)
    for json in (ours, theirs):  # subclasses of stdlib's own class, such as frameworks have, as well
        cls = encoder_classes(json)[name]
        before = calls.dumps
        ours.dumps(VALUE, cls=cls)
        dumped(ours, VALUE, cls=cls)
        assert calls.dumps == before + 2


@pytest.mark.parametrize("name", ["Encode", "Iterencode", "OddSeparators", "NoInit", "NoDefault", "OnTheInstance"])
def test_subclass_that_overrides_more_is_left_to_stdlibs_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = encoder_classes(theirs)[name]
    calls = count_core_calls(monkeypatch)
    outcome(ours.dumps, VALUE, cls=cls)
    assert calls.dumps == 0


def test_attributes_changed_on_the_instance_count() -> None:
    changes: tuple[dict[str, Any], ...] = (
        {"indent": 1},
        {"indent": "\t"},
        {"ensure_ascii": False},
        {"sort_keys": True},
        {"skipkeys": True},
        {"allow_nan": False},
        {"check_circular": False},
        {"item_separator": ";", "key_separator": "="},
        {"item_separator": b";"},
        {"default": lambda thing: "changed"},
        {"default": None},
        {"encode": lambda thing: "changed"},
        {"iterencode": lambda thing, _one_shot=False: ["changed"]},
    )
    for change in changes:
        for value in ({"é": 1, "a": [float("nan")]}, "é", [Thing()], {(): 1}):

            def encode(json: Any, change: dict[str, Any] = change, value: Any = value) -> str:
                encoder = json.JSONEncoder()
                for name, changed in change.items():
                    setattr(encoder, name, changed)
                text: str = encoder.encode(value)
                return text

            assert_same_from(encode, (change, value))


def test_attributes_of_an_instance_are_stdlibs() -> None:
    options: dict[str, Any] = {"indent": 3, "separators": (",", "="), "sort_keys": True, "default": repr}
    for chosen in (dict[str, Any](), options):
        assert vars(ours.JSONEncoder(**chosen)) == vars(theirs.JSONEncoder(**chosen))
    assert (ours.JSONEncoder.item_separator, ours.JSONEncoder.key_separator) == (", ", ": ")
    decoder, expected = vars(ours.JSONDecoder(parse_int=str)), vars(theirs.JSONDecoder(parse_int=str))
    assert decoder.keys() == expected.keys()
    assert all(decoder[name] == expected[name] for name in decoder if name != "scan_once")


def test_instances_and_subclasses_are_stdlibs() -> None:
    assert isinstance(ours.JSONEncoder(), theirs.JSONEncoder)
    assert isinstance(ours.JSONDecoder(), theirs.JSONDecoder)
    encoder = copy.deepcopy(pickle.loads(pickle.dumps(ours.JSONEncoder(indent=1))))
    assert type(encoder) is ours.JSONEncoder
    assert encoder.encode([1]) == "[\n 1\n]"


def test_default_assigned_to_the_class_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    for cls in (theirs.JSONEncoder, ours.JSONEncoder):
        with monkeypatch.context() as patch:
            patch.setattr(cls, "default", lambda self, o: f"patched {type(o).__name__}")
            for call in (ours.dumps, ours.JSONEncoder().encode, lambda value: dumped(ours, value)):
                assert call([Thing()]) == '["patched Thing"]'
            assert ours.dumps([Thing()], indent=0) == '[\n"patched Thing"\n]'
            assert ours.dumps([Thing()], default=lambda o: "hook") == '["hook"]'
        with pytest.raises(TypeError, match="Object of type Thing is not JSON serializable"):
            ours.dumps([Thing()])


def test_hook_that_encodes_with_the_same_encoder_is_right() -> None:
    class Nested(ours.JSONEncoder):
        def default(self, o: Any) -> Any:
            return self.encode({"inner": ["é", 1]})

    expected = theirs.dumps([theirs.dumps({"inner": ["é", 1]}), "after"])
    assert Nested().encode([Thing(), "after"]) == expected
    assert ours.dumps([Thing(), "after"], cls=Nested) == expected


# Decoder


def decoder_classes(json: Any) -> dict[str, type[Any]]:
    """Subclasses that override one thing each."""

    class Decode(json.JSONDecoder):  # type: ignore[misc]
        def decode(self, s: str, **options: Any) -> Any:
            return ["decode", super().decode(s, **options)]

    class RawDecode(json.JSONDecoder):  # type: ignore[misc]
        def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
            value, end = super().raw_decode(s, idx)
            return ["raw", value], end

    class ObjectHook(json.JSONDecoder):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(object_hook=lambda members: sorted(members), **options)

    class InPython(json.JSONDecoder):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.parse_string = lambda text, end, strict: ("string", text.index('"', end) + 1)
            self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]

    class LateHook(json.JSONDecoder):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.object_hook = lambda members: "never called"

    class RebuiltScanner(json.JSONDecoder):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.parse_float = str
            self.scan_once = scanner.make_scanner(self)

    class OtherScanner(json.JSONDecoder):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.scan_once = lambda text, start: (text[start:], len(text))

    class OnTheInstance(json.JSONDecoder):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.raw_decode = lambda s, idx=0: ("instance", len(s))

    return {name: thing for name, thing in locals().items() if isinstance(thing, type)}


@pytest.mark.parametrize("name", decoder_classes(theirs))
def test_decoder_subclass_equals_the_same_subclass_of_stdlibs(name: str) -> None:
    for text in ('{"a": [1, 2.5, NaN], "b": {"c": "d"}}', " [1.5] ", "[1", "", "1 2"):
        for options in ({}, {"parse_int": str}, {"strict": False}):

            def decode(json: Any, text: str = text, options: dict[str, Any] = options) -> Any:
                cls = decoder_classes(json)[name]
                return (
                    json.loads(text, cls=cls, **options),
                    json.load(io.StringIO(text), cls=cls, **options),
                    cls(**options).decode(text),
                    cls(**options).raw_decode(text.strip()),
                )

            assert_same_from(decode, (name, text, options))


def test_decoder_subclass_is_served_by_the_core_where_it_changes_what_that_knows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = count_core_calls(monkeypatch)
    classes = decoder_classes(ours)
    served = {"Decode", "LateHook", "ObjectHook", "RebuiltScanner"}
    for name in served:
        before = calls.loads
        classes[name]().decode("[1]")
        assert calls.loads == before + 1, name
    for name in classes.keys() - served:
        before = calls.loads
        classes[name]().decode("[1]")
        assert calls.loads == before, name


def test_decode_with_a_matcher_of_its_own_uses_it() -> None:
    dashes = re.compile("-*").match
    for json in (ours, theirs):
        assert json.JSONDecoder().decode("--[1]-", dashes) == [1]
    assert_same_from(lambda json: json.JSONDecoder().decode(" 1", _w=dashes))
