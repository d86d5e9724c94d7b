"""Write the tables of the core, which CMake asks for: `python core/generate_tables.py FOLDER`.

Each header is for a room of core/, and is written only where it differs, so that nothing is compiled again for it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

SHORT_ESCAPES = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}
MIN_POWER = -342  # below it every 64-bit decimal significand rounds to 0.0
MAX_POWER = 324  # the inverse of the smallest subnormal's power of ten
MIN_EXPONENT = -324  # of the smallest subnormal, 5e-324
MAX_EXPONENT = 308
CELLS_A_LINE = 16

# C


def definition(comment: str, declared: str, cells: Sequence[str]) -> str:
    lines = [", ".join(cells[i : i + CELLS_A_LINE]) for i in range(0, len(cells), CELLS_A_LINE)]
    return f"/* {comment} */\n{declared} = {{\n" + ",\n".join(lines) + "};\n"


def array(comment: str, element: str, name: str, numbers: Sequence[int]) -> str:
    """An array that each level has where it uses it."""
    declared = f"static const {element} {name}[{len(numbers)}] CACHE_ALIGNED MAYBE_UNUSED"
    return definition(comment, declared, [str(number) for number in numbers])


def shared(comment: str, element: str, name: str, cells: Sequence[str]) -> str:
    """An array that all levels have in common, of constants in C."""
    return definition(comment, f"SHARED_TABLE const {element} {name}[{len(cells)}] CACHE_ALIGNED", cells)


def shuffles(comment: str, name: str, rows: Iterable[Sequence[int]]) -> str:
    """An array of shuffles of sixteen bytes, which all levels have in common."""
    cells = ["{" + ", ".join(map(str, row)) + "}" for row in rows]
    return definition(comment, f"SHARED_TABLE const uint8_t {name}[{len(cells)}][16] CACHE_ALIGNED", cells)


def text_word(text: bytes) -> str:
    """A text of at most seven bytes in a little-endian word, its length in the top byte."""
    return f"0x{int.from_bytes(text.ljust(7, bytes(1)) + bytes([len(text)]), 'little'):x}"


# Text


def escape_sequence(code: int) -> bytes:
    """What JSON text holds for one code unit below 256, non-ASCII left as it is."""
    if code in SHORT_ESCAPES:
        return SHORT_ESCAPES[code]
    return b"\\u%04x" % code if code < 0x20 else bytes([code])


def escaped_letter(code: int) -> int:
    """0x80 and the letter of its escape, if it has one; the ASCII character itself where it is not escaped."""
    sequence = escape_sequence(code)
    return code if sequence == bytes([code]) else 0x80 | (sequence[1] if len(sequence) == 2 else 0)


def escape_tables() -> list[str]:
    return [
        shared(
            "What JSON text holds for each byte; length in the top byte.",
            "uint64_t",
            "ESCAPE_TABLE",
            [text_word(escape_sequence(code)) for code in range(256)],
        ),
        array(
            "The letter after the backslash, 0 where a control character has none; for each 16 bytes.",
            "uint8_t",
            "ESCAPE_LETTERS",
            [SHORT_ESCAPES.get(code, bytes(2))[1] for code in range(16)] * 4,
        ),
        array(
            "By the low four bits of a byte: the quote or the backslash with those, or a byte with others.",
            "uint8_t",
            "QUOTING",
            [next((c for c in b'"\\' if c & 15 == low), low ^ 1) for low in range(16)] * 4,
        ),
        array(
            "For what JSON escapes 0x80 and the letter after the backslash, 0x80 alone where there is none; other\n"
            " * characters stand for themselves.",
            "uint8_t",
            "ASCII_ESCAPES",
            [escaped_letter(code) for code in range(128)],
        ),
    ]


def unescape_tables() -> list[str]:
    meanings = {letter[1]: code for code, letter in SHORT_ESCAPES.items()} | {ord("/"): ord("/")}
    letters = [next((c for c in meanings if c & 15 == low and chr(c) not in "br"), 0) for low in range(16)]
    digits = [int(chr(c), 16) if chr(c) in "0123456789abcdefABCDEF" else -1 for c in range(256)]
    frame = [*b"\\u", 0, 0, 0, 0, *b"\\u", 0, 0, 0, 0, 0, 0, 0, 0]
    return [
        array(
            "The letter after a backslash with these low four bits; b and r, which share theirs with the quote,\n"
            " * stand apart.",
            "uint8_t",
            "UNESCAPE_LETTERS",
            letters * 4,
        ),
        array("What it means.", "uint8_t", "UNESCAPE_CODES", [meanings.get(c, 0) for c in letters] * 4),
        array("Two \\uXXXX in sixteen bytes.", "uint8_t", "HEX_ESCAPE_FRAME", frame * 2),
        array("Their digits, of each unit's bytes.", "uint8_t", "HEX_UPPER_DIGITS", pack_row([4, 2, 10, 8]) * 2),
        array("The same.", "uint8_t", "HEX_LOWER_DIGITS", pack_row([5, 3, 11, 9]) * 2),
        array("The value of a hex digit, -1 for what is none.", "int8_t", "HEX_VALUES", digits),
    ]


def foreign_bits(n_zeros: int) -> int:
    """What of a lane of four bytes is not the code point's: ones and a zero in the lead byte, 10 in those after it."""
    leads = ((25, 0x80, 0), (21, 0xE0, 1), (16, 0xF0, 2), (0, 0xF8, 3))
    lead, n_more = next((lead, n_more) for least, lead, n_more in leads if n_zeros >= least)
    return int.from_bytes(bytes([lead] + [0xC0] * n_more).rjust(4, b"\0"), "little")


