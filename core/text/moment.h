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

#endif
