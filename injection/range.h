/*
 * range.h: NVTX ranges from CUPTI's markers: a start and an end, in either order,
 * make one RANGE. Memory, the strings sent and the number of ranges are bounded, so
 * that a program that makes millions of them loses ranges, never launches. Sender
 * thread only.
 */
#ifndef CADV_RANGE_H
#define CADV_RANGE_H

#include "cupti_api.h"

#define RANGE_MOST (1u << 20)	/* a process; then CUPTI is told to stop */
#define RANGE_OPEN (1u << 14)	/* at once */
#define RANGE_NAMES (1u << 14)	/* different ones; then their numbers are cut out, */
#define RANGE_FOLDED (1u << 12)	/* and so many are left; then they have no name */
#define RANGE_NAME 512		/* bytes of a name */

/* range_marker(m): take in ${m}; emits a RANGE when it is the second of the two. */
void range_marker(const CUpti_ActivityMarker2 *m);

/* range_cut(now): recording ends: those that are open are sent as far as they are,
 * marked RANGE_CUT. */
void range_cut(uint64_t now);

#endif
