/* SPDX-License-Identifier: MIT */
/* Doubles to the shortest decimal that reads back as the same double, one or a vector at a time.
 *
 * v = c * 2^q is scaled by the power of ten that brings one unit in the last place, u, into
 * [0.1, 1). Then at most one integer lies nearer to the scaled value than u / 2, and at least one
 * tenth does: the shortest decimal is that integer if there is one, else the nearest tenth. The
 * scaled value is a truncated product; whatever comes near to a boundary, and what the method does
 * not hold for, is decided exactly by exact_decimal. Nothing else asks for a branch. Sources:
 * R. Giulietti, "The Schubfach way to render doubles" (2021), for the exact decision; Steele &
 * White (1990) for the problem. */
#ifndef SSRJSON_NUMBER_SHORTEST_DECIMAL_H
#define SSRJSON_NUMBER_SHORTEST_DECIMAL_H

#include "number/decimal.h"
#include "simd/simd.h"

#define DOUBLE_FRACTION_BITS 52
#define DOUBLE_MIN_EXPONENT (-1074)
#define DOUBLE_ONE ((uint64_t)1023 << DOUBLE_FRACTION_BITS)

#define TEN_TO_15 1000000000000000

/* (integer + tenth / 10) * 10^exponent: tenth < 10, 10^15 <= integer < 10^16, or both are zero and
 * the exponent is -15. */
struct decimal {
    uint64_t integer;
    uint64_t tenth;
    int exponent;
};

/* Such decimals in lanes; EXPONENT_BIAS keeps the exponents above zero. */
struct decimals {
    u64vec integer;
    u64vec tenth;
    u64vec biased_exponent;
};
#define EXPONENT_BIAS 400

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

/* The shortest decimal of c * 2^q, c > 0, among floats of c's width, as an integer and the power of
 * ten to multiply it with: decided in quarters of the scaled unit. `is_lower_nearer`: the neighbour
 * below is half as far as the one above. */
static ALWAYS_INLINE uint64_t decide_digits(uint64_t c, int q, bool is_lower_nearer,
                                            int *exponent) {
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
    uint64_t digits = 10 * (tens + is_tens_above_inside);
    if (unit < 10 || is_tens_below_inside == is_tens_above_inside) {
        const bool is_below_inside = lower + is_odd <= 4 * unit;
        const bool is_above_inside = 4 * unit + 4 + is_odd <= upper;
        bool is_up = is_above_inside;
        if (is_below_inside == is_above_inside) {
            const uint64_t middle = 4 * unit + 2;
            is_up = value > middle || (value == middle && (unit & 1));
        }
        digits = unit + is_up;
    }
    *exponent = k;
    return digits;
}

static ALWAYS_INLINE struct decimal decide_decimal(uint64_t c, int q, bool is_lower_nearer) {
    int exponent;
    const uint64_t digits = decide_digits(c, q, is_lower_nearer, &exponent);
    struct decimal decimal = {digits / 10, digits % 10, exponent + 1};
    while (decimal.integer < TEN_TO_15) {
        decimal.integer = decimal.integer * 10 + decimal.tenth;
        decimal.tenth = 0;
        decimal.exponent--;
    }
    return decimal;
}

/* The shortest decimal of a finite double above zero, given by its bits. */
static COLD struct decimal exact_decimal(uint64_t bits) {
    const uint64_t fraction = bits & low_bits(DOUBLE_FRACTION_BITS);
    const int biased_exponent = (int)(bits >> DOUBLE_FRACTION_BITS);
    const bool is_normal = biased_exponent != 0;
    const uint64_t c = fraction | (uint64_t)is_normal << DOUBLE_FRACTION_BITS;
    const int q = biased_exponent - is_normal + DOUBLE_MIN_EXPONENT;
    return decide_decimal(c, q, fraction == 0 && q > DOUBLE_MIN_EXPONENT);
}

