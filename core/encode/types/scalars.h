/* SPDX-License-Identifier: MIT */
/* Native types without items: dates and times, UUID, Enum, Decimal, bytes, and types that are
 * written as str(). */
#ifndef SSRJSON_ENCODE_TYPES_SCALARS_H
#define SSRJSON_ENCODE_TYPES_SCALARS_H

#include "text/epoch_time.h"
#include "text/http_date.h"
#include "text/iso_time.h"
#include "encode/types/moment_text.h"
#include "encode/types/moments.h"
#include "encode/types/native.h"
#include "pyobject/object.h"
#include "pyobject/long.h"
#include "pyobject/snapshot.h"
#include "text/base64.h"
#include "text/uuid_text.h"
#include "encode/types/outcome.h"
#include "encode/types/types.h"
#include "encode/options.h"
#include "number/format_decimal.h"
#include "pyobject/decimal.h"

/* Decimals that are read in place: of the C code, finite, and of no more digits than a word holds.
 */

/* Read a value if it is such a Decimal, not of a derived class; otherwise false. */
static ALWAYS_INLINE bool short_decimal_read(const struct native_types *types, PyObject *value,
                                             struct decimal_value *parts) {
    return Py_IS_TYPE(value, native_types_known(types, NATIVE_DECIMAL)) &&
           native_types_is_in_c(types, NATIVE_DECIMAL) && decimal_read(value, parts);
}

/* Write one as a number or in quotes; NATIVE_NOT_KNOWN where str() gives it an exponent. */
static inline enum native_outcome short_decimal_put(struct native *native,
                                                    const struct decimal_value *parts,
                                                    enum decimal_format format) {
    if (!is_fixed_point(parts->n_digits, parts->exponent)) {
        return NATIVE_NOT_KNOWN;
    }
    native_text_ends(native, format_fixed_point(native->text, parts->coefficient, parts->n_digits,
                                                parts->exponent, parts->is_negative));
    return format == DECIMAL_STR ? NATIVE_AS_TEXT : NATIVE_AS_DIGITS;
}

#define MICROSECONDS_OF_DAY (INT64_C(86400) * 1000000)

/* ---- datetime ------------------------------------------------------------------------------ */

/* Read the parts of a date, time or duration; false with the error recorded. */
static ALWAYS_INLINE bool native_read_moment(struct encoder *encoder, enum native_type which,
                                             PyObject *value, struct native *native,
                                             struct moment *moment) {
    if (LIKELY(native_types_is_in_c(&encoder->options->context->native_types, which))) {
        *moment = moment_in_c(which, value);
        return true;
    }
    if (!native_let_python_run(encoder, value, native)) {
        return false;
    }
    if (!moment_ask(&encoder->options->context->native_types, which, value, moment)) {
        encoder_fail(encoder, ERROR_REFUSED, NULL);
        return false;
    }
    return true;
}

/* Whether a zone gives its offset without running Python code: it is of a known type, which has its
 * method from C. An object of a class derived from it may have a method of its own. */
static inline bool native_zone_runs_no_python(struct native_types *types, PyObject *zone) {
    PyObject *const method = type_look_up(Py_TYPE(zone), types->words[WORD_UTCOFFSET]);
    if (method == NULL || !Py_IS_TYPE(method, &PyMethodDescr_Type)) {
        return false;
    }
    for (int i = NATIVE_FIXED_ZONE; i <= NATIVE_ZONE_INFO; i++) {
        if (Py_IS_TYPE(zone, native_types_get(types, (enum native_type)i))) {
            return true;
        }
    }
    return false;
}

/* Whether an offset is less than a day, as datetime's own method ensures, but the data of a zone
 * may not; false with the error recorded. */
static inline bool native_accept_offset(struct encoder *encoder, int64_t microseconds) {
    if (LIKELY(microseconds > -MICROSECONDS_OF_DAY && microseconds < MICROSECONDS_OF_DAY)) {
        return true;
    }
    PyErr_SetString(PyExc_ValueError, "offset must be a timedelta strictly between "
                                      "-timedelta(hours=24) and timedelta(hours=24).");
    encoder_fail(encoder, ERROR_REFUSED, NULL);
    return false;
}

