/* SPDX-License-Identifier: MIT */
/* The functions of core/simd/ for tests/core/simd/test_simd.py, a library per level. Each takes its
 * vectors one after another at `in`, a number, and stores its result at `out`. */
#include "simd/compress.h"
#include "simd/simd.h"

#define OPERATION(name) \
    __attribute__((visibility("default"))) void op_##name(const uint8_t *in, uint8_t *out, \
                                                          uint64_t number); \
    void op_##name(const uint8_t *const in MAYBE_UNUSED, uint8_t *const out MAYBE_UNUSED, \
                   const uint64_t number MAYBE_UNUSED)

/* The vector that is `index` vectors of its type after p. */
#define LOAD(type, p, index) \
    __extension__({ \
        type loaded_; \
        memcpy(&loaded_, (p) + (size_t)(index) * sizeof loaded_, sizeof loaded_); \
        loaded_; \
    })
#define STORE(value) \
    do { \
        const __typeof__(value) stored_ = (value); \
        memcpy(out, &stored_, sizeof stored_); \
    } while (0)
#define STORE_WORD(value) STORE((uint64_t)(value))

OPERATION(vec_bytes) {
    STORE_WORD(VEC_BYTES);
}

OPERATION(part_bytes) {
    STORE_WORD(PART_BYTES);
}

/* Masks */

OPERATION(u8_mask) {
    STORE_WORD(u8_mask(LOAD(u8vec, in, 0)));
}

OPERATION(u16_mask) {
    STORE_WORD(u16_mask(LOAD(u16vec, in, 0)));
}

OPERATION(u32_mask) {
    STORE_WORD(u32_mask(LOAD(u32vec, in, 0)));
}

OPERATION(u64_mask) {
    STORE_WORD(u64_mask(LOAD(u64vec, in, 0)));
}

OPERATION(u8half_mask) {
    STORE_WORD(u8half_mask(LOAD(u8half, in, 0)));
}

OPERATION(u8x16_mask) {
    STORE_WORD(u8x16_mask(LOAD(u8x16, in, 0)));
}

OPERATION(u8part_mask) {
    STORE_WORD(u8part_mask(LOAD(u8part, in, 0)));
}

OPERATION(u8x32s_differences) {
    STORE_WORD(u8x32s_differences(in, in + 32));
}

OPERATION(u8x32s_places_of) {
    STORE_WORD(u8x32s_places_of(in, (uint8_t)number));
}

OPERATION(u8x32s_mask) {
    struct u8x32s condition;
    memcpy(&condition, in, sizeof condition);
    STORE_WORD(u8x32s_mask(condition));
}

OPERATION(u8x16_mask_two) {
    STORE_WORD(u8x16_mask_two(LOAD(u8x16, in, 0), LOAD(u8x16, in, 1)));
}

/* the lane, or 99 where none is */
OPERATION(u8_places) {
    const uint64_t places = u8_places(LOAD(u8vec, in, 0));
    STORE_WORD(places == 0 ? 99 : first_place(places));
}

OPERATION(u8_from_mask) {
    STORE(u8_from_mask(number));
}

OPERATION(u16_from_mask) {
    STORE(u16_from_mask(number));
}

OPERATION(u32_from_mask) {
    STORE(u32_from_mask(number));
}

#if defined(SIMD_HAS_SIGN_MASK)
OPERATION(u8x16_sign_mask) {
    STORE_WORD(u8x16_sign_mask(LOAD(u8x16, in, 0)));
}
#endif

#if defined(SIMD_HAS_SIGN_MASK_32)
OPERATION(u8x32_sign_mask) {
    STORE_WORD(u8x32_sign_mask(LOAD(u8x32, in, 0)));
}
#endif

/* Lanes */

OPERATION(u8_sum) {
    STORE_WORD(u8_sum(LOAD(u8vec, in, 0)));
}

OPERATION(u16_select) {
    STORE(u16_select(LOAD(u16vec, in, 0), LOAD(u16vec, in, 1), LOAD(u16vec, in, 2)));
}

OPERATION(u32_select) {
    STORE(u32_select(LOAD(u32vec, in, 0), LOAD(u32vec, in, 1), LOAD(u32vec, in, 2)));
}

OPERATION(u64_select) {
    STORE(u64_select(LOAD(u64vec, in, 0), LOAD(u64vec, in, 1), LOAD(u64vec, in, 2)));
}

OPERATION(u32_from_low_half) {
    STORE(u32_from_low_half(LOAD(u16vec, in, 0)));
}

OPERATION(u32_from_high_half) {
    STORE(u32_from_high_half(LOAD(u16vec, in, 0)));
}

OPERATION(u8_keep_first) {
    STORE(u8_keep_first(LOAD(u8vec, in, 0), number));
}

OPERATION(u8part_keep_first) {
    STORE(u8part_keep_first(LOAD(u8part, in, 0), number));
}

