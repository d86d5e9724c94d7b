/* SPDX-License-Identifier: MIT */
/* numpy's arrays and scalars: opened for writing from their memory, or converted to Python's
 * objects. */
#ifndef SSRJSON_ENCODE_TYPES_NUMPY_H
#define SSRJSON_ENCODE_TYPES_NUMPY_H

#include "encode/types/ndarray.h"
#include "encode/types/native.h"

/* Convert the items to Python's own objects. */
static inline enum native_outcome native_tolist(struct encoder *encoder, PyObject *value,
                                                struct native *native) {
    struct native_types *const types = &encoder->options->context->native_types;
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const object = PyObject_CallMethodNoArgs(value, types->words[WORD_TOLIST]);
    /* Python may have no object for it either, and the tuple of a structure would lack its names */
    if (object != NULL && (Py_TYPE(object) == Py_TYPE(value) || PyTuple_Check(object)) &&
        native_is_of(types, Py_TYPE(value), NATIVE_SCALAR)) {
        Py_DECREF(object);
        return NATIVE_NOT_KNOWN;
    }
    return native_outcome_of(encoder, native, object, NATIVE_AS_VALUE);
}

/* Replace a zero by the float that a scalar has in its memory: numpy may have lost a subnormal one,
 * see number/float_bits.h. False with an exception set and no object. */
static COLD bool native_keep_subnormal(struct encoder *encoder, PyObject *value,
                                       struct native *native) {
    struct ndarray array;
    const int is_known = ndarray_open(&encoder->options->context->native_types, &array, value);
    if (is_known > 0) {
        if (array.kind == 'f' && array.n_dims == 0) {
            Py_SETREF(native->object, PyFloat_FromDouble(ndarray_load_double(
                                          array.data, array.item_bytes, array.is_swapped)));
        }
        ndarray_close(&array);
    } else if (is_known < 0) {
        Py_CLEAR(native->object);
    }
    return native->object != NULL;
}

/* The kind of an array's items, or of a scalar; 0 where it is unknown. */
static inline Py_UCS4 native_array_kind(struct encoder *encoder, PyObject *value) {
    PyObject *const dtype =
        PyObject_GetAttr(value, encoder->options->context->native_types.words[WORD_DTYPE]);
    PyObject *const kind = dtype != NULL ? PyObject_GetAttrString(dtype, "kind") : NULL;
    Py_XDECREF(dtype);
    Py_UCS4 letter = 0;
    if (kind != NULL && PyUnicode_Check(kind) && PyUnicode_GET_LENGTH(kind) == 1) {
        letter = PyUnicode_READ_CHAR(kind, 0);
    }
    Py_XDECREF(kind);
    PyErr_Clear();
    return letter;
}

/* Convert a scalar to Python's own object; a float of 16 or 32 bits with float32="shortest" to the
 * float that has its digits. */
static inline enum native_outcome native_scalar(struct encoder *encoder, PyObject *value,
                                                struct native *native) {
    const enum native_outcome outcome = native_tolist(encoder, value, native);
    if (outcome != NATIVE_AS_VALUE || !PyFloat_CheckExact(native->object)) {
        return outcome;
    }
    if (UNLIKELY(double_is_zero(PyFloat_AS_DOUBLE(native->object))) &&
        !native_keep_subnormal(encoder, value, native)) {
        return native_outcome_of(encoder, native, NULL, NATIVE_FAILED);
    }
    if (LIKELY(!encoder->options->native.float32_shortest) ||
        native_array_kind(encoder, value) != 'f') { /* a bfloat16 has 16 bits, and is no half */
        return outcome;
    }
    PyObject *const size = PyObject_GetAttrString(value, "itemsize");
    const long n_bytes = size != NULL ? PyLong_AsLong(size) : -1;
    Py_XDECREF(size);
    double number = PyFloat_AS_DOUBLE(native->object);
    if (n_bytes == 2 || n_bytes == 4) {
        narrow_floats_as_doubles(&number, 1, n_bytes == 2 ? NARROW_HALF : NARROW_SINGLE);
        Py_SETREF(native->object, PyFloat_FromDouble(number));
    } else if (PyErr_Occurred()) {
        Py_CLEAR(native->object);
    }
    return native_outcome_of(encoder, native, native->object, NATIVE_AS_VALUE);
}

