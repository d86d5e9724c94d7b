/* SPDX-License-Identifier: MIT */
/* A container that is being walked: the object, the position, and the references that the walk
 * owns. */
#ifndef SSRJSON_ENCODE_FRAME_H
#define SSRJSON_ENCODE_FRAME_H

#include "encode/model/plan.h"
#include "encode/pairs.h"
#include "pyobject/instance.h"

enum __attribute__((packed)) frame_kind {
    FRAME_LIST,
    FRAME_TUPLE,
    FRAME_DICT,
    FRAME_PAIRS,        /* a copy of a dict's pairs, perhaps sorted */
    FRAME_ITEMS,        /* a list of (key, value) tuples that replaces a dict */
    FRAME_ITERATOR,     /* items come one by one and are released once they are written */
    FRAME_MODEL,        /* the fields of an object, by its plan */
    FRAME_MODEL_PARTLY, /* the fields of an object, of which the options may leave some out */
    FRAME_OBJECT,       /* the fields of an object, read in place. `items` is its plan, borrowed. It
                           always has a layout: frame_pack makes it a FRAME_MODEL */
    FRAME_REPLACEMENT,  /* a value that replaces an object: a default hook's, an Enum's */
};

/* How the walk reads the entries of the frame on top. Those of a frame without a layout are pulled:
 * encoder_next gives them one by one. */
enum __attribute__((packed)) frame_layout {
    LAYOUT_NONE,  /* `index` says where the next item is */
    LAYOUT_LINES, /* in a struct top only: one of those below, in text with lines for entries or a
                     long item separator */
    LAYOUT_ITEMS, /* an array of values */
    LAYOUT_STR_PAIRS, /* keys that are strs of no subclass, each with its value, none missing */
    LAYOUT_SHARED,    /* such keys, with their values in an array of their own */
    LAYOUT_PAIRS,     /* entries that end with a key and a value; the value is NULL where the entry
                         was deleted, and the key may be of any type */
};
#define STR_PAIR_BYTES (2 * sizeof(PyObject *))
_Static_assert(sizeof(struct pair) == STR_PAIR_BYTES, "read as a dict's entries");

struct frame {
    union {
        PyObject *items; /* list, tuple, dict, iterator, plan, or the value of FRAME_REPLACEMENT */
        struct pairs *pairs;
    };
    PyObject *object; /* the caller's object, for the check of circular references */
    PyObject *held;   /* owned: the current item where nothing else keeps it, or NULL */
    union {
        Py_ssize_t index; /* the next item, entry or field */
        const char *at;   /* of a frame with a layout: the next entry */
    };
    const char *end; /* of a frame with a layout: of its entries */
    union {
        Py_ssize_t n_expected;   /* number of entries that a streamed dict must keep */
        size_t entry_bytes;      /* of LAYOUT_PAIRS */
        uintptr_t values;        /* of LAYOUT_SHARED: see top_next_shared_pair */
        const struct plan *plan; /* of FRAME_MODEL: the same as `items` */
    };
    /* small, so that they are stored together when a container is entered */
    enum frame_kind kind;
    enum frame_layout layout;
    bool is_in_place;       /* the frame gets a layout; otherwise its entries are pulled */
    bool is_packed;         /* neither this frame nor any below it has a layout */
    bool is_owning;         /* owns items and object */
    bool has_holdings;      /* something must be released: references, pairs, a held item */
    bool is_made_by_python; /* its items were returned by a hook or an overridden method */
    bool is_of_attributes;  /* of FRAME_PAIRS: they were attributes, read by a plan */
    bool is_final;          /* its content is written by stdlib's rules, and no hook is called */
    bool has_output; /* an item has been written. While a frame has a layout, kept for LAYOUT_PAIRS
                        only: of the others the position tells it */
};

/* Begin a frame that borrows its container, at its first item. */
static ALWAYS_INLINE void frame_begin(struct frame *frame, PyObject *container,
                                      enum frame_kind kind, enum frame_layout layout,
                                      bool is_in_place) {
    frame->items = container;
    frame->object = container;
    frame->held = NULL;
    frame->kind = kind;
    frame->layout = layout;
    frame->is_in_place = is_in_place;
    frame->is_packed = false;
    frame->is_owning = false;
    frame->has_holdings = false;
    frame->is_made_by_python = false;
    frame->is_final = false;
    frame->has_output = false;
}

