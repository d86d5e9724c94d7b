/* SPDX-License-Identifier: MIT */
/* Calls of a model's library, in Python: for the plan of a class, or to convert a value. And the
 * options of the encoder that plans depend on. */
#ifndef SSRJSON_ENCODE_MODEL_CONVERT_H
#define SSRJSON_ENCODE_MODEL_CONVERT_H

#include "encode/types/native.h"
#include "encode/model/plan.h"
#include "pyobject/object.h"

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
    PyObject *const converted = PyObject_Vectorcall(convert, arguments, 6, NULL);
    if (converted == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    }
    return converted;
}

/* What the library makes of an object that it warns of: a new reference, NULL with the error
 * recorded. With exact_types the caller does that, for the whole of what it encodes. */
static COLD PyObject *model_dump(struct encoder *encoder, const struct plan *plan,
                                 PyObject *object) {
    const struct encode_options *const options = encoder->options;
    const bool is_callers = options->exact_types && options->native.models == MODELS_ALL;
    if (is_callers || plan->dump == NULL) {
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

#endif
