/* SPDX-License-Identifier: MIT */
/* decimal.Decimal of the C code: values of few digits, read and made in place.
 *
 * The structs are those of Modules/_decimal/_decimal.c and of libmpdec's mpdecimal.h, Python 3.10
 * to 3.15; in other versions nothing is read. */
#ifndef SSRJSON_PYOBJECT_DECIMAL_H
#define SSRJSON_PYOBJECT_DECIMAL_H

#include "pyobject/python.h"

#define IS_DECIMAL_LAYOUT_KNOWN KNOWS_LAYOUTS

/* The number of decimal digits in a word. */
#define DECIMAL_WORD_DIGITS 19

enum mpd_flag {
    MPD_IS_NEGATIVE = 1,
    MPD_IS_INFINITE = 2,
    MPD_IS_NAN = 4,
    MPD_IS_SIGNALLING_NAN = 8,
};

struct mpd {
    uint8_t flags;
    int64_t exponent;
    int64_t n_digits;
    int64_t n_words;
    int64_t n_allocated;
    const uint64_t *words; /* the least significant first */
};

struct decimal_object {
    PyObject_HEAD Py_hash_t hash;
    struct mpd number;
};

/* +-coefficient * 10^exponent */
struct decimal_value {
    uint64_t coefficient;
    int64_t exponent;
    int n_digits;
    bool is_negative;
};

/* Read a Decimal, of the C code's own type; false for one that is not finite or has more digits
 * than a word holds. */
static inline bool decimal_read(PyObject *decimal, struct decimal_value *value) {
    const struct mpd *const number = &((const struct decimal_object *)decimal)->number;
    const int special = MPD_IS_INFINITE | MPD_IS_NAN | MPD_IS_SIGNALLING_NAN;
    if (!IS_DECIMAL_LAYOUT_KNOWN || (number->flags & special) != 0 || number->n_words != 1) {
        return false;
    }
    assert(number->n_digits >= 1 && number->n_digits <= DECIMAL_WORD_DIGITS);
    value->coefficient = number->words[0];
    value->exponent = number->exponent;
    value->n_digits = (int)number->n_digits;
    value->is_negative = (number->flags & MPD_IS_NEGATIVE) != 0;
    return true;
}

/* The number of decimal digits of a coefficient; 1 for zero. */
static inline int decimal_count_digits(uint64_t coefficient) {
    int n_digits = 1;
    for (; coefficient >= 10000; coefficient /= 10000) {
        n_digits += 4;
    }
    return n_digits + (coefficient >= 10) + (coefficient >= 100) + (coefficient >= 1000);
}

/* A new Decimal of at most DECIMAL_WORD_DIGITS digits, of the same type as another one that was
 * read in place; NULL with MemoryError set. Its struct is copied: it says that the words lie within
 * the object. */
static inline PyObject *decimal_new(PyObject *like, const struct decimal_value *value) {
    PyTypeObject *const type = Py_TYPE(like);
    PyObject *const decimal = type->tp_alloc(type, 0);
    if (UNLIKELY(decimal == NULL)) {
        return NULL;
    }
    const struct mpd *const model = &((const struct decimal_object *)like)->number;
    struct decimal_object *const made = (struct decimal_object *)decimal;
    char *const words = (char *)decimal + ((const char *)model->words - (const char *)like);
    made->hash = -1;
    made->number = *model;
    made->number.flags =
        (uint8_t)((model->flags & ~MPD_IS_NEGATIVE) | (value->is_negative ? MPD_IS_NEGATIVE : 0));
    made->number.exponent = value->exponent;
    made->number.n_digits = value->n_digits;
    made->number.n_words = 1;
    made->number.words = (const uint64_t *)words;
    memcpy(words, &value->coefficient, sizeof value->coefficient);
    return decimal;
}

#endif
