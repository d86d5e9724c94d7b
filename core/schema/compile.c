/* SPDX-License-Identifier: MIT */
/* Named tuples of Python compiled to nodes. */
#include "schema/node.h"

#include <datetime.h>

#include "pyobject/dict_template.h"
#include "pyobject/type.h"
#include "schema/description.h"
#include "schema/schema.h"

struct op_row {
    const char *name;
    uint16_t made;
    uint16_t fits;
    enum operands operands;
};

static const struct op_row OP_ROWS[] = {
#define OP(IDENTIFIER, NAME, MADE, FITS, OPERANDS, MEANING) {NAME, MADE, FITS, OPERANDS_##OPERANDS},
    OPS(OP)
#undef OP
};

#define N_OPS (sizeof OP_ROWS / sizeof *OP_ROWS)

static const char *const SLOT_NAMES[] = {
#define SLOT(IDENTIFIER, NAME) NAME,
    MODEL_SLOTS(SLOT)
#undef SLOT
};

/* ---- models --------------------------------------------------------------------------------- */

/* The fields of the named tuples of ssrjson_web/_models/language.py, in their order. */
static const char *const NAMES_OF_FIELD[] = {"name",       "key",          "other_key", "output",
                                             "acceptance", "default",      "factory",   "left_out",
                                             "paths",      "may_be_absent"};
static const char *const NAMES_OF_MODEL[] = {"cls",           "fields",       "forbids_extra",
                                             "exclude_unset", "exclude_none", "way_of",
                                             "before",        "step_way_of"};
/* A tuple of callables, which may be empty; NULL with TypeError set. */
static PyObject *take_functions(PyObject *functions) {
    bool suits = PyTuple_CheckExact(functions);
    for (Py_ssize_t i = 0; suits && i < PyTuple_GET_SIZE(functions); i++) {
        suits = PyCallable_Check(PyTuple_GET_ITEM(functions, i));
    }
    if (!suits) {
        PyErr_SetString(PyExc_TypeError, "functions are a tuple of callables");
        return NULL;
    }
    return Py_NewRef(functions);
}

/* A str, or None for NULL; false with TypeError set. */
static bool take_name(PyObject *object, bool may_be_none, PyObject **name) {
    if (object == Py_None && may_be_none) {
        return true;
    }
    if (!PyUnicode_CheckExact(object)) {
        PyErr_SetString(PyExc_TypeError, "the names of an accepted field are strs, of no subclass");
        return false;
    }
    *name = Py_NewRef(object);
    return true;
}

/* Whether one path of a field is a str, and then strs and ints. */
static bool path_suits(PyObject *path) {
    bool suits = PyTuple_CheckExact(path) && PyTuple_GET_SIZE(path) != 0 &&
                 PyUnicode_CheckExact(PyTuple_GET_ITEM(path, 0));
    for (Py_ssize_t i = 1; suits && i < PyTuple_GET_SIZE(path); i++) {
        PyObject *const step = PyTuple_GET_ITEM(path, i);
        suits = PyUnicode_CheckExact(step) || PyLong_CheckExact(step);
    }
    return suits;
}

/* A tuple of paths, or an empty one for NULL; false with TypeError set. */
static bool take_paths(PyObject *paths, PyObject **place) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(paths); i++) {
        if (!path_suits(PyTuple_GET_ITEM(paths, i))) {
            PyErr_SetString(PyExc_TypeError, "a path is a tuple of a str and of strs and ints");
            return false;
        }
    }
    *place = PyTuple_GET_SIZE(paths) != 0 ? Py_NewRef(paths) : NULL;
    return true;
}

