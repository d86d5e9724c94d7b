/* SPDX-License-Identifier: MIT */
/* The fields of an object of pydantic with the GIL: read in its __dict__, and borrowed from there.
 */
#ifndef SSRJSON_ENCODE_MODEL_BORROWED_FIELDS_H
#define SSRJSON_ENCODE_MODEL_BORROWED_FIELDS_H

#include "encode/model/fields.h"

/* Whether an object has the fields of its class and no other, in their order, and each is written
 * directly: the quick answer for most objects, and false does not mean that it is not so. Runs no
 * Python code. */
static ALWAYS_INLINE bool model_is_plain(const struct encoder *encoder, const struct plan *plan,
                                         PyObject *dict) {
    const struct model_options *const options = &encoder->options->models;
    size_t n_bytes;
    PyObject *const *const pairs = (PyObject *const *)(const void *)dict_str_pairs(dict, &n_bytes);
    if (pairs == NULL || n_bytes != (size_t)plan->n_fields * STR_PAIR_BYTES ||
        plan->n_computed != 0 || plan->has_excluded || options->exclude_unset ||
        options->exclude_defaults || options->exclude_none ||
        (plan->is_renamed && model_is_by_alias(encoder, plan))) {
        return false;
    }
    const struct rule_options rule_options = model_rule_options(encoder);
    for (Py_ssize_t i = 0; i < plan->n_fields; i++) {
        const struct plan_field *const field = &plan->fields[i];
        if (field->attribute != pairs[2 * i] ||
            UNLIKELY(!rule_fits(field->rule, pairs[2 * i + 1], &rule_options))) {
            return false;
        }
    }
    return true;
}

/* Inspect all fields of an object and choose how it is written. Runs no Python code. */
static enum model_way model_look(const struct encoder *encoder, const struct plan *plan,
                                 PyObject *dict, PyObject *fields_set) {
    if (LIKELY(model_is_plain(encoder, plan, dict))) {
        return MODEL_IN_PLACE;
    }
    const struct rule_options rule_options = model_rule_options(encoder);
    bool is_in_place = plan->n_computed == 0 && !plan->has_excluded &&
                       !(plan->is_renamed && model_is_by_alias(encoder, plan));
    Py_ssize_t n_visited = 0;
    Py_ssize_t n_seen = 0;
    PyObject *key;
    PyObject *value;
    struct dict_cursor cursor = dict_cursor(dict);
    while (dict_cursor_next(&cursor, dict, &key, &value)) {
        const struct plan_field *const field = model_field(plan, key, n_seen++);
        if (UNLIKELY(field == NULL)) {
            is_in_place = false; /* the value of a cached_property, for example */
            continue;
        }
        if (plan->kind == PLAN_ORDERED && field != &plan->fields[n_visited]) {
            return MODEL_CONVERTED;
        }
        n_visited++;
        const int is_written = model_writes(encoder, field, value, fields_set);
        if (UNLIKELY(is_written < 0)) {
            return MODEL_CONVERTED;
        }
        if (UNLIKELY(!is_written)) {
            is_in_place = false;
        } else if (UNLIKELY(!rule_fits(field->rule, value, &rule_options))) {
            if (field->convert == NULL) {
                return MODEL_CONVERTED;
            }
            is_in_place = false;
        }
    }
    if (n_visited != plan->n_fields) {
        return MODEL_CONVERTED;
    }
    return is_in_place ? MODEL_IN_PLACE : MODEL_BY_PAIRS;
}

/* Collect the fields of an object, borrowed; a pair's place is the field's + 1 where the value must
 * be converted, otherwise 0. Returns whether any must. */
static bool model_collect_fields(const struct encoder *encoder, const struct plan *plan,
                                 PyObject *dict, PyObject *fields_set, struct pairs *pairs,
                                 size_t *places) {
    const struct rule_options rule_options = model_rule_options(encoder);
    const bool by_alias = model_is_by_alias(encoder, plan);
    bool is_any_converted = false;
    Py_ssize_t n_seen = 0;
    PyObject *key;
    PyObject *value;
    struct dict_cursor cursor = dict_cursor(dict);
    pairs->n = 0;
    while (dict_cursor_next(&cursor, dict, &key, &value)) {
        const struct plan_field *const field = model_field(plan, key, n_seen++);
        if (field == NULL || model_writes(encoder, field, value, fields_set) <= 0) {
            continue;
        }
        const bool is_fit = rule_fits(field->rule, value, &rule_options);
        is_any_converted |= !is_fit;
        places[pairs->n] = is_fit ? 0 : (size_t)(field - plan->fields) + 1;
        pairs->pair[pairs->n++] = (struct pair){
            .key = by_alias ? field->alias : field->key,
            .value = value,
        };
    }
    pairs->first_owned = pairs->n;
    pairs->are_keys_exact_strs = false;
    return is_any_converted;
}

/* Enter the fields of an object that are written. */
static enum native_outcome model_enter_pairs(struct encoder *encoder, const struct plan *plan,
                                             PyObject *object, PyObject *dict, PyObject *fields_set,
                                             struct native *native) {
    const size_t n_max = (size_t)(PyDict_GET_SIZE(dict) + plan->n_computed);
    size_t *places;
    struct pairs *const pairs =
        PyMem_Malloc(sizeof *pairs + n_max * (sizeof *pairs->pair + sizeof *places));
    if (pairs == NULL) {
        PyErr_NoMemory();
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    places = (size_t *)(pairs->pair + n_max);
    const bool runs_python = model_collect_fields(encoder, plan, dict, fields_set, pairs, places) ||
                             plan->n_computed != 0;
    return model_push_pairs(encoder, plan, object, pairs, places, runs_python, native);
}

/* Enter an object whose fields are in a dict, as far as they are set. */
static ALWAYS_INLINE enum native_outcome model_enter_fields(struct encoder *encoder,
                                                            const struct plan *plan,
                                                            PyObject *object, PyObject *dict,
                                                            PyObject *fields_set,
                                                            struct native *native) {
    switch (model_look(encoder, plan, dict, fields_set)) {
    case MODEL_IN_PLACE:
        if (PyDict_GET_SIZE(dict) == 0) {
            return NATIVE_AS_EMPTY_OBJECT;
        }
        /* a frame that borrows the dict is not enough where Python code has run and may have
         * released the object elsewhere */
        if (native->held != NULL || encoder->options->arranges_fields) {
            return model_enter_pairs(encoder, plan, object, dict, fields_set, native);
        }
        return encoder_enter(encoder, dict, FRAME_DICT) != NULL ? NATIVE_IN_OBJECT : NATIVE_FAILED;
    case MODEL_BY_PAIRS: return model_enter_pairs(encoder, plan, object, dict, fields_set, native);
    case MODEL_CONVERTED: break;
    }
    return model_as_value(encoder, plan, object, native);
}

/* Enter an object whose fields are in its __dict__. */
static enum native_outcome model_enter_dict(struct encoder *encoder, const struct plan *plan,
                                            PyObject *object, struct native *native) {
    PyObject *const dict = object_dict_snapshot(object);
    PyObject *fields_set = NULL;
    const enum native_outcome outcome =
        dict != NULL && model_has_no_extra(plan, object) &&
                model_fields_set(encoder, plan, object, &fields_set)
            ? model_enter_fields(encoder, plan, object, dict, fields_set, native)
            : model_as_value(encoder, plan, object, native);
    snapshot_release(fields_set);
    snapshot_release(dict);
    return outcome;
}

#endif
