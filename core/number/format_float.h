/* SPDX-License-Identifier: MIT */
/* Doubles to the shortest decimal that reads back as the same double, laid out as Python's repr.
 *
 * v = c * 2^q is scaled by the power of ten that brings one unit in the last place, u, into
 * [1, 10). Then at most one multiple of ten lies nearer to v than u / 2, and at least one integer
 * does: the shortest decimal is that multiple of ten if there is one, else the nearest integer.
 * The scaled value is one 64 x 128 bit product with an error below 2^-60; whatever comes that near
 * to a boundary, and the powers of two, whose lower neighbour is nearer, is decided exactly by
 * format_exact_digits. Sources: R. Giulietti, "The Schubfach way to render doubles" (2021), for
 * the exact decision; Steele & White (1990) for the problem. */
#ifndef SSRJSON_NUMBER_FORMAT_FLOAT_H
#define SSRJSON_NUMBER_FORMAT_FLOAT_H

#include "number/decimal.h"
#include "number/format_int.h"

/* Room that format_double may write to; 24 characters at most are kept. */
#define FORMAT_FLOAT_ROOM 48

#define DOUBLE_FRACTION_BITS 52
#define DOUBLE_MIN_EXPONENT (-1074)

/* digits * 10^exponent */
struct decimal {
    uint64_t digits;
    int exponent;
};

/* floor(q * log10(2)), exact for |q| <= 1100. */
static ALWAYS_INLINE int floor_log10_pow2(int q) {
    return (q * 315653) >> 20;
}

/* floor(log10(3/4 * 2^q)), exact for |q| <= 1100. */
static ALWAYS_INLINE int floor_log10_three_quarters_pow2(int q) {
    return (q * 315653 - 131008) >> 20;
}

/* The integer part of power * factor / 2^128, its lowest bit set if anything was cut off. */
static ALWAYS_INLINE uint64_t multiply_round_to_odd(struct power_of_ten power, uint64_t factor) {
    const unsigned __int128 low = (unsigned __int128)power.low * factor;
    const unsigned __int128 sum = (unsigned __int128)power.high * factor + (uint64_t)(low >> 64);
    return (uint64_t)(sum >> 64) | ((uint64_t)sum > 1);
}

/* The exact decision, in quarters of the scaled unit. */
static COLD struct decimal format_exact_digits(uint64_t c, int q) {
    const bool is_lower_nearer = c == (uint64_t)1 << DOUBLE_FRACTION_BITS && q > DOUBLE_MIN_EXPONENT;
    const uint64_t is_odd = c & 1;
    const int k = is_lower_nearer ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
    struct power_of_ten power = power_of_ten(-k);
    if (-k < 0 || -k > POWER_OF_TEN_LAST_EXACT) {
        /* the method wants the significand rounded up */
        power.low += 1;
        power.high += power.low == 0;
    }
    const int shift = q + floor_log2_pow10(-k) + 1;
    const uint64_t lower = multiply_round_to_odd(power, (4 * c - 2 + is_lower_nearer) << shift);
    const uint64_t value = multiply_round_to_odd(power, (4 * c) << shift);
    const uint64_t upper = multiply_round_to_odd(power, (4 * c + 2) << shift);
    const uint64_t integer = value / 4;
    if (integer >= 10) {
        const uint64_t tens = integer / 10;
        const bool is_below_inside = lower + is_odd <= 40 * tens;
        const bool is_above_inside = 40 * tens + 40 + is_odd <= upper;
        if (is_below_inside != is_above_inside) {
            return (struct decimal){10 * (tens + is_above_inside), k};
        }
    }
    const bool is_below_inside = lower + is_odd <= 4 * integer;
    const bool is_above_inside = 4 * integer + 4 + is_odd <= upper;
    if (is_below_inside != is_above_inside) {
        return (struct decimal){integer + is_above_inside, k};
    }
    const uint64_t middle = 4 * integer + 2;
    const bool is_up = value > middle || (value == middle && (integer & 1));
    return (struct decimal){integer + is_up, k};
}

/* The shortest decimal of c * 2^q, c > 0. */
static ALWAYS_INLINE struct decimal shortest_decimal(uint64_t c, int q) {
    if (UNLIKELY(c == (uint64_t)1 << DOUBLE_FRACTION_BITS)) {
        return format_exact_digits(c, q);
    }
    const int k = floor_log10_pow2(q);
    const struct power_of_ten power = power_of_ten(-k);
    const int shift = q + floor_log2_pow10(-k); /* u = power * 2^(shift - 127), 0 <= shift <= 3 */
    assert(shift >= 0 && shift <= 3);
    const uint64_t factor = c << (shift + 1);
    const unsigned __int128 low = (unsigned __int128)power.low * factor;
    const unsigned __int128 scaled = (unsigned __int128)power.high * factor + (uint64_t)(low >> 64);
    const uint64_t integer = (uint64_t)(scaled >> 64);
    const uint64_t fraction = (uint64_t)scaled;
    /* distances in units of 2^-60, each too small by less than 2 */
    const uint64_t remainder = integer % 10;
    const uint64_t half_ulp = power.high >> (4 - shift);
    const uint64_t down = (remainder << 60) | (fraction >> 4);
    const uint64_t up = (10ull << 60) - down;
    const uint64_t doubt = 4;
    if (down + doubt < half_ulp) {
        return (struct decimal){integer - remainder, k};
    }
    if (up + doubt < half_ulp) {
        return (struct decimal){integer - remainder + 10, k};
    }
    const uint64_t half = (uint64_t)1 << 63;
    if (UNLIKELY(down <= half_ulp + doubt || up <= half_ulp + doubt ||
                 fraction - (half - doubt) <= 2 * doubt)) {
        return format_exact_digits(c, q);
    }
    return (struct decimal){integer + (fraction >= half), k};
}

