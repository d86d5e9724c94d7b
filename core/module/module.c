/* SPDX-License-Identifier: MIT */
/* ssrjson_web._core: the public functions and the module. */
#include "inspect/inspect.h"
#include "isa/codec.h"
#include "module/document/document.h"
#include "module/document/typed_document.h"
#include "module/args/arguments.h"
#include "module/call.h"
#include "module/classes/classes.h"
#include "module/slices.h"

#ifndef SSRJSON_VERSION
#error "the build defines SSRJSON_VERSION"
#endif

static struct module_state *state_of(PyObject *module) {
    return PyModule_GetState(module);
}

#define ENSURE_ASCII_DEFAULT "False"

/* ---- encoding ------------------------------------------------------------------------------ */

static NOINLINE PyObject *encode_with(PyObject *module, const char *function,
                                      struct encode_options *options, PyObject *const *args,
                                      Py_ssize_t n_args, PyObject *names) {
    if (check_one_positional(function, n_args) != 0) {
        return NULL;
    }
    struct module_state *const state = state_of(module);
    const struct keyword_range taken =
        options->to_bytes ? ENCODE_BYTES_KEYWORDS : ENCODE_STR_KEYWORDS;
    PyObject *result = NULL;
    if ((names == NULL && !options->is_stdlib) ||
        options_init(options, state, function, taken, args + 1, names) == 0) {
        result = encode_by_options(state, args[0], options);
    }
    options_clear(options);
    return result;
}

/* dumps and dumps_to_bytes. Without keyword arguments no options are made. */
static ALWAYS_INLINE PyObject *encode_to(bool to_bytes, PyObject *module, PyObject *const *args,
                                         Py_ssize_t n_args, PyObject *names) {
    struct module_state *const state = state_of(module);
#if !IS_FREE_THREADED
    if (LIKELY(names == NULL) && LIKELY(n_args == 1)) {
        return encode_by_options(state, args[0], &state->encode_defaults[to_bytes]);
    }
#endif
    struct encode_options options = options_defaults(state);
    options.to_bytes = to_bytes;
    return encode_with(module, to_bytes ? "dumps_to_bytes" : "dumps", &options, args, n_args,
                       names);
}

PyDoc_STRVAR(
    dumps_doc,
    "dumps($module, obj, /, " ENCODE_PARAMETERS ")\n--\n\n"
    "The JSON text of an object as a str.\n\n"
    "Parameters and exceptions are those of json.dumps; without indent and separators the\n"
    "text is compact, and non-ASCII text is kept unless ensure_ascii is true." ENCODE_LINES);

static PyObject *core_dumps(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                            PyObject *names) {
    return encode_to(false, module, args, n_args, names);
}

PyDoc_STRVAR(
    dumps_to_bytes_doc,
    "dumps_to_bytes($module, obj, /, " ENCODE_BYTES_PARAMETERS ")\n--\n\n"
    "The JSON text of an object as UTF-8 bytes.\n\n"
    "The bytes equal dumps(obj, ...).encode(). Strings are read in place and get no UTF-8\n"
    "cache unless is_write_cache is true, or is None after "
    "write_utf8_cache(True)." ENCODE_BYTES_LINES);

static PyObject *core_dumps_to_bytes(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                                     PyObject *names) {
    return encode_to(true, module, args, n_args, names);
}

/* The signature of _stdlib_dumps shows stdlib's default for ensure_ascii. */
#undef ENSURE_ASCII_DEFAULT
#define ENSURE_ASCII_DEFAULT "True"

PyDoc_STRVAR(
    stdlib_dumps_doc,
    "_stdlib_dumps($module, obj, /, " ENCODE_PARAMETERS ")\n--\n\n"
    "The JSON text of an object as a str, with the defaults of json.dumps.\n\n"
    "ensure_ascii is true, and separators are followed by a space. Exceptions are exactly\n"
    "those of stdlib, not of our classes. For ssrjson_web.json.");

static PyObject *core_stdlib_dumps(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                                   PyObject *names) {
    struct encode_options options = options_defaults(state_of(module));
    options.is_stdlib = true;
    options.ensure_ascii = true;
    return encode_with(module, "dumps", &options, args, n_args, names);
}

PyDoc_STRVAR(stdlib_dumps_in_python_doc,
             "_stdlib_dumps_in_python($module, obj, /, " ENCODE_PARAMETERS ")\n--\n\n"
             "What _stdlib_dumps gives, where stdlib uses its encoder in Python.\n\n"
             "A list, tuple or dict of a subclass that overrides what that encoder asks goes to\n"
             "default, which is called with the value and the number of containers around it.");

