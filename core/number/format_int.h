/* SPDX-License-Identifier: MIT */
/* 64-bit integers to decimal digits. */
#ifndef SSRJSON_NUMBER_FORMAT_INT_H
#define SSRJSON_NUMBER_FORMAT_INT_H

#include "number/decimal.h"

/* Room that format_u64 may write to: 20 digits, stored in words of eight. */
#define FORMAT_INT_ROOM 32

/* Store value without leading zeros, value < 10^8; the word past the end is overwritten. */
static ALWAYS_INLINE char *format_below_1e8(char *out, uint32_t value) {
    if (value < 10000) {
        if (value < 10) {
            *out = (char)('0' + value);
            return out + 1;
        }
        const uint32_t digits = four_digits(value);
        const unsigned leading = trailing_zeros(digits & 0x0f0f0f0f) / 8;
        const uint32_t kept = digits >> (8 * leading);
        memcpy(out, &kept, 4);
        return out + 4 - leading;
    }
    const uint64_t digits = eight_digits(value);
    const unsigned leading = trailing_zeros(digits & 0x0f0f0f0f0f0f0f0f) / 8;
    const uint64_t kept = digits >> (8 * leading);
    memcpy(out, &kept, 8);
    return out + 8 - leading;
}

static ALWAYS_INLINE char *store_eight_digits(char *out, uint32_t value) {
    const uint64_t digits = eight_digits(value);
    memcpy(out, &digits, 8);
    return out + 8;
}

/* Store value in decimal and return the end; out has room for FORMAT_INT_ROOM bytes. */
static ALWAYS_INLINE char *format_u64(char *out, uint64_t value) {
    if (value < 100000000) {
        return format_below_1e8(out, (uint32_t)value);
    }
    const uint64_t upper = value / 100000000;
    const uint32_t lowest = (uint32_t)(value % 100000000);
    if (upper < 100000000) {
        out = format_below_1e8(out, (uint32_t)upper);
        return store_eight_digits(out, lowest);
    }
    out = format_below_1e8(out, (uint32_t)(upper / 100000000));
    out = store_eight_digits(out, (uint32_t)(upper % 100000000));
    return store_eight_digits(out, lowest);
}

/* Store the int whose eight digits split_digits found, without leading zeros, and return the end;
 * the word past it is overwritten. */
static ALWAYS_INLINE char *store_split_digits(char *out, uint64_t digits) {
    const unsigned n_leading = leading_zeros(digits | 1) / 8;
    const uint64_t text = __builtin_bswap64((digits | 0x3030303030303030) << (8 * n_leading));
    memcpy(out, &text, 8);
    return out + 8 - n_leading;
}

#endif
