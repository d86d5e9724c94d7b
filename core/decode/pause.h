/* SPDX-License-Identifier: MIT */
/* The decoding of a document that has not arrived as a whole: where it stopped, and what it has so
 * far. The decoder of the next part takes the values and containers from here and continues.
 *
 * The parser does not know that the text may go on, and fails where it ends. Then pause_find
 * decides whether more text could make the document valid, and where the parser must continue: at
 * the end of the text, or at the beginning of a string, number or literal that is cut. */
#ifndef SSRJSON_DECODE_PAUSE_H
#define SSRJSON_DECODE_PAUSE_H

#include "base/error.h"
#include "pyobject/python.h"

struct shape_node;

enum container_kind {
    CONTAINER_DOCUMENT, /* around the outermost value */
    CONTAINER_LIST,
    CONTAINER_KEYED,  /* an object: keys and values in turn */
    CONTAINER_SHAPED, /* an object whose keys are those of a node: values only */
};

/* A list or an object that the decoder has opened and not yet closed. */
struct container {
    size_t first_value; /* index into values */
    /* of a shaped object: the node of its newest key. Of others: the node under which the shapes of
     * inner objects are expected; NULL where no shapes are learnt */
    struct shape_node *node;
    size_t begin; /* the index of the opening bracket in the source */
    enum container_kind kind;
    bool holds_containers;
};

/* Whether a container is an object with a shape. There are none where the layout of dicts is not
 * known: see decode_shapes. */
static ALWAYS_INLINE bool container_is_shaped(const struct container *container) {
    return KNOWS_LAYOUTS && container->kind == CONTAINER_SHAPED;
}

/* The node under which the shapes of inner objects are expected; NULL where none are learnt. */
static ALWAYS_INLINE struct shape_node *container_context(const struct container *container) {
    return KNOWS_LAYOUTS ? container->node : NULL;
}

/* What the parser expects at the position. */
enum place {
    PLACE_VALUE,
    PLACE_FIRST_ITEM, /* a value, or the end of the list that has just begun */
    PLACE_FIRST_KEY,  /* a key, or the end of the object that has just begun */
    PLACE_KEY,
    PLACE_COLON,
    PLACE_AFTER_VALUE, /* a comma, or the end of the container */
};

struct pause {
    enum place place;
    size_t position;    /* of the first unit that is to be read again */
    size_t last_token;  /* the index of the last unit before the position that is no white space; 0
                           where there is none. The text is kept from there on, because the error of
                           a missing value after a comma is at the comma */
    bool is_in_comment; /* the text ends in a comment, or in what may begin one; it is read again
                           from its first unit on */
    bool is_last;       /* no more text will come: an unfinished document is an error */
    PyObject **values;  /* owned; NULL at first, and while a decoder has them */
    size_t n_values;
    size_t values_capacity;
    struct container *containers; /* owned, or NULL where values is; the first is the document */
    size_t n_open;                /* containers after the first */
    size_t containers_capacity;
    PyObject *keys; /* owned dict: decoder.keys */
};

/* Whether more text could make the document valid in spite of the decoder's error. Its innermost
 * container and number of values are given. If so, the place and the position are put into the
 * pause. */
bool pause_find(struct pause *pause, const struct error *error, const uint8_t *text, size_t length,
                const struct container *container, size_t n_values);

/* Give open objects their keys, so that no node of the tree of shapes is needed any more; false
 * with MemoryError set. Only the innermost containers have nodes, so that the time does not depend
 * on the depth. */
bool pause_leave_shapes(struct pause *pause);

/* The number of values of open container i, from 1 on; of an object keys count, too. */
static inline size_t pause_n_values_of(const struct pause *pause, size_t i) {
    const size_t end = i < pause->n_open ? pause->containers[i + 1].first_value : pause->n_values;
    return end - pause->containers[i].first_value;
}

int pause_traverse(const struct pause *pause, visitproc visit, void *arg);

/* Release everything; the pause is that of a new document afterwards. */
void pause_clear(struct pause *pause);

#endif
