/* SPDX-License-Identifier: MIT */
/* The double nearest to w * 10^e, ties to even, from one 192-bit product.
 *
 * Powers of ten are held to 128 bits. One that is not exact is rounded up: the product is then less
 * than one unit of its middle word too large, and never too small. So it determines the rounding
 * unless every bit below the rounding bit, middle word included, is zero. Then for -27 <= e < 0 the
 * value is exactly the upper bits: 5^27 < 2^63 divides w, for two fractions with that denominator
 * cannot be nearer to each other than 2^-54. For 0 <= e <= 27 the product itself is exact.
 * Otherwise the caller has to use more digits. Ideas: W. D. Clinger (1990); D. Lemire, "Number
 * parsing at a gigabyte per second" (2021). */
#ifndef SSRJSON_NUMBER_DECIMAL_TO_DOUBLE_H
#define SSRJSON_NUMBER_DECIMAL_TO_DOUBLE_H

#include "number/decimal.h"

#define LARGEST_POWER_OF_FIVE 27 /* below 2^63 */
#define DOUBLE_SIGNIFICAND_BITS 52
#define INFINITY_BITS ((uint64_t)0x7ff << DOUBLE_SIGNIFICAND_BITS)

static ALWAYS_INLINE double double_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* value, or -value where the number is negative. */
static ALWAYS_INLINE double signed_double(double value, bool is_negative) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return double_from_bits(bits | (uint64_t)is_negative << 63);
}

/* w / 10^n for w < 2^53 and n <= 22: both are exact, so the single rounding is correct. */
static ALWAYS_INLINE double short_decimal_to_double(uint64_t w, unsigned n) {
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    assert(w <= (uint64_t)1 << 53 && n <= 22);
    return (double)(int64_t)w / powers[n];
}

/* The upper words of w * 10^exponent, with w's highest bit moved to the top, and the binary
 * exponent of the product's highest bit. */
struct decimal_product {
    uint64_t high;
    uint64_t middle;
    int highest_bit; /* of high: 62 or 63 */
    int exponent;
};

static ALWAYS_INLINE struct decimal_product decimal_product(uint64_t w, int exponent) {
    const struct power_of_ten power = power_of_ten(exponent);
    const unsigned normalising = leading_zeros(w);
    w <<= normalising;
    const bool is_exact = (unsigned)exponent <= POWER_OF_TEN_LAST_EXACT;
    /* no entry's lower word is all ones, says the table's generator */
    const unsigned __int128 low = (unsigned __int128)w * (power.low + !is_exact);
    const unsigned __int128 product = (unsigned __int128)w * power.high + (uint64_t)(low >> 64);
    const uint64_t high = (uint64_t)(product >> 64);
    const int highest_bit = 62 + (int)(high >> 63);
    return (struct decimal_product){
        .high = high,
        .middle = (uint64_t)product,
        .highest_bit = highest_bit,
        .exponent = floor_log2_pow10(exponent) + highest_bit + 1 - (int)normalising,
    };
}

/* Whether the product's upper words are exactly the value if their lower bits are all zero. */
static ALWAYS_INLINE bool is_product_exact_at(int exponent) {
    return (unsigned)(exponent + LARGEST_POWER_OF_FIVE) <= 2 * LARGEST_POWER_OF_FIVE;
}

/* The double nearest to w * 10^exponent, w > 0, where it is normal and the product determines it,
 * otherwise false. Almost no branch depends on digits. */
static ALWAYS_INLINE bool decimal_to_normal_double(uint64_t w, int exponent, double *value) {
    const struct decimal_product product = decimal_product(w, exponent);
    const int biased_exponent = product.exponent + 1023;
    const unsigned dropped = (unsigned)product.highest_bit - 53; /* the rounding bit is kept */
    const uint64_t rest = (product.high & (((uint64_t)1 << dropped) - 1)) | product.middle;
    const uint64_t kept = product.high >> dropped;
    /* half up is wrong where nothing but zeros follows a one in the rounding bit and a zero */
    if (UNLIKELY(rest == 0) && (!is_product_exact_at(exponent) || (kept & 3) == 1)) {
        return false;
    }
    if (UNLIKELY((unsigned)biased_exponent - 1 >= 2045)) {
        return false;
    }
    /* a carry out of the significand goes into the exponent, as it should */
    *value = double_from_bits(((kept + 1) >> 1) +
                              ((uint64_t)(biased_exponent - 1) << DOUBLE_SIGNIFICAND_BITS));
    return true;
}

/* The bits of the double nearest to w * 10^exponent for every w > 0 and exponent, subnormal and
 * infinite ones included; false where the product does not determine it. */
static inline bool decimal_to_double_bits(uint64_t w, int exponent, uint64_t *bits) {
    assert(w > 0);
    if (exponent < POWER_OF_TEN_MIN) {
        *bits = 0;
        return true;
    }
    if (exponent > 308) {
        *bits = INFINITY_BITS;
        return true;
    }
    const struct decimal_product product = decimal_product(w, exponent);
    int biased_exponent = product.exponent + 1023;
    int dropped = product.highest_bit - 53;
    if (biased_exponent <= 0) {
        dropped += 1 - biased_exponent;
        biased_exponent = 0;
        if (dropped > 63) {
            *bits = 0; /* below half of the smallest subnormal */
            return true;
        }
    }
    const uint64_t rest = (product.high & low_bits((size_t)dropped)) | product.middle;
    if (rest == 0 && !is_product_exact_at(exponent)) {
        return false;
    }
    const uint64_t kept = product.high >> dropped;
    /* round half to even on the lowest bit */
    const uint64_t mantissa = (kept >> 1) + (kept & 1 & ((uint64_t)(rest != 0) | kept >> 1));
    *bits = biased_exponent == 0
                ? mantissa
                : mantissa + ((uint64_t)(biased_exponent - 1) << DOUBLE_SIGNIFICAND_BITS);
    if (*bits > INFINITY_BITS) {
        *bits = INFINITY_BITS;
    }
    return true;
}

#endif
