/* SPDX-License-Identifier: MIT */
/* Objects of model classes in the walk: recognised, and entered by the plan of their class.
 *
 * Where all values of an object fit the rules of its class, its __dict__ is walked as any dict is.
 * Where a field is renamed, left out or converted, the pairs to write are collected first. Values
 * that no rule covers are converted by the model's library. */
#ifndef SSRJSON_ENCODE_MODEL_MODEL_H
#define SSRJSON_ENCODE_MODEL_MODEL_H

#include "encode/arranged_pairs.h"
#include "encode/model/default_value.h"
#include "encode/model/plan.h"
#include "encode/types/native.h"
#include "pyobject/instance.h"
#include "pyobject/object.h"
#include "pyobject/snapshot.h"

/* ---- calls of a model's library, in Python, and what plans need of the options -------------- */

/* Ask ssrjson_web._models for the plan of a class and cache it: a new reference, NULL with an
 * exception set. */
static COLD struct plan *model_make_plan(const struct encode_options *options, PyTypeObject *type) {
    static const char *const names[] = {"none", "all", "pydantic"};
    const enum models_option models = options->native.models;
    PyObject *make_plan = LOAD_SHARED(options->context->make_plan);
    if (make_plan == NULL) {
        PyObject *const module = PyImport_ImportModule("ssrjson_web._models");
        if (module == NULL) {
            return NULL;
        }
        make_plan = PyObject_GetAttrString(module, "plan_of");
        Py_DECREF(module);
        if (make_plan == NULL) {
            return NULL;
        }
        make_plan = publish_once(&options->context->make_plan, make_plan);
    }
    const unsigned version = type_version(type);
    PyObject *const description =
        PyObject_CallFunction(make_plan, "Os", (PyObject *)type, names[models]);
    if (description == NULL) {
        return NULL;
    }
    struct plan *const plan =
        plan_cache_add(options_plan_cache(options), options->context->plan_type, type, models,
                       version, description);
    Py_DECREF(description);
    return plan;
}

/* Convert an object, or the value of one of its fields, by its library: a new reference, NULL with
 * the error recorded. Py_NotImplemented where the library would warn of a value or refuse it. */
static NOINLINE PyObject *model_convert(struct encoder *encoder, PyObject *convert,
                                        PyObject *value) {
    const struct model_options *const options = &encoder->options->models;
    PyObject *const arguments[] = {
        value,
        options->is_python ? Py_False : Py_True,
        options->by_alias == ALIAS_AS_CONFIGURED ? Py_None
        : options->by_alias == ALIAS_ON          ? Py_True
                                                 : Py_False,
        options->exclude_unset ? Py_True : Py_False,
        options->exclude_defaults ? Py_True : Py_False,
        options->exclude_none ? Py_True : Py_False,
    };
    PyObject *converted = PyObject_Vectorcall(convert, arguments, 6, NULL);
    if (converted == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    } else if (UNLIKELY(encoder->options->arranges_fields) &&
               Py_TYPE(converted) == encoder->options->context->fragment_type) {
        Py_SETREF(converted, encoder_read_fragment(encoder, converted));
    }
    return converted;
}

/* Whether the caller writes, by the library, the whole of what it encodes, where that refuses a
 * part. */
static ALWAYS_INLINE bool model_is_callers(const struct encoder *encoder) {
    const struct encode_options *const options = encoder->options;
    return options->exact_types && options->native.models == MODELS_ALL;
}

/* model_convert for the value of a field, if the caller does not do that for the whole. */
static PyObject *model_convert_field(struct encoder *encoder, const struct plan_field *field,
                                     PyObject *value) {
    return field->is_of_root && model_is_callers(encoder)
               ? Py_NewRef(Py_NotImplemented)
               : model_convert(encoder, field->convert, value);
}

/* What the library makes of an object that it warns of: a new reference, NULL with the error
 * recorded. */
