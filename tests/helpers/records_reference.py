"""A slow, obvious interpreter of the records of `_models/language.py`: the core's oracle."""

from __future__ import annotations

import ast
import datetime
import decimal
import inspect
import math
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from ssrjson_web._models.language import Acceptance, Accepted, LoadField, LoadRecord, ReadField, ReadRecord

Resolve = Callable[[int], Callable[..., Any]]

REFUSED = object()
"""In place of a result: the value is not accepted, and the library decides."""


def once(resolve: Resolve) -> Resolve:
    """The calls of one run, each asked for once."""
    known: dict[int, Callable[..., Any]] = {}

    def get(number: int) -> Callable[..., Any]:
        if number not in known:
            known[number] = resolve(number)
        return known[number]

    return get


# ---- values


def accept(acceptance: Acceptance, value: Any, resolve: Resolve) -> Any:
    """What an acceptance makes of a value in a record; `REFUSED` where it is not accepted."""
    if acceptance is None:
        return value
    for accepted in acceptance:
        if accepted.exact_type is type(value):
            return check(accepted, value, resolve)
    for accepted in acceptance:
        if accepted.exact_type is object and accepted.record is not None:
            return check(accepted, value, resolve)
    return REFUSED


def check(accepted: Accepted, value: Any, resolve: Resolve) -> Any:
    """What one alternative makes of a value of its type."""
    within = (
        (-math.inf if accepted.least is None else accepted.least),
        (math.inf if accepted.greatest is None else accepted.greatest),
    )
    match accepted.op:
        case "type":
            return value
        case "int" | "float":
            good = within[0] <= value <= within[1] and math.isfinite(value) and -(2**63) <= value < 2**63
            return (
                value
                if good or (accepted.op == "float" and within[0] <= value <= within[1] and math.isfinite(value))
                else REFUSED
            )
        case "real":
            return float(value) if abs(value) <= 2**53 and within[0] <= value <= within[1] else REFUSED
        case "trimmed" | "whole":
            text = value.strip() if accepted.op == "trimmed" else value
            if accepted.among is not None and text in accepted.among:
                return text
            bad = "\0" in text or any(unicodedata.category(c) == "Cs" for c in text)
            return REFUSED if bad or not within[0] <= len(text) <= within[1] else confirmed(accepted, text)
        case "mapped" | "mapped_or_same":
            assert accepted.mapping is not None
            return accepted.mapping.get(value, value if accepted.op == "mapped_or_same" else REFUSED)
        case "decimal":
            return confirmed(accepted, decimal_of(str(value), int(within[0]), int(within[1])))
        case "decimal_text":
            return decimal_text(value, accepted.least, accepted.greatest)
        case "quantized":
            return (
                value
                if decimal_text(value, accepted.least, accepted.greatest) != REFUSED
                and value.as_tuple().exponent == -within[1]
                else REFUSED
            )
        case "iso":
            return value.isoformat()
        case "iso_z":
            return zoned_text(value, accepted.zone)
        case "uuid_text":
            return str(value)
        case "date" | "datetime" | "uuid" | "call":
            try:
                return accepted.validator(value)  # type: ignore[misc]
            except Exception:
                return REFUSED
        case "items":
            if not within[0] <= len(value) <= within[1]:
                return REFUSED
            items = []
            for item in value:
                items.append(accept(accepted.inner, item, resolve))
                if items[-1] is REFUSED:
                    return REFUSED
            return items
        case "tuple":
            made_list = accept(accepted.inner, value, resolve)
            return REFUSED if made_list is REFUSED else tuple(made_list)
        case "values":
            made = {}
            if not within[0] <= len(value) <= within[1]:
                return REFUSED
            for key, item in value.items():
                made[key] = accept(accepted.inner, item, resolve) if type(key) is str else REFUSED
                if made[key] is REFUSED:
                    return REFUSED
            return made
        case "read":
            assert isinstance(accepted.record, ReadRecord)
            return read(accepted.record, value, resolve)
        case "read_single":
            assert isinstance(accepted.record, ReadRecord)
            return read_field(accepted.record, accepted.record.fields[0], value, resolve)
        case "load":
            assert isinstance(accepted.record, LoadRecord)
            if type(value) is dict:
                return load(accepted.record, value, None, resolve)
            return load_all(accepted.record, value, resolve) if within[0] <= len(value) <= within[1] else REFUSED
    raise AssertionError(accepted.op)


def known_ops() -> set[str]:
    """The ops that have a case in `check`."""
    nodes = ast.walk(ast.parse(inspect.getsource(check)))
    return {ast.literal_eval(one.value) for one in nodes if isinstance(one, ast.MatchValue)}


def confirmed(accepted: Accepted, result: Any) -> Any:
    if accepted.validator is not None and result is not REFUSED:
        try:
            accepted.validator(result)
        except Exception:
            return REFUSED
    return result


def decimal_of(text: str, n_before: int, n_after: int) -> Any:
    match = re.fullmatch(r"-?(0|[1-9][0-9]*)(?:\.([0-9]+))?", text, re.ASCII)
    if match is None or len(match[1]) > 19 or n_after > 19:
        return REFUSED
    fraction = match[2] or ""
    n_whole = 0 if match[1] == "0" and fraction else len(match[1])
    if n_whole > n_before or len(fraction) > n_after:
        return REFUSED
    padding = "0" * (n_after - len(fraction))
    return decimal.Decimal(text + ("" if fraction or not n_after else ".") + padding)


