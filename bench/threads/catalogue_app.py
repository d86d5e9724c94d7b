"""The application of `python -m bench one-copy`: 30 MB of records that stay in memory, as models, in pages of 20."""

from __future__ import annotations

import os
import sys
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel

N_PAGES = 1000
N_OF_PAGE = 20
N_CHARS = 750
"""Of a text: 1500 bytes in memory, 2250 in UTF-8."""


class Record(BaseModel):
    id: int
    text: str
    tags: list[str]


def record(number: int) -> Record:
    start = 0x4E00 + number % 5000
    return Record(id=number, text="".join(map(chr, range(start, start + N_CHARS))), tags=["é", "b"])


PAGES = [[record(page * N_OF_PAGE + n) for n in range(N_OF_PAGE)] for page in range(N_PAGES)]

app = FastAPI()


@app.get("/page/{number}", response_model=list[Record])
async def page(number: int) -> Any:
    return PAGES[number % N_PAGES]


@app.get("/about", response_model=None)
async def about() -> Any:
    return {"is_gil_on": getattr(sys, "_is_gil_enabled", lambda: True)(), "n_pages": N_PAGES}


if os.environ.get("BENCH_ENGINE") == "ssrjson_web":
    from ssrjson_web.fastapi import setup

    setup(app)
