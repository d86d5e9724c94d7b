/* SPDX-License-Identifier: MIT */
/* Native types without items: dates and times, UUID, Enum, Decimal, bytes, what str() says. */
#ifndef SSRJSON_ENCODE_NATIVE_SCALAR_H
#define SSRJSON_ENCODE_NATIVE_SCALAR_H

#include <datetime.h>

#include "encode/iso_time.h"
#include "encode/native.h"
#include "pyobject/long.h"
#include "text/base64.h"

/* ---- datetime ------------------------------------------------------------------------------ */

/* The offset from UTC of a datetime or time, in microseconds. True, with *has_offset false where it
 * has none; false with the error recorded. */
static inline bool native_utc_offset(struct encoder *encoder, PyObject *value, PyObject *zone,
                                     bool *has_offset, int64_t *microseconds) {
    const struct native_types *const types = &encoder->options->context->native_types;
    *microseconds = 0;
    *has_offset = zone != Py_None;
    if (zone == Py_None || zone == types->utc) {
        return true;
    }
    if (!native_let_python_run(encoder, value)) {
        return false;
    }
    PyObject *const delta = PyObject_CallMethodNoArgs(value, types->words[WORD_UTCOFFSET]);
    Py_DECREF(value);
    if (delta == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return false;
    }
    PyTypeObject *const delta_type =
        native_types_get(&encoder->options->context->native_types, NATIVE_TIMEDELTA);
    *has_offset = delta_type != NULL && PyObject_TypeCheck(delta, delta_type);
    if (*has_offset) {
        *microseconds = ((int64_t)PyDateTime_DELTA_GET_DAYS(delta) * 86400 +
                         PyDateTime_DELTA_GET_SECONDS(delta)) *
                            1000000 +
                        PyDateTime_DELTA_GET_MICROSECONDS(delta);
    }
    Py_DECREF(delta);
    return true;
}

static inline char *native_put_date(char *out, PyObject *date) {
    return iso_put_date(out, (unsigned)PyDateTime_GET_YEAR(date),
                        (unsigned)PyDateTime_GET_MONTH(date), (unsigned)PyDateTime_GET_DAY(date));
}

static inline enum native_outcome native_datetime(struct encoder *encoder, PyObject *value,
                                                  struct native *native) {
    const struct native_options *const options = &encoder->options->native;
    char *out = native_put_date(native->text, value);
    *out++ = 'T';
    out = iso_put_time(out, (unsigned)PyDateTime_DATE_GET_HOUR(value),
                       (unsigned)PyDateTime_DATE_GET_MINUTE(value),
                       (unsigned)PyDateTime_DATE_GET_SECOND(value),
                       (unsigned)PyDateTime_DATE_GET_MICROSECOND(value), options->precision);
    const PyDateTime_DateTime *const datetime = (const PyDateTime_DateTime *)value;
    bool has_offset;
    int64_t offset;
    if (!native_utc_offset(encoder, value, datetime->hastzinfo ? datetime->tzinfo : Py_None,
                           &has_offset, &offset)) {
        return NATIVE_FAILED;
    }
    if (has_offset || options->is_naive_utc) {
        out = iso_put_offset(out, offset, options->is_utc_z);
    }
    return native_text_ends(native, out);
}

static inline enum native_outcome native_time(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    const struct native_options *const options = &encoder->options->native;
    char *out = iso_put_time(native->text, (unsigned)PyDateTime_TIME_GET_HOUR(value),
                             (unsigned)PyDateTime_TIME_GET_MINUTE(value),
                             (unsigned)PyDateTime_TIME_GET_SECOND(value),
                             (unsigned)PyDateTime_TIME_GET_MICROSECOND(value), options->precision);
    const PyDateTime_Time *const time = (const PyDateTime_Time *)value;
    bool has_offset;
    int64_t offset;
    if (!native_utc_offset(encoder, value, time->hastzinfo ? time->tzinfo : Py_None, &has_offset,
                           &offset)) {
        return NATIVE_FAILED;
    }
    if (has_offset) {
        out = iso_put_offset(out, offset, options->is_utc_z);
    }
    return native_text_ends(native, out);
}

static inline enum native_outcome native_timedelta(struct encoder *encoder, PyObject *value,
                                                   struct native *native) {
    if (encoder->options->native.timedelta == TIMEDELTA_ISO) {
        return native_text_ends(
            native, iso_put_duration(native->text, PyDateTime_DELTA_GET_DAYS(value),
                                     (unsigned)PyDateTime_DELTA_GET_SECONDS(value),
                                     (unsigned)PyDateTime_DELTA_GET_MICROSECONDS(value)));
    }
    if (!native_let_python_run(encoder, value)) {
        return NATIVE_FAILED;
    }
    PyObject *const seconds = PyObject_CallMethodNoArgs(
        value, encoder->options->context->native_types.words[WORD_TOTAL_SECONDS]);
    Py_DECREF(value);
    return native_outcome_of(encoder, native, seconds, NATIVE_AS_VALUE);
}

/* ---- what Python gives a text for ---------------------------------------------------------- */

