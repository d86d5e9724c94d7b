/* SPDX-License-Identifier: MIT */
/* Characters that JSON allows as they are and html_safe or line_safe escape. They occur in strings
 * only, so the finished text is scanned once more; few texts hold any. */
#ifndef SSRJSON_ENCODE_HTML_ESCAPE_H
#define SSRJSON_ENCODE_HTML_ESCAPE_H

#include "pyobject/unicode.h"
#include "simd/simd.h"
#include "text/escape.h"

/* Which characters are special. */
struct specials {
    bool html;  /* < > & and what ends a line in a script: U+2028 U+2029 */
    bool lines; /* what str.splitlines takes for an end of line: U+0085 U+2028 U+2029; it takes
                   control characters too, which JSON escapes anyway */
};

static ALWAYS_INLINE bool specials_hold(struct specials specials, Py_UCS4 c) {
    return (c | 1) == 0x2029 || (specials.lines && c == 0x85) ||
           (specials.html && (c == '<' || c == '>' || c == '&'));
}

/* \uXXXX */
#define HEX_ESCAPE_UNITS 6

#define SPECIALS_IS_UTF8 1
#define SPECIALS_BITS 8
#include "encode/html_escape.tmpl.h"
#undef SPECIALS_IS_UTF8

#define SPECIALS_IS_UTF8 0
#include "encode/html_escape.tmpl.h"
#undef SPECIALS_BITS

#define SPECIALS_BITS 16
#include "encode/html_escape.tmpl.h"
#undef SPECIALS_BITS

#define SPECIALS_BITS 32
#include "encode/html_escape.tmpl.h"
#undef SPECIALS_BITS
#undef SPECIALS_IS_UTF8

/* How many more units a text takes with the special characters escaped. */
static inline size_t specials_count(struct specials specials, struct text text) {
    const size_t n = (size_t)text.length;
    switch (text.form) {
    case TEXT_UTF8: return specials_count_utf8(specials, text.data, n);
    case TEXT_UCS2: return specials_count_16(specials, text.data, n);
    case TEXT_UCS4: return specials_count_32(specials, text.data, n);
    default: return specials_count_8(specials, text.data, n);
    }
}

/* bytes of UTF-8 with the special characters escaped: a new reference. */
static inline PyObject *specials_escape_bytes(struct specials specials, PyObject *bytes) {
    const struct text text = {PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes), TEXT_UTF8};
    const size_t n = (size_t)text.length;
    const size_t n_more = specials_count(specials, text);
    if (n_more == 0) {
        return Py_NewRef(bytes);
    }
    PyObject *const escaped = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(n + n_more));
    if (escaped != NULL) {
        specials_escape_utf8(specials, text.data, n, (uint8_t *)PyBytes_AS_STRING(escaped));
    }
    return escaped;
}

/* A str with the special characters escaped: a new reference. */
static inline PyObject *specials_escape_str(struct specials specials, PyObject *string) {
    const struct text text = unicode_text(string);
    const size_t n = (size_t)text.length;
    const size_t n_more = specials_count(specials, text);
    if (n_more == 0) {
        return Py_NewRef(string);
    }
    PyObject *const escaped = unicode_new((Py_ssize_t)(n + n_more), text.form);
    if (escaped == NULL) {
        return NULL;
    }
    void *const to = unicode_new_data(escaped, text.form);
    switch (text.form) {
    case TEXT_UCS2: specials_escape_16(specials, text.data, n, to); break;
    case TEXT_UCS4: specials_escape_32(specials, text.data, n, to); break;
    default: specials_escape_8(specials, text.data, n, to); return escaped;
    }
    /* the escaped characters may have been the only wide ones */
    PyObject *const narrowest =
        PyUnicode_FromKindAndData((int)PyUnicode_KIND(escaped), to, PyUnicode_GET_LENGTH(escaped));
    Py_DECREF(escaped);
    return narrowest;
}

#endif
