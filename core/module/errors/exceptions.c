/* SPDX-License-Identifier: MIT */
#include "module/errors/exceptions.h"

#include "pyobject/object.h"

/* An attribute by an interned name. A new str for each call would take a place in the interpreter's
 * cache of type attributes. */
static PyObject *get_attribute(PyObject *object, const char *name) {
    PyObject *const interned = PyUnicode_InternFromString(name);
    if (interned == NULL) {
        return NULL;
    }
    PyObject *const attribute = PyObject_GetAttr(object, interned);
    Py_DECREF(interned);
    return attribute;
}

static PyObject *class_name(PyObject *object) {
    PyObject *const type = get_attribute(object, "__class__");
    if (type == NULL) {
        return NULL;
    }
    PyObject *const name = get_attribute(type, "__name__");
    Py_DECREF(type);
    return name;
}

void raise_with_class_name(PyObject *error, const char *format, PyObject *object) {
    PyObject *const name = class_name(object);
    if (name != NULL) {
        PyErr_Format(error, format, name);
        Py_DECREF(name);
    }
}

/* ---- encoding ------------------------------------------------------------------------------ */

/* Add the notes to the exception that is set. */
static void add_notes(PyObject *notes) {
#if PY_VERSION_HEX >= 0x030c0000
    PyObject *const raised = PyErr_GetRaisedException();
    for (Py_ssize_t i = 0; raised != NULL && i < PyList_GET_SIZE(notes); i++) {
        PyObject *const none =
            PyObject_CallMethod(raised, "add_note", "O", PyList_GET_ITEM(notes, i));
        if (none == NULL) {
            PyErr_Clear(); /* the exception matters more than its notes */
        }
        Py_XDECREF(none);
    }
    PyErr_SetRaisedException(raised);
#else
    (void)notes;
#endif
}

/* The option that writes what canonical JSON refuses. */
static struct hint hint_for_canonical(const struct encode_options *options,
                                      const struct encode_error *error) {
    PyTypeObject *const decimal =
        native_types_known(&options->context->native_types, NATIVE_DECIMAL);
    const char *text = "";
    if (error->error.kind == ERROR_NOT_FINITE) {
        text = "; nan_as_null=True or nan_as_str=True writes it";
    } else if (error->error.kind == ERROR_NOT_CANONICAL && PyLong_Check(error->culprit)) {
        text = "; int53=\"str\" writes it";
    } else if (error->error.kind == ERROR_NOT_CANONICAL && decimal != NULL &&
               PyObject_TypeCheck(error->culprit, decimal)) {
        text = "; decimal=\"str\" writes it";
    }
    struct hint hint;
    PyOS_snprintf(hint.text, sizeof hint.text, "%s", text);
    return hint;
}

/* Note on the exception that is set where the error happened and which option would write the
 * value. Only for an exception of our classes. In Python 3.10 the attribute exists only after it
 * was set. */
static void add_place(const struct module_state *state, const struct encode_error *error,
                      const struct encode_options *options) {
    if (!PyErr_ExceptionMatches(state->encode_errors[ENCODE_ERROR])) {
        return; /* raised by Python code that was asked for a text */
    }
    PyObject *const raised = raised_take();
    const enum error_kind kind = error->error.kind;
    struct hint hint = {.text = ""};
    if (kind == ERROR_NOT_SERIALIZABLE || kind == ERROR_KEY_TYPE) {
        hint = hint_for(options, error->culprit, kind == ERROR_KEY_TYPE);
    } else if (options->canonical) {
        hint = hint_for_canonical(options, error);
    }
    PyObject *const note = PyUnicode_FromFormat("at %U%s", error->path, hint.text);
    PyObject *const notes = note != NULL ? PyList_New(1) : NULL;
    if (notes != NULL) {
        PyList_SET_ITEM(notes, 0, Py_NewRef(note));
        PyObject_SetAttrString(raised, "__notes__", notes);
    }
    Py_XDECREF(notes);
    Py_XDECREF(note);
    raised_set(raised); /* replaces a MemoryError of this function */
}

/* The builtin exception that is also a base of one of our classes, borrowed; NULL for
 * JSONEncodeError itself. */