/* The shortest decimal of a finite double, given by the bits of its magnitude. */
static ALWAYS_INLINE struct decimal shortest_decimal(uint64_t magnitude) {
    const bool is_zero = magnitude == 0;
    const uint64_t bits = is_zero ? DOUBLE_ONE : magnitude;
    const uint64_t double_fraction = bits & low_bits(DOUBLE_FRACTION_BITS);
    const uint64_t c = double_fraction | (uint64_t)1 << DOUBLE_FRACTION_BITS;
    const int q = (int)(bits >> DOUBLE_FRACTION_BITS) - 1 + DOUBLE_MIN_EXPONENT;
    const int k = floor_log10_pow2(q) + 1;
    const struct power_of_ten power = power_of_ten(-k);
    const int shift = q + floor_log2_pow10(-k); /* u = power * 2^(shift - 127) */
    assert(-4 <= shift && shift < 0);
    const uint64_t factor = c << (shift + 4);
    const unsigned __int128 low = (unsigned __int128)power.low * factor;
    const unsigned __int128 scaled = (unsigned __int128)power.high * factor + (uint64_t)(low >> 64);
    /* 61 bits of integer, 64 of fraction, three cut off */
    const uint64_t below = (uint64_t)(scaled >> 64) >> 3;
    const uint64_t fraction = (uint64_t)(scaled >> 3);
    const bool is_up = fraction >> 63;
    const uint64_t distance = is_up ? -fraction : fraction; /* to the nearest integer */
    const bool is_power_of_two = double_fraction == 0;
    /* the neighbour below a power of two is half as far */
    const uint64_t half_ulp = power.high >> (-shift + (is_power_of_two & !is_up));
    const bool is_integer = distance < half_ulp;
    const unsigned __int128 tenths = (unsigned __int128)fraction * 10 + ((uint64_t)1 << 63);
    const uint64_t doubt = 4;
    const bool is_in_doubt =
        (distance - half_ulp + doubt <= 2 * doubt) |
        (!is_integer & (is_power_of_two | ((uint64_t)tenths + 10 * doubt <= 20 * doubt))) |
        (bits >> DOUBLE_FRACTION_BITS == 0);
    if (UNLIKELY(is_in_doubt)) {
        return exact_decimal(bits);
    }
    /* half of random doubles are integers here: without the hint Clang makes this a branch */
    const uint64_t integer = below + (__builtin_unpredictable(is_integer) ? is_up : 0);
    const uint64_t tenth = __builtin_unpredictable(is_integer) ? 0 : (uint64_t)(tenths >> 64);
    const bool is_short = integer < TEN_TO_15;
    return (struct decimal){
        .integer = is_zero    ? 0
                   : is_short ? integer * 10 + tenth
                              : integer,
        .tenth = is_short ? 0 : tenth,
        .exponent = k - is_short,
    };
}

#if U64_LANES == 2
/* The shortest decimals of finite doubles, given by the bits of their magnitudes. */
static ALWAYS_INLINE struct decimals shortest_decimals(u64vec magnitudes) {
    /* vectors are put together from registers: lanes that are stored one by one and then loaded
     * together are a store-forwarding stall */
    const struct decimal first = shortest_decimal(magnitudes[0]);
    const struct decimal second = shortest_decimal(magnitudes[1]);
    return (struct decimals){
        .integer = {first.integer, second.integer},
        .tenth = {first.tenth, second.tenth},
        .biased_exponent = {(uint64_t)(first.exponent + EXPONENT_BIAS),
                            (uint64_t)(second.exponent + EXPONENT_BIAS)},
    };
}
#else
/* Replace the lanes that are in doubt by exact decisions. */
static COLD void decide_exactly(const u64vec *magnitudes, unsigned in_doubt,
                                struct decimals *decimals) {
    for (; in_doubt != 0; in_doubt &= in_doubt - 1) {
        const unsigned lane = trailing_zeros(in_doubt);
        const struct decimal decimal = exact_decimal((*magnitudes)[lane]);
        decimals->integer[lane] = decimal.integer;
        decimals->tenth[lane] = decimal.tenth;
        decimals->biased_exponent[lane] = (uint64_t)(decimal.exponent + EXPONENT_BIAS);
    }
}

/* Doubles scaled by 10^-k, as integers and fractions in units of 2^-37, at most five units too
 * small, and half of their units in the last place. */
struct scaled_doubles {
    u64vec biased_k; /* k + 323 */
    u64vec below;
    u64vec fraction;
    u64vec half_ulp;
};

/* Computes the same as shortest_decimal, but with biases, so that shifts can replace floors, and
 * with fewer bits of the product. */
