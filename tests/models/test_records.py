"""Records that the core makes: as a slow interpreter makes them, with the same calls in the same order."""

from __future__ import annotations

import datetime
import decimal
import gc
import random
import sys
import uuid
import zoneinfo
from collections.abc import Callable
from typing import Any

import pytest
from helpers import records_reference as reference
from hypothesis import given, settings
from hypothesis import strategies as st

from ssrjson_web import _core
from ssrjson_web._models.language import (
    REFUSE,
    Acceptance,
    Accepted,
    LoadField,
    LoadRecord,
    ReadField,
    ReadRecord,
    StepWay,
    alternatives_within,
)

MORE = settings(max_examples=max(300, settings().max_examples), deadline=None)
SEEDS = st.integers(0, 2**32)
IS_FREE_THREADED = _core.get_current_features()["free_threading"]
UTC = datetime.timezone.utc
NONE_TYPE = type(None)
NAMES = ["id", "name", "é", "at", "other", "rows", "kind"]


class Skipped:
    def __repr__(self) -> str:
        return "SKIPPED"


SKIPPED = Skipped()


class State:
    pass


class Results:
    """In place of a QuerySet."""

    def __init__(self, results: Any) -> None:
        self.results = results


class Row:
    """An object with some of the names; `relation` and `prefetched` have their caches here."""

    def __init__(self, **attributes: Any) -> None:
        self._state = State()
        self._state.fields_cache = {}  # type: ignore[attr-defined]
        self._prefetched_objects_cache: dict[str, Any] = {}
        self.__dict__.update(attributes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Row) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    @property
    def computed(self) -> str:
        return "computed"


class OtherRow(Row):
    __slots__ = ("slot",)


class Calls:
    """The calls of a run: each notes what it is called with."""

    def __init__(self, behaviours: dict[int, Callable[..., Any]]) -> None:
        self.behaviours = behaviours
        self.events: list[Any] = []

    def resolve(self, number: int) -> Callable[..., Any]:
        self.events.append(("resolve", number))
        behaviour = self.behaviours[number]

        def called(*arguments: Any) -> Any:
            self.events.append((number, [repr(argument) for argument in arguments]))
            return behaviour(*arguments)

        return called


def outcome(run: Callable[[], Any], calls: Calls) -> tuple[Any, ...]:
    """The value with its types and order, or the exception; and what was called."""
    try:
        value = run()
    except Exception as error:
        return type(error), repr(error), calls.events
    return "value", repr(value), calls.events


# ---- random descriptions


