"""Types of the C core; tests/test_stubs.py holds them against the compiled module."""

import builtins
import json
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any, Literal, TypeAlias, TypedDict, final

from typing_extensions import Buffer, Self

__version__: str
current_recorder: ContextVar[Recorder | None]

Int53: TypeAlias = Literal["error", "str"]
Floats: TypeAlias = Literal["repr", "e+16", "e16"]
Timespec: TypeAlias = Literal["auto", "auto-milliseconds", "seconds", "milliseconds", "microseconds"]

class JSONEncodeError(Exception):
    """What cannot be encoded: each is of the class that stdlib raises too. Its note is the path to the value."""

class JSONEncodeTypeError(JSONEncodeError, TypeError):
    """A value or a key of a type that has no JSON form, keys that do not sort."""

class JSONEncodeValueError(JSONEncodeError, ValueError):
    """A value that JSON cannot hold: a circular reference, NaN where it is refused, an int of too many digits."""

class JSONEncodeUnicodeEncodeError(JSONEncodeValueError, UnicodeEncodeError):
    """Half of a surrogate pair, which UTF-8 cannot hold."""

class JSONEncodeUnicodeDecodeError(JSONEncodeValueError, UnicodeDecodeError):
    """Bytes to be written as text that are no UTF-8."""

class JSONEncodeBufferError(JSONEncodeError, BufferError):
    """A memoryview whose bytes are not in a row."""

class JSONEncodeAttributeError(JSONEncodeError, AttributeError):
    """An object that lacks one of its class's fields."""

class JSONEncodeRuntimeError(JSONEncodeError, RuntimeError):
    """A dict that grew or shrank between two chunks."""

class JSONEncodeRecursionError(JSONEncodeRuntimeError, RecursionError):
    """Hooks, iterators or overridden methods that give another one without an end."""

class JSONDecodeError(json.JSONDecodeError):
    """Malformed JSON, with the `msg`, `doc`, `pos`, `lineno` and `colno` that stdlib's json gives."""

class JSONDepthError(JSONDecodeError):
    """A document whose containers are nested deeper than `max_depth`; `pos` is the bracket's."""

class JSONSizeError(JSONDecodeError):
    """A document that is longer than `max_size`, which `pos` is; `doc` is empty."""

@final
class Features(TypedDict):
    """What this build does on this machine; see `get_current_features`."""

    version: str
    compiler: str
    level: str
    levels: list[str]
    write_utf8_cache: bool
    free_threading: bool

@final
class HolderCaches(TypedDict):
    """UTF-8 copies in the strings that objects of one type hold."""

    bytes: int
    cached_strings: int

@final
class CacheReport(TypedDict):
    """UTF-8 copies under some objects; see `scan_utf8_cache`."""

    bytes: int
    """What the copies take, the terminating NUL of each included."""
    cached_strings: int
    """Strings that hold a copy."""
    strings: int
    """All strings that were met, each once however often it is referred to."""
    objects: int
    """Strings, and whatever else was looked into; numbers and the like are not counted."""
    by_holder: dict[str, HolderCaches]
    """By the type that holds the strings, `dict` or `app.models.Article`, the largest first."""

