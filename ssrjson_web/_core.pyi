"""Types of the C core; tests/test_stubs.py holds them against the compiled module."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from typing import Any, Generic, Literal, TypeAlias, TypedDict, final, overload

from typing_extensions import Buffer, Self, TypeVar, Unpack

from ssrjson_web._models.language import Acceptance, LoadRecord, ReadRecord
from ssrjson_web._models.types.nodes import Node

__version__: str
current_recorder: ContextVar[Recorder | None]

T = TypeVar("T", default=Any)

Int53: TypeAlias = Literal["error", "str"]
Int64: TypeAlias = Literal["error", "str"]
Floats: TypeAlias = Literal["repr", "e+16", "e16"]
Timespec: TypeAlias = Literal["auto", "auto-milliseconds", "seconds", "milliseconds", "microseconds"]

class JSONEncodeError(Exception):
    """Base class of errors in encoding. Each also derives from the class that stdlib raises; a note has the path."""

class JSONEncodeTypeError(JSONEncodeError, TypeError):
    """A value or a key of a type without a JSON form, or keys that cannot be sorted."""

class JSONEncodeValueError(JSONEncodeError, ValueError):
    """A value that JSON cannot hold: a circular reference, NaN where it is refused, an int of too many digits."""

class JSONEncodeUnicodeEncodeError(JSONEncodeValueError, UnicodeEncodeError):
    """Half of a surrogate pair, which UTF-8 cannot hold."""

class JSONEncodeUnicodeDecodeError(JSONEncodeValueError, UnicodeDecodeError):
    """Bytes that must be written as text and are not valid UTF-8."""

class JSONEncodeBufferError(JSONEncodeError, BufferError):
    """A memoryview that is not contiguous."""

class JSONEncodeAttributeError(JSONEncodeError, AttributeError):
    """An object without one of its class's fields."""

class JSONEncodeRuntimeError(JSONEncodeError, RuntimeError):
    """A dict that changed its size between two chunks."""

class JSONEncodeRecursionError(JSONEncodeRuntimeError, RecursionError):
    """Hooks, iterators or overridden methods that return another one without end."""

class JSONDecodeError(json.JSONDecodeError):
    """Malformed JSON, with the `msg`, `doc`, `pos`, `lineno` and `colno` that stdlib's json gives."""

class JSONDepthError(JSONDecodeError):
    """A document with containers nested deeper than `max_depth`; `pos` is the position of the bracket."""

class JSONSizeError(JSONDecodeError):
    """A document longer than `max_size`; `pos` is `max_size`, and `doc` is empty."""

class JSONTypeError(JSONDecodeError):
    """A well-formed document with a value that the type does not take.

    path is the place, such as '$.items[3].price', and steps the same as a tuple. reason is
    'type', 'value', 'missing', 'unknown' or 'length'; expected and given are strs or None.
    pos, lineno and colno are where the value begins in the text.
    """

    path: str
    steps: tuple[str | int, ...]
    reason: Literal["type", "value", "missing", "unknown", "length"]
    expected: str | None
    given: str | None

@final
class Features(TypedDict):
    """The core's version, compiler, level and switches; see `get_current_features`."""

    version: str
    compiler: str
    level: str
    levels: list[str]
    write_utf8_cache: bool
    free_threading: bool
    known_layouts: bool
    """Whether this build knows how this interpreter keeps its objects, so that they are read in place."""

@final
class HolderCaches(TypedDict):
    """Cached UTF-8 copies in the strings that objects of one type hold."""

    bytes: int
    cached_strings: int

@final
class CacheReport(TypedDict):
    """Cached UTF-8 copies in the strings under some objects; see `scan_utf8_cache`."""

    bytes: int
    """Size of the copies, including the terminating NUL of each."""
    cached_strings: int
    """Strings that hold a copy."""
    strings: int
    """Number of strings that were visited; each counts once."""
    objects: int
    """Number of strings and of objects that were looked into; numbers and the like are not counted."""
    by_holder: dict[str, HolderCaches]
    """By the type that holds the strings, `dict` or `app.models.Article`, the largest first."""

