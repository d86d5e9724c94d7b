/* SPDX-License-Identifier: MIT */
/* The type of a value, among those beyond JSON's that the options switch on. */
#ifndef SSRJSON_ENCODE_TYPES_FIND_TYPE_H
#define SSRJSON_ENCODE_TYPES_FIND_TYPE_H

#include "encode/encoder.h"
#include "pyobject/type.h"

/* Whether exact_types leaves a type to the hook, because some of the encoders that exact_types
 * imitates do not know it. */
static inline bool native_is_for_hook_where_exact(enum native_type which) {
    return which == NATIVE_MEMORYVIEW || which == NATIVE_DEQUE || which == NATIVE_DICT_KEYS ||
           which == NATIVE_DICT_VALUES || which == NATIVE_DICT_ITEMS ||
           which == NATIVE_MAPPING_PROXY;
}

/* Whether a class is derived from one of datetime's classes that is switched on. With numpy,
 * datetimes always count: pandas.NaT is a datetime, and is written as numpy's NaT. */
static inline bool native_is_derived(const struct native_options *options,
                                     struct native_types *types, PyTypeObject *type) {
    if (native_is_of(types, type, NATIVE_DATETIME)) {
        return type != native_types_known(types, NATIVE_DATETIME) &&
               (options->datetime != MOMENT_OFF || options->numpy);
    }
    for (int i = NATIVE_DATE; i <= NATIVE_TIMEDELTA; i++) {
        if (native_is_of(types, type, (enum native_type)i)) {
            return type != native_types_known(types, i) &&
                   native_is_on(options, (enum native_type)i);
        }
    }
    return false;
}

/* The type of a value, among those that are switched on. Runs no Python code, and so knows no
 * mappings other than Python's own. */
static inline enum native_type native_find_type(struct encoder *encoder, PyObject *value) {
    const struct native_options *const options = &encoder->options->native;
    struct native_types *const types = &encoder->options->context->native_types;
    PyTypeObject *const type = Py_TYPE(value);
    const bool is_exact = encoder_is_exact(encoder);
    if (type == encoder->options->context->model_as_type) {
        return NATIVE_MODEL_AS;
    }
    /* What has a plan is none of these types. Nor is its class asked again whether it is a model:
     * without the GIL, looking up an attribute of it counts a reference, for which threads wait. */
    const bool has_plan = !is_exact && type->tp_flags & Py_TPFLAGS_HEAPTYPE &&
                          (options->dataclass || options->models != MODELS_OFF) &&
                          encoder_find_plan(encoder, type) != NULL;
    for (int i = 0; i < N_NATIVE_TYPES && !has_plan; i++) {
        if (native_types_known(types, i) == type && native_is_on(options, (enum native_type)i)) {
            return is_exact && native_is_for_hook_where_exact((enum native_type)i)
                       ? NATIVE_UNKNOWN
                       : (enum native_type)i;
        }
    }
    if (options->enum_ != ENUM_OFF && native_is_of(types, type, NATIVE_ENUM)) {
        return NATIVE_ENUM;
    }
    if ((has_plan || native_is_model(options, types, type, is_exact)) && !PyType_Check(value)) {
        return NATIVE_MODEL;
    }
    if (is_exact) {
        for (int i = NATIVE_ENUM + 1; i < N_NATIVE_TYPES;
             i++) { /* types whose modules were imported in the meantime */
            if (i != NATIVE_MAPPING && native_is_on(options, (enum native_type)i) &&
                !native_is_for_hook_where_exact((enum native_type)i) &&
                native_types_get(types, (enum native_type)i) == type) {
                return (enum native_type)i;
            }
        }
        return options->arrays ? native_types_find_export(types, type) : NATIVE_UNKNOWN;
    }
    if (native_is_derived(options, types, type)) {
        return NATIVE_DERIVED;
    }
    for (int i = NATIVE_ENUM + 1; i < N_NATIVE_TYPES; i++) {
        if (i != NATIVE_MAPPING && native_is_on(options, (enum native_type)i) &&
            native_is_of(types, type, (enum native_type)i)) {
            /* as a date, a datetime would lose its time */
            const bool is_cut = i == NATIVE_DATE && native_is_of(types, type, NATIVE_DATETIME);
            return is_cut ? NATIVE_UNKNOWN : (enum native_type)i;
        }
    }
    const enum native_type array =
        options->arrays ? native_types_find_export(types, type) : NATIVE_UNKNOWN;
    if (array != NATIVE_UNKNOWN) {
        return array;
    }
    return options->iterables && PyIter_Check(value) ? NATIVE_ITERATOR : NATIVE_UNKNOWN;
}

#endif
