/*
 * rules/engine/group.h: one finding per cause. Rules look at kernels, which are
 * launch shapes; all that one change to the source fixes is one finding, in
 * however many shapes the function is launched:
 *
 *  - the same rule on the same function, if the lines of both, where known,
 *    have one in common;
 *  - for a rule about the launch also blocks of the same shape: another block
 *    size is another decision;
 *  - the same rule on instances of one template, with a known and equal launch site,
 *    equal blocks and a common line (not for a rule about the launch, which also needs
 *    no line of the site if the program has none, but then the same function and grid);
 *  - the same rule on any kernels that one setting of a library fixes (draft.setting).
 *
 * The shape that saves the most represents the finding; its seconds are the sum
 * over all shapes.
 */
#ifndef CADV_GROUP_H
#define CADV_GROUP_H

#include <stddef.h>

#include "rules/engine/rule.h"

/* group_is_named(k): is the name known? Kernels whose names were lost are many
 * functions. */
bool group_is_named(const struct kernel *k);

/* group_key(d): set d->cause, a hash of what drafts of one group share; 0 if nothing
 * of that is known, or ${d} is about no kernel. To be called after lines_finish. */
void group_key(struct draft *d);

/*
 * group_fold(x, first, d): add the seconds of ${d}, for which the view has no
 * room, to the draft of the same cause from ${first} on, if there is one. Up to
 * FOLDED_MAX in a run; more are left out of the sum. group_clear frees them.
 */
#define FOLDED_MAX 20000	/* 1 kB each */
void group_fold(struct rule_view *x, size_t first, const struct draft *d);
/* group_add(x, into, m): add ${m} as a shape of ${into}; up to FOLDED_MAX. */
void group_add(struct rule_view *x, struct draft *into, const struct member *m);
void group_clear(struct rule_view *x);

/* group_all(x): merge the view's drafts, each ranked by rank_kernel, to one per
 * cause; they stay in table order. Without memory the arena fails. */
void group_all(struct rule_view *x);

#endif
