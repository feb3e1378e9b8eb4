/*
 * rules/evidence/reads.h: could the records that a rule reads arrive at all? A
 * rule that finds nothing because nobody collected its records has not looked,
 * and must not call the run clean. Pure.
 */
#ifndef CADV_READS_H
#define CADV_READS_H

#include "rules/engine/rule.h"

/* reads_of(rule): the NEED_… of a rule; a rule about the run that names no
 * records needs all of its kind. */
unsigned reads_of(const struct rule *rule);

/*
 * reads_lack(run, needs): the reason why a rule with ${needs} cannot be
 * evaluated on ${run}: CUPTI refused the records, or the program gave nothing
 * to look at. NULL: it can.
 */
const struct reason *reads_lack(const struct run *run, unsigned needs);

/* reads_refused(run, needs): only the first of these: CUPTI refused the
 * records; NULL: it did not. */
const struct reason *reads_refused(const struct run *run, unsigned needs);

/*
 * reads_lost(run, rule): the reason why "nothing found" is not "clean": so many
 * records were lost that what ${rule} looks for may be among them. NULL: no
 * such doubt. A share of the time holds in spite of one lost record in a
 * hundred; a single error or a single release may be the lost one.
 */
const struct reason *reads_lost(const struct run *run, const struct rule *rule);

/* reads_doubt_idle(x, d): says in ${d}, a finding about idle time, that copies were not
 * traced, if they were not (beside XLA), and claims less. */
void reads_doubt_idle(const struct rule_view *x, struct draft *d);

#endif
