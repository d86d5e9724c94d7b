/* SPDX-License-Identifier: MIT */
/* Bytes to base64 text (RFC 4648) with padding, in the standard alphabet or the one that is safe in
 * URLs. */
#ifndef SSRJSON_TEXT_BASE64_H
#define SSRJSON_TEXT_BASE64_H

#include "base/compiler.h"

/* The number of base64 characters for n_bytes. */
static ALWAYS_INLINE size_t base64_length(size_t n_bytes) {
    return (n_bytes + 2) / 3 * 4;
}

/* Store base64_length(n) characters. */
static inline void base64_encode(const uint8_t *bytes, size_t n, char *out, bool is_url_safe) {
    const char *const digits =
        is_url_safe ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
                    : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (; n >= 3; n -= 3, bytes += 3, out += 4) {
        const uint32_t word = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 8 | bytes[2];
        out[0] = digits[word >> 18];
        out[1] = digits[word >> 12 & 63];
        out[2] = digits[word >> 6 & 63];
        out[3] = digits[word & 63];
    }
    if (n != 0) {
        const uint32_t word = (uint32_t)bytes[0] << 16 | (n == 2 ? (uint32_t)bytes[1] << 8 : 0);
        out[0] = digits[word >> 18];
        out[1] = digits[word >> 12 & 63];
        out[2] = n == 2 ? digits[word >> 6 & 63] : '=';
        out[3] = '=';
    }
}

#endif
