/* SPDX-License-Identifier: MIT */
/* Take escapes out of the text of a string, a block at a time. */
#ifndef SSRJSON_TEXT_UNESCAPE_H
#define SSRJSON_TEXT_UNESCAPE_H

#include "simd/compress.h"
#include "text/unescape_tables.h"

/* The number of blocks that are read in one call. */
#define UNESCAPE_BLOCKS 8
#define UNESCAPE_ROOM_BYTES ((UNESCAPE_BLOCKS + 1) * VEC_BYTES)

/* The backslashes of a block that begin an escape: every other one of a run, from its first.
 * is_first_escaped: an escape began with the last unit before the block. */
static ALWAYS_INLINE uint64_t escape_leads(uint64_t backslashes, uint64_t is_first_escaped) {
    const uint64_t even = 0x5555555555555555;
    const uint64_t runs = backslashes & ~is_first_escaped;
    const uint64_t starts = runs & ~(runs << 1);
    /* an addition carries through the run that it starts in, and clears it */
    const uint64_t from_even = runs & ~(runs + (starts & even));
    return (from_even & even) | (runs & ~from_even & ~even);
}

/* The character for the letter after a backslash; 0 where it has no meaning, or is u. */
static const uint8_t ESCAPE_MEANINGS[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

static ALWAYS_INLINE uint32_t escape_meaning(uint32_t letter) {
    return letter < 0x80 ? ESCAPE_MEANINGS[letter] : 0;
}

#define SOURCE_BITS 8
#include "text/unescape.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 16
#include "text/unescape.tmpl.h"
#undef SOURCE_BITS

#define SOURCE_BITS 32
#include "text/unescape.tmpl.h"
#undef SOURCE_BITS

/* ---- runs of \uXXXX, several at a time ------------------------------------------------------ */

#if defined(SIMD_HAS_SHUFFLE)
#define SIMD_HAS_HEX_ESCAPES 1

/* Each sixteen bytes of a block hold two escapes. A block has at most 32 bytes, with AVX-512, too:
 * runs of more than four escapes are rarer, and a longer block takes longer to load. */
#define HEX_ESCAPES (PART_BYTES / 8)
#define HEX_ESCAPES_READ (12 * (PART_BYTES / 16) + 4)

/* The number of escapes at the start of the text, at most HEX_ESCAPES; as many units are always
 * stored, valid or not. Reads HEX_ESCAPES_READ bytes. */
static ALWAYS_INLINE size_t read_hex_escapes(const uint8_t *from, uint16_t *to) {
    typedef uint32_t pairs_t __attribute__((vector_size(PART_BYTES)));
    u8part bytes;
    for (int group = 0; group < PART_BYTES / 16; group++) {
        memcpy((uint8_t *)&bytes + 16 * group, from + 12 * group, 16);
    }
    const u8part frame = u8part_load(HEX_ESCAPE_FRAME);
    const u8part is_digit = (u8part)((u8part)(bytes - '0') < u8part_splat(10));
    const u8part is_letter = (u8part)((u8part)((bytes | 0x20) - 'a') < u8part_splat(6));
    const u8part is_framed = (u8part)(bytes == frame);
    /* six bits of an escape: two of its frame, four of digits */
    const uint32_t frames = 0x00c300c3 & (uint32_t)low_bits(PART_BYTES);
    const uint32_t digits = 0x0f3c0f3c & (uint32_t)low_bits(PART_BYTES);
    const uint32_t wrong =
        (~u8part_mask(is_framed) & frames) | (~u8part_mask(is_digit | is_letter) & digits);
    const u8part values = (bytes & 0x0f) + (is_letter & 9);
    const u8part upper = u8part_shuffle_groups(values, u8part_load(HEX_UPPER_DIGITS));
    const u8part lower = u8part_shuffle_groups(values, u8part_load(HEX_LOWER_DIGITS));
    const pairs_t pairs = (pairs_t)(upper << 4 | lower);
#if PART_BYTES == 32
    const uint32_t units[2] = {pairs[0], pairs[4]};
    memcpy(to, units, sizeof units);
#else
    const uint32_t units = pairs[0];
    memcpy(to, &units, sizeof units);
#endif
    if (LIKELY(wrong == 0)) {
        return HEX_ESCAPES;
    }
    const unsigned first = trailing_zeros(wrong);
    return first / 16 * 2 + (first % 16 >= 6);
}
#endif

#endif
