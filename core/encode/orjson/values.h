/* SPDX-License-Identifier: MIT */
/* Values that are not exactly of JSON's own types as the module orjson writes them, where its flags
 * leave them to it. Its behaviour, as its documentation and its tests say it, is the specification;
 * docs/orjson.md has the differences. */
#ifndef SSRJSON_ENCODE_ORJSON_VALUES_H
#define SSRJSON_ENCODE_ORJSON_VALUES_H

#include "encode/orjson/scalars.h"
#include "pyobject/dict.h"
#include "pyobject/snapshot.h"

/* Results of the hook that it is asked about again. */
#define ORJSON_MAX_HOOKS 255

/* ---- containers ---------------------------------------------------------------------------- */

/* What is written for an empty container: orjson opens a level for it. */
static inline enum native_outcome orjson_enter_empty(struct encoder *encoder, PyObject *object,
                                                     enum native_outcome empty) {
    if (encoder_is_too_deep(encoder, object)) {
        encoder_fail(encoder, ERROR_TOO_DEEP, NULL);
        return NATIVE_FAILED;
    }
    return empty;
}

/* Enter pairs, which are stolen, also on failure; those of which one is owned are all owned. */
static inline enum native_outcome orjson_enter_pairs(struct encoder *encoder, PyObject *object,
                                                     struct pairs *pairs) {
    if (pairs->n == 0) {
        pairs_free(pairs);
        return orjson_enter_empty(encoder, object, NATIVE_AS_EMPTY_OBJECT);
    }
    const bool is_owning = pairs->first_owned == 0;
    if (is_owning) {
        Py_INCREF(object);
    }
    const struct frame frame = {.pairs = pairs,
                                .object = object,
                                .kind = FRAME_PAIRS,
                                .is_owning = is_owning,
                                .has_holdings = true};
    return encoder_push(encoder, &frame) ? NATIVE_IN_OBJECT : NATIVE_FAILED;
}

static inline struct pairs *orjson_pairs(struct encoder *encoder, PyObject *dict) {
    struct pairs *const pairs =
        IS_FREE_THREADED ? pairs_from_shared_dict(dict, 0, 0) : pairs_from_dict(dict, 0);
    if (pairs == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    }
    return pairs;
}

/* Replace all keys of pairs by their texts; the pairs become owned. False with the error recorded.
 */
static COLD bool orjson_replace_keys(struct encoder *encoder, struct pairs *pairs) {
    pairs_own_from(pairs, 0);
    if (!encoder_own_frames(encoder)) { /* Python code may run */
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        PyObject *text = orjson_key_text(encoder, pairs->pair[i].key);
        if (text != NULL && !PyUnicode_CheckExact(text)) { /* sorting wants no subclass */
            Py_SETREF(text, PyUnicode_FromObject(text));
            if (text == NULL) {
                encoder_fail(encoder, ERROR_RAISED, NULL);
            }
        }
        if (text == NULL) {
            return false;
        }
        Py_SETREF(pairs->pair[i].key, text);
    }
    return true;
}

/* Enter a dict, also of a subclass, whose methods are not asked. */
static enum native_outcome orjson_enter_dict(struct encoder *encoder, PyObject *dict) {
    if (PyDict_GET_SIZE(dict) == 0) {
        return orjson_enter_empty(encoder, dict, NATIVE_AS_EMPTY_OBJECT);
    }
    if (!IS_FREE_THREADED && !encoder->options->sort_keys) {
        return encoder_enter(encoder, dict, FRAME_DICT) != NULL ? NATIVE_IN_OBJECT : NATIVE_FAILED;
    }
    struct pairs *const pairs = orjson_pairs(encoder, dict);
    if (pairs == NULL) {
        return NATIVE_FAILED;
    }
    enum sort_result sorted =
        encoder->options->sort_keys ? encoder_sort(encoder, pairs) : SORT_DONE;
    if (sorted == SORT_NOT_KNOWN) {
        Py_INCREF(dict);
        sorted =
            orjson_replace_keys(encoder, pairs) ? encoder_sort(encoder, pairs) : SORT_NOT_KNOWN;
        Py_DECREF(dict);
    }
    if (sorted != SORT_DONE) {
        pairs_free(pairs);
        return NATIVE_FAILED;
    }
    return orjson_enter_pairs(encoder, dict, pairs);
}

