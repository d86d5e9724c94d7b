/* SPDX-License-Identifier: MIT */
/* Every op of the language in which the core is told about values, written once. The enum, the
 * names in descriptions, what an op may be used for and which operands it reads are made of this
 * list; Python's Literal of ops and the functions that run them are compared with it, by a test and
 * by the compiler. The order means nothing.
 *
 * OP(identifier, name, made, fits, operands, meaning)
 *   made      the types of values of which something is made by it, for a validator or a serializer
 *   fits      the types of values that the walk compares by it, to write them as they are
 *   operands  the member of the union in struct alternative that it reads: enum operands
 *   meaning   one line; ssrjson_web/_models/language.py says more */
#ifndef SSRJSON_SCHEMA_OP_LIST_H
#define SSRJSON_SCHEMA_OP_LIST_H

/* Types of values, as bits. */
enum {
    OF_NOTHING = 0,
    OF_STR = 1 << 0,
    OF_INT = 1 << 1,
    OF_FLOAT = 1 << 2,
    OF_BOOL = 1 << 3,
    OF_LIST = 1 << 4,
    OF_TUPLE = 1 << 5,
    OF_DICT = 1 << 6,
    OF_SET = 1 << 7, /* a set or frozenset */
    OF_ANOTHER = 1 << 8,
    OF_ANY = (1 << 9) - 1,
    OF_HASHED = OF_STR | OF_INT | OF_BOOL,
    /* where the type is `object`: values of every type that no other alternative has */
    OF_OTHERS = 1 << 9,
};

