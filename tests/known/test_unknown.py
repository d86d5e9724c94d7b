"""What is said of functions that are not known: their names, their release, why, and what is left to stock."""

from __future__ import annotations

import functools
import importlib
import importlib.machinery
import py_compile
import sys
import zipfile
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from helpers.known_library import know

from ssrjson_web._known import functions, unknown
from ssrjson_web._known.functions import are_texts_known, is_own, stands_in_for
from ssrjson_web._known.releases import release_of
from ssrjson_web._known.unknown import sentences, tell_of_unknown, unknown_functions, unknown_parts

TEXT = """
def convert(value):
    return value

class Field:
    def validate(self, value):
        return value

    def clean(self, value):
        return value
"""
NAMES = ("some_library.convert", "some_library.Field.validate", "some_library.Field.clean", "some_library.Field.gone")
NEW = TEXT.replace("return value", "return (value,)", 1)


@pytest.fixture(autouse=True)
def _declared(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for table in ("_declared", "_seen"):
        monkeypatch.setattr(functions, table, {})
    monkeypatch.setattr(unknown, "_told", {})
    monkeypatch.setattr(unknown, "_looked_at", {})
    know(monkeypatch, TEXT)
    stands_in_for(*NAMES[1:], left="what fields load")
    stands_in_for("some_library.convert")
    yield
    sys.modules.pop("some_library", None)
    functions._file_of.cache_clear()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """Import the library with a text."""

    def install(text: str) -> Any:
        (tmp_path / "some_library.py").write_text(text)
        monkeypatch.syspath_prepend(str(tmp_path))
        importlib.invalidate_caches()
        return importlib.import_module("some_library")

    return install


def test_nothing_is_said_of_a_known_release(installed: Any, caplog: pytest.LogCaptureFixture) -> None:
    installed(TEXT)
    tell_of_unknown("some_library")
    assert unknown_functions() == unknown_parts() == ()
    assert caplog.messages == []


def test_function_of_a_new_text_is_named_with_its_release(
    installed: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(metadata, "version", lambda distribution: {"some_library": "9.9"}[distribution])
    installed(NEW)
    (found,) = unknown_functions("some_library")
    assert (found.name, found.release, found.left) == ("some_library.convert", "some_library 9.9", "what uses it")
    assert found.reason == "its text is that of no known release"
    tell_of_unknown("some_library")
    tell_of_unknown("some_library")
    (message,) = caplog.messages
    assert message == (
        "some_library 9.9: not as in a release that ssrjson_web knows, so what uses it is left to stock: "
        "some_library.convert (its text is that of no known release); `python -m ssrjson_web doctor` says more"
    )
    (record,) = caplog.records
    assert (record.name, record.levelname) == ("ssrjson_web", "WARNING")


def test_name_of_a_module_stands_for_all_its_texts(installed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(functions, "_declared", {})
    stands_in_for("some_library", "some_library.not_imported", left="its work")
    assert are_texts_known("some_library")
    assert unknown_functions() == ()
    installed(TEXT)
    assert are_texts_known("some_library")
    assert unknown_functions() == ()
    sys.modules.pop("some_library")
    functions._file_of.cache_clear()
    installed(NEW + "\n")
    assert not are_texts_known("some_library")
    (found,) = unknown_functions()
    assert (found.name, found.left) == ("some_library", "its work")
    assert found.reason == "its texts of convert are those of no known release"


def other(self: Any, value: Any) -> Any:
    return 3


def _wrapped(stock: Any) -> Any:
    @functools.wraps(stock)
    def wrapper(*args: Any) -> Any:
        return stock(*args)

    return wrapper


def _of_the_same_name(stock: Any) -> Any:
    names: dict[str, Any] = {"__name__": "some_library"}
    exec(compile("class Field:\n    def validate(self, value): return 3\n", "patches.py", "exec"), names)
    return names["Field"].validate


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda stock: other, f"replaced by {__name__}.other of {__file__}:"),
        (_wrapped, f"wrapper of {__file__}:"),
        (_of_the_same_name, "validate of patches.py:2"),
        (lambda stock: functools.partial(other, None), f"replaced by {__name__}.other"),
        (lambda stock: staticmethod(other), f"replaced by {__name__}.other of {__file__}:"),
        (lambda stock: 5, "replaced by builtins.int"),
        (lambda stock: len, "replaced by builtins.len"),
    ],
)
def test_replaced_function_is_named_with_what_replaces_it(change: Any, reason: str, installed: Any) -> None:
    library = installed(TEXT)
    library.Field.validate = change(library.Field.validate)
    (found,) = unknown_functions("some_library")
    assert (found.name, found.left) == ("some_library.Field.validate", "what fields load")
    assert reason in found.reason


