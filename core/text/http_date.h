/* SPDX-License-Identifier: MIT */
/* Dates in the format of HTTP's headers (RFC 9110, 5.6.7), as email.utils.format_datetime writes
 * them. */
#ifndef SSRJSON_TEXT_HTTP_DATE_H
#define SSRJSON_TEXT_HTTP_DATE_H

#include "text/iso_time.h"

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

#endif
