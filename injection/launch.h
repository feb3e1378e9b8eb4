/*
 * launch.h: host time of each call, by correlation id. The launch callback
 * writes; the sender thread reads when the activity record arrives a little
 * later. A fixed table without locks: an overwritten or torn entry reads as
 * unknown.
 */
#ifndef CADV_LAUNCH_H
#define CADV_LAUNCH_H

#include <stdint.h>

struct launch {
	uint64_t enter_ns;	/* CLOCK_REALTIME; 0 unknown */
	uint32_t tid;
};

/* The addresses that a copy between host and device was called with; 0
 * unknown. */
struct launch_copy {
	uint64_t dst, src;
};

/* launch_init(): map the table (pages are touched as they are used). -1 on
 * failure. */
int launch_init(void);

/* launch_put(correlation, enter_ns, tid): a call begins; ${tid} has
 * LAUNCH_KERNEL set if it launches one kernel. launch_failed(correlation): it
 * launched none. */
#define LAUNCH_KERNEL 0x80000000u
void launch_put(uint32_t correlation, uint64_t enter_ns, uint32_t tid);
void launch_failed(uint32_t correlation);
struct launch launch_get(uint32_t correlation);

/* launch_kernels(from, to): the number of kernels launched after ${from} and
 * not after ${to} that are still in the table. Reads all that was written of it. */
uint64_t launch_kernels(uint64_t from, uint64_t to);

/* The addresses of copies are in a table of their own, so that launches do not
 * pay for it. */
void launch_put_copy(uint32_t correlation, const struct launch_copy *c);
struct launch_copy launch_get_copy(uint32_t correlation);

#endif
