/* SPDX-License-Identifier: MIT */
/* A JSON string in UTF-8 whose end has not arrived: what of it is known, and where it ends. */
#ifndef SSRJSON_TEXT_CUT_STRING_H
#define SSRJSON_TEXT_CUT_STRING_H

#include "base/compiler.h"

#define UNICODE_ESCAPE_BYTES 6

/* Whether the byte at p is preceded by an odd number of backslashes, which escape it. Goes back no
 * further than to `begin`, the first character of the string. */
static inline bool is_escaped_at(const uint8_t *begin, const uint8_t *p) {
    assert(begin <= p);
    const uint8_t *q = p;
    while (q > begin && q[-1] == '\\') {
        q--;
    }
    return (p - q) % 2 != 0;
}

/* The quote that closes the string whose first character is at begin, searched from `from` on; NULL
 * where it has not arrived. */
static inline const uint8_t *find_closing_quote(const uint8_t *begin, const uint8_t *from,
                                                const uint8_t *end) {
    assert(begin <= from && from <= end);
    while (from < end) {
        const uint8_t *const quote = memchr(from, '"', (size_t)(end - from));
        if (quote == NULL || !is_escaped_at(begin, quote)) {
            return quote;
        }
        from = quote + 1;
    }
    return NULL;
}

/* The end of the last character of [begin, end) that has all of its bytes. */
static inline const uint8_t *last_whole_character(const uint8_t *begin, const uint8_t *end) {
    assert(begin <= end);
    const uint8_t *lead = end;
    while (lead > begin && end - lead < 3 && (lead[-1] & 0xc0) == 0x80) {
        lead--;
    }
    if (lead == begin || lead[-1] < 0xc0 || lead[-1] >= 0xf8) {
        return end;
    }
    const ptrdiff_t n_wanted = lead[-1] < 0xe0 ? 1 : lead[-1] < 0xf0 ? 2 : 3;
    return end - lead < n_wanted ? lead - 1 : end;
}

/* The escape of [begin, end) that is cut at the end, or the end. */
static inline const uint8_t *last_whole_escape(const uint8_t *begin, const uint8_t *end) {
    assert(begin <= end);
    const uint8_t *p = end;
    while (p > begin && end - p < UNICODE_ESCAPE_BYTES - 2 && p[-1] != '\\') {
        p--;
    }
    if (p == begin || p[-1] != '\\' || is_escaped_at(begin, p - 1)) {
        return end;
    }
    return p == end || *p == 'u' ? p - 1 : end;
}

/* Whether the text ends with the escape of a high surrogate, which waits for the low one. */
static inline bool ends_with_high_surrogate(const uint8_t *begin, const uint8_t *end) {
    if (end - begin < UNICODE_ESCAPE_BYTES) {
        return false;
    }
    const uint8_t *const escape = end - UNICODE_ESCAPE_BYTES;
    return escape[0] == '\\' && escape[1] == 'u' && (escape[2] | 0x20) == 'd' &&
           memchr("89abAB", escape[3], 6) != NULL && !is_escaped_at(begin, escape);
}

/* The end of what is known of the cut string whose first character is at begin: characters and
 * escapes that are whole. */
static inline const uint8_t *cut_string_known_end(const uint8_t *begin, const uint8_t *end) {
    const uint8_t *const known = last_whole_escape(begin, last_whole_character(begin, end));
    return ends_with_high_surrogate(begin, known) ? known - UNICODE_ESCAPE_BYTES : known;
}

#endif