class EncodeOptions(TypedDict, total=False):
    """The options of `dumps`. The defaults are in its signature."""

    default: Callable[[Any], Any] | None
    """Called with each value of an unknown type; what it returns is encoded instead."""
    key_default: Callable[[Any], Any] | None
    """Called with each key of an unknown type; the key that it returns is written instead."""
    key_case: Literal["camel"] | None
    """Write keys that are strs, and names of fields, in another case: order_id as orderId."""
    skipkeys: bool
    """Leave out keys that are not str, int, float, bool or None, instead of raising TypeError."""
    ensure_ascii: bool
    """Escape every character that is not ASCII."""
    check_circular: bool
    """Raise ValueError for a container within itself; without it, RecursionError."""
    allow_nan: bool
    """Write NaN, Infinity and -Infinity; without it, they raise ValueError."""
    indent: int | str | None
    """Put items on lines of their own: the spaces for each level, or the str to use."""
    separators: tuple[str, str] | None
    """The texts after an item and after a key; compact by default."""
    sort_keys: bool
    """Sort the keys of each object: of dicts, models and dataclasses."""
    canonical: bool
    """Write canonical JSON (RFC 8785), for signatures and hashes; what it excludes raises."""
    append_newline: bool
    """End the text with a line feed."""
    html_safe: bool
    """Escape < > & and U+2028 U+2029, so that HTML and scripts may hold the text."""
    line_safe: bool
    """Escape U+0085 U+2028 U+2029, so that str.splitlines leaves the text whole."""
    escape_surrogates: bool
    """Write a lone surrogate as its escape; without it, bytes raise UnicodeEncodeError."""
    nan_as_null: bool
    """Write NaN and infinities as null."""
    nan_as_str: bool
    """Write NaN and infinities as the strs 'NaN', 'Infinity' and '-Infinity'."""
    int53: Int53 | None
    """Ints beyond 53 bits, which JavaScript rounds: raise ValueError, or write a str."""
    int64: Int64 | None
    """Ints beyond 64 bits, signed or not: raise ValueError, or write a str."""
    floats: Floats | None
    """Layout of floats: Python's repr, or that of pydantic's newer or older releases."""
    exact_types: bool
    """Hand subclasses of JSON's types, and dicts with keys other than str, to default."""
    sqlalchemy_safe: bool
    """With exact_types: hand dicts with a key that begins with _sa to default too."""
    models: bool | Literal["python", "pydantic"]
    """Write models of pydantic, attrs, msgspec and dataclasses as their library does."""
    by_alias: bool | None
    """Keys of models: aliases, names of fields, or (None) as the class is configured."""
    exclude_unset: bool
    """Leave out fields of models that were not set."""
    exclude_defaults: bool
    """Leave out fields of models that hold their default."""
    exclude_none: bool | Literal["pydantic"]
    """Leave out items of objects that are None; or only fields of pydantic's models."""
    omit_defaults: bool
    """Leave out fields of dataclasses and attrs classes that hold their default."""
    namedtuple_as_object: bool
    """Write namedtuples as objects of their fields."""
    natives: bool
    """Write every type of the options below, each in its first format."""
    datetime: Literal["iso", "rfc3339", "http", "epoch", "epoch-ms"] | None
    """Write datetimes: as isoformat(), with offsets in minutes, as HTTP's headers, or as numbers."""
    date: Literal["iso", "http"] | None
    """Write dates: as isoformat(), or as HTTP's headers."""
    time: Literal["iso"] | None
    """Write times of day, as isoformat()."""
    timespec: Timespec
    """Digits after the second; the auto ones are left out where they are zero."""
    utc: Literal["+00:00", "Z"]
    """How an offset of zero from UTC is written."""
    naive: Literal["utc"] | None
    """Take datetimes without a zone for UTC, and write the offset."""
    timedelta: Literal["iso", "iso-years", "seconds"] | None
    """Write timedeltas: as P1DT2S, as P1Y2D with years of 365 days, or as a number of seconds."""
    uuid: Literal["hyphenated", "hex"] | None
    """Write UUIDs: with hyphens, or as 32 digits."""
    enum: Literal["value", "name"] | None
    """Write members of enums: their value, or their name."""
    decimal: Literal["number", "str", "float"] | None
    """Write Decimals: all digits as a number, as a str, or as the nearest float."""
    bytes: Literal["utf-8", "base64", "base64url"] | None
    """Write bytes, bytearrays and memoryviews: as UTF-8 text, or in base64."""
    dataclass: bool
    """Write dataclasses by their fields."""
    iterables: bool
    """Write sets, deques, views of dicts and iterators as arrays."""
    mapping: bool
    """Write mappings other than dict as objects."""
    path: bool
    """Write paths as their str()."""
    numpy: bool
    """Write numpy's arrays and scalars."""
    arrays: bool
    """Write tensors by __dlpack__ (torch, JAX), and arrays and tables of Arrow."""
    float32: Literal["shortest"] | None
    """Write floats of 16 and 32 bits in arrays with their own shortest digits: 0.1."""