static PyObject *core_stdlib_dumps_in_python(PyObject *module, PyObject *const *args,
                                             Py_ssize_t n_args, PyObject *names) {
    struct encode_options options = options_defaults(state_of(module));
    options.is_stdlib = true;
    options.is_in_python = true;
    options.ensure_ascii = true;
    return encode_with(module, "dumps", &options, args, n_args, names);
}

/* ---- decoding ------------------------------------------------------------------------------ */

PyDoc_STRVAR(loads_doc,
             "loads($module, s, /, " DECODE_PARAMETERS ")\n--\n\n"
             "The object of a JSON text; s is a str, bytes or any other buffer of bytes.\n\n"
             "Values and exceptions are those of json.loads; nesting is unlimited by default.\n"
             "Raises JSONDecodeError with the position in characters, and UnicodeDecodeError\n"
             "for bytes that are not UTF-8, UTF-16 or UTF-32." DECODE_LINES);

static COLD PyObject *loads_by_arguments(struct module_state *state, PyObject *const *args,
                                         Py_ssize_t n_args, PyObject *names) {
    struct decode_arguments arguments = state->decode_defaults;
    PyObject *value = NULL;
    if (check_one_positional("loads", n_args) == 0 &&
        decode_arguments_init(&arguments, state, "loads", DECODE_KEYWORDS, args + 1, names) == 0) {
        const struct typed_text text = {.object = args[0], .length = -1};
        value =
            typed_document(state, &arguments, document_decode(state, &arguments, args[0]), text);
    }
    Py_XDECREF(arguments.type_plan);
    Py_XDECREF(arguments.selection);
    return value;
}

static PyObject *core_loads(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                            PyObject *names) {
    struct module_state *const state = state_of(module);
    if (LIKELY(names == NULL && n_args == 1)) {
        return document_decode(state, &state->decode_defaults, args[0]);
    }
    return loads_by_arguments(state, args, n_args, names);
}

/* ---- the UTF-8 cache ----------------------------------------------------------------------- */

PyDoc_STRVAR(
    write_utf8_cache_doc,
    "write_utf8_cache($module, enabled, /)\n--\n\n"
    "Set whether dumps_to_bytes fills the UTF-8 cache of non-ASCII strings by default.\n\n"
    "Off by default. It holds for calls whose is_write_cache is None. A cache makes the next\n"
    "encoding of the same str faster and takes memory as long as the str lives.");

static PyObject *core_write_utf8_cache(PyObject *module, PyObject *enabled) {
    if (!PyBool_Check(enabled)) {
        PyErr_Format(PyExc_TypeError, "enabled must be a bool, not %.200s",
                     Py_TYPE(enabled)->tp_name);
        return NULL;
    }
    __atomic_store_n(&state_of(module)->is_writing_cache, enabled == Py_True, __ATOMIC_RELAXED);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(utf8_cache_size_doc,
             "utf8_cache_size($module, s, /)\n--\n\n"
             "Size of the UTF-8 cache inside a str, in bytes; 0 where it has none.");

static PyObject *core_utf8_cache_size(PyObject *module, PyObject *string) {
    (void)module;
    if (!PyUnicode_Check(string)) {
        PyErr_Format(PyExc_TypeError, "s must be a str, not %.200s", Py_TYPE(string)->tp_name);
        return NULL;
    }
    return unicode_is_ready(string) ? PyLong_FromSsize_t(unicode_cache_bytes(string)) : NULL;
}

/* ---- levels -------------------------------------------------------------------------------- */

/* The names of the usable levels, a new list, the lowest first. */
static PyObject *usable_levels(void) {
    size_t n;
    const struct codec *const *const codecs = dispatch_usable_codecs(&n);
    PyObject *const levels = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; levels != NULL && i < n; i++) {
        PyObject *const level = PyUnicode_FromString(codecs[i]->level);
        if (level == NULL) {
            Py_DECREF(levels);
            return NULL;
        }
        PyList_SET_ITEM(levels, (Py_ssize_t)i, level);
    }
    return levels;
}

/* Raise an exception whose text says why a level cannot be used. */
static void raise_unusable_level(PyObject *type, const char *prefix, const char *level) {
    PyObject *const levels = usable_levels();
    if (levels == NULL) {
        return;
    }
    if (dispatch_is_level_name(level)) {
        PyErr_Format(type, "%s'%s' is not usable %s; usable here: %R", prefix, level,
                     dispatch_suits_interpreter()
                         ? "on this CPU"
                         : "in this interpreter, whose "
                           "object layouts are not those that this build knows",
                     levels);
    } else {
        PyErr_Format(type, "%s'%s' is not an instruction-set level; usable here: %R", prefix, level,
                     levels);
    }
    Py_DECREF(levels);
}

