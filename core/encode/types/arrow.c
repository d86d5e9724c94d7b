/* SPDX-License-Identifier: MIT */
#include "encode/types/arrow.h"

#include "encode/context.h"

/* ---- the export of an object --------------------------------------------------------------- */

/* The struct in a capsule of an object's method, which keeps it; NULL with an exception set. */
static void *capsule_struct(PyObject *capsule, const char *name, PyObject *source) {
    if (PyCapsule_IsValid(capsule, name)) {
        return PyCapsule_GetPointer(capsule, name);
    }
    PyErr_Format(PyExc_TypeError, "%.200s must export a capsule \"%s\", not %.200s",
                 Py_TYPE(source)->tp_name, name, Py_TYPE(capsule)->tp_name);
    return NULL;
}

static COLD enum opened refuse_released(PyObject *source) {
    PyErr_Format(PyExc_ValueError, "%.200s exported what was released before",
                 Py_TYPE(source)->tp_name);
    return OPENED_FAILED;
}

/* Raise what a stream says about its failure. */
static COLD void raise_stream_error(struct arrow_stream *stream, int status) {
    if (PyErr_Occurred()) {
        return;
    }
    const char *const text = stream->get_last_error != NULL ? stream->get_last_error(stream) : NULL;
    PyErr_Format(PyExc_ValueError, "Arrow's stream failed with error %d: %.500s", status,
                 text != NULL ? text : "it gives no reason");
}

/* A stream may wait for a thread that needs the GIL, so it is called without. */

static enum opened open_stream(const struct encode_options *options, struct arrow *arrow) {
    struct arrow_stream *const stream =
        capsule_struct(arrow->capsules, "arrow_array_stream", arrow->source);
    if (stream == NULL) {
        return OPENED_FAILED;
    }
    if (stream->release == NULL || stream->get_schema == NULL || stream->get_next == NULL) {
        return refuse_released(arrow->source);
    }
    arrow->stream = stream;
    struct arrow_schema schema = {0};
    int status;
    Py_BEGIN_ALLOW_THREADS status = stream->get_schema(stream, &schema);
    Py_END_ALLOW_THREADS if (status != 0) {
        raise_stream_error(stream, status);
        return OPENED_FAILED;
    }
    if (schema.release == NULL) {
        return refuse_released(arrow->source);
    }
    const enum opened opened = arrow_read_type(options, &arrow->root, &schema);
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    schema.release(&schema);
    PyErr_Restore(type, value, traceback);
    return opened;
}

static enum opened open_array(const struct encode_options *options, struct arrow *arrow) {
    PyObject *const pair = arrow->capsules;
    if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) {
        PyErr_Format(PyExc_TypeError, "__arrow_c_array__() of %.200s must return two capsules",
                     Py_TYPE(arrow->source)->tp_name);
        return OPENED_FAILED;
    }
    const struct arrow_schema *const schema =
        capsule_struct(PyTuple_GET_ITEM(pair, 0), "arrow_schema", arrow->source);
    struct arrow_array *const array =
        schema != NULL ? capsule_struct(PyTuple_GET_ITEM(pair, 1), "arrow_array", arrow->source)
                       : NULL;
    if (array == NULL) {
        return OPENED_FAILED;
    }
    if (schema->release == NULL || array->release == NULL) {
        return refuse_released(arrow->source);
    }
    arrow->next = array;
    return arrow_read_type(options, &arrow->root, schema);
}

enum opened arrow_open(const struct encode_options *options, struct arrow **opened,
                       PyObject *source) {
    const struct native_types *const types = &options->context->native_types;
    struct arrow *const arrow = PyMem_Calloc(1, sizeof *arrow);
    if (arrow == NULL) {
        PyErr_NoMemory();
        return OPENED_FAILED;
    }
    arrow->source = Py_NewRef(source);
    PyObject *const streams = type_look_up(Py_TYPE(source), types->words[WORD_ARROW_STREAM]);
    const bool is_stream = streams != NULL && streams != Py_None;
    arrow->capsules = PyObject_CallMethodNoArgs(
        source, types->words[is_stream ? WORD_ARROW_STREAM : WORD_ARROW_ARRAY]);
    enum opened status = OPENED_FAILED;
    if (arrow->capsules != NULL) {
        status = is_stream ? open_stream(options, arrow) : open_array(options, arrow);
    }
    if (status == OPENED) {
        *opened = arrow;
    } else {
        arrow_close(arrow);
    }
    return status;
}

void arrow_close(struct arrow *arrow) {
    PyObject *type, *value, *traceback; /* destructors must not see the exception */
    PyErr_Fetch(&type, &value, &traceback);
    if (arrow->chunk.release != NULL) {
        arrow->chunk.release(&arrow->chunk);
    }
    Py_CLEAR(arrow->capsules);
    Py_CLEAR(arrow->source);
    arrow_free_type(&arrow->root);
    PyMem_Free(arrow);
    PyErr_Restore(type, value, traceback);
}

