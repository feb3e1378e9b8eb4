/*
 * workers.h: how many processes the program has forked that prepare data for it, as a
 * DataLoader of PyTorch does with num_workers. If the GPU waits for their data, more of
 * them help only as far as there are processors.
 */
#ifndef CADV_WORKERS_H
#define CADV_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

/* What is known of them, at the last count. */
struct workers {
	uint32_t count;
	uint32_t processors;	/* that the main thread may use */
	uint32_t working;	/* thousandths of the time since the count before, in the
				 * mean, that each used a processor; 0: nothing known */
};

/*
 * workers_count(): how many children of the main thread looked like it when the sender
 * last counted them, by the name that the kernel knows them by (a fork keeps it), or were
 * called as PyTorch calls its workers. All 0 before that; no workers where the kernel does
 * not list children. It opens no file, as it is called where the program calls CUDA: it
 * asks for the next count.
 */
struct workers workers_count(void);

/* workers_due(now): has anyone asked, and not been answered for a second, at ${now}
 * (inject_now)? Then workers_look is called. */
bool workers_due(uint64_t now);

/*
 * workers_look(now): count 64 children at most: 4 us and 8 us a child (of 4, 12 and 48 on
 * a virtual machine with Linux 6, 2026-11-30). It opens files; one thread at a time.
 */
void workers_look(uint64_t now);

#endif
