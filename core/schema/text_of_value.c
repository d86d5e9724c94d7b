/* SPDX-License-Identifier: MIT */
#include "schema/task.h"

#include <datetime.h>

#include "pyobject/decimal.h"
#include "pyobject/long.h"
#include "pyobject/snapshot.h"
#include "text/characters.h"
#include "text/moment_text.h"

/* ---- dates and times ------------------------------------------------------------------------ */

static char *put_date(char *out, PyObject *value) {
    return iso_put_date(out, (unsigned)PyDateTime_GET_YEAR(value),
                        (unsigned)PyDateTime_GET_MONTH(value), (unsigned)PyDateTime_GET_DAY(value));
}

/* A datetime without its offset. */
static char *put_datetime(char *out, PyObject *value) {
    out = put_date(out, value);
    *out++ = 'T';
    return iso_put_time(out, (unsigned)PyDateTime_DATE_GET_HOUR(value),
                        (unsigned)PyDateTime_DATE_GET_MINUTE(value),
                        (unsigned)PyDateTime_DATE_GET_SECOND(value),
                        (unsigned)PyDateTime_DATE_GET_MICROSECOND(value), PRECISION_AUTO);
}

static PyObject *ascii_from(const char *text, const char *end) {
    PyObject *const made = PyUnicode_New(end - text, 127);
    if (made != NULL) {
        memcpy(PyUnicode_1BYTE_DATA(made), text, (size_t)(end - text));
    }
    return made;
}

#define MOMENT_SIZE (2 * ISO_TIME_ROOM)

/* Leave it to the library where a call has raised an Exception. */
static PyObject *unless_raised(PyObject *result) {
    if (result == NULL && PyErr_ExceptionMatches(PyExc_Exception)) {
        PyErr_Clear();
    }
    return result;
}

/* The offset of a datetime's zone as microseconds, of less than a day either way; false where there
 * is none, with an exception set unless the library must decide. */
static bool zone_offset(const struct alternative *accepted, PyObject *moment, int64_t *offset) {
    const PyDateTime_CAPI *const api = accepted->moment.api;
    PyObject *const zone = PyDateTime_DATE_GET_TZINFO(moment);
    PyObject *const delta =
        unless_raised(PyObject_CallMethodOneArg(zone, accepted->moment.utcoffset, moment));
    const bool is_delta = delta != NULL && Py_TYPE(delta) == api->DeltaType;
    /* with more days, microseconds may need more than 64 bits */
    const bool is_near =
        is_delta && PyDateTime_DELTA_GET_DAYS(delta) >= -1 && PyDateTime_DELTA_GET_DAYS(delta) <= 0;
    const int64_t day = (int64_t)86400 * 1000000;
    if (is_near) {
        *offset = PyDateTime_DELTA_GET_DAYS(delta) * day +
                  PyDateTime_DELTA_GET_SECONDS(delta) * (int64_t)1000000 +
                  PyDateTime_DELTA_GET_MICROSECONDS(delta);
    }
    Py_XDECREF(delta);
    return is_near && *offset > -day;
}

PyObject *text_of_moment(const struct alternative *accepted, PyObject *value) {
    const PyDateTime_CAPI *const api = accepted->moment.api;
    char text[MOMENT_SIZE];
    if (accepted->type == api->DateType) {
        return ascii_from(text, put_date(text, value));
    }
    if (accepted->type == api->TimeType) {
        if (PyDateTime_TIME_GET_TZINFO(value) != Py_None) {
            return unless_raised(PyObject_CallMethod(value, "isoformat", NULL));
        }
        return ascii_from(text, iso_put_time(text, (unsigned)PyDateTime_TIME_GET_HOUR(value),
                                             (unsigned)PyDateTime_TIME_GET_MINUTE(value),
                                             (unsigned)PyDateTime_TIME_GET_SECOND(value),
                                             (unsigned)PyDateTime_TIME_GET_MICROSECOND(value),
                                             PRECISION_AUTO));
    }
    PyObject *const zone = PyDateTime_DATE_GET_TZINFO(value);
    if (zone == Py_None) {
        return ascii_from(text, put_datetime(text, value));
    }
    int64_t offset = 0;
    if (zone != api->TimeZone_UTC && !zone_offset(accepted, value, &offset)) {
        return NULL;
    }
    return ascii_from(text, iso_put_offset(put_datetime(text, value), offset, false, false));
}

