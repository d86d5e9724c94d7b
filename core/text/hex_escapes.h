/* SPDX-License-Identifier: MIT */
/* Decode runs of \uXXXX into units of two bytes, several at a time. */
#ifndef SSRJSON_TEXT_HEX_ESCAPES_H
#define SSRJSON_TEXT_HEX_ESCAPES_H

#include "simd/simd.h"
#include "text/unescape_table.h"

#if defined(SIMD_HAS_SHUFFLE)
#define SIMD_HAS_HEX_ESCAPES 1

/* Each sixteen bytes of a vector hold two escapes. */
#define HEX_ESCAPES (VEC_BYTES / 8)
#define HEX_ESCAPES_READ (12 * (VEC_BYTES / 16) + 4)

/* The number of escapes at the start of the text, at most HEX_ESCAPES; as many units are always
 * stored, valid or not. Reads HEX_ESCAPES_READ bytes. */
static ALWAYS_INLINE size_t read_hex_escapes(const uint8_t *from, uint16_t *to) {
    u8vec bytes;
    for (int group = 0; group < VEC_BYTES / 16; group++) {
        memcpy((uint8_t *)&bytes + 16 * group, from + 12 * group, 16);
    }
    const u8vec frame = u8_load(HEX_ESCAPE_FRAME);
    const u8vec is_digit = (u8vec)((u8vec)(bytes - '0') < u8_splat(10));
    const u8vec is_letter = (u8vec)((u8vec)((bytes | 0x20) - 'a') < u8_splat(6));
    const u8vec is_framed = (u8vec)(bytes == frame);
    /* six bits of an escape: two of its frame, four of digits */
    const uint64_t frames = 0x00c300c300c300c3;
    const uint64_t digits = 0x0f3c0f3c0f3c0f3c;
    const uint64_t wrong =
        ((~u8_mask(is_framed) & frames) | (~u8_mask(is_digit | is_letter) & digits)) &
        low_bits(VEC_BYTES);
    const u8vec values = (bytes & 0x0f) + (is_letter & 9);
    const u32vec pairs = (u32vec)((u8_shuffle_groups(values, u8_load(HEX_UPPER_DIGITS)) << 4) |
                                  u8_shuffle_groups(values, u8_load(HEX_LOWER_DIGITS)));
#if VEC_BYTES == 64
    const u32x4 units = __builtin_shufflevector(pairs, pairs, 0, 4, 8, 12);
    memcpy(to, &units, sizeof units);
#elif VEC_BYTES == 32
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
