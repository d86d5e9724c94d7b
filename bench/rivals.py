"""The libraries that are timed, and the timed call of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from bench.cases import Operation, Style

OURS = "ssrjson_web"


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call as a user writes it. It is source text, so that no wrapper of ours is timed."""

    setup: str
    """Statements that run once and bind the names that the expression uses."""
    expression: str
    """The timed expression; its argument is `value`."""
    converts: bool = False
    """The library makes the other type and a second pass converts it: it is shown, but is never the best peer."""


@dataclass(frozen=True, kw_only=True)
class Rival:
    """A library in one configuration."""

    name: str
    distribution: str | None
    """Its name on the package index; None for stdlib."""
    encode_bytes: Call | None = None
    encode_str: Call | None = None
    decode: Call | None = None
    """The decoding call; it takes bytes, and str unless `decodes_str` is false."""
    decodes_str: bool = True
    styles: Mapping[tuple[Style, str], Call] = field(default_factory=dict)
    """Calls that replace the plain one, by style and by "bytes", "str" or "decode"."""

    @property
    def is_ours(self) -> bool:
        return self.name == OURS

    def call(self, operation: Operation, kind: str, style: Style) -> Call | None:
        """The call for `operation` to or from `kind` ("bytes" or "str"); None where the rival has none.

        A style without its own call uses the plain call, except numpy: a plain call rejects arrays.
        """
        if operation == "decode" and kind == "str" and not self.decodes_str:
            return None
        slot = "decode" if operation == "decode" else kind
        plain = {"bytes": self.encode_bytes, "str": self.encode_str, "decode": self.decode}[slot]
        return self.styles.get((style, slot), None if style == "numpy" else plain)

    def makes(self, operation: Operation, kind: str) -> bool:
        """Whether the rival has any call for this mode."""
        return self.call(operation, kind, "plain") is not None

    def version(self) -> str:
        """The installed version. Raises MissingRivalError where the library cannot be imported."""
        self._import()
        if self.distribution is None:
            return "stdlib"
        try:
            return version(self.distribution)
        except PackageNotFoundError:
            return "unknown"

    def _import(self) -> None:
        for call in (self.encode_bytes, self.encode_str, self.decode):
            if call is not None:
                try:
                    exec(call.setup, {})
                except ModuleNotFoundError as error:
                    hint = "build it: pip install ." if self.is_ours else f"pip install {self.distribution}"
                    raise MissingRivalError(f"{self.name}: not installed ({error}; {hint})") from error
                except Exception as error:
                    raise MissingRivalError(f"{self.name}: {type(error).__name__}: {error}") from error


class MissingRivalError(Exception):
    """A library that cannot be imported; the message says why and what to do."""


_STDLIB_ARGUMENTS = 'ensure_ascii=False, separators=(",", ":")'
_UJSON_ARGUMENTS = "ensure_ascii=False, escape_forward_slashes=False"
_SSRJSON = "import ssrjson; ssrjson.write_utf8_cache(False); from ssrjson import dumps, dumps_to_bytes, loads"
_SSRJSON_NUMPY = _SSRJSON + "; import numpy; ssrjson.setup_numpy_types(numpy)"
_ORJSON = "from orjson import OPT_SERIALIZE_NUMPY, dumps, loads"
_ISOJSON = "from isojson import OPT_SERIALIZE_NUMPY, dumps, loads"
_OXJSON = "from oxjson import OPT_SERIALIZE_NUMPY, dumps, loads"
_YJSON = "from yjson import OPT_SERIALIZE_NUMPY, dumps, loads"
_RJSON = "from rjson import dumps, dumps_str, loads"
_STRATA = "from strata import dumps, loads"
_BLITZJSON = "from blitzjson import dumpb, dumps, loads"
_DRF_OXIDE = "from drf_oxide_core import from_json, to_json"
_DJANGO_BOLT = "from django_bolt._json import decode, encode"
_FASTSIMDJSON = "from fastsimdjson import dumpb, dumps, loads"
_MSGSPEC_ENCODE = "import msgspec; encode = msgspec.json.Encoder().encode"


