/* SPDX-License-Identifier: MIT */
/* The cost of calls: each call adds its time and bytes to the Recorder of its context, if there is
 * one. Calls look for a Recorder only while at least one exists. */
#ifndef SSRJSON_MODULE_RECORDER_H
#define SSRJSON_MODULE_RECORDER_H

#include "module/state.h"

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <time.h>
#endif

/* Nanoseconds since some moment in the past; never decreases. The clock of Python's
 * time.perf_counter_ns. */
static inline uint64_t clock_ns(void) {
#ifdef _WIN32
    LARGE_INTEGER ticks, ticks_per_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&ticks_per_second);
    const uint64_t n = (uint64_t)ticks.QuadPart;
    const uint64_t per_second = (uint64_t)ticks_per_second.QuadPart;
    return n / per_second * 1000000000u + n % per_second * 1000000000u / per_second;
#else
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
#endif
}

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
    uint64_t timed_thread; /* the thread whose outermost call is being timed; 0: no thread */
    PyObject *observed;    /* owned dict of str to Recorder: other libraries' calls; NULL: none */
};

/* A call that is being timed. */
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

/* Whether the thread's call is an outermost one and is to be timed: the calls of a hook are a part
 * of the call that runs the hook. While one thread is timed, all calls of a second thread that
 * shares the recorder are timed, nested ones included. */
bool recorder_enter(struct recorder *recorder);

void recorder_leave(struct recorder *recorder);

/* Begin to time a call, -1 with an exception set; no exception may be set before the call. */
int timing_begin(struct timing *timing, const struct module_state *state);

/* End it; an exception that is set stays set. */
void timing_end(struct timing *timing, enum direction direction, uint64_t n_calls,
                Py_ssize_t n_bytes);

/* Bytes of a text that was written or will be read, or characters of a str; 0 for NULL. */
Py_ssize_t recorded_size(PyObject *text);

#endif
