/* SPDX-License-Identifier: MIT */
#include "module/encoded_chunks_class.h"

#include "module/exceptions.h"
#include "module/recorder.h"

struct encoded_chunks {
    PyObject_HEAD PyObject *encoder; /* owned: the options are its */
    struct module_state *state; /* the encoder's module's, which lives as long as the encoder */
    struct encode_options options;
    const struct codec *codec;
    struct encode_stream *stream; /* owned; NULL once it has ended */
    bool is_running;
    bool is_recorded; /* as one value that was encoded */
};

static void encoded_chunks_end(struct encoded_chunks *self) {
    struct encode_stream *const stream = self->stream;
    self->stream = NULL;
    if (stream != NULL) {
        self->codec->stream_free(stream);
    }
}

static PyObject *encoded_chunks_next(PyObject *object) {
    struct encoded_chunks *const self = (struct encoded_chunks *)object;
    if (self->stream == NULL) {
        return NULL;
    }
    if (self->is_running) {
        PyErr_SetString(PyExc_ValueError, "iterencode() is already being run");
        return NULL;
    }
    struct module_state *const state = self->state;
    if (Py_EnterRecursiveCall(" while encoding a JSON object") != 0) { /* a stream of a stream */
        PyErr_Clear();
        raise_encode_error(state, &(struct encode_error){.error.kind = ERROR_TOO_DEEP},
                           &self->options);
        return NULL;
    }
    struct timing timing = {.recorder = NULL};
    if (is_recording(state) && timing_begin(&timing, state) != 0) {
        Py_LeaveRecursiveCall();
        return NULL;
    }
    struct encode_error error;
    self->is_running = true;
    PyObject *const chunk = self->codec->stream_next(self->stream, &error);
    self->is_running = false;
    Py_LeaveRecursiveCall();
    if (timing.recorder != NULL) {
        timing_end(&timing, DIRECTION_ENCODE, self->is_recorded ? 0 : 1, recorded_size(chunk));
        self->is_recorded = true;
    }
    if (chunk == NULL) {
        if (error.error.kind != ERROR_NONE) {
            raise_encode_error(state, &error, &self->options);
        }
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback); /* what is freed may run Python code */
        encoded_chunks_end(self);
        PyErr_Restore(type, value, traceback);
    }
    return chunk;
}

static int encoded_chunks_traverse(PyObject *object, visitproc visit, void *arg) {
    struct encoded_chunks *const self = (struct encoded_chunks *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->encoder);
    return self->stream != NULL ? self->codec->stream_traverse(self->stream, visit, arg) : 0;
}

static int encoded_chunks_clear(PyObject *object) {
    encoded_chunks_end((struct encoded_chunks *)object);
    return 0;
}

static void encoded_chunks_dealloc(PyObject *object) {
    PyTypeObject *const type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    Py_TRASHCAN_BEGIN(object, encoded_chunks_dealloc) /* a stream of a stream of a stream ... */
        encoded_chunks_end((struct encoded_chunks *)object);
    Py_CLEAR(((struct encoded_chunks *)object)->encoder);
    type->tp_free(object);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

static PyType_Slot encoded_chunks_slots[] = {
    {Py_tp_doc, "The chunks of one encoding, bytes; see Encoder.iterencode."},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, encoded_chunks_next},
    {Py_tp_traverse, encoded_chunks_traverse},
    {Py_tp_clear, encoded_chunks_clear},
    {Py_tp_dealloc, encoded_chunks_dealloc},
    {0, NULL},
};

PyType_Spec encoded_chunks_spec = {
    .name = "ssrjson_web._core.EncodedChunks",
    .basicsize = sizeof(struct encoded_chunks),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = encoded_chunks_slots,
};

PyObject *encoded_chunks_new(struct module_state *state, PyObject *encoder,
                             const struct encode_options *options, PyObject *object,
                             size_t chunk_bytes) {
    struct encoded_chunks *const self =
        (struct encoded_chunks *)state->stream_type->tp_alloc(state->stream_type, 0);
    if (self == NULL) {
        return NULL;
    }
    self->encoder = Py_NewRef(encoder);
    self->state = state;
    self->options = *options;
    self->options.to_bytes = true;
    if (!options->has_write_cache) {
        self->options.is_write_cache = __atomic_load_n(&state->is_writing_cache, __ATOMIC_RELAXED);
    }
    self->codec = __atomic_load_n(&state->codec, __ATOMIC_RELAXED);
    self->stream = self->codec->stream_new(object, &self->options, chunk_bytes);
    if (self->stream == NULL) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}
