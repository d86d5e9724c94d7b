/* SPDX-License-Identifier: MIT */
/* 64-bit integers to decimal digits. */
#ifndef SSRJSON_NUMBER_FORMAT_INT_H
#define SSRJSON_NUMBER_FORMAT_INT_H

#include "number/decimal.h"
#include "simd/compress.h"

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

#if defined(SIMD_HAS_COMPRESS)
typedef int32_t i32x4 __attribute__((vector_size(16)));
typedef int32_t i32x8 __attribute__((vector_size(32)));

/* Ints of a block, and the maximum of each. */
#define INT_BLOCK 8
#define INT_BLOCK_MAX ((1 << 30) - 1)

/* The texts of eight ints of up to six digits, eight bytes each: a minus, the digits, and a comma.
 * *used gets the bits of the bytes that are text. */
static ALWAYS_INLINE u8vec six_digit_texts(u64vec magnitudes, u64vec negative, uint64_t *used) {
    static const uint8_t order[16] = {0x80, 5,  4,  3,  2,  1, 0, 0x80,
                                      0x80, 13, 12, 11, 10, 9, 8, 0x80};
    const u64vec digits = split_digits(magnitudes);
    const u64vec n_unused_bits = (u64_leading_zeros(digits | 1) & ~7) - 8;
    const u8vec is_used = (u8vec)(u64_splat(~0ull) << n_unused_bits | (negative & 0x80));
    *used = u8_mask((u8vec)((i8vec)is_used < 0));
    return u8_shuffle_groups((u8vec)digits, u8_splat_group(order)) |
           (u8vec)u64_splat(0x2c3030303030302d); /* -000000, */
}

/* The first bit of each sixteen. */
#define EACH_OF_FOUR ((uint64_t)0x0001000100010001)

/* Of each sixteen bits, of which one but not the last is set, that from the lowest one set on: a
 * subtraction leaves the bits below it. The last is set, too. */
static ALWAYS_INLINE uint64_t from_lowest_of_four(uint64_t bits) {
    return ((EACH_OF_FOUR << 15) - bits) | bits;
}

/* The bits of the first n of four texts of sixteen bytes, or of all. */
static ALWAYS_INLINE uint64_t first_of_four(size_t n) {
    return n < 4 ? low_bits(16 * n) : ~(uint64_t)0;
}

/* The texts of four ints of up to ten digits, sixteen bytes each. Each int has two lanes: eight
 * digits as split_digits returns them, and two more, with a third byte that is not zero for a
 * minus. */
static ALWAYS_INLINE u8vec ten_digit_texts(u64vec lanes, uint64_t *used) {
    static const uint8_t order[16] = {10, 9, 8, 7,    6,    5,    4,    3,
                                      2,  1, 0, 0x80, 0x80, 0x80, 0x80, 0x80};
    static const char signs[16] = "-0000000000,";
    const u8vec bytes = u8_shuffle_groups((u8vec)lanes, u8_splat_group(order));
    const uint64_t set = u8_mask((u8vec)(bytes != 0));
    const uint64_t digits = (set & 0x03fe * EACH_OF_FOUR) | EACH_OF_FOUR << 10;
    *used = (from_lowest_of_four(digits) & 0x07fe * EACH_OF_FOUR) | EACH_OF_FOUR << 11 |
            (set & EACH_OF_FOUR);
    return bytes | u8_splat_group(signs);
}

/* Store the first n of eight ints, each followed by a comma, and return the end. */
static ALWAYS_INLINE char *store_int_block(char *out, i32x8 ints, size_t n) {
    const i64vec values = __builtin_convertvector(ints, i64vec);
    const u64vec negative = (u64vec)(values < 0);
    const u64vec magnitudes = ((u64vec)values ^ negative) - negative;
    uint64_t used;
    if (LIKELY((u64_mask((u64vec)(magnitudes >= u64_splat(1000000))) & low_bits(n)) == 0)) {
        const u8vec texts = six_digit_texts(magnitudes, negative, &used);
        return (char *)compress_8((uint8_t *)out, texts, used & low_bits(8 * n));
    }
    /* divided by 10^8, which is exact for fewer than 31 bits */
    const u64vec upper = u64_multiply_low(magnitudes, u64_splat(1441151881)) >> 57;
    const u64vec lower = magnitudes - u64_multiply_low(upper, u64_splat(100000000));
    const u64vec digits = split_digits(lower);
    const u64vec more =
        upper + ((u64vec)(upper == u64_splat(10)) & (256 - 10)) + (negative & 0x10000);
    const u64vec lanes[2] = {
        __builtin_shufflevector(digits, more, 0, 8, 1, 9, 2, 10, 3, 11),
        __builtin_shufflevector(digits, more, 4, 12, 5, 13, 6, 14, 7, 15),
    };
    for (size_t half = 0; half < 2 && n > 4 * half; half++) {
        const u8vec texts = ten_digit_texts(lanes[half], &used);
        out = (char *)compress_8((uint8_t *)out, texts, used & first_of_four(n - 4 * half));
    }
    return out;
}
#endif

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