static PyObject *encode_error_builtin(enum encode_error_class which) {
    switch (which) {
    case ENCODE_TYPE_ERROR: return PyExc_TypeError;
    case ENCODE_VALUE_ERROR: return PyExc_ValueError;
    case ENCODE_UNICODE_ENCODE_ERROR: return PyExc_UnicodeEncodeError;
    case ENCODE_UNICODE_DECODE_ERROR: return PyExc_UnicodeDecodeError;
    case ENCODE_BUFFER_ERROR: return PyExc_BufferError;
    case ENCODE_ATTRIBUTE_ERROR: return PyExc_AttributeError;
    case ENCODE_RUNTIME_ERROR: return PyExc_RuntimeError;
    case ENCODE_RECURSION_ERROR: return PyExc_RecursionError;
    case ENCODE_ERROR:
    case N_ENCODE_ERRORS: break;
    }
    return NULL;
}

/* A new exception of one of our classes with the contents of a builtin one; NULL with an exception
 * set. */
static PyObject *encode_error_from(PyObject *type, PyObject *builtin) {
    static const char *const unicode_parts[] = {"encoding", "object", "start", "end", "reason"};
    static const char *const attribute_parts[] = {"name", "obj"};
    if (PyObject_TypeCheck(builtin, (PyTypeObject *)PyExc_UnicodeError)) {
        PyObject *const arguments =
            PyTuple_New(5); /* args are the arguments of the first creation */
        for (int i = 0; arguments != NULL && i < 5; i++) {
            PyTuple_SET_ITEM(arguments, i, get_attribute(builtin, unicode_parts[i]));
            if (PyTuple_GET_ITEM(arguments, i) == NULL) {
                Py_DECREF(arguments);
                return NULL;
            }
        }
        PyObject *const error = arguments != NULL ? PyObject_CallObject(type, arguments) : NULL;
        Py_XDECREF(arguments);
        return error;
    }
    PyObject *const arguments = get_attribute(builtin, "args");
    PyObject *const error = arguments != NULL ? PyObject_CallObject(type, arguments) : NULL;
    Py_XDECREF(arguments);
    for (int i = 0;
         i < 2 && error != NULL && Py_IS_TYPE(builtin, (PyTypeObject *)PyExc_AttributeError); i++) {
        PyObject *const part = get_attribute(builtin, attribute_parts[i]);
        if (part != NULL) {
            PyObject_SetAttrString(error, attribute_parts[i], part);
        }
        Py_XDECREF(part);
        PyErr_Clear();
    }
    return error;
}

/* Turn the exception that is set into one of our classes if it is a builtin one that C code raised.
 * An exception of Python code has a traceback and stays as it is. */
static COLD void claim_error(const struct module_state *state) {
    PyObject *const raised = raised_take();
    PyObject *const traceback = PyException_GetTraceback(raised);
    Py_XDECREF(traceback);
    for (int i = ENCODE_ERROR + 1; i < N_ENCODE_ERRORS && traceback == NULL; i++) {
        PyObject *const type = state->encode_errors[i];
        if ((PyObject *)Py_TYPE(raised) == encode_error_builtin((enum encode_error_class)i)) {
            PyObject *const error = encode_error_from(type, raised);
            if (error != NULL) {
                PyErr_SetObject(type, error);
                Py_DECREF(error);
            }
            Py_DECREF(raised);
            return;
        }
    }
    raised_set(raised);
}

/* The class to raise for a kind of error: ours, or stdlib's own. Borrowed. */
static PyObject *encode_error_type(const struct module_state *state,
                                   const struct encode_options *options,
                                   enum encode_error_class which) {
    return options->is_stdlib ? encode_error_builtin(which) : state->encode_errors[which];
}