/* The offset from UTC of a datetime or time, in microseconds. True, with *has_offset false where
 * there is no offset; false with the error recorded. */
static inline bool native_utc_offset(struct encoder *encoder, PyObject *value,
                                     enum native_type which, struct native *native,
                                     bool *has_offset, int64_t *microseconds) {
    struct native_types *const types = &encoder->options->context->native_types;
    PyObject *const zone = moment_zone(types, which, value);
    *microseconds = 0;
    *has_offset = zone != Py_None;
    if (zone == Py_None || (zone != NULL && zone == LOAD_SHARED(types->utc))) {
        return true;
    }
    PyObject *const method = types->words[WORD_UTCOFFSET];
    PyTypeObject *const type = native_types_known(types, which);
    if (zone != NULL && Py_IS_TYPE(value, type) && moment_zone_has_seconds(types, zone)) {
        *microseconds = (int64_t)pydantic_zone_seconds(zone) * 1000000;
        return native_accept_offset(encoder, *microseconds);
    }
    const bool runs_no_python =
        zone != NULL && Py_IS_TYPE(value, type) && native_zone_runs_no_python(types, zone);
    if (!runs_no_python && !native_let_python_run(encoder, value, native)) {
        return false;
    }
    /* isoformat calls the type's own method even for subclasses: that method ensures that the
     * offset is less than a day, which known zones ensure themselves */
    PyObject *const moment_or_none = which == NATIVE_TIME ? Py_None : value;
    PyObject *const delta = runs_no_python ? PyObject_CallMethodOneArg(zone, method, moment_or_none)
                            : Py_IS_TYPE(value, type)
                                ? PyObject_CallMethodNoArgs(value, method)
                                : PyObject_CallMethodOneArg((PyObject *)type, method, value);
    if (delta == NULL) {
        encoder_fail(encoder, ERROR_REFUSED, NULL);
        return false;
    }
    struct moment moment;
    *has_offset = native_is_of(types, Py_TYPE(delta), NATIVE_TIMEDELTA);
    const bool is_good =
        !*has_offset || native_read_moment(encoder, NATIVE_TIMEDELTA, delta, native, &moment);
    if (*has_offset && is_good) {
        *microseconds =
            ((int64_t)moment.days * 86400 + moment.second) * 1000000 + moment.microsecond;
    }
    Py_DECREF(delta);
    return is_good && native_accept_offset(encoder, *microseconds);
}

/* A date, or a datetime converted to UTC; one without zone is taken to be in UTC. A value for which
 * the zone or the calendar allows no such date is left to the hook. */
static NOINLINE enum native_outcome native_http_date(struct encoder *encoder,
                                                     enum native_type which, PyObject *value,
                                                     struct native *native, struct moment *moment) {
    bool has_offset;
    int64_t offset;
    if (which == NATIVE_DATETIME) {
        if (!native_utc_offset(encoder, value, which, native, &has_offset, &offset)) {
            return NATIVE_FAILED;
        }
        PyObject *const zone = moment_zone(&encoder->options->context->native_types, which, value);
        if (!has_offset && zone != Py_None) {
            native->refusal = "datetime whose zone gives no offset cannot be moved to UTC, as "
                              "datetime='http' asks";
            return NATIVE_NOT_KNOWN;
        }
        if (!http_move_to_utc(moment, offset)) {
            native->refusal = "datetime moved to UTC, as datetime='http' asks, is outside of the "
                              "years 1 to 9999";
            return NATIVE_NOT_KNOWN;
        }
    }
    return native_text_ends(native, http_put_date(native->text, moment));
}

/* The microseconds since 1970 of a datetime without a zone, in local time as timestamp() has it,
 * which is rounded to a float; false with the error recorded. */
static COLD bool native_local_microseconds(struct encoder *encoder, PyObject *value,
                                           struct native *native, int microsecond,
                                           int64_t *microseconds) {
    if (!native_let_python_run(encoder, value, native)) {
        return false;
    }
    PyObject *const timestamp = PyObject_CallMethod(value, "timestamp", NULL);
    const double seconds = timestamp != NULL ? PyFloat_AsDouble(timestamp) : -1;
    Py_XDECREF(timestamp);
    if (!PyErr_Occurred() && !(__builtin_fabs(seconds) < 1e12)) {
        PyErr_Format(PyExc_ValueError, "timestamp() of %.200s is out of range",
                     Py_TYPE(value)->tp_name);
    }
    if (PyErr_Occurred()) {
        encoder_fail(encoder, ERROR_REFUSED, NULL);
        return false;
    }
    *microseconds = __builtin_llround(seconds - microsecond / 1e6) * 1000000 + microsecond;
    return true;
}

