/* SPDX-License-Identifier: MIT */
/* Move the lanes of a vector whose bit is set together, in memory: by one instruction where the
 * level has it, by a shuffle from a table for each eight lanes, or lane by lane.
 *
 * Each function returns the end of the lanes that it kept, and stores up to a vector after that
 * end. Bits of `keep` beyond the lanes are zero. */
#ifndef SSRJSON_SIMD_COMPRESS_H
#define SSRJSON_SIMD_COMPRESS_H

#include "simd/simd.h"
#include "simd/tables.h"

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

#endif
