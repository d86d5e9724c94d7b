/* SPDX-License-Identifier: MIT */
/* One encoding call: it reads the switch of the UTF-8 cache, calls the codec of the level in use,
 * informs the recorder and raises the exception. The decoding counterpart is document.h. */
#ifndef SSRJSON_MODULE_ENCODE_CALL_H
#define SSRJSON_MODULE_ENCODE_CALL_H

#include "module/errors/exceptions.h"
#include "module/recorder.h"

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
    const struct taken_worker taken = workers_take(&state->workers);
    options->n_expected_bytes =
        taken.worker != NULL ? &taken.worker->n_expected_bytes : &n_expected_bytes;
    options->plan_cache = taken.worker != NULL ? &taken.worker->plan_cache : NULL;
    options->is_in_call = !taken.is_first;
#endif
    PyObject *const result = codec->encode(object, options, &error);
#if IS_FREE_THREADED
    worker_give_back(taken);
#endif
    if (UNLIKELY(result == NULL)) {
        raise_encode_error(state, &error, options);
    }
    return result;
}

/* Encode, and add the cost of the call to the recorder of the context. */
COLD PyObject *encode_and_record(struct module_state *state, PyObject *object,
                                 struct encode_options *options);

static inline PyObject *encode_by_options(struct module_state *state, PyObject *object,
                                          struct encode_options *options) {
    return is_recording(state) ? encode_and_record(state, object, options)
                               : encode_unrecorded(state, object, options);
}

#endif
