/* SPDX-License-Identifier: MIT */
/* A small vocabulary of vectors on Clang's vector extensions, as wide as the level's registers.
 *
 * A unit is compiled with -DSSRJSON_LEVEL=portable, sse42, avx2, avx512 or neon. Vectors are
 * u8vec, u16vec and u32vec; arithmetic, comparison (lanes of all ones or zero), shifts and
 * bitwise operators are the language's own. What Clang cannot spell is in simd_x86.h and
 * simd_neon.h, announced by SIMD_HAS_SHUFFLE and SIMD_HAS_COMPRESS.
 *
 * A function gives the same at every level that has it, for all arguments that its comment allows;
 * debug builds assert that. `condition` is what a comparison gives, and bitwise operators on that:
 * lanes of all ones or zero. tests/core/simd/test_simd.py tests each function by itself. */
#ifndef SSRJSON_SIMD_SIMD_H
#define SSRJSON_SIMD_SIMD_H

#include "base/compiler.h"

#define SIMD_LEVEL_portable 1
#define SIMD_LEVEL_sse42 2
#define SIMD_LEVEL_avx2 3
#define SIMD_LEVEL_avx512 4
#define SIMD_LEVEL_neon 5
#define SIMD_LEVEL CONCAT(SIMD_LEVEL, SSRJSON_LEVEL)

#if SIMD_LEVEL == SIMD_LEVEL_avx512
#define VEC_BYTES 64
#elif SIMD_LEVEL == SIMD_LEVEL_avx2
#define VEC_BYTES 32
#elif SIMD_LEVEL == SIMD_LEVEL_sse42 || SIMD_LEVEL == SIMD_LEVEL_neon || \
    SIMD_LEVEL == SIMD_LEVEL_portable
#define VEC_BYTES 16
#else
#error "SSRJSON_LEVEL names no level"
#endif

#define U16_LANES (VEC_BYTES / 2)
#define U32_LANES (VEC_BYTES / 4)

typedef uint8_t u8vec __attribute__((vector_size(VEC_BYTES)));
typedef int8_t i8vec __attribute__((vector_size(VEC_BYTES)));
typedef int32_t i32vec __attribute__((vector_size(VEC_BYTES)));
typedef uint16_t u16vec __attribute__((vector_size(VEC_BYTES)));
typedef uint32_t u32vec __attribute__((vector_size(VEC_BYTES)));
/* Of units of 8, 16 or 32 bits, for templates: the vector, the prefix of its functions, the unit,
 * and how many of them a vector holds. */
#define VEC_(bits) u##bits##vec
#define VEC(bits) VEC_(bits)
#define VEC_PREFIX_(bits) u##bits
#define VEC_PREFIX(bits) VEC_PREFIX_(bits)
#define VEC_UNIT(bits) __typeof__(((VEC(bits)){0})[0])
#define VEC_LANES(bits) (VEC_BYTES / ((bits) / 8))

/* half and quarter registers: the narrow side of a widening */
typedef uint8_t u8half __attribute__((vector_size(VEC_BYTES / 2)));
typedef uint8_t u8quarter __attribute__((vector_size(VEC_BYTES / 4)));
typedef uint16_t u16half __attribute__((vector_size(VEC_BYTES / 2)));
/* sixteen bytes at every level: the unit of table-driven shuffles */
typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef uint16_t u16x8 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));
typedef uint64_t u64x2 __attribute__((vector_size(16)));

/* thirty-two bytes at every level: one vector, or two where registers are narrower */
#if VEC_BYTES == 16
#define PARTS_OF_32 2
#else
#define PARTS_OF_32 1
#endif
#define PART_BYTES (32 / PARTS_OF_32)
typedef uint8_t u8part __attribute__((vector_size(PART_BYTES)));
typedef int8_t i8part __attribute__((vector_size(PART_BYTES)));
struct u8x32s {
    u8part parts[PARTS_OF_32];
};

