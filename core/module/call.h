/* SPDX-License-Identifier: MIT */
/* One call of the codec of the level in use. Encoding reads the switch of the UTF-8 cache, informs
 * the recorder and raises the exception; for decoding, document/document.h does that. */
#ifndef SSRJSON_MODULE_CALL_H
#define SSRJSON_MODULE_CALL_H

#include "module/errors/exceptions.h"
#include "module/recorder.h"
#include "module/state.h"

/* ---- encoding ------------------------------------------------------------------------------ */

/* Encode by options that are complete except for the cache switch: a new reference, NULL with an
 * exception set. */
static ALWAYS_INLINE PyObject *encode_unrecorded(struct module_state *state, PyObject *object,
                                                 struct encode_options *options) {
    if (!options->has_write_cache) {
        options->is_write_cache = __atomic_load_n(&state->is_writing_cache, __ATOMIC_RELAXED);
    }
    const struct codec *const codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    struct encode_error error;
#if IS_FREE_THREADED
    size_t n_expected_bytes = 0;
    const struct taken_caches taken = thread_caches_take(&state->thread_caches);
    options->n_expected_bytes =
        taken.caches != NULL ? &taken.caches->n_expected_bytes : &n_expected_bytes;
    options->plan_cache = taken.caches != NULL ? &taken.caches->plan_cache : NULL;
    options->is_in_call = !taken.is_first;
#endif
    PyObject *const result = codec->encode(object, options, &error);
#if IS_FREE_THREADED
    thread_caches_give_back(taken);
#endif
    if (UNLIKELY(result == NULL)) {
        raise_encode_error(state, &error, options);
    }
    return result;
}

/* Encode, and add the cost of the call to the recorder of the context. */
static inline COLD PyObject *encode_and_record(struct module_state *state, PyObject *object,
                                               struct encode_options *options) {
    struct timing timing;
    if (timing_begin(&timing, state) != 0) {
        return NULL;
    }
    PyObject *const result = encode_unrecorded(state, object, options);
    timing_end(&timing, DIRECTION_ENCODE, 1, recorded_size(result));
    return result;
}

static inline PyObject *encode_by_options(struct module_state *state, PyObject *object,
                                          struct encode_options *options) {
    return is_recording(state) ? encode_and_record(state, object, options)
                               : encode_unrecorded(state, object, options);
}

/* ---- decoding ------------------------------------------------------------------------------ */

/* The value of a source by one of the codec's functions. */
static ALWAYS_INLINE PyObject *decode_source_by(struct module_state *state,
                                                PyObject *(*decode)(const struct source *,
                                                                    struct error *),
                                                const struct source *source, struct error *error) {
#if IS_FREE_THREADED
    const struct taken_caches taken = thread_caches_take(&state->thread_caches);
    struct decode_options options = *source->options;
    if (taken.caches != NULL) {
        options.key_cache = &taken.caches->key_cache;
        if (decode_learns_shapes(&options)) {
            options.shapes = &taken.caches->shape_tree;
        }
    }
    struct source own_source = *source;
    own_source.options = &options;
    PyObject *const value = decode(&own_source, error);
    thread_caches_give_back(taken);
    return value;
#else
    (void)state;
    return decode(source, error);
#endif
}

/* The value of a source with the option `only`, of which parts are made, or with `jsonc`, whose
 * text is made UTF-8 before; a new reference, or NULL with *error filled. */
COLD PyObject *decode_source_otherwise(struct module_state *state, const struct source *source,
                                       struct error *error);

/* The value of a source, a new reference; NULL with *error filled. */
static ALWAYS_INLINE PyObject *decode_source(struct module_state *state,
                                             const struct source *source, struct error *error) {
    if (UNLIKELY(source->options->only != NULL || source->options->is_jsonc)) {
        return decode_source_otherwise(state, source, error);
    }
    const struct codec *const codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    return decode_source_by(state, codec->decode, source, error);
}

/* The value of a source that goes on from a pause, a new reference; NULL with *error filled, and
 * the pause may go on from there. */
static ALWAYS_INLINE PyObject *decode_source_part(struct module_state *state,
                                                  const struct source *source,
                                                  struct error *error) {
    const struct codec *const codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    return decode_source_by(state, codec->decode_part, source, error);
}

#endif
