/* SPDX-License-Identifier: MIT */
/* JSON numbers to integers and correctly rounded doubles.
 *
 * The grammar is stdlib's: -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?, as much of it as
 * matches. This is for any number, one character after another; the usual ones are read faster by
 * decode/read_number.tmpl.h. The significand's first nineteen digits make a 64-bit integer w; where
 * they do not tell the double, the caller's exact converter decides. */
#ifndef SSRJSON_NUMBER_PARSE_NUMBER_H
#define SSRJSON_NUMBER_PARSE_NUMBER_H

#include "number/decimal_to_double.h"
#include "text/characters.h"

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
    uint64_t magnitude; /* of a double too: its first nineteen digits */
    double value;
    int exponent;       /* of a double: of the last digit in magnitude */
    bool is_cut;        /* of a double: it has more digits than magnitude */
    const uint8_t *end; /* after the number's last character */
};

/* Exponents are limited to this magnitude. */
#define MAX_EXPONENT 100000

/* Whether a double is magnitude * 10^exponent. */
static inline bool number_is_short_decimal(const struct number *number) {
    return !number->is_cut && number->exponent > -MAX_EXPONENT && number->exponent < MAX_EXPONENT;
}

/* The double nearest to w * 10^exponent, or false; is_cut says that further digits followed w. */
static ALWAYS_INLINE bool decimal_to_double(uint64_t w, int exponent, bool is_cut, double *value) {
    uint64_t bits = 0;
    if (w != 0 && !decimal_to_double_bits(w, exponent, &bits)) {
        return false;
    }
    *value = double_from_bits(bits);
    if (is_cut) {
        uint64_t above;
        return decimal_to_double_bits(w + 1, exponent, &above) && above == bits;
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

static ALWAYS_INLINE const uint8_t *after_digits(const uint8_t *p, const uint8_t *const end) {
    while (p < end && is_digit(*p)) {
        p++;
    }
    return p;
}

/* Add what is written after the letter e at p to the exponent, as far as it can matter. The place
 * after it; p where there are no digits. */
static ALWAYS_INLINE const uint8_t *parse_exponent(const uint8_t *p, const uint8_t *const end,
                                                   int64_t *exponent) {
    const uint8_t *q = p + 1;
    const bool is_negative = q < end && *q == '-';
    q += q < end && (*q == '-' || *q == '+');
    if (q == end || !is_digit(*q)) {
        return p;
    }
    int64_t written = 0;
    for (; q < end && is_digit(*q); q++) {
        written = written < 100000000 ? written * 10 + (*q - '0') : written;
    }
    *exponent += is_negative ? -written : written;
    return q;
}

/* The number at p, which is read up to end. */
static COLD struct number parse_number(const uint8_t *p, const uint8_t *const end) {
    struct number number = {.kind = NUMBER_NONE, .end = p};
    number.is_negative = p < end && *p == '-';
    p += number.is_negative;
    if (p == end || !is_digit(*p)) {
        return number;
    }
    uint64_t w = 0;
    int n_kept = 0; /* digits in w from the first that is not zero */
    int64_t exponent = 0;
    bool is_cut = false; /* a digit was not added to w, which was full */
    const uint8_t *const digits = p;
    if (*p == '0') {
        p++;
    } else {
        p = parse_digits(p, end, &w, &n_kept);
        if (UNLIKELY(p < end && is_digit(*p))) {
            is_cut = true;
            const uint8_t *const cut = p;
            p = after_digits(p, end);
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
            p = after_digits(p, end);
        }
    }
    if (p < end && (*p | 0x20) == 'e') {
        const uint8_t *const before = p;
        p = parse_exponent(p, end, &exponent);
        is_float |= p != before;
    }
    number.end = p;
    if (!is_float) {
        number.end = integer_end;
        const ptrdiff_t n_digits = integer_end - digits;
        number.magnitude = w;
        number.kind = NUMBER_INT;
        if (UNLIKELY(is_cut)) {
            /* some numbers of twenty digits fit into 64 bits */
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
    exponent = exponent > MAX_EXPONENT    ? MAX_EXPONENT
               : exponent < -MAX_EXPONENT ? -MAX_EXPONENT
                                          : exponent;
    double magnitude = 0.0;
    number.kind = decimal_to_double(w, (int)exponent, is_cut, &magnitude) ? NUMBER_DOUBLE
                                                                          : NUMBER_HARD_DOUBLE;
    number.value = number.is_negative ? -magnitude : magnitude;
    number.magnitude = w;
    number.exponent = (int)exponent;
    number.is_cut = is_cut;
    return number;
}

#endif
