"""The libraries: present or missing, and right on every document."""

from __future__ import annotations

import pytest

from bench.bench_decode import DecodeSubject
from bench.bench_encode import EncodeSubject
from bench.cases import Case, generated_cases
from bench.rivals import OURS, RIVALS, MissingRivalError, Rival
from bench.subject import Kind, Mode, UnableError


def is_present(rival: Rival) -> bool:
    try:
        rival.version()
    except MissingRivalError:
        return False
    return True


PRESENT = [rival for rival in RIVALS if is_present(rival)]
# blitzjson 0.1.0 drops characters beyond the basic plane when it encodes, and when it decodes their escapes; beside an
# escape it decodes the UTF-8 of other text as Latin-1.
WRONG = {
    "rows/emoji": "encode",
    "text/emoji": "encode",
    "strings/names-scripts": "encode",
    "escapes/html-chinese": "decode",
    "escapes/u-emoji": "decode",
    "escapes/u-paragraphs-emoji": "decode",
}
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
    blitzjson = [each for each in refused if each.startswith("blitzjson ")]
    assert [each for each in refused if each not in blitzjson] == []
    if "blitzjson" in {rival.name for rival in PRESENT}:
        wrong = WRONG.get(case.name)
        assert {each.split()[1] for each in blitzjson} == ({wrong} if wrong else set())
        assert all("another value" in each or "differs" in each for each in blitzjson)


def test_ours_and_stdlib_are_present() -> None:
    assert {OURS, "json"} <= {rival.name for rival in PRESENT}
