/* SPDX-License-Identifier: MIT */
/* Decimal digits and powers of ten, for both formatting and parsing of numbers. */
#ifndef SSRJSON_NUMBER_DECIMAL_H
#define SSRJSON_NUMBER_DECIMAL_H

#include "base/compiler.h"
#include "number/powers_of_ten.h"
#include "simd/simd.h"

/* The 128 leading bits of 10^exponent. */
static ALWAYS_INLINE struct power_of_ten power_of_ten(int exponent) {
    assert(exponent >= POWER_OF_TEN_MIN && exponent <= POWER_OF_TEN_MAX);
    return POWERS_OF_TEN[exponent - POWER_OF_TEN_MIN];
}

/* floor(log2(10^exponent)), exact for |exponent| <= 1233. */
static ALWAYS_INLINE int floor_log2_pow10(int exponent) {
    return (exponent * 1741647) >> 19;
}

/* Eight digits of value < 10^8 as ASCII in memory order, the most significant first: halves,
 * quarters and digits are split apart within one word, two, four and eight lanes at a time. */
static ALWAYS_INLINE uint64_t eight_digits(uint32_t value) {
    assert(value < 100000000);
    uint64_t halves = value / 10000 + (((uint64_t)(value % 10000)) << 32);
    uint64_t tens = ((halves * 10486) >> 20) & 0x0000007f0000007f;
    uint64_t pairs = tens + ((halves - 100 * tens) << 16);
    uint64_t high = ((pairs * 103) >> 10) & 0x000f000f000f000f;
    return (high + ((pairs - 10 * high) << 8)) | 0x3030303030303030;
}

/* Four digits of value < 10^4 as ASCII in memory order, the most significant first. */
static ALWAYS_INLINE uint32_t four_digits(uint32_t value) {
    assert(value < 10000);
    uint32_t tens = (value * 5243) >> 19;
    uint32_t pairs = tens + ((value - 100 * tens) << 16);
    uint32_t high = ((pairs * 103) >> 10) & 0x000f000f;
    return (high + ((pairs - 10 * high) << 8)) | 0x30303030;
}

/* The eight digits of values below 10^8, as values 0 to 9, the last digit in the lowest byte:
 * halves, quarters and digits are split apart in all lanes at once, the quotient moving up. */
static ALWAYS_INLINE u64vec split_digits(u64vec values) {
    const u64vec fours =
        values + u64_multiply_low(u64_multiply_low(values, u64_splat(3518437209)) >> 45,
                                  u64_splat(((uint64_t)1 << 32) - 10000));
    const u16vec hundreds = u16_multiply_high((u16vec)fours, 5243) >> 3;
    const u16vec twos = (u16vec)((u32vec)fours + (u32vec)hundreds * (65536 - 100));
    const u16vec tens = u16_multiply_high(twos, 6554);
    return (u64vec)(twos + tens * (256 - 10));
}

/* The value of eight ASCII digits in memory order. */
static ALWAYS_INLINE uint32_t eight_digits_value(uint64_t digits) {
    digits -= 0x3030303030303030;
    digits = digits * 10 + (digits >> 8);
    uint64_t even = digits & 0x000000ff000000ff;
    uint64_t odd = (digits >> 16) & 0x000000ff000000ff;
    /* both are a + b*2^32: one multiplication adds the weighted lanes in the top half */
    return (uint32_t)((even * (100 + (1000000ull << 32)) + odd * (1 + (10000ull << 32))) >> 32);
}

/* Whether all eight bytes are ASCII digits. */
static ALWAYS_INLINE bool is_eight_digits(uint64_t bytes) {
    uint64_t high_nibbles = bytes & 0xf0f0f0f0f0f0f0f0;
    uint64_t carried = (bytes + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0;
    return (high_nibbles | (carried >> 4)) == 0x3333333333333333;
}

#endif
