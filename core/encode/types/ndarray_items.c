/* SPDX-License-Identifier: MIT */
#include "encode/types/ndarray.h"

#include "number/decimal_to_double.h"
#include "number/format_decimal.h"
#include "number/shortest_decimal.h"
#include "text/moment_text.h"

/* ---- texts of datetime64 and timedelta64 --------------------------------------------------- */

#define DAYS_A_400_YEARS 146097
/* from 0000-03-01 to 1970-01-01 */
#define DAYS_BEFORE_EPOCH 719468

/* the first day of the year 0, a leap year */
#define FIRST_DAY (-(DAYS_BEFORE_EPOCH + 31 + 29))

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
    for (int bit = 0; bit < 128; bit++) {
        left = left << 1 | (uint64_t)(a >> 127); /* by a constant: others may call that library */
        a <<= 1;
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

bool ndarray_civil_date(const struct ndarray *array, int64_t value, struct civil_date *date,
                        int64_t *in_day, struct span *span) {
    *span = (struct span){.seconds = 0};
    *in_day = 0;
    if (array->unit <= UNIT_MONTH) {
        const __int128 steps = (__int128)value * array->n_units;
        int64_t month;
        const __int128 year =
            divide_down(array->unit == UNIT_YEAR ? steps * 12 : steps, 12, &month) + 1970;
        *date = (struct civil_date){(int64_t)year, (unsigned)month + 1, 1};
        return year >= 0 && year <= 9999;
    }
    *span = ndarray_span(array, value);
    const __int128 day = divide_down(span->seconds, 86400, in_day);
    if (day < FIRST_DAY || day > 10000 * 366) {
        return false;
    }
    *date = civil_date_of_day((int64_t)day);
    return date->year <= 9999;
}

char *ndarray_put_datetime(char *out, const struct ndarray *array, int64_t value,
                           const struct native_options *options) {
    struct civil_date date;
    struct span span;
    int64_t in_day; /* seconds */
    if (!ndarray_civil_date(array, value, &date, &in_day, &span)) {
        return ndarray_refuse_year();
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

char *span_put(char *out, struct span span, bool has_years) {
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

char *ndarray_put_duration(char *out, const struct ndarray *array, int64_t value, bool has_years) {
    return span_put(out, ndarray_span(array, value), has_years);
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

bool ndarray_seconds(const struct ndarray *array, int64_t value, double *seconds) {
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

/* ---- narrow floats ------------------------------------------------------------------------- */

/* A binary floating-point format of IEEE 754. */
struct float_width {
    int fraction_bits;
    int min_exponent; /* of the lowest bit of its subnormals */
};

/* A float above zero as c * 2^q, with c of its own width, and whether the neighbour below is half
 * as far as the one above. */
struct narrow_float {
    uint64_t c;
    int q;
    bool is_lower_nearer;
};

/* Narrower floats, subnormal ones too, are normal doubles: their bits are given. */
static ALWAYS_INLINE struct narrow_float narrow_float(uint64_t bits, struct float_width width) {
    assert(bits >> DOUBLE_FRACTION_BITS != 0);
    const uint64_t c = (bits & low_bits(DOUBLE_FRACTION_BITS)) | (uint64_t)1
                                                                     << DOUBLE_FRACTION_BITS;
    const int q = (int)(bits >> DOUBLE_FRACTION_BITS) - 1 + DOUBLE_MIN_EXPONENT;
    const int narrow_q = q + DOUBLE_FRACTION_BITS - width.fraction_bits;
    const int own_q = narrow_q > width.min_exponent ? narrow_q : width.min_exponent;
    const uint64_t own_c = c >> (own_q - q);
    assert(own_c << (own_q - q) == c);
    return (struct narrow_float){
        .c = own_c,
        .q = own_q,
        .is_lower_nearer =
            own_c == (uint64_t)1 << width.fraction_bits && own_q > width.min_exponent,
    };
}

/* The shortest decimal as an integer and the power of ten to multiply it with, by the method of
 * shortest_decimal.h with 64 bits of each power of ten; false where they do not decide it. */
static ALWAYS_INLINE bool narrow_digits(struct narrow_float from, uint64_t *digits, int *exponent) {
    const int k = floor_log10_pow2(from.q) + 1;
    const uint64_t power = power_of_ten(-k).high;
    const int shift = from.q + floor_log2_pow10(-k);
    assert(-4 <= shift && shift < 0);
    /* the scaled value times 2^67; what the power lacks is below 2^25 in `fraction` */
    const unsigned __int128 scaled = (unsigned __int128)power * (from.c << (shift + 4));
    const uint64_t below = (uint64_t)(scaled >> 67);
    const uint64_t fraction = (uint64_t)(scaled >> 3);
    const uint64_t doubt = 1 << 26;
    const bool is_up = fraction >> 63;
    const uint64_t distance = is_up ? -fraction : fraction; /* to the nearest integer */
    const uint64_t half_ulp = power >> -shift;
    const bool is_integer = distance < half_ulp;
    const unsigned __int128 tenths = (unsigned __int128)fraction * 10 + ((uint64_t)1 << 63);
    *exponent = is_integer ? k : k - 1;
    *digits = is_integer ? below + is_up : below * 10 + (uint64_t)(tenths >> 64);
    return !((distance - half_ulp + doubt <= 2 * doubt) |
             (!is_integer & ((uint64_t)tenths + 10 * doubt <= 20 * doubt)) | from.is_lower_nearer);
}

/* digits * 10^exponent, rounded once. */
static ALWAYS_INLINE double decimal_as_double(uint64_t digits, int exponent) {
    if (LIKELY(-22 <= exponent && exponent <= 0)) {
        return short_decimal_to_double(digits, (unsigned)-exponent);
    }
    uint64_t bits = 0;
    const bool is_determined = decimal_to_double_bits(digits, exponent, &bits);
    assert(is_determined); /* tests/check_singles.py has tried every one */
    (void)is_determined;
    return double_from_bits(bits);
}

void narrow_floats_as_doubles(double *values, size_t n, enum narrow_width narrow) {
    static const struct float_width WIDTHS[] = {
        [NARROW_SINGLE] = {23, -149}, [NARROW_HALF] = {10, -24}, [NARROW_BFLOAT] = {7, -133}};
    const struct float_width width = WIDTHS[narrow];
    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        const bool is_negative = bits >> 63;
        bits &= low_bits(63);
        if (UNLIKELY(bits == 0 || bits >= INFINITY_BITS)) {
            continue;
        }
        const struct narrow_float from = narrow_float(bits, width);
        uint64_t digits;
        int exponent;
        if (UNLIKELY(!narrow_digits(from, &digits, &exponent))) {
            digits = decide_digits(from.c, from.q, from.is_lower_nearer, &exponent);
        }
        values[i] = signed_double(decimal_as_double(digits, exponent), is_negative);
    }
}
