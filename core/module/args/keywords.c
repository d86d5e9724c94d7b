/* SPDX-License-Identifier: MIT */
#include "module/args/keywords.h"

#define ENSURE_ASCII_DEFAULT "False"
#define ANY NULL
#define FORMATS(...) ((const struct format[]){__VA_ARGS__, {NULL, 0}})
#define ENTRY(owner, identifier, name_, kind_, field, formats_, default_, meaning_) \
    [KEYWORD_##identifier] = { \
        .name = (name_), \
        .kind = KIND_##kind_, \
        .formats = (formats_), \
        .offset = offsetof(struct owner, field), \
        .n_bytes = sizeof(((struct owner *)NULL)->field), \
        .default_text = (default_), \
        .meaning = (meaning_), \
    },
#define ENCODE_ENTRY(...) ENTRY(encode_options, __VA_ARGS__)
#define DECODE_ENTRY(...) ENTRY(decode_arguments, __VA_ARGS__)

const struct keyword_spec KEYWORDS[N_KEYWORDS] = {
    ENCODE_OPTIONS(ENCODE_ENTRY) ENCODE_TO_BYTES_OPTIONS(ENCODE_ENTRY) DECODE_OPTIONS(DECODE_ENTRY)
        DECODER_OPTIONS(DECODE_ENTRY)};

/* The slot of an interned name, which its address gives. */
static ALWAYS_INLINE unsigned first_slot(const PyObject *name) {
    return (unsigned)hash_of_address(name, KEYWORD_SLOT_BITS);
}

static ALWAYS_INLINE unsigned next_slot(unsigned slot) {
    return (slot + 1) % KEYWORD_SLOTS;
}

int keywords_init(struct module_state *state) {
    _Static_assert(2 * N_KEYWORDS <= KEYWORD_SLOTS && N_KEYWORDS < UINT8_MAX, "some are empty");
    for (int i = 0; i < N_KEYWORDS; i++) {
        state->keywords[i] = PyUnicode_InternFromString(KEYWORDS[i].name);
        if (state->keywords[i] == NULL) {
            return -1;
        }
        unsigned slot = first_slot(state->keywords[i]);
        while (state->keyword_slots[slot] != 0) {
            slot = next_slot(slot);
        }
        state->keyword_slots[slot] = (uint8_t)(i + 1); /* 0 is empty */
    }
    return 0;
}

enum keyword keyword_find(const struct module_state *state, struct keyword_range range,
                          PyObject *name) {
    /* an option of encoding and one of decoding may have the same name */
    for (unsigned slot = first_slot(name); state->keyword_slots[slot] != 0;
         slot = next_slot(slot)) {
        const enum keyword keyword = (enum keyword)(state->keyword_slots[slot] - 1);
        if (state->keywords[keyword] == name && keyword >= range.first && keyword <= range.last) {
            return keyword;
        }
    }
    for (enum keyword i = range.first; i <= range.last; i++) {
        if (PyUnicode_Compare(state->keywords[i], name) == 0) {
            return i;
        }
    }
    return N_KEYWORDS;
}

/* Tuples, because a finalizer may find every list and dict, and clear it. */
int keywords_split(PyObject *kwargs, PyObject **values, PyObject **names) {
    PyObject *const list = kwargs != NULL ? PyDict_Values(kwargs) : PyList_New(0);
    *values = list != NULL ? PyList_AsTuple(list) : NULL;
    Py_XDECREF(list);
    *names = kwargs != NULL ? PySequence_Tuple(kwargs) : PyTuple_New(0);
    if (*values != NULL && *names != NULL) {
        if (PyTuple_GET_SIZE(*values) == PyTuple_GET_SIZE(*names)) {
            return 0;
        }
        PyErr_SetString(PyExc_RuntimeError, "keyword arguments changed while they were read");
    }
    Py_CLEAR(*values);
    Py_CLEAR(*names);
    return -1;
}

int check_one_positional(const char *function, Py_ssize_t n_args) {
    if (n_args != 1) {
        PyErr_Format(PyExc_TypeError, "%s() takes exactly one positional argument (%zd given)%s",
                     function, n_args, n_args > 1 ? "; write options with their names" : "");
        return -1;
    }
    return 0;
}

