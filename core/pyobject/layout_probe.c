/* SPDX-License-Identifier: MIT */
#include "pyobject/python.h"

#include "pyobject/decimal.h"
#include "pyobject/dict_from_pairs.h"
#include "pyobject/dict_template.h"
#include "pyobject/object.h"
#include "pyobject/instance.h"
#include "pyobject/long.h"
#include "pyobject/type.h"
#include "pyobject/unicode.h"

#if KNOWS_LAYOUTS
/* ---- numbers -------------------------------------------------------------------------------- */

/* Whether two objects are equal; neither is NULL, and comparing them runs no Python code. */
static bool are_equal(PyObject *one, PyObject *other) {
    return PyObject_RichCompareBool(one, other, Py_EQ) == 1;
}

/* Whether an int made by the public API is read as what it is, and one made in place equals it. */
static bool int_holds(uint64_t magnitude, bool is_negative) {
    PyObject *const positive = PyLong_FromUnsignedLongLong(magnitude);
    PyObject *const made =
        is_negative && positive != NULL ? PyNumber_Negative(positive) : Py_XNewRef(positive);
    PyObject *const own = long_new(magnitude, is_negative);
    const bool is_short = magnitude <= PyLong_MASK;
    bool is_read_negative;
    uint64_t read;
    int32_t read_short;
    const bool holds =
        made != NULL && own != NULL && long_magnitude(made, &is_read_negative, &read) &&
        read == magnitude && is_read_negative == is_negative &&
        long_read_short(made, &read_short) == is_short &&
        (!is_short || read_short == (is_negative ? -(int32_t)magnitude : (int32_t)magnitude)) &&
        are_equal(made, own) && PyObject_Hash(made) == PyObject_Hash(own);
    Py_XDECREF(positive);
    Py_XDECREF(made);
    Py_XDECREF(own);
    return holds;
}

static bool ints_hold(void) {
    static const uint64_t magnitudes[] = {
        0,
        1,
        255,
        99999999,
        100000000,
        ((uint64_t)1 << 30) - 1,
        (uint64_t)1 << 30,
        ((uint64_t)1 << 60) - 1,
        (uint64_t)1 << 60,
        UINT64_MAX,
    };
    bool hold = true;
    for (size_t i = 0; hold && i < sizeof magnitudes / sizeof *magnitudes; i++) {
        hold = int_holds(magnitudes[i], false) &&
               (magnitudes[i] == 0 || int_holds(magnitudes[i], true));
    }
    PyObject *const large = hold ? PyLong_FromString("-18446744073709551616", NULL, 10) : NULL;
    bool is_negative;
    uint64_t magnitude;
    hold = large != NULL && !long_magnitude(large, &is_negative, &magnitude);
    Py_XDECREF(large);
    return hold;
}

static bool floats_hold(void) {
    PyObject *const own = float_new(-1.5);
    const bool hold = own != NULL && PyFloat_CheckExact(own) && PyFloat_AsDouble(own) == -1.5;
    Py_XDECREF(own);
    return hold;
}

/* ---- str, list and set ---------------------------------------------------------------------- */

/* Whether a str made in place has the same fields as one that CPython makes. */
static bool string_fields_are_alike(PyObject *one, PyObject *other, enum text_form form) {
    const PyASCIIObject *const a = (const PyASCIIObject *)one;
    const PyASCIIObject *const b = (const PyASCIIObject *)other;
    if (a->length != b->length || a->hash != b->hash || a->state.kind != b->state.kind ||
        a->state.compact != b->state.compact || a->state.ascii != b->state.ascii ||
        a->state.interned != b->state.interned) {
        return false;
    }
    const PyCompactUnicodeObject *const c = (const PyCompactUnicodeObject *)one;
    const PyCompactUnicodeObject *const d = (const PyCompactUnicodeObject *)other;
    return form == TEXT_ASCII || (c->utf8 == d->utf8 && c->utf8_length == d->utf8_length);
}

