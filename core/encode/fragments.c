/* SPDX-License-Identifier: MIT */
#include "encode/fragments.h"

#include "encode/types/fragment.h"

PyObject *encoder_read_fragment(struct encoder *encoder, PyObject *fragment) {
    PyObject *const core = PyImport_ImportModule("ssrjson_web._core");
    PyObject *const loads = core != NULL ? PyObject_GetAttrString(core, "loads") : NULL;
    Py_XDECREF(core);
    PyObject *const arguments = Py_BuildValue("(O)", ((struct fragment *)fragment)->contents);
    PyObject *const options =
        Py_BuildValue("{ss}", "duplicate_keys", encoder->options->canonical ? "error" : "last");
    PyObject *const value = loads != NULL && arguments != NULL && options != NULL
                                ? PyObject_Call(loads, arguments, options)
                                : NULL;
    Py_XDECREF(options);
    Py_XDECREF(arguments);
    Py_XDECREF(loads);
    if (value == NULL && PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_Clear();
        encoder_fail(encoder, ERROR_NOT_CANONICAL, fragment);
    } else if (value == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    }
    return value;
}

enum native_outcome encoder_enter_fragment(struct encoder *encoder, PyObject *fragment) {
    Py_INCREF(fragment);
    PyObject *value = NULL;
    if (!encoder_own_frames(encoder)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    } else {
        value = encoder_read_fragment(encoder, fragment);
    }
    const bool is_entered =
        value != NULL && encoder_push_owned(encoder, value, fragment, FRAME_REPLACEMENT, false);
    Py_DECREF(fragment);
    return is_entered ? NATIVE_AS_VALUE : NATIVE_FAILED;
}

bool encoder_replace_by_text(struct encoder *encoder, PyObject *object, PyObject *text) {
    PyObject *const fragment = fragment_of_bytes(encoder->options->context->fragment_type, text);
    if (fragment == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    return encoder_push_owned(encoder, fragment, object, FRAME_REPLACEMENT, false);
}
