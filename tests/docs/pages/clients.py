"""docs/clients.md: a server that sends back the JSON that it gets."""

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Echo(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", self.headers["Content-Type"])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def before(names: dict[str, Any]) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    names["url"] = f"http://127.0.0.1:{server.server_port}/"


def after(names: dict[str, Any]) -> None:
    assert names["book"] == {"title": "红楼梦"}
    sent = asyncio.run(names["order"](names["url"], "细雪"))
    assert sent["title"] == "细雪"
    assert isinstance(sent["wanted"], str)