/* Fill in from an AcceptedField; false with an exception set. */
static bool accepted_field_init(struct accepted_field *field, PyObject *description,
                                const struct surroundings *around) {
    PyObject *name;
    PyObject *key;
    PyObject *other_key;
    PyObject *output;
    PyObject *acceptance;
    PyObject *defaults;
    PyObject *factory;
    PyObject *left_out;
    PyObject *paths;
    int may_be_absent;
    if (!HAS_FIELDS(description, NAMES_OF_FIELD) ||
        !PyArg_ParseTuple(description, "OOOOOO!OO!O!p", &name, &key, &other_key, &output,
                          &acceptance, &PyTuple_Type, &defaults, &factory, &PyTuple_Type, &left_out,
                          &PyTuple_Type, &paths, &may_be_absent) ||
        !take_name(name, false, &field->name) || !take_name(key, false, &field->key) ||
        !take_name(other_key, true, &field->other_key) ||
        !take_name(output, true, &field->output) || !take_paths(paths, &field->paths) ||
        !node_new(acceptance, around, &field->node)) {
        return false;
    }
    PyUnicode_InternInPlace(&field->name);
    field->may_be_absent = may_be_absent != 0;
    if (PyTuple_GET_SIZE(defaults) != 0) {
        field->absent = Py_NewRef(PyTuple_GET_ITEM(defaults, 0));
    }
    if (PyTuple_GET_SIZE(left_out) != 0) {
        field->left_out = Py_NewRef(PyTuple_GET_ITEM(left_out, 0));
    }
    return take_callable(factory, &field->factory);
}

/* Make what dicts are made of; false with an exception set. */
static bool accepted_model_init_dicts(struct accepted_model *model,
                                      const struct surroundings *around) {
    PyObject **const keys = PyMem_Calloc((size_t)model->n_fields + 1, sizeof *keys);
    if (keys == NULL) {
        PyErr_NoMemory();
        return false;
    }
    PyObject *const written = PyDict_New();
    PyObject *const blank_fields = PyDict_New();
    bool is_made = written != NULL && blank_fields != NULL;
    for (Py_ssize_t i = 0; is_made && i < model->n_fields; i++) {
        const struct accepted_field *const field = &model->fields[i];
        if (field->output != NULL) {
            keys[model->n_written++] = field->output;
        }
        is_made = (field->output == NULL || PyDict_SetItem(written, field->output, Py_None) == 0) &&
                  PyDict_SetItem(blank_fields, field->name, Py_None) == 0;
    }
    if (is_made && PyDict_GET_SIZE(blank_fields) != model->n_fields) {
        PyErr_SetString(PyExc_ValueError, "two accepted fields have one name");
        is_made = false;
    }
    if (is_made && model->n_written != 0 && PyDict_GET_SIZE(written) == model->n_written) {
        model->text_template = dict_template_new(keys, (size_t)model->n_written);
        is_made = model->text_template != NULL;
    }
    Py_XDECREF(written);
    PyMem_Free(keys);
    if (is_made) {
        struct schema *const schema = around->schema;
        model->all_names = schema_add_originals(schema, PyFrozenSet_New(blank_fields));
        model->blank_fields = schema_add_originals(schema, Py_NewRef(blank_fields));
    }
    Py_XDECREF(blank_fields);
    return model->all_names != NULL && model->blank_fields != NULL;
}

