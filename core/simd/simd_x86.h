/* SPDX-License-Identifier: MIT */
/* What x86-64 has and Clang's vector extensions cannot spell. Included by simd.h only. */
#ifndef SSRJSON_SIMD_SIMD_X86_H
#define SSRJSON_SIMD_SIMD_X86_H

#include <immintrin.h>

#define SIMD_HAS_MULTIPLY_HIGH 1

/* The upper halves of the lanes' products. */
static ALWAYS_INLINE u16vec u16_multiply_high(u16vec vec, uint16_t factor) {
#if VEC_BYTES == 64
    return (u16vec)_mm512_mulhi_epu16((__m512i)vec, _mm512_set1_epi16((short)factor));
#elif VEC_BYTES == 32
    return (u16vec)_mm256_mulhi_epu16((__m256i)vec, _mm256_set1_epi16((short)factor));
#else
    return (u16vec)_mm_mulhi_epu16((__m128i)vec, _mm_set1_epi16((short)factor));
#endif
}

#define SIMD_HAS_SUM 1

/* The sum of all lanes. */
static ALWAYS_INLINE uint32_t u8_sum(u8vec vec) {
    typedef uint64_t sums_t __attribute__((vector_size(VEC_BYTES)));
#if VEC_BYTES == 64
    const sums_t sums = (sums_t)_mm512_sad_epu8((__m512i)vec, _mm512_setzero_si512());
#elif VEC_BYTES == 32
    const sums_t sums = (sums_t)_mm256_sad_epu8((__m256i)vec, _mm256_setzero_si256());
#else
    const sums_t sums = (sums_t)_mm_sad_epu8((__m128i)vec, _mm_setzero_si128());
#endif
    return (uint32_t)__builtin_reduce_add(sums);
}

#define SIMD_HAS_SIGN_MASK 1

/* One bit a lane: its highest. With AVX-512 too, where a mask register would be a detour. */
static ALWAYS_INLINE uint32_t u8x16_sign_mask(u8x16 vec) {
    return (uint32_t)_mm_movemask_epi8((__m128i)vec);
}

#if VEC_BYTES >= 32
#define SIMD_HAS_SIGN_MASK_32 1

typedef uint8_t u8x32 __attribute__((vector_size(32)));

static ALWAYS_INLINE uint32_t u8x32_sign_mask(u8x32 vec) {
    return (uint32_t)_mm256_movemask_epi8((__m256i)vec);
}
#endif

#if SIMD_LEVEL != SIMD_LEVEL_portable
#define SIMD_HAS_SHUFFLE 1

/* Within each group of sixteen, the bytes picked by the low four bits of the index, but zero where
 * its highest bit is set. */
static ALWAYS_INLINE u8vec u8_shuffle_any(u8vec vec, u8vec index) {
#if VEC_BYTES == 64
    return (u8vec)_mm512_shuffle_epi8((__m512i)vec, (__m512i)index);
#elif VEC_BYTES == 32
    return (u8vec)_mm256_shuffle_epi8((__m256i)vec, (__m256i)index);
#else
    return (u8vec)_mm_shuffle_epi8((__m128i)vec, (__m128i)index);
#endif
}

/* Bytes picked by index within each group of sixteen: 0 to 15; 0x80 to 0xff give zero. Others are
 * not allowed, because instruction sets differ: this one takes their low four bits, AArch64's gives
 * zero. */
static ALWAYS_INLINE u8vec u8_shuffle_groups(u8vec vec, u8vec index) {
    assert(u8_are_indices(index));
    return u8_shuffle_any(vec, index);
}

static ALWAYS_INLINE u8x16 u8x16_shuffle(u8x16 vec, u8x16 index) {
    assert(u8x16_are_indices(index));
    return (u8x16)_mm_shuffle_epi8((__m128i)vec, (__m128i)index);
}

/* For bytes below 16 those of the table, whose groups of sixteen are all the same; for others
 * zero. */
