/* SPDX-License-Identifier: MIT */
/* Arrays that other libraries export: tensors by DLPack, and arrays and tables of Arrow. */
#ifndef SSRJSON_ENCODE_TYPES_EXPORTED_H
#define SSRJSON_ENCODE_TYPES_EXPORTED_H

#include "encode/types/native.h"

/* The outcome for an export: one that has no form here goes to the hook, where there is one. */
static inline enum native_outcome native_opened(struct encoder *encoder, enum opened opened,
                                                enum native_outcome outcome) {
    if (opened == OPENED) {
        return outcome;
    }
    const bool has_hook = encoder->options->default_hook != NULL && encoder->n_final_frames == 0;
    if (opened == OPENED_REFUSED && has_hook) {
        PyErr_Clear();
        return NATIVE_NOT_KNOWN;
    }
    encoder_fail(encoder, ERROR_REFUSED, NULL);
    return NATIVE_FAILED;
}

static COLD enum native_outcome native_tensor(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    struct native_types *const types = &encoder->options->context->native_types;
    return native_opened(encoder, tensor_open(types, &native->array, value), NATIVE_NDARRAY);
}

static COLD enum native_outcome native_arrow(struct encoder *encoder, PyObject *value,
                                             struct native *native) {
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    return native_opened(encoder, arrow_open(encoder->options, &native->arrow, value),
                         NATIVE_ARROW_DATA);
}

#endif
