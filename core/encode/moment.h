/* SPDX-License-Identifier: MIT */
/* The parts of dates, times and durations: read from the structs of datetime's C code, or asked for
 * where an interpreter has datetime in Python only (a subinterpreter of Python 3.12, for one). */
#ifndef SSRJSON_ENCODE_MOMENT_H
#define SSRJSON_ENCODE_MOMENT_H

#include <datetime.h>

#include "encode/native_types.h"

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

/* One part by its name; false with an exception set. */
static inline bool moment_ask_part(PyObject *value, const char *name, int least, int most,
                                   int *part) {
    PyObject *const interned = PyUnicode_InternFromString(name);
    PyObject *const number = interned != NULL ? PyObject_GetAttr(value, interned) : NULL;
    Py_XDECREF(interned);
    if (number == NULL) {
        return false;
    }
    const long answer = PyLong_AsLong(number);
    Py_DECREF(number);
    if (answer == -1 && PyErr_Occurred()) {
        return false;
    }
    if (answer < least || answer > most) {
        PyErr_Format(PyExc_ValueError, "%s of %.200s is out of range: %ld", name,
                     Py_TYPE(value)->tp_name, answer);
        return false;
    }
    *part = (int)answer;
    return true;
}

/* All parts, by Python code; false with an exception set. */
static COLD bool moment_ask(enum native_type which, PyObject *value, struct moment *moment) {
    *moment = (struct moment){.days = 0};
    if (which == NATIVE_TIMEDELTA) {
        return moment_ask_part(value, "days", -999999999, 999999999, &moment->days) &&
               moment_ask_part(value, "seconds", 0, 86399, &moment->second) &&
               moment_ask_part(value, "microseconds", 0, 999999, &moment->microsecond);
    }
    const bool has_day = which != NATIVE_TIME;
    const bool has_hour = which != NATIVE_DATE;
    return (!has_day || (moment_ask_part(value, "year", 1, 9999, &moment->year) &&
                         moment_ask_part(value, "month", 1, 12, &moment->month) &&
                         moment_ask_part(value, "day", 1, 31, &moment->day))) &&
           (!has_hour || (moment_ask_part(value, "hour", 0, 23, &moment->hour) &&
                          moment_ask_part(value, "minute", 0, 59, &moment->minute) &&
                          moment_ask_part(value, "second", 0, 59, &moment->second) &&
                          moment_ask_part(value, "microsecond", 0, 999999, &moment->microsecond)));
}

#endif
