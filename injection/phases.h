/*
 * phases.h: which tier measures when, at level source. First the launches are
 * sampled, for as short as it takes; then single launches are measured in
 * windows (counters.h). The order is CUPTI's: a function that was launched in a
 * window runs from another place afterwards, where PC sampling does not know it;
 * and while sampling is on, kernel tracing cannot be switched, as a window has
 * to. Seen on an H200 with CUPTI 13.0.
 */
#ifndef CADV_PHASES_H
#define CADV_PHASES_H

#include <stdbool.h>

struct counters_launch;
struct signature;

/* phases_measure(): may windows be opened? One load. */
bool phases_measure(void);

/* phases_launch(s, l): a launch while they may not: begins, goes on with or ends
 * sampling. True if phases_launched is owed for this launch. */
bool phases_launch(struct signature *s, const struct counters_launch *l);

/* phases_launched(s): its API-exit. True if it was owed. */
bool phases_launched(const struct signature *s);

#endif
