/* SPDX-License-Identifier: MIT */
/* numpy's arrays and scalars as the module orjson writes them: contiguous ones in native byte order
 * only, with texts of its own for all others. */
#ifndef SSRJSON_ENCODE_ORJSON_NUMPY_H
#define SSRJSON_ENCODE_ORJSON_NUMPY_H

#include "encode/types/numpy.h"
#include "encode/orjson/moments.h"

#define NOT_CONTIGUOUS "numpy array is not C contiguous; use ndarray.tolist() in default"
#define UNKNOWN_ITEMS "unsupported datatype in numpy array"

/* Leave a value of a known type to the hook; the text is for where there is none. */
static inline enum native_outcome orjson_leave(struct native *native, const char *refusal) {
    native->refusal = refusal;
    return NATIVE_NOT_KNOWN;
}

/* Whether items follow each other in memory without gaps. */
static inline bool ndarray_is_contiguous(const struct ndarray *array) {
    Py_ssize_t expected = array->item_bytes;
    bool is_contiguous = true;
    for (int i = array->n_dims; i-- > 0;) {
        if (array->shape[i] == 0) {
            return true;
        }
        is_contiguous &= array->shape[i] == 1 || array->strides[i] == expected;
        expected *= array->shape[i];
    }
    return is_contiguous;
}

/* An array, exactly of numpy's class. */
static COLD enum native_outcome orjson_array(struct encoder *encoder, PyObject *value,
                                             struct native *native) {
    const enum native_outcome outcome = native_ndarray(encoder, value, native);
    if (outcome != NATIVE_NDARRAY) {
        return outcome == NATIVE_NOT_KNOWN ? orjson_leave(native, UNKNOWN_ITEMS) : outcome;
    }
    const struct ndarray *const array = &native->array;
    if (array->is_swapped) {
        ndarray_close(&native->array);
        return orjson_refuse(encoder, "numpy array is not native-endianness");
    }
    if (!ndarray_is_contiguous(array)) {
        ndarray_close(&native->array);
        return orjson_leave(native, NOT_CONTIGUOUS);
    }
    if (array->n_dims == 0 || array->kind == 'm') {
        ndarray_close(&native->array);
        return orjson_leave(native, UNKNOWN_ITEMS);
    }
    return NATIVE_NDARRAY;
}

/* A scalar of one of numpy's own classes. */
static COLD enum native_outcome orjson_scalar(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    if (Py_TYPE(value)->tp_flags & Py_TPFLAGS_HEAPTYPE) { /* a class of someone else */
        return NATIVE_NOT_KNOWN;
    }
    const enum native_outcome outcome = native_ndarray(encoder, value, native);
    if (outcome == NATIVE_NDARRAY && (native->array.kind == 'm' || native->array.n_dims != 0)) {
        ndarray_close(&native->array);
        return NATIVE_NOT_KNOWN;
    }
    return outcome;
}

#endif