class EncodeBytesOptions(EncodeOptions, total=False):
    """The options of `dumps_to_bytes` and `Encoder`."""

    is_write_cache: bool | None
    """Fill the UTF-8 cache of the strings; None: as write_utf8_cache() says."""

class DecodeOptions(TypedDict, total=False):
    """The options of `loads`, and of `Decoder` too."""

    object_hook: Callable[[dict[str, Any]], Any] | None
    """Called with each dict; what it returns replaces the dict."""
    object_pairs_hook: Callable[[list[tuple[str, Any]]], Any] | None
    """Called with a list of (key, value) pairs for each object, before object_hook."""
    array_hook: Callable[[list[Any]], Any] | None
    """Called with each list; what it returns replaces the list."""
    parse_float: Callable[[str], Any] | Literal["decimal"] | None
    """Called with the text of each number that has a point or an exponent; 'decimal': Decimal."""
    parse_int: Callable[[str], Any] | None
    """Called with the text of each other number."""
    parse_constant: Callable[[str], Any] | None
    """Called with NaN, Infinity or -Infinity, as a str."""
    number_arrays: Literal["numpy", "array"] | None
    """Lists of numbers alone: arrays of numpy, or of the module array, of float64 or int64."""
    number_arrays_from: int | None
    """Numbers that a list must have to become an array."""
    int64: Literal["float", "error"] | None
    """Ints beyond 64 bits, signed or not: floats, or JSONDecodeError."""
    strict: bool
    """Refuse control characters within strings."""
    allow_nan: bool
    """Take NaN, Infinity and -Infinity; without it, they raise JSONDecodeError."""
    allow_surrogates: bool
    """Take escapes of lone surrogates; without it, they raise JSONDecodeError."""
    duplicate_keys: Literal["last", "error"]
    """What becomes of a key that an object repeats: the last value counts, or an error."""
    only: str | Iterable[str] | None
    """Make these parts of the document alone, JSON Pointers such as '/items/*/price'."""
    type: Any
    """Make values of this type: dataclasses, TypedDicts, NamedTuples, attrs, Structs."""
    key_case: Literal["snake", "snake-joined"] | None
    """Keys in another case: orderId as order_id; 'snake-joined' leaves line2, else line_2."""
    jsonc: bool
    """Take // and /* */ comments, and a comma after the last item of an array or object."""
    max_depth: int | None
    """Levels of nesting above which JSONDepthError is raised."""
    max_size: int | None
    """Bytes, or characters of a str, above which JSONSizeError is raised."""