/* Raise by the kind of an error, without its notes and its place. */
static void raise_encode_error_of_kind(const struct module_state *state,
                                       const struct encode_error *error,
                                       const struct encode_options *options) {
    PyObject *const type_error = encode_error_type(state, options, ENCODE_TYPE_ERROR);
    PyObject *const value_error = encode_error_type(state, options, ENCODE_VALUE_ERROR);
    PyObject *const culprit = error->culprit;
    const enum error_kind kind = error->error.kind;
    switch (kind) {
    case ERROR_RAISED: break;
    case ERROR_REFUSED:
        if (!options->is_stdlib) {
            claim_error(state);
        }
        break;
    case ERROR_NOT_FINITE:
        /* up to Python 3.11, stdlib's C encoder, which is used without indent, leaves the value
         * out */
        if (PY_VERSION_HEX < 0x030c0000 && options->indent == NULL && !options->is_in_python) {
            PyErr_SetString(value_error, "Out of range float values are not JSON compliant");
        } else {
            PyErr_Format(value_error, "Out of range float values are not JSON compliant: %R",
                         culprit);
        }
        break;
    case ERROR_INT53:
        PyErr_Format(value_error, "Integer beyond 53 bits is not exact in every reader: %R",
                     culprit);
        break;
    case ERROR_NOT_CANONICAL:
        if (Py_TYPE(culprit) == options->context->fragment_type) {
            PyErr_SetString(value_error,
                            "Fragment is not JSON, or an object in it has a key twice");
        } else {
            PyErr_Format(value_error,
                         "Number is not exact in canonical JSON, whose numbers are doubles: %R",
                         culprit);
        }
        break;
    case ERROR_DUPLICATE_KEY:
        PyErr_Format(value_error, "Two keys of an object are both written %R", culprit);
        break;
    case ERROR_INT64: PyErr_Format(value_error, "Integer beyond 64 bits: %R", culprit); break;
    case ERROR_NOT_SERIALIZABLE:
        raise_with_class_name(type_error, "Object of type %S is not JSON serializable", culprit);
        break;
    case ERROR_KEY_TYPE:
        /* stdlib's C encoder gives the type's full name; up to Python 3.12 it is not used with
         * indent */
        if (options->is_in_python || (PY_VERSION_HEX < 0x030d0000 && options->indent != NULL)) {
            raise_with_class_name(type_error, "keys must be str, int, float, bool or None, not %S",
                                  culprit);
        } else {
            PyErr_Format(type_error, "keys must be str, int, float, bool or None, not %.100s",
                         Py_TYPE(culprit)->tp_name);
        }
        break;
    case ERROR_TOO_DEEP:
        PyErr_SetString(encode_error_type(state, options, ENCODE_RECURSION_ERROR),
                        error_message(kind));
        break;
    default: PyErr_SetString(value_error, error_message(kind)); break;
    }
}

void raise_encode_error(const struct module_state *state, const struct encode_error *error,
                        const struct encode_options *options) {
    if (options->orjson.is_on) {
        raise_orjson_encode_error(error);
        return;
    }
    raise_encode_error_of_kind(state, error, options);
    if (error->notes != NULL) {
        add_notes(error->notes);
    }
    if (error->path != NULL) {
        add_place(state, error, options);
    }
    Py_XDECREF(error->culprit);
    Py_XDECREF(error->notes);
    Py_XDECREF(error->path);
}

/* ---- decoding ------------------------------------------------------------------------------ */

void raise_decode_error_of(PyObject *type, const char *message, PyObject *document,
                           Py_ssize_t position) {
    PyObject *const error = PyObject_CallFunction(type, "sOn", message, document, position);
    if (error != NULL) {
        PyErr_SetObject(type, error);
        Py_DECREF(error);
    }
}

COLD void raise_size_error(const struct module_state *state, Py_ssize_t max_size) {
    PyObject *const empty = PyUnicode_New(0, 0);
    if (empty != NULL) {
        char message[80];
        PyOS_snprintf(message, sizeof message, "Document is longer than max_size (%zd)", max_size);
        raise_decode_error_of(state->size_error, message, empty, max_size);
        Py_DECREF(empty);
    }
}

COLD void raise_decode_error(const struct module_state *state, enum error_kind kind,
                             const struct decode_options *options, PyObject *document,
                             Py_ssize_t position) {
    if (kind == ERROR_NESTING) {
        char message[80];
        PyOS_snprintf(message, sizeof message, "Nesting is deeper than max_depth (%zu)",
                      options->max_depth);
        raise_decode_error_of(state->depth_error, message, document, position);
    } else {
        raise_decode_error_of(state->decode_error, error_message(kind), document, position);
    }
}

/* What pickle and copy make a JSONTypeError of: stdlib's own __reduce__ drops the attributes that
 * it does not know. */
static PyObject *type_error_reduce(PyObject *self, PyObject *Py_UNUSED(none)) {
    static const char *const NAMES[] = {"msg", "doc", "pos", "__dict__"};
    PyObject *found[4] = {NULL}; /* owned */
    bool is_good = true;
    for (int i = 0; is_good && i < 4; i++) {
        found[i] = PyObject_GetAttrString(self, NAMES[i]);
        is_good = found[i] != NULL;
    }
    PyObject *const reduced = is_good ? Py_BuildValue("O(OOO)O", (PyObject *)Py_TYPE(self),
                                                      found[0], found[1], found[2], found[3])
                                      : NULL;
    for (int i = 0; i < 4; i++) {
        Py_XDECREF(found[i]);
    }
    return reduced;
}

