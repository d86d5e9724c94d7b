/* SPDX-License-Identifier: MIT */
/* The parts of dates, times and durations. They are read from the structs of datetime's C code, or
 * from attributes where an interpreter has datetime in Python only, such as a subinterpreter of
 * Python 3.12. */
#ifndef SSRJSON_ENCODE_TYPES_MOMENTS_H
#define SSRJSON_ENCODE_TYPES_MOMENTS_H

#include "pyobject/python.h"

#include <datetime.h>

#include "encode/types/types.h"
#include "pyobject/pydantic_zone.h"
#include "pyobject/type.h"
#include "text/moment.h"

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

/* The time zone where it can be read without Python code, borrowed; otherwise NULL. */
static ALWAYS_INLINE PyObject *moment_zone(const struct native_types *types, enum native_type which,
                                           PyObject *value) {
    if (!native_types_is_in_c(types, which)) {
        return NULL;
    }
    if (which == NATIVE_TIME) {
        const PyDateTime_Time *const time = (const PyDateTime_Time *)value;
        return time->hastzinfo ? time->tzinfo : Py_None;
    }
    const PyDateTime_DateTime *const datetime = (const PyDateTime_DateTime *)value;
    return datetime->hastzinfo ? datetime->tzinfo : Py_None;
}

/* Whether a zone is pydantic's TzInfo with its own method, and its offset can be read in place. */
static ALWAYS_INLINE bool moment_zone_has_seconds(const struct native_types *types,
                                                  PyObject *zone) {
    return Py_IS_TYPE(zone, native_types_known(types, NATIVE_PYDANTIC_ZONE)) &&
           native_types_is_in_c(types, NATIVE_PYDANTIC_ZONE) &&
           type_look_up(Py_TYPE(zone), types->words[WORD_UTCOFFSET]) ==
               LOAD_SHARED(types->pydantic_utcoffset);
}

/* Read one part by the name of its attribute; false with an exception set. */
static inline bool moment_ask_part(const struct native_types *types, PyObject *value,
                                   enum native_word word, int least, int most, int *part) {
    PyObject *const number = PyObject_GetAttr(value, types->words[word]);
    if (number == NULL) {
        return false;
    }
    const long answer = PyLong_AsLong(number);
    Py_DECREF(number);
    if (answer == -1 && PyErr_Occurred()) {
        return false;
    }
    if (answer < least || answer > most) {
        PyErr_Format(PyExc_ValueError, "%U of %.200s is out of range: %ld", types->words[word],
                     Py_TYPE(value)->tp_name, answer);
        return false;
    }
    *part = (int)answer;
    return true;
}

/* Read all parts by their attributes; false with an exception set. */
static inline COLD bool moment_ask(const struct native_types *types, enum native_type which,
                                   PyObject *value, struct moment *moment) {
    *moment = (struct moment){.days = 0};
    const bool is_delta = which == NATIVE_TIMEDELTA;
    const bool has_date = which == NATIVE_DATETIME || which == NATIVE_DATE;
    const bool has_time = which == NATIVE_DATETIME || which == NATIVE_TIME;
    const struct {
        bool is_part;
        enum native_word word;
        int least;
        int most;
        int *part;
    } parts[] = {
        {is_delta, WORD_DAYS, -999999999, 999999999, &moment->days},
        {is_delta, WORD_SECONDS, 0, 86399, &moment->second},
        {is_delta, WORD_MICROSECONDS, 0, 999999, &moment->microsecond},
        {has_date, WORD_YEAR, 1, 9999, &moment->year},
        {has_date, WORD_MONTH, 1, 12, &moment->month},
        {has_date, WORD_DAY, 1, 31, &moment->day},
        {has_time, WORD_HOUR, 0, 23, &moment->hour},
        {has_time, WORD_MINUTE, 0, 59, &moment->minute},
        {has_time, WORD_SECOND, 0, 59, &moment->second},
        {has_time, WORD_MICROSECOND, 0, 999999, &moment->microsecond},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].is_part && !moment_ask_part(types, value, parts[i].word, parts[i].least,
                                                 parts[i].most, parts[i].part)) {
            return false;
        }
    }
    return true;
}

#endif
