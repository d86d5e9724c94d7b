/* SPDX-License-Identifier: MIT */
/* The types beyond stdlib's json that the encoder knows. They are taken from their modules once
 * those are imported: no object can be of a type whose module is not imported. */
#ifndef SSRJSON_ENCODE_TYPES_TYPES_H
#define SSRJSON_ENCODE_TYPES_TYPES_H

#include "pyobject/python.h"

/* In the order of the search among base classes: a datetime is a date too, a masked array is an
 * array, and an Enum may be derived from any other type. */
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
    NATIVE_MAPPING, /* found by Python's isinstance, see native_find_type */
    NATIVE_PATH,
    NATIVE_DATETIME64,
    NATIVE_TIMEDELTA64,
    NATIVE_LONG_DOUBLE,
    NATIVE_MASKED_ARRAY,
    NATIVE_ARRAY,
    NATIVE_SCALAR,
    /* time zones: they are never values, but their offsets are computed without Python code */
    NATIVE_FIXED_ZONE,
    NATIVE_PYDANTIC_ZONE,
    NATIVE_ZONE_INFO,
    N_NATIVE_TYPES,
    NATIVE_ITERATOR = N_NATIVE_TYPES, /* recognised by its slots */
    NATIVE_MODEL,                     /* recognised by its plan */
    NATIVE_MODEL_AS,                  /* written by the plan of a base of its class */
    NATIVE_DERIVED,                   /* of a class derived from one of datetime's */
    NATIVE_TENSOR,                    /* recognised by __dlpack__ */
    NATIVE_ARROW,                     /* recognised by __arrow_c_stream__ or __arrow_c_array__ */
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
    WORD_FIELDS,
    WORD_ASDICT,
    WORD_ARRAY_STRUCT,
    WORD_DTYPE,
    WORD_STR,
    WORD_TOLIST,
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
    WORD_TZINFO,
    WORD_NORMALIZE,
    WORD_FIELD_TYPE,
    WORD_SLOTS,
    WORD_DICT,
    WORD_DLPACK,
    WORD_DLPACK_DEVICE,
    WORD_ARROW_ARRAY,
    WORD_ARROW_STREAM,
    N_NATIVE_WORDS,
};

struct native_types {
    PyTypeObject *type[N_NATIVE_TYPES]; /* owned; NULL until its module is imported; stored once,
                                           after what belongs to the type */
    PyObject *modules[N_NATIVE_TYPES];  /* owned interned names; NULL: a builtin type */
    PyObject *names[N_NATIVE_TYPES];    /* owned interned names in the module */
    PyObject *words[N_NATIVE_WORDS];    /* owned interned strs */
    PyObject *utc;                      /* owned: datetime.timezone.utc */
    PyObject *enum_value;               /* owned: the descriptor of Enum.value */
    PyObject *enum_name;                /* owned: the descriptor of Enum.name */
    PyObject *pydantic_utcoffset;       /* owned: the method of pydantic's TzInfo */
    uint32_t is_in_c;   /* bit i: type i is that of the C code, whose structs are known */
    uint32_t is_probed; /* bit i: native_types_probe has found out whether it is */
};

/* Fill in the names and the builtin types; false with an exception set. */
bool native_types_init(struct native_types *types);
void native_types_clear(struct native_types *types);
int native_types_traverse(const struct native_types *types, visitproc visit, void *arg);

/* An attribute of the module numpy, a new reference; NULL, without an exception, where numpy is not
 * imported or has no such attribute. Runs no Python code. */
PyObject *native_types_get_of_numpy(const struct native_types *types, const char *name);

/* A type, borrowed; NULL where it has not been looked for, or was not found. Another thread may
 * find it at the same time. */
static ALWAYS_INLINE PyTypeObject *native_types_known(const struct native_types *types,
                                                      enum native_type which) {
    return LOAD_SHARED(types->type[which]);
}

/* Whether a type, which is known, is that of the C code. */
static ALWAYS_INLINE bool native_types_is_in_c(const struct native_types *types,
                                               enum native_type which) {
    return LOAD_SHARED(types->is_in_c) >> which & 1;
}

/* A type, borrowed, which is looked for again until its module is imported; NULL until then. Runs
 * no Python code. */
PyTypeObject *native_types_get(struct native_types *types, enum native_type which);

/* Whether it is not yet known if a type's structs are those of the C code. */
static ALWAYS_INLINE bool native_types_must_probe(const struct native_types *types,
                                                  enum native_type which) {
    return native_types_known(types, which) != NULL &&
           !(LOAD_SHARED(types->is_probed) >> which & 1);
}

/* Find out whether the structs of a type that is known, Decimal or pydantic's zone, are those of
 * the C code. Calls the type, whatever the name in its module stands for, so nothing may be
 * borrowed. */
void native_types_probe(struct native_types *types, enum native_type which);

/* How objects of a class export arrays: NATIVE_UNKNOWN where they do not, and for numpy's arrays,
 * which have an option of their own. Runs no Python code. */
enum native_type native_types_find_export(struct native_types *types, PyTypeObject *type);

/* Whether a class is one of the types or derived from it. */
static inline bool native_is_of(struct native_types *types, PyTypeObject *type,
                                enum native_type which) {
    PyTypeObject *const base = native_types_get(types, which);
    return base != NULL && PyType_IsSubtype(type, base);
}

#endif
