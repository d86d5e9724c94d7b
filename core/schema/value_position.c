/* SPDX-License-Identifier: MIT */
/* Where a value is in the text of a document that was decoded, found again by its path. The text is
 * well-formed, unless Python code has changed the buffer in the meantime; what is not found is at
 * no place. A slash outside strings begins a comment, which only the option jsonc takes. */
#include "schema/typed.h"
#include "text/characters.h"

struct text_cursor {
    int kind;         /* of the str */
    const void *data; /* borrowed from it */
    Py_ssize_t n;
    Py_ssize_t at;
};

static inline Py_UCS4 text_cursor_char(const struct text_cursor *cursor) {
    return cursor->at < cursor->n ? PyUnicode_READ(cursor->kind, cursor->data, cursor->at) : 0;
}

/* Go from the slash that begins a comment to after its end. */
static void skip_comment(struct text_cursor *cursor) {
    cursor->at++;
    const bool is_of_line = text_cursor_char(cursor) == '/';
    cursor->at++;
    while (cursor->at < cursor->n) {
        const Py_UCS4 c = text_cursor_char(cursor);
        cursor->at++;
        if (is_of_line ? c == '\n' || c == '\r' : c == '*' && text_cursor_char(cursor) == '/') {
            cursor->at += !is_of_line;
            return;
        }
    }
}

/* Go to after white space and comments. */
static void skip_space(struct text_cursor *cursor) {
    for (Py_UCS4 c = text_cursor_char(cursor); is_space(c) || c == '/';
         c = text_cursor_char(cursor)) {
        if (c == '/') {
            skip_comment(cursor);
        } else {
            cursor->at++;
        }
    }
}

/* Go from an opening quote to after the closing one. */
static void skip_string(struct text_cursor *cursor) {
    cursor->at++;
    while (cursor->at < cursor->n) {
        const Py_UCS4 c = text_cursor_char(cursor);
        cursor->at += c == '\\' ? 2 : 1;
        if (c == '"') {
            break;
        }
    }
}

/* Go to after the value that begins here. */
static void skip_value(struct text_cursor *cursor) {
    Py_ssize_t depth = 0;
    while (cursor->at < cursor->n) {
        const Py_UCS4 c = text_cursor_char(cursor);
        if (c == '"') {
            skip_string(cursor);
            if (depth == 0) {
                return;
            }
            continue;
        }
        if (c == '/' && depth > 0) {
            skip_comment(cursor);
            continue;
        }
        if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}') {
            if (--depth <= 0) {
                cursor->at += depth == 0;
                return;
            }
        } else if (depth == 0 && (c == ',' || c == ':' || c == '/' || is_space(c))) {
            return;
        }
        cursor->at++;
    }
}

/* Go to the item of a number; false where the array has fewer. */
static bool find_item(struct text_cursor *cursor, PyObject *number) {
    Py_ssize_t left = PyLong_AsSsize_t(number);
    if (text_cursor_char(cursor) != '[' || left < 0) {
        return false;
    }
    cursor->at++;
    skip_space(cursor);
    while (left-- > 0) {
        skip_value(cursor);
        skip_space(cursor);
        if (text_cursor_char(cursor) != ',') {
            return false;
        }
        cursor->at++;
        skip_space(cursor);
    }
    return cursor->at < cursor->n;
}

/* Whether an escaped string, quotes included, is a key. */
static bool escaped_key_is(PyObject *name, PyObject *key) {
    PyObject *const module = PyImport_ImportModule("json");
    PyObject *const decoded =
        module != NULL ? PyObject_CallMethod(module, "loads", "O", name) : NULL;
    const bool is_equal =
        decoded != NULL && PyUnicode_CheckExact(decoded) && PyUnicode_Compare(decoded, key) == 0;
    PyErr_Clear();
    Py_XDECREF(decoded);
    Py_XDECREF(module);
    return is_equal;
}

/* Whether the string from start to end, quotes included, is a key. */
static bool key_is(PyObject *text, Py_ssize_t start, Py_ssize_t end, PyObject *key) {
    if (PyUnicode_FindChar(text, '\\', start, end, 1) < 0) {
        return end - start - 2 == PyUnicode_GET_LENGTH(key) &&
               PyUnicode_Tailmatch(text, key, start + 1, end - 1, -1) > 0;
    }
    PyObject *const name = PyUnicode_Substring(text, start, end);
    const bool is_equal = name != NULL && escaped_key_is(name, key);
    Py_XDECREF(name);
    PyErr_Clear();
    return is_equal;
}

/* Go to the value of a key, the first one where it is repeated: to look for the last one in each of
 * many nested objects would take quadratic time. False where there is none. */
static bool find_member(struct text_cursor *cursor, PyObject *text, PyObject *key) {
    if (text_cursor_char(cursor) != '{') {
        return false;
    }
    do {
        cursor->at++;
        skip_space(cursor);
        const Py_ssize_t start = cursor->at;
        if (text_cursor_char(cursor) != '"') {
            return false;
        }
        skip_string(cursor);
        const Py_ssize_t end = cursor->at;
        skip_space(cursor);
        cursor->at++; /* the colon */
        skip_space(cursor);
        if (key_is(text, start, end, key)) {
            return cursor->at < cursor->n;
        }
        skip_value(cursor);
        skip_space(cursor);
    } while (text_cursor_char(cursor) == ',');
    return false;
}

Py_ssize_t value_end(const struct text *text) {
    struct text_cursor cursor = {
        .kind = (int)text_form_unit_bytes(text->form), .data = text->data, .n = text->length};
    skip_space(&cursor);
    skip_value(&cursor);
    return cursor.at < cursor.n ? cursor.at : cursor.n;
}

Py_ssize_t value_position(PyObject *text, PyObject *steps, Py_ssize_t start, bool is_lines) {
    struct text_cursor cursor = {.kind = PyUnicode_KIND(text),
                                 .data = PyUnicode_DATA(text),
                                 .n = PyUnicode_GET_LENGTH(text),
                                 .at = start};
    skip_space(&cursor);
    Py_ssize_t i = 0;
    if (is_lines && PyTuple_GET_SIZE(steps) > 0) {
        const Py_ssize_t n_before = PyLong_AsSsize_t(PyTuple_GET_ITEM(steps, i++));
        for (Py_ssize_t j = 0; j < n_before; j++) {
            skip_value(&cursor);
            skip_space(&cursor);
        }
    }
    for (; i < PyTuple_GET_SIZE(steps); i++) {
        PyObject *const step = PyTuple_GET_ITEM(steps, i);
        const bool is_found = PyUnicode_CheckExact(step) ? find_member(&cursor, text, step)
                                                         : find_item(&cursor, step);
        if (!is_found) {
            PyErr_Clear();
            return -1;
        }
        skip_space(&cursor);
    }
    return cursor.at < cursor.n ? cursor.at : -1;
}
