/* SPDX-License-Identifier: MIT */
#include "encode/types/types.h"

#include <datetime.h>

#include "pyobject/python.h"
#include "pyobject/object.h"
#include "pyobject/type.h"

/* The module and name of each type; no module: a builtin, filled in by native_types_init. */
static const struct {
    const char *module;
    const char *name;
} PLACES[N_NATIVE_TYPES] = {
    [NATIVE_ENUM] = {"enum", "Enum"},
    [NATIVE_DATETIME] = {"datetime", "datetime"},
    [NATIVE_DATE] = {"datetime", "date"},
    [NATIVE_TIME] = {"datetime", "time"},
    [NATIVE_TIMEDELTA] = {"datetime", "timedelta"},
    [NATIVE_UUID] = {"uuid", "UUID"},
    [NATIVE_DECIMAL] = {"decimal", "Decimal"},
    [NATIVE_DEQUE] = {"collections", "deque"},
    [NATIVE_MAPPING] = {"collections.abc", "Mapping"},
    [NATIVE_PATH] = {"pathlib", "PurePath"},
    [NATIVE_DATETIME64] = {"numpy", "datetime64"},
    [NATIVE_TIMEDELTA64] = {"numpy", "timedelta64"},
    [NATIVE_LONG_DOUBLE] = {"numpy", "longdouble"},
    [NATIVE_MASKED_ARRAY] = {"numpy.ma", "MaskedArray"},
    [NATIVE_ARRAY] = {"numpy", "ndarray"},
    [NATIVE_SCALAR] = {"numpy", "generic"},
    [NATIVE_FIXED_ZONE] = {"datetime", "timezone"},
    [NATIVE_ZONE_INFO] = {"zoneinfo", "ZoneInfo"},
    [NATIVE_PYDANTIC_ZONE] = {"pydantic_core", "TzInfo"},
};

static const char *const WORDS[N_NATIVE_WORDS] = {
    [WORD_VALUE] = "value",
    [WORD_OWN_VALUE] = "_value_",
    [WORD_NAME] = "name",
    [WORD_OWN_NAME] = "_name_",
    [WORD_INT] = "int",
    [WORD_UTCOFFSET] = "utcoffset",
    [WORD_TOTAL_SECONDS] = "total_seconds",
    [WORD_DATACLASS_FIELDS] = "__dataclass_fields__",
    [WORD_PLAN] = "__ssrjson_plan__",
    [WORD_PYDANTIC_SERIALIZER] = "__pydantic_serializer__",
    [WORD_ATTRS] = "__attrs_attrs__",
    [WORD_STRUCT_FIELDS] = "__struct_fields__",
    [WORD_ITEMS] = "items",
    [WORD_FIELDS] = "_fields",
    [WORD_ASDICT] = "_asdict",
    [WORD_ARRAY_STRUCT] = "__array_struct__",
    [WORD_DTYPE] = "dtype",
    [WORD_STR] = "str",
    [WORD_TOLIST] = "tolist",
    [WORD_ISOFORMAT] = "isoformat",
    [WORD_YEAR] = "year",
    [WORD_MONTH] = "month",
    [WORD_DAY] = "day",
    [WORD_HOUR] = "hour",
    [WORD_MINUTE] = "minute",
    [WORD_SECOND] = "second",
    [WORD_MICROSECOND] = "microsecond",
    [WORD_DAYS] = "days",
    [WORD_SECONDS] = "seconds",
    [WORD_MICROSECONDS] = "microseconds",
    [WORD_TZINFO] = "tzinfo",
    [WORD_NORMALIZE] = "normalize",
    [WORD_FIELD_TYPE] = "_field_type",
    [WORD_SLOTS] = "__slots__",
    [WORD_DICT] = "__dict__",
    [WORD_DLPACK] = "__dlpack__",
    [WORD_DLPACK_DEVICE] = "__dlpack_device__",
    [WORD_ARROW_ARRAY] = "__arrow_c_array__",
    [WORD_ARROW_STREAM] = "__arrow_c_stream__",
};

