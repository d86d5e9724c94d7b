"""Runs the Python of one page as its reader would: python run_page.py docs/flask.md, in an empty folder.

The page's blocks run in order, in one module. A `pycon` block is compared with what it shows. A block whose first line
is `# settings.py` is added to the settings of a new Django project, and `manage.py check` has to pass with them.
`pages/<name>.py` may add the rest: `before(names)` defines what the page takes for granted, `after(names)` checks what
the blocks made. Both get the globals of the blocks.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib.util
import io
import os
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from helpers.markdown_pages import PAGES, Block, blocks_of  # noqa: E402

SETTINGS = "# settings.py\n"


def start_django(blocks: list[Block]) -> None:
    """Makes a project, adds the page's settings to the stock ones, and checks it."""
    subprocess.run([sys.executable, "-m", "django", "startproject", "shop", "."], check=True)
    with Path("shop/settings.py").open("a", encoding="utf-8") as settings:
        settings.writelines(block.text for block in blocks)
    os.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"
    sys.path.insert(0, str(Path.cwd()))
    import django

    django.setup()
    subprocess.run([sys.executable, "manage.py", "check", "--fail-level", "WARNING"], check=True)


def run_example(example: doctest.Example, names: dict[str, Any], place: str) -> None:
    """Runs one `>>>` and compares what it prints, or the exception.

    An exception has to begin with what the page shows: Python 3.13 adds the value to some texts.
    """
    output = io.StringIO()
    raised = None
    try:
        with contextlib.redirect_stdout(output):
            exec(compile(example.source, place, "single"), names)
    except Exception as error:
        raised = f"{type(error).__module__}.{type(error).__qualname__}: {error}\n".removeprefix("builtins.")
    is_expected = (raised or "").startswith((example.exc_msg or "").rstrip()) and bool(raised) == bool(example.exc_msg)
    assert is_expected, f"{place}: {example.source}raises {raised!r}"
    if raised is None:
        assert output.getvalue() == example.want, f"{place}: {example.source}prints {output.getvalue()!r}"


def run_block(block: Block, names: dict[str, Any], page: str) -> None:
    """Runs a block; line numbers in a traceback are those of the page."""
    place = str(PAGES[page])
    if block.language == "pycon":
        for example in doctest.DocTestParser().get_examples(block.text):
            run_example(example, names, f"{page}, line {block.line + example.lineno}")
    else:
        exec(compile("\n" * (block.line - 1) + block.text, place, "exec"), names)


def hooks_of(page: str) -> Any:
    """The module of `pages/` for a page; an empty one where there is none."""
    file = Path(__file__).parent / "pages" / f"{Path(page).stem.lower()}.py"
    if not file.exists():
        return types.ModuleType("nothing")
    spec = importlib.util.spec_from_file_location(f"hooks_of_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(page: str) -> None:
    blocks = [block for block in blocks_of(PAGES[page].read_text(encoding="utf-8")) if block.language in LANGUAGES]
    settings = [block for block in blocks if block.text.startswith(SETTINGS)]
    if settings:
        start_django(settings)
    module = types.ModuleType("page")
    sys.modules["page"] = module  # dataclasses and pydantic look names up there
    hooks = hooks_of(page)
    names = vars(module)
    getattr(hooks, "before", lambda names: None)(names)
    for block in blocks:
        if block not in settings:
            run_block(block, names, page)
    getattr(hooks, "after", lambda names: None)(names)
    print(f"{page}: {len(blocks)} blocks ran")


LANGUAGES = ("python", "pycon")

if __name__ == "__main__":
    main(sys.argv[1])
