"""`doctor --migrate`: it finds each use of another library in source that is never run, and its patch works."""

from __future__ import annotations

import ast
import collections
import dataclasses
import datetime
import importlib
import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

import ssrjson_web
from ssrjson_web._cli.doctor.migration.files import files_of, read_file
from ssrjson_web._cli.doctor.migration.replacements import replacement_of

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
        "from fastapi.responses import HTMLResponse\nfrom ssrjson_web.fastapi import ORJSONResponse\n"
        "x = [ORJSONResponse, 'é', ORJSONResponse]\n"
    ),
    "from fastapi.responses import ORJSONResponse as R\nR({})\n": (
        "from ssrjson_web.fastapi import ORJSONResponse as R\nR({})\n"
    ),
    "from starlette.responses import JSONResponse\n__all__ = ['JSONResponse']\n": (
        "from ssrjson_web.starlette import SSRJSONResponse as JSONResponse\n__all__ = ['JSONResponse']\n"
    ),
    "try:\n    import orjson\nexcept ImportError:\n    orjson = None\nif orjson is not None: orjson.dumps\n": (
        "try:\n    from ssrjson_web import orjson\nexcept ImportError:\n    orjson = None\n"
        "if orjson is not None: orjson.dumps\n"
    ),
    # nothing of the library is changed
    "import json\nx['a'] = x.y = json.loads(z)\nx[json.dumps(1)] = x.json.y = 2\n": (
        "from ssrjson_web import json\nx['a'] = x.y = json.loads(z)\nx[json.dumps(1)] = x.json.y = 2\n"
    ),
    "import json\nsetattr(x, 'a', json.loads)\nx.update(json.loads(y))\ndef f(json): json.x = 1\n": (
        "from ssrjson_web import json\nsetattr(x, 'a', json.loads)\nx.update(json.loads(y))\ndef f(json): json.x = 1\n"
    ),
    "S = {'R': ['é', 'rest_framework.parsers.JSONParser']}\n": (
        "S = {'R': ['é', 'ssrjson_web.rest_framework.SSRJSONParser']}\n"
    ),
}
KEPT = [
    "import ujson\n",
    "import json\njson.detect_encoding(b''); json.of_a_later_version\n",  # which ours does not have
    "import orjson; x = 1\n",
    "from orjson import (\n    dumps,  # why\n)\n",
    "from flask_orjson import OrjsonProvider\napp.json = OrjsonProvider(app)\n",
    "from django.http import JsonResponse\nJsonResponse({})\n",  # whose bytes have spaces and escapes
    "from fastapi.responses import UJSONResponse\nUJSONResponse({})\n",
    # the framework's own objects are of its class
    "from starlette.responses import JSONResponse\nisinstance(x, (str, JSONResponse))\n",
    "from starlette.responses import JSONResponse\ntype(x) is JSONResponse\n",
    "from starlette.responses import JSONResponse\nhandlers = {JSONResponse: 1}\n",
    "from starlette.responses import JSONResponse\nJSONResponse.render = x\n",
    "from starlette.responses import JSONResponse\nmatch x:\n    case JSONResponse(): pass\n",
    # what is done to the module, or with all of it
    "import json\njson.dumps = x\n",
    "import json\nf(json)\n",
    "import json\nmock.patch.object(json, 'dumps')\n",
    # what is done to a part of it
    "import json\njson.encoder.c_make_encoder = None\n",
    "import json\ndel json.encoder.c_make_encoder\n",
    "import json\njson.JSONEncoder.default = x\n",
    "import json\njson._default_encoder.default = x\n",
    "import json\njson.encoder.ESCAPE_DCT['/'] = x\n",
    "import json\njson.encoder.ESCAPE_DCT.update(x)\n",
    "import json\nvars(json.scanner)['make_scanner'] = x\n",
    "import json\njson.decoder.__dict__['scanstring'] = x\n",
    "import json\nsetattr(json.encoder, 'encode_basestring_ascii', x)\n",
    "import json\nmock.patch.object(json.encoder, 'c_make_encoder', None)\n",
    "import json\nmonkeypatch.setattr('json.encoder.c_make_encoder', None)\n",
    "import json\n@patch('json.dumps')\ndef test(x): json.dumps(x)\n",
    "import json\nmock.patch(target='json.dumps')\n",
    "import json\npart = json.encoder\npart.c_make_encoder = None\n",
    "import json\npart = json.encoder.ESCAPE_DCT\npart['/'] = x\n",
    "import json\nimport json.encoder as part\npart.c_make_encoder = None\n",
    "from json import encoder\nencoder.c_make_encoder = None\n",
    "from json import JSONEncoder\nJSONEncoder.default = x\n",
    "import json, sys\nsys.modules['json'] = x\n",
    "import json\nmonkeypatch.setitem(sys.modules, 'json', None)\n",
    "import json\npatch.dict('sys.modules', {'json': None})\n",
    # one of two libraries
    "try:\n    import orjson as json\nexcept ImportError:\n    import json\njson.dumps(1)\n",
    "try:\n    from orjson import dumps\nexcept ImportError:\n    from json import dumps\n",
    # all places of a file, or none
    "import json\nif 1:\n    import json; json.loads\n",
    "import json\nfrom json.decoder import JSONDecodeError\njson.loads\n",
    "from json import *\n",
]


