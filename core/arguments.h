/* SPDX-License-Identifier: MIT */
/* Keyword arguments of the encoding functions, read into options. */
#ifndef SSRJSON_ARGUMENTS_H
#define SSRJSON_ARGUMENTS_H

#include "state.h"

static const char *const KEYWORD_NAMES[N_KEYWORDS] = {
    [KEYWORD_DEFAULT] = "default",
    [KEYWORD_SKIPKEYS] = "skipkeys",
    [KEYWORD_ENSURE_ASCII] = "ensure_ascii",
    [KEYWORD_CHECK_CIRCULAR] = "check_circular",
    [KEYWORD_ALLOW_NAN] = "allow_nan",
    [KEYWORD_INDENT] = "indent",
    [KEYWORD_SEPARATORS] = "separators",
    [KEYWORD_SORT_KEYS] = "sort_keys",
    [KEYWORD_IS_WRITE_CACHE] = "is_write_cache",
};

static void options_clear(struct encode_options *options) {
    Py_CLEAR(options->indent);
    Py_CLEAR(options->item_separator);
    Py_CLEAR(options->key_separator);
}

static int set_flag(bool *flag, PyObject *value) {
    const int is_true = value == Py_True ? 1 : value == Py_False ? 0 : PyObject_IsTrue(value);
    *flag = is_true > 0;
    return is_true < 0 ? -1 : 0;
}

static int set_default(struct encode_options *options, PyObject *value) {
    if (value == Py_None) {
        options->default_hook = NULL;
        return 0;
    }
    if (!PyCallable_Check(value)) {
        PyErr_Format(PyExc_TypeError, "default must be callable or None, not %.200s",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    options->default_hook = value;
    return 0;
}

/* A number is that many spaces; zero and below are line breaks alone. */
static int set_indent(struct encode_options *options, PyObject *value) {
    if (value == Py_None) {
        return 0;
    }
    if (PyUnicode_Check(value)) {
        if (!unicode_is_ready(value)) {
            return -1;
        }
        options->indent = Py_NewRef(value);
        return 0;
    }
    if (!PyLong_Check(value)) {
        PyErr_Format(PyExc_TypeError, "indent must be None, an int or a str, not %.200s",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    PyObject *const space = PyUnicode_FromOrdinal(' ');
    if (space == NULL) {
        return -1;
    }
    options->indent = PyNumber_Multiply(space, value);
    Py_DECREF(space);
    return options->indent != NULL ? 0 : -1;
}

/* The separator, a new reference, or NULL where it is the compact one. */
static PyObject *separator_unless(PyObject *separator, const char *compact) {
    return PyUnicode_CompareWithASCIIString(separator, compact) == 0 ? NULL : Py_NewRef(separator);
}

static int set_separators(struct encode_options *options, PyObject *value) {
    if (value == Py_None) {
        return 0;
    }
    PyObject *const pair = PySequence_Fast(value, "separators must be None or a pair of str");
    if (pair == NULL) {
        return -1;
    }
    int status = -1;
    if (PySequence_Fast_GET_SIZE(pair) != 2 ||
        !PyUnicode_Check(PySequence_Fast_GET_ITEM(pair, 0)) ||
        !PyUnicode_Check(PySequence_Fast_GET_ITEM(pair, 1))) {
        PyErr_SetString(PyExc_TypeError, "separators must be None or a pair of str");
    } else if (unicode_is_ready(PySequence_Fast_GET_ITEM(pair, 0)) &&
               unicode_is_ready(PySequence_Fast_GET_ITEM(pair, 1))) {
        options->item_separator = separator_unless(PySequence_Fast_GET_ITEM(pair, 0), ",");
        options->key_separator = separator_unless(PySequence_Fast_GET_ITEM(pair, 1), ":");
        status = 0;
    }
    Py_DECREF(pair);
    return status;
}

static int set_is_write_cache(struct encode_options *options, PyObject *value) {
    if (value == Py_None) {
        return 0;
    }
    if (!PyBool_Check(value)) {
        PyErr_Format(PyExc_TypeError, "is_write_cache must be None or a bool, not %.200s",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    options->is_write_cache = value == Py_True;
    return 0;
}

/* Which keyword a name is; N_KEYWORDS where it is none. */
static enum keyword find_keyword(const struct module_state *state, PyObject *name) {
    for (int i = 0; i < N_KEYWORDS; i++) {
        if (state->keywords[i] == name) {
            return (enum keyword)i;
        }
    }
    for (int i = 0; i < N_KEYWORDS; i++) {
        if (PyUnicode_Compare(state->keywords[i], name) == 0) {
            return (enum keyword)i;
        }
    }
    return N_KEYWORDS;
}

static int set_option(struct encode_options *options, enum keyword keyword, PyObject *value) {
    switch (keyword) {
    case KEYWORD_DEFAULT: return set_default(options, value);
    case KEYWORD_SKIPKEYS: return set_flag(&options->skipkeys, value);
    case KEYWORD_ENSURE_ASCII: return set_flag(&options->ensure_ascii, value);
    case KEYWORD_CHECK_CIRCULAR: return set_flag(&options->check_circular, value);
    case KEYWORD_ALLOW_NAN: return set_flag(&options->allow_nan, value);
    case KEYWORD_INDENT: return set_indent(options, value);
    case KEYWORD_SEPARATORS: return set_separators(options, value);
    case KEYWORD_SORT_KEYS: return set_flag(&options->sort_keys, value);
    case KEYWORD_IS_WRITE_CACHE: return set_is_write_cache(options, value);
    case N_KEYWORDS: break;
    }
    Py_UNREACHABLE();
}

/* Read the keyword arguments of dumps or dumps_to_bytes; -1 with TypeError set. */
static int options_init(struct encode_options *options, struct module_state *state,
                        const char *function, PyObject *const *values, PyObject *names) {
    const Py_ssize_t n = names != NULL ? PyTuple_GET_SIZE(names) : 0;
    bool has_separators = false;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *const name = PyTuple_GET_ITEM(names, i);
        const enum keyword keyword = find_keyword(state, name);
        if (keyword == N_KEYWORDS || (keyword == KEYWORD_IS_WRITE_CACHE && !options->to_bytes)) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function,
                         name);
            return -1;
        }
        has_separators |= keyword == KEYWORD_SEPARATORS && values[i] != Py_None;
        if (set_option(options, keyword, values[i]) != 0) {
            return -1;
        }
    }
    if (options->indent != NULL && !has_separators) {
        options->key_separator = Py_NewRef(state->colon_and_space);
    }
    return 0;
}

#endif
