/* SPDX-License-Identifier: MIT */
/* The JSON texts of keys, found by the key's address: quotes and escapes, with the item separator
 * before and the key separator after them, ready to be copied. Most objects of a document repeat
 * the keys of the one before.
 *
 * A text that is kept and not used costs as much as using thirty saves, mostly by branches that the
 * CPU predicts wrongly. So none is kept until many objects seem to follow: see top_expect_keys.
 *
 * A text is good only while its key cannot have been freed, for another str may be at that address
 * afterwards. No reference is held, so the invariant is: between the moment when a text is kept and
 * the moment when it is used, nothing was freed that may hold a key, and no Python code ran. An
 * epoch guards it. Each text has the epoch in which it was kept, and the walk finds only texts of
 * its own. A call has none at first, and none after encoder_own_frames, which precedes all Python
 * code, after a frame may have freed something, and when the output changes. Numbers of epochs are
 * not used again, so texts that a nested call, or another thread, keeps in the meantime are not
 * found.
 *
 * Only keys of dicts that are read in place, and of models' fields, are looked up: a key that was
 * made for the moment, such as the text of a UUID, is at the same address again and again.
 *
 * Free-threaded builds do without: another thread may free a key at any time. */
#ifndef SSRJSON_ENCODE_KEY_TEXTS_H
#define SSRJSON_ENCODE_KEY_TEXTS_H

#include "pyobject/python.h"

#define HAS_KEY_TEXTS (!IS_FREE_THREADED)
#define N_KEY_TEXTS 512
/* Longer texts are not kept. */
#define KEY_TEXT_ROOM 48

/* The number of objects that are written before texts are kept. */
#define KEY_PATIENCE 256
/* An array with at least this number of items left probably holds many objects. Each of them counts
 * as ONE_OF_MANY_COUNT objects, so that texts are kept from the second one on. */
#define MANY_OBJECTS 32
#define ONE_OF_MANY_COUNT (KEY_PATIENCE / 2)
/* Models mostly are items of arrays. Each of their fields counts. */
#define MODEL_FIELD_COUNT (KEY_PATIENCE / 32)

struct key_text {
    const PyObject *key; /* an address to compare, not a reference */
    uint32_t epoch;
    uint32_t n;
    char text[KEY_TEXT_ROOM];
};
_Static_assert(sizeof(struct key_text) == 64, "a cache line");

struct key_texts {
    uint32_t epoch;                                           /* the newest */
    char memory[(N_KEY_TEXTS + 1) * sizeof(struct key_text)]; /* of the texts: key_texts_first */
};

/* The texts, at the beginning of a cache line; the state of a module is in memory that need not
 * begin at one. */
static ALWAYS_INLINE struct key_text *key_texts_first(struct key_texts *texts) {
    const uintptr_t line = sizeof(struct key_text);
    return (struct key_text *)(((uintptr_t)texts->memory + line - 1) & ~(line - 1));
}

/* Begin an epoch: its number, never 0. */
static ALWAYS_INLINE uint32_t key_texts_begin(struct key_texts *texts) {
    if (UNLIKELY(++texts->epoch == 0)) { /* no text of the first round may be found in the second */
        memset(texts->memory, 0, sizeof texts->memory);
        texts->epoch = 1;
    }
    return texts->epoch;
}

/* The number of the text that may be this key's. */
static ALWAYS_INLINE size_t key_text_number(const PyObject *key) {
    return (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15 >> 55; /* 2^64 / golden ratio */
}
_Static_assert(N_KEY_TEXTS == 1 << (64 - 55), "the highest bits of the product");

#endif