static bool string_holds(enum text_form form) {
    const Py_UCS4 max_char = text_form_max_char(form);
    PyObject *const made = PyUnicode_New(3, max_char);
    PyObject *const own = unicode_new(3, form);
    bool holds = made != NULL && own != NULL && string_fields_are_alike(made, own, form) &&
                 PyUnicode_DATA(own) == unicode_new_data(own, form);
    if (holds) {
        for (Py_ssize_t i = 0; i < 3; i++) {
            PyUnicode_WRITE(PyUnicode_KIND(made), PyUnicode_DATA(made), i, max_char);
            PyUnicode_WRITE(PyUnicode_KIND(own), PyUnicode_DATA(own), i, max_char);
        }
        holds = PyUnicode_READ(PyUnicode_KIND(own), PyUnicode_DATA(own), 3) == 0 &&
                are_equal(made, own) && PyObject_Hash(made) == PyObject_Hash(own);
    }
    Py_XDECREF(made);
    Py_XDECREF(own);
    return holds;
}

static bool list_holds(void) {
    PyObject *const list = PyList_New(0);
    bool holds =
        list != NULL && PyList_Append(list, Py_None) == 0 && PyList_Append(list, Py_True) == 0;
    if (holds) {
        const PyListObject *const object = (const PyListObject *)list;
        holds = Py_SIZE(list) == 2 && object->allocated >= 2 && object->ob_item[0] == Py_None &&
                object->ob_item[1] == Py_True;
    }
    Py_XDECREF(list);
    return holds;
}

static bool set_holds(void) {
    PyObject *const set = PySet_New(NULL);
    bool holds = set != NULL && PySet_Add(set, Py_None) == 0 && PySet_Add(set, Py_True) == 0 &&
                 PySet_Discard(set, Py_None) == 1;
    Py_ssize_t position = 0;
    PyObject *item;
    holds = holds && set_next(set, &position, &item) && item == Py_True &&
            !set_next(set, &position, &item);
    Py_XDECREF(set);
    return holds;
}

/* ---- dict ----------------------------------------------------------------------------------- */

#if IS_DICT_LAYOUT_KNOWN
/* Whether the pairs that are read in place are those of PyDict_Next. */
static bool dict_is_read(PyObject *dict) {
    const struct dict_keys *const keys = (const struct dict_keys *)((PyDictObject *)dict)->ma_keys;
    if (keys->n_entries < PyDict_GET_SIZE(dict) || keys->n_entries > PyDict_GET_SIZE(dict) + 1 ||
        !dict_has_entries(dict)) {
        return false;
    }
    struct dict_cursor cursor = dict_cursor(dict);
    Py_ssize_t position = 0;
    PyObject *key;
    PyObject *value;
    PyObject *own_key;
    PyObject *own_value;
    while (PyDict_Next(dict, &position, &key, &value)) {
        if (!dict_cursor_next(&cursor, dict, &own_key, &own_value) || own_key != key ||
            own_value != value) {
            return false;
        }
    }
    return !dict_cursor_next(&cursor, dict, &own_key, &own_value);
}

/* A dict of n str keys, 'a' and on, with ints for values; NULL with an exception set. */
static PyObject *letters_new(int n) {
    PyObject *const dict = PyDict_New();
    for (int i = 0; dict != NULL && i < n; i++) {
        const char name[2] = {(char)('a' + i), 0};
        PyObject *const value = PyLong_FromLong(i);
        if (value == NULL || PyDict_SetItemString(dict, name, value) != 0) {
            Py_XDECREF(value);
            Py_DECREF(dict);
            return NULL;
        }
        Py_DECREF(value);
    }
    return dict;
}

/* Whether dicts with tables of their own are read: small and large, with a hole, with keys other
 * than str. */
