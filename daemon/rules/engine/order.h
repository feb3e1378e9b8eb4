/*
 * rules/engine/order.h: the order of findings, and what of each is left to save once
 * those before it are done.
 */
#ifndef CADV_ORDER_H
#define CADV_ORDER_H

#include "rules/engine/rule.h"

/* order_is_correctness(d): a question of right results, which predicts nothing. */
bool order_is_correctness(const struct draft *d);

/*
 * order_all(d, n, run, together_s): sort the ranked drafts: first what saves the most, then what
 * saves the most once that is done, and so on. Sets f.left_s of each, and f.after:
 * two fixes of one kernel may take the same time away, and so may two claims on the
 * same idle time. Of fixes of a kernel its model is evaluated again with both; of
 * claims there is what their pools hold; of all it is ${together_s}, what they save at
 * once. What bars another (draft.waits) stands in front of it where it saves more than
 * the other does for sure meanwhile; that one has its rank in f.behind. Without memory
 * each is taken to be alone.
 */
void order_all(struct draft *d, size_t n, const struct run *run,
    double together_s);

#endif
