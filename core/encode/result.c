/* SPDX-License-Identifier: MIT */
#include "encode/result.h"

#include "encode/specials.h"

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

PyObject *encode_escape_specials(PyObject *text, const struct encode_options *options) {
    const struct specials specials = {.html = options->html_safe, .lines = options->line_safe};
    PyObject *const escaped = PyBytes_Check(text) ? specials_escape_bytes(specials, text)
                                                  : specials_escape_str(specials, text);
    Py_DECREF(text);
    return escaped;
}

/* A block at a time, without a branch in it, so that the compiler can use vectors. */
#define LINE_END_BLOCK 64

static bool has_line_end_ucs2(const uint16_t *from, size_t n) {
    bool is_found = false;
    for (size_t block = 0; block < n && !is_found; block += LINE_END_BLOCK) {
        const size_t end = n - block < LINE_END_BLOCK ? n : block + LINE_END_BLOCK;
        uint16_t found = 0;
        for (size_t i = block; i < end; i++) {
            found |= (uint16_t)-(from[i] == 0x85) | (uint16_t)-((from[i] | 1) == 0x2029);
        }
        is_found = found != 0;
    }
    return is_found;
}

static bool has_line_end_ucs4(const uint32_t *from, size_t n) {
    bool is_found = false;
    for (size_t block = 0; block < n && !is_found; block += LINE_END_BLOCK) {
        const size_t end = n - block < LINE_END_BLOCK ? n : block + LINE_END_BLOCK;
        uint32_t found = 0;
        for (size_t i = block; i < end; i++) {
            found |= -(uint32_t)(from[i] == 0x85) | -(uint32_t)((from[i] | 1) == 0x2029);
        }
        is_found = found != 0;
    }
    return is_found;
}

bool encode_has_line_end(PyObject *string) {
    if (!unicode_is_ready(string)) {
        PyErr_Clear(); /* whoever writes it meets the error again */
        return false;
    }
    const struct text text = unicode_text(string);
    const size_t n = (size_t)text.length;
    switch (text.form) {
    case TEXT_LATIN1: return memchr(text.data, 0x85, n) != NULL;
    case TEXT_UCS2: return has_line_end_ucs2(text.data, n);
    case TEXT_UCS4: return has_line_end_ucs4(text.data, n);
    default: return false;
    }
}
