/* SPDX-License-Identifier: MIT */
/* numpy's arrays, read through the array interface (__array_struct__, version 3): any layout,
 * either byte order. */
#ifndef SSRJSON_ENCODE_NATIVE_NDARRAY_H
#define SSRJSON_ENCODE_NATIVE_NDARRAY_H

#include "text/iso_time.h"
#include "encode/native/types.h"
#include "number/format_decimal.h"
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
    UNIT_PICOSECOND,
    UNIT_FEMTOSECOND,
    UNIT_ATTOSECOND,
    N_UNITS,
    UNIT_NONE = N_UNITS, /* numpy's generic one */
};

struct ndarray {
    PyObject *interface; /* owned capsule: it keeps shape, strides and data */
    const char *data;
    int n_dims;
    const Py_ssize_t *shape;   /* number of items in each dimension */
    const Py_ssize_t *strides; /* bytes from one item to the next, in each dimension */
    char kind; /* 'b' bool, 'i' and 'u' int, 'f' float, 'M' datetime64, 'm' timedelta64 */
    int item_bytes;
    bool is_swapped;
    enum ndarray_unit unit; /* of datetime64 and timedelta64 */
    int64_t n_units;        /* one step is n units */
};

/* The struct that the array interface defines. */
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

/* Read "<M8[25s]": the unit in brackets and the number of units in a step; false for another
 * text. */
static inline bool ndarray_parse_unit(struct ndarray *array, const char *type) {
    static const char *const names[N_UNITS] = {"Y",  "M",  "W",  "D",  "h",  "m", "s",
                                               "ms", "us", "ns", "ps", "fs", "as"};
    const char *at = strchr(type, '[');
    array->n_units = 0;
    if (at == NULL) {
        array->unit = UNIT_NONE;
        return true;
    }
    at++;
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

/* Read the unit of an array or scalar of datetime64 or timedelta64. 1, 0 for an unknown unit, -1
 * with an exception set. */
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
    case 'M':
    case 'm': return n == 8;
    default: return false;
    }
}

/* Open an array or a scalar for reading. 1, 0 where its items cannot be written, -1 with an
 * exception set. May run Python code. */
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
    if (status > 0 && (array->kind == 'M' || array->kind == 'm')) {
        status = ndarray_find_unit(types, array, value);
    }
    if (status <= 0) {
        Py_DECREF(capsule);
    }
    return status;
}

/* Whether a step of datetime64 or timedelta64 has a fixed meaning, without a calendar or a
 * guess. */
static inline bool ndarray_has_sound_unit(const struct ndarray *array) {
    return array->unit != UNIT_NONE && (array->kind != 'm' || array->unit >= UNIT_WEEK);
}

static inline void ndarray_close(struct ndarray *array) {
    Py_CLEAR(array->interface);
}

/* ---- items --------------------------------------------------------------------------------- */

/* The bits of an item, zero above them. */
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

/* Numbers are read and computed in runs of this length before the first is stored; see
 * put_floats. */
#define ARRAY_RUN SPLIT_INTS

/* Load the magnitudes and signs of n ints of one size; returns the union of the magnitudes'
 * bits. */
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

/* The value of a half-precision float, which a double holds exactly. */
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

/* ---- datetime64 and timedelta64 ----------------------------------------------------------- */

#define DATETIME64_NAT INT64_MIN /* of timedelta64 too */
#define DAYS_A_400_YEARS 146097
/* from 0000-03-01 to 1970-01-01 */
#define DAYS_BEFORE_EPOCH 719468

/* the first day of the year 0, a leap year */
#define FIRST_DAY (-(DAYS_BEFORE_EPOCH + 31 + 29))

struct civil_date {
    int64_t year;
    unsigned month;
    unsigned day;
};

/* The date of a day that is counted from 1970-01-01, in the Gregorian calendar. Years are counted
 * from March on, so that the leap day is the last day of its year. */
static inline struct civil_date civil_date_of_day(int64_t day) {
    day += DAYS_BEFORE_EPOCH;
    const int64_t era = (day >= 0 ? day : day - (DAYS_A_400_YEARS - 1)) / DAYS_A_400_YEARS;
    const unsigned in_era = (unsigned)(day - era * DAYS_A_400_YEARS);
    /* without leap days, a year has 365 days */
    const unsigned year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    const unsigned in_year = in_era - (365 * year + year / 4 - year / 100);
    const unsigned month =
        (5 * in_year + 2) / 153; /* each five months from March on have 153 days */
    const unsigned calendar_month = month < 10 ? month + 3 : month - 9;
    return (struct civil_date){
        .year = era * 400 + year + (calendar_month <= 2),
        .month = calendar_month,
        .day = in_year - (153 * month + 2) / 5 + 1,
    };
}

