/*
 * launch.h: the host time and thread of each API call, by correlation id. The callback
 * of the call writes them; the sender thread reads them when the activity record
 * arrives, a little later. A fixed table without locks: an entry that was overwritten,
 * or is being written, reads as unknown.
 */
#ifndef CADV_LAUNCH_H
#define CADV_LAUNCH_H

#include <stdint.h>

struct launch {
	uint64_t enter_ns;	/* CLOCK_REALTIME; 0 unknown */
	uint32_t tid;
};

/* The addresses in the parameters of a copy between host and device; 0: unknown. */
struct launch_copy {
	uint64_t dst, src;
};

/* launch_init(): map the tables (pages are touched as they are used). 0; -1 if it
 * fails. */
int launch_init(void);

/* launch_put(correlation, enter_ns, tid): a call begins; ${tid} has LAUNCH_KERNEL set
 * if the call launches one kernel. launch_done(correlation): its record is there, or the
 * call launched none.
 * launch_get(correlation): the entry; all 0: unknown. */
#define LAUNCH_KERNEL 0x80000000u
void launch_put(uint32_t correlation, uint64_t enter_ns, uint32_t tid);
void launch_done(uint32_t correlation);
struct launch launch_get(uint32_t correlation);

/* launch_kernels(from, to): the number of kernels launched in (from, to] of which no record
 * is there, of those that are still in the table. Reads the whole used part of the
 * table. */
uint64_t launch_kernels(uint64_t from, uint64_t to);

/* The addresses of copies have a table of their own, so that launches do not pay for
 * them. */
void launch_put_copy(uint32_t correlation, const struct launch_copy *c);
struct launch_copy launch_get_copy(uint32_t correlation);

#endif
