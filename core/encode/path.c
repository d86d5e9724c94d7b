/* SPDX-License-Identifier: MIT */
#include "encode/notes.h"

#include "encode/path.h"

#define STDLIB_NOTES_PLACES (PY_VERSION_HEX >= 0x030e0000)

#if STDLIB_NOTES_PLACES
/* The note of one frame, a new reference; NULL with an exception set, or where the frame is at no
 * item. */
static inline PyObject *frame_note(const struct encoder *encoder, const struct frame *frame) {
    if (frame->kind == FRAME_DEFAULT) {
        return PyUnicode_FromFormat("when serializing %T object", frame->object);
    }
    if (!frame_has_step(encoder, frame)) {
        return NULL;
    }
    PyObject *const key = frame_key(encoder, frame);
    PyObject *const note =
        key != NULL ? PyUnicode_FromFormat("when serializing %T item %R", frame->object, key)
                    : PyUnicode_FromFormat("when serializing %T item %zd", frame->object,
                                           frame_place(encoder, frame));
    Py_XDECREF(key);
    return note;
}

/* stdlib's notes on a failed encoding, a new list, empty where one cannot be made. NULL for nesting
 * that stdlib refuses, because there would be a note for each of its levels. An exception that is
 * set stays set. */
static PyObject *encoder_notes(struct encoder *encoder) {
    if (encoder->n_frames > (size_t)Py_GetRecursionLimit()) {
        return NULL;
    }
    PyObject *const raised = PyErr_GetRaisedException();
    PyObject *const notes = PyList_New(0);
    /* repr may change the containers that are being walked */
    bool is_good = notes != NULL && encoder_own_frames(encoder);
    for (size_t i = encoder_n_open_frames(encoder); is_good && i-- > 0;) {
        PyObject *const note = frame_note(encoder, &encoder->frames[i]);
        is_good = note != NULL ? PyList_Append(notes, note) == 0 : !PyErr_Occurred();
        Py_XDECREF(note);
    }
    PyErr_SetRaisedException(raised); /* replaces one that making a note may have set */
    return notes;
}
#else
static inline PyObject *encoder_notes(struct encoder *encoder) {
    (void)encoder;
    return NULL;
}
#endif

void encoder_note_place(struct encoder *encoder) {
    if (encoder->options->orjson.is_on) { /* its exceptions have no notes */
        return;
    }
    encoder_pack_frames(encoder);
    Py_CLEAR(encoder->output.error.path); /* the path of a surrogate: other errors have priority */
    if (encoder->options->is_stdlib || encoder->output.error.error.kind == ERROR_RAISED) {
        encoder->output.error.notes = encoder_notes(encoder);
    } else {
        encoder->output.error.path = encoder_path(encoder);
    }
}

void encoder_note_surrogate(struct encoder *encoder) {
    if (!encoder->options->is_stdlib) {
        encoder_pack_frames(encoder);
        encoder->has_failed_at_key = encoder->resume == RESUME_KEY;
        encoder->output.error.path = encoder_path(encoder);
        encoder->has_failed_at_key = false;
    }
}