/* Make from an AcceptedModel; NULL with an exception set. */
static struct accepted_model *accepted_model_new(PyObject *description,
                                                 const struct surroundings *around) {
    PyObject *type;
    PyObject *fields;
    int forbids_extra;
    int leaves_out_unset;
    int leaves_out_none;
    PyObject *way_of;
    PyObject *before;
    PyObject *step_way_of;
    if (!HAS_FIELDS(description, NAMES_OF_MODEL) ||
        !PyArg_ParseTuple(description, "O!O!pppOOO", &PyType_Type, &type, &PyTuple_Type, &fields,
                          &forbids_extra, &leaves_out_unset, &leaves_out_none, &way_of, &before,
                          &step_way_of)) {
        return NULL;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(fields);
    struct accepted_model *const model =
        blocks_add(&around->schema->blocks, sizeof *model + (size_t)n * sizeof *model->fields);
    if (model == NULL) {
        return NULL;
    }
    model->next = around->schema->models; /* which release it, whole or not */
    around->schema->models = model;
    model->before = take_functions(before);
    if (model->before == NULL) {
        return NULL;
    }
    if (PyTuple_GET_SIZE(model->before) == 0) {
        Py_CLEAR(model->before);
    }
    model->type = (PyTypeObject *)Py_NewRef(type);
    model->forbids_extra = forbids_extra != 0;
    model->leaves_out_unset = leaves_out_unset != 0;
    model->leaves_out_none = leaves_out_none != 0;
    model->n_fields = n;
    model->is_written_in_full = true;
    struct surroundings within = *around;
    within.depth++;
    within.model = model;
    within.outer = around;
    bool is_made = take_callable(way_of, &model->objects.way_of) &&
                   take_callable(step_way_of, &model->steps.way_of);
    for (Py_ssize_t i = 0; is_made && i < n; i++) {
        struct accepted_field *const field = &model->fields[i];
        is_made = accepted_field_init(field, PyTuple_GET_ITEM(fields, i), &within);
        if (!is_made) {
            break;
        }
        model->leaves_out_values |= field->left_out != NULL || field->may_be_absent;
        model->is_written_in_full &= field->left_out == NULL && field->paths == NULL &&
                                     field->output != NULL &&
                                     names_are_equal(field->output, field->key);
    }
    for (int i = 0; is_made && i < N_MODEL_SLOTS; i++) { /* a look-up may clear an exception */
        model->slots[i] = type_slot_named(model->type, SLOT_NAMES[i]);
    }
    return is_made && accepted_model_init_dicts(model, around) ? model : NULL;
}

/* ---- alternatives --------------------------------------------------------------------------- */

/* The fields of an Accepted, in their order. */
enum part {
    PART_TYPE,
    PART_OP,
    PART_LEAST,
    PART_GREATEST,
    PART_AMONG,
    PART_VALIDATOR,
    PART_INNER,
    PART_PLACES,
    PART_TAGS,
    PART_TAG_KEY,
    PART_MODEL,
    PART_ENCLOSING,
    PART_MAPPING,
    PART_ZONE,
    PART_RECORD,
    PART_BEFORE,
    PART_AFTER,
    PART_IS_JSON,
    N_PARTS,
};
static const char *const NAMES_OF_ACCEPTED[N_PARTS] = {
    "exact_type", "op",     "least",  "greatest", "among", "validator",
    "inner",      "places", "tags",   "tag_key",  "model", "enclosing",
    "mapping",    "zone",   "record", "before",   "after", "is_json"};

static PyObject *part(PyObject *description, enum part part) {
    return PyTuple_GET_ITEM(description, part);
}

static bool find_op(PyObject *name, enum op *op) {
    for (size_t i = 0; i < N_OPS; i++) {
        if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, OP_ROWS[i].name) == 0) {
            *op = (enum op)i;
            return true;
        }
    }
    PyErr_Format(PyExc_ValueError, "an acceptance has no op %R", name);
    return false;
}

/* The bits of a type in the rows. */
static unsigned type_bits(const PyTypeObject *type) {
    return type == &PyUnicode_Type      ? OF_STR
           : type == &PyLong_Type       ? OF_INT
           : type == &PyFloat_Type      ? OF_FLOAT
           : type == &PyBool_Type       ? OF_BOOL
           : type == &PyList_Type       ? OF_LIST
           : type == &PyTuple_Type      ? OF_TUPLE
           : type == &PyDict_Type       ? OF_DICT
           : type == &PySet_Type        ? OF_SET
           : type == &PyFrozenSet_Type  ? OF_SET
           : type == &PyBaseObject_Type ? OF_ANOTHER | OF_OTHERS
                                        : OF_ANOTHER;
}

/* The types that an op is for. */
static unsigned op_suits(enum op op, enum schema_use use) {
    return use == TO_MAKE_VALUES ? OP_ROWS[op].made : OP_ROWS[op].fits;
}

/* An alternative lacks what its op reads: false with TypeError set. */
static bool refuse_operands(void) {
    PyErr_SetString(PyExc_TypeError, "an accepted type lacks what it is checked by");
    return false;
}

/* Bounds of ints and lengths; None leaves the one that every value is within. False with an
 * exception set. */
static bool take_int_bounds(PyObject *description, long long *least, long long *greatest) {
    PyObject *const first = part(description, PART_LEAST);
    PyObject *const last = part(description, PART_GREATEST);
    *least = first != Py_None ? PyLong_AsLongLong(first) : LLONG_MIN;
    if (PyErr_Occurred()) {
        return false;
    }
    *greatest = last != Py_None ? PyLong_AsLongLong(last) : LLONG_MAX;
    return PyErr_Occurred() == NULL;
}

