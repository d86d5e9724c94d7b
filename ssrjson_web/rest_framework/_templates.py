"""The fields of a serializer class, made once by REST framework and then cloned for each instance.

What they are made of is the class's *state*: its declared fields and their arguments, the attributes of `Meta`, the
model's fields. It is compared whenever an instance asks for its fields, because all of it can be changed. Classes that
override a part of how fields are made do it as ever. The plans of a class belong to its template, too.
"""

from __future__ import annotations

import copy
import functools
import logging
from collections.abc import Callable, Collection, Iterable, Mapping
from operator import attrgetter, itemgetter
from types import FunctionType
from typing import Any, NamedTuple

from django.db import models
from django.utils.functional import cached_property
from django.utils.translation import get_language
from rest_framework import serializers
from rest_framework.fields import Field
from rest_framework.serializers import HyperlinkedModelSerializer, ModelSerializer, Serializer
from rest_framework.settings import api_settings
from rest_framework.utils.field_mapping import ClassLookupDict

from ssrjson_web._known.watch import Watch
from ssrjson_web.rest_framework._basis import (
    generation,
    has_opted_out,
    is_disabled,
    is_made_by_stock,
    is_mapping_own,
    is_of_stock,
    is_ours,
    keeps,
    notice_changes,
    users_classes,
    zone_in_use,
)
from ssrjson_web.rest_framework._cloning import (
    NotCloneableError,
    cloner_of,
    fields_within,
    is_immutable,
    states_of,
)

__all__ = [
    "CHANGES_TOO_OFTEN",
    "OWN_PLAN",
    "TEMPLATE",
    "HandedOverFields",
    "Template",
    "fields_by_plan",
    "fields_to_hide",
    "get_fields_by_template",
    "has_own_fields",
    "hide_again",
    "is_worth_plans",
    "known_of",
    "may_have_plan",
    "pristine_of",
    "template_of",
    "users_field_classes",
]

_METHODS = tuple(
    name
    for name, value in vars(ModelSerializer).items()
    if isinstance(value, FunctionType)
    and not name.endswith("_validators")
    and name not in ("create", "get_fields", "update")
)
"""What `ModelSerializer.get_fields` calls."""
_FIELD_CLASSES = (
    *("serializer_choice_field", "serializer_related_field"),
    *("serializer_related_to_field", "serializer_url_field"),
)
_META = ("depth", "exclude", "extra_kwargs", "fields", "model", "read_only_fields", "readonly_fields", "validators")
_of_model_field = itemgetter(
    *("blank", "default", "editable", "_error_messages", "help_text", "max_length", "null", "primary_key"),
    *("remote_field", "_unique", "unique_for_date", "unique_for_month", "unique_for_year", "_validators"),
    *("verbose_name", "choices" if "choices" in vars(models.CharField()) else "_choices"),
)
"""What of a model's field decides about the serializer's."""
_BUILDING = (*_METHODS, *_FIELD_CLASSES, "Meta", "_declared_fields", "serializer_field_mapping", "url_field_name")
"""A tuple, because threads wait for each other where they read one set."""
HIDDEN = "_ssrjson_fields"
"""Where a serializer has its `fields` while only REST framework's own code has asked for them."""
TEMPLATE = "_ssrjson_template"
"""Where a serializer whose fields are not made yet has its template, once they have been used: REST framework would
have made them then."""
OWN_PLAN = "_ssrjson_own_plan"
"""Where a serializer has the plan of its own fields, which may be others than those of its class."""
_OWN = (*_BUILDING, HIDDEN, "fields", "get_fields", "_readable_fields", "_writable_fields")
"""An instance that has one of these attributes of its own may have other fields than the next one."""
_ABSENT: Any = object()
_MAX_CHANGES = 20
"""A class whose state changes more often than this has no template any more."""
CHANGES_TOO_OFTEN = (
    f"its fields, or attributes of the class, have changed more than {_MAX_CHANGES} times, so REST framework makes them"
)
_LOG = logging.getLogger("ssrjson_web")
_MAX_ZONES = 100
MIN_USES = 8
"""Uses of a class before it gets plans, which take as long to make as REST framework works for some objects. It is a
use that an instance makes its fields; some objects of a list are one, too. Tests have a lower number."""


