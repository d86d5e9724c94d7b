/* SPDX-License-Identifier: MIT */
#include "encode/canonical.h"

#include "number/format_float.h"

#include <stdlib.h>

/* ---- numbers ------------------------------------------------------------------------------- */

/* No double needs more digits. */
#define MAX_DIGITS 17
/* Exponents beyond it are those of zeros and infinities. */
#define MAX_EXPONENT 100000

/* A decimal number of few digits: digits * 10^exponent. Zero has no digits. */
struct short_decimal {
    char digits[MAX_DIGITS];
    int n_digits;
    int exponent;
    bool is_negative;
};

/* The number after an exponent's letter, within MAX_EXPONENT. */
static int read_exponent(const char *text, size_t n) {
    const bool is_negative = n > 0 && text[0] == '-';
    int exponent = 0;
    for (size_t i = n > 0 && (text[0] == '-' || text[0] == '+'); i < n; i++) {
        exponent = exponent < MAX_EXPONENT ? 10 * exponent + (text[i] - '0') : exponent;
    }
    return is_negative ? -exponent : exponent;
}

/* Read a decimal text; false where it has too many digits between the first and the last that is
 * not zero. */
static bool read_decimal(struct short_decimal *number, const char *text, size_t n) {
    *number = (struct short_decimal){.is_negative = n > 0 && text[0] == '-'};
    size_t n_zeros = 0; /* after the last digit that was kept */
    size_t n_after = 0; /* digits after the point */
    bool has_point = false;
    size_t i = n > 0 && (text[0] == '-' || text[0] == '+');
    for (; i < n && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] == '.') {
            has_point = true;
            continue;
        }
        if (text[i] < '0' || text[i] > '9') {
            return false;
        }
        n_after += has_point;
        if (text[i] == '0') {
            n_zeros += number->n_digits != 0;
            continue;
        }
        if ((size_t)number->n_digits + n_zeros >= MAX_DIGITS) {
            return false;
        }
        for (; n_zeros != 0; n_zeros--) {
            number->digits[number->n_digits++] = '0';
        }
        number->digits[number->n_digits++] = text[i];
    }
    if (number->n_digits == 0) {
        number->is_negative = false;
        return true;
    }
    if (n_zeros > MAX_EXPONENT || n_after > MAX_EXPONENT) {
        return false;
    }
    number->exponent = (int)n_zeros - (int)n_after;
    number->exponent += i < n ? read_exponent(text + i + 1, n - i - 1) : 0;
    return true;
}

/* The nearest double; an infinity where there is none, with MemoryError cleared. */
static double nearest_double(const struct short_decimal *number) {
    char text[MAX_DIGITS + 16];
    PyOS_snprintf(text, sizeof text, "%s%.*se%d", number->is_negative ? "-" : "", number->n_digits,
                  number->digits, number->exponent);
    const uint64_t mode = subnormals_switch_on();
    const double value =
        number->n_digits == 0 ? 0.0 : PyOS_string_to_double(text, NULL, PyExc_OverflowError);
    subnormals_restore(mode);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return Py_HUGE_VAL;
    }
    return value;
}

size_t canonical_float(char out[CANONICAL_NUMBER_ROOM], double value) {
    _Static_assert(CANONICAL_NUMBER_ROOM >= FORMAT_FLOAT_ROOM, "store_float writes to it");
    return (size_t)(format_ecmascript(out, value) - out);
}

size_t canonical_number(char out[CANONICAL_NUMBER_ROOM], const char *text, size_t n) {
    struct short_decimal wanted;
    struct short_decimal written;
    if (n == 0 || !read_decimal(&wanted, text, n)) {
        return 0;
    }
    const double value = nearest_double(&wanted);
    if (!__builtin_isfinite(value)) {
        return 0;
    }
    const size_t n_written = canonical_float(out, value);
    const bool is_exact =
        read_decimal(&written, out, n_written) && written.n_digits == wanted.n_digits &&
        written.is_negative == wanted.is_negative && written.exponent == wanted.exponent &&
        memcmp(written.digits, wanted.digits, (size_t)wanted.n_digits) == 0;
    return is_exact ? n_written : 0;
}

/* ---- keys ---------------------------------------------------------------------------------- */

bool pairs_need_utf16(const struct pairs *pairs) {
    bool is_any_wide = false;
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        is_any_wide |= PyUnicode_KIND(pairs->pair[i].key) == PyUnicode_4BYTE_KIND;
    }
    return is_any_wide;
}

/* What sorts as the UTF-16 of a character does: surrogates, which the characters beyond 16 bits
 * have, sort before U+E000. */
static uint32_t utf16_order(Py_UCS4 c) {
    return c >= 0xe000 && c <= 0xffff ? c + 0x110000 : c;
}

static int compare_by_utf16(const void *left, const void *right) {
    PyObject *const a = ((const struct pair *)left)->key;
    PyObject *const b = ((const struct pair *)right)->key;
    const int kind_a = (int)PyUnicode_KIND(a);
    const int kind_b = (int)PyUnicode_KIND(b);
    const void *const data_a = PyUnicode_DATA(a);
    const void *const data_b = PyUnicode_DATA(b);
    const Py_ssize_t n_a = PyUnicode_GET_LENGTH(a);
    const Py_ssize_t n_b = PyUnicode_GET_LENGTH(b);
    for (Py_ssize_t i = 0; i < n_a && i < n_b; i++) {
        const Py_UCS4 c = PyUnicode_READ(kind_a, data_a, i);
        const Py_UCS4 d = PyUnicode_READ(kind_b, data_b, i);
        if (c != d) {
            return utf16_order(c) < utf16_order(d) ? -1 : 1;
        }
    }
    return (n_a > n_b) - (n_a < n_b);
}

void pairs_sort_by_utf16(struct pairs *pairs) {
    qsort(pairs->pair, (size_t)pairs->n, sizeof *pairs->pair, compare_by_utf16);
}
