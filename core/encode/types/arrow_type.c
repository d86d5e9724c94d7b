/* SPDX-License-Identifier: MIT */
/* Types of Arrow, as its C data interface gives them: "i" for int32, "+l" for a list. */
#include "encode/types/arrow.h"

#include "encode/context.h"
#include "text/characters.h"

/* The formats that are a whole type. */
static const struct {
    char format[4];
    uint8_t kind; /* enum arrow_kind */
    char items;   /* kind and size of the items of numbers and times */
    uint8_t item_bytes;
    uint8_t unit; /* enum ndarray_unit */
    uint8_t offset_bytes;
} FORMATS[] = {
    {"n", ARROW_NULL, 0, 0, 0, 0},
    {"b", ARROW_BOOL, 0, 0, 0, 0},
    {"c", ARROW_NUMBER, 'i', 1, 0, 0},
    {"C", ARROW_NUMBER, 'u', 1, 0, 0},
    {"s", ARROW_NUMBER, 'i', 2, 0, 0},
    {"S", ARROW_NUMBER, 'u', 2, 0, 0},
    {"i", ARROW_NUMBER, 'i', 4, 0, 0},
    {"I", ARROW_NUMBER, 'u', 4, 0, 0},
    {"l", ARROW_NUMBER, 'i', 8, 0, 0},
    {"L", ARROW_NUMBER, 'u', 8, 0, 0},
    {"e", ARROW_NUMBER, 'f', 2, 0, 0},
    {"f", ARROW_NUMBER, 'f', 4, 0, 0},
    {"g", ARROW_NUMBER, 'f', 8, 0, 0},
    {"tdD", ARROW_MOMENT, 'M', 4, UNIT_DAY, 0},
    {"tdm", ARROW_DATE_MS, 'M', 8, UNIT_DAY, 0},
    {"tts", ARROW_TIME, 'i', 4, UNIT_SECOND, 0},
    {"ttm", ARROW_TIME, 'i', 4, UNIT_MILLISECOND, 0},
    {"ttu", ARROW_TIME, 'i', 8, UNIT_MICROSECOND, 0},
    {"ttn", ARROW_TIME, 'i', 8, UNIT_NANOSECOND, 0},
    {"tss", ARROW_MOMENT, 'M', 8, UNIT_SECOND, 0}, /* and a time zone after a colon, as the next */
    {"tsm", ARROW_MOMENT, 'M', 8, UNIT_MILLISECOND, 0},
    {"tsu", ARROW_MOMENT, 'M', 8, UNIT_MICROSECOND, 0},
    {"tsn", ARROW_MOMENT, 'M', 8, UNIT_NANOSECOND, 0},
    {"tDs", ARROW_DURATION, 'm', 8, UNIT_SECOND, 0},
    {"tDm", ARROW_DURATION, 'm', 8, UNIT_MILLISECOND, 0},
    {"tDu", ARROW_DURATION, 'm', 8, UNIT_MICROSECOND, 0},
    {"tDn", ARROW_DURATION, 'm', 8, UNIT_NANOSECOND, 0},
    {"u", ARROW_TEXT, 0, 0, 0, 4},
    {"U", ARROW_TEXT, 0, 0, 0, 8},
    {"vu", ARROW_TEXT_VIEW, 0, 0, 0, 0},
    {"z", ARROW_TEXT, 0, 0, 0, 4},
    {"Z", ARROW_TEXT, 0, 0, 0, 8},
    {"vz", ARROW_TEXT_VIEW, 0, 0, 0, 0},
    {"w", ARROW_TEXT_FIXED, 0, 0, 0, 0}, /* and a size after a colon */
    {"+l", ARROW_LIST, 0, 0, 0, 4},
    {"+L", ARROW_LIST, 0, 0, 0, 8},
    {"+vl", ARROW_LIST_VIEW, 0, 0, 0, 4},
    {"+vL", ARROW_LIST_VIEW, 0, 0, 0, 8},
    {"+w", ARROW_LIST_FIXED, 0, 0, 0, 0}, /* and a size after a colon */
    {"+s", ARROW_STRUCT, 0, 0, 0, 0},
    {"+m", ARROW_LIST, 0, 0, 0, 4}, /* a map is a list of pairs */
};
#define N_FORMATS (sizeof FORMATS / sizeof *FORMATS)

/* What the reading of one type shares. */
struct reader {
    const struct encode_options *options;
    size_t n_nodes;
};

