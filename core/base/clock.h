/* SPDX-License-Identifier: MIT */
/* A clock for durations. */
#ifndef SSRJSON_BASE_CLOCK_H
#define SSRJSON_BASE_CLOCK_H

#include <stdint.h>

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

#endif
