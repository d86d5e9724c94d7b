"""Objects looked up by a unique field, with a query that is compiled once: what `queryset.get(pk=value)` gives.

`get` builds a query anew for each value, which takes ten times as long as the database does. Here Django compiles the
query once for a queryset and a connection's alias, and each value becomes the parameter of the same text. All else is
Django's: the router is asked, the same text goes through the connection's cursor and wrappers, and `Model.from_db`
makes the object. A queryset that is not plain, and a value that is not of the field's exact type, go Django's way.
"""

from __future__ import annotations

import uuid
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import connections, models
from django.db.backends.base.operations import BaseDatabaseOperations
from django.db.models import lookups
from django.db.models import query as queryset_module
from django.db.models.lookups import Exact
from django.db.models.manager import BaseManager
from django.db.models.query import MAX_GET_RESULTS, ModelIterable, QuerySet
from django.db.models.sql import Query
from django.db.models.sql import compiler as compiler_module
from django.db.models.sql.compiler import SQLCompiler
from django.db.models.sql.constants import MULTI
from django.db.models.sql.where import WhereNode

from ssrjson_web._known.functions import are_texts_known
from ssrjson_web._known.texts import has_texts
from ssrjson_web._known.watch import Functions

try:
    from django.db.models.fetch_modes import FETCH_ONE
except ImportError:  # before Django 6.1
    FETCH_ONE = None

__all__ = ["Lookup", "prepared", "queries"]

_TYPES: dict[type[models.Field[Any, Any]], type] = {
    models.AutoField: int,
    models.BigAutoField: int,
    models.IntegerField: int,
    models.BigIntegerField: int,
    models.PositiveIntegerField: int,
    models.PositiveBigIntegerField: int,
    models.CharField: str,
    models.SlugField: str,
    models.UUIDField: uuid.UUID,
}
"""Fields whose value is the query's parameter as it is, or its `hex`, and the type of such values."""
_CONDITIONS = {Exact, getattr(lookups, "IntegerFieldExact", Exact)}
_OF_CONDITIONS = ["__init__", "get_prep_lookup", "get_db_prep_lookup", "rhs_is_direct_value", "process_rhs", "as_sql"]
queries = Functions(
    {
        QuerySet: [
            *("get", "filter", "_filter_or_exclude", "_filter_or_exclude_inplace", "_clone", "_chain", "_fetch_all"),
            *("_not_support_combined_queries", "__iter__", "__len__"),
        ],
        ModelIterable: ["__iter__"],
        queryset_module: ["get_related_populators", "_get_from_db"],
        models.Q: ["__init__"],
        Query: [
            *("get_compiler", "set_limits", "chain", "clone", "add_q", "_add_q", "build_filter", "build_lookup"),
            *("solve_lookup_type", "resolve_lookup_value", "check_related_objects"),
        ],
        WhereNode: ["as_sql"],
        SQLCompiler: ["as_sql", "compile", "execute_sql", "results_iter", "get_converters", "apply_converters"],
        compiler_module: ["cursor_iter"],
        **dict.fromkeys(_CONDITIONS, _OF_CONDITIONS),
        **{field: ["get_prep_value", "get_db_prep_value", "to_python", "get_lookup"] for field in _TYPES},
        BaseDatabaseOperations: ["adapt_integerfield_value"],
    },
    modules=[
        *(
            f"django.db.models.{name}"
            for name in ("expressions", "lookups", "manager", "options", "query", "query_utils")
        ),
        *("django.db.models.fields", "django.db.models.fields.composite"),
        *(f"django.db.models.sql.{name}" for name in ("compiler", "datastructures", "query", "where")),
        *(f"django.db.backends.{name}.operations" for name in ("base", "mysql", "oracle", "postgresql", "sqlite3")),
    ],
    left="`get_object` of views",
)
"""What makes, compiles and runs the query of `QuerySet.get`. The functions are those that see the value or a row."""
_FETCHED: dict[str, Any] = {} if FETCH_ONE is None else {"fetch_mode": FETCH_ONE}
"""What a queryset gives `from_db` besides the row."""

_ORDER = {"order_by", "extra_order_by", "default_ordering", "standard_ordering"}
"""What `get` leaves out of the query."""
_PROBES = {int: (1, 2), str: ("a", "b"), uuid.UUID: (uuid.UUID(int=1), uuid.UUID(int=2))}
_LEAST, _GREATEST = 1, 2**31 - 1  # no database refuses them, and Django never leaves out their query


