"""frozendict, a builtin class of Python 3.15 that does not derive from dict: written as an object, as stdlib does."""

from __future__ import annotations

import builtins
import json
import sys
from typing import Any

import pytest
from helpers.all_outputs import assert_all_give
from helpers.call_outcome import outcome

from ssrjson_web import _core

pytestmark = [
    pytest.mark.usefixtures("isa"),
    pytest.mark.skipif(sys.version_info < (3, 15), reason="frozendict is new in Python 3.15"),
]


def frozen(**members: object) -> Any:
    return vars(builtins)["frozendict"](members)


def assert_as_dict(value: object, plain: object, **options: Any) -> None:
    assert_all_give(outcome(_core.dumps, plain, **options), value, **options)
    if not options:
        assert _core.dumps(value) == json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def test_frozendict_is_an_object() -> None:
    assert_as_dict(frozen(), {})
    assert_as_dict(frozen(b=1, a=[frozen()], é="é"), {"b": 1, "a": [{}], "é": "é"})
    assert_as_dict([frozen(b=1, a=2)] * 3, [{"b": 1, "a": 2}] * 3, sort_keys=True)
    assert_as_dict(frozen(a=frozen(b=None)), {"a": {"b": None}}, indent=2)
    assert_as_dict(frozen(a={1}), {"a": {1}}, natives=True)


def test_frozendict_of_a_subclass_is_written_by_its_own_items() -> None:
    class Plain(type(frozen())):  # type: ignore[misc]
        pass

    class Own(type(frozen())):  # type: ignore[misc]
        def items(self) -> Any:
            return [("own", 1)]

    assert_as_dict(Plain(a=1), {"a": 1})
    assert_as_dict(Own(a=1), {"own": 1})
    assert_as_dict(Plain(b=1, a=2), {"a": 2, "b": 1}, sort_keys=True)


def test_frozendict_is_no_dict_where_types_are_exact() -> None:
    assert _core.dumps(frozen(a=1), exact_types=True, default=lambda value: "hook") == '"hook"'


def test_path_leads_through_a_frozendict() -> None:
    with pytest.raises(TypeError) as raised:
        _core.dumps([frozen(a=[object()])])
    assert raised.value.__notes__[0] == "at $[0].a[0]"
