/* SPDX-License-Identifier: MIT */
#include "module/classes/classes.h"

#include "module/args/arguments.h"
#include "module/call.h"

#define ENSURE_ASCII_DEFAULT "False"

struct encoder_object {
    PyObject_HEAD PyObject *module; /* owned */
    PyObject *given;                /* owned dict: the options as they were given */
    struct encode_options options;  /* of encode; default_hook is owned */
    struct encode_options
        str_options; /* of encode_str; what they hold is borrowed from the others */
};

static struct module_state *encoder_object_state(PyObject *encoder) {
    return PyModule_GetState(((struct encoder_object *)encoder)->module);
}

PyDoc_STRVAR(
    encoder_doc,
    "Encoder(" ENCODE_BYTES_PARAMETERS ")\n--\n\n"
    "An encoder whose options are checked once; they are those of dumps_to_bytes.\n\n"
    "Any number of threads may use it at the same time. Its repr shows the options that were\n"
    "given. Copies and pickles have the same options." ENCODE_BYTES_LINES);

/* Keep the separators that are in force as a tuple: the list that they were given in may change. */
static int encoder_keep_separators(const struct encoder_object *self,
                                   const struct module_state *state) {
    PyObject *const name = state->keywords[KEYWORD_SEPARATORS];
    if (self->given == NULL) {
        return -1;
    }
    PyObject *const value = PyDict_GetItemWithError(self->given, name); /* borrowed */
    if (value == NULL || value == Py_None) {
        return PyErr_Occurred() ? -1 : 0;
    }
    const struct encode_options *const options = &self->options;
    PyObject *const comma = options->item_separator != NULL ? Py_NewRef(options->item_separator)
                                                            : PyUnicode_FromString(",");
    PyObject *const colon = options->key_separator != NULL ? Py_NewRef(options->key_separator)
                                                           : PyUnicode_FromString(":");
    PyObject *const pair = comma != NULL && colon != NULL ? PyTuple_Pack(2, comma, colon) : NULL;
    Py_XDECREF(comma);
    Py_XDECREF(colon);
    const int status = pair != NULL ? PyDict_SetItem(self->given, name, pair) : -1;
    Py_XDECREF(pair);
    return status;
}

