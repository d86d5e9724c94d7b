/* SPDX-License-Identifier: MIT */
/* int: its digits of thirty bits, read in place. */
#ifndef SSRJSON_PYOBJECT_LONG_H
#define SSRJSON_PYOBJECT_LONG_H

#include "pyobject/python.h"

#if PYLONG_BITS_IN_DIGIT != 30
#error "ssrjson_web needs a Python built with 30-bit int digits"
#endif

/* Whether |value| < 2^64, so that long_magnitude gives it. */
static ALWAYS_INLINE bool long_is_below_2_64(PyObject *value) {
    const PyLongObject *const number = (const PyLongObject *)value;
#if PY_VERSION_HEX >= 0x030c0000
    const size_t n_digits = number->long_value.lv_tag >> 3;
    const digit *const digits = number->long_value.ob_digit;
#else
    const Py_ssize_t signed_size = Py_SIZE(number);
    const size_t n_digits = (size_t)(signed_size < 0 ? -signed_size : signed_size);
    const digit *const digits = number->ob_digit;
#endif
    return LIKELY(n_digits < 3) || (n_digits == 3 && digits[2] <= 15);
}

/* |value| and its sign where |value| < 2^64, else false. Subclasses too. */
static ALWAYS_INLINE bool long_magnitude(PyObject *value, bool *is_negative, uint64_t *magnitude) {
    const PyLongObject *const number = (const PyLongObject *)value;
#if PY_VERSION_HEX >= 0x030c0000
    const uintptr_t tag = number->long_value.lv_tag;
    const size_t n_digits = tag >> 3;
    *is_negative = (tag & 3) == 2;
    const digit *const digits = number->long_value.ob_digit;
#else
    const Py_ssize_t signed_size = Py_SIZE(number);
    *is_negative = signed_size < 0;
    const size_t n_digits = (size_t)(signed_size < 0 ? -signed_size : signed_size);
    const digit *const digits = number->ob_digit;
#endif
    if (LIKELY(n_digits <= 1)) {
        *magnitude = n_digits == 0 ? 0 : digits[0];
        return true;
    }
    if (n_digits > 3 || (n_digits == 3 && digits[2] > 15)) {
        return false;
    }
    *magnitude = digits[0] | (uint64_t)digits[1] << 30;
    if (n_digits == 3) {
        *magnitude |= (uint64_t)digits[2] << 60;
    }
    return true;
}

/* The value of an int below 2^128 that is not negative, else false. */
static inline bool long_as_u128(PyObject *value, unsigned __int128 *result) {
    const PyLongObject *const number = (const PyLongObject *)value;
#if PY_VERSION_HEX >= 0x030c0000
    const Py_ssize_t n_digits = (Py_ssize_t)(number->long_value.lv_tag >> 3);
    const bool is_negative = (number->long_value.lv_tag & 3) == 2;
    const digit *const digits = number->long_value.ob_digit;
#else
    const Py_ssize_t n_digits = Py_SIZE(number);
    const bool is_negative = n_digits < 0;
    const digit *const digits = number->ob_digit;
#endif
    if (is_negative || n_digits > 5 || (n_digits == 5 && digits[4] > 0xff)) {
        return false;
    }
    *result = 0;
    for (Py_ssize_t i = n_digits; i-- > 0;) {
        *result = *result << 30 | digits[i];
    }
    return true;
}

/* Whether |value| < 10^8, looking at no more than its first digit. */
static ALWAYS_INLINE bool long_is_below_1e8(PyObject *value) {
    const PyLongObject *const number = (const PyLongObject *)value;
#if PY_VERSION_HEX >= 0x030c0000
    const uintptr_t n_digits = number->long_value.lv_tag >> 3;
    return n_digits == 0 || (n_digits == 1 && number->long_value.ob_digit[0] < 100000000);
#else
    const Py_ssize_t n_digits = Py_SIZE(number); /* less than zero where the value is */
    return n_digits == 0 || ((n_digits == 1 || n_digits == -1) && number->ob_digit[0] < 100000000);
#endif
}

#endif
