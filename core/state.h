/* SPDX-License-Identifier: MIT */
/* What one module object, and so one interpreter, keeps. */
#ifndef SSRJSON_STATE_H
#define SSRJSON_STATE_H

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
    N_KEYWORDS
};

struct module_state {
    const struct codec *codec; /* the level in use */
    bool is_writing_cache;     /* the switch behind write_utf8_cache */
    struct encode_manners encode_manners;
    struct decode_manners decode_manners;
    PyObject *decode_error;         /* owned type: JSONDecodeError */
    PyObject *colon_and_space;      /* owned str: the key separator of indented text */
    PyObject *keywords[N_KEYWORDS]; /* owned interned strs */
    struct key_cache key_cache;
    struct scratch_slot scratch_slot;
};

#endif