class _Compiled(NamedTuple):
    """A query for one alias."""

    compiler: Any
    """Of Django, after `as_sql`; without a connection."""
    text: str
    parameters: tuple[Any, ...]
    place: int
    """Of the value in the parameters."""
    attributes: list[str]
    """The names of the columns, for `from_db`."""
    model: type[models.Model]
    converts: bool
    """Whether the backend or a field changes what the database gives."""
    is_hex: bool
    """Whether the database has UUIDs as texts."""


class Lookup:
    """`queryset.get(**{name: value})` for a plain queryset."""

    def __init__(self, queryset: QuerySet[Any], name: str, exact_type: type) -> None:
        self._queryset = queryset
        self._name = name
        self._type = exact_type
        self._compiled: dict[str, _Compiled | None] = {}

    def get(self, value: Any) -> Any:
        """The object; None if there is none; NotImplemented for a value that only Django should look up."""
        if self._type is uuid.UUID and type(value) is str:
            value = _uuid_of(value)
        if type(value) is not self._type or not _is_usual(value):
            return NotImplemented
        alias = self._queryset.db
        if alias not in self._compiled:
            self._compiled[alias] = _compile(self._queryset, self._name, _PROBES[self._type], alias)
        compiled = self._compiled[alias]
        if (
            compiled is None
            or _of_compiler(type(compiled.compiler)) != _of_compiler(SQLCompiler)
            or (_FETCHED and _function_of(compiled.model.from_db) is not _function_of(models.Model.from_db))
        ):
            return NotImplemented
        return _run(compiled, value, alias)

    def get_by_text(self, value: Any) -> Any:
        """The same for a value that may be the text of one, as a URL has it."""
        if self._type is int and type(value) is str and len(value) < 11 and value.isascii() and value.isdecimal():
            value = int(value)
        return self.get(value)


def _function_of(method: Any) -> Any:
    return getattr(method, "__func__", None)


def _is_usual(value: Any) -> bool:
    """Whether every database takes a value as a parameter."""
    if isinstance(value, int):
        return _LEAST <= value <= _GREATEST
    return isinstance(value, uuid.UUID) or (value != "" and "\0" not in value)


def _uuid_of(text: str) -> uuid.UUID | None:
    """That of a text of the usual length; None: Django tells what is wrong with it, or reads another form."""
    try:
        return uuid.UUID(text) if len(text) == 36 else None
    except ValueError:
        return None


def _run(compiled: _Compiled, value: Any, alias: str) -> Any:
    if compiled.is_hex:
        value = value.hex
    parameters = (*compiled.parameters[: compiled.place], value, *compiled.parameters[compiled.place + 1 :])
    if compiled.converts or type(compiled.compiler) is not SQLCompiler:
        rows = _rows_by_compiler(compiled, parameters, alias)
    else:
        with connections[alias].cursor() as cursor:
            cursor.execute(compiled.text, parameters)
            rows = cursor.fetchmany(MAX_GET_RESULTS)
    model: Any = compiled.model
    objects = [model.from_db(alias, compiled.attributes, row[: len(compiled.attributes)], **_FETCHED) for row in rows]
    if len(objects) > 1:
        raise model.MultipleObjectsReturned(
            f"get() returned more than one {model._meta.object_name} -- it returned {len(objects)}!"
        )
    return objects[0] if objects else None


_of_compiler = attrgetter("as_sql", "execute_sql", "results_iter")
"""What a backend's own class of compilers must not override."""


def _rows_by_compiler(compiled: _Compiled, parameters: tuple[Any, ...], alias: str) -> list[Any]:
    compiler = object.__new__(type(compiled.compiler))
    compiler.__dict__.update(compiled.compiler.__dict__, connection=connections[alias])
    compiler.as_sql = lambda *_, **__: (compiled.text, parameters)
    return list(compiler.results_iter(compiler.execute_sql(MULTI)))