def decimal_text(value: decimal.Decimal, n_digits: float | None, n_after: float | None) -> Any:
    digits, exponent = value.as_tuple()[1:]
    if not isinstance(exponent, int) or not -19 <= exponent <= 0 or len(digits) > 19:
        return REFUSED
    if n_after is None:
        return f"{value:f}"
    if n_digits is None or not -exponent <= n_after <= 19 or len(digits) + n_after + exponent > n_digits:
        return REFUSED
    exact = decimal.Context(prec=60)
    return f"{value.quantize(decimal.Decimal(1).scaleb(-int(n_after)), context=exact):f}"


def zoned_text(value: datetime.datetime, zone: datetime.tzinfo | None) -> Any:
    if (zone is None) != (value.tzinfo is None):
        return REFUSED
    try:
        moment = value if zone is None else value.astimezone(zone)
    except OverflowError:
        return REFUSED
    offset = moment.utcoffset()
    if offset is not None and offset % datetime.timedelta(minutes=1):
        return REFUSED
    text = moment.isoformat()
    return text[:-6] + "Z" if text.endswith("+00:00") else text


# ---- reading


def read(record: ReadRecord, value: Any, resolve: Resolve) -> dict[str, Any]:
    """The dict that a record makes of an object."""
    results = {field.key: read_field(record, field, value, resolve) for field in record.fields}
    return {key: result for key, result in results.items() if result is not record.skipped}


def read_field(record: ReadRecord, field: ReadField, value: Any, resolve: Resolve) -> Any:
    found = value
    for n_steps, name in enumerate(field.steps):
        try:
            following = step(record, name, found)
        except Exception as error:
            return resolve(field.resume)(value, found, n_steps, error)
        if following is REFUSED:
            return resolve(field.resume)(value, found, n_steps, None)
        found = following
        if callable(found):
            return resolve(field.resume)(value, found, n_steps + 1, None)
    result = accept(field.acceptance, found, resolve)
    return resolve(field.convert)(found) if result is REFUSED else result


def step(record: ReadRecord, name: str, found: Any) -> Any:
    """What a step finds; `REFUSED` where only the library knows."""
    way, own_name, guard = record.way_of(type(found), name)
    own_name = own_name or name
    if guard and getattr(found, guard) is None:
        return REFUSED
    match way:
        case "attribute":
            return getattr(found, own_name)
        case "item":
            return found[own_name]
        case "stored":
            return vars(found)[own_name] if own_name in vars(found) else getattr(found, name)
        case "relation":
            loaded = found._state.fields_cache.get(own_name)
            return getattr(found, name) if loaded is None else loaded
        case "prefetched":
            results = getattr(found, "_prefetched_objects_cache", {}).get(own_name)
            if results is None:
                return REFUSED
            way, list_name, _ = record.way_of(type(results), "__iter__")
            loaded = getattr(results, list_name) if way == "attribute" else None
            return loaded if type(loaded) is list else REFUSED
    return REFUSED


# ---- loading


class Refusal(Exception):
    """A call that is to be made does not exist."""


def load(record: LoadRecord, value: Any, index: int | None, resolve: Resolve) -> Any:
    """What a record makes of a value, which is the item at `index` of a list."""
    try:
        return load_dict(record, value, index, resolve)
    except Refusal:
        return REFUSED


def call(number: int, resolve: Resolve) -> Callable[..., Any]:
    if number < 0:
        raise Refusal
    return resolve(number)


def load_dict(record: LoadRecord, value: Any, index: int | None, resolve: Resolve) -> Any:
    if type(value) is not dict or not all(type(key) is str for key in value):
        return call(record.other, resolve)(value, index)
    errors: dict[Any, Any] = {}
    n_errors = 0
    made: dict[str, Any] = {}
    for field in record.fields:
        try:
            result = load_field(record, field, value, resolve)
        except Refusal:
            raise
        except Exception as error:
            if record.on_error < 0:
                raise
            n_errors += 1
            result = resolve(record.on_error)(error, errors, field.key, index)
        if result is not record.skipped:
            put(made, field.target, result)
    if record.unknown != -1 and set(value) - {field.key for field in record.fields if not field.of_whole_dict}:
        call(record.unknown, resolve)(value, made, index)
    if n_errors:
        return call(record.fail, resolve)(errors, made)
    return made if record.finish == -1 else resolve(record.finish)(made)


def load_field(record: LoadRecord, field: LoadField, data: dict[str, Any], resolve: Resolve) -> Any:
    value = data if field.of_whole_dict else data.get(field.key, record.absent)
    if value is record.absent and field.default:
        (result,) = field.default
    elif value is record.absent and field.may_be_absent:
        return record.skipped
    else:
        result = REFUSED if value is record.absent else accept(field.acceptance, value, resolve)
        if result is REFUSED:
            result = call(field.load, resolve)(value)
        elif field.confirm != -1 and result is not record.skipped:
            result = resolve(field.confirm)(result)
    return resolve(field.after)(result) if field.after != -1 and result is not record.skipped else result


def put(made: dict[str, Any], target: tuple[str, ...], result: Any) -> None:
    if not target:
        made.update(result)
        return
    for name in target[:-1]:
        made = made.setdefault(name, {})
    made[target[-1]] = result


def load_all(record: LoadRecord, values: list[Any], resolve: Resolve) -> Any:
    """What a record makes of a list of dicts."""
    errors: dict[Any, Any] = {}
    n_errors = 0
    made = []
    for index, value in enumerate(values):
        try:
            result = load(record, value, index, resolve)
        except Exception as error:
            if record.on_error < 0:
                raise
            n_errors += 1
            result = resolve(record.on_error)(error, errors, index, index)
        if result is REFUSED:
            return REFUSED
        if result is not record.skipped:
            made.append(result)
    if n_errors:
        return made if record.fail_all == -1 else resolve(record.fail_all)(errors, len(values), made)
    return made if record.finish_all == -1 else resolve(record.finish_all)(made)