/* the number must be a constant */
OPERATION(u8part_shift_in) {
    const u8part before = LOAD(u8part, in, 0);
    const u8part vec = LOAD(u8part, in, 1);
    STORE(number == 1   ? u8part_shift_in(vec, before, 1)
          : number == 2 ? u8part_shift_in(vec, before, 2)
                        : u8part_shift_in(vec, before, 3));
}

OPERATION(u16_multiply_high) {
    STORE(u16_multiply_high(LOAD(u16vec, in, 0), (uint16_t)number));
}

OPERATION(u64_multiply_low) {
    STORE(u64_multiply_low(LOAD(u64vec, in, 0), LOAD(u64vec, in, 1)));
}

/* offsets, then the words */
OPERATION(u64_load_pairs) {
    u64vec first, second;
    u64_load_pairs(in + VEC_BYTES, LOAD(u64vec, in, 0), &first, &second);
    u64_store(out, first);
    u64_store(out + VEC_BYTES, second);
}

OPERATION(u64_store_pairs) {
    u64_store_pairs(out, LOAD(u64vec, in, 0), LOAD(u64vec, in, 1));
}

OPERATION(u32_at_least) {
    STORE(u32_at_least(LOAD(u32vec, in, 0), (uint32_t)number));
}

/* Shuffles */

#if defined(SIMD_HAS_SHUFFLE)
OPERATION(u8_shuffle_groups) {
    STORE(u8_shuffle_groups(LOAD(u8vec, in, 0), LOAD(u8vec, in, 1)));
}

OPERATION(u8part_shuffle_groups) {
    STORE(u8part_shuffle_groups(LOAD(u8part, in, 0), LOAD(u8part, in, 1)));
}

OPERATION(u8x16_shuffle) {
    STORE(u8x16_shuffle(LOAD(u8x16, in, 0), LOAD(u8x16, in, 1)));
}

OPERATION(u8_look_up) {
    STORE(u8_look_up(LOAD(u8vec, in, 0), LOAD(u8vec, in, 1)));
}

OPERATION(u8_look_up_low_half) {
    STORE(u8_look_up_low_half(LOAD(u8vec, in, 0), LOAD(u8vec, in, 1)));
}

OPERATION(u8x16_look_up_low_half) {
    STORE(u8x16_look_up_low_half(LOAD(u8x16, in, 0), LOAD(u8x16, in, 1)));
}

OPERATION(pack_two_bytes) {
    STORE_WORD(pack_two_bytes(out + 8, LOAD(u16vec, in, 0), (uint32_t)number) - (out + 8));
}

OPERATION(pack_two_units) {
    uint16_t *const to = (uint16_t *)(out + 8);
    STORE_WORD((uint8_t *)pack_two_units(to, LOAD(u32vec, in, 0), (uint32_t)number) - (out + 8));
}

#if defined(SIMD_HAS_COMPRESS)
OPERATION(pack_nonzero_bytes) {
    STORE_WORD(pack_nonzero_bytes(out + 8, LOAD(u8vec, in, 0)) - (out + 8));
}
#else
/* number: three masks of sixteen bits each: lanes of at least two, three and four bytes */
OPERATION(pack_four_bytes) {
    const uint32_t two = number & 0xffff;
    const uint32_t three = number >> 16 & 0xffff;
    const uint32_t four = number >> 32 & 0xffff;
    const u32vec more_low = u32_from_mask(two ^ three ^ four);
    STORE_WORD(pack_four_bytes(out + 8, LOAD(u32vec, in, 0), more_low, u32_from_mask(three)) -
               (out + 8));
}

/* number: two masks of sixteen bits each: the low and the high bit of how many bytes are kept
 * beside the last one */
OPERATION(pack_four_bytes_in_halves) {
    STORE_WORD(pack_four_bytes_in_halves(out + 8, LOAD(u16vec, in, 0), LOAD(u16vec, in, 1),
                                         u16_from_mask(number), u16_from_mask(number >> 16)) -
               (out + 8));
}

OPERATION(u32_masks_by_group) {
    STORE_WORD(u32_masks_by_group(LOAD(u32vec, in, 0), LOAD(u32vec, in, 1)));
}

OPERATION(u16_masks_by_four) {
    STORE_WORD(u16_masks_by_four(LOAD(u16vec, in, 0), LOAD(u16vec, in, 1)));
}

OPERATION(u16_narrow) {
    STORE(u16_narrow(LOAD(u32vec, in, 0), LOAD(u32vec, in, 1)));
}

OPERATION(u16_weave_low) {
    STORE(u16_weave_low(LOAD(u16vec, in, 0), LOAD(u16vec, in, 1)));
}

OPERATION(u16_weave_high) {
    STORE(u16_weave_high(LOAD(u16vec, in, 0), LOAD(u16vec, in, 1)));
}
#endif
#endif

OPERATION(u8_splat_group) {
    STORE(u8_splat_group(in));
}

OPERATION(compress_8) {
    STORE_WORD(compress_8(out + 8, LOAD(u8vec, in, 0), number) - (out + 8));
}