/* Convert the items to numpy's scalars, or to arrays where there is more than one dimension. */
static inline enum native_outcome native_array_items(struct encoder *encoder, PyObject *value,
                                                     struct native *native) {
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const index = PyTuple_New(0);
    PyObject *object = NULL;
    if (index != NULL) { /* the scalar of an array without dimensions, otherwise the array */
        object = PyObject_GetItem(value, index);
        Py_DECREF(index);
    }
    if (object != NULL && Py_TYPE(object) == Py_TYPE(value)) {
        Py_SETREF(object, PySequence_List(object));
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
        encoder_fail(encoder, ERROR_REFUSED, NULL);
        return NATIVE_FAILED;
    }
    return is_known ? NATIVE_NDARRAY : NATIVE_NOT_KNOWN;
}

/* Whether the items of an array whose kind is 'V' are numbers that another module has added to
 * numpy, as ml_dtypes does bfloat16; otherwise they are structures or raw memory. */
static COLD bool native_has_added_items(struct encoder *encoder, PyObject *value) {
    struct native_types *const types = &encoder->options->context->native_types;
    PyObject *const dtype = PyObject_GetAttr(value, types->words[WORD_DTYPE]);
    PyObject *const type = dtype != NULL ? PyObject_GetAttrString(dtype, "type") : NULL;
    PyObject *const structure = native_types_get_of_numpy(types, "void");
    const bool is_added = type != NULL && PyType_Check(type) && structure != NULL &&
                          PyType_Check(structure) &&
                          native_is_of(types, (PyTypeObject *)type, NATIVE_SCALAR) &&
                          !PyType_IsSubtype((PyTypeObject *)type, (PyTypeObject *)structure);
    Py_XDECREF(dtype);
    Py_XDECREF(type);
    Py_XDECREF(structure);
    PyErr_Clear();
    return is_added;
}

static inline enum native_outcome native_array(struct encoder *encoder, PyObject *value,
                                               struct native *native) {
    enum native_outcome outcome = native_ndarray(encoder, value, native);
    if (outcome == NATIVE_NDARRAY && (native->array.kind == 'M' || native->array.kind == 'm') &&
        (!ndarray_has_sound_unit(&native->array) ||
         (native->array.kind == 'm' && encoder->options->native.timedelta == TIMEDELTA_OFF))) {
        ndarray_close(&native->array);
        outcome = NATIVE_NOT_KNOWN;
    }
    if (outcome != NATIVE_NOT_KNOWN) {
        return outcome;
    }
    switch (native_array_kind(encoder, value)) {
    case 'U': /* text, bytes, objects */
    case 'S':
    case 'O':
    case 'T': return native_tolist(encoder, value, native);
    case 'M': /* without a unit, only NaT can be written */
    case 'm':
    case 'f': /* longer than a double */ return native_array_items(encoder, value, native);
    case 'V':
        return native_has_added_items(encoder, value) ? native_tolist(encoder, value, native)
                                                      : NATIVE_NOT_KNOWN;
    default: return NATIVE_NOT_KNOWN; /* complex numbers */
    }
}

/* The end of the text of a scalar that is a datetime64 or a timedelta64; NULL with the outcome for
 * a value that has no text. */
