/* SPDX-License-Identifier: MIT */
/* What the fuzzers of the floors without Python share: the input, exact buffers, complaints. */
#ifndef SSRJSON_FUZZ_FLOORS_H
#define SSRJSON_FUZZ_FLOORS_H

#include <stdio.h>
#include <stdlib.h>

#include "base/compiler.h"

/* What is left of the fuzzer's input. */
struct input {
    const uint8_t *from;
    size_t n;
};

static inline uint8_t input_byte(struct input *input) {
    if (input->n == 0) {
        return 0;
    }
    input->n--;
    return *input->from++;
}

static inline uint64_t input_u64(struct input *input) {
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)input_byte(input) << (8 * i);
    }
    return value;
}

/* Units that end where their memory ends, so that AddressSanitizer sees a read beyond them. They
 * begin at any alignment. */
struct units {
    void *memory;
    void *from;
    size_t n;
    size_t unit_bytes;
};

static inline struct units units_new(size_t n, size_t unit_bytes, size_t n_before) {
    char *const memory = malloc((n + n_before) * unit_bytes);
    if (memory == NULL) {
        abort();
    }
    memset(memory, 0x5a, (n + n_before) * unit_bytes);
    return (struct units){memory, memory + n_before * unit_bytes, n, unit_bytes};
}

static inline void *units_end(const struct units *units) {
    return (char *)units->from + units->n * units->unit_bytes;
}

static inline uint32_t units_get(const struct units *units, size_t i) {
    return units->unit_bytes == 1   ? ((const uint8_t *)units->from)[i]
           : units->unit_bytes == 2 ? ((const uint16_t *)units->from)[i]
                                    : ((const uint32_t *)units->from)[i];
}

static inline void units_set(const struct units *units, size_t i, uint32_t unit) {
    if (units->unit_bytes == 1) {
        ((uint8_t *)units->from)[i] = (uint8_t)unit;
    } else if (units->unit_bytes == 2) {
        ((uint16_t *)units->from)[i] = (uint16_t)unit;
    } else {
        ((uint32_t *)units->from)[i] = unit;
    }
}

/* The rest of the input as units, three bytes to a code point where they are of four; a part of it
 * comes several times, so that a short input makes a long text. */
static inline struct units input_units(struct input *input, size_t unit_bytes) {
    const uint8_t layout = input_byte(input);
    const size_t n_repeats = (layout & 7) == 7 ? 1 + input_byte(input) : 1;
    const size_t taken = unit_bytes == 4 ? 3 : unit_bytes;
    const size_t n_given = input->n / taken;
    const size_t n_repeated = n_given < 32 ? n_given : 32;
    const size_t n = n_repeated * n_repeats + (n_given - n_repeated);
    struct units units = units_new(n, unit_bytes, layout >> 4);
    for (size_t i = 0; i < n; i++) {
        const size_t at = i < n_repeated * n_repeats ? i % (n_repeated ? n_repeated : 1)
                                                     : i - n_repeated * (n_repeats - 1);
        const uint8_t *const p = input->from + at * taken;
        uint32_t unit = p[0];
        if (taken > 1) {
            unit |= (uint32_t)p[1] << 8;
        }
        if (taken > 2) {
            unit = (unit | (uint32_t)p[2] << 16) % 0x110000;
        }
        units_set(&units, i, unit);
    }
    input->n = 0;
    return units;
}

static inline void units_free(const struct units *units) {
    free(units->memory);
}

/* End the run with a message: the fuzzer keeps the input. */
#define CHECK(condition) check(condition, #condition, __FILE__, __LINE__)

static inline void check(bool is_true, const char *condition, const char *file, int line) {
    if (UNLIKELY(!is_true)) {
        fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
        abort();
    }
}

#endif
