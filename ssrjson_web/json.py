"""The standard library's json at the core's speed: write `from ssrjson_web import json` instead of `import json`.

Defaults, output, exceptions and their texts are those of the running Python's json. `JSONEncoder` and
`JSONDecoder` derive from its classes. `JSONDecodeError` is its class, and the core's class derives from it.
The core is used for options of exactly the expected types and for methods that are not overridden (`default`
may be). stdlib's own code does all the rest.

Differences:

- Documents may be nested as deep as memory allows; stdlib raises RecursionError.
- `dump` calls `write` once; stdlib writes a chunk for every value. The whole text is in memory, and nothing is
  written if an error is raised. To use little memory, write the chunks of `JSONEncoder().iterencode(obj)`, which
  is stdlib's.
- stdlib has an encoder in C for `dumps` and one in Python for `dump` (up to Python 3.12 also for `indent`). Where
  the one in Python asks an object by methods that a subclass of list, tuple or dict overrides, or takes a proxy
  for what it stands for, its code writes that object. A dict that a hook changes while it is written is no
  RuntimeError, keys that are proxies are of a wrong type, a proxy of a str goes to the hook, and a float is what
  it is, whatever its subclass says of comparisons.
- `dumps` and `loads` respect methods that are overridden in `cls=` and in instances. `dumps` without `cls`
  respects a `default` that is assigned to `JSONEncoder` itself, and no other method or attribute. `loads` without
  `cls` respects no assignment to `JSONDecoder`.
- `decoder`, `encoder` and `scanner` are stdlib's modules, and all names but those of `__all__` are stdlib's
  objects (`__version__`, `_default_decoder`, ...). They may be read. What is assigned to them, such as
  `json.encoder.c_make_encoder = None`, `encoder.FLOAT_REPR`, `encoder.encode_basestring`, `scanner.make_scanner` or
  `_default_decoder`, changes no text and no value where the core is used.
- This is a module, not a package: write `import json.tool` and `from json.decoder import ...` as ever.
"""

from __future__ import annotations

import functools
import json as _json
import math
import operator
import sys
from collections.abc import Callable
from json import JSONDecodeError as JSONDecodeError
from json import decoder as decoder
from json import detect_encoding as detect_encoding
from json import encoder as encoder
from json import scanner as scanner
from typing import Any, TypeVar, cast

from ssrjson_web._core import Decoder as _CoreDecoder
from ssrjson_web._core import Fragment as _Fragment
from ssrjson_web._core import _options
from ssrjson_web._core import _stdlib_dumps as _core_dumps
from ssrjson_web._core import _stdlib_dumps_in_python as _core_dumps_in_python
from ssrjson_web._core import loads as _core_loads

__all__ = ["dump", "dumps", "load", "loads", "JSONDecoder", "JSONDecodeError", "JSONEncoder"]  # noqa: RUF022