/* Seventeen digits, the first not zero, as text: the leading one, then sixteen in memory order. */
struct digit_text {
    char first;
    unsigned __int128 rest;
    int n_significant; /* up to the last digit that is not zero */
};

static ALWAYS_INLINE struct digit_text digit_text(uint64_t digits) {
    assert(digits >= 10000000000000000 && digits < 100000000000000000);
    const uint64_t upper = digits / 100000000;
    const uint64_t high = eight_digits((uint32_t)(upper % 100000000));
    const uint64_t low = eight_digits((uint32_t)(digits % 100000000));
    const uint64_t high_values = high & 0x0f0f0f0f0f0f0f0f;
    const uint64_t low_values = low & 0x0f0f0f0f0f0f0f0f;
    int n_significant = 1;
    if (low_values != 0) {
        n_significant = 17 - (int)leading_zeros(low_values) / 8;
    } else if (high_values != 0) {
        n_significant = 9 - (int)leading_zeros(high_values) / 8;
    }
    return (struct digit_text){.first = (char)('0' + upper / 100000000),
                               .rest = (unsigned __int128)low << 64 | high,
                               .n_significant = n_significant};
}

/* Lay out 0.ddd * 10^point as repr does: fixed for -4 < point <= 16, else with an exponent of two
 * digits or more. Whole words are stored straight from registers. */
static ALWAYS_INLINE char *lay_out_decimal(char *out, struct digit_text text, int point) {
    out[0] = text.first;
    if (0 < point && point <= 16) {
        /* make a gap for the point in the sixteen digits; the last one is pushed out */
        const int n_before = 8 * (point - 1);
        const unsigned __int128 before = text.rest & (((unsigned __int128)1 << n_before) - 1);
        const unsigned __int128 behind = (text.rest >> n_before) << n_before;
        const unsigned __int128 pointed =
            before | (unsigned __int128)'.' << n_before | behind << 8;
        memcpy(out + 1, &pointed, 16);
        out[17] = (char)(text.rest >> 120);
        return out + (text.n_significant > point ? text.n_significant + 1 : point + 2);
    }
    if (-4 < point && point <= 0) {
        memcpy(out, "0.00", 4);
        out += 2 - point;
        out[-1] = point == 0 ? '.' : '0';
        out[0] = text.first;
        memcpy(out + 1, &text.rest, 16);
        return out + text.n_significant;
    }
    out[1] = '.';
    memcpy(out + 2, &text.rest, 16);
    out += text.n_significant > 1 ? text.n_significant + 1 : 1;
    int exponent = point - 1;
    out[0] = 'e';
    out[1] = exponent < 0 ? '-' : '+';
    exponent = exponent < 0 ? -exponent : exponent;
    out += 2;
    if (exponent >= 100) {
        *out++ = (char)('0' + exponent / 100);
        exponent %= 100;
    }
    out[0] = (char)('0' + exponent / 10);
    out[1] = (char)('0' + exponent % 10);
    return out + 2;
}

/* Store a finite double as Python's repr writes it and return the end; out has room for
 * FORMAT_FLOAT_ROOM bytes. */
static ALWAYS_INLINE char *format_double(char *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    *out = '-';
    out += bits >> 63;
    const uint64_t fraction = bits & low_bits(DOUBLE_FRACTION_BITS);
    const int biased_exponent = (int)(bits >> DOUBLE_FRACTION_BITS) & 0x7ff;
    assert(biased_exponent != 0x7ff);
    const double magnitude = __builtin_fabs(value);
    if (magnitude < 9007199254740992.0) {
        const uint64_t integer = (uint64_t)(int64_t)magnitude;
        if ((double)(int64_t)integer == magnitude) {
            out = format_u64(out, integer);
            memcpy(out, ".0", 2);
            return out + 2;
        }
    }
    const bool is_normal = biased_exponent != 0;
    const uint64_t c = fraction | ((uint64_t)is_normal << DOUBLE_FRACTION_BITS);
    const int q = biased_exponent - is_normal + DOUBLE_MIN_EXPONENT;
    struct decimal decimal = shortest_decimal(c, q);
    /* sixteen or seventeen digits, fewer for subnormals only */
    while (decimal.digits < 10000000000000000) {
        decimal.digits *= 10;
        decimal.exponent--;
    }
    return lay_out_decimal(out, digit_text(decimal.digits), 17 + decimal.exponent);
}

#endif
