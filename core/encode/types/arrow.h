/* SPDX-License-Identifier: MIT */
/* Arrays and tables of Apache Arrow (pyarrow, polars, nanoarrow and others), read through Arrow's C
 * data interface: the export of an object, and what its type and its memory say.
 *
 * The interface gives lengths and offsets of arrays, but not the sizes of their buffers. What can
 * be checked is checked: all else is the exporting library's promise. */
#ifndef SSRJSON_ENCODE_TYPES_ARROW_H
#define SSRJSON_ENCODE_TYPES_ARROW_H

#include "encode/options.h"
#include "encode/types/tensor.h"

/* ---- the structs of the C data interface and of the C stream interface --------------------- */

struct arrow_schema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct arrow_schema **children;
    struct arrow_schema *dictionary;
    void (*release)(struct arrow_schema *); /* NULL: released before */
    void *private_data;
};

struct arrow_array {
    int64_t length;
    int64_t null_count;
    int64_t offset; /* number of items in the buffers before the first */
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct arrow_array **children;
    struct arrow_array *dictionary;
    void (*release)(struct arrow_array *); /* NULL: released before, or the end of a stream */
    void *private_data;
};

struct arrow_stream {
    int (*get_schema)(struct arrow_stream *, struct arrow_schema *);
    int (*get_next)(struct arrow_stream *, struct arrow_array *);
    const char *(*get_last_error)(struct arrow_stream *);
    void (*release)(struct arrow_stream *);
    void *private_data;
};

/* ---- a type, and an array of it ------------------------------------------------------------ */

/* Levels of lists, structs and dictionaries in a type. */
#define ARROW_MAX_DEPTH 64
/* Types in a type: the columns of a table, and all within them. */
#define ARROW_MAX_NODES ((size_t)1 << 17)

/* How an item is written. */
enum arrow_kind {
    ARROW_NULL,
    ARROW_BOOL,
    ARROW_NUMBER,  /* ints and floats, written in runs */
    ARROW_MOMENT,  /* a date or a timestamp */
    ARROW_DATE_MS, /* a date in milliseconds */
    ARROW_TIME,
    ARROW_DURATION,
    ARROW_TEXT,       /* between two offsets; bytes, too */
    ARROW_TEXT_VIEW,  /* in the view, or in one of several buffers */
    ARROW_TEXT_FIXED, /* of one size */
    ARROW_LIST,       /* between two offsets */
    ARROW_LIST_VIEW,  /* by an offset and a size */
    ARROW_LIST_FIXED, /* of one size */
    ARROW_STRUCT,     /* an object */
    ARROW_PAIR,       /* an entry of a map, as an array */
    ARROW_DICTIONARY, /* by its index in another array */
};

struct arrow_node {
    enum arrow_kind kind;
    uint8_t offset_bytes;    /* of offsets and sizes: 4 or 8 */
    bool is_utc;             /* of ARROW_MOMENT: it has a time zone, so it counts in UTC */
    enum bytes_format bytes; /* of bytes; BYTES_OFF: text */
    struct ndarray items;    /* what numbers, times and indices of a dictionary are; not opened */
    int64_t fixed_size;      /* items of a list, bytes of a text */
    PyObject *key;           /* owned bytes: the name of a struct's field, as it is written */
    int64_t number;          /* the place among the fields of the struct, before they are sorted */
    struct arrow_node *children; /* owned: the fields, the items of lists, or the dictionary */
    int64_t n_children;

    /* the array that is being written: borrowed */
    int64_t length;
    int64_t offset;
    int64_t n_buffers;
    const uint8_t *validity; /* a bit for each item; NULL: none is null */
    const void **buffers;
};

/* An object that exports an array, or a stream of arrays. */
struct arrow {
    PyObject *source;            /* owned */
    PyObject *capsules;          /* owned: that of the stream, or the tuple of schema and array */
    struct arrow_stream *stream; /* NULL: one array, `next` */
    struct arrow_array *next;
    struct arrow_array chunk; /* owned, where it has a release: the array of the stream under way */
    struct arrow_node root;
};

/* Open an object by its __arrow_c_stream__, or by its __arrow_c_array__, and read its type. May run
 * Python code. */
enum opened arrow_open(const struct encode_options *options, struct arrow **arrow,
                       PyObject *source);

/* Read a type, depth levels deep. */
enum opened arrow_read_type(const struct encode_options *options, struct arrow_node *node,
                            const struct arrow_schema *schema);
void arrow_free_type(struct arrow_node *node);

/* Take the next array, which the root then describes: 1, 0 at the end, -1 with an exception set.
 * May run Python code. */
