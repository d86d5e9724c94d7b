/* SPDX-License-Identifier: MIT */
/* The options of an encoding call, validated. */
#ifndef SSRJSON_ENCODE_OPTIONS_H
#define SSRJSON_ENCODE_OPTIONS_H

#include "base/error.h"
#include "cache/key_case.h"
#include "encode/types/types.h"
#include "pyobject/python.h"
#include "pyobject/type.h"
#include "text/moment.h"

/* The layout of floats: Python's repr, that of pydantic's dump_json, or JavaScript's. */
enum __attribute__((packed)) float_format {
    FLOAT_REPR,         /* 1e+16, 1e-05 */
    FLOAT_PYDANTIC,     /* 1e+16, 0.00001, 1e-6 */
    FLOAT_PYDANTIC_OLD, /* 1e16, 0.00001, 1e-6 */
    FLOAT_ECMASCRIPT,   /* 10000000000000000, 0.00001, 1; no text of more than one float */
};

/* The largest int that a double tells apart from its neighbours. */
#define MAX_SAFE_INT (((uint64_t)1 << 53) - 1)

/* What is done with ints beyond a number of bits. */
enum __attribute__((packed)) int_format {
    INT_NUMBER,
    INT_ERROR,
    INT_STR,
    INT_CANONICAL, /* a number that its canonical text has exactly, otherwise an error */
};

/* Values of types beyond stdlib's: 0 leaves a type to the default hook. */
enum moment_format {
    MOMENT_OFF,
    MOMENT_ISO,
    MOMENT_HTTP,     /* in UTC, in the format of HTTP's headers; not for times */
    MOMENT_EPOCH,    /* a number of seconds since 1970, in UTC; for datetimes */
    MOMENT_EPOCH_MS, /* a number of milliseconds */
};

static ALWAYS_INLINE bool moment_is_epoch(enum moment_format format) {
    switch (format) {
    case MOMENT_EPOCH:
    case MOMENT_EPOCH_MS: return true;
    case MOMENT_OFF:
    case MOMENT_ISO:
    case MOMENT_HTTP: return false;
    }
    Py_UNREACHABLE();
}

enum timedelta_format {
    TIMEDELTA_OFF,
    TIMEDELTA_ISO,
    TIMEDELTA_ISO_YEARS, /* with years of 365 days, as pydantic counts */
    TIMEDELTA_SECONDS,
};

enum uuid_format {
    UUID_OFF,
    UUID_HYPHENATED,
    UUID_HEX,
};

enum enum_format {
    ENUM_OFF,
    ENUM_VALUE,
    ENUM_NAME,
};

enum decimal_format {
    DECIMAL_OFF,
    DECIMAL_NUMBER,
    DECIMAL_STR,
    DECIMAL_FLOAT,
};

enum bytes_format {
    BYTES_OFF,
    BYTES_UTF8,
    BYTES_BASE64,
    BYTES_BASE64URL,
};

/* The libraries whose models are known: the plans of one class differ by it. */
enum models_option {
    MODELS_OFF, /* dataclasses only, by their fields */
    MODELS_ALL,
    MODELS_PYDANTIC, /* pydantic's BaseModel, and dataclasses as with MODELS_OFF */
};

struct native_options {
    enum moment_format datetime;
    enum moment_format date;
    enum moment_format time;
    enum timedelta_format timedelta;
    enum uuid_format uuid;
    enum enum_format enum_;
    enum decimal_format decimal;
    enum bytes_format bytes;
    enum time_precision precision; /* of datetime and time */
    bool is_utc_z;                 /* a zero offset is Z, else +00:00 */
    bool is_naive_utc;             /* a datetime without zone is taken to be in UTC */
    bool is_in_minutes;            /* offsets from UTC are cut to minutes, as RFC 3339 requires */
    enum models_option models;
    bool dataclass;
    bool iterables; /* sets, deques, dict views, iterators */
    bool mapping;
    bool path;
    bool numpy;
    bool arrays;               /* tensors by __dlpack__, Arrow by its C interface */
    bool float32_shortest;     /* floats of 16 and 32 bits are written with their own digits */
    bool has_pydantic_formats; /* types beyond JSON's are written as pydantic writes them */
    bool has_msgspec_formats;  /* datetime, date, time, uuid and decimal are written as msgspec
                                  writes them */
    bool is_any;               /* at least one of the types is on */
    uint32_t fast_types;       /* see options_fast_types */
};

