"""`python -m ssrjson_web audit` as its user meets it; what is found under objects: tests/core/inspect/test_audit.py."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ssrjson_web.__main__ import main
from ssrjson_web._cli.audit import Audit, Copies, running
from ssrjson_web._cli.audit.report import as_json, as_text
from ssrjson_web._cli.audit.running import audit_process
from ssrjson_web._cli.target import TargetError

COMMAND = [sys.executable, "-m", "ssrjson_web", "audit"]

SHOP = """\
import asyncio
from ssrjson_web import dumps_to_bytes

class Book:
    def __init__(self, title):
        self.title = title

class Store:
    class default:
        books = [Book("".join(["中"] * 100)) for _ in range(30)]

    @property
    def broken(self):
        raise LookupError("no such shelf")

catalogue = {"books": Store.default.books, "note": "".join(["é"] * 9), "plain": "ASCII"}
dumps_to_bytes(catalogue["note"], is_write_cache=True)
store = Store()
print("the shop is open")

def load():
    return catalogue

async def load_later():
    await asyncio.sleep(0)
    return catalogue

def fail():
    raise RuntimeError("no database")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The working folder, with modules of its own that nobody has imported."""
    (tmp_path / "audited_shop.py").write_text(SHOP, encoding="utf-8")
    (tmp_path / "audited_package").mkdir()
    (tmp_path / "audited_package" / "__init__.py").touch()
    (tmp_path / "audited_package" / "data.py").write_text("rows = ['ёлка']\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("audited_")]:
        del sys.modules[name]


Said = tuple[int, str, str]


@pytest.fixture
def said(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Said]:
    """What the command with some arguments gives: exit status, output, errors."""

    def run(*arguments: str) -> Said:
        capsys.readouterr()
        status = main(["audit", *arguments])
        return (status, *capsys.readouterr())

    return run


# ---- what it says -----------------------------------------------------------------------------


def test_audit_tells_totals_paths_and_types(said: Callable[..., Said]) -> None:
    status, out, err = said("audited_shop:catalogue")
    assert status == 0
    assert err == "the shop is open\n"
    rows = [line.split() for line in out.splitlines()]
    assert ["all", "19", "1", "9,030", "30"] in rows
    assert ["0", "0", "9,030", "30", "catalogue['books'][*].title"] in rows
    assert ["19", "1", "0", "0", "catalogue['note']"] in rows
    assert ["0", "0", "9,030", "30", "audited_shop.Book"] in rows
    assert "A library that makes copies would add" in out
    assert max(map(len, out.splitlines())) <= 100


def test_audit_json_is_all_the_figures_and_nothing_else(said: Callable[..., Said]) -> None:
    status, out, err = said("audited_shop:catalogue", "--json")
    assert (status, err) == (0, "the shop is open\n")
    found = json.loads(out)
    title = {"bytes": 0, "strings": 0, "more_bytes": 9030, "more_strings": 30}
    note = {"bytes": 19, "strings": 1, "more_bytes": 0, "more_strings": 0}
    assert found["by_path"] == {"catalogue['books'][*].title": title, "catalogue['note']": note}
    assert found["by_type"] == {"audited_shop.Book": title, "dict": note}
    assert found["total"] == title | {"bytes": 19, "strings": 1}
    assert (found["by_path_left_out"], found["by_type_left_out"]) == (0, 0)
    assert found["strings"] - 30 - 2 - 3 in (0, 1)  # titles, texts, keys; the attribute's name where there is a dict


def test_audit_top_leaves_out_the_rest_and_says_so(said: Callable[..., Said]) -> None:
    _, out, _ = said("audited_shop:catalogue", "--top=1")
    assert "catalogue['note']" not in out
    assert "... and 1 more with 19 bytes now, and 0 to add" in out
    found = json.loads(said("audited_shop:catalogue", "--top=1", "--json")[1])
    assert list(found["by_path"]) == ["catalogue['books'][*].title"]
    assert found["by_path_left_out"] == 1


def test_audit_depth_and_keys_are_handed_on(said: Callable[..., Said]) -> None:
    found = json.loads(said("audited_shop:catalogue", "--depth=1", "--keys=2", "--json")[1])
    assert list(found["by_path"]) == ["catalogue[*]...", "catalogue[*]"]


def target_of(said: Said) -> str:
    assert said[0] == 0, said
    name: str = json.loads(said[1])["name"]
    assert json.loads(said[1])["total"]["more_strings"] >= 1
    return name


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["audited_shop:Store.default.books"], "books"),
        (["audited_shop"], "audited_shop"),
        (["audited_package.data"], "data"),
        (["audited_package.data:rows"], "rows"),
        (["--call", "audited_shop:load"], "load()"),
        (["--call", "audited_shop:load_later"], "load_later()"),
    ],
)
def test_audit_finds_its_target(arguments: list[str], name: str, said: Callable[..., Said]) -> None:
    assert target_of(said(*arguments, "--json")) == name


def test_audit_of_a_function_says_that_it_could_be_called(said: Callable[..., Said]) -> None:
    assert "audited_shop:load can be called: --call audits what it returns." in said("audited_shop:load")[1]
    assert "can be called" not in said("audited_shop:catalogue")[1]


def report(**figures: int) -> str:
    copies = Copies(**figures)
    lines = {"x": copies} if copies.most_bytes else {}
    return as_text(Audit(name="x", strings=5, objects=9, total=copies, by_path=lines, by_type=lines), top=5)


def test_audit_words_follow_the_figures() -> None:
    assert "No string holds a cached UTF-8 copy or could get one" in report()
    assert "path" not in report()
    assert "There are no copies so far. A library that makes copies" in report(more_bytes=10, more_strings=2)
    full = report(bytes=10, strings=2)
    assert "stay until their strings are freed. Every string that can have a copy has one" in " ".join(full.split())
    assert "stay until their string is freed. A library" in report(bytes=10, strings=1, more_bytes=5, more_strings=1)


def test_audit_json_holds_any_name() -> None:
    odd = "\ud800 'x' \n"
    found = Audit(name=odd, strings=0, objects=0, total=Copies(), by_path={odd: Copies()}, by_type={})
    assert json.loads(as_json(found).encode())["by_path"].keys() == {odd}


def test_audit_output_that_the_terminal_cannot_show_is_escaped(folder: Path) -> None:
    code = "rows = {'ключ': ['ёлка']}\nglobals()[chr(0xd800)] = '中'\n"
    (folder / "audited_odd.py").write_text(code, encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ran = subprocess.run([*COMMAND, "audited_odd"], env=environment, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "audited_odd.rows['\\u043a\\u043b\\u044e\\u0447'][*]" in ran.stdout
    assert "audited_odd.\\ud800" in ran.stdout


# ---- what can be wrong ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["audited_shop:catalog"], "audited_shop has no attribute 'catalog'; did you mean catalogue?"),
        (["audited_shop:Store.nothing"], "audited_shop.Store has no attribute 'nothing'"),
        (["audited_shop:"], "'audited_shop:': write MODULE:OBJECT, as app.main:catalogue"),
        ([":catalogue"], "':catalogue': write MODULE:OBJECT, as app.main:catalogue"),
        (["audited/shop.py:catalogue"], "'audited/shop.py:catalogue': write MODULE:OBJECT, as app.main:catalogue"),
        (["--call", "audited_shop:catalogue"], "audited_shop:catalogue is a dict and cannot be called"),
    ],
)
def test_audit_of_what_is_not_there_is_one_line(arguments: list[str], message: str, said: Callable[..., Said]) -> None:
    status, out, err = said(*arguments)
    assert (status, out) == (2 if "write MODULE:OBJECT" in message else 1, "")
    assert err.replace("the shop is open\n", "") == f"ssrjson_web audit: {message}\n"


@pytest.mark.parametrize(
    ("target", "missing"),
    [
        ("audited_nothing:x", "audited_nothing"),
        ("audited_package.nothing:x", "audited_package.nothing"),
        ("audited_nothing.data:x", "audited_nothing"),
    ],
)
def test_audit_of_a_missing_module_says_where_it_was_looked_for(
    target: str, missing: str, said: Callable[..., Said], folder: Path
) -> None:
    expected = f"ssrjson_web audit: there is no module '{missing}' in {folder}, nor among the installed ones\n"
    assert said(target) == (1, "", expected)


@pytest.mark.parametrize(
    ("code", "last"),
    [
        ("import nothing_like_it", "ModuleNotFoundError: No module named 'nothing_like_it'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("x = (", "SyntaxError: '(' was never closed"),
        ("raise AttributeError('own')", "AttributeError: own"),
    ],
)
def test_audit_of_a_module_that_raises_shows_its_traceback_and_no_other_lines(
    code: str, last: str, said: Callable[..., Said], folder: Path
) -> None:
    (folder / "audited_broken.py").write_text(f"{code}\n")
    status, out, err = said("audited_broken:x")
    assert (status, out) == (1, "")
    lines = err.splitlines()
    assert lines[-1] == "ssrjson_web audit: importing audited_broken failed"
    assert lines[-2] == last
    files = [line for line in lines if line.strip().startswith('File "')]
    assert len(files) == 1
    assert "audited_broken.py" in files[0]


def test_audit_of_a_target_whose_own_code_raises_shows_its_traceback(said: Callable[..., Said]) -> None:
    status, _, err = said("audited_shop:store.broken.x")
    assert status == 1
    assert "LookupError: no such shelf\nssrjson_web audit: getting audited_shop.store.broken failed\n" in err
    status, _, err = said("--call", "audited_shop:fail")
    assert status == 1
    assert "RuntimeError: no database\nssrjson_web audit: calling audited_shop:fail failed\n" in err
    assert "target.py" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--top=-1", "x"], "-1: not between 0 and"),
        (["--depth=101", "x"], "101: not between 0 and 100"),
        (["--keys=many", "x"], "many: not a whole number"),
    ],
)
def test_audit_wrong_usage_is_refused_with_a_reason(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["audit", *arguments])
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_audit_help_tells_how_paths_are_written(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["audit", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert caught.value.code == 0
    for words in ("shop.data:catalogue", "--call", "--top", "--depth", "--keys", "--json", "[*]", "exit status", "130"):
        assert words in text


# ---- Ctrl-C -----------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["time.sleep(60)", "while True: time.sleep(0.001)"])
def test_audit_interrupted_while_importing_stops_without_a_traceback(code: str, folder: Path) -> None:
    (folder / "audited_slow.py").write_text(
        textwrap.dedent(f"""
        import sys, time
        print("importing", flush=True)
        {code}
        """)
    )
    with subprocess.Popen([*COMMAND, "audited_slow"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        try:
            assert run.stderr is not None
            assert run.stderr.readline() == "importing\n"
            run.send_signal(signal.SIGINT)
            out, err = run.communicate(timeout=60)
        finally:
            run.kill()
    assert (run.returncode, out, err) == (130, "", "Stopped.\n")


def test_audit_interrupted_while_walking_stops_without_a_traceback(
    said: Callable[..., Said], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("ssrjson_web._cli.audit.places._audit_utf8_cache", interrupted)
    assert said("audited_shop:catalogue") == (130, "", "the shop is open\nStopped.\n")


# ---- another process --------------------------------------------------------------------------


def run_here(_pid: int, script: str) -> None:
    """What `sys.remote_exec` lets the other process do."""
    exec(compile(Path(script).read_text(encoding="utf-8"), script, "exec"), {})


@pytest.fixture
def remote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "remote_exec", run_here, raising=False)


@pytest.mark.usefixtures("remote")
def test_audit_of_a_process(said: Callable[..., Said]) -> None:
    here = json.loads(said("audited_shop:catalogue", "--json")[1])  # it is imported now
    pid = str(os.getpid())
    there = json.loads(said("--pid", pid, "audited_shop:catalogue", "--json")[1])
    assert there == here
    status, out, _ = said("--pid", pid, "--top=1000")
    assert status == 0
    assert "modules.audited_shop.catalogue['books'][*].title" in out
    module = json.loads(said("--pid", pid, "audited_shop", "--json")[1])
    assert module["name"] == "audited_shop"


@pytest.mark.usefixtures("remote")
@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("audited_none:x", "no module 'audited_none' is imported there"),
        ("json:none", "there is no 'none'"),
    ],
)
def test_audit_of_what_a_process_does_not_have(said: Callable[..., Said], target: str, words: str) -> None:
    status, out, err = said("--pid", str(os.getpid()), target)
    assert (status, out) == (1, "")
    assert words in err


@pytest.mark.parametrize(
    ("error", "words"),
    [(ProcessLookupError(3, "No such process"), "No such process"), (PermissionError(), "PermissionError")],
)
def test_audit_of_a_process_that_cannot_be_reached(
    said: Callable[..., Said], monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fail(_pid: int, _script: str) -> None:
        raise error

    monkeypatch.setattr(sys, "remote_exec", fail, raising=False)
    status, _, err = said("--pid", "1")
    assert status == 1
    assert "process 1 cannot be reached" in err
    assert words in err


def test_audit_of_a_process_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "remote_exec", lambda _pid, _script: None, raising=False)
    with pytest.raises(TargetError, match=r"did not answer within 0\.1 seconds"):
        audit_process(os.getpid(), "", depth=3, keys=3, timeout_s=0.1)


def test_audit_needs_a_target_or_a_process(said: Callable[..., Said]) -> None:
    for arguments, words in (
        ([], "required: MODULE[:OBJECT], as app.main:catalogue, or --pid PID"),
        (["--pid", "1", "--call", "json:x"], "cannot be combined"),
    ):
        status, out, err = said(*arguments)
        assert (status, out) == (2, "")
        assert words in err


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="this Python can")
def test_audit_of_a_process_with_an_older_python(said: Callable[..., Said]) -> None:
    status, _, err = said("--pid", str(os.getpid()))
    assert status == 2
    assert "needs Python 3.14 or newer" in err


@pytest.mark.skipif(not hasattr(sys, "remote_exec"), reason="Python 3.14 and newer run scripts in other processes")
def test_audit_of_a_real_process(folder: Path) -> None:
    program = "import audited_shop, time\nwhile True: time.sleep(0.01)"
    with subprocess.Popen([sys.executable, "-c", program], cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            command = [*COMMAND, "--pid", str(process.pid), "audited_shop:catalogue", "--json"]
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
            if "PermissionError" in done.stderr or "cannot be reached" in done.stderr:
                pytest.skip(f"this machine does not allow it: {done.stderr}")
            assert done.returncode == 0, done.stderr
            assert json.loads(done.stdout)["total"]["more_bytes"] == 9030
            assert process.poll() is None
        finally:
            process.terminate()


@pytest.mark.skipif(os.name != "posix", reason="needs links and named pipes")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "broken", "deep", "large"])
def test_answer_of_a_process_is_read_from_an_ordinary_file_alone(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, secret = tmp_path / "answer.json", tmp_path / "secret"
    secret.write_text('{"error": "secret"}')
    if kind == "link":
        path.symlink_to(secret)
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        monkeypatch.setattr(running, "_MAX_BYTES", 300_000)
        path.write_text({"broken": "{", "deep": "[" * 200_000, "large": " " * 300_001}[kind])
    with pytest.raises(TargetError, match=r"^process 1 gave no answer that can be read: ") as failed:
        running._answer(path, 1, 1.0)
    assert '"secret"' not in str(failed.value)


WRONG = {"name": "x", "strings": "1", "objects": 1, "total": {}, "by_path": {}, "by_type": {}}


@pytest.mark.parametrize(
    "answer", [[], 1, {}, {"error": 1}, {"name": "x", "total": 1}, {"name": "x", "by_path": []}, WRONG]
)
def test_answer_of_another_shape_is_one_line(answer: object) -> None:
    with pytest.raises(TargetError, match="answered something else than an audit"):
        running._audit_of(answer, 1)
