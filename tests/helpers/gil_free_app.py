"""The application that tests start under servers without the GIL: one endpoint of each kind."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from fastapi import FastAPI, UploadFile
from pydantic import BaseModel
from starlette.responses import StreamingResponse

from ssrjson_web.fastapi import setup


class Item(BaseModel):
    id: int
    name: str


def items() -> Iterator[bytes]:
    yield from (f'{{"id":{n}}}\n'.encode() for n in range(3))


app = FastAPI()


@app.get("/typed", response_model=list[Item])
async def typed() -> Any:
    return [Item(id=1, name="中文")]


@app.post("/typed")
async def take(item: Item) -> Any:
    return {"name": item.name}


@app.get("/stream")
def stream() -> Any:
    return StreamingResponse(items(), media_type="application/jsonl")


@app.post("/upload")
async def upload(file: UploadFile) -> Any:
    return {"n": len(await file.read())}


@app.get("/gil")
def gil() -> Any:
    return {"is_on": sys._is_gil_enabled()}  # type: ignore[attr-defined]


setup(app)
