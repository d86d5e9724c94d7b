/* SPDX-License-Identifier: MIT */
/* The slow path of numbers: what is beyond 64 bits, a float that one multiplication does not
 * decide, and a number for which the options have a hook. */
#ifndef SSRJSON_DECODE_BUILD_NUMBER_H
#define SSRJSON_DECODE_BUILD_NUMBER_H

#include "decode/number_array.h"
#include "decode/options.h"
#include "number/digit_string.h"
#include "number/float_bits.h"
#include "number/parse_number.h"
#include "pyobject/decimal.h"
#include "pyobject/object.h"
#include "pyobject/long.h"

/* The number of units that are read for a number of the fast path. The longest has a sign, twenty
 * digits, a point, and an exponent's letter and sign; sixteen units are loaded after those. */
#define FAST_NUMBER_UNITS 40

static ALWAYS_INLINE bool is_number_character(uint32_t c) {
    return c - '0' < 10 || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'e';
}

/* The magnitude of the smallest int of 64 bits. */
#define MAX_NEGATIVE_MAGNITUDE ((uint64_t)1 << 63)

/* Where the fast path puts a number: one of the two is NULL, which the compiler knows. */
struct number_target {
    PyObject **object;
    struct plain_number *plain;
};

/* An int; is_large: it is none of the ints that Python shares. */
static ALWAYS_INLINE void target_take_int(struct number_target target, uint64_t magnitude,
                                          bool is_negative, bool is_large) {
    if (target.plain != NULL) {
        target.plain->is_int = true;
        target.plain->is_negative = is_negative;
        target.plain->magnitude = magnitude;
    } else if (is_large) {
        *target.object = long_new_unshared(magnitude, is_negative);
    } else {
        *target.object = long_new(magnitude, is_negative);
    }
}

static ALWAYS_INLINE void target_take_float(struct number_target target, double value) {
    if (target.plain != NULL) {
        target.plain->is_int = false;
        target.plain->value = value;
    } else {
        *target.object = float_new(value);
    }
}

/* A number that Python converts: an int beyond 64 bits, as a float where `is_float`, or a float
 * whose value depends on all of its digits. */
static PyObject *build_number_from_text(const struct number *number, const uint8_t *begin,
                                        bool is_float) {
    const size_t n = (size_t)(number->end - begin);
    char *const text = PyMem_Malloc(n + 1);
    if (text == NULL) {
        return PyErr_NoMemory();
    }
    memcpy(text, begin, n);
    text[n] = '\0';
    PyObject *value = NULL;
    if (!is_float) {
        value = PyLong_FromString(text, NULL, 10);
    } else {
        const uint64_t mode = subnormals_switch_on();
        const double exact = PyOS_string_to_double(text, NULL, NULL);
        subnormals_restore(mode);
        value = exact == -1.0 && PyErr_Occurred() ? NULL : PyFloat_FromDouble(exact);
    }
    PyMem_Free(text);
    return value;
}

/* What a hook of the options makes of a number's text. */
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
 * or with *refusal where the options refuse the number. */
static PyObject *build_number(const struct number *number, const uint8_t *begin,
                              const struct decode_options *options, enum error_kind *refusal) {
    const bool is_int = number->kind == NUMBER_INT || number->kind == NUMBER_BIG_INT;
    PyObject *const hook = is_int ? options->parse_int : options->parse_float;
    if (KNOWS_LAYOUTS && !is_int && options->decimal != NULL && number_is_short_decimal(number)) {
        const struct decimal_value value = {.coefficient = number->magnitude,
                                            .exponent = number->exponent,
                                            .n_digits = decimal_count_digits(number->magnitude),
                                            .is_negative = number->is_negative};
        return decimal_new(options->decimal, &value);
    }
    if (hook != NULL) {
        return build_number_by_hook(number, begin, hook);
    }
    const bool is_beyond_64_bits =
        number->kind == NUMBER_BIG_INT || (number->kind == NUMBER_INT && number->is_negative &&
                                           number->magnitude > MAX_NEGATIVE_MAGNITUDE);
    if (UNLIKELY(options->int64 == INT_REFUSED) && is_beyond_64_bits) {
        *refusal = ERROR_INT64;
        return NULL;
    }
    const bool is_float = !is_int || (is_beyond_64_bits && options->int64 == INT_AS_FLOAT);
    PyObject *value;
    switch (number->kind) {
    case NUMBER_INT:
        return is_float ? float_new(-(double)number->magnitude)
                        : long_new(number->magnitude, number->is_negative);
    case NUMBER_DOUBLE: value = float_new(number->value); break;
    default: value = build_number_from_text(number, begin, is_float); break;
    }
    if (UNLIKELY(!options->allow_nan) && value != NULL && PyFloat_Check(value) &&
        __builtin_isinf(PyFloat_AS_DOUBLE(value))) {
        *refusal = ERROR_OUT_OF_RANGE;
        Py_CLEAR(value);
    }
    return value;
}

#endif
