/* SPDX-License-Identifier: MIT */
/* Template: write arrays of numbers in units of one width. Parameter: OUTPUT_BITS, 8, 16 or 32.
 * Uses the functions of output.tmpl.h. */

#define unit_t VEC_UNIT(OUTPUT_BITS)

#if OUTPUT_BITS == 8
/* Numbers, dates and times are ASCII, and are stored by functions for bytes. */

/* Room that a run of numbers may be written to, or one date. A number takes 24 characters at most,
 * and a comma. */
#define ARRAY_TEXT_ROOM (ARRAY_RUN * 25 + NUMBER_ROOM)
/* Items between two checks for signals, a power of 2, so that Ctrl+C ends a long tensor. Where
 * strides are 0, a small tensor can stand for a text that fits no memory. */
#define ARRAY_ITEMS_BETWEEN_CHECKS (1 << 16)
_Static_assert(ARRAY_TEXT_ROOM >= ISO_TIME_ROOM + 2, "a date in quotes");
_Static_assert(ARRAY_TEXT_ROOM <= ITEM_ROOM, "what the walk reserves");

/* A float of an array beyond greatest_float. */
static COLD uint8_t *put_array_unusual_float(struct output *output, uint8_t *out, double value) {
    PyObject *const culprit = PyFloat_FromDouble(value);
    if (culprit == NULL) {
        output_fail(output, ERROR_RAISED, NULL);
        return NULL;
    }
    out = put_unusual_float_8(output, out, value, culprit);
    Py_DECREF(culprit);
    return out;
}

static NOINLINE uint8_t *put_array_float(struct output *output, uint8_t *out, double value) {
    return LIKELY(output_float_is_usual(output, value))
               ? put_usual_float_8(output, out, value)
               : put_array_unusual_float(output, out, value);
}

/* At most ARRAY_RUN floats of 16 or 32 bits with commas between them, with the digits of floats of
 * 32 bits. */
