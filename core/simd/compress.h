/* SPDX-License-Identifier: MIT */
/* Move the lanes of a vector together that are kept, and pack lanes of which only some bytes are
 * kept. */
#ifndef SSRJSON_SIMD_COMPRESS_H
#define SSRJSON_SIMD_COMPRESS_H

#include "simd/simd.h"
#include "simd/shuffle_tables.h"

/* ---- lanes ---------------------------------------------------------------------------------- */

/* Move the lanes of a vector whose bit is set together, in memory: by one instruction where the
 * level has it, by a shuffle from a table for each eight lanes, or lane by lane.
 *
 * Each function returns the end of the lanes that it kept, and stores up to a vector after that
 * end. Bits of `keep` beyond the lanes are zero. */

#define VEC_GROUPS (VEC_BYTES / 16)

/* Sixteen bytes of a vector. */
static ALWAYS_INLINE u8x16 u8_group(u8vec vec, int group) {
    u8x16 bytes;
    memcpy(&bytes, (const uint8_t *)&vec + 16 * group, sizeof bytes);
    return bytes;
}

/* The same sixteen bytes in each group of a vector. */
static ALWAYS_INLINE u8vec u8_splat_group(const void *bytes) {
    u8x16 groups[VEC_GROUPS];
    for (int group = 0; group < VEC_GROUPS; group++) {
        groups[group] = u8x16_load(bytes);
    }
    return u8_load(groups);
}

#if !defined(SIMD_HAS_COMPRESS)
/* Eight lanes of two bytes. */
static ALWAYS_INLINE uint16_t *compress_16x8(uint16_t *out, u16x8 lanes, uint32_t keep) {
#if defined(SIMD_HAS_SHUFFLE)
    u8x16_store(out, u8x16_shuffle((u8x16)lanes, u8x16_load(COMPRESS_UNITS[keep])));
    return out + count_ones(keep);
#else
    for (int lane = 0; lane < 8; lane++) {
        *out = lanes[lane];
        out += keep >> lane & 1;
    }
    return out;
#endif
}
#endif

static ALWAYS_INLINE uint8_t *compress_8(uint8_t *out, u8vec lanes, uint64_t keep) {
    assert((keep & ~low_bits(VEC_BYTES)) == 0);
#if defined(SIMD_HAS_COMPRESS)
    u8_store(out, u8_compress(keep, lanes));
    return out + count_ones(keep);
#elif defined(SIMD_HAS_SHUFFLE)
    for (int group = 0; group < VEC_GROUPS; group++) {
        const uint32_t bits = keep >> (16 * group) & 0xffff;
        const u64x2 rows = {COMPRESS_BYTES[bits & 0xff],
                            COMPRESS_BYTES[bits >> 8] | 0x0808080808080808};
        const u64x2 kept = (u64x2)u8x16_shuffle(u8_group(lanes, group), (u8x16)rows);
        const uint64_t first = kept[0];
        const uint64_t second = kept[1];
        memcpy(out, &first, sizeof first);
        out += count_ones(bits & 0xff);
        memcpy(out, &second, sizeof second);
        out += count_ones(bits >> 8);
    }
    return out;
#else
    for (int lane = 0; lane < VEC_BYTES; lane++) {
        *out = ((const uint8_t *)&lanes)[lane];
        out += keep >> lane & 1;
    }
    return out;
#endif
}

static ALWAYS_INLINE uint16_t *compress_16(uint16_t *out, u16vec lanes, uint64_t keep) {
    assert((keep & ~low_bits(U16_LANES)) == 0);
#if defined(SIMD_HAS_COMPRESS)
    u8_store(out, (u8vec)u16_compress((uint32_t)keep, lanes));
    return out + count_ones(keep);
#else
    for (int group = 0; group < VEC_GROUPS; group++) {
        out = compress_16x8(out, (u16x8)u8_group((u8vec)lanes, group), keep >> (8 * group) & 0xff);
    }
    return out;
#endif
}

static ALWAYS_INLINE uint32_t *compress_32(uint32_t *out, u32vec lanes, uint64_t keep) {
    assert((keep & ~low_bits(U32_LANES)) == 0);
#if defined(SIMD_HAS_COMPRESS)
    u8_store(out, (u8vec)u32_compress((uint16_t)keep, lanes));
    return out + count_ones(keep);
#elif defined(SIMD_HAS_SHUFFLE)
    for (int group = 0; group < VEC_GROUPS; group++) {
        const uint32_t bits = keep >> (4 * group) & 15;
        u8x16_store(out,
                    u8x16_shuffle(u8_group((u8vec)lanes, group), u8x16_load(COMPRESS_WORDS[bits])));
        out += count_ones(bits);
    }
    return out;
#else
    for (int lane = 0; lane < U32_LANES; lane++) {
        *out = ((const uint32_t *)&lanes)[lane];
        out += keep >> lane & 1;
    }
    return out;
#endif
}

/* ---- bytes of lanes ------------------------------------------------------------------------- */

/* Pack lanes of which only some bytes are kept: by one compression where the level has it,
 * otherwise by a shuffle from a table for each sixteen bytes.
 *
 * Each function returns the end of the bytes that it packed, and stores up to a vector more. Bits
 * of a mask beyond the lanes are zero. */

#if defined(SIMD_HAS_SHUFFLE)

#if !defined(SIMD_HAS_COMPRESS)
#define VEC_GROUPS (VEC_BYTES / 16)

