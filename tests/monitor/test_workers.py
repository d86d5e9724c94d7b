"""Workers: figures in a private folder, by pid; the dead are dropped, and applications do not mix."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ssrjson_web._core import Recorder
from ssrjson_web.monitor import workers
from ssrjson_web.monitor.totals import Totals
from ssrjson_web.monitor.workers import Workers

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "share"
    path.mkdir(mode=0o700)
    return path


def made(folder: Path) -> Workers:
    """As another worker of the same application would be made."""
    workers._ordinals = iter(range(1000))  # type: ignore[assignment]
    return Workers(share=folder, prefix="/ssrjson")


@pytest.fixture(autouse=True)
def ordinals() -> Iterator[None]:
    before = workers._ordinals
    yield
    workers._ordinals = before


def shown_by(pid: int, folder: Path, **figures: Any) -> Path:
    (group,) = folder.iterdir()
    file = group / f"{pid}-{workers._started(pid)}.json"
    file.write_bytes(workers.dumps_to_bytes({"pid": pid, **figures}))
    return file


def test_figures_of_others_are_shown_and_ones_own_are_not(folder: Path) -> None:
    mine = made(folder)
    mine.write({"pid": os.getpid(), "count": 1})
    shown_by(os.getppid(), folder, count=2)
    assert mine.others() == [{"pid": os.getppid(), "count": 2}]


def test_file_is_replaced_whole_and_private(folder: Path) -> None:
    mine = made(folder)
    for count in range(3):
        mine.write({"pid": os.getpid(), "count": count})
    (group,) = folder.iterdir()
    (file,) = group.iterdir()
    assert workers.loads(file.read_bytes())["count"] == 2
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(group.stat().st_mode) == 0o700


def test_worker_that_has_ended_is_dropped(folder: Path) -> None:
    mine = made(folder)
    ended = subprocess.Popen([sys.executable, "-c", ""])
    file = shown_by(ended.pid, folder)
    assert len(mine.others()) == 1  # a zombie still
    ended.wait()
    assert mine.others() == []
    assert not file.exists()


def counted(outcomes: str, *, bytes_out: int = 0) -> dict[str, Any]:
    """The figures of a worker whose requests ended so."""
    totals = Totals()
    for how in outcomes.split():
        totals.add(Recorder(), 1000, 0, bytes_out, how)
    return totals.figures()


def left_behind(folder: Path, **figures: Any) -> Path:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    started = workers._started(ended.pid)
    ended.wait()
    (group,) = folder.iterdir()
    file = group / f"{ended.pid}-{started}.json"
    file.write_bytes(workers.dumps_to_bytes({"pid": ended.pid, **figures}))
    return file


def test_counts_of_workers_that_ended_are_kept_by_those_that_live(folder: Path) -> None:
    mine, other = made(folder), made(folder)
    assert (mine.others(), mine.ended()) == ([], None)
    for how in ("2xx 5xx", "2xx 2xx aborted", "4xx"):
        file = left_behind(folder, **counted(how, bytes_out=2**62))
        assert mine.others() == []
        assert not file.exists()
    for one in (mine, other, other):
        assert one.others() == []
        ended = one.ended()
        assert ended is not None
        assert ended["workers"] == 3
        assert {how: n for how, n in ended["responses"].items() if n} == {"2xx": 3, "4xx": 1, "5xx": 1, "aborted": 1}
        assert (ended["requests"]["count"], ended["requests"]["failed"]) == (6, 1)
        assert ended["requests"]["body_bytes_out"] == 6 * 2**62
        assert sum(ended["below"]) == sum(n for _, n in ended["buckets"]) == 6


def test_counts_that_were_added_before_their_file_went_are_not_added_again(folder: Path) -> None:
    mine = made(folder)
    file = left_behind(folder, **counted("2xx"))
    contents = file.read_bytes()
    mine.others()
    file.write_bytes(contents)  # as if the worker that added them had been killed between
    mine.others()
    ended = mine.ended()
    assert ended is not None
    assert (ended["workers"], ended["requests"]["count"]) == (1, 1)
    assert not file.exists()


@pytest.mark.parametrize(
    "figures",
    [{}, {"requests": 1}, {**counted("2xx"), "below": [1]}, {**counted("2xx"), "libraries": {"x": {"a": "b"}}}],
)
def test_report_that_cannot_be_added_is_dropped_and_the_rest_kept(folder: Path, figures: Any) -> None:
    mine = made(folder)
    left_behind(folder, **counted("2xx"))
    mine.others()
    file = left_behind(folder, **figures)
    mine.others()
    ended = mine.ended()
    assert ended is not None
    assert not file.exists()
    assert ended["requests"]["count"] == 1


def test_lock_that_another_worker_keeps_leaves_the_counts_for_later(folder: Path) -> None:
    import fcntl

    mine = made(folder)
    file = left_behind(folder, **counted("2xx"))
    with file.with_name("merge.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert (mine.others(), mine.ended()) == ([], None)
        assert file.exists()
    mine.others()
    assert mine.ended() is not None


def test_run_in_a_named_folder_begins_without_the_counts_of_the_one_before(folder: Path) -> None:
    made(folder)
    left_behind(folder, **counted("2xx"))
    mine = made(folder)
    mine.write({"pid": os.getpid(), **counted("")})
    assert (mine.others(), mine.ended()) == ([], None)


def test_figures_that_come_after_leaving_are_dropped(folder: Path) -> None:
    mine = made(folder)
    mine.write({"pid": os.getpid(), **counted("2xx")})
    mine.leave({"pid": os.getpid(), **counted("2xx 2xx")})
    mine.write({"pid": os.getpid(), **counted("2xx")})  # by the sampler's thread, which ends at its next sample
    assert list(folder.iterdir()) == []


def test_last_worker_leaves_nothing_behind_and_one_of_several_its_counts(folder: Path) -> None:
    mine = made(folder)
    mine.write({"pid": os.getpid(), **counted("2xx")})
    theirs = shown_by(os.getppid(), folder, **counted("4xx"))
    mine.leave({"pid": os.getpid(), **counted("2xx 2xx")})
    (own,) = theirs.parent.glob(f"{os.getpid()}-*.json")
    assert workers.loads(own.read_bytes())["requests"]["count"] == 2
    theirs.unlink()
    mine.leave({"pid": os.getpid(), **counted("2xx 2xx")})
    assert list(folder.iterdir()) == []


def test_pid_that_was_given_again_is_not_the_worker(folder: Path) -> None:
    mine = made(folder)
    file = shown_by(os.getppid(), folder)
    file.rename(file.with_name(f"{os.getppid()}-1.json"))
    assert mine.others() == []


@pytest.mark.parametrize("contents", [b"", b"{", b"[]", b'{"pid": 0}', b"\xff"])
def test_file_that_is_no_report_is_passed_over(folder: Path, contents: bytes) -> None:
    mine = made(folder)
    shown_by(os.getppid(), folder).write_bytes(contents)
    assert mine.others() == []


def test_file_goes_with_its_writer(folder: Path) -> None:
    mine = made(folder)
    mine.write({"pid": os.getpid()})
    del mine
    assert list(folder.iterdir()) == []


def test_folder_that_another_worker_removed_is_made_again(folder: Path) -> None:
    mine = made(folder)
    (group,) = folder.iterdir()
    group.rmdir()
    mine.write({"pid": os.getpid()})
    assert len(list(group.iterdir())) == 1
    assert mine.problem is None


def test_folder_that_is_open_to_others_is_refused(folder: Path) -> None:
    made(folder)
    (group,) = folder.iterdir()
    group.chmod(0o755)
    mine = made(folder)
    assert "open to other users" in str(mine.problem)
    mine.write({"pid": os.getpid()})
    mine.ask("scan")
    assert mine.others() == []
    assert mine.asked_ns("scan") == 0
    assert list(group.iterdir()) == []


def test_link_in_the_place_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    made(folder)
    (group,) = folder.iterdir()
    group.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    group.symlink_to(tmp_path / "elsewhere")
    assert "is not a folder" in str(made(folder).problem)


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    mine = Workers(share=tmp_path / "file" / "x", prefix="/ssrjson")
    assert str(mine.problem).startswith("there is no folder to share figures in: ")
    mine.write({})


def test_figures_that_cannot_be_written_are_told_and_do_no_harm(folder: Path) -> None:
    mine = made(folder)
    (group,) = folder.iterdir()
    group.rmdir()
    group.write_text("")
    mine.write({"pid": os.getpid()})
    assert str(mine.problem).startswith("figures cannot be shared: ")


def test_what_one_asks_for_the_others_see(folder: Path) -> None:
    mine, other = made(folder), made(folder)
    assert other.asked_ns("scan") == 0
    mine.ask("scan")
    assert other.asked_ns("scan") > 0
    assert other.asked_ns("trim") == 0


def test_middlewares_of_one_process_do_not_mix(folder: Path) -> None:
    made(folder)
    Workers(share=folder, prefix="/ssrjson")
    Workers(share=folder, prefix="/other")
    assert len(list(folder.iterdir())) == 3


def test_process_of_a_shell_is_its_own_leader_and_a_forked_one_its_parents() -> None:
    script = """if True:
        import os, sys
        from ssrjson_web.monitor.workers import _leader
        print(_leader() == os.getpid(), flush=True)
        parent = os.getpid()
        if os.fork() == 0:
            print(_leader() == parent, flush=True)
            os._exit(0)
        os.wait()
        import multiprocessing
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.apply(_leader) == parent)
    """
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.split() == ["True", "True", "True"]


def test_folders_of_leaders_that_have_ended_are_removed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    top = tmp_path / f"ssrjson_web-{os.getuid()}"
    for name in (f"{ended.pid}-5-0-0123abcd", f"{os.getppid()}-1-0-0123abcd", "other"):
        (top / name).mkdir(parents=True, mode=0o700)
        (top / name / f"{ended.pid}-5.json").write_text("{}")
        (top / name / "scan.asked").write_text("")
    top.chmod(0o700)
    mine = Workers(share=True, prefix="/ssrjson")
    assert mine.problem is None
    kept = sorted(path.name.partition("-")[0] for path in top.iterdir())
    assert kept == sorted([str(os.getpid()), "other"])


def test_link_among_the_folders_of_ended_leaders_is_not_followed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    top, elsewhere = tmp_path / f"ssrjson_web-{os.getuid()}", tmp_path / "elsewhere"
    top.mkdir(mode=0o700)
    elsewhere.mkdir()
    names = {"99999999-1-0-0123abcd", "99999999999999999999-1-0-0123abcd", "99999998-1-0-0123abcd", "99999997-notes"}
    for name in names:
        (top / name).symlink_to(elsewhere)
    (top / "99999998-1-0-0123abcd").unlink()
    (top / "99999998-1-0-0123abcd").mkdir()
    for kept in (elsewhere, top / "99999998-1-0-0123abcd"):
        (kept / "notes.txt").write_text("of the user")
        (kept / "1-notes.json").write_text("of the user")
    (elsewhere / "99999999-1.json").write_text("of the user")
    mine = Workers(share=True, prefix="/ssrjson")
    assert mine.problem is None
    assert len(list(elsewhere.iterdir())) == 3
    assert sorted(path.name for path in (top / "99999998-1-0-0123abcd").iterdir()) == ["1-notes.json", "notes.txt"]
    assert names <= {path.name for path in top.iterdir()}


@pytest.mark.parametrize("name", ["ended.json", "merge.lock", "ended.new", "scan.asked", "own"])
@pytest.mark.parametrize("kind", ["link", "hard link", "pipe", "folder"])
def test_what_is_no_file_of_ours_is_neither_followed_nor_waited_for(folder: Path, name: str, kind: str) -> None:
    mine = made(folder)
    (group,) = folder.iterdir()
    target = folder.parent / "target"
    target.write_text("of the user")
    place = group / (f"{os.getpid()}-{workers._started(os.getpid())}.new" if name == "own" else name)
    if kind == "link":
        place.symlink_to(target)
    elif kind == "hard link":
        place.hardlink_to(target)
    elif kind == "pipe":
        os.mkfifo(place)
    else:
        place.mkdir()
    left_behind(folder, **counted("2xx"))
    mine.write({"pid": os.getpid(), **counted("2xx")})
    mine.ask("scan")
    mine.others()
    mine.asked_ns("scan")
    mine.leave({"pid": os.getpid(), **counted("2xx")})
    assert target.read_text() == "of the user"


SUM = {**counted("2xx"), "workers": 1, "last": "1-1.json"}


@pytest.mark.parametrize(
    "contents",
    [
        {},
        {"workers": 1},
        counted("2xx"),
        {**SUM, "workers": "1"},
        {**SUM, "workers": 10**400},
        {**SUM, "last": None},
        {**SUM, "below": [0] * 3},
        {**SUM, "buckets": [[1, 1, 1]]},
        {**SUM, "buckets": [["1", 1]]},
        {**SUM, "libraries": {"x": {}}},
        {**SUM, "routes": {"x": 1}},
        {**SUM, "compared": {"routes": {}, "left_out": {}}},
        {**SUM, "compared": {"routes": {"x": {"compared": 1}}, "left_out": {}, "differences": []}},
        {**SUM, "compared": {"routes": {}, "left_out": {"x": 1}, "differences": []}},
        {**SUM, "compared": {"routes": {}, "left_out": {}, "differences": [{"route": "x"}]}},
        {**SUM, "reasons": [1]},
        {**SUM, "responses": {"2xx": 0.5}},
        {**SUM, "requests": None},
    ],
)
def test_sum_of_another_shape_is_begun_again(folder: Path, contents: dict[str, Any]) -> None:
    mine = made(folder)
    (group,) = folder.iterdir()
    (group / "ended.json").write_bytes(workers.dumps_to_bytes(contents))
    mine.others()
    assert mine.ended() is None
    left_behind(folder, **counted("2xx"))
    mine.others()
    ended = mine.ended()
    assert ended is not None
    assert (ended["workers"], ended["requests"]["count"]) == (1, 1)


def test_file_that_is_too_large_is_not_read(folder: Path) -> None:
    mine = made(folder)
    file = shown_by(os.getppid(), folder)
    assert len(mine.others()) == 1
    with file.open("r+b") as out:
        out.truncate(1 << 40)
    assert mine.others() == []


@pytest.mark.parametrize("name", ["0-0.json", "\u0663-1.json", f"{'9' * 30}-1.json", "-1-0.json", "1.json", "1-x.json"])
def test_name_that_is_of_no_process_is_passed_over(folder: Path, name: str) -> None:
    mine = made(folder)
    (group,) = folder.iterdir()
    (group / name).write_bytes(workers.dumps_to_bytes({"pid": 0, **counted("2xx")}))
    assert mine.others() == []


def test_reports_of_another_shape_are_not_shown(folder: Path) -> None:
    from ssrjson_web.monitor.shapes import is_report

    own = {
        "pid": 1,
        "started_at": 1.5,
        "updated_at": 2,
        **counted("2xx"),
        "routes": {},
        "reasons": {},
        "compared": {"routes": {}, "left_out": {}, "differences": [], "seconds": 1.5},
        "memory": {"rss": 1, "peak": None},
        "unavailable": {"peak": "why"},
    }
    report = workers.loads(workers.dumps_to_bytes(own))
    assert is_report(report, own)
    for name in report.keys() - {"routes", "reasons", "compared"}:
        assert not is_report({key: value for key, value in report.items() if key != name}, own)
    for name in report:
        for wrong in (b"", [1], {"x": 1}, 10**400, True):
            assert not is_report({**report, name: wrong}, own)