/* ---- errors -------------------------------------------------------------------------------- */

/* Refuse a type that has no form: what and why, with the format and the name of the field. */
static COLD enum opened refuse_type(const struct arrow_schema *schema, const char *why) {
    const char *const name = schema->name != NULL ? schema->name : "";
    PyErr_Format(PyExc_ValueError, "Arrow's type \"%.60s\"%s%.60s%s %s", schema->format,
                 *name != '\0' ? " of \"" : "", name, *name != '\0' ? "\"" : "", why);
    return OPENED_REFUSED;
}

static COLD enum opened fail_type(const char *what) {
    PyErr_Format(PyExc_ValueError, "Arrow's schema %s", what);
    return OPENED_FAILED;
}

/* ---- one type ------------------------------------------------------------------------------ */

/* Read the size after the colon of "w:16" or "+w:3"; false for another text. */
static bool read_size(const char *text, int64_t *size) {
    *size = 0;
    const char *at = text;
    for (; is_digit(*at) && *size <= INT32_MAX; at++) {
        *size = 10 * *size + (*at - '0');
    }
    return at != text && *at == '\0' && *size <= INT32_MAX;
}

/* Read the part of a format after its colon; false where it is malformed. */
static bool read_rest(struct arrow_node *node, const char *rest) {
    if (node->kind == ARROW_TEXT_FIXED || node->kind == ARROW_LIST_FIXED) {
        return *rest == ':' && read_size(rest + 1, &node->fixed_size);
    }
    if (node->kind == ARROW_MOMENT && node->items.unit >= UNIT_SECOND) {
        node->is_utc = *rest == ':' && rest[1] != '\0';
        return *rest == ':';
    }
    return *rest == '\0';
}

/* Read a format, without the types within it. */
static enum opened read_format(const struct reader *reader, struct arrow_node *node,
                               const struct arrow_schema *schema) {
    const char *const format = schema->format;
    const size_t n = strcspn(format, ":");
    for (size_t i = 0; i < N_FORMATS; i++) {
        if (n >= sizeof FORMATS[i].format || strlen(FORMATS[i].format) != n ||
            memcmp(format, FORMATS[i].format, n) != 0) {
            continue;
        }
        node->kind = (enum arrow_kind)FORMATS[i].kind;
        node->offset_bytes = FORMATS[i].offset_bytes;
        node->items = (struct ndarray){.kind = FORMATS[i].items,
                                       .item_bytes = FORMATS[i].item_bytes,
                                       .unit = (enum ndarray_unit)FORMATS[i].unit,
                                       .n_units = 1};
        if (!read_rest(node, format + n)) {
            break;
        }
        const bool is_bytes = format[n - 1] == 'z' || format[n - 1] == 'Z' || *format == 'w';
        node->bytes = is_bytes ? reader->options->native.bytes : BYTES_UTF8;
        if (node->bytes == BYTES_OFF) {
            return refuse_type(schema,
                               "holds bytes: the option bytes writes them, as UTF-8 or in base64");
        }
        if (node->kind == ARROW_DURATION && reader->options->native.timedelta == TIMEDELTA_OFF) {
            return refuse_type(schema, "holds durations: the option timedelta writes them");
        }
        return OPENED;
    }
    return refuse_type(schema, "is not written: cast it to another one, or give a default");
}

static enum opened read_type(struct reader *reader, struct arrow_node *node,
                             const struct arrow_schema *schema, int depth);

/* ---- types within types -------------------------------------------------------------------- */

/* The name of a field as it is written, bytes, a new reference; NULL with an exception set. */
static PyObject *read_key(const struct reader *reader, const char *name, PyObject *known) {
    PyObject *key = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), NULL);
    const struct encode_options *const options = reader->options;
    if (key != NULL && options->key_case != KEY_AS_IT_IS) {
        Py_SETREF(key, key_case_get(context_key_cases(options->context), key, options->key_case));
    }
    if (key == NULL) {
        return NULL;
    }
    const int is_known = PySet_Contains(known, key);
    PyObject *bytes = NULL;
    if (is_known > 0) {
        PyErr_Format(PyExc_ValueError, "two fields of an Arrow struct or table have the key %R",
                     key);
    } else if (is_known == 0 && PySet_Add(known, key) == 0) {
        bytes = PyUnicode_AsUTF8String(key);
    }
    Py_DECREF(key);
    return bytes;
}