static PyMethodDef TYPE_ERROR_REDUCE = {"__reduce__", type_error_reduce, METH_NOARGS,
                                        "Helper for pickle."};

static int type_error_add_reduce(PyObject *type) {
    PyObject *const method = PyDescr_NewMethod((PyTypeObject *)type, &TYPE_ERROR_REDUCE);
    const int status = method != NULL ? PyObject_SetAttrString(type, "__reduce__", method) : -1;
    Py_XDECREF(method);
    return status;
}

int make_decode_errors(struct module_state *state) {
    PyObject *const json = PyImport_ImportModule("json");
    PyObject *const base = json != NULL ? PyObject_GetAttrString(json, "JSONDecodeError") : NULL;
    Py_XDECREF(json);
    if (base == NULL) {
        return -1;
    }
    state->decode_error = PyErr_NewExceptionWithDoc(
        "ssrjson_web.JSONDecodeError",
        "Malformed JSON, with the msg, doc, pos, lineno and colno that stdlib's json gives.", base,
        NULL);
    Py_DECREF(base);
    if (state->decode_error == NULL) {
        return -1;
    }
    state->depth_error = PyErr_NewExceptionWithDoc(
        "ssrjson_web.JSONDepthError",
        "A document nested deeper than max_depth; pos is the index of the bracket.",
        state->decode_error, NULL);
    state->size_error = PyErr_NewExceptionWithDoc(
        "ssrjson_web.JSONSizeError",
        "A document longer than max_size; pos is max_size and doc is empty.", state->decode_error,
        NULL);
    state->type_error = PyErr_NewExceptionWithDoc(
        "ssrjson_web.JSONTypeError",
        "A well-formed document with a value that the type does not take.\n\n"
        "path is the place, such as '$.items[3].price', and steps the same as a tuple. reason is\n"
        "'type', 'value', 'missing', 'unknown' or 'length'; expected and given are strs or None.\n"
        "pos, lineno and colno are where the value begins in the text.",
        state->decode_error, NULL);
    const bool are_made =
        state->depth_error != NULL && state->size_error != NULL && state->type_error != NULL;
    return are_made ? type_error_add_reduce(state->type_error) : -1;
}

/* ---- classes of encoding ------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum encode_error_class base; /* itself where no other of our classes is a base */
    const char *doc;
} ENCODE_ERRORS[N_ENCODE_ERRORS] = {
    [ENCODE_ERROR] =
        {"ssrjson_web.JSONEncodeError", ENCODE_ERROR,
         "Base of the errors of encoding. Each subclass also derives from the class that stdlib "
         "raises."},
    [ENCODE_TYPE_ERROR] = {"ssrjson_web.JSONEncodeTypeError", ENCODE_ERROR,
                           "A value or a key of a type that has no JSON form, or keys that cannot "
                           "be sorted."},
    [ENCODE_VALUE_ERROR] = {"ssrjson_web.JSONEncodeValueError", ENCODE_ERROR,
                            "A value that JSON cannot hold: a circular reference, NaN where it is "
                            "refused, or an int with too many digits."},
    [ENCODE_UNICODE_ENCODE_ERROR] = {"ssrjson_web.JSONEncodeUnicodeEncodeError", ENCODE_VALUE_ERROR,
                                     "A lone surrogate, which UTF-8 cannot encode."},
    [ENCODE_UNICODE_DECODE_ERROR] = {"ssrjson_web.JSONEncodeUnicodeDecodeError", ENCODE_VALUE_ERROR,
                                     "Bytes that were to be written as text and are not UTF-8."},
    [ENCODE_BUFFER_ERROR] = {"ssrjson_web.JSONEncodeBufferError", ENCODE_ERROR,
                             "A memoryview whose bytes are not contiguous."},
    [ENCODE_ATTRIBUTE_ERROR] = {"ssrjson_web.JSONEncodeAttributeError", ENCODE_ERROR,
                                "An object without a value for one of the fields of its class."},
    [ENCODE_RUNTIME_ERROR] = {"ssrjson_web.JSONEncodeRuntimeError", ENCODE_ERROR,
                              "A dict that grew or shrank between two chunks."},
    [ENCODE_RECURSION_ERROR] =
        {"ssrjson_web.JSONEncodeRecursionError", ENCODE_RUNTIME_ERROR,
         "Hooks, iterators or overridden methods whose results never come to "
         "an end."},
};

