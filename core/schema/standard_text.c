/* SPDX-License-Identifier: MIT */
#include "schema/standard_text.h"

#include <datetime.h>

#include "pyobject/dict.h"
#include "pyobject/object.h"
#include "pyobject/snapshot.h"
#include "pyobject/type.h"

/* ---- standard texts ------------------------------------------------------------------------ */

/* Whether text is exactly what the encoder writes for a date, a datetime or a UUID, so that reading
 * it and writing the result again would give the same text. */

/* The number that two digits make; more than 99 where they are none. */
static ALWAYS_INLINE unsigned two_digits_at(const uint8_t *p) {
    const unsigned tens = p[0] - '0';
    const unsigned ones = p[1] - '0';
    return tens < 10 && ones < 10 ? tens * 10 + ones : 100;
}

/* 2026-11-23, a day that the calendar has. */
static inline bool is_standard_date(const uint8_t *p, size_t n) {
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (n != 10 || p[4] != '-' || p[7] != '-') {
        return false;
    }
    const unsigned century = two_digits_at(p);
    const unsigned rest = two_digits_at(p + 2);
    const unsigned month = two_digits_at(p + 5);
    const unsigned day = two_digits_at(p + 8);
    if (century > 99 || rest > 99 || century + rest == 0 || month - 1 > 11) {
        return false;
    }
    const bool is_leap_year = rest % 4 == 0 && (rest != 0 || century % 4 == 0);
    return day >= 1 && day <= days[month - 1] + (unsigned)(is_leap_year && month == 2);
}

/* .000001, not zero. */
static inline bool is_standard_fraction(const uint8_t *p) {
    const unsigned first = two_digits_at(p + 1);
    const unsigned second = two_digits_at(p + 3);
    const unsigned third = two_digits_at(p + 5);
    return p[0] == '.' && first < 100 && second < 100 && third < 100 && first + second + third > 0;
}

/* Nothing, Z, or an offset such as +02:00 that is not zero. */
static inline bool is_standard_offset(const uint8_t *p, size_t n) {
    if (n <= 1) {
        return n == 0 || *p == 'Z';
    }
    if (n != 6 || (p[0] != '+' && p[0] != '-') || p[3] != ':') {
        return false;
    }
    const unsigned hour = two_digits_at(p + 1);
    const unsigned minute = two_digits_at(p + 4);
    return hour < 24 && minute < 60 && hour + minute > 0;
}

/* 2026-11-23T01:02:03, with microseconds and an offset where there are some; UTC is Z. */
static inline bool is_standard_datetime(const uint8_t *p, size_t n) {
    if (n < 19 || !is_standard_date(p, 10) || p[10] != 'T' || p[13] != ':' || p[16] != ':' ||
        two_digits_at(p + 11) > 23 || two_digits_at(p + 14) > 59 || two_digits_at(p + 17) > 59) {
        return false;
    }
    size_t at = 19;
    if (n > at && p[at] == '.') {
        if (n < at + 7 || !is_standard_fraction(p + at)) {
            return false;
        }
        at += 7;
    }
    return is_standard_offset(p + at, n - at);
}

/* 00000000-0000-0000-0000-000000000000, in small letters. */
static inline bool is_standard_uuid(const uint8_t *p, size_t n) {
    if (n != 36) {
        return false;
    }
    bool is_standard = true;
    for (size_t i = 0; i < 36; i++) {
        const bool is_hyphen = i == 8 || i == 13 || i == 18 || i == 23;
        const bool is_digit = (p[i] >= '0' && p[i] <= '9') || (p[i] >= 'a' && p[i] <= 'f');
        is_standard &= is_hyphen ? p[i] == '-' : is_digit;
    }
    return is_standard;
}

/* ---- values -------------------------------------------------------------------------------- */

