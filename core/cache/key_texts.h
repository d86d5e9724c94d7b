/* SPDX-License-Identifier: MIT */
/* The JSON texts of keys, found by the key object: quotes and escapes, with the item separator
 * before and the key separator after them, ready to be copied. Most objects of a document repeat
 * the keys of the one before.
 *
 * A text holds a reference to its key. So the address of that key is the address of no other str,
 * and because a str that others hold never changes, a text is right as long as it is there: from
 * one call to the next, and whatever Python code does in between.
 *
 * Only keys to which there are other references get a text: an interned str, one of a literal in
 * source code, or one that a decoder has shared is likely to come again; a key that was made for a
 * single dict is not.
 *
 * Free-threaded builds do without: threads would change the texts while others read them. */
#ifndef SSRJSON_CACHE_KEY_TEXTS_H
#define SSRJSON_CACHE_KEY_TEXTS_H

#include "cache/hash.h"
#include "pyobject/python.h"

#define HAS_KEY_TEXTS (!IS_FREE_THREADED)
#define KEY_TEXT_BITS 9
#define N_KEY_TEXTS (1 << KEY_TEXT_BITS)
/* Longer texts are not kept. */
#define KEY_TEXT_ROOM 48

struct key_text {
    PyObject *key;   /* owned exact str; NULL: none */
    uint32_t format; /* see output_key_format; never 0 where there is a key */
    uint32_t n;      /* units of the text */
    char text[KEY_TEXT_ROOM];
};
_Static_assert(sizeof(struct key_text) == 64, "a cache line");

struct key_texts {
    /* one more than the texts, so that these can be aligned: see key_texts_first */
    char memory[(N_KEY_TEXTS + 1) * sizeof(struct key_text)];
};

/* The texts, at the beginning of a cache line; the state of a module is in memory that need not
 * begin at one. */
static ALWAYS_INLINE struct key_text *key_texts_first(struct key_texts *texts) {
    const uintptr_t line = sizeof(struct key_text);
    return (struct key_text *)(((uintptr_t)texts->memory + line - 1) & ~(line - 1));
}

/* The index of the one entry that may hold this key's text. */
static ALWAYS_INLINE size_t key_text_number(const PyObject *key) {
    return hash_of_address(key, KEY_TEXT_BITS);
}

/* Whether there are other references to a key than the one that the caller knows of. */
static ALWAYS_INLINE bool key_is_shared(PyObject *key) {
    return Py_REFCNT(key) > 1;
}

/* Put another key, an exact str, into an entry. The former one may be freed, which runs no Python
 * code. */
static inline void key_text_hold(struct key_text *text, PyObject *key) {
    assert(PyUnicode_CheckExact(key));
    Py_XSETREF(text->key, Py_NewRef(key));
}

static inline void key_texts_clear(struct key_texts *texts) {
    struct key_text *const first = key_texts_first(texts);
    for (size_t i = 0; i < N_KEY_TEXTS; i++) {
        Py_CLEAR(first[i].key);
    }
}

#endif
