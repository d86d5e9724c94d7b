/* SPDX-License-Identifier: MIT */
#include "module/args/arguments.h"

/* The options that natives=True sets. */
static const struct native_options ALL_NATIVES = {
    .datetime = MOMENT_ISO,
    .date = MOMENT_ISO,
    .time = MOMENT_ISO,
    .timedelta = TIMEDELTA_ISO,
    .uuid = UUID_HYPHENATED,
    .enum_ = ENUM_VALUE,
    .decimal = DECIMAL_NUMBER,
    .bytes = BYTES_UTF8,
    .dataclass = true,
    .iterables = true,
    .mapping = true,
    .path = true,
    .numpy = true,
    .arrays = true,
};

/* The options that models=True sets: pydantic's formats. */
static const struct native_options PYDANTIC_NATIVES = {
    .datetime = MOMENT_ISO,
    .date = MOMENT_ISO,
    .time = MOMENT_ISO,
    .timedelta = TIMEDELTA_ISO_YEARS,
    .uuid = UUID_HYPHENATED,
    .enum_ = ENUM_VALUE,
    .decimal = DECIMAL_STR,
    .bytes = BYTES_UTF8,
    .is_utc_z = true,
    .is_in_minutes = true,
    .models = MODELS_ALL,
    .dataclass = true,
    .iterables = true,
    .path = true,
};

void options_clear(struct encode_options *options) {
    Py_CLEAR(options->indent);
    Py_CLEAR(options->item_separator);
    Py_CLEAR(options->key_separator);
}

/* A number gives the spaces of a level; zero and below mean line breaks alone. */
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

/* None leaves the choice to the class. */
static int set_by_alias(struct encode_options *options, PyObject *value) {
    bool is_on = false;
    if (keyword_read_flag(&is_on, KEYWORD_BY_ALIAS, value) != 0) {
        return -1;
    }
    options->models.by_alias = value == Py_None ? ALIAS_AS_CONFIGURED
                               : is_on          ? ALIAS_ON
                                                : ALIAS_OFF;
    return 0;
}

static int set_exclude_none(struct encode_options *options, PyObject *value) {
    const bool is_for_pydantic =
        PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "pydantic") == 0;
    if (!is_for_pydantic && !PyBool_Check(value) && value != Py_None) {
        PyErr_Format(PyExc_TypeError, "exclude_none must be True, False or 'pydantic', not %R",
                     value);
        return -1;
    }
    options->models.exclude_none = is_for_pydantic || value == Py_True;
    options->leaves_out_none = value == Py_True;
    return 0;
}

static int set_datetime(struct encode_options *options, PyObject *value) {
    options->native.is_in_minutes =
        PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "rfc3339") == 0;
    return keyword_set_field(options, KEYWORD_DATETIME, value);
}

static int set_floats(struct encode_options *options, PyObject *value) {
    const int format = keyword_read_format(KEYWORD_FLOATS, value);
    options->has_own_floats = value != Py_None;
    options->floats = format >= 0 && value != Py_None ? (enum float_format)format : options->floats;
    return format < 0 ? -1 : 0;
}

static int set_option(struct encode_options *options, enum keyword keyword, PyObject *value) {
    switch (keyword) {
    case KEYWORD_INDENT: return set_indent(options, value);
    case KEYWORD_SEPARATORS: return set_separators(options, value);
    case KEYWORD_FLOATS: return set_floats(options, value);
    case KEYWORD_BY_ALIAS: return set_by_alias(options, value);
    case KEYWORD_EXCLUDE_NONE: return set_exclude_none(options, value);
    case KEYWORD_DATETIME: return set_datetime(options, value);
    case KEYWORD_IS_WRITE_CACHE:
        options->has_write_cache = value != Py_None;
        return keyword_read_flag(&options->is_write_cache, keyword, value);
    case KEYWORD_MODELS:
    case KEYWORD_NATIVES: return 0; /* read first, by options_init */
    default: return keyword_set_field(options, keyword, value);
    }
}

/* Apply natives=True. It comes before the options that change its parts, wherever it is in the
 * call. */
