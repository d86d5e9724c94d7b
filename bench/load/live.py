"""A page of locust's web interface: the server's workers during the load."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flask import Response
from locust.web import WebUI

from bench.kit import markup
from bench.load.curves import as_html, worker_charts
from bench.load.samples import Sample

PATH = "/ssrjson"

_SCRIPT = """
async function draw() {
  try {
    const answer = await fetch("ssrjson/curves");
    if (answer.ok) document.getElementById("curves").innerHTML = await answer.text();
  } catch {
    // the test has ended: the last curves stay
  }
  setTimeout(draw, 1000);
}
draw();
"""
_PAGE = markup.page(
    "Workers under load",
    [
        markup.heading(1, "The server's workers under load"),
        '<p class="quiet">A new figure each second. <a href="./">locust</a></p>',
        '<div id="curves"></div>',
    ],
    script=_SCRIPT,
)


def add_page(web_ui: WebUI, samples: Callable[[], Sequence[Sample]]) -> None:
    """Adds the page; the login of the interface protects it."""
    assert web_ui.app is not None

    @web_ui.app.route(PATH)
    @web_ui.auth_required_if_enabled
    def workers_page() -> str:
        return _PAGE

    @web_ui.app.route(f"{PATH}/curves")
    @web_ui.auth_required_if_enabled
    def workers_curves() -> Response:
        return Response(as_html(worker_charts(samples())), headers={"Cache-Control": "no-store"})
