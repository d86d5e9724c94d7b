/* SPDX-License-Identifier: MIT */
/* What one interpreter keeps for its encoding calls: caches, types, and how its json behaves. */
#ifndef SSRJSON_ENCODE_CONTEXT_H
#define SSRJSON_ENCODE_CONTEXT_H

#include "cache/key_case.h"
#include "cache/key_texts.h"
#include "cache/known_classes.h"
#include "cache/plans.h"
#include "encode/options.h"
#include "encode/sorted_pairs.h"
#include "encode/types/types.h"

/* Version differences of stdlib's json; the encoder follows the running version. */
struct encode_quirks {
    bool keeps_line_of_skipped; /* an indented dict whose keys are all skipped has an empty line */
};

struct encode_context {
    struct encode_quirks quirks;
#if !IS_FREE_THREADED /* otherwise calls do without, or have those of cache/thread_caches.h */
    size_t n_expected_bytes; /* of the next result: see encode/writer.h */
    struct plan_cache plan_cache;
    struct key_texts key_texts;
    struct key_cases key_cases; /* of decoding, too */
    struct enum_classes enum_classes;
    struct uuid_slot uuid_slot;
    struct sort_memory sort_memory;
    size_t n_calls; /* encoding calls in progress, within each other or in different threads */
#endif
    struct native_types native_types;
    PyTypeObject *fragment_type; /* owned */
    PyTypeObject *model_as_type; /* owned */
    PyTypeObject *plan_type;     /* owned */
    PyObject *make_plan;         /* owned callable of Python: the plan of a class; NULL at first */
    int model_floats; /* 1 + the enum float_format that models=True asks for; 0 at first */
};

/* What is kept of keys in another case; NULL: nothing. */
static ALWAYS_INLINE struct key_cases *context_key_cases(struct encode_context *context) {
#if IS_FREE_THREADED
    (void)context;
    return NULL;
#else
    return &context->key_cases;
#endif
}

/* The plans that a call finds and adds to; NULL: none. */
static ALWAYS_INLINE struct plan_cache *options_plan_cache(const struct encode_options *options) {
#if IS_FREE_THREADED
    return options->plan_cache;
#else
    return &options->context->plan_cache;
#endif
}

#endif
