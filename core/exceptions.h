/* SPDX-License-Identifier: MIT */
/* Recorded errors turned into the exceptions that stdlib raises, with its texts. */
#ifndef SSRJSON_EXCEPTIONS_H
#define SSRJSON_EXCEPTIONS_H

#include "state.h"

/* An attribute by an interned name: a new str each time would take a place in the interpreter's
 * cache of type attributes. */
static PyObject *get_attribute(PyObject *object, const char *name) {
    PyObject *const interned = PyUnicode_InternFromString(name);
    if (interned == NULL) {
        return NULL;
    }
    PyObject *const attribute = PyObject_GetAttr(object, interned);
    Py_DECREF(interned);
    return attribute;
}

/* object.__class__.__name__, a new reference, as stdlib's texts have it. */
static PyObject *class_name(PyObject *object) {
    PyObject *const type = get_attribute(object, "__class__");
    if (type == NULL) {
        return NULL;
    }
    PyObject *const name = get_attribute(type, "__name__");
    Py_DECREF(type);
    return name;
}

static void raise_with_class_name(PyObject *error, const char *format, PyObject *object) {
    PyObject *const name = class_name(object);
    if (name != NULL) {
        PyErr_Format(error, format, name);
        Py_DECREF(name);
    }
}

/* Add the notes to the exception that is set; the list is released. */
static void add_notes(PyObject *notes) {
#if PY_VERSION_HEX >= 0x030c0000
    PyObject *const raised = PyErr_GetRaisedException();
    for (Py_ssize_t i = 0; raised != NULL && i < PyList_GET_SIZE(notes); i++) {
        PyObject *const none =
            PyObject_CallMethod(raised, "add_note", "O", PyList_GET_ITEM(notes, i));
        if (none == NULL) {
            PyErr_Clear(); /* the exception matters more than where it happened */
        }
        Py_XDECREF(none);
    }
    PyErr_SetRaisedException(raised);
#endif
    Py_DECREF(notes);
}

/* Raise what stdlib raises, with JSONEncodeError above it; what the error holds is released. */
static void raise_encode_error(const struct module_state *state, const struct encode_error *error,
                               const struct encode_options *options) {
    PyObject *const type_error = options->is_stdlib ? PyExc_TypeError : state->encode_type_error;
    PyObject *const value_error = options->is_stdlib ? PyExc_ValueError : state->encode_value_error;
    PyObject *const culprit = error->culprit;
    const enum error_kind kind = error->error.kind;
    switch (kind) {
    case ERROR_RAISED: break;
    case ERROR_NOT_FINITE:
        /* up to Python 3.11, stdlib's C encoder, which does not indent, leaves the value out */
        if (PY_VERSION_HEX < 0x030c0000 && options->indent == NULL) {
            PyErr_SetString(value_error, "Out of range float values are not JSON compliant");
        } else {
            PyErr_Format(value_error, "Out of range float values are not JSON compliant: %R",
                         culprit);
        }
        break;
    case ERROR_INT53:
        PyErr_Format(value_error, "Integer beyond 53 bits is not exact in every reader: %R",
                     culprit);
        break;
    case ERROR_NOT_SERIALIZABLE:
        raise_with_class_name(type_error, "Object of type %S is not JSON serializable", culprit);
        break;
    case ERROR_KEY_TYPE:
        /* stdlib's C encoder gives the type's full name; up to Python 3.12 it does not indent */
        if (PY_VERSION_HEX < 0x030d0000 && options->indent != NULL) {
            raise_with_class_name(type_error, "keys must be str, int, float, bool or None, not %S",
                                  culprit);
        } else {
            PyErr_Format(type_error, "keys must be str, int, float, bool or None, not %.100s",
                         Py_TYPE(culprit)->tp_name);
        }
        break;
    case ERROR_TOO_DEEP: PyErr_SetString(PyExc_RecursionError, error_message(kind)); break;
    default: PyErr_SetString(value_error, error_message(kind)); break;
    }
    Py_XDECREF(culprit);
    if (error->notes != NULL) {
        add_notes(error->notes);
    }
}

