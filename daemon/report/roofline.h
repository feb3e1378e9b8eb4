/*
 * report/roofline.h: a kernel's performance relative to its GPU's ceilings: the
 * roofline (Williams, Waterman, Patterson 2009) and the effective bandwidth
 * (CUDA best practices: bytes a kernel needs, over its time). Pure.
 *
 * Bytes and operations are those of one launch, times its mean time; NaN is not
 * measured, and a reason says why.
 */
#ifndef CADV_ROOFLINE_H
#define CADV_ROOFLINE_H

#include "facts/reason.h"
#include "source/flops.h"

struct kernel;
struct device;
struct ceilings;
struct load;

struct roofline {
	double time_s;			/* of a launch; NaN: none was timed */
	double flops[FLOP_KINDS];
	double all_flops;		/* their sum */
	const struct reason *no_flops;	/* why they are not known; else NULL */
	double used_bytes;		/* global memory bytes that threads
					 * requested, each sector's bytes once */
	double l2_bytes, dram_bytes;	/* moved */
	const struct reason *no_bytes;	/* why one of the three is not known */
	/* The pipe whose ceiling is nearest: */
	enum flop_kind kind;		/* FLOP_KINDS: no operations, or unknown */
	double compute_ceiling;		/* FLOP/s of this kernel's mix on it */
	double compute_ratio;		/* share of it reached, 0..1, or
					 * slightly more */
	double dram_ratio, l2_ratio;	/* shares of their ceilings */
	const char *bound;		/* the limit: "DRAM", "L2", "FP32",
					 * "FP64", "tensor"; another pipe or unit
					 * of the SM that is saturated; "latency":
					 * none is near its ceiling; NULL unknown */
};

/* "FP16", "FP32", "FP64", "tensor" */
extern const char *const flop_name[FLOP_KINDS];

/* A resource is the limit from this share of its ceiling on, as in Nsight
 * Compute; load_bound_name (rules/gain/gain.h) uses the same value. */
#define ROOF_NEAR 0.6

/* roofline_of(r, k, c, l): fill ${r} for ${k}, with its device's ceilings ${c}
 * and its demands ${l} (load_of). */
void roofline_of(struct roofline *r, const struct kernel *k,
    const struct ceilings *c, const struct load *l);

#endif
