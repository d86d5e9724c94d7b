"""What the core is told about pydantic's types: plans, by which it writes models, and acceptances, by which it skips
validation.

Both are read from core schemas, the trees of dicts that pydantic compiles. Whatever is not known there is left to
pydantic: a value with a serializer is converted by `dump_python(mode="json")`, which leaves no UTF-8 cache in strings,
and a value that a validator may change goes to that validator.

In the order of reading:

    features            what the installed pydantic does: probes, instead of tables of versions
    releases            whether pydantic-core is of a version that is known, or does the same for samples
    samples             values that tell whether an unknown version does the same
    seams               pydantic's own functions, which the core's work replaces
    serialization_keys  every kind and key of schemas and configs, and what it has to do with the text
    formats             what a config like `ser_json_timedelta` does to the text of a value
    traits              the parts of a schema, and what each says by itself
    untyped             whether a part has values of no declared type, whose formats are those of the root
    facts               what a schema says somewhere within it
    rules               `RuleReader`: what a value must be to be written by its own type, and whether a type has a
                        serializer of its own, such as a `model_serializer`
    convert             what pydantic makes of a value that no rule covers
    plans               `plan_of`: the plan of a model or dataclass, made of rules and conversions

    late_types          types that pydantic builds when they are used, built before they are read
    known_keys          keys that have no effect on an accepted value, or that are read
    accepted_scalars    ints, strs, dates, ...: those that a validator returns as they are, or converts alone
    parts               what pydantic validates and serializes by itself, for one field
    private_attributes  whether anybody sees that those of an object were not made
    sequences           the schemas of `Sequence` fields
    attributes          how the attributes of an object are read, of which a model is made
    selection           `include` and `exclude`
    sqlmodel_classes    SQLModel's classes, which validate as pydantic's do
    plugins             whether a plugin of pydantic listens to a validator
    obstacle_names      the names of what keeps a type from being accepted, for reports
    shared_readings     models that a report on many types reads once
    acceptance_reader   `AcceptanceReader`: from a schema to an `Acceptance` (`_models/language.py` has its language)
    text_acceptance     for values that are written: the text is that of the validated value
    functions           validators of an application that the core calls
    models_acceptance   for values of which models are made: those that validation would make
    replay              a second validation by pydantic, which calls none of these functions again
    users_code          code of an application that would run twice where a value is made or written twice
    sample_values       a value of a type, to time what is done with such values
    models_maker        `ModelsMaker`: the models that the core makes, or the replay that pydantic has to decide by

    json_type_classes   classes that pydantic does not know, with the method by which it asks for their schemas
    json_types          these schemas; `_models/types/` reads the values
"""

from typing import TYPE_CHECKING

from ssrjson_web._shared.lazy import imported_when_used

if TYPE_CHECKING:
    from ssrjson_web._models.pydantic.plans import dumped_plan_of, is_base_model, plan_of
else:
    __getattr__, __dir__ = imported_when_used(
        __name__,
        dict.fromkeys(("dumped_plan_of", "is_base_model", "plan_of"), "ssrjson_web._models.pydantic.plans"),
    )

__all__ = ["dumped_plan_of", "is_base_model", "plan_of"]
