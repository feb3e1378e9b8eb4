/*
 * phases.h: which tier measures when, at level source. A kernel that is launched
 * for the first time gets the first counters, for it may be the only time. With
 * the first one that comes again sampling begins, for as short as it takes; then
 * come the windows (counters.h) that patch code. The order is CUPTI's: a function
 * whose code was patched in a window runs from another place afterwards, where PC
 * sampling does not know it; the range profiler does not go beside PC sampling;
 * and while sampling is on, kernel tracing cannot be switched, as a window has
 * to. Seen on an H200 with CUPTI 13.0.
 */
#ifndef CADV_PHASES_H
#define CADV_PHASES_H

#include <stdbool.h>

struct counters_launch;
struct signature;

/* phases_window(s): may a window be opened for this launch of ${s}? Else
 * phases_launch is to be asked. Two loads. */
bool phases_window(const struct signature *s);

/* phases_first(s): is such a window for the first counters alone? Sampling may
 * follow, and so no code may be patched. Two loads. */
bool phases_first(const struct signature *s);

/* phases_launch(s, l): a launch for which no window may be opened: begins, goes
 * on with or ends sampling. True if phases_launched is owed for this launch. */
bool phases_launch(struct signature *s, const struct counters_launch *l);

/* phases_launched(s): its API-exit. True if it was owed. */
bool phases_launched(const struct signature *s);

#endif
