"""orjson's module without the cached UTF-8 copies: write `from ssrjson_web import orjson` instead of `import orjson`.

Arguments, bytes, values and the texts of errors are those of orjson. Where orjson 3.13 ends the process, or writes a
wrong time or date, this raises a TypeError or writes the right one. KeyboardInterrupt, SystemExit and MemoryError of a
`default` pass through. A Fragment is checked when it is made.
"""

from __future__ import annotations

from ssrjson_web._core import Fragment as Fragment
from ssrjson_web._core import JSONDecodeError as JSONDecodeError
from ssrjson_web._core import _orjson_dumps, _orjson_loads

__all__ = (
    "OPT_APPEND_NEWLINE",
    "OPT_INDENT_2",
    "OPT_NAIVE_UTC",
    "OPT_NON_STR_KEYS",
    "OPT_OMIT_MICROSECONDS",
    "OPT_PASSTHROUGH_DATACLASS",
    "OPT_PASSTHROUGH_DATETIME",
    "OPT_PASSTHROUGH_SUBCLASS",
    "OPT_SERIALIZE_DATACLASS",
    "OPT_SERIALIZE_NUMPY",
    "OPT_SERIALIZE_UUID",
    "OPT_SORT_KEYS",
    "OPT_STRICT_INTEGER",
    "OPT_UTC_Z",
    "Fragment",
    "JSONDecodeError",
    "JSONEncodeError",
    "__version__",
    "dumps",
    "loads",
)

__version__ = "3.13.0"
"""The release of orjson whose behaviour this module has."""

dumps = _orjson_dumps
"""The JSON text of an object as UTF-8 bytes. `default` is called with each value of an unknown type; what it returns is
written instead. `option` is a sum of the flags below. Raises TypeError."""

loads = _orjson_loads
"""The object of a JSON text, which is bytes, bytearray, memoryview or str. Raises JSONDecodeError."""

JSONEncodeError = TypeError
"""What `dumps` raises."""

OPT_INDENT_2: int = 1
"""Put items on lines of their own, with two spaces for each level."""
OPT_NAIVE_UTC: int = 1 << 1
"""Take datetimes without a zone for UTC, and write the offset."""
OPT_NON_STR_KEYS: int = 1 << 2
"""Write keys of other types than str: None, bool, int, float, datetime, date, time, UUID, Enum."""
OPT_OMIT_MICROSECONDS: int = 1 << 3
"""Write no fractions of seconds."""
OPT_SERIALIZE_NUMPY: int = 1 << 4
"""Write numpy's arrays and scalars."""
OPT_SORT_KEYS: int = 1 << 5
"""Sort the keys of each dict."""
OPT_STRICT_INTEGER: int = 1 << 6
"""Refuse ints beyond 53 bits, which JavaScript rounds."""
OPT_UTC_Z: int = 1 << 7
"""Write an offset of zero from UTC as Z."""
OPT_PASSTHROUGH_SUBCLASS: int = 1 << 8
"""Hand subclasses of str, int, list and dict to `default`."""
OPT_PASSTHROUGH_DATETIME: int = 1 << 9
"""Hand datetimes, dates and times to `default`."""
OPT_APPEND_NEWLINE: int = 1 << 10
"""End the text with a line feed."""
OPT_PASSTHROUGH_DATACLASS: int = 1 << 11
"""Hand dataclasses to `default`."""
OPT_SERIALIZE_DATACLASS: int = 0
"""Has no effect: dataclasses are always written."""
OPT_SERIALIZE_UUID: int = 0
"""Has no effect: UUIDs are always written."""
