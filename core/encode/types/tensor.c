/* SPDX-License-Identifier: MIT */
#include "encode/types/tensor.h"

/* ---- the structs of DLPack, versions 0 and 1 ----------------------------------------------- */

enum dlpack_code {
    DLPACK_INT,
    DLPACK_UINT,
    DLPACK_FLOAT,
    DLPACK_HANDLE,
    DLPACK_BFLOAT,
    DLPACK_COMPLEX,
    DLPACK_BOOL,
};

enum dlpack_device {
    DLPACK_CPU = 1,
    DLPACK_CUDA_HOST = 3, /* memory of the CPU that a GPU can read too */
    DLPACK_ROCM_HOST = 11,
};

struct dlpack_tensor {
    void *data;
    int32_t device;
    int32_t device_number;
    int32_t n_dims;
    uint8_t code; /* enum dlpack_code, or a newer one */
    uint8_t bits;
    uint16_t lanes; /* numbers in an item */
    const int64_t *shape;
    const int64_t *strides; /* items from one to the next in each dimension; NULL: C order */
    uint64_t byte_offset;
};

struct dlpack_managed {
    struct dlpack_tensor tensor;
    void *context;
    void (*deleter)(struct dlpack_managed *);
};

struct dlpack_versioned {
    uint32_t major;
    uint32_t minor;
    void *context;
    void (*deleter)(struct dlpack_versioned *);
    uint64_t flags;
    struct dlpack_tensor tensor;
};

/* The newest major version that is known: another one may have another struct. */
#define DLPACK_MAJOR 1

/* ---- from an object to the struct ---------------------------------------------------------- */

static const char *device_name(long device) {
    static const char *const names[] = {
        [2] = "CUDA",    [4] = "OpenCL",   [7] = "Vulkan",          [8] = "Metal",
        [9] = "VPI",     [10] = "ROCm",    [13] = "CUDA (managed)", [14] = "oneAPI",
        [15] = "WebGPU", [16] = "Hexagon", [17] = "MAIA",           [18] = "Trainium"};
    const bool is_known = device >= 0 && device < (long)(sizeof names / sizeof *names);
    return is_known && names[device] != NULL ? names[device] : "an unknown device";
}

/* Whether the CPU can read the memory of a device; false with ValueError set. */
static bool check_device(PyObject *tensor, long device) {
    if (device == DLPACK_CPU || device == DLPACK_CUDA_HOST || device == DLPACK_ROCM_HOST) {
        return true;
    }
    PyErr_Format(PyExc_ValueError,
                 "%.200s is in the memory of %s (DLPack's device type %ld): copy it to the CPU "
                 "before, or give a default",
                 Py_TYPE(tensor)->tp_name, device_name(device), device);
    return false;
}

/* Ask a tensor where its memory is. */
static enum opened ask_device(const struct native_types *types, PyObject *tensor) {
    PyObject *const device = PyObject_CallMethodNoArgs(tensor, types->words[WORD_DLPACK_DEVICE]);
    if (device == NULL) {
        return OPENED_FAILED;
    }
    long number = -1;
    if (PyTuple_Check(device) && PyTuple_GET_SIZE(device) == 2 &&
        PyLong_Check(PyTuple_GET_ITEM(device, 0))) {
        number = PyLong_AsLong(PyTuple_GET_ITEM(device, 0));
    } else {
        PyErr_Format(PyExc_TypeError, "__dlpack_device__() of %.200s must return two ints",
                     Py_TYPE(tensor)->tp_name);
    }
    Py_DECREF(device);
    if (number == -1 && PyErr_Occurred()) {
        return OPENED_FAILED;
    }
    return check_device(tensor, number) ? OPENED : OPENED_REFUSED;
}

/* Call __dlpack__ for the newest version that is known, and as older libraries have it where that
 * is a TypeError: a new reference, NULL with an exception set. */
