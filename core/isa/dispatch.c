/* SPDX-License-Identifier: MIT */
/* The CPU's and the operating system's support for each level, from the CPU itself: the compilers'
 * own helpers need a runtime library that some builds of Clang lack. Source: Intel SDM volume 2,
 * CPUID, and volume 1, 13.3 (XCR0); AMD APM volume 3, appendix E. */
#include "isa/codec.h"

#include "pyobject/python.h"

#if defined(__x86_64__)
#include <cpuid.h>

enum cpu_rank { CPU_BASELINE, CPU_SSE42, CPU_AVX2, CPU_AVX512 };

/* The register state that the operating system saves: XCR0. */
static uint64_t saved_state(void) {
    uint32_t low;
    uint32_t high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static bool has_all(uint64_t value, uint64_t bits) {
    return (value & bits) == bits;
}

/* The features below are those that CMakeLists.txt switches on for each level. */
static enum cpu_rank cpu_rank(void) {
    const uint32_t leaf1_ecx_sse =
        1u << 0 | 1u << 9 | 1u << 19 | 1u << 20 | 1u << 23;      /* to SSE4.2, POPCNT */
    const uint32_t leaf1_ecx_avx = 1u << 27 | 1u << 28;          /* OSXSAVE AVX */
    const uint32_t leaf7_ebx_avx2 = 1u << 3 | 1u << 5 | 1u << 8; /* BMI1 AVX2 BMI2 */
    const uint32_t extended_ecx_lzcnt = 1u << 5;
    const uint32_t leaf7_ebx_avx512 =
        1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31; /* F DQ CD BW VL */
    const uint32_t leaf7_ecx_avx512 = 1u << 1 | 1u << 6;      /* VBMI VBMI2 */
    const uint64_t avx_state = 0x6;
#ifdef __APPLE__ /* XNU switches a thread's AVX-512 state on at its first use, and no bit says so \
                    before */
    const uint64_t avx512_state = avx_state;
#else
    const uint64_t avx512_state = 0xe6;
#endif

    uint32_t eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !has_all(ecx, leaf1_ecx_sse)) {
        return CPU_BASELINE;
    }
    if (!has_all(ecx, leaf1_ecx_avx) || !has_all(saved_state(), avx_state)) {
        return CPU_SSE42;
    }
    uint32_t leaf7_ebx, leaf7_ecx;
    if (!__get_cpuid_count(7, 0, &eax, &leaf7_ebx, &leaf7_ecx, &edx) ||
        !has_all(leaf7_ebx, leaf7_ebx_avx2) || !__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) ||
        !has_all(ecx, extended_ecx_lzcnt)) {
        return CPU_SSE42;
    }
    if (!has_all(leaf7_ebx, leaf7_ebx_avx512) || !has_all(leaf7_ecx, leaf7_ecx_avx512) ||
        !has_all(saved_state(), avx512_state)) {
        return CPU_AVX2;
    }
    return CPU_AVX512;
}

extern const struct codec ssrjson_codec_portable;
extern const struct codec ssrjson_codec_sse42;
extern const struct codec ssrjson_codec_avx2;
extern const struct codec ssrjson_codec_avx512;
static const struct codec *const BUILT_CODECS[] = {&ssrjson_codec_portable, &ssrjson_codec_sse42,
                                                   &ssrjson_codec_avx2, &ssrjson_codec_avx512};

static size_t usable_count(void) {
    return (size_t)cpu_rank() + 1;
}

#elif defined(__aarch64__)

extern const struct codec ssrjson_codec_portable;
extern const struct codec ssrjson_codec_neon;
static const struct codec *const BUILT_CODECS[] = {&ssrjson_codec_portable, &ssrjson_codec_neon};

/* NEON is part of the architecture's base, on Linux, macOS and Windows: there is nothing to ask. */
static size_t usable_count(void) {
    return sizeof BUILT_CODECS / sizeof *BUILT_CODECS;
}

#else

extern const struct codec ssrjson_codec_portable;
static const struct codec *const BUILT_CODECS[] = {&ssrjson_codec_portable};

static size_t usable_count(void) {
    return sizeof BUILT_CODECS / sizeof *BUILT_CODECS;
}

#endif

bool dispatch_suits_interpreter(void) {
    return !KNOWS_LAYOUTS || layouts_hold(); /* a build that knows none relies on none */
}

const struct codec *const *dispatch_usable_codecs(size_t *n) {
    *n = dispatch_suits_interpreter() ? usable_count() : 1;
    return BUILT_CODECS;
}

const struct codec *dispatch_find_codec(const char *level) {
    size_t n;
    const struct codec *const *const codecs = dispatch_usable_codecs(&n);
    for (size_t i = 0; i < n; i++) {
        if (strcmp(codecs[i]->level, level) == 0) {
            return codecs[i];
        }
    }
    return NULL;
}

bool dispatch_is_level_name(const char *level) {
    static const char *const names[] = {"portable", "sse4.2", "avx2", "avx512", "neon"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], level) == 0) {
            return true;
        }
    }
    return false;
}
