"""The check of random models itself: it passes on this core, and finds what another core would do wrong."""

from __future__ import annotations

import os
import signal

import pytest

pytest.importorskip("pydantic", reason="pydantic is not installed")

from check_models import run

from ssrjson_web._models.adapter import AdapterEncoder


def test_other_text_is_found(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    stock = AdapterEncoder.encode_unvalidated

    def spaced(self: AdapterEncoder, value: object) -> bytes | None:
        body = stock(self, value)
        return None if body is None else body + b" "

    monkeypatch.setattr(AdapterEncoder, "encode_unvalidated", spaced)
    assert run.main(["--minutes", "1", "--seed", "3"]) == 1
    output = capsys.readouterr()
    assert output.out.startswith("differs: --seed ")
    assert "AssertionError" in output.err


def test_case_ends_before_ctrl_c_is_obeyed(monkeypatch: pytest.MonkeyPatch) -> None:
    """pydantic makes an error of a KeyboardInterrupt in Python code that it calls: no difference from our text."""
    ended: list[int] = []

    def interrupted_seed(seed: int, n_values: int, counts: run.Counts) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        ended.append(seed)

    monkeypatch.setattr(run, "check_seed", interrupted_seed)
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run.main(["--minutes", "1", "--seed", "3"])
    assert ended == [3]
    assert signal.getsignal(signal.SIGINT) is handler
