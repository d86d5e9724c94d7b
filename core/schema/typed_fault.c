/* SPDX-License-Identifier: MIT */
#include "schema/typed.h"

#include "pyobject/object.h"
#include "pyobject/type.h"

const char *const JSON_KIND_NAMES[N_JSON_KINDS] = {
#define KIND(IDENTIFIER, NAME) NAME,
    JSON_KINDS(KIND)
#undef KIND
};

const char *const FAULT_OF_DEPTH = "depth";

void typed_fault_clear(struct typed_fault *fault) {
    Py_CLEAR(fault->message);
    Py_CLEAR(fault->expected);
    Py_CLEAR(fault->given);
    Py_CLEAR(fault->steps);
    Py_CLEAR(fault->cause);
    fault->reason = NULL;
}

/* Begin a fault with its message, which is stolen; always NULL, with an exception where the message
 * is NULL. */
static COLD PyObject *fault_begin(struct typed_fault *fault, const char *reason,
                                  PyObject *message) {
    typed_fault_clear(fault);
    fault->message = message;
    fault->steps = message != NULL ? PyList_New(0) : NULL;
    fault->reason = fault->steps != NULL ? reason : NULL;
    return NULL;
}

void fault_add_step(struct typed_fault *fault, PyObject *step) {
    if (fault->reason != NULL && (step == NULL || PyList_Append(fault->steps, step) != 0)) {
        typed_fault_clear(fault);
    }
    Py_XDECREF(step);
}

void fault_add_index(struct typed_fault *fault, Py_ssize_t index) {
    if (fault->reason != NULL) {
        fault_add_step(fault, PyLong_FromSsize_t(index));
    }
}

PyObject *refuse_kind(const struct type_node *node, PyObject *value, struct typed_fault *fault) {
    const enum json_kind kind = kind_of(value);
    PyObject *const given = kind < N_JSON_KINDS ? PyUnicode_FromString(JSON_KIND_NAMES[kind])
                                                : type_full_name(Py_TYPE(value));
    if (given == NULL) {
        return NULL;
    }
    fault_begin(fault, "type", PyUnicode_FromFormat("Expected %U, got %U", node->expected, given));
    fault->expected = Py_NewRef(node->expected);
    fault->given = given;
    return NULL;
}

/* Of a value that an error shows. */
#define MAX_SHOWN_CHARS 40

/* The first characters of a str; otherwise the object. */
static PyObject *shown_part(PyObject *object) {
    const bool is_long = PyUnicode_Check(object) && PyUnicode_GET_LENGTH(object) > MAX_SHOWN_CHARS;
    return is_long ? PyUnicode_Substring(object, 0, MAX_SHOWN_CHARS) : Py_NewRef(object);
}

/* The first characters of a str or int, as Python writes it. */
static PyObject *shown_value(PyObject *value) {
    PyObject *const part = shown_part(value);
    PyObject *const whole = part != NULL ? PyObject_Repr(part) : NULL;
    PyObject *const text =
        whole != NULL && !PyUnicode_Check(value) ? shown_part(whole) : Py_XNewRef(whole);
    const bool is_cut = part != value || text != whole;
    PyObject *const shown =
        text != NULL ? PyUnicode_FromFormat(is_cut ? "%U..." : "%U", text) : NULL;
    Py_XDECREF(text);
    Py_XDECREF(whole);
    Py_XDECREF(part);
    return shown;
}

PyObject *refuse_value(PyObject *expected, PyObject *value, struct typed_fault *fault) {
    PyObject *const given = shown_value(value);
    if (given == NULL) {
        return NULL;
    }
    fault_begin(fault, "value", PyUnicode_FromFormat("Expected %U, got %U", expected, given));
    fault->expected = Py_NewRef(expected);
    fault->given = given;
    return NULL;
}

PyObject *refuse_by_exception(struct typed_fault *fault) {
    if (PyErr_ExceptionMatches(PyExc_ValueError) || PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyObject *const cause = raised_take();
        PyObject *const text = PyObject_Str(cause);
        if (text != NULL) {
            fault_begin(fault, "value", PyUnicode_FromFormat("%U", text));
            Py_XSETREF(fault->cause, Py_NewRef(cause));
            Py_DECREF(text);
        }
        Py_DECREF(cause);
    }
    return NULL;
}

PyObject *refuse_length(Py_ssize_t least, Py_ssize_t greatest, Py_ssize_t n,
                        struct typed_fault *fault) {
    PyObject *const expected = least == greatest
                                   ? PyUnicode_FromFormat("array of %zd", greatest)
                                   : PyUnicode_FromFormat("array of %zd to %zd", least, greatest);
    PyObject *const given = PyUnicode_FromFormat("array of %zd", n);
    if (expected != NULL && given != NULL) {
        fault_begin(fault, "length", PyUnicode_FromFormat("Expected %U, got %zd", expected, n));
    }
    Py_XSETREF(fault->expected, expected);
    Py_XSETREF(fault->given, given);
    return NULL;
}

PyObject *refuse_int_as_float(struct typed_fault *fault) {
    return fault_begin(fault, "value",
                       PyUnicode_FromString("Expected float, got an int beyond every float"));
}

PyObject *refuse_depth(struct typed_fault *fault) {
    return fault_begin(
        fault, FAULT_OF_DEPTH,
        PyUnicode_FromFormat("Values of declared types are nested deeper than %d levels",
                             TYPED_MAX_DEPTH));
}

bool refuse_field(const char *reason, const char *format, PyObject *key,
                  struct typed_fault *fault) {
    Py_INCREF(key);
    PyObject *const shown = shown_value(key);
    if (shown != NULL) {
        fault_begin(fault, reason, PyUnicode_FromFormat(format, shown));
        Py_DECREF(shown);
        Py_XSETREF(fault->expected, Py_NewRef(key));
    }
    Py_DECREF(key);
    return false;
}
