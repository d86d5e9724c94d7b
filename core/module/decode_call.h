/* SPDX-License-Identifier: MIT */
/* One call of the codec that decodes. The encoding counterpart is encode_call.h. */
#ifndef SSRJSON_MODULE_DECODE_CALL_H
#define SSRJSON_MODULE_DECODE_CALL_H

#include "module/state.h"

/* The value of a source by one of the codec's functions. */
static ALWAYS_INLINE PyObject *decode_source_by(struct module_state *state,
                                                PyObject *(*decode)(const struct source *,
                                                                    struct error *),
                                                const struct source *source, struct error *error) {
#if IS_FREE_THREADED
    const struct taken_worker taken = workers_take(&state->workers);
    struct decode_options options = *source->options;
    if (taken.worker != NULL) {
        options.key_cache = &taken.worker->key_cache;
        if (options.object_pairs_hook == NULL) { /* dicts are made, so there are shapes to learn */
            options.shapes = &taken.worker->shape_tree;
        }
    }
    struct source own_source = *source;
    own_source.options = &options;
    PyObject *const value = decode(&own_source, error);
    worker_give_back(taken);
    return value;
#else
    (void)state;
    return decode(source, error);
#endif
}

/* The value of a source, a new reference; NULL with *error filled. */
static ALWAYS_INLINE PyObject *decode_source(struct module_state *state,
                                             const struct source *source, struct error *error) {
    const struct codec *const codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    return decode_source_by(state, codec->decode, source, error);
}

/* The same for a source with a pause. */
static ALWAYS_INLINE PyObject *decode_source_part(struct module_state *state,
                                                  const struct source *source,
                                                  struct error *error) {
    const struct codec *const codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    return decode_source_by(state, codec->decode_part, source, error);
}

#endif
