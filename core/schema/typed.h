/* SPDX-License-Identifier: MIT */
/* Values of declared types, made of decoded JSON in one pass: what `loads(type=)` gives.
 *
 * A plan is a table of nodes, one for each declared type. A node says for each kind of JSON value
 * what becomes of it. ssrjson_web/_models/types/nodes.py describes the language. Unlike an
 * acceptance, which leaves what it does not describe to a library, a plan decides about each value:
 * it is made, or a fault is told with the path to it. */
#ifndef SSRJSON_SCHEMA_TYPED_H
#define SSRJSON_SCHEMA_TYPED_H

#include "pyobject/python.h"
#include "schema/node.h"

/* The kinds of JSON values: KIND(identifier, name). */
#define JSON_KINDS(KIND) \
    KIND(NULL, "null") \
    KIND(BOOL, "bool") \
    KIND(INT, "int") \
    KIND(FLOAT, "float") \
    KIND(STR, "str") \
    KIND(ARRAY, "array") \
    KIND(OBJECT, "object")

/* These, and that of all other values. */
enum json_kind {
#define KIND(IDENTIFIER, NAME) KIND_OF_##IDENTIFIER,
    JSON_KINDS(KIND)
#undef KIND
        N_JSON_KINDS,
    KIND_OF_OTHER = N_JSON_KINDS,
};

extern const char *const JSON_KIND_NAMES[N_JSON_KINDS];

static ALWAYS_INLINE enum json_kind kind_of(PyObject *value) {
    const PyTypeObject *const type = Py_TYPE(value);
    return type == &PyUnicode_Type ? KIND_OF_STR
           : type == &PyLong_Type  ? KIND_OF_INT
           : type == &PyFloat_Type ? KIND_OF_FLOAT
           : type == &PyDict_Type  ? KIND_OF_OBJECT
           : type == &PyList_Type  ? KIND_OF_ARRAY
           : type == &PyBool_Type  ? KIND_OF_BOOL
           : value == Py_None      ? KIND_OF_NULL
                                   : KIND_OF_OTHER;
}

/* Kinds of JSON values, as bits. */
enum {
    KINDS_INT = 1 << KIND_OF_INT,
    KINDS_STR = 1 << KIND_OF_STR,
    KINDS_ARRAY = 1 << KIND_OF_ARRAY,
    KINDS_OBJECT = 1 << KIND_OF_OBJECT,
    KINDS_ALL = (1 << N_JSON_KINDS) - 1,
    KINDS_HASHED = KINDS_ALL & ~(KINDS_ARRAY | KINDS_OBJECT),
};

/* What a value may become, written once: the enum, the names in descriptions and the kinds of
 * values are made of this list. The order means nothing, but that a kind which no action names is
 * refused.
 *
 * MAKE(identifier, name, kinds, meaning) */
/* clang-format off */
#define TYPED_MAKES(MAKE) \
    MAKE(NOTHING, "nothing", KINDS_ALL, "the kind is refused") \
    MAKE(SAME, "same", KINDS_ALL, "the value as it is") \
    MAKE(FLOAT, "float", KINDS_INT, "the float of an int") \
    MAKE(MAPPED, "mapped", KINDS_HASHED, "what the value is a key of; or what another node makes") \
    MAKE(CALL, "call", KINDS_ALL, "what a function makes of it") \
    MAKE(KEY, "key", KINDS_STR, "of a key: what a node makes of the number that a function makes") \
    MAKE(NODE, "node", KINDS_ALL, "what the action of another node makes, one of a container") \
    MAKE(DATE, "date", KINDS_STR, "a date of its text") \
    MAKE(DATETIME, "datetime", KINDS_STR, "a datetime of its text") \
    MAKE(UUID, "uuid", KINDS_STR, "a UUID of its text") \
    MAKE(LIST, "list", KINDS_ARRAY, "the list, its items made") \
    MAKE(OF_ITEMS, "of_items", KINDS_ARRAY, "what a callable makes of such a list") \
    MAKE(PLACES, "places", KINDS_ARRAY, "what a callable makes of the items, each by its own node") \
    MAKE(DICT, "dict", KINDS_OBJECT, "the dict, its keys and values made") \
    MAKE(RECORD, "record", KINDS_OBJECT, "an object of a class, or a TypedDict") \
    MAKE(TAGGED, "tagged", KINDS_OBJECT, "what the node of a tag makes")

