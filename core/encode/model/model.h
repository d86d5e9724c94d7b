/* SPDX-License-Identifier: MIT */
/* Objects of model classes in the walk: recognised, and entered by the plan of their class.
 *
 * Where all values of an object fit the rules of its class, its __dict__ is walked as any dict is.
 * Where a field is renamed, left out or converted, the pairs to write are collected first. Values
 * that no rule covers are converted by the model's library. */
#ifndef SSRJSON_ENCODE_MODEL_MODEL_H
#define SSRJSON_ENCODE_MODEL_MODEL_H

#include "pyobject/python.h"

#if IS_FREE_THREADED
#include "encode/model/held_fields.h"
#else
#include "encode/model/borrowed_fields.h"
#endif

/* ---- objects ------------------------------------------------------------------------------- */

/* Replace an object by its root. */
static enum native_outcome model_enter_root(struct encoder *encoder, const struct plan *plan,
                                            PyObject *object, struct native *native) {
    PyObject *const dict = object_dict_snapshot(object);
    PyObject *root = NULL; /* borrowed from the dict */
    if (dict != NULL && plan->n_fields == 1) {
        root = PyDict_GetItemWithError(dict, plan->fields[0].attribute);
        PyErr_Clear();
    }
    enum native_outcome outcome = NATIVE_AS_VALUE;
    const struct rule_options rule_options = model_rule_options(encoder);
    if (root != NULL && rule_fits(plan->fields[0].rule, root, &rule_options)) {
        native->object = Py_NewRef(root);
    } else if (root != NULL && !native_let_python_run(encoder, object, native)) {
        outcome = NATIVE_FAILED;
    } else {
        if (root != NULL) {
            Py_INCREF(root); /* allocating may collect garbage */
            native->object = model_replacement(encoder, plan->fields[0].rule, root);
            Py_DECREF(root);
        }
        if (root == NULL || native->object == NULL) {
            outcome = model_as_value(encoder, plan, object, native);
        }
    }
    snapshot_release(dict);
    return outcome;
}

/* Whether the value of an attribute is written directly. */
static bool model_attribute_fits(const struct encoder *encoder, const struct plan_field *field,
                                 PyObject *value) {
    const struct rule_options rule_options = model_rule_options(encoder);
    return rule_fits(field->rule, value, &rule_options);
}

/* Replace the value that a frame holds by the library's conversion of it: the new value, owned by
 * the frame, or NULL with the error recorded. */
static COLD PyObject *model_convert_attribute(struct encoder *encoder, struct frame *frame,
                                              const struct plan_field *field) {
    if (!encoder_may_ask_python(encoder)) {
        return NULL;
    }
    if (!encoder_own_frames(encoder)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NULL;
    }
    encoder->n_frames_by_python += !frame->is_made_by_python;
    frame->is_made_by_python = true;
    PyObject *const converted = model_convert(encoder, field->convert, frame->held);
    if (converted != NULL) {
        Py_SETREF(frame->held, converted);
    }
    return converted;
}

/* Whether the options leave out a field of an object that pydantic has no rules for. */
static inline bool model_leaves_out(const struct encoder *encoder, const struct plan_field *field,
                                    PyObject *value) {
    const struct encode_options *const options = encoder->options;
    return (options->leaves_out_none && value == Py_None) ||
           (options->omits_defaults && value_is_omitted(value, field->default_value));
}

/* The value of an object's next field, owned by its frame, with encoder->key set; NULL at the end
 * or with the error recorded. `is_partly`: the options may leave fields out. */
static ALWAYS_INLINE PyObject *model_next_field(struct encoder *encoder, struct frame *frame,
                                                bool is_partly) {
    const struct plan *const plan = frame->plan;
    while (frame->index < plan->n_fields) {
        const struct plan_field *const field = &plan->fields[frame->index];
        PyObject *value = NULL;
        if (field->slot >= 0) {
            value = object_slot(frame->object, field->slot);
        } else if (plan->own_version != 0 && plan->type == Py_TYPE(frame->object) &&
                   plan->own_version == type_version(plan->type)) {
            value = Py_XNewRef(object_own_value(frame->object, field->attribute, frame->index));
        }
        if (value == NULL) {
            if ((plan->runs_python ||
                 !object_attribute_is_plain(frame->object, field->attribute)) &&
                !encoder_own_frames(encoder)) {
                encoder_fail(encoder, ERROR_RAISED, NULL);
                return NULL;
            }
            value = PyObject_GetAttr(frame->object, field->attribute);
            if (value == NULL) {
                encoder_fail(encoder, ERROR_REFUSED, NULL);
                return NULL;
            }
        }
        frame->index++;
        const bool is_written =
            value != plan->unset && !(is_partly && model_leaves_out(encoder, field, value));
        Py_XSETREF(frame->held, value);
        if (is_written && field->rule != NULL && !model_attribute_fits(encoder, field, value)) {
            value = model_convert_attribute(encoder, frame, field);
        }
        if (value == NULL) {
            return NULL;
        }
        if (is_written) {
            encoder->key = field->key;
            return value;
        }
    }
    return NULL;
}

