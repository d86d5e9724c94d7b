"""ssrjson_web/_core.pyi against the compiled module: the same names, the same parameters."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from helpers.call_outcome import outcome

import ssrjson_web
from ssrjson_web import _core, encode_async

STUB = ast.parse(Path(ssrjson_web.__file__).with_name("_core.pyi").read_text(encoding="utf-8"))
FUNCTIONS = {node.name: node for node in STUB.body if isinstance(node, ast.FunctionDef)}
CLASSES = {node.name: node for node in STUB.body if isinstance(node, ast.ClassDef)}
TYPED_DICTS = {name for name, node in CLASSES.items() if any(ast.unparse(base) == "TypedDict" for base in node.bases)}
TYPED_DICTS |= {name for name, node in CLASSES.items() if any(ast.unparse(base) in TYPED_DICTS for base in node.bases)}
ALIASES = {
    ast.unparse(node.target)
    for node in STUB.body
    if isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias"
}
VALUES = {ast.unparse(node.target) for node in STUB.body if isinstance(node, ast.AnnAssign)} - ALIASES
METHODS = {
    (cls, node.name): node
    for cls in CLASSES
    for node in CLASSES[cls].body
    if isinstance(node, ast.FunctionDef) and [ast.unparse(name) for name in node.decorator_list] in ([], ["overload"])
}  # of overloads, the last: it has all options

Parameter = tuple[str, str, Any]


class Option(NamedTuple):
    """A row of the core's table of options."""

    name: str
    kind: str
    formats: list[str] | None
    default: str
    meaning: str
    is_of_encoding: bool


TABLE = [Option(*row) for row in _core._options()]


def option_fields(name: str) -> dict[str, tuple[ast.expr, str]]:
    """Annotation and docstring of each field of a TypedDict, those of its bases first."""
    node = CLASSES[name]
    fields = {}
    for base in node.bases:
        fields |= option_fields(base.id) if isinstance(base, ast.Name) and base.id in CLASSES else {}
    for field, doc in itertools.pairwise(node.body):
        if isinstance(field, ast.AnnAssign) and isinstance(doc, ast.Expr):
            fields[ast.unparse(field.target)] = (field.annotation, ast.literal_eval(doc.value))
    return fields


OPTION_FIELDS = {name: option_fields(name) for name in CLASSES if name.endswith("Options")}
DEFAULTS = {
    name: {
        option.name: ast.literal_eval(option.default)
        for option in TABLE
        if option.is_of_encoding == name.startswith("Encode")
    }
    for name in OPTION_FIELDS
}


def literals(annotation: ast.expr) -> list[str]:
    """The str that an annotation allows by Literal, which may stand under an alias."""
    aliases = {
        ast.unparse(node.target): node.value
        for node in STUB.body
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) in ALIASES
    }
    found: list[str] = []
    for node in ast.walk(annotation):
        if isinstance(node, ast.Name) and node.id in aliases:
            found += literals(aliases[node.id])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append(node.value)
    return found


@pytest.mark.parametrize("name", ["EncodeBytesOptions", "DecoderOptions"])
def test_stub_options_are_those_of_the_core_with_their_formats_and_meanings(name: str) -> None:
    table = [option for option in TABLE if option.is_of_encoding == name.startswith("Encode")]
    fields = OPTION_FIELDS[name]
    assert list(fields) == [option.name for option in table]
    for option in table:
        annotation, meaning = fields[option.name]
        assert literals(annotation) == (option.formats or []), option.name
        assert meaning == option.meaning, option.name
        assert ("bool" in ast.unparse(annotation)) == (
            option.kind in ("truth", "flag")
            or option.default == "False"
            or option.name in ("by_alias", "is_write_cache")
        ), option.name