static COLD PyObject *model_dump(struct encoder *encoder, const struct plan *plan,
                                 PyObject *object) {
    if (model_is_callers(encoder) || plan->dump == NULL) {
        encoder_fail(encoder, ERROR_NOT_SERIALIZABLE, object);
        return NULL;
    }
    return model_convert(encoder, plan->dump, object);
}

/* What the rules must know of an encoder's options. */
static ALWAYS_INLINE struct rule_options model_rule_options(const struct encoder *encoder) {
    const struct encode_options *const options = encoder->options;
    return (struct rule_options){
        .excludes_none = options->models.exclude_none,
        .writes_nan = !options->models.is_python,
        .any =
            {
                .types = &options->context->native_types,
                .is_exact = options->exact_types,
                .has_pydantic_formats = options->native.has_pydantic_formats,
                .has_msgspec_formats = options->native.has_msgspec_formats,
                .has_msgspec_floats =
                    options->has_own_floats || options->floats == FLOAT_PYDANTIC_OLD,
            },
    };
}

/* Whether keys are aliases. */
static ALWAYS_INLINE bool model_is_by_alias(const struct encoder *encoder,
                                            const struct plan *plan) {
    const enum alias_option by_alias = encoder->options->models.by_alias;
    return by_alias == ALIAS_AS_CONFIGURED ? plan->by_alias : by_alias == ALIAS_ON;
}

/* ---- objects ------------------------------------------------------------------------------- */

/* Convert the whole object. */
static COLD enum native_outcome model_as_value(struct encoder *encoder, const struct plan *plan,
                                               PyObject *object, struct native *native) {
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, object, native)) {
        return NATIVE_FAILED;
    }
    native->object = plan->is_of_root && model_is_callers(encoder)
                         ? Py_NewRef(Py_NotImplemented)
                         : model_convert(encoder, plan->convert, object);
    if (native->object == Py_NotImplemented) {
        Py_SETREF(native->object, model_dump(encoder, plan, object));
    }
    return native->object != NULL ? NATIVE_AS_VALUE : NATIVE_FAILED;
}

/* How an object is written. */
enum model_way {
    MODEL_IN_PLACE,
    MODEL_BY_PAIRS,
    MODEL_CONVERTED,
};

/* The field of a key in an object's __dict__, searched first where it most likely is; NULL where
 * there is none. Runs no Python code. */
static ALWAYS_INLINE const struct plan_field *model_field(const struct plan *plan, PyObject *key,
                                                          Py_ssize_t place) {
    if (LIKELY(place < plan->n_fields && plan->fields[place].attribute == key)) {
        return &plan->fields[place];
    }
    if (!PyUnicode_CheckExact(key)) {
        return NULL;
    }
    PyObject *const found = PyDict_GetItemWithError(plan->places, key);
    if (found == NULL) {
        PyErr_Clear();
        return NULL;
    }
    return &plan->fields[PyLong_AsSsize_t(found)];
}

/* Whether a set holds only strs of no subclass, so that a look-up by str compares them without
 * Python code. */
static inline bool set_has_only_str(PyObject *set) {
    Py_ssize_t position = 0;
    PyObject *item;
    while (set_next(set, &position, &item)) {
        if (!PyUnicode_CheckExact(item)) {
            return false;
        }
    }
    return true;
}

/* The fields that were set, a snapshot; NULL where all fields count. False where they are
 * unknown. */
static inline bool model_fields_set(const struct encoder *encoder, const struct plan *plan,
                                    PyObject *object, PyObject **fields_set) {
    *fields_set = NULL;
    if (!encoder->options->models.exclude_unset) {
        return true;
    }
    if (plan->fields_set_slot < 0) {
        return false;
    }
    PyObject *const set = snapshot_slot(object, plan->fields_set_slot);
    if (set != NULL && PySet_CheckExact(set)) {
        *fields_set = snapshot_take(set);
    }
    snapshot_release(set);
    return *fields_set != NULL && set_has_only_str(*fields_set);
}

