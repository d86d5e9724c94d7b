"""Functions that are a library's own, and those that somebody has replaced or changed."""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import pytest
from helpers.known_library import know

from ssrjson_web._known import functions
from ssrjson_web._known.functions import Seams, declared, decorates, is_known, is_own, is_text_known, known_or_none
from ssrjson_web._known.unknown import unknown_functions

TEXT = """
import functools

def convert(value, n=1, *, strict=False):
    return [item for item in (value, n, strict)]

def wrapped(function):
    @functools.wraps(function)
    def inner(*args):
        return function(*args)
    return inner

class Field:
    class Meta:
        def options(self):
            return 1

    def validate(self, value):
        return value

    def clean(self, value):
        return 2

    @property
    def root(self):
        return self

    @root.setter
    def root(self, value):
        pass

    @functools.cached_property
    def parts(self):
        return []

    @staticmethod
    def still(value):
        return value

    @functools.lru_cache(maxsize=8)
    def cached(self, value):
        return value

    @classmethod
    def made(cls):
        return cls()

    @wrapped
    def seen(self, value):
        return value

    def __call__(self):
        return super().__init__()
"""
OWN = ("convert", "Field.Meta.options", "Field.validate", "Field.root", "Field.parts", "Field.still", "Field.made")
CACHED = "Field.cached"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    (tmp_path / "some_library.py").write_text(TEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    know(monkeypatch, TEXT)
    importlib.invalidate_caches()
    yield importlib.import_module("some_library")
    del sys.modules["some_library"]


def found(library: Any, name: str) -> Any:
    """What a module or a class has under a dotted name, without a descriptor's call."""
    thing = library
    for part in name.split("."):
        thing = vars(thing)[part]
    return thing


@pytest.mark.parametrize("name", [*OWN, CACHED, "Field.__call__"])
def test_function_of_the_file_is_known(library: Any, name: str) -> None:
    assert is_known(found(library, name), f"some_library.{name}")
    assert is_known(found(library, name), f"some_library.{name}")


def test_methods_and_bound_methods_are_known(library: Any) -> None:
    assert is_known(library.Field.validate, "some_library.Field.validate")
    assert is_known(library.Field().validate, "some_library.Field.validate")
    assert is_known(library.Field.made, "some_library.Field.made")


@pytest.mark.parametrize("name", OWN)
def test_function_of_another_name_is_not_known(library: Any, name: str) -> None:
    assert not is_known(found(library, name), "some_library.Field.clean")
    assert not is_known(found(library, name), f"another_library.{name}")


def test_wrapped_function_is_not_known(library: Any) -> None:
    stock = library.Field.validate
    name = "some_library.Field.validate"

    @functools.wraps(stock)
    def other(self: Any, value: Any) -> Any:
        return stock(self, value)

    assert not is_known(other, name)
    del other.__wrapped__  # type: ignore[attr-defined]
    assert not is_known(other, name)
    assert not is_known(library.Field.seen, "some_library.Field.seen")
    assert not is_known(functools.partial(stock), name)
    assert not is_known(functools.partialmethod(stock), name)


def test_property_with_another_setter_is_not_known(library: Any) -> None:
    stock = vars(library.Field)["root"]
    assert not is_known(stock.setter(lambda self, value: None), "some_library.Field.root")
    assert not is_known(stock.getter(library.Field.validate), "some_library.Field.root")


def test_function_of_other_globals_is_not_known(library: Any) -> None:
    stock = library.convert
    copied = types.FunctionType(stock.__code__, dict(vars(library)), "convert", stock.__defaults__)
    copied.__module__ = "some_library"
    assert not is_known(copied, "some_library.convert")


def test_replaced_code_is_seen_after_the_first_use(library: Any) -> None:
    stock = library.Field.validate
    assert is_known(stock, "some_library.Field.validate")
    code = stock.__code__
    stock.__code__ = code.replace(co_consts=(None, 2))
    assert not is_known(stock, "some_library.Field.validate")
    stock.__code__ = library.Field.clean.__code__
    assert not is_known(stock, "some_library.Field.validate")
    stock.__code__ = code
    assert is_known(stock, "some_library.Field.validate")


def test_function_compiled_elsewhere_is_not_known(library: Any) -> None:
    """It has the name, the globals and the file of the stock function."""
    text = "class Field:\n    def validate(self, value):\n        return 3\n"
    exec(compile(text, library.__file__, "exec"), vars(library))
    assert library.Field.validate.__module__ == "some_library"
    assert not is_known(library.Field.validate, "some_library.Field.validate")


def test_module_without_a_file_has_no_known_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("made_library")
    exec(TEXT, vars(module))
    monkeypatch.setitem(sys.modules, "made_library", module)
    assert not is_known(vars(module)["convert"], "made_library.convert")
    assert not is_known(len, "builtins.len")


class Around:
    """As loaders of ddtrace and New Relic are."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader


@pytest.mark.parametrize(("n", "is_found"), [(1, True), (3, True), (30, False)])
def test_file_is_found_below_the_loaders_of_tracers(
    n: int, is_found: bool, library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    loader = library.__spec__.loader
    for _ in range(n):
        loader = Around(loader)
    monkeypatch.setattr(library.__spec__, "loader", loader)
    functions._file_of.cache_clear()
    assert is_own(library.convert, "some_library.convert") == is_found
    assert not is_own(lambda value: value, "some_library.convert")


class Rewriting(SourceFileLoader):
    """As loaders of beartype and typeguard are: each is the loader of all modules, and changes some."""

    def source_to_code(self, data: Any, path: Any, *more: Any, **named: Any) -> Any:
        return super().source_to_code(data.replace(b"return 2", b"return 3"), path, *more, **named)


def test_functions_are_known_of_a_loader_that_has_not_changed_them(
    library: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    loader = Rewriting(library.__name__, library.__file__)
    monkeypatch.setattr(library.__spec__, "loader", loader)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    Path(library.__cached__).unlink(missing_ok=True)
    loader.get_code(library.__name__)  # its compiled file is where Python's own loader looks for one
    assert Path(library.__cached__).exists()
    functions._file_of.cache_clear()
    loader.exec_module(library)
    assert is_known(library.Field.validate, "some_library.Field.validate")
    assert is_known(library.convert, "some_library.convert")
    assert library.Field().clean(1) == 3
    assert not is_own(library.Field.clean, "some_library.Field.clean")
    monkeypatch.setattr(library.__spec__, "loader", Around(loader))
    functions._file_of.cache_clear()
    assert is_known(library.Field.validate, "some_library.Field.validate")
    assert not is_own(library.Field.clean, "some_library.Field.clean")


def test_wrapper_of_an_observer_counts_as_what_it_wraps(library: Any) -> None:
    for module, is_right in (
        ("logfire.integrations", True),
        ("ssrjson_web.monitor.observation", True),
        ("other", False),
    ):
        namespace: dict[str, Any] = {"__name__": module, "stock": library.Field.validate}
        exec("def validate(self, value):\n    return stock(self, value)", namespace)
        assert is_own(namespace["validate"], "some_library.Field.validate") is is_right
        assert not is_own(namespace["validate"], "some_library.Field.absent")


def test_own_decorator_of_a_library_counts_as_what_it_is_around(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    name, seen = "some_library.Field.seen", library.Field.seen
    assert not is_known(seen, name)
    monkeypatch.setattr(functions, "_decorators", {})
    monkeypatch.setattr(functions, "_seen", {})
    decorates("some_library", "wrapped.<locals>.inner")
    seams = Seams(lambda: (library.Field.seen,), name)
    assert is_known(seen, name)
    assert seams.are_known()
    within = seen.__wrapped__
    text = within.__code__
    within.__code__ = library.Field.clean.__code__
    assert not is_known(seen, name)
    assert not seams.are_known()
    within.__code__ = text
    assert is_known(seen, name)
    assert seams.are_known()
    assert not is_known(library.wrapped(library.Field.clean), name)
    assert not is_known(functools.wraps(within)(lambda self, value: within(self, value)), name)
    for other in (library.Field.clean, print, 1, None):
        seen.__wrapped__ = other
        assert not is_known(seen, name)
    seen.__wrapped__ = within
    (cell,) = seen.__closure__
    for other in (library.Field.clean, print, 1):
        cell.cell_contents = other
        functions._seen.clear()
        assert not is_known(seen, name)
    del cell.cell_contents
    functions._seen.clear()
    assert not is_known(seen, name)


def test_text_is_known_whoever_has_replaced_the_function(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library.Field, "validate", None)
    assert is_text_known("some_library.Field.validate")
    assert not is_text_known("some_library.Field.absent")
    assert not is_text_known("absent_library.Field.validate")
    know(monkeypatch, TEXT.replace("return value", "return [value]"))
    functions._file_of.cache_clear()
    assert not is_text_known("some_library.Field.validate")
    assert is_text_known("some_library.Field.clean")
    functions._file_of.cache_clear()


def test_function_or_none(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "_declared", {})
    assert known_or_none(library.Field.clean, "some_library.Field.clean", left="it") is library.Field.clean
    assert known_or_none(lambda self, value: value, "some_library.Field.validate") is None
    assert declared("some_library") == declared() == ("some_library.Field.clean", "some_library.Field.validate")
    assert declared("another") == ()


def test_unknown_function_of_the_installed_releases_is_none() -> None:
    pytest.importorskip("fastapi", reason="FastAPI is not installed")
    import ssrjson_web.fastapi  # noqa: F401

    assert unknown_functions("fastapi", "starlette", "pydantic") == ()
    assert len(declared("fastapi")) > 10


def test_seams_see_replaced_code(library: Any) -> None:
    seams = Seams(
        lambda: (library.Field.validate, vars(library.Field)["made"]),
        *(f"some_library.Field.{name}" for name in ("validate", "made")),
    )
    assert seams.are_known()
    assert seams.are_known()
    for function in (library.Field.validate, library.Field.made.__func__):
        code = function.__code__
        function.__code__ = library.Field.clean.__code__
        assert not seams.are_known()
        assert not seams.are_known()
        function.__code__ = code
        assert seams.are_known()
