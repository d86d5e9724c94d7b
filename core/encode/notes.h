/* SPDX-License-Identifier: MIT */
/* Where in the value an encoding failed, as json notes it on the exception from Python 3.14 on:
 * "when serializing dict item 'a'", the innermost first. */
#ifndef SSRJSON_ENCODE_NOTES_H
#define SSRJSON_ENCODE_NOTES_H

#include "encode/encoder.h"
#include "pyobject/dict.h"

#define STDLIB_NOTES_PLACES (PY_VERSION_HEX >= 0x030e0000)

#if STDLIB_NOTES_PLACES
/* The key of the pair that a dict's frame is at, borrowed. */
static inline PyObject *frame_key(const struct frame *frame) {
    Py_ssize_t position = frame->index - 1;
    PyObject *key = Py_None;
    PyObject *value;
    switch (frame->kind) {
    case FRAME_PAIRS: return frame->pairs->pair[position].key;
    case FRAME_ITEMS: return PyTuple_GET_ITEM(PyList_GET_ITEM(frame->items, position), 0);
    case FRAME_MODEL: return plan_of(frame->items)->fields[position].key;
    default: PyDict_Next(frame->items, &position, &key, &value); return key;
    }
}

/* One frame's note, a new reference; NULL with an exception set. */
static inline PyObject *frame_note(const struct frame *frame) {
    switch (frame->kind) {
    case FRAME_LIST:
    case FRAME_TUPLE:
    case FRAME_ITERATOR:
        return PyUnicode_FromFormat("when serializing %T item %zd", frame->object,
                                    frame->index - 1);
    case FRAME_DEFAULT: return PyUnicode_FromFormat("when serializing %T object", frame->object);
    default: break;
    }
    PyObject *const key = Py_NewRef(frame_key(frame)); /* its repr is Python code */
    PyObject *const note = PyUnicode_FromFormat("when serializing %T item %R", frame->object, key);
    Py_DECREF(key);
    return note;
}

/* How many frames from the bottom were under way when stdlib would have found the error: in a
 * cycle, those below its second round; at a key, those above which its dict stands. */
static inline size_t encoder_n_noted_frames(const struct encoder *encoder) {
    if (encoder->error.error.kind == ERROR_CIRCULAR) {
        for (size_t i = 1; i < encoder->n_frames; i++) {
            if (encoder_has_frame(encoder, i, encoder->frames[i].object)) {
                return i;
            }
        }
    }
    return encoder->n_frames - (encoder->has_failed_at_key && encoder->n_frames > 0);
}

/* The notes on a failed encoding, a new list, empty where one cannot be made; NULL for nesting that
 * stdlib refuses, where they would be as many as its levels. The exception that is set, if any,
 * stays so. */
static COLD PyObject *encoder_notes(struct encoder *encoder) {
    if (encoder->n_frames > (size_t)Py_GetRecursionLimit()) {
        return NULL;
    }
    PyObject *const raised = PyErr_GetRaisedException();
    PyObject *const notes = PyList_New(0);
    /* repr may change the containers under way */
    bool is_good = notes != NULL && encoder_own_frames(encoder);
    for (size_t i = encoder_n_noted_frames(encoder); is_good && i-- > 0;) {
        PyObject *const note = frame_note(&encoder->frames[i]);
        is_good = note != NULL && PyList_Append(notes, note) == 0;
        Py_XDECREF(note);
    }
    PyErr_SetRaisedException(raised); /* in place of one that a note may have set */
    return notes;
}
#else
static inline PyObject *encoder_notes(struct encoder *encoder) {
    (void)encoder;
    return NULL;
}
#endif

#endif
