/* SPDX-License-Identifier: MIT */
#include "encode/types/narrow_float.h"

#include "number/decimal_to_double.h"
#include "number/shortest_decimal.h"

/* A binary floating-point format of IEEE 754. */
struct float_width {
    int fraction_bits;
    int min_exponent; /* of the lowest bit of its subnormals */
};

/* A float above zero as c * 2^q, with c of its own width, and whether the neighbour below is half
 * as far as the one above. */
struct narrow_float {
    uint64_t c;
    int q;
    bool is_lower_nearer;
};

/* Narrower floats, subnormal ones too, are normal doubles: their bits are given. */
static ALWAYS_INLINE struct narrow_float narrow_float(uint64_t bits, struct float_width width) {
    assert(bits >> DOUBLE_FRACTION_BITS != 0);
    const uint64_t c = (bits & low_bits(DOUBLE_FRACTION_BITS)) | (uint64_t)1
                                                                     << DOUBLE_FRACTION_BITS;
    const int q = (int)(bits >> DOUBLE_FRACTION_BITS) - 1 + DOUBLE_MIN_EXPONENT;
    const int narrow_q = q + DOUBLE_FRACTION_BITS - width.fraction_bits;
    const int own_q = narrow_q > width.min_exponent ? narrow_q : width.min_exponent;
    const uint64_t own_c = c >> (own_q - q);
    assert(own_c << (own_q - q) == c);
    return (struct narrow_float){
        .c = own_c,
        .q = own_q,
        .is_lower_nearer =
            own_c == (uint64_t)1 << width.fraction_bits && own_q > width.min_exponent,
    };
}

/* The shortest decimal as an integer and the power of ten to multiply it with, by the method of
 * shortest_decimal.h with 64 bits of each power of ten; false where they do not decide it. */
static ALWAYS_INLINE bool narrow_digits(struct narrow_float from, uint64_t *digits, int *exponent) {
    const int k = floor_log10_pow2(from.q) + 1;
    const uint64_t power = power_of_ten(-k).high;
    const int shift = from.q + floor_log2_pow10(-k);
    assert(-4 <= shift && shift < 0);
    /* the scaled value times 2^67; what the power lacks is below 2^25 in `fraction` */
    const unsigned __int128 scaled = (unsigned __int128)power * (from.c << (shift + 4));
    const uint64_t below = (uint64_t)(scaled >> 67);
    const uint64_t fraction = (uint64_t)(scaled >> 3);
    const uint64_t doubt = 1 << 26;
    const bool is_up = fraction >> 63;
    const uint64_t distance = is_up ? -fraction : fraction; /* to the nearest integer */
    const uint64_t half_ulp = power >> -shift;
    const bool is_integer = distance < half_ulp;
    const unsigned __int128 tenths = (unsigned __int128)fraction * 10 + ((uint64_t)1 << 63);
    *exponent = is_integer ? k : k - 1;
    *digits = is_integer ? below + is_up : below * 10 + (uint64_t)(tenths >> 64);
    return !((distance - half_ulp + doubt <= 2 * doubt) |
             (!is_integer & ((uint64_t)tenths + 10 * doubt <= 20 * doubt)) | from.is_lower_nearer);
}

/* digits * 10^exponent, rounded once. */
static ALWAYS_INLINE double decimal_as_double(uint64_t digits, int exponent) {
    if (LIKELY(-22 <= exponent && exponent <= 0)) {
        return short_decimal_to_double(digits, (unsigned)-exponent);
    }
    uint64_t bits = 0;
    const bool is_determined = decimal_to_double_bits(digits, exponent, &bits);
    assert(is_determined); /* tests/check_singles.py has tried every one */
    (void)is_determined;
    return double_from_bits(bits);
}

void narrow_floats_as_doubles(double *values, size_t n, int n_bytes) {
    static const struct float_width HALF = {10, -24};
    static const struct float_width SINGLE = {23, -149};
    const struct float_width width = n_bytes == 2 ? HALF : SINGLE;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        const bool is_negative = bits >> 63;
        bits &= low_bits(63);
        if (UNLIKELY(bits == 0 || bits >= INFINITY_BITS)) {
            continue;
        }
        const struct narrow_float from = narrow_float(bits, width);
        uint64_t digits;
        int exponent;
        if (UNLIKELY(!narrow_digits(from, &digits, &exponent))) {
            digits = decide_digits(from.c, from.q, from.is_lower_nearer, &exponent);
        }
        values[i] = signed_double(decimal_as_double(digits, exponent), is_negative);
    }
}