class PlansByZone:
    """The plans of a template for one use, by the time zone, as far as that decides."""

    def __init__(self) -> None:
        self.latest: Any = None
        self._by_zone: dict[Any, Any] = {}
        self._is_refused = False

    def find(self, make: Callable[[], Any]) -> Any:
        """The plan for what is in use now, which is made where there is none. None: there can be none."""
        latest = self.latest
        if latest is not None and latest.holds():
            return latest
        if self._is_refused:
            return None
        zone = zone_in_use()
        try:
            found = self._by_zone.get(zone)
        except TypeError:  # a zone that cannot be hashed
            return None
        if found is None or not found.holds():
            try:
                found = make()
            except Exception:  # fields of another kind than REST framework's
                found = None
            self._is_refused = found is None
            if len(self._by_zone) >= _MAX_ZONES:
                self._by_zone.clear()
            self._by_zone[zone] = found
        self.latest = found
        return found


class _Makers(NamedTuple):
    fields: dict[str, Callable[[], Any] | None]
    """Each makes a field. None: it is one of `declared`."""
    declared: dict[str, Callable[[], Any]]
    """Each makes a field that the class declares, by calling its class."""


class Template:
    """What new instances of a class get as fields."""

    def __init__(self, cls: type) -> None:
        self.reading, self.loading, self.loading_partially = PlansByZone(), PlansByZone(), PlansByZone()
        bare = _bare(cls)
        self._patterns = _stock_of(cls)(bare)
        self._unbound = states_of(self._patterns.values())
        self._declared = bare._declared_fields
        self.url_field_name = vars(bare).get("url_field_name")
        self.has_stock_fields = not any(type(pattern) is _Declared for pattern in self._patterns.values())
        self._classes = Watch(users_field_classes(self._patterns.values()))
        self._pristine: Any = None
        self._cls = cls

    @functools.cached_property
    def _makers(self) -> _Makers:
        """What makes fields. It is made late, because a plan may never need it."""
        try:
            others = _stock_of(self._cls)(_bare(self._cls))
        except Exception:  # the class has changed since
            others = {}
        fields = {name: self._maker(name, pattern, others.get(name)) for name, pattern in self._patterns.items()}
        origins = {name: one.field for name, one in self._declared.items() if type(one) is _Declared}
        return _Makers(fields, {name: functools.partial(copy.deepcopy, origin) for name, origin in origins.items()})

    def _maker(self, name: str, pattern: Any, other: Any) -> Callable[[], Any] | None:
        origin = self._declared.get(name)
        if origin is not None and _is_hidden_instead(pattern, origin):
            origin = None
        if type(origin) is _Declared:
            return None
        try:
            return cloner_of(pattern, other, self._unbound, origin)
        except NotCloneableError:
            if origin is None:
                return functools.partial(copy.deepcopy, pattern)
            self._declared[name] = _Declared(origin)
            return None

    def holds(self) -> bool:
        """Whether the user's classes of the fields are as they were."""
        return self._classes.holds()

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(None), ())  # a serializer that is pickled or copied goes without it

    def make(self) -> dict[str, Any]:
        """New fields, not bound to a serializer."""
        fields, of_declared = self._makers
        declared = {name: make() for name, make in of_declared.items()}
        return {name: declared[name] if make is None else make() for name, make in fields.items()}

    def fields_of(self, serializer: Any) -> Any:
        """New fields of a serializer, as its `fields` has them."""
        return self._bound(serializer, self.make())

    def _bound(self, serializer: Any, made: dict[str, Any]) -> Any:
        if self.url_field_name is not None:
            serializer.url_field_name = self.url_field_name
        fields = serializers.BindingDict(serializer)
        for name, field in made.items():
            fields[name] = field
        return fields

    @property
    def pristine(self) -> Any:
        """A serializer that nobody else has, with the fields of a new instance: the patterns.

        None where making them runs code that is not REST framework's: then another instance's may differ.
        """
        if self._pristine is None and self.has_stock_fields:
            serializer: Any = object.__new__(self._cls)
            serializer.__dict__.update(_args=(), _kwargs={}, parent=None, field_name=None, _context={}, instance=None)
            try:
                fields = self._bound(serializer, self._patterns)
            except Exception:  # an instance raises it when it makes its fields
                self.has_stock_fields = False
                return None
            serializer.__dict__["fields"] = fields
            self._pristine = serializer
        return self._pristine