/* A datetime of the zone of `accepted`, as isoformat() writes it, with Z for an offset of zero. */
static PyObject *zoned_text(const struct alternative *accepted, PyObject *moment) {
    int64_t offset;
    if (!zone_offset(accepted, moment, &offset) || offset % 60000000 != 0) {
        return NULL;
    }
    char text[MOMENT_SIZE];
    return ascii_from(text, iso_put_offset(put_datetime(text, moment), offset, true, false));
}

/* A datetime of UTC in the zone of `accepted`, as astimezone() makes it: that would ask UTC for its
 * offset, and lock a class. */
static PyObject *utc_in_zone(const struct alternative *accepted, PyObject *value) {
    const PyDateTime_CAPI *const api = accepted->moment.api;
    PyObject *const same = api->DateTime_FromDateAndTime(
        PyDateTime_GET_YEAR(value), PyDateTime_GET_MONTH(value), PyDateTime_GET_DAY(value),
        PyDateTime_DATE_GET_HOUR(value), PyDateTime_DATE_GET_MINUTE(value),
        PyDateTime_DATE_GET_SECOND(value), PyDateTime_DATE_GET_MICROSECOND(value),
        accepted->moment.zone, api->DateTimeType);
    PyObject *const moment =
        same != NULL
            ? PyObject_CallMethodOneArg(accepted->moment.zone, accepted->moment.fromutc, same)
            : NULL;
    Py_XDECREF(same);
    return moment;
}

/* A datetime in the zone of `accepted`; NULL, with an exception set unless the library must decide.
 */
static PyObject *moment_in_zone(const struct alternative *accepted, PyObject *value) {
    const PyDateTime_CAPI *const api = accepted->moment.api;
    PyObject *moment =
        unless_raised(PyDateTime_DATE_GET_TZINFO(value) == api->TimeZone_UTC
                          ? utc_in_zone(accepted, value)
                          : PyObject_CallMethod(value, "astimezone", "O", accepted->moment.zone));
    if (moment != NULL &&
        (Py_TYPE(moment) != api->DateTimeType || PyDateTime_DATE_GET_TZINFO(moment) == Py_None)) {
        Py_CLEAR(moment);
    }
    return moment;
}

PyObject *text_of_zoned(const struct alternative *accepted, PyObject *value) {
    const PyDateTime_CAPI *const api = accepted->moment.api;
    PyObject *const own_zone = PyDateTime_DATE_GET_TZINFO(value);
    char text[MOMENT_SIZE];
    if (accepted->moment.zone == NULL || own_zone == Py_None) {
        return accepted->moment.zone == NULL && own_zone == Py_None
                   ? ascii_from(text, put_datetime(text, value))
                   : NULL;
    }
    PyObject *const moment =
        own_zone == accepted->moment.zone ? Py_NewRef(value) : moment_in_zone(accepted, value);
    PyObject *result = NULL;
    if (moment != NULL && accepted->moment.zone == api->TimeZone_UTC) {
        char *const end = put_datetime(text, moment);
        *end = 'Z';
        result = ascii_from(text, end + 1);
    } else if (moment != NULL) {
        result = zoned_text(accepted, moment);
    }
    Py_XDECREF(moment);
    return result;
}

/* ---- Decimals ------------------------------------------------------------------------------- */

/* The greatest number of digits that is written or read here. */
#define MAX_DIGITS DECIMAL_WORD_DIGITS

PyObject *text_of_decimal(const struct alternative *accepted, PyObject *value) {
    struct decimal_value number;
    if (!accepted->decimal.is_known || !decimal_read(value, &number) || number.exponent > 0 ||
        number.exponent < -MAX_DIGITS) {
        return NULL;
    }
    const bool is_any = accepted->decimal.n_after == LLONG_MAX;
    const int64_t n_own = -number.exponent;
    const int64_t n_after = is_any ? n_own : accepted->decimal.n_after;
    if (n_after < n_own || n_after > MAX_DIGITS) {
        return NULL; /* to be rounded, or very long */
    }
    const int64_t n_added = n_after - n_own;
    if (!is_any && (accepted->decimal.n_digits == LLONG_MIN ||
                    number.n_digits + n_added > accepted->decimal.n_digits)) {
        return NULL;
    }
    char digits[2 * MAX_DIGITS + 4];
    char *const end = digits + sizeof digits;
    char *p = end;
    for (int64_t i = 0; i < n_added; i++) {
        *--p = '0';
    }
    uint64_t rest = number.coefficient;
    for (int64_t n = n_added; rest != 0 || n <= n_after; n++) {
        if (n == n_after && n_after != 0) {
            *--p = '.';
        }
        *--p = (char)('0' + rest % 10);
        rest /= 10;
    }
    if (number.is_negative) {
        *--p = '-';
    }
    return ascii_from(p, end);
}

