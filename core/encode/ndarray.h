/* SPDX-License-Identifier: MIT */
/* numpy's arrays, read through the array interface (__array_struct__, version 3): any layout,
 * either byte order. */
#ifndef SSRJSON_ENCODE_NDARRAY_H
#define SSRJSON_ENCODE_NDARRAY_H

#include "encode/iso_time.h"
#include "encode/native_types.h"
#include "number/format_int.h"

#define NDARRAY_MAX_DIMS 64

enum ndarray_unit {
    UNIT_YEAR,
    UNIT_MONTH,
    UNIT_WEEK,
    UNIT_DAY,
    UNIT_HOUR,
    UNIT_MINUTE,
    UNIT_SECOND,
    UNIT_MILLISECOND,
    UNIT_MICROSECOND,
    UNIT_NANOSECOND,
    N_UNITS,
};

struct ndarray {
    PyObject *interface; /* owned capsule: it keeps shape, strides and data */
    const char *data;
    int n_dims;
    const Py_ssize_t *shape;   /* items a dimension */
    const Py_ssize_t *strides; /* bytes a step */
    char kind;                 /* 'b' bool, 'i' and 'u' int, 'f' float, 'M' datetime64 */
    int item_bytes;
    bool is_swapped;
    enum ndarray_unit unit; /* of datetime64 */
    int64_t n_units;        /* a step of it is so many units */
};

/* As the array interface lays it out. */
struct ndarray_interface {
    int two;
    int n_dims;
    char kind;
    int item_bytes;
    int flags;
    const Py_ssize_t *shape;
    const Py_ssize_t *strides;
    const char *data;
    PyObject *description;
};

#define NDARRAY_NOT_SWAPPED 0x200

/* Read "<M8[25s]": the unit in brackets and how many of it a step is; false for another. */
static inline bool ndarray_parse_unit(struct ndarray *array, const char *type) {
    static const char *const names[N_UNITS] = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns"};
    const char *at = strchr(type, '[');
    if (at == NULL) {
        at = "[s]"; /* no unit yet: it can only be NaT */
    }
    at++;
    array->n_units = 0;
    for (; *at >= '0' && *at <= '9' && array->n_units < INT32_MAX; at++) {
        array->n_units = array->n_units * 10 + (*at - '0');
    }
    array->n_units = array->n_units == 0 ? 1 : array->n_units;
    for (int unit = 0; unit < N_UNITS; unit++) {
        const size_t n = strlen(names[unit]);
        if (strncmp(at, names[unit], n) == 0 && strcmp(at + n, "]") == 0) {
            array->unit = (enum ndarray_unit)unit;
            return true;
        }
    }
    return false;
}

/* The unit of an array or scalar of datetime64. 1, 0 for one that is not known, -1 with an
 * exception set. */
static inline int ndarray_find_unit(const struct native_types *types, struct ndarray *array,
                                    PyObject *value) {
    PyObject *const dtype = PyObject_GetAttr(value, types->words[WORD_DTYPE]);
    PyObject *const name = dtype != NULL ? PyObject_GetAttr(dtype, types->words[WORD_STR]) : NULL;
    Py_XDECREF(dtype);
    if (name == NULL) {
        return -1;
    }
    int is_known = 0;
    if (PyUnicode_Check(name) && PyUnicode_IS_ASCII(name)) {
        is_known = ndarray_parse_unit(array, PyUnicode_DATA(name));
    }
    Py_DECREF(name);
    return is_known;
}

static inline bool ndarray_is_known_item(const struct ndarray *array) {
    const int n = array->item_bytes;
    switch (array->kind) {
    case 'b': return n == 1;
    case 'i':
    case 'u': return n == 1 || n == 2 || n == 4 || n == 8;
    case 'f': return n == 2 || n == 4 || n == 8;
    case 'M': return n == 8;
    default: return false;
    }
}

/* Open an array or a scalar. 1, 0 where its items have no form here, -1 with an exception set. May
 * run Python code. */
static inline int ndarray_open(const struct native_types *types, struct ndarray *array,
                               PyObject *value) {
    PyObject *const capsule = PyObject_GetAttr(value, types->words[WORD_ARRAY_STRUCT]);
    if (capsule == NULL) {
        return -1;
    }
    const struct ndarray_interface *const interface = PyCapsule_GetPointer(capsule, NULL);
    if (interface == NULL || interface->two != 2) {
        Py_DECREF(capsule);
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError, "__array_struct__ is not of the array interface");
        }
        return -1;
    }
    *array = (struct ndarray){
        .interface = capsule,
        .data = interface->data,
        .n_dims = interface->n_dims,
        .shape = interface->shape,
        .strides = interface->strides,
        .kind = interface->kind,
        .item_bytes = interface->item_bytes,
        .is_swapped = !(interface->flags & NDARRAY_NOT_SWAPPED),
    };
    int status = ndarray_is_known_item(array) && array->n_dims <= NDARRAY_MAX_DIMS;
    if (status > 0 && array->kind == 'M') {
        status = ndarray_find_unit(types, array, value);
    }
    if (status <= 0) {
        Py_DECREF(capsule);
    }
    return status;
}

