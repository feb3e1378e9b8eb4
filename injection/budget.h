/*
 * budget.h: the overhead budget: the time that measuring may add to the
 * program, one sum that grows with the run: a share of it (--overhead-budget),
 * and with any share but 0 an allowance for setting up and the first values.
 * What would exceed the sum is not started. Any thread.
 */
#ifndef CADV_BUDGET_H
#define CADV_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/record.h"

/* budget_spend(begin, kind): charge the time from ${begin} (inject_now) until
 * now and emit an OVERHEAD record. */
void budget_spend(uint64_t begin, enum wire_overhead kind);

/* budget_charge(begin, end, kind): the same for an interval that ended at
 * ${end}. */
void budget_charge(uint64_t begin, uint64_t end, enum wire_overhead kind);

/* budget_allows(now, cost): is there budget at ${now} for ${cost} nanoseconds?
 * The first refusal is reported. */
bool budget_allows(uint64_t now, uint64_t cost);

/* budget_exceeded(): has budget_allows refused anything? */
bool budget_exceeded(void);

#endif
