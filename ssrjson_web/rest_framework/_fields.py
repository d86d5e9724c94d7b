"""The fields of a serializer class, made once by REST framework and then cloned for each instance.

What they are made of is the class's *state*: its declared fields and their arguments, the attributes of `Meta`, the
model's fields. It is compared whenever an instance asks for its fields, because all of it can be changed. Classes that
override a part of how fields are made do it as ever.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter, itemgetter
from typing import Any

from django.db import models
from rest_framework import serializers
from rest_framework.fields import Field
from rest_framework.serializers import BaseSerializer, HyperlinkedModelSerializer, ModelSerializer, Serializer
from rest_framework.utils.field_mapping import ClassLookupDict

from ssrjson_web._plans.basis import Watch
from ssrjson_web.rest_framework._cloning import NotCloneableError, cloner_of, is_immutable, maker_of
from ssrjson_web.rest_framework._conditions import field_conditions, generation, notice_changes
from ssrjson_web.rest_framework._stock import is_made_by_stock, is_of_stock, users_classes
from ssrjson_web.rest_framework._switch import has_opted_out, is_disabled, is_ours

__all__ = [
    "CHANGED_FIELDS",
    "TEMPLATE",
    "Template",
    "get_fields_by_template",
    "has_fields_of_stock",
    "is_pristine",
    "keeps_fields",
    "known_of",
    "pristine_of",
    "template_of",
    "template_to_read",
    "users_field_classes",
]

_METHODS = (
    "_get_model_fields",
    "build_field",
    "build_nested_field",
    "build_property_field",
    "build_relational_field",
    "build_standard_field",
    "build_unknown_field",
    "build_url_field",
    "get_default_field_names",
    "get_extra_kwargs",
    "get_field_names",
    "get_unique_together_constraints",
    "get_uniqueness_extra_kwargs",
    "include_extra_kwargs",
)
"""What `ModelSerializer.get_fields` calls."""
_CLASS_ATTRIBUTES = (
    "serializer_choice_field",
    "serializer_related_field",
    "serializer_related_to_field",
    "serializer_url_field",
    "url_field_name",
)
_META = ("depth", "exclude", "extra_kwargs", "fields", "model", "read_only_fields", "readonly_fields", "validators")
_of_model_field = itemgetter(
    *("blank", "default", "editable", "_error_messages", "help_text", "max_length", "null", "primary_key"),
    *("remote_field", "_unique", "unique_for_date", "unique_for_month", "unique_for_year", "_validators"),
    *("verbose_name", "choices" if "choices" in vars(models.CharField()) else "_choices"),
)
"""What of a model's field decides about the serializer's."""
_BUILDING = (*_METHODS, *_CLASS_ATTRIBUTES, "Meta", "_declared_fields", "serializer_field_mapping")
"""A tuple, because threads wait for each other where they read one set."""
CHANGED_FIELDS = "_ssrjson_changed_fields"
"""Where a serializer has its own `fields` while it validates."""
TEMPLATE = "_ssrjson_template"
"""Where a serializer whose fields are not made yet has its template, once they have been used: REST framework would
have made them then."""
_OWN = (*_BUILDING, CHANGED_FIELDS, "fields", "get_fields", "_readable_fields", "_writable_fields")
"""An instance that has one of these attributes of its own may have other fields than the next one."""
_ABSENT: Any = object()
_MAX_STATES = 20
"""A class whose state changes more often than this has no template any more."""

_of_base = attrgetter("__getattribute__")
_of_models = attrgetter("__getattribute__", *(name for name in _METHODS if hasattr(ModelSerializer, name)))
_of_iteration = attrgetter("_readable_fields", "_writable_fields")


def keeps_fields(cls: Any) -> bool:
    """Whether a serializer class has the `fields` of REST framework, which `setup` replaces."""
    return cls.fields is Serializer.fields and known_of(cls).is_of_stock()


def _builds_as_stock(cls: Any) -> bool:
    """Whether `get_fields` of REST framework calls nothing that a serializer class overrides."""
    if not known_of(cls).is_of_stock():
        return False
    if not issubclass(cls, ModelSerializer):
        return bool(_of_base(cls) == _of_base(Serializer))
    found = _of_models(cls)
    return found in (_of_models(ModelSerializer), _of_models(HyperlinkedModelSerializer))


def has_fields_of_stock(cls: Any) -> bool:
    """Whether instances of a serializer class get their fields by nothing but REST framework's own code."""
    base = ModelSerializer if issubclass(cls, ModelSerializer) else Serializer
    return (
        keeps_fields(cls)
        and _of_iteration(cls) == _of_iteration(Serializer)
        and is_ours(cls.get_fields, base, "get_fields")
        and _builds_as_stock(cls)
    )


