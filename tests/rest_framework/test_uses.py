"""A serializer class gets plans when it has been used often, or for many objects."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from rest_framework import serializers

from ssrjson_web.rest_framework import _templates, setup, teardown
from ssrjson_web.rest_framework._report import report_of

N_USES = 8


@pytest.fixture(autouse=True, scope="module")
def _usual_uses(project: None) -> Iterator[None]:
    setup()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_templates, "MIN_USES", N_USES)
        new_class()(data=[], many=True).is_valid()  # the first use after `setup` may go stock's way
        yield
    teardown()


def new_class() -> Any:
    return type("New", (serializers.Serializer,), {"a": serializers.IntegerField()})


def has_plans(cls: Any) -> bool:
    return bool(_templates.known_of(cls).templates)


ROW = {"a": 1}
USES: dict[str, tuple[Callable[[Any], Any], int]] = {
    "an object": (lambda cls: cls(ROW).data, N_USES),
    "a dict": (lambda cls: cls(data=ROW).is_valid(), N_USES),
    "a wrong dict": (lambda cls: cls(data={}).is_valid(), N_USES),
    "fields": (lambda cls: cls().fields, N_USES),
    "two objects": (lambda cls: cls([ROW] * 2, many=True).data, N_USES // 2),
    "objects": (lambda cls: cls([ROW] * 16, many=True).data, 0),
    "dicts": (lambda cls: cls(data=[ROW] * 8, many=True).is_valid(), 0),
    "a few dicts": (lambda cls: cls(data=[ROW] * 4, many=True).is_valid(), N_USES // 4),
}


@pytest.mark.parametrize("name", USES)
def test_class_gets_plans_after_some_uses(name: str) -> None:
    use, n_uses = USES[name]
    cls = new_class()
    for _ in range(n_uses):
        use(cls)
        assert not has_plans(cls)
    use(cls)
    assert has_plans(cls)


def test_serializer_that_is_kept_gets_a_plan_for_dicts() -> None:
    kept = new_class()()
    for _ in range(3 * N_USES):
        kept.run_validation(ROW)
    assert vars(kept)[_templates.OWN_PLAN].plan is not None


def test_class_that_changes_gets_plans_after_some_uses_again() -> None:
    cls = new_class()
    for n in range(3):
        for _ in range(N_USES + 1):
            assert cls(ROW).data == ROW
        assert has_plans(cls)
        cls.text = str(n)
        for _ in range(N_USES - 1):
            assert cls(ROW).data == ROW
            assert not has_plans(cls)


def test_class_that_changes_too_often_is_told(caplog: pytest.LogCaptureFixture) -> None:
    cls = new_class()
    cls([ROW] * 16, many=True).data  # noqa: B018
    for n in range(21):
        assert (caplog.messages, report_of(cls).reason) == ([], "")
        cls.text = str(n)
        assert cls([ROW] * 16, many=True).data == [ROW] * 16
    words = "its fields, or attributes of the class, have changed more than 20 times, so REST framework makes them"
    assert report_of(cls).reason == words
    assert caplog.messages == [f"{cls.__module__}.New: {words}"]
    cls.text = "once more"
    assert cls([ROW] * 16, many=True).data == [ROW] * 16
    assert len(caplog.messages) == 1
    assert not has_plans(cls)
