/* SPDX-License-Identifier: MIT */
/* Mappings that are no dicts, and namedtuples, as objects of their items. */
#ifndef SSRJSON_ENCODE_TYPES_MAPPINGS_H
#define SSRJSON_ENCODE_TYPES_MAPPINGS_H

#include "encode/types/native.h"

/* Enter a mapping by its items(). */
static COLD enum native_outcome native_enter_mapping(struct encoder *encoder, PyObject *value,
                                                     struct native *native) {
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const items = encoder_dict_items(encoder, value);
    enum native_outcome outcome = NATIVE_FAILED;
    if (items == NULL) {
        encoder_fail_unless_failed(encoder);
    } else if (PyList_GET_SIZE(items) == 0) {
        Py_DECREF(items);
        outcome = NATIVE_AS_EMPTY_OBJECT;
    } else if (encoder_push_owned(encoder, items, value, FRAME_ITEMS, true)) {
        outcome = NATIVE_IN_OBJECT;
    }
    return outcome;
}

/* A value of none of the types that are found without Python code: a mapping if isinstance says so,
 * otherwise for the default hook. */
static COLD enum native_outcome native_ask_for_mapping(struct encoder *encoder, PyObject *value,
                                                       struct native *native) {
    const struct encode_options *const options = encoder->options;
    PyTypeObject *const mapping =
        options->native.mapping ? native_types_get(&options->context->native_types, NATIVE_MAPPING)
                                : NULL;
    if (mapping == NULL) {
        return NATIVE_NOT_KNOWN;
    }
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    const int is_mapping = PyObject_IsInstance(value, (PyObject *)mapping);
    if (is_mapping < 0) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    return is_mapping ? native_enter_mapping(encoder, value, native) : NATIVE_NOT_KNOWN;
}

/* Whether a class derived from tuple is one of namedtuples: it has _asdict, and its _fields are
 * strs. Runs no Python code. */
static inline bool namedtuple_is_class(PyTypeObject *type, PyObject *const *words) {
    PyObject *const fields = type_look_up(type, words[WORD_FIELDS]); /* borrowed */
    if (fields == NULL || !PyTuple_Check(fields) ||
        type_look_up(type, words[WORD_ASDICT]) == NULL) {
        return false;
    }
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); i++) {
        if (!PyUnicode_Check(PyTuple_GET_ITEM(fields, i))) {
            return false;
        }
    }
    return true;
}

/* Replace a namedtuple by the dict that its own _asdict() gives, which the frame on top then holds;
 * NATIVE_NOT_KNOWN where a tuple is none. The caller releases native->held, whatever the outcome.
 */
static COLD enum native_outcome namedtuple_enter(struct encoder *encoder, PyObject *tuple,
                                                 struct native *native) {
    PyObject *const *const words = encoder->options->context->native_types.words;
    native->held = NULL;
    if (PyTuple_CheckExact(tuple) || !namedtuple_is_class(Py_TYPE(tuple), words)) {
        return NATIVE_NOT_KNOWN;
    }
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, tuple, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const dict = PyObject_CallMethodNoArgs(tuple, words[WORD_ASDICT]);
    if (dict == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    if (!is_any_dict(dict)) {
        PyErr_Format(PyExc_TypeError, "_asdict() of %.200s must return a dict, not %.200s",
                     Py_TYPE(tuple)->tp_name, Py_TYPE(dict)->tp_name);
        Py_DECREF(dict);
        encoder_fail(encoder, ERROR_REFUSED, NULL);
        return NATIVE_FAILED;
    }
    return encoder_push_owned(encoder, dict, tuple, FRAME_DEFAULT, true) ? NATIVE_AS_VALUE
                                                                         : NATIVE_FAILED;
}

#endif
