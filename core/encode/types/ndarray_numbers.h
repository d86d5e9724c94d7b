/* SPDX-License-Identifier: MIT */
/* The numbers, dates and times of numpy's arrays as ASCII. Included after the functions of
 * output.tmpl.h for bytes, and returns what they do. */
#ifndef SSRJSON_ENCODE_TYPES_NDARRAY_NUMBERS_H
#define SSRJSON_ENCODE_TYPES_NDARRAY_NUMBERS_H

/* Room that a run of numbers may be written to, or one date. A number takes 24 characters at most,
 * and a comma. */
#define ARRAY_TEXT_ROOM (ARRAY_RUN * 25 + NUMBER_ROOM)
_Static_assert(ARRAY_TEXT_ROOM >= ISO_TIME_ROOM + 2, "a date in quotes");
_Static_assert(ARRAY_TEXT_ROOM <= ITEM_ROOM, "what the walk reserves");

/* A float of an array that is not finite. */
static COLD uint8_t *put_array_not_finite(struct output *output, uint8_t *out, double value) {
    PyObject *const culprit = PyFloat_FromDouble(value);
    if (culprit == NULL) {
        output_fail(output, ERROR_RAISED, NULL);
        return NULL;
    }
    out = put_not_finite_8(output, out, value, culprit);
    Py_DECREF(culprit);
    return out;
}

static NOINLINE uint8_t *put_array_float(struct output *output, uint8_t *out, double value) {
    return LIKELY(__builtin_isfinite(value)) ? put_finite_float_8(output, out, value)
                                             : put_array_not_finite(output, out, value);
}

/* At most ARRAY_RUN floats of 16 or 32 bits with commas between them, with the digits of floats of
 * 32 bits. */
static NOINLINE uint8_t *put_array_singles(struct output *output, uint8_t *out,
                                           const double *values, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n && out != NULL; i++) {
        *out = ',';
        out += i != 0;
        if (UNLIKELY(!__builtin_isfinite(values[i]))) {
            out = put_array_not_finite(output, out, values[i]);
            continue;
        }
        out = (uint8_t *)orjson_put_single((char *)out, single_from_double(values[i]));
    }
    return out;
}

/* At most ARRAY_RUN floats with commas between them, computed together as in put_floats. */
static NOINLINE uint8_t *put_array_floats(struct output *output, uint8_t *out,
                                          const struct ndarray *array, const char *item,
                                          Py_ssize_t n, Py_ssize_t stride) {
    double values[ARRAY_RUN] = {0};
    const bool is_repr = output->options->floats == FLOAT_REPR;
    bool is_usual = true; /* all are finite, and their layout is that of repr */
    for (Py_ssize_t i = 0; i < n; i++) {
        values[i] = ndarray_load_double(item + i * stride, array->item_bytes, array->is_swapped);
    }
    if (output->options->native.float32_shortest && array->item_bytes < 8) {
        narrow_floats_as_doubles(values, (size_t)n, array->item_bytes);
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        is_usual &=
            __builtin_isfinite(values[i]) && (is_repr || is_float_without_exponent(values[i]));
    }
    if (UNLIKELY(output->options->orjson.is_on) && array->item_bytes < 8) {
        return put_array_singles(output, out, values, n);
    }
    struct float_texts texts[ARRAY_RUN / U64_LANES];
    for (Py_ssize_t i = 0; is_usual && i < n; i += U64_LANES) {
        u64vec bits;
        memcpy(&bits, values + i, sizeof bits);
        float_texts(&texts[i / U64_LANES], bits);
    }
    for (Py_ssize_t i = 0; i < n && out != NULL; i++) {
        *out = ',';
        out += i != 0;
        if (LIKELY(is_usual)) {
            out = (uint8_t *)store_float(
                (char *)out, float_text_of_lane(&texts[i / U64_LANES], (size_t)(i % U64_LANES)));
        } else {
            out = put_array_float(output, out, values[i]);
        }
    }
    return out;
}