static SMALL PyObject *encoder_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    if (PyTuple_GET_SIZE(args) != 0) {
        PyErr_SetString(PyExc_TypeError,
                        "Encoder() takes keyword arguments only, such as natives=");
        return NULL;
    }
    PyObject *const module = PyType_GetModule(type); /* borrowed */
    if (module == NULL) {
        return NULL;
    }
    struct encoder_object *const self = (struct encoder_object *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    struct module_state *const state = PyModule_GetState(module);
    self->module = Py_NewRef(module);
    self->options = options_defaults(state);
    PyObject *values;
    PyObject *names;
    int status = keywords_split(kwargs, &values, &names);
    if (status == 0) {
        status = options_init(&self->options, state, "Encoder", ENCODE_BYTES_KEYWORDS,
                              ((PyTupleObject *)values)->ob_item, names);
    }
    Py_XINCREF(self->options.default_hook);
    self->str_options = self->options;
    self->options.to_bytes = true;
    if (status == 0) {
        self->given =
            given_options(state, ENCODE_BYTES_KEYWORDS, ((PyTupleObject *)values)->ob_item, names);
        status = encoder_keep_separators(self, state);
    }
    Py_XDECREF(values);
    Py_XDECREF(names);
    if (status != 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

PyDoc_STRVAR(encoder_with_escaped_surrogates_doc,
             "_with_escaped_surrogates($self, /)\n--\n\n"
             "An encoder with these options and escape_surrogates=True; itself where canonical "
             "refuses surrogates.");

static PyObject *encoder_with_escaped_surrogates(PyObject *self, PyObject *Py_UNUSED(none)) {
    const struct encoder_object *const encoder = (struct encoder_object *)self;
    if (encoder->options.escape_surrogates || encoder->options.canonical) {
        return Py_NewRef(self);
    }
    PyObject *const nothing = PyTuple_New(0);
    PyObject *const given = PyDict_Copy(encoder->given);
    PyObject *other = NULL;
    if (nothing != NULL && given != NULL &&
        PyDict_SetItemString(given, "escape_surrogates", Py_True) == 0) {
        other = encoder_new(Py_TYPE(self), nothing, given);
    }
    Py_XDECREF(nothing);
    Py_XDECREF(given);
    return other;
}

static ALWAYS_INLINE PyObject *encoder_encode_as(PyObject *self, PyObject *object, bool to_bytes) {
    struct encoder_object *const encoder = (struct encoder_object *)self;
    struct encode_options *const options = to_bytes ? &encoder->options : &encoder->str_options;
#if IS_FREE_THREADED
    struct encode_options own = *options; /* they refer to the caches of a call */
    return encode_by_options(encoder_object_state(self), object, &own);
#else
    return encode_by_options(encoder_object_state(self), object, options);
#endif
}

PyDoc_STRVAR(encoder_encode_doc, "encode($self, obj, /)\n--\n\n"
                                 "The JSON text of an object as UTF-8 bytes.");

static PyObject *encoder_encode(PyObject *self, PyObject *object) {
    return encoder_encode_as(self, object, true);
}

PyDoc_STRVAR(encoder_encode_str_doc, "encode_str($self, obj, /)\n--\n\n"
                                     "The JSON text of an object as a str.");

static PyObject *encoder_encode_str(PyObject *self, PyObject *object) {
    return encoder_encode_as(self, object, false);
}

/* Append bytes to *text, whose first *n_used bytes are in use; -1 with MemoryError set and *text
 * gone. */
static int append_bytes(PyObject **text, Py_ssize_t *n_used, PyObject *more) {
    const Py_ssize_t n_more = PyBytes_GET_SIZE(more);
    const Py_ssize_t n_room = PyBytes_GET_SIZE(*text);
    if (n_more > PY_SSIZE_T_MAX / 2 - n_room) {
        Py_CLEAR(*text);
        PyErr_NoMemory();
        return -1;
    }
    if (n_room - *n_used < n_more && _PyBytes_Resize(text, 2 * n_room + n_more) != 0) {
        return -1;
    }
    memcpy(PyBytes_AS_STRING(*text) + *n_used, PyBytes_AS_STRING(more), (size_t)n_more);
    *n_used += n_more;
    return 0;
}

PyDoc_STRVAR(
    encoder_encode_lines_doc,
    "encode_lines($self, iterable, /)\n--\n\n"
    "JSON Lines as UTF-8 bytes: the text of each item on a line that ends with a line feed.\n\n"
    "A Fragment goes on one line: its line breaks are replaced by spaces. Raises ValueError\n"
    "where the options would put line breaks into an item's text.");

static PyObject *encoder_encode_lines(PyObject *self, PyObject *iterable) {
    struct encode_options options = ((struct encoder_object *)self)->options;
    options.to_bytes = true;
    options.append_newline = true;
    options.is_for_lines = true;
    options.is_plain = false;
    if (options_check_line(&options, "encode_lines()") != 0) {
        return NULL;
    }
    PyObject *const iterator = PyObject_GetIter(iterable);
    PyObject *text = iterator != NULL ? PyBytes_FromStringAndSize(NULL, 1024) : NULL;
    Py_ssize_t n_used = 0;
    PyObject *item;
    while (text != NULL && (item = PyIter_Next(iterator)) != NULL) {
        PyObject *const line = encode_by_options(encoder_object_state(self), item, &options);
        Py_DECREF(item);
        if (line == NULL) {
            Py_CLEAR(text);
        } else {
            append_bytes(&text, &n_used, line);
            Py_DECREF(line);
        }
    }
    Py_XDECREF(iterator);
    if (text != NULL && PyErr_Occurred()) {
        Py_CLEAR(text);
    }
    if (text != NULL) {
        _PyBytes_Resize(&text, n_used);
    }
    return text;
}

/* Write bytes into a bytearray from an offset on, which is its new end; -1 with an exception set.
 */
static int bytearray_put(PyObject *buffer, Py_ssize_t offset, PyObject *text) {
    /* a hook may have changed the bytearray, so its size is read only now */
    const Py_ssize_t n_before = PyByteArray_GET_SIZE(buffer);
    const Py_ssize_t begin = offset == -1 ? n_before : offset;
    const Py_ssize_t n_text = PyBytes_GET_SIZE(text);
    if (begin < 0 || begin > n_before) {
        PyErr_Format(PyExc_ValueError, "offset %zd is outside of a buffer of %zd bytes", begin,
                     n_before);
        return -1;
    }
    if (n_text > PY_SSIZE_T_MAX - begin) {
        PyErr_NoMemory();
        return -1;
    }
    if (PyByteArray_Resize(buffer, begin + n_text) != 0) {
        return -1;
    }
    memcpy(PyByteArray_AS_STRING(buffer) + begin, PyBytes_AS_STRING(text), (size_t)n_text);
    return 0;
}

PyDoc_STRVAR(
    encoder_encode_into_doc,
    "encode_into($self, obj, buffer, /, offset=0)\n--\n\n"
    "Write the JSON text of an object as UTF-8 into a bytearray, from an offset on.\n\n"
    "An offset of -1 is the end of the bytearray, which grows or shrinks so that it ends after\n"
    "the text. On an error it is unchanged.");

static PyObject *encoder_encode_into(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                     PyObject *names) {
    const Py_ssize_t n_names = names != NULL ? PyTuple_GET_SIZE(names) : 0;
    if (n_args < 2 || n_args + n_names > 3 ||
        (n_names == 1 &&
         PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "offset") != 0)) {
        PyErr_SetString(PyExc_TypeError,
                        "encode_into() takes an object, a bytearray and optionally offset");
        return NULL;
    }
    PyObject *const buffer = args[1];
    if (!PyByteArray_Check(buffer)) {
        PyErr_Format(PyExc_TypeError, "buffer must be a bytearray, not %.200s",
                     Py_TYPE(buffer)->tp_name);
        return NULL;
    }
    Py_ssize_t offset = 0;
    if (n_args + n_names == 3) {
        offset = PyNumber_AsSsize_t(args[2], PyExc_OverflowError);
        if (offset == -1 && PyErr_Occurred()) {
            return NULL;
        }
    }
    PyObject *const text = encoder_encode_as(self, args[0], true);
    if (text == NULL) {
        return NULL;
    }
    int status;
    Py_BEGIN_CRITICAL_SECTION(buffer);
    status = bytearray_put(buffer, offset, text);
    Py_END_CRITICAL_SECTION();
    Py_DECREF(text);
    return status == 0 ? Py_NewRef(Py_None) : NULL;
}

#define DEFAULT_CHUNK_BYTES 65536
#define MIN_CHUNK_BYTES 1
#define MAX_CHUNK_BYTES ((Py_ssize_t)1 << 30)

PyDoc_STRVAR(
    encoder_iterencode_doc,
    "iterencode($self, obj, /, chunk_size=65536)\n--\n\n"
    "The JSON text of an object as an iterator of bytes, for streaming with bounded memory.\n\n"
    "A chunk holds chunk_size bytes or a little more; a long string is never split. An\n"
    "iterator in the object (iterables=True) is advanced only as chunks are requested. The\n"
    "object may be changed between chunks as during a Python loop over it: a dict that grows\n"
    "or shrinks raises RuntimeError.");

static PyObject *encoder_iterencode(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                    PyObject *names) {
    const Py_ssize_t n_names = names != NULL ? PyTuple_GET_SIZE(names) : 0;
    if (n_args < 1 || n_args + n_names > 2 ||
        (n_names == 1 &&
         PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "chunk_size") != 0)) {
        PyErr_SetString(PyExc_TypeError, "iterencode() takes one object and optionally chunk_size");
        return NULL;
    }
    Py_ssize_t chunk_bytes = DEFAULT_CHUNK_BYTES;
    if (n_args + n_names == 2) {
        chunk_bytes = PyNumber_AsSsize_t(args[1], PyExc_OverflowError);
        if (chunk_bytes == -1 && PyErr_Occurred()) {
            return NULL;
        }
        if (chunk_bytes < MIN_CHUNK_BYTES || chunk_bytes > MAX_CHUNK_BYTES) {
            PyErr_Format(PyExc_ValueError, "chunk_size must be between 1 and 2**30, not %zd",
                         chunk_bytes);
            return NULL;
        }
    }
    const struct encoder_object *const encoder = (struct encoder_object *)self;
    return encoded_chunks_new(encoder_object_state(self), self, &encoder->options, args[0],
                              (size_t)chunk_bytes);
}

