/*
 * facts/cycles.h: latencies that a warp waits for, in SM cycles, where no other warp
 * hides them.
 */
#ifndef CADV_CYCLES_H
#define CADV_CYCLES_H

/* A load from DRAM: up to 600 in public microbenchmarks of V100, A100 and H100; a third
 * more is assumed for misses of the TLB, and not measured. */
#define CYCLES_TRIP 800

/* From one instruction to the next that needs its result. */
#define CYCLES_ISSUE 6

#endif
