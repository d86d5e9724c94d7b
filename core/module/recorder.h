/* SPDX-License-Identifier: MIT */
/* What calls cost: each adds its time and bytes to the Recorder of its context, where there is one.
 * Calls look for it only while some Recorder lives. */
#ifndef SSRJSON_MODULE_RECORDER_H
#define SSRJSON_MODULE_RECORDER_H

#include "base/clock.h"
#include "module/state.h"

/* Whether a call encodes or decodes. */
enum direction {
    DIRECTION_ENCODE,
    DIRECTION_DECODE,
};

enum recorder_figure {
    FIGURE_NS,
    FIGURE_CALLS,
    FIGURE_BYTES,
    N_FIGURES,
};

struct recorder {
    PyObject_HEAD PyObject *module; /* owned */
    uint64_t figures[2][N_FIGURES]; /* by direction */
    uint64_t timed_thread;          /* the thread whose outermost call is being timed; 0: none is */
    PyObject *observed; /* owned dict of str to Recorder: other libraries' calls; NULL: none */
};

/* A call while it is timed. */
struct timing {
    struct recorder *recorder; /* owned; NULL: the call is not timed */
    uint64_t started_ns;
};

static ALWAYS_INLINE bool is_recording(const struct module_state *state) {
    return UNLIKELY(__atomic_load_n(&state->n_recorders, __ATOMIC_RELAXED) != 0);
}

void figure_add(uint64_t *figure, uint64_t more);

uint64_t figure_get(const uint64_t *figure);

void recorder_add(struct recorder *recorder, enum direction direction, uint64_t ns,
                  uint64_t n_calls, uint64_t n_bytes);

/* Whether the thread's call is an outermost one, and is to be timed: a hook's calls are a part of
 * the call that runs the hook. A second thread that shares the recorder meanwhile is not held to
 * that: all its calls are timed. */
bool recorder_enter(struct recorder *recorder);

void recorder_leave(struct recorder *recorder);

/* Begin to time a call, -1 with an exception set; no exception may be set before. */
int timing_begin(struct timing *timing, const struct module_state *state);

/* End it; an exception that is set stays so. */
void timing_end(struct timing *timing, enum direction direction, uint64_t n_calls,
                Py_ssize_t n_bytes);

/* Bytes of a text that was made or is to be read, or characters of a str: 0 for none. */
Py_ssize_t recorded_size(PyObject *text);

#endif