def users_field_classes(fields: Iterable[Any]) -> list[type]:
    """The user's classes of fields and of fields in them, and those that they derive from."""
    found: dict[type, None] = {}
    for field in fields:
        if isinstance(field, Field):
            if isinstance(field, serializers.BaseSerializer):
                known_of(type(field))  # an attribute of the class, which must not appear later
            found.update(dict.fromkeys([*users_classes(type(field)), *users_field_classes(fields_within(field))]))
    return list(found)


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
    """What may change of which the fields of a class are made, as objects that are compared together with their types.

    The attributes of the class itself are watched.
    """
    declared = cls._declared_fields
    state: list[Any] = [*declared, *declared.values()]
    for field in declared.values():
        _add_all(field._kwargs.values(), state)
    if not issubclass(cls, ModelSerializer):
        return state
    meta = cls.Meta
    _add_all([getattr(meta, name, _ABSENT) for name in _META], state)
    options = meta.model._meta
    state += (options.fields, options.many_to_many, options.related_objects, options.constraints)
    state += (options.unique_together, meta.model._default_manager.__class__)
    for model_field in (*options.fields, *options.many_to_many):
        own = vars(model_field)
        state += _of_model_field(own)
        state += own.get("validators", own["_validators"])
    return state


def _add_all(values: Collection[Any], state: list[Any]) -> None:
    """Add values, and what is in the lists, tuples and dicts among them."""
    state.append(len(values))
    state += values
    for value in values:
        if type(value) is dict:
            state += value
            _add_all(value.values(), state)
        elif type(value) in (list, tuple):
            _add_all(value, state)


# ---- what is known of a class -------------------------------------------------------------------

_of_models = attrgetter("__getattribute__", *_METHODS)
_KEEPS_READING = ("_readable_fields", "__getattribute__")
_KEPT_BY_INSTANCES = (functools.cached_property, cached_property)