static int set_natives(struct encode_options *options, PyObject *value) {
    bool is_on = false;
    if (keyword_read_flag(&is_on, KEYWORD_NATIVES, value) != 0) {
        return -1;
    }
    if (is_on) {
        const enum models_option models = options->native.models;
        options->native = ALL_NATIVES;
        options->native.models = models;
    }
    return 0;
}

/* Set the float format of models=True, which ssrjson_web._models.floats determines once for each
 * interpreter. -1 with an exception set. */
static int set_model_floats(struct encode_options *options) {
    struct encode_context *const context = options->context;
    int choice = __atomic_load_n(&context->model_floats, __ATOMIC_RELAXED);
    if (choice == 0) {
        PyObject *const module = PyImport_ImportModule("ssrjson_web._models.floats");
        PyObject *const name =
            module != NULL ? PyObject_CallMethod(module, "layout_of_pydantic", NULL) : NULL;
        Py_XDECREF(module);
        choice = name != NULL ? 1 + keyword_read_format(KEYWORD_FLOATS, name) : 0;
        Py_XDECREF(name);
        if (choice == 0) {
            return -1;
        }
        __atomic_store_n(&context->model_floats, choice, __ATOMIC_RELAXED);
    }
    options->floats = (enum float_format)(choice - 1);
    return 0;
}

/* Apply models. It comes before the options that change formats, wherever it is in the call. */
static int set_models(struct encode_options *options, PyObject *value) {
    options->models.is_python = PyUnicode_Check(value);
    if (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "pydantic") == 0) {
        options->native.models = MODELS_PYDANTIC;
        return 0;
    }
    if (PyUnicode_Check(value) && PyUnicode_CompareWithASCIIString(value, "python") == 0) {
        options->native = PYDANTIC_NATIVES;
        return 0;
    }
    if (!PyBool_Check(value)) {
        PyErr_Format(PyExc_TypeError, "models must be True, False, 'python' or 'pydantic', not %R",
                     value);
        return -1;
    }
    if (value == Py_True) {
        options->native = PYDANTIC_NATIVES;
        options->nan_as_null = true;
        return set_model_floats(options);
    }
    return 0;
}

static bool has_pydantic_formats(const struct native_options *native) {
    const struct native_options *const theirs = &PYDANTIC_NATIVES;
    return native->models == MODELS_ALL && native->datetime == theirs->datetime &&
           native->date == theirs->date && native->time == theirs->time &&
           native->timedelta == theirs->timedelta && native->uuid == theirs->uuid &&
           native->enum_ == theirs->enum_ && native->decimal == theirs->decimal &&
           native->bytes == theirs->bytes && native->precision == theirs->precision &&
           native->is_utc_z == theirs->is_utc_z && native->is_in_minutes == theirs->is_in_minutes &&
           !native->is_naive_utc && native->iterables;
}

static bool has_msgspec_formats(const struct native_options *native) {
    return native->datetime == MOMENT_ISO && native->date == MOMENT_ISO &&
           native->time == MOMENT_ISO && native->uuid == UUID_HYPHENATED &&
           native->decimal == DECIMAL_STR && native->precision == PRECISION_AUTO &&
           native->is_utc_z && native->is_in_minutes && !native->is_naive_utc;
}

static bool is_any_native(const struct native_options *native) {
    return native->datetime || native->date || native->time || native->timedelta || native->uuid ||
           native->enum_ || native->decimal || native->bytes || native->dataclass ||
           native->models || native->iterables || native->mapping || native->path ||
           native->numpy || native->arrays;
}

/* Whether a text of the options, NULL for none, holds one of n characters. */
static bool holds_any(PyObject *text, const Py_UCS4 *characters, size_t n) {
    bool is_found = false;
    for (size_t i = 0; i < n && text != NULL && !is_found; i++) {
        is_found = PyUnicode_FindChar(text, characters[i], 0, PyUnicode_GET_LENGTH(text), 1) >= 0;
    }
    return is_found;
}

int options_check_line(const struct encode_options *options, const char *name) {
    /* what str.splitlines takes for ends of a line */
    const Py_UCS4 ends[] = {'\n', '\v', '\f', '\r', 0x1c, 0x1d, 0x1e, 0x85, 0x2028, 0x2029};
    const size_t n = sizeof ends / sizeof *ends;
    if (options->indent != NULL || holds_any(options->item_separator, ends, n) ||
        holds_any(options->key_separator, ends, n)) {
        PyErr_Format(PyExc_ValueError,
                     "%s writes a value on one line: indent must be None and separators must not "
                     "contain ends of lines",
                     name);
        return -1;
    }
    return 0;
}

