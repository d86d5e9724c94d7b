/* SPDX-License-Identifier: MIT */
#include "encode/model/rule.h"
#include "pyobject/object.h"
#include "pyobject/snapshot.h"
#include "pyobject/type.h"

#include <datetime.h>

enum any_look {
    ANY_FITS,
    ANY_DIFFERS,
    ANY_HAS_ITEMS,
};

/* msgspec writes 1e16 where newer versions of pydantic write 1e+16; smaller floats are equal. */
static bool is_float_of_msgspec(PyObject *number, bool has_msgspec_floats) {
    const double magnitude = __builtin_fabs(PyFloat_AS_DOUBLE(number));
    return has_msgspec_floats || magnitude < 1e16 || !__builtin_isfinite(magnitude);
}

/* Whether the walk writes a value as pydantic does: by pydantic's own plan, or in its formats.
 * Iterators are never passed to pydantic, which may refuse their items after they are consumed. */
static bool is_alike_in_pydantic(const struct native_types *types, PyObject *value) {
    PyTypeObject *const type = Py_TYPE(value);
    static const enum native_type alike[] = {NATIVE_DATETIME,  NATIVE_DATE, NATIVE_TIME,
                                             NATIVE_TIMEDELTA, NATIVE_UUID, NATIVE_DECIMAL,
                                             NATIVE_BYTES};
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        if (native_types_known(types, alike[i]) == type) {
            return true;
        }
    }
    return type_look_up(type, types->words[WORD_PYDANTIC_SERIALIZER]) != NULL ||
           PyIter_Check(value);
}

static enum any_look look_as_pydantic(PyObject *value, const struct any_options *options) {
    if (PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) ||
        PyBool_Check(value) || value == Py_None) {
        return ANY_FITS;
    }
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value) || PyDict_CheckExact(value) ||
        PyAnySet_CheckExact(value)) {
        return ANY_HAS_ITEMS;
    }
    return is_alike_in_pydantic(options->types, value) ? ANY_FITS : ANY_DIFFERS;
}

static enum any_look look_as_msgspec(PyObject *value, const struct any_options *options) {
    if (PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
        value == Py_None) {
        return ANY_FITS;
    }
    if (PyFloat_CheckExact(value)) {
        return is_float_of_msgspec(value, options->has_msgspec_floats) ? ANY_FITS : ANY_DIFFERS;
    }
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value) || PyDict_CheckExact(value)) {
        return ANY_HAS_ITEMS;
    }
    PyObject *const word = options->types->words[WORD_STRUCT_FIELDS];
    return type_look_up(Py_TYPE(value), word) != NULL ? ANY_FITS : ANY_DIFFERS;
}

/* A container that is being looked into. */
struct any_cursor {
    PyObject *container; /* a snapshot */
    Py_ssize_t index;
};

/* The next item, borrowed; NULL at the end. A key of a type other than str clears
 * `has_str_keys`. */
static PyObject *any_next(struct any_cursor *cursor, bool *has_str_keys) {
    PyObject *const container = cursor->container;
    PyObject *value = NULL;
    if (PyDict_CheckExact(container)) {
        PyObject *key;
        if (!PyDict_Next(container, &cursor->index, &key, &value)) {
            return NULL;
        }
        *has_str_keys &= PyUnicode_CheckExact(key);
        return value;
    }
    if (PyAnySet_CheckExact(container)) {
        return set_next(container, &cursor->index, &value) ? value : NULL;
    }
    if (cursor->index >= Py_SIZE(container)) {
        return NULL;
    }
    value = PyList_CheckExact(container) ? PyList_GET_ITEM(container, cursor->index)
                                         : PyTuple_GET_ITEM(container, cursor->index);
    cursor->index++;
    return value;
}

/* Whether a datetime or time has no zone, or UTC: libraries round offsets that are not whole
 * minutes in different ways. */
static bool has_plain_zone(const struct native_types *types, PyObject *value) {
    PyObject *zone = NULL;
    if (Py_IS_TYPE(value, native_types_known(types, NATIVE_DATETIME)) &&
        native_types_is_in_c(types, NATIVE_DATETIME)) {
        const PyDateTime_DateTime *const datetime = (const PyDateTime_DateTime *)value;
        zone = datetime->hastzinfo ? datetime->tzinfo : Py_None;
    } else if (Py_IS_TYPE(value, native_types_known(types, NATIVE_TIME)) &&
               native_types_is_in_c(types, NATIVE_TIME)) {
        const PyDateTime_Time *const time = (const PyDateTime_Time *)value;
        zone = time->hastzinfo ? time->tzinfo : Py_None;
    }
    return zone == Py_None || (zone != NULL && zone == LOAD_SHARED(types->utc));
}

/* Whether a rule of msgspec's names the type of a value as one that both write equally. */
static bool is_named(const struct rule *rule, PyObject *value, const struct any_options *options) {
    const struct native_types *const types = options->types;
    for (Py_ssize_t i = 0; i < rule->n; i++) {
        if (Py_IS_TYPE(value, rule->alternatives[i].type)) {
            const bool has_zone = Py_IS_TYPE(value, native_types_known(types, NATIVE_DATETIME)) ||
                                  Py_IS_TYPE(value, native_types_known(types, NATIVE_TIME));
            return !has_zone || has_plain_zone(types, value);
        }
    }
    return false;
}

bool any_value_fits(const struct rule *rule, PyObject *value, const struct any_options *options) {
    struct any_cursor cursors[ANY_MAX_DEPTH];
    size_t n = 0;
    bool has_str_keys = true;
    const bool is_pydantic = rule->library == LIBRARY_PYDANTIC;
    if (is_pydantic && (options->is_exact || !options->has_pydantic_formats)) {
        return options->has_pydantic_formats;
    }
    bool fits = true;
    while (value != NULL && fits) {
        enum any_look look =
            is_pydantic ? look_as_pydantic(value, options) : look_as_msgspec(value, options);
        if (look == ANY_DIFFERS && !is_pydantic && options->has_msgspec_formats &&
            is_named(rule, value, options)) {
            look = ANY_FITS;
        }
        fits = look != ANY_DIFFERS && (look != ANY_HAS_ITEMS || n < ANY_MAX_DEPTH);
        if (fits && look == ANY_HAS_ITEMS) {
            PyObject *const container = snapshot_take(value);
            if (IS_FREE_THREADED && UNLIKELY(container == NULL)) {
                PyErr_Clear();
                fits = false;
                break;
            }
            cursors[n++] = (struct any_cursor){.container = container};
        }
        value = NULL;
        while (n > 0 && value == NULL) {
            value = any_next(&cursors[n - 1], &has_str_keys);
            if (value == NULL) {
                snapshot_release(cursors[--n].container);
            }
        }
        fits &= has_str_keys;
    }
    while (IS_FREE_THREADED && n > 0) {
        snapshot_release(cursors[--n].container);
    }
    return fits;
}
