/* SPDX-License-Identifier: MIT */
#include "cache/key_case.h"

#include "pyobject/unicode.h"
#include "text/characters.h"

/* ---- characters: all classes are ASCII ------------------------------------------------------ */

static inline bool is_lower(Py_UCS4 c) {
    return c >= 'a' && c <= 'z';
}

static inline bool is_upper(Py_UCS4 c) {
    return c >= 'A' && c <= 'Z';
}

/* A key that is read; beyond its ends there are characters of no class. */
struct key_reader {
    const void *data;
    Py_ssize_t n;
    int kind;
};

static inline Py_UCS4 char_at(const struct key_reader *key, Py_ssize_t i) {
    return i >= 0 && i < key->n ? PyUnicode_READ(key->kind, key->data, i) : 0;
}

/* Whether the key ends at i, or with a line feed there, as $ has it in Python's regular
 * expressions. */
static inline bool is_at_end(const struct key_reader *key, Py_ssize_t i) {
    return i == key->n || (i == key->n - 1 && char_at(key, i) == '\n');
}

/* ---- to camel case --------------------------------------------------------------------------- */

/* The key without each underscore that a small letter or a digit follows, with that letter as a
 * capital: a new reference. */
static PyObject *to_camel(PyObject *string, const struct key_reader *key) {
    Py_ssize_t n_dropped = 0;
    for (Py_ssize_t i = 0; i + 1 < key->n; i++) {
        const Py_UCS4 next = char_at(key, i + 1);
        n_dropped += char_at(key, i) == '_' && (is_lower(next) || is_digit(next));
    }
    if (n_dropped == 0) {
        return Py_NewRef(string);
    }
    PyObject *const camel = PyUnicode_New(key->n - n_dropped, PyUnicode_MAX_CHAR_VALUE(string));
    if (camel == NULL) {
        return NULL;
    }
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < key->n; i++) {
        Py_UCS4 c = char_at(key, i);
        const Py_UCS4 next = char_at(key, i + 1);
        if (c == '_' && (is_lower(next) || is_digit(next))) {
            c = is_lower(next) ? next - 'a' + 'A' : next;
            i++;
        }
        PyUnicode_WRITE(PyUnicode_KIND(camel), PyUnicode_DATA(camel), n++, c);
    }
    assert(n == key->n - n_dropped);
    return camel;
}

/* ---- to snake case ----------------------------------------------------------------------------
 */

/* Whether a word may begin at i: a capital, or a digit that ends a word. */
static bool is_start(const struct key_reader *key, Py_ssize_t i, bool is_joined) {
    const Py_UCS4 c = char_at(key, i);
    const Py_UCS4 before = char_at(key, i - 1);
    const Py_UCS4 after = char_at(key, i + 1);
    if (is_upper(c)) {
        return true;
    }
    return !is_joined && is_digit(c) &&
           ((is_lower(before) && (is_digit(after) || is_upper(after) || is_at_end(key, i + 1))) ||
            (is_upper(before) && (is_digit(after) || is_at_end(key, i + 1))));
}

/* Whether the last of some capitals, at i, begins a word: a small letter or a digit follows. */
static bool is_before_word(const struct key_reader *key, Py_ssize_t i, bool is_joined) {
    const Py_UCS4 c = char_at(key, i);
    const Py_UCS4 after = char_at(key, i + 1);
    if (is_joined) {
        return is_upper(c) && is_lower(after);
    }
    return (is_upper(c) && (is_lower(after) || is_digit(after))) ||
           (is_digit(c) && (is_lower(after) || is_digit(after) || is_at_end(key, i + 1)));
}

/* What the expression
 *   ([a-z0-9]|[A-Z]?(?=[A-Z0-9](?=[a-z0-9]|(?<![A-Z])$)))
 *   ([A-Z]|(?<=[a-z])[0-9](?=[0-9A-Z]|$)|(?<=[A-Z])[0-9](?=[0-9]|$))
 * matches at i, or with is_joined
 *   ([a-z0-9]|[A-Z]?(?=[A-Z](?=[a-z])))([A-Z])
 * The number of characters before the underscore, 0 or 1; -1 where it does not match. */
