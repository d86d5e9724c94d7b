/* SPDX-License-Identifier: MIT */
/* Template: write the kept texts of keys (key_texts.h) to one kind of output, and keep them. Part
 * of walk.tmpl.h, which defines its parameters. */

/* Texts are kept in the output's own units, but in 16 bits for ucs4: few keys would fit otherwise.
 */
#define KEY_TEXT_UNITS (KEY_TEXT_ROOM / (OUTPUT_BITS == 8 ? 1 : 2))

/* Copy a part of the text of a key: n_bytes of it from an offset on. */
static ALWAYS_INLINE void NAME(copy_key_text)(unit_t *out, const struct key_text *text,
                                              size_t offset, size_t n_bytes) {
#if OUTPUT_BITS < 32
    memcpy(out, text->text + offset, n_bytes);
#else
    enum { PART = 8 };
    typedef uint16_t narrow_t __attribute__((vector_size(PART * sizeof(uint16_t))));
    typedef uint32_t wide_t __attribute__((vector_size(PART * sizeof(uint32_t))));
    for (size_t i = 0; i < n_bytes / sizeof(narrow_t); i++) {
        narrow_t narrow;
        memcpy(&narrow, text->text + offset + i * sizeof narrow, sizeof narrow);
        const wide_t wide = __builtin_convertvector(narrow, wide_t);
        memcpy(out + i * PART, &wide, sizeof wide);
    }
#endif
}

/* Write the text of a key without its first n_skipped units: 0, or those of the item separator. */
static ALWAYS_INLINE unit_t *NAME(put_key_text)(unit_t *out, const struct key_text *text,
                                                size_t n_skipped) {
    const size_t unit_bytes = KEY_TEXT_ROOM / KEY_TEXT_UNITS;
    const size_t n_first = 32 / unit_bytes; /* few are longer */
    NAME(copy_key_text)(out, text, n_skipped * unit_bytes, 32);
    if (OUTPUT_BITS == 16 || UNLIKELY(text->n > n_first)) {
        NAME(copy_key_text)(out + n_first - n_skipped, text, 32, KEY_TEXT_ROOM - 32);
    }
    return out + text->n - n_skipped;
}

/* Keep the text of a key, an exact str, if it is short: n units that were just written, with the
 * key separator. */
static NOINLINE void NAME(keep_key_text)(const struct encoder *encoder, PyObject *key,
                                         const unit_t *from, size_t n) {
    const struct output *const output = &encoder->output;
    const size_t n_separator = output->item_separator.n;
    if (n + n_separator > KEY_TEXT_UNITS || (OUTPUT_BITS == 32 && !PyUnicode_IS_ASCII(key))) {
        return;
    }
    unit_t units[SEPARATOR_ROOM + KEY_TEXT_UNITS];
    UNIT_NAME(put_short_separator)(units, &output->item_separator);
    memcpy(units + n_separator, from, n * sizeof *units);
    struct key_text *const text = encoder_key_text(encoder, key);
    key_text_hold(text, key);
    text->format = encoder->key_format;
    text->n = (uint32_t)(n_separator + n);
#if OUTPUT_BITS < 32
    memcpy(text->text, units, text->n * sizeof *units);
#else
    for (size_t i = 0; i < text->n; i++) {
        const uint16_t unit = (uint16_t)units[i];
        memcpy(text->text + i * sizeof unit, &unit, sizeof unit);
    }
#endif
}