static ALWAYS_INLINE u8vec u8_look_up(u8vec table, u8vec bytes) {
    return u8_shuffle_any(table, bytes) & (u8vec)(bytes < u8_splat(0x10));
}

/* Bytes of a table, whose groups of sixteen are all the same, picked by the low four bits of any
 * byte; for one from 0x80 on the result may be zero instead. */
static ALWAYS_INLINE u8vec u8_look_up_low_half(u8vec table, u8vec bytes) {
    return u8_shuffle_any(table, bytes);
}

static ALWAYS_INLINE u8x16 u8x16_look_up_low_half(u8x16 table, u8x16 bytes) {
    return (u8x16)_mm_shuffle_epi8((__m128i)table, (__m128i)bytes);
}

#if VEC_BYTES <= 32
/* Two conditions of four lanes for each sixteen bytes, in sixteen bits of the result each: bits 0
 * to 3 are those of the first, bits 4 to 7 those of the second, the others are undefined. */
static ALWAYS_INLINE uint32_t u32_masks_by_group(u32vec first, u32vec second) {
    ASSERT_CONDITION(first);
    ASSERT_CONDITION(second);
#if VEC_BYTES == 32
    const __m256i halves = _mm256_packs_epi32((__m256i)first, (__m256i)second);
    return (uint32_t)_mm256_movemask_epi8(_mm256_packs_epi16(halves, halves));
#else
    const __m128i halves = _mm_packs_epi32((__m128i)first, (__m128i)second);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(halves, halves));
#endif
}

/* Two conditions in eight bits of the result for every four lanes: bits 0 to 3 are those of the
 * first, bits 4 to 7 those of the second. */
static ALWAYS_INLINE uint32_t u16_masks_by_four(u16vec first, u16vec second) {
    ASSERT_CONDITION(first);
    ASSERT_CONDITION(second);
#if VEC_BYTES == 32
    const __m256i bytes = _mm256_packs_epi16((__m256i)first, (__m256i)second);
    return (uint32_t)_mm256_movemask_epi8(_mm256_shuffle_epi32(bytes, _MM_SHUFFLE(3, 1, 2, 0)));
#else
    const __m128i bytes = _mm_packs_epi16((__m128i)first, (__m128i)second);
    return (uint32_t)_mm_movemask_epi8(_mm_shuffle_epi32(bytes, _MM_SHUFFLE(3, 1, 2, 0)));
#endif
}

/* The lanes of both, all below 2^16. */
static ALWAYS_INLINE u16vec u16_narrow(u32vec first, u32vec second) {
    assert(__builtin_reduce_or(first | second) < 0x10000);
#if VEC_BYTES == 32
    const __m256i groups = _mm256_packus_epi32((__m256i)first, (__m256i)second);
    return (u16vec)_mm256_permute4x64_epi64(groups, _MM_SHUFFLE(3, 1, 2, 0));
#else
    return (u16vec)_mm_packus_epi32((__m128i)first, (__m128i)second);
#endif
}
#endif

#define SIMD_HAS_WEIGHTED_PAIRS 1

/* Neighbours added, each times its weight: lanes and weights below 128, products below 2^8. */
static ALWAYS_INLINE u16x8 u8x16_weighted_pairs(u8x16 vec, u8x16 weights) {
    return (u16x8)_mm_maddubs_epi16((__m128i)vec, (__m128i)weights);
}

/* Neighbours added, each times its weight: lanes and weights below 2^15, products below 2^16. */
static ALWAYS_INLINE u32x4 u16x8_weighted_pairs(u16x8 vec, u16x8 weights) {
    return (u32x4)_mm_madd_epi16((__m128i)vec, (__m128i)weights);
}

