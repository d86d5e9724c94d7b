/* SPDX-License-Identifier: MIT */
#include "module/encode_call.h"

COLD PyObject *encode_and_record(struct module_state *state, PyObject *object,
                                 struct encode_options *options) {
    struct timing timing;
    if (timing_begin(&timing, state) != 0) {
        return NULL;
    }
    PyObject *const result = encode_unrecorded(state, object, options);
    timing_end(&timing, DIRECTION_ENCODE, 1, recorded_size(result));
    return result;
}