def test_options_that_go_with_a_type_are_those_that_the_core_takes_with_one() -> None:
    values: dict[str, Any] = {"int64": "error", "duplicate_keys": "error", "max_depth": 5, "max_size": 5}
    values |= dict.fromkeys(("object_hook", "object_pairs_hook", "array_hook", "parse_int", "parse_constant"), list)
    values |= {"number_arrays": "array", "parse_float": "decimal", "only": "/a", "key_case": "snake"}
    takes = []
    for option in TABLE:
        value = values.get(option.name, True)
        if option.is_of_encoding or option.name in ("type", "number_arrays_from", "partial"):
            continue
        if outcome(_core.loads, "[1]", type=list[int], **{option.name: value})[0] == "value":
            takes.append(option.name)
    declared = [node for node in CLASSES["DecodeOptionsWithType"].body if isinstance(node, ast.AnnAssign)]
    fields = {ast.unparse(node.target): node.annotation for node in declared}
    assert list(fields) == takes
    for name, annotation in fields.items():
        assert ast.unparse(annotation) == ast.unparse(OPTION_FIELDS["DecodeOptions"][name][0])


@pytest.mark.parametrize("function", [_core.dumps, _core.dumps_to_bytes, _core.Encoder, _core.loads, _core.Decoder])
def test_help_explains_every_option_in_a_line(function: Any) -> None:
    lines = (inspect.getdoc(function) or "").splitlines()
    table = [option for option in TABLE if option.is_of_encoding == (function not in (_core.loads, _core.Decoder))]
    meanings = {option.name: option.meaning for option in table}
    takes = [name for name in inspect.signature(function).parameters if name not in ("obj", "s")]
    explained = [line.strip() for line in lines[lines.index("Options:") + 1 :]]
    assert explained == [f"{name}: {meanings[name]}" for name in takes]
    assert len(takes) > 10


def stub_parameters(function: ast.FunctionDef) -> list[Parameter]:
    """(name, kind, default) of each parameter, as written; the options of `**options: Unpack[...]` with theirs."""
    arguments = function.args
    positional = [(arg.arg, "POSITIONAL_ONLY") for arg in arguments.posonlyargs]
    positional += [(arg.arg, "POSITIONAL_OR_KEYWORD") for arg in arguments.args]
    without = [inspect.Parameter.empty] * (len(positional) - len(arguments.defaults))
    defaults = [*without, *(ast.literal_eval(default) for default in arguments.defaults)]
    parameters = [(name, kind, default) for (name, kind), default in zip(positional, defaults, strict=True)]
    if arguments.vararg is not None:
        parameters.append((arguments.vararg.arg, "VAR_POSITIONAL", inspect.Parameter.empty))
    for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        value = inspect.Parameter.empty if default is None else ast.literal_eval(default)
        parameters.append((arg.arg, "KEYWORD_ONLY", value))
    if arguments.kwarg is not None:
        unpacked = re.fullmatch(r"Unpack\[(\w+)\]", ast.unparse(arguments.kwarg.annotation or ast.Constant(None)))
        assert unpacked, function.name
        parameters += [(name, "KEYWORD_ONLY", DEFAULTS[unpacked[1]][name]) for name in OPTION_FIELDS[unpacked[1]]]
        if function.name.startswith("_stdlib_dumps"):
            parameters = [(name, kind, True if name == "ensure_ascii" else old) for name, kind, old in parameters]
    return parameters


def real_parameters(function: Any) -> list[Parameter]:
    signature = inspect.signature(function)
    return [(p.name, p.kind.name, p.default) for p in signature.parameters.values()]


def test_stub_names_are_all_in_the_module() -> None:
    assert FUNCTIONS
    declared = FUNCTIONS.keys() | VALUES | (CLASSES.keys() - TYPED_DICTS)
    assert sorted(name for name in declared if not hasattr(_core, name)) == []


