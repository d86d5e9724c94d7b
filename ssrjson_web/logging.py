"""Log records as JSON Lines, for `logging` of the standard library. No string gets a cached UTF-8 copy."""

from __future__ import annotations

import datetime
import logging
import re
from collections.abc import Mapping
from typing import Any

from ssrjson_web._core import Encoder

__all__ = ["SSRJSONFormatter"]

_FIELDS = {
    "timestamp": "timestamp",
    "level": "level",
    "logger": "logger",
    "message": "message",
    "exception": "exception",
    "stack": "stack",
}
_ATTRIBUTES = {"level": "levelname", "logger": "name"}
_MADE_HERE = ("timestamp", "message", "exception", "stack")
# taskName is there from Python 3.12 on, and other formatters store the next two
_NO_EXTRA = frozenset(vars(logging.LogRecord("", 0, "", 0, "", (), None))) | {"taskName", "message", "asctime"}
_OPTIONS: Any = {
    "natives": True,
    "models": "python",
    "line_safe": True,
    "escape_surrogates": True,
    "nan_as_null": True,
}


# control characters beside those that end a line, and what changes the direction of text
_CONTROLS = re.compile("[\0-\x08\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _shown(value: object) -> str:
    """The repr of a value that is no JSON; never an exception."""
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}, whose repr raises>"


class SSRJSONFormatter(logging.Formatter):
    """A formatter whose text of a record is one line of JSON.

    `fields` maps names to keys of the object, in their order: `timestamp`, `level`, `logger`, `message`, `exception`
    and `stack` (by default each under its own name), and any attribute of a `LogRecord`, such as `pathname`, `lineno`,
    `process` or `threadName`. Those that `fields` does not name keep their default; a key of None leaves one out.
    `extra` says whether the attributes that `extra={...}` adds to a record follow; one with the key of a field is left
    out. `constants` are put into each line. `utc` says whether the timestamp is of UTC; otherwise it has the local
    offset. `escape_controls` says whether characters are escaped that a terminal acts upon: DEL, U+0080 to U+009F, and
    those that change the direction of text. Other options are those of `ssrjson_web.Encoder`, such as `datetime` and
    `timespec`.

    Dates, UUIDs, Decimals, enums, dataclasses and models are written, NaN is null, and every other value is its repr:
    no value of a record raises. U+0085, U+2028 and U+2029 are escaped and a `Fragment` is put on one line, so a record
    is one line for every reader.

    Raises TypeError for a field whose key is neither a str nor None, ValueError for options that write several lines
    (`indent`, `separators` with line breaks, `append_newline`, `line_safe=False`), and what `Encoder` raises.
    """

    def __init__(
        self,
        *,
        fields: Mapping[str, str | None] | None = None,
        extra: bool = True,
        constants: Mapping[str, Any] | None = None,
        utc: bool = True,
        escape_controls: bool = True,
        **options: Any,
    ) -> None:
        super().__init__()
        keys: dict[str, str | None] = {**_FIELDS, **(fields or {})}
        wrong = [name for name, key in keys.items() if key is not None and not isinstance(key, str)]
        if wrong:
            raise TypeError(f"fields must map names to str or None; {wrong[0]!r} is mapped to {keys[wrong[0]]!r}")
        self._keys = {name: key for name, key in keys.items() if key is not None}
        self._attributes = [
            (key, _ATTRIBUTES.get(name, name)) for name, key in self._keys.items() if name not in _MADE_HERE
        ]
        self._has_extra = extra
        self._constants = dict(constants or {})
        self._zone = datetime.timezone.utc if utc else None
        self._escapes_controls = escape_controls
        # one order for all lines: the keys as they were given
        self._template: dict[str, Any] = dict.fromkeys(self._keys.values())
        own = {"default": _shown, "utc": "Z", "timespec": "milliseconds"}
        options = {**_OPTIONS, **own, **options}
        if options.get("append_newline") or not options["line_safe"]:
            raise ValueError("a record is one line: append_newline must be False and line_safe True")
        self._encode = Encoder(**options).encode_str

    def format(self, record: logging.LogRecord) -> str:
        """The line, without a line feed."""
        line = self._line(record)
        try:
            text = self._encode(line)
        except Exception:
            text = self._encode({self._key(key): self._harmless(value) for key, value in line.items()})
        if self._escapes_controls and not text.isprintable():
            text = _CONTROLS.sub(_escape, text)
        return text

    def _line(self, record: logging.LogRecord) -> dict[str, Any]:
        keys, given = self._keys, vars(record)
        line = self._template.copy()
        if (key := keys.get("timestamp")) is not None:
            moment = datetime.datetime.fromtimestamp(record.created, datetime.timezone.utc)
            line[key] = moment if self._zone is not None else moment.astimezone()
        for key, attribute in self._attributes:
            line[key] = given.get(attribute)
        if (key := keys.get("message")) is not None:
            line[key] = _message(record)
        for name, text in (("exception", self._exception(record)), ("stack", record.stack_info)):
            if (key := keys.get(name)) is None:
                continue
            if text:
                line[key] = text
            else:
                del line[key]
        if self._constants:
            line.update(self._constants)
        if self._has_extra:
            for name, value in given.items():
                if name not in _NO_EXTRA and name not in line:
                    line[name] = value
        return line

    def _exception(self, record: logging.LogRecord) -> str | None:
        # kept in the record, as stdlib's formatter does: other handlers use it
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        return record.exc_text

    def _key(self, key: object) -> str:
        return key if isinstance(key, str) else _shown(key)

    def _harmless(self, value: Any) -> Any:
        try:
            self._encode(value)
        except Exception:
            return _shown(value)
        return value


def _message(record: logging.LogRecord) -> str:
    try:
        return record.getMessage()
    except Exception:  # the arguments do not fit: show them all the same
        return f"{_shown(record.msg)} {_shown(record.args)}"
