/* SPDX-License-Identifier: MIT */
/* Every option of encoding and of decoding, written once. Argument parsing, error texts,
 * signatures, docstrings, reprs and the test of the stub all use these two lists, in this order.
 *
 * OPTION(identifier, name, kind, field, formats, default, meaning)
 *   kind      how a value is read: enum keyword_kind
 *   field     the field that holds it, in struct encode_options or struct decode_arguments
 *   formats   FORMATS(...), each with the value that the field gets for its name, or ANY
 *   default   as the signature shows it
 *   meaning   one line for help() and editors */
#ifndef SSRJSON_MODULE_ARGS_OPTION_LIST_H
#define SSRJSON_MODULE_ARGS_OPTION_LIST_H

/* clang-format off */
#define ENCODE_OPTIONS(OPTION) \
    OPTION(DEFAULT, "default", HOOK, default_hook, ANY, "None", \
           "Called with each value of an unknown type; what it returns is encoded instead.") \
    OPTION(KEY_DEFAULT, "key_default", HOOK, key_default, ANY, "None", \
           "Called with each key of an unknown type; the key that it returns is written instead.") \
    OPTION(KEY_CASE, "key_case", FORMAT, key_case, FORMATS({"camel", KEY_CAMEL}), "None", \
           "Write keys that are strs, and names of fields, in another case: order_id as orderId.") \
    OPTION(SKIPKEYS, "skipkeys", TRUTH, skipkeys, ANY, "False", \
           "Leave out keys that are not str, int, float, bool or None, instead of raising TypeError.") \
    OPTION(ENSURE_ASCII, "ensure_ascii", TRUTH, ensure_ascii, ANY, ENSURE_ASCII_DEFAULT, \
           "Escape every character that is not ASCII.") \
    OPTION(CHECK_CIRCULAR, "check_circular", TRUTH, check_circular, ANY, "True", \
           "Raise ValueError for a container within itself; without it, RecursionError.") \
    OPTION(ALLOW_NAN, "allow_nan", TRUTH, allow_nan, ANY, "True", \
           "Write NaN, Infinity and -Infinity; without it, they raise ValueError.") \
    OPTION(INDENT, "indent", OWN, indent, ANY, "None", \
           "Put items on lines of their own: the spaces for each level, or the str to use.") \
    OPTION(SEPARATORS, "separators", OWN, item_separator, ANY, "None", \
           "The texts after an item and after a key; compact by default.") \
    OPTION(SORT_KEYS, "sort_keys", TRUTH, sort_keys, ANY, "False", \
           "Sort the keys of each object: of dicts, models and dataclasses.") \
    OPTION(CANONICAL, "canonical", FLAG, canonical, ANY, "False", \
           "Write canonical JSON (RFC 8785), for signatures and hashes; what it excludes raises.") \
    OPTION(APPEND_NEWLINE, "append_newline", FLAG, append_newline, ANY, "False", \
           "End the text with a line feed.") \
    OPTION(HTML_SAFE, "html_safe", FLAG, html_safe, ANY, "False", \
           "Escape < > & and U+2028 U+2029, so that HTML and scripts may hold the text.") \
    OPTION(LINE_SAFE, "line_safe", FLAG, line_safe, ANY, "False", \
           "Escape U+0085 U+2028 U+2029, so that str.splitlines leaves the text whole.") \
    OPTION(ESCAPE_SURROGATES, "escape_surrogates", FLAG, escape_surrogates, ANY, "False", \
           "Write a lone surrogate as its escape; without it, bytes raise UnicodeEncodeError.") \
    OPTION(NAN_AS_NULL, "nan_as_null", FLAG, nan_as_null, ANY, "False", \
           "Write NaN and infinities as null.") \
    OPTION(NAN_AS_STR, "nan_as_str", FLAG, nan_as_str, ANY, "False", \
           "Write NaN and infinities as the strs 'NaN', 'Infinity' and '-Infinity'.") \
    OPTION(INT53, "int53", FORMAT, int53, FORMATS({"error", INT_ERROR}, {"str", INT_STR}), "None", \
           "Ints beyond 53 bits, which JavaScript rounds: raise ValueError, or write a str.") \
    OPTION(INT64, "int64", FORMAT, int64, FORMATS({"error", INT_ERROR}, {"str", INT_STR}), "None", \
           "Ints beyond 64 bits, signed or not: raise ValueError, or write a str.") \
    OPTION(FLOATS, "floats", OWN, floats, FORMATS({"repr", FLOAT_REPR}, {"e+16", FLOAT_PYDANTIC}, {"e16", FLOAT_PYDANTIC_OLD}), "None", \
           "Layout of floats: Python's repr, or that of pydantic's newer or older releases.") \
    OPTION(EXACT_TYPES, "exact_types", FLAG, exact_types, ANY, "False", \
           "Hand subclasses of JSON's types, and dicts with keys other than str, to default.") \
    OPTION(SQLALCHEMY_SAFE, "sqlalchemy_safe", FLAG, sqlalchemy_safe, ANY, "False", \
           "With exact_types: hand dicts with a key that begins with _sa to default too.") \
    OPTION(MODELS, "models", OWN, native.models, FORMATS({"python", MODELS_ALL}, {"pydantic", MODELS_PYDANTIC}), "False", \
           "Write models of pydantic, attrs, msgspec and dataclasses as their library does.") \
    OPTION(BY_ALIAS, "by_alias", OWN, models.by_alias, ANY, "None", \
           "Keys of models: aliases, names of fields, or (None) as the class is configured.") \
    OPTION(EXCLUDE_UNSET, "exclude_unset", FLAG, models.exclude_unset, ANY, "False", \
           "Leave out fields of models that were not set.") \
    OPTION(EXCLUDE_DEFAULTS, "exclude_defaults", FLAG, models.exclude_defaults, ANY, "False", \
           "Leave out fields of models that hold their default.") \
    OPTION(EXCLUDE_NONE, "exclude_none", OWN, models.exclude_none, FORMATS({"pydantic", true}), "False", \
           "Leave out items of objects that are None; or only fields of pydantic's models.") \
    OPTION(OMIT_DEFAULTS, "omit_defaults", FLAG, omits_defaults, ANY, "False", \
           "Leave out fields of dataclasses and attrs classes that hold their default.") \
    OPTION(NAMEDTUPLE_AS_OBJECT, "namedtuple_as_object", FLAG, namedtuple_as_object, ANY, "False", \
           "Write namedtuples as objects of their fields.") \
    OPTION(NATIVES, "natives", OWN, native, ANY, "False", \
           "Write every type of the options below, each in its first format.") \
    OPTION(DATETIME, "datetime", FORMAT, native.datetime, \
           FORMATS({"iso", MOMENT_ISO}, {"rfc3339", MOMENT_ISO}, {"http", MOMENT_HTTP}, {"epoch", MOMENT_EPOCH}, {"epoch-ms", MOMENT_EPOCH_MS}), "None", \
           "Write datetimes: as isoformat(), with offsets in minutes, as HTTP's headers, or as numbers.") \
    OPTION(DATE, "date", FORMAT, native.date, FORMATS({"iso", MOMENT_ISO}, {"http", MOMENT_HTTP}), "None", \
           "Write dates: as isoformat(), or as HTTP's headers.") \
    OPTION(TIME, "time", FORMAT, native.time, FORMATS({"iso", MOMENT_ISO}), "None", \
           "Write times of day, as isoformat().") \
    OPTION(TIMESPEC, "timespec", FORMAT, native.precision, \
           FORMATS({"auto", PRECISION_AUTO}, {"auto-milliseconds", PRECISION_AUTO_MILLISECONDS}, {"seconds", PRECISION_SECONDS}, {"milliseconds", PRECISION_MILLISECONDS}, {"microseconds", PRECISION_MICROSECONDS}), "'auto'", \
           "Digits after the second; the auto ones are left out where they are zero.") \
    OPTION(UTC, "utc", FORMAT, native.is_utc_z, FORMATS({"+00:00", false}, {"Z", true}), "'+00:00'", \
           "How an offset of zero from UTC is written.") \
    OPTION(NAIVE, "naive", FORMAT, native.is_naive_utc, FORMATS({"utc", true}), "None", \
           "Take datetimes without a zone for UTC, and write the offset.") \
    OPTION(TIMEDELTA, "timedelta", FORMAT, native.timedelta, FORMATS({"iso", TIMEDELTA_ISO}, {"iso-years", TIMEDELTA_ISO_YEARS}, {"seconds", TIMEDELTA_SECONDS}), "None", \
           "Write timedeltas: as P1DT2S, as P1Y2D with years of 365 days, or as a number of seconds.") \
    OPTION(UUID, "uuid", FORMAT, native.uuid, FORMATS({"hyphenated", UUID_HYPHENATED}, {"hex", UUID_HEX}), "None", \
           "Write UUIDs: with hyphens, or as 32 digits.") \
    OPTION(ENUM, "enum", FORMAT, native.enum_, FORMATS({"value", ENUM_VALUE}, {"name", ENUM_NAME}), "None", \
           "Write members of enums: their value, or their name.") \
    OPTION(DECIMAL, "decimal", FORMAT, native.decimal, FORMATS({"number", DECIMAL_NUMBER}, {"str", DECIMAL_STR}, {"float", DECIMAL_FLOAT}), "None", \
           "Write Decimals: all digits as a number, as a str, or as the nearest float.") \
    OPTION(BYTES, "bytes", FORMAT, native.bytes, FORMATS({"utf-8", BYTES_UTF8}, {"base64", BYTES_BASE64}, {"base64url", BYTES_BASE64URL}), "None", \
           "Write bytes, bytearrays and memoryviews: as UTF-8 text, or in base64.") \
    OPTION(DATACLASS, "dataclass", FLAG, native.dataclass, ANY, "False", \
           "Write dataclasses by their fields.") \
    OPTION(ITERABLES, "iterables", FLAG, native.iterables, ANY, "False", \
           "Write sets, deques, views of dicts and iterators as arrays.") \
    OPTION(MAPPING, "mapping", FLAG, native.mapping, ANY, "False", \
           "Write mappings other than dict as objects.") \
    OPTION(PATH, "path", FLAG, native.path, ANY, "False", \
           "Write paths as their str().") \
    OPTION(NUMPY, "numpy", FLAG, native.numpy, ANY, "False", \
           "Write numpy's arrays and scalars.") \
    OPTION(ARRAYS, "arrays", FLAG, native.arrays, ANY, "False", \
           "Write tensors by __dlpack__ (torch, JAX), and arrays and tables of Arrow.") \
    OPTION(FLOAT32, "float32", FORMAT, native.float32_shortest, FORMATS({"shortest", true}), "None", \
           "Write floats of 16 and 32 bits in arrays with their own shortest digits: 0.1.")

