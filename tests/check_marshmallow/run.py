"""Compare random schemas with marshmallow's own way, as `make check-marshmallow ARGS='...'` does.

Random objects are dumped, and random data is loaded, right, nearly right and wrong. The results, with their types and
the order of their keys, the errors and the calls of the user's code must be those of the installed marshmallow.
"""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import marshmallow
from helpers.checks import add_options, seeds_alike
from marshmallow import EXCLUDE, INCLUDE, RAISE, ValidationError

from check_marshmallow.random_fields import CALLS, text_of
from check_marshmallow.random_schemas import CHANGES, draw_schema, instance_options
from ssrjson_web._cli.command_line import Parser
from ssrjson_web.marshmallow import _plans, disabled, setup

PROGRAM = "python -m check_marshmallow"
_MAX_DEPTH = 40


@dataclass
class Counts:
    """Cases until now."""

    schemas: int = 0
    dumps: int = 0
    loads: int = 0
    errors: int = 0
    by_plan: int = 0

    def __str__(self) -> str:
        cases = f"{self.dumps:,} dumps and {self.loads:,} loads, {self.errors:,} of them errors"
        return f"{self.schemas:,} schemas, {cases}, {self.by_plan:,} by a plan"


def described(value: Any, containers: frozenset[int], depth: int = 0) -> Any:
    """A value with its types, the order of its keys, and whether it is one of the containers."""
    cls = type(value).__name__
    if depth > _MAX_DEPTH:
        return cls
    if isinstance(value, Mapping):
        items = [
            (described(key, containers, depth + 1), described(part, containers, depth + 1))
            for key, part in value.items()
        ]
        return cls, id(value) in containers, items
    if isinstance(value, (list, tuple)):
        return cls, id(value) in containers, [described(part, containers, depth + 1) for part in value]
    return cls, text_of(value)


def _containers(value: Any, depth: int = 0) -> set[int]:
    found: set[int] = set()
    if depth > 8:
        return found
    if isinstance(value, Mapping):
        found.add(id(value))
        for part in value.values():
            found |= _containers(part, depth + 1)
    elif isinstance(value, (list, tuple)):
        found.add(id(value))
        for part in value:
            found |= _containers(part, depth + 1)
    elif hasattr(value, "__dict__") and not isinstance(value, type):
        found |= _containers(vars(value), depth + 1)
    return found


def outcome(call: Callable[[], Any], given: Any) -> Any:
    """What a call returns or raises, and the calls of the user's code that it makes."""
    CALLS.clear()
    containers = frozenset(_containers(given))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            told: Any = ("value", described(call(), containers))
        except ValidationError as error:
            parts = (error.messages, error.valid_data, error.data, error.field_name, error.kwargs)
            told = ("invalid", [described(part, containers) for part in parts])
        except Exception as error:
            told = ("error", type(error).__name__, text_of(str(error)))
    return told, list(CALLS)


class Twins:
    """Instances of two classes that are alike: one works with plans, the other in marshmallow's way."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.schema = draw_schema(self.random)
        self._given = instance_options(self.random, self.schema)
        self._stock = draw_schema(random.Random(seed))
        self.renew()

    def renew(self) -> None:
        """Make new instances."""
        self.ours = self.schema.cls(**self._given)
        self.stock = self._stock.cls(**self._given)

    def compare(self, act: Callable[[Any, Any], Any], given: Any, counts: Counts) -> None:
        """Raises AssertionError where the two differ."""
        mine, theirs = copy.deepcopy(given), copy.deepcopy(given)
        ours = outcome(lambda: act(self.ours, mine), mine)
        with disabled():
            expected = outcome(lambda: act(self.stock, theirs), theirs)
        counts.errors += expected[0][0] != "value"
        kept = vars(self.ours).get("_ssrjson_plans")
        counts.by_plan += bool(getattr(kept, "plans", None))
        if ours != expected:
            told = difference(ours, expected)
            raise AssertionError(f"{told}\ngiven {described(given, frozenset())}\n{self.ours.fields}")


def difference(ours: Any, expected: Any) -> str:
    """The innermost parts that differ."""
    if type(ours) is type(expected) and isinstance(ours, (list, tuple)) and len(ours) == len(expected):
        return next(difference(mine, theirs) for mine, theirs in zip(ours, expected, strict=True) if mine != theirs)
    return f"\nours  {ours}\nstock {expected}"


def check_seed(seed: int, n_values: int, counts: Counts) -> None:
    """Compare a seed's schema. Raises AssertionError where something differs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            twins = Twins(seed)
        except (ValueError, TypeError):
            return  # marshmallow does not take the options
        counts.schemas += 1
        r = twins.random
        for n in range(n_values):
            if r.random() < 0.1:
                twins.renew()
            elif r.random() < 0.05:
                change, name = r.choice(CHANGES), r.choice(list(twins.schema.fields))
                for each in (twins.ours, twins.stock):
                    if name in each.fields:
                        change(each, name)
            elif r.random() < 0.02:
                twins.ours, twins.stock = copy.copy(twins.ours), copy.copy(twins.stock)
            (_dump if n % 2 else _load)(r, twins, counts)


def _dump(r: random.Random, twins: Twins, counts: Counts) -> None:
    counts.dumps += 1
    many = r.choice([None, None, True, False])
    is_many = twins.ours.many if many is None else many
    things: Any = (
        [twins.schema.internal(r) for _ in range(r.choice([0, 1, 2, 5]))] if is_many else twins.schema.internal(r)
    )
    if is_many and r.random() < 0.1:
        things = tuple(things)
    twins.compare(lambda schema, given: schema.dump(given, many=many), things, counts)


def _load(r: random.Random, twins: Twins, counts: Counts) -> None:
    counts.loads += 1
    many = r.choice([None, None, True, False])
    is_many = twins.ours.many if many is None else many
    data: Any = (
        [twins.schema.external(r) for _ in range(r.choice([0, 1, 2, 5]))] if is_many else twins.schema.external(r)
    )
    if r.random() < 0.03:
        data = r.choice([(data,), {"f0": data}, [data]])
    named: dict[str, Any] = {"many": many}
    if r.random() < 0.15:
        named["partial"] = r.choice([True, False, ("f0", "f1.f0", "f2"), ["f1", "f0.f1"], {"f3"}, 1, iter(["f0"])])
    if r.random() < 0.15:
        named["unknown"] = r.choice([EXCLUDE, INCLUDE, RAISE])
    if "partial" in named and not isinstance(named["partial"], (bool, tuple, list, set, int)):
        named["partial"] = ("f0",)
    method = "validate" if r.random() < 0.05 else "load"
    if method == "validate":
        named.pop("unknown", None)
    twins.compare(lambda schema, given: getattr(schema, method)(given, **named), data, counts)


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 0 where nothing differs from marshmallow, 1 where something does. Ctrl-C: KeyboardInterrupt."""
    parser = Parser(prog=PROGRAM, description=(__doc__ or "").split("\n")[0])
    add_options(parser, "schema")
    options = parser.parse_args(arguments)
    setup()
    _plans.FEW_ITEMS = 0  # plans from the first call on
    counts = Counts()
    seeds = seeds_alike(options, check_seed, counts)
    if not seeds:
        return 1
    print(f"marshmallow {_version()}: {counts}, {seeds}: as marshmallow does")
    return 0


def _version() -> str:
    from importlib import metadata

    return metadata.version(marshmallow.__name__)
