/* SPDX-License-Identifier: MIT */
/* Characters that JSON allows as they are and html_safe or line_safe escape. They occur in strings
 * only, so the finished text is scanned once more; few texts hold any. */
#ifndef SSRJSON_ENCODE_SPECIALS_H
#define SSRJSON_ENCODE_SPECIALS_H

#include "pyobject/unicode.h"
#include "text/escape.h"

/* Which characters are special. */
struct specials {
    bool html;  /* < > & and what ends a line in a script: U+2028 U+2029 */
    bool lines; /* what str.splitlines takes for an end of line: U+0085 U+2028 U+2029; it takes
                   control characters too, which JSON escapes anyway */
};

static ALWAYS_INLINE bool specials_hold(struct specials specials, Py_UCS4 c) {
    return (c & ~(Py_UCS4)1) == 0x2028 || (specials.lines && c == 0x85) ||
           (specials.html && (c == '<' || c == '>' || c == '&'));
}

/* The special character at the start of the UTF-8, and its length; 0 where there is none. */
static ALWAYS_INLINE Py_UCS4 specials_utf8(struct specials specials, const uint8_t *from, size_t n,
                                           size_t *n_bytes) {
    Py_UCS4 c = from[0];
    *n_bytes = 1;
    if (c == 0xc2 && n >= 2) { /* 110000aa 10bbbbbb */
        *n_bytes = 2;
        c = 0x80 | (from[1] & 0x3f);
    } else if (c == 0xe2 && n >= 3 && from[1] == 0x80) { /* 11100010 10000000 10bbbbbb */
        *n_bytes = 3;
        c = 0x2000 | (from[2] & 0x3f);
    } else if (c >= 0x80) {
        return 0;
    }
    if (specials_hold(specials, c)) {
        return c;
    }
    *n_bytes = 1;
    return 0;
}

static inline PyObject *specials_escape_bytes(struct specials specials, PyObject *bytes) {
    const uint8_t *const text = (const uint8_t *)PyBytes_AS_STRING(bytes);
    const size_t n = (size_t)PyBytes_GET_SIZE(bytes);
    size_t n_longer = 0;
    size_t n_bytes;
    for (size_t i = 0; i < n; i++) {
        if (specials_utf8(specials, text + i, n - i, &n_bytes) != 0) {
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
        const Py_UCS4 special = specials_utf8(specials, text + i, n - i, &n_bytes);
        if (special == 0) {
            *out++ = text[i];
        } else {
            out = store_hex_escape(out, (uint16_t)special);
        }
    }
    return escaped;
}

static inline PyObject *specials_escape_str(struct specials specials, PyObject *string) {
    const int kind = (int)PyUnicode_KIND(string);
    const void *const data = PyUnicode_DATA(string);
    const Py_ssize_t n = PyUnicode_GET_LENGTH(string);
    Py_ssize_t n_special = 0;
    for (Py_ssize_t i = 0; i < n && (specials.html || !PyUnicode_IS_ASCII(string)); i++) {
        n_special += specials_hold(specials, PyUnicode_READ(kind, data, i));
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
        if (!specials_hold(specials, c)) {
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