OPERATION(compress_16) {
    uint16_t *const to = (uint16_t *)(out + 8);
    STORE_WORD((uint8_t *)compress_16(to, LOAD(u16vec, in, 0), number) - (out + 8));
}

OPERATION(compress_32) {
    uint32_t *const to = (uint32_t *)(out + 8);
    STORE_WORD((uint8_t *)compress_32(to, LOAD(u32vec, in, 0), number) - (out + 8));
}

#if defined(SIMD_HAS_WEIGHTED_PAIRS)
OPERATION(u8x16_weighted_pairs) {
    STORE(u8x16_weighted_pairs(LOAD(u8x16, in, 0), LOAD(u8x16, in, 1)));
}

OPERATION(u16x8_weighted_pairs) {
    STORE(u16x8_weighted_pairs(LOAD(u16x8, in, 0), LOAD(u16x8, in, 1)));
}

OPERATION(u32x4_myriad_pairs) {
    STORE_WORD(u32x4_myriad_pairs(LOAD(u32x4, in, 0)));
}
#endif

#if defined(SIMD_HAS_COMPRESS)
OPERATION(u16_permute) {
    STORE(u16_permute(LOAD(u16vec, in, 0), LOAD(u16vec, in, 1)));
}

OPERATION(u8_bits_from) {
    STORE(u8_bits_from(LOAD(u16vec, in, 0), LOAD(u8vec, in, 1)));
}

OPERATION(u8_look_up_ascii) { /* in the table at in, of two vectors */
    STORE(u8_look_up_ascii(in, LOAD(u8vec, in, 2)));
}

OPERATION(u32_leading_zeros) {
    STORE(u32_leading_zeros(LOAD(u32vec, in, 0)));
}

OPERATION(u64_leading_zeros) {
    STORE(u64_leading_zeros(LOAD(u64vec, in, 0)));
}

OPERATION(u32_look_up_first) { /* in the table at in, of one vector */
    STORE(u32_look_up_first((const uint32_t *)(const void *)in, LOAD(u32vec, in, 1), number));
}

OPERATION(u16half_mask) {
    STORE_WORD(u16half_mask(LOAD(u16half, in, 0)));
}

OPERATION(u16_from_u16half) {
    STORE(u16_from_u16half(LOAD(u16half, in, 0)));
}

OPERATION(u16_saturated_bytes) {
    STORE(u16_saturated_bytes(LOAD(u16vec, in, 0)));
}

OPERATION(u32_saturated_bytes) {
    STORE(u32_saturated_bytes(LOAD(u32vec, in, 0)));
}

OPERATION(u16_saturated_by_turns) {
    STORE(u16_saturated_by_turns(LOAD(u16vec, in, 0), LOAD(u16vec, in, 1)));
}

/* number: the places; at in the filler, then the lanes */
OPERATION(u8_expand) {
    STORE(u8_expand(LOAD(u8vec, in, 0), number, LOAD(u8vec, in, 1)));
}

OPERATION(u16_expand) {
    STORE(u16_expand(LOAD(u16vec, in, 0), number, LOAD(u16vec, in, 1)));
}

OPERATION(u8_second_half) {
    STORE(u8_second_half(LOAD(u8vec, in, 0)));
}

/* the mask is at in */
OPERATION(deposit_bits) {
    STORE_WORD(deposit_bits(number, load_u64(in)));
}

OPERATION(extract_bits) {
    STORE_WORD(extract_bits(number, load_u64(in)));
}
#endif

/* Parts of vectors in memory */

#if defined(SIMD_HAS_MASKED_LOAD)
OPERATION(u8_store_first) {
    u8_store_first(out, LOAD(u8vec, in, 0), number);
}

OPERATION(u8part_store_first) {
    u8part_store_first(out, LOAD(u8part, in, 0), number);
}

OPERATION(u8part_compress) {
    STORE(u8part_compress((uint32_t)number, LOAD(u8part, in, 0)));
}
#endif

OPERATION(copy_short) {
    copy_short(out, in, number);
}

OPERATION(u8_load_first) {
    STORE(u8_load_first(in, number));
}

OPERATION(u8part_load_first) {
    STORE(u8part_load_first(in, number));
}

/* Those after the first are undefined: zero here. */
OPERATION(u8_load_at_least) {
    STORE(u8_keep_first(u8_load_at_least(in, number), number));
}

OPERATION(u8x16_load_within_page) {
    const u8x16 loaded = u8x16_load_within_page(in, number);
    const u8x16 zero = {0};
    STORE(zero);
    memcpy(out, &loaded, number);
}

/* Those after the first are undefined: zero here. */
OPERATION(u8x32s_load_at_least) {
    const struct u8x32s loaded = u8x32s_load_at_least(in, number);
    memset(out, 0, sizeof loaded);
    memcpy(out, &loaded, number);
}

OPERATION(is_within_page) {
    STORE_WORD(is_within_page(in, number));
}
