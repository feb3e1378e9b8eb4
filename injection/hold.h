/*
 * hold.h: how long measuring holds the program. A hold is the time for which a
 * thread of the program is kept in one of our callbacks by a wait. None is
 * longer than --max-stall, except replays and the one set-up of a context
 * before its first kernel is measured, which are summed separately. What is
 * known to take longer is not started.
 */
#ifndef CADV_HOLD_H
#define CADV_HOLD_H

#include <stdbool.h>
#include <stdint.h>

enum hold_kind { HOLD_MEASURE, HOLD_SETUP, HOLD_REPLAY };

/* hold_fits(begin, cost): does a hold that began at ${begin} (inject_now) stay
 * within the limit if it takes ${cost} nanoseconds more? */
bool hold_fits(uint64_t begin, uint64_t cost);

/* hold_left(begin, reserve): nanoseconds that a hold that began at ${begin} may
 * still last if ${reserve} of them are needed at its end; 0: none. */
uint64_t hold_left(uint64_t begin, uint64_t reserve);

/* hold_add(kind, ns): count a hold that has ended. Any thread. */
void hold_add(enum hold_kind kind, uint64_t ns);

/* hold_send(final): send the sums so far if they changed, or with ${final} in
 * any case. Sender thread only. */
void hold_send(bool final);

#endif
