/*
 * model/ceilings.h: the highest rates one GPU reaches. From `cudadvise calibrate` if
 * that ran on this GPU, else from other GPUs of its model, else from its attributes.
 */
#ifndef CADV_CEILINGS_H
#define CADV_CEILINGS_H

#include <stdbool.h>
#include <stdint.h>

struct device;

#define COPY_SIZES 16		/* most points of a calibration */

struct copy_point {
	uint64_t bytes;
	double pinned_h2d, pinned_d2h, pageable_h2d, pageable_d2h; /* seconds a copy */
};

struct ceilings {
	bool calibrated;
	char from[48];		/* their origin, in words */
	char date[32], gpu[96], uuid[64], driver[32];
	double dram_bytes_per_s;	/* read+write, a large copy */
	double l2_bytes_per_s;
	double shared_bytes_per_s;	/* all SMs */
	double fp32_flops, fp64_flops;	/* per s, FMA = 2 */
	double fp16_flops;		/* the same of half2 */
	double tensor_flops;		/* tensor cores: FP16, dense */
	double sm_hz;			/* SM clock under load */
	double launch_s;		/* host cost of one launch */
	double launch_gap_s;		/* GPU idle between back-to-back launches */
	double graph_node_gap_s;	/* the same inside a graph */
	double sync_s;			/* device sync with nothing to wait for */
	double malloc_s, free_s;
	double copy_fixed_s;		/* a small pinned copy, enqueue to end */
	struct copy_point copy[COPY_SIZES];
	int copies;
	bool copies_measured;
	/* Bit i: row i of ceilings.c's table was measured */
	uint32_t measured;		/* on this GPU, */
	uint32_t shipped;		/* on another GPU of its model */
};

/* ceilings_default(c, d): fill ${c} from attributes of ${d}, with documented
 * typical values where no attribute exists; calibrated is false. */
void ceilings_default(struct ceilings *c, const struct device *d);

/*
 * ceilings_settle(run): fill the ceilings of every run->device: from the calibration
 * in the capture if there is one for that device, else from the ceilings shipped for
 * its model (shipped.h), else from ceilings_default. A calibration that does not parse
 * is ignored. Also sets run->ceilings.
 */
struct run;
void ceilings_settle(struct run *run);

/* ceilings_parse(c, json, len): fill ${c} from a calibration's JSON (its keys
 * are the field names); -1 and ${c} untouched if it is not one. */
int ceilings_parse(struct ceilings *c, const char *json, unsigned long len);

/* ceilings_source(c, field): the origin of the member that ${field} points to:
 * "measured" on this GPU, "model": on another of its model, "attribute": a default. */
const char *ceilings_source(const struct ceilings *c, const double *field);

/* ceilings_copy_s(c, bytes, h2d, pinned): seconds of one copy, interpolated between
 * the points of c->copy; NaN without points. */
double ceilings_copy_s(const struct ceilings *c, uint64_t bytes, bool h2d,
    bool pinned);

/* ceilings_link(c, h2d): bytes/s of the largest copy point from or to pinned memory,
 * for which the fixed cost does not matter; NaN without points. */
double ceilings_link(const struct ceilings *c, bool h2d);

#endif
