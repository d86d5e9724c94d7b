/* SPDX-License-Identifier: MIT */
#include "encode/native/moment_text.h"

#include "encode/native/moments.h"
#include "text/iso_time.h"

char *moment_put_parts(char *out, enum native_type which, const struct moment *moment,
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

char *moment_put_simple(char *out, const struct encode_options *options, PyObject *value) {
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
    PyObject *zone = Py_None;
    if (which == NATIVE_DATETIME && ((const PyDateTime_DateTime *)value)->hastzinfo) {
        zone = ((const PyDateTime_DateTime *)value)->tzinfo;
    } else if (which == NATIVE_TIME && ((const PyDateTime_Time *)value)->hastzinfo) {
        return NULL;
    }
    if (zone != Py_None && zone != LOAD_SHARED(types->utc)) {
        return NULL;
    }
    const struct moment moment = moment_in_c(which, value);
    out = moment_put_parts(out, which, &moment, options->native.precision);
    return which == NATIVE_DATETIME && (zone != Py_None || options->native.is_naive_utc)
               ? iso_put_offset(out, 0, options->native.is_utc_z, true)
               : out;
}
