/* SPDX-License-Identifier: MIT */
/* A container that is being walked: the object, the position, and the references that the walk
 * owns. */
#ifndef SSRJSON_ENCODE_FRAME_H
#define SSRJSON_ENCODE_FRAME_H

#include "encode/pairs.h"

enum frame_kind {
    FRAME_LIST,
    FRAME_TUPLE,
    FRAME_DICT,        /* its entries are read in place */
    FRAME_DICT_SLOWLY, /* read by PyDict_Next; `index` is its position */
    FRAME_PAIRS,       /* a copy of a dict's pairs, perhaps sorted */
    FRAME_ITEMS,       /* a list of (key, value) tuples that replaces a dict */
    FRAME_ITERATOR,    /* items come one by one and are released once they are written */
    FRAME_MODEL,       /* the fields of an object, by its plan */
    FRAME_DEFAULT,     /* a value that replaces an object: a default hook's, an Enum's */
};

struct frame {
    union {
        PyObject *items; /* list, tuple, dict, iterator, plan, or the value of FRAME_DEFAULT */
        struct pairs *pairs;
    };
    PyObject *object;      /* the caller's object, for the check of circular references */
    PyObject *held;        /* owned: the current item where nothing else keeps it, or NULL */
    Py_ssize_t index;      /* the next item, entry or field */
    Py_ssize_t n_expected; /* number of entries that a streamed dict must keep */
    enum frame_kind kind;
    bool is_owning;         /* owns items and object */
    bool has_holdings;      /* something must be released: references, pairs, a held item */
    bool is_made_by_python; /* its items were returned by a hook or an overridden method */
    bool is_final;          /* its content is written by stdlib's rules, and no hook is called */
    bool has_output;        /* an item has been written */
};

static inline void frame_take_references(struct frame *frame) {
    Py_INCREF(frame->items);
    Py_INCREF(frame->object);
    frame->is_owning = true;
    frame->has_holdings = true;
}

/* Take references to all that the frame borrows; false with MemoryError set. A dict that is read in
 * place is replaced by its pairs, from the current one on. */
static inline bool frame_own(struct frame *frame) {
    switch (frame->kind) {
    case FRAME_PAIRS:
        if (!frame->is_owning) {
            Py_INCREF(frame->object);
            pairs_own_from(frame->pairs, frame->index > 0 ? frame->index - 1 : 0);
            frame->is_owning = true;
        }
        return true;
    case FRAME_DICT:
    case FRAME_DICT_SLOWLY: {
        if (frame->is_owning) {
            return true;
        }
        /* before the first entry there is no current one */
        const Py_ssize_t n_under_way = frame->index > 0;
        struct pairs *const pairs = pairs_from_dict(frame->items, frame->index - n_under_way);
        if (pairs == NULL) {
            return false;
        }
        pairs_own_from(pairs, 0);
        Py_INCREF(frame->object);
        frame->pairs = pairs;
        frame->kind = FRAME_PAIRS;
        frame->index = n_under_way;
        frame->is_owning = true;
        frame->has_holdings = true;
        return true;
    }
    default:
        if (!frame->is_owning) {
            frame_take_references(frame);
        }
        return true;
    }
}

/* Release what the frame owns. */
static inline void frame_release(const struct frame *frame) {
    if (frame->kind == FRAME_PAIRS) {
        pairs_free(frame->pairs);
    } else if (frame->is_owning) {
        Py_DECREF(frame->items);
    }
    Py_XDECREF(frame->held);
    if (frame->is_owning) {
        Py_DECREF(frame->object);
    }
}

#endif
