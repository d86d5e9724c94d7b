/* SPDX-License-Identifier: MIT */
/* The state of one module object, and so of one interpreter. */
#ifndef SSRJSON_MODULE_STATE_H
#define SSRJSON_MODULE_STATE_H

#include "cache/key_cache.h"
#include "cache/shape_tree.h"
#include "cache/thread_caches.h"
#include "encode/context.h"
#include "isa/codec.h"
#include "module/args/option_list.h"

/* clang-format off */
/* Options by name, in the order of module_state.keywords: those of encoding, then of decoding. */
enum keyword {
#define OPTION(identifier, ...) KEYWORD_##identifier,
    ENCODE_OPTIONS(OPTION)
    ENCODE_TO_BYTES_OPTIONS(OPTION)
    DECODE_OPTIONS(OPTION)
    DECODER_OPTIONS(OPTION)
#undef OPTION
    N_KEYWORDS
};
/* clang-format on */

/* The hash table of option names. */
#define KEYWORD_SLOT_BITS 8
#define KEYWORD_SLOTS (1 << KEYWORD_SLOT_BITS)

/* JSONEncodeError and its subclasses, each of which also derives from a builtin exception. */
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

/* What a Decoder shows of a document that has not arrived as a whole. */
enum __attribute__((packed)) partial {
    PARTIAL_OFF,
    PARTIAL_ON,               /* all but cut strings */
    PARTIAL_TRAILING_STRINGS, /* a cut string, too, as far as it is known */
};

/* The options of a decoding call. */
struct decode_arguments {
    struct decode_options options; /* the hooks are borrowed */
    Py_ssize_t
        max_size; /* of a document: bytes, or characters of a str; PY_SSIZE_T_MAX: no limit */
    enum partial partial; /* of a Decoder */
    PyObject *type_plan;  /* owned _TypePlan: of the type that is asked for; NULL: none */
    PyObject *selection;  /* owned capsule, of options.only; NULL: none */
};

struct module_state {
    const struct codec *codec; /* the level in use */
    bool is_writing_cache;     /* what write_utf8_cache was last set to */
    uint32_t n_recorders;      /* Recorders that exist; 0: calls are not timed */
    struct encode_context encode_context;
    struct decode_quirks decode_quirks;
    struct decode_arguments decode_defaults; /* the options of a call without arguments */
#if !IS_FREE_THREADED
    struct encode_options
        encode_defaults[2]; /* of a call without arguments: dumps, dumps_to_bytes */
#endif
    PyObject *decode_error;                   /* owned type: JSONDecodeError */
    PyObject *depth_error;                    /* owned type: JSONDepthError */
    PyObject *size_error;                     /* owned type: JSONSizeError */
    PyObject *type_error;                     /* owned type: JSONTypeError */
    PyObject *make_type_plan;                 /* owned callable: gives the _TypePlan of a type;
                                                 NULL at first */
    PyTypeObject *type_plan_type;             /* owned: _TypePlan */
    PyObject *encode_errors[N_ENCODE_ERRORS]; /* owned types */
    PyTypeObject *stream_type;                /* owned: what Encoder.iterencode returns */
    PyTypeObject *recorder_type;              /* owned */
    PyObject *current_recorder;               /* owned ContextVar */
    PyObject *comma_and_space;                /* owned str: stdlib's item separator */
    PyObject *colon_and_space;                /* owned str: the key separator of indented text */
    PyObject *decimal;                        /* owned: decode_options.decimal; NULL at first */
    PyObject *nan;                            /* owned float: see decode_options.nan */
    PyObject *number_arrays_makers[2]; /* owned: decode_options.number_arrays_maker, of the module
                                          array and of numpy; NULL at first */
    PyObject *two_spaces;              /* owned str: the indentation of orjson */
    PyObject *keywords[N_KEYWORDS];    /* owned interned strs */
    uint8_t keyword_slots[KEYWORD_SLOTS]; /* a hash table of them: see keyword_find */
#if IS_FREE_THREADED
    struct thread_caches_pool thread_caches;
#else
    struct key_cache key_cache;
    struct shape_tree shape_tree;
#endif
};

#endif
