"""marshmallow with `setup()`, and with plans from the first call on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.importorskip("marshmallow", reason="marshmallow is not installed")

from ssrjson_web.marshmallow import _plans, setup, teardown


@pytest.fixture(autouse=True)
def _set_up(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(_plans, "FEW_ITEMS", 0)
    setup()
    yield
    teardown()