static PyObject *ask_capsule(const struct native_types *types, PyObject *tensor) {
    PyObject *const method = PyObject_GetAttr(tensor, types->words[WORD_DLPACK]);
    PyObject *const none = method != NULL ? PyTuple_New(0) : NULL;
    PyObject *const options =
        none != NULL ? Py_BuildValue("{s(ii)}", "max_version", DLPACK_MAJOR, 0) : NULL;
    PyObject *capsule = options != NULL ? PyObject_Call(method, none, options) : NULL;
    if (capsule == NULL && options != NULL && PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        capsule = PyObject_CallNoArgs(method);
    }
    Py_XDECREF(options);
    Py_XDECREF(none);
    Py_XDECREF(method);
    return capsule;
}

/* The struct in a capsule, which keeps it; NULL with an exception set. */
static const struct dlpack_tensor *capsule_tensor(PyObject *capsule, PyObject *tensor) {
    const char *const type = Py_TYPE(tensor)->tp_name;
    if (!PyCapsule_CheckExact(capsule)) {
        PyErr_Format(PyExc_TypeError, "__dlpack__() of %.200s must return a capsule, not %.200s",
                     type, Py_TYPE(capsule)->tp_name);
        return NULL;
    }
    const char *const name = PyCapsule_GetName(capsule);
    if (name != NULL && strcmp(name, "dltensor") == 0) {
        const struct dlpack_managed *const managed = PyCapsule_GetPointer(capsule, name);
        return managed != NULL ? &managed->tensor : NULL;
    }
    if (name != NULL && strcmp(name, "dltensor_versioned") == 0) {
        const struct dlpack_versioned *const managed = PyCapsule_GetPointer(capsule, name);
        if (managed != NULL && managed->major != DLPACK_MAJOR) {
            PyErr_Format(PyExc_ValueError, "%.200s is exported by version %u of DLPack, not by %d",
                         type, (unsigned)managed->major, DLPACK_MAJOR);
            return NULL;
        }
        return managed != NULL ? &managed->tensor : NULL;
    }
    PyErr_Format(PyExc_TypeError,
                 "__dlpack__() of %.200s must return a new capsule \"dltensor\" or "
                 "\"dltensor_versioned\", not \"%.40s\"",
                 type, name != NULL ? name : "");
    return NULL;
}

/* ---- from the struct to an array ----------------------------------------------------------- */

/* The kind of items of a number type; 0 with ValueError set. */
static char item_kind(const struct dlpack_tensor *dlpack, PyObject *tensor) {
    static const char kinds[] = {[DLPACK_INT] = 'i',
                                 [DLPACK_UINT] = 'u',
                                 [DLPACK_FLOAT] = 'f',
                                 [DLPACK_BFLOAT] = NDARRAY_BFLOAT,
                                 [DLPACK_BOOL] = 'b'};
    const struct ndarray items = {.kind = dlpack->code < sizeof kinds ? kinds[dlpack->code] : 0,
                                  .item_bytes = dlpack->bits / 8};
    if (dlpack->lanes == 1 && dlpack->bits % 8 == 0 && ndarray_is_known_item(&items)) {
        return items.kind;
    }
    static const char *const names[] = {"int",    "uint",    "float", "handle",
                                        "bfloat", "complex", "bool"};
    const bool is_float8 = dlpack->code > DLPACK_BOOL && dlpack->code <= 17;
    PyErr_Format(PyExc_ValueError,
                 "items of %.200s are %s of %d bits%s, which have no form in JSON: convert them to "
                 "another type, or give a default",
                 Py_TYPE(tensor)->tp_name,
                 dlpack->code <= DLPACK_BOOL ? names[dlpack->code]
                 : is_float8                 ? "narrow floats"
                                             : "of an unknown type",
                 dlpack->bits, dlpack->lanes == 1 ? "" : " in groups");
    return 0;
}

/* Raise ValueError for a struct that contradicts itself. */
static enum opened refuse_tensor(PyObject *tensor, const char *what) {
    PyErr_Format(PyExc_ValueError, "__dlpack__() of %.200s gave %s", Py_TYPE(tensor)->tp_name,
                 what);
    return OPENED_FAILED;
}

/* Copy shape and strides, the latter in bytes, to `to`, which has room for both. False where they
 * lead outside of what addresses can hold. How much memory there is no producer says. */