/* Ints of which some are beyond 53 bits, where the options do not write those as plain numbers. */
static COLD uint8_t *put_array_checked_ints(struct output *output, uint8_t *out,
                                            const uint64_t *magnitudes, const bool *is_negative,
                                            Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n && out != NULL; i++) {
        PyObject *const number = is_negative[i]
                                     ? PyLong_FromLongLong((long long)(0 - magnitudes[i]))
                                     : PyLong_FromUnsignedLongLong(magnitudes[i]);
        if (number == NULL) {
            output_fail(output, ERROR_RAISED, NULL);
            return NULL;
        }
        *out = ',';
        out += i != 0;
        out = put_rare_int64_8(output, out, number);
        Py_DECREF(number);
    }
    return out;
}

/* At most ARRAY_RUN ints with commas between them. */
static NOINLINE uint8_t *put_array_ints(struct output *output, uint8_t *out,
                                        const struct ndarray *array, const char *item, Py_ssize_t n,
                                        Py_ssize_t stride) {
    uint64_t magnitudes[ARRAY_RUN] = {0};
    bool is_negative[ARRAY_RUN];
    const uint64_t all_bits = ndarray_load_ints(array, item, n, stride, magnitudes, is_negative);
    if (UNLIKELY(all_bits > MAX_SAFE_INT) && options_limit_ints(output->options) &&
        !output->options->orjson.is_on) {
        return put_array_checked_ints(output, out, magnitudes, is_negative, n);
    }
    struct split_ints split;
    split_ints(&split, magnitudes, all_bits);
    for (Py_ssize_t i = 0; i < n; i++) {
        *out = ',';
        out += i != 0;
        *out = '-';
        out += is_negative[i];
        out = (uint8_t *)store_split_int((char *)out, &split, (size_t)i);
    }
    return out;
}

/* A datetime64 or a timedelta64. */
static NOINLINE uint8_t *put_array_time(struct output *output, uint8_t *out,
                                        const struct ndarray *array, const char *item) {
    const struct native_options *const options = &output->options->native;
    const int64_t value = ndarray_load_signed(item, array->item_bytes, array->is_swapped);
    if (value == DATETIME64_NAT && !output->options->orjson.is_on) {
        return put_ascii_8(out, "null", 4);
    }
    if (array->kind == 'm' && options->timedelta == TIMEDELTA_SECONDS) {
        double seconds;
        if (!ndarray_seconds(array, value, &seconds)) {
            output_fail(output, ERROR_RAISED, NULL);
            return NULL;
        }
        return put_array_float(output, out, seconds);
    }
    char *const text = (char *)out + 1;
    char *const end =
        output->options->orjson.is_on ? orjson_put_datetime64(text, array, value, options)
        : array->kind == 'M'
            ? ndarray_put_datetime(text, array, value, options)
            : ndarray_put_duration(text, array, value, options->timedelta == TIMEDELTA_ISO_YEARS);
    if (end == NULL) {
        output_fail(output, ERROR_REFUSED, NULL);
        return NULL;
    }
    *out = '"';
    *end = '"';
    return (uint8_t *)end + 1;
}

/* The n items that begin at `item`: at most ARRAY_RUN numbers with commas between them, or one item
 * of another kind. */
static uint8_t *put_array_run(struct output *output, uint8_t *out, const struct ndarray *array,
                              const char *item, Py_ssize_t n, Py_ssize_t stride) {
    switch (array->kind) {
    case 'b': return *item != 0 ? put_ascii_8(out, "true", 4) : put_ascii_8(out, "false", 5);
    case 'f': return put_array_floats(output, out, array, item, n, stride);
    case 'M':
    case 'm': return put_array_time(output, out, array, item);
    default: return put_array_ints(output, out, array, item, n, stride);
    }
}

#endif
