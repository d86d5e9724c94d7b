/* SPDX-License-Identifier: MIT */
/* Template, part of parse.tmpl.h: read true, false, null and the constants that JSON does not have,
 * from one kind of source text. Defines find_literal_<source>, read_literals_<source> and
 * read_rare_literal_<source>. */

/* Whether the characters of the literal are at p. */
static ALWAYS_INLINE bool NAME(is_literal)(const unit_t *p, const unit_t *end, const char *literal,
                                           size_t n) {
    if ((size_t)(end - p) < n) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (p[i] != (uint8_t)literal[i]) {
            return false;
        }
    }
    return true;
}

/* A constant that JSON does not have, n units at p: the value that the options give it; NULL with
 * the error recorded. */
static COLD PyObject *NAME(build_constant)(const struct NAME(reader) * reader, const unit_t *p,
                                           const char *text) {
    const struct decode_options *const options = reader->decoder->options;
    if (options->parse_constant != NULL) {
        PyObject *const name = PyUnicode_FromString(text);
        return name != NULL ? call_hook(options->parse_constant, name) : NULL;
    }
    if (!options->allow_nan) {
        NAME(fail)(reader, ERROR_CONSTANT, p);
        return NULL;
    }
    return PyFloat_FromDouble(*text == 'N'   ? __builtin_nan("")
                              : *text == 'I' ? __builtin_inf()
                                             : -__builtin_inf());
}

/* Read a value that starts with a letter and is none of the three literals, or a missing value at
 * the end: NaN, Infinity, or an error. Returns the place after it; *value is NULL with the error
 * recorded or an exception set. */
static COLD const unit_t *NAME(read_rare_literal)(const struct NAME(reader) * reader,
                                                  const unit_t *p, PyObject **value) {
    const unit_t *const end = reader->end;
    for (size_t i = 0; i < N_LITERALS; i++) {
        if (literal_object(&LITERALS[i]) != NULL &&
            NAME(is_literal)(p, end, LITERALS[i].text, LITERALS[i].n)) {
            *value = Py_NewRef(literal_object(&LITERALS[i]));
            return p + LITERALS[i].n;
        }
    }
    if (NAME(is_literal)(p, end, "NaN", 3)) {
        *value = NAME(build_constant)(reader, p, "NaN");
        return p + 3;
    }
    if (NAME(is_literal)(p, end, "Infinity", 8)) {
        *value = NAME(build_constant)(reader, p, "Infinity");
        return p + 8;
    }
    NAME(fail)(reader, ERROR_EXPECTING_VALUE, p);
    *value = NULL;
    return p;
}

/* The literal at p within the text from begin to end, NULL where there is none, or hardly any text.
 * No branch depends on which literal it is, as that cannot be predicted. */
static ALWAYS_INLINE const struct literal *NAME(find_literal)(const unit_t *begin, const unit_t *p,
                                                              const unit_t *end) {
    assert(begin <= p && p < end);
    const struct literal *const literal = &LITERALS[LITERAL_NUMBER(*p)];
#if SOURCE_BITS == 8
    uint64_t text;
    if (LIKELY(end - p >= 8)) {
        text = load_u64(p);
    } else if (end > p && end - begin >= 8) { /* the last value of many documents */
        text = load_u64(end - 8) >> (64 - 8 * (end - p));
    } else {
        return NULL;
    }
    const uint64_t difference = (text ^ load_u64(literal->text)) & literal->mask;
#else
    (void)begin;
    if (UNLIKELY(end - p < 5)) {
        return NULL;
    }
    uint64_t difference = 0;
    for (int i = 0; i < 5; i++) {
        difference |= ((uint64_t)p[i] ^ (uint8_t)literal->text[i]) & -(literal->mask >> 8 * i & 1);
    }
#endif
    return LIKELY(difference == 0) ? literal : NULL;
}

/* Literals that were read, and how often each: sixteen bits for each literal. References are
 * counted in a register first, because a store to an object that depends on the text would delay
 * the next load from it. */
struct NAME(literal_run) {
    PyObject **to;
    PyObject **limit;
    uint64_t counts;
};

/* Read the literal after the comma at `before` and perhaps a space: the place after it, or NULL
 * where there is none. There are three units or more from `before` on. */
static ALWAYS_INLINE const unit_t *NAME(read_next_literal)(const unit_t *before, const unit_t *end,
                                                           struct NAME(literal_run) * run) {
    assert(end - before >= 3);
    const unit_t *begin = before + 1;
    if (UNLIKELY(*begin == ' ')) { /* a branch, so that the next load need not wait for it */
        begin++;
    }
    const struct literal *const literal = NAME(find_literal)(before, begin, end);
    if (UNLIKELY(literal == NULL)) {
        return NULL;
    }
    *run->to++ = literal_object(literal);
    run->counts += (uint64_t)1 << LITERAL_NUMBER(*begin) * 16;
    return begin + 4 + (*begin == 'f');
}

#if SOURCE_BITS == 8
/* Read literals from the comma at p on, as long as each ends at the next comma. Their places are
 * those of the commas, all known at once: where one depends on the length of the one before, each
 * waits for a load. Returns the place of the last comma. */
static ALWAYS_INLINE const unit_t *NAME(read_literal_blocks)(const unit_t *p, const unit_t *end,
                                                             struct NAME(literal_run) * run) {
    while (end - p >= VEC_BYTES + 16 && run->limit - run->to >= VEC_BYTES) {
        uint64_t commas = u8_mask((u8vec)(u8_load(p) == u8_splat(',')));
        size_t at = 0;
        commas &= commas - 1; /* the first is at p */
        if (commas == 0) {
            break;
        }
        do {
            const size_t next = trailing_zeros(commas);
            PyObject **const to = run->to;
            const uint64_t counts = run->counts;
            if (UNLIKELY(NAME(read_next_literal)(p + at, end, run) != p + next)) {
                run->to = to;
                run->counts = counts;
                return p + at;
            }
            at = next;
            commas &= commas - 1;
        } while (commas != 0);
        p += at;
    }
    return p;
}
#endif

/* Read literals from p on, each after a comma and perhaps a space, while there is room at top: the
 * place after the last. */
static NOINLINE const unit_t *NAME(read_literals)(const unit_t *p, const unit_t *end,
                                                  PyObject ***top, PyObject **limit) {
    struct NAME(literal_run) run = {
        .to = *top,
        .limit = limit - *top > UINT16_MAX ? *top + UINT16_MAX : limit,
    };
#if SOURCE_BITS == 8
    if (p < end && *p == ',') {
        p = NAME(read_literal_blocks)(p, end, &run);
    }
#endif
    while (end - p >= 10 && *p == ',' && run.to < run.limit) {
        const unit_t *const after = NAME(read_next_literal)(p, end, &run);
        if (UNLIKELY(after == NULL)) {
            break;
        }
        p = after;
    }
    for (size_t i = 0; i < N_LITERALS - 1; i++) {
        constant_take_references(literal_object(&LITERALS[i]), run.counts >> 16 * i & UINT16_MAX);
    }
    *top = run.to;
    return p;
}
