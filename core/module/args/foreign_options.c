/* SPDX-License-Identifier: MIT */
#include "module/args/keywords.h"

struct foreign_option {
    const char *name;
    const char *advice; /* follows the error text and a semicolon */
};

/* clang-format off */
static const struct foreign_option ENCODING[] = {
    /* Python's json */
    {"cls", "use default=, or ssrjson_web.json with its JSONEncoder"},
    {"fp", "write the result to the file, or use ssrjson_web.json.dump()"},
    /* orjson */
    {"option", "its flags are options here, such as indent=2, sort_keys=True and numpy=True; "
               "ssrjson_web.orjson takes option="},
    /* msgspec */
    {"enc_hook", "use default="},
    {"order", "use sort_keys=True for 'sorted'; sets have no order"},
    {"decimal_format", "use decimal='str' or 'number'"},
    {"uuid_format", "use uuid='hyphenated' for 'canonical', or 'hex'"},
    /* simplejson */
    {"use_decimal", "use decimal='number'"},
    {"ignore_nan", "use nan_as_null=True"},
    {"for_json", "use default=lambda value: value.for_json()"},
    {"tuple_as_array", "tuples are always arrays; with exact_types=True, subclasses go to default="},
    {"iterable_as_array", "use iterables=True"},
    {"bigint_as_string", "use int53='str'"},
    {"int_as_string_bitcount", "use int53='str' for 53 bits, or int64='str'"},
    {"item_sort_key", "use sort_keys=True; there is no other order"},
    {"encoding", "use bytes='utf-8' to write bytes as text; the result of dumps_to_bytes() is UTF-8"},
    /* ujson */
    {"encode_html_chars", "use html_safe=True"},
    {"escape_forward_slashes", "slashes are never escaped; html_safe=True escapes < > &"},
    {"reject_bytes", "use bytes=None, the default, which refuses them"},
    {"double_precision", "floats are written so that they are read back unchanged; round() them before"},
    /* rapidjson */
    {"datetime_mode", "use datetime='iso' or 'epoch', date= and time=, with utc= and naive="},
    {"uuid_mode", "use uuid='hyphenated' or 'hex'"},
    {"number_mode", "use decimal='number', allow_nan=False or int64='error'"},
    {"write_mode", "use indent="},
    {"bytes_mode", "use bytes='utf-8', or bytes=None, the default, which refuses them"},
    {"iterable_mode", "use iterables=True"},
    {"mapping_mode", "use mapping=True; skipkeys=True leaves out keys that are no str"},
    {"chunk_size", "use Encoder().iterencode(obj, chunk_size=)"},
    /* pydantic and FastAPI */
    {"include", "choose fields by ssrjson_web.models.TypedEncoder(type, include=)"},
    {"exclude", "choose fields by ssrjson_web.models.TypedEncoder(type, exclude=)"},
    {"inf_nan_mode", "use nan_as_null=True for 'null', allow_nan=True for 'constants', or nan_as_str=True for 'strings'"},
    {"ser_json_inf_nan", "use nan_as_null=True for 'null', allow_nan=True for 'constants', or nan_as_str=True for 'strings'"},
    {"ser_json_timedelta", "use timedelta='iso' for 'iso8601', or 'seconds' for 'float'"},
    {"timedelta_mode", "use timedelta='iso' for 'iso8601', or 'seconds' for 'float'"},
    {"ser_json_bytes", "use bytes='utf-8' for 'utf8', or 'base64url' for 'base64'"},
    {"serialize_as_any", "there is none: fields are written as they are declared"},
    {"serialize_unknown", "use default=str"},
    {"fallback", "use default="},
    {"custom_encoder", "use default=, which gets every value of an unknown type"},
    {"exclude_computed_fields", "there is none: computed fields are written"},
    {"round_trip", "there is none: use pydantic's model_dump_json"},
    {"warnings", "there is none: use pydantic's model_dump_json"},
    {"context", "there is none: use pydantic's model_dump_json"},
    /* names that are often tried */
    {"camel", "use key_case='camel'"},
    {"case", "use key_case='camel'"},
    {"camel_case", "use key_case='camel'"},
    {"jcs", "use canonical=True"},
    {"rfc8785", "use canonical=True"},
    {"sort", "use sort_keys=True"},
    {"sorted", "use sort_keys=True"},
};

static const struct foreign_option DECODING[] = {
    /* Python's json */
    {"cls", "use object_hook=, or ssrjson_web.json with its JSONDecoder"},
    {"fp", "pass what the file's read() gives, or use ssrjson_web.json.load()"},
    {"encoding", "bytes are UTF-8, UTF-16 or UTF-32, which is detected; decode others before"},
    /* msgspec */
    {"dec_hook", "use object_hook=, or ssrjson_web.models.TypedDecoder"},
    {"float_hook", "use parse_float="},
    /* simplejson */
    {"use_decimal", "use parse_float='decimal'"},
    /* ujson */
    {"precise_float", "floats are always read exactly"},
    /* rapidjson */
    {"datetime_mode", "there is none: use object_hook= with datetime.fromisoformat"},
    {"uuid_mode", "there is none: use object_hook= with uuid.UUID"},
    {"number_mode", "use parse_float='decimal', allow_nan=False or int64='error'"},
    {"parse_mode", "use jsonc=True for comments and trailing commas"},
    {"chunk_size", "use Decoder().feed()"},
    /* pydantic */
    {"allow_inf_nan", "use allow_nan="},
    {"cache_strings", "there is none: keys are kept and reused, other strings are not"},
    {"allow_partial", "there is none: a document must be complete; Decoder().feed() takes it in parts"},
    /* names that are often tried */
    {"model", "use type=, or ssrjson_web.models.TypedDecoder for types of pydantic"},
    {"schema", "use type=, or ssrjson_web.models.TypedDecoder for types of pydantic"},
    {"fields", "use only= with JSON Pointers"},
    {"include", "use only= with JSON Pointers"},
    {"pointer", "use only= with JSON Pointers"},
    {"case", "use key_case='snake'"},
    {"numpy", "use number_arrays='numpy'"},
    {"dtype", "arrays are of float64 or int64: call their astype()"},
    {"comments", "use jsonc=True"},
    {"allow_comments", "use jsonc=True"},
    {"allow_trailing_commas", "use jsonc=True"},
};
/* clang-format on */

const char *foreign_option_advice(PyObject *name, bool is_of_encoding) {
    const struct foreign_option *const options = is_of_encoding ? ENCODING : DECODING;
    const size_t n =
        is_of_encoding ? sizeof ENCODING / sizeof *ENCODING : sizeof DECODING / sizeof *DECODING;
    for (size_t i = 0; i < n; i++) {
        if (PyUnicode_CompareWithASCIIString(name, options[i].name) == 0) {
            return options[i].advice;
        }
    }
    return NULL;
}
