/* SPDX-License-Identifier: MIT */
/* Doubles to the shortest decimal that reads back as the same double, laid out as Python's repr.
 *
 * v = c * 2^q is scaled by the power of ten that brings one unit in the last place, u, into
 * [0.1, 1). Then at most one integer lies nearer to the scaled value than u / 2, and at least one
 * tenth does: the shortest decimal is that integer if there is one, else the nearest tenth. The
 * scaled value is one 64 x 128 bit product with an error below 2^-63; whatever comes that near to a
 * boundary, and the powers of two, whose lower neighbour is nearer, is decided exactly by
 * exact_decimal. Sources: R. Giulietti, "The Schubfach way to render doubles" (2021), for the
 * exact decision; Steele & White (1990) for the problem. */
#ifndef SSRJSON_NUMBER_FORMAT_FLOAT_H
#define SSRJSON_NUMBER_FORMAT_FLOAT_H

#include "number/decimal.h"
#include "number/format_int.h"
#include "simd/simd.h"

/* Room that format_double may write to; 24 characters at most are kept. */
#define FORMAT_FLOAT_ROOM 48

#define DOUBLE_FRACTION_BITS 52
#define DOUBLE_MIN_EXPONENT (-1074)

/* (integer + tenth / 10) * 10^exponent, tenth < 10, integer < 10^16 */
struct decimal {
    uint64_t integer;
    uint32_t tenth;
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
static COLD struct decimal exact_decimal(uint64_t c, int q) {
    const bool is_lower_nearer =
        c == (uint64_t)1 << DOUBLE_FRACTION_BITS && q > DOUBLE_MIN_EXPONENT;
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
    const uint64_t unit = value / 4;
    const uint64_t tens = unit / 10;
    const bool is_tens_below_inside = lower + is_odd <= 40 * tens;
    const bool is_tens_above_inside = 40 * tens + 40 + is_odd <= upper;
    if (unit >= 10 && is_tens_below_inside != is_tens_above_inside) {
        return (struct decimal){tens + is_tens_above_inside, 0, k + 1};
    }
    const bool is_below_inside = lower + is_odd <= 4 * unit;
    const bool is_above_inside = 4 * unit + 4 + is_odd <= upper;
    bool is_up = is_above_inside;
    if (is_below_inside == is_above_inside) {
        const uint64_t middle = 4 * unit + 2;
        is_up = value > middle || (value == middle && (unit & 1));
    }
    const uint64_t digits = unit + is_up;
    return (struct decimal){digits / 10, (uint32_t)(digits % 10), k + 1};
}

/* The shortest decimal of c * 2^q, c > 0. */
static ALWAYS_INLINE struct decimal shortest_decimal(uint64_t c, int q) {
    if (UNLIKELY(c == (uint64_t)1 << DOUBLE_FRACTION_BITS)) {
        return exact_decimal(c, q);
    }
    const int k = floor_log10_pow2(q) + 1;
    const struct power_of_ten power = power_of_ten(-k);
    const int shift = q + floor_log2_pow10(-k); /* u = power * 2^(shift - 127), -4 <= shift < 0 */
    assert(-4 <= shift && shift < 0);
    const uint64_t factor = c << (shift + 4);
    const unsigned __int128 low = (unsigned __int128)power.low * factor;
    const unsigned __int128 scaled = (unsigned __int128)power.high * factor + (uint64_t)(low >> 64);
    /* 61 bits of integer, 64 of fraction, three cut off */
    const uint64_t integer = (uint64_t)(scaled >> 64) >> 3;
    const uint64_t fraction = (uint64_t)(scaled >> 3);
    const uint64_t half_ulp = power.high >> -shift;
    const bool is_upper_half = fraction >> 63;
    const uint64_t distance = is_upper_half ? -fraction : fraction; /* to the nearest integer */
    const uint64_t doubt = 4;
    if (UNLIKELY(distance - half_ulp + doubt <= 2 * doubt)) {
        return exact_decimal(c, q);
    }
    if (distance < half_ulp) {
        return (struct decimal){integer + is_upper_half, 0, k};
    }
    const unsigned __int128 tenths = (unsigned __int128)fraction * 10 + ((uint64_t)1 << 63);
    if (UNLIKELY((uint64_t)tenths + 10 * doubt <= 20 * doubt)) {
        return exact_decimal(c, q);
    }
    return (struct decimal){integer, (uint32_t)(tenths >> 64), k};
}

/* The digits of high and low, both below 10^8, eight each, as values 0 to 9 in reading order:
 * halves, quarters and digits are split apart in all lanes at once. */
static ALWAYS_INLINE u8x16 sixteen_digits(uint32_t high, uint32_t low) {
    const u64x2 eights = __builtin_convertvector((u32x2){high, low}, u64x2);
    const u64x2 upper = eights * 3518437209u >> 45; /* n / 10^4 */
    const u16x8 fours = (u16x8)(upper | (eights - upper * 10000) << 32);
    const u16x8 hundreds = u16x8_multiply_high(fours, 5243) >> 3; /* n / 100 */
    const u16x8 twos = hundreds | (u16x8)((u32x4)(fours - hundreds * 100) << 16);
    const u16x8 tens = u16x8_multiply_high(twos, 6554); /* n / 10 */
    return (u8x16)(tens | (twos - tens * 10) << 8);
}

/* The text of a decimal's digits: sixteen, of which the first may be a zero to be left out, and
 * the tenth. */
struct digit_text {
    u8x16 digits;
    int n_skipped; /* 0 or 1 */
    uint16_t last_two;
    int n_significant; /* without the skipped one, up to the last that is not zero */
};

static ALWAYS_INLINE struct digit_text digit_text(struct decimal decimal) {
    assert(decimal.integer >= 100000000000000 && decimal.integer < 10000000000000000);
    const uint32_t high = (uint32_t)(decimal.integer / 100000000);
    const u8x16 values =
        sixteen_digits(high, (uint32_t)(decimal.integer - (uint64_t)high * 100000000));
    const u8x16 digits = values + '0';
    const int n_skipped = high < 10000000;
    const uint32_t nonzero = u8x16_mask((u8x16)(values != 0));
    return (struct digit_text){
        .digits = digits,
        .n_skipped = n_skipped,
        .last_two = (uint16_t)(digits[15] | (decimal.tenth + '0') << 8),
        .n_significant = (decimal.tenth != 0 ? 17 : 32 - __builtin_clz(nonzero)) - n_skipped,
    };
}

/* Store the digits with a point behind n_before of them, but not behind the sixteenth; 18 bytes. */
static ALWAYS_INLINE void store_pointed(char *out, struct digit_text text, int n_before) {
#if defined(SIMD_HAS_SHUFFLE)
    const u8x16 lanes = u8x16_load(LANE_NUMBERS);
    const u8x16 place = u8x16_splat((uint8_t)n_before);
    const u8x16 is_point = (u8x16)(lanes == place);
    const u8x16 index = lanes + u8x16_splat((uint8_t)text.n_skipped) + (u8x16)(lanes > place);
    u8x16_store(out, (is_point & '.') | (~is_point & u8x16_shuffle(text.digits, index)));
    memcpy(out + 16 - text.n_skipped, &text.last_two, 2);
#else
    char digits[18];
    memcpy(digits, &text.digits, 16);
    memcpy(digits + 15, &text.last_two, 2);
    memcpy(out, digits + text.n_skipped, (size_t)n_before);
    out[n_before] = '.';
    memcpy(out + n_before + 1, digits + text.n_skipped + n_before,
           (size_t)(17 - n_before - text.n_skipped));
#endif
}

/* Store the digits alone; 17 bytes. */
static ALWAYS_INLINE void store_digits(char *out, struct digit_text text) {
#if defined(SIMD_HAS_SHUFFLE)
    const u8x16 index = u8x16_load(LANE_NUMBERS) + u8x16_splat((uint8_t)text.n_skipped);
    u8x16_store(out, u8x16_shuffle(text.digits, index));
#else
    char digits[17];
    memcpy(digits, &text.digits, 16);
    digits[16] = '0';
    memcpy(out, digits + text.n_skipped, 16);
#endif
    memcpy(out + 15 - text.n_skipped, &text.last_two, 2);
}

/* Lay out 0.ddd * 10^point as repr does: fixed for -4 < point <= 16, else with an exponent of two
 * digits or more. */
static ALWAYS_INLINE char *lay_out_decimal(char *out, struct digit_text text, int point) {
    if (LIKELY(0 < point && point + text.n_skipped <= 15)) {
        store_pointed(out, text, point);
        return out + (text.n_significant > point ? text.n_significant + 1 : point + 2);
    }
    if (-4 < point && point <= 0) {
        memcpy(out, "0.000", 5);
        out += 2 - point;
        store_digits(out, text);
        return out + text.n_significant;
    }
    if (0 < point && point <= 16) {
        /* the tenth is all that can stand behind the point */
        store_digits(out, text);
        out[17 - text.n_skipped] = '0';
        out[point + 1] = out[point];
        out[point] = '.';
        return out + point + 2;
    }
    store_pointed(out, text, 1);
    out += text.n_significant > 1 ? text.n_significant + 1 : 1;
    const bool is_negative = point < 1;
    const uint32_t exponent = (uint32_t)(is_negative ? 1 - point : point - 1);
    const bool is_three_digits = exponent >= 100;
    const uint32_t digits = four_digits(exponent) >> (is_three_digits ? 8 : 16);
    out[0] = 'e';
    out[1] = (char)('+' + ('-' - '+') * is_negative);
    memcpy(out + 2, &digits, 4);
    return out + 4 + is_three_digits;
}

/* A decimal of too few digits (a subnormal's) with zeros in front moved behind. */
static COLD struct decimal left_align(struct decimal decimal) {
    while (decimal.integer < 100000000000000) {
        decimal.integer = decimal.integer * 10 + decimal.tenth;
        decimal.tenth = 0;
        decimal.exponent--;
    }
    return decimal;
}

/* A finite double on its way to text: what is worked out before its place is known. */
struct float_text {
    struct digit_text digits; /* of an integer below 2^53: not used */
    int point;
    bool is_negative;
    bool is_integer;
    uint64_t integer;
};

/* Work out a finite double's digits. */
static ALWAYS_INLINE struct float_text float_text(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct float_text text = {.is_negative = bits >> 63};
    const double magnitude = __builtin_fabs(value);
    /* beyond 2^53 the comparison fails, and no branch asks for it */
    const double limited = magnitude < 9007199254740992.0 ? magnitude : 9007199254740992.0;
    text.integer = (uint64_t)(int64_t)limited;
    text.is_integer = (double)(int64_t)text.integer == magnitude;
    if (text.is_integer) {
        return text;
    }
    const uint64_t fraction = bits & low_bits(DOUBLE_FRACTION_BITS);
    const int biased_exponent = (int)(bits >> DOUBLE_FRACTION_BITS) & 0x7ff;
    assert(biased_exponent != 0x7ff);
    const bool is_normal = biased_exponent != 0;
    const uint64_t c = fraction | ((uint64_t)is_normal << DOUBLE_FRACTION_BITS);
    const int q = biased_exponent - is_normal + DOUBLE_MIN_EXPONENT;
    struct decimal decimal = shortest_decimal(c, q);
    if (UNLIKELY(decimal.integer < 100000000000000)) {
        decimal = left_align(decimal);
    }
    text.digits = digit_text(decimal);
    text.point = 16 - text.digits.n_skipped + decimal.exponent;
    return text;
}

/* Store a double as Python's repr writes it and return the end; out has room for
 * FORMAT_FLOAT_ROOM bytes. */
static ALWAYS_INLINE char *store_float_text(char *out, const struct float_text *text) {
    *out = '-';
    out += text->is_negative;
    if (text->is_integer) {
        out = format_u64(out, text->integer);
        memcpy(out, ".0", 2);
        return out + 2;
    }
    return lay_out_decimal(out, text->digits, text->point);
}

/* The same of a finite double at once. */
static ALWAYS_INLINE char *format_double(char *out, double value) {
    const struct float_text text = float_text(value);
    return store_float_text(out, &text);
}

#endif