static int encoder_traverse(PyObject *self, visitproc visit, void *arg) {
    struct encoder_object *const encoder = (struct encoder_object *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(encoder->module);
    Py_VISIT(encoder->given);
    Py_VISIT(encoder->options.default_hook);
    return 0;
}

static int encoder_object_clear(PyObject *self) {
    Py_CLEAR(((struct encoder_object *)self)->given);
    ((struct encoder_object *)self)->str_options.default_hook = NULL;
    Py_CLEAR(((struct encoder_object *)self)->options.default_hook);
    return 0;
}

static PyObject *encoder_repr(PyObject *self) {
    return given_repr(self, "Encoder", ((struct encoder_object *)self)->given);
}

static PyObject *encoder_reduce(PyObject *self, PyObject *ignored) {
    (void)ignored;
    return given_reduce(self, ((struct encoder_object *)self)->given);
}

static void encoder_dealloc(PyObject *self) {
    PyTypeObject *const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    encoder_object_clear(self);
    options_clear(&((struct encoder_object *)self)->options);
    Py_CLEAR(((struct encoder_object *)self)->module);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef encoder_methods[] = {
    {"encode", encoder_encode, METH_O, encoder_encode_doc},
    {"encode_str", encoder_encode_str, METH_O, encoder_encode_str_doc},
    {"encode_lines", encoder_encode_lines, METH_O, encoder_encode_lines_doc},
    {"encode_into", FUNCTION(encoder_encode_into), METH_FASTCALL | METH_KEYWORDS,
     encoder_encode_into_doc},
    {"iterencode", FUNCTION(encoder_iterencode), METH_FASTCALL | METH_KEYWORDS,
     encoder_iterencode_doc},
    {"__reduce__", encoder_reduce, METH_NOARGS, NULL},
    {"_with_escaped_surrogates", encoder_with_escaped_surrogates, METH_NOARGS,
     encoder_with_escaped_surrogates_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot encoder_slots[] = {
    {Py_tp_doc, (void *)encoder_doc},   {Py_tp_new, encoder_new},
    {Py_tp_repr, encoder_repr},         {Py_tp_methods, encoder_methods},
    {Py_tp_traverse, encoder_traverse}, {Py_tp_clear, encoder_object_clear},
    {Py_tp_dealloc, encoder_dealloc},   {0, NULL},
};

PyType_Spec encoder_spec = {
    .name = "ssrjson_web.Encoder",
    .basicsize = sizeof(struct encoder_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = encoder_slots,
};
