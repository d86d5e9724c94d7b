/* SPDX-License-Identifier: MIT */
/* Keyword arguments by name, and the readings of their values that several of them share. */
#ifndef SSRJSON_MODULE_KEYWORDS_H
#define SSRJSON_MODULE_KEYWORDS_H

#include "module/state.h"

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
    [KEYWORD_ESCAPE_SURROGATES] = "escape_surrogates",
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

/* A set of keywords, one bit each. */
typedef uint64_t keyword_set;
_Static_assert(N_KEYWORDS <= 64, "a bit for each keyword");

#define KEYWORD_LONGEST 20

/* How many letters of `typed` are wrong, missing, too many or swapped with the next, if it is meant
 * to be `name`. */
static size_t count_slips(const char *typed, const char *name) {
    const size_t n_typed = strlen(typed);
    const size_t n_name = strlen(name);
    size_t rows[3][KEYWORD_LONGEST + 1]; /* of the last letters of `typed`, by those of `name` */
    assert(n_name <= KEYWORD_LONGEST);
    for (size_t j = 0; j <= n_name; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= n_typed; i++) {
        size_t *const row = rows[i % 3];
        const size_t *const above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= n_name; j++) {
            const size_t replaced = above[j - 1] + (typed[i - 1] != name[j - 1]);
            const size_t added = (above[j] < row[j - 1] ? above[j] : row[j - 1]) + 1;
            row[j] = replaced < added ? replaced : added;
            if (i > 1 && j > 1 && typed[i - 1] == name[j - 2] && typed[i - 2] == name[j - 1]) {
                const size_t swapped = rows[(i - 2) % 3][j - 2] + 1;
                row[j] = swapped < row[j] ? swapped : row[j];
            }
        }
    }
    return rows[n_typed % 3][n_name];
}

/* The keyword of a set that a name was probably meant to be; NULL where none is near. */
static const char *nearest_keyword(PyObject *name, keyword_set taken) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(name);
    if (!PyUnicode_IS_ASCII(name) || n > KEYWORD_LONGEST) {
        return NULL;
    }
    const char *const typed = PyUnicode_DATA(name);
    const char *nearest = NULL;
    size_t n_fewest = (size_t)(n + 2) / 3 + 1; /* a third of the letters may be wrong */
    for (int i = 0; i < N_KEYWORDS; i++) {
        const size_t n_slips = taken >> i & 1 ? count_slips(typed, KEYWORD_NAMES[i]) : SIZE_MAX;
        if (n_slips < n_fewest) {
            n_fewest = n_slips;
            nearest = KEYWORD_NAMES[i];
        }
    }
    return nearest;
}

/* Raise TypeError for a keyword argument that is none of those taken. */
static COLD void refuse_keyword(const char *function, PyObject *name, keyword_set taken) {
    const char *const nearest = unicode_is_ready(name) ? nearest_keyword(name, taken) : NULL;
    if (PyErr_Occurred()) {
        return;
    }
    if (nearest != NULL) {
        PyErr_Format(PyExc_TypeError,
                     "%s() got an unexpected keyword argument '%U'. Did you mean '%s'?", function,
                     name, nearest);
    } else {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function,
                     name);
    }
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
