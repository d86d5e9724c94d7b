/* SPDX-License-Identifier: MIT */
#include "encode/model/rule.h"

#include <datetime.h>

#include "pyobject/object.h"
#include "pyobject/snapshot.h"

/* ---- compiling ----------------------------------------------------------------------------- */

static void alternative_clear(struct alternative *alternative) {
    for (Py_ssize_t i = 0; i < alternative->n_rules; i++) {
        rule_free(alternative->rules[i]);
    }
    PyMem_Free(alternative->rules);
    Py_XDECREF(alternative->type);
    Py_XDECREF(alternative->key_type);
    thread_originals_free(alternative->among);
    Py_XDECREF(alternative->known);
}

/* The recursion is as deep as containers in a rule: at most RULE_MAX_DEPTH, see
 * alternative_init. */
void rule_free(struct rule *rule) {
    if (rule == NULL) {
        return;
    }
    for (Py_ssize_t i = 0; i < rule->n; i++) {
        alternative_clear(&rule->alternatives[i]);
    }
    PyMem_Free(rule);
}

int rule_traverse(const struct rule *rule, visitproc visit, void *arg) {
    for (Py_ssize_t i = 0; rule != NULL && i < rule->n; i++) {
        const struct alternative *const alternative = &rule->alternatives[i];
        Py_VISIT(alternative->type);
        Py_VISIT(alternative->key_type);
        Py_VISIT(alternative->known);
        for (Py_ssize_t k = 0; k < alternative->n_rules; k++) {
            const int answer = rule_traverse(alternative->rules[k], visit, arg);
            if (answer != 0) {
                return answer;
            }
        }
    }
    return 0;
}

static bool rule_new_at(PyObject *description, int depth, struct rule **rule);

/* In the order of enum rule_check. */
static const char *const CHECK_NAMES[] = {"type",  "model", "finite", "number", "seconds",
                                          "among", "items", "places", "values", "fields"};

static bool find_check(PyObject *name, enum rule_check *check) {
    const int place = NAME_PLACE(name, CHECK_NAMES, "a rule has no check");
    *check = (enum rule_check)place;
    return place >= 0;
}

/* Whether a check can be applied to objects of a type. */
static bool check_suits(enum rule_check check, const PyTypeObject *type) {
    switch (check) {
    case CHECK_TYPE:
    case CHECK_MODEL:
    case CHECK_SECONDS: return true;
    case CHECK_FINITE:
    case CHECK_NUMBER: return type == &PyFloat_Type;
    case CHECK_AMONG:
        return type == &PyUnicode_Type || type == &PyLong_Type || type == &PyBool_Type;
    case CHECK_ITEMS:
        return type == &PyList_Type || type == &PyTuple_Type || type == &PySet_Type ||
               type == &PyFrozenSet_Type;
    case CHECK_PLACES: return type == &PyTuple_Type;
    case CHECK_VALUES:
    case CHECK_FIELDS: return type == &PyDict_Type;
    }
    return false;
}

/* Whether searching for a key among the known ones runs no code of theirs, and each key's place is
 * within the rules. */
static bool are_places_sound(PyObject *known, Py_ssize_t n_rules) {
    Py_ssize_t position = 0;
    PyObject *key;
    PyObject *place;
    while (PyDict_Next(known, &position, &key, &place)) {
        if (!PyUnicode_CheckExact(key) || !PyLong_CheckExact(place)) {
            return false;
        }
        const Py_ssize_t i = PyLong_AsSsize_t(place);
        if (i < 0 || i >= n_rules) {
            PyErr_Clear();
            return false;
        }
    }
    return true;
}

/* The fields of the named tuples of ssrjson_web/_models/plan.py, in their order. */
static const char *const NAMES_OF_ALTERNATIVE[] = {
    "exact_type", "check", "is_json", "key_type", "known", "n_required", "rules"};
static const char *const NAMES_OF_RULE[] = {"library", "alternatives"};

