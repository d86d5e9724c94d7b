"""docs/load_testing.md as its reader runs it: the application under uvicorn, and the locustfile against it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from helpers.markdown_pages import PAGES, blocks_of
from helpers.servers import STOP_S, accepts, free_port, wait_for

TOKEN = "a-secret-of-16-characters"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The page's files, by the names in their first lines; `shop.py` is the first file of the tutorial."""
    shop, *_ = (
        block for block in blocks_of(PAGES["docs/tutorial_fastapi.md"].read_text("utf-8")) if block.language == "python"
    )
    for block in (shop, *blocks_of(PAGES["docs/load_testing.md"].read_text("utf-8"))):
        if block.language == "python":
            (tmp_path / block.text.partition("\n")[0].removeprefix("# ")).write_text(block.text, "utf-8")
    return tmp_path


@pytest.fixture
def server(folder: Path) -> Iterator[str]:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "shop:app", "--port", str(port), "--log-level", "warning"]
    process = subprocess.Popen(command, cwd=folder, env={**os.environ, "MEMORY_TOKEN": TOKEN})
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for(process, lambda: accepts(port))
        assert len(httpx.get(f"{address}/books/0").json()) == 100
        yield address
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(STOP_S)


@pytest.mark.full
def test_locustfile_of_the_page_shows_the_memory_of_the_server(folder: Path, server: str) -> None:
    command = [sys.executable, "-m", "locust", "-H", server, "--headless", "-u", "2", "-r", "2", "-t", "5s", "--json"]
    ended = subprocess.run(
        command, cwd=folder, env={**os.environ, "MEMORY_TOKEN": TOKEN}, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    rows = {row["name"]: row for row in json.loads(ended.stdout)}
    assert rows["/books"]["num_requests"] > 0, rows
    assert rows["/books"]["num_failures"] == 0
    (memory,) = (row for name, row in rows.items() if name.startswith("RSS MB pid "))
    assert memory["method"] == "MEM"
    assert 20 < memory["min_response_time"] <= memory["max_response_time"] < 2000, "megabytes"
    figures = httpx.get(f"{server}/ssrjson/stats", headers={"Authorization": f"Bearer {TOKEN}"}).json()
    assert figures["requests"]["failed"] == 0