PyDoc_STRVAR(
    options_doc,
    "_options($module, /)\n--\n\n"
    "A list of all options: (name, kind, formats or None, default, meaning, is of encoding).");

static PyObject *core_options(PyObject *module, PyObject *ignored) {
    (void)module, (void)ignored;
    return keywords_as_list();
}

PyDoc_STRVAR(use_level_doc,
             "_use_level($module, name, /)\n--\n\n"
             "Switch to another usable level and return the name of the previous one. For tests.");

static PyObject *core_use_level(PyObject *module, PyObject *name) {
    const char *const level = PyUnicode_AsUTF8(name);
    if (level == NULL) {
        return NULL;
    }
    const struct codec *const codec = dispatch_find_codec(level);
    if (codec == NULL) {
        raise_unusable_level(PyExc_ValueError, "", level);
        return NULL;
    }
    struct module_state *const state = state_of(module);
    const struct codec *const previous =
        __atomic_exchange_n(&state->codec, codec, __ATOMIC_RELAXED);
    return PyUnicode_FromString(previous->level);
}

PyDoc_STRVAR(get_current_features_doc,
             "get_current_features($module, /)\n--\n\n"
             "What this build is and does on this machine, as a dict.\n\n"
             "Keys: version, compiler, level (in use), levels (usable here, the lowest first),\n"
             "write_utf8_cache (whether it is on), free_threading, and known_layouts (whether "
             "objects are read\n"
             "in place: this build knows how this interpreter keeps them).");

static SMALL PyObject *core_get_current_features(PyObject *module, PyObject *ignored) {
    (void)ignored;
    const struct module_state *const state = state_of(module);
    const struct codec *const codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    const bool is_writing_cache = __atomic_load_n(&state->is_writing_cache, __ATOMIC_RELAXED);
    return Py_BuildValue("{s:s,s:s,s:s,s:N,s:O,s:O,s:O}", "version", SSRJSON_VERSION, "compiler",
                         "clang " __clang_version__, "level", codec->level, "levels",
                         usable_levels(), "write_utf8_cache", is_writing_cache ? Py_True : Py_False,
                         "free_threading", IS_FREE_THREADED ? Py_True : Py_False, "known_layouts",
                         layouts_hold() ? Py_True : Py_False);
}

/* ---- forks ---------------------------------------------------------------------------------- */

#if IS_FREE_THREADED && defined(HAVE_FORK)
static PyObject *core_after_fork(PyObject *module, PyObject *ignored) {
    (void)ignored;
    thread_caches_after_fork(&state_of(module)->thread_caches);
    Py_RETURN_NONE;
}

static PyMethodDef after_fork_method = {"_after_fork", core_after_fork, METH_NOARGS, NULL};

/* Let the child of a fork give back the caches of the threads that it does not have; -1 with an
 * exception set. */
static int register_after_fork(PyObject *module) {
    PyObject *const os = PyImport_ImportModule("os");
    PyObject *const function = PyCFunction_New(&after_fork_method, module);
    PyObject *const nothing = PyTuple_New(0);
    PyObject *const register_at_fork =
        os != NULL ? PyObject_GetAttrString(os, "register_at_fork") : NULL;
    PyObject *const names =
        function != NULL ? Py_BuildValue("{s:O}", "after_in_child", function) : NULL;
    PyObject *const done = register_at_fork != NULL && names != NULL && nothing != NULL
                               ? PyObject_Call(register_at_fork, nothing, names)
                               : NULL;
    Py_XDECREF(os);
    Py_XDECREF(function);
    Py_XDECREF(nothing);
    Py_XDECREF(register_at_fork);
    Py_XDECREF(names);
    Py_XDECREF(done);
    return done != NULL ? 0 : -1;
}
#else
static int register_after_fork(PyObject *module) {
    (void)module;
    return 0;
}
#endif

/* ---- the module ---------------------------------------------------------------------------- */

/* The best usable codec, or the one that SSRJSON_ISA names; NULL with ImportError set. */
static const struct codec *choose_codec(void) {
    const char *const wanted = getenv("SSRJSON_ISA");
    if (wanted == NULL || *wanted == '\0') {
        size_t n;
        const struct codec *const *const codecs = dispatch_usable_codecs(&n);
        return codecs[n - 1];
    }
    const struct codec *const codec = dispatch_find_codec(wanted);
    if (codec == NULL) {
        raise_unusable_level(PyExc_ImportError, "SSRJSON_ISA=", wanted);
    }
    return codec;
}