static bool dicts_are_read(void) {
    PyObject *const dict = letters_new(3);
    bool hold = dict != NULL && dict_is_read(dict) && PyDict_DelItemString(dict, "b") == 0 &&
                dict_is_read(dict);
#if PY_VERSION_HEX >= 0x030b0000
    hold = hold && dict_records_str_keys(dict);
#endif
    hold = hold && PyDict_SetItem(dict, Py_None, Py_True) == 0 && dict_is_read(dict) &&
           !dict_records_str_keys(dict);
    for (long i = 0; hold && i < 300; i++) { /* positions of two bytes each */
        PyObject *const number = PyLong_FromLong(i);
        hold = number != NULL && PyDict_SetItem(dict, number, number) == 0;
        Py_XDECREF(number);
    }
    hold = hold && dict_is_read(dict);
    Py_XDECREF(dict);
    return hold;
}

#if MAKES_DICT_TABLES
/* Whether a dict whose table was made at once has the table that CPython makes. */
static bool dict_table_holds(void) {
    PyObject *const made = letters_new(4);
    PyObject *pairs[8];
    Py_ssize_t position = 0;
    for (size_t i = 0; made != NULL && i < 8; i += 2) {
        PyDict_Next(made, &position, &pairs[i], &pairs[i + 1]);
        Py_INCREF(pairs[i]);
        Py_INCREF(pairs[i + 1]);
    }
    PyObject *const own = made != NULL ? dict_from_pairs(pairs, 4) : NULL;
    if (own == NULL) {
        for (size_t i = 0; made != NULL && i < 8; i++) {
            Py_DECREF(pairs[i]);
        }
        Py_XDECREF(made);
        return false;
    }
    const struct dict_keys *const keys = (const struct dict_keys *)((PyDictObject *)made)->ma_keys;
    struct dict_keys *const own_keys = (struct dict_keys *)((PyDictObject *)own)->ma_keys;
    const size_t n_indices = (size_t)1 << own_keys->log2_index_bytes;
    bool holds = keys->log2_index_size == own_keys->log2_index_size &&
                 keys->log2_index_bytes == own_keys->log2_index_bytes &&
                 keys->kind == own_keys->kind && keys->n_usable == own_keys->n_usable &&
                 keys->n_entries == own_keys->n_entries &&
                 memcmp(keys->indices, own_keys->indices, n_indices + sizeof pairs) == 0;
    Py_DECREF(made);
    if (!holds) {
        Py_INCREF(own); /* what frees it cannot be known */
        return false;
    }
    holds = PyDict_GET_SIZE(own) == 4 && PyDict_GetItemString(own, "d") != NULL &&
            PyDict_GetItemString(own, "e") == NULL;
    Py_DECREF(own);
    return holds;
}
#endif

#if HAS_SHARED_KEYS
#if !IS_FREE_THREADED
/* An instance of a new class with attributes a, b and c; NULL with an exception set. */
static PyObject *instance_new(void) {
    PyObject *const type = PyObject_CallFunction((PyObject *)&PyType_Type, "s(){}", "Probe");
    PyObject *const instance = type != NULL ? PyObject_CallNoArgs(type) : NULL;
    Py_XDECREF(type);
    if (instance != NULL && (PyObject_SetAttrString(instance, "a", Py_None) != 0 ||
                             PyObject_SetAttrString(instance, "b", Py_True) != 0 ||
                             PyObject_SetAttrString(instance, "c", Py_False) != 0)) {
        Py_DECREF(instance);
        return NULL;
    }
    return instance;
}

/* Whether what an instance has without a dict is read. */
static bool own_values_hold(PyObject *instance) {
    PyObject *const name = PyUnicode_InternFromString("b");
    const bool hold = name != NULL && object_own_value(instance, name, 1) == Py_True &&
                      object_own_value(instance, name, 0) == NULL &&
                      object_own_value(instance, name, 3) == NULL;
    Py_XDECREF(name);
    return hold;
}

/* Whether the attributes of an instance, whose keys are its class's, are found and read: before it
 * has a dict, and in its dict. */
