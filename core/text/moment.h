/* SPDX-License-Identifier: MIT */
/* The parts of a date, a time or a duration, and how many digits a second is written with. */
#ifndef SSRJSON_TEXT_MOMENT_H
#define SSRJSON_TEXT_MOMENT_H

#include "base/compiler.h"

/* The parts that a type has; the others are zero. */
struct moment {
    int days; /* of a timedelta, as are seconds and microseconds */
    int year;
    int month;
    int day;
    int hour;
    int minute;
    int second;
    int microsecond;
};

enum time_precision {
    PRECISION_AUTO,              /* microseconds where they are not zero */
    PRECISION_AUTO_MILLISECONDS, /* milliseconds where the microseconds are not zero */
    PRECISION_SECONDS,
    PRECISION_MILLISECONDS,
    PRECISION_MICROSECONDS,
};

static inline int moment_days_of_month(int year, int month) {
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 ? 28 + is_leap : 30 + ((month + month / 8) & 1);
}

/* The number of a day in the proleptic Gregorian calendar: 1 for 0001-01-01. */
static inline int moment_day(int year, int month, int day) {
    const int n_years = year - 1;
    int n_days = 365 * n_years + n_years / 4 - n_years / 100 + n_years / 400 + day;
    for (int before = 1; before < month; before++) {
        n_days += moment_days_of_month(year, before);
    }
    return n_days;
}

#endif
