/* SPDX-License-Identifier: MIT */
/* One call that encodes: the switch of the UTF-8 cache, the codec of the level in use, the
 * recorder, the exception. What document.h is to decoding. */
#ifndef SSRJSON_MODULE_ENCODE_CALL_H
#define SSRJSON_MODULE_ENCODE_CALL_H

#include "module/exceptions.h"
#include "module/recorder.h"

/* Encode by options that are complete but for the cache switch: a new reference, NULL with an
 * exception set. */
static ALWAYS_INLINE PyObject *encode_unrecorded(struct module_state *state, PyObject *object,
                                                 struct encode_options *options) {
    if (!options->has_write_cache) {
        options->is_write_cache = __atomic_load_n(&state->is_writing_cache, __ATOMIC_RELAXED);
    }
    const struct codec *const codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    struct encode_error error;
    PyObject *const result = codec->encode(object, options, &error);
    if (UNLIKELY(result == NULL)) {
        raise_encode_error(state, &error, options);
    }
    return result;
}

/* Encode, and add what it cost to the recorder of the context. */
COLD PyObject *encode_and_record(struct module_state *state, PyObject *object,
                                 struct encode_options *options);

static inline PyObject *encode_by_options(struct module_state *state, PyObject *object,
                                          struct encode_options *options) {
    return is_recording(state) ? encode_and_record(state, object, options)
                               : encode_unrecorded(state, object, options);
}

#endif