/* The entries of a container that is read in place. */
static ALWAYS_INLINE struct dict_entries frame_entries(const struct frame *frame) {
    struct dict_entries entries = {.entry_bytes = sizeof(PyObject *)};
    if (frame->kind == FRAME_LIST) {
        entries.first = (const char *)((PyListObject *)frame->items)->ob_item;
        entries.n = PyList_GET_SIZE(frame->items);
    } else if (frame->kind == FRAME_TUPLE) {
        entries.first = (const char *)((PyTupleObject *)frame->items)->ob_item;
        entries.n = PyTuple_GET_SIZE(frame->items);
    } else if (frame->kind == FRAME_PAIRS) {
        entries.first = (const char *)frame->pairs->pair;
        entries.n = frame->pairs->n;
        entries.entry_bytes = sizeof *frame->pairs->pair;
    } else {
        assert(frame->kind == FRAME_DICT);
        entries = dict_entries(frame->items);
    }
    return entries;
}

/* Give a frame whose container is read in place its layout. From here on nothing may change the
 * container until the frame is packed. */
static ALWAYS_INLINE void frame_unpack(struct frame *frame) {
    assert(frame->is_in_place && frame->layout == LAYOUT_NONE);
    const struct dict_entries entries = frame_entries(frame);
    const Py_ssize_t n = entries.n;
    frame->is_packed = false;
    if (frame->kind == FRAME_LIST || frame->kind == FRAME_TUPLE) {
        frame->layout = LAYOUT_ITEMS;
    } else if (UNLIKELY(entries.values != NULL)) {
        frame->layout = LAYOUT_SHARED;
        frame->values = (uintptr_t)entries.values - (uintptr_t)entries.first / 2;
    } else if (frame->kind == FRAME_PAIRS
                   ? frame->pairs->are_keys_exact_strs
                   : entries.entry_bytes == STR_PAIR_BYTES && n == PyDict_GET_SIZE(frame->items)) {
        frame->layout = LAYOUT_STR_PAIRS;
    } else {
        frame->layout = LAYOUT_PAIRS;
        frame->entry_bytes = entries.entry_bytes;
    }
    const Py_ssize_t n_before = frame->index < n ? frame->index : n; /* a list may have shrunk */
    frame->at = entries.first;
    frame->end = entries.first;
    if (LIKELY(n > 0)) { /* otherwise a list may have no memory */
        frame->at += (size_t)n_before * entries.entry_bytes;
        frame->end += (size_t)n * entries.entry_bytes;
    }
}

static inline void frame_take_references(struct frame *frame) {
    Py_INCREF(frame->items);
    Py_INCREF(frame->object);
    frame->is_owning = true;
    frame->has_holdings = true;
}

/* Make a frame of FRAME_OBJECT one of FRAME_MODEL, which holds the field under way and reads the
 * others when their turn comes. */
static inline void frame_leave_object(struct frame *frame) {
    struct dict_entries fields = {.entry_bytes = STR_PAIR_BYTES};
    object_own_entries(frame->object, &fields);
    const size_t n_taken = (size_t)(frame->at - fields.first) / STR_PAIR_BYTES;
    frame->held = n_taken > 0 ? Py_NewRef(fields.values[n_taken - 1]) : NULL;
    frame->index = (Py_ssize_t)n_taken;
    frame->has_output = n_taken > 0;
    frame->kind = FRAME_MODEL;
    frame->plan = (const struct plan *)frame->items;
    frame->layout = LAYOUT_NONE;
    frame->is_in_place = false;
    frame_take_references(frame);
}

/* Note the position in a frame so that its container may change. */
static inline void frame_pack(struct frame *frame) {
    if (frame->kind == FRAME_OBJECT) {
        frame_leave_object(frame);
    }
    if (frame->layout != LAYOUT_NONE) {
        const struct dict_entries entries = frame_entries(frame);
        frame->index = (Py_ssize_t)((size_t)(frame->at - entries.first) / entries.entry_bytes);
        frame->has_output |= frame->layout != LAYOUT_PAIRS && frame->index > 0;
        frame->layout = LAYOUT_NONE;
    }
    frame->is_packed = true;
}

/* Take references to all that a packed frame borrows; false with MemoryError set. A dict that is
 * read in place is replaced by its pairs, from the current one on. */
static inline bool frame_own(struct frame *frame) {
    assert(frame->layout == LAYOUT_NONE);
    switch (frame->kind) {
    case FRAME_PAIRS:
        if (!frame->is_owning) {
            Py_INCREF(frame->object);
            pairs_own_from(frame->pairs, frame->index > 0 ? frame->index - 1 : 0);
            frame->is_owning = true;
        }
        return true;
    case FRAME_DICT: {
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
        frame->is_of_attributes = false;
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