/* ---- an unknown name ----------------------------------------------------------------------- */

#define KEYWORD_LONGEST 20

/* The number of letters of `typed` that are wrong, missing, extra or swapped with the next one, if
 * `name` was meant. */
static size_t count_slips(const char *typed, const char *name) {
    const size_t n_typed = strlen(typed);
    const size_t n_name = strlen(name);
    size_t rows[3][KEYWORD_LONGEST +
                   1]; /* rows of the letters of `typed`, columns of those of `name` */
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

/* The keyword of a range that a name was probably meant to be; NULL where none is similar. */
static const char *nearest_keyword(PyObject *name, struct keyword_range range) {
    const Py_ssize_t n = PyUnicode_GET_LENGTH(name);
    if (!PyUnicode_IS_ASCII(name) || n > KEYWORD_LONGEST) {
        return NULL;
    }
    const char *nearest = NULL;
    size_t n_fewest = (size_t)(n + 2) / 3 + 1; /* a third of the letters may be wrong */
    for (enum keyword i = range.first; i <= range.last; i++) {
        const size_t n_slips = count_slips(PyUnicode_DATA(name), KEYWORDS[i].name);
        if (n_slips < n_fewest) {
            n_fewest = n_slips;
            nearest = KEYWORDS[i].name;
        }
    }
    return nearest;
}

COLD void keyword_refuse(const char *function, PyObject *name, struct keyword_range range) {
    const char *const nearest = unicode_is_ready(name) ? nearest_keyword(name, range) : NULL;
    if (PyErr_Occurred()) {
        return;
    }
    const char *const advice = foreign_option_advice(name, range.first == 0);
    if (advice != NULL) {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'; %s", function,
                     name, advice);
    } else if (nearest != NULL) {
        PyErr_Format(PyExc_TypeError,
                     "%s() got an unexpected keyword argument '%U'. Did you mean '%s'?", function,
                     name, nearest);
    } else {
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function,
                     name);
    }
}

/* ---- values -------------------------------------------------------------------------------- */

/* Raise TypeError for a value of a wrong type; returns -1. */
static int refuse_type(enum keyword keyword, const char *wanted, PyObject *value) {
    PyErr_Format(PyExc_TypeError, "%s must be %s, not %.200s", KEYWORDS[keyword].name, wanted,
                 Py_TYPE(value)->tp_name);
    return -1;
}

int keyword_read_flag(bool *flag, enum keyword keyword, PyObject *value) {
    if (value == Py_None) {
        return 0;
    }
    if (!PyBool_Check(value)) {
        return refuse_type(keyword, "None or a bool", value);
    }
    *flag = value == Py_True;
    return 0;
}

static PyObject *format_names(const struct format *formats) {
    PyObject *const names = PyList_New(0);
    for (int i = 0; names != NULL && formats[i].name != NULL; i++) {
        PyObject *const name = PyUnicode_FromString(formats[i].name);
        const int status = name != NULL ? PyList_Append(names, name) : -1;
        Py_XDECREF(name);
        if (status != 0) {
            Py_DECREF(names);
            return NULL;
        }
    }
    return names;
}

/* The function of the other direction whose option of the same name has this format; NULL where
 * there is none. */
static const char *other_direction(enum keyword keyword, PyObject *value) {
    for (int i = 0; i < N_KEYWORDS; i++) {
        const struct keyword_spec *const other = &KEYWORDS[i];
        if (other->formats == NULL || i == (int)keyword ||
            strcmp(other->name, KEYWORDS[keyword].name) != 0) {
            continue;
        }
        for (int j = 0; other->formats[j].name != NULL; j++) {
            if (PyUnicode_CompareWithASCIIString(value, other->formats[j].name) == 0) {
                return i <= KEYWORD_IS_WRITE_CACHE ? "dumps" : "loads";
            }
        }
    }
    return NULL;
}