/* What the flags of the module orjson say beyond the options below. Bits, because options are
 * copied for each call. */
struct orjson_options {
    bool is_on : 1; /* values and keys are written by orjson's rules: encode/orjson/; exact_types is
                   on, too, so that the walk leaves everything else to them */
    bool has_any_keys : 1;       /* keys may be of other types than str */
    bool passes_subclasses : 1;  /* subclasses of JSON's types go to the hook */
    bool passes_moments : 1;     /* datetimes, dates and times go to the hook */
    bool passes_dataclasses : 1; /* dataclasses go to the hook */
    bool has_numpy : 1;
};

/* Whether keys are names or aliases of a model's fields. */
enum __attribute__((packed)) alias_option {
    ALIAS_AS_CONFIGURED, /* as the class is configured */
    ALIAS_OFF,
    ALIAS_ON,
};

/* Which fields of a model are written. */
struct model_options {
    enum alias_option by_alias;
    bool is_python; /* as json.dumps writes the library's own dump to Python objects, not as the
                       library's JSON */
    bool exclude_unset;
    bool exclude_defaults;
    bool exclude_none; /* for pydantic's models; for all else see leaves_out_none */
};

struct encode_context;
struct plan_cache;

struct encode_options {
    PyObject *default_hook;   /* owned by the caller; NULL: none */
    PyObject *key_default;    /* as default_hook, for keys */
    PyObject *indent;         /* owned str, the indentation of one level; NULL: on one line */
    PyObject *item_separator; /* owned str; NULL: "," */
    PyObject *key_separator;  /* owned str; NULL: ":" */
    struct native_options native;
    struct model_options models;
    struct orjson_options orjson;
    uint16_t max_depth;    /* levels at which lists, dicts and objects are entered; 0: no limit */
    enum int_format int53; /* for ints beyond MAX_SAFE_INT */
    enum int_format int64; /* for ints beyond 64 bits, with a sign or without; after int53 */
    enum float_format floats;
    double greatest_float; /* of all: beyond are infinities and NaN; with canonical: every float */
    bool skipkeys;
    bool ensure_ascii;
    bool check_circular;
    bool allow_nan;
    bool nan_as_null;    /* has priority over allow_nan */
    bool nan_as_str;     /* has priority over nan_as_null */
    bool has_own_floats; /* floats was given: it applies to models too */
    bool sort_keys;
    bool canonical;     /* RFC 8785: with sort_keys, FLOAT_ECMASCRIPT and what else it asks for */
    bool replaces_keys; /* keys are replaced by strs before they are sorted */
    enum key_case key_case; /* of keys that are strs, and of the names of fields */
    bool arranges_fields;   /* those of models and dataclasses are not written in their own order */
    bool leaves_out_none;   /* items of dicts and mappings, and fields of classes other than
                               pydantic's; but not within an object of pydantic's */
    bool omits_defaults;
    bool namedtuple_as_object;
    bool notes_pydantic; /* one of these three, which do not apply within pydantic's objects */
    bool append_newline;
    bool html_safe;
    bool line_safe;
    bool is_for_lines;      /* the text goes on one line, whose end is a line feed */
    bool escape_surrogates; /* lone ones, which UTF-8 cannot encode; otherwise bytes raise */
    bool exact_types;       /* subclasses, and dicts with keys other than str, go to the hook */
    bool sqlalchemy_safe;   /* so do dicts with a key that begins with _sa */
    bool is_stdlib;         /* stdlib's defaults, and its exceptions instead of our classes */
    bool is_in_python;    /* as stdlib's encoder in Python writes: containers of which it would ask
                             overridden methods go to the hook, which is given their level, too */
    bool is_write_cache;  /* fill the UTF-8 cache of non-ASCII strings */
    bool has_write_cache; /* is_write_cache was given; otherwise the global switch decides */
    bool to_bytes;        /* UTF-8 bytes, else str */
    bool is_plain;        /* see options_are_plain */
    struct encode_context *context; /* borrowed */
#if IS_FREE_THREADED
    size_t *n_expected_bytes;      /* borrowed for one call */
    struct plan_cache *plan_cache; /* borrowed for one call; NULL: none */
    bool is_in_call;               /* another call of this thread may be in progress */
#endif
};

