/* SPDX-License-Identifier: MIT */
#include "encode/result.h"

#include "encode/html.h"

/* Surrogates occur in JSON strings only, so escapes may replace them. */
PyObject *encode_escape_surrogates(PyObject *text) {
    const int kind = (int)PyUnicode_KIND(text);
    const void *const data = PyUnicode_DATA(text);
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    bool has_surrogate = false;
    for (Py_ssize_t i = 0; i < n && kind != PyUnicode_1BYTE_KIND && !has_surrogate; i++) {
        has_surrogate = Py_UNICODE_IS_SURROGATE(PyUnicode_READ(kind, data, i));
    }
    if (has_surrogate) {
        Py_SETREF(text, PyUnicode_AsEncodedString(text, "utf-8", ESCAPING_SURROGATES));
    }
    if (has_surrogate && text != NULL) {
        Py_SETREF(text, PyUnicode_FromEncodedObject(text, "utf-8", NULL));
    }
    return text;
}

PyObject *encode_convert(PyObject *result, const struct encode_options *options) {
    if (result != NULL && PyBytes_Check(result)) {
        /* literals of any kind among ASCII text */
        Py_SETREF(result, PyUnicode_DecodeUTF8(PyBytes_AS_STRING(result), PyBytes_GET_SIZE(result),
                                               "surrogatepass"));
    }
    if (result != NULL) {
        /* the form was chosen for a separator or a surrogate, and may be wider than the text
         * needs */
        Py_SETREF(result,
                  PyUnicode_FromKindAndData((int)PyUnicode_KIND(result), PyUnicode_DATA(result),
                                            PyUnicode_GET_LENGTH(result)));
    }
    if (result != NULL && options->to_bytes) {
        Py_SETREF(result,
                  PyUnicode_AsEncodedString(result, "utf-8", options_codec_errors(options)));
    }
    return result;
}

PyObject *encode_escape_html(PyObject *text) {
    PyObject *const escaped = PyBytes_Check(text) ? html_escape_bytes(text) : html_escape_str(text);
    Py_DECREF(text);
    return escaped;
}
