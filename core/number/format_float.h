/* SPDX-License-Identifier: MIT */
/* Doubles as Python's repr writes them: the shortest digits that read back as the same double, as
 * 12.5, 0.00125 or 1.25e-05.
 *
 * Consecutive doubles are computed a vector at a time, and then stored one after the other. */
#ifndef SSRJSON_NUMBER_FORMAT_FLOAT_H
#define SSRJSON_NUMBER_FORMAT_FLOAT_H

#include "number/exponent_texts.h"
#include "number/float_bits.h"
#include "number/format_int.h"
#include "number/shortest_decimal.h"

/* Room that store_float may write to; 24 characters at most are kept. */
#define FORMAT_FLOAT_ROOM 48

/* The digits of a double and their layout. */
struct float_text {
    u8x16 digits;           /* sixteen, as values, the last in the lowest byte */
    uint64_t last_two;      /* as text: the sixteenth digit and the tenth after it */
    uint64_t n_significant; /* number of digits without zeros at the end */
    uint64_t layout;        /* LAYOUT_ZERO + the number of digits before the point, may wrap */
    uint64_t is_negative;
};
#define LAYOUT_ZERO 3

/* The digits and layouts of a vector of doubles. */
struct float_texts {
    u8x16 digits[U64_LANES];
    uint64_t last_two[U64_LANES];
    uint64_t has_tenth[U64_LANES]; /* 0 or 1: the tenth is not zero */
    uint64_t layout[U64_LANES];
    uint64_t is_negative[U64_LANES];
};

/* Compute the digits and layouts of finite doubles, given by their bits. */
static ALWAYS_INLINE void float_texts(struct float_texts *texts, u64vec bits) {
    const struct decimals decimals = shortest_decimals(bits & low_bits(63));
    /* integer / 10^8, one too small at times */
    u64vec high = u64_multiply_low(decimals.integer >> 22, u64_splat(2882303761)) >> 36;
    u64vec low = decimals.integer - u64_multiply_low(high, u64_splat(100000000));
    const u64vec is_too_small = (u64vec)((i64vec)low >= 100000000);
    high -= is_too_small;
    low -= is_too_small & 100000000;

    const u64vec low_digits = split_digits(low);
    u64_store_pairs(texts->digits, low_digits, split_digits(high));
    u64_store(texts->last_two, ((low_digits & 0xff) | decimals.tenth << 8) + 0x3030);
    u64_store(texts->has_tenth, (u64vec)(decimals.tenth != 0) & 1);
    u64_store(texts->layout, decimals.biased_exponent - (EXPONENT_BIAS - 16 - LAYOUT_ZERO));
    u64_store(texts->is_negative, bits >> 63);
}

static ALWAYS_INLINE size_t float_n_significant(u8x16 digits, uint64_t has_tenth) {
    const uint32_t nonzero = (uint32_t)u8x16_mask((u8x16)(digits != 0)) << 1 | (uint32_t)has_tenth;
    return 17 - trailing_zeros(nonzero | 1 << 17);
}

static ALWAYS_INLINE struct float_text float_text_of_lane(const struct float_texts *texts,
                                                          size_t lane) {
    return (struct float_text){
        .digits = texts->digits[lane],
        .last_two = texts->last_two[lane],
        .n_significant = float_n_significant(texts->digits[lane], texts->has_tenth[lane]),
        .layout = texts->layout[lane],
        .is_negative = texts->is_negative[lane],
    };
}

/* The digits and the layout of one finite double. Most have sixteen or seventeen digits: then their
 * number, and so the place of what follows, is known before all the digits are. */
static ALWAYS_INLINE struct float_text float_text(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    const struct decimal decimal = shortest_decimal(bits & low_bits(63));
    const uint64_t high = decimal.integer / 100000000;
    const u64vec split = split_digits((u64vec){decimal.integer - high * 100000000, high});
    const u8x16 digits = (u8x16)(u64x2){split[0], split[1]};
    const bool has_tenth = decimal.tenth != 0;
    size_t n_significant = 16 + has_tenth;
    if (UNLIKELY((decimal.integer % 10 | decimal.tenth) == 0)) {
        n_significant = float_n_significant(digits, has_tenth);
    }
    return (struct float_text){
        .digits = digits,
        .last_two = ((split[0] & 0xff) | decimal.tenth << 8) + 0x3030,
        .n_significant = n_significant,
        .layout = (uint64_t)(int64_t)(decimal.exponent + 16 + LAYOUT_ZERO),
        .is_negative = bits >> 63,
    };
}

/* Store the digits with a point after n_before of them, or without one where that is sixteen; 18
 * bytes. */