/* Neighbours added, the first ones times 10000, as the halves of a word: lanes below 2^15. */
static ALWAYS_INLINE uint64_t u32x4_myriad_pairs(u32x4 vec) {
    const __m128i narrow = _mm_packus_epi32((__m128i)vec, (__m128i)vec);
    const __m128i weights = _mm_setr_epi16(10000, 1, 10000, 1, 10000, 1, 10000, 1);
    return ((u64x2)_mm_madd_epi16(narrow, weights))[0];
}

#endif

#if VEC_BYTES > 16
#define SIMD_HAS_SHIFT_IN 1

/* vec moved up by n_bytes, 1 to 3, with the last bytes of `before` in front. */
static ALWAYS_INLINE u8part u8part_shift_in(u8part vec, u8part before, int n_bytes) {
    assert(n_bytes >= 1 && n_bytes <= 3);
    const __m256i upper = (__m256i)vec;
    const __m256i lower = _mm256_permute2x128_si256((__m256i)before, upper, 0x21);
    return (u8part)(n_bytes == 1   ? _mm256_alignr_epi8(upper, lower, 15)
                    : n_bytes == 2 ? _mm256_alignr_epi8(upper, lower, 14)
                                   : _mm256_alignr_epi8(upper, lower, 13));
}
#endif

#if SIMD_LEVEL == SIMD_LEVEL_avx512
#define SIMD_HAS_COMPRESS 1
#define SIMD_HAS_MASKED_LOAD 1

/* The lanes of vec whose bit is set, at most one bit a lane, moved together and followed by zeros.
 * The result is a register: the form that stores to memory is microcoded on Zen 4. */
static ALWAYS_INLINE u8vec u8_compress(uint64_t keep, u8vec vec) {
    return (u8vec)_mm512_maskz_compress_epi8(keep, (__m512i)vec);
}

static ALWAYS_INLINE u8part u8part_shuffle_groups(u8part vec, u8part index) {
    return (u8part)_mm256_shuffle_epi8((__m256i)vec, (__m256i)index);
}

static ALWAYS_INLINE u8part u8part_compress(uint32_t keep, u8part vec) {
    return (u8part)_mm256_maskz_compress_epi8(keep, (__m256i)vec);
}

static ALWAYS_INLINE u16vec u16_compress(uint32_t keep, u16vec vec) {
    return (u16vec)_mm512_maskz_compress_epi16(keep, (__m512i)vec);
}

static ALWAYS_INLINE u32vec u32_compress(uint16_t keep, u32vec vec) {
    return (u32vec)_mm512_maskz_compress_epi32(keep, (__m512i)vec);
}

/* The first lanes of vec, moved to the lanes whose bit is set; the other lanes are those of filler.
 */
static ALWAYS_INLINE u8vec u8_expand(u8vec filler, uint64_t places, u8vec vec) {
    return (u8vec)_mm512_mask_expand_epi8((__m512i)filler, places, (__m512i)vec);
}

static ALWAYS_INLINE u16vec u16_expand(u16vec filler, uint64_t places, u16vec vec) {
    return (u16vec)_mm512_mask_expand_epi16((__m512i)filler, (uint32_t)places, (__m512i)vec);
}

/* The second half of the lanes, followed by zeros. */
static ALWAYS_INLINE u8vec u8_second_half(u8vec vec) {
    return (u8vec)_mm512_zextsi256_si512(_mm512_extracti64x4_epi64((__m512i)vec, 1));
}

/* The lanes, followed by zeros. */
static ALWAYS_INLINE u16vec u16_from_u16half(u16half vec) {
    return (u16vec)_mm512_zextsi256_si512((__m256i)vec);
}

/* Lane i is vec's lane index[i], 0 to 31. */
static ALWAYS_INLINE u16vec u16_permute(u16vec vec, u16vec index) {
    return (u16vec)_mm512_permutexvar_epi16((__m512i)index, (__m512i)vec);
}

/* Byte i holds the eight bits that start at bit from_bit[i], 0 to 63, of its own group of eight
 * bytes, and go on at that group's bit 0. */