/* How an object is made of the values of its fields.
 *
 * STYLE(identifier, name, meaning) */
#define RECORD_STYLES(STYLE) \
    STYLE(BY_PLACE, "by_place", "the class is called with all values") \
    STYLE(BY_NAME, "by_name", "the class is called with those that are given") \
    STYLE(STORED, "stored", "values are stored as the __init__ of a dataclass would store them") \
    STYLE(DICT, "dict", "a dict") \
    STYLE(TUPLE, "tuple", "the items of a NamedTuple, as its __new__ would make it")
/* clang-format on */

enum typed_make {
#define MAKE(IDENTIFIER, ...) MAKE_##IDENTIFIER,
    TYPED_MAKES(MAKE)
#undef MAKE
};

_Static_assert(MAKE_NOTHING == 0, "a node is zeros before its actions are known");

enum record_style {
#define STYLE(IDENTIFIER, ...) RECORD_##IDENTIFIER,
    RECORD_STYLES(STYLE)
#undef STYLE
};

struct typed_field {
    PyObject *key;  /* owned str, interned */
    PyObject *last; /* owned str: an equal key that the last document had; or NULL */
    PyObject *name; /* owned str: the parameter or attribute; NULL: the value is only checked */
    const struct type_node *node; /* borrowed of the plan; NULL: any value */
    PyObject *absent;             /* owned: the default; or NULL */
    PyObject *factory;            /* owned callable: makes the default; or NULL */
    bool is_required;
    Py_ssize_t slot; /* RECORD_STORED: the offset in objects; -1: there is none */
};

/* The methods that take part when an object is made. */
enum own_method { OWN_INIT, OWN_NEW, OWN_SETATTR, OWN_POST_INIT, N_OWN_METHODS };

struct typed_record {
    enum record_style style;
    PyObject *class;  /* owned type */
    unsigned version; /* RECORD_STORED, RECORD_TUPLE: of the class that was looked at last */
    PyObject *own[N_OWN_METHODS]; /* owned: what the class had under their names; or NULL */
    bool has_post_init;           /* RECORD_STORED */
    bool forbids_unknown;         /* keys of no field are refused, otherwise dropped */
    PyObject *place_of;           /* owned dict: a key to the place of its field */
    PyObject *later_names;   /* owned tuple: of the parameters that are passed by name; or NULL */
    Py_ssize_t n_positional; /* RECORD_BY_PLACE */
    Py_ssize_t n_passed;     /* fields with a name: they come first */
    Py_ssize_t n_fields;
    struct typed_field fields[];
};

struct typed_action {
    enum typed_make make;
    PyObject *check;    /* owned callable: raises ValueError for what is refused; or NULL */
    PyObject *callable; /* owned; or NULL */
    PyObject *mapping;  /* owned dict; or NULL */
    PyObject *expected; /* owned str: what a mapping or a tag may be; or NULL */
    PyObject *tag_key;  /* owned str; MAKE_TAGGED */
    struct text_validator *text;    /* the makes of texts */
    struct typed_record *record;    /* MAKE_RECORD, and MAKE_PLACES of RECORD_TUPLE; or NULL */
    Py_ssize_t least;               /* items of MAKE_PLACES */
    Py_ssize_t n;                   /* nodes */
    const struct type_node **nodes; /* borrowed of the plan; NULL in it: any value */
};

/* Types of values that stay as they are, of which the most frequent ones are looked at first. */
#define N_KEPT_TYPES 2

