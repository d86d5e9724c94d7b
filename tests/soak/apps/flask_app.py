"""On Flask, with our extension."""

from __future__ import annotations

import sys
from typing import Any

from flask import Flask, Response, request
from soaked import page, rows, tasks

from ssrjson_web.flask import SSRJSON, stream_array, stream_lines

app = Flask(__name__)
SSRJSON(app, mode="fast")


@app.get("/page")
def show_page() -> Any:
    return page()


@app.post("/echo")
def echo() -> Any:
    return {"got": request.get_json()}


@app.get("/stream")
def stream() -> Response:
    return stream_array(rows())


@app.get("/lines")
def lines() -> Response:
    return stream_lines(rows())


@app.get("/tasks")
def show_tasks() -> Any:
    return tasks()


if __name__ == "__main__":
    app.run("127.0.0.1", int(sys.argv[1]))
