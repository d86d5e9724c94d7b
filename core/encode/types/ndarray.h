/* SPDX-License-Identifier: MIT */
/* Arrays of numbers in memory: any layout, either byte order. numpy's are read through the array
 * interface (__array_struct__, version 3); for those of other libraries see tensor.h. */
#ifndef SSRJSON_ENCODE_TYPES_NDARRAY_H
#define SSRJSON_ENCODE_TYPES_NDARRAY_H

#include "encode/options.h"
#include "encode/types/types.h"
#include "pyobject/array_interface.h"
#include "pyobject/type.h"
#include "number/float_bits.h"
#include "number/format_int.h"
#include "text/characters.h"

#define NDARRAY_MAX_DIMS 64
#define NDARRAY_BFLOAT 'B' /* the kind of bfloat16: the upper half of a float of 32 bits */

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
    PyObject *interface; /* owned capsule: it keeps the data, and numpy's shape and strides */
    const char *data;
    int n_dims;
    const Py_ssize_t *shape;   /* number of items in each dimension */
    const Py_ssize_t *strides; /* bytes from one item to the next, in each dimension */
    Py_ssize_t *layout;        /* owned by PyMem, where shape and strides are no one else's */
    char kind; /* 'b' bool, 'i' and 'u' int, 'f' float, 'M' datetime64, 'm' timedelta64, or
                  NDARRAY_BFLOAT */
    int item_bytes;
    bool is_swapped;
    enum ndarray_unit unit; /* of datetime64 and timedelta64 */
    int64_t n_units;        /* one step is n units */
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
    for (; is_digit(*at) && array->n_units < INT32_MAX; at++) {
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

/* An attribute of an array or a scalar as numpy's own class has it, a new reference; NULL with an
 * exception set. A class derived from it could run Python code, which may resize the array. */
static inline PyObject *ndarray_attribute(struct native_types *types, PyObject *value,
                                          enum native_word word) {
    PyTypeObject *const type = Py_TYPE(value);
    PyTypeObject *base = native_types_get(types, NATIVE_ARRAY);
    if (base == NULL || !PyType_IsSubtype(type, base)) {
        base = native_types_get(types, NATIVE_SCALAR);
    }
    PyObject *const own = base != NULL && PyType_IsSubtype(type, base)
                              ? type_look_up(base, types->words[word])
                              : NULL;
    if (own == NULL || Py_TYPE(own)->tp_descr_get == NULL) {
        PyErr_Format(PyExc_TypeError, "%.200s has no %U of numpy's", type->tp_name,
                     types->words[word]);
        return NULL;
    }
    return Py_TYPE(own)->tp_descr_get(own, value, (PyObject *)type);
}

/* Read the unit of an array or scalar of datetime64 or timedelta64. 1, 0 for an unknown unit, -1
 * with an exception set. */
static inline int ndarray_find_unit(struct native_types *types, struct ndarray *array,
                                    PyObject *value) {
    PyObject *const dtype = ndarray_attribute(types, value, WORD_DTYPE);
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
    case NDARRAY_BFLOAT: return n == 2;
    default: return false;
    }
}

/* Open an array or a scalar for reading. 1, 0 where its items cannot be written, -1 with an
 * exception set. No Python code may run until it is closed, because it may resize the array. */
static inline int ndarray_open(struct native_types *types, struct ndarray *array, PyObject *value) {
    PyObject *const capsule = ndarray_attribute(types, value, WORD_ARRAY_STRUCT);
    if (capsule == NULL) {
        return -1;
    }
    const struct array_interface *const interface = PyCapsule_GetPointer(capsule, NULL);
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
    PyMem_Free(array->layout);
    array->layout = NULL;
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
        return double_from_single((uint32_t)bits);
    }
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The value of a bfloat16, which a double holds exactly. */
static ALWAYS_INLINE double double_from_bfloat(const char *item) {
    uint16_t bits;
    memcpy(&bits, item, sizeof bits);
    return double_from_single((uint32_t)bits << 16);
}

/* ---- texts of datetime64 and timedelta64 --------------------------------------------------- */

#define DATETIME64_NAT INT64_MIN /* of timedelta64 too */

struct civil_date {
    int64_t year;
    unsigned month;
    unsigned day;
};

/* The distance between two moments: seconds, and a fraction of a second that is never negative. */
struct span {
    __int128 seconds;
    unsigned microseconds;
    uint64_t below; /* attoseconds below a microsecond */
};

/* The date of a datetime64 that is not NaT, the seconds in its day, and the span whose fraction of
 * a second it has. False outside of the years 0 to 9999. */
bool ndarray_civil_date(const struct ndarray *array, int64_t value, struct civil_date *date,
                        int64_t *in_day, struct span *span);

/* Store a datetime64 that is not NaT as ISO 8601: a date where the unit is a day or longer,
 * otherwise a datetime, with more than six digits of the second where they are not zero. Returns
 * the end of the text, within ISO_TIME_ROOM; NULL with ValueError set outside of the years 0 to
 * 9999. */
char *ndarray_put_datetime(char *out, const struct ndarray *array, int64_t value,
                           const struct native_options *options);

/* Store a timedelta64 of a fixed unit that is not NaT as ISO 8601. Returns as span_put does. */
char *ndarray_put_duration(char *out, const struct ndarray *array, int64_t value, bool has_years);

/* The float nearest to the seconds of a timedelta64 of a fixed unit that is not NaT. False with an
 * exception set. */
bool ndarray_seconds(const struct ndarray *array, int64_t value, double *seconds);

static inline struct span span_negate(struct span span) {
    const bool is_whole = span.microseconds == 0 && span.below == 0;
    return (struct span){.seconds = -span.seconds - !is_whole,
                         .microseconds =
                             is_whole ? 0 : 1000000 - span.microseconds - (span.below != 0),
                         .below = span.below == 0 ? 0 : 1000000000000 - span.below};
}

/* Store a span as ISO 8601. Returns the end of the text; NULL with ValueError set for too many
 * days. */
char *span_put(char *out, struct span span, bool has_years);

/* ---- narrow floats ------------------------------------------------------------------------- */

enum narrow_width {
    NARROW_SINGLE,
    NARROW_HALF,
    NARROW_BFLOAT, /* of 16 bits */
};

/* Replace n values by the doubles whose shortest digits are those of the narrower floats that the
 * values are: 0.10000000149011612, a float of 32 bits, by 0.1. So what formats doubles formats
 * narrower floats too. A float of this width holds each value exactly. */
void narrow_floats_as_doubles(double *values, size_t n, enum narrow_width width);

#endif
