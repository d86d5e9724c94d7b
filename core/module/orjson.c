/* SPDX-License-Identifier: MIT */
#include "module/classes/classes.h"

#include "module/call.h"
#include "module/document/document.h"
#include "module/args/arguments.h"
#include "module/errors/exceptions.h"

/* ---- dumps --------------------------------------------------------------------------------- */

/* The flags, by orjson's documentation. OPT_SERIALIZE_DATACLASS and OPT_SERIALIZE_UUID are 0. */
enum orjson_flag {
    OPT_INDENT_2 = 1,
    OPT_NAIVE_UTC = 1 << 1,
    OPT_NON_STR_KEYS = 1 << 2,
    OPT_OMIT_MICROSECONDS = 1 << 3,
    OPT_SERIALIZE_NUMPY = 1 << 4,
    OPT_SORT_KEYS = 1 << 5,
    OPT_STRICT_INTEGER = 1 << 6,
    OPT_UTC_Z = 1 << 7,
    OPT_PASSTHROUGH_SUBCLASS = 1 << 8,
    OPT_PASSTHROUGH_DATETIME = 1 << 9,
    OPT_APPEND_NEWLINE = 1 << 10,
    OPT_PASSTHROUGH_DATACLASS = 1 << 11,
    OPT_END = 1 << 12,
};

/* Levels at which a container may be opened. */
#define MAX_OUTPUT_DEPTH 254
#define MAX_INPUT_DEPTH 1024

/* The options that flags say; what they hold is borrowed. */
static ALWAYS_INLINE struct encode_options orjson_options(struct module_state *state, long flags) {
    struct encode_options options = {
        .context = &state->encode_context,
        .orjson.is_on = true,
        .exact_types = true,
        .max_depth = MAX_OUTPUT_DEPTH,
        .native.enum_ = ENUM_VALUE,
        .nan_as_null = true,
        .floats = FLOAT_PYDANTIC,
        .greatest_float = DBL_MAX,
        .int64 = INT_ERROR,
        .to_bytes = true,
        .is_plain = !IS_FREE_THREADED,
    };
    if (UNLIKELY(flags != 0)) {
        options.indent = flags & OPT_INDENT_2 ? state->two_spaces : NULL;
        options.key_separator = flags & OPT_INDENT_2 ? state->colon_and_space : NULL;
        options.sort_keys = flags & OPT_SORT_KEYS;
        options.append_newline = flags & OPT_APPEND_NEWLINE;
        options.int53 = flags & OPT_STRICT_INTEGER ? INT_ERROR : INT_NUMBER;
        options.native.is_naive_utc = flags & OPT_NAIVE_UTC;
        options.native.is_utc_z = flags & OPT_UTC_Z;
        options.native.precision =
            flags & OPT_OMIT_MICROSECONDS ? PRECISION_SECONDS : PRECISION_AUTO;
        options.orjson.has_any_keys = flags & OPT_NON_STR_KEYS;
        options.orjson.passes_subclasses = flags & OPT_PASSTHROUGH_SUBCLASS;
        options.orjson.passes_moments = flags & OPT_PASSTHROUGH_DATETIME;
        options.orjson.passes_dataclasses = flags & OPT_PASSTHROUGH_DATACLASS;
        options.orjson.has_numpy = flags & OPT_SERIALIZE_NUMPY;
        options.is_plain = options_are_plain(&options);
    }
    options.native.fast_types = options_fast_types(&options);
    return options;
}

/* Put keyword arguments in the places of default and option; -1 with TypeError set. */
static COLD int read_keywords(const struct module_state *state, PyObject *const *values,
                              PyObject *names, PyObject **hook, PyObject **flags) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *const name = PyTuple_GET_ITEM(names, i);
        const bool is_option = PyUnicode_CompareWithASCIIString(name, "option") == 0;
        if (!is_option && PyUnicode_Compare(name, state->keywords[KEYWORD_DEFAULT]) != 0) {
            PyErr_SetString(PyExc_TypeError, "dumps() got an unexpected keyword argument");
            return -1;
        }
        PyObject **const place = is_option ? flags : hook;
        if (*place != NULL) {
            PyErr_Format(PyExc_TypeError, "dumps() got multiple values for argument: '%U'", name);
            return -1;
        }
        *place = values[i];
    }
    return 0;
}

