/* SPDX-License-Identifier: MIT */
/* The general way of all types beyond JSON's: a value, or a key, is converted by its type. */
#ifndef SSRJSON_ENCODE_TYPES_CONVERT_H
#define SSRJSON_ENCODE_TYPES_CONVERT_H

#include "encode/model/model.h"
#include "encode/types/bytes.h"
#include "encode/types/datetime_derived.h"
#include "encode/types/decimal.h"
#include "encode/types/enum.h"
#include "encode/types/find_type.h"
#include "encode/types/containers.h"
#include "encode/types/exported.h"
#include "encode/types/numpy.h"
#include "encode/types/uuid.h"

/* An Enum's value may be a member of another Enum, but not for ever. */
#define MAX_KEY_STEPS 8

/* Convert a value without items; NATIVE_NOT_KNOWN for a value with items. Nothing is entered. The
 * caller releases native->held, whatever the outcome. */
static COLD enum native_outcome native_convert(struct encoder *encoder, enum native_type which,
                                               PyObject *value, struct native *native) {
    native->object = NULL;
    native->held = NULL;
    native->refusal = NULL;
    switch (which) {
    case NATIVE_ENUM: return native_enum(encoder, value, native);
    case NATIVE_DATETIME: return native_moment(encoder, NATIVE_DATETIME, value, native);
    case NATIVE_DATE: return native_moment(encoder, NATIVE_DATE, value, native);
    case NATIVE_TIME: return native_moment(encoder, NATIVE_TIME, value, native);
    case NATIVE_TIMEDELTA: return native_timedelta(encoder, value, native);
    case NATIVE_UUID: return native_uuid(encoder, value, native);
    case NATIVE_DECIMAL: return native_decimal(encoder, value, native);
    case NATIVE_BYTES:
    case NATIVE_BYTEARRAY:
    case NATIVE_MEMORYVIEW: return native_bytes(encoder, value, native);
    case NATIVE_PATH: return native_str(encoder, value, native);
    case NATIVE_LONG_DOUBLE: return native_long_double(encoder, value, native);
    case NATIVE_DATETIME64:
    case NATIVE_TIMEDELTA64: return native_time64(encoder, value, native);
    case NATIVE_SCALAR: return native_scalar(encoder, value, native);
    case NATIVE_DERIVED: {
        const enum native_outcome outcome = native_derived(encoder, value, native, &which);
        return which == NATIVE_DERIVED ? outcome : native_convert(encoder, which, value, native);
    }
    default: return NATIVE_NOT_KNOWN;
    }
}

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
        encoder->looks_into_dicts = IS_FREE_THREADED || encoder->options->sort_keys ||
                                    encoder->options->replaces_keys ||
                                    encoder->options->exact_types;
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

/* Replace a key of a native type by one that stdlib writes: encoder->key becomes a str, int, float,
 * bool or None that the encoder owns. False where the key is of no such type, or with the error
 * recorded. */
static COLD bool encoder_convert_key(struct encoder *encoder) {
    char room[ISO_TIME_ROOM];
    struct native native;
    native.text = room;
    PyObject *key = Py_NewRef(encoder->key);
    bool is_converted = false;
    for (int n_steps = 0; !is_converted; n_steps++) {
        if (n_steps == MAX_KEY_STEPS) {
            Py_DECREF(key);
            return false;
        }
        const enum native_outcome outcome =
            native_convert(encoder, native_find_type(encoder, key), key, &native);
        PyObject *text;
        switch (outcome) {
        case NATIVE_AS_TEXT:
        case NATIVE_AS_DIGITS:
            text = PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, native.text,
                                             (Py_ssize_t)native.n_text);
            break;
        case NATIVE_AS_NULL: text = Py_NewRef(Py_None); break;
        case NATIVE_AS_NUMBER:
        case NATIVE_AS_VALUE: text = native.object; break;
        default:
            if (outcome == NATIVE_NOT_KNOWN && native.refusal != NULL &&
                !encoder->options->skipkeys) {
                native_refuse(encoder, native.refusal);
            }
            Py_XDECREF(native.held);
            Py_DECREF(key);
            return false;
        }
        Py_XDECREF(native.held);
        Py_DECREF(key);
        if (text == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return false;
        }
        key = text;
        is_converted = PyUnicode_Check(key) || encoder_is_coercible_key(key);
    }
    Py_XSETREF(encoder->native_key, key);
    encoder->key = key;
    return true;
}

#endif