struct text_validator *text_validator_new(struct blocks *blocks, enum text_value of,
                                          PyObject *validate) {
    struct text_validator *const made = blocks_add(blocks, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->of = of;
    made->validate = Py_NewRef(validate);
    made->tzinfos = PyDict_New();
    made->datetime_api = PyCapsule_Import(PyDateTime_CAPSULE_NAME, 0);
    return made;
}

int text_validator_traverse(const struct text_validator *validator, visitproc visit, void *arg) {
    if (validator != NULL) {
        Py_VISIT(validator->validate);
        Py_VISIT(validator->tzinfos);
        Py_VISIT(validator->uuid);
    }
    return 0;
}

bool text_is_standard(const struct text_validator *validator, PyObject *text) {
    if (!PyUnicode_IS_COMPACT_ASCII(text)) {
        return false;
    }
    const uint8_t *const p = PyUnicode_1BYTE_DATA(text);
    const size_t n = (size_t)PyUnicode_GET_LENGTH(text);
    switch (validator->of) {
    case TEXT_OF_DATE: return is_standard_date(p, n);
    case TEXT_OF_DATETIME: return is_standard_datetime(p, n);
    case TEXT_OF_UUID: return is_standard_uuid(p, n);
    }
    return false;
}

static int number_at(const uint8_t *p) {
    return (int)two_digits_at(p);
}

static int year_at(const uint8_t *p) {
    return number_at(p) * 100 + number_at(p + 2);
}

static PyObject *make_date(const struct text_validator *validator, PyObject *text) {
    const PyDateTime_CAPI *const api = validator->datetime_api;
    const uint8_t *const p = PyUnicode_1BYTE_DATA(text);
    return api->Date_FromDate(year_at(p), number_at(p + 5), number_at(p + 8), api->DateType);
}

/* A datetime whose offset the validator has met. */
static PyObject *make_datetime(const struct text_validator *validator, PyObject *text) {
    const PyDateTime_CAPI *const api = validator->datetime_api;
    const uint8_t *const p = PyUnicode_1BYTE_DATA(text);
    const Py_ssize_t n = PyUnicode_GET_LENGTH(text);
    const bool has_fraction = n > 19 && p[19] == '.';
    PyObject *const offset = PyUnicode_Substring(text, has_fraction ? 26 : 19, n);
    if (offset == NULL) {
        return NULL;
    }
    PyObject *result;
    PyObject *const tzinfo = dict_get(validator->tzinfos, offset);
    if (tzinfo != NULL) {
        const int microsecond =
            has_fraction ? number_at(p + 20) * 10000 + number_at(p + 22) * 100 + number_at(p + 24)
                         : 0;
        result = api->DateTime_FromDateAndTime(
            year_at(p), number_at(p + 5), number_at(p + 8), number_at(p + 11), number_at(p + 14),
            number_at(p + 17), microsecond, tzinfo, api->DateTimeType);
        Py_DECREF(tzinfo);
    } else {
        result = PyObject_CallOneArg(validator->validate, text);
        if (result != NULL && Py_TYPE(result) == api->DateTimeType &&
            PyDict_SetItem(validator->tzinfos, offset, PyDateTime_DATE_GET_TZINFO(result)) < 0) {
            Py_CLEAR(result);
        }
    }
    Py_DECREF(offset);
    return result;
}

static unsigned hex_digit(uint8_t c) {
    return c <= '9' ? c - '0' : c - 'a' + 10U;
}

/* The int of a UUID; NULL with an exception set. */
static PyObject *uuid_number(const uint8_t *p) {
    uint8_t bytes[16];
    size_t n = 0;
    for (size_t i = 0; i < 36; i += p[i] == '-' ? 1 : 2) {
        if (p[i] != '-') {
            bytes[n++] = (uint8_t)(hex_digit(p[i]) << 4 | hex_digit(p[i + 1]));
        }
    }
    return _PyLong_FromByteArray(bytes, sizeof bytes, 0, 0);
}

/* A UUID like the first that the validator made; its class has no constructor but object's. */
static PyObject *make_uuid(struct text_validator *validator, PyObject *text) {
    PyObject *const known = LOAD_SHARED(validator->uuid);
    if (known == NULL) {
        PyObject *const first = PyObject_CallOneArg(validator->validate, text);
        if (first != NULL) { /* threads that do this at once store the same offsets */
            STORE_SHARED(validator->number_slot, type_slot_named(Py_TYPE(first), "int"));
            STORE_SHARED(validator->safety_slot, type_slot_named(Py_TYPE(first), "is_safe"));
            publish_once(&validator->uuid, Py_NewRef(first));
        }
        return first;
    }
    PyTypeObject *const type = Py_TYPE(known);
    const Py_ssize_t number_slot = LOAD_SHARED(validator->number_slot);
    const Py_ssize_t safety_slot = LOAD_SHARED(validator->safety_slot);
    if (number_slot < 0 || safety_slot < 0 || type->tp_new != PyBaseObject_Type.tp_new) {
        return PyObject_CallOneArg(validator->validate, text);
    }
    PyObject *const number = uuid_number(PyUnicode_1BYTE_DATA(text));
    PyObject *const made = number != NULL ? type->tp_alloc(type, 0) : NULL;
    if (made == NULL) {
        Py_XDECREF(number);
        return NULL;
    }
    slot_put(made, number_slot, number);
    slot_put(made, safety_slot, object_slot(known, safety_slot));
    return made;
}

PyObject *text_validate(struct text_validator *validator, PyObject *text) {
    if (!text_is_standard(validator, text)) {
        return PyObject_CallOneArg(validator->validate, text);
    }
    switch (validator->of) {
    case TEXT_OF_DATE: return make_date(validator, text);
    case TEXT_OF_DATETIME: return make_datetime(validator, text);
    case TEXT_OF_UUID: return make_uuid(validator, text);
    }
    return NULL;
}
