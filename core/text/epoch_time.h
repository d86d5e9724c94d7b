/* SPDX-License-Identifier: MIT */
/* Moments as numbers: the time since 1970-01-01 00:00 UTC, without leap seconds. */
#ifndef SSRJSON_TEXT_EPOCH_TIME_H
#define SSRJSON_TEXT_EPOCH_TIME_H

#include "number/format_int.h"
#include "text/moment.h"

/* The number of 1970-01-01, as moment_day counts. */
#define EPOCH_DAY 719163

/* The microseconds since the epoch of a datetime with this offset from UTC. */
static inline int64_t epoch_microseconds(const struct moment *moment, int64_t offset_microseconds) {
    const int64_t days = moment_day(moment->year, moment->month, moment->day) - EPOCH_DAY;
    const int64_t minutes = (days * 24 + moment->hour) * 60 + moment->minute;
    return (minutes * 60 + moment->second) * 1000000 + moment->microsecond - offset_microseconds;
}

static inline char *epoch_put_int(char *out, int64_t value) {
    *out = '-';
    return format_u64(out + (value < 0), value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

/* Store seconds, with as many of the six digits after the point as are not zero: 1.5, -2 */
static inline char *epoch_put_seconds(char *out, int64_t microseconds) {
    const uint64_t magnitude =
        microseconds < 0 ? 0 - (uint64_t)microseconds : (uint64_t)microseconds;
    uint64_t fraction = magnitude % 1000000;
    *out = '-';
    out = format_u64(out + (microseconds < 0), magnitude / 1000000);
    if (fraction != 0) {
        *out++ = '.';
        for (uint64_t place = 100000; fraction != 0; place /= 10) {
            *out++ = (char)('0' + fraction / place);
            fraction %= place;
        }
    }
    return out;
}

/* Store whole milliseconds, rounded down. */
static inline char *epoch_put_milliseconds(char *out, int64_t microseconds) {
    const int64_t milliseconds = microseconds / 1000 - (microseconds % 1000 < 0);
    return epoch_put_int(out, milliseconds);
}

#endif
