/*
 * budget.h: the overhead budget: the time that measuring may add to the program. It is
 * one sum that grows with the run: a share of the run's time (--overhead-budget), which
 * falls as the run goes on, and, unless that share is 0, an allowance for set-up and
 * first values, of which what is left lapses when no new function has been launched for
 * a while. Nothing is started that would exceed the sum. Any thread.
 */
#ifndef CADV_BUDGET_H
#define CADV_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/record.h"

/* budget_spend(begin, kind): charge the time from ${begin} (inject_now) until
 * now and emit an OVERHEAD record. */
void budget_spend(uint64_t begin, enum wire_overhead kind);

/* budget_charge(begin, end, kind): the same for the interval from ${begin} to
 * ${end}. */
void budget_charge(uint64_t begin, uint64_t end, enum wire_overhead kind);

/* budget_allows(now, cost): whether the budget at time ${now} has ${cost} nanoseconds
 * left. The first refusal is reported. */
bool budget_allows(uint64_t now, uint64_t cost);

/* budget_renew(now): a function is launched for the first time at ${now}: the allowance
 * is there, or there again, for its first values. */
void budget_renew(uint64_t now);

/* budget_when(cost): the time (inject_now) before which budget_allows refuses ${cost}
 * nanoseconds, whatever else is spent, unless it is renewed; UINT64_MAX: always. */
uint64_t budget_when(uint64_t cost);

/* budget_exceeded(): whether budget_allows has refused anything. */
bool budget_exceeded(void);

#endif
