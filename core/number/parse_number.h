/* SPDX-License-Identifier: MIT */
/* JSON numbers to integers and correctly rounded doubles.
 *
 * The grammar is stdlib's: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?, as much of it as
 * matches. The significand's first nineteen digits make a 64-bit integer w; w * 10^e is rounded by
 * interval arithmetic on one product with the truncated power of ten: where the interval straddles
 * a rounding boundary the caller's exact converter decides. Idea: D. Lemire, "Number parsing at a
 * gigabyte per second" (2021). */
#ifndef SSRJSON_NUMBER_PARSE_NUMBER_H
#define SSRJSON_NUMBER_PARSE_NUMBER_H

#include "number/decimal.h"

enum number_kind {
    NUMBER_NONE,        /* no number starts here */
    NUMBER_INT,         /* is_negative and magnitude */
    NUMBER_BIG_INT,     /* beyond 64 bits: the caller converts the text */
    NUMBER_DOUBLE,      /* value */
    NUMBER_HARD_DOUBLE, /* too near a rounding boundary: the caller converts the text */
};

struct number {
    enum number_kind kind;
    bool is_negative;
    uint64_t magnitude;
    double value;
    const uint8_t *end; /* behind the number's last character */
};

static ALWAYS_INLINE bool is_digit(uint8_t c) {
    return (uint8_t)(c - '0') < 10;
}

static ALWAYS_INLINE double double_from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* w * 10^exponent, correctly rounded, into *value; false where the product cannot tell. w > 0. */
static inline bool scale_decimal(uint64_t w, int exponent, double *value) {
    if (exponent < POWER_OF_TEN_MIN) {
        *value = 0.0;
        return true;
    }
    if (exponent > 308) {
        *value = __builtin_inf();
        return true;
    }
    const struct power_of_ten power = power_of_ten(exponent);
    const bool is_exact = exponent >= 0 && exponent <= POWER_OF_TEN_LAST_EXACT;
    const unsigned normalising = leading_zeros(w);
    w <<= normalising;
    const unsigned __int128 low_product = (unsigned __int128)w * power.low;
    const unsigned __int128 product =
        (unsigned __int128)w * power.high + (uint64_t)(low_product >> 64);
    const uint64_t high = (uint64_t)(product >> 64);
    const uint64_t middle = (uint64_t)product;

    /* value = 1.f * 2^binary_exponent; keep 53 bits and a rounding bit, fewer for subnormals */
    const int upper_bit = (int)(high >> 63);
    const int binary_exponent = floor_log2_pow10(exponent) + 63 + upper_bit - (int)normalising;
    int biased_exponent = binary_exponent + 1023;
    int dropped = upper_bit + 9;
    if (biased_exponent <= 0) {
        dropped += 1 - biased_exponent;
        biased_exponent = 0;
        if (dropped > 63) {
            *value = 0.0; /* below half of the smallest subnormal */
            return true;
        }
    }
    const uint64_t dropped_bits = high & low_bits((size_t)dropped);
    if (!is_exact && middle == ~(uint64_t)0 && dropped_bits == low_bits((size_t)dropped)) {
        return false; /* the cut-off part of the power could carry into the rounding bit */
    }
    const bool is_sticky =
        !is_exact || dropped_bits != 0 || middle != 0 || (uint64_t)low_product != 0;
    uint64_t mantissa = high >> dropped;
    /* round half to even on the lowest bit */
    mantissa = (mantissa >> 1) + ((mantissa & 1) & ((uint64_t)is_sticky | (mantissa >> 1 & 1)));
    /* a carry out of the mantissa moves into the exponent, where it belongs */
    const uint64_t bits =
        biased_exponent == 0 ? mantissa : mantissa + ((uint64_t)(biased_exponent - 1) << 52);
    *value = bits >= (uint64_t)0x7ff << 52 ? __builtin_inf() : double_from_bits(bits);
    return true;
}

