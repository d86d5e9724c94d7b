/* SPDX-License-Identifier: MIT */
/* Runs of ints in an array: they are formatted together, because the place of each number depends
 * on the length of those before it, and is known late. */
#ifndef SSRJSON_ENCODE_INT_RUN_H
#define SSRJSON_ENCODE_INT_RUN_H

#include "number/format_int.h"
#include "pyobject/long.h"

/* A run has at most INT_RUN ints, none beyond INT_RUN_MAX. Fewer than INT_RUN_MIN are no run. */
#define INT_RUN 32
#define INT_RUN_MIN 4
#if defined(SIMD_HAS_COMPRESS)
#define INT_RUN_MAX INT_BLOCK_MAX
#else
#define INT_RUN_MAX 99999999 /* the largest that split_digits takes */
#endif
/* What is written to, commas included. */
#define INT_RUN_ROOM (INT_RUN * 12 + VEC_BYTES)

/* Whether items that begin with an int of this magnitude seem to go on with a run. */
static ALWAYS_INLINE bool is_int_run(PyObject *const *items, Py_ssize_t n_items,
                                     uint64_t magnitude) {
    return n_items >= INT_RUN_MIN && PyLong_CheckExact(items[1]) && magnitude <= INT_RUN_MAX;
}

/* Read an int that may be in a run; false where the object is another one. */
static ALWAYS_INLINE bool read_run_int(PyObject *object, int32_t *value) {
    return PyLong_CheckExact(object) && long_read_short(object, value) &&
           (INT_RUN_MAX == LONG_SHORT_MAX || (*value <= INT_RUN_MAX && *value >= -INT_RUN_MAX));
}

#if defined(SIMD_HAS_COMPRESS)
/* Read four ints, of which the first n are there: the others get the value of the first. False
 * where one cannot be in a run. They are put together in a register: a vector that is read back
 * soon after it was stored in parts is a store-forwarding stall. */
static ALWAYS_INLINE bool read_four_ints(PyObject *const *items, size_t n, i32x4 *values) {
    int32_t read[4];
    for (size_t i = 0; i < 4; i++) {
        if (UNLIKELY(!read_run_int(items[i < n ? i : 0], &read[i]))) {
            return false;
        }
    }
    *values = (i32x4){read[0], read[1], read[2], read[3]};
    return true;
}

/* Read the first n ints of a block; false where one cannot be in a run. */
static ALWAYS_INLINE bool read_int_block(PyObject *const *items, size_t n, i32x8 *values) {
    i32x4 first;
    i32x4 second = {0};
    if (UNLIKELY(!read_four_ints(items, n, &first)) ||
        (n > 4 && UNLIKELY(!read_four_ints(items + 4, n - 4, &second)))) {
        return false;
    }
    *values = __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7);
    return true;
}

/* Store the run of ints at the start of the items, each followed by a comma, and return the end; *n
 * is their number. The first item can be in a run. */
static NOINLINE char *store_int_run(char *out, PyObject *const *items, Py_ssize_t n_items,
                                    Py_ssize_t *n) {
    const Py_ssize_t n_max = n_items < INT_RUN ? n_items : INT_RUN;
    Py_ssize_t n_ints = 0;
    do {
        const Py_ssize_t n_left = n_max - n_ints;
        const size_t n_block = n_left < INT_BLOCK ? (size_t)n_left : INT_BLOCK;
        i32x8 values;
        if (UNLIKELY(!read_int_block(items + n_ints, n_block, &values))) {
            break;
        }
        out = store_int_block(out, values, n_block);
        n_ints += (Py_ssize_t)n_block;
    } while (n_ints < n_max);
    int32_t value;
    while (n_ints < n_max && read_run_int(items[n_ints], &value)) {
        *out = '-';
        out = format_u64(out + (value < 0), (uint64_t)(value < 0 ? -(int64_t)value : value));
        *out++ = ',';
        n_ints++;
    }
    *n = n_ints;
    return out;
}
#else
/* Store the run of ints at the start of the items, each followed by a comma, and return the end; *n
 * is their number. The first item can be in a run. For levels without a compress instruction. */
static NOINLINE char *store_int_run(char *out, PyObject *const *items, Py_ssize_t n_items,
                                    Py_ssize_t *n) {
    const Py_ssize_t n_max = n_items < INT_RUN ? n_items : INT_RUN;
    Py_ssize_t n_ints = 0;
    int32_t values[INT_RUN];
    while (n_ints < n_max && read_run_int(items[n_ints], &values[n_ints])) {
        n_ints++;
    }
    uint64_t digits[INT_RUN];
    for (Py_ssize_t i = 0; i < n_ints; i += U64_LANES) {
        int32_t lanes __attribute__((vector_size(U64_LANES * sizeof(int32_t))));
        memcpy(&lanes, values + i, sizeof lanes);
        u64_store(digits + i, split_digits((u64vec) __builtin_convertvector(
                                  __builtin_elementwise_abs(lanes), i64vec)));
    }
    for (Py_ssize_t i = 0; i < n_ints; i++) {
        *out = '-';
        out = store_split_digits(out + (values[i] < 0), digits[i]);
        *out++ = ',';
    }
    *n = n_ints;
    return out;
}
#endif

#endif