static inline const char *native_time64_text(struct encoder *encoder, struct native *native,
                                             enum native_outcome *outcome) {
    const struct native_options *const options = &encoder->options->native;
    const struct ndarray *const array = &native->array;
    const int64_t steps = ndarray_load_signed(array->data, array->item_bytes, array->is_swapped);
    const bool is_duration = array->kind == 'm';
    *outcome = NATIVE_NOT_KNOWN;
    if (steps == DATETIME64_NAT) {
        *outcome = NATIVE_AS_NULL;
        return NULL;
    }
    if (is_duration && options->timedelta == TIMEDELTA_OFF) {
        return NULL;
    }
    if (!ndarray_has_sound_unit(array)) {
        native->refusal = is_duration ? "timedelta64 in years, in months or without a unit has no "
                                        "fixed length: give it another unit, or a default"
                                      : "datetime64 without a unit is no moment";
        return NULL;
    }
    const char *end = NULL;
    if (!is_duration) {
        end = ndarray_put_datetime(native->text, array, steps, options);
    } else if (options->timedelta != TIMEDELTA_SECONDS) {
        end = ndarray_put_duration(native->text, array, steps,
                                   options->timedelta == TIMEDELTA_ISO_YEARS);
    } else {
        double seconds;
        const bool is_good = ndarray_seconds(array, steps, &seconds);
        *outcome = native_outcome_of(encoder, native, is_good ? PyFloat_FromDouble(seconds) : NULL,
                                     NATIVE_AS_VALUE);
        return NULL;
    }
    if (end == NULL) {
        encoder_fail(encoder, ERROR_REFUSED, NULL);
        *outcome = NATIVE_FAILED;
    }
    return end;
}

/* A scalar that is a datetime64 or a timedelta64. */
static inline enum native_outcome native_time64(struct encoder *encoder, PyObject *value,
                                                struct native *native) {
    enum native_outcome outcome = native_ndarray(encoder, value, native);
    if (outcome != NATIVE_NDARRAY) {
        return outcome;
    }
    const char *const end = native_time64_text(encoder, native, &outcome);
    ndarray_close(&native->array);
    return end != NULL ? native_text_ends(native, end) : outcome;
}

/* The digits of a finite longdouble, as few as distinguish it from its neighbours: a new str,
 * independent of numpy's print options; NULL with an exception set. */
static inline PyObject *native_long_double_digits(struct encoder *encoder, PyObject *value,
                                                  double nearest) {
    const double magnitude = __builtin_fabs(nearest);
    const bool is_short = magnitude >= 1e-4 &&
                          magnitude < 1e16; /* the range in which repr of a float has no exponent */
    PyObject *const format =
        native_types_get_of_numpy(&encoder->options->context->native_types,
                                  is_short ? "format_float_positional" : "format_float_scientific");
    if (format == NULL) {
        return PyObject_Str(value);
    }
    PyObject *const arguments = Py_BuildValue("(O)", value);
    PyObject *const options = Py_BuildValue("{s:s}", "trim", is_short ? "0" : "-");
    PyObject *const digits =
        arguments != NULL && options != NULL ? PyObject_Call(format, arguments, options) : NULL;
    Py_XDECREF(arguments);
    Py_XDECREF(options);
    Py_DECREF(format);
    if (digits != NULL && !PyUnicode_Check(digits)) {
        Py_DECREF(digits);
        PyErr_SetString(PyExc_TypeError, "numpy gives no text for a longdouble");
        return NULL;
    }
    return digits;
}

/* A longdouble as the float that equals it; one that equals no float keeps all its digits. */
static inline enum native_outcome native_long_double(struct encoder *encoder, PyObject *value,
                                                     struct native *native) {
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *number = PyNumber_Float(value);
    enum native_outcome outcome = NATIVE_AS_VALUE;
    if (number != NULL && !__builtin_isnan(PyFloat_AS_DOUBLE(number))) {
        const int is_equal = PyObject_RichCompareBool(number, value, Py_EQ);
        if (is_equal == 0) {
            const double nearest = PyFloat_AS_DOUBLE(number);
            Py_SETREF(number, native_long_double_digits(encoder, value, nearest));
            outcome = NATIVE_AS_NUMBER;
        } else if (is_equal < 0) {
            Py_CLEAR(number);
        }
    }
    return native_outcome_of(encoder, native, number, outcome);
}

#endif
