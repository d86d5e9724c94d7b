"""Responses that are validated and dumped in one pass of the core, without pydantic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from django.db.models import QuerySet
from ninja import NinjaAPI, Schema
from ninja.operation import ResponseObject
from ninja.renderers import JSONRenderer
from ninja.responses import NinjaJSONEncoder

from ssrjson_web._core import _Acceptance
from ssrjson_web.ninja._derived import Shortcut, derived_model, shortcut_of, validates_as_stock
from ssrjson_web.ninja._rendering import SSRJSONRenderer
from ssrjson_web.ninja._schemas import ResponseReader, is_getter_stock

__all__ = ["with_dumped_items", "with_dumped_responses"]

_CREATE_RESPONSE = NinjaAPI.create_response
_RENDERS = (SSRJSONRenderer.render, JSONRenderer.render)
_FLAGS = ("by_alias", "exclude_unset", "exclude_defaults", "exclude_none")


class _QueryError(Exception):
    """A query has failed. Ninja gets `result`, so that it is not run again."""

    def __init__(self, result: Any) -> None:
        self.result = result


class _Failed:
    """Replaces a queryset whose query has failed: a `DjangoGetter` calls it, and gets the error."""

    def __init__(self, queryset: Any, error: Exception) -> None:
        self._queryset = queryset
        self._error = error

    def __call__(self) -> Any:
        raise self._error

    def __repr__(self) -> str:
        return repr(self._queryset)


def _rows(queryset: Any, result_with: Callable[[Any], Any]) -> Any:
    """The rows of a queryset; itself where its class may not keep them. Raises _QueryError."""
    cls = type(queryset)
    if cls.__iter__ is not QuerySet.__iter__ or cls._fetch_all is not QuerySet._fetch_all:
        return queryset
    failure: Exception
    try:
        return list(queryset)
    except Exception as error:
        failure = error
    raise _QueryError(result_with(_Failed(queryset, failure)))


class _Reading(NamedTuple):
    """What is known of a response's schema, for the options that an operation dumps with."""

    core_schema: Any
    options: tuple[Any, ...]
    acceptance: _Acceptance | None
    keys: tuple[tuple[str, ...], ...]
    """The keys of a dict whose querysets Ninja replaces by lists: for each field those that it looks for, in order."""

    def with_rows(self, result: Any) -> Any:
        """A result with lists in place of querysets, which keep their rows: no query is run again.

        Raises _QueryError.
        """
        if isinstance(result, QuerySet):
            return _rows(result, lambda failed: failed)
        if not self.keys or type(result) is not dict:
            return result
        made: dict[Any, Any] = result
        for key in (next((key for key in keys if key in result), None) for keys in self.keys):
            if isinstance(made.get(key), QuerySet):
                rows = _rows(result[key], lambda failed, key=key: {**result, key: failed})  # type: ignore[misc]
                made = {**made, key: rows}
        return made


class _Dumped:
    """Replaces a validated response: it is dumped already."""

    def __init__(self, content: Any, options: tuple[Any, ...], validate: Callable[[], Any]) -> None:
        self._content = content
        self._options = options
        self._validate = validate

    def model_dump(self, **options: Any) -> Any:
        flags = tuple(options.get(name) for name in _FLAGS)
        if flags == self._options and not options.keys() - {"context", *_FLAGS}:
            return self._content
        return self._validate().model_dump(**options)


class _ResponseShortcut(Shortcut):
    """Dumps the results of an operation that need no validation; every other one is Ninja's as a whole."""

    def __init__(self, model: Any, operation: Any) -> None:
        super().__init__(model)
        self._operation = operation
        # one attribute for all, because threads may share an operation
        self._made: _Reading | None = None

    def take(self, value: Any, options: dict[str, Any]) -> tuple[Any, Any]:
        reading = self._reading()
        is_ours = type(value) is ResponseObject and not options.keys() - {"context"}
        if reading.acceptance is None or not is_ours or not is_getter_stock() or not self._only_renders():
            return NotImplemented, value
        try:
            result = reading.with_rows(value.response)
        except _QueryError as error:
            return NotImplemented, ResponseObject(error.result)
        try:
            content = reading.acceptance.for_text({"response": result})
        except Exception:  # what is raised after validation may differ
            return NotImplemented, value
        if content is NotImplemented or "response" not in content:
            return NotImplemented, value
        return _Dumped(content, reading.options, lambda: self.model.model_validate(value, **options)), value

    def _only_renders(self) -> bool:
        """Whether what is dumped is only written: parts of it may be the application's own objects."""
        api = self._operation.api
        renderer = api.renderer
        return (
            getattr(api.create_response, "__func__", None) is _CREATE_RESPONSE
            and getattr(renderer.render, "__func__", None) in _RENDERS
            and renderer.encoder_class is NinjaJSONEncoder
        )

    def _reading(self) -> _Reading:
        core_schema = self.model.__pydantic_core_schema__  # a rebuild replaces it
        options = tuple(getattr(self._operation, name) for name in _FLAGS)
        made = self._made
        if made is None or made.core_schema is not core_schema or made.options != options:
            made = self._made = _read(self.model, core_schema, options)
        return made


class _ItemShortcut(_ResponseShortcut):
    """Dumps the items of a stream, which no renderer gets."""

    def _only_renders(self) -> bool:
        return True


def _read(model: Any, core_schema: Any, options: tuple[Any, ...]) -> _Reading:
    by_alias, exclude_unset, exclude_defaults, exclude_none = options
    acceptance = None
    if isinstance(core_schema, dict) and all(type(one) is bool for one in options) and not exclude_defaults:
        reader = ResponseReader(
            core_schema,
            from_attributes=False,  # each model has a config of its own for that
            include=None,
            exclude=None,
            by_alias=by_alias,
            exclude_unset=exclude_unset,
            exclude_defaults=False,
            exclude_none=exclude_none,
        )
        acceptance = reader.read({})
    keys = _keys_of(model.model_fields["response"].annotation) if acceptance is not None else ()
    return _Reading(core_schema, options, acceptance, keys)


def _keys_of(declared: Any) -> tuple[tuple[str, ...], ...]:
    # in Python 3.10 list[int] says that it is an instance of type
    is_schema = issubclass(type(declared), type) and issubclass(declared, Schema)
    if not is_schema or declared.model_config.get("extra") == "forbid":  # which sees the querysets themselves
        return ()
    fields: Mapping[str, Any] = declared.model_fields
    by_name = declared.model_config.get("populate_by_name") or declared.model_config.get("validate_by_name")
    return tuple(
        tuple(dict.fromkeys((field.validation_alias or name, *([name] if by_name else []))))
        for name, field in fields.items()
    )


def with_dumped_responses(operation: Any) -> dict[Any, Any]:
    """An operation's models of responses by their status, with a shortcut where there can be one."""
    return {
        status: derived_model(model, _ResponseShortcut(model, operation)) if _is_stock(model) else model
        for status, model in operation.response_models.items()
    }


def with_dumped_items(operation: Any) -> Any:
    """The model of the items of an operation's stream, with a shortcut where there can be one."""
    model = operation.stream_item_model
    return derived_model(model, _ItemShortcut(model, operation)) if _is_stock(model) else model


def _is_stock(model: Any) -> bool:
    return (
        isinstance(model, type)
        and model.__bases__ == (Schema,)
        and shortcut_of(model) is None
        and validates_as_stock(model)
    )
