/* SPDX-License-Identifier: MIT */
/* int and float objects of parsed numbers; what 64 bits and one product cannot decide is converted
 * from its text by Python. */
#ifndef SSRJSON_DECODE_BUILD_NUMBER_H
#define SSRJSON_DECODE_BUILD_NUMBER_H

#include "number/parse_number.h"
#include "pyobject/python.h"

static ALWAYS_INLINE bool is_number_character(uint32_t c) {
    return c - '0' < 10 || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'e';
}

/* An int beyond 64 bits, or a double that needs every digit. */
static COLD PyObject *build_number_from_text(const struct number *number, const uint8_t *begin) {
    const size_t n = (size_t)(number->end - begin);
    char *const text = PyMem_Malloc(n + 1);
    if (text == NULL) {
        return PyErr_NoMemory();
    }
    memcpy(text, begin, n);
    text[n] = '\0';
    PyObject *value = NULL;
    if (number->kind == NUMBER_BIG_INT) {
        value = PyLong_FromString(text, NULL, 10);
    } else {
        const double exact = PyOS_string_to_double(text, NULL, NULL);
        value = exact == -1.0 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(exact);
    }
    PyMem_Free(text);
    return value;
}

/* A new int or float of the number whose text starts at begin; NULL where there is none, or with
 * an exception set. */
static ALWAYS_INLINE PyObject *build_number(const struct number *number, const uint8_t *begin) {
    switch (number->kind) {
    case NUMBER_INT:
        if (LIKELY(number->magnitude <= INT64_MAX)) {
            const int64_t magnitude = (int64_t)number->magnitude;
            return PyLong_FromLongLong(number->is_negative ? -magnitude : magnitude);
        }
        return number->is_negative
                   ? build_number_from_text(
                         &(struct number){.kind = NUMBER_BIG_INT, .end = number->end}, begin)
                   : PyLong_FromUnsignedLongLong(number->magnitude);
    case NUMBER_DOUBLE: return PyFloat_FromDouble(number->value);
    case NUMBER_NONE: return NULL;
    default: return build_number_from_text(number, begin);
    }
}

#endif
