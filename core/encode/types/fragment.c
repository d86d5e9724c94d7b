/* SPDX-License-Identifier: MIT */
#include "encode/types/fragment.h"

#include "text/escape.h"

/* \uXXXX */
#define ESCAPE_UNITS 6

/* Whether str.splitlines takes a control character for an end of line. */
static bool ends_line(Py_UCS4 c) {
    return (c >= '\n' && c <= '\r') || (c >= 0x1c && c <= 0x1e);
}

/* Copy n units of JSON text on one line, and return how many units it takes. `to` may be NULL. */
static size_t copy_in_one_line(int kind, const void *from, size_t n, void *to) {
    size_t n_written = 0;
    bool is_in_string = false;
    bool is_escaped = false;
    for (size_t i = 0; i < n; i++) {
        const Py_UCS4 c = PyUnicode_READ(kind, from, i);
        uint8_t escape[ESCAPE_UNITS] = {' '};
        size_t n_escape = 0;
        if (ends_line(c)) {
            n_escape = is_in_string ? ESCAPE_UNITS : 1;
            if (is_in_string) {
                (void)store_hex_escape(escape, (uint16_t)c);
            }
        } else if (to != NULL) {
            PyUnicode_WRITE(kind, to, n_written, c);
        }
        for (size_t k = 0; to != NULL && k < n_escape; k++) {
            PyUnicode_WRITE(kind, to, n_written + k, escape[k]);
        }
        n_written += n_escape != 0 ? n_escape : 1;
        is_in_string ^= c == '"' && !is_escaped;
        is_escaped = is_in_string && c == '\\' && !is_escaped;
    }
    return n_written;
}

static bool holds_line_end(int kind, const void *text, size_t n) {
    bool is_found = false;
    for (size_t i = 0; i < n && !is_found; i++) {
        is_found = ends_line(PyUnicode_READ(kind, text, i));
    }
    return is_found;
}

PyObject *fragment_on_one_line(PyObject *contents) {
    const bool is_bytes = PyBytes_Check(contents);
    const int kind = is_bytes ? PyUnicode_1BYTE_KIND : (int)PyUnicode_KIND(contents);
    const void *const from =
        is_bytes ? (const void *)PyBytes_AS_STRING(contents) : PyUnicode_DATA(contents);
    const size_t n =
        (size_t)(is_bytes ? PyBytes_GET_SIZE(contents) : PyUnicode_GET_LENGTH(contents));
    if (!holds_line_end(kind, from, n)) {
        return Py_NewRef(contents);
    }
    const size_t n_after = copy_in_one_line(kind, from, n, NULL);
    if (n_after > (size_t)PY_SSIZE_T_MAX / 8) {
        return PyErr_NoMemory();
    }
    PyObject *const line =
        is_bytes ? PyBytes_FromStringAndSize(NULL, (Py_ssize_t)n_after)
                 : PyUnicode_New((Py_ssize_t)n_after, PyUnicode_MAX_CHAR_VALUE(contents));
    if (line != NULL) {
        void *const to = is_bytes ? (void *)PyBytes_AS_STRING(line) : PyUnicode_DATA(line);
        const size_t n_written = copy_in_one_line(kind, from, n, to);
        assert(n_written == n_after);
        (void)n_written;
    }
    return line;
}
