"""Which values may be written without validation."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, ClassVar, Literal

from ssrjson_web._core import _Acceptance
from ssrjson_web._models.language import Acceptance, Accepted, AcceptedField, AcceptedModel, Rule
from ssrjson_web._models.plan import PlanField
from ssrjson_web._models.pydantic.acceptance_reader import NO_MODEL, AcceptanceReader, Output, schema_of_values
from ssrjson_web._models.pydantic.attributes import AttributesWay
from ssrjson_web._models.pydantic.facts import has_untyped
from ssrjson_web._models.pydantic.features import KNOWN, SCALARS
from ssrjson_web._models.pydantic.formats import USUAL, Formats, format_of, formats_of, writer_of
from ssrjson_web._models.pydantic.known_keys import has_only
from ssrjson_web._models.pydantic.parts import SCALAR_TYPES, SchemaPart
from ssrjson_web._models.pydantic.plans import plan_of
from ssrjson_web._models.pydantic.rules import UNCOVERED, Schema, is_covered
from ssrjson_web._models.pydantic.selection import Selection
from ssrjson_web._models.pydantic.sequences import list_of_sequence

__all__ = ["TextAcceptanceReader"]


class TextAcceptanceReader(AcceptanceReader):
    """Reads which values may be written without validation: their text is that of the validated value.

    `schema` is an adapter's. `from_attributes` says whether models are made of other objects, too. The other options
    are those that the text is written with.
    """

    mode: ClassVar[Literal["json", "python"]] = "json"
    """The mode of pydantic's `dump_python` for values that only pydantic knows to write."""

    def __init__(
        self,
        schema: Schema,
        root: Formats = USUAL,
        *,
        from_attributes: bool,
        include: Any,
        exclude: Any,
        by_alias: bool,
        exclude_unset: bool,
        exclude_defaults: bool,
        exclude_none: bool,
    ) -> None:
        super().__init__(schema, root)
        self._exclude_defaults = exclude_defaults
        self._has_selection = include is not None or exclude is not None
        if self._has_selection:
            self._selection = Selection.read(include, exclude, self.schema, self._target)
        self._from_attributes = from_attributes
        self._by_alias = by_alias
        self._flags = {"exclude_unset": exclude_unset, "exclude_none": exclude_none}

    def read(self, config: Mapping[str, Any]) -> _Acceptance | None:
        if self._has_selection and self._selection is None:
            self._note("include or exclude")
            return None
        if not is_covered(self.rule(self.schema, config)):
            self._note(self._obstacle_in_type())
            return None
        return super().read(config)

    def _options_of_readings(self) -> Hashable:
        options = (self._from_attributes, self._by_alias, self._exclude_defaults, *self._flags.values())
        return None if self._root else (type(self), self.keeps_instances, *options)

    def _any(self) -> Acceptance:
        # another value may hold what can be read once only
        return (
            *(Accepted(one) for one in (str, int, bool, type(None))),
            *(Accepted(float, "float"), Accepted(list, "plain"), Accepted(dict, "plain")),
        )

    def _is_serialized_otherwise(self, schema: Schema) -> bool:
        return "serialization" in schema

    def _made_by(self, part: SchemaPart) -> tuple[Sequence[type], Callable[[Any], Any] | None]:
        return SCALAR_TYPES, self._part_maker(part)

    def _part_maker(self, part: SchemaPart) -> Callable[[Any], Any] | None:
        if self.mode == "json" and not part.is_written_alike(self._root):
            return None
        return part.text_maker(
            mode=self.mode,
            from_attributes=self._from_attributes,
            by_alias=self._by_alias,
            exclude_defaults=self._exclude_defaults,
            **self._flags,
        )

    def _iterable_accepted(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        if not has_only(schema, "generator") or not self._is_written_by_items(schema, config):
            return ()
        least, greatest = schema.get("min_length"), schema.get("max_length")
        inner = self._acceptance(schema.get("items_schema") or {"type": "any"}, config, depth + 1)
        return () if inner == () else (Accepted(list, "items", least, greatest, inner=inner),)

    def _sequence_accepted(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        return super()._sequence_accepted(schema, config, depth) if "serialization" in schema else ()

    def _is_written_by_items(self, schema: Schema, config: Mapping[str, Any]) -> bool:
        """Whether a schema is that of an iterable or sequence whose items are written by their own types."""
        schema = schema_of_values(schema, are_written=True)
        if schema["type"] == "generator":
            items: Schema | None = None if "serialization" in schema else schema
        else:
            items = list_of_sequence(schema)
        return items is not None and is_covered(self.rule(items.get("items_schema") or {"type": "any"}, config))

    def _outputs(self, cls: Any, fields: Schema, config: Mapping[str, Any]) -> Mapping[str, Output] | None:
        plan = plan_of(cls)
        is_plain = plan.kind == "dict" and not plan.computed
        if not is_plain or [field.attribute for field in plan.fields] != list(fields["fields"]):
            return None
        return {field.attribute: self._output(field, fields["fields"], config) for field in plan.fields}

    def _output(self, field: PlanField, fields: Schema, config: Mapping[str, Any]) -> Output:
        schema = fields[field.attribute]["schema"]
        if field.is_excluded:
            return Output(None)
        rule = self.rule(schema, config) if self._root or formats_of(config) else field.rule
        is_by_type = is_covered(rule) or self._is_written_by_items(schema, config)
        left_out = field.default if self._exclude_defaults else ()
        return Output(field.alias if self._by_alias else field.key, is_by_type, left_out)

    def _model(self, schema: Schema, depth: int) -> Acceptance:
        return super()._model(schema, depth) if self._is_written_by_its_plan(schema) else ()

    def _scalar_rule(self, kind: str, formats: Formats) -> Rule:
        return super()._scalar_rule(kind, USUAL)  # `_scalar` makes what is written

    def _scalar(self, kind: str, schema: Schema, config: Mapping[str, Any]) -> Acceptance:
        if kind == "enum" and self._root and has_untyped(schema):
            return ()
        formats = formats_of(config)
        if self.mode == "python" or not formats or kind not in KNOWN or format_of(kind, formats) == "usual":
            return super()._scalar(kind, schema, config)
        exact, make = super()._scalar(kind, schema, {}), self._part_maker(SchemaPart(schema, config, {}))
        if make is None:
            return ()
        write = writer_of(kind, formats)
        return tuple(
            one._replace(
                op="call",
                validator=write if one.exact_type is SCALARS[kind][0] and one.op == "type" else make,
            )
            for one in exact or ()
        )

    def _typed_dict_accepted(self, schema: Schema, config: Mapping[str, Any], depth: int) -> Acceptance:
        """Dicts of which validation makes others, with the fields in their order."""
        own: Mapping[str, Any] = schema.get("config") or config
        extra = schema.get("extra_behavior") or own.get("extra_fields_behavior")
        is_known = has_only(schema, "typed-dict") and not schema.get("strict") and extra in (None, "ignore", "forbid")
        if not is_known or _of_values(own) != _of_values(config) or self.rule(schema, config) == UNCOVERED:
            return ()
        accepted: list[AcceptedField] = []
        self._open.append(NO_MODEL)
        try:
            for name, field in schema["fields"].items():
                is_required = field.get("required", schema.get("total", True))
                output = Output(name, is_covered(self.rule(field["schema"], config)))
                item = {key: value for key, value in field.items() if key != "required"}
                made = self._field(name, output, item, config, depth)
                if made is None or made.acceptance == ():
                    return ()
                accepted.append(made._replace(may_be_absent=not is_required))
        finally:
            self._open.pop()
        forbids_extra, leaves_out_none = extra == "forbid", self._flags["exclude_none"]
        if forbids_extra and len({one.key for one in accepted}) < len(accepted):  # the core counts the keys of fields
            return ()
        model = AcceptedModel(dict, tuple(accepted), forbids_extra=forbids_extra, exclude_none=leaves_out_none)
        return (Accepted(dict, "model", model=model),)

    def _options(self) -> Mapping[str, bool]:
        return self._flags

    def _way_of(self, schema: Schema, fields: Sequence[AcceptedField]) -> AttributesWay | None:
        return AttributesWay.of_model(schema, fields) if self._from_attributes else None


def _of_values(config: Mapping[str, Any]) -> dict[str, Any]:
    """What of a config has an effect on values within a dict."""
    return {key: value for key, value in config.items() if key not in ("title", "extra_fields_behavior")}