/* Whether an object has no fields beside those that its class declares. */
static ALWAYS_INLINE bool model_has_no_extra(const struct plan *plan, PyObject *object) {
    if (plan->extra_slot < 0) {
        return true;
    }
    PyObject *const extra = snapshot_slot(object, plan->extra_slot);
    const bool has_none =
        extra != NULL &&
        (extra == Py_None || (PyDict_CheckExact(extra) && PyDict_GET_SIZE(extra) == 0));
    snapshot_release(extra);
    return has_none;
}

/* Whether a field is written at all; -1 where only Python code can decide. */
static ALWAYS_INLINE int model_writes(const struct encoder *encoder, const struct plan_field *field,
                                      PyObject *value, PyObject *fields_set) {
    const struct model_options *const options = &encoder->options->models;
    if (field->is_excluded || (options->exclude_none && value == Py_None)) {
        return 0;
    }
    if (UNLIKELY(fields_set != NULL)) {
        const int is_set = PySet_Contains(fields_set, field->attribute);
        if (is_set <= 0) {
            PyErr_Clear();
            return is_set;
        }
    }
    if (UNLIKELY(options->exclude_defaults)) {
        const int is_default = value_is_default(value, field->default_value);
        return is_default < 0 ? -1 : !is_default;
    }
    return 1;
}

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

/* The replacement of an object of a derived class, or the seconds of a timedelta: a new reference.
 * NULL, with or without an exception, where neither is possible. */
static PyObject *model_replacement_of_one(const struct encoder *encoder, const struct rule *rule,
                                          PyObject *value) {
    const struct encode_context *const context = encoder->options->context;
    PyTypeObject *const base = rule_base(rule, value);
    return base != NULL ? model_as_new(context->model_as_type, value, base)
                        : rule_seconds(rule, value, &context->native_types);
}

/* Of a list, too, with such items. NULL, without an exception, where that is not possible. */
static PyObject *model_replacement(const struct encoder *encoder, const struct rule *rule,
                                   PyObject *value) {
    PyObject *replacement = model_replacement_of_one(encoder, rule, value);
    const struct rule *const item_rule =
        replacement == NULL && PyList_CheckExact(value) ? rule_of_list_items(rule) : NULL;
    const struct rule_options rule_options = model_rule_options(encoder);
    PyObject *const items = item_rule != NULL ? snapshot_take(value) : NULL; /* list or tuple */
    if (items != NULL) {
        replacement = PyList_New(PySequence_Fast_GET_SIZE(items));
    }
    for (Py_ssize_t i = 0; items != NULL && replacement != NULL && i < PyList_GET_SIZE(replacement);
         i++) {
        PyObject *const item =
            i < PySequence_Fast_GET_SIZE(items) ? PySequence_Fast_GET_ITEM(items, i) : NULL;
        PyObject *item_replacement = NULL;
        if (item != NULL && rule_fits(item_rule, item, &rule_options)) {
            item_replacement = Py_NewRef(item);
        } else if (item != NULL) {
            item_replacement = model_replacement_of_one(encoder, item_rule, item);
        }
        if (item_replacement == NULL) {
            Py_CLEAR(replacement);
        } else {
            PyList_SET_ITEM(replacement, i, item_replacement);
        }
    }
    snapshot_release(items);
    PyErr_Clear();
    return replacement;
}

enum computed {
    COMPUTED_PAIRS,
    COMPUTED_REFUSED, /* the library would warn of a value, or refuse it */
    COMPUTED_FAILED,  /* with the error recorded */
};

static inline enum computed computed_of(PyObject *converted) {
    return converted == NULL                ? COMPUTED_FAILED
           : converted == Py_NotImplemented ? COMPUTED_REFUSED
                                            : COMPUTED_PAIRS;
}