static inline void ndarray_close(struct ndarray *array) {
    Py_CLEAR(array->interface);
}

/* ---- items --------------------------------------------------------------------------------- */

/* The item's bits, zero above them. */
static ALWAYS_INLINE uint64_t ndarray_load_bits(const char *item, int item_bytes, bool is_swapped) {
    switch (item_bytes) {
    case 1: return *(const uint8_t *)item;
    case 2: {
        uint16_t bits;
        memcpy(&bits, item, sizeof bits);
        return is_swapped ? __builtin_bswap16(bits) : bits;
    }
    case 4: {
        const uint32_t bits = load_u32(item);
        return is_swapped ? __builtin_bswap32(bits) : bits;
    }
    default: {
        const uint64_t bits = load_u64(item);
        return is_swapped ? __builtin_bswap64(bits) : bits;
    }
    }
}

static ALWAYS_INLINE int64_t ndarray_load_signed(const char *item, int item_bytes,
                                                 bool is_swapped) {
    const int n_above = 64 - 8 * item_bytes;
    return (int64_t)(ndarray_load_bits(item, item_bytes, is_swapped) << n_above) >> n_above;
}

/* Numbers are read and worked out so many at a time before the first is stored; see put_floats. */
#define ARRAY_RUN SPLIT_INTS

/* The magnitudes and signs of n ints of one size: the bits that any of them has. */
static ALWAYS_INLINE uint64_t ndarray_load_ints_of(const struct ndarray *array, int item_bytes,
                                                   const char *item, Py_ssize_t n,
                                                   Py_ssize_t stride, uint64_t *magnitudes,
                                                   bool *is_negative) {
    uint64_t all_bits = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *const from = item + i * stride;
        if (array->kind == 'u') {
            magnitudes[i] = ndarray_load_bits(from, item_bytes, array->is_swapped);
            is_negative[i] = false;
        } else {
            const int64_t value = ndarray_load_signed(from, item_bytes, array->is_swapped);
            is_negative[i] = value < 0;
            magnitudes[i] = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
        }
        all_bits |= magnitudes[i];
    }
    return all_bits;
}

static inline uint64_t ndarray_load_ints(const struct ndarray *array, const char *item,
                                         Py_ssize_t n, Py_ssize_t stride, uint64_t *magnitudes,
                                         bool *is_negative) {
    switch (array->item_bytes) {
    case 8: return ndarray_load_ints_of(array, 8, item, n, stride, magnitudes, is_negative);
    case 4: return ndarray_load_ints_of(array, 4, item, n, stride, magnitudes, is_negative);
    case 2: return ndarray_load_ints_of(array, 2, item, n, stride, magnitudes, is_negative);
    default: return ndarray_load_ints_of(array, 1, item, n, stride, magnitudes, is_negative);
    }
}

