/* SPDX-License-Identifier: MIT */
/* The parts of a date, a time or a duration, and how many digits a second is written with. */
#ifndef SSRJSON_TEXT_MOMENT_H
#define SSRJSON_TEXT_MOMENT_H

#include "base/compiler.h"

/* What a type has of it; the rest is zero. */
struct moment {
    int days; /* of a timedelta, and its seconds and microseconds */
    int year;
    int month;
    int day;
    int hour;
    int minute;
    int second;
    int microsecond;
};

enum time_precision {
    PRECISION_AUTO,              /* microseconds, where there are any */
    PRECISION_AUTO_MILLISECONDS, /* cut to milliseconds, where there are microseconds */
    PRECISION_SECONDS,
    PRECISION_MILLISECONDS,
    PRECISION_MICROSECONDS,
};

#endif
