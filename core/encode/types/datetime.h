/* SPDX-License-Identifier: MIT */
/* datetime, date, time and timedelta: their parts, which are read from the structs of datetime's C
 * code, or from attributes where an interpreter has datetime in Python only, such as a
 * subinterpreter of Python 3.12; the quick way to write them; and all other ways. Classes derived
 * from them: datetime_derived.h. */
#ifndef SSRJSON_ENCODE_TYPES_DATETIME_H
#define SSRJSON_ENCODE_TYPES_DATETIME_H

#include "encode/types/native.h"
#include <datetime.h>
#include "encode/types/types.h"
#include "pyobject/object.h"
#include "pyobject/type.h"
#include "text/moment_text.h"
#include "text/moment.h"

#define MICROSECONDS_OF_DAY (INT64_C(86400) * 1000000)

/* ---- parts --------------------------------------------------------------------------------- */

static ALWAYS_INLINE struct moment moment_in_c(enum native_type which, PyObject *value) {
    switch (which) {
    case NATIVE_DATETIME:
        return (struct moment){
            .year = PyDateTime_GET_YEAR(value),
            .month = PyDateTime_GET_MONTH(value),
            .day = PyDateTime_GET_DAY(value),
            .hour = PyDateTime_DATE_GET_HOUR(value),
            .minute = PyDateTime_DATE_GET_MINUTE(value),
            .second = PyDateTime_DATE_GET_SECOND(value),
            .microsecond = PyDateTime_DATE_GET_MICROSECOND(value),
        };
    case NATIVE_DATE:
        return (struct moment){
            .year = PyDateTime_GET_YEAR(value),
            .month = PyDateTime_GET_MONTH(value),
            .day = PyDateTime_GET_DAY(value),
        };
    case NATIVE_TIME:
        return (struct moment){
            .hour = PyDateTime_TIME_GET_HOUR(value),
            .minute = PyDateTime_TIME_GET_MINUTE(value),
            .second = PyDateTime_TIME_GET_SECOND(value),
            .microsecond = PyDateTime_TIME_GET_MICROSECOND(value),
        };
    default:
        assert(which == NATIVE_TIMEDELTA);
        return (struct moment){
            .days = PyDateTime_DELTA_GET_DAYS(value),
            .second = PyDateTime_DELTA_GET_SECONDS(value),
            .microsecond = PyDateTime_DELTA_GET_MICROSECONDS(value),
        };
    }
}

/* The time zone where it can be read without Python code, borrowed; otherwise NULL. */
static ALWAYS_INLINE PyObject *moment_zone(const struct native_types *types, enum native_type which,
                                           PyObject *value) {
    if (!native_types_is_in_c(types, which)) {
        return NULL;
    }
    if (which == NATIVE_TIME) {
        const PyDateTime_Time *const time = (const PyDateTime_Time *)value;
        return time->hastzinfo ? time->tzinfo : Py_None;
    }
    const PyDateTime_DateTime *const datetime = (const PyDateTime_DateTime *)value;
    return datetime->hastzinfo ? datetime->tzinfo : Py_None;
}

/* Whether a zone is pydantic's TzInfo with its own method, and its offset can be read in place. */
static ALWAYS_INLINE bool moment_zone_has_seconds(const struct native_types *types,
                                                  PyObject *zone) {
    return Py_IS_TYPE(zone, native_types_known(types, NATIVE_PYDANTIC_ZONE)) &&
           native_types_is_in_c(types, NATIVE_PYDANTIC_ZONE) &&
           type_look_up(Py_TYPE(zone), types->words[WORD_UTCOFFSET]) ==
               LOAD_SHARED(types->pydantic_utcoffset);
}

/* Read one part by the name of its attribute; false with an exception set. */
static inline bool moment_ask_part(const struct native_types *types, PyObject *value,
                                   enum native_word word, int min, int max, int *part) {
    PyObject *const number = PyObject_GetAttr(value, types->words[word]);
    if (number == NULL) {
        return false;
    }
    const long answer = PyLong_AsLong(number);
    Py_DECREF(number);
    if (answer == -1 && PyErr_Occurred()) {
        return false;
    }
    if (answer < min || answer > max) {
        PyErr_Format(PyExc_ValueError, "%U of %.200s is out of range: %ld", types->words[word],
                     Py_TYPE(value)->tp_name, answer);
        return false;
    }
    *part = (int)answer;
    return true;
}

/* Read all parts by their attributes; false with an exception set. */
static inline COLD bool moment_ask(const struct native_types *types, enum native_type which,
                                   PyObject *value, struct moment *moment) {
    *moment = (struct moment){.days = 0};
    const bool is_delta = which == NATIVE_TIMEDELTA;
    const bool has_date = which == NATIVE_DATETIME || which == NATIVE_DATE;
    const bool has_time = which == NATIVE_DATETIME || which == NATIVE_TIME;
    const struct {
        bool is_part;
        enum native_word word;
        int min;
        int max;
        int *part;
    } parts[] = {
        {is_delta, WORD_DAYS, -999999999, 999999999, &moment->days},
        {is_delta, WORD_SECONDS, 0, 86399, &moment->second},
        {is_delta, WORD_MICROSECONDS, 0, 999999, &moment->microsecond},
        {has_date, WORD_YEAR, 1, 9999, &moment->year},
        {has_date, WORD_MONTH, 1, 12, &moment->month},
        {has_date, WORD_DAY, 1, 31, &moment->day},
        {has_time, WORD_HOUR, 0, 23, &moment->hour},
        {has_time, WORD_MINUTE, 0, 59, &moment->minute},
        {has_time, WORD_SECOND, 0, 59, &moment->second},
        {has_time, WORD_MICROSECOND, 0, 999999, &moment->microsecond},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].is_part && !moment_ask_part(types, value, parts[i].word, parts[i].min,
                                                 parts[i].max, parts[i].part)) {
            return false;
        }
    }
    return true;
}

