"""_Snapshot and _are_same: what dicts, classes and sequences were like, by identity and without Python code."""

from __future__ import annotations

import contextlib
import gc
import math
import sys
import weakref
from typing import Any

import pytest
from helpers.builds import IS_FREE_THREADED

from ssrjson_web._core import _are_same, _Snapshot

NOTHING: frozenset[str] = frozenset()


class Loud:
    """Raises where it is compared or hashed."""

    def __eq__(self, other: object) -> bool:
        raise AssertionError("compared")

    __hash__ = None  # type: ignore[assignment]


def a_class() -> type:
    cls = type("Watched", (), {"method": lambda self: None})
    assert cls().method() is None  # looked up, so that it has a version
    return cls


def test_same_items_fit_and_others_do_not() -> None:
    value = Loud()
    known = _Snapshot(({"a": value, "b": 1}, {}), (), NOTHING)
    assert known.fits(({"a": value, "b": 1}, {}))
    assert not known.fits(({"a": Loud(), "b": 1}, {}))
    assert not known.fits(({"b": 1, "a": value}, {}))
    assert not known.fits(({"a": value}, {}))
    assert not known.fits(({"a": value, "b": 1}, {"c": 2}))
    assert not known.fits(({"a": value, "b": 1},))


def test_equal_values_that_are_other_objects_do_not_fit() -> None:
    known = _Snapshot(({"a": 1, "b": 0.5},), (), NOTHING)
    assert not known.fits(({"a": True, "b": 0.5},))
    assert not known.fits(({"a": 1, "b": float("0.5")},))


def test_lists_are_compared_by_their_items() -> None:
    value, items = Loud(), []
    items.append(value)
    known = _Snapshot(({"a": items},), (), NOTHING)
    assert known.fits(({"a": [value]},))
    items.append(value)
    assert not known.fits(({"a": items},))
    assert not known.fits(({"a": [Loud()]},))
    assert not known.fits(({"a": (value,)},))


def test_open_keys_have_any_value_but_must_be_there() -> None:
    known = _Snapshot(({"a": 1, "parent": 2},), (), frozenset({"parent"}))
    assert known.fits(({"a": 1, "parent": []},))
    assert not known.fits(({"a": 1},))


def test_changed_class_or_base_does_not_fit() -> None:
    base = a_class()
    derived = type("Derived", (base,), {})
    assert derived().method() is None
    known = _Snapshot((), (derived,), NOTHING)
    assert known.fits(())
    base.method = lambda self: 1
    assert derived().method() == 1
    assert not known.fits(())


def test_wrong_arguments_raise_type_error() -> None:
    for arguments in ((), ([], (), NOTHING), ((1,), (), NOTHING), ((), (1,), NOTHING), ((), (), set())):
        with pytest.raises(TypeError):
            _Snapshot(*arguments)
    with pytest.raises(TypeError):
        _Snapshot((), (), NOTHING, other=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        _Snapshot((), (), NOTHING).fits([])  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _Snapshot((), (), NOTHING).fits((1,))  # type: ignore[arg-type]


def test_snapshot_is_collected_with_what_it_holds() -> None:
    class Holder:
        pass

    holder: Any = Holder()
    holder.known = _Snapshot((vars(holder), {"own": holder}), (Holder,), NOTHING)
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_references_are_released() -> None:
    value = object()
    before = sys.getrefcount(value)
    for _ in range(10):
        known = _Snapshot(({"a": value, "b": [value]},), (), NOTHING)
        assert known.fits(({"a": value, "b": [value]},))
    del known
    assert sys.getrefcount(value) == before


@pytest.mark.skipif(IS_FREE_THREADED, reason="the garbage collector runs no finalizers within C code")
def test_dict_that_grows_while_it_is_looked_at_is_refused_or_copied() -> None:
    """Making tuples of lists may run the garbage collector, and that finalizers."""
    watched: dict[str, Any] = {str(n): [n] for n in range(50)}

    class Growing:
        def __init__(self) -> None:
            self.own = self

        def __del__(self) -> None:
            if len(watched) < 500:
                watched[str(len(watched))] = [None]

    threshold = gc.get_threshold()
    gc.set_threshold(1)
    told = set()
    try:
        for _ in range(200):
            Growing()
            with contextlib.suppress(RuntimeError):
                told.add(_Snapshot((watched, watched), (), NOTHING).fits(({}, {})))
    finally:
        gc.set_threshold(*threshold)
    assert told <= {False}
    assert len(watched) > 50


def test_class_that_has_fitted_before_does_not_fit_after_any_change() -> None:
    cls: Any = a_class()
    changes: list[tuple[str, Any, Any]] = [
        ("attribute", lambda: setattr(cls, "other", 1), lambda: delattr(cls, "other")),
        ("method", lambda: setattr(cls, "method", method.__get__), lambda: setattr(cls, "method", method)),
        (
            "code",
            lambda: setattr(method, "__code__", (lambda self: 1).__code__),
            lambda: setattr(method, "__code__", code),
        ),
    ]
    method, code = cls.method, cls.method.__code__
    known = _Snapshot((cls,), (), frozenset({"n"}))
    for name, change, undo in changes:
        assert [known.fits((cls,)) for _ in range(3)] == [True] * 3
        change()
        assert [known.fits((cls,)) for _ in range(3)] == [False] * 3, name
        undo()
    assert known.fits((cls,))


def test_lists_and_open_keys_of_a_class_that_has_fitted_before() -> None:
    cls: Any = type("Watched", (), {"items": [1], "n": 0})
    known = _Snapshot((cls,), (), frozenset({"n"}))
    for n in range(3):
        cls.n = n
        assert known.fits((cls,))
    cls.items.append(2)
    assert not known.fits((cls,))
    other = type("Watched", (), {"items": [1], "n": 0, "more": 1})
    assert not known.fits((other,))


class OwnList(list[int]):
    """What it has is what its code says."""


@pytest.mark.parametrize(
    ("some", "others", "are_same"),
    [
        ([], (), True),
        ([len, 1], (len, 1), True),
        ([len, 1], (1, len), False),
        ([len], [len, 1], False),
        ([[]], [[]], False),
        ([math.nan], [float("nan")], False),
        (OwnList(), [], False),
        ([], None, False),
    ],
    ids=repr,
)
def test_sequences_are_the_same_where_their_objects_are(some: Any, others: Any, are_same: bool) -> None:
    assert _are_same(some, others) is are_same
    assert _are_same(others, some) is are_same


def test_objects_are_not_asked_whether_they_are_the_same() -> None:
    class Proxy:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = object.__hash__

    proxy = Proxy()
    assert not _are_same([proxy], [len])
    assert _are_same([proxy], [proxy])
    with pytest.raises(TypeError, match="two lists or tuples"):
        _are_same([])  # type: ignore[call-arg]
