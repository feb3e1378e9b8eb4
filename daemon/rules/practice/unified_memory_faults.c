/*
 * unified-memory-faults: kernels access pages of managed memory that are
 * elsewhere. Each fault stalls the warps that made it until the driver on the
 * host has moved the pages.
 */
#include <math.h>

#include "rules/evidence/lines.h"

#define HOST_TOLD 0.05	/* of the GPUs' faults: a smaller part of the host's is
			 * not mentioned */

#define BULK_BYTES (64ull << 20)	/* size at which a copy's rate is taken */

/* Seconds that ${bytes} take in large pinned copies on the first GPU. */
static double
bulk_s(const struct rule_view *x, uint64_t bytes, bool up)
{
	double one = ceilings_copy_s(&x->run->device[0].ceilings, BULK_BYTES, up, true);

	return one * ((double)bytes / (double)BULK_BYTES);
}

/* Groups of GPU faults: as recorded, or the number of batches that served them. */
static uint64_t
groups(const struct unified *u)
{
	return u->gpu_faults > 0 ? u->gpu_faults : u->up_batches;
}

static void
evidence(struct rule_view *x, struct draft *d, double fault, double kernels)
{
	const struct unified *u = &x->run->unified;
	bool told = u->gpu_faults > 0;

	rule_evidence(x, d, "fault_ratio", fault / kernels,
	    "faults served and pages moved for them, part of the kernels' time",
	    .source = told ? "measured" : "estimated",
	    .from = "unified-memory records", .key = "min_share");
	rule_evidence(x, d, "gpu_faults", (double)groups(u), told ?
	    "groups of page faults of GPUs" :
	    "groups of page faults of GPUs, by the copies that served them",
	    .source = told ? "measured" : "derived",
	    .from = "unified-memory records", .unit = "fault",
	    .key = "min_faults");
	rule_evidence(x, d, "up_bytes", (double)u->up_bytes,
	    "moved to GPUs for them", .measured = "unified-memory records");
	rule_evidence(x, d, "down_bytes", (double)u->down_bytes,
	    "moved to the host for its faults",
	    .measured = "unified-memory records");
	if (u->host_ns > 0)
		rule_evidence(x, d, "host_fault_s", (double)u->host_ns * 1e-9,
		    "GPU idle while the host waited for them",
		    .estimated = "unified-memory records, gaps");
	rule_evidence(x, d, "asked_bytes", (double)u->asked_bytes,
	    "moved because the program asked",
	    .measured = "unified-memory records");
	rule_evidence(x, d, "bulk_s", bulk_s(x, u->up_bytes, true),
	    "the bytes moved to GPUs, as large copies",
	    .estimated = x->run->device[0].ceilings.calibrated ? "calibration" :
	    "typical rates");
	if (u->thrashing > 0)
		rule_evidence(x, d, "thrashing", (double)u->thrashing,
		    "regions that host and GPU fought for",
		    .measured = "unified-memory records", .unit = "region");
}

static enum rule_state
found(struct rule_view *x, double fault, double kernels)
{
	const struct unified *u = &x->run->unified;
	struct draft *d = rule_found(x, "faults");
	double exposure = rule_kernel_exposure(x->run);
	double gain = fmax(0, fault - bulk_s(x, u->up_bytes, true)) * exposure;
	double host = (double)u->host_ns * 1e-9;
	double back = fmax(0, host - bulk_s(x, u->down_bytes, false));

	lines_site(x, d, CALL_BIT(MALLOC_MANAGED));
	/* At best the pages are moved while other work runs. */
	d->claim[0] = (struct claim){ POOL_FAULT, { 0.5 * gain, 0.9 * gain,
	    fault * exposure } };
	d->claim[1] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_API),
	    { 0.5 * back, 0.9 * back, host } };
	d->claims = 2;
	d->cause_s = host;
	d->f.where = "managed memory";
	evidence(x, d, fault, kernels);
	d->f.confidence = CONF_MEDIUM;
	d->f.summary = arena_format(x->arena, "for %s of %s in kernels, %s "
	    "groups of page faults were served and %s moved%s",
	    say_seconds(x->arena, fault), say_seconds(x->arena, kernels),
	    say_count(x->arena, groups(u)),
	    say_bytes(x->arena, (double)u->up_bytes), host >= HOST_TOLD *
	    fault ? arena_format(x->arena, "; the GPU waited for %s while %s "
	    "went to the host for its own faults", say_seconds(x->arena, host),
	    say_bytes(x->arena, (double)u->down_bytes)) : "");
	d->f.limiter = u->evicted_bytes > u->up_bytes / 4 ?
	    "pages that had to make room for others: more memory is used "
	    "than the GPU has" : u->thrashing > 0 ?
	    "the same pages wanted by host and GPU in turn" :
	    "each page fault is a trip to the driver on the host";
	d->f.advice = u->evicted_bytes > u->up_bytes / 4 ?
	    "work on parts that fit into the GPU's memory, one after the "
	    "other, and prefetch the next with cudaMemPrefetchAsync" :
	    "call cudaMemPrefetchAsync to the device before the kernel, and "
	    "back before the host reads; cudaMemAdvise for what both only "
	    "read; or cudaMalloc and explicit copies";
	d->f.gain_note = "the pages still have to move once: as large copies, "
	    "which is what a prefetch makes of them; hidden behind other work "
	    "it gains more";
	return RULE_FOUND;
}

enum rule_state
rule_unified_memory_faults(struct rule_view *x)
{
	const struct unified *u = &x->run->unified;
	double fault = rule_fault_s(x->run), kernels = 0;

	if (!u->used)
		return RULE_CLEAN;
	if (!u->watched)
		return rule_unmeasured(x, u->refused != 0 ?
		    REASON_REFUSED_UNIFIED : REASON_UNIFIED_UNWATCHED);
	for (size_t i = 0; i < x->run->devices; i++)
		kernels += (double)x->run->device[i].kernel_ns * 1e-9;
	if (!(kernels > 0) || !(fault > 0) ||
	    fault < rule_value(x, "min_share") * kernels ||
	    (double)groups(u) < rule_value(x, "min_faults"))
		return RULE_CLEAN;
	return found(x, fault, kernels);
}
