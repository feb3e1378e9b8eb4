/*
 * rules/engine/coded.h: findings from the code of a kernel whose instructions were
 * not counted. With samples that tell how often they ran, or with counters of the
 * whole kernel, this is nearly as good as counts. Without either there are only
 * the launches and the code: the driver refuses counters and samples to ordinary
 * users unless that was changed. rules.def says which rules can be asked so.
 *
 * The code tells how often an instruction is executed relative to others of the
 * same loop and, if its address follows from the thread's number, how many
 * sectors or wavefronts it takes (affine.h). It does not tell the number of
 * iterations of loops: as many are assumed as keep one unit of the SM busy for
 * the measured time. That is the most that the code can have done, so a gain is
 * an upper bound, and the low view has none.
 */
#ifndef CADV_CODED_H
#define CADV_CODED_H

#include "rules/engine/rule.h"

/*
 * coded_ask(x): ask the view's rule about the view's kernel with estimates for
 * everything that was not measured. Returns RULE_FOUND, with drafts that say
 * so, else RULE_NOT_MEASURED.
 */
enum rule_state coded_ask(struct rule_view *x);

/* The origin of such evidence. */
#define CODED_FROM "code alone"
#define COUNTED_FROM "counters and code"
#define SUMMED_FROM "counts by instruction"

/* coded_speaks(rule): can the rule be asked so? coded_counted(rule): does it
 * need counters of the whole kernel besides the code? */
bool coded_speaks(const struct rule *rule);
bool coded_counted(const struct rule *rule);

/* A rule that is evaluated differently from code than from counters; the view's
 * kernel must have estimates. */
rule_function coded_global_atomics;

#endif
