"""Encoder, Decoder and Fragment as objects: repr, copies, pickles, and Fragment's equality."""

from __future__ import annotations

import copy
import decimal
import gc
import operator
import pickle
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ssrjson_web import Decoder, Encoder, Fragment

pytestmark = pytest.mark.usefixtures("isa")

CODECS: tuple[type[Any], ...] = (Encoder, Decoder)


def as_list(thing: Any) -> list[Any]:
    return sorted(thing)


class Hook:
    def __call__(self, thing: Any) -> Any:
        return "hooked"

    def __repr__(self) -> str:
        return "hook"


class Holder:
    def __init__(self) -> None:
        self.encoder: Any = Encoder(default=self.default)

    def default(self, thing: Any) -> Any:
        return None

    def __repr__(self) -> str:
        return f"Holder({self.encoder!r})"


def others(thing: Any) -> Iterator[Any]:
    """What copies and pickles, by C and by Python, make of an object."""
    yield copy.copy(thing)
    yield copy.deepcopy(thing)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(thing, protocol))
        yield pickle.loads(pickle._dumps(thing, protocol))  # type: ignore[attr-defined]


def test_repr_shows_the_options_that_were_given() -> None:
    assert [repr(codec()) for codec in CODECS] == ["Encoder()", "Decoder()"]
    assert repr(Encoder(natives=True, datetime="iso")) == "Encoder(natives=True, datetime='iso')"
    assert repr(Encoder(datetime=None, natives=False, indent="\t", default=as_list)) == (
        f"Encoder(datetime=None, natives=False, indent='\\t', default={as_list!r})"
    )
    assert repr(Decoder(max_depth=5, object_hook=Hook(), strict=True)) == (
        "Decoder(max_depth=5, object_hook=hook, strict=True)"
    )


def test_repr_within_itself_ends() -> None:
    holder = Holder()
    assert repr(holder) == "Holder(Encoder(default=<bound method Holder.default of Holder(Encoder(...))>))"


def test_repr_that_raises_passes_its_error_through() -> None:
    class Raising(Hook):
        def __repr__(self) -> str:
            raise KeyError("repr")

    for thing in (Encoder(default=Raising()), Decoder(object_hook=Raising())):
        for _ in range(2):
            with pytest.raises(KeyError, match="repr"):
                repr(thing)


def test_options_are_kept_as_they_were_in_force() -> None:
    separators = [",", ": "]
    flags: Any = []
    encoder = Encoder(separators=separators, sort_keys=flags, skipkeys=1)  # type: ignore[arg-type]
    separators[1] = "="
    flags.append(1)
    assert repr(encoder) == "Encoder(separators=(',', ': '), sort_keys=False, skipkeys=True)"
    for other in others(encoder):
        assert other.encode({"b": 1, "a": 2}) == b'{"b": 1,"a": 2}'
    once = Encoder(separators=iter(("; ", "=")))  # type: ignore[arg-type]
    assert repr(once) == "Encoder(separators=('; ', '='))"
    assert repr(Encoder(separators=(",", ":"))) == "Encoder(separators=(',', ':'))"
    assert repr(Encoder(separators=None)) == "Encoder(separators=None)"

    class Text(str):
        pass

    assert repr(Encoder(**{Text("indent"): 2})) == "Encoder(indent=2)"  # type: ignore[arg-type]


def test_copies_and_pickles_of_an_encoder_encode_alike() -> None:
    value = {"b": {2, 1}, "a": [decimal.Decimal("1.50"), b"x", 2**60]}
    options: list[dict[str, Any]] = [
        {"natives": True},
        {"default": as_list, "indent": 1, "natives": True, "iterables": False},
        {"natives": True, "decimal": "str", "sort_keys": True, "separators": ("; ", " = "), "append_newline": True},
        {"natives": True, "int53": "str", "ensure_ascii": True, "is_write_cache": False},
    ]
    for given in options:
        encoder = Encoder(**given)
        for other in others(encoder):
            assert type(other) is Encoder
            assert repr(other) == repr(encoder)
            assert other.encode(value) == encoder.encode(value)
            assert other.encode_str(value) == encoder.encode_str(value)


def test_copies_and_pickles_of_a_decoder_decode_alike() -> None:
    decoder = Decoder(object_hook=as_list, parse_float=decimal.Decimal, max_depth=2)
    decoder.feed("[1")
    for other in others(decoder):
        assert type(other) is Decoder
        assert repr(other) == repr(decoder)
        assert other.decode('{"b": 1.50, "a": 2}') == ["a", "b"]
        assert str(other.decode("[1.50]")) == "[Decimal('1.50')]"
        with pytest.raises(ValueError, match="max_depth"):
            other.decode("[[[1]]]")
        with pytest.raises(ValueError, match="Expecting value"):  # nothing was fed to it
            other.close()
    decoder.feed("]")
    assert decoder.close() == [1]


def test_pickle_of_a_hook_that_has_no_name_is_pickles_error() -> None:
    makers: list[Callable[[], Any]] = [
        lambda: Encoder(default=lambda thing: thing),
        lambda: Decoder(object_hook=lambda thing: thing),
    ]
    for make in makers:
        for protocol in range(6):
            with pytest.raises((pickle.PicklingError, AttributeError)):
                pickle.dumps(make(), protocol)
        thing = make()
        assert repr(copy.copy(thing)) == repr(thing)


def test_encoder_in_a_cycle_with_its_hook_is_collected() -> None:
    holder = Holder()
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_fragments_are_equal_where_their_contents_are() -> None:
    for contents in ("[1]", b"[1]", "é", ""):
        fragment = Fragment(contents)
        assert fragment == Fragment(contents)
        assert not operator.ne(fragment, Fragment(contents))
        assert hash(fragment) == hash(Fragment(contents))
        assert {fragment: 1}[Fragment(contents)] == 1
        for other in (Fragment("[2]"), contents, None, 1):
            assert fragment != other
            assert not operator.eq(fragment, other)
    assert Fragment("1") != Fragment(b"1")
    with pytest.raises(TypeError):
        Fragment("1") < Fragment("2")  # type: ignore[operator]  # noqa: B015


def test_copies_and_pickles_of_a_fragment_have_its_contents() -> None:
    for contents in ("[1]", b"[1]", "é\ud800"):
        for other in others(Fragment(contents)):
            assert type(other) is Fragment
            assert type(other.contents) is type(contents)
            assert other.contents == contents
