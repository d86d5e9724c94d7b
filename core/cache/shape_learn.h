/* SPDX-License-Identifier: MIT */
/* Learning shapes from the objects of a document, and finding them again in its text. */
#ifndef SSRJSON_CACHE_SHAPE_LEARN_H
#define SSRJSON_CACHE_SHAPE_LEARN_H

#include "cache/hash.h"
#include "cache/shape_tree.h"
#include "pyobject/dict_from_pairs.h"
#include "pyobject/dict_template.h"
#include "pyobject/unicode.h"
#include "simd/simd.h"
#include "text/escape_utf8.h"

/* A call begins to decode. A full tree is cleared first, so that it can learn the shapes of this
 * document, unless another call uses it. */
static ALWAYS_INLINE void shape_tree_enter(struct shape_tree *tree) {
    if (UNLIKELY(tree->is_full) && tree->n_calls == 0) {
        shape_tree_clear(tree);
    }
    tree->n_calls++;
}

static ALWAYS_INLINE void shape_tree_leave(struct shape_tree *tree) {
    tree->n_calls--;
}

/* Store in the node's text as much as fits of a key in UTF-8 and the quote after it. The rest of a
 * long key is compared with the str itself, which must be ASCII for that. False where the key needs
 * escapes or has a surrogate. */
static bool shape_node_spell(struct shape_node *node, PyObject *key) {
    uint8_t text[SHAPE_TEXT_BYTES + 4];
    size_t n = 0;
    for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(key); i++) {
        const Py_UCS4 c = PyUnicode_READ_CHAR(key, i);
        if (c < ' ' || c == '"' || c == '\\' || Py_UNICODE_IS_SURROGATE(c)) {
            return false;
        }
        n = n < SHAPE_TEXT_BYTES ? (size_t)(utf8_store_code_point(text + n, c) - text) : n + 1;
    }
    if (n < SHAPE_TEXT_BYTES) {
        text[n] = '"';
    }
    n++;
    memcpy(node->text, text, n < SHAPE_TEXT_BYTES ? n : SHAPE_TEXT_BYTES);
    node->n_text = n <= SHAPE_TEXT_BYTES || PyUnicode_IS_ASCII(key) ? n : 0;
    node->text_mask = (uint32_t)low_bits(n < SHAPE_TEXT_BYTES ? n : SHAPE_TEXT_BYTES);
    return true;
}

static ALWAYS_INLINE struct shape_node **shape_bucket(struct shape_tree *tree,
                                                      const struct shape_node *parent,
                                                      PyObject *key) {
    const uint64_t mixed = (uint64_t)str_hash(key) ^ (uintptr_t)parent >> 4;
    return &tree->buckets[hash_of_number(mixed, SHAPE_BUCKET_BITS)];
}

/* The child of `parent` for a key, NULL where it has none. */
static inline struct shape_node *shape_tree_find(struct shape_tree *tree,
                                                 const struct shape_node *parent, PyObject *key) {
    struct shape_node *node = *shape_bucket(tree, parent, key);
    for (int i = 0; node != NULL && i < SHAPE_MAX_IN_BUCKET; i++) {
        if (node->parent == parent &&
            (node->key == key || PyUnicode_Compare(node->key, key) == 0)) {
            return node;
        }
        node = node->next_in_bucket;
    }
    return NULL;
}

/* A new node for the key after `parent`. NULL, without an exception, where there is no room, or the
 * key is too long or needs escapes. */
static struct shape_node *shape_node_new(struct shape_tree *tree, struct shape_node *parent,
                                         PyObject *key) {
    struct shape_node node = {
        .parent = parent,
        .n_keys = (uint8_t)(parent->n_keys + 1),
    };
    const size_t n_bytes = (size_t)PyUnicode_GET_LENGTH(key) * (size_t)PyUnicode_KIND(key);
    if (n_bytes > SHAPE_MAX_KEY_BYTES || !shape_node_spell(&node, key)) {
        return NULL;
    }
    if (n_bytes > SHAPE_MAX_BYTES_OF_KEYS - tree->n_bytes_of_keys) {
        tree->is_full = true;
        return NULL;
    }
    if (tree->blocks == NULL || tree->n_used == SHAPE_NODES_A_BLOCK) {
        struct shape_block *const block =
            tree->n_blocks < SHAPE_MAX_BLOCKS ? PyMem_Malloc(sizeof *block) : NULL;
        if (block == NULL) {
            tree->is_full = true;
            return NULL;
        }
        block->next = tree->blocks;
        tree->blocks = block;
        tree->n_blocks++;
        tree->n_used = 0;
    }
    struct shape_node **const bucket = shape_bucket(tree, parent, key);
    node.key = Py_NewRef(key);
    node.next_in_bucket = *bucket;
    tree->n_bytes_of_keys += n_bytes;
    struct shape_node *const kept = &tree->blocks->nodes[tree->n_used++];
    *kept = node;
    *bucket = kept;
    parent->next = kept;
    return kept;
}

/* Whether a sequence of keys was seen before; the keys have hashes, because they are in a dict. A
 * sequence that is seen twice is worth nodes; one that is seen once may be the keys of a map. */
static bool shape_tree_has_seen(struct shape_tree *tree, PyObject *const *pairs, size_t n_keys) {
    uint64_t mark = n_keys;
    for (size_t i = 0; i < n_keys; i++) {
        mark = hash_add(mark, (uint64_t)str_hash(pairs[2 * i]));
    }
    uint32_t *const seen = &tree->seen[mark % SHAPE_N_SEEN];
    const bool has_seen = *seen == (uint32_t)(mark >> 32);
    *seen = (uint32_t)(mark >> 32);
    return has_seen;
}

/* Learn the keys of an object that was closed, all different: pairs has keys and values in turn. */
static NOINLINE void shape_tree_learn(struct shape_tree *tree, PyObject *const *pairs,
                                      size_t n_keys) {
    if (n_keys > SHAPE_MAX_KEYS || !shape_tree_has_seen(tree, pairs, n_keys)) {
        return;
    }
    struct shape_node *node = &tree->root;
    for (size_t i = 0; i < n_keys; i++) {
        PyObject *const key = pairs[2 * i];
        struct shape_node *child = shape_tree_find(tree, node, key);
        if (child == NULL) {
            child = shape_node_new(tree, node, key);
        }
        if (child == NULL) {
            return;
        }
        node = child;
    }
}

/* Whether the SHAPE_TEXT_BYTES at p begin with the text of the node. */
static ALWAYS_INLINE bool shape_node_is_at(const struct shape_node *node, const uint8_t *p) {
    static_assert(SHAPE_TEXT_BYTES == sizeof(struct u8x32s), "compared at once");
    return (u8x32s_differences(p, node->text) & node->text_mask) == 0;
}

/* The template of objects that end at this node; NULL with an exception set. */
static COLD PyObject *shape_node_make_template(struct shape_node *node) {
    PyObject *keys[SHAPE_MAX_KEYS];
    const size_t n_keys = node->n_keys;
    const struct shape_node *ancestor = node;
    for (size_t i = n_keys; i > 0; i--) {
        keys[i - 1] = ancestor->key;
        ancestor = ancestor->parent;
    }
    PyObject *const template = dict_template_new(keys, n_keys);
    if (template != NULL && node->template == NULL) {
        node->template = template;
    } else {
        Py_XDECREF(template); /* a finaliser that decoded made it first */
    }
    return node->template;
}

#endif