/* A half-precision float, whose value a double holds exactly. */
static inline double double_from_half(uint16_t half) {
    const uint64_t sign = (uint64_t)(half >> 15) << 63;
    const uint64_t fraction = half & 0x3ff;
    const int exponent = half >> 10 & 0x1f;
    uint64_t bits;
    if (exponent == 0) { /* zero or subnormal: fraction * 2^-24 */
        const double magnitude = (double)fraction * 0x1p-24;
        memcpy(&bits, &magnitude, sizeof bits);
    } else {
        const uint64_t biased = exponent == 0x1f ? 0x7ff : (uint64_t)(exponent - 15 + 1023);
        bits = biased << 52 | fraction << 42;
    }
    bits |= sign;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static ALWAYS_INLINE double ndarray_load_double(const char *item, int item_bytes, bool is_swapped) {
    const uint64_t bits = ndarray_load_bits(item, item_bytes, is_swapped);
    if (item_bytes == 2) {
        return double_from_half((uint16_t)bits);
    }
    if (item_bytes == 4) {
        const uint32_t narrow = (uint32_t)bits;
        float value;
        memcpy(&value, &narrow, sizeof value);
        return value;
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- datetime64 ---------------------------------------------------------------------------- */

#define DATETIME64_NAT INT64_MIN
#define DAYS_A_400_YEARS 146097
/* from the first of March of the year 0 to that of 1970's first of January */
#define DAYS_BEFORE_EPOCH 719468

struct civil_date {
    int64_t year;
    unsigned month;
    unsigned day;
};

/* The date of a day counted from 1970-01-01, in the Gregorian calendar. Years are counted from
 * March on, so that the leap day is the last of its year. */
static inline struct civil_date civil_date_of_day(int64_t day) {
    day += DAYS_BEFORE_EPOCH;
    const int64_t era = (day >= 0 ? day : day - (DAYS_A_400_YEARS - 1)) / DAYS_A_400_YEARS;
    const unsigned in_era = (unsigned)(day - era * DAYS_A_400_YEARS);
    /* leap days taken out, a year has 365 days */
    const unsigned year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    const unsigned in_year = in_era - (365 * year + year / 4 - year / 100);
    const unsigned month = (5 * in_year + 2) / 153; /* five months from March on have 153 days */
    const unsigned calendar_month = month < 10 ? month + 3 : month - 9;
    return (struct civil_date){
        .year = era * 400 + year + (calendar_month <= 2),
        .month = calendar_month,
        .day = in_year - (153 * month + 2) / 5 + 1,
    };
}

/* floor(a / b) and what is left, b > 0 */
static inline __int128 divide_down(__int128 a, __int128 b, __int128 *rest) {
    __int128 quotient = a / b;
    *rest = a % b;
    if (*rest < 0) {
        *rest += b;
        quotient--;
    }
    return quotient;
}

static COLD char *ndarray_refuse_year(void) {
    PyErr_SetString(PyExc_ValueError, "datetime64 outside of the years 0 to 9999");
    return NULL;
}

/* A datetime64 that is not NaT as ISO 8601: a date where the unit is a day or longer, else a
 * datetime, with nine digits of the second where nanoseconds are left. The end of the text; NULL
 * with ValueError set outside of the years 0 to 9999. */
static inline char *ndarray_put_datetime(char *out, const struct ndarray *array, int64_t value,
                                         const struct native_options *options) {
    static const int64_t NANOSECONDS[N_UNITS] = {
        [UNIT_HOUR] = 3600000000000,  [UNIT_MINUTE] = 60000000000, [UNIT_SECOND] = 1000000000,
        [UNIT_MILLISECOND] = 1000000, [UNIT_MICROSECOND] = 1000,   [UNIT_NANOSECOND] = 1};
    const __int128 steps = (__int128)value * array->n_units;
    const bool is_date = array->unit <= UNIT_DAY;
    struct civil_date date;
    __int128 in_day = 0; /* nanoseconds */
    if (array->unit <= UNIT_MONTH) {
        __int128 month;
        const __int128 year =
            divide_down(array->unit == UNIT_YEAR ? steps * 12 : steps, 12, &month) + 1970;
        if (year < 0 || year > 9999) {
            return ndarray_refuse_year();
        }
        date = (struct civil_date){(int64_t)year, (unsigned)month + 1, 1};
    } else {
        const __int128 day = is_date ? steps * (array->unit == UNIT_WEEK ? 7 : 1)
                                     : divide_down(steps * NANOSECONDS[array->unit],
                                                   (__int128)86400 * 1000000000, &in_day);
        if (day < -DAYS_BEFORE_EPOCH || day > 10000 * 366) {
            return ndarray_refuse_year();
        }
        date = civil_date_of_day((int64_t)day);
        if (date.year > 9999) {
            return ndarray_refuse_year();
        }
    }
    out = iso_put_date(out, (unsigned)date.year, date.month, date.day);
    if (is_date) {
        return out;
    }
    const unsigned seconds = (unsigned)(in_day / 1000000000);
    const unsigned nanoseconds = (unsigned)(in_day % 1000000000);
    const bool is_nine_digits = options->precision == PRECISION_AUTO && nanoseconds % 1000 != 0;
    *out++ = 'T';
    out = iso_put_time(out, seconds / 3600, seconds / 60 % 60, seconds % 60, nanoseconds / 1000,
                       is_nine_digits ? PRECISION_MICROSECONDS : options->precision);
    if (is_nine_digits) {
        const uint32_t digits = four_digits(nanoseconds % 1000);
        memcpy(out, (const char *)&digits + 1, 3);
        out += 3;
    }
    return options->is_naive_utc ? iso_put_offset(out, 0, options->is_utc_z, false) : out;
}

#endif