/* Whether the options switch a type on. */
static inline bool native_is_on(const struct native_options *options, enum native_type which) {
    switch (which) {
    case NATIVE_ENUM: return options->enum_ != ENUM_OFF;
    case NATIVE_DATETIME: return options->datetime != MOMENT_OFF;
    case NATIVE_DATE: return options->date != MOMENT_OFF;
    case NATIVE_TIME: return options->time != MOMENT_OFF;
    case NATIVE_TIMEDELTA: return options->timedelta != TIMEDELTA_OFF;
    case NATIVE_UUID: return options->uuid != UUID_OFF;
    case NATIVE_DECIMAL: return options->decimal != DECIMAL_OFF;
    case NATIVE_BYTES:
    case NATIVE_BYTEARRAY:
    case NATIVE_MEMORYVIEW: return options->bytes != BYTES_OFF;
    case NATIVE_SET:
    case NATIVE_FROZENSET:
    case NATIVE_DEQUE:
    case NATIVE_DICT_KEYS:
    case NATIVE_DICT_VALUES:
    case NATIVE_DICT_ITEMS:
    case NATIVE_ITERATOR: return options->iterables;
    case NATIVE_MAPPING_PROXY:
    case NATIVE_MAPPING: return options->mapping;
    case NATIVE_PATH: return options->path;
    case NATIVE_DATETIME64:
    case NATIVE_TIMEDELTA64:
    case NATIVE_LONG_DOUBLE:
    case NATIVE_MASKED_ARRAY:
    case NATIVE_ARRAY:
    case NATIVE_SCALAR: return options->numpy;
    case NATIVE_TENSOR:
    case NATIVE_ARROW: return options->arrays;
    case NATIVE_MODEL:
    case NATIVE_MODEL_AS: return options->dataclass || options->models != MODELS_OFF;
    case NATIVE_DERIVED:
    case NATIVE_FIXED_ZONE:
    case NATIVE_ZONE_INFO:
    case NATIVE_PYDANTIC_ZONE:
    case NATIVE_UNKNOWN: break;
    }
    return false;
}

/* Whether a class looks like a model of one of the libraries that are switched on; `is_exact`:
 * pydantic knows no models other than its own. */
static inline bool native_is_model(const struct native_options *options,
                                   const struct native_types *types, PyTypeObject *type,
                                   bool is_exact) {
    static const enum native_word words[] = {WORD_DATACLASS_FIELDS, WORD_PYDANTIC_SERIALIZER,
                                             WORD_PLAN, WORD_ATTRS, WORD_STRUCT_FIELDS};
    const int first = options->dataclass || options->models != MODELS_OFF ? 0 : 1;
    const int end = options->models != MODELS_ALL ? 1 + (options->models == MODELS_PYDANTIC)
                    : is_exact                    ? 3
                                                  : 5;
    for (int i = first; i < end; i++) {
        if (type_look_up(type, types->words[words[i]]) != NULL) {
            return true;
        }
    }
    return false;
}

/* Whether the pairs of a dict may be written in another order, with other keys, or not all. */
static ALWAYS_INLINE bool options_arrange_dicts(const struct encode_options *options) {
    return options->sort_keys || options->replaces_keys || options->leaves_out_none;
}

