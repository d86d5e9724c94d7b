/* SPDX-License-Identifier: MIT */
/* int: its digits of thirty bits, read in place. */
#ifndef SSRJSON_PYOBJECT_LONG_H
#define SSRJSON_PYOBJECT_LONG_H

#include "pyobject/python.h"

#if PYLONG_BITS_IN_DIGIT != 30
#error "ssrjson_web needs a Python built with 30-bit int digits"
#endif

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
