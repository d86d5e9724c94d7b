/* SPDX-License-Identifier: MIT */
#include "schema/fits.h"

#include <datetime.h>

#include "pyobject/object.h"
#include "pyobject/snapshot.h"

/* ---- checking ------------------------------------------------------------------------------ */

/* A container whose items are being checked. */
struct fit_cursor {
    const struct alternative *alternative;
    PyObject *container; /* a snapshot */
    Py_ssize_t index;
    Py_ssize_t n_required; /* required fields that were visited */
};

/* Whether a value of the type of an alternative fits it, as far as can be seen without looking into
 * containers. */
static ALWAYS_INLINE bool alternative_fits(const struct alternative *alternative, PyObject *value,
                                           const struct rule_options *options) {
    switch (alternative->op) {
    case OP_TYPE:
    case OP_DERIVED:
    case OP_ITEMS:
    case OP_VALUES: return true;
    case OP_FINITE: return options->writes_nan || isfinite(PyFloat_AS_DOUBLE(value));
    case OP_FLOAT: return float_passes(alternative, value);
    case OP_AMONG: return is_among(alternative, value);
    case OP_PLACES: return PyTuple_GET_SIZE(value) == alternative->items.places->n;
    case OP_FIELDS: return alternative->choices->n != 0 || PyDict_GET_SIZE(value) == 0;
    case OP_SECONDS:     /* its seconds are written instead: rule_seconds */
    case OP_AS_PYDANTIC: /* of other types: any_value_fits */
    case OP_AS_MSGSPEC:
    case OP_AS_JSON:
    case OP_INT: /* these make values: see compile.c */
    case OP_REAL:
    case OP_TEXT:
    case OP_BARE:
    case OP_TRIMMED:
    case OP_WHOLE:
    case OP_PLAIN:
    case OP_CALL:
    case OP_DATE:
    case OP_DATETIME:
    case OP_UUID:
    case OP_MAPPED:
    case OP_MAPPED_OR_SAME:
    case OP_DECIMAL:
    case OP_DECIMAL_TEXT:
    case OP_QUANTIZED:
    case OP_ISO:
    case OP_ISO_Z:
    case OP_UUID_TEXT:
    case OP_READ:
    case OP_READ_SINGLE:
    case OP_LOAD:
    case OP_FUNCTIONS:
    case OP_TUPLE:
    case OP_MODEL:
    case OP_TAGGED: return false;
    }
    return false;
}

/* The alternative for a value, found without looking into containers; NULL where none fits. */
static inline const struct alternative *rule_find(const struct node *rule, PyObject *value,
                                                  const struct rule_options *options) {
    const bool has_formats = options->any.has_pydantic_formats;
    PyTypeObject *const type = Py_TYPE(value);
    for (Py_ssize_t i = 0; i < rule->n; i++) {
        const struct alternative *const alternative = &rule->alternatives[i];
        if (alternative->type != type || !(alternative->is_json || has_formats)) {
            continue;
        }
        if (alternative_fits(alternative, value, options)) {
            return alternative;
        }
    }
    return NULL;
}

/* The place of a TypedDict's key; -1 where it is not one of its keys. */
static Py_ssize_t known_place(PyObject *known, PyObject *key) {
    PyObject *const place = PyUnicode_CheckExact(key) ? PyDict_GetItemWithError(known, key) : NULL;
    if (place == NULL) {
        PyErr_Clear();
        return -1;
    }
    return PyLong_AsSsize_t(place);
}

enum fit_step { FIT_ITEM, FIT_END, FIT_NONE };

/* The next item of a list, tuple or set; false at its end. */
static ALWAYS_INLINE bool fit_cursor_next_item(struct fit_cursor *cursor, PyObject **value) {
    PyObject *const container = cursor->container;
    if (PyAnySet_CheckExact(container)) {
        return set_next(container, &cursor->index, value);
    }
    if (cursor->index >= Py_SIZE(container)) {
        return false;
    }
    *value = PyList_CheckExact(container) ? PyList_GET_ITEM(container, cursor->index)
                                          : PyTuple_GET_ITEM(container, cursor->index);
    cursor->index++;
    return true;
}

