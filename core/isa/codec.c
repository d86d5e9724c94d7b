/* SPDX-License-Identifier: MIT */
/* The codec of one level. This file is compiled once for each level and exports its table only, so
 * that no other level can be linked to code that its CPU lacks. */
#include "isa/codec.h"

#include "decode/decode.h"
#include "decode/select.h"
#include "encode/encode.h"

#define LEVEL_NAME_portable "portable"
#define LEVEL_NAME_sse42 "sse4.2"
#define LEVEL_NAME_avx2 "avx2"
#define LEVEL_NAME_avx512 "avx512"
#define LEVEL_NAME_neon "neon"

extern const struct codec CONCAT(ssrjson_codec, SSRJSON_LEVEL);
const struct codec CONCAT(ssrjson_codec, SSRJSON_LEVEL) = {
    .level = CONCAT(LEVEL_NAME, SSRJSON_LEVEL),
    .encode = encode_object,
    .stream_new = encode_stream_new,
    .stream_next = encode_stream_next,
    .stream_traverse = encode_stream_traverse,
    .stream_free = encode_stream_free,
    .decode = decode_document,
    .decode_selected = decode_selected,
    .decode_part = decode_part,
};