static bool take_float_bounds(PyObject *description, double *least, double *greatest) {
    PyObject *const first = part(description, PART_LEAST);
    PyObject *const last = part(description, PART_GREATEST);
    *least = first != Py_None ? PyFloat_AsDouble(first) : -HUGE_VAL;
    if (PyErr_Occurred()) {
        return false;
    }
    *greatest = last != Py_None ? PyFloat_AsDouble(last) : HUGE_VAL;
    return PyErr_Occurred() == NULL;
}

/* The set of known values; false with an exception set. */
static bool take_among(PyObject *set, const struct surroundings *around,
                       struct thread_originals **among) {
    if (!PyFrozenSet_CheckExact(set) || !set_is_plain(set)) {
        return refuse_operands();
    }
    *among = schema_add_originals(around->schema, Py_NewRef(set));
    return *among != NULL;
}

/* A callable that must be there; false with TypeError set. */
static bool take_validator(PyObject *validator, PyObject **place) {
    return validator != Py_None ? take_callable(validator, place) : refuse_operands();
}

static bool text_init(struct alternative *one, PyObject *description,
                      const struct surroundings *around) {
    PyObject *const among = part(description, PART_AMONG);
    if (!take_int_bounds(description, &one->text.least, &one->text.greatest) ||
        (among != Py_None && !take_among(among, around, &one->text.among)) ||
        !take_callable(part(description, PART_VALIDATOR), &one->text.validator)) {
        return false;
    }
    return one->op != OP_BARE || one->text.validator != NULL || refuse_operands();
}

static bool standard_init(struct alternative *one, PyObject *validator,
                          const struct surroundings *around) {
    if (!PyCallable_Check(validator)) {
        return refuse_operands();
    }
    const enum text_value of = one->op == OP_DATE       ? TEXT_OF_DATE
                               : one->op == OP_DATETIME ? TEXT_OF_DATETIME
                                                        : TEXT_OF_UUID;
    one->standard = text_validator_new(&around->schema->blocks, of, validator);
    return !PyErr_Occurred();
}

static bool mapping_init(struct alternative *one, PyObject *mapping) {
    if (!PyDict_CheckExact(mapping)) {
        return refuse_operands();
    }
    one->mapping = Py_NewRef(mapping);
    return true;
}

/* The type `Decimal`, a new reference; NULL with an exception set. */
static PyObject *decimal_type(void) {
    PyObject *const module = PyImport_ImportModule("decimal");
    PyObject *const type = module != NULL ? PyObject_GetAttrString(module, "Decimal") : NULL;
    Py_XDECREF(module);
    return type;
}

/* Whether values of a type have a text, which `suits` tells; false with an exception set. */
static bool has_text(const struct alternative *one, bool suits) {
    if (!suits && !PyErr_Occurred()) {
        PyErr_Format(PyExc_TypeError, "%R has no such text", one->type);
    }
    return !PyErr_Occurred();
}

/* Note what Decimals and their texts are made with; false with an exception set. */
static bool decimal_init(struct alternative *one, PyObject *description) {
    if (!take_int_bounds(description, &one->decimal.n_digits, &one->decimal.n_after) ||
        (one->op == OP_DECIMAL &&
         !take_callable(part(description, PART_VALIDATOR), &one->decimal.validator))) {
        return false;
    }
    one->decimal.type = decimal_type();
    one->decimal.is_known = one->decimal.type != NULL && PyType_Check(one->decimal.type) &&
                            layout_of_decimal_holds((PyTypeObject *)one->decimal.type);
    const bool suits = one->decimal.n_after >= 0 &&
                       (one->op == OP_DECIMAL ? one->decimal.n_digits >= 0
                                              : (PyObject *)one->type == one->decimal.type);
    return has_text(one, suits);
}

/* Note what texts of dates and times are made with; false with an exception set. */
static bool moment_init(struct alternative *one, PyObject *zone) {
    one->moment.zone = one->op == OP_ISO_Z && zone != Py_None ? Py_NewRef(zone) : NULL;
    const PyDateTime_CAPI *const api = PyCapsule_Import(PyDateTime_CAPSULE_NAME, 0);
    if (api == NULL) {
        return false;
    }
    one->moment.api = api;
    one->moment.utcoffset = PyUnicode_InternFromString("utcoffset");
    one->moment.fromutc =
        one->moment.utcoffset != NULL ? PyUnicode_InternFromString("fromutc") : NULL;
    const bool suits =
        one->moment.fromutc != NULL &&
        (one->type == api->DateTimeType ||
         (one->op == OP_ISO && (one->type == api->DateType || one->type == api->TimeType)));
    return has_text(one, suits);
}