/* Options of the functions that return bytes only. */
#define ENCODE_TO_BYTES_OPTIONS(OPTION) \
    OPTION(IS_WRITE_CACHE, "is_write_cache", OWN, is_write_cache, ANY, "None", \
           "Fill the UTF-8 cache of the strings; None: as write_utf8_cache() says.")

#define DECODE_OPTIONS(OPTION) \
    OPTION(OBJECT_HOOK, "object_hook", HOOK, options.object_hook, ANY, "None", \
           "Called with each dict; what it returns replaces the dict.") \
    OPTION(OBJECT_PAIRS_HOOK, "object_pairs_hook", HOOK, options.object_pairs_hook, ANY, "None", \
           "Called with a list of (key, value) pairs for each object, before object_hook.") \
    OPTION(ARRAY_HOOK, "array_hook", HOOK, options.array_hook, ANY, "None", \
           "Called with each list; what it returns replaces the list.") \
    OPTION(PARSE_FLOAT, "parse_float", OWN, options.parse_float, FORMATS({"decimal", true}), "None", \
           "Called with the text of each number that has a point or an exponent; 'decimal': Decimal.") \
    OPTION(PARSE_INT, "parse_int", HOOK, options.parse_int, ANY, "None", \
           "Called with the text of each other number.") \
    OPTION(PARSE_CONSTANT, "parse_constant", HOOK, options.parse_constant, ANY, "None", \
           "Called with NaN, Infinity or -Infinity, as a str.") \
    OPTION(NUMBER_ARRAYS, "number_arrays", FORMAT, options.number_arrays, FORMATS({"numpy", NUMBER_ARRAYS_NUMPY}, {"array", NUMBER_ARRAYS_ARRAY}), "None", \
           "Lists of numbers alone: arrays of numpy, or of the module array, of float64 or int64.") \
    OPTION(NUMBER_ARRAYS_FROM, "number_arrays_from", LIMIT, options.number_arrays_from, ANY, "16", \
           "Numbers that a list must have to become an array.") \
    OPTION(DECODE_INT64, "int64", FORMAT, options.int64, FORMATS({"float", INT_AS_FLOAT}, {"error", INT_REFUSED}), "None", \
           "Ints beyond 64 bits, signed or not: floats, or JSONDecodeError.") \
    OPTION(STRICT, "strict", TRUTH, options.is_strict, ANY, "True", \
           "Refuse control characters within strings.") \
    OPTION(DECODE_ALLOW_NAN, "allow_nan", FLAG, options.allow_nan, ANY, "True", \
           "Take NaN, Infinity and -Infinity; without it, they raise JSONDecodeError.") \
    OPTION(ALLOW_SURROGATES, "allow_surrogates", FLAG, options.allow_surrogates, ANY, "True", \
           "Take escapes of lone surrogates; without it, they raise JSONDecodeError.") \
    OPTION(DUPLICATE_KEYS, "duplicate_keys", FORMAT, options.refuses_duplicates, \
           FORMATS({"last", false}, {"error", true}), "'last'", \
           "What becomes of a key that an object repeats: the last value counts, or an error.") \
    OPTION(ONLY, "only", OWN, selection, ANY, "None", \
           "Make these parts of the document alone, JSON Pointers such as '/items/*/price'.") \
    OPTION(TYPE, "type", OWN, type_plan, ANY, "None", \
           "Make values of this type: dataclasses, TypedDicts, NamedTuples, attrs, Structs.") \
    OPTION(DECODE_KEY_CASE, "key_case", FORMAT, options.key_case, FORMATS({"snake", KEY_SNAKE}, {"snake-joined", KEY_SNAKE_JOINED}), "None", \
           "Keys in another case: orderId as order_id; 'snake-joined' leaves line2, else line_2.") \
    OPTION(JSONC, "jsonc", FLAG, options.is_jsonc, ANY, "False", \
           "Take // and /* */ comments, and a comma after the last item of an array or object.") \
    OPTION(MAX_DEPTH, "max_depth", LIMIT, options.max_depth, ANY, "None", \
           "Levels of nesting above which JSONDepthError is raised.") \
    OPTION(MAX_SIZE, "max_size", LIMIT, max_size, ANY, "None", \
           "Bytes, or characters of a str, above which JSONSizeError is raised.")

/* Options of Decoder only. */
#define DECODER_OPTIONS(OPTION) \
    OPTION(PARTIAL, "partial", FORMAT, partial, FORMATS({"off", PARTIAL_OFF}, {"on", PARTIAL_ON}, {"trailing-strings", PARTIAL_TRAILING_STRINGS}), "'off'", \
           "Decode while chunks are fed; value is what is known so far, cut strings included or not.")
/* clang-format on */

#endif