/* Check that the texts of the options hold nothing that html_safe or line_safe escapes; -1 with
 * ValueError set. */
static int check_safe(const struct encode_options *options) {
    PyObject *const texts[] = {options->indent, options->item_separator, options->key_separator};
    const Py_UCS4 html[] = {'<', '>', '&', 0x2028, 0x2029};
    for (int i = 0; i < 3; i++) {
        if (options->html_safe && holds_any(texts[i], html, 5)) {
            PyErr_SetString(PyExc_ValueError,
                            "html_safe: indent and separators must not contain < > & or the "
                            "line separators U+2028 and U+2029");
            return -1;
        }
    }
    return options->line_safe ? options_check_line(options, "line_safe") : 0;
}

/* The options of which an option needs one to have an effect; NULL where it has an effect. */
static const char *idle_without(const struct encode_options *options, enum keyword keyword,
                                PyObject *value) {
    const struct native_options *const native = &options->native;
    const bool has_time = native->datetime == MOMENT_ISO || native->time != MOMENT_OFF ||
                          native->numpy || native->arrays;
    switch (keyword) {
    case KEYWORD_TIMESPEC:
    case KEYWORD_UTC: {
        const bool is_default =
            keyword == KEYWORD_UTC ? !native->is_utc_z : native->precision == PRECISION_AUTO;
        return is_default || has_time
                   ? NULL
                   : "datetime='iso', time='iso', numpy=True, arrays=True or natives=True";
    }
    case KEYWORD_NAIVE:
        return !native->is_naive_utc || native->datetime != MOMENT_OFF || native->numpy ||
                       native->arrays
                   ? NULL
                   : "datetime='iso', numpy=True, arrays=True or natives=True";
    case KEYWORD_BY_ALIAS:
    case KEYWORD_EXCLUDE_UNSET:
    case KEYWORD_EXCLUDE_DEFAULTS:
        return value != Py_True || native->models != MODELS_OFF ? NULL
                                                                : "models=True or 'pydantic'";
    case KEYWORD_FLOAT32:
        return !native->float32_shortest || native->numpy || native->arrays
                   ? NULL
                   : "numpy=True, arrays=True or natives=True";
    case KEYWORD_EXCLUDE_NONE:
        return !PyUnicode_Check(value) || native->models != MODELS_OFF
                   ? NULL
                   : "models=True or 'pydantic'";
    case KEYWORD_OMIT_DEFAULTS:
        return !options->omits_defaults || native->dataclass || native->models != MODELS_OFF
                   ? NULL
                   : "dataclass=True, natives=True or models=True";
    case KEYWORD_NAN_AS_NULL:
        return value != Py_True || !options->nan_as_str ? NULL : "nan_as_str=False";
    case KEYWORD_INT64:
        return options->int64 == INT_NUMBER || options->int53 == INT_NUMBER ? NULL : "int53=None";
    case KEYWORD_KEY_DEFAULT:
        return options->key_default == NULL || !options->exact_types ? NULL : "exact_types=False";
    case KEYWORD_SQLALCHEMY_SAFE:
        return !options->sqlalchemy_safe || options->exact_types ? NULL : "exact_types=True";
    default: return NULL;
    }
}

/* -1 with TypeError set where an option has no effect on what is written. */
static int check_idle(const struct encode_options *options, const uint8_t *keywords,
                      PyObject *const *values, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *const missing = idle_without(options, keywords[i], values[i]);
        if (missing != NULL) {
            PyErr_Format(PyExc_TypeError, "%s=%R has no effect without %s",
                         KEYWORDS[keywords[i]].name, values[i], missing);
            return -1;
        }
    }
    return 0;
}

