/* SPDX-License-Identifier: MIT */
/* Template: write numpy's arrays in units of one width. Parameter: OUTPUT_BITS, 8, 16 or 32. Uses
 * the functions of output.tmpl.h. */

#define unit_t VEC_UNIT(OUTPUT_BITS)

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
    const bool is_number = array->kind == 'f' || array->kind == 'i' || array->kind == 'u';
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
    for (;;) {
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
