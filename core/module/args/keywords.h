/* SPDX-License-Identifier: MIT */
/* The options of option_list.h as a table, and functions that read the values for which the table
 * alone says how. */
#ifndef SSRJSON_MODULE_ARGS_KEYWORDS_H
#define SSRJSON_MODULE_ARGS_KEYWORDS_H

#include "module/state.h"
#include "pyobject/python.h"

/* A function of any calling convention as a PyCFunction; the flags of its method say which
 * convention it has. */
#define FUNCTION(function) ((PyCFunction)(void (*)(void))(function))

/* How the value of an option is read. */
enum keyword_kind {
    KIND_TRUTH,  /* any object, by its truth value: a flag of stdlib's json */
    KIND_FLAG,   /* a bool; None leaves the field as it is */
    KIND_HOOK,   /* a callable, not owned; NULL for None */
    KIND_FORMAT, /* the value of a format; 0 for None */
    KIND_LIMIT,  /* an int from 1 on; None leaves the field as it is */
    KIND_OWN,    /* by a function of its own, not by the table */
};

/* A str that an option takes, and what is stored for it: a value of the enum of its field, or a
 * bool. */
struct format {
    const char *name;
    int value;
};

struct keyword_spec {
    const char *name;
    enum keyword_kind kind;
    const struct format *formats; /* ended by one without a name; NULL: none */
    size_t offset;                /* of the field in struct encode_options or decode_arguments */
    size_t n_bytes;               /* of the field */
    const char *default_text;     /* as signatures show it */
    const char *meaning;          /* one line */
};

extern const struct keyword_spec KEYWORDS[N_KEYWORDS];

/* The keywords from `first` to `last`, both included. */
struct keyword_range {
    enum keyword first;
    enum keyword last;
};

#define ENCODE_STR_KEYWORDS ((struct keyword_range){0, KEYWORD_FLOAT32})
#define ENCODE_BYTES_KEYWORDS ((struct keyword_range){0, KEYWORD_IS_WRITE_CACHE})
#define DECODE_KEYWORDS ((struct keyword_range){KEYWORD_OBJECT_HOOK, KEYWORD_MAX_SIZE})
#define DECODER_KEYWORDS ((struct keyword_range){KEYWORD_OBJECT_HOOK, KEYWORD_PARTIAL})
_Static_assert(KEYWORD_IS_WRITE_CACHE == KEYWORD_FLOAT32 + 1 &&
                   KEYWORD_OBJECT_HOOK == KEYWORD_IS_WRITE_CACHE + 1 &&
                   KEYWORD_PARTIAL == N_KEYWORDS - 1,
               "the ranges end with the lists of option_list.h");

/* The options in a signature, after `*`, and in a docstring, a line for each. */
#define OPTION_PARAMETER(identifier, name, kind, field, formats, default_text, meaning) \
    ", " name "=" default_text
#define OPTION_LINE(identifier, name, kind, field, formats, default_text, meaning) \
    "\n  " name ": " meaning

/* The keyword of a range that has this name; N_KEYWORDS where none has. */
enum keyword keyword_find(const struct module_state *state, struct keyword_range range,
                          PyObject *name);

/* Raise TypeError for a keyword argument that a range does not have; the text suggests the most
 * similar one. */
COLD void keyword_refuse(const char *function, PyObject *name, struct keyword_range range);

/* Set the field of an option in the struct that holds it, by a kind other than KIND_OWN: -1 with
 * TypeError or ValueError set. */
int keyword_set_field(void *options, enum keyword keyword, PyObject *value);

/* Read a bool; None leaves the flag unchanged. -1 with TypeError set. */
int keyword_read_flag(bool *flag, enum keyword keyword, PyObject *value);

/* The value of a format; 0 for None; -1 with TypeError or ValueError set. */
int keyword_read_format(enum keyword keyword, PyObject *value);

/* The keyword arguments of a class call: new references to tuples of their values and of their
 * names; -1 with an exception set. */
int keywords_split(PyObject *kwargs, PyObject **values, PyObject **names);

/* -1 with TypeError set unless there is one positional argument. */
int check_one_positional(const char *function, Py_ssize_t n_args);

/* The table for Python: a new list of (name, kind, formats or None, default, meaning, is of
 * encoding). */
PyObject *keywords_as_list(void);

/* Intern the names and keep them in the state: -1 with an exception set. */
int keywords_init(struct module_state *state);

/* Options of other JSON libraries, and what to write instead. */

/* What to write instead of another library's option, for encoding or for decoding; NULL where no
 * other library is known to have one of this name. */
COLD const char *foreign_option_advice(PyObject *name, bool is_of_encoding);

/* The options that an Encoder or a Decoder was created with, by name: for its repr, copies and
 * pickles. */

/* The keyword arguments of a class call whose names are all known: a new dict; NULL with an
 * exception set. */
PyObject *given_options(const struct module_state *state, struct keyword_range range,
                        PyObject *const *values, PyObject *names);

/* The repr of an object that was created with these options. */
PyObject *given_repr(PyObject *self, const char *class_name, PyObject *given);

/* The callable and arguments with which pickle and copy make an equal object: the class, with the
 * same options. */
PyObject *given_reduce(PyObject *self, PyObject *given);

#endif