/* The flags of option; -1 with TypeError set. */
static ALWAYS_INLINE long read_flags(PyObject *option) {
    if (option == NULL || option == Py_None) {
        return 0;
    }
    long flags = -1;
    if (PyLong_CheckExact(option)) {
        flags = PyLong_AsLong(option);
    }
    if (UNLIKELY(flags < 0 || flags >= OPT_END)) {
        PyErr_SetString(PyExc_TypeError, "Invalid opts");
        return -1;
    }
    return flags;
}

PyDoc_STRVAR(orjson_dumps_doc,
             "dumps($module, obj, /, default=None, option=None)\n--\n\n"
             "The JSON text of an object as UTF-8 bytes, as orjson.dumps writes it.\n\n"
             "default is called with each value of an unknown type; what it returns is written\n"
             "instead. option is a sum of OPT_ constants.");

static PyObject *orjson_dumps(PyObject *module, PyObject *const *args, Py_ssize_t n_args,
                              PyObject *names) {
    struct module_state *const state = PyModule_GetState(module);
    if (UNLIKELY(n_args == 0)) {
        PyErr_SetString(PyExc_TypeError, "dumps() missing 1 required positional argument: 'obj'");
        return NULL;
    }
    if (UNLIKELY(n_args > 3)) {
        PyErr_Format(PyExc_TypeError, "dumps() takes at most 3 positional arguments (%zd given)",
                     n_args);
        return NULL;
    }
    PyObject *hook = n_args > 1 ? args[1] : NULL;
    PyObject *option = n_args > 2 ? args[2] : NULL;
    if (names != NULL && read_keywords(state, args + n_args, names, &hook, &option) != 0) {
        return NULL;
    }
    const long flags = read_flags(option);
    if (UNLIKELY(flags < 0)) {
        return NULL;
    }
    struct encode_options options = orjson_options(state, flags);
    options.default_hook = hook == Py_None ? NULL : hook;
    return encode_by_options(state, args[0], &options);
}

/* ---- loads --------------------------------------------------------------------------------- */

/* Raise JSONDecodeError that shows no document. */
static COLD PyObject *refuse_input(const struct module_state *state, const char *message) {
    PyObject *const empty = PyUnicode_New(0, 0);
    if (empty != NULL) {
        raise_decode_error_of(state->decode_error, message, empty, 0);
        Py_DECREF(empty);
    }
    return NULL;
}

/* The options of all calls. */
static ALWAYS_INLINE struct decode_options orjson_decode_options(const struct module_state *state) {
    struct decode_options options = state->decode_defaults.options;
    options.allow_nan = false;
    options.allow_surrogates = false;
    options.int64 = INT_AS_FLOAT;
    options.max_depth = MAX_INPUT_DEPTH;
    options.quirks =
        (struct decode_quirks){.names_trailing_comma = true, .wants_text_after_escape = false};
    return options;
}

/* Whether a str has no lone surrogate. */
static bool is_unicode_text(PyObject *string) {
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(string); i++) {
        if (Py_UNICODE_IS_SURROGATE(PyUnicode_READ_CHAR(string, i))) {
            return false;
        }
    }
    return true;
}

/* Raise for a document, a str, that could not be read; the position is that of a character. */
static COLD void raise_for_document(const struct module_state *state, const struct error *error,
                                    PyObject *document) {
    if (!is_unicode_text(document)) {
        refuse_input(state, "str is not valid UTF-8: surrogates not allowed");
    } else if (PyUnicode_GET_LENGTH(document) > 0 && PyUnicode_READ_CHAR(document, 0) == 0xfeff) {
        raise_decode_error_of(state->decode_error, "UTF-8 byte order mark (BOM) is not supported",
                              document, 0);
    } else {
        raise_orjson_decode_error(state, error, document);
    }
}

/* Raise for bytes that could not be read. */
static COLD void raise_for_bytes(const struct module_state *state, struct error *error,
                                 const char *bytes, Py_ssize_t n) {
    PyObject *const document = PyUnicode_DecodeUTF8(bytes, n, NULL);
    if (document == NULL) {
        if (PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) {
            PyErr_Clear();
            refuse_input(state, "str is not valid UTF-8: surrogates not allowed");
        }
        return;
    }
    error->position = utf8_count_characters(bytes, error->position);
    raise_for_document(state, error, document);
    Py_DECREF(document);
}

