/* SPDX-License-Identifier: MIT */
/* JSON text that is already there and is put into the output as it is. */
#ifndef SSRJSON_ENCODE_FRAGMENT_H
#define SSRJSON_ENCODE_FRAGMENT_H

#include "pyobject/unicode.h"

struct fragment {
    PyObject_HEAD PyObject *contents; /* owned: exactly bytes or str */
};

/* A fragment's text as a str, a new reference; NULL with an exception set. */
static inline PyObject *fragment_str(PyObject *fragment) {
    PyObject *const contents = Py_NewRef(((struct fragment *)fragment)->contents);
    if (PyUnicode_Check(contents)) {
        if (!unicode_is_ready(contents)) {
            Py_DECREF(contents);
            return NULL;
        }
        return contents;
    }
    /* the fragment may go where an error is made: garbage is collected then */
    PyObject *const text =
        PyUnicode_DecodeUTF8(PyBytes_AS_STRING(contents), PyBytes_GET_SIZE(contents), NULL);
    Py_DECREF(contents);
    return text;
}

/* A fragment's text as UTF-8, a new reference; NULL with an exception set. */
static inline PyObject *fragment_utf8(PyObject *fragment) {
    PyObject *const contents = Py_NewRef(((struct fragment *)fragment)->contents);
    if (PyBytes_Check(contents)) {
        return contents;
    }
    PyObject *const text = PyUnicode_AsEncodedString(contents, "utf-8", NULL); /* as above */
    Py_DECREF(contents);
    return text;
}

#endif
