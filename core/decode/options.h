/* SPDX-License-Identifier: MIT */
/* What a decoding call is asked for; checked and complete before the first character is read. */
#ifndef SSRJSON_DECODE_OPTIONS_H
#define SSRJSON_DECODE_OPTIONS_H

#include "pyobject/key_cache.h"

struct shape_tree;

/* What differs between versions of stdlib's json; ours follows the running one. */
struct decode_quirks {
    bool names_trailing_comma;     /* a message of its own for a comma before a closing bracket */
    bool wants_text_behind_escape; /* a \uXXXX that ends the document is an invalid escape */
};

struct decode_options {
    /* callables, borrowed from who made the options; NULL: none */
    PyObject *object_hook;
    PyObject *object_pairs_hook; /* goes before object_hook */
    PyObject *array_hook;
    PyObject *parse_float;
    PyObject *parse_int;
    PyObject *parse_constant;
    bool is_strict;          /* control characters in strings are errors */
    bool allow_nan;          /* NaN, Infinity, and numbers beyond every double */
    bool allow_surrogates;   /* \ud800 without its other half */
    bool refuses_duplicates; /* of keys in one object */
    size_t max_depth;        /* of containers in each other */
    struct decode_quirks quirks;
    struct key_cache *key_cache; /* borrowed; NULL: none */
    struct shape_tree *shapes;   /* borrowed; NULL: none, as objects are not to become dicts */
};

#endif
