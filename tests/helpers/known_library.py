"""A library of tests whose functions are known texts."""

from __future__ import annotations

import pytest

from ssrjson_web._known import texts

__all__ = ["know"]


def know(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let the tables have one text of `some_library`."""
    texts_of_functions = {name: " ".join(found) for name, found in texts.function_fingerprints(text.encode()).items()}
    tables = {
        texts.FILES: {"some_library": texts.file_fingerprint(text.encode())},
        texts.FUNCTIONS: {"some_library": texts_of_functions},
    }
    monkeypatch.setattr(texts, "_known", tables.__getitem__)
