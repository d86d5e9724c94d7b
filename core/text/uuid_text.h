/* SPDX-License-Identifier: MIT */
/* UUIDs as text, RFC 9562, section 4. */
#ifndef SSRJSON_TEXT_UUID_TEXT_H
#define SSRJSON_TEXT_UUID_TEXT_H

#include "simd/simd.h"

/* The hexadecimal digits of values below 16. */
static ALWAYS_INLINE u8x16 hex_digits(u8x16 values) {
    return values + '0' + ((u8x16)(values > 9) & ('a' - '9' - 1));
}

/* Store a UUID of 128 bits as 32 digits, with hyphens as 8-4-4-4-12 digits, and return the end. */
static ALWAYS_INLINE char *uuid_put(char *out, unsigned __int128 bits, bool has_hyphens) {
    const u8x16 bytes = (u8x16)(u64x2){__builtin_bswap64((uint64_t)(bits >> 64)),
                                       __builtin_bswap64((uint64_t)bits)};
    const u8x16 upper = bytes >> 4;
    const u8x16 lower = bytes & 15;
    const u8x16 digits[2] = {
        hex_digits(__builtin_shufflevector(upper, lower, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21,
                                           6, 22, 7, 23)),
        hex_digits(__builtin_shufflevector(upper, lower, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
                                           29, 14, 30, 15, 31))};
    if (!has_hyphens) {
        memcpy(out, digits, sizeof digits);
        return out + 32;
    }
    const u64x2 first = (u64x2)digits[0];
    const u64x2 last = (u64x2)digits[1];
    memset(out + 8, '-', 16); /* all four */
    const uint64_t eight[4] = {first[0], first[1], last[0], last[1]};
    memcpy(out, &eight[0], 8);
    const uint32_t four[4] = {(uint32_t)eight[1], (uint32_t)(eight[1] >> 32), (uint32_t)eight[2],
                              (uint32_t)(eight[2] >> 32)};
    memcpy(out + 9, &four[0], 4);
    memcpy(out + 14, &four[1], 4);
    memcpy(out + 19, &four[2], 4);
    memcpy(out + 24, &four[3], 4);
    memcpy(out + 28, &eight[3], 8);
    return out + 36;
}

#endif
