/* SPDX-License-Identifier: MIT */
/* Containers beyond list, tuple and dict. Sets, deques, views of dicts and iterators are arrays of
 * their items; mappings that are no dicts, and namedtuples, are objects of theirs. */
#ifndef SSRJSON_ENCODE_TYPES_CONTAINERS_H
#define SSRJSON_ENCODE_TYPES_CONTAINERS_H

#include "encode/arranged_pairs.h"
#include "encode/types/native.h"

/* ---- arrays --------------------------------------------------------------------------------- */

/* What to iterate for the items of an iterable, a new reference: a list of those that a set or a
 * view of a dict has now, where another thread may add some, and otherwise the iterable itself. */
static inline PyObject *native_items_now(const struct encoder *encoder, PyObject *iterable) {
    const bool is_shared = IS_FREE_THREADED && !encoder->is_streaming &&
                           (PySet_CheckExact(iterable) || PyDictViewSet_Check(iterable) ||
                            PyDictValues_Check(iterable));
    return is_shared ? PySequence_List(iterable) : Py_NewRef(iterable);
}

/* Enter an iterable. */
static COLD enum native_outcome native_enter_iterable(struct encoder *encoder, PyObject *value,
                                                      struct native *native) {
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const items = native_items_now(encoder, value);
    PyObject *const iterator = items != NULL ? PyObject_GetIter(items) : NULL;
    Py_XDECREF(items);
    enum native_outcome outcome = NATIVE_FAILED;
    if (iterator == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    } else if (iterator == value && encoder->options->check_circular &&
               encoder_has_frame(encoder, value)) {
        /* the one cycle that ends: within itself, an iterator would give what it has left */
        Py_DECREF(iterator);
        encoder_fail(encoder, ERROR_CIRCULAR, NULL);
    } else if (encoder_push_owned(encoder, iterator, value, FRAME_ITERATOR, true)) {
        outcome = NATIVE_IN_ARRAY;
    }
    return outcome;
}

/* The next item of an iterator, owned by its frame; NULL at the end or with the error recorded. */
static COLD PyObject *encoder_next_item(struct encoder *encoder) {
    struct frame *const frame = &encoder->frames[encoder->n_frames - 1];
    if (!encoder_own_frames(encoder)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NULL;
    }
    PyObject *const item = Py_TYPE(frame->items)->tp_iternext(frame->items);
    if (item == NULL && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_StopIteration)) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return NULL;
        }
        PyErr_Clear();
    }
    Py_XSETREF(frame->held, item);
    frame->index++;
    return item;
}

/* ---- objects -------------------------------------------------------------------------------- */

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
    } else if (encoder->options->replaces_keys) {
        outcome = encoder_enter_arranged_items(encoder, items, value, true);
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
    return encoder_push_owned(encoder, dict, tuple, FRAME_REPLACEMENT, true) ? NATIVE_AS_VALUE
                                                                             : NATIVE_FAILED;
}

#endif
