/* SPDX-License-Identifier: MIT */
/* What an encoding call was asked for, validated. */
#ifndef SSRJSON_ENCODE_OPTIONS_H
#define SSRJSON_ENCODE_OPTIONS_H

#include "base/error.h"
#include "encode/native/types.h"
#include "encode/model/plan.h"
#include "encode/scratch.h"
#include "pyobject/python.h"
#include "text/moment.h"

/* What differs between versions of stdlib's json; ours follows the running one. */
struct encode_quirks {
    bool keeps_line_of_skipped; /* an indented dict whose keys are all skipped has an empty line */
};

/* Digits of floats: Python's repr, or what pydantic's dump_json writes. */
enum float_format {
    FLOAT_REPR,         /* 1e+16, 1e-05 */
    FLOAT_PYDANTIC,     /* 1e+16, 0.00001, 1e-6 */
    FLOAT_PYDANTIC_OLD, /* 1e16, 0.00001, 1e-6 */
};

/* What one interpreter keeps for encoding. */
struct encode_context {
    struct encode_quirks quirks;
    struct scratch_slot scratch_slot;
    struct native_types native_types;
    struct plan_cache plan_cache;
    PyTypeObject *fragment_type; /* owned */
    PyTypeObject *model_as_type; /* owned */
    PyObject *to_python_names;   /* owned tuple of strs, see model_convert; NULL at first */
    PyObject *make_plan;         /* owned callable of Python: the plan of a class; NULL at first */
    enum float_format model_floats; /* what models=True asks for, where has_model_floats */
    bool has_model_floats;
    size_t n_calls; /* of encode that are under way, one within another or in other threads */
};

/* The largest int that a double tells apart from its neighbours. */
#define MAX_SAFE_INT (((uint64_t)1 << 53) - 1)

/* What becomes of larger ones. */
enum int53_format {
    INT53_NUMBER,
    INT53_ERROR,
    INT53_STR,
};

/* Values of types beyond stdlib's: 0 leaves a type to the default hook. */
enum moment_format {
    MOMENT_OFF,
    MOMENT_ISO,
    MOMENT_HTTP, /* in UTC, as HTTP's headers have it; not for times */
};

enum timedelta_format {
    TIMEDELTA_OFF,
    TIMEDELTA_ISO,
    TIMEDELTA_ISO_YEARS, /* of 365 days, as pydantic counts */
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
    bool is_naive_utc;             /* a datetime without zone is in UTC */
    bool is_in_minutes;            /* offsets from UTC are cut to minutes, as RFC 3339 has them */
    enum models_option models;
    bool dataclass;
    bool iterables; /* sets, deques, dict views, iterators */
    bool mapping;
    bool path;
    bool numpy;
    bool has_pydantic_formats; /* types beyond JSON's are written as pydantic writes them */
    bool has_msgspec_formats;  /* datetime, date, time, uuid and decimal as msgspec does */
    bool is_any;               /* one of the types is on */
};

/* Whose names the fields of a model get. */
enum alias_option {
    ALIAS_AS_CONFIGURED, /* as the class says */
    ALIAS_OFF,
    ALIAS_ON,
};

/* What of a model is written. */
struct model_options {
    enum alias_option by_alias;
    bool is_python; /* as json.dumps of what the library dumps, not as the library's own JSON */
    bool exclude_unset;
    bool exclude_defaults;
    bool exclude_none;
};

struct encode_options {
    PyObject *default_hook;   /* owned by the caller; NULL: none */
    PyObject *indent;         /* owned str, one level of it; NULL: on one line */
    PyObject *item_separator; /* owned str; NULL: "," */
    PyObject *key_separator;  /* owned str; NULL: ":" */
    struct native_options native;
    struct model_options models;
    enum int53_format int53;
    enum float_format floats;
    bool skipkeys;
    bool ensure_ascii;
    bool check_circular;
    bool allow_nan;
    bool nan_as_null;
    bool has_own_floats; /* floats was given: it holds for models too */
    bool sort_keys;
    bool append_newline;
    bool html_safe;
    bool escape_surrogates; /* lone ones, which UTF-8 has no form for; else bytes are an error */
    bool exact_types;       /* subclasses, and dicts with other keys than str, go to the hook */
    bool sqlalchemy_safe;   /* and dicts with a key that begins with _sa */
    bool is_stdlib;         /* stdlib\'s defaults, and its exceptions with nothing above them */
    bool is_write_cache;    /* keep the UTF-8 of non-ASCII strings inside them */
    bool has_write_cache;   /* is_write_cache was given; else the global switch holds */
    bool to_bytes;          /* UTF-8 bytes, else str */
    struct encode_context *context; /* borrowed */
};

/* How a codec of Python writes what UTF-8 has no form for: \ud800, which is JSON's escape too. */
#define ESCAPING_SURROGATES "backslashreplace"

/* What Python's UTF-8 codec is to do with lone surrogates; NULL: raise. */
static inline const char *options_codec_errors(const struct encode_options *options) {
    return options->escape_surrogates ? ESCAPING_SURROGATES : NULL;
}

struct encode_error {
    struct error error;
    PyObject *culprit; /* owned; the value or key at fault, NULL where the kind says it all */
    PyObject *notes;   /* owned list of str for the exception, or NULL */
    PyObject *path;    /* owned str: where it is, or NULL */
};

#endif
