/* SPDX-License-Identifier: MIT */
/* Floats of 32 bits with their own shortest digits, laid out as orjson does: 0.000001 to
 * 9999999000000.0 without an exponent. */
#ifndef SSRJSON_NUMBER_FORMAT_SINGLE_H
#define SSRJSON_NUMBER_FORMAT_SINGLE_H

#include "number/format_int.h"
#include "number/shortest_decimal.h"

/* Room that format_single may write to. */
#define FORMAT_SINGLE_ROOM 40

#define SINGLE_FRACTION_BITS 23
#define SINGLE_MIN_EXPONENT (-149)

/* The shortest decimal of a finite float above zero, given by its bits. */
static inline struct decimal single_decimal(uint32_t bits) {
    const uint64_t fraction = bits & low_bits(SINGLE_FRACTION_BITS);
    const int biased_exponent = (int)(bits >> SINGLE_FRACTION_BITS);
    const bool is_normal = biased_exponent != 0;
    const uint64_t c = fraction | (uint64_t)is_normal << SINGLE_FRACTION_BITS;
    const int q = biased_exponent - is_normal + SINGLE_MIN_EXPONENT;
    return decide_decimal(c, q, fraction == 0 && q > SINGLE_MIN_EXPONENT);
}

/* Store digits with an exponent: 1.5e-7, 1e+13. */
static inline char *single_put_scientific(char *out, const char *digits, int n_digits,
                                          int exponent) {
    *out++ = digits[0];
    *out = '.';
    memcpy(out + 1, digits + 1, (size_t)(n_digits - 1));
    out += n_digits > 1 ? n_digits : 0;
    *out++ = 'e';
    *out++ = exponent < 0 ? '-' : '+';
    return format_u64(out, (uint64_t)(exponent < 0 ? -exponent : exponent));
}

/* Store digits with a point after n_before of them, which may be below zero or beyond the last. */
static inline char *single_put_positional(char *out, const char *digits, int n_digits,
                                          int n_before) {
    if (n_before <= 0) {
        memcpy(out, "0.00000", 7);
        out += 2 - n_before;
        memcpy(out, digits, (size_t)n_digits);
        return out + n_digits;
    }
    const int n_whole = n_digits < n_before ? n_digits : n_before;
    memcpy(out, digits, (size_t)n_whole);
    memset(out + n_whole, '0', (size_t)(n_before - n_whole));
    out += n_before;
    *out++ = '.';
    *out = '0';
    memcpy(out + (n_digits <= n_before), digits + n_whole, (size_t)(n_digits - n_whole));
    return out + (n_digits <= n_before ? 1 : n_digits - n_before);
}

/* Store a finite float and return the end; out has room for FORMAT_SINGLE_ROOM bytes. */
static inline char *format_single(char *out, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    *out = '-';
    out += bits >> 31;
    bits &= low_bits(31);
    if (bits == 0) {
        memcpy(out, "0.0", 3);
        return out + 3;
    }
    const struct decimal decimal = single_decimal(bits);
    char digits[FORMAT_INT_ROOM];
    int n_digits = (int)(format_u64(digits, decimal.integer) - digits);
    const int n_before = n_digits + decimal.exponent;
    while (digits[n_digits - 1] == '0') {
        n_digits--;
    }
    return n_before >= -5 && n_before <= 13
               ? single_put_positional(out, digits, n_digits, n_before)
               : single_put_scientific(out, digits, n_digits, n_before - 1);
}

#endif
