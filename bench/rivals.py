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
_CODE = ".encode()", ".decode()"


def _rival(
    name: str, setup: str, *, distribution: str | None = "", decodes_str: bool = True, **expressions: str
) -> Rival:
    """A library, with the timed expressions by slot: `bytes`, `str`, `decode`, or `web_bytes`, `numpy_str`, ...

    One that ends with a conversion makes the other type: it is never the best peer.
    """
    setups = {"": setup, "numpy": expressions.pop("numpy_setup", setup)}
    calls = {
        slot: Call(
            setup=setups.get(slot.split("_")[0], setup), expression=expression, converts=expression.endswith(_CODE)
        )
        for slot, expression in expressions.items()
    }
    styles: dict[tuple[Style, str], Call] = {}
    for style in ("web", "numpy"):
        for kind in ("bytes", "str"):
            if (call := calls.get(f"{style}_{kind}")) is not None:
                styles[style, kind] = call
    return Rival(
        name=name,
        distribution=name if distribution == "" else distribution,
        encode_bytes=calls.get("bytes"),
        encode_str=calls.get("str"),
        decode=calls.get("decode"),
        decodes_str=decodes_str,
        styles=styles,
    )


def _like_orjson(name: str, web: str = "") -> Rival:
    """A library with orjson's functions; `web`: the arguments that a web framework passes, if it has them."""
    return _rival(
        name,
        f"from {name} import OPT_SERIALIZE_NUMPY, dumps, loads",
        bytes="dumps(value)",
        str="dumps(value).decode()",
        decode="loads(value)",
        numpy_bytes="dumps(value, option=OPT_SERIALIZE_NUMPY)",
        web_bytes=f"dumps(value{web})",
    )


RIVALS: Sequence[Rival] = (
    _rival(
        OURS,
        "from ssrjson_web import dumps, dumps_to_bytes, loads",
        bytes="dumps_to_bytes(value)",
        str="dumps(value)",
        decode="loads(value)",
        web_bytes="dumps_to_bytes(value, allow_nan=False)",
        web_str="dumps(value, allow_nan=False)",
        numpy_bytes="dumps_to_bytes(value, numpy=True)",
        numpy_str="dumps(value, numpy=True)",
    ),
    _rival(
        "ssrjson",
        _SSRJSON,
        bytes="dumps_to_bytes(value)",
        str="dumps(value)",
        decode="loads(value)",
        numpy_setup=f"{_SSRJSON}; import numpy; ssrjson.setup_numpy_types(numpy)",
        numpy_bytes="dumps_to_bytes(value)",
        numpy_str="dumps(value)",
    ),
    _rival("ssrjson+cache", _SSRJSON, distribution="ssrjson", bytes="dumps_to_bytes(value, is_write_cache=True)"),
    _like_orjson("orjson"),
    _rival(
        "msgspec",
        "import msgspec; encode = msgspec.json.Encoder().encode; decode = msgspec.json.Decoder().decode",
        bytes="encode(value)",
        str="encode(value).decode()",
        decode="decode(value)",
    ),
    _rival(
        "fastsimdjson",
        "from fastsimdjson import dumpb, dumps, loads",
        bytes="dumpb(value)",
        str=f"dumps(value, {_STDLIB_ARGUMENTS})",
        decode="loads(value)",
    ),
    _like_orjson("isojson"),
    _like_orjson("oxjson", web=", allow_nan=False"),
    _rival(
        "rjson",
        "from rjson import dumps, dumps_str, loads",
        distribution="pyrjson",
        bytes="dumps(value)",
        str="dumps_str(value)",
        decode="loads(value)",
    ),
    _rival(
        "strata",
        "from strata import dumps, loads",
        distribution="strata-plf",
        bytes='dumps(value, return_type="bytes")',
        str="dumps(value)",
        decode="loads(value)",
    ),
    _like_orjson("yjson"),
    _rival(  # it gives other values for text beyond the basic plane, and for Latin-1 and Chinese beside an escape
        "blitzjson",
        "from blitzjson import dumpb, dumps, loads",
        bytes="dumpb(value)",
        str=f"dumps(value, {_STDLIB_ARGUMENTS})",
        decode="loads(value)",
    ),
    _rival(
        "drf-oxide",
        "from drf_oxide_core import from_json, to_json",
        distribution="drf-oxide-core",
        bytes="to_json(value, ensure_ascii=False)",
        decode="from_json(value)",
    ),
    _rival(  # it calls msgspec's Encoder and Decoder
        "django-bolt", "from django_bolt._json import decode, encode", bytes="encode(value)", decode="decode(value)"
    ),
    _rival("jiter", "from jiter import from_json", decode="from_json(value)", decodes_str=False),
    _rival(
        "ujson",
        "from ujson import dumps, loads",
        bytes=f"dumps(value, {_UJSON_ARGUMENTS}).encode()",
        str=f"dumps(value, {_UJSON_ARGUMENTS})",
        decode="loads(value)",
        web_bytes=f"dumps(value, {_UJSON_ARGUMENTS}, allow_nan=False).encode()",
        web_str=f"dumps(value, {_UJSON_ARGUMENTS}, allow_nan=False)",
    ),
    _rival(
        "json",
        "from json import dumps, loads",
        distribution=None,
        bytes=f"dumps(value, {_STDLIB_ARGUMENTS}).encode()",
        str=f"dumps(value, {_STDLIB_ARGUMENTS})",
        decode="loads(value)",
        web_bytes=f"dumps(value, {_STDLIB_ARGUMENTS}, allow_nan=False).encode()",
        web_str=f"dumps(value, {_STDLIB_ARGUMENTS}, allow_nan=False)",
        numpy_str=f"dumps(value, {_STDLIB_ARGUMENTS}, default=lambda array: array.tolist())",
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
