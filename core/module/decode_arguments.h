/* SPDX-License-Identifier: MIT */
/* Keyword arguments of what decodes, read into options. */
#ifndef SSRJSON_MODULE_DECODE_ARGUMENTS_H
#define SSRJSON_MODULE_DECODE_ARGUMENTS_H

#include "module/keywords.h"

/* The parameters of everything that decodes, as the docstrings show them. */
#define DECODE_PARAMETERS \
    "*, object_hook=None, object_pairs_hook=None, array_hook=None, parse_float=None, " \
    "parse_int=None, parse_constant=None, strict=True, allow_nan=True, allow_surrogates=True, " \
    "duplicate_keys='last', max_depth=None, max_size=None"

static const char *const DUPLICATE_KEYS_CHOICES[] = {"last", "error", NULL};

/* Options before any argument, for module_state.decode_defaults. */
static struct decode_arguments make_decode_defaults(struct module_state *state) {
    return (struct decode_arguments){
        .options =
            {
                .is_strict = true,
                .allow_nan = true,
                .allow_surrogates = true,
                .max_depth = SIZE_MAX,
                .manners = state->decode_manners,
                .key_cache = IS_FREE_THREADED ? NULL : &state->key_cache,
                .shapes = IS_FREE_THREADED ? NULL : &state->shape_tree,
            },
        .max_size = PY_SSIZE_T_MAX,
    };
}

/* An int from 1 on; None leaves the limit as it is, and so does one beyond all memory. */
static int set_limit(Py_ssize_t *limit, enum keyword keyword, PyObject *value) {
    if (value == Py_None) {
        return 0;
    }
    if (!PyLong_Check(value) || PyBool_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s must be None or an int, not %.200s",
                     KEYWORD_NAMES[keyword], Py_TYPE(value)->tp_name);
        return -1;
    }
    int overflow;
    const long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow < 0 || (overflow == 0 && number < 1)) {
        PyErr_Format(PyExc_ValueError, "%s must be at least 1", KEYWORD_NAMES[keyword]);
        return -1;
    }
    *limit = overflow == 0 ? (Py_ssize_t)number : *limit;
    return 0;
}

static int set_decode_option(struct decode_arguments *arguments, enum keyword keyword,
                             PyObject *value) {
    struct decode_options *const options = &arguments->options;
    switch (keyword) {
    case KEYWORD_OBJECT_HOOK: return set_hook(&options->object_hook, keyword, value);
    case KEYWORD_OBJECT_PAIRS_HOOK: return set_hook(&options->object_pairs_hook, keyword, value);
    case KEYWORD_ARRAY_HOOK: return set_hook(&options->array_hook, keyword, value);
    case KEYWORD_PARSE_FLOAT: return set_hook(&options->parse_float, keyword, value);
    case KEYWORD_PARSE_INT: return set_hook(&options->parse_int, keyword, value);
    case KEYWORD_PARSE_CONSTANT: return set_hook(&options->parse_constant, keyword, value);
    case KEYWORD_STRICT: return set_flag(&options->is_strict, value);
    case KEYWORD_ALLOW_NAN: return set_strict_flag(&options->allow_nan, keyword, value);
    case KEYWORD_ALLOW_SURROGATES:
        return set_strict_flag(&options->allow_surrogates, keyword, value);
    case KEYWORD_DUPLICATE_KEYS: {
        const int choice = choose(keyword, value, DUPLICATE_KEYS_CHOICES);
        options->refuses_duplicates = choice == 2;
        return choice < 0 ? -1 : 0;
    }
    case KEYWORD_MAX_DEPTH: {
        Py_ssize_t limit = PY_SSIZE_T_MAX;
        const int status = set_limit(&limit, keyword, value);
        options->max_depth = (size_t)limit;
        return status;
    }
    case KEYWORD_MAX_SIZE: return set_limit(&arguments->max_size, keyword, value);
    default: Py_UNREACHABLE();
    }
}

/* Read the keyword arguments of a function that decodes; -1 with TypeError or ValueError set. */
static COLD int decode_arguments_init(struct decode_arguments *arguments,
                                      const struct module_state *state, const char *function,
                                      PyObject *const *values, PyObject *names) {
    const Py_ssize_t n = names != NULL ? PyTuple_GET_SIZE(names) : 0;
    const keyword_set taken =
        ~(((keyword_set)1 << N_ENCODE_KEYWORDS) - 1) | (keyword_set)1 << KEYWORD_ALLOW_NAN;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *const name = PyTuple_GET_ITEM(names, i);
        const enum keyword keyword = find_keyword(state, name);
        if (keyword == N_KEYWORDS || !(taken >> keyword & 1)) {
            refuse_keyword(function, name, taken);
            return -1;
        }
        if (set_decode_option(arguments, keyword, values[i]) != 0) {
            return -1;
        }
    }
    if (arguments->options.object_pairs_hook != NULL) {
        arguments->options.shapes = NULL; /* no dicts are made */
    }
    return 0;
}

#endif
