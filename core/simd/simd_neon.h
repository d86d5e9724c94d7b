/* SPDX-License-Identifier: MIT */
/* What AArch64 has and Clang's vector extensions cannot spell. Included by simd.h only. */
#ifndef SSRJSON_SIMD_SIMD_NEON_H
#define SSRJSON_SIMD_SIMD_NEON_H

#include <arm_neon.h>

#define SIMD_HAS_SHUFFLE 1

/* Bytes of vec picked by index within its sixteen, 0 to 15; an index of 0x80 gives zero. Others
 * differ by instruction set: here they give zero, on x86 the low four bits count. */
static ALWAYS_INLINE u8vec u8_shuffle_groups(u8vec vec, u8vec index) {
    return (u8vec)vqtbl1q_u8((uint8x16_t)vec, (uint8x16_t)index);
}

static ALWAYS_INLINE u8x16 u8x16_shuffle(u8x16 vec, u8x16 index) {
    return (u8x16)vqtbl1q_u8((uint8x16_t)vec, (uint8x16_t)index);
}

/* Bytes of a table picked by the low four bits of any byte; for one from 0x80 on the result may be
 * zero instead. */
static ALWAYS_INLINE u8x16 u8x16_look_up_low_half(u8x16 table, u8x16 bytes) {
    return u8x16_shuffle(table, bytes & 0x0f);
}

#endif
