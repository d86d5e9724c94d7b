"""Each key of pydantic's configs, fields and core schemas is decided about: what it does to the text of a value.

A key that a new pydantic adds fails here until somebody has decided. Until then pydantic writes what has it.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Mapping
from typing import Any

import pytest
from helpers.pydantic_outcome import dumped
from pydantic import BaseModel, ConfigDict, Field, RootModel, TypeAdapter
from pydantic.fields import ComputedFieldInfo, FieldInfo
from pydantic_core import SchemaSerializer, core_schema

from ssrjson_web import Encoder, utf8_cache_size
from ssrjson_web._models.adapter import AdapterEncoder
from ssrjson_web._models.pydantic import serialization_keys
from ssrjson_web._models.pydantic.plans import _PlanReader
from ssrjson_web.models import TypedEncoder

IDLE, READ, REFUSED = "no effect on JSON", "in the core schema, where a rule knows it", "pydantic dumps the whole"


def _rows(decision: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), decision)


CONFIG_DICT: Mapping[str, str] = {
    **_rows(
        IDLE,
        """allow_inf_nan arbitrary_types_allowed cache_strings coerce_numbers_to_str defer_build
        experimental_defer_build_mode field_title_generator from_attributes frozen hide_input_in_errors ignored_types
        json_schema_extra json_schema_mode_override json_schema_serialization_defaults_required loc_by_alias
        model_title_generator
        plugin_settings populate_by_name protected_namespaces regex_engine revalidate_instances str_max_length
        str_min_length str_strip_whitespace str_to_lower str_to_upper strict title url_preserve_empty_path
        use_attribute_docstrings val_json_bytes val_temporal_unit validate_assignment validate_by_alias validate_by_name
        validate_default validate_return validation_error_cause""",
    ),
    # alias_generator: as serialization_alias. json_encoders: as serializers. use_enum_values: as the values' types.
    **_rows(READ, "alias_generator extra json_encoders schema_generator use_enum_values"),
    **_rows(READ, "ser_json_bytes ser_json_inf_nan ser_json_temporal ser_json_timedelta serialize_by_alias"),
    **_rows(REFUSED, "polymorphic_serialization"),
}
FIELD: Mapping[str, str] = {
    **_rows(
        IDLE,
        """_attributes_set _complete _final _original_annotation _original_assignment _qualifiers alias_priority
        allow_inf_nan coerce_numbers_to_str decimal_places deprecated description evaluated examples extra fail_fast
        field_title_generator frozen ge gt json_schema_extra kw_only le lt max_digits max_length metadata min_length
        multiple_of pattern repr strict title validate_default validation_alias""",
    ),
    **_rows(
        READ,
        """alias annotation default default_factory discriminator exclude exclude_if init init_var serialization_alias
        union_mode""",
    ),
}
COMPUTED_FIELD: Mapping[str, str] = {
    **_rows(
        IDLE,
        """alias_priority decorator_repr deprecated description examples field_title_generator json_schema_extra repr
        title""",
    ),
    **_rows(READ, "alias exclude_if return_type wrapped_property"),
}
SERIALIZER: Mapping[str, str] = {
    **_rows(READ, "by_alias exclude exclude_defaults exclude_none exclude_unset include value"),
    # no option of ours: each has its default
    **_rows(IDLE, "context ensure_ascii exclude_computed_fields fallback indent round_trip serialize_as_any warnings"),
    **_rows(IDLE, "polymorphic_serialization"),
}


def _schema_keys() -> dict[str, set[str]]:
    """The keys of each kind of core schema that the installed pydantic has."""
    found: dict[str, set[str]] = {}
    names = vars(core_schema)
    for cls in names.values():
        if isinstance(cls, type) and "type" in getattr(cls, "__annotations__", ()):
            hints: dict[str, Any] = typing.get_type_hints(cls, names)
            kinds: list[Any] = [hints["type"]]
            while kinds and typing.get_origin(kinds[0]) is not typing.Literal:  # Required[Literal[...]]
                kinds = list(typing.get_args(kinds[0]))
            for kind in typing.get_args(kinds[0]):
                found.setdefault(kind, set()).update(hints)
    return found


def test_each_key_of_each_core_schema_is_decided_about() -> None:
    for kind, keys in _schema_keys().items():
        known = serialization_keys.KEYS.get(kind)
        assert known is not None, kind
        assert keys <= known.keys() | serialization_keys.COMMON_KEYS.keys(), kind


def test_each_key_of_the_configs_is_decided_about() -> None:
    assert set(core_schema.CoreConfig.__annotations__) <= serialization_keys.CONFIG.keys()
    assert set(ConfigDict.__annotations__) <= CONFIG_DICT.keys()
    read = {key for key, decision in serialization_keys.CONFIG.items() if decision == "read"}
    assert read <= {key for key, decision in CONFIG_DICT.items() if decision == READ}


def test_each_attribute_of_fields_is_decided_about() -> None:
    assert set(FieldInfo.__slots__) | set(inspect.signature(Field).parameters) <= FIELD.keys()
    assert set(ComputedFieldInfo.__annotations__) <= COMPUTED_FIELD.keys()


def test_each_option_of_dumping_is_decided_about() -> None:
    options = set(inspect.signature(BaseModel.model_dump_json).parameters) - {"self"}
    options |= set(inspect.signature(TypeAdapter.dump_json).parameters) - {"self", "instance"}
    assert options <= SERIALIZER.keys()


class _Leaf(BaseModel):
    n: int = 1
    text: str = "é"


@pytest.mark.parametrize(
    "change",
    [
        lambda schema: schema.update(unheard_of=True),
        lambda schema: schema["schema"].update(unheard_of=1),
        lambda schema: schema["schema"]["fields"]["n"].update(unheard_of=["x"]),
        lambda schema: schema["schema"]["fields"]["n"]["schema"].update(unheard_of="x"),
        lambda schema: schema["schema"]["fields"]["n"]["schema"]["schema"].update(unheard_of="x"),
        lambda schema: schema.setdefault("config", {}).update(unheard_of=True),
        lambda schema: schema["schema"]["fields"]["n"]["schema"]["schema"].update(type="unheard-of"),
    ],
    ids=["model", "fields", "field", "default", "int", "config", "kind"],
)
def test_what_nobody_has_decided_about_is_written_by_pydantic(change: Any) -> None:
    schema: dict[str, Any] = {
        "type": "model",
        "cls": _Leaf,
        "schema": {
            "type": "model-fields",
            "fields": {"n": {"type": "model-field", "schema": {"type": "default", "schema": {"type": "int"}}}},
        },
    }
    usual = _PlanReader(schema).plan(_Leaf)
    assert usual.kind == "dict"
    change(schema)
    plan = _PlanReader(schema).plan(_Leaf)
    assert plan.kind == "opaque"
    assert plan.fields == ()


needs_polymorphic = pytest.mark.skipif(
    "polymorphic_serialization" not in ConfigDict.__annotations__, reason="pydantic 2.13 and later"
)


@needs_polymorphic
@pytest.mark.parametrize("like_dump_json", [True, False])
def test_polymorphic_serialization_writes_the_fields_of_the_derived_class(like_dump_json: bool) -> None:
    class Parent(BaseModel):
        model_config = ConfigDict(polymorphic_serialization=True)  # type: ignore[typeddict-unknown-key, unused-ignore]
        a: int = 1

    class Child(Parent):
        b: str = "é" * 5

    class Outer(BaseModel):
        one: Parent
        many: list[Parent] = []
        by_name: dict[str, Parent] = {}
        maybe: Parent | None = None

    class Roots(RootModel[list[Parent]]):
        pass

    class OuterPolymorphic(BaseModel):
        model_config = ConfigDict(polymorphic_serialization=True)  # type: ignore[typeddict-unknown-key, unused-ignore]
        leaf: _Leaf

    class DerivedLeaf(_Leaf):
        more: int = 1

    child = Child()
    for declared, value in (
        (Parent, child),
        (list[Parent], [child, Parent()]),
        (dict[str, Parent], {"a": child}),
        (Outer, Outer(one=child, many=[child], by_name={"k": child}, maybe=child)),
        (Roots, Roots([child])),
        (OuterPolymorphic, OuterPolymorphic(leaf=DerivedLeaf())),
        (list[OuterPolymorphic], [OuterPolymorphic(leaf=DerivedLeaf())]),
        (Any, {"k": Outer(one=child)}),
    ):
        adapter: TypeAdapter[Any] = TypeAdapter(declared)
        options: dict[str, Any] = {"by_alias": True}
        expected = adapter.dump_json(value, **options) if like_dump_json else dumped(adapter, value, options)
        encoder = AdapterEncoder(adapter, like_dump_json=like_dump_json, **options)
        assert encoder.encode(value) == expected
        assert encoder.encode_unvalidated(value) in (None, expected)
        if like_dump_json:
            assert TypedEncoder(declared).encode(value) == expected
            assert Encoder(models=True).encode(value) == TypeAdapter(Any).dump_json(value)
    text = "".join(["é"] * 6)
    assert Encoder(models=True).encode(Child(b=text))
    assert utf8_cache_size(text) == 0


@needs_polymorphic
def test_polymorphic_config_of_an_adapter_is_respected() -> None:
    class Parent(BaseModel):
        a: int = 1

    class Child(Parent):
        b: int = 2

    config = ConfigDict(polymorphic_serialization=True)  # type: ignore[typeddict-unknown-key, unused-ignore]
    adapter = TypeAdapter(list[Parent], config=config)
    assert TypedEncoder(adapter).encode([Child()]) == adapter.dump_json([Child()])


def test_serializer_of_an_unknown_schema_is_not_made_up() -> None:
    """What is unknown here is unknown to pydantic, too: no schema of its own has it."""
    with pytest.raises(Exception, match="unheard-of"):
        SchemaSerializer({"type": "unheard-of"})  # type: ignore[misc, list-item]
