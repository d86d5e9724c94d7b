/* SPDX-License-Identifier: MIT */
/* Objects whose class has a plan with plain fields, read as the pairs of a dict are. */
#ifndef SSRJSON_ENCODE_MODEL_PLAIN_FIELDS_H
#define SSRJSON_ENCODE_MODEL_PLAIN_FIELDS_H

#include "encode/types/native.h"
#include "encode/model/plan.h"
#include "pyobject/instance.h"

#if !IS_FREE_THREADED
/* Whether an object has the fields of a plan with plain fields itself, in their order: those are
 * then its first entries. */
static ALWAYS_INLINE bool object_has_plain_fields(const struct plan *plan, PyObject *object,
                                                  struct dict_entries *fields) {
    if (!plan->has_plain_fields || plan->own_version != type_version(Py_TYPE(object)) ||
        !object_own_entries(object, fields) || fields->values == NULL ||
        fields->entry_bytes != STR_PAIR_BYTES || fields->n < plan->n_fields) {
        return false;
    }
    PyObject *const *const keys = (PyObject *const *)(const void *)fields->first;
    for (Py_ssize_t i = 0; i < plan->n_fields; i++) {
        if (keys[2 * i] != plan->fields[i].attribute || fields->values[i] == NULL) {
            return false;
        }
    }
    fields->n = plan->n_fields;
    return true;
}

/* Enter an object by its plain fields; NATIVE_NOT_KNOWN where it has others. */
static ALWAYS_INLINE enum native_outcome enter_plain_object(struct encoder *encoder,
                                                            PyObject *object,
                                                            struct native *native) {
    const struct encode_options *const options = encoder->options;
    struct plan *const plan =
        plan_cache_find(options_plan_cache(options), Py_TYPE(object), options->native.models);
    if (plan == NULL || !plan->is_only_model) {
        return NATIVE_NOT_KNOWN;
    }
    native->plan = plan;
    struct dict_entries fields;
    if (!encoder->reads_in_place || encoder->is_streaming ||
        !object_has_plain_fields(plan, object, &fields)) {
        return NATIVE_NOT_KNOWN;
    }
    struct frame *const frame = encoder_enter(encoder, object, FRAME_OBJECT);
    if (UNLIKELY(frame == NULL)) {
        return NATIVE_FAILED;
    }
    frame->items = (PyObject *)plan;
    frame->is_in_place = true;
    frame->layout = LAYOUT_SHARED;
    frame->at = fields.first;
    frame->end = fields.first + (size_t)fields.n * STR_PAIR_BYTES;
    frame->values = (uintptr_t)fields.values - (uintptr_t)fields.first / 2;
    return NATIVE_IN_OBJECT;
}
#endif

#endif
