"""A program: the text of classes and of steps, which can be printed, run and made smaller."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

__all__ = ["Block", "Program", "Step"]


@dataclass(frozen=True, kw_only=True)
class Block:
    """A class: its first line, and the texts of what it holds."""

    head: str
    items: Sequence[str] = ()
    is_needed: bool = False
    """Whether it stays where a program is made smaller."""

    def __str__(self) -> str:
        items = self.items or ["pass"]
        return "\n".join([self.head, *(f"    {line}" for item in items for line in item.splitlines())])


@dataclass(frozen=True, kw_only=True)
class Step:
    """Calls of a serializer for one object or one client's data."""

    x: str = "None"
    """What is read or loaded: made anew for each of the two runs."""
    calls: Sequence[str] = ()
    """Expressions and assignments, one after the other, whether or not one fails."""
    conditions: Sequence[str] = ()
    """Context managers around all."""
    before: str = ""
    """A change that is made once, before both runs, and lasts."""

    def __str__(self) -> str:
        lines = [f"# before: {self.before}"] if self.before else []
        lines += [f"with {each}:" for each in self.conditions]
        return "\n    ".join([*lines, f"x = {self.x}", *self.calls])


@dataclass(frozen=True, kw_only=True)
class Program:
    """Classes, and the steps that use them."""

    blocks: Sequence[Block]
    steps: Sequence[Step] = field(default=())

    def __str__(self) -> str:
        return "\n\n".join([*map(str, self.blocks), *(f"# step {n}\n{step}" for n, step in enumerate(self.steps))])

    @property
    def source(self) -> str:
        """The text of the classes."""
        return "\n\n".join(map(str, self.blocks))

    def smaller(self) -> Iterator[Program]:
        """This program with one thing less, each in turn."""
        for n in range(len(self.steps)):
            if len(self.steps) > 1:
                yield replace(self, steps=[*self.steps[:n], *self.steps[n + 1 :]])
        for n, block in enumerate(self.blocks):
            yield replace(self, blocks=[*self.blocks[:n], *self.blocks[n + 1 :]])
            for m in range(len(block.items)):
                less = replace(block, items=[*block.items[:m], *block.items[m + 1 :]])
                yield replace(self, blocks=[*self.blocks[:n], less, *self.blocks[n + 1 :]])
        for n, step in enumerate(self.steps):
            for less_step in _smaller_steps(step):
                yield replace(self, steps=[*self.steps[:n], less_step, *self.steps[n + 1 :]])


def _smaller_steps(step: Step) -> Iterator[Step]:
    for n in range(len(step.calls)):
        yield replace(step, calls=[*step.calls[:n], *step.calls[n + 1 :]])
    for n in range(len(step.conditions)):
        yield replace(step, conditions=[*step.conditions[:n], *step.conditions[n + 1 :]])
    if step.before:
        yield replace(step, before="")
    for x in _smaller_values(step.x):
        yield replace(step, x=x)


def _smaller_values(text: str) -> Iterator[str]:
    """The text of a value without one of the things in it, the outermost first."""
    parts = [node for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, _PARTS)]
    for n, node in enumerate(parts):
        for m in range(_n_parts(node)):
            tree = ast.parse(text, mode="eval")
            same = [each for each in ast.walk(tree) if isinstance(each, _PARTS)][n]
            if isinstance(same, ast.Dict):
                del same.keys[m], same.values[m]
            elif isinstance(same, ast.Call):
                del same.keywords[m]
            else:
                del same.elts[m]
            yield ast.unparse(tree)


_PARTS = (ast.List, ast.Tuple, ast.Dict, ast.Call)


def _n_parts(node: ast.List | ast.Tuple | ast.Dict | ast.Call) -> int:
    if isinstance(node, ast.Dict):
        return len(node.keys)
    return len(node.keywords) if isinstance(node, ast.Call) else len(node.elts)
