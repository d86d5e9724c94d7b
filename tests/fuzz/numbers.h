/* SPDX-License-Identifier: MIT */
/* Numbers to text and back, held against the C library's. */
#ifndef SSRJSON_FUZZ_NUMBERS_H
#define SSRJSON_FUZZ_NUMBERS_H

#include <math.h>

#include "floors.h"
#include "number/digit_string.h"
#include "number/format_decimal.h"
#include "number/format_float.h"
#include "number/format_int.h"
#include "number/parse_number.h"

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* The end of the number that starts the text by JSON's grammar, NULL where none does. */
static const char *number_end(const char *p, bool *is_float) {
    p += *p == '-';
    if (!is_digit((uint8_t)*p)) {
        return NULL;
    }
    if (*p == '0') {
        p++;
    } else {
        p += strspn(p, "0123456789");
    }
    *is_float = *p == '.' && is_digit((uint8_t)p[1]);
    if (*is_float) {
        p += 1 + strspn(p + 1, "0123456789");
    }
    if (*p == 'e' || *p == 'E') {
        const char *const digits = p + 1 + (p[1] == '+' || p[1] == '-');
        if (is_digit((uint8_t)*digits)) {
            *is_float = true;
            p = digits + strspn(digits, "0123456789");
        }
    }
    return p;
}

static void fuzz_parse(struct input *input) {
    static const char alphabet[] = "0123456789-+.eE0";
    const struct units text = input_units(input, 1);
    uint8_t *const bytes = text.from;
    char *const copy = malloc(text.n + 1);
    for (size_t i = 0; i < text.n; i++) { /* most inputs are of the alphabet */
        bytes[i] = bytes[i] >= 0x80 ? (uint8_t)alphabet[bytes[i] & 15] : bytes[i];
    }
    memcpy(copy, bytes, text.n);
    copy[text.n] = 0;
    const struct number number = parse_number(bytes, bytes + text.n);
    bool is_float = false;
    const char *const end = number_end(copy, &is_float);
    CHECK((number.kind == NUMBER_NONE) == (end == NULL));
    if (end != NULL) {
        const size_t n = (size_t)(end - copy);
        CHECK((size_t)(number.end - bytes) == n);
        CHECK(number.is_negative == (copy[0] == '-'));
        copy[n] = 0;
        if (is_float) {
            CHECK(number.kind == NUMBER_DOUBLE || number.kind == NUMBER_HARD_DOUBLE);
            if (number.kind == NUMBER_DOUBLE) {
                CHECK(bits_of(number.value) == bits_of(strtod(copy, NULL)));
            }
        } else {
            const char *const digits = copy + number.is_negative;
            char printed[24];
            snprintf(printed, sizeof printed, "%llu", (unsigned long long)number.magnitude);
            /* beyond 64 bits the C library has its greatest integer, which is a number too */
            const bool is_big = strcmp(digits, "18446744073709551615") > 0 ? strlen(digits) >= 20
                                                                           : strlen(digits) > 20;
            CHECK(number.kind == (is_big ? NUMBER_BIG_INT : NUMBER_INT));
            CHECK(is_big || strcmp(printed, digits) == 0);
        }
    }
    units_free(&text);
    free(copy);
}

static void check_text(const char *got, size_t n, const char *expected) {
    CHECK(strlen(expected) == n && memcmp(got, expected, n) == 0);
}

static void fuzz_format_int(struct input *input, unsigned shift) {
    uint64_t values[SPLIT_INTS];
    uint64_t all_bits = 0;
    char expected[32];
    for (int i = 0; i < SPLIT_INTS; i++) {
        values[i] = input_u64(input) >> (shift & 63);
        all_bits |= values[i];
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)values[i]);
        const struct units room = units_new(FORMAT_INT_ROOM, 1, 0);
        check_text(room.from, (size_t)(format_u64(room.from, values[i]) - (char *)room.from),
                   expected);
        units_free(&room);
    }
    struct split_ints split;
    split_ints(&split, values, all_bits);
    for (size_t i = 0; i < SPLIT_INTS; i++) {
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)values[i]);
        const struct units room = units_new(FORMAT_INT_ROOM, 1, 0);
        check_text(room.from, (size_t)(store_split_int(room.from, &split, i) - (char *)room.from),
                   expected);
        units_free(&room);
    }
}

