"""Litestar's JSON, encoded and decoded by the core: `SSRJSONResponse`, `SSRJSONRequest`. Experimental.

Litestar has no place for a codec of one's own: these override what its classes do by themselves, `render` and `json`,
and `json` the state that Litestar keeps of a connection. They may have to change with a minor release of it.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any, TypeVar

try:
    import msgspec
    from litestar.connection import Request
    from litestar.exceptions import ImproperlyConfiguredException, SerializationException
    from litestar.response import Response
    from litestar.response.base import MEDIA_TYPE_APPLICATION_JSON_PATTERN
    from litestar.serialization import default_serializer
    from litestar.types import Empty, Serializer
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("litestar", "msgspec"):
        raise
    raise ImportError("ssrjson_web.litestar needs Litestar: pip install 'ssrjson_web[litestar]'") from error

from ssrjson_web._core import Decoder, Encoder, Fragment
from ssrjson_web.stdlib_decoding import USUAL_DEPTH, as_utf8

__all__ = ["SSRJSONRequest", "SSRJSONResponse"]

T = TypeVar("T")

_FORMATS: Mapping[str, Any] = {
    "check_circular": False,  # msgspec's RecursionError
    "nan_as_null": True,
    "floats": "e16",
    "datetime": "rfc3339",
    "date": "iso",
    "time": "iso",
    "utc": "Z",
    "uuid": "hyphenated",
    "enum": "value",
    "decimal": "str",
    "bytes": "base64",
    "dataclass": True,
    "iterables": False,
    "timedelta": None,
}
"""What msgspec writes by itself, where an option of the core writes the same."""

_WITH_PLANS: Mapping[str, Any] = {"models": True}
_WITHOUT_PLANS: Mapping[str, Any] = {"exact_types": True}  # classes of models, and of JSON's types, go to the hook
_JSON_TYPES = (str, int, float, list, tuple, dict)
_PLAN_OPTIONS = ("exclude_defaults", "exclude_none", "exclude_unset")
_BEYOND_PLANS = ("exclude", "include", "round_trip")


def _options_of(enc_hook: Serializer) -> Mapping[str, Any]:
    """What an encoder has to be told beside the formats, to leave to the hook what the hook is asked for."""
    if enc_hook is default_serializer:
        return _WITH_PLANS
    if not (isinstance(enc_hook, partial) and enc_hook.func is default_serializer):
        return _WITHOUT_PLANS
    encoders: Mapping[Any, Any] = enc_hook.keywords.get("type_encoders") or {}
    dump = encoders.get(getattr(sys.modules.get("pydantic"), "BaseModel", None))
    return _options_beside(frozenset(cls for cls, encoder in encoders.items() if not _is_plugins(encoder)), dump)


def _is_plugins(encoder: Callable[[Any], Any]) -> bool:
    """Whether a type encoder is of Litestar's plug-in for pydantic, or does what that does."""
    return encoder in (str, int) or (getattr(encoder, "__module__", None) or "").startswith("litestar.")


@lru_cache(maxsize=64)
def _options_beside(classes: frozenset[Any], dump: Callable[[Any], Any] | None) -> Mapping[str, Any]:
    """The options beside type encoders of one's own for these classes; `dump` is that of pydantic's BaseModel."""
    if any(_is_of_models(cls) or issubclass(cls, _JSON_TYPES) for cls in classes if isinstance(cls, type)):
        return _WITHOUT_PLANS
    if dump is None:
        return _WITH_PLANS
    chosen = inspect.getclosurevars(dump).nonlocals if inspect.isfunction(dump) else {}  # what the plug-in was told
    if not chosen.keys() >= {*_PLAN_OPTIONS, "prefer_alias"} or any(map(chosen.get, _BEYOND_PLANS)):
        return _WITHOUT_PLANS
    return {**_WITH_PLANS, "by_alias": chosen["prefer_alias"], **{name: chosen[name] for name in _PLAN_OPTIONS}}


def _is_of_models(cls: type) -> bool:
    """Whether the class is one that the core has a plan for, or is mixed into one."""
    if cls.__module__ == "builtins":
        return False
    return hasattr(cls, "__pydantic_serializer__") or any(map(_is_of_models, cls.__subclasses__()))


def _encode(content: Any, enc_hook: Serializer) -> bytes:
    def convert(value: Any) -> Fragment:
        if isinstance(value, dict):
            pairs = (key_text(key) + b":" + encode(each) for key, each in dict.items(value))
            return Fragment(b"{" + b",".join(pairs) + b"}")
        if isinstance(value, (list, tuple, set, frozenset)):
            return Fragment(encode(list(value)))
        if isinstance(value, msgspec.Raw):
            return Fragment(bytes(value))
        try:
            plain = msgspec.to_builtins(value, str_keys=True, enc_hook=enc_hook)
        except TypeError:  # it refuses keys and values, Raw among them, that are encoded
            return Fragment(msgspec.json.encode(value, enc_hook=enc_hook))
        return Fragment(encode(plain))

    def key_text(key: Any) -> bytes:
        return encode(key) if type(key) is str else msgspec.json.encode({key: 0}, enc_hook=enc_hook)[1:-3]

    options = _options_of(enc_hook)
    encode = Encoder(default=convert, **_FORMATS, **options).encode
    if options is not _WITHOUT_PLANS:
        # Structs of some configurations convert themselves, without the hook: then the hook is to have its say
        with suppress(TypeError):
            return encode(content)
        encode = Encoder(default=convert, **_FORMATS, **_WITHOUT_PLANS).encode
    return encode(content)


class SSRJSONResponse(Response[T]):
    """A `Response` whose JSON is of the same bytes, and leaves no UTF-8 copy in the content's strings.

    Type encoders are asked for what they are asked for by Litestar. pydantic's models are written without
    `model_dump` where no type encoder but the plug-in's says how, and also where there is no plug-in.
    """

    def render(self, content: Any, media_type: str, enc_hook: Serializer = default_serializer) -> bytes:
        if (
            isinstance(content, (bytes, str))
            or content is Empty
            or not MEDIA_TYPE_APPLICATION_JSON_PATTERN.match(media_type)
        ):
            return super().render(content, media_type, enc_hook)
        try:
            return _encode(content, enc_hook)
        except TypeError as error:
            raise SerializationException(str(error)) from error
        except (AttributeError, ValueError) as error:
            raise ImproperlyConfiguredException("Unable to serialize response content") from error


_decode = Decoder(allow_nan=False, allow_surrogates=False, max_depth=USUAL_DEPTH).decode


class SSRJSONRequest(Request[Any, Any, Any]):
    """A `Request` with the same JSON values and the same errors, which Litestar answers with a 400.

    One difference: nesting that Python's stack is too small for, and text that is no UTF-8, are such errors too.
    """

    async def json(self) -> Any:
        """The body's JSON value; None for an empty body. Raises SerializationException."""
        state = self._connection_state
        if self._json is Empty and state.json is Empty:
            body = await self.body()
            with suppress(ValueError):  # what is wrong, msgspec says below
                self._json = state.json = _decode(as_utf8(body or b"null"))
        try:
            return await super().json()
        except (RecursionError, UnicodeDecodeError) as error:
            raise SerializationException(str(error)) from error
