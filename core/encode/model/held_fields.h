/* SPDX-License-Identifier: MIT */
/* The fields of an object of pydantic without the GIL: one copy of the pairs of its __dict__, which
 * the frame then owns. What is checked is what is written, whatever other threads do meanwhile. */
#ifndef SSRJSON_ENCODE_MODEL_HELD_FIELDS_H
#define SSRJSON_ENCODE_MODEL_HELD_FIELDS_H

#include "encode/model/fields.h"

/* In the place of a pair: it is not written. Others are 0, or the field's + 1 where the value must
 * be converted. */
#define PLACE_LEFT_OUT SIZE_MAX

/* Whether a value fits its field's rule. With `takes_items` a list that does is replaced by the
 * tuple of its items, so that they are not copied again. */
static ALWAYS_INLINE bool held_value_fits(const struct node *rule, PyObject **value,
                                          bool takes_items,
                                          const struct rule_options *rule_options) {
    if (rule == NULL || LIKELY(rule->plain_type == Py_TYPE(*value))) {
        return true;
    }
    return LIKELY(takes_items) ? rule_fits_held(rule, value, rule_options)
                               : rule_fits_closely(rule, *value, rule_options);
}

/* Look at all fields of an object, choose how it is written, and store the place of each pair. */
static enum model_way model_look(const struct encoder *encoder, const struct plan *plan,
                                 struct pairs *pairs, PyObject *fields_set, size_t *places) {
    const struct rule_options rule_options = model_rule_options(encoder);
    bool is_in_place =
        plan->n_computed == 0 && !(plan->is_renamed && model_is_by_alias(encoder, plan));
    /* a list is read later where Python code may change it before its turn, and remains one where
     * tuples may be nested deeper */
    const bool takes_items =
        plan->n_computed == 0 && !encoder->is_streaming && encoder->options->max_depth == 0;
    Py_ssize_t n_visited = 0;
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        struct pair *const pair = &pairs->pair[i];
        const struct plan_field *const field = model_field(plan, pair->key, i);
        places[i] = PLACE_LEFT_OUT;
        if (UNLIKELY(field == NULL)) { /* the value of a cached_property, for example */
            is_in_place = false;
            continue;
        }
        if (plan->kind == PLAN_ORDERED && field != &plan->fields[n_visited]) {
            return MODEL_CONVERTED;
        }
        n_visited++;
        const int is_written = model_writes(encoder, field, pair->value, fields_set);
        if (UNLIKELY(is_written < 0)) {
            return MODEL_CONVERTED;
        }
        if (UNLIKELY(!is_written)) {
            is_in_place = false;
            continue;
        }
        places[i] = 0;
        if (UNLIKELY(!held_value_fits(field->rule, &pair->value, takes_items, &rule_options))) {
            if (field->convert == NULL) {
                return MODEL_CONVERTED;
            }
            is_in_place = false;
            places[i] = (size_t)(field - plan->fields) + 1;
        }
    }
    if (n_visited != plan->n_fields) {
        return MODEL_CONVERTED;
    }
    return is_in_place ? MODEL_IN_PLACE : MODEL_BY_PAIRS;
}

/* Leave out the pairs that are not written, and give the others the keys that are. Returns whether
 * a value must be converted. May run Python code: that of values that nothing else holds. */
static bool model_collect_fields(const struct encoder *encoder, const struct plan *plan,
                                 struct pairs *pairs, size_t *places) {
    const bool by_alias = model_is_by_alias(encoder, plan);
    bool is_any_converted = false;
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        const struct pair pair = pairs->pair[i];
        const size_t place = places[i];
        if (place == PLACE_LEFT_OUT) {
            Py_DECREF(pair.value);
        } else {
            const struct plan_field *const field = model_field(plan, pair.key, i);
            PyObject *const key = by_alias ? field->alias : field->key;
            is_any_converted |= place != 0;
            places[n] = place;
            pairs->pair[n++] = (struct pair){.key = Py_NewRef(key), .value = pair.value};
        }
        Py_DECREF(pair.key);
    }
    pairs->n = n;
    pairs->are_keys_exact_strs = false;
    return is_any_converted;
}

/* Enter the copied fields of an object, which are stolen. */
static ALWAYS_INLINE enum native_outcome model_enter_fields(struct encoder *encoder,
                                                            const struct plan *plan,
                                                            PyObject *object, struct pairs *pairs,
                                                            PyObject *fields_set,
                                                            struct native *native) {
    size_t *const places = (size_t *)(pairs->pair + pairs->n + plan->n_computed);
    bool runs_python = false;
    switch (model_look(encoder, plan, pairs, fields_set, places)) {
    case MODEL_CONVERTED: pairs_free(pairs); return model_as_value(encoder, plan, object, native);
    case MODEL_BY_PAIRS:
        runs_python = model_collect_fields(encoder, plan, pairs, places) || plan->n_computed != 0;
        break;
    case MODEL_IN_PLACE:
        if (LIKELY(pairs->n != 0) && LIKELY(!encoder->options->arranges_fields)) {
            return encoder_push_pairs(encoder, pairs, object) ? NATIVE_IN_OBJECT : NATIVE_FAILED;
        }
        break;
    }
    return model_push_pairs(encoder, plan, object, pairs, places, runs_python, native);
}

/* Enter an object whose fields are in its __dict__. */
static enum native_outcome model_enter_dict(struct encoder *encoder, const struct plan *plan,
                                            PyObject *object, struct native *native) {
    PyObject *const dict = object_shared_dict(object);
    PyObject *fields_set = NULL;
    enum native_outcome outcome;
    if (dict == NULL || !model_has_no_extra(plan, object) ||
        !model_fields_set(encoder, plan, object, &fields_set)) {
        outcome = model_as_value(encoder, plan, object, native);
    } else {
        struct pairs *const pairs =
            pairs_from_shared_dict(dict, (size_t)plan->n_computed, sizeof(size_t));
        if (pairs == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            outcome = NATIVE_FAILED;
        } else {
            outcome = model_enter_fields(encoder, plan, object, pairs, fields_set, native);
        }
    }
    Py_XDECREF(fields_set);
    Py_XDECREF(dict);
    return outcome;
}

#endif
