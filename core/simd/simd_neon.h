/* SPDX-License-Identifier: MIT */
/* What AArch64 has and Clang's vector extensions cannot spell, or are slow with. Included by simd.h
 * only. */
#ifndef SSRJSON_SIMD_SIMD_NEON_H
#define SSRJSON_SIMD_SIMD_NEON_H

#include <arm_neon.h>

#define SIMD_HAS_SHUFFLE 1

/* Bytes picked by index: 0 to 15; 0x80 to 0xff give zero. Others are not allowed, because
 * instruction sets differ: this one gives zero, x86 takes their low four bits. */
static ALWAYS_INLINE u8vec u8_shuffle_groups(u8vec vec, u8vec index) {
    assert(u8_are_indices(index));
    return (u8vec)vqtbl1q_u8((uint8x16_t)vec, (uint8x16_t)index);
}

static ALWAYS_INLINE u8x16 u8x16_shuffle(u8x16 vec, u8x16 index) {
    assert(u8x16_are_indices(index));
    return (u8x16)vqtbl1q_u8((uint8x16_t)vec, (uint8x16_t)index);
}

/* For bytes below 16 those of the table; for others zero. */
static ALWAYS_INLINE u8vec u8_look_up(u8vec table, u8vec bytes) {
    return (u8vec)vqtbl1q_u8((uint8x16_t)table, (uint8x16_t)bytes);
}

/* Bytes of a table picked by the low four bits of any byte; for one from 0x80 on the result may be
 * zero instead. */
static ALWAYS_INLINE u8x16 u8x16_look_up_low_half(u8x16 table, u8x16 bytes) {
    return (u8x16)vqtbl1q_u8((uint8x16_t)table, (uint8x16_t)(bytes & 0x0f));
}

static ALWAYS_INLINE u8vec u8_look_up_low_half(u8vec table, u8vec bytes) {
    return u8x16_look_up_low_half(table, bytes);
}

#define SIMD_HAS_PLACES 1
#define PLACE_BITS 4

/* Which lanes of a condition are all ones, in the form that is computed fastest: zero where none
 * is. PLACE_BITS is the number of bits a lane. */
static ALWAYS_INLINE uint64_t u8_places(u8vec condition) {
    ASSERT_CONDITION(condition);
    const uint8x8_t nibbles = vshrn_n_u16((uint16x8_t)condition, 4);
    return vget_lane_u64(vreinterpret_u64_u8(nibbles), 0);
}

/* One bit a lane of two conditions: bits 0 to 15, and 16 to 31. */
static ALWAYS_INLINE uint32_t u8x16_mask_two(u8x16 first, u8x16 second) {
    ASSERT_CONDITION(first);
    ASSERT_CONDITION(second);
    const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t twos = vpaddq_u8((uint8x16_t)first & bits, (uint8x16_t)second & bits);
    const uint8x16_t fours = vpaddq_u8(twos, twos);
    return vgetq_lane_u32(vreinterpretq_u32_u8(vpaddq_u8(fours, fours)), 0);
}

/* Two conditions of four lanes: bits 0 to 3 are those of the first, bits 4 to 7 those of the
 * second. */
static ALWAYS_INLINE uint32_t u32_masks_by_group(u32vec first, u32vec second) {
    ASSERT_CONDITION(first);
    ASSERT_CONDITION(second);
    const u32vec bits = (first & (u32vec){1, 2, 4, 8}) | (second & (u32vec){16, 32, 64, 128});
    return vaddvq_u32((uint32x4_t)bits);
}

/* Two conditions in eight bits of the result for every four lanes: bits 0 to 3 are those of the
 * first, bits 4 to 7 those of the second. */
static ALWAYS_INLINE uint32_t u16_masks_by_four(u16vec first, u16vec second) {
    ASSERT_CONDITION(first);
    ASSERT_CONDITION(second);
    const u16vec bits = {0x1, 0x2, 0x4, 0x8, 0x100, 0x200, 0x400, 0x800};
    return vaddvq_u16((uint16x8_t)((first & bits) | (second & (bits << 4))));
}

/* The lanes of both, all below 2^16. */
static ALWAYS_INLINE u16vec u16_narrow(u32vec first, u32vec second) {
    assert(__builtin_reduce_or(first | second) < 0x10000);
    return (u16vec)vuzp1q_u16((uint16x8_t)first, (uint16x8_t)second);
}

#define SIMD_HAS_SUM 1

/* The sum of all lanes. */
static ALWAYS_INLINE uint32_t u8_sum(u8vec vec) {
    return vaddlvq_u8((uint8x16_t)vec);
}

#define SIMD_HAS_FROM_MASK 1

/* Lanes of all ones where the bit is set, otherwise zero; bits beyond the lanes are ignored. */
static ALWAYS_INLINE u8vec u8_from_mask(uint64_t mask) {
    const uint8x16_t bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x8_t low = vdup_n_u8((uint8_t)mask);
    const uint8x8_t high = vdup_n_u8((uint8_t)(mask >> 8));
    return (u8vec)vtstq_u8(vcombine_u8(low, high), bits);
}

static ALWAYS_INLINE u16vec u16_from_mask(uint64_t mask) {
    const uint16x8_t bits = {1, 2, 4, 8, 16, 32, 64, 128};
    return (u16vec)vtstq_u16(vdupq_n_u16((uint16_t)mask), bits);
}

static ALWAYS_INLINE u32vec u32_from_mask(uint64_t mask) {
    const uint32x4_t bits = {1, 2, 4, 8};
    return (u32vec)vtstq_u32(vdupq_n_u32((uint32_t)mask), bits);
}

#define SIMD_HAS_WEIGHTED_PAIRS 1

/* Neighbours added, each times its weight: lanes and weights below 128, products below 2^8. */
static ALWAYS_INLINE u16x8 u8x16_weighted_pairs(u8x16 vec, u8x16 weights) {
    return (u16x8)vpaddlq_u8((uint8x16_t)(vec * weights));
}

/* Neighbours added, each times its weight: lanes and weights below 2^15, products below 2^16. */
static ALWAYS_INLINE u32x4 u16x8_weighted_pairs(u16x8 vec, u16x8 weights) {
    return (u32x4)vpaddlq_u16((uint16x8_t)(vec * weights));
}

/* Neighbours added, the first ones times 10000, as the halves of a word: lanes below 2^15. */
static ALWAYS_INLINE uint64_t u32x4_myriad_pairs(u32x4 vec) {
    const uint32x4_t weighted = (uint32x4_t)(vec * (u32x4){10000, 1, 10000, 1});
    return vgetq_lane_u64(vreinterpretq_u64_u32(vpaddq_u32(weighted, weighted)), 0);
}

#endif
