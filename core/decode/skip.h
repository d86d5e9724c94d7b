/* SPDX-License-Identifier: MIT */
/* Skip a value of UTF-8 text, of which no object is made, and check it as the parser would.
 *
 * What is skipped is well-formed. Where that is not sure, such as for a fault, a number of hundreds
 * of digits or a depth beyond SKIP_MAX_DEPTH, the result is NULL, and the parser decides about the
 * whole document: so errors are the parser's own. */
#ifndef SSRJSON_DECODE_SKIP_H
#define SSRJSON_DECODE_SKIP_H

#include "decode/options.h"
#include "text/scan.h"

#define SKIP_MAX_DEPTH 1024
#define SKIP_MAX_NUMBER 256 /* units; the parser limits the digits of an int */
#define SKIP_MAX_INT64 18   /* units of an int that surely has 64 bits */

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

/* Whether n > 0 bytes, the greatest of which is `widest`, are well-formed UTF-8. */
static NOINLINE bool skip_is_utf8(const uint8_t *from, size_t n, uint32_t widest) {
    if (widest > 0xf4 || utf8_is_cut(from, n)) {
        return false;
    }
    u8part before = {0};
    u8part faults = {0};
    for (; n >= PART_BYTES; from += PART_BYTES, n -= PART_BYTES) {
        const struct utf8_context context = utf8_context(u8part_load(from), before);
        faults |= utf8_faults(&context, 4);
        before = context.bytes;
    }
    if (n > 0) { /* zeros after the text are ASCII */
        const struct utf8_context context = utf8_context(u8part_load_first(from, n), before);
        faults |= utf8_faults(&context, 4);
    }
    return u8part_mask((u8part)((i8part)faults < 0)) == 0;
}

static ALWAYS_INLINE bool is_hex_digit(uint8_t unit) {
    return (unit >= '0' && unit <= '9') || ((unit | 0x20) >= 'a' && (unit | 0x20) <= 'f');
}

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

/* The unit after the closing quote of the string whose opening quote is at p. */
static ALWAYS_INLINE const uint8_t *skip_string(const struct skipper *skipper, const uint8_t *p) {
    const uint8_t *const begin = ++p;
    uint32_t widest = 0;
    for (;;) {
        p = scan_string_8(p, skipper->end, &widest);
        if (UNLIKELY(p == skipper->end)) {
            return NULL;
        }
        if (LIKELY(*p == '"')) {
            break;
        }
        if (*p == '\\') {
            p = skip_escape(skipper, p);
        } else if (*p < 0x20) {
            return NULL;
        }
        if (UNLIKELY(p == NULL)) {
            return NULL;
        }
    }
    if (widest >= 0x80 && (!skip_is_utf8(begin, (size_t)(p - begin), widest) ||
                           !skipper->options->allow_surrogates)) {
        return NULL;
    }
    return p + 1;
}

/* ---- other scalars -------------------------------------------------------------------------- */

static ALWAYS_INLINE const uint8_t *skip_digits(const uint8_t *p, const uint8_t *end) {
    while (p < end && *p >= '0' && *p <= '9') {
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
    switch (*p) {
    case '"': return skip_string(skipper, p);
    case 't': return n_left >= 4 && memcmp(p, "true", 4) == 0 ? p + 4 : NULL;
    case 'f': return n_left >= 5 && memcmp(p, "false", 5) == 0 ? p + 5 : NULL;
    case 'n': return n_left >= 4 && memcmp(p, "null", 4) == 0 ? p + 4 : NULL;
    default: return skip_number(skipper, p);
    }
}

/* ---- values --------------------------------------------------------------------------------- */

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

/* The value of the key at p. */
static ALWAYS_INLINE const uint8_t *skip_key(const struct skipper *skipper, const uint8_t *p) {
    p = *p == '"' ? skip_string(skipper, p) : NULL;
    return LIKELY(p != NULL) ? skip_colon(skipper, p) : NULL;
}

/* The unit after the value at p, which is before the end of the text, within `depth` containers. */
static NOINLINE const uint8_t *skip_value(const struct skipper *skipper, const uint8_t *p,
                                          size_t depth) {
    uint64_t objects[SKIP_MAX_DEPTH / 64 + 1]; /* a bit for each open container: is it an object? */
    const size_t outermost = depth;
    for (;;) {
        if (*p == '{' || *p == '[') {
            const bool is_object = *p == '{';
            if (UNLIKELY(depth >= skipper->max_depth)) {
                return NULL;
            }
            const uint64_t bit = (uint64_t)1 << depth % 64;
            objects[depth / 64] =
                is_object ? objects[depth / 64] | bit : objects[depth / 64] & ~bit;
            p = skip_to_token(skipper, p + 1);
            if (LIKELY(p != NULL) && *p != (is_object ? '}' : ']')) {
                depth++;
                p = is_object ? skip_key(skipper, p) : p;
                if (UNLIKELY(p == NULL)) {
                    return NULL;
                }
                continue;
            }
            p = p != NULL ? p + 1 : NULL;
        } else {
            p = skip_scalar(skipper, p);
        }
        for (bool is_closing = true; is_closing;) {
            if (UNLIKELY(p == NULL) || depth == outermost) {
                return p;
            }
            const bool is_object = objects[(depth - 1) / 64] >> (depth - 1) % 64 & 1;
            p = skip_to_token(skipper, p);
            if (UNLIKELY(p == NULL)) {
                return NULL;
            }
            if (*p == ',') {
                p = skip_to_token(skipper, p + 1);
                p = LIKELY(p != NULL) && is_object ? skip_key(skipper, p) : p;
                if (UNLIKELY(p == NULL)) {
                    return NULL;
                }
                is_closing = false;
            } else if (*p == (is_object ? '}' : ']')) {
                p++;
                depth--;
            } else {
                return NULL;
            }
        }
    }
}

#endif