/* The decimal digits of the shortest number that reads back as value, and its exponent. */
static int shortest_digits(double value, char digits[24], int *exponent) {
    char text[40];
    int n_digits = 1;
    do {
        snprintf(text, sizeof text, "%.*e", n_digits - 1, value);
    } while (strtod(text, NULL) != value && n_digits++ < 17);
    const char *const e = strchr(text, 'e');
    *exponent = atoi(e + 1);
    int n = 0;
    for (const char *p = text; p < e; p++) {
        if (is_digit((uint8_t)*p)) {
            digits[n++] = *p;
        }
    }
    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }
    digits[n] = 0;
    return n;
}

/* Python's repr of a finite double. */
static void repr_slowly(double value, char *out) {
    char digits[24];
    int exponent;
    if (signbit(value)) {
        *out++ = '-';
        value = -value;
    }
    if (value == 0) {
        strcpy(out, "0.0");
        return;
    }
    const int n = shortest_digits(value, digits, &exponent);
    if (exponent < -4 || exponent >= 16) {
        out += sprintf(out, n > 1 ? "%c.%s" : "%c%s", digits[0], digits + 1);
        sprintf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
    } else if (exponent < 0) {
        sprintf(out, "0.%.*s%s", -exponent - 1, "0000", digits);
    } else if (n <= exponent + 1) {
        sprintf(out, "%s%.*s.0", digits, exponent + 1 - n, "0000000000000000");
    } else {
        sprintf(out, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
    }
}

static void check_float_text(const char *got, size_t n, double value) {
    char text[FORMAT_FLOAT_ROOM + 1];
    char expected[64];
    CHECK(n <= 24);
    memcpy(text, got, n);
    text[n] = 0;
    CHECK(bits_of(strtod(text, NULL)) == bits_of(value));
    repr_slowly(value, expected);
    /* the nearest double below a power of two is nearer than the one above: the nearest decimal of
     * n digits may then not read back, and a farther one may */
    const bool is_power_of_two = (bits_of(value) & low_bits(DOUBLE_FRACTION_BITS)) == 0;
    CHECK(strcmp(text, expected) == 0 || (is_power_of_two && n <= strlen(expected)));
}

static void check_unlike_repr(const char *repr, size_t n, bool has_plus) {
    char room[FORMAT_FLOAT_ROOM];
    memcpy(room, repr, n);
    const char *const end = float_text_unlike_repr(room, room + n, has_plus);
    const size_t n_got = (size_t)(end - room);
    char got[FORMAT_FLOAT_ROOM + 1];
    char before[FORMAT_FLOAT_ROOM + 1];
    memcpy(got, room, n_got);
    got[n_got] = 0;
    memcpy(before, repr, n);
    before[n] = 0;
    CHECK(bits_of(strtod(got, NULL)) == bits_of(strtod(before, NULL)));
    const char *const e = strchr(got, 'e');
    CHECK(e == NULL || has_plus || e[1] != '+');
    CHECK(e == NULL || e[1] != '-' || e[2] != '0');
    CHECK(e == NULL || strcmp(e, "e-5") != 0);
}

static void fuzz_format_float(struct input *input) {
    uint64_t lanes[U64_LANES];
    for (size_t i = 0; i < U64_LANES; i++) {
        lanes[i] = input_u64(input);
        if ((lanes[i] >> 52 & 0x7ff) == 0x7ff) { /* no finite one */
            lanes[i] ^= (uint64_t)1 << 62;
        }
    }
    struct float_texts texts;
    float_texts(&texts, u64_load(lanes));
    for (size_t i = 0; i < U64_LANES; i++) {
        const double value = double_from_bits(lanes[i]);
        const struct units room = units_new(FORMAT_FLOAT_ROOM, 1, 0);
        size_t n = (size_t)(format_double(room.from, value) - (char *)room.from);
        check_float_text(room.from, n, value);
        check_unlike_repr(room.from, n, lanes[i] & 1);
        CHECK(is_float_without_exponent(value) == (memchr(room.from, 'e', n) == NULL));
        n = (size_t)(store_float(room.from, float_text_of_lane(&texts, i)) - (char *)room.from);
        check_float_text(room.from, n, value);
        units_free(&room);
    }
}

static void fuzz_decimal_to_double(struct input *input, unsigned shift) {
    const uint64_t w = (input_u64(input) >> (shift & 63)) | 1;
    const int exponent = (int)(input_u64(input) % 649) - 340;
    char text[64];
    snprintf(text, sizeof text, "%llue%d", (unsigned long long)w, exponent);
    const double expected = strtod(text, NULL);
    double value;
    uint64_t bits;
    if (decimal_to_normal_double(w, exponent, &value)) {
        CHECK(bits_of(value) == bits_of(expected));
    }
    if (decimal_to_double_bits(w, exponent, &bits)) {
        CHECK(bits == bits_of(expected));
    }
    if (is_exact_quotient(w, exponent)) {
        CHECK(bits_of(exact_quotient(w, exponent)) == bits_of(expected));
    }
    if (w <= (uint64_t)1 << 53 && exponent <= 0 && exponent >= -22) {
        CHECK(bits_of(short_decimal_to_double(w, (unsigned)-exponent)) == bits_of(expected));
    }
}

static void fuzz_fixed_point(struct input *input, unsigned shift) {
    const uint64_t coefficient = input_u64(input) >> (shift & 63);
    const bool is_negative = input_byte(input) & 1;
    char digits[24];
    const int n_digits = snprintf(digits, sizeof digits, "%llu", (unsigned long long)coefficient);
    const int64_t exponent = -(int64_t)(input_byte(input) % 32);
    if (!is_fixed_point(n_digits, exponent)) {
        return;
    }
    char expected[64];
    char *out = expected + sprintf(expected, is_negative ? "-" : "");
    const int n_whole = n_digits + (int)exponent;
    if (n_whole <= 0) {
        sprintf(out, "0.%.*s%s", -n_whole, "00000", digits);
    } else if (exponent == 0) {
        strcpy(out, digits);
    } else {
        sprintf(out, "%.*s.%s", n_whole, digits, digits + n_whole);
    }
    const struct units room = units_new(FORMAT_FIXED_POINT_ROOM, 1, 0);
    const char *const end =
        format_fixed_point(room.from, coefficient, n_digits, exponent, is_negative);
    check_text(room.from, (size_t)(end - (char *)room.from), expected);
    units_free(&room);
}

/* Thirty-two characters of each kind of text, most of them digits. */
static void fuzz_digit_strings(struct input *input) {
    for (size_t unit = 1; unit <= 4; unit *= 2) {
        struct input same = *input;
        const struct units text = units_new(32, unit, 0);
        uint64_t expected_others = 0;
        uint64_t value = 0;
        unsigned n = 0;
        for (size_t i = 0; i < 32; i++) {
            const uint32_t c = input_byte(&same);
            const uint32_t wide = unit == 1 ? c : c < 0x40 ? c << 8 : c;
            units_set(&text, i, c < 0xc0 ? '0' + c % 10 : wide);
            const uint32_t unit_value = units_get(&text, i) - '0';
            expected_others |= (uint64_t)(unit_value > 9) << i;
        }
        for (; n < 16 && !(expected_others >> n & 1); n++) {
            value = value * 10 + (units_get(&text, n) - '0');
        }
        const uint64_t others = unit == 1   ? find_others_8(text.from)
                                : unit == 2 ? find_others_16(text.from)
                                            : find_others_32(text.from);
        const u8x16 characters = unit == 1   ? load_characters_8(text.from)
                                 : unit == 2 ? load_characters_16(text.from)
                                             : load_characters_32(text.from);
        /* bits after the second may be missing, the first character not counted */
        uint64_t known = 1;
        for (int i = 1, n_seen = 0; i < 32 && n_seen < 2; i++) {
            known |= (uint64_t)1 << i;
            n_seen += expected_others >> i & 1;
        }
        CHECK((others & known) == (expected_others & known));
        if (n >= 1) {
            CHECK(digit_string(characters, n) == value);
        }
        if (n >= 1 && n <= 8) {
            CHECK(short_digit_string(characters, n) == value);
        }
        units_free(&text);
    }
}

static void fuzz_numbers(struct input *input) {
    const uint8_t choice = input_byte(input);
    const unsigned shift = input_byte(input);
    switch (choice % 6) {
    case 0: fuzz_parse(input); break;
    case 1: fuzz_format_int(input, shift); break;
    case 2: fuzz_format_float(input); break;
    case 3: fuzz_decimal_to_double(input, shift); break;
    case 4: fuzz_fixed_point(input, shift); break;
    default: fuzz_digit_strings(input);
    }
}

#endif
