/* SPDX-License-Identifier: MIT */
/* Moments as text: dates, times and durations in ISO 8601, in the layout of datetime.isoformat;
 * dates of HTTP; numbers of seconds. */
#ifndef SSRJSON_TEXT_MOMENT_TEXT_H
#define SSRJSON_TEXT_MOMENT_TEXT_H

#include "number/format_int.h"
#include "text/moment.h"

/* Room that each function may write to. */
#define ISO_TIME_ROOM 80

/* Two digits of value < 100. */
static inline char *iso_put_two(char *out, unsigned value) {
    const unsigned tens = value * 103 >> 10; /* where code is to be small, compilers divide */
    out[0] = (char)('0' + tens);
    out[1] = (char)('0' + (value - 10 * tens));
    return out + 2;
}

/* The digits of numbers below 100 as bytes: numbers three bytes apart, the first byte of each. */
static ALWAYS_INLINE uint64_t iso_two_digits_each(uint64_t numbers, uint64_t first_bytes) {
    const uint64_t tens = numbers * 103 >> 10 & first_bytes;
    return tens | (numbers - 10 * tens) << 8;
}

/* 2026-11-21; 0 <= year < 10000 */
static ALWAYS_INLINE char *iso_put_date(char *out, unsigned year, unsigned month, unsigned day) {
    const uint32_t digits = four_digits(year);
    memcpy(out, &digits, 4);
    const uint64_t rest = iso_two_digits_each(month | (uint64_t)day << 24, 0x0f00000f) << 8;
    const uint64_t text = rest + 0x30302d30302d; /* "-00-00" */
    memcpy(out + 4, &text, 8);
    return out + 10;
}

/* 12:34:56, and a fraction as the precision says */
static ALWAYS_INLINE char *iso_put_time(char *out, unsigned hour, unsigned minute, unsigned second,
                                        unsigned microsecond, enum time_precision precision) {
    const uint64_t numbers = hour | (uint64_t)minute << 24 | (uint64_t)second << 48;
    const uint64_t text =
        iso_two_digits_each(numbers, 0x000f00000f00000f) + 0x30303a30303a3030; /* "00:00:00" */
    memcpy(out, &text, 8);
    out += 8;
    int n_digits = 0;
    switch (precision) {
    case PRECISION_AUTO: n_digits = microsecond != 0 ? 6 : 0; break;
    case PRECISION_AUTO_MILLISECONDS: n_digits = microsecond != 0 ? 3 : 0; break;
    case PRECISION_SECONDS: break;
    case PRECISION_MILLISECONDS: n_digits = 3; break;
    case PRECISION_MICROSECONDS: n_digits = 6; break;
    }
    /* stored even if not wanted: where some values have a fraction, the CPU cannot predict which */
    const uint64_t digits = eight_digits(microsecond * 100);
    *out = '.';
    memcpy(out + 1, &digits, 8);
    return out + n_digits + (n_digits != 0);
}

/* Digits of the second after its microseconds: n_digits of `below`, attoseconds below a
 * microsecond.
 */
static inline char *iso_put_below(char *out, uint64_t below, int n_digits) {
    const uint64_t upper = eight_digits((uint32_t)(below / 10000));
    const uint32_t lower = four_digits((uint32_t)(below % 10000));
    memcpy(out, &upper, 8);
    memcpy(out + 8, &lower, 4);
    return out + n_digits;
}

/* An offset from UTC of less than a day either way: Z or +00:00, -05:30, with seconds and
 * microseconds where there are any, unless seconds are cut to minutes. */
static ALWAYS_INLINE char *iso_put_offset(char *out, int64_t microseconds, bool is_utc_z,
                                          bool is_in_minutes) {
    if (is_in_minutes) { /* to whole seconds, rounded to the nearest */
        microseconds += microseconds < 0 ? -500000 : 500000;
        microseconds -= microseconds % 1000000;
    }
    if (microseconds == 0 && is_utc_z) {
        *out = 'Z';
        return out + 1;
    }
    *out++ = microseconds < 0 ? '-' : '+';
    const uint64_t magnitude = (uint64_t)(microseconds < 0 ? -microseconds : microseconds);
    const unsigned seconds = (unsigned)(magnitude / 1000000);
    const unsigned rest = (unsigned)(magnitude % 1000000);
    out = iso_put_two(out, seconds / 3600);
    *out++ = ':';
    out = iso_put_two(out, seconds / 60 % 60);
    if (is_in_minutes) {
        return out;
    }
    if (seconds % 60 != 0 || rest != 0) {
        *out++ = ':';
        out = iso_put_two(out, seconds % 60);
    }
    if (rest != 0) {
        const uint64_t digits = eight_digits(rest * 100);
        *out++ = '.';
        memcpy(out, &digits, 8);
        out += 6;
    }
    return out;
}

/* The length of a duration, without its sign; besides the days it is less than a day. */
struct duration {
    uint64_t days;
    unsigned seconds;
    unsigned microseconds;
    uint64_t below; /* attoseconds below a microsecond */
};

/* P1DT2H3M4.5S: days, hours, minutes and seconds, each where it is not zero; PT0S for nothing.
 * Months, whose lengths differ, are not used, and years only where they are to have 365 days. */
