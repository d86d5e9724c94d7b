/* SPDX-License-Identifier: MIT */
/* Template, part of parse.tmpl.h: read true, false, null and the constants that JSON does not have,
 * from one kind of source text. Defines find_literal_<source> and read_rare_literal_<source>. */

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
    if (*text == 'N' && options->nan != NULL && *options->nan != NULL) {
        return Py_NewRef(*options->nan);
    }
    return PyFloat_FromDouble(*text == 'N'   ? __builtin_nan("")
                              : *text == 'I' ? __builtin_inf()
                                             : -__builtin_inf());
}

/* Read what find_literal does not find: a literal in a text of a few units, NaN, Infinity, or a
 * character that begins no value. Returns the place after it; *value is NULL with the error
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

/* The literal at p within the text from begin to end. NULL where there is none, or where too little
 * text is there to be loaded at once. No branch depends on which literal it is: it would be
 * mispredicted often. */
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