def is_pristine(serializer: Any) -> bool:
    """Whether an instance has no fields yet, and nothing of its own that decides about them."""
    has_none: bool = vars(serializer).keys().isdisjoint(_OWN)
    return has_none


class Template:
    """What new instances of a class get as fields."""

    def __init__(self, cls: type) -> None:
        self.declared: dict[str, Callable[[], Any]] = {}
        """Each makes a field that the class declares, by calling its class."""
        self.fields: dict[str, Callable[[], Any] | None] = {}
        """Each makes a field. None: it is one of `declared`."""
        bare = _bare(cls)
        patterns = _stock_of(cls)(bare)
        self.url_field_name = vars(bare).get("url_field_name")
        self.has_stock_fields = True
        declared = bare._declared_fields
        extra_kwargs = getattr(getattr(cls, "Meta", None), "extra_kwargs", None) or {}
        for name, pattern in patterns.items():
            if name in declared and not _is_hidden_instead(pattern, declared[name]):
                self.fields[name] = self._cloner_of_declared(name, pattern, declared)
            else:
                self.fields[name] = self._maker_of_built(pattern, extra_kwargs.get(name) or {})
        for name, origin in declared.items():
            if type(origin) is _Declared:
                self.declared[name] = functools.partial(copy.deepcopy, origin.field)
        self._classes = Watch(users_field_classes(patterns.values()))
        self._pristine: Any = None
        self._cls = cls

    def _cloner_of_declared(self, name: str, pattern: Any, declared: dict[str, Any]) -> Callable[[], Any] | None:
        if type(declared[name]) is _Declared:
            self.has_stock_fields = False
            return None
        try:
            return cloner_of(pattern, declared[name])
        except NotCloneableError:
            declared[name] = _Declared(declared[name])
            return None

    def _maker_of_built(self, pattern: Any, extra: Mapping[str, Any]) -> Callable[[], Any]:
        try:
            return cloner_of(pattern, None, extra)
        except NotCloneableError:
            return maker_of(pattern, extra)

    def holds(self) -> bool:
        """Whether the user's classes of the fields are as they were."""
        return self._classes.holds()

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(None), ())  # a serializer that is pickled or copied goes without it

    def make(self) -> dict[str, Any]:
        """New fields, not bound to a serializer."""
        declared = {name: make() for name, make in self.declared.items()}
        return {name: declared[name] if make is None else make() for name, make in self.fields.items()}

    def fields_of(self, serializer: Any) -> Any:
        """New fields of a serializer, as its `fields` has them."""
        if self.url_field_name is not None:
            serializer.url_field_name = self.url_field_name
        fields = serializers.BindingDict(serializer)
        for name, field in self.make().items():
            fields[name] = field
        return fields

    @property
    def pristine(self) -> Any:
        """A serializer that nobody else has, with the fields of a new instance.

        None where making them runs code that is not REST framework's: then another instance's may differ.
        """
        if self._pristine is None and self.has_stock_fields:
            serializer: Any = object.__new__(self._cls)
            serializer.__dict__.update(_args=(), _kwargs={}, parent=None, field_name=None, _context={}, instance=None)
            try:
                fields = self.fields_of(serializer)
            except Exception:  # an instance raises it when it makes its fields
                self.has_stock_fields = False
                return None
            serializer.__dict__["fields"] = fields
            self._pristine = serializer
        return self._pristine


def users_field_classes(fields: Iterable[Any]) -> list[type]:
    """The user's classes of fields and of fields in them, and those that they derive from."""
    return list(dict.fromkeys(_users_field_classes(fields)))


def _users_field_classes(fields: Iterable[Any]) -> Iterator[type]:
    for field in fields:
        if isinstance(field, Field):
            for cls in users_classes(type(field)):
                if issubclass(cls, BaseSerializer):
                    known_of(cls)  # an attribute of the class, which must not appear later
                yield cls
            within = (value for name, value in vars(field).items() if name not in ("parent", "fields"))
            yield from _users_field_classes(within)


def _is_hidden_instead(pattern: Any, declared: Any) -> bool:
    """Whether REST framework has put a hidden field, for a validator of uniqueness, in place of a declared one."""
    if type(pattern) is not serializers.HiddenField:
        return False
    if type(declared) is not serializers.HiddenField:
        return True
    default = pattern.default  # of a copy of the declared field it is that field's own, or a copy of it
    return default is not declared.default if is_immutable(default) else type(default) is not type(declared.default)


