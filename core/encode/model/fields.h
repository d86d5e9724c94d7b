/* SPDX-License-Identifier: MIT */
/* What is asked of the fields of an object of pydantic: which are written, under which key, and
 * what those become that no rule covers. How the fields are read: borrowed_fields.h with the GIL,
 * held_fields.h without. */
#ifndef SSRJSON_ENCODE_MODEL_FIELDS_H
#define SSRJSON_ENCODE_MODEL_FIELDS_H

#include "encode/arranged_pairs.h"
#include "encode/fragments.h"
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
    } else if (UNLIKELY(encoder->options->arranges_fields) && converted != value &&
               Py_TYPE(converted) == encoder->options->context->fragment_type) {
        /* the library's text; a Fragment of the application is written as it is */
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

/* ---- the fields ---------------------------------------------------------------------------- */

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
    if (IS_FREE_THREADED && LIKELY(object_slot_is(object, plan->extra_slot, Py_None))) {
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

/* The replacement of an object of a derived class, or the seconds of a timedelta: a new reference.
 * NULL, with or without an exception, where neither is possible. */
static PyObject *model_replacement_of_one(const struct encoder *encoder, const struct node *rule,
                                          PyObject *value) {
    const struct encode_context *const context = encoder->options->context;
    PyTypeObject *const base = rule_base(rule, value);
    return base != NULL ? model_as_new(context->model_as_type, value, base)
                        : rule_seconds(rule, value, &context->native_types);
}

/* Of a list, too, with such items. NULL, without an exception, where that is not possible. */
static PyObject *model_replacement(const struct encoder *encoder, const struct node *rule,
                                   PyObject *value) {
    PyObject *replacement = model_replacement_of_one(encoder, rule, value);
    const struct node *const item_rule =
        replacement == NULL && PyList_CheckExact(value) ? rule_of_list_items(rule) : NULL;
    const struct rule_options rule_options = model_rule_options(encoder);
    PyObject *const items = item_rule != NULL ? snapshot_take(value) : NULL; /* list or tuple */
    if (items != NULL) {
        replacement = PyList_New(0);
    }
    /* a finalizer of the garbage collector may change both lists */
    for (Py_ssize_t i = 0;
         items != NULL && replacement != NULL && i < PySequence_Fast_GET_SIZE(items); i++) {
        PyObject *const item = Py_NewRef(PySequence_Fast_GET_ITEM(items, i));
        PyObject *const item_replacement = rule_fits(item_rule, item, &rule_options)
                                               ? Py_NewRef(item)
                                               : model_replacement_of_one(encoder, item_rule, item);
        if (item_replacement == NULL || PyList_Append(replacement, item_replacement) != 0) {
            Py_CLEAR(replacement);
        }
        Py_XDECREF(item_replacement);
        Py_DECREF(item);
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

/* Enter the pairs of an object, which are stolen. `runs_python`: some values are to be converted,
 * those with a place, or computed. */
static ALWAYS_INLINE enum native_outcome model_push_pairs(struct encoder *encoder,
                                                          const struct plan *plan, PyObject *object,
                                                          struct pairs *pairs, const size_t *places,
                                                          bool runs_python, struct native *native) {
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

#endif
