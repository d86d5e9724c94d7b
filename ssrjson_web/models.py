"""JSON of the types that pydantic knows, encoded and decoded by the core: `TypedEncoder` and `TypedDecoder`.

`json_type` makes Structs of msgspec and attrs classes known to pydantic, and so to FastAPI.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypedDict, TypeVar, overload

try:
    from pydantic import TypeAdapter
except ModuleNotFoundError as _error:
    if _error.name != "pydantic":
        raise
    raise ImportError("ssrjson_web.models needs pydantic 2: pip install pydantic") from _error

from ssrjson_web._core import Decoder, _Acceptance
from ssrjson_web._models.adapter import AdapterEncoder, models_acceptance
from ssrjson_web._models.pydantic.json_type_classes import make_json_type
from ssrjson_web._models.type_key import TypeKey
from ssrjson_web._shared.kept_by_class import kept_by_class

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["TypedDecoder", "TypedEncoder", "json_type"]

T = TypeVar("T")
C = TypeVar("C", bound=type)


def json_type(cls: C) -> C:
    """The class, a `msgspec.Struct` or an attrs class, which pydantic, FastAPI and Ninja take as a type from now on.

    Write it as a decorator, or call it with a class of somebody else before the types that use it are declared. It
    adds the method to the class by which pydantic asks for its schema; subclasses inherit it. Values are made
    of JSON as by `loads(type=cls)`, instances are taken as they are, and errors have the place in their `loc`.

    Raises TypeError for a class whose fields are not known.
    """
    make_json_type(cls)
    return cls


class _DumpOptions(TypedDict, total=False):
    """The options of `TypedEncoder`, for its overloads."""

    include: Any
    exclude: Any
    by_alias: bool | None
    exclude_unset: bool
    exclude_defaults: bool
    exclude_none: bool
    from_attributes: bool


class TypedEncoder(Generic[T]):
    """Encodes values of a type: the bytes and errors of a `TypeAdapter`, and no UTF-8 cache in the values' strings.

    `encode(value)` is `adapter.dump_json(adapter.validate_python(value))`. Values that have the declared types already
    are written without validation, because that would change and refuse nothing. `declared` is anything that a
    `TypeAdapter` takes, or one. The options are those of `dump_json`; `from_attributes=True` is that of
    `validate_python`.

    Raises what pydantic raises for a type that it does not know.
    """

    @overload
    def __init__(self, declared: type[T] | TypeAdapter[T], **options: Unpack[_DumpOptions]) -> None: ...
    @overload
    def __init__(self: TypedEncoder[Any], declared: Any, **options: Unpack[_DumpOptions]) -> None: ...

    def __init__(
        self,
        declared: Any,
        *,
        include: Any = None,
        exclude: Any = None,
        by_alias: bool | None = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        from_attributes: bool = False,
    ) -> None:
        self._adapter: TypeAdapter[T] = _adapter_of(declared)
        self._from_attributes = from_attributes or None
        self._options: dict[str, Any] = {
            "include": include,
            "exclude": exclude,
            "by_alias": by_alias,
            "exclude_unset": exclude_unset,
            "exclude_defaults": exclude_defaults,
            "exclude_none": exclude_none,
        }
        # one attribute for the encoder and what it is of, because threads may share it
        self._made: tuple[AdapterEncoder, Any] | None = None
        self._encoder()

    def encode(self, value: Any) -> bytes:
        """The JSON of a value, which pydantic validates where that might change it.

        Raises pydantic's `ValidationError` and `PydanticSerializationError`.
        """
        encoder = self._encoder()
        body = encoder.encode_unvalidated(value)
        if body:
            return body
        validated, replay = encoder.validated(value) if body is None else (NotImplemented, None)
        if validated is NotImplemented:
            validated = (replay or self._adapter).validate_python(value, from_attributes=self._from_attributes)
        return encoder.encode(validated) if body is None else encoder.dump(validated)

    def _encoder(self) -> AdapterEncoder:
        core_schema: Any = self._adapter.core_schema  # a rebuild replaces it
        made = self._made
        if made is None or made[1] is not core_schema:
            encoder = AdapterEncoder(
                self._adapter,
                **self._options,
                like_dump_json=True,
                from_attributes=bool(self._from_attributes),
                escape_surrogates=False,
            )
            made = self._made = (encoder, core_schema)
        return made[0]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}  # it is made again where it is needed


class TypedDecoder(Generic[T]):
    """Decodes JSON to values of a type: the values and errors of a `TypeAdapter`, and no UTF-8 cache in their strings.

    `decode(data)` is `adapter.validate_json(data)`. Models of plain fields are made by the core. `declared` is anything
    that a `TypeAdapter` takes, or one.

    Raises what pydantic raises for a type that it does not know.
    """

    @overload
    def __init__(self, declared: type[T] | TypeAdapter[T]) -> None: ...
    @overload
    def __init__(self: TypedDecoder[Any], declared: Any) -> None: ...

    def __init__(self, declared: Any) -> None:
        self._adapter: TypeAdapter[T] = _adapter_of(declared)
        # one attribute for the acceptance and what it is of, because threads may share a decoder
        self._made: tuple[_Acceptance | None, Any] | None = None
        self._acceptance()

    def decode(self, data: str | bytes | bytearray) -> T:
        """The value of a JSON document, in UTF-8 if it is bytes. Raises pydantic's `ValidationError`."""
        acceptance = self._acceptance()
        if acceptance is not None and _is_plain_text(data) and not _has_long_number(data):
            try:
                made: T = acceptance.for_models(_DECODER.decode(data))
            except ValueError:  # also of limits: pydantic says what is wrong
                return self._adapter.validate_json(data)
            if made is not NotImplemented:
                return made
        return self._adapter.validate_json(data)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}  # it is made again where it is needed

    def _acceptance(self) -> _Acceptance | None:
        core_schema: Any = self._adapter.core_schema  # a rebuild replaces it
        made = self._made
        if made is None or made[1] is not core_schema:
            is_stock = type(self._adapter) is TypeAdapter  # a class derived from it may decode otherwise
            acceptance = models_acceptance(self._adapter, like_validate_json=True) if is_stock else None
            made = self._made = (acceptance, core_schema)
        return made[0]


