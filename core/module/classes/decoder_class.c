/* SPDX-License-Identifier: MIT */
#include "module/classes/classes.h"

#include "module/document/body.h"
#include "module/call.h"
#include "module/document/document.h"
#include "module/args/arguments.h"
#include "module/document/growing_document.h"
#include "module/document/typed_document.h"

struct decoder_object {
    PyObject_HEAD PyObject *module;    /* owned */
    PyObject *given;                   /* owned dict: the options as they were given */
    struct decode_arguments arguments; /* the hooks are owned */
    struct body body;                  /* chunks that were fed since the last close */
    struct growing_document *document; /* owned: the same where they are decoded at once, with the
                                          option partial; otherwise NULL */
};

static struct module_state *decoder_object_state(PyObject *decoder) {
    return PyModule_GetState(((struct decoder_object *)decoder)->module);
}

/* The hooks of the options, which the Decoder owns, and the Decimal beside one of them. */
#define N_HOOKS 7

struct hooks {
    PyObject **places[N_HOOKS];
};

static struct hooks decoder_object_hooks(PyObject *decoder) {
    struct decode_options *const options = &((struct decoder_object *)decoder)->arguments.options;
    return (struct hooks){{&options->object_hook, &options->object_pairs_hook, &options->array_hook,
                           &options->parse_float, &options->parse_int, &options->parse_constant,
                           &options->decimal}};
}

PyDoc_STRVAR(
    decoder_doc,
    "Decoder(" DECODE_PARAMETERS DECODER_OPTIONS(
        OPTION_PARAMETER) ")\n--\n\n"
                          "A decoder whose options are checked once; they are those of loads.\n\n"
                          "Any number of threads may use it at the same time, except for feed and "
                          "close: they\n"
                          "gather one body at a time. Its repr shows the options that were given. "
                          "Copies and\n"
                          "pickles have the same options, but not the chunks that were "
                          "fed." DECODE_LINES DECODER_OPTIONS(OPTION_LINE));

/* Replace JSON Pointers that could change, or be iterated once, by a tuple, which copies and repr
 * show; -1 with an exception set. */
static int keep_pointers(const struct module_state *state, PyObject *values, PyObject *names) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *const value = PyTuple_GET_ITEM(values, i);
        const bool is_kept = PyUnicode_Check(value) || PyBytes_Check(value) ||
                             PyByteArray_Check(value) || Py_TYPE(value)->tp_iter == NULL;
        if (!is_kept &&
            keyword_find(state, DECODER_KEYWORDS, PyTuple_GET_ITEM(names, i)) == KEYWORD_ONLY) {
            PyObject *const pointers = PySequence_Tuple(value);
            return pointers != NULL ? PyTuple_SetItem(values, i, pointers) : -1;
        }
    }
    return 0;
}