/* Whether a value of an option leaves the text as RFC 8785 has it. */
static bool is_canonical_value(const struct encode_options *options, enum keyword keyword,
                               PyObject *value) {
    switch (keyword) {
    case KEYWORD_SEPARATORS:
        return options->item_separator == NULL && options->key_separator == NULL;
    case KEYWORD_SORT_KEYS: return options->sort_keys;
    case KEYWORD_ENSURE_ASCII: return !options->ensure_ascii;
    case KEYWORD_ALLOW_NAN: return !options->allow_nan;
    case KEYWORD_INDENT:
    case KEYWORD_FLOATS:
    case KEYWORD_INT64:
    case KEYWORD_FLOAT32: return value == Py_None;
    case KEYWORD_APPEND_NEWLINE:
    case KEYWORD_HTML_SAFE:
    case KEYWORD_LINE_SAFE:
    case KEYWORD_ESCAPE_SURROGATES: return value != Py_True;
    default: return true;
    }
}

/* Apply canonical=True, after all other options; -1 with TypeError set where one of them is of
 * another opinion. */
static int set_canonical(struct encode_options *options, const uint8_t *keywords,
                         PyObject *const *values, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!is_canonical_value(options, keywords[i], values[i])) {
            PyErr_Format(PyExc_TypeError,
                         "%s=%R cannot be used with canonical=True: RFC 8785 "
                         "leaves no choice",
                         KEYWORDS[keywords[i]].name, values[i]);
            return -1;
        }
    }
    Py_CLEAR(options->item_separator);
    Py_CLEAR(options->key_separator);
    options->sort_keys = true;
    options->replaces_keys = true;
    options->ensure_ascii = false;
    options->allow_nan = false;
    options->floats = FLOAT_ECMASCRIPT;
    options->greatest_float = -1;
    options->has_own_floats = true;
    options->int53 = options->int53 == INT_NUMBER ? INT_CANONICAL : options->int53;
    return 0;
}

int options_init(struct encode_options *options, struct module_state *state, const char *function,
                 struct keyword_range taken, PyObject *const *values, PyObject *names) {
    const Py_ssize_t n = names != NULL ? PyTuple_GET_SIZE(names) : 0;
    PyObject *models =
        NULL; /* borrowed, as is natives: presets are applied before the options that change them */
    PyObject *natives = NULL;
    uint8_t keywords[N_KEYWORDS];
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *const name = PyTuple_GET_ITEM(names, i);
        const enum keyword keyword = keyword_find(state, taken, name);
        if (keyword == N_KEYWORDS || i == N_KEYWORDS) {
            keyword_refuse(function, name, taken);
            return -1;
        }
        keywords[i] = (uint8_t)keyword;
        models = keyword == KEYWORD_MODELS ? values[i] : models;
        natives = keyword == KEYWORD_NATIVES ? values[i] : natives;
    }
    if ((models != NULL && set_models(options, models) != 0) ||
        (natives != NULL && set_natives(options, natives) != 0)) {
        return -1;
    }
    bool has_separators = false;
    for (Py_ssize_t i = 0; i < n; i++) {
        has_separators |= keywords[i] == KEYWORD_SEPARATORS && values[i] != Py_None;
        if (set_option(options, keywords[i], values[i]) != 0) {
            return -1;
        }
    }
    if (!has_separators && (options->indent != NULL || options->is_stdlib)) {
        options->key_separator = Py_NewRef(state->colon_and_space);
        if (options->indent == NULL) {
            options->item_separator = Py_NewRef(state->comma_and_space);
        }
    }
    if (options->canonical && set_canonical(options, keywords, values, n) != 0) {
        return -1;
    }
    options->replaces_keys |= options->key_case != KEY_AS_IT_IS;
    options->arranges_fields = options->sort_keys || options->replaces_keys;
    options->notes_pydantic =
        options->leaves_out_none || options->omits_defaults || options->namedtuple_as_object;
    options->native.is_any = is_any_native(&options->native);
    if (options->native.is_any) {
        options->native.has_pydantic_formats = has_pydantic_formats(&options->native);
        options->native.has_msgspec_formats = has_msgspec_formats(&options->native);
        options->native.fast_types = options_fast_types(options);
    }
    options->is_plain = options_are_plain(options);
    if (check_idle(options, keywords, values, n) != 0) {
        return -1;
    }
    return options->html_safe || options->line_safe ? check_safe(options) : 0;
}