class _Declared:
    """Replaces a declared field whose class is the user's, while REST framework makes the other fields."""

    def __init__(self, field: Any) -> None:
        self.field = field
        self.source = field.source
        self.default = field.default

    def __deepcopy__(self, memo: Any) -> _Declared:
        return self


def _is_made_by_stock(field: Any) -> bool:
    """Whether no code of the user's runs when a copy of a field is made, nor when that of a field in it is."""
    within = [*field._args, *field._kwargs.values()]
    within += [vars(field).get(name) for name in ("child", "child_relation")]
    return is_made_by_stock(type(field)) and all(_is_made_by_stock(one) for one in within if isinstance(one, Field))


def _bare(cls: type) -> Any:
    """An instance that has nothing but declared fields."""
    bare: Any = object.__new__(cls)
    declared = {
        name: field if _is_made_by_stock(field) else _Declared(field)
        for name, field in cls._declared_fields.items()  # type: ignore[attr-defined]
    }
    bare.__dict__.update(_args=(), _kwargs={}, _declared_fields=declared)
    return bare


def _stock_of(cls: type) -> Callable[[Any], dict[str, Any]]:
    function = ModelSerializer.get_fields if issubclass(cls, ModelSerializer) else Serializer.get_fields
    return getattr(function, "__wrapped__", function)  # type: ignore[no-any-return]


# ---- the state ----------------------------------------------------------------------------------


def _state_of(cls: Any) -> list[Any]:
    """All that the fields of a class are made of, as objects that are compared together with their types."""
    state: list[Any] = []
    declared = cls._declared_fields
    state.extend(declared)
    for field in declared.values():
        state.append(field)
        for value in field._kwargs.values():
            _flatten(value, state)
    if not issubclass(cls, ModelSerializer):
        return state
    for name in _CLASS_ATTRIBUTES:
        state.append(getattr(cls, name, _ABSENT))
    state.extend(cls.serializer_field_mapping.values())
    meta = cls.Meta
    state.append(meta)
    for name in _META:
        _flatten(getattr(meta, name, _ABSENT), state)
    options = meta.model._meta
    state += (options.fields, options.many_to_many, options.related_objects, options.constraints)
    state += (options.unique_together, meta.model._default_manager.__class__)
    for model_field in (*options.fields, *options.many_to_many):
        own = vars(model_field)
        state += _of_model_field(own)
        state += own.get("validators", own["_validators"])
    return state


def _flatten(value: Any, state: list[Any]) -> None:
    if type(value) in (list, tuple):
        state.append(len(value))
        for one in value:
            _flatten(one, state)
    elif type(value) is dict:
        state.append(len(value))
        for key, one in value.items():
            state.append(key)
            _flatten(one, state)
    else:
        state.append(value)


class _State:
    """What the fields of a class are made of."""

    def __init__(self, parts: list[Any]) -> None:
        self._parts = parts
        self._types = list(map(type, parts))

    def is_still(self, parts: list[Any]) -> bool:
        """Whether the parts are the same. `==` looks for the same objects first; but 0 equals False."""
        try:
            return self._parts == parts and self._types == list(map(type, parts))
        except Exception:
            return False


# ---- which template -----------------------------------------------------------------------------


class Known:
    """What is known of a class. The class has it as an attribute, so that both live equally long."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.reading: Any = None
        """What reads its new instances."""
        self.loading: Any = None
        """What loads data for them."""
        self._is_of_stock: tuple[int, bool] = -1, False
        self.n_built = 0
        self.n_states = 0
        self.differs_in_state = -1
        """The state in which instances may have other fields than the next one."""
        self.generation = -1
        self.state = _State([])
        self.templates: dict[tuple[Any, ...], Template | None] = {}
        self.latest: tuple[dict[Any, Any], tuple[Any, ...] | None, Any] = self.templates, None, None
        """The templates, the conditions that were asked for last, and theirs of the templates.

        Without the GIL CPython locks a dict to look for a key that is no str.
        """

    def is_of_stock(self) -> bool:
        """Whether the class keeps REST framework's own functions, as far as `notice_changes` has seen."""
        of, found = self._is_of_stock
        if of != generation():
            found = is_of_stock(self.cls)
            self._is_of_stock = generation(), found
        return found

    def renew(self, cls: type) -> bool:
        """Forget the templates if what they were made of has changed. False: it is not known what it is."""
        try:
            state = _state_of(cls)
        except Exception:  # stock says what is wrong with the class
            return False
        if not self.state.is_still(state):
            self.state, self.templates = _State(state), {}
            self.n_states += 1
        if self.generation != generation():
            self.generation, self.templates = generation(), {}
        return True

    def template(self, conditions: tuple[Any, ...]) -> Template | None:
        """That for the conditions, which is made where there is none."""
        templates = self.templates
        found: Template | None
        of, known, found = self.latest
        if of is not templates or known != conditions:
            found = templates.get(conditions, _ABSENT)
            self.latest = templates, conditions, found
        if found is _ABSENT or (found is not None and not found.holds()):
            self.n_states += found is not _ABSENT
            found = templates[conditions] = _template(self.cls)
            self.latest = templates, conditions, found
        return found


