/* SPDX-License-Identifier: MIT */
/* Doubles compared and converted by their bits, and the CPU's mode for subnormal ones.
 *
 * A library that was built with -ffast-math sets a mode of the CPU for the whole thread when it is
 * loaded: subnormal operands and results count as zero. Then 5e-324 == 0.0 is true. So no decision
 * about digits may be a comparison of doubles, and no subnormal one may be computed. */
#ifndef SSRJSON_NUMBER_FLOAT_BITS_H
#define SSRJSON_NUMBER_FLOAT_BITS_H

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

static ALWAYS_INLINE uint64_t double_bits(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Whether a double is 0.0 or -0.0. */
static ALWAYS_INLINE bool double_is_zero(double value) {
    return double_bits(value) << 1 == 0;
}

#define SINGLE_BITS_OF_FRACTION 23
#define SINGLE_INFINITY ((uint32_t)0xff << SINGLE_BITS_OF_FRACTION)

/* The double that equals a float of 32 bits. */
static ALWAYS_INLINE double double_from_single(uint32_t bits) {
    if (UNLIKELY((bits & SINGLE_INFINITY) == 0)) { /* zero or subnormal: fraction * 2^-149 */
        const double magnitude = (double)(int32_t)(bits & 0x7fffff) * 0x1p-149;
        return bits >> 31 ? -magnitude : magnitude;
    }
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The float of 32 bits that equals a double, which is finite and one of those floats. */
static ALWAYS_INLINE float single_from_double(double value) {
    const uint64_t bits = double_bits(value);
    const int exponent = (int)(bits >> 52 & 0x7ff) - 1023;
    if (exponent >= -126 || exponent == -1023) {
        return (float)value;
    }
    /* subnormal: significand * 2^(exponent - 52) in units of 2^-149 */
    const uint64_t significand = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    const uint32_t own = (uint32_t)(significand >> (-97 - exponent)) | (uint32_t)(bits >> 63) << 31;
    float single;
    memcpy(&single, &own, sizeof single);
    return single;
}

#if defined(__x86_64__)
#define SUBNORMALS_OFF 0x8040 /* flush to zero; denormals are zero */
#elif defined(__aarch64__)
#define SUBNORMALS_OFF ((uint64_t)1 << 24)
#endif

/* Have the CPU compute with subnormal doubles, for code of others that does; returns the mode for
 * subnormals_restore. */
static inline uint64_t subnormals_switch_on(void) {
#if defined(__x86_64__)
    const unsigned mode = __builtin_ia32_stmxcsr();
    if (UNLIKELY((mode & SUBNORMALS_OFF) != 0)) {
        __builtin_ia32_ldmxcsr(mode & ~(unsigned)SUBNORMALS_OFF);
    }
    return mode;
#elif defined(__aarch64__)
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    if (UNLIKELY((mode & SUBNORMALS_OFF) != 0)) {
        __asm__ volatile("msr fpcr, %0" : : "r"(mode & ~SUBNORMALS_OFF) : "memory");
    }
    return mode;
#else
    return 0;
#endif
}

static inline void subnormals_restore(uint64_t mode) {
#if defined(__x86_64__)
    if (UNLIKELY((mode & SUBNORMALS_OFF) != 0)) {
        __builtin_ia32_ldmxcsr((unsigned)mode);
    }
#elif defined(__aarch64__)
    if (UNLIKELY((mode & SUBNORMALS_OFF) != 0)) {
        __asm__ volatile("msr fpcr, %0" : : "r"(mode) : "memory");
    }
#else
    (void)mode;
#endif
}

#endif
