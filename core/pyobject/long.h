/* SPDX-License-Identifier: MIT */
/* int: its digits of thirty bits, read in place where their layout is known. */
#ifndef SSRJSON_PYOBJECT_LONG_H
#define SSRJSON_PYOBJECT_LONG_H

#include "pyobject/object.h"

#if PYLONG_BITS_IN_DIGIT != 30
#error "ssrjson_web needs a Python built with 30-bit int digits"
#endif

/* The maximum of what long_read_short reads. */
#define LONG_SHORT_MAX ((1 << 30) - 1)

#if KNOWS_LAYOUTS
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

/* Read |value| and its sign where |value| < 2^64, otherwise false. Subclasses too. */
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

/* Read the value of an int that is not negative and below 2^128, otherwise false. */
static inline bool long_as_u128(PyObject *value, unsigned __int128 *result) {
    const struct long_digits own = long_digits(value);
    if (own.is_negative || own.n > 5 || (own.n == 5 && own.digits[4] > 0xff)) {
        return false;
    }
    if (LIKELY(own.n == 5)) { /* as of most UUIDs */
        const uint64_t low = own.digits[0] | (uint64_t)own.digits[1] << 30;
        const uint64_t high = own.digits[3] | (uint64_t)own.digits[4] << 30;
        *result = (unsigned __int128)high << 90 | (unsigned __int128)own.digits[2] << 60 | low;
        return true;
    }
    *result = 0;
    for (size_t i = own.n; i-- > 0;) {
        *result = *result << 30 | own.digits[i];
    }
    return true;
}

/* Read the value of an int of at most LONG_SHORT_MAX, otherwise false. It looks at no more than
 * the first digit, in few instructions: lists hold many such ints. */
static ALWAYS_INLINE bool long_read_short(PyObject *value, int32_t *result) {
    const PyLongObject *const number = (const PyLongObject *)value;
#if PY_VERSION_HEX >= 0x030c0000
    const uintptr_t tag = number->long_value.lv_tag;
    *result = (1 - (int32_t)(tag & 3)) * (int32_t)number->long_value.ob_digit[0];
    return tag < 2 << 3; /* the number of digits, and three bits */
#else
    const Py_ssize_t signed_size = Py_SIZE(number);
    *result = (int32_t)((uint32_t)signed_size * number->ob_digit[0]);
    return (size_t)(signed_size + 1) <= 2;
#endif
}
#else
/* The lower 64 bits of an int in two's complement, and the int of what is above them: NULL, without
 * an exception, where memory is short. Subclasses' own methods are not called. */
static inline uint64_t long_split(PyObject *value, PyObject **above) {
    PyObject *const places = PyLong_FromLong(64);
    *above = places != NULL ? PyLong_Type.tp_as_number->nb_rshift(value, places) : NULL;
    Py_XDECREF(places);
    if (*above == NULL) {
        PyErr_Clear();
    }
    return PyLong_AsUnsignedLongLongMask(value);
}

static inline bool long_magnitude(PyObject *value, bool *is_negative, uint64_t *magnitude) {
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    *is_negative = overflow < 0 || (overflow == 0 && number < 0);
    if (LIKELY(overflow == 0)) {
        *magnitude = *is_negative ? -(uint64_t)number : (uint64_t)number;
        return true;
    }
    PyObject *above;
    const uint64_t low = long_split(value, &above);
    *magnitude = *is_negative ? -low : low;
    const bool is_below_2_64 =
        above != NULL && PyLong_AsLongLongAndOverflow(above, &overflow) == -(int)*is_negative &&
        overflow == 0 && (!*is_negative || low != 0);
    Py_XDECREF(above);
    return is_below_2_64;
}

static inline bool long_is_below_2_64(PyObject *value) {
    bool is_negative;
    uint64_t magnitude;
    return long_magnitude(value, &is_negative, &magnitude);
}

static inline bool long_as_u128(PyObject *value, unsigned __int128 *result) {
    PyObject *above;
    const uint64_t low = long_split(value, &above);
    bool is_negative;
    uint64_t high;
    const bool is_in_range =
        above != NULL && long_magnitude(above, &is_negative, &high) && !is_negative;
    Py_XDECREF(above);
    if (is_in_range) {
        *result = (unsigned __int128)high << 64 | low;
    }
    return is_in_range;
}

static inline bool long_read_short(PyObject *value, int32_t *result) {
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    *result = (int32_t)number;
    return overflow == 0 && number >= -LONG_SHORT_MAX && number <= LONG_SHORT_MAX;
}
#endif

/* The ints that are made once and shared. */
#define LARGEST_SHARED_INT (PY_VERSION_HEX < 0x030f0000 ? 256 : 1024)

#if PY_VERSION_HEX >= 0x030c0000
#define LONG_DIGITS long_value.ob_digit
#else
#define LONG_DIGITS ob_digit
#endif

static ALWAYS_INLINE void long_set_size(PyLongObject *number, size_t n_digits, bool is_negative) {
#if PY_VERSION_HEX >= 0x030c0000
    number->long_value.lv_tag = n_digits << 3 | (is_negative ? 2 : 0);
#else
    Py_SET_SIZE(number, is_negative ? -(Py_ssize_t)n_digits : (Py_ssize_t)n_digits);
#endif
}

/* A new int of a magnitude and a sign that is none of the shared ones. */
static ALWAYS_INLINE PyObject *long_new_unshared(uint64_t magnitude, bool is_negative) {
#if HAS_PLAIN_OBJECTS
    const bool has_third = magnitude >> 2 * PyLong_SHIFT != 0;
    const size_t n = 1 + (magnitude >> PyLong_SHIFT != 0) + has_third;
    /* room for at least two digits: memory blocks are not smaller */
    static_assert(sizeof(PyLongObject) - offsetof(PyLongObject, LONG_DIGITS) >= 2 * sizeof(digit),
                  "an int has room for two digits");
    PyLongObject *const number =
        object_new(sizeof(PyLongObject) + (has_third ? sizeof(digit) : 0), &PyLong_Type);
    if (UNLIKELY(number == NULL)) {
        return NULL;
    }
    long_set_size(number, n, is_negative);
    digit *const digits = number->LONG_DIGITS;
    const digit second = (digit)(magnitude >> PyLong_SHIFT) & PyLong_MASK;
    digits[0] = (digit)magnitude & PyLong_MASK;
    digits[1] = second;
    /* without a branch: whether a 64-bit number has two or three digits cannot be predicted */
    digits[has_third ? 2 : 1] = has_third ? (digit)(magnitude >> 2 * PyLong_SHIFT) : second;
    return (PyObject *)number;
#else
    if (LIKELY(magnitude <= INT64_MAX)) {
        return PyLong_FromLongLong(is_negative ? -(long long)magnitude : (long long)magnitude);
    }
    PyObject *const positive = PyLong_FromUnsignedLongLong(magnitude);
    if (!is_negative || positive == NULL) {
        return positive;
    }
    PyObject *const negative = PyNumber_Negative(positive);
    Py_DECREF(positive);
    return negative;
#endif
}

/* An int of a magnitude and a sign. */
static ALWAYS_INLINE PyObject *long_new(uint64_t magnitude, bool is_negative) {
    if (magnitude <= LARGEST_SHARED_INT) {
        return PyLong_FromLong(is_negative ? -(long)magnitude : (long)magnitude);
    }
    return long_new_unshared(magnitude, is_negative);
}

#endif
