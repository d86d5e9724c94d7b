/* SPDX-License-Identifier: MIT */
/* Keyword arguments by name, and the readings of their values that several of them share. */
#ifndef SSRJSON_KEYWORDS_H
#define SSRJSON_KEYWORDS_H

#include "state.h"

/* PyCFunction stands for every calling convention; the flags say which one it is. */
#define FUNCTION(function) ((PyCFunction)(void (*)(void))(function))

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
    [KEYWORD_APPEND_NEWLINE] = "append_newline",
    [KEYWORD_HTML_SAFE] = "html_safe",
    [KEYWORD_NAN_AS_NULL] = "nan_as_null",
    [KEYWORD_INT53] = "int53",
    [KEYWORD_FLOATS] = "floats",
    [KEYWORD_EXACT_TYPES] = "exact_types",
    [KEYWORD_SQLALCHEMY_SAFE] = "sqlalchemy_safe",
    [KEYWORD_MODELS] = "models",
    [KEYWORD_BY_ALIAS] = "by_alias",
    [KEYWORD_EXCLUDE_UNSET] = "exclude_unset",
    [KEYWORD_EXCLUDE_DEFAULTS] = "exclude_defaults",
    [KEYWORD_EXCLUDE_NONE] = "exclude_none",
    [KEYWORD_NATIVES] = "natives",
    [KEYWORD_DATETIME] = "datetime",
    [KEYWORD_DATE] = "date",
    [KEYWORD_TIME] = "time",
    [KEYWORD_TIMESPEC] = "timespec",
    [KEYWORD_UTC] = "utc",
    [KEYWORD_NAIVE] = "naive",
    [KEYWORD_TIMEDELTA] = "timedelta",
    [KEYWORD_UUID] = "uuid",
    [KEYWORD_ENUM] = "enum",
    [KEYWORD_DECIMAL] = "decimal",
    [KEYWORD_BYTES] = "bytes",
    [KEYWORD_DATACLASS] = "dataclass",
    [KEYWORD_ITERABLES] = "iterables",
    [KEYWORD_MAPPING] = "mapping",
    [KEYWORD_PATH] = "path",
    [KEYWORD_NUMPY] = "numpy",
    [KEYWORD_OBJECT_HOOK] = "object_hook",
    [KEYWORD_OBJECT_PAIRS_HOOK] = "object_pairs_hook",
    [KEYWORD_ARRAY_HOOK] = "array_hook",
    [KEYWORD_PARSE_FLOAT] = "parse_float",
    [KEYWORD_PARSE_INT] = "parse_int",
    [KEYWORD_PARSE_CONSTANT] = "parse_constant",
    [KEYWORD_STRICT] = "strict",
    [KEYWORD_ALLOW_SURROGATES] = "allow_surrogates",
    [KEYWORD_DUPLICATE_KEYS] = "duplicate_keys",
    [KEYWORD_MAX_DEPTH] = "max_depth",
    [KEYWORD_MAX_SIZE] = "max_size",
};

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

/* The keyword arguments of a class that is called: new references to their values, in a list, and
 * to their names, in a tuple; -1 with an exception set. */
static int split_keywords(PyObject *kwargs, PyObject **values, PyObject **names) {
    *values = kwargs != NULL ? PyDict_Values(kwargs) : PyList_New(0);
    *names = kwargs != NULL ? PySequence_Tuple(kwargs) : PyTuple_New(0);
    if (*values != NULL && *names != NULL) {
        return 0;
    }
    Py_CLEAR(*values);
    Py_CLEAR(*names);
    return -1;
}

/* -1 with TypeError set unless there is one positional argument. */
static int check_one_positional(const char *function, Py_ssize_t n_args) {
    if (n_args != 1) {
        PyErr_Format(PyExc_TypeError, "%s() takes exactly one positional argument (%zd given)",
                     function, n_args);
        return -1;
    }
    return 0;
}

static void refuse_keyword(const char *function, PyObject *name) {
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function, name);
}

static int set_flag(bool *flag, PyObject *value) {
    const int is_true = value == Py_True ? 1 : value == Py_False ? 0 : PyObject_IsTrue(value);
    *flag = is_true > 0;
    return is_true < 0 ? -1 : 0;
}

/* A bool and nothing else; None leaves the flag as it is. */
static int set_strict_flag(bool *flag, enum keyword keyword, PyObject *value) {
    if (value == Py_None) {
        return 0;
    }
    if (!PyBool_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be None or a bool, not %.200s",
                     KEYWORD_NAMES[keyword], Py_TYPE(value)->tp_name);
        return -1;
    }
    *flag = value == Py_True;
    return 0;
}

/* A callable, which stays the caller's, or None: NULL. */
static int set_hook(PyObject **hook, enum keyword keyword, PyObject *value) {
    if (value != Py_None && !PyCallable_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be callable or None, not %.200s",
                     KEYWORD_NAMES[keyword], Py_TYPE(value)->tp_name);
        return -1;
    }
    *hook = value != Py_None ? value : NULL;
    return 0;
}

/* The number of a named choice, from 1 on; 0 for None; -1 with TypeError or ValueError set. */
static int choose(enum keyword keyword, PyObject *value, const char *const *choices) {
    if (value == Py_None) {
        return 0;
    }
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be None or a str, not %.200s",
                     KEYWORD_NAMES[keyword], Py_TYPE(value)->tp_name);
        return -1;
    }
    for (int i = 0; choices[i] != NULL; i++) {
        if (PyUnicode_CompareWithASCIIString(value, choices[i]) == 0) {
            return i + 1;
        }
    }
    PyObject *const names = PyList_New(0);
    for (int i = 0; names != NULL && choices[i] != NULL; i++) {
        PyObject *const name = PyUnicode_FromString(choices[i]);
        const int status = name != NULL ? PyList_Append(names, name) : -1;
        Py_XDECREF(name);
        if (status != 0) {
            Py_DECREF(names);
            return -1;
        }
    }
    if (names != NULL) {
        PyErr_Format(PyExc_ValueError, "%s must be None or one of %R, not %R",
                     KEYWORD_NAMES[keyword], names, value);
        Py_DECREF(names);
    }
    return -1;
}

#endif
