/*
 * range.h: NVTX ranges from CUPTI's markers: a start and an end marker, in either
 * order, make one RANGE. Memory, the strings sent and the number of ranges are bounded,
 * so that a program that makes millions of ranges loses ranges, but never launches.
 * Sender thread only.
 */
#ifndef CADV_RANGE_H
#define CADV_RANGE_H

#include "cupti_api.h"

#define RANGE_MOST (1u << 20)	/* of a process; then markers are disabled in CUPTI */
#define RANGE_OPEN (1u << 14)	/* open at the same time */

/* range_marker(m): take in marker ${m}; emits a RANGE if its other half is known. */
void range_marker(const CUpti_ActivityMarker2 *m);

/* range_cut(now): recording ends: send the open ranges, ended at ${now} and marked
 * RANGE_CUT. */
void range_cut(uint64_t now);

#endif