def test_our_own_function_counts_as_the_one_that_it_replaces(installed: Any) -> None:
    library = installed(TEXT)
    ours: Any = functools.wraps(library.Field.validate)(eval("lambda *args: None", {"__name__": "ssrjson_web.there"}))
    library.Field.validate = ours
    assert unknown_functions() == ()
    ours.__wrapped__ = other
    assert [found.name for found in unknown_functions()] == ["some_library.Field.validate"]


def test_log_is_one_line_of_five_functions(installed: Any, caplog: pytest.LogCaptureFixture) -> None:
    library = installed(TEXT)
    for n in range(9):
        stands_in_for(f"some_library.Field.method_{n}")
        setattr(library.Field, f"method_{n}", other)
    tell_of_unknown("some_library")
    (message,) = caplog.messages
    assert message.count("some_library.Field.method_") == 5
    assert "and 4 more; `python" in message
    assert "\n" not in message


def test_sentences_are_of_a_release_and_of_what_is_left(installed: Any) -> None:
    library = installed(NEW)
    library.Field.validate = library.Field.clean = 5
    first, second = sentences(unknown_functions())
    assert first == (
        "some_library of an unknown release: not known is some_library.Field.clean, some_library.Field.validate "
        "(replaced by builtins.int). Left to stock: what fields load."
    )
    assert second.endswith("(its text is that of no known release). Left to stock: what uses it.")
    assert [(part.is_served, part.reason) for part in unknown_parts()] == [(False, first), (False, second)]


# ---- libraries that are not whole -----------------------------------------------------------------


def _no_source(folder: Path) -> None:
    file = folder / "some_library.py"
    py_compile.compile(str(file), cfile=str(folder / "some_library.pyc"))
    file.unlink()


def _zipped(folder: Path) -> None:
    with zipfile.ZipFile(folder / "library.zip", "w") as archive:
        archive.write(folder / "some_library.py", "some_library.py")
    (folder / "some_library.py").unlink()
    sys.path.insert(0, str(folder / "library.zip"))


@pytest.mark.parametrize("install", [_no_source, _zipped])
def test_library_without_source_is_left_to_stock(
    install: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "some_library.py").write_text(TEXT)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    install(tmp_path)
    importlib.invalidate_caches()
    library: Any = importlib.import_module("some_library")
    assert not is_own(library.convert, "some_library.convert")
    assert {found.reason for found in unknown_functions()} == {"its source cannot be read"}
    tell_of_unknown("some_library")
    assert len(caplog.messages) == 1


def _vanished(library: Any) -> None:
    Path(library.__file__).unlink()


def _with_a_syntax_error(library: Any) -> None:
    Path(library.__file__).write_text(f"{TEXT}\ndef broken(:\n")


def _with_a_null(library: Any) -> None:
    Path(library.__file__).write_text(f"{TEXT}\nx = '\0'\n")


def _too_deep(library: Any) -> None:
    Path(library.__file__).write_text(f"{TEXT}\ndef deep():\n    return {'(' * 190}1{')' * 190}{'+1' * 20_000}\n")


def _upgraded(library: Any) -> None:
    Path(library.__file__).write_text(NEW)


def _without_spec(library: Any) -> None:
    del library.__spec__


def _of_another_loader(library: Any) -> None:
    library.__spec__.loader = None


@pytest.mark.parametrize(
    "damage",
    [_vanished, _with_a_syntax_error, _with_a_null, _too_deep, _upgraded, _without_spec, _of_another_loader],
)
def test_damaged_library_is_left_to_stock(damage: Any, installed: Any, caplog: pytest.LogCaptureFixture) -> None:
    library = installed(TEXT)
    damage(library)
    assert not is_own(library.convert, "some_library.convert")
    assert "some_library.convert" in [found.name for found in unknown_functions()]
    tell_of_unknown("some_library")
    assert len(caplog.messages) == 1


def test_release_of_a_damaged_installation_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(distribution: str) -> str:
        raise KeyError("Version")

    assert release_of("pytest.raises") == f"pytest {pytest.__version__}"
    monkeypatch.setattr(metadata, "version", fail)
    assert release_of("pytest.raises") == f"pytest {pytest.__version__}"
    assert release_of("no_such_library.f") == "no_such_library of an unknown release"
    monkeypatch.setattr(metadata, "version", lambda distribution: None)
    assert release_of("no_such_library.f") == "no_such_library of an unknown release"
    assert release_of("rest_framework.fields").startswith("djangorestframework")