/* A datetime as a number. One without a zone is in local time, or in UTC with naive="utc". */
static COLD enum native_outcome native_epoch(struct encoder *encoder, PyObject *value,
                                             struct native *native, const struct moment *moment) {
    const struct native_options *const options = &encoder->options->native;
    bool has_offset;
    int64_t offset;
    if (!native_utc_offset(encoder, value, NATIVE_DATETIME, native, &has_offset, &offset)) {
        return NATIVE_FAILED;
    }
    int64_t microseconds = epoch_microseconds(moment, offset);
    if (!has_offset) {
        const PyObject *const zone =
            moment_zone(&encoder->options->context->native_types, NATIVE_DATETIME, value);
        if (zone != Py_None && zone != NULL) {
            native->refusal = "datetime whose zone gives no offset is no moment, as "
                              "datetime='epoch' asks";
            return NATIVE_NOT_KNOWN;
        }
        if (!options->is_naive_utc &&
            !native_local_microseconds(encoder, value, native, moment->microsecond,
                                       &microseconds)) {
            return NATIVE_FAILED;
        }
    }
    native_text_ends(native, options->datetime == MOMENT_EPOCH
                                 ? epoch_put_seconds(native->text, microseconds)
                                 : epoch_put_milliseconds(native->text, microseconds));
    return NATIVE_AS_DIGITS;
}

/* A datetime, date or time whose parts were read. */
static ALWAYS_INLINE enum native_outcome native_moment_of_parts(struct encoder *encoder,
                                                                enum native_type which,
                                                                PyObject *value,
                                                                struct native *native,
                                                                struct moment moment) {
    const struct native_options *const options = &encoder->options->native;
    if (which != NATIVE_TIME &&
        (which == NATIVE_DATE ? options->date : options->datetime) == MOMENT_HTTP) {
        return native_http_date(encoder, which, value, native, &moment);
    }
    if (which == NATIVE_DATETIME && options->datetime >= MOMENT_EPOCH) {
        return native_epoch(encoder, value, native, &moment);
    }
    char *out = moment_put_parts(native->text, which, &moment, options->precision);
    if (which == NATIVE_DATE) {
        return native_text_ends(native, out);
    }
    bool has_offset;
    int64_t offset;
    if (!native_utc_offset(encoder, value, which, native, &has_offset, &offset)) {
        return NATIVE_FAILED;
    }
    if (has_offset || (which == NATIVE_DATETIME && options->is_naive_utc)) {
        out = iso_put_offset(out, offset, options->is_utc_z, options->is_in_minutes);
    }
    return native_text_ends(native, out);
}

/* A datetime, date or time, by its type. */
static ALWAYS_INLINE enum native_outcome native_moment(struct encoder *encoder,
                                                       enum native_type which, PyObject *value,
                                                       struct native *native) {
    struct moment moment;
    return native_read_moment(encoder, which, value, native, &moment)
               ? native_moment_of_parts(encoder, which, value, native, moment)
               : NATIVE_FAILED;
}

static inline enum native_outcome native_timedelta(struct encoder *encoder, PyObject *value,
                                                   struct native *native) {
    const enum timedelta_format format = encoder->options->native.timedelta;
    if (format != TIMEDELTA_SECONDS) {
        struct moment moment;
        return native_read_moment(encoder, NATIVE_TIMEDELTA, value, native, &moment)
                   ? native_text_ends(native, iso_put_duration(native->text, moment.days,
                                                               (unsigned)moment.second,
                                                               (unsigned)moment.microsecond,
                                                               format == TIMEDELTA_ISO_YEARS))
                   : NATIVE_FAILED;
    }
    if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyObject *const seconds = PyObject_CallMethodNoArgs(
        value, encoder->options->context->native_types.words[WORD_TOTAL_SECONDS]);
    return native_outcome_of(encoder, native, seconds, NATIVE_AS_VALUE);
}