/* Pack each group of sixteen bytes by its row, and store the groups one after another. */
static ALWAYS_INLINE uint8_t *pack_groups(uint8_t *out, u8vec lanes,
                                          const uint8_t *const rows[VEC_GROUPS],
                                          const unsigned n_bytes[VEC_GROUPS]) {
    u8vec index;
    for (int group = 0; group < VEC_GROUPS; group++) {
        memcpy((uint8_t *)&index + 16 * group, rows[group], 16);
    }
    const u8vec packed = u8_shuffle_groups(lanes, index);
    for (int group = 0; group < VEC_GROUPS; group++) {
        memcpy(out, (const uint8_t *)&packed + 16 * group, 16);
        out += n_bytes[group];
    }
    return out;
}
#endif

/* Pack lanes of two bytes: the first bytes, and the second ones whose bit is set. */
static ALWAYS_INLINE uint8_t *pack_two_bytes(uint8_t *out, u16vec lanes, uint32_t has_second) {
    assert((has_second & ~low_bits(U16_LANES)) == 0);
#if defined(SIMD_HAS_COMPRESS)
    const uint64_t keep = 0x5555555555555555 | deposit_bits(has_second, 0xaaaaaaaaaaaaaaaa);
    u8_store(out, u8_compress(keep, (u8vec)lanes));
    return out + U16_LANES + count_ones(has_second);
#else
    const uint8_t *rows[VEC_GROUPS];
    unsigned n_bytes[VEC_GROUPS];
    for (int group = 0; group < VEC_GROUPS; group++) {
        const uint32_t second = has_second >> (8 * group) & 0xff;
        rows[group] = PACK_TWO_BYTES[second];
        n_bytes[group] = 8 + count_ones(second);
    }
    return pack_groups(out, (u8vec)lanes, rows, n_bytes);
#endif
}

/* Pack lanes of two units of two bytes: the first units, and the second ones whose bit is set. */
static ALWAYS_INLINE uint16_t *pack_two_units(uint16_t *out, u32vec lanes, uint32_t has_second) {
    assert((has_second & ~low_bits(U32_LANES)) == 0);
#if defined(SIMD_HAS_COMPRESS)
    const uint64_t keep = 0x3333333333333333 | 3 * deposit_bits(has_second, 0x4444444444444444);
    u8_store((uint8_t *)out, u8_compress(keep, (u8vec)lanes));
    return out + U32_LANES + count_ones(has_second);
#else
    const uint8_t *rows[VEC_GROUPS];
    unsigned n_bytes[VEC_GROUPS];
    for (int group = 0; group < VEC_GROUPS; group++) {
        const uint32_t second = has_second >> (4 * group) & 15;
        rows[group] = PACK_TWO_UNITS[second];
        n_bytes[group] = 8 + 2 * count_ones(second);
    }
    return (uint16_t *)pack_groups((uint8_t *)out, (u8vec)lanes, rows, n_bytes);
#endif
}

#if defined(SIMD_HAS_COMPRESS)
/* Pack the bytes that are not zero. */
static ALWAYS_INLINE uint8_t *pack_nonzero_bytes(uint8_t *out, u8vec bytes) {
    const uint64_t keep = u8_mask((u8vec)(bytes != u8_splat(0)));
    u8_store(out, u8_compress(keep, bytes));
    return out + count_ones(keep);
}
#else
/* Pack lanes of four bytes: the last byte, and as many before it as a number of two bits says,
 * whose bits are conditions. */
static ALWAYS_INLINE uint8_t *pack_four_bytes(uint8_t *out, u32vec lanes, u32vec more_low,
                                              u32vec more_high) {
    const uint32_t masks = u32_masks_by_group(more_low, more_high);
    const uint8_t *rows[VEC_GROUPS];
    unsigned n_bytes[VEC_GROUPS];
    for (int group = 0; group < VEC_GROUPS; group++) {
        const uint8_t row = (uint8_t)(masks >> (16 * group));
        rows[group] = PACK_FOUR_BYTES[row];
        n_bytes[group] = PACK_FOUR_SIZES[row];
    }
    return pack_groups(out, (u8vec)lanes, rows, n_bytes);
}

/* The first or last four lanes of each group of eight, each followed by the other vector's. */

static ALWAYS_INLINE u16vec u16_weave_low(u16vec a, u16vec b) {
#if VEC_BYTES == 32
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 8, 24, 9, 25, 10, 26, 11, 27);
#else
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
#endif
}

static ALWAYS_INLINE u16vec u16_weave_high(u16vec a, u16vec b) {
#if VEC_BYTES == 32
    return __builtin_shufflevector(a, b, 4, 20, 5, 21, 6, 22, 7, 23, 12, 28, 13, 29, 14, 30, 15,
                                   31);
#else
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
}

/* Pack as pack_four_bytes does lanes whose first two bytes are in one vector and their last two in
 * another. */
static ALWAYS_INLINE uint8_t *pack_four_bytes_in_halves(uint8_t *out, u16vec first_two,
                                                        u16vec last_two, u16vec more_low,
                                                        u16vec more_high) {
    const uint32_t masks = u16_masks_by_four(more_low, more_high);
    const u8vec woven[2] = {(u8vec)u16_weave_low(first_two, last_two),
                            (u8vec)u16_weave_high(first_two, last_two)};
    u8vec packed[2];
    for (int half = 0; half < 2; half++) {
        u8vec index;
        for (int group = 0; group < VEC_GROUPS; group++) {
            const uint8_t row = (uint8_t)(masks >> (16 * group + 8 * half));
            memcpy((uint8_t *)&index + 16 * group, PACK_FOUR_BYTES[row], 16);
        }
        packed[half] = u8_shuffle_groups(woven[half], index);
    }
    for (int group = 0; group < VEC_GROUPS; group++) {
        for (int half = 0; half < 2; half++) {
            memcpy(out, (const uint8_t *)&packed[half] + 16 * group, 16);
            out += PACK_FOUR_SIZES[(uint8_t)(masks >> (16 * group + 8 * half))];
        }
    }
    return out;
}
#endif
#endif

#endif