int arrow_next(struct arrow *arrow);

/* Release what was exported. May run Python code; an exception that is set stays so. */
void arrow_close(struct arrow *arrow);

/* ---- items --------------------------------------------------------------------------------- */

/* The functions below take the place of an item in the buffers: its index and the offset. */

static ALWAYS_INLINE bool arrow_is_valid(const struct arrow_node *node, int64_t place) {
    return node->validity == NULL || node->validity[place >> 3] >> (place & 7) & 1;
}

/* Number `place` of the offsets or sizes in a buffer. */
static ALWAYS_INLINE int64_t arrow_offset(const struct arrow_node *node, int buffer,
                                          int64_t place) {
    const char *const offsets = node->buffers[buffer];
    return node->offset_bytes == 4 ? (int32_t)load_u32(offsets + 4 * place)
                                   : (int64_t)load_u64(offsets + 8 * place);
}

static ALWAYS_INLINE const char *arrow_item(const struct arrow_node *node, int64_t place) {
    return (const char *)node->buffers[1] + place * node->items.item_bytes;
}

/* The index in its dictionary; what is beyond 63 bits is negative. */
static inline int64_t arrow_index(const struct arrow_node *node, int64_t place) {
    const char *const item = arrow_item(node, place);
    return node->items.kind == 'u' ? (int64_t)ndarray_load_bits(item, node->items.item_bytes, false)
                                   : ndarray_load_signed(item, node->items.item_bytes, false);
}

/* Whether the item of an array is written as null. */
static inline bool arrow_is_null(const struct arrow_node *node, int64_t index) {
    for (;;) {
        if (node->kind == ARROW_NULL || !arrow_is_valid(node, node->offset + index)) {
            return true;
        }
        if (node->kind != ARROW_DICTIONARY) {
            return false;
        }
        index = arrow_index(node, node->offset + index);
        node = node->children;
        if (index < 0 || index >= node->length) {
            return false; /* an error, when it is written */
        }
    }
}

/* The bytes of a text: false where the array leads outside of what it describes. */
static inline bool arrow_text(const struct arrow_node *node, int64_t place, const char **text,
                              int64_t *n_bytes) {
    if (node->kind == ARROW_TEXT_FIXED) {
        *n_bytes = node->fixed_size;
        *text =
            node->fixed_size != 0 ? (const char *)node->buffers[1] + place * node->fixed_size : "";
        return true;
    }
    if (node->kind == ARROW_TEXT) {
        const int64_t begin = arrow_offset(node, 1, place);
        const int64_t end = arrow_offset(node, 1, place + 1);
        *n_bytes = 0;
        *text = "";
        if (begin == end) {
            return true;
        }
        if (begin < 0 || end < begin || node->buffers[2] == NULL) {
            return false;
        }
        *n_bytes = end - begin;
        *text = (const char *)node->buffers[2] + begin;
        return true;
    }
    /* a size; then up to twelve bytes, or a prefix, the number of a buffer and the place in it */
    const char *const view = (const char *)node->buffers[1] + 16 * place;
    *n_bytes = (int32_t)load_u32(view);
    *text = view + 4;
    if (*n_bytes <= 12) {
        return *n_bytes >= 0;
    }
    const int64_t number = (int32_t)load_u32(view + 8);
    const int64_t begin = (int32_t)load_u32(view + 12);
    const int64_t n_data = node->n_buffers - 3; /* the last buffer has the sizes of these */
    if (number < 0 || number >= n_data || begin < 0) {
        return false;
    }
    const int64_t size =
        (int64_t)load_u64((const char *)node->buffers[node->n_buffers - 1] + 8 * number);
    *text = (const char *)node->buffers[2 + number] + begin;
    return begin <= size && *n_bytes <= size - begin && node->buffers[2 + number] != NULL;
}

/* The items of a list, in the child: false where the array leads outside of it. */
static inline bool arrow_list(const struct arrow_node *node, int64_t place, int64_t *begin,
                              int64_t *n) {
    if (node->kind == ARROW_LIST_FIXED) {
        *n = node->fixed_size;
        *begin = place * node->fixed_size;
    } else {
        *begin = arrow_offset(node, 1, place);
        *n = arrow_offset(node, node->kind == ARROW_LIST ? 1 : 2,
                          place + (node->kind == ARROW_LIST));
        if (*begin < 0 || *n < 0) {
            return false;
        }
        *n -= node->kind == ARROW_LIST ? *begin : 0;
    }
    return *n >= 0 && *begin <= node->children->length && *n <= node->children->length - *begin;
}

#endif