def transcoding_tables() -> list[str]:
    """Where bytes of UTF-8 have their bits from. 64 bytes made of sequences of three: byte i belongs to unit i // 3 and
    holds its bits 12-15, 6-11 or 0-5. Each eight bytes gather the four units from the first one they touch."""
    firsts = [8 * group // 3 for group in range(8)]

    def gathered(start: int) -> list[int]:
        return [min(start + firsts[lane // 4] + lane % 4, 31) for lane in range(32)]

    shifts = [16 * (i // 3 - firsts[i // 8]) + (12, 6, 0)[i % 3] for i in range(64)]
    woven = pack_row([4 * (i // 3) + i % 3 for i in range(12)]) * 4
    n_zeros = [*range(16, 27), *range(11, 16)]
    return [
        array("The units of 64 bytes.", "uint16_t", "UTF8_TRIPLES_FROM_FIRST", gathered(0)),
        array("The units of the next 64.", "uint16_t", "UTF8_TRIPLES_FROM_ELEVENTH", gathered(11)),
        array("Where a byte's bits are in its four units.", "uint8_t", "UTF8_TRIPLES_SHIFTS", shifts),
        array(
            "The same of sequences of two, in lanes of two bytes.",
            "uint8_t",
            "UTF8_PAIRS_SHIFTS",
            [16 * (i // 2 % 4) + (6, 0)[i % 2] for i in range(64)],
        ),
        array(
            "The same of lanes of four bytes, six bits to a byte.",
            "uint8_t",
            "UTF8_LANES_SHIFTS",
            [32 * (i // 4 % 2) + (18, 12, 6, 0)[i % 4] for i in range(64)],
        ),
        array("Three bytes of each lane of four.", "uint8_t", "UTF8_TRIPLES_WOVEN", woven),
        array(
            "The bits of a byte that are a unit's.",
            "uint8_t",
            "UTF8_TRIPLES_KEEP",
            [(0x0F, 0x3F, 0x3F)[i % 3] for i in range(64)],
        ),
        array("Those that are not.", "uint8_t", "UTF8_TRIPLES_TAGS", [(0xE0, 0x80, 0x80)[i % 3] for i in range(64)]),
        array(
            "Those of lanes of four bytes, by the low four bits of the number of zero bits above the code point: 11\n"
            " * to 15 for four bytes, 16 to 20 for three, 21 to 24 for two, 25 and 26 for ASCII, without control\n"
            " * characters.",
            "uint32_t",
            "UTF8_LANES_FOREIGN",
            [foreign_bits(zeros) for zeros in n_zeros],
        ),
    ]


# Shuffles


def pack_row(kept: list[int]) -> list[int]:
    """A shuffle that moves the kept bytes to the front and clears the bytes after them."""
    return kept + [0x80] * (16 - len(kept))


def pack_two_row(mask: int) -> list[int]:
    """Eight lanes of two bytes: the second one is kept where the lane's bit is set."""
    return pack_row([2 * lane + i for lane in range(8) for i in range(1 + (mask >> lane & 1))])


def pack_four_row(mask: int) -> list[int]:
    """Four lanes of four bytes: the last 1 to 4 of them; bits 0-3 and 4-7 make the count less one."""
    kept: list[int] = []
    for lane in range(4):
        n_bytes = 1 + (mask >> lane & 1) + 2 * (mask >> (4 + lane) & 1)
        kept += range(4 * lane + 4 - n_bytes, 4 * lane + 4)
    return pack_row(kept)


def pack_four_size(mask: int) -> int:
    """The number of bytes that `pack_four_row` keeps."""
    return 4 + (mask & 15).bit_count() + 2 * (mask >> 4).bit_count()


def pack_units_row(mask: int) -> list[int]:
    """Four lanes of two units of two bytes: the second unit is kept where the lane's bit is set."""
    return pack_row([4 * lane + i for lane in range(4) for i in range(4 if mask >> lane & 1 else 2)])


def kept_lanes(mask: int, n_lanes: int, lane_bytes: int) -> list[int]:
    """The bytes of the lanes whose bit is set."""
    return [lane_bytes * lane + i for lane in range(n_lanes) if mask >> lane & 1 for i in range(lane_bytes)]


def shuffle_tables() -> list[str]:
    byte_rows = [bytes(kept_lanes(mask, 8, 1)).ljust(8, b"\0") for mask in range(256)]
    return [
        shared(
            "Shuffles that move the lanes together whose bit is set in the row's number. Of bytes eight to a row, as\n"
            " * a little-endian word: the second half of a shuffle adds 8 to each.",
            "uint64_t",
            "COMPRESS_BYTES",
            [f"0x{int.from_bytes(row, 'little'):x}" for row in byte_rows],
        ),
        shuffles("Of two bytes.", "COMPRESS_UNITS", [pack_row(kept_lanes(mask, 8, 2)) for mask in range(256)]),
        shuffles("Of four bytes.", "COMPRESS_WORDS", [pack_row(kept_lanes(mask, 4, 4)) for mask in range(16)]),
        shuffles("Shuffles that pack sequences of 1-2 bytes.", "PACK_TWO_BYTES", map(pack_two_row, range(256))),
        shuffles("Of 1-4 bytes.", "PACK_FOUR_BYTES", map(pack_four_row, range(256))),
        shared("Their sizes.", "uint8_t", "PACK_FOUR_SIZES", [str(pack_four_size(mask)) for mask in range(256)]),
        shuffles("Of 1-2 units of two bytes.", "PACK_TWO_UNITS", map(pack_units_row, range(16))),
    ]


# Numbers


def significand(exponent: int) -> int:
    """The 128 leading bits of 10**exponent, rounded down."""
    power = Fraction(10) ** exponent
    scaled = power * Fraction(2) ** (127 - floor_log2(power))
    bits = scaled.numerator // scaled.denominator
    assert 1 << 127 <= bits < 1 << 128
    return bits


def floor_log2(value: Fraction) -> int:
    """floor(log2(value)) of a positive fraction, exactly."""
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


def powers_of_ten() -> list[str]:
    powers = [significand(e) for e in range(MIN_POWER, MAX_POWER + 1)]
    low_word = (1 << 64) - 1
    assert all(~bits & low_word for bits in powers)  # one more never carries into the upper word
    last_exact = max(e for e in range(MAX_POWER + 1) if 5**e < 1 << 128)
    return [
        f"#define POWER_OF_TEN_MIN ({MIN_POWER})\n#define POWER_OF_TEN_MAX {MAX_POWER}\n"
        "/* 10^e is held without rounding for 0 <= e <= POWER_OF_TEN_LAST_EXACT. */\n"
        f"#define POWER_OF_TEN_LAST_EXACT {last_exact}\n\n"
        "struct power_of_ten {\n    uint64_t high;\n    uint64_t low;\n};\n",
        shared(
            "128 leading bits of 10^e, rounded down.",
            "struct power_of_ten",
            "POWERS_OF_TEN",
            [f"{{0x{bits >> 64:x}, 0x{bits & low_word:x}}}" for bits in powers],
        ),
    ]


def exponent_texts() -> list[str]:
    exponents = range(MIN_EXPONENT, MAX_EXPONENT + 1)
    return [
        f"#define EXPONENT_TEXT_MIN ({MIN_EXPONENT})\n",
        shared(
            "What repr writes after a double's digits: e, the sign and two digits or more; length in the top byte.",
            "uint64_t",
            "EXPONENT_TEXTS",
            [text_word(f"e{exponent:+03}".encode()) for exponent in exponents],
        ),
    ]


HEADERS = {
    "number/exponent_texts.h": exponent_texts,
    "number/powers_of_ten.h": powers_of_ten,
    "simd/shuffle_tables.h": shuffle_tables,
    "text/escape_tables.h": escape_tables,
    "text/transcoding_tables.h": transcoding_tables,
    "text/unescape_tables.h": unescape_tables,
}


def main(folder: Path) -> None:
    """Write all headers, each into the folder of its room."""
    for name, make in HEADERS.items():
        guard = "SSRJSON_" + name.replace("/", "_").replace(".", "_").upper()
        text = "\n".join(
            [
                "/* Generated by core/generate_tables.py. */",
                f'#ifndef {guard}\n#define {guard}\n\n#include "base/compiler.h"\n',
                *make(),
                "#endif\n",
            ]
        )
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.is_file() or file.read_text(encoding="ascii") != text:
            file.write_text(text, encoding="ascii")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
