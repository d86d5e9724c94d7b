/* SPDX-License-Identifier: MIT */
/* Ready JSON text that is written to the output unchanged. */
#ifndef SSRJSON_ENCODE_TYPES_FRAGMENT_H
#define SSRJSON_ENCODE_TYPES_FRAGMENT_H

#include "pyobject/unicode.h"

struct fragment {
    PyObject_HEAD PyObject *contents; /* owned: exactly bytes or str */
};

/* A new fragment of UTF-8 bytes, which are stolen; NULL with an exception set. */
static inline PyObject *fragment_of_bytes(PyTypeObject *type, PyObject *bytes) {
    struct fragment *const fragment = (struct fragment *)type->tp_alloc(type, 0);
    if (fragment == NULL) {
        Py_DECREF(bytes);
        return NULL;
    }
    fragment->contents = bytes;
    return (PyObject *)fragment;
}

/* The text of a fragment as a str, a new reference; NULL with an exception set. */
static inline PyObject *fragment_str(PyObject *fragment) {
    PyObject *const contents = ((struct fragment *)fragment)->contents;
    if (PyUnicode_Check(contents)) {
        return unicode_is_ready(contents) ? Py_NewRef(contents) : NULL;
    }
    const bool was_on = collector_pause();
    PyObject *const text =
        PyUnicode_DecodeUTF8(PyBytes_AS_STRING(contents), PyBytes_GET_SIZE(contents), NULL);
    collector_go_on(was_on);
    return text;
}

/* The text of a fragment as UTF-8, a new reference; NULL with an exception set. `errors` is the
 * codec's. */
static inline PyObject *fragment_utf8(PyObject *fragment, const char *errors) {
    PyObject *const contents = ((struct fragment *)fragment)->contents;
    if (PyBytes_Check(contents)) {
        return Py_NewRef(contents);
    }
    const bool was_on = collector_pause();
    PyObject *const text = PyUnicode_AsEncodedString(contents, "utf-8", errors);
    collector_go_on(was_on);
    return text;
}

/* The contents of a fragment, a str or bytes, without the control characters that str.splitlines
 * takes for ends of a line: a new reference, NULL with MemoryError set. Between tokens a space
 * replaces each, as it is white space there; in a string, where JSON does not allow them, an escape
 * does. */
COLD PyObject *fragment_on_one_line(PyObject *contents);

#endif
