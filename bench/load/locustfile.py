"""The load: `locust -f bench/load/locustfile.py -H http://127.0.0.1:PORT`, in one process, with `--processes`, or
with `--master` and `--worker`. `python -m bench load` starts it with a server to load.

The token of the memory middleware comes from the environment variable SSRJSON_LOAD_TOKEN.
"""

from __future__ import annotations

import functools
import json
import os
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_ROOT = str(Path(__file__).resolve().parents[2])
if _ROOT not in sys.path:  # locust loads this file by its path
    sys.path.append(_ROOT)

from bench.source_tree import prefer_installed_packages  # noqa: E402

prefer_installed_packages()

import gevent  # noqa: E402
from locust import FastHttpUser, LoadTestShape, between, events, task  # noqa: E402
from locust.argument_parser import LocustArgumentParser  # noqa: E402
from locust.env import Environment  # noqa: E402
from locust.exception import StopUser  # noqa: E402
from locust.runners import MasterRunner, Runner, WorkerRunner  # noqa: E402

from bench.kit.answers import events_fault, page_fault, value_fault  # noqa: E402
from bench.load.plan import TOKEN  # noqa: E402
from bench.load.poller import Poller  # noqa: E402
from bench.load.shelf import FRESH, MAX_RECORDS, POSTED, RESIDENT, made, receipt  # noqa: E402
from bench.load.stats import Stats  # noqa: E402
from bench.load.steps import users_at  # noqa: E402

SIZES = {"2 KB": 1, "40 KB": 20, "400 KB": MAX_RECORDS}
"""Number of records of a body, by its size in most scripts; more requests are small than large."""
_WEIGHTS = (6, 3, 1)
_COMPARED_EVERY = 25
"""One answer in this many is parsed and compared with the expected records; in all others they are counted."""
_CLOSED_EVERY = 20
"""After this many requests a user opens a new connection, so that all workers of the server get requests."""
_N_POSTED = 8
_PART_BYTES, _PART_PAUSE_SECONDS, _N_PAUSES = 7001, 0.01, 5
_USERS, _SECONDS = 10, 20
"""Defaults of the command line."""


class User(FastHttpUser):
    """Walks through the catalogues."""

    abstract = True
    wait_time = between(0.01, 0.05)
    connection_timeout = network_timeout = 30.0

    def on_start(self) -> None:
        with self.client.get("/about", catch_response=True) as response:
            if response.status_code != 200:
                response.failure(f"status {response.status_code}: not an application of the load test")
                raise StopUser
            self._records: dict[str, int] = response.json()["records"]
        self._places = {script: random.randrange(number) for script, number in self._records.items()}
        self._n_answers = self._n_requests = 0

    def _get(self, kind: str, *, seed: int, fault_of: Any = page_fault) -> None:
        script, size = self._choice()
        first = self._places[script]
        count = min(SIZES[size], self._records[script] - first)
        self._places[script] = (first + count) % self._records[script]
        path = f"/{kind}/{script}?first={first}&count={count}"
        with self.client.get(path, headers=self._headers(), name=f"/{kind} {size}", catch_response=True) as response:
            self._n_answers += 1
            is_compared = self._n_answers % _COMPARED_EVERY == 1
            fault = fault_of(
                response.status_code,
                response.content,
                count=count,
                expected=functools.partial(made, script, seed=seed, first=first, count=count) if is_compared else None,
            )
            if fault:
                response.failure(f"{path}: {fault}")

    def _post(self, kind: str, *, in_parts: bool = False) -> None:
        script, size = self._choice()
        body, expected = _order(script, SIZES[size], random.randrange(_N_POSTED))
        with self.client.post(
            f"/{kind}",
            data=_parts(body) if in_parts else body,  # type: ignore[arg-type] # bytes are sent as they are
            headers={**self._headers(), "Content-Type": "application/json"},
            name=f"/{kind} {size}",
            catch_response=True,
        ) as response:
            fault = value_fault(response.status_code, response.content, expected=expected)
            if fault:
                response.failure(fault)

    def _headers(self) -> dict[str, str]:
        self._n_requests += 1
        return {"Connection": "close"} if self._n_requests % _CLOSED_EVERY == 0 else {}

    def _choice(self) -> tuple[str, str]:
        return random.choice(list(self._records)), random.choices(list(SIZES), _WEIGHTS)[0]


