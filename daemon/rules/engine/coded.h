/*
 * rules/engine/coded.h: what is found of a kernel whose instructions were not counted
 * from its code: with samples that say how often they ran, or counters of the whole
 * kernel, that is nearly as good. Without either it is its launches and its code
 * alone: where the driver refuses counters and samples to the user, which it does
 * unless somebody changed that. rules.def says which rules do.
 *
 * Of an instruction the code tells how often it is executed next to others of the
 * same loop, and, where its address follows from the thread's number, how many
 * sectors or wavefronts it takes (affine.h). How many turns loops make it does
 * not tell: as many are taken as keep one part of the SM busy for the measured
 * time. That is the most that the code can have done, so a gain is one at most,
 * and the pessimist expects none.
 */
#ifndef CADV_CODED_H
#define CADV_CODED_H

#include "rules/engine/rule.h"

/*
 * coded_ask(x): ask the view's rule about the view's kernel with estimates in the
 * place of everything that was not measured. RULE_FOUND, with drafts that say so,
 * else RULE_NOT_MEASURED.
 */
enum rule_state coded_ask(struct rule_view *x);

/* What such an estimate's evidence comes from. */
#define CODED_FROM "code alone"
#define COUNTED_FROM "counters and code"

/* coded_speaks(rule): is it one of those? coded_counted: does it want counters of
 * the whole kernel beside the code? */
bool coded_speaks(const struct rule *rule);
bool coded_counted(const struct rule *rule);

/* A rule that code tells in another way than counters do; on a view of which the
 * kernel has estimates. */
rule_function coded_global_atomics;

#endif
