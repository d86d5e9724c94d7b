"""What is attacked of typed values: loading by type, values that are validated, and records that are read and loaded.

Those that are loaded make objects of texts, so all that is new is cleared; the others get a document, which is cleared.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import importlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypedDict

from ssrjson_web._core import _RecordLoader, _RecordReader
from ssrjson_web._models.language import Accepted, LoadField, LoadRecord, ReadField, ReadRecord, StepWay

__all__ = ["loader", "loading", "reader", "with_documents"]


class Size(enum.Enum):
    SMALL = "s" * 9
    LARGE = "ł" * 9


@dataclasses.dataclass
class Point:
    x: int
    names: list[str] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        self.n = len(self.names)


@dataclasses.dataclass
class Slotted:
    __slots__ = ("other", "x")
    x: float
    other: Point | None


class Pair(NamedTuple):
    first: str
    second: tuple[int, str] = (1, "a")


class Movie(TypedDict, total=False):
    title: str
    parts: dict[str, list[decimal.Decimal]]


Any_of_many = int | str | list[Point] | Movie | None
POINT = '{"x": 12345678901, "names": ["' + "n" * 40 + '", "é"]}'
MOVIE = '{"title": "中文' + "t" * 40 + '", "parts": {"' + "k" * 30 + '": ["1.50", 2.5, 3]}, "unknown": [[1], {}]}'
DOCUMENTS: dict[str, tuple[Any, str]] = {
    "dataclass": (list[Point], f"[{POINT}, {POINT}]"),
    "dataclass with slots": (list[Slotted], f'[{{"x": 1.5, "other": {POINT}}}, {{"other": null, "x": 2}}]'),
    "NamedTuple": (list[Pair], '[["first", [5, "second"]], ["another first"]]'),
    "TypedDict": (dict[str, Movie], f'{{"a key": {MOVIE}, "b": {{}}}}'),
    "sets and tuples": (tuple[set[str], frozenset[int], Any], '[["é", "b", "é"], [1, 2, 3], {"a": [1, "x"]}]'),
    "union": (list[Any_of_many], f'[1, "text", null, [{POINT}], {MOVIE}]'),
    "moments": (
        list[datetime.datetime | int],
        '["2026-01-02T03:04:05.678+02:00", 5, "2026-01-02T03:04:05Z", "2026-01-02T03:04:05"]',
    ),
    "Enum": (dict[Size, list[Size]], '{"sssssssss": ["łłłłłłłłł", "sssssssss"]}'),
    "wrong type": (list[Point], f'[{POINT}, {{"x": "text"}}]'),
    "missing key": (list[Point], f'[{POINT}, {{"names": []}}]'),
}


def _of_msgspec(msgspec: Any) -> dict[str, tuple[Any, str]]:
    made: Any = msgspec.defstruct("Made", [("x", int), ("y", list[str]), ("z", Any, None)])
    tagged: Any = [msgspec.defstruct(f"Tag{n}", [("x", int)], tag=f"tag {n}") for n in range(2)]
    return {
        "Struct": (list[made], '[{"x": 12345678901, "y": ["abc", "é"], "z": {"k": [1]}}, {"x": 1, "y": []}]'),
        "tagged Structs": (
            list[tagged[0] | tagged[1]],  # type: ignore[valid-type]
            '[{"type": "tag 1", "x": 5}, {"x": 6, "type": "tag 0"}]',
        ),
    }


def _of_attrs(attrs: Any) -> dict[str, tuple[Any, str]]:
    made: Any = attrs.make_class("Made", {"x": attrs.field(type=int), "y": attrs.field(type=list[str])})
    return {"attrs": (list[made], '[{"x": 12345678901, "y": ["abc", "é"]}]')}


def loading() -> Iterator[tuple[str, Any, Callable[[Any], object]]]:
    """Names, types, and what runs with a Decoder of the type."""
    documents = dict(DOCUMENTS)
    for name, of in (("msgspec", _of_msgspec), ("attrs", _of_attrs)):
        try:
            documents |= of(importlib.import_module(name))
        except ImportError:
            continue
    for name, (cls, text) in documents.items():
        data, lines = text.encode(), f"{text}\n{text}\n"
        yield f"decode by type: {name}", cls, lambda decoder, text=text: decoder.decode(text)
        yield f"decode by type, bytes: {name}", cls, lambda decoder, data=data: decoder.decode(data)
        yield f"decode_lines by type: {name}", cls, lambda decoder, lines=lines: decoder.decode_lines(lines)


# ---- records and acceptances -------------------------------------------------------------------


def _called(*arguments: Any) -> Any:
    failures = [argument for argument in arguments if isinstance(argument, MemoryError)]  # of tests/allocations
    if failures:
        del arguments  # which would hold the error whose traceback holds them
        raise failures.pop()
    return ["of a call", len(arguments)]


def _resolve(number: int) -> Callable[..., Any]:
    return _called


def _way_of(cls: type, name: str) -> StepWay:
    return StepWay("item" if issubclass(cls, dict) else "attribute")


VALUES = (
    Accepted(str, "mapped_or_same", mapping={"é" * 9: "e"}),
    Accepted(int),
    Accepted(decimal.Decimal, "decimal_text", 9, 2),
    Accepted(datetime.datetime, "iso"),
    Accepted(list, "items", inner=(Accepted(str, "text"), Accepted(int, "int"))),
    Accepted(dict, "values", inner=None),
)
SKIPPED = object()


class Row:
    """What a record is read of."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