static int word_ends(const struct key_reader *key, Py_ssize_t i, bool is_joined) {
    const Py_UCS4 c = char_at(key, i);
    if ((is_lower(c) || is_digit(c)) && is_start(key, i + 1, is_joined)) {
        return 1;
    }
    if (is_upper(c) && is_before_word(key, i + 1, is_joined) && is_start(key, i + 1, is_joined)) {
        return 1;
    }
    return is_before_word(key, i, is_joined) && is_start(key, i, is_joined) ? 0 : -1;
}

/* The key with small letters and an underscore between its words: a new reference. */
static PyObject *to_snake(PyObject *string, const struct key_reader *key, bool is_joined) {
    bool is_same = true;
    for (Py_ssize_t i = 0; i < key->n && is_same; i++) {
        const Py_UCS4 c = char_at(key, i);
        is_same = is_lower(c) || c == '_' || (is_joined && is_digit(c));
    }
    if (is_same) {
        return Py_NewRef(string);
    }
    if (key->n > PY_SSIZE_T_MAX / 8) {
        return PyErr_NoMemory();
    }
    const size_t unit = (size_t)key->kind;
    char *const units = PyMem_Malloc(2 * (size_t)key->n * unit);
    if (units == NULL) {
        return PyErr_NoMemory();
    }
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < key->n;) {
        const int n_before = word_ends(key, i, is_joined);
        if (n_before == 1) {
            PyUnicode_WRITE(key->kind, units, n++, char_at(key, i++));
        }
        if (n_before >= 0) {
            PyUnicode_WRITE(key->kind, units, n++, '_');
        }
        PyUnicode_WRITE(key->kind, units, n++, char_at(key, i++));
    }
    if (PyUnicode_IS_ASCII(string)) {
        for (Py_ssize_t i = 0; i < n; i++) {
            units[i] = (char)(is_upper((unsigned char)units[i]) ? units[i] - 'A' + 'a' : units[i]);
        }
    }
    PyObject *snake = PyUnicode_FromKindAndData(key->kind, units, n);
    PyMem_Free(units);
    if (snake != NULL && !PyUnicode_IS_ASCII(string)) { /* one capital may be two small letters */
        Py_SETREF(snake, PyObject_CallMethod(snake, "lower", NULL));
    }
    return snake;
}

/* ---- what is kept -----------------------------------------------------------------------------
 */

static PyObject *key_in_case(PyObject *string, enum key_case to) {
    if (!unicode_is_ready(string)) {
        return NULL;
    }
    const struct key_reader key = {
        .data = PyUnicode_DATA(string),
        .n = PyUnicode_GET_LENGTH(string),
        .kind = (int)PyUnicode_KIND(string),
    };
    return to == KEY_CAMEL ? to_camel(string, &key)
                           : to_snake(string, &key, to == KEY_SNAKE_JOINED);
}

PyObject *key_case_get(struct key_cases *cases, PyObject *key, enum key_case to) {
    assert(PyUnicode_CheckExact(key));
    if (cases == NULL) {
        return key_in_case(key, to);
    }
    struct key_case_entry *const entry = &cases->entries[hash_of_address(key, KEY_CASE_BITS)];
    if (LIKELY(entry->key == key) && LIKELY(entry->to == to)) {
        return Py_NewRef(entry->other);
    }
    PyObject *const other = key_in_case(key, to);
    /* a key to which nobody else holds a reference does not come again */
    if (other != NULL && Py_REFCNT(key) > 1 && PyUnicode_GET_LENGTH(key) <= KEY_CASE_MAX_CHARS) {
        PyObject *const old_key = entry->key;
        PyObject *const old_other = entry->other;
        *entry = (struct key_case_entry){Py_NewRef(key), Py_NewRef(other), to};
        Py_XDECREF(old_key);
        Py_XDECREF(old_other);
    }
    return other;
}

void key_cases_clear(struct key_cases *cases) {
    for (size_t i = 0; i < KEY_CASES; i++) {
        Py_CLEAR(cases->entries[i].key);
        Py_CLEAR(cases->entries[i].other);
    }
}
