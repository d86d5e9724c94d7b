"""The check of random schemas itself: it passes, and finds what another core would do wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("marshmallow", reason="marshmallow is not installed")

from check_marshmallow import run

from ssrjson_web.marshmallow import _plans, teardown
from ssrjson_web.marshmallow._loading import LoadPlan
from ssrjson_web.marshmallow._reading import ReadPlan


@pytest.fixture
def _taken_back(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(_plans, "FEW_ITEMS", _plans.FEW_ITEMS)
    yield
    teardown()


@pytest.mark.usefixtures("_taken_back")
@pytest.mark.parametrize(("cls", "method"), [(ReadPlan, "read"), (LoadPlan, "load")])
def test_other_result_is_found(
    cls: type, method: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stock = getattr(cls, method)

    def changed(self: Any, *arguments: Any) -> Any:
        made = stock(self, *arguments)
        return dict(reversed(made.items())) if isinstance(made, dict) else made

    monkeypatch.setattr(cls, method, changed)
    assert run.main(["--minutes", "1", "--seed", "3"]) == 1
    output = capsys.readouterr()
    assert output.out.startswith("differs: --seed ")
    assert "AssertionError" in output.err