static ALWAYS_INLINE u8vec u8_bits_from(u16vec vec, u8vec from_bit) {
    return (u8vec)_mm512_multishift_epi64_epi8((__m512i)from_bit, (__m512i)vec);
}

/* The entry of a table of 128 bytes for each byte, by its low seven bits. */
static ALWAYS_INLINE u8vec u8_look_up_ascii(const uint8_t table[128], u8vec bytes) {
    return (u8vec)_mm512_permutex2var_epi8(_mm512_loadu_si512(table), (__m512i)bytes,
                                           _mm512_loadu_si512(table + 64));
}

/* The number of zero bits above the highest one; 32 for zero. */
static ALWAYS_INLINE u32vec u32_leading_zeros(u32vec vec) {
    return (u32vec)_mm512_lzcnt_epi32((__m512i)vec);
}

/* The entry of a table for each of the first n lanes, by its low four bits; zero in the others. */
static ALWAYS_INLINE u32vec u32_look_up_first(const uint32_t table[16], u32vec index, size_t n) {
    return (u32vec)_mm512_maskz_permutexvar_epi32((__mmask16)low_bits(n), (__m512i)index,
                                                  _mm512_loadu_si512(table));
}

/* The lanes as bytes, 0xff for all that are above. */
static ALWAYS_INLINE u8half u16_saturated_bytes(u16vec vec) {
    return (u8half)_mm512_cvtusepi16_epi8((__m512i)vec);
}

static ALWAYS_INLINE u8x16 u32_saturated_bytes(u32vec vec) {
    return (u8x16)_mm512_cvtusepi32_epi8((__m512i)vec);
}

/* The lanes of both as bytes, 0xff for all that are above: eight of the first and eight of the
 * second by turns. Lanes from 2^15 on are not allowed. */
static ALWAYS_INLINE u8vec u16_saturated_by_turns(u16vec first, u16vec second) {
    assert(__builtin_reduce_or(first | second) < 0x8000);
    return (u8vec)_mm512_packus_epi16((__m512i)first, (__m512i)second);
}

/* The bits of source spread over the set bits of mask. */
static ALWAYS_INLINE uint64_t deposit_bits(uint64_t source, uint64_t mask) {
    return _pdep_u64(source, mask);
}

/* The bits of source at the set bits of mask, moved together. */
static ALWAYS_INLINE uint64_t extract_bits(uint64_t source, uint64_t mask) {
    return _pext_u64(source, mask);
}

/* The n_bytes at from, n_bytes <= VEC_BYTES, followed by zeros; reads no other byte. */
static ALWAYS_INLINE u8vec u8_load_first(const void *from, size_t n_bytes) {
    assert(n_bytes <= VEC_BYTES);
    return (u8vec)_mm512_maskz_loadu_epi8(_bzhi_u64(~0ull, (unsigned)n_bytes), from);
}

static ALWAYS_INLINE struct u8x32s u8x32s_load_at_least(const void *from, size_t n_bytes) {
    assert(n_bytes <= 32);
    return (struct u8x32s){
        {(u8part)_mm256_maskz_loadu_epi8(_bzhi_u32(~0u, (unsigned)n_bytes), from)}};
}

/* The first n_bytes of vec; writes no other byte. */
static ALWAYS_INLINE void u8_store_first(void *to, u8vec vec, size_t n_bytes) {
    assert(n_bytes <= VEC_BYTES);
    _mm512_mask_storeu_epi8(to, _bzhi_u64(~0ull, (unsigned)n_bytes), (__m512i)vec);
}

static ALWAYS_INLINE void u8part_store_first(void *to, u8part vec, size_t n_bytes) {
    assert(n_bytes <= PART_BYTES);
    _mm256_mask_storeu_epi8(to, _bzhi_u32(~0u, (unsigned)n_bytes), (__m256i)vec);
}

static ALWAYS_INLINE u8vec u8_load_at_least(const void *from, size_t n_bytes) {
    return u8_load_first(from, n_bytes);
}
#endif

#endif
