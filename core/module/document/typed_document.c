/* SPDX-License-Identifier: MIT */
#include "module/document/typed_document.h"

#include "pyobject/copy.h"
#include "schema/typed.h"

/* The text as a str, a new reference; an empty one where it cannot be had any more. NULL with an
 * exception set. */
static COLD PyObject *text_as_str(const struct typed_text *text) {
    PyObject *whole = NULL;
    if (text->object != NULL && PyUnicode_Check(text->object)) {
        whole = text->length < 0 ? PyUnicode_FromObject(text->object)
                                 : PyUnicode_Substring(text->object, 0, text->length);
    } else if (text->object != NULL) {
        Py_buffer buffer;
        if (PyObject_GetBuffer(text->object, &buffer, PyBUF_CONTIG_RO) == 0) {
            const Py_ssize_t n =
                text->length >= 0 && text->length < buffer.len ? text->length : buffer.len;
            whole = PyUnicode_Decode(buffer_bytes(&buffer), n,
                                     detect_encoding((const uint8_t *)buffer_bytes(&buffer), n),
                                     "surrogatepass");
            PyBuffer_Release(&buffer);
        }
    }
    if (whole == NULL) { /* Python code has changed what was decoded, or there is none */
        PyErr_Clear();
        whole = PyUnicode_New(0, 0);
    }
    return whole;
}

/* The error of a fault: JSONTypeError, or JSONDepthError; NULL with an exception set. */
static COLD PyObject *error_of_fault(const struct module_state *state,
                                     const struct typed_fault *fault, PyObject *steps,
                                     PyObject *text, Py_ssize_t position) {
    if (fault->reason == FAULT_OF_DEPTH) {
        return PyObject_CallFunction(state->depth_error, "OOn", fault->message, text, position);
    }
    PyObject *const module = PyImport_ImportModule("ssrjson_web._models.types.faults");
    PyObject *const error =
        module != NULL ? PyObject_CallMethod(
                             module, "error_of", "OsOOOOOn", state->type_error, fault->reason,
                             fault->message, fault->expected != NULL ? fault->expected : Py_None,
                             fault->given != NULL ? fault->given : Py_None, steps, text, position)
                       : NULL;
    Py_XDECREF(module);
    if (error != NULL && fault->cause != NULL) {
        PyException_SetCause(error, Py_NewRef(fault->cause));
    }
    return error;
}

/* Raise the error of a fault. */
static COLD void raise_fault(const struct module_state *state, const struct typed_fault *fault,
                             const struct typed_text *text) {
    if (PyList_Reverse(fault->steps) != 0) {
        return;
    }
    PyObject *const steps = list_as_tuple(fault->steps);
    PyObject *const whole = steps != NULL ? text_as_str(text) : NULL;
    if (whole != NULL && unicode_is_ready(whole)) {
        const Py_ssize_t found =
            value_position(whole, steps, text->start, text->form == DOCUMENT_LINES);
        PyObject *const error = error_of_fault(state, fault, steps, whole, found >= 0 ? found : 0);
        if (error != NULL) {
            PyErr_SetObject((PyObject *)Py_TYPE(error), error);
            Py_DECREF(error);
        }
    }
    Py_XDECREF(whole);
    Py_XDECREF(steps);
}

/* Make a value, or raise. */
static PyObject *make_or_raise(const struct module_state *state, const struct type_plan *plan,
                               PyObject *value, bool is_ours, const struct typed_text *text) {
    struct typed_fault fault = {.reason = NULL};
    PyObject *const made = type_plan_make(plan, value, is_ours, &fault);
    if (UNLIKELY(made == NULL) && fault.reason != NULL) {
        raise_fault(state, &fault, text);
    }
    typed_fault_clear(&fault);
    return made;
}

/* The compiled plan; NULL with an exception set. */
static const struct type_plan *plan_in_use(PyObject *plan) {
    const struct type_plan *const compiled = type_plan_of(plan);
    if (compiled == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "the plan of the type has been cleared");
    }
    return compiled;
}

/* Make the value of each line; false with an exception set. */
static bool make_lines(const struct module_state *state, const struct type_plan *plan,
                       PyObject *values, const struct typed_text *text) {
    const Py_ssize_t n = PyList_GET_SIZE(values);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(values); i++) {
        PyObject *const value = Py_NewRef(PyList_GET_ITEM(values, i));
        struct typed_fault fault = {.reason = NULL};
        PyObject *const made = type_plan_make(plan, value, true, &fault);
        Py_DECREF(value);
        if (made == NULL && fault.reason != NULL) {
            PyObject *const line = PyLong_FromSsize_t(i);
            if (line != NULL && PyList_Append(fault.steps, line) == 0) {
                raise_fault(state, &fault, text);
            }
            Py_XDECREF(line);
        }
        typed_fault_clear(&fault);
        if (made == NULL || list_has_changed(values, n)) {
            Py_XDECREF(made);
            return false;
        }
        PyList_SetItem(values, i, made);
    }
    return true;
}

PyObject *typed_document_make(struct module_state *state, PyObject *plan, PyObject *value,
                              const struct typed_text *text) {
    Py_INCREF(plan); /* Python code may release the decoder */
    const struct type_plan *const compiled = plan_in_use(plan);
    PyObject *made = NULL;
    if (compiled != NULL && text->form == DOCUMENT_LINES) {
        made = make_lines(state, compiled, value, text) ? Py_NewRef(value) : NULL;
    } else if (compiled != NULL) {
        made = make_or_raise(state, compiled, value, true, text);
    }
    Py_DECREF(plan);
    Py_DECREF(value);
    return made;
}

PyObject *typed_value_make(struct module_state *state, PyObject *plan, PyObject *value) {
    const struct type_plan *const compiled = plan_in_use(plan);
    const struct typed_text nowhere = {.object = NULL};
    return compiled != NULL ? make_or_raise(state, compiled, value, false, &nowhere) : NULL;
}