/* The next item of a container and the rule for it. */
static enum fit_step fit_cursor_next(struct fit_cursor *cursor, const struct node **rule,
                                     PyObject **value) {
    const struct alternative *const alternative = cursor->alternative;
    PyObject *const container = cursor->container;
    PyObject *key;
    switch (alternative->operands) {
    case OPERANDS_ITEMS:
        *rule = alternative->items.inner;
        return fit_cursor_next_item(cursor, value) ? FIT_ITEM : FIT_END;
    case OPERANDS_PLACES:
        if (cursor->index >= alternative->items.places->n) {
            return FIT_END;
        }
        *rule = alternative->items.places->at[cursor->index];
        *value = PyTuple_GET_ITEM(container, cursor->index);
        cursor->index++;
        return FIT_ITEM;
    case OPERANDS_VALUES:
        if (!PyDict_Next(container, &cursor->index, &key, value)) {
            return FIT_END;
        }
        *rule = alternative->items.inner;
        return PyUnicode_CheckExact(key) ? FIT_ITEM : FIT_NONE;
    case OPERANDS_FIELDS: {
        const struct choices *const choices = alternative->choices;
        if (!PyDict_Next(container, &cursor->index, &key, value)) {
            return cursor->n_required == choices->n_required ? FIT_END : FIT_NONE;
        }
        const Py_ssize_t place = known_place(choices->places, key);
        if (place < 0) {
            return FIT_NONE;
        }
        cursor->n_required += place < choices->n_required;
        *rule = choices->at[place];
        return FIT_ITEM;
    }
    case OPERANDS_NONE:
    case OPERANDS_INTS:
    case OPERANDS_FLOATS:
    case OPERANDS_TEXT:
    case OPERANDS_AMONG:
    case OPERANDS_VALIDATOR:
    case OPERANDS_STANDARD:
    case OPERANDS_MAPPING:
    case OPERANDS_DECIMAL:
    case OPERANDS_MOMENT:
    case OPERANDS_SLOT:
    case OPERANDS_READ:
    case OPERANDS_LOAD:
    case OPERANDS_FUNCTIONS:
    case OPERANDS_INNER:
    case OPERANDS_TAGS:
    case OPERANDS_MODEL: return FIT_END; /* they have nothing within */
    }
    Py_UNREACHABLE();
}

/* Release the containers of n cursors. */
static ALWAYS_INLINE bool fit_cursors_end(const struct fit_cursor *cursors, size_t n, bool fits) {
    for (size_t i = 0; IS_FREE_THREADED && i < n; i++) {
        snapshot_release(cursors[i].container);
    }
    return fits;
}

/* Whether a container needs no cursor: a list whose items all have the type that fits always. With
 * the GIL nothing changes the list meanwhile. */
static ALWAYS_INLINE bool has_plain_items(const struct alternative *alternative, PyObject *value) {
    if (IS_FREE_THREADED || alternative->op != OP_ITEMS || !PyList_CheckExact(value) ||
        alternative->items.inner == NULL) {
        return false;
    }
    const PyTypeObject *const type = alternative->items.inner->plain_type;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); i++) {
        if (Py_TYPE(PyList_GET_ITEM(value, i)) != type) {
            return false;
        }
    }
    return true;
}

/* rule_fits where a container may have to be looked into. */
static NOINLINE bool rule_fits_deeply(const struct node *rule, PyObject *value,
                                      const struct rule_options *options) {
    struct fit_cursor cursors[SCHEMA_MAX_DEPTH];
    size_t n = 0;
    for (;;) {
        if (rule != NULL && rule->of_any != NULL) {
            if (!any_value_fits(rule, value, &options->any)) {
                return fit_cursors_end(cursors, n, false);
            }
        } else if (rule != NULL) {
            const struct alternative *const alternative = rule_find(rule, value, options);
            if (alternative == NULL) {
                return fit_cursors_end(cursors, n, false);
            }
            if (alternative->has_parts) {
                assert(n < SCHEMA_MAX_DEPTH);
                PyObject *const container = snapshot_take(value);
                if (IS_FREE_THREADED && UNLIKELY(container == NULL)) {
                    PyErr_Clear();
                    return fit_cursors_end(cursors, n, false);
                }
                cursors[n++] =
                    (struct fit_cursor){.alternative = alternative, .container = container};
            }
        }
        for (;;) {
            if (n == 0) {
                return true;
            }
            const enum fit_step step = fit_cursor_next(&cursors[n - 1], &rule, &value);
            const bool is_left_out = step == FIT_ITEM && options->excludes_none &&
                                     value == Py_None &&
                                     cursors[n - 1].alternative->op == OP_FIELDS;
            if (step == FIT_NONE || is_left_out) {
                return fit_cursors_end(cursors, n, false);
            }
            if (step == FIT_ITEM) {
                break;
            }
            n--;
            snapshot_release(cursors[n].container);
        }
    }
}

bool rule_fits_closely(const struct node *rule, PyObject *value,
                       const struct rule_options *options) {
    if (LIKELY(rule->of_any == NULL)) {
        const struct alternative *const alternative = rule_find(rule, value, options);
        if (alternative == NULL) {
            return false;
        }
        if (LIKELY(!alternative->has_parts) || has_plain_items(alternative, value)) {
            return true;
        }
    }
    return rule_fits_deeply(rule, value, options);
}

/* Whether a tuple of a list's items fits the alternative for the list. */
static bool held_items_fit(const struct alternative *alternative, PyObject *items,
                           const struct rule_options *options) {
    const struct node *const rule = alternative->items.inner;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++) {
        if (!rule_fits(rule, PyTuple_GET_ITEM(items, i), options)) {
            return false;
        }
    }
    return true;
}

