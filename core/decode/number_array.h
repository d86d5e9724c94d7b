/* SPDX-License-Identifier: MIT */
/* Lists of numbers that become arrays without an object for each number: the numbers that were read
 * so far, and the array that is made of them. */
#ifndef SSRJSON_DECODE_NUMBER_ARRAY_H
#define SSRJSON_DECODE_NUMBER_ARRAY_H

#include "decode/options.h"

/* Lists within lists become an array of up to that many dimensions. Each list is tried as an array
 * before it is read as a list, so a text is read at most once more than that. */
#define NUMBER_ARRAY_MAX_DIMS 8
#define NUMBER_ARRAY_INLINE 128
/* Ints up to here are exact as doubles. */
#define MAX_EXACT_INT ((uint64_t)1 << 53)

/* A number without an object, as an array of numbers holds it. */
struct plain_number {
    bool is_int;
    bool is_negative;   /* of an int */
    uint64_t magnitude; /* of an int */
    double value;       /* of a float */
};

struct number_array {
    uint64_t *numbers; /* int64_t, or double where has_floats */
    size_t n;
    size_t capacity;
    bool has_floats;
    size_t n_dims; /* 0: not known yet */
    size_t shape[NUMBER_ARRAY_MAX_DIMS];
    uint64_t inline_numbers[NUMBER_ARRAY_INLINE];
};

/* What set_number_arrays in module/args/decode_arguments.c makes, a tuple: numpy.empty and the
 * dtypes of float64 and int64, or the class of array.array and its two type codes. */
enum { MAKER_CALL, MAKER_FLOAT_TYPE, MAKER_INT_TYPE, MAKER_LENGTH };

static inline void number_array_init(struct number_array *array) {
    array->numbers = array->inline_numbers;
    array->n = 0;
    array->capacity = NUMBER_ARRAY_INLINE;
    array->has_floats = false;
    array->n_dims = 0;
}

static inline void number_array_clear(struct number_array *array) {
    if (array->numbers != array->inline_numbers) {
        PyMem_Free(array->numbers);
    }
}

/* Make room for more numbers; false with MemoryError set. */
COLD bool number_array_grow(struct number_array *array);

static ALWAYS_INLINE uint64_t bits_of_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Whether a double holds this int exactly. */
static inline bool is_exact_as_double(uint64_t magnitude) {
    return magnitude <= MAX_EXACT_INT || magnitude >> __builtin_ctzll(magnitude) < MAX_EXACT_INT;
}

/* Make floats of the first n numbers, which are ints; false where one is not exact. */
COLD bool number_array_use_floats(struct number_array *array, size_t n);

/* The bits of a number, for a place in the array; false where the array cannot hold it exactly. */
static ALWAYS_INLINE bool number_array_encode(struct number_array *array,
                                              const struct plain_number *number, uint64_t *bits) {
    if (!number->is_int) {
        *bits = bits_of_double(number->value);
        return LIKELY(array->has_floats) ||
               number_array_use_floats(array, (size_t)(bits - array->numbers));
    }
    /* the smallest int64 has a greater magnitude than the largest */
    if (UNLIKELY(number->magnitude > (uint64_t)INT64_MAX + number->is_negative)) {
        return false;
    }
    const uint64_t value = number->is_negative ? -number->magnitude : number->magnitude;
    *bits = array->has_floats ? bits_of_double((double)(int64_t)value) : value;
    return !array->has_floats || is_exact_as_double(number->magnitude);
}

/* The array of the numbers that were read, a new reference; NULL with an exception set. May run
 * Python code. */
PyObject *number_array_build(const struct number_array *array,
                             const struct decode_options *options);

#endif