bool native_types_init(struct native_types *types) {
    PyTypeObject *const builtin_types[N_NATIVE_TYPES] = {
        [NATIVE_BYTES] = &PyBytes_Type,
        [NATIVE_BYTEARRAY] = &PyByteArray_Type,
        [NATIVE_MEMORYVIEW] = &PyMemoryView_Type,
        [NATIVE_SET] = &PySet_Type,
        [NATIVE_FROZENSET] = &PyFrozenSet_Type,
        [NATIVE_DICT_KEYS] = &PyDictKeys_Type,
        [NATIVE_DICT_VALUES] = &PyDictValues_Type,
        [NATIVE_DICT_ITEMS] = &PyDictItems_Type,
        [NATIVE_MAPPING_PROXY] = &PyDictProxy_Type,
    };
    for (int i = 0; i < N_NATIVE_WORDS; i++) {
        types->words[i] = PyUnicode_InternFromString(WORDS[i]);
        if (types->words[i] == NULL) {
            return false;
        }
    }
    for (int i = 0; i < N_NATIVE_TYPES; i++) {
        if (PLACES[i].module == NULL) {
            types->type[i] = (PyTypeObject *)Py_NewRef((PyObject *)builtin_types[i]);
            continue;
        }
        types->modules[i] = PyUnicode_InternFromString(PLACES[i].module);
        types->names[i] = PyUnicode_InternFromString(PLACES[i].name);
        if (types->modules[i] == NULL || types->names[i] == NULL) {
            return false;
        }
    }
    return true;
}

void native_types_clear(struct native_types *types) {
    for (int i = 0; i < N_NATIVE_TYPES; i++) {
        Py_CLEAR(types->type[i]);
        Py_CLEAR(types->modules[i]);
        Py_CLEAR(types->names[i]);
    }
    for (int i = 0; i < N_NATIVE_WORDS; i++) {
        Py_CLEAR(types->words[i]);
    }
    Py_CLEAR(types->utc);
    Py_CLEAR(types->enum_value);
    Py_CLEAR(types->enum_name);
    Py_CLEAR(types->pydantic_utcoffset);
}

int native_types_traverse(const struct native_types *types, visitproc visit, void *arg) {
    for (int i = 0; i < N_NATIVE_TYPES; i++) {
        Py_VISIT(types->type[i]);
    }
    Py_VISIT(types->utc);
    Py_VISIT(types->enum_value);
    Py_VISIT(types->enum_name);
    Py_VISIT(types->pydantic_utcoffset);
    return 0;
}

/* An attribute of an imported module, a new reference, otherwise NULL without an exception. */
static PyObject *imported_object(PyObject *module_name, PyObject *name) {
    PyObject *const modules = PyImport_GetModuleDict(); /* borrowed */
    PyObject *const module = dict_get(modules, module_name);
    PyObject *object = NULL;
    if (module != NULL && PyModule_Check(module)) {
        /* the module's dict, not getattr: that may be Python code */
        object = dict_get(PyModule_GetDict(module), name);
    }
    Py_XDECREF(module);
    PyErr_Clear();
    return object;
}

PyObject *native_types_get_of_numpy(const struct native_types *types, const char *name) {
    PyObject *const interned = PyUnicode_InternFromString(name);
    PyObject *const object =
        interned != NULL ? imported_object(types->modules[NATIVE_ARRAY], interned) : NULL;
    Py_XDECREF(interned);
    PyErr_Clear();
    return object;
}

/* A type of datetime from the module's C code, a new reference, even if the module's name for it
 * has been replaced: tests put a clock of their own there. NULL without an exception where there is
 * no such code. */
