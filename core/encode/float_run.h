/* SPDX-License-Identifier: MIT */
/* Runs of floats in an array, or in short lists of it: they are computed together, before the first
 * is stored. */
#ifndef SSRJSON_ENCODE_FLOAT_RUN_H
#define SSRJSON_ENCODE_FLOAT_RUN_H

#include "number/format_float.h"
#include "pyobject/object.h"

/* A run has at most FLOAT_RUN floats; fewer than FLOAT_RUN_MIN do not fill the vector lanes. */
#define FLOAT_RUN 16
#define FLOAT_RUN_MIN 4
/* Of floats of few digits. */
#define SHORT_FLOAT_RUN 24

static ALWAYS_INLINE bool is_finite_float(PyObject *object) {
    return PyFloat_CheckExact(object) && __builtin_isfinite(PyFloat_AS_DOUBLE(object));
}

/* Whether an object is a list of finite floats and nothing else, at most `most` of them. */
static ALWAYS_INLINE bool is_short_float_list(PyObject *object, Py_ssize_t most) {
    if (!PyList_CheckExact(object)) {
        return false;
    }
    const Py_ssize_t n = PyList_GET_SIZE(object);
    if (n == 0 || n > most) {
        return false;
    }
    PyObject *const *const items = ((PyListObject *)object)->ob_item;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!is_finite_float(items[i])) {
            return false;
        }
    }
    return true;
}

/* A run of floats, computed but not yet written. */
struct float_run {
    struct float_texts texts[FLOAT_RUN / U64_LANES];
};

/* The bits of the first n floats of a vector; the other lanes have those of the last one. */
static ALWAYS_INLINE u64vec float_bits(PyObject *const *floats, size_t n) {
    u64vec bits;
    if (LIKELY(n >= U64_LANES)) {
        for (size_t lane = 0; lane < U64_LANES; lane++) {
            bits[lane] = load_u64(&((PyFloatObject *)floats[lane])->ob_fval);
        }
    } else {
        for (size_t lane = 0; lane < U64_LANES; lane++) {
            bits[lane] = load_u64(&((PyFloatObject *)floats[lane < n ? lane : n - 1])->ob_fval);
        }
    }
    return bits;
}

/* Compute the texts of n finite floats. */
static ALWAYS_INLINE void float_run(struct float_run *run, PyObject *const *floats, size_t n) {
    assert(n <= FLOAT_RUN);
    for (size_t i = 0; i < n; i += U64_LANES) {
        float_texts(&run->texts[i / U64_LANES], float_bits(floats + i, n - i));
    }
}

static ALWAYS_INLINE struct float_text float_run_text(const struct float_run *run, size_t index) {
    return float_text_of_lane(&run->texts[index / U64_LANES], index % U64_LANES);
}

#if defined(SIMD_HAS_COMPRESS)
/* Store the floats of few digits at the start of the items, of which the first is a finite float,
 * each followed by a comma, and return the end. *n is their number, 0 where the first or one soon
 * after it has more digits. */
static ALWAYS_INLINE char *store_short_float_run(char *out, PyObject *const *items,
                                                 Py_ssize_t n_items, Py_ssize_t *n) {
    const Py_ssize_t n_max = n_items < SHORT_FLOAT_RUN ? n_items : SHORT_FLOAT_RUN;
    Py_ssize_t n_stored = 0;
    if (is_short_double(PyFloat_AS_DOUBLE(items[0]))) {
        while (n_stored < n_max) {
            PyObject *const *const block = items + n_stored;
            const size_t n_left = (size_t)(n_max - n_stored);
            size_t n_block = 0;
            while (n_block < n_left && n_block < U64_LANES && is_finite_float(block[n_block])) {
                n_block++;
            }
            char *const end =
                n_block != 0 ? store_short_floats(out, float_bits(block, n_block), n_block) : NULL;
            if (UNLIKELY(end == NULL)) {
                break;
            }
            out = end;
            n_stored += (Py_ssize_t)n_block;
        }
    }
    *n = n_stored;
    return out;
}
#endif

#endif