def dumps(
    obj: object,
    /,
    *,
    default: Callable[[Any], Any] | None = None,
    skipkeys: bool = False,
    ensure_ascii: bool = False,
    check_circular: bool = True,
    allow_nan: bool = True,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
    append_newline: bool = False,
    html_safe: bool = False,
    escape_surrogates: bool = False,
    nan_as_null: bool = False,
    int53: Int53 | None = None,
    floats: Floats | None = None,
    exact_types: bool = False,
    sqlalchemy_safe: bool = False,
    models: bool | Literal["python", "pydantic"] = False,
    by_alias: bool | None = None,
    exclude_unset: bool = False,
    exclude_defaults: bool = False,
    exclude_none: bool = False,
    natives: bool = False,
    datetime: Literal["iso", "rfc3339", "http"] | None = None,
    date: Literal["iso", "http"] | None = None,
    time: Literal["iso"] | None = None,
    timespec: Timespec = "auto",
    utc: Literal["+00:00", "Z"] = "+00:00",
    naive: Literal["utc"] | None = None,
    timedelta: Literal["iso", "iso-years", "seconds"] | None = None,
    uuid: Literal["hyphenated", "hex"] | None = None,
    enum: Literal["value", "name"] | None = None,
    decimal: Literal["number", "str", "float"] | None = None,
    bytes: Literal["utf-8", "base64", "base64url"] | None = None,
    dataclass: bool = False,
    iterables: bool = False,
    mapping: bool = False,
    path: bool = False,
    numpy: bool = False,
) -> str: ...
def dumps_to_bytes(
    obj: object,
    /,
    *,
    default: Callable[[Any], Any] | None = None,
    skipkeys: bool = False,
    ensure_ascii: bool = False,
    check_circular: bool = True,
    allow_nan: bool = True,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
    append_newline: bool = False,
    html_safe: bool = False,
    escape_surrogates: bool = False,
    nan_as_null: bool = False,
    int53: Int53 | None = None,
    floats: Floats | None = None,
    exact_types: bool = False,
    sqlalchemy_safe: bool = False,
    models: bool | Literal["python", "pydantic"] = False,
    by_alias: bool | None = None,
    exclude_unset: bool = False,
    exclude_defaults: bool = False,
    exclude_none: bool = False,
    natives: bool = False,
    datetime: Literal["iso", "rfc3339", "http"] | None = None,
    date: Literal["iso", "http"] | None = None,
    time: Literal["iso"] | None = None,
    timespec: Timespec = "auto",
    utc: Literal["+00:00", "Z"] = "+00:00",
    naive: Literal["utc"] | None = None,
    timedelta: Literal["iso", "iso-years", "seconds"] | None = None,
    uuid: Literal["hyphenated", "hex"] | None = None,
    enum: Literal["value", "name"] | None = None,
    decimal: Literal["number", "str", "float"] | None = None,
    bytes: Literal["utf-8", "base64", "base64url"] | None = None,
    dataclass: bool = False,
    iterables: bool = False,
    mapping: bool = False,
    path: bool = False,
    numpy: bool = False,
    is_write_cache: bool | None = None,
) -> builtins.bytes: ...

@final
class Encoder:
    """An encoder whose options are checked once; they are those of `dumps_to_bytes`. It can be copied and pickled."""

    def __new__(
        cls,
        *,
        default: Callable[[Any], Any] | None = None,
        skipkeys: bool = False,
        ensure_ascii: bool = False,
        check_circular: bool = True,
        allow_nan: bool = True,
        indent: int | str | None = None,
        separators: tuple[str, str] | None = None,
        sort_keys: bool = False,
        append_newline: bool = False,
        html_safe: bool = False,
        escape_surrogates: bool = False,
        nan_as_null: bool = False,
        int53: Int53 | None = None,
        floats: Floats | None = None,
        exact_types: bool = False,
        sqlalchemy_safe: bool = False,
        models: bool | Literal["python", "pydantic"] = False,
        by_alias: bool | None = None,
        exclude_unset: bool = False,
        exclude_defaults: bool = False,
        exclude_none: bool = False,
        natives: bool = False,
        datetime: Literal["iso", "rfc3339", "http"] | None = None,
        date: Literal["iso", "http"] | None = None,
        time: Literal["iso"] | None = None,
        timespec: Timespec = "auto",
        utc: Literal["+00:00", "Z"] = "+00:00",
        naive: Literal["utc"] | None = None,
        timedelta: Literal["iso", "iso-years", "seconds"] | None = None,
        uuid: Literal["hyphenated", "hex"] | None = None,
        enum: Literal["value", "name"] | None = None,
        decimal: Literal["number", "str", "float"] | None = None,
        bytes: Literal["utf-8", "base64", "base64url"] | None = None,
        dataclass: bool = False,
        iterables: bool = False,
        mapping: bool = False,
        path: bool = False,
        numpy: bool = False,
        is_write_cache: bool | None = None,
    ) -> Self: ...
    def encode(self, obj: object, /) -> builtins.bytes: ...
    def encode_str(self, obj: object, /) -> str: ...
    def encode_lines(self, iterable: Iterable[object], /) -> builtins.bytes: ...
    def encode_into(self, obj: object, buffer: bytearray, /, offset: int = 0) -> None: ...
    def iterencode(self, obj: object, /, chunk_size: int = 65536) -> Iterator[builtins.bytes]: ...
    def _with_escaped_surrogates(self) -> Self: ...

@final
class Fragment:
    """JSON text that is already there, written as it is, unchecked, wherever a value may stand.

    Equal to another one of equal contents.
    """

    def __new__(cls, contents: bytes | str, /) -> Self: ...
    @property
    def contents(self) -> bytes | str: ...