/* Enter a list, also of a subclass, whose methods are not asked. */
static enum native_outcome orjson_enter_list(struct encoder *encoder, PyObject *list) {
    if (PyList_GET_SIZE(list) == 0) {
        return orjson_enter_empty(encoder, list, NATIVE_AS_EMPTY_ARRAY);
    }
#if IS_FREE_THREADED
    PyObject *const items = PyList_AsTuple(list);
    if (items == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    return encoder_push_owned(encoder, items, list, FRAME_TUPLE, false) ? NATIVE_IN_ARRAY
                                                                        : NATIVE_FAILED;
#else
    return encoder_enter(encoder, list, FRAME_LIST) != NULL ? NATIVE_IN_ARRAY : NATIVE_FAILED;
#endif
}

/* ---- dataclasses --------------------------------------------------------------------------- */

static inline bool orjson_is_hidden(PyObject *name) {
    return PyUnicode_Check(name) && PyUnicode_GET_LENGTH(name) > 0 &&
           PyUnicode_READ_CHAR(name, 0) == '_';
}

/* What a class itself has under a name, borrowed; NULL where it has none, or only its bases do. */
static inline PyObject *type_own(PyTypeObject *type, PyObject *name) {
#if PY_VERSION_HEX >= 0x030c0000
    PyObject *const dict = PyType_GetDict(type);
    PyObject *const found = dict != NULL ? PyDict_GetItemWithError(dict, name) : NULL;
    Py_XDECREF(dict);
#else
    PyObject *const found = PyDict_GetItemWithError(type->tp_dict, name);
#endif
    PyErr_Clear();
    return found;
}

/* Enter an object by its __dict__, without the names that begin with an underscore. */
static enum native_outcome orjson_enter_attributes(struct encoder *encoder, PyObject *object,
                                                   PyObject *dict, bool is_owned) {
    bool has_hidden = false;
    PyObject *name;
    PyObject *value;
    struct dict_cursor cursor = dict_cursor(dict);
    while (!has_hidden && !is_owned && dict_cursor_next(&cursor, dict, &name, &value)) {
        has_hidden = orjson_is_hidden(name);
    }
    if (!has_hidden && !is_owned && PyDict_GET_SIZE(dict) > 0) {
        return encoder_enter(encoder, dict, FRAME_DICT) != NULL ? NATIVE_IN_OBJECT : NATIVE_FAILED;
    }
    struct pairs *const pairs = orjson_pairs(encoder, dict);
    if (pairs == NULL) {
        return NATIVE_FAILED;
    }
    pairs_own_from(pairs, is_owned ? 0 : pairs->first_owned);
    const bool has_references = pairs->first_owned == 0;
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < pairs->n; i++) {
        if (!orjson_is_hidden(pairs->pair[i].key)) {
            pairs->pair[n++] = pairs->pair[i];
        } else if (has_references) {
            Py_DECREF(pairs->pair[i].key);
            Py_DECREF(pairs->pair[i].value);
        }
    }
    pairs->n = n;
    pairs->first_owned = has_references ? 0 : n;
    return orjson_enter_pairs(encoder, object, pairs);
}

/* Whether a Field of a dataclass is neither a class variable nor an argument of __init__ alone. -1
 * with an exception set. */
