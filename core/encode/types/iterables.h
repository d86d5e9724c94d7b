/* SPDX-License-Identifier: MIT */
/* Sets, deques, views of dicts and iterators, as arrays of their items. */
#ifndef SSRJSON_ENCODE_TYPES_ITERABLES_H
#define SSRJSON_ENCODE_TYPES_ITERABLES_H

#include "encode/types/native.h"

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

#endif