class DecodeOptionsWithType(TypedDict, total=False):
    """The options that go with `type`; they are those of DecodeOptions."""

    int64: Literal["float", "error"] | None
    strict: bool
    allow_nan: bool
    allow_surrogates: bool
    duplicate_keys: Literal["last", "error"]
    jsonc: bool
    max_depth: int | None
    max_size: int | None

class DecoderOptions(DecodeOptions, total=False):
    """The options of `Decoder`."""

    partial: Literal["off", "on", "trailing-strings"]
    """Decode while chunks are fed; value is what is known so far, cut strings included or not."""

def dumps(obj: object, /, **options: Unpack[EncodeOptions]) -> str:
    """The JSON text of an object as a str.

    Parameters and exceptions are those of json.dumps; without indent and separators the
    text is compact, and non-ASCII text is kept unless ensure_ascii is true.
    """

def dumps_to_bytes(obj: object, /, **options: Unpack[EncodeBytesOptions]) -> bytes:
    """The JSON text of an object as UTF-8 bytes.

    The bytes equal dumps(obj, ...).encode(). Strings are read in place and get no UTF-8
    cache unless is_write_cache is true, or is None after write_utf8_cache(True).
    """

@final
class Encoder:
    """An encoder with the options of `dumps_to_bytes`, which are checked once. It can be copied and pickled."""

    def __new__(cls, **options: Unpack[EncodeBytesOptions]) -> Self: ...
    def encode(self, obj: object, /) -> bytes:
        """The JSON text of an object as UTF-8 bytes."""
    def encode_str(self, obj: object, /) -> str:
        """The JSON text of an object as a str."""
    def encode_lines(self, iterable: Iterable[object], /) -> bytes:
        """JSON Lines as UTF-8 bytes: the text of each item on a line that ends with a line feed.

        A Fragment goes on one line: its line breaks are replaced by spaces. Raises ValueError
        where the options would put line breaks into an item's text.
        """
    def encode_into(self, obj: object, buffer: bytearray, /, offset: int = 0) -> None:
        """Write the JSON text of an object as UTF-8 into a bytearray, from an offset on.

        An offset of -1 is the end of the bytearray, which grows or shrinks so that it ends after
        the text. On an error it is unchanged.
        """
    def iterencode(self, obj: object, /, chunk_size: int = 65536) -> Iterator[bytes]:
        """The JSON text of an object as an iterator of bytes, for streaming with bounded memory.

        A chunk holds chunk_size bytes or a little more; a long string is never split. An
        iterator in the object (iterables=True) is advanced only as chunks are requested. The
        object may be changed between chunks as during a Python loop over it: a dict that grows
        or shrinks raises RuntimeError.
        """
    def _with_escaped_surrogates(self) -> Self: ...

@final
class Fragment:
    """Ready JSON text. It may replace any value, and is written unchanged and unchecked.

    Fragments with equal contents are equal.
    """

    def __new__(cls, contents: bytes | str, /) -> Self: ...
    @property
    def contents(self) -> bytes | str:
        """The text, bytes or str."""

@overload
def loads(s: str | Buffer, /, *, type: type[T], **options: Unpack[DecodeOptionsWithType]) -> T:
    """The value of a type that a JSON text holds; raises JSONTypeError where it does not fit."""

@overload
def loads(s: str | Buffer, /, **options: Unpack[DecodeOptions]) -> Any:
    """The object of a JSON text; s is a str, bytes or any other buffer of bytes.

    Values and exceptions are those of json.loads; nesting is unlimited by default.
    Raises JSONDecodeError with the position in characters, and UnicodeDecodeError
    for bytes that are not UTF-8, UTF-16 or UTF-32.
    """