/* Fill in from an Alternative; false with an exception set. */
static bool alternative_init(struct alternative *alternative, PyObject *description, int depth) {
    PyObject *type;
    PyObject *check;
    int is_json;
    PyObject *key_type;
    PyObject *known;
    PyObject *rules;
    if (!HAS_FIELDS(description, NAMES_OF_ALTERNATIVE) ||
        !PyArg_ParseTuple(description, "O!UpOOnO!", &PyType_Type, &type, &check, &is_json,
                          &key_type, &known, &alternative->n_required, &PyTuple_Type, &rules) ||
        !find_check(check, &alternative->check)) {
        return false;
    }
    const bool is_known_dict = alternative->check == CHECK_FIELDS && PyDict_CheckExact(known);
    const bool is_known_set = alternative->check == CHECK_AMONG && PyFrozenSet_CheckExact(known);
    const bool has_known = alternative->check == CHECK_FIELDS || alternative->check == CHECK_AMONG;
    const Py_ssize_t n_rules = PyTuple_GET_SIZE(rules);
    if ((has_known && !is_known_dict && !is_known_set) ||
        (alternative->check == CHECK_VALUES && !PyType_Check(key_type)) ||
        !check_suits(alternative->check, (PyTypeObject *)type)) {
        PyErr_SetString(PyExc_TypeError, "a rule's check lacks what it checks by");
        return false;
    }
    if ((is_known_set && !set_is_plain(known)) ||
        (is_known_dict && !are_places_sound(known, n_rules))) {
        PyErr_SetString(PyExc_TypeError, "a rule knows what it cannot look up");
        return false;
    }
    const bool has_one = alternative->check == CHECK_ITEMS || alternative->check == CHECK_VALUES;
    const bool has_any = is_known_dict || alternative->check == CHECK_PLACES;
    if ((has_one && n_rules != 1) || (is_known_dict && n_rules != PyDict_GET_SIZE(known)) ||
        (!has_one && !has_any && n_rules != 0)) {
        PyErr_SetString(PyExc_ValueError, "a rule has another number of rules within it");
        return false;
    }
    if (n_rules != 0 && depth == RULE_MAX_DEPTH) {
        PyErr_Format(PyExc_ValueError, "a rule is nested deeper than %d", RULE_MAX_DEPTH);
        return false;
    }
    alternative->type = (PyTypeObject *)Py_NewRef(type);
    alternative->is_json = is_json != 0;
    if (alternative->check == CHECK_VALUES) {
        alternative->key_type = (PyTypeObject *)Py_NewRef(key_type);
    }
    if (is_known_dict) { /* a copy, so that nobody else can change it */
        alternative->known = PyDict_Copy(known);
    } else if (is_known_set) {
        alternative->among = thread_originals_new(Py_NewRef(known));
    }
    if (has_known && alternative->known == NULL && alternative->among == NULL) {
        return false;
    }
    alternative->rules = PyMem_Calloc((size_t)n_rules + 1, sizeof(struct rule *));
    if (alternative->rules == NULL) {
        PyErr_NoMemory();
        return false;
    }
    for (; alternative->n_rules < n_rules; alternative->n_rules++) {
        if (!rule_new_at(PyTuple_GET_ITEM(rules, alternative->n_rules), depth + 1,
                         &alternative->rules[alternative->n_rules])) {
            return false;
        }
    }
    return true;
}

static bool find_library(PyObject *name, enum model_library *library) {
    static const char *const names[] = {"", "pydantic", "msgspec", "json"};
    const int place = NAME_PLACE(name, names, "there is no rule of a library");
    *library = (enum model_library)place;
    return place >= 0;
}

