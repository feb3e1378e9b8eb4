/*
 * budget.h: the time that measuring may take from the program, as one number that
 * grows with the run: a share of it (--overhead-budget) and, with any share, an
 * allowance for setting up and the first values. What would go beyond it is not
 * begun. Any thread.
 */
#ifndef CADV_BUDGET_H
#define CADV_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/record.h"

/* budget_spend(begin, kind): what began at ${begin} (inject_now) ends here: an
 * OVERHEAD record, charged. */
void budget_spend(uint64_t begin, enum wire_overhead kind);

/* budget_charge(begin, end, kind): the same of what ended at ${end}. */
void budget_charge(uint64_t begin, uint64_t end, enum wire_overhead kind);

/* budget_allows(now, cost): may something that takes ${cost} nanoseconds be begun
 * at ${now}? The first no is reported. */
bool budget_allows(uint64_t now, uint64_t cost);

/* budget_exceeded(): did budget_allows say no? */
bool budget_exceeded(void);

#endif
