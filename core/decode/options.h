/* SPDX-License-Identifier: MIT */
/* The options of a decoding call; checked and complete before the first character is read. */
#ifndef SSRJSON_DECODE_OPTIONS_H
#define SSRJSON_DECODE_OPTIONS_H

#include "cache/key_cache.h"
#include "cache/key_case.h"
#include "base/error.h"
#include "pyobject/unicode.h"

struct shape_tree;

/* Version differences of stdlib's json; the decoder follows the running version. */
struct decode_quirks {
    bool names_trailing_comma;    /* a separate message for a comma before a closing bracket */
    bool wants_text_after_escape; /* a \uXXXX at the end of the document is an invalid escape */
};

enum __attribute__((packed)) int_limit {
    INT_UNLIMITED,
    INT_AS_FLOAT,
    INT_REFUSED,
};

/* What lists of numbers become. */
enum number_arrays {
    NUMBER_ARRAYS_OFF,
    NUMBER_ARRAYS_NUMPY,
    NUMBER_ARRAYS_ARRAY,
};

struct selection;

struct decode_options {
    /* callables, borrowed from the owner of the options; NULL: none */
    PyObject *object_hook;
    PyObject *object_pairs_hook; /* has priority over object_hook */
    PyObject *array_hook;
    PyObject *parse_float;
    PyObject
        *decimal; /* a Decimal, borrowed: floats become others like it, made in place where that
                     is possible, otherwise by parse_float, which is its class; NULL: none */
    PyObject *parse_int;
    PyObject *parse_constant;
    PyObject *number_arrays_maker; /* borrowed from the module's state: see number_array.h; NULL:
                                      lists of numbers are lists */
    size_t number_arrays_from;     /* lists of at least n numbers become arrays */
    enum number_arrays number_arrays;
    const struct selection *only; /* borrowed: the parts that are asked for; NULL: all */
    bool has_hooks;               /* one of the above runs Python code */
    bool has_scalar_hooks;        /* one of them may return containers for scalars */
    bool is_strict;               /* control characters in strings are errors */
    bool allow_nan;               /* accept NaN, Infinity, and numbers beyond every double */
    bool allow_surrogates;        /* accept \ud800 without its other half */
    bool refuses_duplicates;      /* an object may not repeat a key */
    bool is_jsonc;                /* comments, and a comma after the last item, are allowed */
    enum key_case key_case;       /* of the keys of dicts */
    enum int_limit int64;         /* what becomes of ints beyond 64 bits, with a sign or without */
    size_t max_depth;             /* of nested containers */
    struct decode_quirks quirks;
    PyObject *const *nan;        /* the float that every NaN is, as in stdlib, so that equal texts
                                    have equal values; it is NULL after the interpreter's end */
    struct key_cache *key_cache; /* borrowed; NULL: none */
    struct key_cases *key_cases; /* borrowed; NULL: nothing is kept */
    struct shape_tree *shapes;   /* borrowed; NULL: none, see decode_learns_shapes */
};

/* Whether objects become dicts with the keys of the text. */
static inline bool decode_learns_shapes(const struct decode_options *options) {
    return options->object_pairs_hook == NULL && options->key_case == KEY_AS_IT_IS;
}

/* The tree of shapes to use; NULL: none. Without the layout of dicts a shape saves nothing. */
static ALWAYS_INLINE struct shape_tree *decode_shapes(const struct decode_options *options) {
    return KNOWS_LAYOUTS ? options->shapes : NULL;
}

/* The text of a document: UTF-8 (which includes an ASCII str) or the units of a wider str. */

struct pause;

struct source {
    struct text text; /* TEXT_UTF8, TEXT_LATIN1, TEXT_UCS2 or TEXT_UCS4 */
    const struct decode_options *options;
    /* NULL: the text is one document, with white space around it. Otherwise a value begins at the
     * start of the text, the text after it is ignored, and the number of its units is stored
     * here. */
    size_t *value_length;
    /* NULL: the text is complete. Otherwise it is UTF-8 that may go on, decoded up to there. */
    struct pause *pause;
};

#endif
