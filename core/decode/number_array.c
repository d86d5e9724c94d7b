/* SPDX-License-Identifier: MIT */
#include "decode/number_array.h"

#include "pyobject/array_interface.h"
#include "pyobject/object.h"

bool number_array_grow(struct number_array *array) {
    const bool is_inline = array->numbers == array->inline_numbers;
    const size_t capacity = 4 * array->capacity;
    uint64_t *const grown =
        capacity <= PY_SSIZE_T_MAX / sizeof *grown
            ? PyMem_Realloc(is_inline ? NULL : array->numbers, capacity * sizeof *grown)
            : NULL;
    if (grown == NULL) {
        PyErr_NoMemory();
        return false;
    }
    if (is_inline) {
        memcpy(grown, array->inline_numbers, sizeof array->inline_numbers);
    }
    array->numbers = grown;
    array->capacity = capacity;
    return true;
}

bool number_array_use_floats(struct number_array *array, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const int64_t number = (int64_t)array->numbers[i];
        if (!is_exact_as_double(number < 0 ? -(uint64_t)number : (uint64_t)number)) {
            return false;
        }
        array->numbers[i] = bits_of_double((double)number);
    }
    array->has_floats = true;
    return true;
}

/* In one piece, in the order of C, aligned, in the byte order of the machine, writable. */
#define WANTED_FLAGS (0x1 | 0x100 | 0x200 | 0x400)

/* Copy the numbers into numpy's array; false with an exception set. */
static bool fill_ndarray(const struct number_array *array, PyObject *made) {
    PyObject *const capsule = PyObject_GetAttrString(made, "__array_struct__");
    const struct array_interface *const interface =
        capsule != NULL ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    bool is_right = interface != NULL && interface->two == 2 && interface->item_bytes == 8 &&
                    (size_t)interface->n_dims == array->n_dims &&
                    interface->kind == (array->has_floats ? 'f' : 'i') &&
                    (interface->flags & WANTED_FLAGS) == WANTED_FLAGS;
    for (size_t i = 0; is_right && i < array->n_dims; i++) {
        is_right = (size_t)interface->shape[i] == array->shape[i];
    }
    if (is_right) {
        memcpy(interface->data, array->numbers, array->n * sizeof *array->numbers);
    } else if (!PyErr_Occurred()) {
        PyErr_SetString(PyExc_TypeError, "numpy.empty() has made another array than it was told");
    }
    Py_XDECREF(capsule);
    return is_right;
}

static PyObject *build_ndarray(const struct number_array *array, PyObject *maker) {
    PyObject *const shape = PyTuple_New((Py_ssize_t)array->n_dims);
    for (size_t i = 0; shape != NULL && i < array->n_dims; i++) {
        PyObject *const length = PyLong_FromSize_t(array->shape[i]);
        if (length == NULL) {
            Py_DECREF(shape);
            return NULL;
        }
        PyTuple_SET_ITEM(shape, (Py_ssize_t)i, length);
    }
    PyObject *made = NULL;
    if (shape != NULL) {
        PyObject *const type =
            PyTuple_GET_ITEM(maker, array->has_floats ? MAKER_FLOAT_TYPE : MAKER_INT_TYPE);
        made = PyObject_CallFunctionObjArgs(PyTuple_GET_ITEM(maker, MAKER_CALL), shape, type, NULL);
        Py_DECREF(shape);
    }
    if (made != NULL && !fill_ndarray(array, made)) {
        Py_CLEAR(made);
    }
    return made;
}

static PyObject *build_stdlib_array(const struct number_array *array, PyObject *maker) {
    PyObject *const bytes = PyBytes_FromStringAndSize(
        (const char *)array->numbers, (Py_ssize_t)(array->n * sizeof *array->numbers));
    if (bytes == NULL) {
        return NULL;
    }
    PyObject *const code =
        PyTuple_GET_ITEM(maker, array->has_floats ? MAKER_FLOAT_TYPE : MAKER_INT_TYPE);
    PyObject *const made =
        PyObject_CallFunctionObjArgs(PyTuple_GET_ITEM(maker, MAKER_CALL), code, bytes, NULL);
    Py_DECREF(bytes);
    return made;
}

PyObject *number_array_build(const struct number_array *array,
                             const struct decode_options *options) {
    PyObject *const maker = options->number_arrays_maker;
    return options->number_arrays == NUMBER_ARRAYS_NUMPY ? build_ndarray(array, maker)
                                                         : build_stdlib_array(array, maker);
}