/* Raise TypeError or ValueError for what is no name of a format; returns -1. */
static int refuse_format(enum keyword keyword, PyObject *value) {
    const struct keyword_spec *const spec = &KEYWORDS[keyword];
    const bool is_one = spec->formats[1].name == NULL;
    PyObject *const names =
        is_one ? PyUnicode_FromString(spec->formats[0].name) : format_names(spec->formats);
    if (names == NULL) {
        return -1;
    }
    const char *const one_of = is_one ? "" : "one of ";
    if (!PyUnicode_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be None or %s%R, not %.200s", spec->name, one_of,
                     names, Py_TYPE(value)->tp_name);
    } else {
        const char *const other = other_direction(keyword, value);
        PyErr_Format(PyExc_ValueError, "%s must be None or %s%R, not %R%s%s", spec->name, one_of,
                     names, value, other != NULL ? ", which is for " : "",
                     other != NULL ? other : "");
    }
    Py_DECREF(names);
    return -1;
}

int keyword_read_format(enum keyword keyword, PyObject *value) {
    const struct format *const formats = KEYWORDS[keyword].formats;
    if (value == Py_None) {
        return 0;
    }
    for (int i = 0; PyUnicode_Check(value) && formats[i].name != NULL; i++) {
        if (PyUnicode_CompareWithASCIIString(value, formats[i].name) == 0) {
            return formats[i].value;
        }
    }
    return refuse_format(keyword, value);
}

/* An int of at least 1. One beyond Py_ssize_t is no limit. */
static int read_limit(Py_ssize_t *limit, enum keyword keyword, PyObject *value) {
    if (value == Py_None) {
        return 0;
    }
    if (!PyLong_Check(value) || PyBool_Check(value)) {
        return refuse_type(keyword, "None or an int", value);
    }
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow < 0 || (overflow == 0 && number < 1)) {
        PyErr_Format(PyExc_ValueError, "%s must be at least 1", KEYWORDS[keyword].name);
        return -1;
    }
    *limit = overflow == 0 ? (Py_ssize_t)number : *limit;
    return 0;
}

/* Store the value of a format in a field that is a bool, a packed enum or an enum. */
static void store_format(void *field, size_t n_bytes, int value) {
    if (n_bytes == sizeof(uint8_t)) {
        *(uint8_t *)field = (uint8_t)value;
    } else {
        assert(n_bytes == sizeof value);
        memcpy(field, &value, sizeof value);
    }
}

int keyword_set_field(void *options, enum keyword keyword, PyObject *value) {
    const struct keyword_spec *const spec = &KEYWORDS[keyword];
    void *const field = (char *)options + spec->offset;
    switch (spec->kind) {
    case KIND_TRUTH: {
        const int is_true = PyObject_IsTrue(value);
        *(bool *)field = is_true > 0;
        return is_true < 0 ? -1 : 0;
    }
    case KIND_FLAG: return keyword_read_flag(field, keyword, value);
    case KIND_HOOK:
        if (value != Py_None && !PyCallable_Check(value)) {
            return refuse_type(keyword, "callable or None", value);
        }
        *(PyObject **)field = value != Py_None ? value : NULL;
        return 0;
    case KIND_FORMAT: {
        const int format = keyword_read_format(keyword, value);
        if (format < 0) {
            return -1;
        }
        store_format(field, spec->n_bytes, format);
        return 0;
    }
    case KIND_LIMIT:
        assert(spec->n_bytes == sizeof(Py_ssize_t));
        return read_limit(field, keyword, value);
    case KIND_OWN: break;
    }
    Py_UNREACHABLE();
}

/* ---- the table for Python ------------------------------------------------------------------ */

static const char *const KIND_NAMES[] = {
    [KIND_TRUTH] = "truth",   [KIND_FLAG] = "flag",   [KIND_HOOK] = "hook",
    [KIND_FORMAT] = "format", [KIND_LIMIT] = "limit", [KIND_OWN] = "own",
};

