"""Work in several threads at once, whose errors are not lost."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["in_threads"]


def in_threads(work: Callable[..., object], each: int | Iterable[Any]) -> None:
    """Call `work` in threads of their own: n times, or with each argument. Raises the first error of a thread."""
    errors: list[BaseException] = []

    def run(*arguments: Any) -> None:
        try:
            work(*arguments)
        except BaseException as error:
            errors.append(error)

    calls = [()] * each if isinstance(each, int) else [(argument,) for argument in each]
    threads = [threading.Thread(target=run, args=arguments) for arguments in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