int make_encode_errors(struct module_state *state) {
    for (int i = 0; i < N_ENCODE_ERRORS; i++) {
        PyObject *const builtin = encode_error_builtin((enum encode_error_class)i);
        PyObject *const bases =
            builtin != NULL ? PyTuple_Pack(2, state->encode_errors[ENCODE_ERRORS[i].base], builtin)
                            : NULL;
        if (bases != NULL || builtin == NULL) {
            state->encode_errors[i] =
                PyErr_NewExceptionWithDoc(ENCODE_ERRORS[i].name, ENCODE_ERRORS[i].doc, bases, NULL);
        }
        Py_XDECREF(bases);
        if (state->encode_errors[i] == NULL) {
            return -1;
        }
    }
    return 0;
}

int add_errors(PyObject *module, const struct module_state *state) {
    const struct {
        const char *name;
        PyObject *type;
    } errors[] = {
        {"JSONDecodeError", state->decode_error},
        {"JSONDepthError", state->depth_error},
        {"JSONSizeError", state->size_error},
        {"JSONTypeError", state->type_error},
    };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (PyModule_AddObjectRef(module, errors[i].name, errors[i].type) != 0) {
            return -1;
        }
    }
    for (int i = 0; i < N_ENCODE_ERRORS; i++) {
        const char *const name = strchr(ENCODE_ERRORS[i].name, '.') + 1;
        if (PyModule_AddObjectRef(module, name, state->encode_errors[i]) != 0) {
            return -1;
        }
    }
    return 0;
}

/* ---- the option that would write a value ---------------------------------------------------- */

/* The option that switches a type on; NULL where the type is never a value or has no format. */
static const char *hint_option(enum native_type which) {
    switch (which) {
    case NATIVE_ENUM: return "enum=\"value\"";
    case NATIVE_DATETIME: return "datetime=\"iso\"";
    case NATIVE_DATE: return "date=\"iso\"";
    case NATIVE_TIME: return "time=\"iso\"";
    case NATIVE_TIMEDELTA: return "timedelta=\"iso\"";
    case NATIVE_UUID: return "uuid=\"hyphenated\"";
    case NATIVE_DECIMAL: return "decimal=\"number\"";
    case NATIVE_BYTES:
    case NATIVE_BYTEARRAY:
    case NATIVE_MEMORYVIEW: return "bytes=\"utf-8\"";
    case NATIVE_SET:
    case NATIVE_FROZENSET:
    case NATIVE_DEQUE:
    case NATIVE_DICT_KEYS:
    case NATIVE_DICT_VALUES:
    case NATIVE_DICT_ITEMS:
    case NATIVE_ITERATOR: return "iterables=True";
    case NATIVE_MAPPING_PROXY:
    case NATIVE_MAPPING: return "mapping=True";
    case NATIVE_PATH: return "path=True";
    case NATIVE_DATETIME64:
    case NATIVE_LONG_DOUBLE:
    case NATIVE_ARRAY:
    case NATIVE_SCALAR: return "numpy=True";
    case NATIVE_TENSOR:
    case NATIVE_ARROW: return "arrays=True";
    case NATIVE_TIMEDELTA64: /* these have no option that writes all of them */
    case NATIVE_MASKED_ARRAY:
    case NATIVE_MODEL:
    case NATIVE_MODEL_AS:
    case NATIVE_DERIVED:
    case NATIVE_FIXED_ZONE:
    case NATIVE_ZONE_INFO:
    case NATIVE_PYDANTIC_ZONE:
    case NATIVE_UNKNOWN: break;
    }
    return NULL;
}

static bool hint_is_scalar(enum native_type which) {
    return which <= NATIVE_MEMORYVIEW || which == NATIVE_PATH || which == NATIVE_DATETIME64 ||
           which == NATIVE_LONG_DOUBLE || which == NATIVE_SCALAR;
}

/* Whether the items of numpy's array or scalar are of a kind that can be written. Clears
 * exceptions. */