static SMALL PyObject *decoder_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    if (PyTuple_GET_SIZE(args) != 0) {
        PyErr_SetString(PyExc_TypeError, "Decoder() takes keyword arguments only, such as type=");
        return NULL;
    }
    PyObject *const module = PyType_GetModule(type); /* borrowed */
    if (module == NULL) {
        return NULL;
    }
    struct decoder_object *const self = (struct decoder_object *)type->tp_alloc(type, 0);
    if (self == NULL) {
        return NULL;
    }
    struct module_state *const state = PyModule_GetState(module);
    self->module = Py_NewRef(module);
    self->arguments = state->decode_defaults;
    PyObject *values;
    PyObject *names;
    int status = keywords_split(kwargs, &values, &names);
    if (status == 0) {
        status = keep_pointers(state, values, names);
    }
    if (status == 0) {
        status = decode_arguments_init(&self->arguments, state, "Decoder", DECODER_KEYWORDS,
                                       ((PyTupleObject *)values)->ob_item, names);
    }
    if (status == 0) {
        self->given =
            given_options(state, DECODER_KEYWORDS, ((PyTupleObject *)values)->ob_item, names);
        status = self->given != NULL ? 0 : -1;
    }
    if (status == 0 && self->arguments.partial != PARTIAL_OFF) {
        self->document = PyMem_Calloc(1, sizeof *self->document);
        if (self->document == NULL) {
            PyErr_NoMemory();
            status = -1;
        }
    }
    const struct hooks hooks = decoder_object_hooks((PyObject *)self);
    for (int i = 0; i < N_HOOKS; i++) {
        Py_XINCREF(*hooks.places[i]);
    }
    Py_XDECREF(values);
    Py_XDECREF(names);
    if (status != 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

/* ---- whole documents ----------------------------------------------------------------------- */

PyDoc_STRVAR(decoder_decode_doc,
             "decode($self, s, /)\n--\n\n"
             "The object of a JSON text; s is a str, bytes or another buffer, as for loads.");

static PyObject *decoder_decode(PyObject *self, PyObject *document) {
    struct module_state *const state = decoder_object_state(self);
    const struct decode_arguments *const arguments = &((struct decoder_object *)self)->arguments;
    const struct typed_text text = {.object = document, .length = -1};
    return typed_document(state, arguments, document_decode(state, arguments, document), text);
}

PyDoc_STRVAR(
    decoder_decode_lines_doc,
    "decode_lines($self, s, /)\n--\n\n"
    "The values of JSON Lines, one on each line, as a list; s is as for loads.\n\n"
    "Blank lines are skipped, and the last line may lack its line feed. An error gives the\n"
    "position and the line number in the whole text.");

static PyObject *decoder_decode_lines(PyObject *self, PyObject *document) {
    struct module_state *const state = decoder_object_state(self);
    const struct decode_arguments *const arguments = &((struct decoder_object *)self)->arguments;
    const struct typed_text text = {.object = document, .length = -1, .form = DOCUMENT_LINES};
    PyObject *const values = document_decode_as(state, arguments, document, DOCUMENT_LINES);
    return typed_document(state, arguments, values, text);
}

/* The value that begins at a character of a str; *end is set to the index after it. */
static PyObject *decode_raw(struct module_state *state, const struct decode_arguments *arguments,
                            PyObject *string, Py_ssize_t start, Py_ssize_t *end) {
    const struct text text = document_text(string);
    struct error error = {.kind = ERROR_EXPECTING_VALUE, .position = 0};
    PyObject *value = NULL;
    size_t length;
    if (start < text.length) {
        const struct source source = {
            .text = text_part(&text, start, text.length),
            .options = &arguments->options,
            .value_length = &length,
        };
        value = decode_source(state, &source, &error);
    }
    if (value != NULL) {
        *end = start + (Py_ssize_t)length;
    } else if (error.kind != ERROR_RAISED) {
        raise_decode_error(state, error.kind, &arguments->options, string,
                           start + (Py_ssize_t)error.position);
    }
    return value;
}

PyDoc_STRVAR(decoder_raw_decode_doc,
             "raw_decode($self, s, /, idx=0)\n--\n\n"
             "The value that begins at an index of a str, and the index after it.\n\n"
             "Works as json.JSONDecoder.raw_decode: white space before the value is an error, and\n"
             "the text after it is ignored.");

static PyObject *decoder_raw_decode(PyObject *self, PyObject *const *args, Py_ssize_t n_args,
                                    PyObject *names) {
    const Py_ssize_t n_names = names != NULL ? PyTuple_GET_SIZE(names) : 0;
    if (n_args < 1 || n_args + n_names > 2 ||
        (n_names == 1 &&
         PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(names, 0), "idx") != 0)) {
        PyErr_SetString(PyExc_TypeError, "raw_decode() takes one str and optionally idx");
        return NULL;
    }
    Py_ssize_t start = 0;
    if (n_args + n_names == 2) {
        PyObject *const index = PyNumber_Index(args[1]);
        start = index != NULL ? PyLong_AsSsize_t(index) : -1;
        Py_XDECREF(index);
        if (start == -1 && PyErr_Occurred()) {
            return NULL;
        }
    }
    PyObject *const string = args[0];
    if (!PyUnicode_Check(string)) {
        PyErr_Format(PyExc_TypeError, "first argument must be a string, not %.80s",
                     Py_TYPE(string)->tp_name);
        return NULL;
    }
    if (start < 0) {
        PyErr_SetString(PyExc_ValueError, "idx cannot be negative");
        return NULL;
    }
    struct module_state *const state = decoder_object_state(self);
    const struct decode_arguments *const arguments = &((struct decoder_object *)self)->arguments;
    if (!unicode_is_ready(string) ||
        !document_fits(state, arguments, PyUnicode_GET_LENGTH(string))) {
        return NULL;
    }
    struct timing timing = {.recorder = NULL};
    if (is_recording(state) && timing_begin(&timing, state) != 0) {
        return NULL;
    }
    Py_ssize_t end = start;
    PyObject *value = decode_raw(state, arguments, string, start, &end);
    timing_end(&timing, DIRECTION_DECODE, 1, end - start);
    const struct typed_text text = {.object = string, .start = start, .length = -1};
    value = typed_document(state, arguments, value, text);
    return value != NULL ? Py_BuildValue("(Nn)", value, end) : NULL;
}

