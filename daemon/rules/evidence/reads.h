/*
 * rules/evidence/reads.h: whether the records that a rule reads could arrive at all. A
 * rule that finds nothing in records that nobody collected has not looked, and
 * must not say that the run is clean. Pure.
 */
#ifndef CADV_READS_H
#define CADV_READS_H

#include "rules/engine/rule.h"

/* reads_of(rule): what a rule needs; one about the run that names no records is
 * taken to read all of its kind. */
unsigned reads_of(const struct rule *rule);

/*
 * reads_lack(run, needs): why a rule with ${needs} cannot be asked about
 * ${run}: CUPTI refused the records, or the program gave nothing to look at.
 * NULL: it can.
 */
const struct reason *reads_lack(const struct run *run, unsigned needs);

/* reads_refused(run, needs): the first half of it: CUPTI refused them. */
const struct reason *reads_refused(const struct run *run, unsigned needs);

/*
 * reads_lost(run, rule): why "nothing found" is not "clean": so many records
 * were lost that what ${rule} looks for may be among them. NULL: no such doubt.
 * A share of the time stands whatever one record in a hundred says; a single
 * error or a single release may be the one that was lost.
 */
const struct reason *reads_lost(const struct run *run, const struct rule *rule);

#endif
