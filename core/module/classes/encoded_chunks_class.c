/* SPDX-License-Identifier: MIT */
#include "module/classes/classes.h"

#include "module/errors/exceptions.h"
#include "module/recorder.h"
#include "pyobject/object.h"

struct encoded_chunks {
    PyObject_HEAD PyObject *encoder; /* owned: its options are used */
    struct module_state *state; /* state of the encoder's module, which the encoder keeps alive */
    struct encode_options options;
    const struct codec *codec;
    struct encode_stream *stream; /* owned; NULL once it has ended */
    bool is_running;
    bool is_recorded; /* the stream counts as one value that was encoded */
};

/* Take the stream out, to be freed by the caller; NULL once it has ended. */
static struct encode_stream *encoded_chunks_end(struct encoded_chunks *self) {
    struct encode_stream *const stream = self->stream;
    self->stream = NULL;
    return stream;
}

static void encoded_chunks_free(const struct encoded_chunks *self, struct encode_stream *stream) {
    if (stream != NULL) {
        self->codec->stream_free(stream);
    }
}

/* The next chunk, NULL at the end or with *error filled. */
static PyObject *encoded_chunks_encode(struct encoded_chunks *self, struct encode_error *error) {
#if IS_FREE_THREADED
    const struct taken_caches taken = thread_caches_take(&self->state->thread_caches);
    self->options.plan_cache = taken.caches != NULL ? &taken.caches->plan_cache : NULL;
#endif
    PyObject *const chunk = self->codec->stream_next(self->stream, error);
#if IS_FREE_THREADED
    thread_caches_give_back(taken);
#endif
    return chunk;
}

/* Replace a StopIteration that code of the user raised by a RuntimeError, as a generator does. It
 * would end the chunks without an error, and what is there would be taken for the whole text. */
static COLD void replace_stop_iteration(void) {
    if (!PyErr_ExceptionMatches(PyExc_StopIteration)) {
        return;
    }
    PyObject *const stopped = raised_take();
    PyErr_SetString(PyExc_RuntimeError, "generator raised StopIteration");
    PyObject *const error = raised_take();
    PyException_SetContext(error, Py_NewRef(stopped));
    PyException_SetCause(error, stopped);
    raised_set(error);
}

/* The next chunk, while no other call uses the stream; *ended is the stream if it has ended, which
 * the caller frees. */
static PyObject *encoded_chunks_next_alone(struct encoded_chunks *self,
                                           struct encode_stream **ended) {
    struct module_state *const state = self->state;
    if (self->stream == NULL) {
        return NULL;
    }
    if (Py_EnterRecursiveCall(" while encoding a JSON object") !=
        0) { /* a stream may hold another stream */
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
    PyObject *const chunk = encoded_chunks_encode(self, &error);
    Py_LeaveRecursiveCall();
    if (timing.recorder != NULL) {
        timing_end(&timing, DIRECTION_ENCODE, self->is_recorded ? 0 : 1, recorded_size(chunk));
        self->is_recorded = true;
    }
    if (chunk == NULL) {
        if (error.error.kind != ERROR_NONE) {
            raise_encode_error(state, &error, &self->options);
            replace_stop_iteration();
        }
        *ended = encoded_chunks_end(self);
    }
    return chunk;
}

static PyObject *encoded_chunks_next(PyObject *object) {
    struct encoded_chunks *const self = (struct encoded_chunks *)object;
    /* a hook, or another thread, may ask for a chunk meanwhile */
    if (__atomic_exchange_n(&self->is_running, true, __ATOMIC_ACQUIRE)) {
        PyErr_SetString(PyExc_ValueError, "iterencode() is already running");
        return NULL;
    }
    struct encode_stream *ended = NULL;
    PyObject *const chunk = encoded_chunks_next_alone(self, &ended);
    __atomic_store_n(&self->is_running, false, __ATOMIC_RELEASE);
    if (ended != NULL) {
        PyObject *const raised = raised_take(); /* releasing objects may run Python code */
        encoded_chunks_free(self, ended);
        if (raised != NULL) {
            raised_set(raised);
        }
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
    struct encoded_chunks *const self = (struct encoded_chunks *)object;
    encoded_chunks_free(self, encoded_chunks_end(self));
    return 0;
}

static void encoded_chunks_dealloc(PyObject *object) {
    PyTypeObject *const type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    Py_TRASHCAN_BEGIN(object, encoded_chunks_dealloc) /* streams may be nested deeply */
        encoded_chunks_clear(object);
    Py_CLEAR(((struct encoded_chunks *)object)->encoder);
    type->tp_free(object);
    Py_DECREF(type);
    Py_TRASHCAN_END
}

static PyType_Slot encoded_chunks_slots[] = {
    {Py_tp_doc, "An iterator of the chunks of one JSON text, as bytes; see Encoder.iterencode."},
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
