"""Random fields: of every class of marshmallow's, with options, and of classes of a user, which note their calls."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import ipaddress
import random
import re
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import marshmallow
from marshmallow import fields, missing, validate

IS_VERSION_3 = marshmallow.__name__ == "marshmallow" and hasattr(marshmallow.Schema(), "context")
CALLS: list[Any] = []
"""The calls of the user's code, in order."""


def text_of(value: Any) -> str:
    """A value's repr without addresses."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def note(*call: Any) -> None:
    CALLS.append(tuple(text_of(part)[:80] if not isinstance(part, str) else part for part in call))


class Colour(enum.Enum):
    RED = "red"
    GREEN = 2
    BLUE = "blue"
    AZURE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Word(str, enum.Enum):
    YES = "yes"
    NO = "no"


class Text(str):
    """A str of a subclass."""


@dataclass
class Drawn:
    """A random field, and the values that it is for."""

    field: Any
    internal: Callable[[random.Random], Any]
    external: Callable[[random.Random], Any]


TEXTS = ["", "a", "中文", "x" * 30, "12", "true", "1.50", "é", "a@example.com", "http://example.com/x", "\0", "\ud800"]


def _text(r: random.Random) -> str:
    return r.choice(TEXTS)


def _int(r: random.Random) -> int:
    return r.choice([0, 1, 2, 7, -3, 10**6, 2**63, 10**30])


def _float(r: random.Random) -> float:
    return r.choice([0.0, 1.5, -2.25, 1e300, float("inf"), float("nan"), 3.0])


def _decimal(r: random.Random) -> decimal.Decimal:
    return decimal.Decimal(r.choice(["0", "1.5", "-12.50", "1E+3", "NaN", "0.001", "123456789.25", "-0", "Infinity"]))


ZONES = [None, dt.timezone.utc, dt.timezone(dt.timedelta(hours=5, minutes=30)), dt.timezone(dt.timedelta(seconds=7))]


def _datetime(r: random.Random) -> dt.datetime:
    return dt.datetime(
        r.choice([1, 1999, 2026]), 11, r.choice([1, 27]), 9, 5, 0, r.choice([0, 5, 123456]), r.choice(ZONES)
    )


def _date(r: random.Random) -> dt.date:
    return dt.date(r.choice([1, 2026]), 2, 3)


def _time(r: random.Random) -> dt.time:
    return dt.time(r.choice([0, 23]), 59, 1, r.choice([0, 7]), r.choice(ZONES))


def _uuid(r: random.Random) -> uuid.UUID:
    return uuid.UUID(int=r.getrandbits(128))


def _address(r: random.Random) -> Any:
    return ipaddress.ip_address(r.choice(["127.0.0.1", "::1", "fe80::1"]))


def _plain(r: random.Random) -> Any:
    return r.choice([None, True, 1, 1.5, "x", [1], {"a": [1]}, []])


def anything(r: random.Random) -> Any:
    """A value that is seldom right."""
    makers = [_text, _int, _float, _decimal, _datetime, _date, _time, _uuid, _plain]
    if r.random() < 0.3:
        return r.choice(
            [b"ab", b"\xff", Text("sub"), Colour.RED, Level.LOW, Word.YES, missing, object, len, {1: 2}, (1, 2), {3}]
        )
    if r.random() < 0.1:
        return r.choice([dt.timedelta(days=1, microseconds=3), range(3), {"a": 1, "b": None}, ["a", None, 1]])
    return r.choice(makers)(r)


# Classes of a user


class Shouted(fields.String):
    def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        note("Shouted._serialize", value, attr, type(obj).__name__, sorted(kwargs))
        return value.upper() if isinstance(value, str) else value

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        note("Shouted._deserialize", value, attr, data, sorted(kwargs))
        return super()._deserialize(value, attr, data, **kwargs)


class Quiet(fields.Integer):
    """Of a subclass that overrides nothing which is called."""

    default_error_messages: ClassVar[dict[str, str]] = {"invalid": "Not quiet."}


class Halved(fields.Integer):
    def _format_num(self, value: Any) -> Any:
        note("Halved._format_num", value)
        return super()._format_num(value) // 2


class Picky(fields.Field):
    def get_value(self, obj: Any, attr: Any, accessor: Any = None, default: Any = missing) -> Any:
        note("Picky.get_value", attr)
        return super().get_value(obj, attr, accessor, default)

    def _validate_missing(self, value: Any) -> None:
        note("Picky._validate_missing", value)
        super()._validate_missing(value)


class Whole(fields.Integer):
    def serialize(self, attr: Any, obj: Any, accessor: Any = None, **kwargs: Any) -> Any:
        note("Whole.serialize", attr)
        return super().serialize(attr, obj, accessor, **kwargs)

    def deserialize(self, value: Any, attr: Any = None, data: Any = None, **kwargs: Any) -> Any:
        note("Whole.deserialize", value, attr)
        return super().deserialize(value, attr, data, **kwargs)


def _check_even(value: Any) -> Any:
    note("check_even", value)
    if value in (1, "a", 1.5):
        raise marshmallow.ValidationError("odd") if value != "a" else marshmallow.ValidationError({"deep": ["odd"]})
    return None


def _refuse(value: Any) -> bool:
    note("refuse", value)
    return value != 2


def _crash(value: Any) -> Any:
    note("crash", value)
    if value == 7:
        raise KeyError("crash")
    return value


def _changed(value: Any) -> Any:
    note("changed", value)
    if value == "12":
        raise marshmallow.ValidationError("twelve")
    return value * 2 if isinstance(value, (int, str)) else value


# Options


def _validators(r: random.Random, kind: str) -> Any:
    of_text = [
        validate.Length(min=1),
        validate.Length(max=3, min=0),
        validate.Length(equal=2),
        validate.OneOf(["a", "中文", "12"]),
        validate.Regexp("[a-z]"),
        validate.Email(),
        validate.NoneOf(["a"]),
        validate.Equal("a"),
        validate.Predicate("isalpha"),
    ]
    of_number = [
        validate.Range(min=1),
        validate.Range(min=0, max=5, max_inclusive=False, min_inclusive=False),
        validate.Range(max=1.5),
        validate.OneOf([1, 2, 7]),
    ]
    of_items = [validate.Length(max=2), validate.ContainsOnly([1, "a", 2]), validate.ContainsNoneOf(["a"])]
    of_any = [_check_even, _refuse, _crash]
    own = {"text": of_text, "number": of_number, "items": of_items}.get(kind, [])
    drawn = [r.choice(own + of_any if r.random() < 0.3 else own or of_any) for _ in range(r.choice([1, 1, 2]))]
    return drawn[0] if len(drawn) == 1 and r.random() < 0.5 else drawn


def options(r: random.Random, kind: str, *, is_inner: bool = False) -> dict[str, Any]:
    """Keyword arguments that every field class takes."""
    drawn: dict[str, Any] = {}
    if r.random() < 0.3:
        drawn["validate"] = _validators(r, kind)
    if r.random() < 0.25:
        drawn["allow_none"] = r.random() < 0.8
    if not is_inner and r.random() < 0.2:
        drawn["required"] = True
    elif not is_inner and r.random() < 0.25:
        drawn["load_default"] = r.choice([None, 5, "d", [], lambda: note("load_default") or 3])
    if not is_inner and r.random() < 0.2:
        drawn["dump_default"] = r.choice([None, 5, "d", [1], lambda: note("dump_default") or "4"])
    if not is_inner and r.random() < 0.15:
        drawn["data_key"] = r.choice(["key1", "key2", "", "a.b"])
    if not is_inner and r.random() < 0.12:
        drawn["attribute"] = r.choice(["other", "deep.x", "deep.y.z", "deep", "items"])
    if not is_inner and r.random() < 0.08:
        drawn[r.choice(["load_only", "dump_only"])] = True
    if not IS_VERSION_3 and hasattr(fields.Field(), "pre_load"):
        if r.random() < 0.07:
            drawn["pre_load"] = [_changed]
        if r.random() < 0.07:
            drawn["post_load"] = _changed
    if r.random() < 0.1:
        drawn["error_messages"] = {"required": "needed", "null": {"code": 1}}
    return drawn


def _maybe(r: random.Random, **values: Any) -> dict[str, Any]:
    return {name: r.choice(value) for name, value in values.items() if r.random() < 0.4}


FORMATS = ["iso", "rfc", "timestamp", "timestamp_ms", "%Y/%m/%d %H", "iso8601"]


def _moments(r: random.Random, inner: bool) -> Drawn:
    cls = r.choice([fields.DateTime, fields.DateTime, fields.NaiveDateTime, fields.AwareDateTime])
    own = _maybe(r, format=FORMATS)
    if cls is fields.NaiveDateTime:
        own |= _maybe(r, timezone=[dt.timezone.utc])
    if cls is fields.AwareDateTime:
        own |= _maybe(r, default_timezone=[dt.timezone.utc])
    return Drawn(
        cls(**own, **options(r, "any", is_inner=inner)),
        _datetime,
        lambda r: r.choice(
            [_datetime(r).isoformat(), _datetime(r).isoformat().replace("+00:00", "Z"), 12345, "2026-11-27"]
        ),
    )


def scalar(r: random.Random, *, inner: bool = False) -> Drawn:
    """A field without fields within."""
    number = options(r, "number", is_inner=inner)
    text = options(r, "text", is_inner=inner)
    plain = options(r, "any", is_inner=inner)
    makers: list[Callable[[], Drawn]] = [
        lambda: Drawn(fields.Str(**text), _text, _text),
        lambda: Drawn(fields.Int(**_maybe(r, strict=[True, False], as_string=[True]), **number), _int, _int),
        lambda: Drawn(fields.Float(**_maybe(r, allow_nan=[True], as_string=[True]), **number), _float, _float),
        lambda: Drawn(
            fields.Decimal(
                **_maybe(r, places=[0, 2, 3], rounding=[decimal.ROUND_UP], allow_nan=[True], as_string=[True]), **number
            ),
            _decimal,
            lambda r: r.choice([str(_decimal(r)), 1, 2.5, " 1.5 ", "1_000", "x"]),
        ),
        lambda: Drawn(
            fields.Bool(**_maybe(r, truthy=[{"yes", 1}, set(), {"a", True, "b"}], falsy=[{"no", 0}]), **plain),
            lambda r: r.choice([True, False, 1, 0, "yes"]),
            lambda r: r.choice([True, False, 1, 0, "true", "no", "yes", 2, []]),
        ),
        lambda: _moments(r, inner),
        lambda: Drawn(
            fields.Date(**_maybe(r, format=["iso", "%d.%m.%Y"]), **plain),
            _date,
            lambda r: r.choice(["2026-02-03", "2026-2-3", "x"]),
        ),
        lambda: Drawn(
            fields.Time(**_maybe(r, format=["iso", "%H-%M"]), **plain),
            _time,
            lambda r: r.choice(["09:05:00", "9:5", "23:59:01.000007", "24:00", "09:05:00+01:00"]),
        ),
        lambda: Drawn(
            fields.TimeDelta(**_maybe(r, precision=["days", "milliseconds"]), **number),
            lambda r: dt.timedelta(seconds=r.randrange(10**5), microseconds=r.randrange(10**6)),
            lambda r: r.choice([1, 2.5, "3", 10**30, float("nan")]),
        ),
        lambda: Drawn(
            fields.UUID(**plain), _uuid, lambda r: r.choice([str(_uuid(r)), str(_uuid(r)).upper(), _uuid(r).hex, "x"])
        ),
        lambda: Drawn(
            fields.Enum(Colour, **_maybe(r, by_value=[True, False, fields.Raw]), **plain),
            lambda r: r.choice(list(Colour)),
            lambda r: r.choice(["RED", "AZURE", "red", 2, "blue", Colour.GREEN, True]),
        ),
        lambda: Drawn(
            fields.Enum(r.choice([Level, Word]), **_maybe(r, by_value=[True, fields.Str, fields.Int]), **plain),
            lambda r: r.choice([Level.LOW, Word.YES]),
            lambda r: r.choice(["LOW", "YES", 1, "yes", True, 1.0]),
        ),
        lambda: Drawn(
            r.choice([fields.IP, fields.IPv4, fields.IPv6])(**_maybe(r, exploded=[True]), **plain),
            _address,
            lambda r: r.choice(["127.0.0.1", "::1", "x"]),
        ),
        lambda: Drawn(
            r.choice([fields.IPInterface, fields.IPv4Interface])(**plain),
            lambda r: ipaddress.ip_interface("192.168.0.2/24"),
            lambda r: r.choice(["192.168.0.2/24", "::1/64", "x"]),
        ),
        lambda: Drawn(fields.Url(**_maybe(r, relative=[True], require_tld=[False]), **text), _text, _text),
        lambda: Drawn(fields.Email(**text), _text, _text),
        lambda: Drawn(fields.Raw(**plain), _plain, _plain),
        lambda: Drawn(fields.Dict(**plain), lambda r: {"a": r.choice([1, [2]])}, lambda r: {"b": None}),
        lambda: Drawn(Shouted(**text), _text, _text),
        lambda: Drawn(Quiet(**number), _int, _int),
        lambda: Drawn(Halved(**number), _int, _int),
        lambda: Drawn(Picky(**plain), _plain, _plain),
        lambda: Drawn(Whole(**number), _int, _int),
    ]
    return r.choice(makers)()


def of_parts(r: random.Random, depth: int, *, inner: bool = False) -> Drawn:
    """A list, tuple or dict field."""
    part = random_field(r, depth + 1, inner=True)
    given = options(r, "items", is_inner=inner)
    kind = r.random()
    if kind < 0.55:
        return Drawn(
            fields.List(part.field, **given),
            lambda r: _maybe_tuple(r, [part.internal(r) for _ in range(r.randrange(4))]),
            lambda r: _maybe_tuple(r, [part.external(r) for _ in range(r.randrange(4))]),
        )
    if kind < 0.75:
        other = scalar(r, inner=True)
        return Drawn(
            fields.Tuple((part.field, other.field), **given),
            lambda r: (part.internal(r), other.internal(r)),
            lambda r: [part.external(r), other.external(r)][: r.choice([1, 2, 2, 2])],
        )
    keys = r.choice([None, None, fields.Str(), fields.Int(), fields.Str(validate=validate.Length(max=1))])
    return Drawn(
        fields.Dict(keys=keys, values=part.field, **given),
        lambda r: {key: part.internal(r) for key in r.sample(["a", "bb", "3", 4, "é"], r.randrange(4))},
        lambda r: {key: part.external(r) for key in r.sample(["a", "bb", "3", "é"], r.randrange(4))},
    )


def _maybe_tuple(r: random.Random, items: list[Any]) -> Any:
    return tuple(items) if r.random() < 0.1 else iter(items) if r.random() < 0.03 else items


def random_field(r: random.Random, depth: int = 0, *, inner: bool = False) -> Drawn:
    """A field, and what makes values for it."""
    if depth < 3 and r.random() < 0.25:
        from check_marshmallow.random_schemas import nested

        return nested(r, depth, inner=inner) if r.random() < 0.5 else of_parts(r, depth, inner=inner)
    return scalar(r, inner=inner)
