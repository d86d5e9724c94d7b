/* SPDX-License-Identifier: MIT */
/* Dates and times as the module orjson writes them (RFC 3339, with offsets in whole minutes), and
 * keys of dicts. */
#ifndef SSRJSON_ENCODE_ORJSON_SCALARS_H
#define SSRJSON_ENCODE_ORJSON_SCALARS_H

#include "encode/types/scalar.h"
#include "encode/orjson/texts.h"
#include "number/format_float.h"

/* ---- dates and times ------------------------------------------------------------------------ */

/* Refuse a value with a text of orjson's. */
static COLD enum native_outcome orjson_refuse(struct encoder *encoder, const char *text) {
    PyErr_SetString(PyExc_TypeError, text);
    encoder_fail(encoder, ERROR_REFUSED, NULL);
    return NATIVE_FAILED;
}

/* The offset that a zone gives, a new reference: timedelta or None; NULL with an exception set. A
 * zone of pytz is asked which of its offsets holds at that time. */
static COLD PyObject *orjson_ask_zone(const struct native_types *types, PyObject *zone,
                                      PyObject *value) {
    PyObject *const normalize = PyObject_GetAttr(zone, types->words[WORD_NORMALIZE]);
    if (normalize == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
            return NULL;
        }
        PyErr_Clear();
        return PyObject_CallMethodOneArg(zone, types->words[WORD_UTCOFFSET], value);
    }
    PyObject *const moment = PyObject_CallOneArg(normalize, value);
    Py_DECREF(normalize);
    if (moment == NULL) {
        return NULL;
    }
    PyObject *const offset = PyObject_CallMethodNoArgs(moment, types->words[WORD_UTCOFFSET]);
    Py_DECREF(moment);
    return offset;
}

/* The offset from UTC of a datetime in microseconds. True, with *has_zone false where it has no
 * zone; false with the error recorded. */
static inline bool orjson_utc_offset(struct encoder *encoder, PyObject *value,
                                     struct native *native, bool *has_zone, int64_t *microseconds) {
    struct native_types *const types = &encoder->options->context->native_types;
    PyObject *zone = moment_zone(types, NATIVE_DATETIME, value); /* borrowed */
    if (zone != NULL && (zone == Py_None || zone == LOAD_SHARED(types->utc) ||
                         native_zone_runs_no_python(types, zone))) {
        return native_utc_offset(encoder, value, NATIVE_DATETIME, native, has_zone, microseconds);
    }
    if (!native_let_python_run(encoder, value, native)) {
        return false;
    }
    zone = PyObject_GetAttr(value, types->words[WORD_TZINFO]);
    *has_zone = zone != Py_None;
    *microseconds = 0;
    PyObject *const offset = zone == NULL      ? NULL
                             : zone == Py_None ? Py_NewRef(Py_None)
                                               : orjson_ask_zone(types, zone, value);
    Py_XDECREF(zone);
    struct moment moment;
    bool is_good = offset != NULL;
    if (is_good && native_is_of(types, Py_TYPE(offset), NATIVE_TIMEDELTA)) {
        is_good = native_read_moment(encoder, NATIVE_TIMEDELTA, offset, native, &moment);
        *microseconds =
            (moment.days * INT64_C(86400) + moment.second) * 1000000 + moment.microsecond;
    } else if (is_good && offset != Py_None) {
        PyErr_Format(PyExc_TypeError, "utcoffset() gives %.200s, not a timedelta",
                     Py_TYPE(offset)->tp_name);
        is_good = false;
    }
    Py_XDECREF(offset);
    if (!is_good) {
        encoder_fail_unless_failed(encoder);
        encoder->output.error.error.kind = ERROR_REFUSED;
    }
    return is_good;
}

/* A datetime, date or time, exactly of that type. */
static NOINLINE enum native_outcome orjson_moment(struct encoder *encoder, enum native_type which,
                                                  PyObject *value, struct native *native) {
    const struct native_options *const options = &encoder->options->native;
    struct moment moment;
    if (!native_read_moment(encoder, which, value, native, &moment)) {
        return NATIVE_FAILED;
    }
    if (which == NATIVE_TIME) {
        PyObject *const zone =
            PyObject_GetAttr(value, encoder->options->context->native_types.words[WORD_TZINFO]);
        Py_XDECREF(zone); /* the time keeps it */
        if (zone != Py_None) {
            return orjson_refuse(encoder, "datetime.time must not have tzinfo set");
        }
    }
    char *out = moment_put_parts(native->text, which, &moment, options->precision);
    if (which == NATIVE_DATETIME) {
        bool has_zone;
        int64_t offset;
        if (!orjson_utc_offset(encoder, value, native, &has_zone, &offset)) {
            return NATIVE_FAILED;
        }
        if (has_zone || options->is_naive_utc) {
            out = orjson_put_offset(out, offset, options->is_utc_z);
        }
    }
    return native_text_ends(native, out);
}