static bool hint_has_known_items(struct native_types *types, PyObject *value) {
    PyObject *const dtype = PyObject_GetAttr(value, types->words[WORD_DTYPE]);
    PyObject *const kind = dtype != NULL ? PyObject_GetAttrString(dtype, "kind") : NULL;
    Py_XDECREF(dtype);
    const bool is_known = kind != NULL && PyUnicode_Check(kind) &&
                          PyUnicode_GET_LENGTH(kind) == 1 &&
                          strchr("biufMUSOmT", (int)PyUnicode_READ_CHAR(kind, 0)) != NULL;
    Py_XDECREF(kind);
    PyErr_Clear();
    return is_known;
}

/* Whether bytes are UTF-8, so that the text option writes them. Clears exceptions. */
static bool hint_is_utf8(PyObject *value) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(value, &buffer, PyBUF_SIMPLE) != 0) {
        PyErr_Clear();
        return false;
    }
    PyObject *const text = PyUnicode_DecodeUTF8(buffer.buf, buffer.len, NULL);
    PyBuffer_Release(&buffer);
    const bool is_utf8 = text != NULL;
    Py_XDECREF(text);
    PyErr_Clear();
    return is_utf8;
}

/* The type of a value, regardless of the options that are on. May run Python code; clears
 * exceptions. */
static enum native_type hint_find_type(struct native_types *types, PyObject *value) {
    for (int i = NATIVE_ENUM; i < NATIVE_FIXED_ZONE; i++) {
        PyTypeObject *const type = native_types_get(types, (enum native_type)i);
        if (type == NULL) {
            continue;
        }
        /* a mapping may be registered or claim to be one: only isinstance tells */
        const int is_of = i == NATIVE_MAPPING ? PyObject_IsInstance(value, (PyObject *)type)
                                              : PyObject_TypeCheck(value, type);
        PyErr_Clear();
        if (is_of > 0) {
            return (enum native_type)i;
        }
    }
    const enum native_type exported = native_types_find_export(types, Py_TYPE(value));
    return exported == NATIVE_UNKNOWN && PyIter_Check(value) ? NATIVE_ITERATOR : exported;
}

/* The hint for an object of a model class; empty where no option would write it. */
static const char *hint_for_model(const struct encode_options *options, PyObject *value) {
    const struct native_options plain = {.dataclass = true};
    const struct native_options all = {.dataclass = true, .models = MODELS_ALL};
    const struct native_types *const types = &options->context->native_types;
    if (PyType_Check(value)) {
        return "";
    }
    if (native_is_model(&plain, types, Py_TYPE(value), false)) {
        return options->native.dataclass ? "" : "; dataclass=True, or natives=True, writes it";
    }
    const bool is_model = native_is_model(&all, types, Py_TYPE(value), false);
    return is_model && options->native.models != MODELS_ALL ? "; models=True writes it" : "";
}

COLD struct hint hint_for(const struct encode_options *options, PyObject *value, bool is_key) {
    struct native_types *const types = &options->context->native_types;
    struct hint hint;
    const char *const of_model = is_key ? "" : hint_for_model(options, value);
    PyOS_snprintf(hint.text, sizeof hint.text, "%s", of_model);
    if (*of_model != '\0') {
        return hint;
    }
    if (is_key && options->key_default != NULL) {
        PyOS_snprintf(hint.text, sizeof hint.text, "; key_default returned it");
        return hint;
    }
    if (is_key && !options->exact_types) {
        PyOS_snprintf(hint.text, sizeof hint.text, "; key_default=str writes it");
    }
    const enum native_type which = hint_find_type(types, value);
    const char *const option = hint_option(which);
    const bool is_numpys = which >= NATIVE_DATETIME64 && which <= NATIVE_SCALAR;
    if (option == NULL || native_is_on(&options->native, which) ||
        (is_key && !hint_is_scalar(which)) || (is_numpys && !hint_has_known_items(types, value))) {
        return hint;
    }
    const bool is_bytes = which >= NATIVE_BYTES && which <= NATIVE_MEMORYVIEW;
    if (is_bytes && !hint_is_utf8(value)) {
        PyOS_snprintf(hint.text, sizeof hint.text, "; bytes=\"base64\" writes it");
    } else {
        PyOS_snprintf(hint.text, sizeof hint.text, "; %s, or natives=True, writes it", option);
    }
    return hint;
}
