"""Starts and stops the demo's server processes."""

from __future__ import annotations

from bench.kit.processes import ALLOCATOR, Process, listen, python_module

__all__ = ["LIVE_TOKEN", "Server"]

_READY_SECONDS = 120.0
_STOP_SECONDS = 3.0

LIVE_TOKEN = "SSRJSON_DEMO_LIVE_TOKEN"
"""The variable with the token of a server's live page: all users can read command lines."""


class Server(Process):
    """A running server; leaving its `with` block ends it and its workers."""

    def __init__(
        self,
        *,
        engine: str,
        megabytes: float,
        script: str,
        seed: int,
        workers: int = 0,
        port: int = 0,
        live_token: str | None = None,
    ) -> None:
        """Start it, with the live page if there is a token for it. It ends with this process, however that ends.

        Raises OSError when `port` is taken.
        """
        with listen(port) as listener:
            self.port: int = listener.getsockname()[1]
            super().__init__(
                python_module(
                    "bench.demo.serve",
                    f"--engine={engine}",
                    f"--megabytes={megabytes}",
                    f"--script={script}",
                    f"--seed={seed}",
                    f"--workers={workers}",
                    f"--listener={listener.fileno()}",
                ),
                environment={**ALLOCATOR, **({LIVE_TOKEN: live_token} if live_token else {})},
                descriptors=[listener.fileno()],
                tells_ready=True,
                stop_seconds=_STOP_SECONDS,
            )
        self.workers: list[int] = []
        self.records = self.n_bytes = self.text_bytes = 0

    def wait_ready(self, *, seconds: float = _READY_SECONDS) -> None:
        """Return when the catalogue is loaded and requests are answered. Raises ProcessDied."""
        ready = self.read_ready(seconds=seconds)
        self.workers = ready["workers"]
        self.records = ready["records"]
        self.n_bytes = ready["n_bytes"]
        self.text_bytes = ready["text_bytes"]

    def __enter__(self) -> Server:
        return self
