/* SPDX-License-Identifier: MIT */
/* Canonical JSON, RFC 8785: numbers as ECMAScript writes them, keys in the order of UTF-16. */
#ifndef SSRJSON_ENCODE_CANONICAL_H
#define SSRJSON_ENCODE_CANONICAL_H

#include "encode/pairs.h"

/* The longest text of a number: -1.2345678901234567e-308, and room to store it. */
#define CANONICAL_NUMBER_ROOM 48

/* Store the canonical text of the number that a decimal text gives, such as 1.50 or 1E+3, and
 * return its length; 0 where the text of no double has exactly its value, so that readers would get
 * another one. */
size_t canonical_number(char out[CANONICAL_NUMBER_ROOM], const char *text, size_t n);

/* Store the canonical text of a finite float and return its length. */
size_t canonical_float(char out[CANONICAL_NUMBER_ROOM], double value);

/* Whether the order of UTF-16 may differ from that of code points for these keys, exact strs: one
 * has a character beyond 16 bits. */
bool pairs_need_utf16(const struct pairs *pairs);

/* Sort pairs by their keys, exact strs, in the order of UTF-16; takes n log n steps. */
void pairs_sort_by_utf16(struct pairs *pairs);

#endif