static SMALL bool rule_new_at(PyObject *description, int depth, struct rule **result) {
    *result = NULL;
    if (description == Py_None) {
        return true;
    }
    PyObject *library;
    PyObject *alternatives;
    enum model_library which;
    if (!HAS_FIELDS(description, NAMES_OF_RULE) ||
        !PyArg_ParseTuple(description, "UO!", &library, &PyTuple_Type, &alternatives) ||
        !find_library(library, &which)) {
        return false;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(alternatives);
    struct rule *const rule =
        PyMem_Calloc(1, sizeof *rule + (size_t)n * sizeof *rule->alternatives);
    if (rule == NULL) {
        PyErr_NoMemory();
        return false;
    }
    rule->library = which;
    while (rule->n < n) {
        PyObject *const one = PyTuple_GET_ITEM(alternatives, rule->n);
        rule->n++; /* counted first, so that an incomplete rule is cleared too */
        if (!alternative_init(&rule->alternatives[rule->n - 1], one, depth)) {
            rule_free(rule);
            return false;
        }
    }
    if (which == LIBRARY_NONE && n != 0) {
        const struct alternative *const first = &rule->alternatives[0];
        const bool is_plain = first->check <= CHECK_MODEL && first->is_json;
        rule->plain_type = is_plain ? first->type : NULL;
    }
    *result = rule;
    return true;
}

bool rule_new(PyObject *description, struct rule **rule) {
    return rule_new_at(description, 0, rule);
}

/* ---- checking ------------------------------------------------------------------------------ */

/* A container whose items are being checked. */
struct cursor {
    const struct alternative *alternative;
    PyObject *container; /* a snapshot */
    Py_ssize_t index;
    Py_ssize_t n_required; /* required fields that were visited */
};

/* The alternative for a value, found without looking into containers; NULL where none fits. */
static inline const struct alternative *rule_find(const struct rule *rule, PyObject *value,
                                                  const struct rule_options *options) {
    const bool has_formats = options->any.has_pydantic_formats;
    PyTypeObject *const type = Py_TYPE(value);
    for (Py_ssize_t i = 0; i < rule->n; i++) {
        const struct alternative *const alternative = &rule->alternatives[i];
        if (alternative->type != type || !(alternative->is_json || has_formats)) {
            continue;
        }
        switch (alternative->check) {
        case CHECK_FINITE:
            if (!options->writes_nan && !__builtin_isfinite(PyFloat_AS_DOUBLE(value))) {
                continue;
            }
            break;
        case CHECK_NUMBER:
            if (!__builtin_isfinite(PyFloat_AS_DOUBLE(value))) {
                continue;
            }
            break;
        case CHECK_SECONDS: continue;
        case CHECK_AMONG: {
            const int is_among = PySet_Contains(thread_original(alternative->among), value);
            if (is_among <= 0) {
                PyErr_Clear();
                continue;
            }
            break;
        }
        case CHECK_PLACES:
            if (PyTuple_GET_SIZE(value) != alternative->n_rules) {
                continue;
            }
            break;
        case CHECK_FIELDS:
            if (alternative->n_rules == 0 && PyDict_GET_SIZE(value) != 0) {
                continue;
            }
            break;
        case CHECK_TYPE:
        case CHECK_MODEL:
        case CHECK_ITEMS:
        case CHECK_VALUES: break;
        }
        return alternative;
    }
    return NULL;
}

/* The place of a TypedDict's key; -1 where it is not one of its keys. */
static Py_ssize_t known_place(PyObject *known, PyObject *key) {
    PyObject *const place = PyUnicode_CheckExact(key) ? PyDict_GetItemWithError(known, key) : NULL;
    if (place == NULL) {
        PyErr_Clear();
        return -1;
    }
    return PyLong_AsSsize_t(place);
}

enum step { STEP_ITEM, STEP_END, STEP_UNFIT };

/* The next item of a container and the rule for it. */
static enum step cursor_next(struct cursor *cursor, const struct rule **rule, PyObject **value) {
    const struct alternative *const alternative = cursor->alternative;
    PyObject *const container = cursor->container;
    PyObject *key;
    switch (alternative->check) {
    case CHECK_ITEMS:
        *rule = alternative->rules[0];
        if (PyAnySet_CheckExact(container)) {
            return set_next(container, &cursor->index, value) ? STEP_ITEM : STEP_END;
        }
        if (cursor->index >= Py_SIZE(container)) {
            return STEP_END;
        }
        *value = PyList_CheckExact(container) ? PyList_GET_ITEM(container, cursor->index)
                                              : PyTuple_GET_ITEM(container, cursor->index);
        cursor->index++;
        return STEP_ITEM;
    case CHECK_PLACES:
        if (cursor->index >= alternative->n_rules) {
            return STEP_END;
        }
        *rule = alternative->rules[cursor->index];
        *value = PyTuple_GET_ITEM(container, cursor->index);
        cursor->index++;
        return STEP_ITEM;
    case CHECK_VALUES:
        if (!PyDict_Next(container, &cursor->index, &key, value)) {
            return STEP_END;
        }
        *rule = alternative->rules[0];
        return Py_TYPE(key) == alternative->key_type ? STEP_ITEM : STEP_UNFIT;
    case CHECK_FIELDS: {
        if (!PyDict_Next(container, &cursor->index, &key, value)) {
            return cursor->n_required == alternative->n_required ? STEP_END : STEP_UNFIT;
        }
        const Py_ssize_t place = known_place(alternative->known, key);
        if (place < 0) {
            return STEP_UNFIT;
        }
        cursor->n_required += place < alternative->n_required;
        *rule = alternative->rules[place];
        return STEP_ITEM;
    }
    case CHECK_TYPE:
    case CHECK_MODEL:
    case CHECK_FINITE:
    case CHECK_NUMBER:
    case CHECK_SECONDS:
    case CHECK_AMONG: return STEP_END; /* they look into nothing */
    }
    Py_UNREACHABLE();
}

/* Release the containers of n cursors. */
static ALWAYS_INLINE bool cursors_end(const struct cursor *cursors, size_t n, bool fits) {
    for (size_t i = 0; IS_FREE_THREADED && i < n; i++) {
        snapshot_release(cursors[i].container);
    }
    return fits;
}

/* Whether a container needs no cursor: a list whose items all have the type that fits always. With
 * the GIL nothing changes the list meanwhile. */
static ALWAYS_INLINE bool has_plain_items(const struct alternative *alternative, PyObject *value) {
    if (IS_FREE_THREADED || alternative->check != CHECK_ITEMS || !PyList_CheckExact(value) ||
        alternative->rules[0] == NULL) {
        return false;
    }
    const PyTypeObject *const type = alternative->rules[0]->plain_type;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(value); i++) {
        if (Py_TYPE(PyList_GET_ITEM(value, i)) != type) {
            return false;
        }
    }
    return true;
}