@final
class Decoder(Generic[T]):
    """A decoder with the options of `loads`, which are checked once. It can be copied and pickled."""

    @overload
    def __new__(cls, *, type: type[T], **options: Unpack[DecodeOptionsWithType]) -> Decoder[T]: ...
    @overload
    def __new__(cls, **options: Unpack[DecoderOptions]) -> Decoder[Any]: ...
    def decode(self, s: str | Buffer, /) -> T:
        """The object of a JSON text; s is a str, bytes or another buffer, as for loads."""
    def decode_lines(self, s: str | Buffer, /) -> list[T]:
        """The values of JSON Lines, one on each line, as a list; s is as for loads.

        Blank lines are skipped, and the last line may lack its line feed. An error gives the
        position and the line number in the whole text.
        """
    def raw_decode(self, s: str, /, idx: int = 0) -> tuple[T, int]:
        """The value that begins at an index of a str, and the index after it.

        Works as json.JSONDecoder.raw_decode: white space before the value is an error, and
        the text after it is ignored.
        """
    def feed(self, chunk: str | Buffer, /) -> None:
        """Keep a chunk of a document, bytes or str, for close.

        Raises JSONSizeError as soon as the chunks are longer than max_size, and TypeError
        where bytes and str are mixed. With partial, the chunk is decoded at once, and what
        is wrong in it raises JSONDecodeError. An error drops all chunks.
        """
    def close(self) -> T:
        """The object of the document whose chunks were fed since the last close.

        Values and exceptions are those of decode for the whole document. Afterwards the
        decoder is ready for the next one, even if an exception was raised.
        """
    def take_items(self) -> list[Any]:
        """The finished items of the outermost array, as a list, with the option partial.

        They are removed: the next call, value and close have those after them. Their text
        is no longer kept either. Raises JSONDecodeError where the document is no array.
        """
    @property
    def value(self) -> Any:
        """The value of what was fed so far, with the option partial.

        Containers that are open are closed. A number at the end counts as it is. A cut literal,
        a key without a value and, unless partial is 'trailing-strings', a cut string are left
        out. Raises LookupError where nothing is known yet, and ValueError without the option.
        """

@final
class Recorder:
    """Time, calls and bytes of encoding and decoding, in contexts where `current_recorder` is set to it."""

    def __new__(cls) -> Self: ...
    @property
    def encode_ns(self) -> int:
        """Time spent in encoding, in nanoseconds."""
    @property
    def encodes(self) -> int:
        """Number of values that were encoded, failures included."""
    @property
    def encoded_bytes(self) -> int:
        """Size of the texts written: bytes, or characters of a str."""
    @property
    def decode_ns(self) -> int:
        """Time spent in decoding, in nanoseconds."""
    @property
    def decodes(self) -> int:
        """Number of documents that were decoded, failures included."""
    @property
    def decoded_bytes(self) -> int:
        """Size of the texts read: bytes, or characters of a str."""
    @property
    def json_ns(self) -> int:
        """Time of encoding and decoding, by this library and the observed ones, in nanoseconds."""
    @property
    def observed(self) -> dict[str, Recorder]:
        """A new dict: name of each observed library to the Recorder of its calls."""
    def begin(self) -> bool:
        """Begin to time a call of another library; whether it is an outermost call.

        False means that the call is a part of one that is already timed. end() must be called
        after True, and only then.
        """
    def end(self, library: str, direction: Literal["encode", "decode"], ns: int, calls: int, size: int, /) -> None:
        """End the call that begin() began, and add its cost to observed[library].

        direction is 'encode' or 'decode', ns a time in nanoseconds, size a number of bytes.
        """
    def add(self, other: Recorder, /) -> None:
        """Add the figures of another Recorder, including its observed libraries."""

def write_utf8_cache(enabled: bool, /) -> None:
    """Set whether dumps_to_bytes fills the UTF-8 cache of non-ASCII strings by default.

    Off by default. It holds for calls whose is_write_cache is None. A cache makes the next
    encoding of the same str faster and takes memory as long as the str lives.
    """

