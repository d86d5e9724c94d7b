"""Server processes: they start or report why they do not, and leave no process running."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="fastapi is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")


from helpers.processes import all_gone, is_running

from bench.demo.measure import WrongAnswer, measure
from bench.demo.server import CatalogueServer, serving
from bench.demo.sweep import connect_workers
from bench.kit.processes import ProcessDied
from bench.kit.records import generate

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux's /proc")


def start(*, engine: str = "json", workers: int = 0) -> AbstractContextManager[CatalogueServer]:
    return serving(engine=engine, megabytes=0.3, script="mixed", seed=1, workers=workers)


def test_server_ready_tells_its_catalogue_and_stops_without_trace() -> None:
    with start() as server:
        assert server.workers == [server.pid]
        assert server.records == len(generate(megabytes=0.3).records)
        assert is_running(server.pid)
    assert not is_running(server.pid)


def test_server_workers_are_reached_and_stop_with_it() -> None:
    async def pids_of_workers() -> dict[int, int]:
        taken = await connect_workers(server.port, workers=server.workers, each=2)
        counts = {pid: len(connections) for pid, connections in taken.items()}
        for connections in taken.values():
            for connection in connections:
                await connection.close()
        return counts

    with start(workers=3) as server:
        workers = server.workers
        assert len(set(workers) - {server.pid}) == 3
        assert asyncio.run(pids_of_workers()) == dict.fromkeys(workers, 2)
    assert all_gone([server.pid, *workers])


def test_server_worker_that_ends_takes_the_others_with_it() -> None:
    with start(workers=2) as server:
        workers = server.workers
        os.kill(workers[0], signal.SIGKILL)
        assert all_gone([server.pid, *workers])
        assert f"worker {workers[0]}" in str(server.process.died("gone"))


def test_server_listens_on_the_loopback_only() -> None:
    with start() as server:
        listening = [
            line.split()[1]
            for line in Path(f"/proc/{server.pid}/net/tcp").read_text().splitlines()[1:]
            if line.split()[3] == "0A" and line.split()[1].endswith(f":{server.port:04X}")
        ]
    assert listening == [f"0100007F:{server.port:04X}"]


def test_server_that_cannot_import_its_engine_dies_with_its_last_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "orjson.py").write_text("raise RuntimeError('broken on purpose')\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ProcessDied, match="broken on purpose") as caught, start(engine="orjson"):
        pass
    assert str(caught.value).startswith("the server did not start")


@pytest.mark.usefixtures("unpaced")
def test_measure_lost_server_raises_process_died() -> None:
    def end_it(_done: int, _total: int) -> None:
        os.kill(server.pid, signal.SIGKILL)

    with start() as server, pytest.raises(ProcessDied, match="/records"):
        measure(server, engine="json", script="mixed", seed=1, seconds=60, on_page=end_it)


@pytest.mark.usefixtures("unpaced")
def test_measure_wrong_content_raises_wrong_answer() -> None:
    with start() as server, pytest.raises(WrongAnswer, match="other content than the catalogue's"):
        measure(server, engine="json", script="mixed", seed=2, seconds=60)


@pytest.mark.usefixtures("unpaced")
def test_measure_orjson_finds_the_copies_that_a_truth_run_makes() -> None:
    orjson = pytest.importorskip("orjson", reason="orjson is not installed")
    from ssrjson_web import scan_utf8_cache

    truth = generate(megabytes=0.3)
    orjson.dumps(truth.records)
    with start(engine="orjson") as server:
        run = measure(server, engine="orjson", script="mixed", seed=1, seconds=60)
    assert run.sweeps[0].served_all
    assert run.server.copies_bytes == scan_utf8_cache(truth.records)["bytes"] > 0
    assert len(run.samples) >= 2


@pytest.mark.usefixtures("unpaced")
def test_measure_preload_serves_each_worker_the_whole_catalogue() -> None:
    with start(engine="ssrjson_web", workers=2) as server:
        workers = server.workers
        run = measure(server, engine="ssrjson_web", script="mixed", seed=1, seconds=60)
    assert [sweep.served_all for sweep in run.sweeps] == [True, True]
    assert [worker.pid for worker in run.workers] == workers
    assert run.server.pid == server.pid
    for process in run.processes:
        assert 0 < process.uss_base_bytes < process.rss_base_bytes < 200_000_000
        assert 0 < process.uss_trimmed_bytes < process.rss_trimmed_bytes < 200_000_000
    assert [worker.copies_bytes for worker in run.workers] == [0, 0]


@pytest.mark.usefixtures("unpaced")
def test_measure_preload_counts_the_copies_of_each_worker() -> None:
    orjson = pytest.importorskip("orjson", reason="orjson is not installed")
    from ssrjson_web import scan_utf8_cache

    truth = generate(megabytes=0.3)
    orjson.dumps(truth.records)
    with start(engine="orjson", workers=3) as server:
        run = measure(server, engine="orjson", script="mixed", seed=1, seconds=60)
    n_bytes = scan_utf8_cache(truth.records)["bytes"]
    assert [worker.copies_bytes for worker in run.workers] == [n_bytes] * 3
    assert run.server.caches is None
