"""Each function of core/simd/ by itself, at each level of this CPU, beside the same in plain Python.

`make build` compiles tests/simd/operations.c into a library for each level, beside the core.
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
import random
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from helpers.processes import run_python

from ssrjson_web import _core

LEVELS = _core.get_current_features()["levels"]
CODES = {8: "B", 16: "H", 32: "I", 64: "Q"}
UNTOUCHED = 0xA5
ROOM = 512


@dataclass(frozen=True, kw_only=True)
class Library:
    """The functions of a level."""

    level: str
    functions: ctypes.CDLL

    @property
    def vec_bytes(self) -> int:
        return int.from_bytes(self("vec_bytes", b"")[:8], "little")

    @property
    def part_bytes(self) -> int:
        return int.from_bytes(self("part_bytes", b"")[:8], "little")

    def has(self, name: str) -> bool:
        return hasattr(self.functions, f"op_{name}")

    def __call__(self, name: str, given: bytes | int, number: int = 0) -> bytes:
        """What the function stored, in a block of bytes that are UNTOUCHED otherwise. `given` may be an address."""
        if not self.has(name):
            pytest.skip(f"{self.level} has no {name}")
        out = (ctypes.c_uint8 * ROOM)(*[UNTOUCHED] * ROOM)
        block = ctypes.create_string_buffer(given + bytes(64)) if isinstance(given, bytes) else ctypes.c_void_p(given)
        function = getattr(self.functions, f"op_{name}")
        function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64]
        function.restype = None
        function(block, out, number)
        return bytes(out)

    def word(self, name: str, given: bytes | int, number: int = 0) -> int:
        return int.from_bytes(self(name, given, number)[:8], "little")

    def vector(self, name: str, given: bytes, number: int = 0, *, n_bytes: int | None = None) -> bytes:
        n_bytes = n_bytes or self.vec_bytes
        stored = self(name, given, number)
        assert set(stored[n_bytes:]) == {UNTOUCHED}
        return stored[:n_bytes]


@pytest.fixture(params=LEVELS)
def simd(request: pytest.FixtureRequest) -> Library:
    name = "sse42" if request.param == "sse4.2" else request.param
    path = Path(_core.__file__).with_name(f"_simd_{name}.so")
    if not path.exists():
        pytest.skip("the libraries of tests/simd/ are built by make only, not by pip")
    return Library(level=request.param, functions=ctypes.CDLL(str(path)))


def lanes_of(vector: bytes, bits: int) -> list[int]:
    return list(struct.unpack(f"<{len(vector) * 8 // bits}{CODES[bits]}", vector))


def vector_of(lanes: Sequence[int], bits: int) -> bytes:
    return struct.pack(f"<{len(lanes)}{CODES[bits]}", *lanes)


def masks(n_lanes: int, n_random: int = 40) -> Iterator[int]:
    """No lane, all, each one, all but each one, the first and last few, and random ones."""
    everything = (1 << n_lanes) - 1
    yield from (0, everything)
    for lane in range(n_lanes):
        yield from (1 << lane, everything ^ 1 << lane, (1 << lane) - 1, everything ^ ((1 << lane) - 1))
    draw = random.Random(n_lanes)
    for _ in range(n_random):
        yield draw.getrandbits(n_lanes)


def condition(mask: int, n_lanes: int, bits: int) -> bytes:
    return vector_of([(1 << bits) - 1 if mask >> lane & 1 else 0 for lane in range(n_lanes)], bits)


def random_vectors(n_bytes: int, n: int = 40) -> Iterator[bytes]:
    """Vectors of edges, then random ones."""
    for byte in (0x00, 0x01, 0x7F, 0x80, 0xFF):
        yield bytes([byte]) * n_bytes
    draw = random.Random(n_bytes)
    for _ in range(n):
        yield draw.randbytes(n_bytes)


@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_mask_has_a_bit_for_each_lane_of_all_ones(simd: Library, bits: int) -> None:
    n_lanes = simd.vec_bytes * 8 // bits
    for mask in masks(n_lanes):
        assert simd.word(f"u{bits}_mask", condition(mask, n_lanes, bits)) == mask


def test_mask_of_half_a_vector_has_a_bit_for_each_lane(simd: Library) -> None:
    n_lanes = simd.vec_bytes // 2
    for mask in masks(n_lanes):
        assert simd.word("u8half_mask", condition(mask, n_lanes, 8)) == mask


def test_mask_of_sixteen_and_of_two_have_a_bit_for_each_lane(simd: Library) -> None:
    for mask in masks(16):
        assert simd.word("u8x16_mask", condition(mask, 16, 8)) == mask
    for mask in masks(32):
        assert simd.word("u8x16_mask_two", condition(mask, 32, 8)) == mask
        assert simd.word("u8x32s_mask", condition(mask, 32, 8)) == mask
        assert simd.word("u8x32s_differences", condition(mask, 32, 8) + bytes(32)) == mask
        assert simd.word("u8x32s_places_of", condition(mask, 32, 8), 0xFF) == mask
    for mask in masks(simd.part_bytes):
        assert simd.word("u8part_mask", condition(mask, simd.part_bytes, 8)) == mask


def test_places_give_the_first_lane_or_none(simd: Library) -> None:
    for mask in masks(simd.vec_bytes):
        first = (mask & -mask).bit_length() - 1 if mask else 99
        assert simd.word("u8_places", condition(mask, simd.vec_bytes, 8)) == first


@pytest.mark.parametrize("bits", [8, 16, 32])
def test_lanes_from_a_mask_ignore_bits_beyond_them(simd: Library, bits: int) -> None:
    n_lanes = simd.vec_bytes * 8 // bits
    for mask in masks(n_lanes):
        for beyond in (0, ~0 << n_lanes, 1 << n_lanes):
            number = (mask | beyond) & (2**64 - 1)
            assert simd.vector(f"u{bits}_from_mask", b"", number) == condition(mask, n_lanes, bits)


def test_sign_masks_take_the_highest_bits(simd: Library) -> None:
    for n, name in ((16, "u8x16_sign_mask"), (32, "u8x32_sign_mask")):
        for vector in random_vectors(n) if simd.has(name) else ():
            assert simd.word(name, vector) == sum((byte >> 7) << lane for lane, byte in enumerate(vector))


def test_sum_is_that_of_all_lanes(simd: Library) -> None:
    for vector in random_vectors(simd.vec_bytes):
        assert simd.word("u8_sum", vector) & 0xFFFFFFFF == sum(vector)


@pytest.mark.parametrize("bits", [16, 32, 64])
def test_select_takes_bits_by_the_condition(simd: Library, bits: int) -> None:
    n_bytes = simd.vec_bytes
    n_lanes = n_bytes * 8 // bits
    draw = random.Random(bits)
    for mask in masks(n_lanes, 10):
        yes, no = draw.randbytes(n_bytes), draw.randbytes(n_bytes)
        width = bits // 8
        expected = b"".join(
            (yes if mask >> lane & 1 else no)[lane * width : (lane + 1) * width] for lane in range(n_lanes)
        )
        assert simd.vector(f"u{bits}_select", condition(mask, n_lanes, bits) + yes + no) == expected


def test_halves_are_widened_without_sign(simd: Library) -> None:
    for vector in random_vectors(simd.vec_bytes):
        lanes = lanes_of(vector, 16)
        n = len(lanes) // 2
        assert lanes_of(simd.vector("u32_from_low_half", vector), 32) == lanes[:n]
        assert lanes_of(simd.vector("u32_from_high_half", vector), 32) == lanes[n:]


def test_keep_first_zeroes_the_tail_of_each_length(simd: Library) -> None:
    for vector in random_vectors(simd.vec_bytes, 3):
        for n in range(simd.vec_bytes + 1):
            assert simd.vector("u8_keep_first", vector, n) == vector[:n] + bytes(simd.vec_bytes - n)
    n_part = simd.part_bytes
    for vector in random_vectors(n_part, 3):
        for n in range(n_part + 1):
            assert simd.vector("u8part_keep_first", vector, n, n_bytes=n_part) == vector[:n] + bytes(n_part - n)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_shift_in_moves_bytes_of_the_vector_before(simd: Library, n: int) -> None:
    n_part = simd.part_bytes
    for pair in random_vectors(2 * n_part):
        assert simd.vector("u8part_shift_in", pair, n, n_bytes=n_part) == pair[n_part - n : 2 * n_part - n]


def test_products_are_exact(simd: Library) -> None:
    for vector in random_vectors(2 * simd.vec_bytes):
        first, second = vector[: simd.vec_bytes], vector[simd.vec_bytes :]
        for factor in (0, 1, 5243, 0x7FFF, 0x8000, 0xFFFF):
            expected = [lane * factor >> 16 for lane in lanes_of(first, 16)]
            assert lanes_of(simd.vector("u16_multiply_high", first, factor), 16) == expected
        expected = [
            (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF) for a, b in zip(lanes_of(first, 64), lanes_of(second, 64), strict=True)
        ]
        assert lanes_of(simd.vector("u64_multiply_low", vector), 64) == expected


def test_pairs_of_words_are_loaded_by_offset_and_stored_in_turn(simd: Library) -> None:
    n_bytes = simd.vec_bytes
    draw = random.Random(1)
    for words in random_vectors(256, 10):
        offsets = [draw.randrange(0, 240) for _ in range(n_bytes // 8)]
        stored = simd.vector("u64_load_pairs", vector_of(offsets, 64) + words, n_bytes=2 * n_bytes)
        assert stored == b"".join(words[at : at + 8] for at in offsets) + b"".join(
            words[at + 8 : at + 16] for at in offsets
        )
        first, second = (lanes_of(words[at : at + n_bytes], 64) for at in (0, n_bytes))
        woven = [lane for pair in zip(first, second, strict=True) for lane in pair]
        assert lanes_of(simd.vector("u64_store_pairs", words, n_bytes=2 * n_bytes), 64) == woven


def shuffled(table: bytes, index: bytes) -> bytes:
    """The contract of a shuffle: an index picks in its own group of sixteen, and gives zero from 0x80 on."""
    return bytes(0 if at >= 0x80 else table[lane // 16 * 16 + at] for lane, at in enumerate(index))


def test_u8_splat_group_repeats_sixteen_bytes(simd: Library) -> None:
    group = random.Random(16).randbytes(16)
    n_groups = simd.vec_bytes // 16
    assert simd.vector("u8_splat_group", group + bytes(simd.vec_bytes - 16)) == group * n_groups


@pytest.mark.parametrize("name", ["u8_shuffle_groups", "u8part_shuffle_groups", "u8x16_shuffle"])
def test_shuffle_of_each_index_at_each_lane(simd: Library, name: str) -> None:
    n_bytes = {"u8part_shuffle_groups": simd.part_bytes, "u8x16_shuffle": 16}.get(name, simd.vec_bytes)
    allowed = [*range(16), *range(0x80, 0x100)]
    draw = random.Random(n_bytes)
    for start in range(len(allowed)):
        index = bytes(allowed[(start + lane) % len(allowed)] for lane in range(n_bytes))
        table = draw.randbytes(n_bytes)
        assert simd.vector(name, table + index, n_bytes=n_bytes) == shuffled(table, index)


@pytest.mark.parametrize("index", [16, 0x7F])
def test_shuffle_of_an_index_that_instruction_sets_read_differently_is_refused(
    simd: Library, tmp_path: Path, index: int
) -> None:
    if not simd.has("u8x16_shuffle"):
        pytest.skip(f"{simd.level} has no u8x16_shuffle")
    snippet = f"""
    import ctypes, resource
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    function = ctypes.CDLL({simd.functions._name!r}).op_u8x16_shuffle
    function(bytes([0] * 31 + [{index}]), bytes(64), 0)
    """
    done = run_python(snippet, tmp_path)
    assert done.returncode != 0
    assert "u8x16_are_indices(index)" in done.stderr


def test_look_up_gives_zero_for_every_byte_beyond_the_table(simd: Library) -> None:
    n_bytes = simd.vec_bytes
    table = bytes(range(0x30, 0x40))
    for start in range(256):
        given = bytes((start + lane) % 256 for lane in range(n_bytes))
        expected = bytes(table[byte] if byte < 16 else 0 for byte in given)
        assert simd.vector("u8_look_up", table * (n_bytes // 16) + given) == expected


def test_look_up_of_the_low_half_takes_any_byte(simd: Library) -> None:
    table = bytes(range(0x30, 0x40))
    for name, n_bytes in (("u8_look_up_low_half", simd.vec_bytes), ("u8x16_look_up_low_half", 16)):
        for start in range(256):
            given = bytes((start + lane) % 256 for lane in range(n_bytes))
            found = simd.vector(name, table * (n_bytes // 16) + given, n_bytes=n_bytes)
            for byte, got in zip(given, found, strict=True):
                assert got == table[byte & 15] or (byte >= 0x80 and got == 0)


def packed(simd: Library, name: str, vector: bytes, number: int, expected: bytes) -> None:
    """Asserts that the function gives the expected bytes, and stores nothing beyond a vector after them."""
    stored = simd(name, vector, number)
    n = int.from_bytes(stored[:8], "little")
    assert stored[8 : 8 + n] == expected
    assert set(stored[8 + n + simd.vec_bytes :]) == {UNTOUCHED}


@pytest.mark.parametrize(("name", "width"), [("pack_two_bytes", 1), ("pack_two_units", 2)])
def test_pack_two_keeps_first_parts_and_marked_second_ones(simd: Library, name: str, width: int) -> None:
    n_lanes = simd.vec_bytes // (2 * width)
    draw = random.Random(width)
    for mask in masks(n_lanes, 200):
        vector = draw.randbytes(simd.vec_bytes)
        expected = b"".join(
            vector[2 * width * lane : 2 * width * lane + (2 * width if mask >> lane & 1 else width)]
            for lane in range(n_lanes)
        )
        packed(simd, name, vector, mask, expected)


def test_pack_four_keeps_the_last_bytes_of_each_lane(simd: Library) -> None:
    n_lanes = simd.vec_bytes // 4
    draw = random.Random(4)
    for _ in range(400):
        counts = draw.choices((1, 2, 3, 4), weights=[draw.random() for _ in range(4)], k=n_lanes)
        vector = draw.randbytes(simd.vec_bytes)
        number = 0
        for lane, count in enumerate(counts):
            for mask in range(count - 1):
                number |= 1 << (lane + 16 * mask)
        expected = b"".join(vector[4 * lane + 4 - count : 4 * lane + 4] for lane, count in enumerate(counts))
        packed(simd, "pack_four_bytes", vector, number, expected)


def test_pack_nonzero_keeps_the_other_bytes(simd: Library) -> None:
    draw = random.Random(6)
    for share_of_zeros in (0, 1, 5, 50, 99, 100):
        for _ in range(50):
            vector = bytes(0 if draw.randrange(100) < share_of_zeros else draw.randrange(256) for _ in range(64))
            packed(simd, "pack_nonzero_bytes", vector, 0, vector.replace(b"\0", b""))


def test_pack_four_in_halves_keeps_the_last_bytes_of_each_lane(simd: Library) -> None:
    n_lanes = simd.vec_bytes // 2
    draw = random.Random(5)
    for _ in range(400):
        counts = draw.choices((1, 2, 3, 4), weights=[draw.random() for _ in range(4)], k=n_lanes)
        first, last = draw.randbytes(simd.vec_bytes), draw.randbytes(simd.vec_bytes)
        number = sum(((count - 1) & 1) << lane | (count - 1) >> 1 << (16 + lane) for lane, count in enumerate(counts))
        expected = b"".join(
            (first[2 * lane : 2 * lane + 2] + last[2 * lane : 2 * lane + 2])[4 - count :]
            for lane, count in enumerate(counts)
        )
        # each four lanes are stored as sixteen bytes
        packed(simd, "pack_four_bytes_in_halves", first + last, number, expected)


@pytest.mark.parametrize(
    ("name", "bits", "stride"), [("u32_masks_by_group", 32, 16), ("u16_masks_by_four", 16, 8)], ids=["u32", "u16"]
)
def test_masks_of_two_conditions_are_put_together_for_every_four_lanes(
    simd: Library, name: str, bits: int, stride: int
) -> None:
    n_lanes = simd.vec_bytes * 8 // bits
    ones = (1 << bits) - 1
    for first, second in itertools.product(masks(n_lanes, 10), repeat=2):
        lanes = [ones if mask >> lane & 1 else 0 for mask in (first, second) for lane in range(n_lanes)]
        found = simd.word(name, vector_of(lanes, bits))
        for group in range(n_lanes // 4):
            expected = (first >> 4 * group & 15) | (second >> 4 * group & 15) << 4
            assert found >> stride * group & 0xFF == expected


@pytest.mark.parametrize("limit", [1, 0x20, 0x80, 0x800, 0x10000, 0x7FFFFFFF])
def test_at_least_takes_lanes_as_signed(simd: Library, limit: int) -> None:
    n_lanes = simd.vec_bytes // 4
    near = [0, 1, limit - 1, limit, limit + 1, 0x10FFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF]
    draw = random.Random(limit)
    for _ in range(100):
        lanes = [draw.choice((*near, draw.getrandbits(32))) for _ in range(n_lanes)]
        expected = [0xFFFFFFFF if limit <= lane < 1 << 31 else 0 for lane in lanes]
        assert simd.vector("u32_at_least", vector_of(lanes, 32), limit) == vector_of(expected, 32)


def test_narrow_keeps_every_lane_below_2_16(simd: Library) -> None:
    n_lanes = simd.vec_bytes // 4
    draw = random.Random(6)
    for _ in range(200):
        lanes = [
            draw.choice((0, 1, 0x7F, 0x80, 0x7FFF, 0x8000, 0xFFFF, draw.getrandbits(16))) for _ in range(2 * n_lanes)
        ]
        assert simd.vector("u16_narrow", vector_of(lanes, 32)) == vector_of(lanes, 16)


@pytest.mark.parametrize("width", [1, 2, 4])
def test_compress_keeps_the_marked_lanes(simd: Library, width: int) -> None:
    n_lanes = simd.vec_bytes // width
    draw = random.Random(width)
    for mask in masks(n_lanes, 200):
        vector = draw.randbytes(simd.vec_bytes)
        kept = b"".join(vector[width * lane : width * (lane + 1)] for lane in range(n_lanes) if mask >> lane & 1)
        packed(simd, f"compress_{8 * width}", vector, mask, kept)


def test_weave_takes_four_lanes_of_each_group_in_turn(simd: Library) -> None:
    n_bytes = simd.vec_bytes
    for pair in random_vectors(2 * n_bytes, 10):
        first, second = lanes_of(pair[:n_bytes], 16), lanes_of(pair[n_bytes:], 16)
        for name, start in (("u16_weave_low", 0), ("u16_weave_high", 4)):
            expected = [
                vector[group + start + lane]
                for group in range(0, len(first), 8)
                for lane in range(4)
                for vector in (first, second)
            ]
            assert lanes_of(simd.vector(name, pair), 16) == expected


def neighbours(lanes: Sequence[int], weights: Sequence[int]) -> list[int]:
    products = [lane * weight for lane, weight in zip(lanes, weights, strict=True)]
    return [a + b for a, b in zip(products[::2], products[1::2], strict=True)]


def test_weighted_pairs_within_their_limits(simd: Library) -> None:
    draw = random.Random(8)
    for most, weight in ((127, 2), (9, 10), (2, 127), (25, 10)):
        lanes = [draw.randint(0, most) for _ in range(14)] + [most, most]
        weights = [draw.randint(0, weight) for _ in range(14)] + [weight, weight]
        got = simd.vector("u8x16_weighted_pairs", bytes(lanes + weights), n_bytes=16)
        assert lanes_of(got, 16) == neighbours(lanes, weights)
    for most, weight in ((0x7FFF, 2), (99, 100), (2, 0x7FFF), (655, 100)):
        lanes = [draw.randint(0, most) for _ in range(6)] + [most, most]
        weights = [draw.randint(0, weight) for _ in range(6)] + [weight, weight]
        got = simd.vector("u16x8_weighted_pairs", vector_of(lanes + weights, 16), n_bytes=16)
        assert lanes_of(got, 32) == neighbours(lanes, weights)


@pytest.mark.parametrize("lanes", [(0, 0, 0, 0), (9999, 9999, 9999, 9999), (1, 2, 3, 4), (0x7FFF, 0x7FFF, 1, 0x7FFF)])
def test_myriad_pairs_are_the_halves_of_a_word(simd: Library, lanes: tuple[int, ...]) -> None:
    low, high = neighbours(lanes, (10000, 1, 10000, 1))
    assert simd.word("u32x4_myriad_pairs", vector_of(lanes, 32)) == low | high << 32


def test_functions_of_avx512(simd: Library) -> None:
    draw = random.Random(512)
    for vector in random_vectors(64):
        index = [draw.randrange(32) for _ in range(32)]
        lanes = lanes_of(vector, 16)
        assert lanes_of(simd.vector("u16_permute", vector + vector_of(index, 16)), 16) == [lanes[at] for at in index]
        from_bit = bytes(draw.randrange(64) for _ in range(64))
        words = lanes_of(vector, 64)
        expected = bytes((words[i // 8] * (1 + (1 << 64)) >> at) & 0xFF for i, at in enumerate(from_bit))
        assert simd.vector("u8_bits_from", vector + from_bit) == expected
        table = draw.randbytes(128)
        assert simd.vector("u8_look_up_ascii", table + vector) == bytes(table[byte & 0x7F] for byte in vector)
        lanes = [draw.getrandbits(draw.randrange(33)) for _ in range(16)]
        zeros = [32 - lane.bit_length() for lane in lanes]
        assert lanes_of(simd.vector("u32_leading_zeros", vector_of(lanes, 32)), 32) == zeros
        lanes_64 = [draw.getrandbits(draw.randrange(65)) for _ in range(8)]
        zeros = [64 - lane.bit_length() for lane in lanes_64]
        assert lanes_of(simd.vector("u64_leading_zeros", vector_of(lanes_64, 64)), 64) == zeros
        entries, n_first = [draw.getrandbits(32) for _ in range(16)], draw.randrange(17)
        found = simd.vector("u32_look_up_first", vector_of(entries, 32) + vector_of(lanes, 32), n_first)
        assert lanes_of(found, 32) == [entries[lane & 15] for lane in lanes[:n_first]] + [0] * (16 - n_first)
        mask, source = words[:2]
        places = [bit for bit in range(64) if mask >> bit & 1]
        deposited = sum((source >> i & 1) << bit for i, bit in enumerate(places))
        assert simd.word("deposit_bits", vector_of([mask], 64), source) == deposited
        extracted = sum((source >> bit & 1) << i for i, bit in enumerate(places))
        assert simd.word("extract_bits", vector_of([mask], 64), source) == extracted
        assert simd.vector("u8_second_half", vector) == vector[32:] + bytes(32)
        assert simd.vector("u16_from_u16half", vector[:32]) == vector[:32] + bytes(32)
        assert simd.word("u16half_mask", condition(mask & 0xFFFF, 16, 16)) == mask & 0xFFFF
        for bits, operation in ((8, "u8_expand"), (16, "u16_expand")):
            filler, remaining = lanes_of(vector[::-1], bits), iter(lanes_of(vector, bits))
            expanded = [next(remaining) if mask >> at & 1 else lane for at, lane in enumerate(filler)]
            got = simd.vector(operation, vector[::-1] + vector, mask)
            assert lanes_of(got, bits) == expanded
    for _ in range(100):
        lanes = [draw.choice((0, 1, 0x7F, 0x80, 0xFF, 0x100, 0x101, 0x7FFF, draw.randrange(0x8000))) for _ in range(64)]
        narrow = bytes(min(lane, 0xFF) for lane in lanes)
        by_turns = b"".join(narrow[i : i + 8] + narrow[32 + i : 32 + i + 8] for i in range(0, 32, 8))
        assert simd.vector("u16_saturated_by_turns", vector_of(lanes, 16)) == by_turns
        lanes = [*lanes[:30], 0x8000, 0xFFFF]
        assert simd("u16_saturated_bytes", vector_of(lanes, 16))[:32] == bytes(min(lane, 0xFF) for lane in lanes)
        lanes = [*lanes[:14], 0x10FFFF, 0xFFFFFFFF]
        assert simd("u32_saturated_bytes", vector_of(lanes, 32))[:16] == bytes(min(lane, 0xFF) for lane in lanes)
    for n in range(65):
        stored = simd("u8_store_first", bytes(range(64)), n)
        assert stored == bytes(range(n)) + bytes([UNTOUCHED]) * (ROOM - n)
    for n in range(33):
        stored = simd("u8part_store_first", bytes(range(32)), n)
        assert stored == bytes(range(n)) + bytes([UNTOUCHED]) * (ROOM - n)
    for mask in masks(32):
        kept = bytes(i for i in range(32) if mask >> i & 1)
        assert simd.vector("u8part_compress", bytes(range(32)), mask, n_bytes=32) == kept.ljust(32, b"\0")


def test_copy_short_writes_no_other_byte(simd: Library) -> None:
    source = bytes(range(1, 251))
    for n in range(200):
        assert simd("copy_short", source, n) == source[:n] + bytes([UNTOUCHED]) * (ROOM - n)


@pytest.fixture(scope="module")
def page_end() -> Iterator[Callable[[bytes], int]]:
    """A function that puts bytes at the end of a page, after which nothing may be read, and gives their address."""
    n_page = mmap.PAGESIZE
    pages = mmap.mmap(-1, 2 * n_page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    protect = ctypes.CDLL(None).mprotect
    protect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    assert protect(start + n_page, n_page, 0) == 0

    def put(data: bytes) -> int:
        pages[n_page - len(data) : n_page] = data
        return start + n_page - len(data)

    yield put
    protect(start + n_page, n_page, mmap.PROT_READ | mmap.PROT_WRITE)


@pytest.mark.parametrize(
    "name",
    [
        "u8_load_first",
        "u8part_load_first",
        "u8_load_at_least",
        "u8x16_load_within_page",
        "u8x32s_load_at_least",
    ],
)
def test_loads_of_each_length_at_the_end_of_a_page(simd: Library, page_end: Callable[[bytes], int], name: str) -> None:
    whole = {"u8part_load_first": simd.part_bytes, "u8x16_load_within_page": 16, "u8x32s_load_at_least": 32}
    n_bytes = whole.get(name, simd.vec_bytes)
    for n in range(n_bytes + 1):
        data = bytes(range(1, n + 1))
        for given in (page_end(data or b"?"), data):
            stored = simd(name, given, n)
            assert stored[:n_bytes] == data + bytes(n_bytes - n)
            assert set(stored[n_bytes:]) == {UNTOUCHED}


def test_within_page_is_exact(simd: Library) -> None:
    for n in (1, 16, 64, 4096):
        for at in (0, 1, 4096 - n - 1, 4096 - n, 4096 - n + 1, 4095):
            if 0 <= at < 4096:
                assert simd.word("is_within_page", 0x10000 + at, n) & 0xFF == int(at + n <= 4096)


def test_libraries_have_the_functions_of_their_level(simd: Library) -> None:
    vectors = {"portable": 16, "sse4.2": 16, "neon": 16, "avx2": 32, "avx512": 64}
    assert simd.vec_bytes == vectors[simd.level]
    assert simd.has("u8_shuffle_groups") == (simd.level != "portable")
    assert simd.has("u8_bits_from") == (simd.level == "avx512")