/* rule_fits where a container may have to be looked into. */
static NOINLINE bool rule_fits_deeply(const struct rule *rule, PyObject *value,
                                      const struct rule_options *options) {
    struct cursor cursors[RULE_MAX_DEPTH];
    size_t n = 0;
    for (;;) {
        if (rule != NULL && rule->library != LIBRARY_NONE) {
            if (!any_value_fits(rule, value, &options->any)) {
                return cursors_end(cursors, n, false);
            }
        } else if (rule != NULL) {
            const struct alternative *const alternative = rule_find(rule, value, options);
            if (alternative == NULL) {
                return cursors_end(cursors, n, false);
            }
            if (alternative->n_rules != 0) {
                assert(n < RULE_MAX_DEPTH);
                PyObject *const container = snapshot_take(value);
                if (IS_FREE_THREADED && UNLIKELY(container == NULL)) {
                    PyErr_Clear();
                    return cursors_end(cursors, n, false);
                }
                cursors[n++] = (struct cursor){.alternative = alternative, .container = container};
            }
        }
        for (;;) {
            if (n == 0) {
                return true;
            }
            const enum step step = cursor_next(&cursors[n - 1], &rule, &value);
            const bool is_left_out = step == STEP_ITEM && options->excludes_none &&
                                     value == Py_None &&
                                     cursors[n - 1].alternative->check == CHECK_FIELDS;
            if (step == STEP_UNFIT || is_left_out) {
                return cursors_end(cursors, n, false);
            }
            if (step == STEP_ITEM) {
                break;
            }
            n--;
            snapshot_release(cursors[n].container);
        }
    }
}

