/* SPDX-License-Identifier: MIT */
#include "module/args/arguments.h"

#include "decode/number_array.h"
#include "decode/selection.h"
#include "pyobject/object.h"

#define NUMBER_ARRAYS_FROM 16 /* the default, also in option_list.h */

struct decode_arguments make_decode_defaults(struct module_state *state) {
    return (struct decode_arguments){
        .options =
            {
                .is_strict = true,
                .allow_nan = true,
                .allow_surrogates = true,
                .max_depth = SIZE_MAX,
                .number_arrays_from = NUMBER_ARRAYS_FROM,
                .quirks = state->decode_quirks,
                .nan = &state->nan,
#if !IS_FREE_THREADED /* otherwise those of a thread, see module/call.h */
                .key_cache = &state->key_cache,
                .key_cases = &state->encode_context.key_cases,
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
    if ((PyObject *)native_types_get(types, NATIVE_DECIMAL) != class) {
        return NULL;
    }
    if (native_types_must_probe(types, NATIVE_DECIMAL)) {
        native_types_probe(types, NATIVE_DECIMAL);
    }
    if (!native_types_is_in_c(types, NATIVE_DECIMAL)) {
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

/* The parts that are asked for, a new reference in the arguments. */
static int set_only(struct decode_arguments *arguments, PyObject *value) {
    PyObject *const selection = value != Py_None ? selection_new(value) : NULL;
    if (selection == NULL && value != Py_None) {
        return -1;
    }
    Py_XSETREF(arguments->selection, selection);
    arguments->options.only = selection != NULL ? selection_of(selection) : NULL;
    return 0;
}

/* Whether a type, parts, and arrays of numbers, go with the other options; -1 with TypeError set.
 */
static int check_combinations(const struct decode_arguments *arguments) {
    const struct decode_options *const options = &arguments->options;
    const char *const of_lists = options->array_hook != NULL         ? "array_hook"
                                 : options->parse_float != NULL      ? "parse_float"
                                 : options->parse_int != NULL        ? "parse_int"
                                 : options->parse_constant != NULL   ? "parse_constant"
                                 : arguments->partial != PARTIAL_OFF ? "partial"
                                                                     : NULL;
    const char *const of_type = options->key_case != KEY_AS_IT_IS    ? "key_case"
                                : options->object_hook != NULL       ? "object_hook"
                                : options->object_pairs_hook != NULL ? "object_pairs_hook"
                                                                     : of_lists;
    const bool has_arrays = options->number_arrays != NUMBER_ARRAYS_OFF;
    if (arguments->type_plan != NULL && (of_type != NULL || has_arrays)) {
        PyErr_Format(PyExc_TypeError, "type cannot be combined with %s",
                     of_type != NULL ? of_type : "number_arrays");
        return -1;
    }
    const bool is_decimal = options->parse_float != NULL && options->decimal != NULL;
    const char *const of_parts = arguments->type_plan != NULL ? "type"
                                 : has_arrays                 ? "number_arrays"
                                 : is_decimal && !options->has_hooks &&
                                         options->key_case == KEY_AS_IT_IS &&
                                         arguments->partial == PARTIAL_OFF
                                     ? NULL
                                 : is_decimal && options->parse_int != NULL      ? "parse_int"
                                 : is_decimal && options->parse_constant != NULL ? "parse_constant"
                                                                                 : of_type;
    if (options->only != NULL && of_parts != NULL) {
        PyErr_Format(PyExc_TypeError, "only cannot be combined with %s", of_parts);
        return -1;
    }
    if (!has_arrays && options->number_arrays_from != NUMBER_ARRAYS_FROM) {
        PyErr_SetString(PyExc_TypeError, "number_arrays_from has no effect without number_arrays");
        return -1;
    }
    if (has_arrays && of_lists != NULL) {
        PyErr_Format(PyExc_TypeError, "number_arrays cannot be combined with %s", of_lists);
        return -1;
    }
    return 0;
}

/* What makes arrays of a kind, a new reference: see number_array.h. NULL with an exception set. */
static PyObject *make_number_arrays_maker(enum number_arrays kind) {
    PyObject *maker = NULL;
    PyObject *const module = PyImport_ImportModule(kind == NUMBER_ARRAYS_NUMPY ? "numpy" : "array");
    if (module == NULL) {
        if (kind == NUMBER_ARRAYS_NUMPY && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) {
            PyErr_SetString(PyExc_ModuleNotFoundError,
                            "number_arrays='numpy' needs numpy: pip install numpy");
        }
        return NULL;
    }
    if (kind == NUMBER_ARRAYS_NUMPY) {
        PyObject *const empty = PyObject_GetAttrString(module, "empty");
        PyObject *const floats = PyObject_CallMethod(module, "dtype", "s", "f8");
        PyObject *const ints =
            floats != NULL ? PyObject_CallMethod(module, "dtype", "s", "i8") : NULL;
        if (empty != NULL && ints != NULL) {
            maker = PyTuple_Pack(MAKER_LENGTH, empty, floats, ints);
        }
        Py_XDECREF(empty);
        Py_XDECREF(floats);
        Py_XDECREF(ints);
    } else {
        PyObject *const class = PyObject_GetAttrString(module, "array");
        maker = class != NULL ? Py_BuildValue("(Oss)", class, "d", "q") : NULL;
        Py_XDECREF(class);
    }
    Py_DECREF(module);
    return maker;
}

/* Find what makes the arrays that the options want; -1 with an exception set. */
static int set_number_arrays(struct decode_options *options, struct module_state *state) {
    if (options->number_arrays == NUMBER_ARRAYS_OFF) {
        return 0;
    }
    PyObject **const place =
        &state->number_arrays_makers[options->number_arrays == NUMBER_ARRAYS_NUMPY];
    PyObject *maker = LOAD_SHARED(*place);
    if (maker == NULL) {
        maker = make_number_arrays_maker(options->number_arrays);
        if (maker == NULL) {
            return -1;
        }
        maker = publish_once(place, maker);
    }
    options->number_arrays_maker = maker;
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
            : keyword == KEYWORD_ONLY      ? set_only(arguments, values[i])
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
    /* making an array may run hooks of the interpreter */
    options->has_hooks = options->number_arrays != NUMBER_ARRAYS_OFF || options->has_scalar_hooks ||
                         options->object_hook != NULL || options->object_pairs_hook != NULL ||
                         options->array_hook != NULL;
    if (!decode_learns_shapes(options)) {
        options->shapes = NULL;
    }
    if (options->key_case != KEY_AS_IT_IS && arguments->partial != PARTIAL_OFF) {
        PyErr_SetString(PyExc_TypeError, "key_case cannot be combined with partial");
        return -1;
    }
    return check_combinations(arguments) == 0 ? set_number_arrays(options, state) : -1;
}