static ALWAYS_INLINE char *iso_put_magnitude(char *out, struct duration duration, bool has_years) {
    uint64_t days = duration.days;
    const unsigned seconds = duration.seconds;
    const unsigned microseconds = duration.microseconds;
    const bool has_fraction = microseconds != 0 || duration.below != 0;
    *out++ = 'P';
    const bool has_days = days != 0;
    if (has_years && days >= 365) {
        out = format_u64(out, days / 365);
        *out++ = 'Y';
        days %= 365;
    }
    if (days != 0) {
        out = format_u64(out, days);
        *out++ = 'D';
    }
    if (seconds == 0 && !has_fraction && has_days) {
        return out;
    }
    *out++ = 'T';
    if (seconds >= 3600) {
        out = format_u64(out, seconds / 3600);
        *out++ = 'H';
    }
    if (seconds / 60 % 60 != 0) {
        out = format_u64(out, seconds / 60 % 60);
        *out++ = 'M';
    }
    if (seconds % 60 != 0 || has_fraction || (seconds == 0 && !has_days)) {
        out = format_u64(out, seconds % 60);
        if (has_fraction) {
            const uint64_t digits = eight_digits(microseconds * 100);
            *out++ = '.';
            memcpy(out, &digits, 8);
            out += 6;
            if (duration.below != 0) {
                out = iso_put_below(out, duration.below, 12);
            }
            while (out[-1] == '0') {
                out--;
            }
        }
        *out++ = 'S';
    }
    return out;
}

/* A timedelta by its parts: one below zero has days < 0 and counts up from there. */
static inline char *iso_put_duration(char *out, int64_t days, unsigned seconds,
                                     unsigned microseconds, bool has_years) {
    if (days < 0) { /* change the sign */
        *out++ = '-';
        const uint64_t up = (uint64_t)seconds * 1000000 + microseconds;
        const uint64_t down = up == 0 ? 0 : 86400000000 - up;
        days = -days - (up != 0);
        seconds = (unsigned)(down / 1000000);
        microseconds = (unsigned)(down % 1000000);
    }
    return iso_put_magnitude(
        out,
        (struct duration){.days = (uint64_t)days, .seconds = seconds, .microseconds = microseconds},
        has_years);
}

/* ---- HTTP ---------------------------------------------------------------------------------- */

/* Dates in the format of HTTP's headers (RFC 9110, 5.6.7), as email.utils.format_datetime writes
 * them. */

/* The day of the week, 0 for Sunday: the first day of the calendar is a Monday. */
static inline int http_weekday(int year, int month, int day) {
    return moment_day(year, month, day) % 7;
}

/* Subtract an offset of less than a day, of either sign, from a datetime's parts; false outside of
 * the calendar. */
static inline bool http_move_to_utc(struct moment *moment, int64_t offset_microseconds) {
    if (offset_microseconds == 0) {
        return true;
    }
    const int64_t day_microseconds = 86400000000;
    int64_t microseconds =
        ((moment->hour * 60 + moment->minute) * INT64_C(60) + moment->second) * 1000000 +
        moment->microsecond - offset_microseconds;
    if (microseconds < 0) {
        microseconds += day_microseconds;
        if (--moment->day == 0) {
            moment->year -= moment->month == 1;
            moment->month = moment->month == 1 ? 12 : moment->month - 1;
            moment->day = moment_days_of_month(moment->year, moment->month);
        }
    } else if (microseconds >= day_microseconds) {
        microseconds -= day_microseconds;
        if (++moment->day > moment_days_of_month(moment->year, moment->month)) {
            moment->day = 1;
            moment->year += moment->month == 12;
            moment->month = moment->month == 12 ? 1 : moment->month + 1;
        }
    }
    const int seconds = (int)(microseconds / 1000000);
    moment->hour = seconds / 3600;
    moment->minute = seconds / 60 % 60;
    moment->second = seconds % 60;
    moment->microsecond = (int)(microseconds % 1000000);
    return moment->year >= 1 && moment->year <= 9999;
}

/* Sat, 21 Nov 2026 12:34:56 GMT: 29 bytes */
static inline char *http_put_date(char *out, const struct moment *moment) {
    const int weekday = http_weekday(moment->year, moment->month, moment->day);
    memcpy(out, &"Sun, Mon, Tue, Wed, Thu, Fri, Sat, "[weekday * 5], 5);
    out = iso_put_two(out + 5, (unsigned)moment->day);
    *out++ = ' ';
    memcpy(out, &"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec "[(moment->month - 1) * 4], 4);
    const uint32_t year = four_digits((unsigned)moment->year);
    memcpy(out + 4, &year, 4);
    out[8] = ' ';
    out = iso_put_time(out + 9, (unsigned)moment->hour, (unsigned)moment->minute,
                       (unsigned)moment->second, 0, PRECISION_SECONDS);
    memcpy(out, " GMT", 4);
    return out + 4;
}

/* ---- numbers ------------------------------------------------------------------------------- */

/* Moments as numbers: the time since 1970-01-01 00:00 UTC, without leap seconds. */

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
