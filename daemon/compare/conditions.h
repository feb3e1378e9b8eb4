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

/* conditions_parse(text, allowed): set bits of enum condition in *${allowed} from names
 * separated by commas; none if ${text} is NULL. -1 if a name is unknown. */
int conditions_parse(const char *text, uint32_t *allowed);

/*
 * conditions_of(run, processes, devices): the conditions of one run: its GPUs, driver,
 * level, program, arguments, end, whether its record is complete; and those recorded
 * with it (json_conditions): its environment, and observations of its GPUs during the
 * run. All are borrowed, all but ${run} may be NULL. New reference; NULL without memory.
 */
json_t *conditions_of(const json_t *run, const json_t *processes,
    const json_t *devices);

/*
 * conditions_other_program(out, size, base, target): are both runs known to be of
 * different programs, by file name without folder? If so, a sentence in ${out}, which
 * may be NULL. conditions_one_program(base, target, allowed): do they count as runs of
 * one program: not known to differ, or CONDITION_PROGRAM is allowed?
 */
bool conditions_other_program(char *out, size_t size, const json_t *base,
    const json_t *target);
bool conditions_one_program(const json_t *base, const json_t *target,
    uint32_t allowed);

/*
 * conditions_check(out, c, allowed): append to the array ${out} the reasons, {"code",
 * "text"}, for which the run of ${c} cannot be compared with any. conditions_differ(out,
 * base, target, allowed, common): append the differences between two runs; ${common}:
 * the runs have a kernel in common, so programs with different names are versions of
 * one. ${allowed}: bits of enum condition that do not count.
 */
void conditions_check(json_t *out, const json_t *c, uint32_t allowed);
void conditions_differ(json_t *out, const json_t *base, const json_t *target,
    uint32_t allowed, bool common);

#endif