def __getattr__(name: str) -> Any:
    """stdlib's object of a name that this module has not."""
    is_special = name.startswith("__") and name not in {"__version__", "__author__"}
    if is_special or not hasattr(_json, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(_json, name)


_F = TypeVar("_F", bound=Callable[..., Any])


def _with_signature_of(original: _F) -> Callable[[Callable[..., Any]], _F]:
    """A function that type checkers and `inspect.signature` see as the original.

    It has `**options` instead, because filling in ten defaults is expensive: `dumps` of a dict of three short members
    takes 0.19 us this way, 0.32 us with named parameters (timeit, CPython 3.11 and 3.13, AMD EPYC Zen 4, 2026-11-21).
    """

    def mark(function: Callable[..., Any]) -> _F:
        return cast(_F, functools.update_wrapper(function, original, assigned=(), updated=()))

    return mark


# Encoding

# in the form in which stdlib's dumps passes them on
_OPTIONS = {
    "skipkeys": False,
    "ensure_ascii": True,
    "check_circular": True,
    "allow_nan": True,
    "indent": None,
    "separators": None,
    "default": None,
    "sort_keys": False,
}
_JSON_TYPES = (str, int, float, list, tuple, dict)
_INDENT_TYPES = frozenset({type(None), int, bool, str})
_ENCODE = _json.JSONEncoder.encode
_ITERENCODE = _json.JSONEncoder.iterencode
# before Python 3.13 stdlib's encoder in C does not indent
_INDENTS_IN_PYTHON = sys.version_info < (3, 13)
# since Python 3.15 the generator function of stdlib's encoder in Python can be called once
_WRITES_ONCE = sys.version_info >= (3, 15)


def _is_method(method: object, function: object) -> bool:
    """Whether a bound method is that function, which means that no subclass or instance overrides it."""
    return getattr(method, "__func__", None) is function


def _are_separators(pair: object) -> bool:
    """Whether it is a tuple of two str, of exactly these types, so that no method is overridden."""
    return type(pair) is tuple and len(pair) == 2 and type(pair[0]) is str and type(pair[1]) is str


def _is_ascii(text: str | None) -> bool:
    return text is None or text.isascii()


def _float_text(allow_nan: Any) -> Callable[[Any], str]:
    """The function for floats of stdlib's encoder in Python, which makes a new one for each call."""

    def text_of(o: Any) -> str:
        text = "NaN" if o != o else "Infinity" if o == math.inf else "-Infinity" if o == -math.inf else None
        if text is None:
            return float.__repr__(o)
        if not allow_nan:
            raise ValueError("Out of range float values are not JSON compliant: " + repr(o))
        return text

    return text_of


def _dumps_in_python(o: object, default: Callable[[Any], Any], options: dict[str, Any]) -> str | None:
    """What stdlib's encoder in Python writes, or None where only stdlib's own code can.

    That encoder tests by isinstance, which proxies pass, and asks objects by their methods, which subclasses override.
    Such objects are written by its code, the others by the core.
    """
    indent, separators = options["indent"], options["separators"]
    indent = indent if indent is None or type(indent) is str else " " * indent
    if separators is None:
        separators = (", " if indent is None else ",", ": ")
    if options["ensure_ascii"] and not all(map(_is_ascii, (indent, *separators))):
        return None  # a fragment would be escaped
    write_in_python: Any = None

    def hook(o: Any, level: int) -> Any:
        nonlocal write_in_python
        if not isinstance(o, _JSON_TYPES):
            return default(o)
        if write_in_python is None or _WRITES_ONCE:
            write_in_python = _writer_in_python(default, indent, separators, options)
        return _Fragment("".join(write_in_python(o, level)))

    return _core_dumps_in_python(o, **{**options, "default": hook})


def _writer_in_python(
    default: Callable[[Any], Any], indent: str | None, separators: tuple[str, str], options: dict[str, Any]
) -> Any:
    """stdlib's generator function of the chunks of a value at a level."""
    theirs = cast(Any, encoder)
    return theirs._make_iterencode(
        {} if options["check_circular"] else None,
        default,
        theirs.encode_basestring_ascii if options["ensure_ascii"] else theirs.encode_basestring,
        indent,
        _float_text(options["allow_nan"]),
        separators[1],
        separators[0],
        options["sort_keys"],
        options["skipkeys"],
        False,
    )


def _text_of(
    obj: object,
    in_python: bool,
    /,
    *,
    skipkeys: bool = False,
    ensure_ascii: bool = True,
    check_circular: bool = True,
    allow_nan: bool = True,
    cls: object = None,
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    default: Callable[[Any], Any] | None = None,
    sort_keys: bool = False,
    **others: object,
) -> str | None:
    """The core's text for stdlib's options, or None where an encoder object is needed.

    `in_python` says that stdlib would use its encoder in Python, as it does for chunks.
    """
    if cls is not None or others or (indent is not None and type(indent) not in _INDENT_TYPES):
        return None
    if default is None:
        default = _default
    elif not callable(default):
        return None
    if separators is not None and not _are_separators(separators):
        return None
    options: dict[str, Any] = {
        "skipkeys": skipkeys,
        "ensure_ascii": ensure_ascii,
        "check_circular": check_circular,
        "allow_nan": allow_nan,
        "indent": indent,
        "separators": separators,
        "sort_keys": sort_keys,
    }
    if in_python or (indent is not None and _INDENTS_IN_PYTHON and type(obj) is not str):
        return _dumps_in_python(obj, default, options)
    return _core_dumps(obj, default=default, **options)


def _encode_as(encoder: _json.JSONEncoder, o: object, *, in_python: bool = False) -> str | None:
    """The core's text by an encoder's options, or None where only stdlib's own code can interpret them."""
    if not _is_method(encoder.iterencode, _ITERENCODE):
        return None
    if type(o) is str and not in_python:
        return _core_dumps(o, ensure_ascii=encoder.ensure_ascii)
    # in stdlib's order: the first missing attribute raises the error
    check_circular, ensure_ascii, allow_nan = encoder.check_circular, encoder.ensure_ascii, encoder.allow_nan
    indent = encoder.indent
    default: Any = encoder.default
    key_separator, item_separator = encoder.key_separator, encoder.item_separator
    sort_keys, skipkeys = encoder.sort_keys, encoder.skipkeys
    if not callable(default):
        return None
    return _text_of(
        o,
        in_python,
        skipkeys=skipkeys,
        ensure_ascii=ensure_ascii,
        check_circular=check_circular,
        allow_nan=allow_nan,
        indent=indent,
        separators=(item_separator, key_separator),
        default=default,
        sort_keys=sort_keys,
    )


class JSONEncoder(_json.JSONEncoder):
    """stdlib's `JSONEncoder`. The core encodes unless `iterencode` is overridden.

    As in stdlib, attributes may be changed at any time and `default` may be overridden.
    """

    def encode(self, o: Any) -> str:
        """The JSON text of an object."""
        text = _encode_as(self, o)
        return super().encode(o) if text is None else text


_default_encoder = JSONEncoder()  # has the name of stdlib's


def _default(o: Any) -> Any:
    """Convert an object of a type beyond JSON's. `default` is looked up at each call, so that a patched one is used."""
    return _default_encoder.default(o)


def _make_encoder(cls: type[_json.JSONEncoder] | None = None, **options: Any) -> _json.JSONEncoder:
    """The encoder that stdlib's dump and dumps make for these options."""
    return (JSONEncoder if cls is None else cls)(**(_OPTIONS | options))


def _note_options_of_the_core(error: TypeError, function: str, options: dict[str, Any]) -> None:
    """Note on an error which of the options are those of `ssrjson_web` alone."""
    if options.get("cls") not in (None, JSONDecoder) or not hasattr(error, "add_note"):
        return
    known = _OPTIONS.keys() if function == "dumps" else set(_SCANNER_OPTIONS)
    beyond = {row[0] for row in _options() if row[5] == (function == "dumps")} - known
    for name in sorted(options.keys() & beyond):
        error.add_note(f"ssrjson_web.{function} has the option {name}; ssrjson_web.json has those of json alone")


@_with_signature_of(_json.dumps)
def dumps(obj: object, **options: Any) -> str:
    """The JSON text of an object as a str. Parameters, result and exceptions are those of stdlib's `json.dumps`."""
    if not options:
        return _core_dumps(obj, default=_default)
    text = _text_of(obj, False, **options)
    if text is None:
        try:
            encoder = _make_encoder(**options)
        except TypeError as error:
            _note_options_of_the_core(error, "dumps", options)
            raise
        if _is_method(encoder.encode, _ENCODE):  # a class that does not derive from ours
            text = _encode_as(encoder, obj)
        if text is None:
            text = encoder.encode(obj)
    return text


@_with_signature_of(_json.dump)
def dump(obj: object, fp: Any, **options: Any) -> None:
    """Write the JSON text of an object in one call of `fp.write`. Parameters are those of stdlib's `json.dump`.

    The chunks of an overridden `iterencode` are written one by one.
    """
    encoder = _make_encoder(**options)
    text = _encode_as(encoder, obj, in_python=True)
    if text is not None:
        fp.write(text)
        return
    for chunk in encoder.iterencode(obj):
        fp.write(chunk)


# Decoding

_DOCUMENT_TYPES = frozenset({str, bytes, bytearray})
_WHITESPACE = cast(Any, decoder).WHITESPACE.match
_Scanner: Any = scanner.make_scanner
# The options that stdlib's scanner in C copies from its decoder. A scanner with other options is not understood.
_HAS_ARRAY_HOOK = hasattr(_Scanner, "array_hook")  # from Python 3.15 on
_SCANNER_OPTIONS = (
    *("object_hook", "object_pairs_hook", "parse_constant", "parse_float", "parse_int", "strict"),
    *(("array_hook",) if _HAS_ARRAY_HOOK else ()),
)
_IS_SCANNER_KNOWN = {name for name in dir(_Scanner) if not name.startswith("_")} == set(_SCANNER_OPTIONS)
_options_in_force = operator.attrgetter(*_SCANNER_OPTIONS) if _IS_SCANNER_KNOWN else None
_FLOAT_OF_CONSTANT = cast(Any, _json.JSONDecoder()).parse_constant

_core_decoder = _CoreDecoder()


def _core_options(
    object_hook: Any,
    object_pairs_hook: Any,
    parse_constant: Any,
    parse_float: Any,
    parse_int: Any,
    strict: Any,
    array_hook: Any = None,
) -> dict[str, Any] | None:
    """Options for the core, without defaults, or None for wrong ones, for which stdlib's code raises the error."""
    options: dict[str, Any] = {}
    if object_hook is not None:
        options["object_hook"] = object_hook
    if object_pairs_hook is not None:
        options["object_pairs_hook"] = object_pairs_hook
    if array_hook is not None:
        options["array_hook"] = array_hook
    if parse_constant is not None:
        options["parse_constant"] = parse_constant
    if parse_float is not None and parse_float is not float:
        options["parse_float"] = parse_float
    if parse_int is not None and parse_int is not int:
        options["parse_int"] = parse_int
    for hook in options.values():
        if not callable(hook):
            return None
    if strict is not True:
        options["strict"] = strict
    return options


def _core_options_of(decoder: Any) -> dict[str, Any] | None:
    """The options of a decoder, or None where only stdlib's own code can interpret them."""
    scan_once = decoder.scan_once
    if type(scan_once) is not _Scanner or _options_in_force is None:
        return None
    object_hook, object_pairs_hook, parse_constant, *others = _options_in_force(scan_once)
    if type(parse_constant) is type(_FLOAT_OF_CONSTANT) and parse_constant == _FLOAT_OF_CONSTANT:
        parse_constant = None
    return _core_options(object_hook, object_pairs_hook, parse_constant, *others)


def _decode_by_core(document: Any, options: dict[str, Any]) -> Any:
    """The core's value. A StopIteration of a hook becomes a JSONDecodeError, as in stdlib."""
    try:
        return _core_loads(document, **options)
    except StopIteration as stop:
        raise JSONDecodeError("Expecting value", document, stop.value) from None


class JSONDecoder(_json.JSONDecoder):
    """stdlib's `JSONDecoder`. The core decodes unless `scan_once` is replaced."""

    def decode(self, s: str, _w: Callable[..., Any] = _WHITESPACE) -> Any:
        """The value of JSON text."""
        # only `loads` has an error of its own for a byte order mark
        if type(s) is str and _w is _WHITESPACE and s[:1] != "\ufeff" and _is_method(self.raw_decode, _OUR_RAW_DECODE):
            options = _core_options_of(self)
            if options is not None:
                return _decode_by_core(s, options)
        return super().decode(s, _w)

    def raw_decode(self, s: str, idx: int = 0) -> tuple[Any, int]:
        """The value that begins at an index of a str, and the index after it."""
        if type(s) is str and type(idx) is int:
            options = _core_options_of(self)
            if options is not None:
                core_decoder = _CoreDecoder(**options) if options else _core_decoder
                try:
                    return core_decoder.raw_decode(s, idx)
                except StopIteration as stop:
                    raise JSONDecodeError("Expecting value", s, stop.value) from None
        return super().raw_decode(s, idx)


_OUR_RAW_DECODE = JSONDecoder.raw_decode


def _decode_with_options(
    s: str | bytes | bytearray,
    *,
    cls: object = None,
    object_hook: Any = None,
    parse_float: Any = None,
    parse_int: Any = None,
    parse_constant: Any = None,
    object_pairs_hook: Any = None,
    strict: Any = True,
    **others: Any,
) -> tuple[Any] | None:
    """The core's value, or None where a decoder object is needed."""
    array_hook = others.pop("array_hook", None) if _HAS_ARRAY_HOOK else None
    if cls is not None or others:
        return None
    options = _core_options(
        object_hook,
        object_pairs_hook,
        parse_constant or None,
        parse_float or None,
        parse_int or None,
        strict,
        array_hook,
    )
    if options is None:
        return None
    if not isinstance(s, str) and options.keys() - {"strict"}:  # before any hook is called, as in stdlib
        s = s.decode(detect_encoding(s), "surrogatepass")
        if s[:1] == "\ufeff":  # a second mark; in a str `loads` has an error of its own for it
            return None
    return (_decode_by_core(s, options),)


@_with_signature_of(_json.loads)
def loads(s: str | bytes | bytearray, **options: Any) -> Any:
    """The value of JSON text. Parameters, result and exceptions are those of stdlib's `json.loads`."""
    if type(s) in _DOCUMENT_TYPES:
        if not options:
            return _core_loads(s)
        value = _decode_with_options(s, **options)
        if value is not None:
            return value[0]
    if options.get("cls") is None:
        options["cls"] = JSONDecoder
    try:
        return _json.loads(s, **options)
    except TypeError as error:
        _note_options_of_the_core(error, "loads", options)
        raise


@_with_signature_of(_json.load)
def load(fp: Any, **options: Any) -> Any:
    """The value of `loads(fp.read())`. Parameters and exceptions are those of stdlib's `json.load`."""
    return loads(fp.read(), **options)