class Known:
    """What is known of a class. The class has it as an attribute, so that both live equally long."""

    _watch = Watch()
    _generation = -1
    _state: tuple[list[Any], list[Any]] = [], []
    _n_changes = 0

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.n_uses = 0
        self.templates: dict[tuple[Any, ...], Template | None] = {}
        self._latest: tuple[dict[Any, Any], tuple[Any, ...] | None, Any] = self.templates, None, None
        """The templates, the conditions that were asked for last, and theirs of the templates.

        Without the GIL CPython locks a dict to look for a key that is no str.
        """

    def now(self) -> Known:
        """This object, after another look if the class has changed, or what `notice_changes` sees."""
        if self._generation != generation() or not self._watch.holds():
            self._look()
        return self

    def _look(self) -> None:
        cls = self.cls
        if self.templates and not self._watch.holds():
            self._count_change()
        # taken before the look, to see what changes meanwhile; told after it, because other threads ask for them
        watch, known_at, self.templates = Watch(users_classes(cls)), generation(), {}
        self.has_opted_out = has_opted_out(cls)
        self.is_of_stock = is_of_stock(cls)
        self.keeps_fields = self.is_of_stock and cls.fields is Serializer.fields
        """Whether it has the `fields` of REST framework, which `setup` replaces."""
        has_fields = self.keeps_fields or (self.is_of_stock and type(cls.fields) in _KEPT_BY_INSTANCES)
        self.can_be_read = has_fields and keeps(cls, Serializer, *_KEEPS_READING) and not self.has_opted_out
        """Whether it iterates over its `fields` as REST framework does, and each instance has them from then on."""
        self.builds_as_stock = self.is_of_stock and _builds_as_stock(cls)
        base = ModelSerializer if issubclass(cls, ModelSerializer) else Serializer
        self.has_fields_of_stock = (
            self.keeps_fields
            and keeps(cls, Serializer, "_readable_fields", "_writable_fields")
            and is_ours(cls.get_fields, base, "get_fields")
            and self.builds_as_stock
        )
        """Whether instances get their fields by nothing but REST framework's own code."""
        self.can_be_loaded = (
            self.is_of_stock
            and not self.has_opted_out
            and isinstance(cls.fields, HandedOverFields)
            and not hasattr(cls, "__getattr__")
            and cls.__getattribute__ is object.__getattribute__
            and keeps(cls, Serializer, "_read_only_defaults", "_writable_fields", "root", "set_value")
        )
        """Whether it keeps the methods that a plan of loading replaces."""
        self._watch, self._generation = watch, known_at

    def template(self, *, at_once: bool = False) -> Template | None:
        """The template of a class whose fields REST framework builds, for the settings and language in use, or None.

        It is made after `MIN_USES`, or `at_once`.
        """
        if self.changes_too_often() or self.has_opted_out or not self.builds_as_stock or not self._renew():
            return None
        if self.n_uses < MIN_USES and not at_once:
            return None
        return self.template_for(_conditions())

    def template_for(self, conditions: tuple[Any, ...]) -> Template | None:
        """That for some conditions, which is made where there is none."""
        templates = self.templates
        found: Template | None
        of, known, found = self._latest
        if of is not templates or known != conditions:
            found = templates.get(conditions, _ABSENT)
            self._latest = templates, conditions, found
        if found is _ABSENT or (found is not None and not found.holds()):
            if found is not _ABSENT:
                self._count_change()
            found = templates[conditions] = _template(self.cls)
            self._latest = templates, conditions, found
        return found

    def may_have_pristine(self) -> bool:
        """False: at the last look, instances made fields by code of the user's. They look again when they make them."""
        if self._generation >= 0 and not self.has_fields_of_stock:
            return False
        of, conditions, latest = self._latest
        if of is not self.templates or conditions is None or latest is _ABSENT:
            return True
        return latest is not None and latest.has_stock_fields

    def _renew(self) -> bool:
        """Forget the templates if what they were made of has changed. False: it is not known what it is."""
        parts, types = self._state
        try:
            state = _state_of(self.cls)
            # `==` looks for the same objects first; but 0 equals False
            is_same = parts == state and types == list(map(type, state))
        except Exception:  # stock says what is wrong with the class
            return False
        if not is_same:
            if self.templates:
                self._count_change()
            self._state, self.templates = (state, list(map(type, state))), {}
        return True

    def _count_change(self) -> None:
        """Count that what templates were made of has changed. It may do so again, so the uses are counted anew."""
        self._n_changes += 1
        self.n_uses = 0
        if self._n_changes == _MAX_CHANGES + 1:
            _LOG.warning("%s.%s: %s", self.cls.__module__, self.cls.__qualname__, CHANGES_TOO_OFTEN)

    def changes_too_often(self) -> bool:
        """Whether it gets no templates any more."""
        return self._n_changes > _MAX_CHANGES


def _builds_as_stock(cls: Any) -> bool:
    """Whether `get_fields` of REST framework calls nothing that a serializer class overrides."""
    if not issubclass(cls, ModelSerializer):
        return keeps(cls, Serializer, "__getattribute__")
    return is_mapping_own() and _of_models(cls) in (_of_models(ModelSerializer), _of_models(HyperlinkedModelSerializer))


def _conditions() -> tuple[Any, ...]:
    """What stock reads when it makes fields: labels, for example, are chosen by the language."""
    return get_language(), *_of_settings(api_settings)


_of_settings = attrgetter("URL_FIELD_NAME", "HTML_SELECT_CUTOFF", "HTML_SELECT_CUTOFF_TEXT")
_ATTRIBUTE = "_ssrjson_known"


def known_of(cls: type) -> Known:
    """What is known of a class."""
    known = vars(cls).get(_ATTRIBUTE)
    if known is None or known.cls is not cls:  # a class may have been made of the attributes of another one
        known = Known(cls)
        type.__setattr__(cls, _ATTRIBUTE, known)
    return known


def may_have_plan(cls: type, n_more: int = 0) -> bool:
    """Whether an object or dict alone may have a plan, by one look. `n_more` is that of `is_worth_plans`."""
    return is_worth_plans(cls, n_more) and known_of(cls).may_have_pristine()