/* ---- a document in chunks ------------------------------------------------------------------ */

/* Feed a document that is decoded at once. */
static PyObject *decoder_feed_and_decode(PyObject *self, PyObject *object) {
    const struct decoder_object *const decoder = (struct decoder_object *)self;
    struct module_state *const state = decoder_object_state(self);
    struct timing timing = {.recorder = NULL};
    if (is_recording(state) && timing_begin(&timing, state) != 0) {
        return NULL;
    }
    int status;
    Py_BEGIN_CRITICAL_SECTION(self);
    status = growing_document_feed(decoder->document, state, &decoder->arguments, object);
    Py_END_CRITICAL_SECTION();
    timing_end(&timing, DIRECTION_DECODE, 0, 0); /* close counts the call */
    return status == 0 ? Py_NewRef(Py_None) : NULL;
}

PyDoc_STRVAR(decoder_feed_doc,
             "feed($self, chunk, /)\n--\n\n"
             "Keep a chunk of a document, bytes or str, for close.\n\n"
             "Raises JSONSizeError as soon as the chunks are longer than max_size, and TypeError\n"
             "where bytes and str are mixed. With partial, the chunk is decoded at once, and what\n"
             "is wrong in it raises JSONDecodeError. An error drops all chunks.");

static PyObject *decoder_feed(PyObject *self, PyObject *object) {
    struct decoder_object *const decoder = (struct decoder_object *)self;
    if (decoder->document != NULL) {
        return decoder_feed_and_decode(self, object);
    }
    struct chunk chunk = {.object = object};
    Py_buffer buffer = {.obj = NULL};
    bool is_taken = true;
    if (PyUnicode_Check(object)) {
        is_taken = unicode_is_ready(object);
        chunk.length = is_taken ? PyUnicode_GET_LENGTH(object) : 0;
    } else if (PyBytes_Check(object)) {
        chunk.bytes = PyBytes_AS_STRING(object);
        chunk.length = PyBytes_GET_SIZE(object);
    } else {
        is_taken = take_buffer(object, &buffer) == 0;
        chunk = (struct chunk){.bytes = buffer_bytes(&buffer), .length = is_taken ? buffer.len : 0};
    }
    enum body_status status = BODY_RAISED;
    PyObject *dropped = NULL;
    Py_BEGIN_CRITICAL_SECTION(self);
    if (is_taken) {
        status = body_feed(&decoder->body, &chunk, decoder->arguments.max_size, &dropped);
    } else {
        dropped = body_take(&decoder->body).text;
    }
    Py_END_CRITICAL_SECTION();
    PyBuffer_Release(&buffer);
    if (status == BODY_MIXED) {
        PyErr_SetString(PyExc_TypeError, "chunks of one document must be all bytes or all str");
    } else if (status == BODY_TOO_LONG) {
        raise_size_error(decoder_object_state(self), decoder->arguments.max_size);
    }
    Py_XDECREF(dropped);
    return status == BODY_FED ? Py_NewRef(Py_None) : NULL;
}