/* Convert the collected values that do not fit and append the computed fields; all pairs are
 * owned. */
static COLD enum computed model_compute(struct encoder *encoder, const struct plan *plan,
                                        PyObject *object, struct pairs *pairs,
                                        const size_t *places) {
    const struct model_options *const options = &encoder->options->models;
    const struct rule_options rule_options = model_rule_options(encoder);
    const bool by_alias = model_is_by_alias(encoder, plan);
    pairs_own_from(pairs, 0);
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        struct pair *const pair = &pairs->pair[i];
        if (places[i] != 0) {
            const struct plan_field *const field = &plan->fields[places[i] - 1];
            PyObject *converted = model_replacement(encoder, field->rule, pair->value);
            if (converted == NULL) {
                converted = model_convert_field(encoder, field, pair->value);
            }
            if (computed_of(converted) != COMPUTED_PAIRS) {
                Py_XDECREF(converted);
                return computed_of(converted);
            }
            Py_SETREF(pair->value, converted);
        }
    }
    for (Py_ssize_t i = plan->n_fields; i < plan->n_fields + plan->n_computed; i++) {
        const struct plan_field *const field = &plan->fields[i];
        PyObject *value = PyObject_GetAttr(object, field->attribute);
        if (value == NULL) {
            encoder_fail(encoder, ERROR_RAISED, NULL);
            return COMPUTED_FAILED;
        }
        if (value == Py_None && options->exclude_none) {
            Py_DECREF(value);
            continue;
        }
        if (!rule_fits(field->rule, value, &rule_options)) {
            Py_SETREF(value, model_convert_field(encoder, field, value));
            if (computed_of(value) != COMPUTED_PAIRS) {
                Py_XDECREF(value);
                return computed_of(value);
            }
        }
        pairs->pair[pairs->n++] = (struct pair){
            .key = Py_NewRef(by_alias ? field->alias : field->key),
            .value = value,
        };
    }
    return COMPUTED_PAIRS;
}

/* Enter the pairs of an object. */
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
    if (runs_python) {
        const enum computed computed =
            encoder_may_ask_python(encoder) && native_let_python_run(encoder, object, native)
                ? model_compute(encoder, plan, object, pairs, places)
                : COMPUTED_FAILED;
        if (computed != COMPUTED_PAIRS) {
            pairs_free(pairs);
            native->object =
                computed == COMPUTED_REFUSED ? model_dump(encoder, plan, object) : NULL;
            return native->object != NULL ? NATIVE_AS_VALUE : NATIVE_FAILED;
        }
    }
    if (pairs->n == 0) {
        pairs_free(pairs);
        return NATIVE_AS_EMPTY_OBJECT;
    }
    if (UNLIKELY(encoder->options->arranges_fields) && !encoder_arrange_fields(encoder, pairs)) {
        pairs_free(pairs);
        return NATIVE_FAILED;
    }
    struct frame frame = {.pairs = pairs,
                          .object = object,
                          .kind = FRAME_PAIRS,
                          .has_holdings = true,
                          .is_made_by_python = runs_python};
    if (IS_FREE_THREADED || runs_python || encoder->is_streaming || native->held != NULL ||
        pairs->first_owned == 0) {
        Py_INCREF(object);
        pairs_own_from(pairs, 0);
        frame.is_owning = true;
    }
    if (!encoder_push(encoder, &frame)) {
        return NATIVE_FAILED;
    }
    encoder->n_frames_by_python += runs_python;
    return NATIVE_IN_OBJECT;
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
        /* a frame that borrows the dict is not enough for a snapshot, nor where Python code has run
         * and may have released the object elsewhere */
        if (IS_FREE_THREADED || native->held != NULL || encoder->options->arranges_fields) {
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
        plan = plan_cache_find(options_plan_cache(options), type, options->native.models);
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
    } else if (!IS_FREE_THREADED) {
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
