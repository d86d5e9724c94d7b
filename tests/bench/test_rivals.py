"""The libraries: present or missing, and right on every document."""

from __future__ import annotations

import pytest

from bench.bench_decode import DecodeSubject
from bench.bench_encode import EncodeSubject
from bench.cases import Case, generated_cases
from bench.rivals import OURS, RIVALS, Call, MissingRivalError, Rival, select
from bench.subject import Kind, Mode, UnableError


def is_present(rival: Rival) -> bool:
    try:
        rival.version()
    except MissingRivalError:
        return False
    return True


PRESENT = [rival for rival in RIVALS if is_present(rival)]
PLAIN = [case for case in generated_cases() if case.style != "numpy"]


@pytest.mark.parametrize("case", PLAIN, ids=lambda case: case.name)
def test_every_rival_that_is_installed_agrees_with_stdlib(case: Case) -> None:
    refused = []
    kinds: tuple[Kind, ...] = ("bytes", "str")
    for operation in case.operations:
        subject = EncodeSubject.of(case) if operation == "encode" else DecodeSubject.of(case)
        for kind in kinds:
            for rival in PRESENT:
                if rival.makes(operation, kind):
                    try:
                        subject.entry(rival, Mode(operation=operation, kind=kind, temperature="cold"))
                    except UnableError as error:
                        refused.append(f"{rival.name} {operation} {kind}: {error}")
    assert refused == []


def test_ours_and_stdlib_are_present() -> None:
    assert {OURS, "json"} <= {rival.name for rival in PRESENT}


def test_missing_rival_says_what_to_install() -> None:
    rival = Rival(name="x", distribution="x-json", decode=Call(setup="import no_such_module", expression="0"))
    with pytest.raises(
        MissingRivalError, match=r"^x: not installed \(No module named 'no_such_module'; pip install x-json"
    ):
        rival.version()


def test_rival_whose_import_fails_says_why() -> None:
    rival = Rival(name="x", distribution="x", decode=Call(setup="raise ImportError('wrong level')", expression="0"))
    with pytest.raises(MissingRivalError, match=r"^x: ImportError: wrong level$"):
        rival.version()


def test_select_keeps_ours_and_refuses_strangers() -> None:
    assert [rival.name for rival in select(["orjson"])] == [OURS, "orjson"]
    assert select([]) == list(RIVALS)
    with pytest.raises(ValueError, match="unknown rival nobody: choose from ssrjson_web, "):
        select(["nobody"])


def test_plain_call_stands_in_for_a_web_call_but_not_for_a_numpy_call() -> None:
    orjson = next(rival for rival in RIVALS if rival.name == "orjson")
    msgspec = next(rival for rival in RIVALS if rival.name == "msgspec")
    assert orjson.call("encode", "bytes", "web") is orjson.encode_bytes
    assert msgspec.call("encode", "bytes", "numpy") is None
