/* SPDX-License-Identifier: MIT */
/* Calls of CPython's API that may run Python code run a function of a test first.
 *
 * The linker gives each function of core/pyobject/c_api.txt that is not `nothing` a stub, which
 * asks before_call() and goes on to the function (--wrap). So what a finalizer, a handler of a
 * signal or a comparison may do at that moment is done there, at each call or at a chosen one.
 * x86-64 only. */
#include <Python.h>
#include <stdbool.h>
#include <stdint.h>

#if PY_VERSION_HEX < 0x030d0000
#define PyThreadState_GetUnchecked _PyThreadState_UncheckedGet
#endif

#define EXPORTED __attribute__((visibility("default"), used))

EXPORTED void collecting_start(PyObject *function, long first, long last);
EXPORTED long collecting_stop(void);
EXPORTED const char *collecting_last_call(void);

/* What a function may run: c_api.txt. What is freed says by itself what it runs. */
enum kind { allocates, signals, first, number, method, pair, hash, key, evaluates };

static PyObject *function; /* owned; NULL: nothing is run */
static PyThreadState *thread;
static bool is_running;
static long n_calls;
static long first_call; /* numbers of calls at which the function is run */
static long last_call;
static const char *name_of_last;

/* Run a function at the calls first <= n < last of this thread from now on, counted from zero. */
void collecting_start(PyObject *called, long first_number, long last_number) {
    function = Py_NewRef(called);
    thread = PyThreadState_Get();
    first_call = first_number;
    last_call = last_number;
    n_calls = 0;
    name_of_last = "";
}

/* Run nothing any more. Returns the number of calls since the start. */
long collecting_stop(void) {
    Py_CLEAR(function);
    return n_calls;
}

/* The function of the API at which the last run took place. */
const char *collecting_last_call(void) {
    return name_of_last;
}

/* Whether methods of an object are builtin code that runs no other. */
static bool is_plain(PyObject *object) {
    PyTypeObject *const types[] = {&PyUnicode_Type, &PyLong_Type, &PyFloat_Type, &PyBool_Type,
                                   &PyBytes_Type};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (Py_IS_TYPE(object, types[i])) {
            return true;
        }
    }
    return object == Py_None;
}

/* Whether methods that look at no items are builtin code. */
static bool is_builtin(PyObject *object) {
    PyTypeObject *const types[] = {
        &PyList_Type,       &PyTuple_Type,     &PyDict_Type,        &PySet_Type,
        &PyFrozenSet_Type,  &PyByteArray_Type, &PyDictKeys_Type,    &PyDictItems_Type,
        &PyDictValues_Type, &PyModule_Type,    &PyCFunction_Type,   &PyMemoryView_Type,
        &PyListIter_Type,   &PyTupleIter_Type, &PyDictIterKey_Type, &PyDictIterItem_Type,
        &PyCapsule_Type,
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (Py_IS_TYPE(object, types[i])) {
            return true;
        }
    }
    /* zones are known by their code, which is C or Rust */
    const char *const name = Py_TYPE(object)->tp_name;
    return is_plain(object) || strncmp(name, "datetime.", 9) == 0 ||
           strcmp(name, "zoneinfo.ZoneInfo") == 0 ||
           strcmp(name, "pydantic_core._pydantic_core.TzInfo") == 0;
}

static bool may_run(enum kind kind, PyObject *const *arguments) {
    switch (kind) {
    case allocates: return PY_VERSION_HEX < 0x030c0000 && PyGC_IsEnabled() && !PyErr_Occurred();
    case signals:
    case evaluates: return true;
    case first: return arguments[0] != NULL && !is_builtin(arguments[0]);
    case number: return !PyLong_Check(arguments[0]) && !PyFloat_Check(arguments[0]);
    case method: return !is_builtin(((PyObject *const *)arguments[1])[0]);
    case pair: return !is_plain(arguments[0]) || !is_plain(arguments[1]);
    case hash: return !is_plain(arguments[0]);
    case key: return !is_plain(arguments[1]);
    }
    return false;
}

/* Called by each stub, with the arguments of the call that are in registers. */
__attribute__((used)) static void before_call(PyObject *const *arguments, const char *name,
                                              enum kind kind) {
    if (function == NULL || is_running || PyThreadState_GetUnchecked() != thread ||
        !may_run(kind, arguments)) {
        return;
    }
    const long number = n_calls++;
    if (number < first_call || number >= last_call) {
        return;
    }
    is_running = true;
    name_of_last = name;
    PyObject *type;
    PyObject *value;
    PyObject *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyObject *const result = PyObject_CallNoArgs(function);
    if (result == NULL) {
        PyErr_WriteUnraisable(function);
    }
    Py_XDECREF(result);
    PyErr_Restore(type, value, traceback);
    is_running = false;
}

/* Saves the registers that hold arguments: six of ints, the number of vectors, eight vectors. */
#define CALL(name, kind) \
    __asm__(".text\n.globl __wrap_" #name "\n.hidden __wrap_" #name "\n.type __wrap_" #name \
            ",@function\n__wrap_" #name ":\n" \
            "push %rbp\nmov %rsp, %rbp\nsub $192, %rsp\n" \
            "mov %rdi, (%rsp)\nmov %rsi, 8(%rsp)\nmov %rdx, 16(%rsp)\nmov %rcx, 24(%rsp)\n" \
            "mov %r8, 32(%rsp)\nmov %r9, 40(%rsp)\nmov %rax, 48(%rsp)\n" \
            "movups %xmm0, 64(%rsp)\nmovups %xmm1, 80(%rsp)\nmovups %xmm2, 96(%rsp)\n" \
            "movups %xmm3, 112(%rsp)\nmovups %xmm4, 128(%rsp)\nmovups %xmm5, 144(%rsp)\n" \
            "movups %xmm6, 160(%rsp)\nmovups %xmm7, 176(%rsp)\n" \
            "mov %rsp, %rdi\nlea name_of_" #name "(%rip), %rsi\nmov $" #kind ", %edx\n" \
            "call before_call\n" \
            "mov (%rsp), %rdi\nmov 8(%rsp), %rsi\nmov 16(%rsp), %rdx\nmov 24(%rsp), %rcx\n" \
            "mov 32(%rsp), %r8\nmov 40(%rsp), %r9\nmov 48(%rsp), %rax\n" \
            "movups 64(%rsp), %xmm0\nmovups 80(%rsp), %xmm1\nmovups 96(%rsp), %xmm2\n" \
            "movups 112(%rsp), %xmm3\nmovups 128(%rsp), %xmm4\nmovups 144(%rsp), %xmm5\n" \
            "movups 160(%rsp), %xmm6\nmovups 176(%rsp), %xmm7\n" \
            ".weak __real_" #name "\nleave\njmp __real_" #name "@PLT\n" \
            ".section .rodata\nname_of_" #name ": .asciz \"" #name "\"\n.text\n");

__asm__(".set allocates, 0\n.set signals, 1\n.set first, 2\n.set number, 3\n.set method, 4\n.set "
        "pair, 5\n.set hash, 6\n.set key, 7\n.set evaluates, 8\n");

#include "collecting_calls.h" /* made of c_api.txt by CMake: a CALL for each function */
