/* SPDX-License-Identifier: MIT */
/* Keys in another case: order_id as orderId, and back. The other form of a short key is kept, so
 * that it costs a look-up.
 *
 * The rules are those of djangorestframework-camel-case; docs/encoding.md has them in a table.
 *
 * An entry is found by the address of its key, to which it holds a reference: no other str has that
 * address, and a str that others hold never changes. Free-threaded builds do without: threads would
 * change an entry while others read it. */
#ifndef SSRJSON_CACHE_KEY_CASE_H
#define SSRJSON_CACHE_KEY_CASE_H

#include "cache/hash.h"
#include "pyobject/python.h"

enum __attribute__((packed)) key_case {
    KEY_AS_IT_IS,
    KEY_CAMEL,        /* order_id as orderId */
    KEY_SNAKE,        /* orderId as order_id, line2 as line_2 */
    KEY_SNAKE_JOINED, /* but line2 as line2 */
};

#define KEY_CASE_BITS 9
#define KEY_CASES (1 << KEY_CASE_BITS)
/* The other form of a longer key is not kept. */
#define KEY_CASE_MAX_CHARS 64

struct key_cases {
    struct key_case_entry {
        PyObject *key;   /* owned exact str; NULL: none */
        PyObject *other; /* owned: its other form */
        enum key_case to;
    } entries[KEY_CASES];
};

/* The other form of a key, a str of no subclass: a new reference, of the key itself where it is the
 * same; NULL with MemoryError set. `cases` is NULL where nothing is kept. Runs no Python code. */
PyObject *key_case_get(struct key_cases *cases, PyObject *key, enum key_case to);

void key_cases_clear(struct key_cases *cases);

#endif
