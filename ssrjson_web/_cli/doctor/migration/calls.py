"""Our call in the place of a call of another library, with its options. The page on migration has the differences."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import NamedTuple

__all__ = ["CALLS", "Option", "TheirCall"]

_LONGEST = 40
"""Characters of an option's value; longer ones are left out."""


class Option(NamedTuple):
    """What replaces an option of a function; `{}` stands for its value."""

    by_value: Mapping[str, str]
    """Our options by the source of the value, which for names of the library is their last part; `*`: of any other."""
    absent: str = ""
    """Our options where the call does not have it."""
    note: str = ""
    """What remains different where the call does not have it."""

    def of(self, value: ast.expr | None) -> str | None:
        """Our options for a value, and None where we have none; `value` is None where the call does not have it."""
        if value is None:
            return self.absent
        source = ast.unparse(value)
        found = self.by_value.get(source.rpartition(".")[2] if isinstance(value, ast.Attribute) else source)
        if found is None:
            found = self.by_value.get("*")
        return None if found is None else found.format(source if len(source) <= _LONGEST else "...")


_SAME = ("sort_keys", "default", "skipkeys", "check_circular")
_SAME_HOOKS = ("object_hook", "object_pairs_hook", "parse_float", "parse_int", "parse_constant")


def _same(names: Sequence[str]) -> dict[str, Option]:
    return {name: Option({"*": f"{name}={{}}"}) for name in names}


def _switch(ours: str, *, default: bool = False) -> Option:
    """An option that is on or off, and what is ours while it is on."""
    return Option({"True": ours, "False": "", "1": ours, "0": ""}, absent=ours if default else "")


class TheirCall(NamedTuple):
    """A function of a library."""

    ours: str
    """Our call, in which `{}` stands for the options."""
    options: Mapping[str, Option]
    positional: tuple[str, ...] = ()
    """The options that may be given without their names."""

    def replacement(self, call: ast.Call | None) -> str:
        """Our call with the options of theirs; None: with those for theirs without options."""
        given: dict[str | None, ast.expr] = {}
        if call is not None:
            given.update(zip(self.positional, call.args, strict=False))
            given.update((keyword.arg, keyword.value) for keyword in call.keywords)
        ours, notes = [], []
        for name, option in self.options.items():
            found = option.of(given.get(name))
            if found is None:
                notes.append(f"we have nothing for {name}={ast.unparse(given[name])[:_LONGEST]}")
            elif found:
                ours.append(found)
            if option.note and name not in given:
                notes.append(option.note)
        notes += [f"we have no option {name}" for name in given if name is not None and name not in self.options]
        if None in given:
            notes.append("look at the options that ** gives")
        if "indent=" in "".join(ours):
            ours = [one for one in ours if one != _SPACED]  # with indent both write no space after a comma
        return "; ".join([self.ours.format("".join(f", {one}" for one in ours)), *notes])


