"""schema_report: which schemas and fields marshmallow serves, and why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.marshmallow_schemas import RowSchema
from marshmallow import Schema, ValidationError, class_registry, fields, pre_load, validate

from ssrjson_web.marshmallow import SchemaReport, schema_report, teardown
from ssrjson_web.marshmallow._report import part_reports

EXAMPLES = Path(__file__).parents[2] / "examples"


class Shout(fields.Str):
    def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        return str(value).upper()


class Own(RowSchema):
    shout = fields.Str()
    loud = Shout()
    length = fields.Method("len_of")

    class Meta:
        register = False

    def len_of(self, obj: Any) -> int:
        return 1

    @pre_load
    def hook(self, data: Any, **kwargs: Any) -> Any:
        return data


def test_schema_of_known_fields_is_served() -> None:
    (report,) = schema_report(RowSchema)
    assert report == SchemaReport(name="helpers.marshmallow_schemas.RowSchema", dumps=True, loads=True)


def test_fields_that_marshmallow_serves_are_named_with_the_reason() -> None:
    (report,) = schema_report(Own())
    assert (report.dumps, report.loads, report.reason) == (True, True, "")
    assert report.dumped_by_marshmallow == {"loud": "Shout has a _serialize of its own"}
    assert report.loaded_by_marshmallow == {}


def test_field_of_any_value_with_a_default_is_served() -> None:
    class AnyDefault(Schema):
        it = fields.Raw(dump_default=5)

        class Meta:
            register = False

    (report,) = schema_report(AnyDefault)
    assert (report.dumps, report.dumped_by_marshmallow) == (True, {})


def test_schemas_that_marshmallow_serves_are_told_with_the_reason() -> None:
    class OptedOut(RowSchema):
        ssrjson = False

    class OwnAttributes(RowSchema):
        def get_attribute(self, obj: Any, attr: str, default: Any) -> Any:
            return default

    class Needing(RowSchema):
        def __init__(self, needed: int) -> None:
            super().__init__()

    opted, own, needing = schema_report(OptedOut, OwnAttributes, Needing)
    assert (
        opted.reason
        == "marshmallow does its dump and load: it opts out, or has a _serialize or _deserialize of its own"
    )
    assert (own.dumps, own.loads) == (False, True)
    assert own.reason == "marshmallow does its dump: it serializes each of the fields"
    assert needing.reason.startswith("an instance without arguments cannot be made: ")


def test_what_is_no_schema_is_refused() -> None:
    for wrong in (5, fields.Str(), object):
        with pytest.raises(TypeError, match="takes schemas of marshmallow"):
            schema_report(wrong)  # type: ignore[arg-type]


def test_registered_schemas_are_reported_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_registry, "_registry", {})
    assert schema_report() == ()
    assert part_reports() == ()

    class Registered(Schema):
        loud = Shout(validate=validate.Length(1))
        own = fields.Str(validate=_refuse)

    assert [report.name.rpartition(".")[2] for report in schema_report()] == ["Registered"]
    whole, of_schema = part_reports()
    assert (whole.is_served, whole.reason) == (True, "1 of 1 dump and load by the core")
    assert of_schema.reason == "marshmallow serializes loud (Shout has a _serialize of its own)"
    teardown()
    (whole,) = part_reports()
    assert (whole.is_served, whole.reason) == (False, "ssrjson_web.marshmallow.setup() was not called")


def test_doctor_tells_of_the_schemas_of_an_application() -> None:
    pytest.importorskip("flask", reason="Flask is not installed")
    command = [sys.executable, "-m", "ssrjson_web", "doctor", "marshmallow_app:app"]
    done = subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "  served      marshmallow schemas: 1 of 1 dump and load by the core\n" in done.stdout


def _refuse(value: Any) -> None:
    raise ValidationError("no")