static inline int orjson_is_field(const struct native_types *types, PyObject *field) {
    PyObject *const kind = PyObject_GetAttr(field, types->words[WORD_FIELD_TYPE]);
    PyObject *const name = kind != NULL ? PyObject_GetAttr(kind, types->words[WORD_NAME]) : NULL;
    const int is_field = name == NULL ? -1
                                      : PyUnicode_Check(name) &&
                                            PyUnicode_CompareWithASCIIString(name, "_FIELD") == 0;
    Py_XDECREF(kind);
    Py_XDECREF(name);
    return is_field;
}

/* Append the name and the value of one field to the items of an object, if it is written; false
 * with an exception set. */
static bool orjson_add_field(const struct native_types *types, PyObject *object, PyObject *pair,
                             PyObject *items) {
    PyObject *const name = PyTuple_GET_ITEM(pair, 0);
    const int is_field = orjson_is_field(types, PyTuple_GET_ITEM(pair, 1));
    if (is_field <= 0 || orjson_is_hidden(name)) {
        return is_field >= 0;
    }
    PyObject *const value = PyObject_GetAttr(object, name);
    PyObject *const item = value != NULL ? PyTuple_Pack(2, name, value) : NULL;
    const bool is_good = item != NULL && PyList_Append(items, item) == 0;
    Py_XDECREF(value);
    Py_XDECREF(item);
    return is_good;
}

/* The pairs of an object by the fields of its class: a new list of tuples, NULL with an exception
 * set. */