PyObject *keywords_as_list(void) {
    PyObject *const list = PyList_New(0);
    for (int i = 0; list != NULL && i < N_KEYWORDS; i++) {
        const struct keyword_spec *const spec = &KEYWORDS[i];
        PyObject *const formats =
            spec->formats != NULL ? format_names(spec->formats) : Py_NewRef(Py_None);
        PyObject *const entry =
            formats != NULL ? Py_BuildValue("(ssNssO)", spec->name, KIND_NAMES[spec->kind], formats,
                                            spec->default_text, spec->meaning,
                                            i <= KEYWORD_IS_WRITE_CACHE ? Py_True : Py_False)
                            : NULL;
        const int status = entry != NULL ? PyList_Append(list, entry) : -1;
        Py_XDECREF(entry);
        if (status != 0) {
            Py_DECREF(list);
            return NULL;
        }
    }
    return list;
}

/* ---- the options that an Encoder or a Decoder was created with ----------------------------- */

/* A value as it is kept: a truth flag as its bool, because the object could change later. A new
 * reference. */
static PyObject *given_value(enum keyword keyword, PyObject *value) {
    if (KEYWORDS[keyword].kind != KIND_TRUTH || value == Py_None || PyBool_Check(value)) {
        return Py_NewRef(value);
    }
    const int is_true = PyObject_IsTrue(value);
    return is_true >= 0 ? PyBool_FromLong(is_true) : NULL;
}

PyObject *given_options(const struct module_state *state, struct keyword_range range,
                        PyObject *const *values, PyObject *names) {
    PyObject *const given = PyDict_New();
    for (Py_ssize_t i = 0; given != NULL && i < PyTuple_GET_SIZE(names); i++) {
        const enum keyword keyword = keyword_find(state, range, PyTuple_GET_ITEM(names, i));
        PyObject *const value = given_value(keyword, values[i]);
        const int status =
            value != NULL ? PyDict_SetItem(given, state->keywords[keyword], value) : -1;
        Py_XDECREF(value);
        if (status != 0) {
            Py_DECREF(given);
            return NULL;
        }
    }
    return given;
}

/* "name=value, name=value", a new reference. */
static PyObject *given_text(PyObject *given) {
    PyObject *const parts = PyList_New(0);
    PyObject *const separator = PyUnicode_FromString(", ");
    PyObject *const items = PyDict_Items(given); /* repr of a value runs Python code */
    bool is_good = parts != NULL && separator != NULL && items != NULL;
    for (Py_ssize_t i = 0; is_good && i < PyList_GET_SIZE(items); i++) {
        PyObject *const item = PyList_GET_ITEM(items, i);
        PyObject *const part =
            PyUnicode_FromFormat("%U=%R", PyTuple_GET_ITEM(item, 0), PyTuple_GET_ITEM(item, 1));
        is_good = part != NULL && PyList_Append(parts, part) == 0;
        Py_XDECREF(part);
    }
    PyObject *const text = is_good ? PyUnicode_Join(separator, parts) : NULL;
    Py_XDECREF(parts);
    Py_XDECREF(separator);
    Py_XDECREF(items);
    return text;
}

PyObject *given_repr(PyObject *self, const char *class_name, PyObject *given) {
    const int is_within = Py_ReprEnter(
        self); /* a hook may be a method of an object that holds this encoder or decoder */
    if (is_within != 0) {
        return is_within > 0 ? PyUnicode_FromFormat("%s(...)", class_name) : NULL;
    }
    PyObject *const text = given_text(given);
    PyObject *const repr = text != NULL ? PyUnicode_FromFormat("%s(%U)", class_name, text) : NULL;
    Py_XDECREF(text);
    Py_ReprLeave(self);
    return repr;
}

PyObject *given_reduce(PyObject *self, PyObject *given) {
    PyObject *const module = PyImport_ImportModule("copyreg");
    PyObject *const make = module != NULL ? PyObject_GetAttrString(module, "__newobj_ex__") : NULL;
    Py_XDECREF(module);
    PyObject *const options = make != NULL ? PyDict_Copy(given) : NULL;
    PyObject *const reduced =
        options != NULL ? Py_BuildValue("O(O()O)", make, (PyObject *)Py_TYPE(self), options) : NULL;
    Py_XDECREF(options);
    Py_XDECREF(make);
    return reduced;
}