def reader() -> Any:
    """Reads a `Row`."""
    inner = ReadRecord((ReadField("name", ("name",), VALUES, 0, 0),), _way_of, SKIPPED)
    keys = ("a", "b", "c", "d", "e", "f", "missing")
    fields = [ReadField(key, (key,), VALUES, 0, 0) for key in keys]
    fields.append(ReadField("row", ("row",), (Accepted(Row, "read", record=inner),), 0, 0))
    fields.append(ReadField("name of row", ("row", "name"), VALUES, 0, 0))
    return _RecordReader(ReadRecord(tuple(fields), _way_of, SKIPPED))


def _row() -> Row:
    return Row(
        a="".join(["é"] * 9),
        b=10**30 + len("é"),
        c=decimal.Decimal("1.5"),
        d=datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc),
        e=["x" * 9 + chr(99), 5, 2.5],
        f={"k" * 9: [1]},
        row=Row(name="".join(["中"] * 9)),
    )


def loader() -> Any:
    """Loads dicts."""
    fields = (
        LoadField("a", ("x", "a"), (Accepted(str, "trimmed", 1, 5),), 0),
        LoadField("b", ("b",), (Accepted(str, "decimal", 9, 2), Accepted(int, "decimal", 9, 2)), 0, confirm=0, after=0),
        LoadField("c", ("c",), (Accepted(str),), 0, default=("default",)),
        LoadField("e", ("e",), (Accepted(list, "items", inner=(Accepted(str, "text"),)),), 0),
    )
    within = LoadField("d", ("d",), (Accepted(dict, "load", record=LoadRecord(fields, None, None, 0, 0, 0)),), 0)
    return _RecordLoader(LoadRecord((*fields, within), None, None, 0, 0, 0, 0, 0, 0, 0))


def _loaded(depth: int = 1) -> dict[str, Any]:
    made: dict[str, Any] = {
        "a": " ab" + chr(233),
        "b": "".join(["12", ".5"]),
        "c": "2026-01-02T03:04:05" + "Z" * depth,
        "e": ["".join(["中"] * 9), 7],
        "unknown": [1],
    }
    return {**made, "d": _loaded(depth - 1)} if depth else made


def _of_pydantic(pydantic: Any) -> Iterator[tuple[str, Callable[[], Any], Callable[[Any], object]]]:
    from ssrjson_web.models import TypedDecoder, TypedEncoder

    row = pydantic.create_model("Row", a=(int, ...), b=(list[str], ...), c=(dict[str, int], ...), d=(Any, None))
    rows = pydantic.create_model("Rows", items=(list[row], ...), moment=(datetime.datetime | None, None))  # type: ignore[valid-type]

    def document() -> Any:
        one = {"a": 10**15 + len("é"), "b": ["q" * 9, "r" * 9], "c": {"k" * 9: 5}, "d": [decimal.Decimal("1.5"), [1]]}
        return [{"items": [one, {**one, "b": ["s" * 9]}], "moment": "2026-01-02T03:04:05Z"}, {"items": []}]

    encoder, decoder = TypedEncoder(list[rows]), TypedDecoder(list[rows])  # type: ignore[valid-type]
    yield "TypedEncoder of dicts", document, encoder.encode
    yield "TypedEncoder of models", lambda: [rows.model_validate(one) for one in document()], encoder.encode
    text = '[{"items": [{"a": 12345678901, "b": ["abc", "é"], "c": {"k": 1}, "d": [1]}], "moment": null}]'
    yield "TypedDecoder", list, lambda _: decoder.decode(text)


def with_documents() -> Iterator[tuple[str, Callable[[], Any], Callable[[Any], object]]]:
    """Names, makers of documents, and what runs with a document."""
    reading, loads = reader(), loader()
    yield "records read", lambda: [_row(), _row()], lambda rows: reading.read_all(rows, _resolve)
    yield "record read", _row, lambda row: reading.read(row, _resolve)
    yield "dict read", lambda: vars(_row()), lambda row: reading.read(row, _resolve)
    yield "records loaded", lambda: [_loaded(), _loaded()], lambda values: loads.load_all(values, _resolve)
    yield "record loaded", _loaded, lambda value: loads.load(value, _resolve)
    try:
        pydantic = importlib.import_module("pydantic")
    except ImportError:
        return
    yield from _of_pydantic(pydantic)