/* ---- what Python gives a text for ---------------------------------------------------------- */

/* The value as str(), for types whose __str__ is Python code. */
static inline enum native_outcome native_str(struct encoder *encoder, PyObject *value,
                                             struct native *native) {
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    return native_outcome_of(encoder, native, PyObject_Str(value), NATIVE_AS_VALUE);
}

static inline enum native_outcome native_uuid(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    const struct native_types *const types = &encoder->options->context->native_types;
    PyTypeObject *const type = Py_TYPE(value);
    const Py_ssize_t slot =
        type == native_types_known(types, NATIVE_UUID) && type_has_usual_attributes(type)
            ? type_slot_offset(type, types->words[WORD_INT])
            : -1;
    PyObject *number = slot >= 0 ? object_slot(value, slot) : NULL;
#if !IS_FREE_THREADED
    if (number != NULL) {
        uuid_slot_note(&encoder->options->context->uuid_slot, type, slot);
    }
#endif
    if (number == NULL) {
        if (!native_let_python_run(encoder, value, native)) {
            return NATIVE_FAILED;
        }
        number = PyObject_GetAttr(value, types->words[WORD_INT]);
    }
    if (number == NULL) {
        encoder_fail(encoder, ERROR_REFUSED, NULL);
        return NATIVE_FAILED;
    }
    unsigned __int128 bits = 0;
    const bool is_valid = PyLong_Check(number) && long_as_u128(number, &bits);
    Py_DECREF(number);
    if (!is_valid) {
        return native_str(encoder, value, native);
    }
    return native_text_ends(
        native, uuid_put(native->text, bits, encoder->options->native.uuid != UUID_HEX));
}

/* The value or name of a member: the class keeps it under _value_ or _name_, unless it overrides
 * the property. */
static inline enum native_outcome native_enum(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    const struct native_types *const types = &encoder->options->context->native_types;
    const bool is_value = encoder->options->native.enum_ == ENUM_VALUE;
    PyTypeObject *const type = Py_TYPE(value);
    PyObject *const word = types->words[is_value ? WORD_VALUE : WORD_NAME];
    PyObject *const own_word = types->words[is_value ? WORD_OWN_VALUE : WORD_OWN_NAME];
    const bool is_usual =
        type_has_usual_attributes(type) &&
        type_look_up(type, word) == (is_value ? types->enum_value : types->enum_name) &&
        type_look_up(type, own_word) == NULL &&
        (IS_FREE_THREADED || object_attribute_is_plain(value, own_word));
    PyObject *object;
    if (is_usual) {
        Py_INCREF(value); /* where it has no such attribute, making the error may collect garbage */
        object = PyObject_GetAttr(value, own_word);
#if !IS_FREE_THREADED
        enum_classes_note(&encoder->options->context->enum_classes, value, own_word);
#endif
        Py_DECREF(value);
    } else {
        if (!encoder_may_ask_python(encoder) || !native_let_python_run(encoder, value, native)) {
            return NATIVE_FAILED;
        }
        object = PyObject_GetAttr(value, word);
    }
    return native_outcome_of(encoder, native, object, NATIVE_AS_VALUE);
}

/* Write a Decimal that can be read in place; NATIVE_NOT_KNOWN for one that needs str(). */
static inline enum native_outcome native_short_decimal(struct encoder *encoder, PyObject *value,
                                                       struct native *native) {
    const enum decimal_format format = encoder->options->native.decimal;
    struct decimal_value parts;
    if (!short_decimal_read(&encoder->options->context->native_types, value, &parts)) {
        return NATIVE_NOT_KNOWN;
    }
    if (format == DECIMAL_FLOAT) {
        if (!is_exact_quotient(parts.coefficient, parts.exponent)) {
            return NATIVE_NOT_KNOWN;
        }
        const double quotient = exact_quotient(parts.coefficient, parts.exponent);
        return native_outcome_of(
            encoder, native, float_new(parts.is_negative ? -quotient : quotient), NATIVE_AS_VALUE);
    }
    return short_decimal_put(native, &parts, format);
}

