"""The targets by name."""

from __future__ import annotations

from fuzz.finds import Target

FLOORS = {"writing": 1, "reading": 1, "numbers": 1}
"""What C fuzzes without Python: name and share of the time."""

PYTHON = {"decode": 3, "partial": 3, "encode": 5}

SHARES = FLOORS | PYTHON


def python_target(name: str, level: str) -> Target:
    """The target, with the core held to the level.

    The core is imported here and no sooner: one with sanitizers cannot be imported by who only wants the names.
    """
    if name == "partial":
        from fuzz import newest_messages

        newest_messages.import_core()
    from ssrjson_web import _core

    _core._use_level(level)
    if name == "decode":
        from fuzz.decode import decode_one

        return decode_one
    if name == "partial":
        from fuzz.partial import partial_one

        return partial_one
    from fuzz.encode import encode_one

    return lambda data: encode_one(data, level)