PyDoc_STRVAR(decoder_close_doc,
             "close($self, /)\n--\n\n"
             "The object of the document whose chunks were fed since the last close.\n\n"
             "Values and exceptions are those of decode for the whole document. Afterwards the\n"
             "decoder is ready for the next one, even if an exception was raised.");

static SMALL PyObject *decoder_close(PyObject *self, PyObject *ignored) {
    (void)ignored;
    struct decoder_object *const decoder = (struct decoder_object *)self;
    struct module_state *const state = decoder_object_state(self);
    struct body body;
    PyObject *value = NULL;
    struct timing timing = {.recorder = NULL};
    if (decoder->document != NULL) {
        Py_ssize_t n;
        if (is_recording(state) && timing_begin(&timing, state) != 0) {
            return NULL;
        }
        Py_BEGIN_CRITICAL_SECTION(self);
        n = decoder->document->n_fed;
        value = growing_document_close(decoder->document, state, &decoder->arguments);
        Py_END_CRITICAL_SECTION();
        timing_end(&timing, DIRECTION_DECODE, 1, n);
        return value;
    }
    Py_BEGIN_CRITICAL_SECTION(self);
    body = body_take(&decoder->body);
    Py_END_CRITICAL_SECTION();
    if (is_recording(state) && timing_begin(&timing, state) != 0) {
        Py_XDECREF(body.text);
        return NULL;
    }
    if (body.text != NULL && PyUnicode_Check(body.text)) {
        value =
            document_decode_str(state, &decoder->arguments, body.text, body.length, DOCUMENT_VALUE);
    } else {
        const char *const bytes = body.text != NULL ? PyBytes_AS_STRING(body.text) : "";
        value =
            document_decode_bytes(state, &decoder->arguments, bytes, body.length, DOCUMENT_VALUE);
    }
    timing_end(&timing, DIRECTION_DECODE, 1, body.length);
    const struct typed_text text = {.object = body.text, .length = body.length};
    value = typed_document(state, &decoder->arguments, value, text);
    Py_XDECREF(body.text);
    return value;
}

/* ---- the value so far ---------------------------------------------------------------------- */

/* The document that is decoded while it is fed; NULL with ValueError set where there is none. */
static struct growing_document *decoder_document(PyObject *self, const char *noun) {
    struct growing_document *const document = ((struct decoder_object *)self)->document;
    if (document == NULL) {
        PyErr_Format(PyExc_ValueError,
                     "%s needs Decoder(partial=\"on\") or Decoder(partial=\"trailing-strings\")",
                     noun);
    }
    return document;
}

PyDoc_STRVAR(decoder_value_doc,
             "The value of what was fed so far, with the option partial.\n\n"
             "Containers that are open are closed. A number at the end counts as it is. A cut "
             "literal,\na key without a value and, unless partial is 'trailing-strings', a cut "
             "string are left\nout. Raises LookupError where nothing is known yet, and ValueError "
             "without the option.");

static PyObject *decoder_get_value(PyObject *self, void *closure) {
    (void)closure;
    struct growing_document *const document = decoder_document(self, "value");
    PyObject *value = NULL;
    if (document != NULL) {
        Py_BEGIN_CRITICAL_SECTION(self);
        value = growing_document_value(document, decoder_object_state(self),
                                       &((struct decoder_object *)self)->arguments);
        Py_END_CRITICAL_SECTION();
    }
    return value;
}

PyDoc_STRVAR(decoder_take_items_doc,
             "take_items($self, /)\n--\n\n"
             "The finished items of the outermost array, as a list, with the option partial.\n\n"
             "They are removed: the next call, value and close have those after them. Their text\n"
             "is no longer kept either. Raises JSONDecodeError where the document is no array.");

