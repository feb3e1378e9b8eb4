/*
 * facts/cycles.h: how long a warp waits where nothing hides it, in cycles of an SM.
 */
#ifndef CADV_CYCLES_H
#define CADV_CYCLES_H

/* For memory, where the TLB misses, too: the longest that public microbenchmarks of
 * V100, A100 and H100 have, and what the misses add. */
#define CYCLES_TRIP 800

/* From one instruction to the next that needs its result. */
#define CYCLES_ISSUE 6

#endif
