/* SPDX-License-Identifier: MIT */
/* Decode runs of \uXXXX into units of two bytes, several at a time. */
#ifndef SSRJSON_TEXT_HEX_ESCAPES_H
#define SSRJSON_TEXT_HEX_ESCAPES_H

#include "simd/simd.h"
#include "text/unescape_table.h"

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