/* The type of a value that is written as one scalar; NATIVE_UNKNOWN for all others. */
static inline enum native_type orjson_scalar_type(struct native_types *types, PyTypeObject *type) {
    for (int i = NATIVE_DATETIME; i <= NATIVE_TIME; i++) {
        if (type == native_types_get(types, (enum native_type)i)) {
            return (enum native_type)i;
        }
    }
    return type == native_types_get(types, NATIVE_UUID) ? NATIVE_UUID
           : native_is_of(types, type, NATIVE_ENUM)     ? NATIVE_ENUM
                                                        : NATIVE_UNKNOWN;
}

/* A value of such a type. */
static inline enum native_outcome orjson_scalar_outcome(struct encoder *encoder,
                                                        enum native_type which, PyObject *value,
                                                        struct native *native) {
    return which == NATIVE_UUID || which == NATIVE_ENUM
               ? native_convert(encoder, which, value, native)
               : orjson_moment(encoder, which, value, native);
}

/* ---- keys ----------------------------------------------------------------------------------- */

/* Whether an int is one of 64 bits, with a sign or without: -2^63 to 2^64 - 1. */
static inline bool is_int_of_64_bits(PyObject *number) {
    bool is_negative;
    uint64_t magnitude;
    return long_magnitude(number, &is_negative, &magnitude) &&
           (!is_negative || magnitude <= (uint64_t)1 << 63);
}

static inline enum native_outcome orjson_int_key(struct encoder *encoder, PyObject *key,
                                                 struct native *native) {
    bool is_negative;
    uint64_t magnitude = 0;
    if (!is_int_of_64_bits(key) || !long_magnitude(key, &is_negative, &magnitude)) {
        return orjson_refuse(encoder, "Dict integer key must be within 64-bit range");
    }
    char *out = native->text;
    *out = '-';
    return native_text_ends(native, format_u64(out + is_negative, magnitude));
}

static inline enum native_outcome orjson_float_key(PyObject *key, struct native *native) {
    const double value = PyFloat_AS_DOUBLE(key);
    if (!__builtin_isfinite(value)) {
        return NATIVE_AS_NULL;
    }
    return native_text_ends(
        native, float_text_unlike_repr(native->text, format_double(native->text, value), true));
}

/* The text of a key that is not a str, or what replaces it; NATIVE_NOT_KNOWN for another type. */
static inline enum native_outcome orjson_convert_key(struct encoder *encoder, PyObject *key,
                                                     struct native *native) {
    struct native_types *const types = &encoder->options->context->native_types;
    PyTypeObject *const type = Py_TYPE(key);
    if (key == Py_None) {
        return NATIVE_AS_NULL;
    }
    if (key == Py_True || key == Py_False) {
        const bool is_true = key == Py_True;
        memcpy(native->text, is_true ? "true\0" : "false", 5);
        return native_text_ends(native, native->text + (is_true ? 4 : 5));
    }
    if (type == &PyFloat_Type) {
        return orjson_float_key(key, native);
    }
    const enum native_type which = orjson_scalar_type(types, type);
    if (which != NATIVE_UNKNOWN) {
        return orjson_scalar_outcome(encoder, which, key, native);
    }
    return PyLong_Check(key) ? orjson_int_key(encoder, key, native) : NATIVE_NOT_KNOWN;
}

/* The text of a key, a new reference: a str, perhaps of a subclass. NULL with the error recorded.
 * May run Python code; the caller owns the key, and the frames own what they hold where it has
 * run. */
static COLD PyObject *orjson_key_text(struct encoder *encoder, PyObject *key) {
    if (!encoder->options->orjson.has_any_keys) {
        if (PyUnicode_CheckExact(key)) {
            return Py_NewRef(key);
        }
        orjson_refuse(encoder, "Dict key must be str");
        return NULL;
    }
    Py_INCREF(key);
    for (int n_steps = 0; n_steps < MAX_KEY_STEPS; n_steps++) {
        if (PyUnicode_Check(key) &&
            (PyUnicode_CheckExact(key) ||
             !native_is_of(&encoder->options->context->native_types, Py_TYPE(key), NATIVE_ENUM))) {
            return key;
        }
        char room[ISO_TIME_ROOM];
        struct native native = {.text = room, .object = NULL, .held = NULL};
        PyObject *text = NULL;
        switch (orjson_convert_key(encoder, key, &native)) {
        case NATIVE_AS_TEXT:
            text = PyUnicode_FromStringAndSize(native.text, (Py_ssize_t)native.n_text);
            break;
        case NATIVE_AS_NULL: text = PyUnicode_FromString("null"); break;
        case NATIVE_AS_VALUE: text = native.object; break;
        case NATIVE_NOT_KNOWN: n_steps = MAX_KEY_STEPS; break;
        default: break;
        }
        Py_XDECREF(native.held);
        Py_DECREF(key);
        if (text == NULL) {
            if (n_steps == MAX_KEY_STEPS) {
                orjson_refuse(encoder, "Dict key must a type serializable with OPT_NON_STR_KEYS");
            } else {
                encoder_fail_unless_failed(encoder);
            }
            return NULL;
        }
        key = text;
    }
    Py_DECREF(key);
    orjson_refuse(encoder, "Dict key must a type serializable with OPT_NON_STR_KEYS");
    return NULL;
}

#endif