def test_module_names_are_all_in_the_stub() -> None:
    standard = {
        "__doc__",
        "__file__",
        "__loader__",
        "__name__",
        "__package__",
        "__spec__",
        "__cached__",
        "__builtins__",
    }
    declared = FUNCTIONS.keys() | VALUES | CLASSES.keys()
    assert sorted(set(vars(_core)) - declared - standard) == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_stub_parameters_equal_those_of_the_function(name: str) -> None:
    assert real_parameters(getattr(_core, name)) == stub_parameters(FUNCTIONS[name])


@pytest.mark.parametrize(("cls", "name"), METHODS)
def test_stub_parameters_equal_those_of_the_method(cls: str, name: str) -> None:
    declared = stub_parameters(METHODS[cls, name])[1:]  # without self or cls
    function = getattr(_core, cls) if name == "__new__" else getattr(getattr(_core, cls), name)
    real = real_parameters(function)
    assert (real if name == "__new__" else real[1:]) == declared


@pytest.mark.parametrize(("cls", "name"), [method for method in METHODS if method[1] != "__new__"])
def test_method_says_what_it_gives(cls: str, name: str) -> None:
    assert inspect.getdoc(getattr(getattr(_core, cls), name)), f"{cls}.{name} has no docstring"


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if not name.startswith("_")])
def test_function_says_what_it_gives(name: str) -> None:
    assert inspect.getdoc(getattr(_core, name)), f"{name} has no docstring"


def stub_fields(name: str) -> list[str]:
    return [ast.unparse(node.target) for node in CLASSES[name].body if isinstance(node, ast.AnnAssign)]


def test_stub_features_equal_the_keys_that_the_module_gives() -> None:
    assert sorted(_core.get_current_features()) == sorted(stub_fields("Features"))


def test_stub_cache_report_equals_the_keys_that_the_module_gives() -> None:
    text = "中" * 20
    _core.dumps_to_bytes([text], is_write_cache=True)
    report = _core.scan_utf8_cache([text])
    assert list(report) == stub_fields("CacheReport")
    assert [list(counts) for counts in report["by_holder"].values()] == [stub_fields("HolderCaches")]


def test_error_class_is_stdlibs_and_lives_where_it_says() -> None:
    assert _core.JSONDecodeError.__mro__[1] is json.JSONDecodeError
    module = _core.JSONDecodeError.__module__
    assert module in ("ssrjson_web", "ssrjson_web._core")
    assert _core.JSONDecodeError.__qualname__ == "JSONDecodeError"


def test_package_exports_are_the_modules_own() -> None:
    assert sorted(ssrjson_web.__all__) == ssrjson_web.__all__
    for name in ssrjson_web.__all__:
        assert getattr(ssrjson_web, name) is getattr(_core, name, encode_async), name
    public = {name for name in (*FUNCTIONS, *(CLASSES.keys() - TYPED_DICTS)) if not name.startswith("_")}
    assert public <= set(ssrjson_web.__all__)


def described(node: ast.FunctionDef, function: Any) -> tuple[str | None, str]:
    """The docstring in the stub, and that of the core without its list of options: TypedDicts of the stub have them."""
    return ast.get_docstring(node), (inspect.getdoc(function) or "").partition("\n\nOptions:")[0]


def test_stub_docstrings_are_those_of_the_core() -> None:
    """Editors show the docstrings of stubs alone: after a change of one in core/ copy it into the stub."""
    pairs = {name: described(node, getattr(_core, name)) for name, node in FUNCTIONS.items() if name[0] != "_"}
    for cls, node in CLASSES.items():
        for method in node.body if cls[0] != "_" else ():
            if isinstance(method, ast.FunctionDef) and method.name[0] != "_" and hasattr(_core, cls):
                function = inspect.getattr_static(getattr(_core, cls), method.name)
                pairs[f"{cls}.{method.name}"] = described(method, function)
    assert len(pairs) > 30
    assert {name: stub for name, (stub, _) in pairs.items()} == {name: core for name, (_, core) in pairs.items()}