/* Whether a record may be here; false with TypeError set. */
static bool is_in_record(const struct surroundings *around) {
    if (around->n_calls == NULL) {
        PyErr_SetString(PyExc_TypeError, "only a record has records within");
    }
    return around->n_calls != NULL;
}

static bool read_init(struct alternative *one, PyObject *record,
                      const struct surroundings *around) {
    one->reads = is_in_record(around) ? read_record_new(record, around) : NULL;
    if (one->reads != NULL && one->op == OP_READ_SINGLE && one->reads->n_fields != 1) {
        PyErr_SetString(PyExc_ValueError, "a record has more than its only field");
        return false;
    }
    return one->reads != NULL;
}

static bool load_init(struct alternative *one, PyObject *description,
                      const struct surroundings *around) {
    if (!take_int_bounds(description, &one->loads.least, &one->loads.greatest) ||
        !is_in_record(around)) {
        return false;
    }
    one->loads.record = load_record_new(part(description, PART_RECORD), around);
    return one->loads.record != NULL;
}

static bool functions_init(struct alternative *one, PyObject *description,
                           const struct surroundings *around) {
    one->functions.before = take_functions(part(description, PART_BEFORE));
    one->functions.after =
        one->functions.before != NULL ? take_functions(part(description, PART_AFTER)) : NULL;
    return one->functions.after != NULL &&
           node_new(part(description, PART_INNER), around, &one->functions.inner);
}

/* ---- choices -------------------------------------------------------------------------------- */

static struct choices *choices_new(Py_ssize_t n, const struct surroundings *around) {
    return blocks_add(&around->schema->blocks,
                      sizeof(struct choices) + (size_t)n * sizeof(const struct node *));
}

/* Add the node of the next place; false with an exception set. */
static bool choices_add(struct choices *choices, PyObject *description,
                        const struct surroundings *around) {
    const bool is_made = node_new(description, around, &choices->at[choices->n]);
    choices->n += is_made;
    return is_made;
}

/* Make from a tuple of nodes, one for each place; false with an exception set. */
static bool choices_by_place(struct choices **made, PyObject *places,
                             const struct surroundings *around) {
    if (!PyTuple_CheckExact(places)) {
        PyErr_SetString(PyExc_TypeError, "the acceptances of places are a tuple");
        return false;
    }
    *made = choices_new(PyTuple_GET_SIZE(places), around);
    bool is_made = *made != NULL;
    for (Py_ssize_t i = 0; is_made && i < PyTuple_GET_SIZE(places); i++) {
        is_made = choices_add(*made, PyTuple_GET_ITEM(places, i), around);
    }
    return is_made;
}

/* Whether searching for a key among the known ones runs no code of theirs, and each key's place is
 * one of n. */
static bool are_places_sound(PyObject *known, Py_ssize_t n) {
    Py_ssize_t position = 0;
    PyObject *key;
    PyObject *place;
    while (PyDict_Next(known, &position, &key, &place)) {
        if (!PyUnicode_CheckExact(key) || !PyLong_CheckExact(place)) {
            return false;
        }
        const Py_ssize_t i = PyLong_AsSsize_t(place);
        if (i < 0 || i >= n) {
            PyErr_Clear();
            return false;
        }
    }
    return PyDict_GET_SIZE(known) == n;
}

/* Make from the dict of places by key, of which the first `least` are required; false with an
 * exception set. */
static bool choices_by_key(struct alternative *one, PyObject *description,
                           const struct surroundings *around) {
    PyObject *const known = part(description, PART_MAPPING);
    PyObject *const least = part(description, PART_LEAST);
    if (!PyDict_CheckExact(known)) {
        return refuse_operands();
    }
    if (!choices_by_place(&one->choices, part(description, PART_PLACES), around)) {
        return false;
    }
    one->choices->n_required = least != Py_None ? PyLong_AsSsize_t(least) : 0;
    if (PyErr_Occurred()) {
        return false;
    }
    one->choices->places = PyDict_Copy(known); /* nobody else can change it */
    return one->choices->places != NULL &&
           (are_places_sound(one->choices->places, one->choices->n) || refuse_operands());
}