static ALWAYS_INLINE struct scaled_doubles scale_doubles(u64vec double_exponent,
                                                         u64vec double_fraction) {
    const u64vec biased_k = (u64_multiply_low(double_exponent, u64_splat(315653)) + 411649) >> 20;
    const u64vec row = 323 - POWER_OF_TEN_MIN - biased_k;
    const u64vec shift = double_exponent +
                         ((u64_multiply_low(row, u64_splat(1741647)) + 472182) >> 19) -
                         (1075 + 1137 - 4); /* 0 to 3 */
    u64vec power_high;
    u64vec power_low;
    u64_load_pairs(POWERS_OF_TEN, row * sizeof POWERS_OF_TEN[0], &power_high, &power_low);

    /* 56 bits in halves of 28, so that products leave room for sums */
    const u64vec factor = (double_fraction | (uint64_t)1 << DOUBLE_FRACTION_BITS) << shift;
    const u64vec factor_high = factor >> 28;
    const u64vec factor_low = factor & low_bits(28);
    const u64vec top = u64_multiply_low(factor_high, power_high >> 32);    /* of weight 2^124 */
    const u64vec rest = (u64_multiply_low(factor_high, power_high) >> 2) + /* of weight 2^94 */
                        (u64_multiply_low(factor_low, power_high >> 32) << 2) +
                        (u64_multiply_low(factor_low, power_high) >> 30) +
                        (u64_multiply_low(factor_high, power_low >> 32) >> 34);
    const u64vec scaled = top + (rest >> 30); /* in units of 2^-7 */
    return (struct scaled_doubles){
        .biased_k = biased_k,
        .below = scaled >> 7,
        .fraction = (scaled & 127) << 30 | (rest & low_bits(30)),
        .half_ulp = power_high >> (31 - shift),
    };
}

/* The shortest decimals of finite doubles, given by the bits of their magnitudes. */
static ALWAYS_INLINE struct decimals shortest_decimals(u64vec magnitudes) {
    const u64vec is_zero = (u64vec)(magnitudes == 0);
    const u64vec bits = magnitudes | (is_zero & DOUBLE_ONE);
    const u64vec double_exponent = bits >> DOUBLE_FRACTION_BITS;
    const u64vec double_fraction = bits & low_bits(DOUBLE_FRACTION_BITS);
    const struct scaled_doubles scaled = scale_doubles(double_exponent, double_fraction);

    const uint64_t half = (uint64_t)1 << 36;
    const u64vec is_up = (scaled.fraction + half) >> 37;
    const u64vec distance =
        (u64vec)__builtin_elementwise_abs((i64vec)(scaled.fraction - (is_up << 37)));
    const u64vec is_power_of_two = (u64vec)(double_fraction == 0);
    const u64vec half_ulp =
        scaled.half_ulp - ((scaled.half_ulp >> 1) & is_power_of_two & (is_up - 1));
    const u64vec excess = distance - half_ulp;
    const u64vec is_integer = (u64vec)((i64vec)excess < 0);
    const u64vec tenths = (scaled.fraction << 3) + (scaled.fraction << 1) + half;
    /* within 8 units of a boundary, or 64 where they are tenths of a unit */
    const u64vec is_in_doubt =
        (u64vec)(((excess + 8) & ~(uint64_t)15) == 0) |
        (~is_integer &
         (is_power_of_two | (u64vec)(((tenths + 64) & low_bits(37) & ~(uint64_t)127) == 0))) |
        (u64vec)(double_exponent == 0);

    const u64vec integer = scaled.below + (is_up & is_integer);
    const u64vec tenth = (tenths >> 37) & ~is_integer;
    const u64vec is_short = (u64vec)((i64vec)integer < TEN_TO_15);
    const struct decimals decimals = {
        .integer =
            u64_select(is_short, (integer << 3) + (integer << 1) + tenth, integer) & ~is_zero,
        .tenth = tenth & ~is_short,
        .biased_exponent = scaled.biased_k + is_short + (EXPONENT_BIAS - 323),
    };
    const unsigned in_doubt = u64_mask(is_in_doubt);
    if (UNLIKELY(in_doubt != 0)) {
        struct decimals decided =
            decimals; /* a copy: a variable whose address is taken leaves the registers */
        decide_exactly(&magnitudes, in_doubt, &decided);
        return decided;
    }
    return decimals;
}
#endif

#endif
