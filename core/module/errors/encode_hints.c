/* SPDX-License-Identifier: MIT */
#include "module/errors/exceptions.h"

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
    default: return NULL;
    }
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
    return PyIter_Check(value) ? NATIVE_ITERATOR : NATIVE_UNKNOWN;
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