/* By the keys, whose bytes are in the order of their code points. */
static int compare_fields(const void *left, const void *right) {
    PyObject *const a = ((const struct arrow_node *)left)->key;
    PyObject *const b = ((const struct arrow_node *)right)->key;
    const size_t n_a = (size_t)PyBytes_GET_SIZE(a);
    const size_t n_b = (size_t)PyBytes_GET_SIZE(b);
    const int order = memcmp(PyBytes_AS_STRING(a), PyBytes_AS_STRING(b), n_a < n_b ? n_a : n_b);
    return order != 0 ? order : (n_a > n_b) - (n_a < n_b);
}

static enum opened read_keys(const struct reader *reader, struct arrow_node *node,
                             const struct arrow_schema *schema) {
    PyObject *const known = PySet_New(NULL);
    bool is_good = known != NULL;
    for (int64_t i = 0; i < node->n_children && is_good; i++) {
        const char *const name = schema->children[i]->name;
        node->children[i].key = read_key(reader, name != NULL ? name : "", known);
        is_good = node->children[i].key != NULL;
    }
    Py_XDECREF(known);
    if (is_good && reader->options->sort_keys && node->n_children > 1) {
        qsort(node->children, (size_t)node->n_children, sizeof *node->children, compare_fields);
    }
    return is_good ? OPENED : OPENED_FAILED;
}

/* Read n types within a type. */
static enum opened read_children(struct reader *reader, struct arrow_node *node,
                                 struct arrow_schema *const *schemas, int64_t n, int depth) {
    if (n == 0) {
        return OPENED;
    }
    if (n < 0 || (uint64_t)n > ARROW_MAX_NODES - reader->n_nodes) {
        return fail_type("has more than 131072 types");
    }
    if (depth == ARROW_MAX_DEPTH) {
        return fail_type("is nested deeper than 64 levels");
    }
    if (schemas == NULL) {
        return fail_type("lacks types of children");
    }
    reader->n_nodes += (size_t)n;
    node->children = PyMem_Calloc((size_t)n, sizeof *node->children);
    if (node->children == NULL) {
        PyErr_NoMemory();
        return OPENED_FAILED;
    }
    node->n_children = n;
    enum opened opened = OPENED;
    for (int64_t i = 0; i < n && opened == OPENED; i++) {
        node->children[i].number = i;
        opened = read_type(reader, &node->children[i], schemas[i], depth + 1);
    }
    return opened;
}

static enum opened read_type(struct reader *reader, struct arrow_node *node,
                             const struct arrow_schema *schema, int depth) {
    if (schema == NULL || schema->format == NULL) {
        return fail_type("lacks a type");
    }
    enum opened opened = read_format(reader, node, schema);
    if (opened != OPENED) {
        return opened;
    }
    if (schema->dictionary != NULL) {
        if (node->kind != ARROW_NUMBER || node->items.kind == 'f') {
            return fail_type("has a dictionary whose indices are no ints");
        }
        node->kind = ARROW_DICTIONARY;
        return read_children(reader, node, &schema->dictionary, 1, depth);
    }
    const bool is_list = node->kind >= ARROW_LIST && node->kind <= ARROW_LIST_FIXED;
    if (node->kind != ARROW_STRUCT && schema->n_children != is_list) {
        return fail_type("has another number of children than its format has");
    }
    opened = read_children(reader, node, schema->children, schema->n_children, depth);
    if (opened == OPENED && strcmp(schema->format, "+m") == 0) {
        struct arrow_node *const entries = node->children;
        if (entries->kind != ARROW_STRUCT || entries->n_children != 2) {
            return fail_type("has a map whose entries are no pairs");
        }
        entries->kind = ARROW_PAIR;
    }
    return opened == OPENED && node->kind == ARROW_STRUCT ? read_keys(reader, node, schema)
                                                          : opened;
}

enum opened arrow_read_type(const struct encode_options *options, struct arrow_node *node,
                            const struct arrow_schema *schema) {
    struct reader reader = {.options = options, .n_nodes = 1};
    return read_type(&reader, node, schema, 0);
}

void arrow_free_type(struct arrow_node *node) {
    for (int64_t i = 0; i < node->n_children; i++) {
        arrow_free_type(&node->children[i]);
    }
    PyMem_Free(node->children);
    node->children = NULL;
    node->n_children = 0;
    Py_CLEAR(node->key);
}