bool rule_fits_closely(const struct rule *rule, PyObject *value,
                       const struct rule_options *options) {
    if (LIKELY(rule->library == LIBRARY_NONE)) {
        const struct alternative *const alternative = rule_find(rule, value, options);
        if (alternative == NULL) {
            return false;
        }
        if (LIKELY(alternative->n_rules == 0) || has_plain_items(alternative, value)) {
            return true;
        }
    }
    return rule_fits_deeply(rule, value, options);
}

/* Whether a tuple of a list's items fits the alternative for the list. */
static bool items_fit(const struct alternative *alternative, PyObject *items,
                      const struct rule_options *options) {
    const struct rule *const rule = alternative->rules[0];
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items); i++) {
        if (!rule_fits(rule, PyTuple_GET_ITEM(items, i), options)) {
            return false;
        }
    }
    return true;
}

bool rule_fits_held(const struct rule *rule, PyObject **value, const struct rule_options *options) {
    if (rule->library != LIBRARY_NONE || !PyList_CheckExact(*value)) {
        return rule_fits_closely(rule, *value, options);
    }
    const struct alternative *const alternative = rule_find(rule, *value, options);
    if (alternative == NULL || alternative->check != CHECK_ITEMS) {
        return alternative != NULL && rule_fits_closely(rule, *value, options);
    }
    PyObject *const items = PyList_AsTuple(*value);
    if (items == NULL || !items_fit(alternative, items, options)) {
        PyErr_Clear();
        Py_XDECREF(items);
        return false;
    }
    Py_SETREF(*value, items);
    return true;
}

PyTypeObject *rule_base(const struct rule *rule, PyObject *value) {
    PyTypeObject *base = NULL;
    for (Py_ssize_t i = 0; rule != NULL && i < rule->n; i++) {
        const struct alternative *const alternative = &rule->alternatives[i];
        if (alternative->check == CHECK_MODEL &&
            PyType_IsSubtype(Py_TYPE(value), alternative->type)) {
            if (base != NULL) {
                return NULL;
            }
            base = alternative->type;
        }
    }
    return base;
}

/* A double has all microseconds of fewer days than these. */
#define EXACT_DAYS 100000

PyObject *rule_seconds(const struct rule *rule, PyObject *value, const struct native_types *types) {
    for (Py_ssize_t i = 0; rule != NULL && i < rule->n; i++) {
        const struct alternative *const alternative = &rule->alternatives[i];
        if (alternative->check != CHECK_SECONDS || alternative->type != Py_TYPE(value) ||
            native_types_known(types, NATIVE_TIMEDELTA) != Py_TYPE(value) ||
            !native_types_is_in_c(types, NATIVE_TIMEDELTA)) {
            continue;
        }
        const PyDateTime_Delta *const delta = (const PyDateTime_Delta *)value;
        const double seconds = delta->days * 86400.0 + delta->seconds;
        const bool is_exact = delta->days > -EXACT_DAYS && delta->days < EXACT_DAYS;
        return is_exact ? PyFloat_FromDouble((seconds * 1e6 + delta->microseconds) / 1e6) : NULL;
    }
    return NULL;
}

const struct rule *rule_of_list_items(const struct rule *rule) {
    for (Py_ssize_t i = 0; rule != NULL && i < rule->n; i++) {
        const struct alternative *const alternative = &rule->alternatives[i];
        if (alternative->check == CHECK_ITEMS && alternative->type == &PyList_Type) {
            return alternative->rules[0];
        }
    }
    return NULL;
}