/* The next field that the options do not leave out. */
static COLD NOINLINE PyObject *model_next_part(struct encoder *encoder, struct frame *frame) {
    return model_next_field(encoder, frame, true);
}

/* Read all fields of the object whose frame is on top, and go on with their pairs, arranged. */
static COLD NOINLINE enum native_outcome model_arrange_attributes(struct encoder *encoder) {
    struct frame *const frame = &encoder->frames[encoder->n_frames - 1];
    const size_t n_max = (size_t)frame->plan->n_fields;
    struct pairs *const pairs = PyMem_Malloc(sizeof *pairs + n_max * sizeof *pairs->pair);
    if (pairs == NULL) {
        PyErr_NoMemory();
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    *pairs = (struct pairs){.n = 0};
    const bool is_partly = frame->kind == FRAME_MODEL_PARTLY;
    PyObject *value;
    while ((value = model_next_field(encoder, frame, is_partly)) != NULL) {
        pairs->pair[pairs->n++] =
            (struct pair){.key = Py_NewRef(encoder->key), .value = Py_NewRef(value)};
    }
    encoder->has_failed_at_next = encoder_has_failed(encoder);
    if (encoder_has_failed(encoder) || (pairs->n != 0 && !encoder_arrange_fields(encoder, pairs))) {
        pairs_free(pairs);
        return NATIVE_FAILED;
    }
    if (pairs->n == 0) {
        pairs_free(pairs);
        encoder_pop(encoder);
        return NATIVE_AS_EMPTY_OBJECT;
    }
    PyObject *const plan = frame->items;
    PyObject *const held = frame->held;
    frame->pairs = pairs;
    frame->held = NULL;
    frame->index = 0;
    frame->kind = FRAME_PAIRS;
    frame->is_of_attributes = true;
    frame->is_in_place = encoder_reads_in_place(encoder, FRAME_PAIRS, NULL);
    encoder_raise_generation(encoder);
    Py_DECREF(plan);
    Py_XDECREF(held);
    return NATIVE_IN_OBJECT;
}

/* Enter an object by its attributes. The plan is stolen. */
static enum native_outcome model_enter_attributes(struct encoder *encoder, struct plan *plan,
                                                  PyObject *object) {
    if (plan->n_fields == 0) {
        Py_DECREF(plan);
        return NATIVE_AS_EMPTY_OBJECT;
    }
    if (plan->runs_python && !encoder_may_ask_python(encoder)) {
        Py_DECREF(plan);
        return NATIVE_FAILED;
    }
    const struct encode_options *const options = encoder->options;
    const bool is_partly =
        (options->leaves_out_none || options->omits_defaults) && encoder->pydantic_depth == 0;
    if (!encoder_push_owned(encoder, (PyObject *)plan, object,
                            UNLIKELY(is_partly) ? FRAME_MODEL_PARTLY : FRAME_MODEL,
                            plan->runs_python)) {
        return NATIVE_FAILED;
    }
    encoder->frames[encoder->n_frames - 1].plan = plan;
    return UNLIKELY(options->arranges_fields) ? model_arrange_attributes(encoder)
                                              : NATIVE_IN_OBJECT;
}

/* Enter an object by the plan of its class, or of a base of it; NATIVE_NOT_KNOWN where the class is
 * no model. */
static NOINLINE enum native_outcome model_enter(struct encoder *encoder, PyObject *object,
                                                PyTypeObject *type, struct native *native) {
    const struct encode_options *const options = encoder->options;
    struct plan *plan = native->plan;
    if (plan == NULL || plan->type != type) {
        plan = encoder_find_plan(encoder, type);
    }
    if (plan == NULL) {
        if (!native_let_python_run(encoder, object, native)) {
            return NATIVE_FAILED;
        }
        plan = model_make_plan(options, type);
        if (plan == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return NATIVE_FAILED;
        }
    } else {
        Py_INCREF(plan);
    }
    enum native_outcome outcome = NATIVE_NOT_KNOWN;
    switch (plan->kind) {
    case PLAN_ATTRIBUTES: return model_enter_attributes(encoder, plan, object);
    case PLAN_DICT:
    case PLAN_ORDERED: outcome = model_enter_dict(encoder, plan, object, native); break;
    case PLAN_ROOT: outcome = model_enter_root(encoder, plan, object, native); break;
    case PLAN_OPAQUE: outcome = model_as_value(encoder, plan, object, native); break;
    case PLAN_NONE: break;
    }
    Py_DECREF(plan);
    return outcome;
}

/* Enter an object that model_replacement wrapped, by the plan of its base. */
static enum native_outcome model_enter_as(struct encoder *encoder, PyObject *value,
                                          struct native *native) {
    const struct model_as *const as = (const struct model_as *)value;
    const enum native_outcome outcome = model_enter(encoder, as->object, as->base, native);
    if (outcome ==
        NATIVE_NOT_KNOWN) { /* the base is no model after all; no hook may get the wrapper */
        native->object = Py_NewRef(as->object);
        return NATIVE_AS_VALUE;
    }
    return outcome;
}

#endif