/* clang-format off */
#define OPS(OP) \
    OP(TYPE, "type", OF_ANY | OF_OTHERS, OF_ANY, NONE, \
       "the type alone decides") \
    OP(DERIVED, "derived", OF_NOTHING, OF_ANY, NONE, \
       "the type alone decides; objects of derived classes are written as this one") \
    OP(INT, "int", OF_INT, OF_NOTHING, INTS, \
       "an int within bounds") \
    OP(FLOAT, "float", OF_FLOAT, OF_FLOAT, FLOATS, \
       "a finite float within bounds") \
    OP(FINITE, "finite", OF_NOTHING, OF_FLOAT, NONE, \
       "a float that is finite, or that the encoder writes as the library does") \
    OP(REAL, "real", OF_INT, OF_NOTHING, FLOATS, \
       "an int in place of a float, which has its value") \
    OP(TEXT, "text", OF_STR, OF_NOTHING, TEXT, \
       "a str of bounded length, without surrogates") \
    OP(BARE, "bare", OF_STR, OF_NOTHING, TEXT, \
       "the same, without whitespace around it; a validator is called for any other") \
    OP(TRIMMED, "trimmed", OF_STR, OF_NOTHING, TEXT, \
       "a str without the whitespace around it") \
    OP(WHOLE, "whole", OF_STR, OF_NOTHING, TEXT, \
       "a str; whitespace stays") \
    OP(AMONG, "among", OF_HASHED, OF_HASHED, AMONG, \
       "one of the known values") \
    OP(PLAIN, "plain", OF_LIST | OF_DICT, OF_NOTHING, NONE, \
       "JSON's own types throughout, without NaN") \
    OP(CALL, "call", OF_ANY, OF_NOTHING, VALIDATOR, \
       "what a validator of the library makes of it") \
    OP(DATE, "date", OF_STR, OF_NOTHING, STANDARD, \
       "a str in place of a date: exactly what the encoder writes, or what a validator makes") \
    OP(DATETIME, "datetime", OF_STR, OF_NOTHING, STANDARD, \
       "a str in place of a datetime") \
    OP(UUID, "uuid", OF_STR, OF_NOTHING, STANDARD, \
       "a str in place of a UUID") \
    OP(MAPPED, "mapped", OF_HASHED, OF_NOTHING, MAPPING, \
       "what the value is a key of") \
    OP(MAPPED_OR_SAME, "mapped_or_same", OF_HASHED, OF_NOTHING, MAPPING, \
       "the same, or the value") \
    OP(DECIMAL, "decimal", OF_STR | OF_INT | OF_FLOAT, OF_NOTHING, DECIMAL, \
       "a Decimal made of a text or number") \
    OP(DECIMAL_TEXT, "decimal_text", OF_ANY, OF_NOTHING, DECIMAL, \
       "the text of a Decimal") \
    OP(QUANTIZED, "quantized", OF_ANY, OF_NOTHING, DECIMAL, \
       "a Decimal that has a number of digits") \
    OP(ISO, "iso", OF_ANY, OF_NOTHING, MOMENT, \
       "the text of a date, time or datetime") \
    OP(ISO_Z, "iso_z", OF_ANY, OF_NOTHING, MOMENT, \
       "the text of a datetime in a time zone") \
    OP(UUID_TEXT, "uuid_text", OF_ANY, OF_NOTHING, SLOT, \
       "the text of a UUID") \
    OP(SECONDS, "seconds", OF_NOTHING, OF_ANY, NONE, \
       "a timedelta, for which its seconds are written") \
    OP(READ, "read", OF_ANY | OF_OTHERS, OF_NOTHING, READ, \
       "a record of an object") \
    OP(READ_SINGLE, "read_single", OF_ANY | OF_OTHERS, OF_NOTHING, READ, \
       "the only field of such a record") \
    OP(LOAD, "load", OF_DICT | OF_LIST, OF_NOTHING, LOAD, \
       "a record of a dict, or a list of records") \
    OP(FUNCTIONS, "functions", OF_ANY | OF_OTHERS, OF_NOTHING, FUNCTIONS, \
       "what functions of the application make of it") \
    OP(ITEMS, "items", OF_LIST | OF_TUPLE, OF_LIST | OF_TUPLE | OF_SET, ITEMS, \
       "the items, all by one node") \
    OP(TUPLE, "tuple", OF_LIST | OF_TUPLE, OF_NOTHING, INNER, \
       "a tuple of what a node makes of the whole") \
    OP(PLACES, "places", OF_LIST | OF_TUPLE, OF_TUPLE, PLACES, \
       "the items, each by its own node") \
    OP(VALUES, "values", OF_DICT, OF_DICT, VALUES, \
       "the values of a dict whose keys are strs") \
    OP(FIELDS, "fields", OF_NOTHING, OF_DICT, FIELDS, \
       "the values of a dict with known keys, each by its own node") \
    OP(MODEL, "model", OF_DICT, OF_NOTHING, MODEL, \
       "the fields of a dict that becomes a model, or the text of a TypedDict") \
    OP(TAGGED, "tagged", OF_DICT, OF_NOTHING, TAGS, \
       "a dict with a key whose value says by what it is accepted") \
    OP(AS_PYDANTIC, "as_pydantic", OF_NOTHING, OF_OTHERS, NONE, \
       "whatever the walk writes as pydantic does") \
    OP(AS_MSGSPEC, "as_msgspec", OF_NOTHING, OF_OTHERS, NONE, \
       "whatever the walk writes as msgspec does, with the types of the other alternatives") \
    OP(AS_JSON, "as_json", OF_NOTHING, OF_OTHERS, NONE, \
       "JSON's own types throughout, which all libraries write alike")
/* clang-format on */

enum op {
#define OP(IDENTIFIER, ...) OP_##IDENTIFIER,
    OPS(OP)
#undef OP
};

/* What an op reads, by which its operands are made, visited and released. */
enum operands {
    OPERANDS_NONE,
    OPERANDS_INTS,
    OPERANDS_FLOATS,
    OPERANDS_TEXT,
    OPERANDS_AMONG,
    OPERANDS_VALIDATOR,
    OPERANDS_STANDARD,
    OPERANDS_MAPPING,
    OPERANDS_DECIMAL,
    OPERANDS_MOMENT,
    OPERANDS_SLOT,
    OPERANDS_READ,
    OPERANDS_LOAD,
    OPERANDS_FUNCTIONS,
    OPERANDS_INNER,
    OPERANDS_ITEMS,
    OPERANDS_VALUES,
    OPERANDS_PLACES,
    OPERANDS_FIELDS,
    OPERANDS_TAGS,
    OPERANDS_MODEL,
};

#endif