static PyObject *find_datetime_type(struct native_types *types, enum native_type which) {
    PyObject *const name = PyUnicode_InternFromString("datetime_CAPI");
    PyObject *const capsule = name != NULL ? imported_object(types->modules[which], name) : NULL;
    Py_XDECREF(name);
    PyTypeObject *type = NULL;
    if (PyCapsule_IsValid(capsule, PyDateTime_CAPSULE_NAME)) {
        const PyDateTime_CAPI *const api = PyCapsule_GetPointer(capsule, PyDateTime_CAPSULE_NAME);
        type = which == NATIVE_DATETIME ? api->DateTimeType
               : which == NATIVE_DATE   ? api->DateType
               : which == NATIVE_TIME   ? api->TimeType
                                        : api->DeltaType;
        __atomic_fetch_or(&types->is_in_c, 1u << which, __ATOMIC_RELAXED);
        publish_once(&types->utc, Py_NewRef(api->TimeZone_UTC));
    }
    Py_XDECREF(capsule);
    PyErr_Clear();
    return Py_XNewRef((PyObject *)type);
}

static void publish_found(PyObject **place, PyObject *found) {
    if (found != NULL) {
        publish_once(place, Py_NewRef(found));
    }
}

PyTypeObject *native_types_get(struct native_types *types, enum native_type which) {
    PyTypeObject *const known = native_types_known(types, which);
    if (known != NULL) {
        return known;
    }
    PyObject *found = NULL;
    if (which >= NATIVE_DATETIME && which <= NATIVE_TIMEDELTA) {
        found = find_datetime_type(types, which);
    }
    if (found == NULL) {
        found = imported_object(types->modules[which], types->names[which]);
    }
    if (found == NULL || !PyType_Check(found)) {
        Py_XDECREF(found);
        return NULL;
    }
    PyTypeObject *const type = (PyTypeObject *)found;
    if (which == NATIVE_ENUM) {
        publish_found(&types->enum_value, type_look_up(type, types->words[WORD_VALUE]));
        publish_found(&types->enum_name, type_look_up(type, types->words[WORD_NAME]));
    }
    if (which == NATIVE_PYDANTIC_ZONE) {
        publish_found(&types->pydantic_utcoffset, type_look_up(type, types->words[WORD_UTCOFFSET]));
    }
    return (PyTypeObject *)publish_once((PyObject **)&types->type[which], found);
}

/* Whether a method of a type is that of its own C code: one that is derived from it, in Python, may
 * have taken its name. */
static bool is_own_method(PyTypeObject *type, const char *name, const PyTypeObject *kind) {
    PyObject *const method = type_look_up_named(type, name); /* borrowed */
    return method != NULL && Py_IS_TYPE(method, (PyTypeObject *)kind) &&
           PyDescr_TYPE(method) == type;
}

void native_types_probe(struct native_types *types, enum native_type which) {
    PyTypeObject *const type = native_types_known(types, which);
    assert(which == NATIVE_DECIMAL || which == NATIVE_PYDANTIC_ZONE);
    const bool is_in_c =
        which == NATIVE_DECIMAL
            ? is_own_method(type, "__str__", &PyWrapperDescr_Type) && layout_of_decimal_holds(type)
            : is_own_method(type, "utcoffset", &PyMethodDescr_Type) &&
                  layout_of_pydantic_zone_holds(type);
    __atomic_fetch_or(&types->is_in_c, (uint32_t)is_in_c << which, __ATOMIC_RELAXED);
    __atomic_fetch_or(&types->is_probed, 1u << which, __ATOMIC_RELEASE);
}

enum native_type native_types_find_export(struct native_types *types, PyTypeObject *type) {
    static const struct {
        enum native_word word;
        enum native_type type;
    } METHODS[] = {{WORD_ARROW_STREAM, NATIVE_ARROW},
                   {WORD_ARROW_ARRAY, NATIVE_ARROW},
                   {WORD_DLPACK, NATIVE_TENSOR}};
    for (size_t i = 0; i < sizeof METHODS / sizeof *METHODS; i++) {
        PyObject *const method = type_look_up(type, types->words[METHODS[i].word]); /* borrowed */
        if (method != NULL && method != Py_None) {
            return native_is_of(types, type, NATIVE_ARRAY) ? NATIVE_UNKNOWN : METHODS[i].type;
        }
    }
    return NATIVE_UNKNOWN;
}
