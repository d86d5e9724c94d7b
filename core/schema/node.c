/* SPDX-License-Identifier: MIT */
#include "schema/node.h"

#include "schema/record.h"

/* ---- release -------------------------------------------------------------------------------- */

static void choices_free(struct choices *choices) {
    if (choices != NULL) {
        Py_XDECREF(choices->tag_key);
        Py_XDECREF(choices->places);
        PyMem_Free(choices);
    }
}

/* An alternative whose making has failed has some of its operands; all others are NULL. */
static void alternative_clear(const struct alternative *one) {
    Py_XDECREF(one->type);
    switch (one->operands) {
    case OPERANDS_NONE:
    case OPERANDS_INTS:
    case OPERANDS_FLOATS:
    case OPERANDS_SLOT:
    case OPERANDS_ITEMS:
    case OPERANDS_VALUES:
    case OPERANDS_MODEL: break; /* they own nothing */
    case OPERANDS_TEXT:
        thread_originals_free(one->text.among);
        Py_XDECREF(one->text.validator);
        break;
    case OPERANDS_AMONG: thread_originals_free(one->among); break;
    case OPERANDS_VALIDATOR: Py_XDECREF(one->validator); break;
    case OPERANDS_STANDARD: text_validator_free(one->standard); break;
    case OPERANDS_MAPPING: Py_XDECREF(one->mapping); break;
    case OPERANDS_DECIMAL:
        Py_XDECREF(one->decimal.validator);
        Py_XDECREF(one->decimal.type);
        break;
    case OPERANDS_MOMENT:
        Py_XDECREF(one->moment.zone);
        Py_XDECREF(one->moment.utcoffset);
        Py_XDECREF(one->moment.fromutc);
        break;
    case OPERANDS_READ: read_record_free(one->reads); break;
    case OPERANDS_LOAD: load_record_free(one->loads.record); break;
    case OPERANDS_FUNCTIONS:
        Py_XDECREF(one->functions.before);
        Py_XDECREF(one->functions.after);
        break;
    case OPERANDS_PLACES: choices_free(one->items.places); break;
    case OPERANDS_FIELDS:
    case OPERANDS_TAGS: choices_free(one->choices); break;
    }
}

static void accepted_model_free(struct accepted_model *model) {
    for (Py_ssize_t i = 0; i < model->n_fields; i++) {
        const struct accepted_field *const field = &model->fields[i];
        Py_XDECREF(field->name);
        Py_XDECREF(field->key);
        Py_XDECREF(field->other_key);
        Py_XDECREF(field->output);
        Py_XDECREF(field->absent);
        Py_XDECREF(field->factory);
        Py_XDECREF(field->left_out);
    }
    Py_XDECREF(model->before);
    Py_XDECREF(model->way_of);
    thread_originals_free(model->all_names);
    Py_XDECREF(model->text_template);
    thread_originals_free(model->blank_fields);
    Py_XDECREF(model->type);
    PyMem_Free(model);
}

void schema_clear(struct schema *schema) {
    const struct schema all = *schema;
    *schema = (struct schema){.nodes = NULL}; /* finalizers may look at what has it */
    for (struct node *node = all.nodes; node != NULL;) {
        struct node *const next = node->next;
        for (Py_ssize_t i = 0; i < node->n; i++) {
            alternative_clear(&node->alternatives[i]);
        }
        PyMem_Free(node);
        node = next;
    }
    for (struct accepted_model *model = all.models; model != NULL;) {
        struct accepted_model *const next = model->next;
        accepted_model_free(model);
        model = next;
    }
}

/* ---- visits --------------------------------------------------------------------------------- */

static int alternative_traverse(const struct alternative *one, visitproc visit, void *arg) {
    Py_VISIT(one->type);
    switch (one->operands) {
    case OPERANDS_NONE:
    case OPERANDS_INTS:
    case OPERANDS_FLOATS:
    case OPERANDS_SLOT:
    case OPERANDS_ITEMS:
    case OPERANDS_VALUES:
    case OPERANDS_MODEL:
    case OPERANDS_AMONG: /* what they own leads nowhere */
    case OPERANDS_PLACES:
    case OPERANDS_FIELDS:
    case OPERANDS_TAGS: break;
    case OPERANDS_TEXT: Py_VISIT(one->text.validator); break;
    case OPERANDS_VALIDATOR: Py_VISIT(one->validator); break;
    case OPERANDS_STANDARD: return text_validator_traverse(one->standard, visit, arg);
    case OPERANDS_MAPPING: Py_VISIT(one->mapping); break;
    case OPERANDS_DECIMAL:
        Py_VISIT(one->decimal.validator);
        Py_VISIT(one->decimal.type);
        break;
    case OPERANDS_MOMENT: Py_VISIT(one->moment.zone); break;
    case OPERANDS_READ: return read_record_traverse(one->reads, visit, arg);
    case OPERANDS_LOAD: return load_record_traverse(one->loads.record, visit, arg);
    case OPERANDS_FUNCTIONS:
        Py_VISIT(one->functions.before);
        Py_VISIT(one->functions.after);
        break;
    }
    return 0;
}

static int accepted_model_traverse(const struct accepted_model *model, visitproc visit, void *arg) {
    Py_VISIT(model->type);
    Py_VISIT(model->before);
    Py_VISIT(model->way_of);
    for (Py_ssize_t i = 0; i < model->n_fields; i++) {
        Py_VISIT(model->fields[i].absent);
        Py_VISIT(model->fields[i].factory);
        Py_VISIT(model->fields[i].left_out);
    }
    return 0;
}

int schema_traverse(const struct schema *schema, visitproc visit, void *arg) {
    int answer = 0;
    for (const struct node *node = schema->nodes; answer == 0 && node != NULL; node = node->next) {
        for (Py_ssize_t i = 0; answer == 0 && i < node->n; i++) {
            answer = alternative_traverse(&node->alternatives[i], visit, arg);
        }
    }
    const struct accepted_model *model = schema->models;
    for (; answer == 0 && model != NULL; model = model->next) {
        answer = accepted_model_traverse(model, visit, arg);
    }
    return answer;
}