struct type_node {
    const PyTypeObject
        *kept[N_KEPT_TYPES]; /* of builtin types, which are never released; or NULL */
    PyObject *expected;      /* owned str */
    struct typed_action actions[N_JSON_KINDS];
};

struct type_plan {
    struct blocks blocks; /* owned: what the nodes are made of */
    bool runs_code;       /* of the application */
    Py_ssize_t n;
    struct type_node nodes[];
};

/* Compile from a tuple of Nodes; NULL with an exception set. */
struct type_plan *type_plan_new(PyObject *nodes, bool runs_code);
void type_plan_free(struct type_plan *plan);
int type_plan_traverse(const struct type_plan *plan, visitproc visit, void *arg);

/* What a class has under the name of one of those methods, borrowed; NULL: nothing. */
PyObject *own_method_of(PyTypeObject *type, enum own_method method);

/* Containers within each other that are made, whatever the limit of Python is: 256 levels of a
 * class that has a list of its own. None of them takes of the C stack. */
#define TYPED_MAX_DEPTH 512

/* Why a value is refused. All are owned; NULL: there is none. */
struct typed_fault {
    const char *reason; /* one word; FAULT_OF_DEPTH where values are nested too deeply */
    PyObject *message;  /* str, without the path */
    PyObject *expected; /* str */
    PyObject *given;    /* str */
    PyObject *steps;    /* list of keys and indexes, the innermost first */
    PyObject *cause;    /* exception */
};

extern const char *const FAULT_OF_DEPTH;

void typed_fault_clear(struct typed_fault *fault);

/* Add a step to a fault, where there is one. The step is stolen. */
COLD void fault_add_step(struct typed_fault *fault, PyObject *step);
COLD void fault_add_index(struct typed_fault *fault, Py_ssize_t index);

/* Each of these fills in a fault, or leaves an exception where there is no memory for it; always
 * NULL or false. */

/* The value is of a kind that the node refuses. */
COLD PyObject *refuse_kind(const struct type_node *node, PyObject *value,
                           struct typed_fault *fault);
/* A str, int, bool or None is not one of those that are expected. */
COLD PyObject *refuse_value(PyObject *expected, PyObject *value, struct typed_fault *fault);
COLD PyObject *refuse_int_as_float(struct typed_fault *fault);
/* An exception that code of a class or a check has raised: a ValueError or TypeError is a fault,
 * all others stay. */
COLD PyObject *refuse_by_exception(struct typed_fault *fault);
COLD PyObject *refuse_length(Py_ssize_t least, Py_ssize_t greatest, Py_ssize_t n,
                             struct typed_fault *fault);
COLD PyObject *refuse_depth(struct typed_fault *fault);
/* A field is missing or unknown. The key may be that of a dict which finalizers clear meanwhile. */
COLD bool refuse_field(const char *reason, const char *format, PyObject *key,
                       struct typed_fault *fault);

/* The value of the plan's first node, a new reference. NULL with an exception set, or without one
 * and with the fault filled. Where the value is `ours`, nobody else holds its containers: they are
 * changed in place, and may become parts of the result. Runs Python code. */
PyObject *type_plan_make(const struct type_plan *plan, PyObject *value, bool is_ours,
                         struct typed_fault *fault);

/* Whether a list of the document has another size than before code of the application ran; true
 * with RuntimeError set. */
bool list_has_changed(PyObject *list, Py_ssize_t n_before);

/* The index in a text of the value that steps lead to, from the outermost on, a tuple of keys and
 * indexes; that of the last key, where `of_key`. Of lines the first step is the number of the
 * value. -1, without an exception, where the text does not have it. */
Py_ssize_t value_position(PyObject *text, PyObject *steps, Py_ssize_t start, bool is_lines);

/* The index after the value that a text of whole characters begins with, in units: a parser that
 * takes comments needs no more of the text, even to fail. */
Py_ssize_t value_end(const struct text *text);

#endif
