/* SPDX-License-Identifier: MIT */
/* The floors without Python as libFuzzer calls them: compiled once per level, as a library each. */
#include "numbers.h"
#include "reading.h"
#include "writing.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int ssrjson_fuzz_writing(const uint8_t *data, size_t size);
EXPORTED int ssrjson_fuzz_reading(const uint8_t *data, size_t size);
EXPORTED int ssrjson_fuzz_numbers(const uint8_t *data, size_t size);

int ssrjson_fuzz_writing(const uint8_t *data, size_t size) {
    fuzz_writing(&(struct input){data, size});
    return 0;
}

int ssrjson_fuzz_reading(const uint8_t *data, size_t size) {
    fuzz_reading(&(struct input){data, size});
    return 0;
}

int ssrjson_fuzz_numbers(const uint8_t *data, size_t size) {
    fuzz_numbers(&(struct input){data, size});
    return 0;
}