static PyObject *orjson_decode_bytes(struct module_state *state, const char *bytes, Py_ssize_t n) {
    if (UNLIKELY(n == 0)) {
        return refuse_input(state, "Input is a zero-length, empty document");
    }
    const struct decode_options options = orjson_decode_options(state);
    const struct source source = {.text = {.data = bytes, .length = n, .form = TEXT_UTF8},
                                  .options = &options};
    struct error error;
    PyObject *const value = decode_source(state, &source, &error);
    if (UNLIKELY(value == NULL) && error.kind != ERROR_RAISED) {
        raise_for_bytes(state, &error, bytes, n);
    }
    return value;
}

static PyObject *orjson_decode_str(struct module_state *state, PyObject *string) {
    if (!unicode_is_ready(string)) {
        return NULL;
    }
    if (UNLIKELY(PyUnicode_GET_LENGTH(string) == 0)) {
        return refuse_input(state, "Input is a zero-length, empty document");
    }
    const struct decode_options options = orjson_decode_options(state);
    const struct source source = {.text = document_text(string), .options = &options};
    struct error error;
    PyObject *const value = decode_source(state, &source, &error);
    if (UNLIKELY(value == NULL) && error.kind != ERROR_RAISED) {
        raise_for_document(state, &error, string);
    }
    return value;
}

static PyObject *orjson_decode_buffer(struct module_state *state, PyObject *object) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(object, &buffer, PyBUF_CONTIG_RO) != 0) {
        if (PyErr_ExceptionMatches(PyExc_MemoryError)) {
            return NULL;
        }
        PyErr_Clear();
        return refuse_input(state, "Input must be bytes, bytearray, memoryview, or str");
    }
#if IS_FREE_THREADED /* another thread may change it between two looks at it */
    PyObject *const copy = PyBytes_FromStringAndSize(buffer.buf, buffer.len);
    PyObject *const value =
        copy != NULL ? orjson_decode_bytes(state, PyBytes_AS_STRING(copy), buffer.len) : NULL;
    Py_XDECREF(copy);
#else
    PyObject *const value = orjson_decode_bytes(state, buffer_bytes(&buffer), buffer.len);
#endif
    PyBuffer_Release(&buffer);
    return value;
}

static ALWAYS_INLINE PyObject *orjson_decode(struct module_state *state, PyObject *object) {
    if (PyBytes_CheckExact(object)) {
        return orjson_decode_bytes(state, PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object));
    }
    if (PyUnicode_CheckExact(object)) {
        return orjson_decode_str(state, object);
    }
    if (PyByteArray_CheckExact(object) || PyMemoryView_Check(object)) {
        return orjson_decode_buffer(state, object);
    }
    return refuse_input(state, "Input must be bytes, bytearray, memoryview, or str");
}

static COLD PyObject *orjson_decode_and_record(struct module_state *state, PyObject *object) {
    const Py_ssize_t size = recorded_size(object);
    struct timing timing;
    if (timing_begin(&timing, state) != 0) {
        return NULL;
    }
    PyObject *const value = orjson_decode(state, object);
    timing_end(&timing, DIRECTION_DECODE, 1, size);
    return value;
}

PyDoc_STRVAR(orjson_loads_doc,
             "loads($module, obj, /)\n--\n\n"
             "The object of a JSON text, as orjson.loads reads it; obj is bytes, bytearray,\n"
             "memoryview or str.");

static PyObject *orjson_loads(PyObject *module, PyObject *object) {
    struct module_state *const state = PyModule_GetState(module);
    return is_recording(state) ? orjson_decode_and_record(state, object)
                               : orjson_decode(state, object);
}

/* ---- the module ---------------------------------------------------------------------------- */

/* The functions have the names that users call them by. */
static PyMethodDef dumps_method = {"dumps", FUNCTION(orjson_dumps), METH_FASTCALL | METH_KEYWORDS,
                                   orjson_dumps_doc};
static PyMethodDef loads_method = {"loads", orjson_loads, METH_O, orjson_loads_doc};

static int add_function(PyObject *module, PyMethodDef *method, const char *name) {
    PyObject *const home = PyUnicode_InternFromString("ssrjson_web.orjson");
    PyObject *const function = home != NULL ? PyCFunction_NewEx(method, module, home) : NULL;
    const int status = function != NULL ? PyModule_AddObjectRef(module, name, function) : -1;
    Py_XDECREF(home);
    Py_XDECREF(function);
    return status;
}

int add_orjson_functions(PyObject *module) {
    return add_function(module, &dumps_method, "_orjson_dumps") == 0
               ? add_function(module, &loads_method, "_orjson_loads")
               : -1;
}