/* ---- values of no declared type ------------------------------------------------------------ */

enum any_look {
    ANY_FITS,
    ANY_DIFFERS,
    ANY_HAS_ITEMS,
};

/* msgspec writes 1e16 where newer versions of pydantic write 1e+16; smaller floats are equal. */
static bool is_float_of_msgspec(PyObject *number, bool has_msgspec_floats) {
    const double magnitude = __builtin_fabs(PyFloat_AS_DOUBLE(number));
    return has_msgspec_floats || magnitude < 1e16 || !__builtin_isfinite(magnitude);
}

/* Whether the walk writes a value as pydantic does: by pydantic's own plan, or in its formats.
 * Iterators are never passed to pydantic, which may refuse their items after they are consumed. */
static bool is_alike_in_pydantic(const struct native_types *types, PyObject *value) {
    PyTypeObject *const type = Py_TYPE(value);
    static const enum native_type alike[] = {NATIVE_DATETIME,  NATIVE_DATE, NATIVE_TIME,
                                             NATIVE_TIMEDELTA, NATIVE_UUID, NATIVE_DECIMAL,
                                             NATIVE_BYTES};
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++) {
        if (native_types_known(types, alike[i]) == type) {
            return true;
        }
    }
    return type_look_up(type, types->words[WORD_PYDANTIC_SERIALIZER]) != NULL ||
           PyIter_Check(value);
}

static enum any_look look_as_pydantic(PyObject *value, const struct any_options *options) {
    if (PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) ||
        PyBool_Check(value) || value == Py_None) {
        return ANY_FITS;
    }
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value) || PyDict_CheckExact(value) ||
        PyAnySet_CheckExact(value)) {
        return ANY_HAS_ITEMS;
    }
    return is_alike_in_pydantic(options->types, value) ? ANY_FITS : ANY_DIFFERS;
}

static enum any_look look_as_msgspec(PyObject *value, const struct any_options *options) {
    if (PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
        value == Py_None) {
        return ANY_FITS;
    }
    if (PyFloat_CheckExact(value)) {
        return is_float_of_msgspec(value, options->has_msgspec_floats) ? ANY_FITS : ANY_DIFFERS;
    }
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value) || PyDict_CheckExact(value)) {
        return ANY_HAS_ITEMS;
    }
    PyObject *const word = options->types->words[WORD_STRUCT_FIELDS];
    return type_look_up(Py_TYPE(value), word) != NULL ? ANY_FITS : ANY_DIFFERS;
}

/* Floats that are not finite are written in several ways. */
static enum any_look look_as_json(PyObject *value) {
    if (PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) ||
        value == Py_None) {
        return ANY_FITS;
    }
    if (PyFloat_CheckExact(value)) {
        return __builtin_isfinite(PyFloat_AS_DOUBLE(value)) ? ANY_FITS : ANY_DIFFERS;
    }
    return PyList_CheckExact(value) || PyDict_CheckExact(value) ? ANY_HAS_ITEMS : ANY_DIFFERS;
}

/* A container that is being looked into. */
struct any_cursor {
    PyObject *container; /* a snapshot */
    Py_ssize_t index;
};

/* The next item, borrowed; NULL at the end. A key of a type other than str clears
 * `has_str_keys`. */
static PyObject *any_next(struct any_cursor *cursor, bool *has_str_keys) {
    PyObject *const container = cursor->container;
    PyObject *value = NULL;
    if (PyDict_CheckExact(container)) {
        PyObject *key;
        if (!PyDict_Next(container, &cursor->index, &key, &value)) {
            return NULL;
        }
        *has_str_keys &= PyUnicode_CheckExact(key);
        return value;
    }
    if (PyAnySet_CheckExact(container)) {
        return set_next(container, &cursor->index, &value) ? value : NULL;
    }
    if (cursor->index >= Py_SIZE(container)) {
        return NULL;
    }
    value = PyList_CheckExact(container) ? PyList_GET_ITEM(container, cursor->index)
                                         : PyTuple_GET_ITEM(container, cursor->index);
    cursor->index++;
    return value;
}

