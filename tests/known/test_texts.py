"""Which functions have the text of a release that we know."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from ssrjson_web._known import texts
from ssrjson_web._known.texts import (
    FILES,
    FUNCTIONS,
    file_fingerprint,
    function_fingerprints,
    functions_of_unknown_text,
)

TEXT = '''
class Field:
    """Text."""

    def validate(self, value: int, *rest: str, limit: int = 3) -> int:
        """Returns it."""
        made: list[int] = [value]  # a comment
        return f"{made[0]!r:>{limit}}" if limit else None

    @property
    def root(self): return {**self.parts, "a": 1.5}

if True:
    async def convert(value): return value
'''
SAME = '''
class Field:
    def validate(self, value, *rest, limit=3):
        made = [value]
        return f'{made[0]!r:>{limit}}' if limit else None

    @property
    def root(self):
        """Another."""
        return {
            **self.parts,
            'a': 1.5,
        }

async def convert(value: int) -> int:
    return value
'''


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = {name: " ".join(found) for name, found in function_fingerprints(TEXT.encode()).items()}
    tables = {FILES: {"library": f"other {file_fingerprint(TEXT.encode())}"}, FUNCTIONS: {"library": functions}}
    monkeypatch.setattr(texts, "_known", tables.__getitem__)


def test_known_file_has_no_unknown_functions() -> None:
    assert functions_of_unknown_text("library", TEXT.encode()) == frozenset()


def test_comments_docstrings_annotations_and_layout_do_not_count() -> None:
    assert functions_of_unknown_text("library", SAME.encode()) == frozenset()


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("limit=3", "limit=4", {"Field.validate"}),
        ("return value", "return (value,)", {"convert"}),
        ("async def", "def", {"convert"}),
        ("@property", "@staticmethod", {"Field.root"}),
        ("1.5", "1", {"Field.root"}),
        ("'a'", "b'a'", {"Field.root"}),
        ("class Field", "class Other", {"Other.validate", "Other.root"}),
        ("made = [value]", "made = [value]; made.sort()", {"Field.validate"}),
    ],
)
def test_changed_function_is_unknown_and_others_are_not(old: str, new: str, names: set[str]) -> None:
    assert old in SAME
    assert functions_of_unknown_text("library", SAME.replace(old, new).encode()) == names


def test_file_of_another_library_or_without_syntax_is_not_known() -> None:
    assert functions_of_unknown_text("another", TEXT.encode()) is None
    assert functions_of_unknown_text("library", b"def f(:") is None
    assert functions_of_unknown_text("library", b"x = '\0'") is None


def test_fingerprints_are_the_same_in_all_versions_of_python() -> None:
    assert function_fingerprints(TEXT.encode()) == {
        "Field.validate": ["yu0AsgXTrvUo"],
        "Field.root": ["dVvborBg0LwI"],
        "convert": ["IGeKHThfMvAB"],
    }


def test_tables_are_of_the_same_modules() -> None:
    files, functions = (json.loads(table.read_bytes()) for table in (FILES, FUNCTIONS))
    assert functions.keys() <= files.keys()
    assert {name.partition(".")[0] for name in files} >= {"marshmallow", "rest_framework", "ninja", "flask"}


@pytest.mark.parametrize("library", ["marshmallow", "rest_framework", "ninja", "flask"])
def test_installed_release_is_known(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    spec = importlib.util.find_spec(library)
    if spec is None or spec.origin is None:
        pytest.skip(f"{library} is not installed")
    modules = [name for name in texts._known(FILES) if name.partition(".")[0] == library]
    unknown = {}
    for module in modules:
        path = Path(spec.origin).parent.parent.joinpath(*module.split("."))
        path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if path.exists():  # other releases have other modules
            unknown[module] = functions_of_unknown_text(module, path.read_bytes())
    assert len(unknown) > 1
    assert {module: found for module, found in unknown.items() if found != frozenset()} == {}
