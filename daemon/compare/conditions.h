/*
 * compare/conditions.h: under which conditions a run was made, and whether two runs
 * were made under the same. Pure: from documents to documents.
 */
#ifndef CADV_CONDITIONS_H
#define CADV_CONDITIONS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* What may make two runs incomparable; `--allow` names them. */
enum condition {
#define CONDITION(id, name, help) CONDITION_##id,
#include "compare/condition.def"
	CONDITIONS
};
extern const char *const condition_name[CONDITIONS];

/* conditions_parse(text, allowed): the bits of names with commas between; NULL is
 * none. -1: one of them is no condition. */
int conditions_parse(const char *text, uint32_t *allowed);

/*
 * conditions_of(run, processes, devices): of one run: its GPUs, driver, level, program,
 * arguments, end, whether its record is complete; and what was recorded with it
 * (json_conditions): its environment, and what was seen of its GPUs meanwhile. All are
 * borrowed, all but ${run} may be NULL. New reference; NULL without memory.
 */
json_t *conditions_of(const json_t *run, const json_t *processes,
    const json_t *devices);

/*
 * conditions_other_program(out, size, base, target): are both known to be runs of
 * different programs, by the name of the file? The folder may be another. Says so in
 * ${out}, which may be NULL. conditions_one_program(base, target, allowed): are they to
 * be taken as runs of one?
 */
bool conditions_other_program(char *out, size_t size, const json_t *base,
    const json_t *target);
bool conditions_one_program(const json_t *base, const json_t *target,
    uint32_t allowed);

/*
 * conditions_check(out, c, allowed): append to the array ${out} what alone makes
 * the run of ${c} unfit: {"code", "text"}. conditions_differ(out, base, target,
 * allowed, common): what differs; ${common}: have the runs a kernel in common? Then
 * programs of other names are versions of one. ${allowed}: bits of enum condition that
 * do not count.
 */
void conditions_check(json_t *out, const json_t *c, uint32_t allowed);
void conditions_differ(json_t *out, const json_t *base, const json_t *target,
    uint32_t allowed, bool common);

#endif
