/* SPDX-License-Identifier: MIT */
#include "encode/orjson/texts.h"

#include "encode/types/ndarray.h"
#include "number/format_float.h"

/* Whether the items are of a unit that is written; otherwise false with TypeError set. */
static inline bool orjson_has_known_unit(const struct ndarray *array) {
    static const char *const names[N_UNITS + 1] = {[UNIT_PICOSECOND] = "picoseconds",
                                                   [UNIT_FEMTOSECOND] = "femtoseconds",
                                                   [UNIT_ATTOSECOND] = "attoseconds",
                                                   [UNIT_NONE] = "NaT"};
    if (names[array->unit] == NULL) {
        return true;
    }
    PyErr_Format(PyExc_TypeError, "unsupported numpy.datetime64 unit: %s", names[array->unit]);
    return false;
}

char *orjson_put_datetime64(char *out, const struct ndarray *array, int64_t value,
                            const struct native_options *options) {
    static const char *const names[UNIT_NANOSECOND + 1] = {
        "years",   "months",  "weeks",        "days",         "hours",
        "minutes", "seconds", "milliseconds", "microseconds", "nanoseconds"};
    if (!orjson_has_known_unit(array)) {
        return NULL;
    }
    struct civil_date date;
    struct span span;
    int64_t in_day;
    /* a number of nanoseconds that means NaT is a date to orjson */
    const bool is_missing = value == DATETIME64_NAT && array->unit != UNIT_NANOSECOND;
    if (is_missing || !ndarray_civil_date(array, value, &date, &in_day, &span)) {
        PyErr_Format(PyExc_TypeError, "unrepresentable numpy.datetime64: %lld %s", (long long)value,
                     names[array->unit]);
        return NULL;
    }
    const unsigned seconds = (unsigned)in_day;
    out = iso_put_date(out, (unsigned)date.year, date.month, date.day);
    *out++ = 'T';
    out = iso_put_time(out, seconds / 3600, seconds / 60 % 60, seconds % 60, span.microseconds,
                       options->precision);
    return options->is_naive_utc ? orjson_put_offset(out, 0, options->is_utc_z) : out;
}

_Static_assert(FORMAT_SINGLE_ROOM <= ORJSON_SINGLE_ROOM, "the room that callers have");

char *orjson_put_single(char *out, float value) {
    return format_single(out, value);
}
