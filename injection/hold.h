/*
 * hold.h: how long measuring holds the program. A hold is the time for which one of
 * its threads is kept in one of our callbacks by something that we wait for; none
 * lasts longer than --max-stall, but for replays and for the one set-up of a context
 * before its first kernel is measured, which are told apart. What is known to take
 * longer is not begun.
 */
#ifndef CADV_HOLD_H
#define CADV_HOLD_H

#include <stdbool.h>
#include <stdint.h>

enum hold_kind { HOLD_MEASURE, HOLD_SETUP, HOLD_REPLAY };

/* hold_fits(begin, cost): would a hold that began at ${begin} (inject_now) stay
 * within the limit if ${cost} nanoseconds are added from now on? */
bool hold_fits(uint64_t begin, uint64_t cost);

/* hold_left(begin, reserve): how long a hold that began at ${begin} may go on if
 * ${reserve} nanoseconds have to be left at its end; 0: no longer. */
uint64_t hold_left(uint64_t begin, uint64_t reserve);

/* hold_add(kind, ns): one hold is over. Any thread. */
void hold_add(enum hold_kind kind, uint64_t ns);

/* hold_send(final): tell the sums so far, where they are new, or with ${final} in
 * any case. Sender thread only. */
void hold_send(bool final);

#endif
