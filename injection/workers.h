/*
 * workers.h: how many processes the program has forked that prepare data for it, as a
 * DataLoader of PyTorch does with num_workers. If the GPU waits for their data, more of
 * them help only as far as there are processors.
 */
#ifndef CADV_WORKERS_H
#define CADV_WORKERS_H

#include <stdint.h>

/*
 * workers_count(now, cpus): how many children of the main thread look like it, by the
 * name that the kernel knows them by (a fork keeps it), or are called as PyTorch calls
 * its workers; in *${cpus} how many processors the calling thread may use. It looks
 * once a second at most, at ${now} (inject_now), and at 64 children at most: 8 us and 7 us
 * a child (of 4, 12 and 48 on a virtual machine with Linux 6, 2026-11-30), else 3 ns. 0
 * where the kernel does not list children. Keeps errno.
 */
uint32_t workers_count(uint64_t now, uint32_t *cpus);

#endif
