/* SPDX-License-Identifier: MIT */
/* What AArch64 has and Clang's vector extensions cannot spell. Included by simd.h only. */
#ifndef SSRJSON_SIMD_SIMD_NEON_H
#define SSRJSON_SIMD_SIMD_NEON_H

#include <arm_neon.h>

#define SIMD_HAS_SHUFFLE 1

/* Bytes of vec picked by index within its sixteen; an index of 16 or more gives zero. */
static ALWAYS_INLINE u8vec u8_shuffle_groups(u8vec vec, u8vec index) {
    return (u8vec)vqtbl1q_u8((uint8x16_t)vec, (uint8x16_t)index);
}

static ALWAYS_INLINE u8x16 u8x16_shuffle(u8x16 vec, u8x16 index) {
    return (u8x16)vqtbl1q_u8((uint8x16_t)vec, (uint8x16_t)index);
}

#endif