def _adapter_of(declared: Any) -> TypeAdapter[Any]:
    return declared if isinstance(declared, TypeAdapter) else TypeAdapter(declared)


# pydantic validates each value of a repeated key, or only one of them: it depends on the type that the object is of
_DECODER = Decoder(allow_surrogates=False, max_depth=100, duplicate_keys="error")


def _is_plain_text(data: Any) -> bool:
    """Whether data is a str, or bytes that can be UTF-8 only.

    The core decodes UTF-16, UTF-32 and a byte order mark too. Pydantic refuses them.
    """
    if type(data) is str:
        return True
    return (
        type(data) in (bytes, bytearray) and b"\0" not in data[:2] and not data.startswith((b"\xef", b"\xfe", b"\xff"))
    )


_STEP = 2048


def _has_long_number(data: Any) -> bool:
    """Whether there may be a number of 4,300 digits or more. Pydantic refuses some of them.

    Each of these holds all digits between two of the places.
    """
    return any(data[i : i + _STEP].isdigit() for i in range(0, len(data) - _STEP, _STEP))


@kept_by_class(256, lambda key: key.declared)
def _encoder_of(key: TypeKey) -> TypedEncoder[Any]:
    """An encoder that adapters share."""
    return TypedEncoder(key.declared)


@kept_by_class(256, lambda key: key.declared)
def _decoder_of(key: TypeKey) -> TypedDecoder[Any]:
    """A decoder that adapters share."""
    return TypedDecoder(key.declared)


def _encode_message(value: Any, message_type: Any) -> bytes:
    """The JSON of a WebSocket's message of a type. Raises pydantic's errors."""
    return _encoder_of(TypeKey(message_type)).encode(value)


def _decode_message(text: str | bytes, message_type: Any) -> Any:
    """The value of a WebSocket's message of a type. Raises pydantic's ValidationError, for malformed JSON too."""
    return _decoder_of(TypeKey(message_type)).decode(text)