bool decimal_is_quantized(const struct alternative *accepted, PyObject *value) {
    struct decimal_value number;
    return accepted->decimal.is_known && decimal_read(value, &number) &&
           number.exponent == -accepted->decimal.n_after &&
           number.n_digits <= accepted->decimal.n_digits;
}

/* ---- UUIDs ---------------------------------------------------------------------------------- */

PyObject *text_of_uuid(const struct alternative *accepted, PyObject *value) {
    PyObject *const number = accepted->slot >= 0 ? object_slot(value, accepted->slot) : NULL;
    unsigned __int128 bits;
    const bool is_read = number != NULL && PyLong_CheckExact(number) && long_as_u128(number, &bits);
    Py_XDECREF(number);
    if (!is_read) {
        return NULL;
    }
    char text[36];
    char *p = text;
    for (int i = 31; i >= 0; i--) {
        *p++ = "0123456789abcdef"[(unsigned)(bits >> 4 * i) & 15];
        if (i == 24 || i == 20 || i == 16 || i == 12) {
            *p++ = '-';
        }
    }
    return ascii_from(text, p);
}

/* ---- Decimals of texts ---------------------------------------------------------------------- */

/* Plain digits: -12.50 */
struct digits_of_text {
    bool is_negative;
    const uint8_t *digits; /* without the sign, with the point */
    size_t n_before;       /* digits before the point */
    size_t n_after;
    size_t n_whole; /* digits before the point that count: none in 0.5, one in 0 */
};

static bool digits_of_text_read(const uint8_t *p, size_t n, struct digits_of_text *number) {
    number->is_negative = n != 0 && *p == '-';
    p += number->is_negative;
    n -= number->is_negative;
    number->digits = p;
    number->n_before = 0;
    while (number->n_before < n && is_digit(p[number->n_before])) {
        number->n_before++;
    }
    number->n_after = 0;
    number->n_whole = number->n_before;
    if (number->n_before == 0 || (number->n_before > 1 && *p == '0')) {
        return false;
    }
    if (number->n_before == n) {
        return true;
    }
    if (p[number->n_before] != '.') {
        return false;
    }
    for (size_t i = number->n_before + 1; i < n; i++) {
        if (!is_digit(p[i])) {
            return false;
        }
        number->n_after++;
    }
    number->n_whole = *p == '0' ? 0 : number->n_before;
    return number->n_after != 0;
}

PyObject *decimal_of_value(const struct alternative *accepted, PyObject *value) {
    PyObject *const text = PyUnicode_CheckExact(value) ? Py_NewRef(value) : PyObject_Str(value);
    if (text == NULL) { /* of an int that has too many digits */
        if (PyErr_ExceptionMatches(PyExc_Exception)) {
            PyErr_Clear();
        }
        return NULL;
    }
    struct digits_of_text number;
    PyObject *result = NULL;
    const size_t n_wanted = (size_t)accepted->decimal.n_after;
    if (PyUnicode_IS_COMPACT_ASCII(text) &&
        digits_of_text_read(PyUnicode_1BYTE_DATA(text), (size_t)PyUnicode_GET_LENGTH(text),
                            &number) &&
        number.n_before <= MAX_DIGITS && number.n_after <= n_wanted && n_wanted <= MAX_DIGITS &&
        (long long)number.n_whole <= accepted->decimal.n_digits) {
        char digits[2 * MAX_DIGITS + 3];
        char *out = digits;
        if (number.is_negative) {
            *out++ = '-';
        }
        const size_t n_own = number.n_before + (number.n_after != 0 ? 1 + number.n_after : 0);
        memcpy(out, number.digits, n_own);
        out += n_own;
        if (number.n_after == 0 && n_wanted != 0) {
            *out++ = '.';
        }
        for (size_t i = number.n_after; i < n_wanted; i++) {
            *out++ = '0';
        }
        PyObject *const padded = ascii_from(digits, out);
        result = padded != NULL ? PyObject_CallOneArg(accepted->decimal.type, padded) : NULL;
        Py_XDECREF(padded);
    }
    Py_DECREF(text);
    return result;
}
