/*
 * hold.h: how long measuring holds the program. A hold is the time for which a thread
 * of the program waits in one of our callbacks. No hold is longer than --max-stall,
 * apart from replays and the one set-up of a context before its first kernel is
 * measured; these are summed separately. What is known to take longer is not started.
 */
#ifndef CADV_HOLD_H
#define CADV_HOLD_H

#include <stdbool.h>
#include <stdint.h>

enum hold_kind { HOLD_MEASURE, HOLD_SETUP, HOLD_REPLAY };

/* hold_fits(begin, cost): whether a hold that began at ${begin} (inject_now) stays
 * within the limit if it takes ${cost} nanoseconds more. */
bool hold_fits(uint64_t begin, uint64_t cost);

/* hold_left(begin, reserve): for how many nanoseconds a hold that began at ${begin} may
 * still wait if ${reserve} nanoseconds are needed afterwards; 0: none. */
uint64_t hold_left(uint64_t begin, uint64_t reserve);

/* hold_add(kind, ns): count a hold that has ended. Any thread. */
void hold_add(enum hold_kind kind, uint64_t ns);

/* hold_send(final): send the sums so far if they changed; with ${final} in any case.
 * Sender thread only. */
void hold_send(bool final);

#endif