_ATTRIBUTE = "_ssrjson_known"


def known_of(cls: type) -> Known:
    """What is known of a class."""
    known = vars(cls).get(_ATTRIBUTE)
    if known is None or known.cls is not cls:  # a class may have been made of the attributes of another one
        known = Known(cls)
        type.__setattr__(cls, _ATTRIBUTE, known)
    return known


def _renewed(cls: type, at_once: bool) -> Known | None:
    known = known_of(cls)
    if (known.n_built == 0 and not at_once) or known.n_states > _MAX_STATES:
        return None
    if has_opted_out(cls) or not _builds_as_stock(cls) or not known.renew(cls):
        return None
    return known


def template_of(cls: type, *, at_once: bool = False) -> Template | None:
    """The template of a class whose fields REST framework builds, for the settings and language in use, or None.

    It is made after an instance has got its fields without one, or `at_once`, as it takes as long as the fields of two.
    """
    known = _renewed(cls, at_once)
    return known.template(field_conditions()) if known is not None else None


def template_to_read(cls: type, *, at_once: bool = False) -> Template | None:
    """The same, for whatever language: fields differ in their labels only."""
    known = _renewed(cls, at_once)
    if known is None:
        return None
    return known.template(next(iter(known.templates), ()) or field_conditions())


def _template(cls: Any) -> Template | None:
    if issubclass(cls, ModelSerializer) and not _is_built_by_stock(cls):
        return None
    try:
        return Template(cls)
    except Exception:  # not cloneable, or stock raises it again
        return None


def _is_built_by_stock(cls: Any) -> bool:
    """Whether what is built of the model's fields is the same each time, and runs no code of the user's."""
    options = cls.Meta.model._meta
    model_fields = (*options.fields, *options.many_to_many)
    mapping = ClassLookupDict(cls.serializer_field_mapping)
    classes = {getattr(cls, name) for name in _FIELD_CLASSES} | {
        mapping[field] for field in options.fields if field.remote_field is None
    }
    return all(map(is_made_by_stock, classes)) and not any(map(_is_dynamic, model_fields))


_FIELD_CLASSES = tuple(name for name in _CLASS_ATTRIBUTES if name.startswith("serializer_"))


def _is_dynamic(field: Any) -> bool:
    """Whether a model's field has something that is asked each time: choices or limits that are callable."""
    remote = field.remote_field
    choices = getattr(field, "choices", None)
    return (remote is not None and callable(remote.limit_choices_to)) or not isinstance(
        choices, (list, tuple, type(None))
    )


def pristine_of(cls: type, *, at_once: bool = False) -> Any:
    """A serializer of the class with the fields of a new instance, which nobody may change.

    None where instances may have other fields, or that is not known.
    """
    template = template_of(cls, at_once=at_once) if has_fields_of_stock(cls) else None
    return template.pristine if template is not None else None


def get_fields_by_template(stock: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    """Replaces `Serializer.get_fields` and `ModelSerializer.get_fields`."""
    is_of_models = stock.__qualname__.startswith(ModelSerializer.__name__)

    def get_fields(self: Any) -> dict[str, Any]:
        cls = type(self)
        if is_disabled() or issubclass(cls, ModelSerializer) != is_of_models:
            return stock(self)
        if not vars(self).keys().isdisjoint(_BUILDING):
            return stock(self)
        notice_changes()
        template = template_of(cls)
        if template is None:
            known_of(cls).n_built += 1
            return stock(self)
        if template.url_field_name is not None:
            self.url_field_name = template.url_field_name
        return template.make()

    return get_fields
