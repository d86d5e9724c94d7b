/* SPDX-License-Identifier: MIT */
/* Where the value of a model's field is: under a key of a dict, in an attribute of an object, or
 * where a path of keys, attributes and places of lists leads to. */
#ifndef SSRJSON_SCHEMA_FIELD_PLACE_H
#define SSRJSON_SCHEMA_FIELD_PLACE_H

#include "pyobject/dict_template.h"
#include "pyobject/object.h"
#include "pyobject/snapshot.h"
#include "schema/description.h"
#include "schema/node.h"

/* Whether a dict's key is a name. Most keys are the very same object. */
static ALWAYS_INLINE bool key_is_name(PyObject *key, PyObject *name) {
    return key == name || (PyUnicode_CheckExact(key) && names_are_equal(key, name));
}

/* Whether the entry at a place of a dict is a field's; its value, borrowed. */
static ALWAYS_INLINE bool entry_is_field(const struct dict_entries *entries, Py_ssize_t place,
                                         PyObject *name, PyObject **value) {
    PyObject *key;
    return place < entries->n &&
           dict_entry(entries->first, entries->entry_bytes, entries->values, place, &key, value) &&
           key_is_name(key, name);
}

/* The value of a key in a dict of strs, borrowed; NULL where it is absent. `place` is where the
 * search begins: most dicts have a model's fields in their order. The dict may have changed since
 * the last search. */
static ALWAYS_INLINE PyObject *find_value(PyObject *dict, PyObject *name, Py_ssize_t *place) {
    if (LIKELY(dict_has_entries(dict))) {
        const struct dict_entries entries = dict_entries(dict);
        for (Py_ssize_t i = *place; i < *place + 2; i++) {
            PyObject *value;
            if (LIKELY(entry_is_field(&entries, i, name, &value))) {
                *place = i + 1;
                return value;
            }
        }
    }
    PyObject *const found = PyDict_GetItemWithError(dict, name);
    if (found == NULL) {
        PyErr_Clear(); /* of a key that was added meanwhile, and that is no str */
    }
    return found;
}

static const char *const WAYS[] = {
#define WAY(IDENTIFIER, NAME, ...) NAME,
    ATTRIBUTES_WAYS(WAY)
#undef WAY
};

/* How to read the attributes of a class's objects; ATTRIBUTES_UNKNOWN with or without an
 * exception. */
static enum attributes_way attributes_way_of(struct attributes_reading *reading,
                                             PyTypeObject *type) {
    const unsigned version = type_version(type);
    const uint64_t last = LOAD_SHARED(reading->last_way);
    if (LIKELY(version != 0 && last >> 8 == version)) {
        return (enum attributes_way)(last & 0xff);
    }
    PyObject *const answer = PyObject_CallOneArg(reading->way_of, (PyObject *)type);
    const int way = answer != NULL ? NAME_PLACE(answer, WAYS, "attributes are read in no way") : -1;
    Py_XDECREF(answer);
    if (way < 0) {
        return ATTRIBUTES_UNKNOWN;
    }
    if (version == type_version(type)) { /* it may have changed */
        STORE_SHARED(reading->last_way, (uint64_t)version << 8 | (unsigned)way);
    }
    return (enum attributes_way)way;
}

/* An object's attribute, a new reference; NULL without an exception where it has none. `dict` has
 * the attributes, or is NULL. */
static ALWAYS_INLINE PyObject *find_attribute(PyObject *object, PyObject *dict, PyObject *name,
                                              Py_ssize_t *place) {
    if (LIKELY(dict != NULL)) {
        return Py_XNewRef(find_value(dict, name, place));
    }
    PyObject *const value = PyObject_GenericGetAttr(object, name);
    if (value == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
    }
    return value;
}

/* The dict with an object's attributes, a new reference; NULL without an exception where there is
 * none. */
static PyObject *attributes_dict(PyObject *object, enum attributes_way way) {
    return way == ATTRIBUTES_GENERIC ? NULL : object_dict_held(object, way == ATTRIBUTES_IN_DICT);
}

/* Whether a value of JSON has no items and no attributes that a path finds. */
static bool is_scalar(PyObject *value) {
    return value == Py_None || PyUnicode_CheckExact(value) || PyLong_CheckExact(value) ||
           PyFloat_CheckExact(value) || PyBool_Check(value);
}