/* What str() says, for types whose __str__ is Python code. */
static inline enum native_outcome native_str(struct encoder *encoder, PyObject *value,
                                             struct native *native) {
    if (!native_let_python_run(encoder, value)) {
        return NATIVE_FAILED;
    }
    PyObject *const text = PyObject_Str(value);
    Py_DECREF(value);
    return native_outcome_of(encoder, native, text, NATIVE_AS_VALUE);
}

static inline char *native_put_hex(char *out, unsigned __int128 value, int n_digits) {
    for (int i = n_digits; i-- > 0;) {
        *out++ = "0123456789abcdef"[(unsigned)(value >> (4 * i)) & 15];
    }
    return out;
}

static inline enum native_outcome native_uuid(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    const struct native_types *const types = &encoder->options->context->native_types;
    const bool is_exact = Py_TYPE(value) == types->type[NATIVE_UUID];
    if (!is_exact && !native_let_python_run(encoder, value)) {
        return NATIVE_FAILED;
    }
    PyObject *const number = PyObject_GetAttr(value, types->words[WORD_INT]);
    if (!is_exact) {
        Py_DECREF(value);
    }
    if (number == NULL) {
        encoder_fail(encoder, ERROR_RAISED, NULL);
        return NATIVE_FAILED;
    }
    unsigned __int128 bits = 0;
    const bool is_valid = PyLong_Check(number) && long_as_u128(number, &bits);
    Py_DECREF(number);
    if (!is_valid) {
        return native_str(encoder, value, native);
    }
    char *out = native->text;
    if (encoder->options->native.uuid == UUID_HEX) {
        return native_text_ends(native, native_put_hex(out, bits, 32));
    }
    static const struct {
        int shift;
        int n_digits;
    } groups[] = {{96, 8}, {80, 4}, {64, 4}, {48, 4}, {0, 12}};
    for (int i = 0; i < 5; i++) {
        if (i != 0) {
            *out++ = '-';
        }
        out = native_put_hex(out, bits >> groups[i].shift, groups[i].n_digits);
    }
    return native_text_ends(native, out);
}

/* A member's value or name: what the class keeps under _value_ or _name_ unless it says otherwise
 * by a property of its own. */
static inline enum native_outcome native_enum(struct encoder *encoder, PyObject *value,
                                              struct native *native) {
    const struct native_types *const types = &encoder->options->context->native_types;
    const bool is_value = encoder->options->native.enum_ == ENUM_VALUE;
    PyTypeObject *const type = Py_TYPE(value);
    const bool is_usual =
        type_has_usual_attributes(type) &&
        (!is_value || type_look_up(type, types->words[WORD_VALUE]) == types->enum_value) &&
        type_look_up(type, types->words[is_value ? WORD_OWN_VALUE : WORD_OWN_NAME]) == NULL;
    PyObject *object;
    if (is_usual) {
        object = PyObject_GetAttr(value, types->words[is_value ? WORD_OWN_VALUE : WORD_OWN_NAME]);
    } else {
        if (!native_let_python_run(encoder, value)) {
            return NATIVE_FAILED;
        }
        object = PyObject_GetAttr(value, types->words[is_value ? WORD_VALUE : WORD_NAME]);
        Py_DECREF(value);
    }
    return native_outcome_of(encoder, native, object, NATIVE_AS_VALUE);
}

/* A Decimal as a number keeps all its digits. */
static inline enum native_outcome native_decimal(struct encoder *encoder, PyObject *value,
                                                 struct native *native) {
    const struct encode_options *const options = encoder->options;
    if (!native_let_python_run(encoder, value)) {
        return NATIVE_FAILED;
    }
    PyObject *const text = options->context->native_types.type[NATIVE_DECIMAL]->tp_str(value);
    PyObject *object = text;
    enum native_outcome outcome = NATIVE_AS_VALUE;
    if (text != NULL && options->native.decimal != DECIMAL_STR) {
        const Py_UCS4 last = PyUnicode_READ_CHAR(text, PyUnicode_GET_LENGTH(text) - 1);
        const bool is_finite = last >= '0' && last <= '9' &&
                               PyUnicode_FindChar(text, 'N', 0, 3, 1) < 0; /* NaN123, sNaN1 */
        if (!is_finite || options->native.decimal == DECIMAL_FLOAT) {
            /* a float's own ways with what is not finite; a signalling NaN is not told apart */
            object = is_finite || last == 'y' ? PyNumber_Float(value) : PyFloat_FromDouble(Py_NAN);
            Py_DECREF(text);
        } else {
            outcome = NATIVE_AS_NUMBER;
        }
    }
    Py_DECREF(value);
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

static inline enum native_outcome native_bytes(struct encoder *encoder, PyObject *value,
                                               struct native *native) {
    const enum bytes_format format = encoder->options->native.bytes;
    Py_buffer buffer;
    PyObject *text = NULL;
    if (PyObject_GetBuffer(value, &buffer, PyBUF_SIMPLE) == 0) {
        text = format == BYTES_UTF8 ? PyUnicode_DecodeUTF8(buffer.buf, buffer.len, NULL)
                                    : native_base64(&buffer, format == BYTES_BASE64URL);
        PyBuffer_Release(&buffer);
    }
    return native_outcome_of(encoder, native, text, NATIVE_AS_VALUE);
}

#endif
