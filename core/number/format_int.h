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
        const unsigned n = 2 + (value >= 100) + (value >= 1000);
        const uint32_t kept = digits >> (8 * (4 - n));
        memcpy(out, &kept, 4);
        return out + n;
    }
    const uint64_t digits = eight_digits(value);
    const unsigned n = 5 + (value >= 100000) + (value >= 1000000) + (value >= 10000000);
    const uint64_t kept = digits >> (8 * (8 - n));
    memcpy(out, &kept, 8);
    return out + n;
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

#define SPLIT_INTS 16

/* Ints being converted to text: eight digits in a word, as split_digits returns them. */
struct split_ints {
    uint64_t high[SPLIT_INTS]; /* what is above 10^16 */
    uint64_t middle[SPLIT_INTS];
    uint64_t low[SPLIT_INTS];
    bool is_narrow; /* low holds all digits */
};

/* Compute SPLIT_INTS ints before the first is stored; `all_bits` has the bits that any of them
 * has. */
static ALWAYS_INLINE void split_ints(struct split_ints *split, const uint64_t *values,
                                     uint64_t all_bits) {
    split->is_narrow = all_bits < (uint64_t)1 << 26; /* 2^26 < 10^8 */
    if (split->is_narrow) {
        for (int i = 0; i < SPLIT_INTS; i += U64_LANES) {
            u64_store(split->low + i, split_digits(u64_load(values + i)));
        }
        return;
    }
    for (int i = 0; i < SPLIT_INTS; i++) {
        const uint64_t upper = values[i] / 100000000;
        split->low[i] = values[i] - upper * 100000000;
        split->high[i] = upper / 100000000;
        split->middle[i] = upper - split->high[i] * 100000000;
    }
    for (int i = 0; i < SPLIT_INTS; i += U64_LANES) {
        u64_store(split->low + i, split_digits(u64_load(split->low + i)));
        u64_store(split->middle + i, split_digits(u64_load(split->middle + i)));
        u64_store(split->high + i, split_digits(u64_load(split->high + i)));
    }
}

static ALWAYS_INLINE char *store_eight_split_digits(char *out, uint64_t digits) {
    const uint64_t text = __builtin_bswap64(digits | 0x3030303030303030);
    memcpy(out, &text, 8);
    return out + 8;
}

/* Store one of them and return the end; out has room for FORMAT_INT_ROOM bytes. */
static ALWAYS_INLINE char *store_split_int(char *out, const struct split_ints *split, size_t i) {
    if (split->is_narrow) {
        return store_split_digits(out, split->low[i]);
    }
    if (split->high[i] != 0) {
        out = store_split_digits(out, split->high[i]);
        out = store_eight_split_digits(out, split->middle[i]);
        return store_eight_split_digits(out, split->low[i]);
    }
    if (split->middle[i] != 0) {
        out = store_split_digits(out, split->middle[i]);
        return store_eight_split_digits(out, split->low[i]);
    }
    return store_split_digits(out, split->low[i]);
}

#endif
