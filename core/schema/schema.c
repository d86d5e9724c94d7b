/* SPDX-License-Identifier: MIT */
#include "schema/schema.h"

static int choices_traverse(const struct choices *choices, visitproc visit, void *arg) {
    if (choices != NULL) {
        Py_VISIT(choices->tag_key);
        Py_VISIT(choices->places);
    }
    return 0;
}

/* An alternative whose making has failed has some of its operands; all others are NULL. */
static int alternative_traverse(const struct alternative *one, visitproc visit, void *arg) {
    Py_VISIT(one->type);
    switch (one->operands) {
    case OPERANDS_NONE:
    case OPERANDS_INTS:
    case OPERANDS_FLOATS:
    case OPERANDS_SLOT:
    case OPERANDS_INNER:
    case OPERANDS_ITEMS:
    case OPERANDS_VALUES:
    case OPERANDS_MODEL:
    case OPERANDS_READ:
    case OPERANDS_LOAD: return 0; /* they own nothing, or it is in a list of the schema */
    case OPERANDS_TEXT:
        Py_VISIT(one->text.validator);
        return thread_originals_traverse(one->text.among, visit, arg);
    case OPERANDS_AMONG: return thread_originals_traverse(one->among, visit, arg);
    case OPERANDS_VALIDATOR: Py_VISIT(one->validator); return 0;
    case OPERANDS_STANDARD: return text_validator_traverse(one->standard, visit, arg);
    case OPERANDS_MAPPING: Py_VISIT(one->mapping); return 0;
    case OPERANDS_DECIMAL:
        Py_VISIT(one->decimal.validator);
        Py_VISIT(one->decimal.type);
        return 0;
    case OPERANDS_MOMENT:
        Py_VISIT(one->moment.zone);
        Py_VISIT(one->moment.utcoffset);
        Py_VISIT(one->moment.fromutc);
        return 0;
    case OPERANDS_FUNCTIONS:
        Py_VISIT(one->functions.before);
        Py_VISIT(one->functions.after);
        return 0;
    case OPERANDS_PLACES: return choices_traverse(one->items.places, visit, arg);
    case OPERANDS_FIELDS:
    case OPERANDS_TAGS: return choices_traverse(one->choices, visit, arg);
    }
    Py_UNREACHABLE();
}

static int accepted_model_traverse(const struct accepted_model *model, visitproc visit, void *arg) {
    Py_VISIT(model->type);
    Py_VISIT(model->before);
    Py_VISIT(model->objects.way_of);
    Py_VISIT(model->steps.way_of);
    Py_VISIT(model->text_template);
    for (Py_ssize_t i = 0; i < model->n_fields; i++) {
        const struct accepted_field *const field = &model->fields[i];
        Py_VISIT(field->name);
        Py_VISIT(field->key);
        Py_VISIT(field->other_key);
        Py_VISIT(field->paths);
        Py_VISIT(field->output);
        Py_VISIT(field->absent);
        Py_VISIT(field->factory);
        Py_VISIT(field->left_out);
    }
    const int answer = thread_originals_traverse(model->all_names, visit, arg);
    return answer != 0 ? answer : thread_originals_traverse(model->blank_fields, visit, arg);
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
    const struct read_record *reads = schema->reads;
    for (; answer == 0 && reads != NULL; reads = reads->next) {
        answer = read_record_traverse(reads, visit, arg);
    }
    const struct load_record *loads = schema->loads;
    for (; answer == 0 && loads != NULL; loads = loads->next) {
        answer = load_record_traverse(loads, visit, arg);
    }
    return answer;
}

void schema_clear(struct schema *schema) {
    const struct schema all = *schema;
    *schema = (struct schema){.nodes = NULL}; /* finalizers may look at what has it */
    schema_traverse(&all, visit_to_release, NULL);
    for (struct read_record *record = all.reads; record != NULL; record = record->next) {
        read_record_forget(record);
    }
    blocks_free(all.blocks);
}