typedef bool u8lanes __attribute__((ext_vector_type(VEC_BYTES)));
typedef bool u16lanes __attribute__((ext_vector_type(VEC_BYTES / 2)));
typedef bool u32lanes __attribute__((ext_vector_type(VEC_BYTES / 4)));
typedef bool u8x16lanes __attribute__((ext_vector_type(16)));

/* At the start of a function that keeps vectors on the stack: aligns its frame to them. Clang
 * aligns it only for variables, not for vectors that registers have no room for; those cross cache
 * lines then, which stalls loads. */
#define ALIGN_FRAME_TO_VECTORS() \
    do { \
        u8vec aligned_; \
        __asm__ volatile("" : : "r"(&aligned_)); \
    } while (0)

static ALWAYS_INLINE u8vec u8_splat(uint8_t value) {
    return value - (u8vec){0};
}

static ALWAYS_INLINE u16vec u16_splat(uint16_t value) {
    return value - (u16vec){0};
}

static ALWAYS_INLINE u32vec u32_splat(uint32_t value) {
    return value - (u32vec){0};
}

/* Whether lanes are at least a limit, 1 to 2^31 - 1. Those from 2^31 on count as negative, because
 * x86 before AVX-512 compares lanes with a sign only. */
static ALWAYS_INLINE u32vec u32_at_least(u32vec vec, uint32_t limit) {
    assert(limit >= 1 && limit >> 31 == 0);
    return (u32vec)((i32vec)vec > (i32vec)u32_splat(limit - 1));
}

static ALWAYS_INLINE u8vec u8_load(const void *from) {
    u8vec vec;
    memcpy(&vec, from, sizeof vec);
    return vec;
}

static ALWAYS_INLINE void u8_store(void *to, u8vec vec) {
    memcpy(to, &vec, sizeof vec);
}

#define ASSERT_CONDITION(vec) \
    assert(__builtin_reduce_or((vec) & ~(__typeof__(vec))((vec) == ~(__typeof__(vec)){0})) == 0)

/* One bit a lane of a condition; lane 0 is bit 0, and bits beyond the lanes are zero. */
static ALWAYS_INLINE uint64_t u8_mask(u8vec condition) {
    ASSERT_CONDITION(condition);
    const u8lanes lanes = __builtin_convertvector(condition, u8lanes);
#if VEC_BYTES == 64
    uint64_t mask;
#elif VEC_BYTES == 32
    uint32_t mask;
#else
    uint16_t mask;
#endif
    memcpy(&mask, &lanes, sizeof mask);
    return mask;
}

/* The bits of as many lanes as half a vector has bytes. */
static ALWAYS_INLINE uint32_t u16_lanes_bits(u16lanes lanes) {
#if VEC_BYTES == 64
    uint32_t mask;
#elif VEC_BYTES == 32
    uint16_t mask;
#else
    uint8_t mask;
#endif
    memcpy(&mask, &lanes, sizeof mask);
    return mask;
}

static ALWAYS_INLINE uint32_t u16_mask(u16vec condition) {
    ASSERT_CONDITION(condition);
    return u16_lanes_bits(__builtin_convertvector(condition, u16lanes));
}

static ALWAYS_INLINE uint32_t u8half_mask(u8half condition) {
    ASSERT_CONDITION(condition);
    return u16_lanes_bits(__builtin_convertvector(condition, u16lanes));
}

static ALWAYS_INLINE uint32_t u32_mask(u32vec condition) {
    ASSERT_CONDITION(condition);
    const u32lanes lanes = __builtin_convertvector(condition, u32lanes);
#if VEC_BYTES == 64
    uint16_t mask;
    memcpy(&mask, &lanes, sizeof mask);
    return mask;
#else
    uint8_t mask;
    memcpy(&mask, &lanes, sizeof mask);
    return mask & (uint8_t)low_bits(U32_LANES);
#endif
}

static ALWAYS_INLINE uint16_t u8x16_lanes_bits(u8x16lanes lanes) {
    uint16_t mask;
    memcpy(&mask, &lanes, sizeof mask);
    return mask;
}

