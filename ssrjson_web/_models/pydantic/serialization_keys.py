"""Every kind and key of core schemas and configs, and what each has to do with the text of a value.

A kind, key or config that is not here may have any effect, so that pydantic writes what has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeAlias

__all__ = ["COMMON_KEYS", "CONFIG", "KEYS", "Decision", "changes_the_whole", "has_unknown_keys"]

Decision: TypeAlias = Literal["idle", "read", "refused"]
"""`idle`: no effect on the text of a value. `read`: the readers of rules and plans know it. `refused`: it changes the
text of what is within, and pydantic dumps what has it as a whole."""


def _keys(*, read: str = "", idle: str = "") -> Mapping[str, Decision]:
    decisions: dict[str, Decision] = dict.fromkeys(idle.split(), "idle")
    return {**decisions, **dict.fromkeys(read.split(), "read")}


COMMON_KEYS: Mapping[str, Decision] = _keys(read="type ref serialization", idle="metadata strict")

_BOUNDS = "ge gt le lt multiple_of"
_SIZE = "fail_fast max_length min_length"
_ERRORS = "custom_error_context custom_error_message custom_error_type"
_URL = "allowed_schemes default_host default_path default_port host_required max_length"
_MAPPING = _keys(read="keys_schema values_schema", idle=_SIZE)
_COLLECTION = _keys(read="items_schema", idle=_SIZE)
_BY_NAME = "populate_by_name validate_by_alias validate_by_name"
_FUNCTION = "function info_arg is_field_serializer return_schema when_used"

KEYS: Mapping[str, Mapping[str, Decision]] = {
    "any": {},
    "arguments": _keys(
        read="arguments_schema var_args_schema var_kwargs_schema", idle=f"{_BY_NAME} var_kwargs_mode extra_behavior"
    ),
    "arguments-v3": _keys(read="arguments_schema", idle=f"{_BY_NAME} extra_behavior"),
    "bool": {},
    "bytearray": {},
    "bytes": _keys(idle=_SIZE),
    "call": _keys(read="return_schema", idle="arguments_schema function function_name"),
    "callable": {},
    "chain": _keys(read="steps"),
    "complex": {},
    "computed-field": _keys(read="alias property_name return_schema serialization_exclude_if"),
    "counter": _MAPPING,
    "custom-error": _keys(read="schema", idle=_ERRORS),
    "dataclass": _keys(
        read="cls config fields schema", idle="cls_name frozen generic_origin post_init revalidate_instances slots"
    ),
    "dataclass-args": _keys(
        read="computed_fields fields", idle="collect_init_only dataclass_name extra_behavior populate_by_name"
    ),
    "dataclass-field": _keys(
        read="init_only name schema serialization_alias serialization_exclude serialization_exclude_if",
        idle="frozen init kw_only validation_alias",
    ),
    "date": _keys(idle=f"{_BOUNDS} now_op now_utc_offset"),
    "datetime": _keys(idle=f"{_BOUNDS} microseconds_precision now_op now_utc_offset tz_constraint"),
    "decimal": _keys(idle=f"{_BOUNDS} allow_inf_nan decimal_places max_digits"),
    "default": _keys(
        read="default default_factory schema", idle="copy_default default_factory_takes_data on_error validate_default"
    ),
    "definition-ref": _keys(read="schema_ref"),
    "definitions": _keys(read="definitions schema"),
    "deque": _COLLECTION,
    "dict": _MAPPING,
    "ellipsis": {},
    "enum": _keys(read="cls sub_type", idle="members missing"),
    "float": _keys(idle=f"{_BOUNDS} allow_inf_nan"),
    "format": _keys(read="formatting_string when_used"),
    "fraction": _keys(idle=_BOUNDS),
    "frozendict": _MAPPING,
    "frozenset": _COLLECTION,
    "function-after": _keys(read="schema", idle="function"),
    "function-before": _keys(read="schema", idle="function json_schema_input_schema"),
    "function-plain": _keys(read=_FUNCTION, idle="json_schema_input_schema"),
    "function-wrap": _keys(read=f"{_FUNCTION} schema", idle="json_schema_input_schema"),
    "generator": _keys(read="items_schema", idle=_SIZE),
    "include-exclude-dict": _keys(read="exclude include"),
    "include-exclude-sequence": _keys(read="exclude include"),
    "int": _keys(idle=_BOUNDS),
    "invalid": {},
    "is-instance": _keys(idle="cls cls_repr"),
    "is-subclass": _keys(idle="cls cls_repr"),
    "json": _keys(read="schema"),
    "json-or-python": _keys(read="json_schema", idle="python_schema"),
    "lax-or-strict": _keys(read="strict_schema", idle="lax_schema"),
    "list": _COLLECTION,
    "literal": _keys(read="expected"),
    "missing-sentinel": _keys(read="schema"),
    "model": _keys(
        read="cls config root_model schema",
        idle="custom_init extra_behavior frozen generic_origin post_init revalidate_instances",
    ),
    "model-field": _keys(
        read="schema serialization_alias serialization_exclude serialization_exclude_if", idle="frozen validation_alias"
    ),
    "model-fields": _keys(
        read="computed_fields fields",
        idle="extra_behavior extras_keys_schema extras_schema from_attributes model_name populate_by_name",
    ),
    "multi-host-url": _keys(idle=_URL),
    "named-tuple": _keys(read="cls fields", idle="cls_name"),
    "named-tuple-field": _keys(read="name schema", idle="validation_alias"),
    "no-info": _keys(idle="function"),
    "none": {},
    "nullable": _keys(read="schema"),
    "ordered-dict": _MAPPING,
    "set": _COLLECTION,
    "str": _keys(
        idle="""ascii_only coerce_numbers_to_str max_length min_length pattern regex_engine strip_whitespace to_lower
            to_upper"""
    ),
    "tagged-union": _keys(read="choices discriminator", idle=f"{_ERRORS} from_attributes"),
    "time": _keys(idle=f"{_BOUNDS} microseconds_precision tz_constraint"),
    "timedelta": _keys(idle=f"{_BOUNDS} microseconds_precision"),
    "to-string": _keys(read="when_used"),
    "tuple": _keys(read="items_schema variadic_item_index", idle=_SIZE),
    "typed-dict": _keys(
        read="computed_fields config fields total", idle="cls cls_name extra_behavior extras_schema populate_by_name"
    ),
    "typed-dict-field": _keys(
        read="required schema serialization_alias serialization_exclude serialization_exclude_if",
        idle="validation_alias",
    ),
    "union": _keys(read="choices", idle=f"{_ERRORS} auto_collapse mode"),
    "url": _keys(idle=_URL),
    "uuid": _keys(idle="version"),
    "with-info": _keys(idle="field_name function"),
}
"""What each key of each kind of schema is, beside `COMMON_KEYS`. Kinds that no rule covers are here, too: pydantic
converts their values, and what is within them is looked through."""

_KNOWN_KEYS = {kind: frozenset((*keys, *COMMON_KEYS)) for kind, keys in KEYS.items()}

CONFIG: Mapping[str, Decision] = {
    **_keys(
        read="ser_json_bytes ser_json_inf_nan ser_json_temporal ser_json_timedelta serialize_by_alias",
        # the fields that extra_fields_behavior allows are looked for in each object
        idle="""allow_inf_nan cache_strings coerce_numbers_to_str extra_fields_behavior from_attributes frozen
            hide_input_in_errors loc_by_alias populate_by_name regex_engine revalidate_instances str_max_length
            str_min_length str_strip_whitespace str_to_lower str_to_upper strict title typed_dict_total
            url_preserve_empty_path val_json_bytes val_temporal_unit validate_by_alias validate_by_name
            validate_default validation_error_cause""",
    ),
    "polymorphic_serialization": "refused",
}
"""What each key of a core schema's config is."""


def has_unknown_keys(parts: Iterable[Mapping[str, Any]], configs: Iterable[Mapping[str, Any]]) -> bool:
    """Whether something of a schema may have any effect. `parts` are all dicts that it is made of."""
    return any(map(_is_unknown, parts)) or any(
        value and key not in CONFIG for config in configs for key, value in config.items()
    )


def _is_unknown(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    if not isinstance(kind, str):
        return False  # fields or choices by their names
    known = _KNOWN_KEYS.get(kind)
    return known is None or any(part[key] for key in part.keys() - known)


def changes_the_whole(configs: Iterable[Mapping[str, Any]]) -> bool:
    """Whether a config changes the text of what is within, so that pydantic dumps the whole."""
    return any(config.get(key) for config in configs for key, decision in CONFIG.items() if decision == "refused")
