/*
 * rules/engine/group.h: one cause, one finding. Rules look at kernels, which are launch
 * shapes; what one change to the source mends is one finding, however many shapes
 * the function is launched in:
 *
 *   - the same rule on the same function, where its lines, if they are known,
 *     have one in common;
 *   - that of a rule about the launch, in blocks of the same shape: another block
 *     is another choice;
 *   - that on instances of one template, where the launch site is known and the
 *     same, the block too, and the line (which a rule about the launch needs not;
 *     nor does it need the site's line where the program has none, but its function
 *     and the grid are the same);
 *   - that on any kernels that one setting of a library mends (draft.setting).
 *
 * The shape that saves the most speaks; seconds are the sum over all of them.
 */
#ifndef CADV_GROUP_H
#define CADV_GROUP_H

#include <stddef.h>

#include "rules/engine/rule.h"

/* group_is_named(k): kernels whose names were lost are many functions. */
bool group_is_named(const struct kernel *k);

/* group_key(d): set what drafts of one group have in common, d->cause; 0 where
 * nothing of it is known, or it is no kernel's. After lines_finish. */
void group_key(struct draft *d);

/*
 * group_fold(x, first, d): ${d}, which has no place in the view, adds its seconds
 * to the one of the same cause from ${first} on, if there is one. Up to FOLDED_MAX
 * a run; beyond, they are left out of the sum. group_clear frees them.
 */
#define FOLDED_MAX 20000	/* 1 kB each */
void group_fold(struct rule_view *x, size_t first, const struct draft *d);
/* group_add(x, into, m): make ${m} a shape of ${into}; within FOLDED_MAX. */
void group_add(struct rule_view *x, struct draft *into, const struct member *m);
void group_clear(struct rule_view *x);

/* group_all(x): make the view's drafts, ranked each for itself (rank_kernel), one
 * a cause; their order stays that of the table. Without memory the arena fails. */
void group_all(struct rule_view *x);

#endif