static PyObject *orjson_field_items(const struct native_types *types, PyObject *object,
                                    PyObject *fields) {
    if (!PyDict_Check(fields)) { /* the class has them from elsewhere than dataclasses */
        PyErr_Format(PyExc_TypeError, "__dataclass_fields__ of %.200s is no dict",
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    PyObject *const own_fields = PyDict_Items(fields);
    PyObject *const items = own_fields != NULL ? PyList_New(0) : NULL;
    bool is_good = items != NULL;
    for (Py_ssize_t i = 0; is_good && i < PyList_GET_SIZE(own_fields); i++) {
        PyObject *const pair = Py_NewRef(PyList_GET_ITEM(own_fields, i));
        is_good = orjson_add_field(types, object, pair, items);
        Py_DECREF(pair);
    }
    Py_XDECREF(own_fields);
    if (!is_good) {
        Py_XDECREF(items);
        return NULL;
    }
    return items;
}

/* An exception that asking a dataclass raised becomes the cause of the error. */
static COLD enum native_outcome orjson_fail_dataclass(struct encoder *encoder, PyObject *object) {
    encoder_fail(encoder, ERROR_NOT_SERIALIZABLE, object);
    return NATIVE_FAILED;
}

/* Enter an object of a dataclass by its fields, because its class has slots. */
static COLD enum native_outcome orjson_enter_fields(struct encoder *encoder, PyObject *object,
                                                    PyObject *fields, struct native *native) {
    Py_INCREF(fields);
    PyObject *items = NULL;
    if (native_let_python_run(encoder, object, native)) {
        items = orjson_field_items(&encoder->options->context->native_types, object, fields);
    }
    Py_DECREF(fields);
    if (items == NULL) {
        return encoder_has_failed(encoder) ? NATIVE_FAILED : orjson_fail_dataclass(encoder, object);
    }
    if (PyList_GET_SIZE(items) == 0) {
        Py_DECREF(items);
        return orjson_enter_empty(encoder, object, NATIVE_AS_EMPTY_OBJECT);
    }
    return encoder_push_owned(encoder, items, object, FRAME_ITEMS, false) ? NATIVE_IN_OBJECT
                                                                          : NATIVE_FAILED;
}

/* Enter an object of a dataclass: by its fields where the class has slots, otherwise by its
 * __dict__ as it is. */
static NOINLINE enum native_outcome orjson_enter_dataclass(struct encoder *encoder,
                                                           PyObject *object,
                                                           struct native *native) {
    struct native_types *const types = &encoder->options->context->native_types;
    PyTypeObject *const type = Py_TYPE(object);
    PyObject *const fields = type_own(type, types->words[WORD_DATACLASS_FIELDS]);
    if (fields == NULL || PyType_Check(object)) {
        return NATIVE_NOT_KNOWN;
    }
    if (type_own(type, types->words[WORD_SLOTS]) != NULL) {
        return orjson_enter_fields(encoder, object, fields, native);
    }
    PyObject *dict;
    PyObject *const own = type_look_up(type, types->words[WORD_DICT]);
    const bool is_usual =
        type_has_usual_attributes(type) && own != NULL && Py_IS_TYPE(own, &PyGetSetDescr_Type);
    if (is_usual && object_dict(object, &dict) && dict != NULL && PyDict_CheckExact(dict)) {
        return orjson_enter_attributes(encoder, object, dict, false);
    }
    if (!native_let_python_run(encoder, object, native)) {
        return NATIVE_FAILED;
    }
    dict = PyObject_GetAttr(object, types->words[WORD_DICT]);
    if (dict == NULL || !PyDict_Check(dict)) {
        Py_XDECREF(dict);
        return orjson_fail_dataclass(encoder, object);
    }
    const enum native_outcome outcome = orjson_enter_attributes(encoder, object, dict, true);
    Py_DECREF(dict);
    return outcome;
}

/* ---- numpy --------------------------------------------------------------------------------- */

/* Contiguous arrays in native byte order, and scalars, are written from their memory; all others go
 * to the hook. */

#define NOT_CONTIGUOUS "numpy array is not C contiguous; use ndarray.tolist() in default"
#define UNKNOWN_ITEMS "unsupported datatype in numpy array"

/* Leave a value of a known type to the hook; the text is for where there is none. */
static inline enum native_outcome orjson_leave(struct native *native, const char *refusal) {
    native->refusal = refusal;
    return NATIVE_NOT_KNOWN;
}

/* Whether items follow each other in memory without gaps. */
static inline bool ndarray_is_contiguous(const struct ndarray *array) {
    Py_ssize_t expected = array->item_bytes;
    bool is_contiguous = true;
    for (int i = array->n_dims; i-- > 0;) {
        if (array->shape[i] == 0) {
            return true;
        }
        is_contiguous &= array->shape[i] == 1 || array->strides[i] == expected;
        expected *= array->shape[i];
    }
    return is_contiguous;
}

/* An array, exactly of numpy's class. */
static COLD enum native_outcome orjson_array(struct encoder *encoder, PyObject *value,
                                             struct native *native) {
    const enum native_outcome outcome = native_ndarray(encoder, value, native);
    if (outcome != NATIVE_NDARRAY) {
        return outcome == NATIVE_NOT_KNOWN ? orjson_leave(native, UNKNOWN_ITEMS) : outcome;
    }
    const struct ndarray *const array = &native->array;
    if (array->is_swapped) {
        ndarray_close(&native->array);
        return orjson_refuse(encoder, "numpy array is not native-endianness");
    }
    if (!ndarray_is_contiguous(array)) {
        ndarray_close(&native->array);
        return orjson_leave(native, NOT_CONTIGUOUS);
    }
    if (array->n_dims == 0 || array->kind == 'm') {
        ndarray_close(&native->array);
        return orjson_leave(native, UNKNOWN_ITEMS);
    }
    return NATIVE_NDARRAY;
}

/* A scalar of one of numpy's own classes. */
static COLD enum native_outcome orjson_scalar(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    if (Py_TYPE(value)->tp_flags & Py_TPFLAGS_HEAPTYPE) { /* a class of someone else */
        return NATIVE_NOT_KNOWN;
    }
    const enum native_outcome outcome = native_ndarray(encoder, value, native);
    if (outcome == NATIVE_NDARRAY && (native->array.kind == 'm' || native->array.n_dims != 0)) {
        ndarray_close(&native->array);
        return NATIVE_NOT_KNOWN;
    }
    return outcome;
}

/* ---- the hook ------------------------------------------------------------------------------ */

/* Replace an object by the default hook's result, which the frame on top then holds. */
static COLD enum native_outcome orjson_call_default(struct encoder *encoder, PyObject *object,
                                                    const char *refusal) {
    PyObject *const hook = encoder->options->default_hook;
    if (hook == NULL) {
        if (refusal != NULL) {
            return orjson_refuse(encoder, refusal);
        }
        encoder_fail(encoder, ERROR_NOT_SERIALIZABLE, object);
        return NATIVE_FAILED;
    }
    if (encoder->n_frames_by_python >= ORJSON_MAX_HOOKS) {
        return orjson_refuse(encoder, "default serializer exceeds recursion limit");
    }
    Py_INCREF(object);
    enum native_outcome outcome = NATIVE_FAILED;
    if (!encoder_own_frames(encoder)) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
    } else {
        PyObject *const value = PyObject_CallOneArg(hook, object);
        if (value == NULL) {
            encoder_fail(encoder, ERROR_NOT_SERIALIZABLE, object);
        } else if (encoder_push_owned(encoder, value, object, FRAME_REPLACEMENT, true)) {
            outcome = NATIVE_AS_VALUE;
        }
    }
    Py_DECREF(object);
    return outcome;
}

/* ---- all values ---------------------------------------------------------------------------- */

/* Convert or enter a value, NATIVE_NOT_KNOWN for the hook. */
static inline enum native_outcome orjson_convert(struct encoder *encoder, PyObject *value,
                                                 struct native *native) {
    const struct orjson_options *const options = &encoder->options->orjson;
    struct native_types *const types = &encoder->options->context->native_types;
    PyTypeObject *const type = Py_TYPE(value);
    const enum native_type which = orjson_scalar_type(types, type);
    const bool is_moment = which >= NATIVE_DATETIME && which <= NATIVE_TIME;
    if (which != NATIVE_UNKNOWN && !(is_moment && options->passes_moments)) {
        return orjson_scalar_outcome(encoder, which, value, native);
    }
    if (!options->passes_subclasses) {
        if (PyUnicode_Check(value)) {
            return NATIVE_AS_STR;
        }
        if (PyLong_Check(value)) {
            return NATIVE_AS_INT;
        }
        if (PyList_Check(value)) {
            return orjson_enter_list(encoder, value);
        }
        if (is_any_dict(value)) {
            return orjson_enter_dict(encoder, value);
        }
    }
    if (!options->passes_dataclasses) {
        const enum native_outcome outcome = orjson_enter_dataclass(encoder, value, native);
        if (outcome != NATIVE_NOT_KNOWN) {
            return outcome;
        }
    }
    if (options->has_numpy && type == native_types_get(types, NATIVE_ARRAY)) {
        return orjson_array(encoder, value, native);
    }
    if (options->has_numpy && native_is_of(types, type, NATIVE_SCALAR)) {
        return orjson_scalar(encoder, value, native);
    }
    return NATIVE_NOT_KNOWN;
}

/* Enter or convert a value that is not exactly of one of JSON's own types, or is to be entered with
 * care. The outcome is never NATIVE_NOT_KNOWN. */
static NOINLINE enum native_outcome orjson_enter_any(struct encoder *encoder, PyObject *value,
                                                     struct native *native) {
    if (is_any_dict_exact(value)) {
        return orjson_enter_dict(encoder, value);
    }
    if (PyList_CheckExact(value)) {
        return orjson_enter_list(encoder, value);
    }
    native->held = NULL;
    native->refusal = NULL;
    native->object = NULL;
    enum native_outcome outcome = orjson_convert(encoder, value, native);
    if (outcome == NATIVE_NOT_KNOWN) {
        outcome = orjson_call_default(encoder, value, native->refusal);
    } else if (outcome == NATIVE_AS_VALUE &&
               !encoder_push_owned(encoder, native->object, value, FRAME_REPLACEMENT, false)) {
        outcome = NATIVE_FAILED;
    }
    native_let_go(encoder, native, outcome);
    return outcome;
}

#endif