static bool instance_holds(void) {
    PyObject *const instance = instance_new();
    PyObject *const dict = instance != NULL && own_values_hold(instance)
                               ? PyObject_GenericGetDict(instance, NULL)
                               : NULL;
    PyObject *found;
    bool holds = dict != NULL && object_dict(instance, &found) && found == dict;
    if (holds && ((PyDictObject *)dict)->ma_values != NULL) {
        const struct dict_keys *const keys =
            (const struct dict_keys *)((PyDictObject *)dict)->ma_keys;
        holds = keys->kind == DICT_KEYS_KIND_SHARED && keys->n_entries == 3 &&
                dict_values_are_in_order(dict) && dict_is_read(dict) &&
                PyDict_DelItemString(dict, "b") == 0 && !dict_values_are_in_order(dict);
    }
    Py_XDECREF(dict);
    Py_XDECREF(instance);
    return holds;
}

#else
static bool instance_holds(void) {
    return true; /* dicts of instances are not read in place there */
}
#endif
#endif

/* Whether CPython takes a dict made from a template for one of its own. */
static bool template_holds(void) {
    PyObject *keys[2] = {PyUnicode_InternFromString("a"), PyUnicode_InternFromString("b")};
    PyObject *values[2] = {Py_None, Py_True};
    const bool has_keys = keys[0] != NULL && keys[1] != NULL;
    PyObject *const template = has_keys ? dict_template_new(keys, 2) : NULL;
    Py_INCREF(values[0]);
    Py_INCREF(values[1]);
    PyObject *const dict = template != NULL ? dict_from_template(template, values, 2) : NULL;
    if (dict == NULL) {
        Py_DECREF(values[0]);
        Py_DECREF(values[1]);
    }
    const bool holds = dict != NULL && PyDict_GET_SIZE(dict) == 2 && dict_is_read(dict) &&
                       PyDict_GetItemString(dict, "b") == Py_True &&
                       PyDict_GetItemString(dict, "c") == NULL &&
                       PyDict_SetItemString(dict, "c", Py_False) == 0 &&
                       PyDict_DelItemString(dict, "a") == 0 && PyDict_GET_SIZE(dict) == 2 &&
                       PyDict_GetItemString(dict, "c") == Py_False && dict_is_read(dict);
    Py_XDECREF(dict);
    Py_XDECREF(template);
    Py_XDECREF(keys[0]);
    Py_XDECREF(keys[1]);
    return holds;
}

static bool dicts_hold(void) {
    bool hold = dicts_are_read() && template_holds();
#if MAKES_DICT_TABLES
    hold = hold && dict_table_holds();
#endif
#if HAS_SHARED_KEYS
    hold = hold && instance_holds();
#endif
    return hold;
}
#else
static bool dicts_hold(void) {
    return true; /* they are read and made through the public API */
}
#endif

static bool look_at_layouts(void) {
    const char *const assumed = getenv("SSRJSON_LAYOUTS");
    if (assumed != NULL && strcmp(assumed, "unknown") == 0) {
        return false;
    }
    const bool was_on = collector_pause();
    const bool hold = ints_hold() && floats_hold() && string_holds(TEXT_ASCII) &&
                      string_holds(TEXT_LATIN1) && string_holds(TEXT_UCS2) &&
                      string_holds(TEXT_UCS4) && list_holds() && set_holds() && dicts_hold();
    PyErr_Clear();
    collector_go_on(was_on);
    return hold;
}

bool layouts_hold(void) {
    /* They are the same in each interpreter of a process, so that two threads can only set the same
     * answer. */
    static int answer; /* 0: not known yet, 1: they hold, -1: they do not */
    int known = __atomic_load_n(&answer, __ATOMIC_RELAXED);
    if (UNLIKELY(known == 0)) {
        known = look_at_layouts() ? 1 : -1;
        __atomic_store_n(&answer, known, __ATOMIC_RELAXED);
    }
    return known > 0;
}
#else
bool layouts_hold(void) {
    return false;
}
#endif

/* ---- Decimal -------------------------------------------------------------------------------- */

