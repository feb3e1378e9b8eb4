/*
 * calibrate.h: measure what one GPU can do.
 *
 * Every number is a median of repetitions after a warm-up, and every kernel
 * that is timed has its result checked.
 */
#ifndef CADV_CALIBRATE_H
#define CADV_CALIBRATE_H

#include <algorithm>
#include <stdint.h>
#include <time.h>

struct job;

#define CALIBRATE_SIZES 9	/* copies of 4 KiB × 4^i, to 256 MiB */

enum copy_way { PINNED_H2D, PINNED_D2H, PAGEABLE_H2D, PAGEABLE_D2H, COPY_WAYS };

/* The fields of struct ceilings (daemon/model/ceilings.h), same names. */
struct measured {
	double dram_bytes_per_s, l2_bytes_per_s, shared_bytes_per_s;
	double fp32_flops, fp64_flops, sm_hz;
	double fp16_flops, tensor_flops;	/* 0: no kernel for this GPU */
	double launch_s, launch_gap_s, graph_node_gap_s, sync_s;
	double malloc_s, free_s, copy_fixed_s;
	int copies;
	uint64_t bytes[CALIBRATE_SIZES];
	double copy_s[CALIBRATE_SIZES][COPY_WAYS];
};

/* Each measures its part of ${m} on the device of the job; -1 after a
 * message. They free what they allocate before they return. */
int calibrate_throughput(struct job *job, struct measured *m);
int calibrate_half(struct job *job, struct measured *m);
int calibrate_host(struct job *job, struct measured *m);
int calibrate_copies(struct job *job, struct measured *m);

/* calibrate(void): measure each visible GPU; print one JSON object a line to
 * stdout. Returns 0, or -1 after a message. Takes seconds a GPU. */
int calibrate(void);

/* The middle of ${n} values; sorts them. */
static inline double
median_of(double *v, int n)
{
	std::sort(v, v + n);
	return (v[n / 2] + v[(n - 1) / 2]) / 2;
}

/* Seconds since some point, for differences. */
static inline double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#endif