static bool copy_layout(const struct dlpack_tensor *dlpack, const struct ndarray *array,
                        Py_ssize_t *to, bool *is_empty) {
    const int n_dims = array->n_dims;
    Py_ssize_t *const strides = to + n_dims;
    *is_empty = false;
    for (int i = 0; i < n_dims; i++) {
        to[i] = (Py_ssize_t)dlpack->shape[i];
        *is_empty |= to[i] == 0;
        if (to[i] < 0) {
            return false;
        }
    }
    Py_ssize_t packed = array->item_bytes; /* the stride of C order */
    Py_ssize_t below = 0;                  /* the item farthest before the first, and after it */
    Py_ssize_t above = array->item_bytes;
    bool overflows = false;
    for (int i = n_dims; i-- > 0;) {
        Py_ssize_t extent;
        if (dlpack->strides == NULL) {
            strides[i] = packed;
            overflows |= __builtin_mul_overflow(packed, to[i], &packed);
        } else {
            overflows |= __builtin_mul_overflow((Py_ssize_t)dlpack->strides[i],
                                                (Py_ssize_t)array->item_bytes, &strides[i]);
        }
        overflows |= __builtin_mul_overflow(strides[i], to[i] - (to[i] > 0), &extent);
        Py_ssize_t *const side = extent < 0 ? &below : &above;
        overflows |= __builtin_add_overflow(*side, extent, side);
    }
    if (*is_empty) { /* no address is computed */
        memset(strides, 0, (size_t)n_dims * sizeof *strides);
    }
    return *is_empty || !overflows;
}

/* Fill in an array from a tensor's struct, of which nothing is read later. */
static enum opened read_tensor(struct ndarray *array, const struct dlpack_tensor *dlpack,
                               PyObject *tensor) {
    if (!check_device(tensor, dlpack->device)) {
        return OPENED_REFUSED;
    }
    const int n_dims = dlpack->n_dims;
    if (n_dims < 0 || n_dims > NDARRAY_MAX_DIMS || (n_dims > 0 && dlpack->shape == NULL)) {
        return refuse_tensor(tensor, "a number of dimensions beyond 0 to 64, or no shape");
    }
    *array = (struct ndarray){
        .n_dims = n_dims, .kind = item_kind(dlpack, tensor), .item_bytes = dlpack->bits / 8};
    if (array->kind == 0) {
        return OPENED_REFUSED;
    }
    Py_ssize_t *const layout = PyMem_New(Py_ssize_t, 2 * n_dims + 1);
    if (layout == NULL) {
        PyErr_NoMemory();
        return OPENED_FAILED;
    }
    bool is_empty;
    const uintptr_t data = (uintptr_t)dlpack->data + (uintptr_t)dlpack->byte_offset;
    const bool is_good = copy_layout(dlpack, array, layout, &is_empty);
    if (!is_good || (!is_empty && (dlpack->data == NULL || data < (uintptr_t)dlpack->data))) {
        PyMem_Free(layout);
        return refuse_tensor(tensor, "a negative shape, strides beyond memory, or no data");
    }
    array->data = is_empty ? "" : (const char *)data;
    array->layout = layout;
    array->shape = layout;
    array->strides = layout + n_dims;
    return OPENED;
}

enum opened tensor_open(const struct native_types *types, struct ndarray *array, PyObject *tensor) {
    const enum opened where = ask_device(types, tensor);
    if (where != OPENED) {
        return where;
    }
    PyObject *const capsule = ask_capsule(types, tensor);
    if (capsule == NULL) { /* BufferError: the library does not export this tensor */
        return PyErr_ExceptionMatches(PyExc_BufferError) ? OPENED_REFUSED : OPENED_FAILED;
    }
    const struct dlpack_tensor *const dlpack = capsule_tensor(capsule, tensor);
    const enum opened opened = dlpack != NULL ? read_tensor(array, dlpack, tensor) : OPENED_FAILED;
    if (opened == OPENED) {
        array->interface = capsule; /* not consumed: the tensor is released with the capsule */
    } else {
        PyObject *type, *value, *traceback; /* a destructor must not see the exception */
        PyErr_Fetch(&type, &value, &traceback);
        Py_DECREF(capsule);
        PyErr_Restore(type, value, traceback);
    }
    return opened;
}
