"""What `make docs` adds to griffe: the defaults of options, which the stub's TypedDicts cannot hold.

`unpack_typeddict`, which makes parameters of their fields, writes `...` for each.
"""

from __future__ import annotations

from typing import Any

from griffe import Class, DocstringSectionKind, Extension, Function, Module, ParameterKind

from ssrjson_web._core import _options

DEFAULTS = {
    is_of_encoding: {name: default for name, _, _, default, _, is_row in _options() if is_row == is_of_encoding}
    for is_of_encoding in (True, False)
}


def _keep_last_overloads(owner: Module | Class) -> None:
    """Make the last overload, which has all options, the function: griffe drops those of a stub that have no other."""
    for name, overloads in owner.overloads.items():
        if name not in owner.members and overloads:
            owner.set_member(name, overloads.pop())


class OptionDefaults(Extension):
    """Gives the options of the core's functions and classes the defaults that the core has."""

    def on_module_members(self, *, mod: Module, **_: Any) -> None:
        _keep_last_overloads(mod)

    def on_class_members(self, *, cls: Class, **_: Any) -> None:
        _keep_last_overloads(cls)

    def on_function(self, *, func: Function, **_: Any) -> None:
        if not func.path.startswith(
            ("ssrjson_web._core.", "ssrjson_web._shared.slices.encode_async", "ssrjson_web.clients.")
        ):
            return
        options = [one for one in func.parameters if one.kind is ParameterKind.keyword_only and one.default == "..."]
        if not options:
            return
        defaults = next(of for of in DEFAULTS.values() if all(option.name in of for option in options))
        for option in options:
            option.default = defaults[option.name]
        for section in func.docstring.parsed if func.docstring else ():
            if section.kind is DocstringSectionKind.parameters:
                for one in section.value:
                    if one.value == "...":
                        one.value = defaults[one.name]
