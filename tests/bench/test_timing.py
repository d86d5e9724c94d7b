"""The race, on a clock that the test sets."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from dataclasses import dataclass, field

from bench.rivals import Call
from bench.timing import Clock, Lane, Settings, race, timed_loop


@dataclass
class Track:
    """Lanes with calls of a given cost, and a record of the lanes that ran."""

    now_ns: int = 0
    runs: list[tuple[str, int]] = field(default_factory=list)

    def clock(self) -> int:
        return self.now_ns

    def lane(self, rival: str, ns_per_call: int, *, max_batch: int = 1000) -> Lane:
        def loop(batch: Sequence[object], clock: Clock) -> int:
            start = clock()
            self.now_ns += ns_per_call * len(batch)
            self.runs.append((rival, len(batch)))
            return clock() - start

        return Lane(rival=rival, loop=loop, batch=lambda n: [None] * n, max_batch=max_batch)


def settings(*, rounds: int = 4, min_rounds: int = 1, loop_ns: int = 1000, budget_ns: int = 10**9) -> Settings:
    return Settings(rounds=rounds, min_rounds=min_rounds, loop_ns=loop_ns, budget_ns=budget_ns)


def test_race_gives_each_lane_its_own_cost() -> None:
    track = Track()
    outcome = race([track.lane("fast", 10), track.lane("slow", 30)], settings(), track.clock)
    assert outcome.n_rounds == 4
    assert outcome.n_calls == 100  # the fastest fills 1000 ns
    assert {name: each.median_ns for name, each in outcome.samples.items()} == {"fast": 10, "slow": 30}
    assert all(each.spread == 0 for each in outcome.samples.values())


def test_race_stops_at_its_budget_but_not_before_the_least_rounds() -> None:
    track = Track()
    lane = track.lane("a", 1000)
    assert race([lane], settings(rounds=50, min_rounds=3, budget_ns=0), track.clock).n_rounds == 3
    assert race([lane], settings(rounds=50, min_rounds=3, budget_ns=10_000), track.clock).n_rounds == 10


def test_collector_rests_in_a_race_and_is_as_before_afterwards() -> None:
    track, seen = Track(), []

    def loop(batch: Sequence[object], clock: Clock) -> int:
        seen.append(gc.isenabled())
        return 1000 * len(batch)

    race([Lane(rival="a", loop=loop, batch=lambda n: [None] * n, max_batch=1)], settings(), track.clock)
    assert set(seen) == {False}
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_timed_loop_calls_the_expression_on_every_argument() -> None:
    seen: list[object] = []
    call = Call(setup="def note(value, into): into.append(value)", expression="note(*value)")
    for keep_results in (False, True):
        loop = timed_loop(call, keep_results=keep_results)
        assert loop([(1, seen), (2, seen)], iter([100, 350]).__next__) == 250
    assert seen == [1, 2, 1, 2]
