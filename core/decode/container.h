/* SPDX-License-Identifier: MIT */
/* A list or an object that the decoder has opened and not yet closed. */
#ifndef SSRJSON_DECODE_CONTAINER_H
#define SSRJSON_DECODE_CONTAINER_H

#include "pyobject/python.h"

struct shape_node;

enum container_kind {
    CONTAINER_DOCUMENT, /* around the outermost value */
    CONTAINER_LIST,
    CONTAINER_KEYED,  /* an object: keys and values in turn */
    CONTAINER_SHAPED, /* an object whose keys are those of a node: values only */
};

struct container {
    size_t first_value; /* index into values */
    /* shaped: the node of the newest key. Otherwise where the shapes of inner objects are expected,
     * NULL where no shapes are learnt */
    struct shape_node *node;
    size_t begin; /* the index of the opening bracket in the source */
    enum container_kind kind;
    bool holds_containers;
    bool has_no_short_ints; /* a list of which the third item, or one after an int, was none */
};

/* Whether an object has a shape. None has where the layout of dicts is not known: see
 * decode_shapes. */
static ALWAYS_INLINE bool container_is_shaped(const struct container *container) {
    return KNOWS_LAYOUTS && container->kind == CONTAINER_SHAPED;
}

/* Where the shapes of inner objects are expected; NULL where no shapes are learnt. */
static ALWAYS_INLINE struct shape_node *container_context(const struct container *container) {
    return KNOWS_LAYOUTS ? container->node : NULL;
}

#endif
