/* SPDX-License-Identifier: MIT */
#include "module/args/arguments.h"

#include "pyobject/object.h"

struct decode_arguments make_decode_defaults(struct module_state *state) {
    return (struct decode_arguments){
        .options =
            {
                .is_strict = true,
                .allow_nan = true,
                .allow_surrogates = true,
                .max_depth = SIZE_MAX,
                .quirks = state->decode_quirks,
#if !IS_FREE_THREADED /* otherwise those of a thread, see module/call.h */
                .key_cache = &state->key_cache,
                .shapes = &state->shape_tree,
#endif
            },
        .max_size = PY_SSIZE_T_MAX,
    };
}

/* A Decimal to make others like, borrowed, where the class is that of the C code; otherwise NULL
 * without an exception. */
static PyObject *find_decimal(struct module_state *state, PyObject *class) {
    struct native_types *const types = &state->encode_context.native_types;
    if ((PyObject *)native_types_get(types, NATIVE_DECIMAL) != class ||
        !native_types_is_in_c(types, NATIVE_DECIMAL)) {
        return NULL;
    }
    PyObject *decimal = LOAD_SHARED(state->decimal);
    if (decimal == NULL) {
        decimal = PyObject_CallFunction(class, "s", "1");
        if (decimal != NULL) {
            decimal = publish_once(&state->decimal, decimal);
        }
        PyErr_Clear();
    }
    return decimal;
}

/* A callable, "decimal" or None. */
static int set_parse_float(struct decode_arguments *arguments, struct module_state *state,
                           PyObject *value) {
    PyObject *hook = value != Py_None ? value : NULL; /* borrowed */
    if (PyUnicode_Check(value)) {
        if (keyword_read_format(KEYWORD_PARSE_FLOAT, value) < 0) {
            return -1;
        }
        PyObject *const module = PyImport_ImportModule("decimal");
        Py_XDECREF(module); /* sys.modules and the state keep it, and the class */
        struct native_types *const types = &state->encode_context.native_types;
        hook = module != NULL ? (PyObject *)native_types_get(types, NATIVE_DECIMAL) : NULL;
        if (hook == NULL) {
            if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_ImportError, "the module decimal has no class Decimal");
            }
            return -1;
        }
    }
    if (hook != NULL && !PyCallable_Check(hook)) {
        PyErr_Format(PyExc_TypeError, "parse_float must be callable or None, not %.200s",
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    arguments->options.parse_float = hook;
    arguments->options.decimal =
        hook != NULL && PyType_Check(hook) ? find_decimal(state, hook) : NULL;
    return 0;
}

/* The plan of a type, a new reference in the arguments. */
static int set_type(struct decode_arguments *arguments, struct module_state *state,
                    PyObject *value) {
    if (value == Py_None) {
        return 0;
    }
    PyObject *make = LOAD_SHARED(state->make_type_plan); /* borrowed */
    if (make == NULL) {
        PyObject *const module = PyImport_ImportModule("ssrjson_web._models.types");
        make = module != NULL ? PyObject_GetAttrString(module, "plan_of") : NULL;
        Py_XDECREF(module);
        if (make == NULL) {
            return -1;
        }
        make = publish_once(&state->make_type_plan, make);
    }
    PyObject *const plan = PyObject_CallOneArg(make, value);
    if (plan != NULL && !Py_IS_TYPE(plan, state->type_plan_type)) {
        PyErr_SetString(PyExc_TypeError, "the plan of a type is a _TypePlan");
        Py_DECREF(plan);
        return -1;
    }
    Py_XSETREF(arguments->type_plan, plan);
    return plan != NULL ? 0 : -1;
}

/* Whether a type goes with the other options; -1 with TypeError set. */
static int check_type(const struct decode_arguments *arguments) {
    const struct decode_options *const options = &arguments->options;
    const char *const other = options->object_hook != NULL         ? "object_hook"
                              : options->object_pairs_hook != NULL ? "object_pairs_hook"
                              : options->array_hook != NULL        ? "array_hook"
                              : options->parse_float != NULL       ? "parse_float"
                              : options->parse_int != NULL         ? "parse_int"
                              : options->parse_constant != NULL    ? "parse_constant"
                              : arguments->partial != PARTIAL_OFF  ? "partial"
                                                                   : NULL;
    if (arguments->type_plan != NULL && other != NULL) {
        PyErr_Format(PyExc_TypeError, "type cannot be combined with %s", other);
        return -1;
    }
    return 0;
}

COLD int decode_arguments_init(struct decode_arguments *arguments, struct module_state *state,
                               const char *function, struct keyword_range range,
                               PyObject *const *values, PyObject *names) {
    const Py_ssize_t n = names != NULL ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *const name = PyTuple_GET_ITEM(names, i);
        const enum keyword keyword = keyword_find(state, range, name);
        if (keyword == N_KEYWORDS) {
            keyword_refuse(function, name, range);
            return -1;
        }
        const int status =
            keyword == KEYWORD_PARSE_FLOAT ? set_parse_float(arguments, state, values[i])
            : keyword == KEYWORD_TYPE      ? set_type(arguments, state, values[i])
                                           : keyword_set_field(arguments, keyword, values[i]);
        if (status != 0) {
            return -1;
        }
    }
    if (arguments->options.int64 != INT_UNLIMITED && arguments->options.parse_int != NULL) {
        PyErr_SetString(PyExc_TypeError, "int64 has no effect with parse_int");
        return -1;
    }
    struct decode_options *const options = &arguments->options;
    options->has_scalar_hooks = (options->parse_float != NULL && options->decimal == NULL) ||
                                options->parse_int != NULL || options->parse_constant != NULL;
    options->has_hooks = options->has_scalar_hooks || options->object_hook != NULL ||
                         options->object_pairs_hook != NULL || options->array_hook != NULL;
    if (options->object_pairs_hook != NULL) {
        options->shapes = NULL; /* no dicts are made, so there are no shapes to learn */
    }
    return check_type(arguments);
}