static NOINLINE uint8_t *put_array_singles(struct output *output, uint8_t *out,
                                           const double *values, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n && out != NULL; i++) {
        *out = ',';
        out += i != 0;
        if (UNLIKELY(!__builtin_isfinite(values[i]))) {
            out = put_array_unusual_float(output, out, values[i]);
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
    bool is_usual = true; /* the layout of all is that of repr */
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *const from = item + i * stride;
        values[i] = LIKELY(array->kind == 'f')
                        ? ndarray_load_double(from, array->item_bytes, array->is_swapped)
                        : double_from_bfloat(from);
    }
    if (output->options->native.float32_shortest && array->item_bytes < 8) {
        narrow_floats_as_doubles(values, (size_t)n,
                                 array->item_bytes == 4 ? NARROW_SINGLE
                                 : array->kind == 'f'   ? NARROW_HALF
                                                        : NARROW_BFLOAT);
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        is_usual &= output_float_is_usual(output, values[i]) &&
                    (is_repr || is_float_without_exponent(values[i]));
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

/* Let handlers of signals run in the midst of a tensor: its memory is held, while Python code may
 * resize an array of numpy's. False with the error recorded where one raises. */
static NOINLINE bool array_check_signals(struct output *output, const struct ndarray *array) {
    if (array->layout != NULL && PyErr_CheckSignals() != 0) {
        output_fail(output, ERROR_REFUSED, NULL);
        return false;
    }
    return true;
}

/* The n items that begin at `item`: at most ARRAY_RUN numbers with commas between them, or one item
 * of another kind. */
static uint8_t *put_array_run(struct output *output, uint8_t *out, const struct ndarray *array,
                              const char *item, Py_ssize_t n, Py_ssize_t stride) {
    switch (array->kind) {
    case 'b': return *item != 0 ? put_ascii_8(out, "true", 4) : put_ascii_8(out, "false", 5);
    case 'f':
    case NDARRAY_BFLOAT: return put_array_floats(output, out, array, item, n, stride);
    case 'M':
    case 'm': return put_array_time(output, out, array, item);
    default: return put_array_ints(output, out, array, item, n, stride);
    }
}
#endif

/* The n items that begin at `item`, as put_array_run takes them. */
static ALWAYS_INLINE unit_t *UNIT_NAME(put_array_items)(struct output *output, unit_t *out,
                                                        const struct ndarray *array,
                                                        const char *item, Py_ssize_t n,
                                                        Py_ssize_t stride) {
#if OUTPUT_BITS == 8
    return put_array_run(output, out, array, item, n, stride);
#else
    uint8_t text[ARRAY_TEXT_ROOM];
    return UNIT_NAME(put_widened)(out, text, put_array_run(output, text, array, item, n, stride));
#endif
}

/* The bracket after the last item of an array that is `depth` levels deep. */
static ALWAYS_INLINE unit_t *UNIT_NAME(end_array)(struct output *output, unit_t *out,
                                                  size_t depth) {
    if (UNLIKELY(output->options->indent != NULL)) {
        out = UNIT_NAME(put_line_break)(output, out, depth);
        if (out == NULL) {
            return NULL;
        }
    }
    *out = ']';
    return out + 1;
}

/* The items of the innermost dimension, in brackets, within `depth` open levels. */
static NOINLINE unit_t *UNIT_NAME(put_array_row)(struct output *output, unit_t *out,
                                                 const struct ndarray *array, const char *item,
                                                 size_t depth) {
    const Py_ssize_t n = array->shape[array->n_dims - 1];
    const Py_ssize_t stride = array->strides[array->n_dims - 1];
    const bool is_number = array->kind == 'f' || array->kind == 'i' || array->kind == 'u' ||
                           array->kind == NDARRAY_BFLOAT;
    const Py_ssize_t step = is_number && output->is_compact ? ARRAY_RUN : 1;
    *out++ = '[';
    for (Py_ssize_t i = 0; i < n; i += step) {
        if (UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
            out = UNIT_NAME(grow)(output, out, 0);
            if (out == NULL) {
                return NULL;
            }
        }
        out = UNIT_NAME(begin_item_at)(output, out, i == 0, depth + 1);
        if (UNLIKELY(out == NULL)) {
            return NULL;
        }
        if (UNLIKELY((i + step) % ARRAY_ITEMS_BETWEEN_CHECKS == 0) &&
            !array_check_signals(output, array)) {
            return NULL;
        }
        const char *const from = item + i * stride;
        const Py_ssize_t n_run = n - i < step ? n - i : step;
        out = UNIT_NAME(put_array_items)(output, out, array, from, n_run, stride);
        if (UNLIKELY(out == NULL)) {
            return NULL;
        }
    }
    if (n == 0) {
        *out = ']';
        return out + 1;
    }
    return UNIT_NAME(end_array)(output, out, depth);
}

/* A whole array, or a scalar as an array without dimensions, within `depth` open levels. */
static NOINLINE unit_t *UNIT_NAME(put_ndarray)(struct output *output, unit_t *out,
                                               const struct ndarray *array, size_t depth) {
    if (array->n_dims == 0) {
        return UNIT_NAME(put_array_items)(output, out, array, array->data, 1, 0);
    }
    Py_ssize_t index[NDARRAY_MAX_DIMS]; /* in the dimensions whose brackets are open */
    int n_open = 0;
    const char *item = array->data;
    Py_ssize_t n_items = 0; /* since signals were handled; an empty row counts, too */
    for (;;) {
        n_items += 1 + array->shape[array->n_dims - 1] % ARRAY_ITEMS_BETWEEN_CHECKS;
        if (UNLIKELY(n_items >= ARRAY_ITEMS_BETWEEN_CHECKS)) {
            n_items = 0;
            if (!array_check_signals(output, array)) {
                return NULL;
            }
        }
        while (n_open < array->n_dims - 1 && array->shape[n_open] != 0) {
            *out++ = '[';
            index[n_open++] = 0;
            out = UNIT_NAME(begin_item_at)(output, out, true, depth + (size_t)n_open);
            if (UNLIKELY(out == NULL)) {
                return NULL;
            }
        }
        out = n_open < array->n_dims - 1
                  ? UNIT_NAME(put_ascii)(out, "[]", 2)
                  : UNIT_NAME(put_array_row)(output, out, array, item, depth + (size_t)n_open);
        while (out != NULL && n_open > 0 && ++index[n_open - 1] == array->shape[n_open - 1]) {
            n_open--;
            item -= (array->shape[n_open] - 1) * array->strides[n_open];
            out = UNIT_NAME(end_array)(output, out, depth + (size_t)n_open);
        }
        if (out != NULL && n_open > 0) {
            item += array->strides[n_open - 1];
            out = UNIT_NAME(begin_item_at)(output, out, false, depth + (size_t)n_open);
        }
        if (LIKELY(out != NULL) && UNLIKELY(!UNIT_NAME(has_room)(output, out))) {
            out = UNIT_NAME(grow)(output, out, 0);
        }
        if (UNLIKELY(out == NULL) || n_open == 0) {
            return out;
        }
    }
}

#undef unit_t