/* Whether dicts must be inspected before they are entered. */
static ALWAYS_INLINE bool options_look_into_dicts(const struct encode_options *options) {
    return IS_FREE_THREADED || options_arrange_dicts(options) ||
           (options->exact_types && !options->orjson.is_on);
}

/* Whether the text must hold no line feed but one at its end. */
static ALWAYS_INLINE bool options_write_lines(const struct encode_options *options) {
    return options->line_safe | options->is_for_lines;
}

/* Whether there is any indentation or separator other than the compact ones. */
static ALWAYS_INLINE bool options_have_spacing(const struct encode_options *options) {
    return options->indent != NULL || options->item_separator != NULL ||
           options->key_separator != NULL;
}

/* Whether the text is compact, of the usual form and not changed at its end, and containers are
 * read as they are. What single values look like does not matter. Calls begin and end faster then,
 * so is_plain keeps the answer. */
static ALWAYS_INLINE bool options_are_plain(const struct encode_options *options) {
    return !options_have_spacing(options) && !options_look_into_dicts(options) &&
           options->floats < FLOAT_PYDANTIC_OLD &&
           !(options->ensure_ascii | options->append_newline | options->html_safe |
             options->line_safe | options->escape_surrogates);
}

/* The types of which encode/types/fast_types.c writes the usual values, as bits. */
static inline uint32_t options_fast_types(const struct encode_options *options) {
    const struct native_options *const native = &options->native;
    const bool is_orjson = options->orjson.is_on;
    const bool has_moments = is_orjson && !options->orjson.passes_moments;
    const bool has_objects = !IS_FREE_THREADED && !options->exact_types &&
                             !options->notes_pydantic && !options->arranges_fields &&
                             (native->dataclass || native->models != MODELS_OFF);
    return (uint32_t)(native->enum_ != ENUM_OFF && !IS_FREE_THREADED) << NATIVE_ENUM |
           (uint32_t)(has_moments || native->datetime == MOMENT_ISO) << NATIVE_DATETIME |
           (uint32_t)(has_moments || native->date == MOMENT_ISO) << NATIVE_DATE |
           (uint32_t)(has_moments || native->time == MOMENT_ISO) << NATIVE_TIME |
           (uint32_t)(is_orjson || native->uuid != UUID_OFF) << NATIVE_UUID |
           (uint32_t)(native->decimal == DECIMAL_NUMBER || native->decimal == DECIMAL_STR)
               << NATIVE_DECIMAL |
           (uint32_t)has_objects << NATIVE_MODEL;
}
_Static_assert(NATIVE_MODEL < 32, "a bit of fast_types");

/* What is done with an int beyond MAX_SAFE_INT. */
static ALWAYS_INLINE enum int_format options_int_format(const struct encode_options *options,
                                                        bool is_of_64_bits) {
    return options->int53 != INT_NUMBER || is_of_64_bits ? options->int53 : options->int64;
}

/* The error for an int that options_int_format refuses. */
static inline enum error_kind options_int_error(const struct encode_options *options) {
    return options->int53 == INT_ERROR ? ERROR_INT53 : ERROR_INT64;
}

/* Whether ints beyond MAX_SAFE_INT may be other than plain numbers. */
static ALWAYS_INLINE bool options_limit_ints(const struct encode_options *options) {
    return (options->int53 | options->int64) != INT_NUMBER;
}

/* Python's name of the error handler that writes surrogates as \ud800, which is JSON's escape
 * too. */
#define ESCAPING_SURROGATES "backslashreplace"

/* The error handler for lone surrogates in Python's UTF-8 codec; NULL: raise. */
static inline const char *options_codec_errors(const struct encode_options *options) {
    return options->escape_surrogates ? ESCAPING_SURROGATES : NULL;
}

struct encode_error {
    struct error error;
    PyObject *culprit; /* owned; the value or key that caused it, NULL where the kind is enough */
    PyObject *notes;   /* owned list of str for the exception, or NULL */
    PyObject *path;    /* owned str: the path to the culprit, or NULL */
};

#endif
