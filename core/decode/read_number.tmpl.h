/* SPDX-License-Identifier: MIT */
/* Template, part of parse.tmpl.h: read one number of one kind of source text. Defines
 * read_number_<source>. */

/* The number at p: a new int or float, and the place behind it; *value is NULL where none starts
 * here or an error is set. */
static ALWAYS_INLINE const unit_t *NAME(read_number)(const struct NAME(reader) * reader,
                                                     const unit_t *p, PyObject **value) {
#if SOURCE_BITS == 8
    const struct number number = parse_number(p, reader->end);
    *value = build_number(&number, p);
    return number.end;
#else
    /* the characters that a number can have, as bytes: on the C stack, or in scratch if many */
    uint8_t short_text[64];
    uint8_t *text = short_text;
    size_t capacity = sizeof short_text;
    size_t n = 0;
    while (p + n < reader->end && is_number_character(p[n])) {
        if (UNLIKELY(n == capacity)) {
            if (!decoder_reserve_scratch(reader->decoder, 0, 2 * capacity)) {
                return p;
            }
            if (text == short_text) {
                memcpy(reader->decoder->scratch, short_text, n);
            }
            text = reader->decoder->scratch;
            capacity *= 2;
        }
        text[n] = (uint8_t)p[n];
        n++;
    }
    const struct number number = parse_number(text, text + n);
    *value = build_number(&number, text);
    return p + (number.end - text);
#endif
}
