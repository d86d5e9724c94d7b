"""Compare mode, apart from frameworks: which requests are taken, what differs, and what is kept of it."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import decimal
import enum
import logging
import os
import threading
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from helpers.processes import run_python

from ssrjson_web._compare.arguments import checked_comparison
from ssrjson_web._compare.comparison import Comparison, tell_of_fault
from ssrjson_web._compare.figures import MAX_DIFFERENCES, merged, report, summary
from ssrjson_web._compare.record import MAX_ROUTES, RECORD, ComparisonRecord
from ssrjson_web._compare.values import difference_of_bytes, difference_of_values, masked, once_only

ALL = 1.0


@pytest.fixture(autouse=True)
def fresh_record() -> Iterator[None]:
    RECORD.reset_after_fork()
    tell_of_fault.cache_clear()
    yield
    RECORD.reset_after_fork()


def compared(stock: Any, core: Any, **options: Any) -> dict[str, Any]:
    """The figures after one trial of two results."""
    trial = Comparison(ALL, **options).begin("GET /")
    assert trial is not None
    trial.compare("answer", stock=lambda: stock, core=lambda: core)
    trial.end()
    return RECORD.figures()


def raised(error: Exception) -> Any:
    raise error


# ---- options and shares -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        (("1", "stock"), TypeError, "compare must be a share of requests, a number from 0 to 1, not '1'"),
        ((True, "stock"), TypeError, "compare must be a share of requests, a number from 0 to 1, not True"),
        ((1.5, "stock"), ValueError, "compare must be a share of requests, from 0 to 1, not 1.5"),
        ((-0.1, "stock"), ValueError, "compare must be a share of requests, from 0 to 1, not -0.1"),
        ((float("nan"), "stock"), ValueError, "compare must be a share of requests, from 0 to 1, not nan"),
        ((0.5, "both"), ValueError, "serve must be 'stock' or 'core', not 'both'"),
        ((0.5, "stock", 1), TypeError, "mask must be True or False, not 1"),
    ],
)
def test_wrong_options_are_errors_that_name_them(options: Any, error: Any, text: str) -> None:
    with pytest.raises(error) as caught:
        checked_comparison(*options)
    assert str(caught.value) == text


def test_share_of_0_is_no_comparison_and_1_takes_each_request() -> None:
    assert checked_comparison(0, "stock") is None
    every = checked_comparison(1, "core")
    assert every is not None
    assert every.serves_core
    assert None not in [every.begin("GET /") for _ in range(1000)]


def test_share_takes_those_whose_number_is_below_it() -> None:
    numbers = iter([0.0, 0.24, 0.25, 0.9, 0.1])
    comparison = Comparison(0.25, draw=lambda: next(numbers))
    assert [comparison.begin("GET /") is not None for _ in range(5)] == [True, True, False, False, True]


def test_draw_of_the_application_is_not_changed() -> None:
    import random

    comparison = Comparison(0.5)
    random.seed(7)
    expected = [random.random() for _ in range(3)]
    random.seed(7)
    drawn = []
    for _ in range(3):
        comparison.begin("GET /")
        drawn.append(random.random())
    assert drawn == expected


def test_each_way_is_the_first_one_in_turn() -> None:
    order: list[str] = []
    comparison = Comparison(ALL)
    for _ in range(2):
        trial = comparison.begin("GET /")
        assert trial is not None
        trial.compare("answer", stock=lambda: order.append("stock"), core=lambda: order.append("core"))
    assert order == ["core", "stock", "stock", "core"]


# ---- differences --------------------------------------------------------------------------------


def test_same_bytes_do_not_differ() -> None:
    assert difference_of_bytes(b"abc", b"abc") is None
    assert compared(b"{}", b"{}")["routes"]["GET /"]["differ"] == 0


@pytest.mark.parametrize("size", [0, 1, 63, 64, 1000, 100_000])
def test_first_byte_that_differs_is_found(size: int) -> None:
    for tail, other in ((b"x1", b"y1"), (b"x", b""), (b"", b"x")):
        found = difference_of_bytes(b"a" * size + tail, b"a" * size + other)
        assert found is not None
        assert found[0] == size
        assert all(len(excerpt.text) <= 200 for excerpt in found[1:])


def test_difference_names_route_part_byte_and_field_and_masks_both_excerpts(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ssrjson_web.compare")
    stock, core = '{"user":{"name":"José 42"},"ok":true}'.encode(), b'{"user":{"name":"Jose 42"},"ok":true}'
    (difference,) = compared(stock, core)["differences"]
    assert difference == {
        "route": "GET /",
        "part": "answer",
        "place": "byte 20, .user.name",
        "stock": '{"xxxx":{"xxxx":"xxxx 99"},"xx":true}',
        "core": '{"xxxx":{"xxxx":"xxxx 99"},"xx":true}',
    }
    (line,) = [record.getMessage() for record in caplog.records]
    assert line.startswith("GET /: the core's answer differs from stock's at byte 20, .user.name: stock ")
    assert "Jos" not in caplog.text


def test_excerpts_are_shown_where_mask_is_off_and_have_at_most_200_characters() -> None:
    (difference,) = compared(b'"' + b"a" * 500 + b'1"', b'"' + b"a" * 500 + b'2"', mask=False)["differences"]
    assert difference["stock"].endswith('a1"')
    assert difference["core"].endswith('a2"')
    (difference, _) = compared(b"1" * 900, b"2" * 900, mask=False)["differences"][::-1]
    assert (difference["place"], len(difference["stock"]), len(difference["core"])) == ("byte 0, the whole", 200, 200)


def test_excerpts_are_one_line_and_can_be_encoded(caplog: pytest.LogCaptureFixture) -> None:
    stock = "a\n\x1b[31m\ud800".encode("utf-8", "surrogatepass")
    (difference,) = compared(stock, b"\r\nfake", mask=False)["differences"]
    assert (difference["stock"][:3], difference["core"]) == ("a??", "??fake")
    assert difference["stock"].isprintable()
    compared(["\ud800\u2028"], ["b"], mask=False)
    assert all(line.isprintable() for line in caplog.messages)


def test_fault_of_the_record_harms_nothing(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(RECORD, "add", lambda *_: 1 / 0)
    assert compared(b"1", b"2")["routes"] == {}
    assert "it could not be compared; the request was answered as usual" in caplog.text


def test_bytes_that_are_no_utf8_are_compared() -> None:
    (difference,) = compared(b"\xff\xfe", b"\xff\x00")["differences"]
    assert difference["place"] == "byte 1"


@dataclasses.dataclass
class Point:
    x: object
    y: object = None

    def __eq__(self, other: object) -> bool:
        raise AssertionError("code of the application was called")

    __hash__ = None  # type: ignore[assignment]


class Slotted:
    __slots__ = ("a",)

    def __init__(self, a: object) -> None:
        self.a = a


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


@pytest.mark.parametrize(
    ("stock", "core", "place"),
    [
        (1, True, "the whole"),
        (1, 1.0, "the whole"),
        (0.0, -0.0, "the whole"),
        (decimal.Decimal("1.0"), decimal.Decimal("1.00"), "the whole"),
        ([decimal.Decimal("NaN")], [decimal.Decimal("NaN")], None),
        (decimal.Decimal("sNaN"), decimal.Decimal(1), "the whole"),
        (
            datetime.datetime(2026, 1, 2, 1, tzinfo=datetime.timezone.utc),
            datetime.datetime(2026, 1, 2, 2, tzinfo=datetime.timezone(datetime.timedelta(hours=1))),
            "the whole",
        ),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, " key"),
        ({"a": [1, {"b": None}]}, {"a": [1, {"b": 0}]}, ".a[1].b"),
        ({"a@b.de": 1}, {"a@b.de": 2}, ".'x@x.xx'"),
        ([1], [1, 2], "the whole"),
        ([1], (1,), "the whole"),
        ({1, 2}, {1, 3}, "the whole"),
        (Point(1, [2]), Point(1, [3]), ".y[0]"),
        (Slotted("a"), Slotted("b"), ".a"),
        (Colour.RED, Colour.GREEN, None),
        (datetime.date(2026, 1, 2), datetime.date(2026, 1, 3), "the whole"),
        (datetime.datetime(2026, 1, 2, fold=0), datetime.datetime(2026, 1, 2), None),
        (ValueError("a"), ValueError("b"), ""),
    ],
)
def test_first_value_that_differs_is_named(stock: Any, core: Any, place: str | None) -> None:
    found = difference_of_values(stock, core)
    if type(stock) is Colour:
        assert found is not None
    elif place is None:
        assert found is None
    else:
        assert found is not None
        assert found.place == (place or "the whole")
    assert difference_of_values(stock, stock) is None


def test_values_that_are_nested_deep_or_hold_themselves_are_compared() -> None:
    deep: list[Any] = []
    other: list[Any] = []
    for _ in range(100_000):
        deep, other = [deep], [other]
    assert difference_of_values(deep, other) is None
    cycle: list[Any] = [1]
    cycle.append(cycle)
    second: list[Any] = [1]
    second.append(second)
    assert difference_of_values(cycle, second) is None
    nan = float("nan")
    assert difference_of_values([nan], [float("nan")]) is None


@pytest.mark.parametrize(
    ("stock", "core", "differs"),
    [
        (ValueError("a"), ValueError("a"), False),
        (ValueError("a"), UnicodeDecodeError("utf-8", b"", 0, 1, "a"), True),
        (ValueError("a"), TypeError("a"), True),
        (ValueError("a"), ValueError("b"), True),
        (RecursionError("a"), RecursionError("b"), False),
        (None, ValueError("secret 7"), True),
        (ValueError("secret 7"), None, True),
    ],
)
def test_exceptions_of_both_ways_are_compared(stock: Any, core: Any, differs: bool) -> None:
    trial = Comparison(ALL).begin("GET /")
    assert trial is not None
    ways = [(lambda: b"1") if one is None else (lambda one=one: raised(one)) for one in (stock, core)]
    outcomes = trial.compare("answer", stock=ways[0], core=ways[1])
    assert [outcome.error for outcome in outcomes] == [stock, core]
    trial.end()
    figures = RECORD.figures()
    assert figures["routes"]["GET /"]["differ"] == differs
    assert "secret" not in str(figures)
    assert [one["place"] for one in figures["differences"]] == ["an exception"] * differs


def test_value_that_cannot_be_compared_harms_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Odd(dict):  # type: ignore[type-arg]
        def __len__(self) -> int:
            raise RuntimeError("of the application")

    figures = compared(Odd(), Odd())
    assert figures["differences"] == []
    assert "it could not be compared; the request was answered as usual" in caplog.text


def test_masks_letters_and_digits_of_any_script_and_keeps_words_of_json() -> None:
    assert masked('{"Ä7":"李 x","n":[true,null,NaN]}') == '{"x9":"x x","x":[true,null,NaN]}'


# ---- what may be written twice ------------------------------------------------------------------


def look(value: Any) -> tuple[str, tuple[Any, ...]]:
    return f"a {type(value).__name__}", ()


class Pair(NamedTuple):
    a: int
    b: list[int]


class Listing(list):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("code of the application was called")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ({"a": [1, (2.5, None), {"b": {datetime.date(2026, 1, 1)}}], Colour.RED: b""}, ""),
        (collections.OrderedDict(a=collections.deque([1])), ""),
        (Pair(1, [2]), ""),
        ([{"a": (n for n in [1])}], "an answer holds an iterator, which can be iterated once"),
        ({"a": map(str, [1])}, "an answer holds an iterator, which can be iterated once"),
        ([Point(1)], "a Point"),
        (Listing([1]), "a Listing"),
        ([iter([])], "an answer holds an iterator, which can be iterated once"),
    ],
)
def test_values_that_can_be_read_once_are_found(value: Any, reason: str) -> None:
    assert once_only(value, look) == reason


# ---- what is kept -------------------------------------------------------------------------------


def add(record: ComparisonRecord, route: str, n_differences: int = 0) -> None:
    difference = {"route": route, "part": "answer", "place": "byte 1", "stock": "", "core": ""}
    record.add(route, 300, 100, 0.5, [difference] * n_differences)


def test_time_of_a_routes_first_request_is_not_counted() -> None:
    record = ComparisonRecord()
    for _ in range(3):
        add(record, "GET /")
    expected = {"compared": 3, "differ": 0, "stock_ns": 600, "core_ns": 200, "saved_ns": 800}
    assert record.figures()["routes"] == {"GET /": expected}


def test_memory_is_bounded() -> None:
    record = ComparisonRecord()
    for n in range(3 * MAX_ROUTES):
        add(record, f"GET /{n}", 3)
        record.leave_out(f"GET /{n}", "streams")
    for n in range(100):
        record.leave_out("GET /0", f"{n}")
    figures = record.figures()
    assert len(figures["routes"]) <= MAX_ROUTES + 1
    assert len(figures["left_out"]) == MAX_ROUTES
    assert figures["left_out"]["GET /0"] == "streams; 0; 1"
    assert len(figures["differences"]) == MAX_DIFFERENCES
    assert sum(one["compared"] for one in figures["routes"].values()) == 3 * MAX_ROUTES


def test_log_tells_a_difference_of_a_place_once(caplog: pytest.LogCaptureFixture) -> None:
    record = ComparisonRecord()
    for _ in range(5):
        add(record, "GET /", 1)
    add(record, "GET /other", 1)
    assert [one.levelname for one in caplog.records] == ["WARNING", "WARNING"]


def test_log_tells_the_sum_at_powers_of_ten_and_at_the_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ssrjson_web.compare")
    record = ComparisonRecord()
    for _ in range(1005):
        add(record, "GET /")
    record.tell_at_exit()
    record.tell_at_exit()
    told = [one.getMessage().partition(";")[0] for one in caplog.records]
    assert told == ["100 compared, 0 differ", "1,000 compared, 0 differ", "1,005 compared, 0 differ"]


def add_many(record: ComparisonRecord) -> None:
    for _ in range(2000):
        add(record, "GET /", 1)


def test_two_threads_lose_no_count() -> None:
    record = ComparisonRecord()
    threads = [threading.Thread(target=add_many, args=(record,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    figures = record.figures()["routes"]["GET /"]
    assert (figures["compared"], figures["differ"], figures["stock_ns"]) == (4000, 4000, 3999 * 300)


def test_summary_says_it_in_a_sentence() -> None:
    numbers = {"compared": 12_400, "differ": 0, "stock_ns": 2_900_000, "core_ns": 1_000_000, "saved_ns": 1_100_000_000}
    figures = {"routes": {"GET /": numbers}, "left_out": {}, "differences": [], "seconds": 3600.0}
    assert summary(figures) == "12,400 compared, 0 differ; 2.9 times as fast; 1.1 s of CPU saved an hour"
    two = report([figures, figures, merged([figures])])
    assert (two["compared"], two["saved_an_hour"], two["times_as_fast"]) == (37_200, 2.2, 2.9)
    assert report([])["summary"] == "0 compared, 0 differ"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_child_of_a_fork_counts_from_zero_and_draws_other_numbers(tmp_path: Any) -> None:
    snippet = """
        import os, sys
        from ssrjson_web._compare.comparison import Comparison, _random
        from ssrjson_web._compare.record import RECORD
        RECORD.add("GET /", 2, 1, 0.5, [])
        read, write = os.pipe()
        child = os.fork()
        if not child:
            RECORD.add("GET /b", 2, 1, 0.5, [])
            os.write(write, repr((list(RECORD.figures()["routes"]), _random.random())).encode())
            os._exit(0)
        os.waitpid(child, 0)
        routes, number = eval(os.read(read, 1000))
        assert routes == ["GET /b"], routes
        assert number != _random.random()
        assert list(RECORD.figures()["routes"]) == ["GET /"]
    """
    done = run_python(snippet, tmp_path)
    assert done.returncode == 0, done.stderr
