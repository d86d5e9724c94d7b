/* SPDX-License-Identifier: MIT */
/* Strings of up to nineteen decimal digits, which may include a point, to integers: without loops
 * and branches on their length, which no predictor knows. */
#ifndef SSRJSON_NUMBER_DIGIT_STRING_H
#define SSRJSON_NUMBER_DIGIT_STRING_H

#include "number/decimal.h"
#include "simd/simd.h"

typedef uint16_t u16x16 __attribute__((vector_size(32)));
typedef uint16_t u16x32 __attribute__((vector_size(64)));
typedef uint32_t u32x16 __attribute__((vector_size(64)));
typedef uint32_t u32x32 __attribute__((vector_size(128)));
typedef int8_t i8x16 __attribute__((vector_size(16)));
typedef bool u8x32lanes __attribute__((ext_vector_type(32)));

/* Sixteen characters of each kind of text as bytes; a character beyond a byte becomes 0xff. */
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

/* A bit for each character that is no digit. */
static ALWAYS_INLINE uint32_t find_others(u8x16 characters) {
#if defined(SIMD_HAS_SIGN_MASK)
    /* above nine the highest bit becomes set */
    return u8x16_sign_mask(__builtin_elementwise_add_sat(characters - '0', u8x16_splat(0x7f - 9)));
#else
    return u8x16_mask((u8x16)((u8x16)(characters - '0') > 9));
#endif
}

/* A bit for each of 32 characters that is no digit. */
static ALWAYS_INLINE uint32_t find_others_of_two(u8x16 first, u8x16 second) {
#if defined(SIMD_HAS_SIGN_MASK)
    return find_others(first) | find_others(second) << 16;
#else
    return u8x16_mask_two((u8x16)((u8x16)(first - '0') > 9), (u8x16)((u8x16)(second - '0') > 9));
#endif
}

/* A bit for each of 32 characters at from that is no digit. Bits after the second may be missing;
 * the first character, which may be a sign, does not count for that. */
static ALWAYS_INLINE uint64_t find_others_8(const uint8_t *from) {
#if defined(SIMD_HAS_SIGN_MASK_32)
    u8x32 vec;
    memcpy(&vec, from, sizeof vec);
    return u8x32_sign_mask(__builtin_elementwise_add_sat(vec - '0', 0x7f - 9 - (u8x32){0}));
#else
    return find_others_of_two(u8x16_load(from), u8x16_load(from + 16));
#endif
}

static ALWAYS_INLINE uint64_t find_others_16(const uint16_t *from) {
#if !defined(SIMD_HAS_SIGN_MASK)
    return find_others_of_two(load_characters_16(from), load_characters_16(from + 16));
#else
    u16x32 vec;
    memcpy(&vec, from, sizeof vec);
    const u8x32lanes lanes = __builtin_convertvector((u16x32)((u16x32)(vec - '0') > 9), u8x32lanes);
    uint32_t mask;
    memcpy(&mask, &lanes, sizeof mask);
    return mask;
#endif
}

static ALWAYS_INLINE uint64_t find_others_32(const uint32_t *from) {
#if VEC_BYTES == 64
    u32x32 vec;
    memcpy(&vec, from, sizeof vec);
    const u8x32lanes lanes = __builtin_convertvector((u32x32)((u32x32)(vec - '0') > 9), u8x32lanes);
    uint32_t mask;
    memcpy(&mask, &lanes, sizeof mask);
    return mask;
#else
    /* 32 characters fill many registers: the second half is read only where the first has fewer
     * than the two bits that mark a number's point and end, without its sign */
    uint64_t others = find_others(load_characters_32(from));
    const uint64_t after_first = others >> 1;
    if ((after_first & (after_first - 1)) == 0) {
        others |= (uint64_t)find_others(load_characters_32(from + 16)) << 16;
    }
    return others;
#endif
}

static ALWAYS_INLINE uint64_t low_word(u8x16 vec) {
    return ((u64x2)vec)[0];
}

/* The value of eight digits, 0 to 9, in memory order: pairs, fours and all eight in one word. */
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

#if defined(SIMD_HAS_WEIGHTED_PAIRS)
/* The values of the first and the last eight of sixteen digits, 0 to 9, as halves of a word. */
static ALWAYS_INLINE uint64_t twice_eight_values(u8x16 digits) {
    const u16x8 twos = u8x16_weighted_pairs(
        digits, (u8x16){10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1});
    return u32x4_myriad_pairs(u16x8_weighted_pairs(twos, (u16x8){100, 1, 100, 1, 100, 1, 100, 1}));
}
#endif