static ALWAYS_INLINE uint16_t u8x16_mask(u8x16 condition) {
    ASSERT_CONDITION(condition);
    return u8x16_lanes_bits(__builtin_convertvector(condition, u8x16lanes));
}

#if VEC_BYTES == 64
static ALWAYS_INLINE uint16_t u16half_mask(u16half condition) {
    ASSERT_CONDITION(condition);
    return u8x16_lanes_bits(__builtin_convertvector(condition, u8x16lanes));
}
#endif

static ALWAYS_INLINE u8x16 u8x16_load(const void *from) {
    u8x16 vec;
    memcpy(&vec, from, sizeof vec);
    return vec;
}

static ALWAYS_INLINE void u8x16_store(void *to, u8x16 vec) {
    memcpy(to, &vec, sizeof vec);
}

static ALWAYS_INLINE u8x16 u8x16_splat(uint8_t value) {
    return value - (u8x16){0};
}

/* Bits of yes where the condition's are set, otherwise of no. */
static ALWAYS_INLINE u16vec u16_select(u16vec condition, u16vec yes, u16vec no) {
    return (condition & yes) | (~condition & no);
}

static ALWAYS_INLINE u32vec u32_select(u32vec condition, u32vec yes, u32vec no) {
    return (condition & yes) | (~condition & no);
}

/* The lanes of one half of a vector, widened. */
static ALWAYS_INLINE u32vec u32_from_low_half(u16vec vec) {
    u16half half;
    memcpy(&half, &vec, sizeof half);
    return __builtin_convertvector(half, u32vec);
}

static ALWAYS_INLINE u32vec u32_from_high_half(u16vec vec) {
    u16half half;
    memcpy(&half, (const char *)&vec + sizeof half, sizeof half);
    return __builtin_convertvector(half, u32vec);
}

/* The lower or upper half of a vector's lanes, each twice as wide. */
static ALWAYS_INLINE u16vec u16_from_half(u8vec vec, int half) {
    u8half halves[2];
    memcpy(halves, &vec, sizeof halves);
    return __builtin_convertvector(halves[half], u16vec);
}

static ALWAYS_INLINE u32vec u32_from_half(u16vec vec, int half) {
    return half ? u32_from_high_half(vec) : u32_from_low_half(vec);
}

static const uint8_t LANE_NUMBERS[64] CACHE_ALIGNED = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

/* Whether each lane is an index that the shuffles take: 0 to 15, or 0x80 and more for zero. */
static MAYBE_UNUSED bool u8_are_indices(u8vec index) {
    return __builtin_reduce_or((u8vec)(index > 15) & (u8vec)(index < 0x80)) == 0;
}

static MAYBE_UNUSED bool u8x16_are_indices(u8x16 index) {
    return __builtin_reduce_or((u8x16)(index > 15) & (u8x16)(index < 0x80)) == 0;
}

#if SIMD_LEVEL == SIMD_LEVEL_neon
#include "simd/simd_neon.h"
#elif defined(__x86_64__)
#include "simd/simd_x86.h"
#endif

#if !defined(SIMD_HAS_FROM_MASK)
/* Lanes of all ones where the bit is set, otherwise zero; bits beyond the lanes are ignored. */
static ALWAYS_INLINE u8vec u8_from_mask(uint64_t mask) {
    u8lanes lanes;
    memcpy(&lanes, &mask, sizeof lanes);
    return -__builtin_convertvector(lanes, u8vec);
}

static ALWAYS_INLINE u16vec u16_from_mask(uint64_t mask) {
    u16lanes lanes;
    memcpy(&lanes, &mask, sizeof lanes);
    return -__builtin_convertvector(lanes, u16vec);
}

static ALWAYS_INLINE u32vec u32_from_mask(uint64_t mask) {
    u32lanes lanes;
    memcpy(&lanes, &mask, sizeof lanes);
    return -__builtin_convertvector(lanes, u32vec);
}
#endif