@pytest.mark.parametrize("text", PATCHED, ids=range(len(PATCHED)))
def test_patch_replaces_what_is_without_risk(tmp_path: Path, text: str) -> None:
    path = tmp_path / "app.py"
    path.write_text(text, encoding="utf-8")
    changed = read_file(path).after.decode()
    assert changed == PATCHED[text]
    ast.parse(changed)


@pytest.mark.parametrize("text", KEPT, ids=range(len(KEPT)))
def test_patch_leaves_the_rest(tmp_path: Path, text: str) -> None:
    path = tmp_path / "app.py"
    path.write_text(text, encoding="utf-8")
    report = read_file(path)
    assert report.after == report.before == text.encode()
    assert report.findings
    assert not any(found.is_patched for found in report.findings)
    assert all(found.reason for found in report.findings)


def doctor(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ssrjson_web", "doctor", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=60, encoding="utf-8", errors="surrogateescape")


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
    command = ["git", "apply", "-"]
    subprocess.run(command, input=patch.encode(errors="surrogateescape"), cwd=tmp_path / "src", check=True)
    assert (package / "b.py").read_bytes().endswith(b"from ssrjson_web import json  # \xe9\n")
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
    assert done.returncode == 1
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


TEXT = "import os, orjson  # é\nx = 'é'; print(orjson.loads(b'[1]'))\n"
CONTENTS: dict[str, bytes] = {
    "plain": TEXT.encode(),
    "mark": b"\xef\xbb\xbf" + TEXT.encode(),
    "mark and cookie": b"\xef\xbb\xbf# coding: utf-8\n" + TEXT.encode(),
    "form feed": b"import os\n\x0c\nx = 1  # \x0c \x0b\n\x0cimport os, orjson\n\x0cprint(orjson.loads(b'[1]'))\n",
    "form feed in a line": b"x = 1\n\x0c  \x0cimport os, orjson\nprint(orjson.loads(b'[1]'))\n",
    "CR": TEXT.replace("\n", "\r").encode(),
    "CR and cookie": b"# coding: latin-1\r" + TEXT.replace("\n", "\r").encode("latin-1"),
    "CR in a line": b"a = 1\rimport os, orjson\nprint(orjson.loads(b'[1]'))\n",
    "CRLF": TEXT.replace("\n", "\r\n").encode(),
    "CRLF without the last": TEXT.replace("\n", "\r\n").rstrip().encode(),
    "mixed": b"import os\r\nimport orjson, os\nprint(\r\norjson.loads(b'[1]'))\r",
    "separators": ("# \u2028 \u2029 \x85 \x1c \x1d \x1e\nx = '\u2028'; y = 1\n" + TEXT).encode(),
    "latin-1": b"# -*- coding: latin-1 -*-\n" + TEXT.encode("latin-1"),
    "second line": b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n" + TEXT.encode("cp1252"),
    "shift_jis": ("# coding: shift_jis\nx = '表'; import os\n" + TEXT.replace("é", "表")).encode("shift_jis"),
    "no end": b"import orjson; x = 1\nimport orjson",
    "no end, patched": b"print(1)\nimport os, orjson",
    "one line": b"import orjson",
    "tabs": b"if 1:\n\timport os, orjson\n\tprint(orjson.loads(b'[1]'))\n",
}
NAMES = ["app.py", "my app.py", "é.py", 'a"b.py', "a\\b.py", "a\tb.py", "a\nb.py", "- a.py", "a\rb.py", " .py"]


@pytest.mark.parametrize("program", ["git", "patch"])
def test_patch_applies_to_each_form_of_a_file(program: str, tmp_path: Path) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    source = tmp_path / "my src"
    source.mkdir()
    for number, (kind, contents) in enumerate(CONTENTS.items()):
        name = NAMES[number % len(NAMES)]
        (source / f"{number}").mkdir()
        (source / f"{number}" / name).write_bytes(contents)
        assert (kind, read_file(source / f"{number}" / name).problem) == (kind, None)
    before = {path: path.read_bytes() for path in files_of(source)}
    after = {path: read_file(path).after for path in files_of(source)}
    assert sorted(before.values()) == sorted(CONTENTS.values())
    done = subprocess.run(
        [sys.executable, "-m", "ssrjson_web", "doctor", "--migrate", source, "--diff"], capture_output=True, timeout=60
    )
    assert done.returncode == 1
    command = ["git", "apply", "--whitespace=nowarn", "-"] if program == "git" else ["patch", "-p1", "--silent"]
    applied = subprocess.run(command, input=done.stdout, cwd=source, capture_output=True, check=False)
    assert (applied.returncode, applied.stdout + applied.stderr) == (0, b"")
    n_patched = 0
    for path, contents in before.items():
        assert path.read_bytes() == after[path]
        n_patched += contents != after[path]
        if contents != after[path]:
            assert b"from ssrjson_web import orjson" in after[path]
            compile(after[path], str(path), "exec")  # as Python reads it, with its own idea of the encoding
            if b"print(orjson" in contents or b"print(\r" in contents:
                ran = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
                assert ran.stdout == "[1]\n"
    assert n_patched == len(CONTENTS) - 1  # that with two statements in a line
    assert sorted(tmp_path.rglob("*.orig")) == sorted(tmp_path.rglob("*.rej")) == []


def test_patch_leaves_a_file_whose_encoding_it_would_change(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    for contents in (  # encoded again they would not have the same bytes
        b"# coding: utf-7\nimport orjson  # +AOk- \n",
        b"# coding: iso-2022-jp\nimport orjson  # \x1b$B\x1b(B \n",
    ):
        path.write_bytes(contents)
        report = read_file(path)
        assert report.findings
        assert report.after == report.before == contents


def test_patch_leaves_what_a_link_names(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("import orjson\n")
    (tmp_path / "a.py").symlink_to(tmp_path / "a.txt")
    (tmp_path / ".#b.py").symlink_to("user@host.1234")  # of an editor
    done = doctor("--migrate", tmp_path, "--diff")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "ssrjson_web doctor: 1 use not in the patch: orjson 1; without --diff each is listed\n"
        f"ssrjson_web doctor: orjson: a patch cannot change what a link names ({tmp_path / 'a.py'}:1)\n"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_is_no_ordinary_file_is_named_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    done = doctor("--migrate", tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "a.py: not read: not an ordinary file\n" in done.stdout
    assert doctor("--migrate", tmp_path / "a.py").returncode == 1


ADVICE = [
    "ujson.dumps(obj, escape_forward_slashes=False)",
    "ujson.dumps(obj, ensure_ascii=False, escape_forward_slashes=False)",
    "ujson.dumps(obj, ensure_ascii=ASCII, escape_forward_slashes=False)",
    "ujson.dumps(obj, encode_html_chars=True, escape_forward_slashes=False)",
    "ujson.dumps(obj, indent=2, escape_forward_slashes=False)",
    "ujson.dumps(obj, indent=0, sort_keys=True, escape_forward_slashes=False)",
    "ujson.dumps(obj, reject_bytes=False, allow_nan=False, escape_forward_slashes=False)",
    "ujson.dumps(obj, separators=(', ', ': '), default=str, escape_forward_slashes=False)",
    "simplejson.dumps(obj)",
    "simplejson.dumps(obj, indent=2)",
    "simplejson.dumps(obj, ensure_ascii=False, separators=(',', ':'))",
    "simplejson.dumps(obj, use_decimal=False, namedtuple_as_object=False, encoding=None)",
    "simplejson.dumps(obj, ignore_nan=True)",
    "simplejson.dumps(obj, allow_nan=True, bigint_as_string=True)",
    "simplejson.dumps(obj, int_as_string_bitcount=53, iterable_as_array=True)",
    "simplejson.dumps(obj, sort_keys=True, skipkeys=True, default=str)",
    "rapidjson.dumps(obj, ensure_ascii=False)",
    "rapidjson.dumps(obj, ensure_ascii=False, indent=2)",
    "rapidjson.dumps(obj, ensure_ascii=False, write_mode=rapidjson.WM_PRETTY, uuid_mode=rapidjson.UM_CANONICAL)",
    "rapidjson.dumps(obj, ensure_ascii=False, datetime_mode=rapidjson.DM_ISO8601, uuid_mode=rapidjson.UM_HEX)",
    "rapidjson.dumps(obj, ensure_ascii=False, number_mode=rapidjson.NM_DECIMAL, allow_nan=False)",
    "rapidjson.dumps(obj, ensure_ascii=False, bytes_mode=rapidjson.BM_NONE, sort_keys=True, default=str)",
    "msgspec.json.encode(obj)",
    "msgspec.json.encode(obj, enc_hook=str)",
    "msgspec.json.encode(obj, order='sorted')",
    "ujson.loads(text)",
    "simplejson.loads(text)",
    "simplejson.loads(text, use_decimal=True, allow_nan=True)",
    "rapidjson.loads(text, number_mode=rapidjson.NM_DECIMAL)",
    "rapidjson.loads(text)",
    "rapidjson.loads(text, parse_mode=rapidjson.PM_COMMENTS | rapidjson.PM_TRAILING_COMMAS)",
    "msgspec.json.decode(data)",
    "msgspec.json.decode(data, type=list[float])",
]
Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Plain:
    a: int = 1


OBJECTS: list[Any] = [
    ["é中😀", 1, -1.5, 1e100, True, None, {"k": [], "e": {}, "z": '"\\\n\x01'}, (1, 2), "<&>"],
    {"b": 1, "a": {"d": 1, "c": [1, [2]]}},
    [float("nan")],
    [float("inf")],
    [Decimal("1.50")],
    [Pair(1, 2)],
    [b"x"],
    [2**53, 2**60, 2**70],
    [datetime.datetime(2026, 1, 2, 3, 4, 5, 250000, tzinfo=datetime.timezone.utc)],
    [uuid.UUID(int=5)],
    [Plain()],
    [object],
]
TEXTS = ['{"a":[1,-1.5,"\\u00e9",null,true],"b":{}}', "[1.50]", "[NaN]", "[1", "", "18446744073709551616"]


@pytest.mark.parametrize("source", ADVICE)
def test_advice_gives_what_the_call_gave(source: str) -> None:
    call = ast.parse(source, mode="eval").body
    assert isinstance(call, ast.Call)
    module, _, name = ast.unparse(call.func).rpartition(".")
    library = pytest.importorskip(module.partition(".")[0], reason=f"{module} is not installed")
    importlib.import_module(module)
    ours, *notes = replacement_of(module, name, call).split("; ")
    assert notes == []
    is_loads = "loads" in name or name == "decode"
    known = {module.partition(".")[0]: library, "ssrjson_web": ssrjson_web, "ASCII": True}
    for value in TEXTS if is_loads else OBJECTS:
        names = {**known, "obj": value, "text": value, "data": value}
        if module == "ujson" and value == "18446744073709551616":
            continue  # ujson refuses it
        outcomes = []
        for expression in (source, ours):
            try:
                outcomes.append(eval(expression, names))
            except (TypeError, ValueError, OverflowError, AttributeError):
                outcomes.append("refused")
        is_decimal_nan = "NM_DECIMAL" in source and value == "[NaN]"  # a Decimal of it
        if not is_decimal_nan:
            assert repr(outcomes[1]) == repr(outcomes[0]), (value, ours)


@pytest.mark.parametrize(
    ("source", "notes"),
    [
        ("ujson.dumps(obj)", "slashes are not escaped"),
        ("ujson.dumps(obj, ensure_ascii=False)", "slashes are not escaped"),
        ("rapidjson.dumps(obj, ensure_ascii=False, skipkeys=True)", "we have nothing for skipkeys=True"),
        (
            "simplejson.dumps(obj, cls=Mine, tuple_as_array=False)",
            "for tuple_as_array=False; we have no option cls",
        ),
        ("simplejson.dumps(obj, **options)", "look at the options that ** gives"),
        (
            "msgspec.json.decode(data, strict=False)",
            "ssrjson_web.loads(data, allow_nan=False); we have nothing for strict=False",
        ),
        ("msgspec.json.decode(data, dec_hook=int)", "we have no option dec_hook"),
        ("msgspec.json.Decoder(Plain)", "ssrjson_web.Decoder(allow_nan=False, type=Plain)"),
    ],
)
def test_advice_says_what_it_cannot_give(source: str, notes: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(f"import {source.rpartition('.')[0].partition('(')[0]}\n{source}\n")
    found = read_file(tmp_path / "a.py").findings[-1]
    assert found.replacement.endswith(notes)
    assert ("ensure_ascii=True" in found.replacement) is ("ensure_ascii" not in source and "json.dumps" in source)


SHOP = """\
import dataclasses, datetime, json, uuid
from fastapi import FastAPI
from fastapi.responses import JSONResponse, ORJSONResponse

@dataclasses.dataclass
class Point:
    x: int = 1

CONTENT = {"at": datetime.datetime(2026, 1, 2, 3), "p": Point(), "u": uuid.UUID(int=5), "n": float("nan"), 7: "é"}
app = FastAPI(default_response_class=ORJSONResponse)
app.get("/direct", response_model=None)(lambda: ORJSONResponse(CONTENT))
app.get("/returned", response_model=None)(lambda: {"é": [1.5, float("nan")]})
app.get("/plain", response_class=JSONResponse, response_model=None)(lambda: {"é": 1})
app.get("/text", response_model=None)(lambda: JSONResponse(json.loads(json.dumps({"é": 1e16})), 201))
"""


@pytest.mark.filterwarnings("ignore:ORJSONResponse is deprecated")
def test_patched_application_answers_as_before(tmp_path: Path) -> None:
    pytest.importorskip("fastapi", reason="FastAPI is not installed")
    pytest.importorskip("orjson", reason="orjson is not installed")
    pytest.importorskip("httpx", reason="httpx is not installed")
    from starlette.testclient import TestClient

    (tmp_path / "shop.py").write_text(SHOP, encoding="utf-8")
    report = read_file(tmp_path / "shop.py")
    assert b"from ssrjson_web.fastapi import ORJSONResponse\n" in report.after
    assert b"from ssrjson_web.fastapi import SSRJSONResponse as JSONResponse\n" in report.after
    assert b"from ssrjson_web import json\n" in report.after
    answers = []
    for source in (report.before, report.after):
        module: dict[str, Any] = {"__name__": __name__}
        exec(compile(source, "shop.py", "exec"), module)
        client = TestClient(module["app"])
        found = [client.get(path) for path in ("/direct", "/returned", "/plain", "/text")]
        answers.append([(one.status_code, sorted(one.headers.items()), one.content) for one in found])
    assert answers[0] == answers[1]
    assert [status for status, *_ in answers[0]] == [200, 200, 200, 201]


def test_file_that_shares_classes_with_one_that_keeps_the_library_is_left(tmp_path: Path) -> None:
    """An `except orjson.JSONDecodeError` around a function of a file that keeps orjson would not catch its errors."""
    (tmp_path / "catches.py").write_text("import orjson\ntry: f()\nexcept orjson.JSONDecodeError: pass\n")
    (tmp_path / "other.py").write_text("import orjson\norjson.dumps(1)\n")
    (tmp_path / "imports.py").write_text("from orjson import Fragment\n")
    (tmp_path / "requirements.txt").write_text("orjson\n")
    patch = doctor("--migrate", tmp_path, "--diff").stdout
    assert patch.count("+from ssrjson_web") == 3
    (tmp_path / "keeps.py").write_text("import orjson; f = orjson.loads\n")
    done = doctor("--migrate", tmp_path, "--diff")
    assert "b/other.py" in done.stdout
    assert done.stdout.count("+from ssrjson_web") == 1
    assert "6 uses not in the patch: orjson 6" in done.stderr
    reason = f"orjson: its import shares its line or has a comment in it, or a submodule is imported, too ({tmp_path}"
    assert reason in done.stderr
    keeps = f"is another class than ours, and {tmp_path / 'keeps.py'}:1 keeps orjson"
    assert f"orjson: orjson.JSONDecodeError {keeps} ({tmp_path / 'catches.py'}:1 and 1 more)\n" in done.stderr
    assert f"orjson: orjson.Fragment {keeps} ({tmp_path / 'imports.py'}:1)\n" in done.stderr


def test_file_that_changes_a_library_keeps_all_others_from_leaving_it(tmp_path: Path) -> None:
    (tmp_path / "fast.py").write_text("import json\nimport orjson\njson.dumps(orjson.loads(b'1'))\n")
    (tmp_path / "hacks.py").write_text("import json\njson.encoder.c_make_encoder = None\n")
    (tmp_path / "only.py").write_text("import orjson\n")
    (tmp_path / "tests.py").write_text("import orjson\nmonkeypatch.setattr(orjson.Fragment, 'x', 1)\n")
    done = doctor("--migrate", tmp_path, "--diff")
    assert re.findall("b/(.*)", done.stdout) == ["only.py"]
    place = f"{tmp_path / 'hacks.py'}, line 2 changes json.encoder for all that use it"
    assert done.stderr == (
        "ssrjson_web doctor: 8 uses not in the patch: json 4, orjson 4; without --diff each is listed\n"
        f"ssrjson_web doctor: json: {place} ({tmp_path / 'fast.py'}:1 and 1 more)\n"
        f"ssrjson_web doctor: orjson: {place} ({tmp_path / 'fast.py'}:2 and 1 more)\n"
        f"ssrjson_web doctor: json: line 2 changes json.encoder ({tmp_path / 'hacks.py'}:1 and 1 more)\n"
        f"ssrjson_web doctor: orjson: line 2 changes orjson.Fragment ({tmp_path / 'tests.py'}:1 and 1 more)\n"
    )
