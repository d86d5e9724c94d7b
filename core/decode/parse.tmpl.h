/* SPDX-License-Identifier: MIT */
/* Template: parse one document of one kind of source text.
 * Parameters: SOURCE, one of utf8, latin1, ucs2, ucs4, and its SOURCE_BITS a unit. Defines
 * parse_<source>. */

#define SOURCE_IS_UTF8 (CONCAT(SOURCE_NUMBER, SOURCE) == SOURCE_NUMBER_utf8)
#define NAME(noun) CONCAT(noun, SOURCE)
#define unit_t CONCAT(SOURCE_UNIT, SOURCE)
/* strings with escapes are put together as UTF-8, or as code points */
#if SOURCE_IS_UTF8
#define scratch_unit_t uint8_t
#else
#define scratch_unit_t uint32_t
#endif

struct NAME(reader) {
    struct decoder *decoder;
    const unit_t *begin;
    const unit_t *end;
};

static ALWAYS_INLINE void NAME(fail)(const struct NAME(reader) * reader, enum error_kind kind,
                                     const unit_t *at) {
    decoder_fail(reader->decoder, kind, (size_t)(at - reader->begin));
}

static ALWAYS_INLINE const unit_t *NAME(skip_space)(const unit_t *p, const unit_t *end) {
    while (p < end && UNLIKELY(*p <= ' ') &&
           (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) {
        p++;
    }
    return p;
}

#include "decode/read_string.tmpl.h"

#include "decode/read_number.tmpl.h"

/* Whether the literal's characters stand at p. */
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

/* A value that is neither string nor container, and the place behind it; NULL with the error
 * recorded. */
static ALWAYS_INLINE const unit_t *NAME(read_scalar)(const struct NAME(reader) * reader,
                                                     const unit_t *p, PyObject **value) {
    const unit_t *const end = reader->end;
    switch (*p) {
    case 'n':
        if (NAME(is_literal)(p, end, "null", 4)) {
            *value = Py_NewRef(Py_None);
            return p + 4;
        }
        break;
    case 't':
        if (NAME(is_literal)(p, end, "true", 4)) {
            *value = Py_NewRef(Py_True);
            return p + 4;
        }
        break;
    case 'f':
        if (NAME(is_literal)(p, end, "false", 5)) {
            *value = Py_NewRef(Py_False);
            return p + 5;
        }
        break;
    case 'N':
        if (NAME(is_literal)(p, end, "NaN", 3)) {
            *value = PyFloat_FromDouble(__builtin_nan(""));
            return p + 3;
        }
        break;
    case 'I':
        if (NAME(is_literal)(p, end, "Infinity", 8)) {
            *value = PyFloat_FromDouble(__builtin_inf());
            return p + 8;
        }
        break;
    case '-': /* as a digit: half of all numbers may have a sign, which ones nobody can predict */
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9': {
        const unit_t *const behind = NAME(read_number)(reader, p, value);
        if (UNLIKELY(*value == NULL)) {
            if (behind != p || PyErr_Occurred()) {
                if (reader->decoder->error.kind == ERROR_NONE) {
                    decoder_fail(reader->decoder, ERROR_RAISED, 0);
                }
                return NULL;
            }
            if (NAME(is_literal)(p, end, "-Infinity", 9)) {
                *value = PyFloat_FromDouble(-__builtin_inf());
                return p + 9;
            }
            break;
        }
        return behind;
    }
    default: break;
    }
    NAME(fail)(reader, ERROR_EXPECTING_VALUE, p);
    return NULL;
}

/* Parse the document: its value, a new reference, or NULL with the error recorded. */
static NOINLINE PyObject *NAME(parse)(struct decoder *decoder, const struct text *text) {
    const struct NAME(reader) reader = {
        .decoder = decoder,
        .begin = text->data,
        .end = (const unit_t *)text->data + text->length,
    };
    const unit_t *const end = reader.end;
    const unit_t *p = reader.begin;
    PyObject *value;

value:
    p = NAME(skip_space)(p, end);
    if (UNLIKELY(p == end)) {
        NAME(fail)(&reader, ERROR_EXPECTING_VALUE, p);
        return NULL;
    }
    if (*p == '"') {
        p = NAME(read_string)(&reader, p + 1, false, &value);
        if (UNLIKELY(!decoder_push_value(decoder, value))) {
            return NULL;
        }
        goto after_value;
    }
    if (*p == '{') {
        p = NAME(skip_space)(p + 1, end);
        if (UNLIKELY(!decoder_open(decoder, true))) {
            return NULL;
        }
        if (p < end && *p == '}') {
            goto close;
        }
        goto key;
    }
    if (*p == '[') {
        p = NAME(skip_space)(p + 1, end);
        if (UNLIKELY(!decoder_open(decoder, false))) {
            return NULL;
        }
        if (p < end && *p == ']') {
            goto close;
        }
        goto value;
    }
    p = NAME(read_scalar)(&reader, p, &value);
    if (UNLIKELY(p == NULL) || UNLIKELY(!decoder_push_value(decoder, value))) {
        return NULL;
    }

after_value:
    p = NAME(skip_space)(p, end);
    if (decoder->n_containers == 0) {
        if (UNLIKELY(p != end)) {
            NAME(fail)(&reader, ERROR_EXTRA_DATA, p);
            return NULL;
        }
        assert(decoder->n_values == 1);
        decoder->n_values = 0;
        return decoder->values[0];
    }
    const bool is_object = decoder->containers[decoder->n_containers - 1].is_object;
    const unit_t closer = is_object ? '}' : ']';
    if (p < end && *p == ',') {
        const unit_t *const comma = p;
        p = NAME(skip_space)(p + 1, end);
        if (p < end && UNLIKELY(*p == closer) && decoder->options->manners.names_trailing_comma) {
            NAME(fail)(&reader,
                       is_object ? ERROR_TRAILING_COMMA_OBJECT : ERROR_TRAILING_COMMA_ARRAY, comma);
            return NULL;
        }
        if (is_object) {
            goto key;
        }
        goto value;
    }
    if (LIKELY(p < end && *p == closer)) {
        goto close;
    }
    NAME(fail)(&reader, ERROR_EXPECTING_COMMA, p);
    return NULL;

close:
    p++;
    if (UNLIKELY(!decoder_close(decoder))) {
        return NULL;
    }
    goto after_value;

key:
    if (UNLIKELY(p == end || *p != '"')) {
        NAME(fail)(&reader, ERROR_EXPECTING_NAME, p);
        return NULL;
    }
    p = NAME(read_string)(&reader, p + 1, true, &value);
    if (UNLIKELY(!decoder_push_value(decoder, value))) {
        return NULL;
    }
    p = NAME(skip_space)(p, end);
    if (UNLIKELY(p == end || *p != ':')) {
        NAME(fail)(&reader, ERROR_EXPECTING_COLON, p);
        return NULL;
    }
    p++;
    goto value;
}

#undef SOURCE_IS_UTF8
#undef NAME
#undef unit_t
#undef scratch_unit_t
#undef SOURCE
#undef SOURCE_BITS