#if !defined(SIMD_HAS_PLACES)
/* Which lanes of a condition are all ones, in the form that is computed fastest: zero where none
 * is. PLACE_BITS is the number of bits a lane. */
#define PLACE_BITS 1

static ALWAYS_INLINE uint64_t u8_places(u8vec condition) {
    return u8_mask(condition);
}

/* One bit a lane of two conditions: bits 0 to 15, and 16 to 31. */
static ALWAYS_INLINE uint32_t u8x16_mask_two(u8x16 first, u8x16 second) {
    return u8x16_mask(first) | (uint32_t)u8x16_mask(second) << 16;
}
#endif

/* One bit a lane of a condition. */
static ALWAYS_INLINE uint32_t u8part_mask(u8part condition) {
#if VEC_BYTES == 64
    return u8half_mask(condition);
#else
    return (uint32_t)u8_mask(condition);
#endif
}

/* Sixty-four bytes at every level. */
#define U8X64_VECS (64 / VEC_BYTES)

/* One bit a byte of conditions. */
static ALWAYS_INLINE uint64_t u8x64_mask(const u8vec conditions[U8X64_VECS]) {
    uint64_t mask = 0;
#if VEC_BYTES == 16
    for (int i = 0; i < U8X64_VECS; i += 2) {
        mask |= (uint64_t)u8x16_mask_two(conditions[i], conditions[i + 1]) << i * VEC_BYTES;
    }
#else
    for (int i = 0; i < U8X64_VECS; i++) {
        mask |= u8_mask(conditions[i]) << i * VEC_BYTES;
    }
#endif
    return mask;
}

/* One bit for each of the 64 bytes at from, of those for which a condition of `bytes`, a vector of
 * them, is met. */
#define U8X64_WHERE(from, condition) \
    ({ \
        u8vec conditions_[U8X64_VECS]; \
        for (int i_ = 0; i_ < U8X64_VECS; i_++) { \
            const u8vec bytes = u8_load((const char *)(from) + i_ * VEC_BYTES); \
            conditions_[i_] = (u8vec)(condition); \
        } \
        u8x64_mask(conditions_); \
    })

/* One bit a byte of a condition. */
static ALWAYS_INLINE uint32_t u8x32s_mask(struct u8x32s condition) {
#if PARTS_OF_32 == 1
    return u8part_mask(condition.parts[0]);
#else
    return u8x16_mask_two(condition.parts[0], condition.parts[1]);
#endif
}

/* A bit for each of the 32 bytes at a that differs from that at b. */
static ALWAYS_INLINE uint32_t u8x32s_differences(const void *a, const void *b) {
    struct u8x32s of_a;
    struct u8x32s of_b;
    memcpy(&of_a, a, sizeof of_a);
    memcpy(&of_b, b, sizeof of_b);
    for (int i = 0; i < PARTS_OF_32; i++) {
        of_a.parts[i] = (u8part)(of_a.parts[i] != of_b.parts[i]);
    }
    return u8x32s_mask(of_a);
}

/* A bit for each of the 32 bytes at from that is c. */
static ALWAYS_INLINE uint32_t u8x32s_places_of(const void *from, uint8_t c) {
    struct u8x32s bytes;
    memcpy(&bytes, from, sizeof bytes);
    for (int i = 0; i < PARTS_OF_32; i++) {
        bytes.parts[i] = (u8part)(bytes.parts[i] == c);
    }
    return u8x32s_mask(bytes);
}

#if !defined(SIMD_HAS_SUM)
/* The sum of all lanes. */
static ALWAYS_INLINE uint32_t u8_sum(u8vec vec) {
    typedef uint16_t wide_t __attribute__((vector_size(2 * VEC_BYTES)));
    return __builtin_reduce_add(__builtin_convertvector(vec, wide_t));
}
#endif

/* The lowest lane that is all ones; places != 0. */
static ALWAYS_INLINE unsigned first_place(uint64_t places) {
    return trailing_zeros(places) / PLACE_BITS;
}

