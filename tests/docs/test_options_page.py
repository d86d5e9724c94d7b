"""The page of options: every option of the compiled functions has a section there, with its default and an example."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable

import pytest
from helpers.markdown_pages import PAGES, blocks_of

import ssrjson_web

PAGE = PAGES["docs/options.md"].read_text(encoding="utf-8")
ENCODING, _, DECODING = PAGE.partition("## Options of `json.loads`\n")
SECTION = re.compile(r"^### `(\w+)`(?: of `loads`)?$(.*?)(?=^#{2,3} |\Z)", re.MULTILINE | re.DOTALL)
PARTS = {
    "Encoder": (ENCODING, ssrjson_web.Encoder),
    "dumps_to_bytes": (ENCODING, ssrjson_web.dumps_to_bytes),
    "Decoder": (DECODING, ssrjson_web.Decoder),
}


def options_of(function: object) -> dict[str, object]:
    """Name and default of each keyword-only parameter."""
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    return {each.name: each.default for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY}


@pytest.mark.parametrize("name", PARTS)
def test_options_page_has_each_option_once_and_invents_none(name: str) -> None:
    text, function = PARTS[name]
    sections = [found[1] for found in SECTION.finditer(text)]
    assert sorted(sections) == sorted(options_of(function))


def test_options_page_begins_with_a_link_to_each_section() -> None:
    sections = [found[1] for found in SECTION.finditer(PAGE)]
    table = PAGE.partition("```")[0]
    assert re.findall(r"\[(\w+)\]\(#", table) == sections


def test_options_page_says_which_option_dumps_lacks() -> None:
    missing = options_of(ssrjson_web.dumps_to_bytes).keys() - options_of(ssrjson_web.dumps).keys()
    assert missing == {"is_write_cache"}
    section = next(found[2] for found in SECTION.finditer(ENCODING) if found[1] == "is_write_cache")
    assert "`dumps_to_bytes` and `Encoder` only" in section


def test_options_page_says_which_option_loads_lacks() -> None:
    with_defaults = options_of(ssrjson_web.Decoder)
    assert with_defaults.pop("partial") == "off"
    assert with_defaults == options_of(ssrjson_web.loads)
    before = DECODING[: DECODING.index("### `partial`")]
    assert before.rstrip().endswith("## Options of `Decoder` only")


@pytest.mark.parametrize("name", PARTS)
def test_options_page_gives_the_real_defaults(name: str) -> None:
    text, function = PARTS[name]
    written = {found[1]: re.search(r"Default: `([^`]+)`", found[2])[1] for found in SECTION.finditer(text)}  # type: ignore[index]
    assert written == {
        option: f'"{default}"' if isinstance(default, str) else str(default)
        for option, default in options_of(function).items()
    }


@pytest.mark.parametrize(("name", "part"), [("encoding", ENCODING), ("decoding", DECODING)])
def test_options_page_uses_each_option_in_the_example_of_its_section(name: str, part: str) -> None:
    without = [
        found[1]
        for found in SECTION.finditer(part)
        if not any(f"{found[1]}=" in block.text for block in blocks_of(found[2]) if block.language == "pycon")
    ]
    assert without == [], name


def formats_of(make: Callable[..., object], option: str) -> list[str]:
    """The formats that an option takes, as its error names them; none for options of other kinds."""
    try:
        make(**{option: "no such format"})
    except (TypeError, ValueError) as error:
        return re.findall(r"'([^']+)'", str(error).partition("one of")[2].partition("not")[0])
    return []


@pytest.mark.parametrize(("part", "make"), [(ENCODING, ssrjson_web.Encoder), (DECODING, ssrjson_web.Decoder)])
def test_options_page_names_every_format_that_the_core_takes_and_shows_its_text(
    part: str, make: Callable[..., object]
) -> None:
    formats = {option: formats_of(make, option) for option in options_of(make)}
    assert any(formats.values())
    for found in SECTION.finditer(part):
        values = re.search(r"^Values: (.*)\. Default: ", found[2], re.MULTILINE)
        assert values is not None, found[1]
        assert [each for each in formats[found[1]] if f'`"{each}"`' not in values[1]] == [], found[1]
        examples = "".join(block.text for block in blocks_of(found[2]) if block.language == "pycon")
        others = [each for each in formats[found[1]] if each != options_of(make)[found[1]]]
        assert [each for each in others if f'{found[1]}="{each}"' not in examples] == [], found[1]