def loads(
    s: str | Buffer,
    /,
    *,
    object_hook: Callable[[dict[str, Any]], Any] | None = None,
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
    array_hook: Callable[[list[Any]], Any] | None = None,
    parse_float: Callable[[str], Any] | None = None,
    parse_int: Callable[[str], Any] | None = None,
    parse_constant: Callable[[str], Any] | None = None,
    strict: bool = True,
    allow_nan: bool = True,
    allow_surrogates: bool = True,
    duplicate_keys: Literal["last", "error"] = "last",
    max_depth: int | None = None,
    max_size: int | None = None,
) -> Any: ...

@final
class Decoder:
    """A decoder whose options are checked once; they are those of `loads`. It can be copied and pickled."""

    def __new__(
        cls,
        *,
        object_hook: Callable[[dict[str, Any]], Any] | None = None,
        object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None = None,
        array_hook: Callable[[list[Any]], Any] | None = None,
        parse_float: Callable[[str], Any] | None = None,
        parse_int: Callable[[str], Any] | None = None,
        parse_constant: Callable[[str], Any] | None = None,
        strict: bool = True,
        allow_nan: bool = True,
        allow_surrogates: bool = True,
        duplicate_keys: Literal["last", "error"] = "last",
        max_depth: int | None = None,
        max_size: int | None = None,
    ) -> Self: ...
    def decode(self, s: str | Buffer, /) -> Any: ...
    def decode_lines(self, s: str | Buffer, /) -> list[Any]: ...
    def raw_decode(self, s: str, /, idx: int = 0) -> tuple[Any, int]: ...
    def feed(self, chunk: str | Buffer, /) -> None: ...
    def close(self) -> Any: ...

@final
class Recorder:
    """What encoding and decoding cost in the contexts where `current_recorder` is set to it."""

    def __new__(cls) -> Self: ...
    @property
    def encode_ns(self) -> int: ...
    @property
    def encodes(self) -> int: ...
    @property
    def encoded_bytes(self) -> int: ...
    @property
    def decode_ns(self) -> int: ...
    @property
    def decodes(self) -> int: ...
    @property
    def decoded_bytes(self) -> int: ...
    @property
    def json_ns(self) -> int: ...
    @property
    def observed(self) -> dict[str, Recorder]: ...
    def begin(self) -> bool: ...
    def end(self, library: str, direction: Literal["encode", "decode"], ns: int, calls: int, size: int, /) -> None: ...
    def add(self, other: Recorder, /) -> None: ...

def write_utf8_cache(enabled: bool, /) -> None: ...
def utf8_cache_size(s: str, /) -> int: ...
def scan_utf8_cache(*roots: object) -> CacheReport: ...
def _audit_utf8_cache(
    root: object, max_depth: int, max_keys: int, /
) -> tuple[int, int, list[tuple[int, str, str | None, str, bool, int, int, int, int]]]: ...
def get_current_features() -> Features: ...
def _stdlib_dumps(
    obj: object,
    /,
    *,
    default: Callable[[Any], Any] | None = None,
    skipkeys: bool = False,
    ensure_ascii: bool = True,
    check_circular: bool = True,
    allow_nan: bool = True,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
    append_newline: bool = False,
    html_safe: bool = False,
    escape_surrogates: bool = False,
    nan_as_null: bool = False,
    int53: Int53 | None = None,
    floats: Floats | None = None,
    exact_types: bool = False,
    sqlalchemy_safe: bool = False,
    models: bool | Literal["python", "pydantic"] = False,
    by_alias: bool | None = None,
    exclude_unset: bool = False,
    exclude_defaults: bool = False,
    exclude_none: bool = False,
    natives: bool = False,
    datetime: Literal["iso", "rfc3339", "http"] | None = None,
    date: Literal["iso", "http"] | None = None,
    time: Literal["iso"] | None = None,
    timespec: Timespec = "auto",
    utc: Literal["+00:00", "Z"] = "+00:00",
    naive: Literal["utc"] | None = None,
    timedelta: Literal["iso", "iso-years", "seconds"] | None = None,
    uuid: Literal["hyphenated", "hex"] | None = None,
    enum: Literal["value", "name"] | None = None,
    decimal: Literal["number", "str", "float"] | None = None,
    bytes: Literal["utf-8", "base64", "base64url"] | None = None,
    dataclass: bool = False,
    iterables: bool = False,
    mapping: bool = False,
    path: bool = False,
    numpy: bool = False,
) -> str: ...
def _use_level(name: str, /) -> str: ...
