/* SPDX-License-Identifier: MIT */
/* JSON text for an HTML page or a script: < > & U+2028 U+2029 are escaped. They occur in strings
 * only, so the finished text is scanned once more; few pages hold any. */
#ifndef SSRJSON_ENCODE_HTML_H
#define SSRJSON_ENCODE_HTML_H

#include "pyobject/unicode.h"
#include "text/escape.h"

/* One of < > & and the characters that end a line in a script. */
static ALWAYS_INLINE bool html_is_special(Py_UCS4 c) {
    return c == '<' || c == '>' || c == '&' || (c & ~(Py_UCS4)1) == 0x2028;
}

/* The special character at the start of the UTF-8, and its length; 0 where there is none. */
static ALWAYS_INLINE Py_UCS4 html_special_utf8(const uint8_t *from, size_t n, size_t *n_bytes) {
    *n_bytes = 1;
    if (from[0] != 0xe2) {
        return html_is_special(from[0]) ? from[0] : 0;
    }
    if (n >= 3 && from[1] == 0x80 && (from[2] & ~1) == 0xa8) {
        *n_bytes = 3;
        return 0x2000 | (from[2] & 0x3f);
    }
    return 0;
}

static inline PyObject *html_escape_bytes(PyObject *bytes) {
    const uint8_t *const text = (const uint8_t *)PyBytes_AS_STRING(bytes);
    const size_t n = (size_t)PyBytes_GET_SIZE(bytes);
    size_t n_longer = 0;
    size_t n_bytes;
    for (size_t i = 0; i < n; i++) {
        if (html_special_utf8(text + i, n - i, &n_bytes) != 0) {
            n_longer += 6 - n_bytes;
        }
    }
    if (n_longer == 0) {
        return Py_NewRef(bytes);
    }
    PyObject *const escaped = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(n + n_longer));
    if (escaped == NULL) {
        return NULL;
    }
    uint8_t *out = (uint8_t *)PyBytes_AS_STRING(escaped);
    for (size_t i = 0; i < n; i += n_bytes) {
        const Py_UCS4 special = html_special_utf8(text + i, n - i, &n_bytes);
        if (special == 0) {
            *out++ = text[i];
        } else {
            out = store_hex_escape(out, (uint16_t)special);
        }
    }
    return escaped;
}

static inline PyObject *html_escape_str(PyObject *string) {
    const int kind = (int)PyUnicode_KIND(string);
    const void *const data = PyUnicode_DATA(string);
    const Py_ssize_t n = PyUnicode_GET_LENGTH(string);
    Py_ssize_t n_special = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        n_special += html_is_special(PyUnicode_READ(kind, data, i));
    }
    if (n_special == 0) {
        return Py_NewRef(string);
    }
    PyObject *const escaped = unicode_new(n + 5 * n_special, unicode_text(string).form);
    if (escaped == NULL) {
        return NULL;
    }
    void *const out = PyUnicode_DATA(escaped);
    Py_ssize_t place = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const Py_UCS4 c = PyUnicode_READ(kind, data, i);
        if (!html_is_special(c)) {
            PyUnicode_WRITE(kind, out, place++, c);
            continue;
        }
        uint8_t sequence[8];
        store_hex_escape(sequence, (uint16_t)c);
        for (int digit = 0; digit < 6; digit++) {
            PyUnicode_WRITE(kind, out, place++, sequence[digit]);
        }
    }
    /* the escaped characters may have been the only wide ones */
    PyObject *const narrowest = PyUnicode_FromKindAndData(kind, out, place);
    Py_DECREF(escaped);
    return narrowest;
}

#endif