class Shopper(User):
    """Reads the pages of the catalogues, and posts orders."""

    @task(6)
    def resident(self) -> None:
        self._get("resident", seed=RESIDENT)

    @task(2)
    def models(self) -> None:
        self._get("models", seed=RESIDENT)

    @task(1)
    def transient(self) -> None:
        self._get("transient", seed=FRESH)

    @task(2)
    def order(self) -> None:
        self._post("orders")


class Streamer(User):
    """Reads records as server-sent events, and uploads some in parts."""

    @task(4)
    def events(self) -> None:
        self._get("events", seed=RESIDENT, fault_of=events_fault)

    @task(1)
    def upload(self) -> None:
        self._post("imports", in_parts=True)


_CLASSES = {"pages": Shopper, "streams": Streamer}
"""By kind of traffic."""


class Steps(LoadTestShape):
    """More users in four steps, up to `--users`, within `--run-time`."""

    use_common_options = True

    def tick(self) -> tuple[int, float] | None:
        assert self.runner is not None
        environment = self.runner.environment
        poller = _pollers[environment]
        if not poller.is_prepared:
            poller.prepare()
            self.reset_time()
        options = _options(environment)
        number = users_at(self.get_run_time(), users=options.num_users or _USERS, seconds=options.run_time or _SECONDS)
        return None if number is None else (number, max(1.0, number))


def _parts(body: bytes) -> Iterator[bytes]:
    """The body in chunks that end anywhere, with a pause after each of the first ones."""
    for number, begin in enumerate(range(0, len(body), _PART_BYTES)):
        if 0 < number < _N_PAUSES:
            gevent.sleep(_PART_PAUSE_SECONDS)
        yield body[begin : begin + _PART_BYTES]


@functools.cache
def _order(script: str, count: int, number: int) -> tuple[bytes, dict[str, int]]:
    records = made(script, seed=POSTED, first=number * MAX_RECORDS, count=count)
    return json.dumps(records, ensure_ascii=False, separators=(",", ":")).encode(), receipt(records)


def _options(environment: Environment) -> Any:
    return environment.parsed_options


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)


_pollers: dict[Environment, Poller] = {}
"""Pollers of the environments that are not locust's workers: the master polls for all."""


def _add_options(parser: LocustArgumentParser) -> None:
    add = functools.partial(parser.add_argument, include_in_web_ui=False)
    add("--server-workers", type=int, default=1, help="number of processes of the server")
    add("--traffic", choices=["pages", "streams"], default="pages", help="what users do; streams: with FastAPI only")
    add("--start", action="store_true", help="with the web page: begin the load at once")
    # locust sends all options to its workers, and has no way to send a Path
    add("--samples", metavar="FILE", help="write each sample, a line of JSON")
    add("--outcome", metavar="FILE", help="write the workers before and after, as JSON")


def _begin(environment: Environment, **_: Any) -> None:
    environment.user_classes = [_CLASSES[_options(environment).traffic]]
    if isinstance(environment.runner, WorkerRunner):
        return
    options = _options(environment)
    _pollers[environment] = Poller(
        environment,
        Stats(environment.host or "", token=os.environ.get(TOKEN, "")),
        n_workers=options.server_workers,
        samples_file=_path(options.samples),
        outcome_file=_path(options.outcome),
    )
    if environment.web_ui is not None and options.start:
        gevent.spawn(_start, environment.runner, options.expect_workers)


def _start(runner: Runner, n_expected: int) -> None:
    """Start the load. With `--autostart` instead, the first Ctrl-C would end only the test."""
    while isinstance(runner, MasterRunner) and len(runner.clients.ready) < n_expected:
        gevent.sleep(0.2)
    runner.start_shape()


def _start_polling(environment: Environment, **_: Any) -> None:
    if environment in _pollers:
        _pollers[environment].start()


def _stop_polling(environment: Environment, **_: Any) -> None:
    if environment in _pollers:
        _pollers[environment].stop()


events.init_command_line_parser.add_listener(_add_options)
events.init.add_listener(_begin)
events.test_start.add_listener(_start_polling)
events.test_stop.add_listener(_stop_polling)