def utf8_cache_size(s: str, /) -> int:
    """Size of the UTF-8 cache inside a str, in bytes; 0 where it has none."""

def scan_utf8_cache(*roots: object) -> CacheReport:
    """The UTF-8 caches of all strings that can be reached from the roots, as a dict.

    bytes is the size of the caches, cached_strings the number of strings that have one. strings
    and objects are the numbers of visited ones, without numbers and other objects that hold
    nothing. by_holder gives bytes and cached_strings for each type of object that holds such
    strings, the largest first. Each object is visited once: a string counts for the first
    holder that leads to it, or for "root" if it is a root itself.

    The scan follows containers, attributes, slots and all other references that the garbage
    collector can follow, so not those in numpy's arrays. It enters classes, modules, functions,
    frames and generators only where they are roots. It runs no code of the objects, and makes
    and changes none. It takes a few bytes of memory for each object. Other threads wait
    meanwhile: the GIL is held, or in a build without a GIL all other threads are stopped.
    """

def _audit_utf8_cache(
    root: object, max_depth: int, max_keys: int, /
) -> tuple[int, int, list[tuple[int, str, str | None, str, bool, int, int, int, int]]]: ...
def get_current_features() -> Features:
    """What this build is and does on this machine, as a dict.

    Keys: version, compiler, level (in use), levels (usable here, the lowest first),
    write_utf8_cache (whether it is on), free_threading, and known_layouts (whether objects are read
    in place: this build knows how this interpreter keeps them).
    """

def _stdlib_dumps(obj: object, /, **options: Unpack[EncodeOptions]) -> str: ...
def _stdlib_dumps_in_python(obj: object, /, **options: Unpack[EncodeOptions]) -> str: ...
def _orjson_dumps(obj: object, /, default: Callable[[Any], Any] | None = None, option: int | None = None) -> bytes: ...
def _orjson_loads(obj: bytes | bytearray | memoryview | str, /) -> Any: ...
def _options() -> list[tuple[str, str, list[str] | None, str, str, bool]]: ...
def _use_level(name: str, /) -> str: ...

@final
class _Acceptance:
    def __new__(cls, description: Acceptance, /) -> Self: ...
    def for_text(self, value: object, /) -> Any: ...
    def for_models(self, value: object, outcomes: list[tuple[Any, ...]] | None = None, /) -> Any: ...

@final
class _RecordReader:
    def __new__(cls, description: ReadRecord, /) -> Self: ...
    def read(self, object: object, resolve: Callable[[int], Callable[..., Any]], /) -> Any: ...
    def read_all(self, objects: list[Any], resolve: Callable[[int], Callable[..., Any]], /) -> Any: ...

@final
class _RecordLoader:
    def __new__(cls, description: LoadRecord, /) -> Self: ...
    def load(self, value: object, resolve: Callable[[int], Callable[..., Any]], /) -> Any: ...
    def load_all(self, values: list[Any], resolve: Callable[[int], Callable[..., Any]], /) -> Any: ...

@final
class _TypePlan:
    def __new__(cls, nodes: tuple[Node, ...], runs_code: bool, /) -> Self: ...
    def make(self, value: object, /) -> Any: ...

@final
class _Snapshot:
    def __new__(cls, dicts: tuple[dict[Any, Any], ...], types: tuple[type, ...], open: frozenset[str], /) -> Self: ...
    def fits(self, dicts: tuple[dict[Any, Any], ...], /) -> bool: ...

@final
class _FilledBytes:
    def __new__(cls, n: int, /) -> Self: ...
    def put(self, more: Buffer, /) -> None: ...
    def take(self) -> bytes: ...

def _are_same(some: list[Any] | tuple[Any, ...], others: list[Any] | tuple[Any, ...], /) -> bool: ...
def _release_part(held: list[Any], n: int, /) -> bool: ...