/* a / b, and the remainder in *rest, bit by bit; b > 0. The operator would call a function of the
 * compiler's runtime library. Where that is linked its memcpy is used instead of the one of the C
 * library, which copies long strings twice as fast. */
static COLD unsigned __int128 divide_large(unsigned __int128 a, int64_t b, int64_t *rest) {
    unsigned __int128 quotient = 0;
    uint64_t left = 0;
    for (int bit = 127; bit >= 0; bit--) {
        left = left << 1 | (uint64_t)(a >> bit & 1);
        quotient <<= 1;
        if (left >= (uint64_t)b) {
            left -= (uint64_t)b;
            quotient |= 1;
        }
    }
    *rest = (int64_t)left;
    return quotient;
}

/* floor(a / b), and the remainder in *rest; b > 0 */
static inline __int128 divide_down(__int128 a, int64_t b, int64_t *rest) {
    __int128 quotient;
    if (LIKELY(a == (int64_t)a)) {
        quotient = (int64_t)a / b;
        *rest = (int64_t)a % b;
    } else {
        const bool is_negative = a < 0;
        quotient = (__int128)divide_large((unsigned __int128)(is_negative ? -a : a), b, rest);
        if (is_negative) {
            quotient = -quotient;
            *rest = -*rest;
        }
    }
    if (*rest < 0) {
        *rest += b;
        quotient--;
    }
    return quotient;
}

/* The distance between two moments: seconds, and a fraction of a second that is never negative. */
struct span {
    __int128 seconds;
    unsigned microseconds;
    uint64_t below; /* attoseconds below a microsecond */
};

/* The n for which a second is 10^n of a unit from UNIT_SECOND on. */
static inline int ndarray_exponent(enum ndarray_unit unit) {
    return unit > UNIT_SECOND ? 3 * (int)(unit - UNIT_SECOND) : 0;
}

static inline int64_t ten_to_the(int exponent) {
    int64_t power = 1;
    while (exponent-- > 0) {
        power *= 10;
    }
    return power;
}

/* Steps of a unit of fixed length, converted to seconds or to a unit below a second. */
static inline __int128 ndarray_units(const struct ndarray *array, int64_t value) {
    static const int64_t SECONDS[UNIT_SECOND + 1] = {[UNIT_WEEK] = 604800,
                                                     [UNIT_DAY] = 86400,
                                                     [UNIT_HOUR] = 3600,
                                                     [UNIT_MINUTE] = 60,
                                                     [UNIT_SECOND] = 1};
    assert(array->unit >= UNIT_WEEK && array->unit < N_UNITS);
    const __int128 n = (__int128)value * array->n_units; /* at most 2^94: the rest fits too */
    return array->unit < UNIT_SECOND ? n * SECONDS[array->unit] : n;
}

static inline struct span ndarray_span(const struct ndarray *array, int64_t value) {
    const int exponent = ndarray_exponent(array->unit);
    int64_t parts;
    const __int128 seconds = divide_down(ndarray_units(array, value), ten_to_the(exponent), &parts);
    const uint64_t attoseconds = (uint64_t)parts * (uint64_t)ten_to_the(18 - exponent);
    return (struct span){.seconds = seconds,
                         .microseconds = (unsigned)(attoseconds / 1000000000000),
                         .below = attoseconds % 1000000000000};
}

static COLD char *ndarray_refuse_year(void) {
    PyErr_SetString(PyExc_ValueError, "datetime64 outside of the years 0 to 9999");
    return NULL;
}

/* The number of digits of `below`, in groups of three. */
static inline int digits_below(uint64_t below) {
    int n_digits = below != 0 ? 12 : 0;
    for (; n_digits != 0 && below % 1000 == 0; below /= 1000) {
        n_digits -= 3;
    }
    return n_digits;
}

/* Store a datetime64 that is not NaT as ISO 8601: a date where the unit is a day or longer,
 * otherwise a datetime, with more than six digits of the second where they are not zero. Returns
 * the end of the text; NULL with ValueError set outside of the years 0 to 9999. */