/* Whether a datetime or time has no zone, or UTC: libraries round offsets that are not whole
 * minutes in different ways. */
static bool has_plain_zone(const struct native_types *types, PyObject *value) {
    PyObject *zone = NULL;
    if (Py_IS_TYPE(value, native_types_known(types, NATIVE_DATETIME)) &&
        native_types_is_in_c(types, NATIVE_DATETIME)) {
        const PyDateTime_DateTime *const datetime = (const PyDateTime_DateTime *)value;
        zone = datetime->hastzinfo ? datetime->tzinfo : Py_None;
    } else if (Py_IS_TYPE(value, native_types_known(types, NATIVE_TIME)) &&
               native_types_is_in_c(types, NATIVE_TIME)) {
        const PyDateTime_Time *const time = (const PyDateTime_Time *)value;
        zone = time->hastzinfo ? time->tzinfo : Py_None;
    }
    return zone == Py_None || (zone != NULL && zone == LOAD_SHARED(types->utc));
}

/* Whether a rule of msgspec's names the type of a value as one that both write equally. */
static bool is_named(const struct rule *rule, PyObject *value, const struct any_options *options) {
    const struct native_types *const types = options->types;
    for (Py_ssize_t i = 0; i < rule->n; i++) {
        if (Py_IS_TYPE(value, rule->alternatives[i].type)) {
            const bool has_zone = Py_IS_TYPE(value, native_types_known(types, NATIVE_DATETIME)) ||
                                  Py_IS_TYPE(value, native_types_known(types, NATIVE_TIME));
            return !has_zone || has_plain_zone(types, value);
        }
    }
    return false;
}

static enum any_look look_as(const struct rule *rule, PyObject *value,
                             const struct any_options *options) {
    switch (rule->library) {
    case LIBRARY_PYDANTIC: return look_as_pydantic(value, options);
    case LIBRARY_JSON: return look_as_json(value);
    case LIBRARY_NONE:
    case LIBRARY_MSGSPEC: break;
    }
    const enum any_look look = look_as_msgspec(value, options);
    const bool may_be_named = look == ANY_DIFFERS && options->has_msgspec_formats;
    return may_be_named && is_named(rule, value, options) ? ANY_FITS : look;
}

bool any_value_fits(const struct rule *rule, PyObject *value, const struct any_options *options) {
    struct any_cursor cursors[ANY_MAX_DEPTH];
    size_t n = 0;
    bool has_str_keys = true;
    const bool is_pydantic = rule->library == LIBRARY_PYDANTIC;
    if (is_pydantic && (options->is_exact || !options->has_pydantic_formats)) {
        return options->has_pydantic_formats;
    }
    bool fits = true;
    while (value != NULL && fits) {
        const enum any_look look = look_as(rule, value, options);
        fits = look != ANY_DIFFERS && (look != ANY_HAS_ITEMS || n < ANY_MAX_DEPTH);
        if (fits && look == ANY_HAS_ITEMS) {
            PyObject *const container = snapshot_take(value);
            if (IS_FREE_THREADED && UNLIKELY(container == NULL)) {
                PyErr_Clear();
                fits = false;
                break;
            }
            cursors[n++] = (struct any_cursor){.container = container};
        }
        value = NULL;
        while (n > 0 && value == NULL) {
            value = any_next(&cursors[n - 1], &has_str_keys);
            if (value == NULL) {
                snapshot_release(cursors[--n].container);
            }
        }
        fits &= has_str_keys;
    }
    while (IS_FREE_THREADED && n > 0) {
        snapshot_release(cursors[--n].container);
    }
    return fits;
}
