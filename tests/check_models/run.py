"""Compare random models with pydantic, as `make check-models ARGS='...'` does.

Random values are written, and random models made of them, without validation where that is possible. The texts and the
models must be those of pydantic, and functions of the models must be called as pydantic calls them. Random JSON texts
are decoded to random types, in pydantic's JSON mode and in its Python mode. The installed pydantic is the one that is
compared with.
"""

from __future__ import annotations

from dataclasses import dataclass

import pydantic
from helpers.checks import add_options, seeds_alike

from check_models.acceptances import RandomAcceptance
from check_models.bodies import RandomBody
from check_models.functions import RandomFunctions
from ssrjson_web._cli.command_line import Parser

PROGRAM = "python -m check_models"


@dataclass
class Counts:
    """Cases until now; a case is one value of one model, or one text of one type."""

    models: int = 0
    """Models and types of bodies."""
    texts: int = 0
    """Values that were written without validation."""
    bodies: int = 0
    """Values of which models were made without validation."""
    calls: int = 0
    """Values of which models with an application's functions were made without validation."""
    instances: int = 0
    """Instances, many of them changed after validation, whose texts and warnings are pydantic's."""

    def __str__(self) -> str:
        without = f"{self.texts:,} texts and {self.bodies:,} bodies without validation"
        by_core = f"{self.calls:,} bodies whose functions the core called"
        return f"{self.models:,} models, {without}, {by_core}, {self.instances:,} instances"


def check_seed(seed: int, n_values: int, counts: Counts) -> None:
    """Compare a seed's model, its type of a body, and its model with functions.

    Raises AssertionError where something differs.
    """
    case = RandomAcceptance.of(seed)
    if case is not None:
        counts.models += 1
        for value in case.inputs(n_values):
            counts.texts += case.has_text(value)
            counts.bodies += case.has_models(value)
        for instance in case.instances(n_values):
            counts.instances += case.is_dumped_alike(instance)
    body = RandomBody.of(seed)
    if body is not None:
        counts.models += 1
        for text in body.texts(n_values):
            counts.bodies += body.check(text)
    functions = RandomFunctions(seed, depth=seed % 4)
    counts.models += 1
    for value in functions.values(n_values):
        counts.calls += functions.check(value)


def main(arguments: list[str] | None = None) -> int:
    """The exit status: 0 where nothing differs from pydantic, 1 where something does. Ctrl-C: KeyboardInterrupt."""
    parser = Parser(prog=PROGRAM, description=(__doc__ or "").split("\n")[0])
    add_options(parser, "model")
    options = parser.parse_args(arguments)
    counts = Counts()
    seeds = seeds_alike(options, check_seed, counts)
    if not seeds:
        return 1
    print(f"pydantic {pydantic.VERSION}: {counts}, {seeds}: as pydantic does")
    return 0