/* Whether a Decimal that is made in place has the text of the one that Python made. */
static bool decimal_copy_holds(PyObject *made, const struct decimal_value *value) {
    PyObject *const copy = decimal_new(made, value);
    const reprfunc str = Py_TYPE(made)->tp_str;
    PyObject *const text = copy != NULL ? str(copy) : NULL;
    PyObject *const expected = text != NULL ? str(made) : NULL;
    const bool holds = expected != NULL && PyUnicode_Compare(text, expected) == 0;
    Py_XDECREF(copy);
    Py_XDECREF(text);
    Py_XDECREF(expected);
    return holds;
}

/* Whether a Decimal made from a text is read as this value; expected is NULL for one that cannot be
 * read in place. */
static bool decimal_holds(PyTypeObject *decimal, const char *text,
                          const struct decimal_value *expected) {
    PyObject *const made = PyObject_CallFunction((PyObject *)decimal, "s", text);
    if (made == NULL || !Py_IS_TYPE(made, decimal)) {
        Py_XDECREF(made);
        return false;
    }
    const struct mpd *const number = &((const struct decimal_object *)made)->number;
    const uintptr_t begin = (uintptr_t)made;
    const uintptr_t words = (uintptr_t)number->words;
    struct decimal_value value = {0};
    bool holds = words >= begin && words < begin + (size_t)decimal->tp_basicsize; /* readable */
    if (holds && expected != NULL) {
        holds = number->n_words == 1 && number->n_digits == expected->n_digits &&
                decimal_read(made, &value) && value.coefficient == expected->coefficient &&
                value.exponent == expected->exponent && value.n_digits == expected->n_digits &&
                value.is_negative == expected->is_negative && decimal_copy_holds(made, expected);
    } else if (holds) {
        holds = !decimal_read(made, &value);
    }
    Py_DECREF(made);
    return holds;
}

bool layout_of_decimal_holds(PyTypeObject *decimal) {
    static const struct decimal_value price = {12345, -2, 5, true};
    static const struct decimal_value longest = {9999999999999999999u, 3, 19, false};
    if (!IS_DECIMAL_LAYOUT_KNOWN || !layouts_hold() ||
        decimal->tp_basicsize < (Py_ssize_t)sizeof(struct decimal_object)) {
        return false;
    }
    const bool holds = decimal_holds(decimal, "-123.45", &price) &&
                       decimal_holds(decimal, "9999999999999999999E+3", &longest) &&
                       decimal_holds(decimal, "12345678901234567890", NULL) &&
                       decimal_holds(decimal, "Infinity", NULL) &&
                       decimal_holds(decimal, "NaN", NULL) && decimal_holds(decimal, "sNaN", NULL);
    PyErr_Clear();
    return holds;
}

/* ---- pydantic's TzInfo ---------------------------------------------------------------------- */

static bool pydantic_zone_holds(PyTypeObject *type, int seconds) {
    PyObject *const zone = PyObject_CallFunction((PyObject *)type, "i", seconds);
    PyObject *const delta =
        zone != NULL ? PyObject_CallMethod(zone, "utcoffset", "O", Py_None) : NULL;
    PyObject *const number =
        delta != NULL ? PyObject_CallMethod(delta, "total_seconds", NULL) : NULL;
    const bool holds = number != NULL && PyFloat_CheckExact(number) &&
                       PyFloat_AS_DOUBLE(number) == seconds && Py_IS_TYPE(zone, type) &&
                       pydantic_zone_seconds(zone) == seconds;
    Py_XDECREF(number);
    Py_XDECREF(delta);
    Py_XDECREF(zone);
    return holds;
}

bool layout_of_pydantic_zone_holds(PyTypeObject *zone) {
    static const int samples[] = {0, 3600, -18000, 19800, -1, 86399, -86399};
    if (!layouts_hold() || zone->tp_basicsize < (Py_ssize_t)(sizeof(PyObject) + sizeof(int32_t))) {
        return false;
    }
    bool holds = true;
    for (size_t i = 0; holds && i < sizeof samples / sizeof *samples; i++) {
        holds = pydantic_zone_holds(zone, samples[i]);
    }
    PyErr_Clear();
    return holds;
}
