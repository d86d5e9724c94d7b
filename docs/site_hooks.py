"""What `make docs` adds to mkdocs: pages of files outside of docs/, links to them, and a check of the API pages.

A page of docs/ links to `../examples/fastapi_app.py`, as it must in the source tree. The site shows that file as a
page of its own, `tree/examples/fastapi_app.py.md`, and the link leads there. A link to a file that the site does not
show keeps its text and loses its link. A link to a file that does not exist is an error.
"""

from __future__ import annotations

import ast
import os.path
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).parent.parent
SHOWN = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "bench/README.md",
    "bench/httparena/README.md",
    "bench/results/README.md",
    "core/README.md",
    "core/cache/README.md",
    "tests/README.md",
    "release/README.md",
    "examples/chat_events.py",
    "examples/django_app/api.py",
    "examples/django_app/bookshop.py",
    "examples/fastapi_app.py",
    "examples/flask_app.py",
    "examples/quart_app.py",
    "examples/marshmallow_app.py",
    "examples/starlette_app.py",
)
FENCE = re.compile(r"^(```.*?^```)$", re.MULTILINE | re.DOTALL)
MODULE = re.compile(r"^::: (ssrjson_web\.\w+)$", re.MULTILINE)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")


def page_uri(path: str) -> str:
    """Where the site shows a file of the tree, as a path of mkdocs: `docs/memory.md` is `memory.md`."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return f"tree/{path}" if path.endswith(".md") else f"tree/{path}.md"


def tree_path(uri: str) -> str:
    """The file of the tree that a page shows: the inverse of `page_uri`."""
    if not uri.startswith("tree/"):
        return f"docs/{uri}"
    path = uri.removeprefix("tree/")
    return path if path in SHOWN else path.removesuffix(".md")


def on_files(files: Any, *, config: Any) -> Any:
    """Adds a page for each file of `SHOWN`; Python files become one block of code."""
    for path in SHOWN:
        text = (ROOT / path).read_text(encoding="utf-8")
        if path.endswith(".py"):
            text = f"# {path}\n\n```python\n{text}```\n"
        files.append(File.generated(config, page_uri(path), content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Leads each relative link to the page that shows its file."""
    here = page.file.src_uri

    def lead(link: re.Match[str]) -> str:
        picture, text, target = link.groups()
        name, _, anchor = target.partition("#")
        if not name or "://" in name or name.startswith("mailto:"):
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(tree_path(here)), name))
        if not os.path.exists(ROOT / path):  # noqa: PTH110
            raise PluginError(f"{tree_path(here)}: the link to {target} leads to no file of the tree")
        if files.get_file_from_path(page_uri(path)) is None:
            return text
        uri = posixpath.relpath(page_uri(path), posixpath.dirname(here) or ".")
        return f"{picture}[{text}]({uri}{'#' + anchor if anchor else ''})"

    parts = FENCE.split(markdown)
    return "".join(part if part.startswith("```") else LINK.sub(lead, part) for part in parts)


def public_names(module: str) -> list[str]:
    """`__all__` of a module without the names of other packages; read, because its framework may not be installed."""
    path = ROOT / module.replace(".", "/")
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    if not file.exists():
        return []  # a name of the core
    names: list[str] = []
    others = set()
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            names = ast.literal_eval(node.value)
        elif isinstance(node, ast.ImportFrom) and not (node.module or "").startswith("ssrjson_web"):
            others |= {name.asname or name.name for name in node.names}
    if not names:
        raise PluginError(f"{module} has no __all__")
    return [name for name in names if name not in others]


def on_post_page(output: str, *, page: Any, config: Any) -> str:
    """Requires that an API page shows all public names of its modules."""
    for module in MODULE.findall(page.markdown or ""):
        for name in public_names(module):
            if f'id="{module}.{name}"' not in output:
                raise PluginError(f"{page.file.src_uri} does not show {module}.{name}")
    return output
