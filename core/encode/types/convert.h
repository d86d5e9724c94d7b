/* SPDX-License-Identifier: MIT */
/* The general way of all types beyond JSON's: a value is converted by its type. */
#ifndef SSRJSON_ENCODE_TYPES_CONVERT_H
#define SSRJSON_ENCODE_TYPES_CONVERT_H

#include "encode/model/model.h"
#include "encode/types/containers.h"
#include "encode/types/exported.h"
#include "encode/types/scalar.h"

/* Enter an object of a model class, and note whether pydantic's rules are for it, and so for all
 * within it: for options that leave such objects to pydantic. */
static COLD NOINLINE enum native_outcome native_enter_noted(struct encoder *encoder,
                                                            enum native_type which, PyObject *value,
                                                            struct native *native) {
    PyObject *const *const words = encoder->options->context->native_types.words;
    PyTypeObject *const type = Py_TYPE(value);
    const enum native_outcome outcome = which == NATIVE_MODEL
                                            ? model_enter(encoder, value, type, native)
                                            : model_enter_as(encoder, value, native);
    if (outcome == NATIVE_AS_VALUE &&
        !encoder_push_owned(encoder, native->object, value, FRAME_REPLACEMENT,
                            native->held != NULL)) {
        return NATIVE_FAILED;
    }
    if (encoder->pydantic_depth != 0 ||
        (outcome != NATIVE_AS_VALUE && outcome != NATIVE_IN_OBJECT)) {
        return outcome;
    }
    struct frame *const frame = &encoder->frames[encoder->n_frames - 1];
    const bool is_by_attributes = frame->kind == FRAME_MODEL || frame->kind == FRAME_MODEL_PARTLY ||
                                  (frame->kind == FRAME_PAIRS && frame->is_of_attributes);
    if (!is_by_attributes &&
        (which == NATIVE_MODEL_AS || type_look_up(type, words[WORD_PYDANTIC_SERIALIZER]) != NULL ||
         type_look_up(type, words[WORD_PLAN]) != NULL)) {
        frame->has_holdings = true; /* so that encoder_release_popped ends it */
        encoder->pydantic_depth = encoder->n_frames;
    }
    return outcome;
}

/* Convert a value of a type that JSON has no form for, as the options say. The frame on top owns
 * the container that is entered, or the value that replaces this one. The caller releases
 * native->held, whatever the outcome. */
static NOINLINE enum native_outcome encoder_convert(struct encoder *encoder, PyObject *value,
                                                    struct native *native) {
    native->held = NULL;
    native->refusal = NULL;
    const struct encode_options *const options = encoder->options;
    const enum native_type which =
        native->plan != NULL ||
                (options->native.models != MODELS_OFF && encoder_has_dict_plan(encoder, value))
            ? NATIVE_MODEL /* checked before any other type could match */
            : native_find_type(encoder, value);
    enum native_outcome outcome;
    switch (which) {
    case NATIVE_SET:
    case NATIVE_FROZENSET:
    case NATIVE_DEQUE:
    case NATIVE_DICT_KEYS:
    case NATIVE_DICT_VALUES:
    case NATIVE_DICT_ITEMS:
    case NATIVE_ITERATOR: return native_enter_iterable(encoder, value, native);
    case NATIVE_MAPPING_PROXY: return native_enter_mapping(encoder, value, native);
    case NATIVE_UNKNOWN: return native_ask_for_mapping(encoder, value, native);
    case NATIVE_MODEL:
        if (UNLIKELY(options->notes_pydantic)) {
            return native_enter_noted(encoder, which, value, native);
        }
        outcome = model_enter(encoder, value, Py_TYPE(value), native);
        break;
    case NATIVE_MODEL_AS:
        if (UNLIKELY(options->notes_pydantic)) {
            return native_enter_noted(encoder, which, value, native);
        }
        outcome = model_enter_as(encoder, value, native);
        break;
    case NATIVE_TENSOR: outcome = native_tensor(encoder, value, native); break;
    case NATIVE_ARROW: outcome = native_arrow(encoder, value, native); break;
    case NATIVE_ARRAY: outcome = native_array(encoder, value, native); break;
    default: outcome = native_convert(encoder, which, value, native); break;
    }
    if (outcome == NATIVE_NOT_KNOWN && native->refusal != NULL &&
        (options->default_hook == NULL || encoder->n_final_frames != 0)) {
        return native_refuse(encoder, native->refusal);
    }
    if (outcome == NATIVE_AS_VALUE &&
        !encoder_push_owned(encoder, native->object, value, FRAME_REPLACEMENT,
                            native->held != NULL)) {
        return NATIVE_FAILED;
    }
    return outcome;
}

#endif