/* Make from the key and a dict of nodes by tag; false with an exception set. */
static bool choices_by_tag(struct alternative *one, PyObject *description,
                           const struct surroundings *around) {
    PyObject *const key = part(description, PART_TAG_KEY);
    PyObject *const tags = part(description, PART_TAGS);
    if (!PyUnicode_CheckExact(key) || !PyDict_CheckExact(tags)) {
        PyErr_SetString(PyExc_TypeError, "tags have a key, which is a str, and a dict of choices");
        return false;
    }
    /* a copy: code of a value that is converted may change the dict */
    PyObject *const now = PyDict_Copy(tags);
    struct choices *const made = now != NULL ? choices_new(PyDict_GET_SIZE(now), around) : NULL;
    if (made == NULL) {
        Py_XDECREF(now);
        return false;
    }
    one->choices = made;
    made->tag_key = Py_NewRef(key);
    made->places = PyDict_New();
    bool is_made = made->places != NULL;
    Py_ssize_t position = 0;
    PyObject *tag;
    PyObject *choice;
    while (is_made && PyDict_Next(now, &position, &tag, &choice)) {
        if (!PyUnicode_CheckExact(tag)) {
            PyErr_SetString(PyExc_TypeError, "tags are strs");
            is_made = false;
            break;
        }
        PyObject *const place = PyLong_FromSsize_t(made->n);
        is_made = place != NULL && PyDict_SetItem(made->places, tag, place) == 0 &&
                  choices_add(made, choice, around);
        Py_XDECREF(place);
    }
    Py_DECREF(now);
    return is_made;
}

/* An enclosing model by its number: 1 is the innermost. NULL with ValueError set. */
static struct accepted_model *enclosing_model(PyObject *number, const struct surroundings *around) {
    const Py_ssize_t n = PyLong_AsSsize_t(number);
    for (Py_ssize_t i = 1; i < n && around->outer != NULL; i++) {
        around = around->outer;
    }
    if (n < 1 || around->model == NULL) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "an acceptance is not within %R models", number);
        return NULL;
    }
    return around->model;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* Fill in what the op reads; false with an exception set. */
static bool operands_init(struct alternative *one, PyObject *description,
                          const struct surroundings *around) {
    struct surroundings deeper = *around;
    deeper.depth++;
    PyObject *const model = part(description, PART_MODEL);
    PyObject *const validator = part(description, PART_VALIDATOR);
    switch (one->operands) {
    case OPERANDS_NONE: return true;
    case OPERANDS_INTS: return take_int_bounds(description, &one->ints.least, &one->ints.greatest);
    case OPERANDS_FLOATS:
        return take_float_bounds(description, &one->floats.least, &one->floats.greatest);
    case OPERANDS_TEXT: return text_init(one, description, around);
    case OPERANDS_AMONG: return take_among(part(description, PART_AMONG), around, &one->among);
    case OPERANDS_VALIDATOR: return take_validator(validator, &one->validator);
    case OPERANDS_STANDARD: return standard_init(one, validator, around);
    case OPERANDS_MAPPING: return mapping_init(one, part(description, PART_MAPPING));
    case OPERANDS_DECIMAL: return decimal_init(one, description);
    case OPERANDS_MOMENT: return moment_init(one, part(description, PART_ZONE));
    case OPERANDS_SLOT: one->slot = type_slot_named(one->type, "int"); return !PyErr_Occurred();
    case OPERANDS_READ: return read_init(one, part(description, PART_RECORD), &deeper);
    case OPERANDS_LOAD: return load_init(one, description, &deeper);
    case OPERANDS_FUNCTIONS: return functions_init(one, description, &deeper);
    case OPERANDS_INNER: return node_new(part(description, PART_INNER), &deeper, &one->inner);
    case OPERANDS_ITEMS:
    case OPERANDS_VALUES:
        return take_int_bounds(description, &one->items.least, &one->items.greatest) &&
               node_new(part(description, PART_INNER), &deeper, &one->items.inner);
    case OPERANDS_PLACES:
        return take_int_bounds(description, &one->items.least, &one->items.greatest) &&
               choices_by_place(&one->items.places, part(description, PART_PLACES), &deeper);
    case OPERANDS_FIELDS: return choices_by_key(one, description, &deeper);
    case OPERANDS_TAGS: return choices_by_tag(one, description, &deeper);
    case OPERANDS_MODEL:
        one->model = model == Py_None ? enclosing_model(part(description, PART_ENCLOSING), around)
                                      : accepted_model_new(model, around);
        return one->model != NULL;
    }
    Py_UNREACHABLE();
}

