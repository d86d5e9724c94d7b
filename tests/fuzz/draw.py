"""Choices out of a fuzzer's bytes: each byte decides something, and when they end every choice is the first one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Draw:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        at = self.at
        self.at = at + 1
        return self.data[at] if at < len(self.data) else 0

    def word(self, n_bytes: int) -> int:
        return sum(self.byte() << (8 * i) for i in range(n_bytes))

    def below(self, n: int) -> int:
        return (self.byte() if n <= 256 else self.word(2)) % n

    def flag(self) -> bool:
        return bool(self.byte() & 1)

    def choice(self, choices: Sequence[T]) -> T:
        return choices[self.below(len(choices))]

    def take(self, n: int) -> bytes:
        at = self.at
        self.at = at + n
        return self.data[at : at + n]

    def rest(self) -> bytes:
        return self.take(max(0, len(self.data) - self.at))
