/* SPDX-License-Identifier: MIT */
/* Strings of up to nineteen decimal digits, a point among them, to integers: without loops and
 * branches on their length, which no predictor knows. */
#ifndef SSRJSON_NUMBER_DIGIT_STRING_H
#define SSRJSON_NUMBER_DIGIT_STRING_H

#include "number/decimal.h"
#include "simd/simd.h"

typedef uint8_t u8x32 __attribute__((vector_size(32)));
typedef uint16_t u16x16 __attribute__((vector_size(32)));
typedef uint32_t u32x16 __attribute__((vector_size(64)));
typedef int8_t i8x16 __attribute__((vector_size(16)));
typedef bool u8x32lanes __attribute__((ext_vector_type(32)));

/* Sixteen characters of each kind of text as bytes; what is no byte becomes 0xff. */
static ALWAYS_INLINE u8x16 load_characters_8(const uint8_t *from) {
    return u8x16_load(from);
}

static ALWAYS_INLINE u8x16 load_characters_16(const uint16_t *from) {
    u16x16 vec;
    memcpy(&vec, from, sizeof vec);
    return __builtin_convertvector(__builtin_elementwise_min(vec, 0xff - (u16x16){0}), u8x16);
}

static ALWAYS_INLINE u8x16 load_characters_32(const uint32_t *from) {
    u32x16 vec;
    memcpy(&vec, from, sizeof vec);
    return __builtin_convertvector(__builtin_elementwise_min(vec, 0xff - (u32x16){0}), u8x16);
}

/* Which of the 32 characters at from are digits, one bit each. */
static ALWAYS_INLINE uint64_t find_digits_8(const uint8_t *from) {
    u8x32 vec;
    memcpy(&vec, from, sizeof vec);
    const u8x32lanes lanes = __builtin_convertvector((u8x32)((u8x32)(vec - '0') < 10), u8x32lanes);
    uint32_t mask;
    memcpy(&mask, &lanes, sizeof mask);
    return mask;
}

static ALWAYS_INLINE uint64_t find_digits_in(u8x16 first, u8x16 second) {
    return u8x16_mask((u8x16)((u8x16)(first - '0') < 10)) |
           (uint64_t)u8x16_mask((u8x16)((u8x16)(second - '0') < 10)) << 16;
}

static ALWAYS_INLINE uint64_t find_digits_16(const uint16_t *from) {
    return find_digits_in(load_characters_16(from), load_characters_16(from + 16));
}

static ALWAYS_INLINE uint64_t find_digits_32(const uint32_t *from) {
    return find_digits_in(load_characters_32(from), load_characters_32(from + 16));
}

static ALWAYS_INLINE uint64_t low_word(u8x16 vec) {
    return ((u64x2)vec)[0];
}

/* The first n of vec's lanes moved to its end, zero in front; 1 <= n <= 16. */
static ALWAYS_INLINE u8x16 u8x16_align_right(u8x16 vec, unsigned n) {
    assert(n >= 1 && n <= 16);
#if defined(SIMD_HAS_SHUFFLE)
    static const uint8_t from_lane[32] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                          0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                          0,    1,    2,    3,    4,    5,    6,    7,
                                          8,    9,    10,   11,   12,   13,   14,   15};
    return u8x16_shuffle(vec, u8x16_load(from_lane + n));
#else
    unsigned __int128 bits;
    memcpy(&bits, &vec, sizeof bits);
    bits <<= 128 - 8 * n;
    memcpy(&vec, &bits, sizeof bits);
    return vec;
#endif
}

/* The value of eight digits, 0 to 9, in memory order: pairs, fours, all in one word. */
static ALWAYS_INLINE uint32_t eight_values(uint64_t digits) {
    digits = digits * 10 + (digits >> 8);
    const uint64_t even = digits & 0x000000ff000000ff;
    const uint64_t odd = (digits >> 16) & 0x000000ff000000ff;
    return (uint32_t)((even * (100 + (1000000ull << 32)) + odd * (1 + (10000ull << 32))) >> 32);
}

/* The value of four digits, 0 to 9, in memory order. */
static ALWAYS_INLINE uint32_t four_values(uint32_t digits) {
    digits = digits * 10 + (digits >> 8);
    return (digits & 0xff) * 100 + (digits >> 16 & 0xff);
}

/* The value of sixteen digits, 0 to 9. */
static ALWAYS_INLINE uint64_t sixteen_values(u8x16 digits) {
#if defined(SIMD_HAS_WEIGHTED_PAIRS)
    const u16x8 twos = u8x16_weighted_pairs(
        digits, (u8x16){10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1});
    const u16x8 fours =
        u32x4_narrow(u16x8_weighted_pairs(twos, (u16x8){100, 1, 100, 1, 100, 1, 100, 1}));
    const uint64_t eights = low_word(
        (u8x16)u16x8_weighted_pairs(fours, (u16x8){10000, 1, 10000, 1, 10000, 1, 10000, 1}));
    return (eights & 0xffffffff) * 100000000 + (eights >> 32);
#else
    const u64x2 words = (u64x2)digits;
    return (uint64_t)eight_values(words[0]) * 100000000 + eight_values(words[1]);
#endif
}

/* The value of the first n of a word's characters, all digits; 1 <= n <= 8. */
static ALWAYS_INLINE uint32_t short_digit_string(uint64_t characters, unsigned n) {
    assert(n >= 1 && n <= 8);
    return eight_values((characters ^ 0x3030303030303030) << (64 - 8 * n));
}

/* Lanes of characters in front of the point, then those behind it, which lie one further on. */
static ALWAYS_INLINE u8x16 leave_out_point(u8x16 whole, u8x16 fraction, int n_whole) {
    const i8x16 lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    const u8x16 is_whole = (u8x16)(lane < (int8_t)n_whole - (i8x16){0});
    return (whole & is_whole) | (fraction & ~is_whole);
}

#endif
