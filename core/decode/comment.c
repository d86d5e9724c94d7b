/* SPDX-License-Identifier: MIT */
#include "decode/comment.h"

#include "text/characters.h"

static Py_UCS4 unit_at(const struct text *text, size_t i) {
    switch (text_form_unit_bytes(text->form)) {
    case 1: return ((const uint8_t *)text->data)[i];
    case 2: return ((const uint16_t *)text->data)[i];
    default: return ((const uint32_t *)text->data)[i];
    }
}

/* The unit after the comment whose second unit is before `begin`; n + 1 where it has no end. */
static size_t find_end(const struct text *text, size_t begin, size_t n, bool is_of_line) {
    for (size_t i = begin; i < n; i++) {
        const Py_UCS4 unit = unit_at(text, i);
        if (is_of_line) {
            if (unit == '\n' || unit == '\r') {
                return i;
            }
        } else if (unit == '*' && i + 1 < n && unit_at(text, i + 1) == '/') {
            return i + 2;
        }
    }
    return n + 1;
}

/* Whether bytes are the UTF-8 that Python decodes; false, too, with MemoryError set. */
static bool is_well_formed(const struct text *text, size_t begin, size_t end) {
    if (text->form != TEXT_UTF8) {
        return true;
    }
    PyObject *const characters = PyUnicode_DecodeUTF8((const char *)text->data + begin,
                                                      (Py_ssize_t)(end - begin), "surrogatepass");
    if (characters == NULL && PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
        PyErr_Clear();
    }
    Py_XDECREF(characters);
    return characters != NULL;
}

COLD enum comment_end skip_comments(const struct text *text, size_t *position, bool may_go_on) {
    const size_t n = (size_t)text->length;
    for (;;) {
        size_t i = *position;
        while (i < n && is_space(unit_at(text, i))) {
            i++;
        }
        *position = i;
        if (i == n || unit_at(text, i) != '/') {
            return COMMENT_END_TOKEN;
        }
        if (i + 1 == n) {
            return may_go_on ? COMMENT_END_CUT : COMMENT_END_TOKEN;
        }
        const Py_UCS4 second = unit_at(text, i + 1);
        if (second != '/' && second != '*') {
            return COMMENT_END_TOKEN;
        }
        size_t end = find_end(text, i + 2, n, second == '/');
        if (end > n) {
            if (may_go_on || second == '*') {
                return COMMENT_END_CUT;
            }
            end = n; /* the last line has no line feed */
        }
        if (!is_well_formed(text, i, end)) {
            return COMMENT_END_FAULT;
        }
        *position = end;
    }
}

COLD bool is_within_comment(const uint8_t *begin, const uint8_t *searched, const uint8_t *end) {
    assert(begin <= searched && searched <= end && *begin == '/');
    if (searched - begin < 2) { /* its kind is not known yet */
        return false;
    }
    const bool is_of_line = begin[1] == '/';
    if (!is_of_line && searched - begin > 2) {
        searched--; /* its star may have been the last byte */
    }
    for (const uint8_t *p = searched; p < end; p++) {
        if (is_of_line ? *p == '\n' || *p == '\r' : *p == '*' && p + 1 < end && p[1] == '/') {
            return false;
        }
    }
    return true;
}
