/* SPDX-License-Identifier: MIT */
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
    if (state->current_recorder == NULL) { /* the interpreter ends */
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
