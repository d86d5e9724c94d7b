"""Which schemas and fields marshmallow itself serves, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from marshmallow import EXCLUDE, Schema, class_registry

from ssrjson_web._shared.names import name_of
from ssrjson_web._shared.route_report import PartReport
from ssrjson_web.marshmallow._load_key import LoadKey
from ssrjson_web.marshmallow._loading import LoadPlan
from ssrjson_web.marshmallow._reading import ReadPlan
from ssrjson_web.marshmallow._setup import is_set_up
from ssrjson_web.marshmallow._stock import allows_core, is_instance_changed

__all__ = ["SchemaReport", "part_reports", "schema_report"]


@dataclass(frozen=True, kw_only=True)
class SchemaReport:
    """What the core does for a schema."""

    name: str
    """`shop.schemas.BookSchema`."""
    dumps: bool
    """Whether the core makes what the schema dumps."""
    loads: bool
    """Whether the core makes what the schema loads."""
    reason: str = ""
    """Why it does not; empty where it does both."""
    dumped_by_marshmallow: dict[str, str] = field(default_factory=dict)
    """The fields that marshmallow serializes, each with the reason."""
    loaded_by_marshmallow: dict[str, str] = field(default_factory=dict)
    """The fields that marshmallow deserializes, each with the reason."""


def schema_report(*schemas: Schema | type[Schema]) -> tuple[SchemaReport, ...]:
    """What the core does for these schemas; without arguments for all with fields that marshmallow has registered.

    Whether `setup` was called makes no difference. Of a class an instance is made, without arguments. Raises TypeError
    for what is no schema.
    """
    return tuple(map(_report, schemas or _registered()))


def part_reports() -> tuple[PartReport, ...]:
    """The schemas of an application in its report; empty if it has none."""
    reports = schema_report()
    if not reports:
        return ()
    if not is_set_up():
        reason = "ssrjson_web.marshmallow.setup() was not called"
        return (PartReport(name="marshmallow schemas", is_served=False, reason=reason),)
    served = [report for report in reports if report.dumps and report.loads]
    reason = f"{len(served)} of {len(reports)} dump and load by the core"
    return (
        PartReport(name="marshmallow schemas", is_served=bool(served), reason=reason),
        *(part for report in reports for part in _parts(report)),
    )


def _parts(report: SchemaReport) -> Iterator[PartReport]:
    if report.reason:
        yield PartReport(name=report.name, is_served=report.dumps or report.loads, reason=report.reason)
    for verb, given in (("serializes", report.dumped_by_marshmallow), ("deserializes", report.loaded_by_marshmallow)):
        if given:
            which = ", ".join(f"{name} ({reason})" for name, reason in given.items())
            yield PartReport(name=report.name, is_served=True, reason=f"marshmallow {verb} {which}")


def _registered() -> Iterator[type[Schema]]:
    known: set[Any] = set()
    for classes in class_registry._registry.values():
        if isinstance(classes, Iterable):  # of a name; and there is a dict of modules for each
            known.update(cls for cls in classes if isinstance(cls, type) and cls._declared_fields)
    return iter(sorted(known, key=name_of))


def _report(schema: Any) -> SchemaReport:
    if isinstance(schema, type) and issubclass(schema, Schema):
        cls = schema
        try:
            schema = cls()
        except Exception as error:
            reason = f"an instance without arguments cannot be made: {error}"
            return SchemaReport(name=name_of(cls), dumps=False, loads=False, reason=reason)
    if not isinstance(schema, Schema):
        raise TypeError(f"schema_report takes schemas of marshmallow, not {schema!r}")
    read, why_not_read = _plan(schema, lambda: ReadPlan(schema))
    load, why_not_load = _plan(schema, lambda: LoadPlan(schema, LoadKey(schema.unknown == EXCLUDE, None)))
    reasons = {"dump": why_not_read, "load": why_not_load}
    if why_not_read == why_not_load:
        reasons = {"dump and load": why_not_read}
    told = "; ".join(f"marshmallow does its {what}: {why}" for what, why in reasons.items() if why)
    return SchemaReport(
        name=name_of(schema),
        dumps=read is not None,
        loads=load is not None,
        reason=told,
        dumped_by_marshmallow=read.given if read is not None else {},
        loaded_by_marshmallow=load.given if load is not None else {},
    )


def _plan(schema: Any, make: Callable[[], Any]) -> tuple[Any, str]:
    if not allows_core(type(schema)):
        return None, "it opts out, or has a _serialize or _deserialize of its own"
    if is_instance_changed(schema):
        return None, "it has methods of its own, which its class does not have"
    try:
        return make(), ""
    except (TypeError, ValueError) as error:
        return None, str(error)
