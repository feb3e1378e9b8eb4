/*
 * rules/engine/order.h: the order of findings, and what is left to save of each
 * once those before it are fixed.
 */
#ifndef CADV_ORDER_H
#define CADV_ORDER_H

#include "rules/engine/rule.h"

/* order_is_correctness(d): is it about correct results? Such findings predict
 * no seconds. */
bool order_is_correctness(const struct draft *d);

/*
 * order_all(d, n, run, together_s): sort the ranked drafts: first what saves the
 * most, then what saves the most once that is fixed, and so on. Sets f.left_s and
 * f.after of each: two fixes of one kernel may take the same time away, and so may
 * two claims on the same idle time. For fixes of a kernel its model is evaluated
 * with both; claims share what their pools hold; all of them share ${together_s},
 * what they save at once. A finding that bars another (draft.waits) comes before
 * it if it saves more than the other surely does meanwhile; f.behind of the other
 * is then its rank. Without memory each counts by itself.
 */
void order_all(struct draft *d, size_t n, const struct run *run,
    double together_s);

#endif
