/*
 * facts/cycles.h: how long a warp waits where nothing hides it, in cycles of an SM.
 */
#ifndef CADV_CYCLES_H
#define CADV_CYCLES_H

/* For memory: up to 600 in public microbenchmarks of V100, A100 and H100; a third more
 * is taken for misses of the TLB, and not measured. */
#define CYCLES_TRIP 800

/* From one instruction to the next that needs its result. */
#define CYCLES_ISSUE 6

#endif
