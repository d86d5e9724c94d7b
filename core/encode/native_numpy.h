/* SPDX-License-Identifier: MIT */
/* numpy's arrays and scalars: opened for writing from their memory, or as Python's objects. */
#ifndef SSRJSON_ENCODE_NATIVE_NUMPY_H
#define SSRJSON_ENCODE_NATIVE_NUMPY_H

#include "encode/native.h"
#include "encode/ndarray.h"

/* The items as Python's own objects. */
static inline enum native_outcome native_tolist(struct encoder *encoder, PyObject *value,
                                                struct native *native) {
    struct native_types *const types = &encoder->options->context->native_types;
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const object = PyObject_CallMethodNoArgs(value, types->words[WORD_TOLIST]);
    PyTypeObject *const scalar = native_types_get(types, NATIVE_SCALAR);
    if (object != NULL && scalar != NULL && PyObject_TypeCheck(object, scalar)) {
        Py_DECREF(object); /* Python has no object for it either */
        return NATIVE_NOT_KNOWN;
    }
    return native_outcome_of(encoder, native, object, NATIVE_AS_VALUE);
}

/* Open an array or a scalar, to be written from its memory. */
static inline enum native_outcome native_ndarray(struct encoder *encoder, PyObject *value,
                                                 struct native *native) {
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    const int is_known =
        ndarray_open(&encoder->options->context->native_types, &native->array, value);
    if (is_known < 0) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    return is_known ? NATIVE_NDARRAY : NATIVE_NOT_KNOWN;
}

/* Whether items of an array that has no form here may have one as Python's objects: text, bytes,
 * durations, objects. Not complex numbers and structures. */
static inline bool native_has_python_items(struct encoder *encoder, PyObject *value) {
    PyObject *const dtype =
        PyObject_GetAttr(value, encoder->options->context->native_types.words[WORD_DTYPE]);
    PyObject *const kind = dtype != NULL ? PyObject_GetAttrString(dtype, "kind") : NULL;
    Py_XDECREF(dtype);
    bool is_good = false;
    if (kind != NULL && PyUnicode_Check(kind) && PyUnicode_GET_LENGTH(kind) == 1) {
        is_good = strchr("USOmT", (int)PyUnicode_READ_CHAR(kind, 0)) != NULL;
    }
    Py_XDECREF(kind);
    PyErr_Clear();
    return is_good;
}

static inline enum native_outcome native_array(struct encoder *encoder, PyObject *value,
                                               struct native *native) {
    const enum native_outcome outcome = native_ndarray(encoder, value, native);
    if (outcome == NATIVE_NOT_KNOWN && native_has_python_items(encoder, value)) {
        return native_tolist(encoder, value, native);
    }
    return outcome;
}

static inline enum native_outcome native_datetime64(struct encoder *encoder, PyObject *value,
                                                    struct native *native) {
    const enum native_outcome outcome = native_ndarray(encoder, value, native);
    if (outcome != NATIVE_NDARRAY) {
        return outcome;
    }
    const struct native_options *const options = &encoder->options->native;
    const int64_t steps =
        ndarray_load_signed(native->array.data, native->array.item_bytes, native->array.is_swapped);
    const bool is_nat = steps == DATETIME64_NAT;
    char *end =
        is_nat ? native->text : ndarray_put_datetime(native->text, &native->array, steps, options);
    ndarray_close(&native->array);
    if (end == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    return is_nat ? NATIVE_AS_NULL : native_text_ends(native, end);
}

static inline enum native_outcome native_long_double(struct encoder *encoder, PyObject *value,
                                                     struct native *native) {
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const number = PyNumber_Float(value);
    return native_outcome_of(encoder, native, number, NATIVE_AS_VALUE);
}

#endif
