/* SPDX-License-Identifier: MIT */
/* What one module object, and so one interpreter, keeps. */
#ifndef SSRJSON_MODULE_STATE_H
#define SSRJSON_MODULE_STATE_H

#include "decode/shape_tree.h"
#include "isa/codec.h"
#include "pyobject/key_cache.h"

/* Keyword arguments by name, in the order of module_state.keywords. */
enum keyword {
    KEYWORD_DEFAULT,
    KEYWORD_SKIPKEYS,
    KEYWORD_ENSURE_ASCII,
    KEYWORD_CHECK_CIRCULAR,
    KEYWORD_ALLOW_NAN,
    KEYWORD_INDENT,
    KEYWORD_SEPARATORS,
    KEYWORD_SORT_KEYS,
    KEYWORD_IS_WRITE_CACHE,
    KEYWORD_APPEND_NEWLINE,
    KEYWORD_HTML_SAFE,
    KEYWORD_ESCAPE_SURROGATES,
    KEYWORD_NAN_AS_NULL,
    KEYWORD_INT53,
    KEYWORD_FLOATS,
    KEYWORD_EXACT_TYPES,
    KEYWORD_SQLALCHEMY_SAFE,
    KEYWORD_MODELS,
    KEYWORD_BY_ALIAS,
    KEYWORD_EXCLUDE_UNSET,
    KEYWORD_EXCLUDE_DEFAULTS,
    KEYWORD_EXCLUDE_NONE,
    KEYWORD_NATIVES,
    /* those behind are of native types */
    KEYWORD_DATETIME,
    KEYWORD_DATE,
    KEYWORD_TIME,
    KEYWORD_TIMESPEC,
    KEYWORD_UTC,
    KEYWORD_NAIVE,
    KEYWORD_TIMEDELTA,
    KEYWORD_UUID,
    KEYWORD_ENUM,
    KEYWORD_DECIMAL,
    KEYWORD_BYTES,
    KEYWORD_DATACLASS,
    KEYWORD_ITERABLES,
    KEYWORD_MAPPING,
    KEYWORD_PATH,
    KEYWORD_NUMPY,
    N_ENCODE_KEYWORDS,
    /* those behind are of decoding, as KEYWORD_ALLOW_NAN is too */
    KEYWORD_OBJECT_HOOK = N_ENCODE_KEYWORDS,
    KEYWORD_OBJECT_PAIRS_HOOK,
    KEYWORD_ARRAY_HOOK,
    KEYWORD_PARSE_FLOAT,
    KEYWORD_PARSE_INT,
    KEYWORD_PARSE_CONSTANT,
    KEYWORD_STRICT,
    KEYWORD_ALLOW_SURROGATES,
    KEYWORD_DUPLICATE_KEYS,
    KEYWORD_MAX_DEPTH,
    KEYWORD_MAX_SIZE,
    N_KEYWORDS
};

/* JSONEncodeError and the classes below it, each of a builtin exception's class too. */
enum encode_error_class {
    ENCODE_ERROR,
    ENCODE_TYPE_ERROR,
    ENCODE_VALUE_ERROR,
    ENCODE_UNICODE_ENCODE_ERROR,
    ENCODE_UNICODE_DECODE_ERROR,
    ENCODE_BUFFER_ERROR,
    ENCODE_ATTRIBUTE_ERROR,
    ENCODE_RUNTIME_ERROR,
    ENCODE_RECURSION_ERROR,
    N_ENCODE_ERRORS
};

/* What a function that decodes was asked for. */
struct decode_arguments {
    struct decode_options options; /* the hooks are borrowed */
    Py_ssize_t max_size; /* of a document, in bytes or, of a str, characters; all: no limit */
};

struct module_state {
    const struct codec *codec; /* the level in use */
    bool is_writing_cache;     /* the switch behind write_utf8_cache */
    uint32_t n_recorders;      /* that live; 0: calls are not timed */
    struct encode_context encode_context;
    struct decode_manners decode_manners;
    struct decode_arguments decode_defaults;  /* as they are without any argument */
    PyObject *decode_error;                   /* owned type: JSONDecodeError */
    PyObject *depth_error;                    /* owned type: the one for max_depth */
    PyObject *size_error;                     /* owned type: the one for max_size */
    PyObject *encode_errors[N_ENCODE_ERRORS]; /* owned types */
    PyTypeObject *stream_type;                /* owned: what Encoder.iterencode returns */
    PyTypeObject *recorder_type;              /* owned */
    PyObject *current_recorder;               /* owned ContextVar */
    PyObject *comma_and_space;                /* owned str: stdlib's item separator */
    PyObject *colon_and_space;                /* owned str: the key separator of indented text */
    PyObject *keywords[N_KEYWORDS];           /* owned interned strs */
    struct key_cache key_cache;
    struct shape_tree shape_tree;
};

#endif
