"""plotly writes and reads figures with orjson: the same text and figures with ssrjson_web.orjson in its place."""

from __future__ import annotations

import datetime
import decimal
import math
import sys
from collections.abc import Callable
from typing import Any

import pytest
from orjson_facade.users import assert_same_with_both

from ssrjson_web import orjson as ours
from ssrjson_web import utf8_cache_size

theirs = pytest.importorskip("orjson", reason="orjson is not installed: nothing to compare with")
np = pytest.importorskip("numpy", reason="numpy is not installed")
go = pytest.importorskip("plotly.graph_objects", reason="plotly is not installed")
pio = pytest.importorskip("plotly.io", reason="plotly is not installed")
to_json_plotly = pio.json.to_json_plotly
pytestmark = pytest.mark.skipif(
    theirs.__version__ != ours.__version__, reason="another orjson than the one that is followed"
)

UTC = datetime.timezone.utc
DAYS = [datetime.date(2026, 1, day) for day in range(1, 5)]
MOMENTS = [datetime.datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in range(4)]
FIGURES: dict[str, Callable[[], Any]] = {
    "bars": lambda: go.Figure(go.Bar(x=["été", "中文", "</script>", "😀"], y=[1, 2.5, None, -3])),
    "lines over dates": lambda: go.Figure(go.Scatter(x=DAYS, y=[1, 2, 3, 4], name="Größe & Preis")),
    "lines over moments": lambda: go.Figure([go.Scatter(x=MOMENTS, y=np.arange(4)), go.Scatter(x=DAYS, y=[1, 2])]),
    "arrays": lambda: go.Figure(go.Heatmap(z=np.arange(12, dtype="f4").reshape(3, 4) / 7)),
    "dates of numpy": lambda: go.Figure(go.Scatter(x=np.arange("2026-01", "2026-02", dtype="M8[D]"), y=np.ones(31))),
    "not finite": lambda: go.Figure(go.Scatter(y=[math.nan, math.inf, -math.inf, 1e300, 5e-324])),
    "ints": lambda: go.Figure(go.Scatter(y=[2**53, -(2**53), 2**63 - 1, 0], customdata=np.array([[1, 2]], dtype="u1"))),
    "objects": lambda: go.Figure(go.Scatter(y=np.array([1, "é", None, 2.5], dtype=object), text=["a\u2028b", "\x00"])),
    "layout": lambda: go.Figure(layout={"title": {"text": "Überschrift <b>fett</b>"}, "xaxis": {"type": "date"}}),
    "large": lambda: go.Figure(go.Scatter3d(**{axis: np.linspace(0, 1, 5000) for axis in "xyz"})),
}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], None]:
    return lambda module: monkeypatch.setitem(sys.modules, "orjson", module)


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("options", [{}, {"pretty": True}, {"remove_uids": False}, {"validate": False}], ids=str)
def test_figure_is_written_alike(put: Callable[[Any], None], name: str, options: dict[str, bool]) -> None:
    figure = FIGURES[name]()
    assert_same_with_both(theirs, put, lambda: pio.to_json(figure, engine="orjson", **options))


@pytest.mark.parametrize("name", FIGURES)
def test_figure_is_read_alike(put: Callable[[Any], None], name: str) -> None:
    text = pio.to_json(FIGURES[name](), engine="json")
    for source in (text, text.encode()):
        assert_same_with_both(theirs, put, lambda source=source: pio.from_json(source, engine="orjson").to_dict())


def test_engine_is_found_by_itself(put: Callable[[Any], None]) -> None:
    assert_same_with_both(theirs, put, lambda: FIGURES["bars"]().to_json(engine="auto"))


ODD = [decimal.Decimal("1.50"), 2**64, {1}, object, "\ud800", {"a": {(1,): 2}}, [[]] * 3, {None: 1, 2.5: 2}]


@pytest.mark.parametrize("value", ODD, ids=repr)
def test_odd_value_is_written_or_refused_alike(put: Callable[[Any], None], value: Any) -> None:
    assert_same_with_both(theirs, put, lambda: to_json_plotly({"data": value}, engine="orjson"))


@pytest.mark.parametrize("text", ["", "{", "[1,]", '{"data": NaN}', b"\xff", '{"data": [1e400]}'], ids=repr)
def test_broken_text_is_refused_alike(put: Callable[[Any], None], text: Any) -> None:
    assert_same_with_both(theirs, put, lambda: pio.from_json(text, engine="orjson"))


def test_no_copy_stays_in_the_texts_of_a_figure(put: Callable[[Any], None]) -> None:
    labels = [f"中文 {n}" for n in range(100)]
    put(ours)
    pio.to_json(go.Figure(go.Bar(x=labels, y=[1] * 100)), engine="orjson")
    assert sum(map(utf8_cache_size, labels)) == 0
