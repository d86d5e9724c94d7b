/* SPDX-License-Identifier: MIT */
/* Decimal fractions: to text without an exponent, and to a double. */
#ifndef SSRJSON_NUMBER_FORMAT_DECIMAL_H
#define SSRJSON_NUMBER_FORMAT_DECIMAL_H

#include "number/format_int.h"

/* Room that format_fixed_point may write to. */
#define FORMAT_FIXED_POINT_ROOM 48

/* The maximum of zeros after the point of a number without an exponent. Source: the
 * specification of decimal arithmetic, "to-scientific-string". */
#define FIXED_POINT_MAX_ZEROS 5

/* Whether str() of coefficient * 10^exponent, with a coefficient of n_digits, has no exponent. */
static ALWAYS_INLINE bool is_fixed_point(int n_digits, int64_t exponent) {
    return exponent <= 0 && exponent + n_digits >= -FIXED_POINT_MAX_ZEROS;
}

/* Store such a number, with a sign where it is negative, and return the end. */
static inline char *format_fixed_point(char *out, uint64_t coefficient, int n_digits,
                                       int64_t exponent, bool is_negative) {
    assert(is_fixed_point(n_digits, exponent));
    char digits[FORMAT_INT_ROOM + 24] = {0};
    format_u64(digits, coefficient);
    *out = '-';
    out += is_negative;
    const int n_before_point = n_digits + (int)exponent;
    if (n_before_point <= 0) {
        memcpy(out, "0.000000", 8);
        out += 2 - n_before_point;
        memcpy(out, digits, 24);
        return out + n_digits;
    }
    memcpy(out, digits, 24);
    if (exponent == 0) {
        return out + n_digits;
    }
    out[n_before_point] = '.';
    memcpy(out + n_before_point + 1, digits + n_before_point, 24);
    return out + n_digits + 1;
}

/* Whether a double holds coefficient and 10^-exponent exactly, so that their quotient, rounded
 * once, is the nearest double. */
static ALWAYS_INLINE bool is_exact_quotient(uint64_t coefficient, int64_t exponent) {
    return coefficient <= (uint64_t)1 << 53 && exponent <= 0 && exponent >= -22;
}

/* The double nearest to coefficient * 10^exponent. */
static inline double exact_quotient(uint64_t coefficient, int64_t exponent) {
    assert(is_exact_quotient(coefficient, exponent));
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return (double)coefficient / powers[-exponent];
}

#endif
