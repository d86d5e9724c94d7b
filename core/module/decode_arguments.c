/* SPDX-License-Identifier: MIT */
#include "module/decode_arguments.h"

struct decode_arguments make_decode_defaults(struct module_state *state) {
    return (struct decode_arguments){
        .options =
            {
                .is_strict = true,
                .allow_nan = true,
                .allow_surrogates = true,
                .max_depth = SIZE_MAX,
                .quirks = state->decode_quirks,
#if !IS_FREE_THREADED /* otherwise those of a worker, see decode_call.h */
                .key_cache = &state->key_cache,
                .shapes = &state->shape_tree,
#endif
            },
        .max_size = PY_SSIZE_T_MAX,
    };
}

COLD int decode_arguments_init(struct decode_arguments *arguments, const struct module_state *state,
                               const char *function, PyObject *const *values, PyObject *names) {
    const Py_ssize_t n = names != NULL ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *const name = PyTuple_GET_ITEM(names, i);
        const enum keyword keyword = keyword_find(state, DECODE_KEYWORDS, name);
        if (keyword == N_KEYWORDS) {
            keyword_refuse(function, name, DECODE_KEYWORDS);
            return -1;
        }
        if (keyword_set_field(arguments, keyword, values[i]) != 0) {
            return -1;
        }
    }
    if (arguments->options.object_pairs_hook != NULL) {
        arguments->options.shapes = NULL; /* no dicts are made, so there are no shapes to learn */
    }
    return 0;
}