/* Store a datetime, date or time without its offset and return the end. */
static ALWAYS_INLINE char *moment_store_parts(char *out, enum native_type which,
                                              const struct moment *moment,
                                              enum time_precision precision) {
    if (which != NATIVE_TIME) {
        out = iso_put_date(out, (unsigned)moment->year, (unsigned)moment->month,
                           (unsigned)moment->day);
    }
    if (which == NATIVE_DATE) {
        return out;
    }
    if (which == NATIVE_DATETIME) {
        *out++ = 'T';
    }
    return iso_put_time(out, (unsigned)moment->hour, (unsigned)moment->minute,
                        (unsigned)moment->second, (unsigned)moment->microsecond, precision);
}

/* Store a datetime, date or time without its offset and return the end: for code that seldom runs.
 */
static NOINLINE char *moment_put_parts(char *out, enum native_type which,
                                       const struct moment *moment, enum time_precision precision) {
    return moment_store_parts(out, which, moment, precision);
}

/* ---- the quick way ------------------------------------------------------------------------- */

/* Store a datetime in a zone that pydantic makes, of whole minutes, and return the end; NULL for
 * another zone, and for a time. Runs no Python code. */
static NOINLINE char *moment_put_zoned(char *out, const struct encode_options *options,
                                       enum native_type which, PyObject *value, PyObject *zone) {
    if (which != NATIVE_DATETIME ||
        !moment_zone_has_seconds(&options->context->native_types, zone)) {
        return NULL;
    }
    const int32_t seconds = pydantic_zone_seconds(zone);
    /* the formats differ in how they cut seconds, and a day or more is refused */
    if (seconds % 60 != 0 || seconds <= -86400 || seconds >= 86400) {
        return NULL;
    }
    const struct moment moment = moment_in_c(which, value);
    out = moment_store_parts(out, which, &moment, options->native.precision);
    return LIKELY(seconds == 0) ? iso_put_offset(out, 0, options->native.is_utc_z, true)
                                : iso_put_offset(out, seconds * INT64_C(1000000), false, true);
}

/* Store a datetime, date or time and return the end; out has room for ISO_TIME_ROOM. NULL
 * for a value of another type, also a derived one, and for one that is not simple: it is in another
 * format, or its type is written in Python, or its zone is neither UTC nor one that pydantic makes,
 * of whole minutes. Runs no Python code. */
static ALWAYS_INLINE char *moment_put_simple(char *out, const struct encode_options *options,
                                             PyObject *value) {
    const struct native_types *const types = &options->context->native_types;
    const PyTypeObject *const type = Py_TYPE(value);
    const enum native_type which =
        type == native_types_known(types, NATIVE_DATETIME) ? NATIVE_DATETIME
        : type == native_types_known(types, NATIVE_DATE)   ? NATIVE_DATE
        : type == native_types_known(types, NATIVE_TIME)   ? NATIVE_TIME
                                                           : NATIVE_UNKNOWN;
    if (which == NATIVE_UNKNOWN || !(options->native.fast_types >> which & 1) ||
        !native_types_is_in_c(types, which)) {
        return NULL;
    }
    PyObject *const zone = which == NATIVE_DATE ? Py_None : moment_zone(types, which, value);
    if (zone != Py_None && (which == NATIVE_TIME || zone != LOAD_SHARED(types->utc))) {
        return moment_put_zoned(out, options, which, value, zone);
    }
    const struct moment moment = moment_in_c(which, value);
    out = moment_store_parts(out, which, &moment, options->native.precision);
    return which == NATIVE_DATETIME && (zone != Py_None || options->native.is_naive_utc)
               ? iso_put_offset(out, 0, options->native.is_utc_z, true)
               : out;
}

/* ---- all values ---------------------------------------------------------------------------- */

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

/* Find out how pydantic's zones keep their offset, at the first one. The value of the zone is held
 * then, and the frames own what they hold; false with the error recorded. */
static inline bool native_probe_zone(struct encoder *encoder, PyObject *value, PyObject *zone,
                                     struct native *native) {
    struct native_types *const types = &encoder->options->context->native_types;
    if (LIKELY(!Py_IS_TYPE(zone, native_types_get(types, NATIVE_PYDANTIC_ZONE)) ||
               !native_types_must_probe(types, NATIVE_PYDANTIC_ZONE))) {
        return true;
    }
    if (!native_let_python_run(encoder, value, native)) {
        return false;
    }
    native_types_probe(types, NATIVE_PYDANTIC_ZONE);
    return true;
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
    if (zone != NULL && !native_probe_zone(encoder, value, zone, native)) {
        return false;
    }
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
    switch (options->datetime) {
    case MOMENT_EPOCH:
        native_text_ends(native, epoch_put_seconds(native->text, microseconds));
        return NATIVE_AS_DIGITS;
    case MOMENT_EPOCH_MS:
        native_text_ends(native, epoch_put_milliseconds(native->text, microseconds));
        return NATIVE_AS_DIGITS;
    case MOMENT_OFF:
    case MOMENT_ISO:
    case MOMENT_HTTP: break; /* no epoch: see moment_is_epoch */
    }
    Py_UNREACHABLE();
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
    if (which == NATIVE_DATETIME && moment_is_epoch(options->datetime)) {
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

#endif