/* The value of sixteen digits, 0 to 9. */
static ALWAYS_INLINE uint64_t sixteen_values(u8x16 digits) {
#if defined(SIMD_HAS_WEIGHTED_PAIRS)
    const uint64_t eights = twice_eight_values(digits);
    return (eights & 0xffffffff) * 100000000 + (eights >> 32);
#else
    const u64x2 words = (u64x2)digits;
    return (uint64_t)eight_values(words[0]) * 100000000 + eight_values(words[1]);
#endif
}

/* The value of the last n of a word's eight characters, all digits; n <= 3. */
static ALWAYS_INLINE uint32_t last_digits(uint64_t characters, unsigned n) {
    assert(n <= 3);
    /* in two steps, because n may be zero */
    return four_values(
        (uint32_t)((characters ^ 0x3030303030303030) >> 32 >> (32 - 8 * n) << (32 - 8 * n)));
}

#if defined(SIMD_HAS_SHUFFLE)
/* The sixteen bytes from n on are a shuffle mask: sixteen minus n lanes that pick nothing, even
 * where one is subtracted, then the first n lanes. */
static const uint8_t ALIGN_RIGHT[32] = {
    0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0,
    0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15};
#endif

/* The sixteen bytes from n on are a mask: ones, then n zeros. */
static const uint8_t ALL_BUT_LAST[32] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0};

/* The value of the first n of sixteen characters, all digits; 1 <= n <= 8. */
static ALWAYS_INLINE uint32_t short_digit_string(u8x16 characters, unsigned n) {
    assert(n >= 1 && n <= 8);
#if defined(SIMD_HAS_WEIGHTED_PAIRS)
    return (uint32_t)(twice_eight_values(
                          u8x16_shuffle(characters - '0', u8x16_load(ALIGN_RIGHT + n))) >>
                      32);
#else
    return eight_values((low_word(characters) ^ 0x3030303030303030) << (64 - 8 * n));
#endif
}

/* The value of the first n of sixteen characters, all digits; 1 <= n <= 16. */
static ALWAYS_INLINE uint64_t digit_string(u8x16 characters, unsigned n) {
    assert(n >= 1 && n <= 16);
#if defined(SIMD_HAS_SHUFFLE)
    return sixteen_values(u8x16_shuffle(characters - '0', u8x16_load(ALIGN_RIGHT + n)));
#else
    unsigned __int128 bits;
    characters -= '0';
    memcpy(&bits, &characters, sizeof bits);
    bits <<= 128 - 8 * n;
    memcpy(&characters, &bits, sizeof bits);
    return sixteen_values(characters);
#endif
}

/* The value of the first n + 1 of sixteen characters, n digits, 1 <= n <= 15, and a point in front
 * of the last n_fraction <= n. */
static ALWAYS_INLINE uint64_t decimal_string(u8x16 characters, unsigned n, unsigned n_fraction) {
    assert(n >= 1 && n <= 15 && n_fraction <= n);
#if defined(SIMD_HAS_SHUFFLE)
    /* the digits before the point move over it */
    const u8x16 from_lane = u8x16_load(ALIGN_RIGHT + n + 1) + u8x16_load(ALL_BUT_LAST + n_fraction);
    return sixteen_values(u8x16_shuffle(characters - '0', from_lane));
#else
    unsigned __int128 bits;
    characters -= '0';
    memcpy(&bits, &characters, sizeof bits);
    bits <<= 128 - 8 * (n + 1);
    const unsigned __int128 fraction = ~(unsigned __int128)0 << (8 * (16 - n_fraction));
    bits = (bits & fraction) | (bits << 8 & ~fraction);
    memcpy(&characters, &bits, sizeof bits);
    return sixteen_values(characters);
#endif
}

/* The value of sixteen digits: the first n_whole characters of one load and the others of a second,
 * which starts one further on and so leaves out a point. n_whole <= 16. */
static ALWAYS_INLINE uint64_t sixteen_digits(u8x16 whole, u8x16 fraction, unsigned n_whole) {
    assert(n_whole <= 16);
    const u8x16 is_whole = u8x16_load(ALL_BUT_LAST + 16 - n_whole);
    return sixteen_values(((whole & is_whole) | (fraction & ~is_whole)) - '0');
}

#endif
