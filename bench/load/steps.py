"""The number of users over time."""

from __future__ import annotations

N_STEPS = 4


def users_at(elapsed_seconds: float, *, users: int, seconds: int) -> int | None:
    """A quarter of the users, then half, three quarters, all of them, for equal times; None after the end."""
    if elapsed_seconds >= seconds:
        return None
    step = int(N_STEPS * elapsed_seconds / seconds) + 1
    return max(1, round(users * step / N_STEPS))