/* A Decimal as a number keeps all its digits. */
static inline enum native_outcome native_decimal(struct encoder *encoder, PyObject *value,
                                                 struct native *native) {
    const enum native_outcome short_outcome = native_short_decimal(encoder, value, native);
    if (short_outcome != NATIVE_NOT_KNOWN) {
        return short_outcome;
    }
    const struct encode_options *const options = encoder->options;
    if (!native_let_python_run(encoder, value, native)) {
        return NATIVE_FAILED;
    }
    PyTypeObject *const type = native_types_known(&options->context->native_types, NATIVE_DECIMAL);
    PyObject *text = type->tp_str(value);
    if (text != NULL && (!PyUnicode_Check(text) || PyUnicode_GET_LENGTH(text) == 0)) {
        Py_CLEAR(text); /* of a class that is written in Python, as _pydecimal's is */
        PyErr_SetString(PyExc_TypeError, "str() of a Decimal gives no text");
    }
    PyObject *object = text;
    enum native_outcome outcome = NATIVE_AS_VALUE;
    if (text != NULL && options->native.decimal != DECIMAL_STR) {
        const Py_UCS4 last = PyUnicode_READ_CHAR(text, PyUnicode_GET_LENGTH(text) - 1);
        const bool is_finite = last >= '0' && last <= '9' &&
                               PyUnicode_FindChar(text, 'N', 0, 3, 1) < 0; /* NaN123, sNaN1 */
        const bool is_float = options->native.decimal == DECIMAL_FLOAT;
        if (!is_finite || is_float) {
            /* infinities and NaN are written as a float's are; float() would refuse a signalling
             * NaN */
            object = is_float || last == 'y' ? PyNumber_Float(value) : PyFloat_FromDouble(Py_NAN);
            Py_DECREF(text);
        } else {
            outcome = NATIVE_AS_NUMBER;
        }
    }
    return native_outcome_of(encoder, native, object, outcome);
}

/* ---- bytes --------------------------------------------------------------------------------- */

static inline PyObject *native_base64(const Py_buffer *buffer, bool is_url_safe) {
    if ((size_t)buffer->len > (size_t)PY_SSIZE_T_MAX / 2) {
        return PyErr_NoMemory();
    }
    const size_t length = base64_length((size_t)buffer->len);
    PyObject *const text = unicode_new((Py_ssize_t)length, TEXT_ASCII);
    if (text != NULL && length != 0) {
        base64_encode(buffer->buf, (size_t)buffer->len, PyUnicode_DATA(text), is_url_safe);
    }
    return text;
}

static inline PyObject *native_utf8(const Py_buffer *buffer) {
#if IS_FREE_THREADED
    if (!PyBytes_Check(buffer->obj)) { /* another thread may change it between two looks at it */
        PyObject *const bytes = PyBytes_FromStringAndSize(buffer->buf, buffer->len);
        PyObject *const text =
            bytes != NULL ? PyUnicode_DecodeUTF8(PyBytes_AS_STRING(bytes), buffer->len, NULL)
                          : NULL;
        Py_XDECREF(bytes);
        return text;
    }
#endif
    return PyUnicode_DecodeUTF8(buffer->buf, buffer->len, NULL);
}

static inline enum native_outcome native_bytes(struct encoder *encoder, PyObject *value,
                                               struct native *native) {
    const enum bytes_format format = encoder->options->native.bytes;
    const bool is_exact =
        PyBytes_CheckExact(value) || PyByteArray_CheckExact(value) || PyMemoryView_Check(value);
    if (!is_exact && !native_let_python_run(encoder, value, native)) { /* __buffer__ */
        return NATIVE_FAILED;
    }
    Py_buffer buffer;
    PyObject *text = NULL;
    const bool was_on = collector_pause();
    if (PyObject_GetBuffer(value, &buffer, PyBUF_SIMPLE) == 0) {
        text = format == BYTES_UTF8 ? native_utf8(&buffer)
                                    : native_base64(&buffer, format == BYTES_BASE64URL);
        PyBuffer_Release(&buffer);
    }
    collector_go_on(was_on);
    return native_outcome_of(encoder, native, text, NATIVE_AS_VALUE);
}

#endif