/* Raise JSONDecodeError or a class below it. */
static void raise_decode_error_of(PyObject *type, const char *message, PyObject *document,
                                  Py_ssize_t position) {
    PyObject *const error = PyObject_CallFunction(type, "sOn", message, document, position);
    if (error != NULL) {
        PyErr_SetObject(type, error);
        Py_DECREF(error);
    }
}

/* The document is longer than max_size: it may be huge, so it is no part of the exception. */
static COLD void raise_size_error(const struct module_state *state, Py_ssize_t max_size) {
    PyObject *const empty = PyUnicode_New(0, 0);
    if (empty != NULL) {
        char message[80];
        PyOS_snprintf(message, sizeof message, "Document is longer than max_size (%zd)", max_size);
        raise_decode_error_of(state->size_error, message, empty, max_size);
        Py_DECREF(empty);
    }
}

/* Raise for what was found in a document, a str, at the character of that position. */
static COLD void raise_decode_error(const struct module_state *state, enum error_kind kind,
                                    const struct decode_options *options, PyObject *document,
                                    Py_ssize_t position) {
    if (kind == ERROR_NESTING) {
        char message[80];
        PyOS_snprintf(message, sizeof message, "Nesting is deeper than max_depth (%zu)",
                      options->max_depth);
        raise_decode_error_of(state->depth_error, message, document, position);
    } else {
        raise_decode_error_of(state->decode_error, error_message(kind), document, position);
    }
}

/* JSONDecodeError, a subclass of json's own, and those below it, as new references in the state;
 * -1 with an exception set. */
static int make_decode_errors(struct module_state *state) {
    PyObject *const json = PyImport_ImportModule("json");
    PyObject *const base = json != NULL ? PyObject_GetAttrString(json, "JSONDecodeError") : NULL;
    Py_XDECREF(json);
    if (base == NULL) {
        return -1;
    }
    state->decode_error = PyErr_NewExceptionWithDoc(
        "ssrjson_web.JSONDecodeError",
        "Malformed JSON, with the msg, doc, pos, lineno and colno that stdlib's json gives.", base,
        NULL);
    Py_DECREF(base);
    if (state->decode_error == NULL) {
        return -1;
    }
    state->depth_error = PyErr_NewExceptionWithDoc(
        "ssrjson_web.JSONDepthError",
        "A document whose containers are nested deeper than max_depth; pos is the bracket's.",
        state->decode_error, NULL);
    state->size_error = PyErr_NewExceptionWithDoc(
        "ssrjson_web.JSONSizeError",
        "A document that is longer than max_size, which pos is; doc is empty.", state->decode_error,
        NULL);
    return state->depth_error != NULL && state->size_error != NULL ? 0 : -1;
}

/* JSONEncodeError and the two that it stands above, as new references in the state; -1 with an
 * exception set. */
static int make_encode_errors(struct module_state *state) {
    state->encode_error = PyErr_NewExceptionWithDoc(
        "ssrjson_web.JSONEncodeError",
        "What cannot be encoded: each is a TypeError or a ValueError too, as stdlib's json raises.",
        NULL, NULL);
    if (state->encode_error == NULL) {
        return -1;
    }
    const struct {
        PyObject **type;
        PyObject *stdlib;
        const char *name;
        const char *doc;
    } causes[] = {
        {&state->encode_type_error, PyExc_TypeError, "ssrjson_web.JSONEncodeTypeError",
         "A value or a key of a type that has no JSON form."},
        {&state->encode_value_error, PyExc_ValueError, "ssrjson_web.JSONEncodeValueError",
         "A value that JSON cannot hold: a circular reference, NaN where it is refused."},
    };
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++) {
        PyObject *const bases = PyTuple_Pack(2, state->encode_error, causes[i].stdlib);
        if (bases == NULL) {
            return -1;
        }
        *causes[i].type = PyErr_NewExceptionWithDoc(causes[i].name, causes[i].doc, bases, NULL);
        Py_DECREF(bases);
        if (*causes[i].type == NULL) {
            return -1;
        }
    }
    return 0;
}

#endif