/* The first n_bytes of vec, followed by zeros. */
static ALWAYS_INLINE u8vec u8_keep_first(u8vec vec, size_t n_bytes) {
    assert(n_bytes <= VEC_BYTES);
    return vec & (u8vec)(u8_load(LANE_NUMBERS) < u8_splat((uint8_t)n_bytes));
}

/* As the functions of a whole vector, for a part of thirty-two bytes. */
static ALWAYS_INLINE u8part u8part_load(const void *from) {
    u8part vec;
    memcpy(&vec, from, sizeof vec);
    return vec;
}

static ALWAYS_INLINE u8part u8part_splat(uint8_t value) {
    return value - (u8part){0};
}

static ALWAYS_INLINE u8part u8part_keep_first(u8part vec, size_t n_bytes) {
    assert(n_bytes <= PART_BYTES);
    return vec & (u8part)(u8part_load(LANE_NUMBERS) < u8part_splat((uint8_t)n_bytes));
}

#if defined(SIMD_HAS_SHUFFLE) && VEC_BYTES < 64
static ALWAYS_INLINE u8part u8part_shuffle_groups(u8part vec, u8part index) {
    return u8_shuffle_groups(vec, index);
}
#endif

#if !defined(SIMD_HAS_SHIFT_IN)
/* vec moved up by n_bytes, 1 to 3, with the last bytes of `before` in front. */
static ALWAYS_INLINE u8part u8part_shift_in(u8part vec, u8part before, int n_bytes) {
    assert(n_bytes >= 1 && n_bytes <= 3);
    switch (n_bytes) {
    case 1:
        return __builtin_shufflevector(before, vec, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26,
                                       27, 28, 29, 30);
    case 2:
        return __builtin_shufflevector(before, vec, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
                                       26, 27, 28, 29);
    default:
        return __builtin_shufflevector(before, vec, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
                                       25, 26, 27, 28);
    }
}
#endif

#if !defined(SIMD_HAS_MULTIPLY_HIGH)
/* The upper halves of the lanes' products. */
static ALWAYS_INLINE u16vec u16_multiply_high(u16vec vec, uint16_t factor) {
    typedef uint32_t products __attribute__((vector_size(2 * VEC_BYTES)));
    return __builtin_convertvector(__builtin_convertvector(vec, products) * factor >> 16, u16vec);
}
#endif

/* Copy n_bytes, of which there are few in most calls: without calling memcpy for those. */
static ALWAYS_INLINE void copy_short(void *to, const void *from, size_t n_bytes) {
#if defined(SIMD_HAS_MASKED_LOAD)
    if (LIKELY(n_bytes <= VEC_BYTES)) {
        u8_store_first(to, u8_load_first(from, n_bytes), n_bytes);
        return;
    }
#else
    if (LIKELY(n_bytes >= 16 && n_bytes <= 64)) {
        const u8x16 last = u8x16_load((const char *)from + n_bytes - 16);
        for (size_t i = 0; i + 16 < n_bytes; i += 16) {
            u8x16_store((char *)to + i, u8x16_load((const char *)from + i));
        }
        u8x16_store((char *)to + n_bytes - 16, last);
        return;
    }
    if (LIKELY(n_bytes >= 4 && n_bytes < 16)) {
        const bool is_long = n_bytes >= 8;
        const size_t piece = is_long ? 8 : 4;
        const char *const from_last = (const char *)from + n_bytes - piece;
        char *const to_last = (char *)to + n_bytes - piece;
        if (is_long) {
            const uint64_t first = load_u64(from);
            const uint64_t last = load_u64(from_last);
            memcpy(to, &first, sizeof first);
            memcpy(to_last, &last, sizeof last);
        } else {
            const uint32_t first = load_u32(from);
            const uint32_t last = load_u32(from_last);
            memcpy(to, &first, sizeof first);
            memcpy(to_last, &last, sizeof last);
        }
        return;
    }
    if (n_bytes < 4) {
        for (size_t i = 0; i < n_bytes; i++) {
            ((char *)to)[i] = ((const char *)from)[i];
        }
        return;
    }
#endif
    memcpy(to, from, n_bytes);
}

