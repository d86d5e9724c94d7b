/* SPDX-License-Identifier: MIT */
#include "encode/output.h"

#include "encode/html_escape.h"

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
    /* a lone surrogate has made a str of the bytes that canonical JSON is first: refuse it */
    const bool is_refused = options->canonical && result != NULL && PyUnicode_Check(result);
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
    if (result != NULL && (options->to_bytes || is_refused)) {
        Py_SETREF(result,
                  PyUnicode_AsEncodedString(result, "utf-8", options_codec_errors(options)));
    }
    return result;
}

PyObject *encode_escape_specials(PyObject *text, const struct encode_options *options) {
    const struct specials specials = {.html = options->html_safe, .lines = options->line_safe};
    PyObject *const escaped = PyBytes_Check(text) ? specials_escape_bytes(specials, text)
                                                  : specials_escape_str(specials, text);
    Py_DECREF(text);
    return escaped;
}

bool encode_has_line_end(PyObject *string) {
    if (!unicode_is_ready(string)) {
        PyErr_Clear(); /* whoever writes it meets the error again */
        return false;
    }
    const struct text text = unicode_text(string);
    return text.form != TEXT_ASCII && specials_count((struct specials){.lines = true}, text) > 0;
}
