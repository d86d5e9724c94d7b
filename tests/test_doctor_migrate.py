"""`doctor --migrate`: it finds each use of another library in source that is never run, and its patch works."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ssrjson_web._cli.doctor.migration.edits import apply
from ssrjson_web._cli.doctor.migration.files import files_of, read_file

SHAPES: dict[str, list[str]] = {
    "import orjson": ["1:1 import orjson"],
    "import orjson as oj\noj.dumps(1)": ["1:1 import orjson", "2:1 orjson.dumps"],
    "import os, orjson": ["1:1 import orjson"],
    "from orjson import dumps as d, OPT_INDENT_2\nd(1, option=OPT_INDENT_2)": [
        "1:1 from orjson import OPT_INDENT_2",
        "1:1 from orjson import dumps",
        "2:1 orjson.dumps",
        "2:13 orjson.OPT_INDENT_2",
    ],
    "try:\n    import orjson\nexcept ImportError:\n    orjson = None": ["2:5 import orjson"],
    "def f():\n    import ujson\n    return ujson.loads": ["2:5 import ujson", "3:12 ujson.loads"],
    "import orjson\ndumps = orjson.dumps\ndumps(1)": ["1:1 import orjson", "2:9 orjson.dumps", "3:1 orjson.dumps"],
    "import orjson\ndef f(orjson):\n    return orjson.dumps(1)": ["1:1 import orjson"],
    "import orjson\nlambda orjson: orjson.x": ["1:1 import orjson"],
    "import orjson\nx = 'é'; orjson.loads(x)": ["1:1 import orjson", "2:10 orjson.loads"],
    "import orjson\n@orjson.dumps\nclass A(orjson.Fragment): pass": [
        "1:1 import orjson",
        "2:2 orjson.dumps",
        "3:9 orjson.Fragment",
    ],
    "import importlib\nm = importlib.import_module('orjson')": ['2:5 import_module("orjson")'],
    "m = __import__('ujson')": ['1:5 __import__("ujson")'],
    "import msgspec\nmsgspec.json.encode(1)": ["2:1 msgspec.json.encode"],
    "import msgspec as m\nm.json.decode(b'1')\nm.Struct": ["2:1 msgspec.json.decode"],
    "from msgspec import json, Struct\njson.encode(1)": ["1:1 from msgspec import json", "2:1 msgspec.json.encode"],
    "import msgspec.json\nmsgspec.json.Encoder()": ["1:1 import msgspec.json", "2:1 msgspec.json.Encoder"],
    "import simplejson as json\njson.dumps(1)": ["1:1 import simplejson", "2:1 simplejson.dumps"],
    "import rapidjson\nrapidjson.RawJSON('1')": ["1:1 import rapidjson", "2:1 rapidjson.RawJSON"],
    "import json\njson.dumps(1)": ["1:1 import json", "2:1 json.dumps"],
    "import json.decoder\njson.decoder.JSONDecodeError": ["1:1 import json.decoder", "2:1 json.decoder"],
    "from json.decoder import JSONDecodeError": ["1:1 from json.decoder import JSONDecodeError"],
    "from fastapi.responses import ORJSONResponse\nF(response_class=ORJSONResponse)": [
        "1:1 from fastapi.responses import ORJSONResponse",
        "2:18 ORJSONResponse",
    ],
    "from starlette import responses\nresponses.UJSONResponse({})": ["2:1 UJSONResponse"],
    "R = ['rest_framework.renderers.JSONRenderer']": ["1:6 'rest_framework.renderers.JSONRenderer'"],
    "from flask_orjson import OrjsonProvider\napp.json = OrjsonProvider(app)": [
        "1:1 from flask_orjson import OrjsonProvider",
        "2:12 OrjsonProvider",
    ],
    "from .orjson import dumps\nimport myorjson\nx.orjson.dumps\n# orjson": [],
}


def report_of(folder: Path, text: str, name: str = "app.py") -> list[str]:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return [f"{one.line}:{one.column} {one.what}" for one in read_file(path).findings]


@pytest.mark.parametrize("text", SHAPES, ids=range(len(SHAPES)))
def test_each_shape_of_a_use_is_found_once(tmp_path: Path, text: str) -> None:
    assert report_of(tmp_path, text) == SHAPES[text]


def test_every_finding_has_a_replacement(tmp_path: Path) -> None:
    (tmp_path / "all.py").write_text("\n".join(SHAPES), encoding="utf-8")
    findings = read_file(tmp_path / "all.py").findings
    assert len(findings) > 40
    assert all(one.replacement for one in findings)


def test_requirements_are_found(tmp_path: Path) -> None:
    lines = ["orjson>=3.9 ; python_version > '3'", "# ujson", "UJSON==5", "requests", "simplejson"]
    lines += ["python-rapidjson[x]~=1", "orjson-plus"]
    assert report_of(tmp_path, "\n".join(lines), "requirements-dev.txt") == [
        "1:1 requirement orjson",
        "3:1 requirement UJSON",
        "5:1 requirement simplejson",
        "6:1 requirement python-rapidjson",
    ]
    project = '[project]\ndependencies = [\n    "fastapi",\n    "orjson>=3",\n]\n'
    assert report_of(tmp_path, project, "pyproject.toml") == ["4:6 requirement orjson"]


PATCHED = {
    "import os, orjson  # fast\n": "import os\nfrom ssrjson_web import orjson  # fast\n",
    "import orjson as oj\noj.dumps(1)\n": "from ssrjson_web import orjson as oj\noj.dumps(1)\n",
    "if 1:\n    import orjson, json\n": "if 1:\n    from ssrjson_web import orjson\n    from ssrjson_web import json\n",
    "from orjson import (\n    dumps,\n    loads as l,\n)\n": "from ssrjson_web.orjson import dumps, loads as l\n",
    "from fastapi.responses import HTMLResponse, ORJSONResponse\nx = [ORJSONResponse, 'é', ORJSONResponse]\n": (
        "from fastapi.responses import HTMLResponse\nfrom ssrjson_web.fastapi import SSRJSONResponse\n"
        "x = [SSRJSONResponse, 'é', SSRJSONResponse]\n"
    ),
    "from fastapi.responses import ORJSONResponse as R\nR({})\n": (
        "from ssrjson_web.fastapi import SSRJSONResponse as R\nR({})\n"
    ),
    "S = {'R': ['é', 'rest_framework.parsers.JSONParser']}\n": (
        "S = {'R': ['é', 'ssrjson_web.rest_framework.SSRJSONParser']}\n"
    ),
}
KEPT = [
    "import ujson\n",
    "import json\njson.detect_encoding(b''); json.__version__\n",  # of which ours has no version
    "import orjson; x = 1\n",
    "from orjson import (\n    dumps,  # why\n)\n",
    "from flask_orjson import OrjsonProvider\napp.json = OrjsonProvider(app)\n",
]


@pytest.mark.parametrize("text", PATCHED, ids=range(len(PATCHED)))
def test_patch_replaces_what_is_without_risk(tmp_path: Path, text: str) -> None:
    path = tmp_path / "app.py"
    path.write_text(text, encoding="utf-8")
    changed = apply(text, read_file(path).edits)
    assert changed == PATCHED[text]
    ast.parse(changed)


@pytest.mark.parametrize("text", KEPT, ids=range(len(KEPT)))
def test_patch_leaves_the_rest(tmp_path: Path, text: str) -> None:
    path = tmp_path / "app.py"
    path.write_text(text, encoding="utf-8")
    assert read_file(path).edits == []


def doctor(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ssrjson_web", "doctor", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, encoding="utf-8")


def test_command_reports_counts_and_status(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("import orjson\norjson.dumps(1)\nimport ujson\n")
    done = doctor("--migrate", tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "app.py:2:1: orjson.dumps -> the same name of ssrjson_web.orjson\n" in done.stdout
    assert "3 uses in 1 file: orjson 2, ujson 1.\n" in done.stdout
    found = json.loads(doctor("--migrate", tmp_path, "--json").stdout)
    assert [one["line"] for one in found["findings"]] == [1, 2, 3]
    (tmp_path / "app.py").write_text("print('nothing')\n")
    done = doctor("--migrate", tmp_path)
    assert (done.returncode, done.stdout) == (0, "No use of another JSON library was found.\n")


def test_command_never_runs_what_it_reads(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(f"import orjson\nopen({str(tmp_path / 'ran')!r}, 'w')\n")
    assert doctor("--migrate", tmp_path).returncode == 1
    assert not (tmp_path / "ran").exists()


def test_patch_of_the_command_applies(tmp_path: Path) -> None:
    package = tmp_path / "src" / "shop"
    package.mkdir(parents=True)
    (package / "a.py").write_text("import orjson\nprint(orjson.dumps([1]))")  # no line feed at the end
    (package / "b.py").write_text("# -*- coding: latin-1 -*-\nimport json  # é\n", encoding="latin-1")
    patch = doctor("--migrate", tmp_path / "src", "--diff").stdout
    command = ["git", "apply", "--include=shop/a.py", "-"]
    subprocess.run(command, input=patch, text=True, cwd=tmp_path / "src", check=True)
    done = subprocess.run([sys.executable, package / "a.py"], capture_output=True, text=True, check=True)
    assert done.stdout == "b'[1]'\n"
    assert "from ssrjson_web import json" in patch


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "old.py").write_text("print 'Python 2'\n")
    (tmp_path / "bytes.py").write_bytes(b"import orjson\n# \xff\n")
    (tmp_path / "nul.py").write_bytes(b"x = '\0'\n")
    (tmp_path / "deep.py").write_text("x = " + "(" * 5000 + ")" * 5000)
    (tmp_path / "loop").symlink_to(tmp_path)
    for folder in ("venv", "node_modules", "my-env"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.py").write_text("import orjson\n")
    (tmp_path / "my-env" / "pyvenv.cfg").touch()
    assert [path.name for path in files_of(tmp_path)] == ["bytes.py", "deep.py", "nul.py", "old.py"]
    done = doctor("--migrate", tmp_path)
    assert done.returncode == 0
    assert [f"{name}.py: not read:" in done.stdout for name in ("old", "bytes", "nul", "deep")] == [True] * 4


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--migrate", "no/such"], "no/such: no such file or folder"),
        (["--diff"], "--diff needs --migrate PATH"),
        (["--migrate", ".", "app:app"], "it takes no application"),
        (["--migrate", ".", "--diff", "--json"], "choose one"),
    ],
    ids=lambda value: "" if isinstance(value, str) else " ".join(value),
)
def test_wrong_usage_is_one_line(arguments: list[str], text: str) -> None:
    done = doctor(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert text in done.stderr
