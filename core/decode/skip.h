/* SPDX-License-Identifier: MIT */
/* Skip strings and scalars of UTF-8 text, of which no object is made, and check them as the parser
 * would. For containers, see skip_container.h.
 *
 * What is skipped is well-formed. Where that is not sure, such as for a fault, a long number or a
 * depth beyond SKIP_MAX_DEPTH, the result is NULL, and the parser decides about the whole document:
 * so errors are the parser's own. */
#ifndef SSRJSON_DECODE_SKIP_H
#define SSRJSON_DECODE_SKIP_H

#include "decode/options.h"
#include "text/characters.h"
#include "text/check_utf8.h"
#include "text/scan.h"

#define SKIP_MAX_DEPTH 1024
#define SKIP_MAX_NUMBER 256 /* units of a number; a longer one is left to the parser */
#define SKIP_MAX_INT64 18   /* units of an int, so that it surely fits in 64 bits */

struct skipper {
    const uint8_t *end; /* of the text */
    const struct decode_options *options;
    size_t max_depth; /* of the document */
};

static inline struct skipper skipper_of(const struct source *source) {
    const size_t max_depth = source->options->max_depth;
    return (struct skipper){
        .end = (const uint8_t *)source->text.data + source->text.length,
        .options = source->options,
        .max_depth = max_depth < SKIP_MAX_DEPTH ? max_depth : SKIP_MAX_DEPTH,
    };
}

/* ---- strings -------------------------------------------------------------------------------- */

/* The unit after the escape at p. */
static ALWAYS_INLINE const uint8_t *skip_escape(const struct skipper *skipper, const uint8_t *p) {
    assert(*p == '\\');
    if (skipper->end - p < 2) {
        return NULL;
    }
    switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return p + 2;
    case 'u': break;
    default: return NULL;
    }
    if (skipper->end - p < 7 || !is_hex_digit(p[2]) || !is_hex_digit(p[3]) || !is_hex_digit(p[4]) ||
        !is_hex_digit(p[5])) {
        return NULL;
    }
    const bool may_be_surrogate = (p[2] | 0x20) == 'd' && p[3] >= '8';
    return may_be_surrogate && !skipper->options->allow_surrogates ? NULL : p + 6;
}

/* The special byte, or the end of the text, after the bytes from p on, which are not all ASCII. */
static NOINLINE const uint8_t *skip_not_ascii(const struct skipper *skipper, const uint8_t *p) {
    uint32_t widest = 0;
    const uint8_t *const stop = scan_string_8(p, skipper->end, &widest);
    const bool is_utf8 =
        utf8_is_well_formed(p, (size_t)(stop - p), skipper->options->allow_surrogates);
    return is_utf8 ? stop : NULL;
}

/* The unit after the closing quote of the string whose opening quote is at p. */
static ALWAYS_INLINE const uint8_t *skip_string(const struct skipper *skipper, const uint8_t *p,
                                                bool *has_escape) {
    *has_escape = false;
    p++;
    for (;;) {
        p = scan_ascii(p, skipper->end);
        if (UNLIKELY(p == skipper->end)) {
            return NULL;
        }
        if (LIKELY(*p == '"')) {
            return p + 1;
        }
        if (*p == '\\') {
            *has_escape = true;
            p = skip_escape(skipper, p);
        } else {
            p = *p >= 0x80 ? skip_not_ascii(skipper, p) : NULL;
        }
        if (UNLIKELY(p == NULL)) {
            return NULL;
        }
    }
}

/* ---- other scalars -------------------------------------------------------------------------- */

static ALWAYS_INLINE const uint8_t *skip_digits(const uint8_t *p, const uint8_t *end) {
    while (p < end && is_digit(*p)) {
        p++;
    }
    return p;
}

/* The unit after the number at p. */
static ALWAYS_INLINE const uint8_t *skip_number(const struct skipper *skipper,
                                                const uint8_t *const begin) {
    const uint8_t *const end = skipper->end;
    const uint8_t *p = begin + (*begin == '-');
    const uint8_t *digits = p;
    p = p < end && *p == '0' ? p + 1 : skip_digits(p, end);
    bool is_good = p > digits;
    bool is_int = true;
    if (p < end && *p == '.') {
        digits = p + 1;
        p = skip_digits(digits, end);
        is_good = is_good && p > digits;
        is_int = false;
    }
    if (p < end && (*p | 0x20) == 'e') {
        digits = p + 1;
        digits += digits < end && (*digits == '-' || *digits == '+');
        p = skip_digits(digits, end);
        is_good = is_good && p > digits && skipper->options->allow_nan && /* it may be infinite */
                  skipper->options->decimal == NULL;
        is_int = false;
    }
    const bool is_wide = is_int && skipper->options->int64 != INT_UNLIMITED;
    return is_good && p - begin <= (is_wide ? SKIP_MAX_INT64 : SKIP_MAX_NUMBER) ? p : NULL;
}

/* The unit after the scalar at p, before the end of the text. */
static ALWAYS_INLINE const uint8_t *skip_scalar(const struct skipper *skipper, const uint8_t *p) {
    const ptrdiff_t n_left = skipper->end - p;
    bool has_escape;
    switch (*p) {
    case '"': return skip_string(skipper, p, &has_escape);
    case 't': return n_left >= 4 && memcmp(p, "true", 4) == 0 ? p + 4 : NULL;
    case 'f': return n_left >= 5 && memcmp(p, "false", 5) == 0 ? p + 5 : NULL;
    case 'n': return n_left >= 4 && memcmp(p, "null", 4) == 0 ? p + 4 : NULL;
    default: return skip_number(skipper, p);
    }
}

/* ---- tokens --------------------------------------------------------------------------------- */

/* The next unit that is no white space; NULL at the end of the text. */
static ALWAYS_INLINE const uint8_t *skip_to_token(const struct skipper *skipper, const uint8_t *p) {
    p = skip_space_8(p, skipper->end);
    return LIKELY(p < skipper->end) ? p : NULL;
}

/* The value after the colon, where the key ends at p. */
static ALWAYS_INLINE const uint8_t *skip_colon(const struct skipper *skipper, const uint8_t *p) {
    p = skip_to_token(skipper, p);
    return p != NULL && *p == ':' ? skip_to_token(skipper, p + 1) : NULL;
}

#endif