/* The item at a place, which counts from the end where it is negative: a new reference; NULL
 * without an exception where there is none. */
static PyObject *find_item(PyObject *items, PyObject *step) {
    PyObject *const now = snapshot_take(items);
    int overflow;
    const long long given = PyLong_AsLongLongAndOverflow(step, &overflow);
    PyObject *found = NULL;
    if (now != NULL && overflow == 0) {
        const Py_ssize_t n = PySequence_Fast_GET_SIZE(now);
        const long long place = given < 0 ? given + n : given;
        found = place >= 0 && place < n
                    ? Py_NewRef(PySequence_Fast_GET_ITEM(now, (Py_ssize_t)place))
                    : NULL;
    }
    snapshot_release(now);
    return found;
}

/* The attribute of an object that a path goes through: a new reference; NULL where only the
 * library can tell. */
static PyObject *find_step_attribute(struct attributes_reading *reading, PyObject *object,
                                     PyObject *name) {
    const enum attributes_way way =
        reading->way_of != NULL ? attributes_way_of(reading, Py_TYPE(object)) : ATTRIBUTES_UNKNOWN;
    if (way == ATTRIBUTES_UNKNOWN) {
        return NULL;
    }
    PyObject *const dict = attributes_dict(object, way);
    Py_ssize_t place = 0;
    PyObject *const found = (dict == NULL && way == ATTRIBUTES_IN_DICT) ||
                                    (dict != NULL && !dict_has_only_str_keys(dict))
                                ? NULL
                                : find_attribute(object, dict, name, &place);
    Py_XDECREF(dict);
    return found;
}

/* What a step of a path finds in a value: a new reference. NULL without an exception where there is
 * nothing, or, with *is_unclear, where only the library can tell. Of attributes, `reading` says
 * how; it is NULL where a path goes through items only. */
static PyObject *find_step(struct attributes_reading *reading, PyObject *value, PyObject *step,
                           bool *is_unclear) {
    const bool is_name = PyUnicode_CheckExact(step);
    if (PyDict_CheckExact(value) && shared_dict_has_only_str_keys(value)) {
        return is_name ? dict_get(value, step) : NULL;
    }
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) {
        *is_unclear = is_name && reading != NULL;
        return is_name ? NULL : find_item(value, step);
    }
    if (is_scalar(value) && !(is_name && reading != NULL)) {
        return NULL;
    }
    PyObject *const found = is_name && reading != NULL && !PyDict_CheckExact(value)
                                ? find_step_attribute(reading, value, step)
                                : NULL;
    *is_unclear = found == NULL;
    return found;
}

/* The value of a field that paths lead to: of the first that leads to one. The paths begin at a
 * dict, or at the attributes of an object, of which `dict` has those that it can have; without an
 * object `reading` is NULL. Results as those of find_step. */
static PyObject *find_by_paths(const struct accepted_field *field,
                               struct attributes_reading *reading, PyObject *object, PyObject *dict,
                               Py_ssize_t *place, bool *is_unclear) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(field->paths); i++) {
        PyObject *const path = PyTuple_GET_ITEM(field->paths, i);
        PyObject *value = find_attribute(object, dict, PyTuple_GET_ITEM(path, 0), place);
        for (Py_ssize_t j = 1; value != NULL && j < PyTuple_GET_SIZE(path); j++) {
            PyObject *const next = find_step(reading, value, PyTuple_GET_ITEM(path, j), is_unclear);
            Py_DECREF(value);
            value = next;
        }
        *is_unclear |= value == NULL && PyErr_Occurred() != NULL;
        if (value != NULL || *is_unclear) {
            return value;
        }
    }
    return NULL;
}

/* The value of a field in a dict, or of its attribute of an object. Arguments and results as those
 * of find_by_paths. */
static ALWAYS_INLINE PyObject *find_field(const struct accepted_field *field,
                                          struct attributes_reading *reading, PyObject *object,
                                          PyObject *dict, Py_ssize_t *place, bool *is_unclear) {
    if (UNLIKELY(field->paths != NULL)) {
        return find_by_paths(field, reading, object, dict, place, is_unclear);
    }
    PyObject *value = find_attribute(object, dict, field->key, place);
    if (value == NULL && field->other_key != NULL && !PyErr_Occurred()) {
        value = find_attribute(object, dict, field->other_key, place);
    }
    return value;
}

#endif