def _like_orjson(name: str, setup: str, web: str = "") -> Rival:
    """A library with orjson's functions; `web`: the arguments that a web framework passes, where it has them."""
    return Rival(
        name=name,
        distribution=name,
        encode_bytes=Call(setup=setup, expression="dumps(value)"),
        encode_str=Call(setup=setup, expression="dumps(value).decode()", converts=True),
        decode=Call(setup=setup, expression="loads(value)"),
        styles={
            ("numpy", "bytes"): Call(setup=setup, expression="dumps(value, option=OPT_SERIALIZE_NUMPY)"),
            **({("web", "bytes"): Call(setup=setup, expression=f"dumps(value{web})")} if web else {}),
        },
    )


RIVALS: Sequence[Rival] = (
    Rival(
        name=OURS,
        distribution="ssrjson_web",
        encode_bytes=Call(setup="from ssrjson_web import dumps_to_bytes", expression="dumps_to_bytes(value)"),
        encode_str=Call(setup="from ssrjson_web import dumps", expression="dumps(value)"),
        decode=Call(setup="from ssrjson_web import loads", expression="loads(value)"),
        styles={
            ("web", "bytes"): Call(
                setup="from ssrjson_web import dumps_to_bytes", expression="dumps_to_bytes(value, allow_nan=False)"
            ),
            ("web", "str"): Call(setup="from ssrjson_web import dumps", expression="dumps(value, allow_nan=False)"),
            ("numpy", "bytes"): Call(
                setup="from ssrjson_web import dumps_to_bytes", expression="dumps_to_bytes(value, numpy=True)"
            ),
            ("numpy", "str"): Call(setup="from ssrjson_web import dumps", expression="dumps(value, numpy=True)"),
        },
    ),
    Rival(
        name="ssrjson",
        distribution="ssrjson",
        encode_bytes=Call(setup=_SSRJSON, expression="dumps_to_bytes(value)"),
        encode_str=Call(setup=_SSRJSON, expression="dumps(value)"),
        decode=Call(setup=_SSRJSON, expression="loads(value)"),
        styles={
            ("numpy", "bytes"): Call(setup=_SSRJSON_NUMPY, expression="dumps_to_bytes(value)"),
            ("numpy", "str"): Call(setup=_SSRJSON_NUMPY, expression="dumps(value)"),
        },
    ),
    Rival(
        name="ssrjson+cache",
        distribution="ssrjson",
        encode_bytes=Call(setup=_SSRJSON, expression="dumps_to_bytes(value, is_write_cache=True)"),
    ),
    _like_orjson("orjson", _ORJSON),
    Rival(
        name="msgspec",
        distribution="msgspec",
        encode_bytes=Call(setup=_MSGSPEC_ENCODE, expression="encode(value)"),
        encode_str=Call(setup=_MSGSPEC_ENCODE, expression="encode(value).decode()", converts=True),
        decode=Call(setup="import msgspec; decode = msgspec.json.Decoder().decode", expression="decode(value)"),
    ),
    Rival(
        name="fastsimdjson",
        distribution="fastsimdjson",
        encode_bytes=Call(setup=_FASTSIMDJSON, expression="dumpb(value)"),
        encode_str=Call(setup=_FASTSIMDJSON, expression=f"dumps(value, {_STDLIB_ARGUMENTS})"),
        decode=Call(setup=_FASTSIMDJSON, expression="loads(value)"),
    ),
    _like_orjson("isojson", _ISOJSON),
    _like_orjson("oxjson", _OXJSON, web=", allow_nan=False"),
    Rival(
        name="rjson",
        distribution="pyrjson",
        encode_bytes=Call(setup=_RJSON, expression="dumps(value)"),
        encode_str=Call(setup=_RJSON, expression="dumps_str(value)"),
        decode=Call(setup=_RJSON, expression="loads(value)"),
    ),
    Rival(
        name="strata",
        distribution="strata-plf",
        encode_bytes=Call(setup=_STRATA, expression='dumps(value, return_type="bytes")'),
        encode_str=Call(setup=_STRATA, expression="dumps(value)"),
        decode=Call(setup=_STRATA, expression="loads(value)"),
    ),
    _like_orjson("yjson", _YJSON),
    Rival(  # it gives other values for text beyond the basic plane, and for Latin-1 and Chinese beside an escape
        name="blitzjson",
        distribution="blitzjson",
        encode_bytes=Call(setup=_BLITZJSON, expression="dumpb(value)"),
        encode_str=Call(setup=_BLITZJSON, expression=f"dumps(value, {_STDLIB_ARGUMENTS})"),
        decode=Call(setup=_BLITZJSON, expression="loads(value)"),
    ),
    Rival(
        name="drf-oxide",
        distribution="drf-oxide-core",
        encode_bytes=Call(setup=_DRF_OXIDE, expression="to_json(value, ensure_ascii=False)"),
        decode=Call(setup=_DRF_OXIDE, expression="from_json(value)"),
    ),
    Rival(  # it calls msgspec's Encoder and Decoder
        name="django-bolt",
        distribution="django-bolt",
        encode_bytes=Call(setup=_DJANGO_BOLT, expression="encode(value)"),
        decode=Call(setup=_DJANGO_BOLT, expression="decode(value)"),
    ),
    Rival(
        name="jiter",
        distribution="jiter",
        decode=Call(setup="from jiter import from_json", expression="from_json(value)"),
        decodes_str=False,
    ),
    Rival(
        name="ujson",
        distribution="ujson",
        encode_bytes=Call(
            setup="from ujson import dumps", expression=f"dumps(value, {_UJSON_ARGUMENTS}).encode()", converts=True
        ),
        encode_str=Call(setup="from ujson import dumps", expression=f"dumps(value, {_UJSON_ARGUMENTS})"),
        decode=Call(setup="from ujson import loads", expression="loads(value)"),
        styles={
            ("web", "bytes"): Call(
                setup="from ujson import dumps",
                expression=f"dumps(value, {_UJSON_ARGUMENTS}, allow_nan=False).encode()",
                converts=True,
            ),
            ("web", "str"): Call(
                setup="from ujson import dumps", expression=f"dumps(value, {_UJSON_ARGUMENTS}, allow_nan=False)"
            ),
        },
    ),
    Rival(
        name="json",
        distribution=None,
        encode_bytes=Call(
            setup="from json import dumps", expression=f"dumps(value, {_STDLIB_ARGUMENTS}).encode()", converts=True
        ),
        encode_str=Call(setup="from json import dumps", expression=f"dumps(value, {_STDLIB_ARGUMENTS})"),
        decode=Call(setup="from json import loads", expression="loads(value)"),
        styles={
            ("web", "bytes"): Call(
                setup="from json import dumps",
                expression=f"dumps(value, {_STDLIB_ARGUMENTS}, allow_nan=False).encode()",
                converts=True,
            ),
            ("web", "str"): Call(
                setup="from json import dumps", expression=f"dumps(value, {_STDLIB_ARGUMENTS}, allow_nan=False)"
            ),
            ("numpy", "str"): Call(
                setup="from json import dumps",
                expression=f"dumps(value, {_STDLIB_ARGUMENTS}, default=lambda array: array.tolist())",
            ),
        },
    ),
)


def select(names: Sequence[str]) -> list[Rival]:
    """The rivals of those names, ours always first; all if `names` is empty. Raises ValueError for an unknown name."""
    known = [rival.name for rival in RIVALS]
    strangers = [name for name in names if name not in known]
    if strangers:
        raise ValueError(f"unknown rival {', '.join(strangers)}: choose from {', '.join(known)}")
    return [rival for rival in RIVALS if not names or rival.is_ours or rival.name in names]


def compiled(call: Call, template: str) -> dict[str, Any]:
    """The namespace after `call`'s setup and `template`, where {expression} is replaced by its expression."""
    namespace: dict[str, Any] = {}
    exec(call.setup, namespace)
    exec(template.format(expression=call.expression), namespace)
    return namespace