class RandomRecords:
    """Descriptions, and values for them, by a seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.behaviours: dict[int, Callable[..., Any]] = {}
        self.is_read = True

    def number(self, *behaviours: Callable[..., Any]) -> int:
        """The number of a new call that behaves in one of these ways."""
        self.behaviours[len(self.behaviours)] = self.random.choice(behaviours)
        return len(self.behaviours) - 1

    def maybe(self, *behaviours: Callable[..., Any]) -> int:
        return self.number(*behaviours) if self.random.random() < 0.2 else -1

    def scalar_acceptances(self) -> list[Accepted]:
        choose = self.random.choice
        least = choose([None, 0, 2])
        texts = [
            Accepted(str, "trimmed", least, choose([None, 4]), choose([None, frozenset([""])])),
            Accepted(str, "whole", least, choose([None, 4]), validator=choose([None, refuse_a])),
            Accepted(str, "mapped", mapping={"a": 1, "é": 2}),
            Accepted(str, "mapped_or_same", mapping={"a": 1, "é": 2}),
            Accepted(str, "decimal", choose([0, 1, 4]), choose([0, 2, 3])),
            Accepted(str, "date", validator=datetime.date.fromisoformat),
            Accepted(str, "datetime", validator=datetime.datetime.fromisoformat),
            Accepted(str, "uuid", validator=uuid.UUID),
            Accepted(str, "call", validator=refuse_a),
            Accepted(str),
        ]
        ints = [
            Accepted(int, "int", least, 9),
            Accepted(int, "real", least),
            Accepted(int, "decimal", choose([0, 1, 4]), choose([0, 2, 3])),
            Accepted(int, "mapped", mapping={0: "zero"}),
        ]
        decimals = [
            Accepted(decimal.Decimal, "decimal_text", choose([None, 3, 6]), choose([None, 0, 2])),
            Accepted(decimal.Decimal, "quantized", 5, choose([0, 2])),
        ]
        zone = choose(
            [
                None,
                UTC,
                zoneinfo.ZoneInfo("Europe/Berlin"),
                zoneinfo.ZoneInfo("Asia/Kolkata"),
                datetime.timezone(datetime.timedelta(hours=-2)),
            ]
        )
        moments = [Accepted(datetime.datetime, "iso"), Accepted(datetime.datetime, "iso_z", zone=zone)]
        return [
            choose(texts),
            choose(ints),
            choose(decimals),
            choose(moments),
            choose([Accepted(float, "float", 0.0, None), Accepted(float, "decimal", 3, 2)]),
            Accepted(datetime.date, "iso"),
            Accepted(datetime.time, "iso"),
            Accepted(uuid.UUID, "uuid_text"),
            Accepted(NONE_TYPE),
            Accepted(bool),
        ]

    def acceptance(self, depth: int) -> Acceptance:
        if self.random.random() < 0.1:
            return None
        several = [accepted for accepted in self.scalar_acceptances() if self.random.random() < 0.7]
        if depth > 0:
            inner = self.acceptance(depth - 1)
            bounds = self.random.choice([(None, None), (1, 3)])
            for cls, check in ((list, "items"), (tuple, "items"), (dict, "values")):
                if self.random.random() < 0.3:
                    several.append(Accepted(cls, check, *bounds, inner=inner))  # type: ignore[arg-type]
                    if cls is not dict and self.random.random() < 0.3:
                        several.append(Accepted(cls, "tuple", inner=(several.pop(),)))
            if self.is_read and self.random.random() < 0.6:
                record = self.read_record(depth - 1)
                check = "read_single" if len(record.fields) == 1 else "read"
                several.append(Accepted(object, check, record=record))  # type: ignore[arg-type]
            elif not self.is_read and self.random.random() < 0.6:
                nested = self.load_record(depth - 1, is_nested=True)
                several = [accepted for accepted in several if accepted.exact_type not in (dict, list)]
                several.append(Accepted(dict, "load", record=nested))
                several.append(Accepted(list, "load", *bounds, record=nested))
        self.random.shuffle(several)
        return tuple(several)

    def read_record(self, depth: int) -> ReadRecord:
        ways = {}

        def way_of(cls: type, name: str) -> StepWay:
            if cls is Results:
                return ways.setdefault("results", StepWay("attribute", "results"))
            if cls is dict:
                return StepWay("item")
            if not issubclass(cls, Row):
                return StepWay("attribute")
            return ways[name]

        ways.update({name: self.way(name) for name in NAMES})
        names = self.random.sample(NAMES, self.random.choice([1, 3, 5]))
        fields = [
            ReadField(
                name,
                tuple(self.random.choices(NAMES, k=self.random.choice([0, 1, 1, 1, 2]))),
                self.acceptance(depth),
                self.number(lambda value: ("converted", repr(value)), raise_value_error, lambda value: SKIPPED),
                self.number(lambda *found: ("resumed", repr(found)), lambda *found: SKIPPED, raise_value_error),
            )
            for name in names
        ]
        return ReadRecord(tuple(fields), way_of, SKIPPED)

    def way(self, name: str) -> StepWay:
        own_name = self.random.choice(["", "", name, "computed"])
        guard = self.random.choice(["", "", "", "id"])
        return StepWay(
            self.random.choice(["attribute", "attribute", "stored", "relation", "prefetched", "library"]),  # type: ignore[arg-type]
            own_name,
            guard,
        )

    def load_record(self, depth: int, is_nested: bool = False) -> LoadRecord:
        is_pure = is_nested and self.random.random() < 0.4
        fields = []
        for name in self.random.sample(NAMES, self.random.choice([1, 3, 5])):
            target = self.random.choice([(name,)] * 6 + [("within", name), ()])
            whole = self.random.random() < 0.1
            acceptance = () if target == () else self.acceptance(depth)
            load = self.number(lambda value: {"loaded": repr(value)}, raise_value_error, lambda value: SKIPPED)
            fields.append(
                LoadField(
                    name,
                    target,
                    acceptance,
                    -1 if is_pure else load,
                    -1 if is_pure else self.maybe(lambda value: value, raise_value_error),
                    -1 if is_pure else self.maybe(lambda value: value, raise_value_error),
                    () if target == () else self.random.choice([(), (), ("default",)]),
                    self.random.random() < 0.3,
                    whole,
                )
            )
        return LoadRecord(
            tuple(fields),
            "ABSENT",
            SKIPPED,
            -1 if is_pure else self.number(note_error, raise_again),
            -1 if is_pure else self.number(lambda errors, made: ("failed", errors, made), raise_key_error),
            -1 if is_pure else self.number(lambda value, index: ("other", repr(value), index), raise_key_error),
            -1 if is_pure else self.maybe(lambda made: ("finished", made), raise_value_error),
            self.random.choice([-1, REFUSE]) if is_pure else self.maybe(lambda data, made, index: made.update(more=1)),
            -1 if is_pure else self.maybe(lambda errors, n, made: ("all failed", errors, n, made)),
            -1 if is_pure else self.maybe(lambda made: ("all finished", made), raise_value_error),
        )

    def value(self, depth: int) -> Any:
        choose = self.random.choice
        scalars: list[Any] = [
            *("", "a", "é", " a ", "\u3000", "a\0", "\ud800", "abcde", "2026-11-27", "2026-02-30", "-1.5", "0", "0.00"),
            *("12.345", "00.1", "2026-11-27T10:00:00Z", "2026-11-27T10:00:00+02:00", "9" * 30, "x" * 100),
            *(str(uuid.UUID(int=2**127 + 5)), 0, 1, -1, 9, 2**53 + 1, 2**70, 0.0, 1.5, -0.5, 1e300, float("nan"), True),
            *(None, uuid.UUID(int=1), datetime.date(1, 1, 1), datetime.time(1, 2, 3, 4), datetime.time(1, tzinfo=UTC)),
            *(
                datetime.datetime(2026, 1, 2, 3, 4, 5),
                datetime.datetime(1880, 1, 1, tzinfo=UTC),
                datetime.datetime(9999, 12, 31, 23, tzinfo=UTC),
                b"bytes",
            ),
            datetime.datetime(2026, 7, 2, 3, 4, 5, 6, tzinfo=zoneinfo.ZoneInfo("Europe/Berlin")),
            datetime.datetime(2026, 7, 2, 3, 4, 5, tzinfo=datetime.timezone(datetime.timedelta(seconds=1))),
            *map(decimal.Decimal, ("0", "-0.0", "1.25", "-12.5", "1E+3", "0.00001", "NaN", "9" * 25, "123456789.12")),
        ]
        if depth == 0 or self.random.random() < 0.6:
            return choose(scalars)
        items = [self.value(depth - 1) for _ in range(choose([0, 1, 2, 4]))]
        kind = choose(["row", "row", "list", "tuple", "dict", "callable"] if self.is_read else ["dict", "dict", "list"])
        match kind:
            case "list":
                return items
            case "tuple":
                return tuple(items)
            case "dict":
                return self.mapping(depth)
            case "callable":
                return len
        return self.row(depth)

    def mapping(self, depth: int) -> dict[Any, Any]:
        made: dict[Any, Any] = {name: self.value(depth - 1) for name in self.random.sample(NAMES, 4)}
        if self.random.random() < 0.1:
            made[1] = 2
        return made

    def row(self, depth: int) -> Row:
        cls = self.random.choice([Row, Row, OtherRow])
        row = cls(**{name: self.value(depth - 1) for name in self.random.sample(NAMES, 5)})
        if self.random.random() < 0.6:
            names = self.random.sample(NAMES, 3)
            row._state.fields_cache = {name: self.value(depth - 1) for name in names}  # type: ignore[attr-defined]
            results = self.random.choice([[], [self.value(depth - 1)], None])
            row._prefetched_objects_cache = dict.fromkeys(self.random.sample(NAMES, 3), Results(results))
        return row


def refuse_a(value: Any) -> Any:
    if value == "a":
        raise ValueError(value)
    return [value]


def raise_value_error(*arguments: Any) -> Any:
    raise ValueError("on purpose")


def raise_key_error(*arguments: Any) -> Any:
    raise KeyError("on purpose")


def note_error(error: Exception, errors: dict[Any, Any], key: Any, index: Any) -> Any:
    errors[key] = (repr(error), index)
    return SKIPPED


def raise_again(error: Exception, errors: dict[Any, Any], key: Any, index: Any) -> Any:
    raise error


Run = Callable[[Any, reference.Resolve], Any]


def assert_same(made: RandomRecords, core: Run, oracle: Run, value: Any) -> None:
    """The same result, or exception, and the same calls."""
    ours, theirs = Calls(made.behaviours), Calls(made.behaviours)
    resolve = reference.once(theirs.resolve)
    expected = outcome(lambda: refused(oracle(value, resolve)), theirs)
    assert outcome(lambda: core(value, ours.resolve), ours) == expected


@MORE
@given(SEEDS)
def test_reads_as_the_reference_does(seed: int) -> None:
    made = RandomRecords(seed)
    record = made.read_record(2)
    reader = _core._RecordReader(record)
    rows = [made.row(2) if made.random.random() < 0.9 else made.value(2) for _ in range(4)]
    for row in rows:
        assert_same(made, reader.read, lambda value, resolve: reference.read(record, value, resolve), row)
    assert_same(
        made,
        reader.read_all,
        lambda values, resolve: [reference.read(record, value, resolve) for value in values],
        rows,
    )


@MORE
@given(SEEDS)
def test_loads_as_the_reference_does(seed: int) -> None:
    made = RandomRecords(seed)
    made.is_read = False
    record = made.load_record(2)
    loader = _core._RecordLoader(record)
    values = [made.mapping(3) if made.random.random() < 0.9 else made.value(2) for _ in range(4)]
    for value in values:
        assert_same(made, loader.load, lambda value, resolve: reference.load(record, value, None, resolve), value)
    assert_same(made, loader.load_all, lambda values, resolve: reference.load_all(record, values, resolve), values)


def refused(result: Any) -> Any:
    return NotImplemented if result is reference.REFUSED else result


# ---- hostile Python


def by_attribute(cls: type, name: str) -> StepWay:
    return StepWay("attribute")


def read_one(*fields: ReadField, way_of: Callable[[type, str], StepWay] = by_attribute) -> _core._RecordReader:
    return _core._RecordReader(ReadRecord(fields, way_of, SKIPPED))


def fail_to_resolve(number: int) -> Any:
    raise LookupError(number)


def test_random_records_have_each_op_that_the_reference_knows() -> None:
    found = set()
    for seed in range(60):
        made = RandomRecords(seed)
        made.is_read = seed % 2 == 0
        record = made.read_record(2) if made.is_read else made.load_record(2)
        found |= {one.op for field in record.fields for one in alternatives_within(field.acceptance)}
    assert sorted(reference.known_ops() - found) == [], "`RandomRecords.acceptance` above makes none of these"


def test_list_that_shrinks_or_grows_while_it_is_read_is_read_as_a_loop_does() -> None:
    rows = [Row(id=i) for i in range(10)]

    def shrink(row: Row) -> int:
        del rows[5:]
        return row.id  # type: ignore[attr-defined, no-any-return]

    reader = read_one(ReadField("id", (), (), 0))
    assert reader.read_all(rows, [shrink].__getitem__) == [{"id": i} for i in range(5)]

    def grow(row: Row) -> int:
        if len(rows) < 8:
            rows.append(Row(id=len(rows)))
        return row.id  # type: ignore[attr-defined, no-any-return]

    assert reader.read_all(rows, [grow].__getitem__) == [{"id": i} for i in range(8)]


def test_list_within_that_shrinks_is_given_to_the_library() -> None:
    items = [Row(id=i) for i in range(3)]

    def shrink(row: Row) -> str:
        items.clear()
        return "read"

    inner = ReadRecord((ReadField("id", (), (), 1),), by_attribute, SKIPPED)
    acceptance = (Accepted(list, "items", inner=(Accepted(object, "read", record=inner),)),)
    reader = read_one(ReadField("items", (), acceptance, 0))
    # without the GIL the list is read as it was at first
    expected: Any = [{"id": "read"}] * 3 if IS_FREE_THREADED else "[]"
    assert reader.read(items, [repr, shrink].__getitem__) == {"items": expected}


def test_dict_that_changes_while_its_values_are_read_is_given_to_the_library() -> None:
    values = {"a": Row(), "b": Row()}

    def change(row: Row) -> str:
        values[f"c{len(values)}"] = Row()
        return "read"

    inner = ReadRecord((ReadField("id", (), (), 1),), by_attribute, SKIPPED)
    acceptance = (Accepted(dict, "values", inner=(Accepted(object, "read", record=inner),)),)
    reader = read_one(ReadField("values", (), acceptance, 0))
    expected: Any = {"a": {"id": "read"}, "b": {"id": "read"}} if IS_FREE_THREADED else 3
    assert reader.read(values, [len, change].__getitem__) == {"values": expected}


def test_reader_may_be_entered_again_while_classes_push_out_what_it_knows() -> None:
    classes = [type(f"Class{i}", (), {"name": property(lambda self, i=i: reenter(i))}) for i in range(6)]  # type: ignore[misc]
    reader = read_one(
        ReadField("name", ("name",), None, resume=0), way_of=lambda cls, name: StepWay("attribute", f"{name}")
    )

    def reenter(i: int) -> Any:
        return reader.read(classes[i + 1](), len) if i < 5 else "end"  # type: ignore[arg-type]

    expected: Any = "end"
    for _ in range(6):
        expected = {"name": expected}
    assert reader.read(classes[0](), len) == expected  # type: ignore[arg-type]


def test_class_that_changes_is_asked_for_again() -> None:
    asked = []

    class Changing:
        name = 1
        other = 2

    def way_of(cls: type, name: str) -> StepWay:
        asked.append(cls)
        return StepWay("attribute", "other" if hasattr(cls, "changed") else "")

    reader = read_one(ReadField("name", ("name",), None, resume=0), way_of=way_of)
    assert [reader.read(Changing(), fail_to_resolve) for _ in range(3)] == [{"name": 1}] * 3
    Changing.changed = True  # type: ignore[attr-defined]
    assert [reader.read(Changing(), fail_to_resolve) for _ in range(3)] == [{"name": 2}] * 3
    assert len(asked) <= 4  # a class may have no version before its first attribute is read


def test_rows_of_two_classes_in_turns_are_asked_for_once() -> None:
    asked = []

    def way_of(cls: type, name: str) -> StepWay:
        asked.append(cls)
        return StepWay("attribute")

    rows: list[Any] = [Row(id=1), OtherRow(id=2)] * 20
    reader = read_one(ReadField("id", ("id",), None, resume=0), way_of=way_of)
    assert reader.read_all(rows, fail_to_resolve) == [{"id": 1}, {"id": 2}] * 20
    assert len(asked) <= 4


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_exception_passes_everywhere(error: type[BaseException]) -> None:
    def stop(*arguments: Any) -> Any:
        raise error

    class Stopping:
        name = property(stop)

    calls = [stop, lambda *arguments: "called"]
    for reader, value in (
        (read_one(ReadField("name", ("name",), None, resume=1)), Stopping()),
        (read_one(ReadField("name", (), (), 0)), 1),
        (read_one(ReadField("name", ("absent",), None, resume=0)), 1),
        (read_one(ReadField("name", ("name",), None, resume=1), way_of=stop), 1),
        (read_one(ReadField("name", (), (Accepted(int, "call", validator=stop),), 1)), 1),
    ):
        with pytest.raises(error):
            reader.read(value, calls.__getitem__)
        with pytest.raises(error):
            reader.read_all([value], calls.__getitem__)
        with pytest.raises((error, LookupError)):
            reader.read_all([value], fail_to_resolve)
    field = LoadField("name", ("name",), (Accepted(str),), 0)
    loader = _core._RecordLoader(LoadRecord((field,), None, SKIPPED, 1, 1, 1))
    with pytest.raises(error):
        loader.load({"name": 1}, calls.__getitem__)
    with pytest.raises(error):
        loader.load_all([{"name": 1}], calls.__getitem__)


def test_more_fields_and_calls_than_fit_the_stack() -> None:
    fields = [ReadField(f"f{i}", (), (), i) for i in range(300)]
    reader = read_one(*fields)
    calls = [lambda value, i=i: (value, i) for i in range(300)]
    assert reader.read(7, calls.__getitem__) == {f"f{i}": (7, i) for i in range(300)}
    calls[150] = lambda value, i=0: SKIPPED  # type: ignore[misc]
    assert list(reader.read(7, calls.__getitem__)) == [f"f{i}" for i in range(300) if i != 150]
    calls[299] = fail_to_resolve  # type: ignore[assignment]
    with pytest.raises(LookupError):
        reader.read(7, calls.__getitem__)


def test_dict_of_a_record_is_as_any_other() -> None:
    reader = read_one(*(ReadField(name, (), None) for name in "abc"))
    one, other = reader.read_all([1, []], fail_to_resolve)
    one["d"] = 4
    del one["a"]
    assert one == {"b": 1, "c": 1, "d": 4}
    assert other == {"a": [], "b": [], "c": []}
    assert gc.is_tracked(other)
    assert read_one().read(1, fail_to_resolve) == {}


def test_reader_in_a_cycle_is_collected() -> None:
    class Marker:
        pass

    def make() -> None:
        marker = Marker()
        markers.append(sys.getrefcount(marker))
        holder: list[Any] = [marker]
        reader = read_one(ReadField("a", (), (Accepted(str, "mapped", mapping={"a": holder}),), 0))
        field = LoadField("a", ("a",), (), 0, default=(holder,))
        holder += [reader, _core._RecordLoader(LoadRecord((field,), None, holder, 0, 0, 0))]

    markers: list[int] = []
    gc.collect()
    make()
    gc.collect()
    assert not [found for found in gc.get_objects() if type(found) is Marker]


def test_data_that_changes_while_it_is_loaded() -> None:
    data = {"a": 1, "b": 2}

    def clear(value: Any) -> Any:
        data.clear()
        return value

    fields = (LoadField("a", ("a",), (), 0), LoadField("b", ("b",), (), 0, default=("default",)))
    loader = _core._RecordLoader(LoadRecord(fields, None, SKIPPED, 1, 1, 1, unknown=2))
    unknown: list[Any] = []
    calls = [clear, fail_to_resolve, lambda *arguments: unknown.append(arguments)]
    assert loader.load(data, calls.__getitem__) == {"a": 1, "b": "default"}
    assert unknown == [({}, {"a": 1, "b": "default"}, None)]


@pytest.mark.parametrize(
    "make",
    [
        lambda: _core._RecordReader(),  # type: ignore[call-arg]
        lambda: _core._RecordReader(1),  # type: ignore[arg-type]
        lambda: _core._RecordReader(LoadRecord((), None, None, 0, 0, 0)),  # type: ignore[arg-type]
        lambda: read_one(ReadField("a", ("b",), None)),
        lambda: read_one(ReadField("a", ("b",), None, 0, REFUSE)),
        lambda: read_one(ReadField("a", (), (Accepted(str),))),
        lambda: read_one(ReadField("a", (), None), ReadField("a", (), None)),
        lambda: read_one(ReadField("a", (), None, 2**40)),
        lambda: read_one(ReadField("a", (), None, "0")),  # type: ignore[arg-type]
        lambda: read_one(ReadField(1, (), None)),  # type: ignore[arg-type]
        lambda: read_one(ReadField("a", (1,), None)),  # type: ignore[arg-type]
        lambda: read_one(ReadField("a", (), (Accepted(str, "iso"),), 0)),
        lambda: read_one(ReadField("a", (), (Accepted(str, "decimal", 1),), 0)).read("1", fail_to_resolve),
        lambda: read_one(ReadField("a", (), (Accepted(str, "decimal", None, 1),), 0)),
        lambda: read_one(ReadField("a", (), (Accepted(float, "decimal_text"),), 0)),
        lambda: read_one(ReadField("a", (), (Accepted(str, "mapped"),), 0)),
        lambda: read_one(ReadField("a", (), (Accepted(object, "read"),), 0)),
        lambda: _core._RecordLoader(LoadRecord((LoadField("a", ("a",), 1, 0),), None, None, 0, 0, 0)),  # type: ignore[arg-type]
        lambda: _core._RecordLoader(LoadRecord((), None, None, 0, -1, 0)),
        lambda: _core._RecordLoader(LoadRecord((LoadField("a", (1,), (), 0),), None, None, 0, 0, 0)),  # type: ignore[arg-type]
        lambda: read_one(ReadField("a", ("a",), None, resume=0), way_of=lambda cls, name: ("attribute",)).read(1, len),  # type: ignore[arg-type, return-value]
        lambda: read_one(ReadField("a", ("a",), None, resume=0), way_of=lambda cls, name: StepWay("none")).read(1, len),  # type: ignore[arg-type]
        lambda: read_one().read(1),  # type: ignore[call-arg]
        lambda: read_one().read_all((1,), len),  # type: ignore[arg-type]
    ],
)
def test_wrong_description_or_argument_raises(make: Callable[[], object]) -> None:
    with pytest.raises((TypeError, ValueError, LookupError)):
        make()


def test_description_nested_too_deep_raises() -> None:
    record = ReadRecord((), by_attribute, SKIPPED)
    for _ in range(30):
        field = ReadField("a", (), (Accepted(object, "read", record=record),), 0)
        record = ReadRecord((field,), by_attribute, SKIPPED)
    with pytest.raises(ValueError, match="nested deeper"):
        _core._RecordReader(record)


def test_int_of_too_many_digits_is_given_to_the_library() -> None:
    field = LoadField("a", ("a",), (Accepted(int, "decimal", 9, 2),), 0)
    loader = _core._RecordLoader(LoadRecord((field,), None, SKIPPED, 1, 1, 1))
    assert loader.load({"a": 10**5000}, [lambda value: "asked", fail_to_resolve].__getitem__) == {"a": "asked"}