/* A class of the module, a new reference; NULL with an exception set. */
static PyTypeObject *add_class(PyObject *module, PyType_Spec *spec) {
    PyTypeObject *const type = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    if (type != NULL && PyModule_AddType(module, type) != 0) {
        Py_DECREF(type);
        return NULL;
    }
    return type;
}

static SMALL bool add_classes(PyObject *module, struct module_state *state) {
    struct encode_context *const context = &state->encode_context;
    const struct {
        PyType_Spec *spec;
        PyTypeObject **kept; /* in the state; or NULL */
    } classes[] = {
        {&fragment_spec, &context->fragment_type},
        {&recorder_spec, &state->recorder_type},
        {&type_plan_spec, &state->type_plan_type},
        {&encoder_spec, NULL},
        {&decoder_spec, NULL},
        {&acceptance_spec, NULL},
        {&record_reader_spec, NULL},
        {&record_loader_spec, NULL},
        {&snapshot_spec, NULL},
        {&filled_bytes_spec, NULL},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        PyTypeObject *const type = add_class(module, classes[i].spec);
        if (type == NULL) {
            return false;
        }
        if (classes[i].kept != NULL) {
            *classes[i].kept = type;
        } else {
            Py_DECREF(type);
        }
    }
    state->stream_type =
        (PyTypeObject *)PyType_FromModuleAndSpec(module, &encoded_chunks_spec, NULL);
    context->model_as_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &model_as_spec, NULL);
    context->plan_type = (PyTypeObject *)PyType_FromModuleAndSpec(module, &plan_spec, NULL);
    return state->stream_type != NULL && context->model_as_type != NULL &&
           context->plan_type != NULL;
}

static SMALL int core_exec(PyObject *module) {
    struct module_state *const state = state_of(module);
    state->codec = choose_codec();
    if (state->codec == NULL) {
        return -1;
    }
    state->comma_and_space = PyUnicode_InternFromString(", ");
    state->colon_and_space = PyUnicode_InternFromString(": ");
    state->two_spaces = PyUnicode_InternFromString("  ");
    state->nan = PyFloat_FromDouble(__builtin_nan(""));
    if (state->comma_and_space == NULL || state->colon_and_space == NULL ||
        state->two_spaces == NULL || state->nan == NULL || keywords_init(state) != 0 ||
        make_decode_errors(state) != 0 || ask_stdlib_quirks(state) != 0) {
        return -1;
    }
    state->decode_defaults = make_decode_defaults(state);
#if !IS_FREE_THREADED
    state->encode_defaults[false] = options_defaults(state);
    state->encode_defaults[true] = options_defaults(state);
    state->encode_defaults[true].to_bytes = true;
#endif
    if (PyModule_AddStringConstant(module, "__version__", SSRJSON_VERSION) != 0 ||
        make_encode_errors(state) != 0 || !native_types_init(&state->encode_context.native_types)) {
        return -1;
    }
    if (!add_classes(module, state)) {
        return -1;
    }
    state->current_recorder = PyContextVar_New("ssrjson_web.current_recorder", NULL);
    if (PyModule_AddObjectRef(module, "current_recorder", state->current_recorder) != 0) {
        return -1;
    }
    if (add_orjson_functions(module) != 0 || register_after_fork(module) != 0) {
        return -1;
    }
    return add_errors(module, state);
}

static SMALL int core_traverse(PyObject *module, visitproc visit, void *arg) {
    struct module_state *const state = state_of(module);
    Py_VISIT(state->decode_error);
    Py_VISIT(state->depth_error);
    Py_VISIT(state->size_error);
    Py_VISIT(state->type_error);
    Py_VISIT(state->make_type_plan);
    Py_VISIT(state->type_plan_type);
    for (int i = 0; i < N_ENCODE_ERRORS; i++) {
        Py_VISIT(state->encode_errors[i]);
    }
    Py_VISIT(state->stream_type);
    Py_VISIT(state->recorder_type);
    Py_VISIT(state->current_recorder);
    Py_VISIT(state->encode_context.fragment_type);
    Py_VISIT(state->encode_context.model_as_type);
    Py_VISIT(state->encode_context.plan_type);
    Py_VISIT(state->encode_context.make_plan);
    Py_VISIT(state->decimal);
    Py_VISIT(state->number_arrays_makers[0]);
    Py_VISIT(state->number_arrays_makers[1]);
#if IS_FREE_THREADED
    const int answer = thread_caches_traverse(&state->thread_caches, visit, arg);
#else
    const int answer = plan_cache_traverse(&state->encode_context.plan_cache, visit, arg);
#endif
    return answer != 0 ? answer
                       : native_types_traverse(&state->encode_context.native_types, visit, arg);
}

