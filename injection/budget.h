/*
 * budget.h: the time that measuring may take from the program: an allowance for
 * setting up and the first values, once, and a share of the run beyond it
 * (--overhead-budget). Any thread.
 */
#ifndef CADV_BUDGET_H
#define CADV_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/record.h"

/* budget_spend(begin, kind): what began at ${begin} (inject_now) ends here: an
 * OVERHEAD record, charged. */
void budget_spend(uint64_t begin, enum wire_overhead kind);

/* budget_tell(begin, kind): the same, but not charged. Returns how long it was. */
uint64_t budget_tell(uint64_t begin, enum wire_overhead kind);

/* budget_left(now): may more be measured at ${now}? The first no is reported. */
bool budget_left(uint64_t now);

/* budget_exceeded(): did budget_left say no? */
bool budget_exceeded(void);

#endif