/* Whether a value is looked into, each part by a node of its own. */
static bool alternative_has_parts(const struct alternative *one) {
    return one->op == OP_ITEMS || one->op == OP_VALUES ||
           (one->op == OP_PLACES && one->items.places->n != 0) ||
           (one->op == OP_FIELDS && one->choices->n != 0);
}

/* Whether a description has no bounds that the walk does not look at; false with TypeError set. */
static bool bounds_suit(enum op op, PyObject *description, enum schema_use use) {
    const bool has_any = part(description, PART_GREATEST) != Py_None ||
                         (part(description, PART_LEAST) != Py_None && op != OP_FIELDS);
    return use == TO_MAKE_VALUES || !has_any || refuse_operands();
}

/* Fill in from an Accepted; false with an exception set. */
static bool alternative_init(struct alternative *one, PyObject *description,
                             const struct surroundings *around) {
    enum op op;
    if (!HAS_FIELDS(description, NAMES_OF_ACCEPTED) || !find_op(part(description, PART_OP), &op)) {
        return false;
    }
    PyObject *const type = part(description, PART_TYPE);
    if (!PyType_Check(type) || (type_bits((PyTypeObject *)type) & op_suits(op, around->use)) == 0) {
        PyErr_Format(PyExc_TypeError, "an alternative cannot have the op '%s' with %R",
                     OP_ROWS[op].name, type);
        return false;
    }
    if (around->depth >= SCHEMA_MAX_DEPTH) {
        PyErr_Format(PyExc_ValueError, "an acceptance is nested deeper than %d", SCHEMA_MAX_DEPTH);
        return false;
    }
    const int is_json = PyObject_IsTrue(part(description, PART_IS_JSON));
    if (is_json < 0 || !bounds_suit(op, description, around->use)) {
        return false;
    }
    one->type = (PyTypeObject *)Py_NewRef(type);
    one->op = op;
    one->operands = OP_ROWS[op].operands;
    one->is_json = is_json != 0;
    if (!operands_init(one, description, around)) {
        return false;
    }
    one->has_parts = alternative_has_parts(one);
    return true;
}

/* Note which alternatives are for values of other types than theirs. */
static void node_note_others(struct node *node, enum schema_use use) {
    for (Py_ssize_t i = 0; i < node->n; i++) {
        const struct alternative *const one = &node->alternatives[i];
        if (one->type == &PyBaseObject_Type && (op_suits(one->op, use) & OF_OTHERS) != 0) {
            node->of_any = one;
        }
        if (one->op == OP_MODEL && one->model->objects.way_of != NULL) {
            node->of_objects = one->model;
        }
    }
    if (use == TO_FIT_VALUES && node->n != 0 && node->of_any == NULL) {
        const struct alternative *const first = &node->alternatives[0];
        const bool is_plain = (first->op == OP_TYPE || first->op == OP_DERIVED) && first->is_json;
        node->plain_type = is_plain ? first->type : NULL;
    }
}

bool node_new(PyObject *description, const struct surroundings *around, const struct node **node) {
    *node = NULL;
    if (description == Py_None) {
        return true;
    }
    if (!PyTuple_Check(description)) {
        PyErr_SetString(PyExc_TypeError, "an acceptance is a tuple or None");
        return false;
    }
    const Py_ssize_t n = PyTuple_GET_SIZE(description);
    struct node *const made =
        blocks_add(&around->schema->blocks, sizeof *made + (size_t)n * sizeof *made->alternatives);
    if (made == NULL) {
        return false;
    }
    made->n = n;
    made->next = around->schema->nodes; /* which release it, whole or not */
    around->schema->nodes = made;
    for (Py_ssize_t i = 0; i < n; i++) {
        if (!alternative_init(&made->alternatives[i], PyTuple_GET_ITEM(description, i), around)) {
            return false;
        }
    }
    node_note_others(made, around->use);
    *node = made;
    return true;
}