static SMALL int core_clear(PyObject *module) {
    struct module_state *const state = state_of(module);
    Py_CLEAR(state->decode_error);
    Py_CLEAR(state->depth_error);
    Py_CLEAR(state->size_error);
    Py_CLEAR(state->type_error);
    Py_CLEAR(state->make_type_plan);
    Py_CLEAR(state->type_plan_type);
    for (int i = 0; i < N_ENCODE_ERRORS; i++) {
        Py_CLEAR(state->encode_errors[i]);
    }
    Py_CLEAR(state->stream_type);
    Py_CLEAR(state->recorder_type);
    Py_CLEAR(state->current_recorder);
    Py_CLEAR(state->encode_context.fragment_type);
    Py_CLEAR(state->encode_context.model_as_type);
    Py_CLEAR(state->encode_context.plan_type);
    Py_CLEAR(state->encode_context.make_plan);
    native_types_clear(&state->encode_context.native_types);
    Py_CLEAR(state->comma_and_space);
    Py_CLEAR(state->colon_and_space);
    Py_CLEAR(state->two_spaces);
    Py_CLEAR(state->decimal);
    Py_CLEAR(state->nan);
    Py_CLEAR(state->number_arrays_makers[0]);
    Py_CLEAR(state->number_arrays_makers[1]);
    for (int i = 0; i < N_KEYWORDS; i++) {
        Py_CLEAR(state->keywords[i]);
    }
#if IS_FREE_THREADED
    thread_caches_clear(&state->thread_caches);
#else
    plan_cache_clear(&state->encode_context.plan_cache);
    key_cases_clear(&state->encode_context.key_cases);
    key_texts_clear(&state->encode_context.key_texts);
    sort_memory_clear(&state->encode_context.sort_memory);
    enum_classes_clear(&state->encode_context.enum_classes);
    key_cache_clear(&state->key_cache);
    shape_tree_clear(&state->shape_tree);
#endif
    return 0;
}

static void core_free(void *module) {
    core_clear(module);
}

static PyMethodDef core_methods[] = {
    {"dumps", FUNCTION(core_dumps), METH_FASTCALL | METH_KEYWORDS, dumps_doc},
    {"_stdlib_dumps", FUNCTION(core_stdlib_dumps), METH_FASTCALL | METH_KEYWORDS, stdlib_dumps_doc},
    {"_stdlib_dumps_in_python", FUNCTION(core_stdlib_dumps_in_python),
     METH_FASTCALL | METH_KEYWORDS, stdlib_dumps_in_python_doc},
    {"dumps_to_bytes", FUNCTION(core_dumps_to_bytes), METH_FASTCALL | METH_KEYWORDS,
     dumps_to_bytes_doc},
    {"loads", FUNCTION(core_loads), METH_FASTCALL | METH_KEYWORDS, loads_doc},
    {"write_utf8_cache", core_write_utf8_cache, METH_O, write_utf8_cache_doc},
    {"utf8_cache_size", core_utf8_cache_size, METH_O, utf8_cache_size_doc},
    {"_audit_utf8_cache", core_audit_utf8_cache, METH_VARARGS, audit_utf8_cache_doc},
    {"scan_utf8_cache", FUNCTION(core_scan_utf8_cache), METH_FASTCALL, scan_utf8_cache_doc},
    {"get_current_features", core_get_current_features, METH_NOARGS, get_current_features_doc},
    {"_options", core_options, METH_NOARGS, options_doc},
    {"_use_level", core_use_level, METH_O, use_level_doc},
    {"_are_same", FUNCTION(core_are_same), METH_FASTCALL, ARE_SAME_DOC},
    {"_release_part", FUNCTION(core_release_part), METH_FASTCALL, RELEASE_PART_DOC},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot core_slots[] = {
    {Py_mod_exec, core_exec},
#if PY_VERSION_HEX >= 0x030c0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030d0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef core_module = {
    PyModuleDef_HEAD_INIT,
    .m_name = "ssrjson_web._core",
    .m_doc = "The C core of ssrjson_web: JSON between Python objects and UTF-8 bytes or str.",
    .m_size = sizeof(struct module_state),
    .m_methods = core_methods,
    .m_slots = core_slots,
    .m_traverse = core_traverse,
    .m_clear = core_clear,
    .m_free = core_free,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
    return PyModuleDef_Init(&core_module);
}
