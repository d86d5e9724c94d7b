/* SPDX-License-Identifier: MIT */
/* UTF-8 into the units of a str whose kind and length are known, checked on the way.
 *
 * Well-formed is what Python's "surrogatepass" accepts: shortest sequences up to U+10FFFF, encoded
 * surrogates among them. Runs of sequences of one length are decoded together: sixteen bytes hold
 * sixteen, eight, five or four of them, and the positions of their continuation bytes tell how
 * many there are. */
#ifndef SSRJSON_TEXT_DECODE_UTF8_H
#define SSRJSON_TEXT_DECODE_UTF8_H

#include "simd/simd.h"

/* Units that the target may be written beyond the decoded text, where it has that room. */
#define UTF8_DECODE_ROOM 16

/* How many code points n bytes of well-formed UTF-8 hold: the bytes that continue nothing. */
static inline size_t utf8_count_code_points(const uint8_t *from, size_t n) {
    size_t count = 0;
    while (n > 0) {
        /* byte counters that cannot overflow, so that the loop vectorises on bytes */
        const size_t n_block = n < 255 ? n : 255;
        uint8_t n_leads = 0;
        for (size_t i = 0; i < n_block; i++) {
            n_leads += (int8_t)from[i] > (int8_t)0xbf;
        }
        count += n_leads;
        from += n_block;
        n -= n_block;
    }
    return count;
}

/* The sequence at from, *n_bytes long; -1 where it is not well-formed. */
static ALWAYS_INLINE int32_t utf8_code_point(const uint8_t *from, const uint8_t *end,
                                             size_t *n_bytes) {
    const uint32_t lead = from[0];
    const size_t n_left = (size_t)(end - from);
    if (lead < 0x80) {
        *n_bytes = 1;
        return (int32_t)lead;
    }
    if (lead >= 0xc2 && lead < 0xe0 && n_left >= 2 && (from[1] & 0xc0) == 0x80) {
        *n_bytes = 2;
        return (int32_t)((lead & 0x1f) << 6 | (from[1] & 0x3f));
    }
    if ((lead & 0xf0) == 0xe0 && n_left >= 3 && (from[1] & 0xc0) == 0x80 &&
        (from[2] & 0xc0) == 0x80) {
        *n_bytes = 3;
        const uint32_t c = (lead & 0x0f) << 12 | (uint32_t)(from[1] & 0x3f) << 6 | (from[2] & 0x3f);
        return c >= 0x800 ? (int32_t)c : -1;
    }
    if ((lead & 0xf8) == 0xf0 && n_left >= 4 && (from[1] & 0xc0) == 0x80 &&
        (from[2] & 0xc0) == 0x80 && (from[3] & 0xc0) == 0x80) {
        *n_bytes = 4;
        const uint32_t c = (lead & 0x07) << 18 | (uint32_t)(from[1] & 0x3f) << 12 |
                           (uint32_t)(from[2] & 0x3f) << 6 | (from[3] & 0x3f);
        return c >= 0x10000 && c <= 0x10ffff ? (int32_t)c : -1;
    }
    return -1;
}

#if defined(SIMD_HAS_SHUFFLE)
/* How many sequences of n_bytes each start the block: `matches` has a bit for each byte that is
 * what such a sequence has there. */
static ALWAYS_INLINE size_t utf8_run_length(uint32_t matches, size_t n_bytes, size_t n_usable) {
    const size_t n_matching = trailing_zeros(~(uint64_t)matches);
    return (n_matching < n_usable ? n_matching : n_usable) / n_bytes;
}

/* 110aaaaa 10bbbbbb, eight times. */
static ALWAYS_INLINE u16x8 utf8_decode_pairs(u8x16 bytes) {
    const u16x8 pairs = (u16x8)bytes;
    return ((pairs & 0x1f) << 6) | ((pairs >> 8) & 0x3f);
}

/* 1110aaaa 10bbbbbb 10cccccc, five times; the last three lanes are not used. */
static ALWAYS_INLINE u16x8 utf8_decode_triples(u8x16 bytes) {
    const u8x16 tail_index = {2, 1, 5, 4, 8, 7, 11, 10, 14, 13, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
    const u8x16 lead_index = {0,  0x80, 3,    0x80, 6,    0x80, 9,    0x80,
                              12, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
    const u16x8 tails = (u16x8)u8x16_shuffle(bytes, tail_index);
    const u16x8 leads = (u16x8)u8x16_shuffle(bytes, lead_index);
    return (leads << 12) | ((tails >> 2) & 0x0fc0) | (tails & 0x3f);
}

/* 11110aaa 10bbbbbb 10cccccc 10dddddd, four times. */
static ALWAYS_INLINE u32x4 utf8_decode_quads(u8x16 bytes) {
    const u32x4 quads = (u32x4)bytes;
    return ((quads & 0x07) << 18) | ((quads << 4) & 0x3f000) | ((quads >> 10) & 0xfc0) |
           (quads >> 24 & 0x3f);
}
#endif

#define TARGET_BITS 8
#include "text/decode_utf8.tmpl.h"

#define TARGET_BITS 16
#include "text/decode_utf8.tmpl.h"

#define TARGET_BITS 32
#include "text/decode_utf8.tmpl.h"

#endif