def _compile(queryset: QuerySet[Any], name: str, probes: tuple[Any, Any], alias: str) -> _Compiled | None:
    """The query that Django makes for two values; None where they differ by more than a parameter."""
    operations = type(connections[alias].ops).__module__
    if has_texts(operations) and not are_texts_known(operations):
        return None
    compilers = []
    statements = []
    for probe in probes:
        query = queryset.all().filter(**{name: probe}).order_by().query
        query.set_limits(high=MAX_GET_RESULTS)
        if not {type(condition) for condition in query.where.children} <= _CONDITIONS:
            return None
        compilers.append(query.get_compiler(using=alias))
        statements.append(compilers[-1].as_sql())
    (text, first), (other_text, second) = statements
    places = [i for i, (one, other) in enumerate(zip(first, second, strict=False)) if one != other]
    if text != other_text or len(first) != len(second) or len(places) != 1:
        return None
    (place,) = places
    compiler: Any = compilers[0]
    pair = first[place], second[place]
    is_hex = isinstance(probes[0], uuid.UUID) and pair == tuple(probe.hex for probe in probes)
    is_as_given = is_hex or (pair == probes and type(pair[0]) is type(probes[0]))
    info = compiler.klass_info
    if not is_as_given or compiler.annotation_col_map or info.get("related_klass_infos"):
        return None
    fields = info["select_fields"]
    if list(fields) != list(range(len(compiler.select))):
        return None
    converts = bool(compiler.get_converters([column[0] for column in compiler.select]))
    compiler.connection = None
    attributes = [column[0].target.attname for column in compiler.select]
    return _Compiled(compiler, text, tuple(first), place, attributes, info["model"], converts, is_hex)


_KEPT = "_ssrjson_lookups"


class _OfModel:
    """What is known of a model. The model has it as an attribute, so that both live equally long."""

    def __init__(self, model: type[models.Model]) -> None:
        self.fresh = vars(Query(model).chain())
        """The state of a query for all objects."""
        self.lookups: dict[tuple[Any, ...], Lookup | None] = {}
        self.state = queries.state
        """With other functions or conditions, Django may make another query."""


def _known_of(model: type[models.Model]) -> _OfModel:
    found = vars(model).get(_KEPT)
    if found is None or found.state is not queries.state:
        found = _OfModel(model)
        setattr(model, _KEPT, found)
    return found  # type: ignore[no-any-return]


def prepared(queryset: Any, name: str = "pk") -> Lookup | None:
    """The lookup of a queryset or manager by a unique field's name; None where only Django should look up.

    It is asked for at each use, because packages replace methods of QuerySet and SQLCompiler, to cache or to measure.
    """
    if not queries.are_known():
        return None
    if isinstance(queryset, BaseManager):
        manager_class = type(queryset)
        if not all(getattr(manager_class, one) is getattr(BaseManager, one) for one in ("get_queryset", "all")):
            return None
        queryset = queryset.get_queryset()
    if not isinstance(queryset, QuerySet) or queryset.model._meta.proxy:
        return None
    key = (type(queryset), queryset._db, name)
    if not _is_plain(queryset):
        return None
    lookups = _known_of(queryset.model).lookups
    if key not in lookups:
        lookups[key] = _make(queryset, name)
    return lookups[key]


def _make(queryset: QuerySet[Any], name: str) -> Lookup | None:
    meta = queryset.model._meta
    field = meta.pk if name == "pk" else next((field for field in meta.concrete_fields if field.name == name), None)
    exact_type = _TYPES.get(type(field)) if field is not None else None
    if exact_type is None or field is None or not field.unique or field.model is not queryset.model:
        return None
    return Lookup(queryset.all(), name, exact_type)


def _is_plain(queryset: QuerySet[Any]) -> bool:
    """Whether it selects every object of its model, with QuerySet's own methods."""
    if not _keeps_methods(type(queryset)) or queryset._iterable_class is not ModelIterable:
        return False
    if queryset._prefetch_related_lookups or queryset._known_related_objects or queryset._hints or queryset._for_write:
        return False
    if type(queryset.query) is not Query or queryset.query.where.children:
        return False
    if getattr(queryset, "_fetch_mode", None) is not FETCH_ONE:
        return False
    query, fresh = vars(queryset.query.chain()), _known_of(queryset.model).fresh
    names = query.keys() - _ORDER
    return names == fresh.keys() - _ORDER and all(query[name] == fresh[name] for name in names)


def _keeps_methods(cls: type) -> bool:
    """Whether a class overrides nothing of QuerySet that `get` may ask for."""
    own = cls.__mro__[: cls.__mro__.index(QuerySet)]
    inherited = set(dir(QuerySet)) - {
        *("__module__", "__doc__", "__qualname__", "__firstlineno__", "__static_attributes__"),
        *("bulk_create", "bulk_update", "count", "create", "delete", "update"),
    }
    return not any(inherited & vars(one).keys() for one in own)
