/* SPDX-License-Identifier: MIT */
/* The key sequences of recent objects, as a tree: a node is a key that follows the keys of its
 * ancestors. A node is a shape, the hidden class of JavaScript engines, and its children are the
 * transitions to other shapes.
 *
 * The objects of one document, and of consecutive requests, repeat a few sequences of keys. A node
 * knows which key followed it last time, and the first key of the object that was its value last
 * time. So most keys are found by one comparison of source bytes with those of the expected key.
 * Where an object ends, the node's template makes the dict without hashing a key.
 *
 * There is one tree for each module state, and so for each interpreter; without the GIL one for
 * each of the thread caches (thread_caches.h). Nodes are only added while a call decodes, and are
 * freed together while no call decodes. So a hook that decodes, or a finaliser that garbage
 * collection runs, finds a consistent tree. */
#ifndef SSRJSON_CACHE_SHAPE_TREE_H
#define SSRJSON_CACHE_SHAPE_TREE_H

#include "base/compiler.h"
#include "cache/string_cache.h"
#include "pyobject/python.h"

#define SHAPE_MAX_KEYS 128 /* in an object */
#define SHAPE_MAX_KEY_BYTES ((size_t)1 << 17)
#define SHAPE_MAX_BYTES_OF_KEYS ((size_t)1 << 20) /* in the whole tree */
#define SHAPE_TEXT_BYTES 32    /* of a key and its quote that are compared at once */
#define SHAPE_NODES_A_BLOCK 62 /* 6 KB */
#define SHAPE_MAX_BLOCKS 32    /* 2,000 nodes, 190 KB */
#define SHAPE_N_SEEN 256
#define SHAPE_BUCKET_BITS 10
#define SHAPE_N_BUCKETS (1 << SHAPE_BUCKET_BITS)
#define SHAPE_MAX_IN_BUCKET 16 /* nodes searched; an attacker may choose keys of one bucket */

struct shape_node {
    uint8_t text[SHAPE_TEXT_BYTES]; /* the key in UTF-8 and the quote after it, as much as fits */
    PyObject *key;                  /* owned; NULL in the root */
    PyObject *template;             /* owned; NULL until an object ends here */
    struct shape_node *parent;
    struct shape_node *next_in_bucket;
    struct shape_node *next;   /* the child that was used last; NULL before the first */
    struct shape_node *nested; /* the first key of the last object under this key */
    uint32_t text_mask;        /* a bit for each byte of text that is compared */
    size_t n_text;             /* bytes of the whole key and its quote; 0: not compared in UTF-8 */
    uint8_t n_keys;            /* of this node and its ancestors */
    string_misses misses;      /* of strings under this key, also in lists */
};

struct shape_block {
    struct shape_block *next;
    struct shape_node nodes[SHAPE_NODES_A_BLOCK];
};

struct shape_tree {
    struct shape_node root;
    struct shape_block *blocks; /* owned; the newest first */
    size_t n_blocks;
    size_t n_used; /* nodes in use of the newest block */
    size_t n_bytes_of_keys;
    bool is_full;
    size_t n_calls;                              /* calls that decode at present */
    uint32_t seen[SHAPE_N_SEEN];                 /* marks of sequences that were seen once */
    struct shape_node *buckets[SHAPE_N_BUCKETS]; /* by parent and key */
};

static inline void shape_node_clear(struct shape_node *node) {
    Py_CLEAR(node->key);
    Py_CLEAR(node->template);
}

static inline void shape_tree_clear(struct shape_tree *tree) {
    assert(tree->n_calls == 0);
    size_t n_used = tree->n_used;
    while (tree->blocks != NULL) {
        struct shape_block *const block = tree->blocks;
        for (size_t i = 0; i < n_used; i++) {
            shape_node_clear(&block->nodes[i]);
        }
        n_used = SHAPE_NODES_A_BLOCK;
        tree->blocks = block->next;
        PyMem_Free(block);
    }
    memset(tree, 0, sizeof *tree);
}

#endif