bool rule_fits_held(const struct node *rule, PyObject **value, const struct rule_options *options) {
    if (rule->of_any != NULL || !PyList_CheckExact(*value)) {
        return rule_fits_closely(rule, *value, options);
    }
    const struct alternative *const alternative = rule_find(rule, *value, options);
    if (alternative == NULL || alternative->op != OP_ITEMS) {
        return alternative != NULL && rule_fits_closely(rule, *value, options);
    }
    PyObject *const items = PyList_AsTuple(*value);
    if (items == NULL || !held_items_fit(alternative, items, options)) {
        PyErr_Clear();
        Py_XDECREF(items);
        return false;
    }
    Py_SETREF(*value, items);
    return true;
}

PyTypeObject *rule_base(const struct node *rule, PyObject *value) {
    PyTypeObject *base = NULL;
    for (Py_ssize_t i = 0; rule != NULL && i < rule->n; i++) {
        const struct alternative *const alternative = &rule->alternatives[i];
        if (alternative->op == OP_DERIVED && PyType_IsSubtype(Py_TYPE(value), alternative->type)) {
            if (base != NULL) {
                return NULL;
            }
            base = alternative->type;
        }
    }
    return base;
}

/* A double has all microseconds of fewer days than these. */
#define EXACT_DAYS 100000

PyObject *rule_seconds(const struct node *rule, PyObject *value, const struct native_types *types) {
    for (Py_ssize_t i = 0; rule != NULL && i < rule->n; i++) {
        const struct alternative *const alternative = &rule->alternatives[i];
        if (alternative->op != OP_SECONDS || alternative->type != Py_TYPE(value) ||
            native_types_known(types, NATIVE_TIMEDELTA) != Py_TYPE(value) ||
            !native_types_is_in_c(types, NATIVE_TIMEDELTA)) {
            continue;
        }
        const PyDateTime_Delta *const delta = (const PyDateTime_Delta *)value;
        const double seconds = delta->days * 86400.0 + delta->seconds;
        const bool is_exact = delta->days > -EXACT_DAYS && delta->days < EXACT_DAYS;
        return is_exact ? PyFloat_FromDouble((seconds * 1e6 + delta->microseconds) / 1e6) : NULL;
    }
    return NULL;
}

const struct node *rule_of_list_items(const struct node *rule) {
    for (Py_ssize_t i = 0; rule != NULL && i < rule->n; i++) {
        const struct alternative *const alternative = &rule->alternatives[i];
        if (alternative->op == OP_ITEMS && alternative->type == &PyList_Type) {
            return alternative->items.inner;
        }
    }
    return NULL;
}

/* ---- values of no declared type ------------------------------------------------------------ */

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

/* Floats that are not finite are written in several ways. */
static enum any_look look_as_json(PyObject *value) {
    if (PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
        value == Py_None) {
        return ANY_FITS;
    }
    if (PyFloat_CheckExact(value)) {
        return __builtin_isfinite(PyFloat_AS_DOUBLE(value)) ? ANY_FITS : ANY_DIFFERS;
    }
    return PyList_CheckExact(value) || PyDict_CheckExact(value) ? ANY_HAS_ITEMS : ANY_DIFFERS;
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
static bool is_named(const struct node *rule, PyObject *value, const struct any_options *options) {
    const struct native_types *const types = options->types;
    for (Py_ssize_t i = 0; i < rule->n; i++) {
        if (&rule->alternatives[i] != rule->of_any &&
            Py_IS_TYPE(value, rule->alternatives[i].type)) {
            const bool has_zone = Py_IS_TYPE(value, native_types_known(types, NATIVE_DATETIME)) ||
                                  Py_IS_TYPE(value, native_types_known(types, NATIVE_TIME));
            return !has_zone || has_plain_zone(types, value);
        }
    }
    return false;
}

static enum any_look look_as(const struct node *rule, PyObject *value,
                             const struct any_options *options) {
    if (rule->of_any->op == OP_AS_PYDANTIC) {
        return look_as_pydantic(value, options);
    }
    if (rule->of_any->op == OP_AS_JSON) {
        return look_as_json(value);
    }
    const enum any_look look = look_as_msgspec(value, options);
    const bool may_be_named = look == ANY_DIFFERS && options->has_msgspec_formats;
    return may_be_named && is_named(rule, value, options) ? ANY_FITS : look;
}

bool any_value_fits(const struct node *rule, PyObject *value, const struct any_options *options) {
    struct any_cursor cursors[VALUE_MAX_DEPTH];
    size_t n = 0;
    bool has_str_keys = true;
    const bool is_pydantic = rule->of_any->op == OP_AS_PYDANTIC;
    if (is_pydantic && (options->is_exact || !options->has_pydantic_formats)) {
        return options->has_pydantic_formats;
    }
    bool fits = true;
    while (value != NULL && fits) {
        const enum any_look look = look_as(rule, value, options);
        fits = look != ANY_DIFFERS && (look != ANY_HAS_ITEMS || n < VALUE_MAX_DEPTH);
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