/* The double nearest to w * 10^exponent, or false; is_cut says that further digits followed w. */
static ALWAYS_INLINE bool decimal_to_double(uint64_t w, int exponent, bool is_cut, double *value) {
    if (w == 0) {
        *value = 0.0;
        return true;
    }
    if (LIKELY(!is_cut && w <= (uint64_t)1 << 53 && -22 <= exponent && exponent <= 22)) {
        static const double exact_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                              1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                              1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
        /* both operands are exact, so one rounding is the right one */
        *value =
            exponent < 0 ? (double)w / exact_powers[-exponent] : (double)w * exact_powers[exponent];
        return true;
    }
    if (!scale_decimal(w, exponent, value)) {
        return false;
    }
    if (is_cut) {
        double above;
        return scale_decimal(w + 1, exponent, &above) && above == *value;
    }
    return true;
}

/* Digits from p on, appended to *w while they fit in nineteen; *n_kept counts those. */
static ALWAYS_INLINE const uint8_t *parse_digits(const uint8_t *p, const uint8_t *end, uint64_t *w,
                                                 int *n_kept) {
    while (end - p >= 8 && *n_kept <= 11) {
        const uint64_t chunk = load_u64(p);
        if (!is_eight_digits(chunk)) {
            break;
        }
        *w = *w * 100000000 + eight_digits_value(chunk);
        *n_kept += *w != 0 ? 8 : 0;
        p += 8;
    }
    while (p < end && is_digit(*p) && *n_kept < 19) {
        *w = *w * 10 + (uint8_t)(*p - '0');
        *n_kept += *w != 0;
        p++;
    }
    return p;
}

/* The number at p, which is read up to end. */
static inline struct number parse_number(const uint8_t *p, const uint8_t *const end) {
    struct number number = {.kind = NUMBER_NONE, .end = p};
    number.is_negative = p < end && *p == '-';
    p += number.is_negative;
    if (p == end || !is_digit(*p)) {
        return number;
    }
    uint64_t w = 0;
    int n_kept = 0; /* digits in w from the first that is not zero */
    int64_t exponent = 0;
    bool is_cut = false; /* a digit did not fit into w */
    const uint8_t *const digits = p;
    if (*p == '0') {
        p++;
    } else {
        p = parse_digits(p, end, &w, &n_kept);
        if (UNLIKELY(p < end && is_digit(*p))) {
            is_cut = true;
            const uint8_t *const cut = p;
            while (p < end && is_digit(*p)) {
                p++;
            }
            exponent = p - cut;
        }
    }
    const uint8_t *const integer_end = p;
    bool is_float = false;
    if (p < end && *p == '.' && end - p > 1 && is_digit(p[1])) {
        is_float = true;
        const uint8_t *const fraction = ++p;
        if (!is_cut) {
            p = parse_digits(p, end, &w, &n_kept);
            exponent -= p - fraction;
        }
        if (UNLIKELY(p < end && is_digit(*p))) {
            is_cut = true;
            while (p < end && is_digit(*p)) {
                p++;
            }
        }
    }
    if (p < end && (*p | 0x20) == 'e') {
        const uint8_t *q = p + 1;
        const bool is_exponent_negative = q < end && *q == '-';
        q += q < end && (*q == '-' || *q == '+');
        if (q < end && is_digit(*q)) {
            is_float = true;
            int64_t written = 0;
            for (; q < end && is_digit(*q); q++) {
                written = written < 100000000 ? written * 10 + (*q - '0') : written;
            }
            exponent += is_exponent_negative ? -written : written;
            p = q;
        }
    }
    number.end = p;
    if (!is_float) {
        number.end = integer_end;
        const ptrdiff_t n_digits = integer_end - digits;
        number.magnitude = w;
        number.kind = NUMBER_INT;
        if (UNLIKELY(is_cut)) {
            /* twenty digits may still fit into 64 bits */
            number.kind = NUMBER_BIG_INT;
            const uint64_t last = (uint64_t)(integer_end[-1] - '0');
            if (n_digits == 20 && w <= (UINT64_MAX - last) / 10) {
                number.kind = NUMBER_INT;
                number.magnitude = w * 10 + last;
            }
        }
        return number;
    }
    /* far beyond every double, and within int */
    exponent = exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent;
    double magnitude = 0.0;
    number.kind = decimal_to_double(w, (int)exponent, is_cut, &magnitude) ? NUMBER_DOUBLE
                                                                          : NUMBER_HARD_DOUBLE;
    number.value = number.is_negative ? -magnitude : magnitude;
    return number;
}

#endif
