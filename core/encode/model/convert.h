/* SPDX-License-Identifier: MIT */
/* Calls of a model's library, in Python: for the plan of a class, or to convert a value. And the
 * options of the encoder that plans depend on. */
#ifndef SSRJSON_ENCODE_MODEL_CONVERT_H
#define SSRJSON_ENCODE_MODEL_CONVERT_H

#include "encode/native/native.h"
#include "encode/model/plan.h"
#include "pyobject/object.h"

/* Ask ssrjson_web._models for the plan of a class and cache it: a new reference, NULL with an
 * exception set. */
static COLD PyObject *model_make_plan(const struct encode_options *options, PyTypeObject *type) {
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
    PyObject *const plan =
        plan_cache_add(options_plan_cache(options), type, models, version, description);
    Py_DECREF(description);
    return plan;
}

/* The names of the arguments of pydantic's to_python, borrowed; NULL with an exception set. */
static PyObject *model_to_python_names(struct encode_context *context) {
    PyObject *names = LOAD_SHARED(context->to_python_names);
    if (names == NULL) {
        names = Py_BuildValue("(sssss)", "mode", "by_alias", "exclude_unset", "exclude_defaults",
                              "exclude_none");
        if (names != NULL) {
            names = publish_once(&context->to_python_names, names);
        }
    }
    return names;
}

/* Convert an object, or the value of one of its fields, by its library: a new reference, NULL with
 * the error recorded. */
static NOINLINE PyObject *model_convert(struct encoder *encoder, const struct converter *converter,
                                        PyObject *value) {
    struct encode_context *const context = encoder->options->context;
    const struct model_options *const options = &encoder->options->models;
    PyObject *const mode = converter->is_to_python ? context->native_types.words[WORD_JSON]
                           : options->is_python    ? Py_False
                                                   : Py_True;
    PyObject *const arguments[] = {
        value,
        mode,
        options->by_alias == ALIAS_AS_CONFIGURED ? Py_None
        : options->by_alias == ALIAS_ON          ? Py_True
                                                 : Py_False,
        options->exclude_unset ? Py_True : Py_False,
        options->exclude_defaults ? Py_True : Py_False,
        options->exclude_none ? Py_True : Py_False,
    };
    PyObject *converted = NULL;
    if (!converter->is_to_python) {
        converted = PyObject_Vectorcall(converter->call, arguments, 6, NULL);
    } else {
        PyObject *const names = model_to_python_names(context);
        if (names != NULL) {
            converted = PyObject_Vectorcall(converter->call, arguments, 1, names);
        }
    }
    if (converted == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    }
    return converted;
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
