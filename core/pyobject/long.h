/* SPDX-License-Identifier: MIT */
/* int: its digits of thirty bits, read in place. */
#ifndef SSRJSON_PYOBJECT_LONG_H
#define SSRJSON_PYOBJECT_LONG_H

#include "pyobject/object.h"

#if PYLONG_BITS_IN_DIGIT != 30
#error "ssrjson_web needs a Python built with 30-bit int digits"
#endif

/* An int's digits in place, the lowest first, and its sign. */
struct long_digits {
    size_t n;
    bool is_negative;
    const digit *digits;
};

static ALWAYS_INLINE struct long_digits long_digits(PyObject *value) {
    const PyLongObject *const number = (const PyLongObject *)value;
#if PY_VERSION_HEX >= 0x030c0000
    const uintptr_t tag = number->long_value.lv_tag;
    return (struct long_digits){
        .n = tag >> 3, .is_negative = (tag & 3) == 2, .digits = number->long_value.ob_digit};
#else
    const Py_ssize_t signed_size = Py_SIZE(number);
    return (struct long_digits){.n = (size_t)(signed_size < 0 ? -signed_size : signed_size),
                                .is_negative = signed_size < 0,
                                .digits = number->ob_digit};
#endif
}

/* Whether |value| < 2^64, so that long_magnitude gives it. */
static ALWAYS_INLINE bool long_is_below_2_64(PyObject *value) {
    const struct long_digits own = long_digits(value);
    return LIKELY(own.n < 3) || (own.n == 3 && own.digits[2] <= 15);
}

/* |value| and its sign where |value| < 2^64, else false. Subclasses too. */
static ALWAYS_INLINE bool long_magnitude(PyObject *value, bool *is_negative, uint64_t *magnitude) {
    const struct long_digits own = long_digits(value);
    *is_negative = own.is_negative;
    if (LIKELY(own.n <= 1)) {
        *magnitude = own.n == 0 ? 0 : own.digits[0];
        return true;
    }
    if (own.n > 3 || (own.n == 3 && own.digits[2] > 15)) {
        return false;
    }
    *magnitude = own.digits[0] | (uint64_t)own.digits[1] << 30;
    if (own.n == 3) {
        *magnitude |= (uint64_t)own.digits[2] << 60;
    }
    return true;
}

/* The value of an int below 2^128 that is not negative, else false. */
static inline bool long_as_u128(PyObject *value, unsigned __int128 *result) {
    const struct long_digits own = long_digits(value);
    if (own.is_negative || own.n > 5 || (own.n == 5 && own.digits[4] > 0xff)) {
        return false;
    }
    *result = 0;
    for (size_t i = own.n; i-- > 0;) {
        *result = *result << 30 | own.digits[i];
    }
    return true;
}

/* Whether |value| < 10^8, looking at no more than its first digit. */
static ALWAYS_INLINE bool long_is_below_1e8(PyObject *value) {
    const struct long_digits own = long_digits(value);
    return own.n == 0 || (own.n == 1 && own.digits[0] < 100000000);
}

/* Ints from -5 to 256 are shared. */
#define LARGEST_SHARED_INT 256

#if HAS_PLAIN_OBJECTS
/* A new int of a magnitude and a sign that is none of the shared ones. Room for two digits at
 * least: that is the size of memory blocks anyway. */
static ALWAYS_INLINE PyObject *long_new_unshared(uint64_t magnitude, bool is_negative) {
    const size_t n = 1 + (magnitude >> PyLong_SHIFT != 0) + (magnitude >> 2 * PyLong_SHIFT != 0);
    const bool has_third = n == 3;
    PyLongObject *const number =
        object_new(sizeof(PyLongObject) + (has_third ? sizeof(digit) : 0), &PyLong_Type);
    if (UNLIKELY(number == NULL)) {
        return NULL;
    }
#if PY_VERSION_HEX >= 0x030c0000
    digit *const digits = number->long_value.ob_digit;
    number->long_value.lv_tag = n << 3 | (is_negative ? 2 : 0);
#else
    digit *const digits = number->ob_digit;
    Py_SET_SIZE(number, is_negative ? -(Py_ssize_t)n : (Py_ssize_t)n);
#endif
    const digit second = (digit)(magnitude >> PyLong_SHIFT) & PyLong_MASK;
    digits[0] = (digit)magnitude & PyLong_MASK;
    digits[1] = second;
    /* without a branch: 64-bit numbers have two digits or three as it happens */
    digits[has_third ? 2 : 1] = has_third ? (digit)(magnitude >> 2 * PyLong_SHIFT) : second;
    return (PyObject *)number;
}
#endif

/* A new int of a magnitude and a sign. */
static ALWAYS_INLINE PyObject *long_new(uint64_t magnitude, bool is_negative) {
#if HAS_PLAIN_OBJECTS
    if (magnitude <= LARGEST_SHARED_INT) {
        return PyLong_FromLong(is_negative ? -(long)magnitude : (long)magnitude);
    }
    return long_new_unshared(magnitude, is_negative);
#else
    if (LIKELY(magnitude <= INT64_MAX)) {
        return PyLong_FromLongLong(is_negative ? -(long long)magnitude : (long long)magnitude);
    }
    PyObject *const positive = PyLong_FromUnsignedLongLong(magnitude);
    if (LIKELY(!is_negative) || UNLIKELY(positive == NULL)) {
        return positive;
    }
    PyObject *const negative = PyNumber_Negative(positive);
    Py_DECREF(positive);
    return negative;
#endif
}

#endif
