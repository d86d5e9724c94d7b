/* SPDX-License-Identifier: MIT */
/* Dates and times as the module orjson writes them: RFC 3339, with offsets in whole minutes. */
#ifndef SSRJSON_ENCODE_ORJSON_MOMENTS_H
#define SSRJSON_ENCODE_ORJSON_MOMENTS_H

#include "encode/types/convert.h"
#include "encode/orjson/texts.h"

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

#endif
