/* SPDX-License-Identifier: MIT */
/* int and float objects of the numbers that the fast paths do not read: Python converts the text
 * where 64 bits and one product cannot decide, or a hook of the options does. */
#ifndef SSRJSON_DECODE_BUILD_NUMBER_H
#define SSRJSON_DECODE_BUILD_NUMBER_H

#include "decode/options.h"
#include "number/digit_string.h"
#include "number/parse_number.h"
#include "pyobject/float.h"
#include "pyobject/long.h"

/* The number of units that are read for a usual number. The longest has a sign, twenty digits, a
 * point, and an exponent's letter and sign; sixteen units are loaded after those. */
#define NUMBER_WINDOW 40

static ALWAYS_INLINE bool is_number_character(uint32_t c) {
    return c - '0' < 10 || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'e';
}

/* The magnitude of the least int of 64 bits. */
#define MAX_NEGATIVE_INT ((uint64_t)1 << 63)

/* An int beyond 64 bits, which is a double where ints are limited, or a double that needs every
 * digit. */
static PyObject *build_number_from_text(const struct number *number, const uint8_t *begin,
                                        bool limits_ints) {
    const size_t n = (size_t)(number->end - begin);
    char *const text = PyMem_Malloc(n + 1);
    if (text == NULL) {
        return PyErr_NoMemory();
    }
    memcpy(text, begin, n);
    text[n] = '\0';
    PyObject *value = NULL;
    if (number->kind == NUMBER_BIG_INT && !limits_ints) {
        value = PyLong_FromString(text, NULL, 10);
    } else {
        const double exact = PyOS_string_to_double(text, NULL, NULL);
        value = exact == -1.0 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(exact);
    }
    PyMem_Free(text);
    return value;
}

/* The result of a hook for the text of the number. */
static PyObject *build_number_by_hook(const struct number *number, const uint8_t *begin,
                                      PyObject *hook) {
    PyObject *const text = PyUnicode_FromStringAndSize((const char *)begin, number->end - begin);
    if (text == NULL) {
        return NULL;
    }
    PyObject *const value = PyObject_CallOneArg(hook, text);
    Py_DECREF(text);
    return value;
}

/* The object of the number whose text starts at begin, a new reference. NULL with an exception set,
 * or with *is_out_of_range where the number is beyond every double and the options refuse that. */
static PyObject *build_number(const struct number *number, const uint8_t *begin,
                              const struct decode_options *options, bool *is_out_of_range) {
    const bool is_int = number->kind == NUMBER_INT || number->kind == NUMBER_BIG_INT;
    PyObject *const hook = is_int ? options->parse_int : options->parse_float;
    if (hook != NULL) {
        return build_number_by_hook(number, begin, hook);
    }
    PyObject *value;
    switch (number->kind) {
    case NUMBER_INT:
        return UNLIKELY(options->limits_ints) && number->is_negative &&
                       number->magnitude > MAX_NEGATIVE_INT
                   ? float_new(-(double)number->magnitude)
                   : long_new(number->magnitude, number->is_negative);
    case NUMBER_BIG_INT: value = build_number_from_text(number, begin, options->limits_ints); break;
    case NUMBER_DOUBLE: value = float_new(number->value); break;
    default: value = build_number_from_text(number, begin, false); break;
    }
    if (UNLIKELY(!options->allow_nan) && value != NULL && PyFloat_Check(value) &&
        __builtin_isinf(PyFloat_AS_DOUBLE(value))) {
        *is_out_of_range = true;
        Py_CLEAR(value);
    }
    return value;
}

#endif