#define SMALLEST_PAGE 4096

/* Whether n_bytes, at most a page, can be read at from without leaving its page, whatever is after
 * their end. */
static ALWAYS_INLINE bool is_within_page(const void *from, size_t n_bytes) {
    return ((uintptr_t)from & (SMALLEST_PAGE - 1)) <= SMALLEST_PAGE - n_bytes;
}

/* Sixteen bytes at from, of which the caller uses the first n_bytes; those after them are
 * undefined. Reads no page other than theirs; for none, the page of from. */
static READS_WITHIN_PAGE u8x16 u8x16_load_within_page(const void *from, size_t n_bytes) {
    assert(n_bytes <= 16);
    if (LIKELY(is_within_page(from, 16))) {
        return u8x16_load(from);
    }
    uint8_t block[16] = {0};
    for (size_t i = 0; i < n_bytes; i++) {
        block[i] = ((const uint8_t *)from)[i];
    }
    return u8x16_load(block);
}

#if !defined(SIMD_HAS_MASKED_LOAD)
/* As u8x16_load_within_page, but 32 bytes. */
static READS_WITHIN_PAGE struct u8x32s u8x32s_load_at_least(const void *from, size_t n_bytes) {
    assert(n_bytes <= 32);
    struct u8x32s loaded;
    if (LIKELY(is_within_page(from, sizeof loaded))) {
        memcpy(&loaded, from, sizeof loaded);
        return loaded;
    }
    uint8_t block[32] = {0};
    for (size_t i = 0; i < n_bytes; i++) {
        block[i] = ((const uint8_t *)from)[i];
    }
    memcpy(&loaded, block, sizeof loaded);
    return loaded;
}

/* A whole vector at from, of which the caller uses the first n_bytes; those after them are
 * undefined. Reads no page other than theirs; for none, the page of from. */
static READS_WITHIN_PAGE u8vec u8_load_at_least(const void *from, size_t n_bytes) {
    assert(n_bytes <= VEC_BYTES);
    if (LIKELY(is_within_page(from, VEC_BYTES))) {
        return u8_load(from);
    }
    uint8_t block[VEC_BYTES] = {0};
    for (size_t i = 0; i < n_bytes; i++) {
        block[i] = ((const uint8_t *)from)[i];
    }
    return u8_load(block);
}

/* The n_bytes at from, n_bytes <= VEC_BYTES, followed by zeros. Reads no page other than theirs;
 * for none, the page of from. */
static ALWAYS_INLINE u8vec u8_load_first(const void *from, size_t n_bytes) {
    return u8_keep_first(u8_load_at_least(from, n_bytes), n_bytes);
}
#endif

static ALWAYS_INLINE u8part u8part_load_first(const void *from, size_t n_bytes) {
#if VEC_BYTES == 64
    assert(n_bytes <= PART_BYTES);
    return u8x32s_load_at_least(from, n_bytes).parts[0]; /* the others are zeros there */
#else
    return u8_load_first(from, n_bytes);
#endif
}

/* ---- lanes of 64 bits ----------------------------------------------------------------------- */

/* Lanes of 64 bits, for numbers. */

#define U64_LANES (VEC_BYTES / 8)

typedef uint64_t u64vec __attribute__((vector_size(VEC_BYTES)));
typedef int64_t i64vec __attribute__((vector_size(VEC_BYTES)));
typedef uint64_t u64x4 __attribute__((vector_size(32)));
typedef bool u64lanes __attribute__((ext_vector_type(U64_LANES)));

static ALWAYS_INLINE u64vec u64_splat(uint64_t value) {
    return value - (u64vec){0};
}

static ALWAYS_INLINE u64vec u64_load(const void *from) {
    u64vec vec;
    memcpy(&vec, from, sizeof vec);
    return vec;
}

static ALWAYS_INLINE void u64_store(void *to, u64vec vec) {
    memcpy(to, &vec, sizeof vec);
}

