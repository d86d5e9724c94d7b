/* SPDX-License-Identifier: MIT */
#include "module/classes/classes.h"

#include "module/args/keywords.h"
#include "module/recorder.h"

void figure_add(uint64_t *figure, uint64_t more) {
    if (IS_FREE_THREADED) {
        __atomic_fetch_add(figure, more, __ATOMIC_RELAXED);
    } else {
        *figure += more;
    }
}

uint64_t figure_get(const uint64_t *figure) {
    return __atomic_load_n(figure, __ATOMIC_RELAXED);
}

void recorder_add(struct recorder *recorder, enum direction direction, uint64_t ns,
                  uint64_t n_calls, uint64_t n_bytes) {
    uint64_t *const figures = recorder->figures[direction];
    figure_add(&figures[FIGURE_NS], ns);
    figure_add(&figures[FIGURE_CALLS], n_calls);
    figure_add(&figures[FIGURE_BYTES], n_bytes);
}

bool recorder_enter(struct recorder *recorder) {
    const uint64_t thread = PyThread_get_thread_ident();
    uint64_t timed = 0;
    return __atomic_compare_exchange_n(&recorder->timed_thread, &timed, thread, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
           timed != thread;
}

void recorder_leave(struct recorder *recorder) {
    uint64_t thread = PyThread_get_thread_ident();
    __atomic_compare_exchange_n(&recorder->timed_thread, &thread, 0, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
}

int timing_begin(struct timing *timing, const struct module_state *state) {
    *timing = (struct timing){.recorder = NULL};
    if (state->current_recorder == NULL) { /* the interpreter is shutting down */
        return 0;
    }
    PyObject *current;
    if (PyContextVar_Get(state->current_recorder, Py_None, &current) != 0) {
        return -1;
    }
    if (Py_IS_TYPE(current, state->recorder_type) && recorder_enter((struct recorder *)current)) {
        timing->recorder = (struct recorder *)current;
        timing->started_ns = clock_ns();
    } else {
        Py_DECREF(current);
    }
    return 0;
}

void timing_end(struct timing *timing, enum direction direction, uint64_t n_calls,
                Py_ssize_t n_bytes) {
    struct recorder *const recorder = timing->recorder;
    if (recorder != NULL) {
        recorder_add(recorder, direction, clock_ns() - timing->started_ns, n_calls,
                     (uint64_t)n_bytes);
        recorder_leave(recorder);
        Py_CLEAR(timing->recorder);
    }
}

Py_ssize_t recorded_size(PyObject *text) {
    if (text == NULL) {
        return 0;
    }
    if (PyBytes_Check(text)) {
        return PyBytes_GET_SIZE(text);
    }
    if (PyUnicode_Check(text)) {
        return PyUnicode_GET_LENGTH(text);
    }
    if (PyMemoryView_Check(text)) {
        return PyMemoryView_GET_BUFFER(text)->len;
    }
    const Py_ssize_t size = PyObject_CheckBuffer(text) ? PyObject_Size(text) : 0;
    if (size < 0) {
        PyErr_Clear();
    }
    return size > 0 ? size : 0;
}

/* ---- the class ----------------------------------------------------------------------------- */

PyDoc_STRVAR(recorder_doc,
             "Recorder()\n--\n\n"
             "The cost of encoding and decoding in the contexts whose current_recorder it is.\n\n"
             "A call within another call, such as a hook's, is a part of the outer one and is not\n"
             "counted. Any number of threads may share a recorder.");

static PyObject *recorder_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    if (PyTuple_GET_SIZE(args) != 0 || (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0)) {
        PyErr_SetString(PyExc_TypeError, "Recorder() takes no arguments");
        return NULL;
    }
    PyObject *const module = PyType_GetModule(type); /* borrowed */
    struct recorder *const self =
        module != NULL ? (struct recorder *)type->tp_alloc(type, 0) : NULL;
    if (self != NULL) {
        self->module = Py_NewRef(module);
        struct module_state *const state = PyModule_GetState(module);
        __atomic_fetch_add(&state->n_recorders, 1, __ATOMIC_RELAXED);
    }
    return (PyObject *)self;
}

/* The recorder of another library's calls, borrowed; it is made at its first use. */
static struct recorder *recorder_of_library(struct recorder *self, PyObject *library) {
    if (!PyUnicode_CheckExact(library)) {
        PyErr_Format(PyExc_TypeError, "library must be a str, not %.200s",
                     Py_TYPE(library)->tp_name);
        return NULL;
    }
    struct recorder *found = NULL;
    Py_BEGIN_CRITICAL_SECTION(self);
    if (self->observed == NULL) {
        self->observed = PyDict_New();
    }
    PyObject *present =
        self->observed != NULL ? PyDict_GetItemWithError(self->observed, library) : NULL;
    if (present == NULL && self->observed != NULL && !PyErr_Occurred()) {
        PyObject *const made = PyObject_CallNoArgs((PyObject *)Py_TYPE(self));
        if (made != NULL && PyDict_SetItem(self->observed, library, made) == 0) {
            present = made; /* the dict keeps it, and entries are never removed */
        }
        Py_XDECREF(made);
    }
    found = (struct recorder *)present;
    Py_END_CRITICAL_SECTION();
    return found;
}

PyDoc_STRVAR(
    recorder_begin_doc,
    "begin($self, /)\n--\n\n"
    "Begin to time a call of another library; whether it is an outermost call.\n\n"
    "False means that the call is a part of one that is already timed. end() must be called\n"
    "after True, and only then.");

static PyObject *recorder_begin(PyObject *self, PyObject *ignored) {
    (void)ignored;
    return PyBool_FromLong(recorder_enter((struct recorder *)self));
}

PyDoc_STRVAR(
    recorder_end_doc,
    "end($self, library, direction, ns, calls, size, /)\n--\n\n"
    "End the call that begin() began, and add its cost to observed[library].\n\n"
    "direction is 'encode' or 'decode', ns a time in nanoseconds, size a number of bytes.");

static PyObject *recorder_end(PyObject *object, PyObject *const *args, Py_ssize_t n_args) {
    struct recorder *const self = (struct recorder *)object;
    recorder_leave(self);
    if (n_args != 5) {
        PyErr_Format(PyExc_TypeError, "end() takes five arguments (%zd given)", n_args);
        return NULL;
    }
    struct recorder *const library = recorder_of_library(self, args[0]);
    if (library == NULL) {
        return NULL;
    }
    enum direction direction = DIRECTION_ENCODE;
    if (!PyUnicode_Check(args[1]) || (PyUnicode_CompareWithASCIIString(args[1], "encode") != 0 &&
                                      PyUnicode_CompareWithASCIIString(args[1], "decode") != 0)) {
        PyErr_Format(PyExc_ValueError, "direction must be 'encode' or 'decode', not %R", args[1]);
        return NULL;
    }
    if (PyUnicode_CompareWithASCIIString(args[1], "decode") == 0) {
        direction = DIRECTION_DECODE;
    }
    unsigned long long amounts[3];
    for (int i = 0; i < 3; i++) {
        amounts[i] = PyLong_AsUnsignedLongLong(args[2 + i]);
        if (amounts[i] == (unsigned long long)-1 && PyErr_Occurred()) {
            return NULL;
        }
    }
    recorder_add(library, direction, amounts[0], amounts[1], amounts[2]);
    Py_RETURN_NONE;
}

/* Add the figures of one recorder to another's, without those of observed libraries. */
static void recorder_add_own(struct recorder *self, const struct recorder *other) {
    for (int direction = 0; direction < 2; direction++) {
        for (int i = 0; i < N_FIGURES; i++) {
            figure_add(&self->figures[direction][i], figure_get(&other->figures[direction][i]));
        }
    }
}

PyDoc_STRVAR(recorder_add_doc,
             "add($self, other, /)\n--\n\n"
             "Add the figures of another Recorder, including its observed libraries.");

static PyObject *recorder_add_other(PyObject *self, PyObject *object) {
    if (!Py_IS_TYPE(object, Py_TYPE(self))) {
        PyErr_Format(PyExc_TypeError, "other must be a Recorder, not %.200s",
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    struct recorder *const other = (struct recorder *)object;
    recorder_add_own((struct recorder *)self, other);
    PyObject *observed = NULL;
    Py_BEGIN_CRITICAL_SECTION(object);
    observed = other->observed != NULL ? PyDict_Copy(other->observed) : NULL;
    Py_END_CRITICAL_SECTION();
    Py_ssize_t position = 0;
    PyObject *library, *figures;
    while (observed != NULL && PyDict_Next(observed, &position, &library, &figures)) {
        struct recorder *const total = recorder_of_library((struct recorder *)self, library);
        if (total == NULL) {
            break;
        }
        recorder_add_own(total, (struct recorder *)figures);
    }
    Py_XDECREF(observed);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static uint64_t recorder_own_ns(const struct recorder *self) {
    return figure_get(&self->figures[DIRECTION_ENCODE][FIGURE_NS]) +
           figure_get(&self->figures[DIRECTION_DECODE][FIGURE_NS]);
}

static PyObject *recorder_json_ns(PyObject *object, void *ignored) {
    (void)ignored;
    struct recorder *const self = (struct recorder *)object;
    uint64_t ns = recorder_own_ns(self);
    Py_BEGIN_CRITICAL_SECTION(object);
    Py_ssize_t position = 0;
    PyObject *library, *figures;
    while (self->observed != NULL && PyDict_Next(self->observed, &position, &library, &figures)) {
        ns += recorder_own_ns((struct recorder *)figures);
    }
    Py_END_CRITICAL_SECTION();
    return PyLong_FromUnsignedLongLong(ns);
}

static PyObject *recorder_observed(PyObject *object, void *ignored) {
    (void)ignored;
    PyObject *observed;
    Py_BEGIN_CRITICAL_SECTION(object);
    PyObject *const own = ((struct recorder *)object)->observed;
    observed = own != NULL ? PyDict_Copy(own) : PyDict_New();
    Py_END_CRITICAL_SECTION();
    return observed;
}

/* A figure by its index in recorder.figures. */
static PyObject *recorder_figure(PyObject *self, void *place) {
    const uint64_t *const figures = &((struct recorder *)self)->figures[0][0];
    return PyLong_FromUnsignedLongLong(figure_get(figures + (uintptr_t)place));
}

#define FIGURE_PLACE(direction, figure) ((void *)(uintptr_t)((direction) * N_FIGURES + (figure)))

static PyGetSetDef recorder_attributes[] = {
    {"encode_ns", recorder_figure, NULL, "Time spent in encoding, in nanoseconds.",
     FIGURE_PLACE(DIRECTION_ENCODE, FIGURE_NS)},
    {"encodes", recorder_figure, NULL, "Number of values that were encoded, failures included.",
     FIGURE_PLACE(DIRECTION_ENCODE, FIGURE_CALLS)},
    {"encoded_bytes", recorder_figure, NULL,
     "Size of the texts written: bytes, or characters of a str.",
     FIGURE_PLACE(DIRECTION_ENCODE, FIGURE_BYTES)},
    {"decode_ns", recorder_figure, NULL, "Time spent in decoding, in nanoseconds.",
     FIGURE_PLACE(DIRECTION_DECODE, FIGURE_NS)},
    {"decodes", recorder_figure, NULL, "Number of documents that were decoded, failures included.",
     FIGURE_PLACE(DIRECTION_DECODE, FIGURE_CALLS)},
    {"decoded_bytes", recorder_figure, NULL,
     "Size of the texts read: bytes, or characters of a str.",
     FIGURE_PLACE(DIRECTION_DECODE, FIGURE_BYTES)},
    {"json_ns", recorder_json_ns, NULL,
     "Time of encoding and decoding, by this library and the observed ones, in nanoseconds.", NULL},
    {"observed", recorder_observed, NULL,
     "A new dict: name of each observed library to the Recorder of its calls.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static int recorder_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((struct recorder *)self)->module);
    Py_VISIT(((struct recorder *)self)->observed);
    return 0;
}

static int recorder_clear(PyObject *self) {
    Py_CLEAR(((struct recorder *)self)->observed);
    return 0;
}

static void recorder_dealloc(PyObject *object) {
    struct recorder *const self = (struct recorder *)object;
    PyTypeObject *const type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    recorder_clear(object);
    if (self->module != NULL) {
        struct module_state *const state = PyModule_GetState(self->module);
        __atomic_fetch_sub(&state->n_recorders, 1, __ATOMIC_RELAXED);
        Py_CLEAR(self->module);
    }
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef recorder_methods[] = {
    {"begin", recorder_begin, METH_NOARGS, recorder_begin_doc},
    {"end", FUNCTION(recorder_end), METH_FASTCALL, recorder_end_doc},
    {"add", recorder_add_other, METH_O, recorder_add_doc},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot recorder_slots[] = {
    {Py_tp_doc, (void *)recorder_doc},   {Py_tp_new, recorder_new},
    {Py_tp_methods, recorder_methods},   {Py_tp_getset, recorder_attributes},
    {Py_tp_traverse, recorder_traverse}, {Py_tp_clear, recorder_clear},
    {Py_tp_dealloc, recorder_dealloc},   {0, NULL},
};

PyType_Spec recorder_spec = {
    .name = "ssrjson_web.Recorder",
    .basicsize = sizeof(struct recorder),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = recorder_slots,
};
