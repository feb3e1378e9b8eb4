#include <math.h>
#include <stddef.h>

#include "model/model.h"
#include "report/names.h"

#include "report/headline.h"

static double
zero_if_nan(double v)
{

	return isnan(v) ? 0 : v;
}

static double
clamp_ratio(double v)
{

	return v < 0 ? 0 : v > 1 ? 1 : v;
}

static void
occupancy(struct headline *h, const double *m)
{

	h->value = clamp_ratio(m[METRIC_OCCUPANCY] / 100);
}

/* Loads and stores weighted by the sectors they moved. */
static void
coalescing(struct headline *h, const double *m)
{
	double ld = m[METRIC_GLOBAL_LD_SECTORS];
	double st = m[METRIC_GLOBAL_ST_SECTORS];
	double used = 0, moved = 0;

	if (isnan(ld) && isnan(st))
		return;
	if (zero_if_nan(ld) + zero_if_nan(st) <= 0) {
		h->reason = &reason_row[REASON_NO_GLOBAL];
		return;
	}
	if (ld > 0 && !isnan(m[METRIC_GLOBAL_LD_BYTES_PER_SECTOR])) {
		used += ld * m[METRIC_GLOBAL_LD_BYTES_PER_SECTOR];
		moved += ld * 32;
	}
	if (st > 0 && !isnan(m[METRIC_GLOBAL_ST_BYTES_PER_SECTOR])) {
		used += st * m[METRIC_GLOBAL_ST_BYTES_PER_SECTOR];
		moved += st * 32;
	}
	if (moved > 0)
		h->value = clamp_ratio(used / moved);
}

static void
bank_conflicts(struct headline *h, const double *m)
{
	double conflicts, waves = m[METRIC_SHARED_WAVEFRONTS];

	if (isnan(waves))
		waves = m[METRIC_SHARED_LD_WAVEFRONTS] +
		    m[METRIC_SHARED_ST_WAVEFRONTS];
	conflicts = m[METRIC_SHARED_LD_CONFLICTS] +
	    m[METRIC_SHARED_ST_CONFLICTS];
	if (waves <= 0)
		h->reason = &reason_row[REASON_NO_SHARED];
	else if (!isnan(waves) && !isnan(conflicts))
		h->value = clamp_ratio(conflicts / waves);
}

static void
divergence(struct headline *h, const double *m)
{
	double warp = m[METRIC_INST_EXECUTED], lane = m[METRIC_THREAD_INST];

	if (warp > 0 && !isnan(lane))
		h->value = clamp_ratio(1 - lane / (32 * warp));
}

static const struct {
	const char *name, *meaning, *source;
	void (*fill)(struct headline *, const double *);
} table[HEADLINES] = {
	[HEADLINE_OCCUPANCY] = { "occupancy",
	    "achieved occupancy: resident warps over the most an SM can hold",
	    "measured", occupancy },
	[HEADLINE_COALESCING] = { "coalescing",
	    "bytes used of the bytes moved for global memory", "derived",
	    coalescing },
	[HEADLINE_BANK_CONFLICTS] = { "bank_conflicts",
	    "share of shared-memory wavefronts that are bank conflicts",
	    "derived", bank_conflicts },
	[HEADLINE_DIVERGENCE] = { "divergence",
	    "share of lanes idle in executed instructions", "derived",
	    divergence },
};

void
headline_of(struct headline *h, const struct kernel *k)
{
	size_t i;

	for (i = 0; i < HEADLINES; i++) {
		h[i].name = table[i].name;
		h[i].meaning = table[i].meaning;
		h[i].source = table[i].source;
		h[i].value = NAN;
		h[i].reason = NULL;
		table[i].fill(&h[i], k->metric);
		/* So far the only reason is that the kernel has nothing of the kind. */
		h[i].applies = h[i].reason == NULL;
		if (!isnan(h[i].value))
			h[i].reason = NULL;
		else if (h[i].reason == NULL)
			h[i].reason = reason_skip[k->skip];
	}
}