static PyObject *decoder_take_items(PyObject *self, PyObject *ignored) {
    (void)ignored;
    struct growing_document *const document = decoder_document(self, "take_items()");
    PyObject *items = NULL;
    if (document != NULL) {
        Py_BEGIN_CRITICAL_SECTION(self);
        items = growing_document_take_items(document, decoder_object_state(self),
                                            &((struct decoder_object *)self)->arguments);
        Py_END_CRITICAL_SECTION();
    }
    return items;
}

/* ---- the class ----------------------------------------------------------------------------- */

static int decoder_traverse(PyObject *self, visitproc visit, void *arg) {
    const struct decoder_object *const decoder = (struct decoder_object *)self;
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(decoder->module);
    Py_VISIT(decoder->given);
    if (!decoder->body.is_private) { /* else nobody may see the spare room after the text */
        Py_VISIT(decoder->body.text);
    }
    const struct hooks hooks = decoder_object_hooks(self);
    for (int i = 0; i < N_HOOKS; i++) {
        Py_VISIT(*hooks.places[i]);
    }
    Py_VISIT(decoder->arguments.type_plan);
    return decoder->document != NULL ? growing_document_traverse(decoder->document, visit, arg) : 0;
}

static int decoder_object_clear(PyObject *self) {
    Py_CLEAR(((struct decoder_object *)self)->given);
    const struct hooks hooks = decoder_object_hooks(self);
    for (int i = 0; i < N_HOOKS; i++) {
        Py_CLEAR(*hooks.places[i]);
    }
    Py_CLEAR(((struct decoder_object *)self)->arguments.type_plan);
    ((struct decoder_object *)self)->arguments.options.only = NULL;
    Py_CLEAR(((struct decoder_object *)self)->arguments.selection);
    PyObject *const dropped = body_take(&((struct decoder_object *)self)->body).text;
    Py_XDECREF(dropped);
    struct growing_document *const document = ((struct decoder_object *)self)->document;
    if (document != NULL) {
        growing_document_clear(document);
    }
    return 0;
}

static void decoder_dealloc(PyObject *self) {
    PyTypeObject *const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    decoder_object_clear(self);
    Py_CLEAR(((struct decoder_object *)self)->module);
    PyMem_Free(((struct decoder_object *)self)->document);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *decoder_repr(PyObject *self) {
    return given_repr(self, "Decoder", ((struct decoder_object *)self)->given);
}

static PyObject *decoder_reduce(PyObject *self, PyObject *ignored) {
    (void)ignored;
    return given_reduce(self, ((struct decoder_object *)self)->given);
}

static PyMethodDef decoder_methods[] = {
    {"decode", decoder_decode, METH_O, decoder_decode_doc},
    {"decode_lines", decoder_decode_lines, METH_O, decoder_decode_lines_doc},
    {"raw_decode", FUNCTION(decoder_raw_decode), METH_FASTCALL | METH_KEYWORDS,
     decoder_raw_decode_doc},
    {"feed", decoder_feed, METH_O, decoder_feed_doc},
    {"close", decoder_close, METH_NOARGS, decoder_close_doc},
    {"take_items", decoder_take_items, METH_NOARGS, decoder_take_items_doc},
    {"__reduce__", decoder_reduce, METH_NOARGS, NULL},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, "For annotations: Decoder[Item]."},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef decoder_getset[] = {
    {"value", decoder_get_value, NULL, decoder_value_doc, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot decoder_slots[] = {
    {Py_tp_doc, (void *)decoder_doc},
    {Py_tp_new, decoder_new},
    {Py_tp_repr, decoder_repr},
    {Py_tp_methods, decoder_methods},
    {Py_tp_getset, decoder_getset},
    {Py_tp_traverse, decoder_traverse},
    {Py_tp_clear, decoder_object_clear},
    {Py_tp_dealloc, decoder_dealloc},
    {0, NULL},
};

PyType_Spec decoder_spec = {
    .name = "ssrjson_web.Decoder",
    .basicsize = sizeof(struct decoder_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = decoder_slots,
};