def is_worth_plans(cls: type, n_more: int = 0) -> bool:
    """Whether a class has been used so often that it gets plans. `n_more` uses are counted for the next time."""
    known = known_of(cls)
    if known.n_uses >= MIN_USES:
        return True
    known.n_uses += n_more
    return False


def _template(cls: Any) -> Template | None:
    try:
        if issubclass(cls, ModelSerializer) and not _is_built_by_stock(cls):
            return None
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


def _is_dynamic(field: Any) -> bool:
    """Whether a model's field has something that is asked each time: choices or limits that are callable."""
    remote = field.remote_field
    choices = getattr(field, "choices", None)
    return (remote is not None and callable(remote.limit_choices_to)) or not isinstance(
        choices, (list, tuple, type(None))
    )


def pristine_of(cls: type) -> Any:
    """A serializer of the class with the fields of a new instance, which nobody may change.

    None where instances may have other fields, or that is not known.
    """
    known = known_of(cls).now()
    template = known.template(at_once=True) if known.has_fields_of_stock else None
    return template.pristine if template is not None else None


def get_fields_by_template(stock: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    """Replaces `Serializer.get_fields` and `ModelSerializer.get_fields`."""
    is_of_models = stock.__qualname__.startswith(ModelSerializer.__name__)

    def get_fields(self: Any) -> dict[str, Any]:
        cls = type(self)
        if is_disabled() or not is_worth_plans(cls, 1) or issubclass(cls, ModelSerializer) != is_of_models:
            return stock(self)
        if not vars(self).keys().isdisjoint(_BUILDING):
            return stock(self)
        notice_changes()
        template = known_of(cls).now().template()
        if template is None:
            return stock(self)
        if template.url_field_name is not None:
            self.url_field_name = template.url_field_name
        return template.make()

    return get_fields


# ---- the fields of an instance ------------------------------------------------------------------


def has_own_fields(serializer: Any) -> bool:
    """Whether a serializer may have other fields than a new instance of its class."""
    own = vars(serializer)
    if "fields" in own or (OWN_PLAN in own and own[OWN_PLAN].n_plans):
        return True
    return TEMPLATE not in own and not own.keys().isdisjoint(_OWN)


def template_of(serializer: Any, *, at_once: bool = False) -> Template | None:
    """The template whose fields a serializer has, or would have if it was asked. None: it is not known."""
    if has_own_fields(serializer):
        return None
    kept: Template | None = vars(serializer).get(TEMPLATE)
    if kept is not None:
        return kept
    known = known_of(type(serializer)).now()
    template = known.template(at_once=at_once) if known.has_fields_of_stock else None
    return template if template is not None and template.pristine is not None else None


class HandedOverFields(cached_property):
    """The cached property `fields`, which gives the hidden fields if there are some."""

    def __get__(self, instance: Any, cls: type | None = None) -> Any:
        if instance is None:
            return self
        attributes = instance.__dict__
        found = attributes.pop(HIDDEN, None)
        if found is None:
            template = attributes.get(TEMPLATE)
            found = self.func(instance) if template is None else template.fields_of(instance)
        attributes["fields"] = found
        return found


def fields_by_plan(stock: Any) -> HandedOverFields:
    """Replaces `Serializer.fields`."""
    made = HandedOverFields(stock.func)
    made.__set_name__(Serializer, "fields")
    return made


def fields_to_hide(serializer: Any) -> Mapping[str, Any]:
    """The fields of a serializer, which stay hidden if nobody has asked for them."""
    attributes = serializer.__dict__
    found: Mapping[str, Any]
    for name in ("fields", HIDDEN):
        if name in attributes:
            found = attributes[name]
            return found
    found = serializer.fields
    if isinstance(type(serializer).fields, HandedOverFields):
        hide_again(serializer)
    return found


def hide_again(serializer: Any) -> None:
    """Hide the fields for which only REST framework's own code has asked."""
    attributes = serializer.__dict__
    if "fields" in attributes:
        attributes[HIDDEN] = attributes.pop("fields")
