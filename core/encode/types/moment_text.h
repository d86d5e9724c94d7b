/* SPDX-License-Identifier: MIT */
/* Dates and times as ISO 8601 text: by their parts, and as whole values where no Python code is
 * needed. */
#ifndef SSRJSON_ENCODE_TYPES_MOMENT_TEXT_H
#define SSRJSON_ENCODE_TYPES_MOMENT_TEXT_H

#include "encode/types/moments.h"
#include "encode/options.h"
#include "text/iso_time.h"

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

/* Likewise, compiled once: for code that seldom runs. */
char *moment_put_parts(char *out, enum native_type which, const struct moment *moment,
                       enum time_precision precision);

/* Store a datetime in a zone that pydantic makes, of whole minutes, and return the end; NULL for
 * another zone, and for a time. Runs no Python code. */
char *moment_put_zoned(char *out, const struct encode_options *options, enum native_type which,
                       PyObject *value, PyObject *zone);

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
    if (which == NATIVE_UNKNOWN || !(options->native.simple_types >> which & 1) ||
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

#endif