_UTF8 = 'bytes="utf-8"'
_SPACED = 'separators=(", ", ": ")'
_UJSON = {
    "ensure_ascii": Option({"False": "", "*": "ensure_ascii={}"}, absent="ensure_ascii=True"),
    "escape_forward_slashes": Option({"False": ""}, note="slashes are not escaped"),
    "encode_html_chars": _switch("html_safe=True"),
    "reject_bytes": Option({"True": "", "False": _UTF8}),
    "allow_nan": Option({"*": "allow_nan={}"}),
    "indent": Option({"0": "", "*": "indent={}"}),
    "separators": Option({"*": "separators={}"}),
    **_same(_SAME[:2]),
}
_SIMPLEJSON = {
    "ensure_ascii": Option({"False": "", "*": "ensure_ascii={}"}, absent="ensure_ascii=True"),
    "separators": Option({"*": "separators={}", "None": _SPACED}, absent=_SPACED),
    "indent": Option({"None": "", "*": "indent={}"}),
    "use_decimal": _switch('decimal="number"', default=True),
    "namedtuple_as_object": _switch("namedtuple_as_object=True", default=True),
    "allow_nan": Option({"True": "", "False": "allow_nan=False"}, absent="allow_nan=False"),
    "ignore_nan": _switch("nan_as_null=True"),
    "bigint_as_string": _switch('int53="str"'),
    "int_as_string_bitcount": Option({"53": 'int53="str"', "None": ""}),
    "iterable_as_array": _switch("iterables=True"),
    "for_json": _switch("default=lambda value: value.for_json()"),
    "tuple_as_array": Option({"True": ""}),
    "encoding": Option({"'utf-8'": _UTF8, "'utf8'": _UTF8, "None": ""}, absent=_UTF8),
    **_same(_SAME),
}
_RAPIDJSON = {
    "ensure_ascii": Option(
        {"False": "", "*": "ensure_ascii={}"}, absent="ensure_ascii=True", note="escapes are in lower case"
    ),
    "indent": Option({"None": "", "*": "indent={}"}),
    "write_mode": Option({"WM_COMPACT": "", "WM_PRETTY": "indent=4"}),
    "datetime_mode": Option({"DM_ISO8601": 'datetime="iso"', "DM_UNIX_TIME": 'datetime="epoch"', "DM_NONE": ""}),
    "uuid_mode": Option({"UM_CANONICAL": 'uuid="hyphenated"', "UM_HEX": 'uuid="hex"', "UM_NONE": ""}),
    "number_mode": Option({"NM_DECIMAL": 'decimal="number"', "NM_NATIVE": ""}),
    "bytes_mode": Option({"BM_UTF8": _UTF8, "BM_NONE": ""}, absent=_UTF8),
    "iterable_mode": Option({"IM_ANY_ITERABLE": "iterables=True", "IM_ONLY_LISTS": ""}, absent="iterables=True"),
    "allow_nan": Option({"*": "allow_nan={}"}),
    "skipkeys": Option({"False": ""}),
    **_same(_SAME[:2]),
}
_MSGSPEC = {
    "enc_hook": Option({"None": "", "*": "default={}"}),
    "order": Option({"None": "", "'deterministic'": "sort_keys=True", "'sorted'": "sort_keys=True"}),
    "decimal_format": Option({"'string'": "", "'number'": 'decimal="number"'}),
    "uuid_format": Option({"'canonical'": "", "'hex'": 'uuid="hex"'}),
}
_OF_MSGSPEC = 'models=True, bytes="base64", nan_as_null=True, floats="e16"'
_UJSON_LOADS = {"precise_float": Option({"*": ""})}
_SIMPLEJSON_LOADS = {
    "use_decimal": _switch('parse_float="decimal"'),
    "allow_nan": Option({"True": "", "False": "allow_nan=False"}, absent="allow_nan=False"),
    "encoding": Option({"'utf-8'": "", "'utf8'": "", "None": ""}),
    **_same(_SAME_HOOKS),
}
_RAPIDJSON_LOADS = {
    "number_mode": Option({"NM_DECIMAL": 'parse_float="decimal"', "NM_NATIVE": ""}),
    "parse_mode": Option({"PM_NONE": "", "*": "jsonc=True"}),
    "allow_nan": Option({"*": "allow_nan={}"}),
    "object_hook": Option({"None": "", "*": "object_hook={}"}),
}

_DUMPS, _DUMP = "ssrjson_web.dumps(obj{})", "file.write(ssrjson_web.dumps(obj{}))"
_UJSON_DUMPS, _UJSON_DUMP = (text.replace("{}", '{}, decimal="float"') for text in (_DUMPS, _DUMP))
_LOADS, _LOAD = "ssrjson_web.loads(text{})", "ssrjson_web.loads(file.read(){})"
_TYPED = {"type": Option({"*": "type={}"}), "strict": Option({"True": ""})}

CALLS: dict[tuple[str, str], TheirCall] = {
    ("ujson", "dumps"): TheirCall(_UJSON_DUMPS, _UJSON),
    ("ujson", "encode"): TheirCall(_UJSON_DUMPS, _UJSON),
    ("ujson", "dump"): TheirCall(_UJSON_DUMP, _UJSON),
    ("ujson", "loads"): TheirCall(_LOADS, _UJSON_LOADS),
    ("ujson", "decode"): TheirCall(_LOADS, _UJSON_LOADS),
    ("ujson", "load"): TheirCall(_LOAD, _UJSON_LOADS),
    ("simplejson", "dumps"): TheirCall(_DUMPS, _SIMPLEJSON),
    ("simplejson", "dump"): TheirCall(_DUMP, _SIMPLEJSON),
    ("simplejson", "loads"): TheirCall(_LOADS, _SIMPLEJSON_LOADS),
    ("simplejson", "load"): TheirCall(_LOAD, _SIMPLEJSON_LOADS),
    ("rapidjson", "dumps"): TheirCall(_DUMPS, _RAPIDJSON),
    ("rapidjson", "dump"): TheirCall(_DUMP, _RAPIDJSON),
    ("rapidjson", "loads"): TheirCall(_LOADS, _RAPIDJSON_LOADS),
    ("rapidjson", "load"): TheirCall(_LOAD, _RAPIDJSON_LOADS),
    ("msgspec.json", "encode"): TheirCall(f"ssrjson_web.dumps_to_bytes(obj, {_OF_MSGSPEC}{{}})", _MSGSPEC),
    ("msgspec.json", "Encoder"): TheirCall(f"ssrjson_web.Encoder({_OF_MSGSPEC}{{}})", _MSGSPEC),
    ("msgspec.json", "decode"): TheirCall("ssrjson_web.loads(data, allow_nan=False{})", _TYPED),
    ("msgspec.json", "Decoder"): TheirCall("ssrjson_web.Decoder(allow_nan=False{})", _TYPED, ("type",)),
}
"""By the module and the name of the function."""