static ALWAYS_INLINE void store_digits(char *out, struct float_text text, size_t n_before) {
    const bool has_point = n_before < 16;
#if defined(SIMD_HAS_SHUFFLE)
    /* shuffle masks, which are parts of longer rows: the point takes no digit, so the digits after
     * it are read one byte earlier */
    static const uint8_t backwards[16] = {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    static const uint8_t moves[32] = {[16] = 192, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const char characters[33] = "0000000000000000.000000000000000";
    const u8x16 index = u8x16_load(backwards) + u8x16_load(moves + 16 - n_before);
    u8x16_store(out, u8x16_shuffle(text.digits, index) | u8x16_load(characters + 16 - n_before));
#else
    char digits[16];
    const u64x2 words = (u64x2)text.digits;
    const uint64_t high = __builtin_bswap64(words[1]) | 0x3030303030303030;
    const uint64_t low = __builtin_bswap64(words[0]) | 0x3030303030303030;
    memcpy(digits, &high, 8);
    memcpy(digits + 8, &low, 8);
    memcpy(out, digits, n_before);
    out[n_before] = '.';
    memcpy(out + n_before + 1, digits + n_before, has_point ? 15 - n_before : 0);
#endif
    memcpy(out + 15 + has_point, &text.last_two, 2);
}

/* Store 'e', the sign and two digits or more; 8 bytes. */
static ALWAYS_INLINE char *store_exponent(char *out, int exponent) {
    const uint64_t text = EXPONENT_TEXTS[exponent - EXPONENT_TEXT_MIN];
    memcpy(out, &text, 8);
    return out + (text >> 56);
}

/* Store a double and return the end; out has room for FORMAT_FLOAT_ROOM bytes. As in repr, there is
 * an exponent unless the point comes after at most sixteen digits, or is followed by at most three
 * zeros. */
static ALWAYS_INLINE char *store_float(char *out, struct float_text text) {
    *out = '-';
    out += text.is_negative;
    const size_t n_significant = text.n_significant;
    /* by the digits before the point: -3 to 15 */
    static const struct {
        uint64_t n_leading; /* of 0.000 */
        uint64_t n_before;  /* digits before a point among them */
        uint64_t has_point;
        uint64_t n_least; /* characters after the leading ones */
    } layouts[LAYOUT_ZERO + 16] = {
        {5, 16, 0, 0},  {4, 16, 0, 0},  {3, 16, 0, 0},  {2, 16, 0, 0},  {0, 1, 1, 3},
        {0, 2, 1, 4},   {0, 3, 1, 5},   {0, 4, 1, 6},   {0, 5, 1, 7},   {0, 6, 1, 8},
        {0, 7, 1, 9},   {0, 8, 1, 10},  {0, 9, 1, 11},  {0, 10, 1, 12}, {0, 11, 1, 13},
        {0, 12, 1, 14}, {0, 13, 1, 15}, {0, 14, 1, 16}, {0, 15, 1, 17},
    };
    if (LIKELY(text.layout < LAYOUT_ZERO + 16)) {
        memcpy(out, "0.000000", 8);
        out += layouts[text.layout].n_leading;
        store_digits(out, text, layouts[text.layout].n_before);
        const size_t n = n_significant + layouts[text.layout].has_point;
        const size_t n_least = layouts[text.layout].n_least;
        return out + (__builtin_unpredictable(n > n_least) ? n : n_least);
    }
    if (text.layout == LAYOUT_ZERO + 16) {
        /* only the tenth can be after the point */
        store_digits(out, text, 16);
        out[17] = out[16];
        out[16] = '.';
        return out + 18;
    }
    store_digits(out, text, 1);
    out += n_significant + (n_significant > 1);
    return store_exponent(out, (int)(int64_t)text.layout - LAYOUT_ZERO - 1);
}

/* Store a finite double of few digits as Python's repr writes it and return the end; NULL where it
 * has more.
 *
 * Prices, percentages and coordinates have at most eight digits after the point: where the value
 * times 10^8, rounded, is an integer n < 10^15 with n / 10^8 == value, these are the digits.
 * Doubles tell apart decimals of fifteen digits, so none with fewer digits reads back as the same
 * double. The place after a number is known sooner than with all sixteen digits. */
static ALWAYS_INLINE char *format_short_double(char *out, double value) {
    const double magnitude = __builtin_fabs(value);
    if (UNLIKELY(magnitude >= 1e7)) {
        return NULL;
    }
    const double scale = 1e8;
    const int64_t scaled = (int64_t)(magnitude * scale + 0.5);
    const uint32_t whole = (uint32_t)(int32_t)magnitude;
    /* below 10^-4 repr has an exponent, except for zero */
    if (double_bits((double)scaled / scale) != double_bits(magnitude) ||
        UNLIKELY((uint64_t)scaled - 1 < 9999)) {
        return NULL;
    }
    *out = '-';
    out += __builtin_signbit(value) != 0;
    out = format_below_1e8(out, whole);
    const uint32_t fraction = (uint32_t)((uint64_t)scaled - (uint64_t)whole * 100000000);
    /* prices have four at most */
    const uint64_t digits =
        fraction % 10000 == 0 ? four_digits(fraction / 10000) : eight_digits(fraction);
    *out++ = '.';
    memcpy(out, &digits, 8);
    /* without zeros at the end, but one digit */
    return out + 8 - leading_zeros((digits & 0x0f0f0f0f0f0f0f0f) | 1) / 8;
}

#if defined(SIMD_HAS_COMPRESS)
/* The texts of four floats, sixteen bytes each: a minus, seven digits, a point, six digits, and a
 * comma. Each has two lanes as split_digits returns them: the digits before the point, whose last
 * byte is not zero for a minus, and those after it. *used gets the bits of the bytes that are text.
 */
static ALWAYS_INLINE u8vec short_float_texts(u64vec lanes, uint64_t *used) {
    static const uint8_t order[16] = {7, 6, 5, 4, 3, 2, 1, 0, 0x80, 13, 12, 11, 10, 9, 8, 0x80};
    static const char signs[] = "-0000000.000000,";
    const u8vec bytes = u8_shuffle_groups((u8vec)lanes, u8_splat_group(order));
    const uint64_t set = u8_mask((u8vec)(bytes != 0));
    const uint64_t before = from_lowest_of_four((set & 0x7e * EACH_OF_FOUR) | EACH_OF_FOUR << 7);
    uint64_t after = set & 0x7e00 * EACH_OF_FOUR; /* up to the last that is not zero */
    after |= after >> 1;
    after |= after >> 2;
    after |= after >> 4;
    *used = (before & 0x00fe * EACH_OF_FOUR) | (after & 0x7e00 * EACH_OF_FOUR) |
            (set & EACH_OF_FOUR) | 0x8300 * EACH_OF_FOUR;
    return bytes | u8_splat_group(signs);
}

/* Whether a double has at most six digits after the point, and store_short_floats takes it. */
static ALWAYS_INLINE bool is_short_double(double value) {
    const double magnitude = __builtin_fabs(value);
    const double scale = 1e6;
    return magnitude < 1e7 && double_bits((double)(int64_t)(magnitude * scale + 0.5) / scale) ==
                                  double_bits(magnitude);
}

/* Store the first n of eight finite doubles, given by their bits, each followed by a comma, as
 * format_short_double does, and return the end; NULL where one of them has more than six digits
 * after the point. */
static ALWAYS_INLINE char *store_short_floats(char *out, u64vec bits, size_t n) {
    typedef double f64vec __attribute__((vector_size(VEC_BYTES)));
    const f64vec magnitudes = (f64vec)(bits & low_bits(63));
    const f64vec small = (f64vec)((u64vec)(magnitudes < 1e7) & (u64vec)magnitudes);
    const double scale = 1e6;
    const i64vec scaled = __builtin_convertvector(small * scale + 0.5, i64vec);
    const f64vec unscaled = __builtin_convertvector(scaled, f64vec) / scale;
    /* below 10^-4 repr has an exponent, except for zero */
    const u64vec is_short = (u64vec)((u64vec)unscaled == (u64vec)magnitudes) &
                            (u64vec)((u64vec)scaled - 1 >= u64_splat(99));
    if ((~u64_mask(is_short) & low_bits(n)) != 0) {
        return NULL;
    }
    const u64vec whole = (u64vec) __builtin_convertvector(small, i64vec);
    const u64vec rest = (u64vec)scaled - u64_multiply_low(whole, u64_splat(1000000));
    const u64vec before = split_digits(whole) | (bits >> 63) << 56;
    const u64vec after = split_digits(rest);
    const u64vec lanes[2] = {
        __builtin_shufflevector(before, after, 0, 8, 1, 9, 2, 10, 3, 11),
        __builtin_shufflevector(before, after, 4, 12, 5, 13, 6, 14, 7, 15),
    };
    for (size_t half = 0; half < 2 && n > 4 * half; half++) {
        uint64_t used;
        const u8vec texts = short_float_texts(lanes[half], &used);
        out = (char *)compress_8((uint8_t *)out, texts, used & first_of_four(n - 4 * half));
    }
    return out;
}
#endif

/* Store a finite double of any number of digits; apart from format_double, which is inlined in many
 * places. */
static NOINLINE char *format_any_double(char *out, double value) {
    return store_float(out, float_text(value));
}

/* Store a finite double as Python's repr writes it and return the end; out has room for
 * FORMAT_FLOAT_ROOM bytes. */
static ALWAYS_INLINE char *format_double(char *out, double value) {
    char *const end = format_short_double(out, value);
    return end != NULL ? end : format_any_double(out, value);
}

/* Whether the text of a finite double has no exponent, both in Rust's layout and in Python's. */
static ALWAYS_INLINE bool is_float_without_exponent(double value) {
    const double magnitude = __builtin_fabs(value);
    return (magnitude >= 1e-4 && magnitude < 1e16) || double_is_zero(value);
}

/* Change a repr's text to the layout of Rust's JSON libraries, in place: 1e-05 to 0.00001, 1e-06 to
 * 1e-6, and without has_plus 1e+16 to 1e16. Returns the new end; FORMAT_FLOAT_ROOM is enough. */
static COLD char *float_text_unlike_repr(char *begin, char *end, bool has_plus) {
    char *const e = memchr(begin, 'e', (size_t)(end - begin));
    if (e == NULL) {
        return end;
    }
    if (end - e == 4 && e[1] == '-' && e[2] == '0') {
        if (e[3] != '5') {
            e[2] = e[3];
            return e + 3;
        }
        char digits[FORMAT_FLOAT_ROOM];
        size_t n_digits = 0;
        begin += *begin == '-';
        for (const char *from = begin; from < e; from++) {
            if (*from != '.') {
                digits[n_digits++] = *from;
            }
        }
        memcpy(begin, "0.0000", 6);
        memcpy(begin + 6, digits, n_digits);
        return begin + 6 + n_digits;
    }
    if (e[1] == '+' && !has_plus) {
        memmove(e + 1, e + 2, (size_t)(end - e - 2));
        return end - 1;
    }
    return end;
}

/* Store a finite double as ECMAScript's Number::toString does and return the end: a repr without .0
 * at its end, and without an exponent from 10^-6 to 10^21. FORMAT_FLOAT_ROOM is enough. */
static inline COLD char *format_ecmascript(char *out, double value) {
    if (double_is_zero(value)) { /* -0, too */
        *out = '0';
        return out + 1;
    }
    char *const end = format_any_double(out, value);
    char *const e = memchr(out, 'e', (size_t)(end - out));
    if (e == NULL) {
        return end[-1] == '0' && end[-2] == '.' ? end - 2 : end;
    }
    char digits[FORMAT_FLOAT_ROOM];
    int n_digits = 0;
    out += *out == '-';
    for (const char *from = out; from < e; from++) {
        digits[n_digits] = *from;
        n_digits += *from != '.';
    }
    int exponent = 0;
    for (const char *from = e + 2; from < end; from++) {
        exponent = 10 * exponent + (*from - '0');
    }
    const int n_before = e[1] == '-' ? 1 - exponent : 1 + exponent; /* digits before the point */
    if (n_before > 21 || n_before <= -6) {
        const bool is_short = e[2] == '0'; /* e-07 */
        memmove(e + 2, e + 2 + is_short, (size_t)(end - e - 2 - is_short));
        return end - is_short;
    }
    const int n_zeros = n_before > 0 ? 0 : 2 - n_before; /* 0.0000 */
    memcpy(out, "0.00000", 7);
    memcpy(out + n_zeros, digits, (size_t)n_digits);
    out += n_zeros + n_digits;
    while (n_digits < n_before) { /* from 10^16 on there is no digit after the point */
        *out++ = '0';
        n_digits++;
    }
    return out;
}

/* Store a double and return the end, in the layout of repr or of Rust's JSON libraries; out has
 * room for FORMAT_FLOAT_ROOM bytes. */
static ALWAYS_INLINE char *store_float_as(char *out, struct float_text text, bool is_repr) {
    char *const end = store_float(out, text);
    const bool has_exponent =
        text.layout >= LAYOUT_ZERO + 16; /* or sixteen digits before a point */
    return UNLIKELY(has_exponent) && !is_repr ? float_text_unlike_repr(out, end, true) : end;
}

/* ---- floats of 32 bits --------------------------------------------------------------------- */

/* Floats of 32 bits with their own shortest digits, laid out as orjson does: 0.000001 to
 * 9999999000000.0 without an exponent. */

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