/* ---- one array ----------------------------------------------------------------------------- */

/* Places of items are at most this, so that no size in bytes overflows. */
#define MAX_PLACES (INT64_MAX / 64)

/* The least number of buffers, of which the first has the validity. */
static int64_t count_buffers(enum arrow_kind kind) {
    switch (kind) {
    case ARROW_NULL: return 0;
    case ARROW_LIST_FIXED:
    case ARROW_STRUCT:
    case ARROW_PAIR: return 1;
    case ARROW_TEXT:
    case ARROW_TEXT_VIEW:
    case ARROW_LIST_VIEW: return 3;
    default: return 2;
    }
}

/* Whether the buffers are there that are read for every item. */
static bool has_buffers(const struct arrow_node *node, const struct arrow_array *array) {
    const int64_t n = count_buffers(node->kind);
    if (array->n_buffers < n || (n > 0 && array->buffers == NULL)) {
        return false;
    }
    const bool has_items =
        array->length > 0 && (node->kind != ARROW_TEXT_FIXED || node->fixed_size > 0);
    if (!has_items || n < 2) {
        return true;
    }
    return array->buffers[1] != NULL &&
           (node->kind != ARROW_LIST_VIEW || array->buffers[2] != NULL) &&
           (node->kind != ARROW_TEXT_VIEW || array->n_buffers == 3 ||
            array->buffers[array->n_buffers - 1] != NULL);
}

/* Whether an array has what its type needs, for n_needed items at least. */
static bool fits(const struct arrow_node *node, const struct arrow_array *array, int64_t n_needed) {
    if (array == NULL || array->length < 0 || array->length < n_needed || array->offset < 0 ||
        array->length > MAX_PLACES || array->offset > MAX_PLACES - array->length ||
        !has_buffers(node, array)) {
        return false;
    }
    int64_t n_fixed;
    if (__builtin_mul_overflow(array->offset + array->length, node->fixed_size, &n_fixed) ||
        n_fixed > MAX_PLACES) {
        return false;
    }
    const int64_t n_children = node->kind == ARROW_DICTIONARY ? 0 : node->n_children;
    return array->n_children == n_children && (n_children == 0 || array->children != NULL);
}

/* Let a type describe an array; false where the array does not fit it. */
static bool bind(struct arrow_node *node, const struct arrow_array *array, int64_t n_needed) {
    if (!fits(node, array, n_needed)) {
        return false;
    }
    node->length = array->length;
    node->offset = array->offset;
    node->n_buffers = array->n_buffers;
    node->buffers = array->buffers;
    node->validity = node->kind != ARROW_NULL && array->null_count != 0 ? array->buffers[0] : NULL;
    if (node->kind == ARROW_DICTIONARY) {
        return bind(node->children, array->dictionary, 0);
    }
    const int64_t n_places = array->offset + array->length;
    const int64_t n_of_child = node->kind == ARROW_STRUCT || node->kind == ARROW_PAIR ? n_places
                               : node->kind == ARROW_LIST_FIXED ? n_places * node->fixed_size
                                                                : 0;
    bool is_good = true;
    for (int64_t i = 0; i < node->n_children && is_good; i++) {
        struct arrow_node *const child = &node->children[i];
        is_good = bind(child, array->children[child->number], n_of_child);
    }
    return is_good;
}

/* Take the next array of a stream; NULL at its end, or with an exception set. */
static const struct arrow_array *next_of_stream(struct arrow *arrow) {
    struct arrow_stream *const stream = arrow->stream;
    if (arrow->chunk.release != NULL) {
        arrow->chunk.release(&arrow->chunk);
    }
    arrow->chunk = (struct arrow_array){0};
    if (stream->release == NULL || stream->get_next == NULL) { /* by someone else, since then */
        refuse_released(arrow->source);
        return NULL;
    }
    if (PyErr_CheckSignals() != 0) { /* a stream may have no end */
        return NULL;
    }
    int status;
    Py_BEGIN_ALLOW_THREADS status = stream->get_next(stream, &arrow->chunk);
    Py_END_ALLOW_THREADS if (status != 0) {
        arrow->chunk.release = NULL;
        raise_stream_error(stream, status);
        return NULL;
    }
    return arrow->chunk.release != NULL ? &arrow->chunk : NULL;
}

int arrow_next(struct arrow *arrow) {
    const struct arrow_array *array = arrow->next;
    if (arrow->stream != NULL) {
        array = next_of_stream(arrow);
    }
    arrow->next = NULL;
    if (array != NULL && array->release == NULL) { /* by someone else, since it was opened */
        refuse_released(arrow->source);
        return -1;
    }
    if (array == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    if (!bind(&arrow->root, array, 0)) {
        PyErr_Format(PyExc_ValueError,
                     "%.200s exports an Arrow array that contradicts its type or itself",
                     Py_TYPE(arrow->source)->tp_name);
        return -1;
    }
    return 1;
}
