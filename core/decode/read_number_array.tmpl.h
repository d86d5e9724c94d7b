/* SPDX-License-Identifier: MIT */
/* Template, part of parse.tmpl.h: read a list of numbers, or lists of equal lengths of them, as an
 * array. Defines read_number_array_<source>. */

/* Read what is no number of the fast path, one of the constants that are floats included. Returns
 * the place after it. NULL where an array holds no such value, or with the error recorded. */
static COLD const unit_t *NAME(read_rare_plain_number)(const struct NAME(reader) * reader,
                                                       const unit_t *p,
                                                       struct plain_number *plain) {
    const struct decode_options *const options = reader->decoder->options;
    const bool is_negative = *p == '-';
    *plain = (struct plain_number){.is_int = false};
    if (options->allow_nan && NAME(is_literal)(p, reader->end, "NaN", 3)) {
        plain->value = __builtin_nan("");
        return p + 3;
    }
    if (options->allow_nan && NAME(is_literal)(p + is_negative, reader->end, "Infinity", 8)) {
        plain->value = is_negative ? -__builtin_inf() : __builtin_inf();
        return p + is_negative + 8;
    }
    size_t n_bytes;
    const uint8_t *const text = NAME(narrow_number)(reader, p, &n_bytes);
    if (UNLIKELY(text == NULL)) {
        return NULL;
    }
    const struct number number = parse_number(text, text + n_bytes);
    plain->is_int = number.kind == NUMBER_INT;
    plain->is_negative = number.is_negative;
    plain->magnitude = number.magnitude;
    plain->value = number.value;
    if (number.kind == NUMBER_HARD_DOUBLE) {
        enum error_kind refusal = ERROR_NONE;
        PyObject *const object = build_number(&number, text, options, &refusal);
        if (object == NULL) {
            if (refusal == ERROR_NONE) {
                decoder_fail(reader->decoder, ERROR_RAISED, 0);
            }
            return NULL;
        }
        plain->value = PyFloat_AS_DOUBLE(object);
        Py_DECREF(object);
    } else if (number.kind == NUMBER_NONE || number.kind == NUMBER_BIG_INT ||
               (!options->allow_nan && !plain->is_int && __builtin_isinf(plain->value))) {
        return NULL;
    }
    return p + (number.end - text);
}

/* Read the number at p: the results are those of read_rare_plain_number. */
static ALWAYS_INLINE const unit_t *NAME(read_plain_number)(const struct NAME(reader) * reader,
                                                           const unit_t *p,
                                                           struct plain_number *plain) {
    if (LIKELY(reader->end - p >= FAST_NUMBER_UNITS) && LIKELY(NAME(may_begin_number)(*p))) {
        const unit_t *const after =
            NAME(read_fast_number)(reader->decoder, p, (struct number_target){.plain = plain});
        if (LIKELY(after != NULL)) {
            return after;
        }
    }
    return p < reader->end ? NAME(read_rare_plain_number)(reader, p, plain) : NULL;
}

/* Read the numbers of a list, which begin at p: the place after the last, white space included.
 * NULL where they do not suit the array, or with the error recorded. */
static ALWAYS_INLINE const unit_t *NAME(read_plain_numbers)(const struct NAME(reader) * reader,
                                                            const unit_t *p,
                                                            struct number_array *array) {
    const unit_t *const end = reader->end;
    uint64_t *next = array->numbers + array->n;
    const uint64_t *limit = array->numbers + array->capacity;
    bool has_more = true;
    while (has_more) {
        struct plain_number plain;
        p = NAME(read_plain_number)(reader, p, &plain);
        if (UNLIKELY(p == NULL)) {
            return NULL;
        }
        if (UNLIKELY(next == limit)) {
            array->n = array->capacity;
            if (!number_array_grow(array)) {
                decoder_fail(reader->decoder, ERROR_RAISED, 0);
                return NULL;
            }
            next = array->numbers + array->n;
            limit = array->numbers + array->capacity;
        }
        if (UNLIKELY(!number_array_encode(array, &plain, next))) {
            return NULL;
        }
        next++;
        if (LIKELY(end - p > 2) && LIKELY(*p == ',')) {
            p += p[1] == ' ' ? 2 : 1;
            if (UNLIKELY(*p <= ' ')) {
                p = NAME(skip_space)(p, end);
            }
            continue;
        }
        p = NAME(skip_space)(p, end);
        has_more = p < end && *p == ',';
        if (has_more) {
            p = NAME(skip_space)(p + 1, end);
        }
    }
    array->n = (size_t)(next - array->numbers);
    return p;
}

/* Read a list whose first item begins at p, and the lists within it, up to max_dims levels. The
 * place after its bracket; NULL where it is no array, or with the error recorded. */
static NOINLINE const unit_t *NAME(read_plain_lists)(const struct NAME(reader) * reader,
                                                     const unit_t *p, struct number_array *array,
                                                     size_t max_dims) {
    const unit_t *const end = reader->end;
    size_t n_items[NUMBER_ARRAY_MAX_DIMS] = {0}; /* of the open lists */
    bool has_shape[NUMBER_ARRAY_MAX_DIMS] = {false};
    size_t depth = 1;
    for (;;) {
        while (p < end && *p == '[') {
            if (depth == (array->n_dims != 0 ? array->n_dims : max_dims)) {
                return NULL;
            }
            n_items[depth++] = 0;
            p = NAME(skip_space)(p + 1, end);
        }
        if (array->n_dims == 0) {
            array->n_dims = depth;
        }
        if (depth != array->n_dims) {
            return NULL;
        }
        const size_t n_before = array->n;
        p = NAME(read_plain_numbers)(reader, p, array);
        if (p == NULL) {
            return NULL;
        }
        n_items[depth - 1] = array->n - n_before;
        do {
            if (p == end || *p != ']') {
                return NULL;
            }
            depth--;
            if (!has_shape[depth]) {
                has_shape[depth] = true;
                array->shape[depth] = n_items[depth];
            } else if (array->shape[depth] != n_items[depth]) {
                return NULL;
            }
            if (depth == 0) {
                return p + 1;
            }
            n_items[depth - 1]++;
            p = NAME(skip_space)(p + 1, end);
        } while (p == end || *p != ',');
        p = NAME(skip_space)(p + 1, end);
    }
}

/* The array of the list whose first item begins at *p, within n_open containers, a new reference,
 * and in *p the place after the list. NULL where it is to be read as a list, or with the error
 * recorded. */
static COLD PyObject *NAME(read_number_array)(const struct NAME(reader) * reader, const unit_t **p,
                                              size_t n_open) {
    struct decoder *const decoder = reader->decoder;
    const struct decode_options *const options = decoder->options;
    const size_t n_levels = options->max_depth - n_open;
    const size_t n_dims = options->number_arrays == NUMBER_ARRAYS_NUMPY ? NUMBER_ARRAY_MAX_DIMS : 1;
    struct number_array array;
    number_array_init(&array);
    const unit_t *const after =
        NAME(read_plain_lists)(reader, *p, &array, n_levels < n_dims ? n_levels : n_dims);
    PyObject *made = NULL;
    if (after != NULL && array.n >= options->number_arrays_from) {
        made = number_array_build(&array, options);
        *p = after;
        if (made == NULL) {
            decoder_fail(decoder, ERROR_RAISED, 0);
        }
    }
    number_array_clear(&array);
    return made;
}