/* One bit a lane from a comparison's lanes; lane 0 is bit 0. */
static ALWAYS_INLINE uint8_t u64_mask(u64vec condition) {
    const u64lanes lanes = __builtin_convertvector(condition, u64lanes);
    uint8_t mask;
    memcpy(&mask, &lanes, sizeof mask);
    return mask & (uint8_t)low_bits(U64_LANES);
}

/* Lanes of yes where condition is all ones, else of no. */
static ALWAYS_INLINE u64vec u64_select(u64vec condition, u64vec yes, u64vec no) {
    return (condition & yes) | (~condition & no);
}

#if defined(SIMD_HAS_COMPRESS)
/* The number of zero bits above the highest one; 64 for zero. */
static ALWAYS_INLINE u64vec u64_leading_zeros(u64vec vec) {
    return (u64vec)_mm512_lzcnt_epi64((__m512i)vec);
}
#endif

/* The products of the lanes' lower halves: one instruction, which a full product is not. */
static ALWAYS_INLINE u64vec u64_multiply_low(u64vec a, u64vec b) {
    return (a & 0xffffffff) * (b & 0xffffffff);
}

/* The pairs of words that start at each lane's offset: their first and their second words. */
static ALWAYS_INLINE void u64_load_pairs(const void *from, u64vec offsets, u64vec *first,
                                         u64vec *second) {
    u64x2 pairs[U64_LANES];
    for (int lane = 0; lane < U64_LANES; lane++) {
        memcpy(&pairs[lane], (const char *)from + offsets[lane], sizeof pairs[lane]);
    }
#if U64_LANES == 8
    const u64x4 pairs_02 = __builtin_shufflevector(pairs[0], pairs[2], 0, 1, 2, 3);
    const u64x4 pairs_46 = __builtin_shufflevector(pairs[4], pairs[6], 0, 1, 2, 3);
    const u64x4 pairs_13 = __builtin_shufflevector(pairs[1], pairs[3], 0, 1, 2, 3);
    const u64x4 pairs_57 = __builtin_shufflevector(pairs[5], pairs[7], 0, 1, 2, 3);
    const u64vec even = __builtin_shufflevector(pairs_02, pairs_46, 0, 1, 2, 3, 4, 5, 6, 7);
    const u64vec odd = __builtin_shufflevector(pairs_13, pairs_57, 0, 1, 2, 3, 4, 5, 6, 7);
    *first = __builtin_shufflevector(even, odd, 0, 8, 2, 10, 4, 12, 6, 14);
    *second = __builtin_shufflevector(even, odd, 1, 9, 3, 11, 5, 13, 7, 15);
#elif U64_LANES == 4
    const u64vec even = __builtin_shufflevector(pairs[0], pairs[2], 0, 1, 2, 3);
    const u64vec odd = __builtin_shufflevector(pairs[1], pairs[3], 0, 1, 2, 3);
    *first = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    *second = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
#else
    *first = __builtin_shufflevector(pairs[0], pairs[1], 0, 2);
    *second = __builtin_shufflevector(pairs[0], pairs[1], 1, 3);
#endif
}

/* Store each lane of first, followed by the lane of second. */
static ALWAYS_INLINE void u64_store_pairs(void *to, u64vec first, u64vec second) {
#if U64_LANES == 8
    const u64vec lower = __builtin_shufflevector(first, second, 0, 8, 1, 9, 2, 10, 3, 11);
    const u64vec upper = __builtin_shufflevector(first, second, 4, 12, 5, 13, 6, 14, 7, 15);
#elif U64_LANES == 4
    const u64vec lower = __builtin_shufflevector(first, second, 0, 4, 1, 5);
    const u64vec upper = __builtin_shufflevector(first, second, 2, 6, 3, 7);
#else
    const u64vec lower = __builtin_shufflevector(first, second, 0, 2);
    const u64vec upper = __builtin_shufflevector(first, second, 1, 3);
#endif
    u64_store(to, lower);
    u64_store((char *)to + VEC_BYTES, upper);
}

#endif