static inline char *ndarray_put_datetime(char *out, const struct ndarray *array, int64_t value,
                                         const struct native_options *options) {
    struct civil_date date;
    struct span span = {.seconds = 0};
    int64_t in_day = 0; /* seconds */
    if (array->unit <= UNIT_MONTH) {
        const __int128 steps = (__int128)value * array->n_units;
        int64_t month;
        const __int128 year =
            divide_down(array->unit == UNIT_YEAR ? steps * 12 : steps, 12, &month) + 1970;
        if (year < 0 || year > 9999) {
            return ndarray_refuse_year();
        }
        date = (struct civil_date){(int64_t)year, (unsigned)month + 1, 1};
    } else {
        span = ndarray_span(array, value);
        const __int128 day = divide_down(span.seconds, 86400, &in_day);
        if (day < FIRST_DAY || day > 10000 * 366) {
            return ndarray_refuse_year();
        }
        date = civil_date_of_day((int64_t)day);
        if (date.year > 9999) {
            return ndarray_refuse_year();
        }
    }
    out = iso_put_date(out, (unsigned)date.year, date.month, date.day);
    if (array->unit <= UNIT_DAY) {
        return out;
    }
    const unsigned seconds = (unsigned)in_day;
    const int n_below = options->precision == PRECISION_AUTO ? digits_below(span.below) : 0;
    *out++ = 'T';
    out = iso_put_time(out, seconds / 3600, seconds / 60 % 60, seconds % 60, span.microseconds,
                       n_below != 0 ? PRECISION_MICROSECONDS : options->precision);
    if (n_below != 0) {
        out = iso_put_below(out, span.below, n_below);
    }
    return options->is_naive_utc ? iso_put_offset(out, 0, options->is_utc_z, false) : out;
}

static inline struct span span_negate(struct span span) {
    const bool is_whole = span.microseconds == 0 && span.below == 0;
    return (struct span){.seconds = -span.seconds - !is_whole,
                         .microseconds =
                             is_whole ? 0 : 1000000 - span.microseconds - (span.below != 0),
                         .below = span.below == 0 ? 0 : 1000000000000 - span.below};
}

/* Store a span as ISO 8601. Returns the end of the text; NULL with ValueError set for too many
 * days. */
static inline char *span_put(char *out, struct span span, bool has_years) {
    if (span.seconds < 0) {
        span = span_negate(span);
        *out++ = '-';
    }
    int64_t in_day;
    const __int128 days = divide_down(span.seconds, 86400, &in_day);
    if (days > INT64_MAX) {
        PyErr_SetString(PyExc_ValueError, "duration of more than 2**63 days");
        return NULL;
    }
    return iso_put_magnitude(out,
                             (struct duration){.days = (uint64_t)days,
                                               .seconds = (unsigned)in_day,
                                               .microseconds = span.microseconds,
                                               .below = span.below},
                             has_years);
}

static inline PyObject *long_from_magnitude(unsigned __int128 value, bool is_negative) {
    char digits[1 + 32 + 1]; /* hexadecimal, with a sign and a terminator */
    char *at = digits + sizeof digits;
    *--at = '\0';
    do {
        *--at = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value != 0);
    if (is_negative) {
        *--at = '-';
    }
    return PyLong_FromString(at, NULL, 16);
}

/* The float nearest to the seconds of a timedelta64 of a fixed unit that is not NaT. False with an
 * exception set. */
static inline bool ndarray_seconds(const struct ndarray *array, int64_t value, double *seconds) {
    const int exponent = ndarray_exponent(array->unit);
    const __int128 n = ndarray_units(array, value);
    const __int128 magnitude = n < 0 ? -n : n;
    if (magnitude <= INT64_MAX && is_exact_quotient((uint64_t)magnitude, -exponent)) {
        const double quotient = exact_quotient((uint64_t)magnitude, -exponent);
        *seconds = n < 0 ? -quotient : quotient;
        return true;
    }
    /* division of Python's ints rounds once */
    PyObject *const dividend = long_from_magnitude((unsigned __int128)magnitude, n < 0);
    PyObject *const divisor = PyLong_FromLongLong(ten_to_the(exponent));
    PyObject *const quotient =
        dividend != NULL && divisor != NULL ? PyNumber_TrueDivide(dividend, divisor) : NULL;
    Py_XDECREF(dividend);
    Py_XDECREF(divisor);
    if (quotient == NULL) {
        return false;
    }
    *seconds = PyFloat_AS_DOUBLE(quotient);
    Py_DECREF(quotient);
    return true;
}

#endif
