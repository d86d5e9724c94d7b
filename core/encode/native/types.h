/* SPDX-License-Identifier: MIT */
/* The types beyond stdlib's json that the encoder knows, found in their modules once those are
 * imported: an object cannot be of a type whose module is not. */
#ifndef SSRJSON_ENCODE_NATIVE_TYPES_H
#define SSRJSON_ENCODE_NATIVE_TYPES_H

#include "pyobject/python.h"

/* In the order of the search among base classes: a datetime is a date too, a masked array an array,
 * an Enum may be anything besides. */
enum native_type {
    NATIVE_ENUM,
    NATIVE_DATETIME,
    NATIVE_DATE,
    NATIVE_TIME,
    NATIVE_TIMEDELTA,
    NATIVE_UUID,
    NATIVE_DECIMAL,
    NATIVE_BYTES,
    NATIVE_BYTEARRAY,
    NATIVE_MEMORYVIEW,
    NATIVE_SET,
    NATIVE_FROZENSET,
    NATIVE_DEQUE,
    NATIVE_DICT_KEYS,
    NATIVE_DICT_VALUES,
    NATIVE_DICT_ITEMS,
    NATIVE_MAPPING_PROXY,
    NATIVE_MAPPING, /* by Python's isinstance, see native_find_type */
    NATIVE_PATH,
    NATIVE_DATETIME64,
    NATIVE_TIMEDELTA64,
    NATIVE_LONG_DOUBLE,
    NATIVE_MASKED_ARRAY,
    NATIVE_ARRAY,
    NATIVE_SCALAR,
    /* time zones: no values, but what they say runs no Python code */
    NATIVE_FIXED_ZONE,
    NATIVE_PYDANTIC_ZONE,
    NATIVE_ZONE_INFO,
    N_NATIVE_TYPES,
    NATIVE_ITERATOR = N_NATIVE_TYPES, /* by its slots */
    NATIVE_MODEL,                     /* by its plan */
    NATIVE_MODEL_AS,                  /* by that of a base */
    NATIVE_DERIVED,                   /* of a class derived from one of datetime's */
    NATIVE_UNKNOWN,
};

/* Names of attributes and methods. */
enum native_word {
    WORD_VALUE,
    WORD_OWN_VALUE,
    WORD_NAME,
    WORD_OWN_NAME,
    WORD_INT,
    WORD_UTCOFFSET,
    WORD_TOTAL_SECONDS,
    WORD_DATACLASS_FIELDS,
    WORD_PLAN,
    WORD_PYDANTIC_SERIALIZER,
    WORD_ATTRS,
    WORD_STRUCT_FIELDS,
    WORD_ITEMS,
    WORD_ARRAY_STRUCT,
    WORD_DTYPE,
    WORD_STR,
    WORD_TOLIST,
    WORD_JSON,
    WORD_ISOFORMAT,
    WORD_YEAR,
    WORD_MONTH,
    WORD_DAY,
    WORD_HOUR,
    WORD_MINUTE,
    WORD_SECOND,
    WORD_MICROSECOND,
    WORD_DAYS,
    WORD_SECONDS,
    WORD_MICROSECONDS,
    N_NATIVE_WORDS,
};

struct native_types {
    PyTypeObject *type[N_NATIVE_TYPES]; /* owned; NULL until its module is there */
    PyObject *modules[N_NATIVE_TYPES];  /* owned interned names; NULL: a builtin type */
    PyObject *names[N_NATIVE_TYPES];    /* owned interned names in the module */
    PyObject *words[N_NATIVE_WORDS];    /* owned interned strs */
    PyObject *utc;                      /* owned: datetime.timezone.utc */
    PyObject *enum_value;               /* owned: the descriptor behind Enum.value */
    PyObject *enum_name;                /* owned: the descriptor behind Enum.name */
    uint32_t is_in_c;                   /* bit i: type i is the C code's: its structs are known */
};

/* Fill in words and builtin types; false with an exception set. */
bool native_types_init(struct native_types *types);
void native_types_clear(struct native_types *types);
int native_types_traverse(const struct native_types *types, visitproc visit, void *arg);

/* What numpy has under a name, a new reference; NULL, without an exception, where it is not
 * imported or has no such name. Runs no Python code. */
PyObject *native_types_get_of_numpy(const struct native_types *types, const char *name);

/* The type, borrowed, looked for where it was not there before; NULL while its module is not
 * imported. Runs no Python code. */
PyTypeObject *native_types_get(struct native_types *types, enum native_type which);

#endif
