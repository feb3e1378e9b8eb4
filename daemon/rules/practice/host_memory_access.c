/*
 * host-memory-access: a kernel reads host memory across the link, launch after
 * launch, though the data could have been copied to the GPU once.
 *
 * L2 counts the sectors of host memory. That the same bytes are read repeatedly follows
 * from their number: over the run, more than all the host memory that kernels can reach
 * (pinned and managed allocations at their peak). Bytes read once would cost as much in
 * a copy and are not reported. Stores to the host are posted, and a kernel may as well
 * make them: where the number of bytes stored is known, it is not counted as read.
 */
#include <math.h>
#include <stdlib.h>

#include "rules/evidence/lines.h"

#define LEAST_BYTES 4e6		/* of a launch: fewer are not worth a copy */
#define COPY_BYTES ((uint64_t)64 << 20)
#define READS_LEAST 0.8		/* of a large copy's rate, that kernels reach at
				 * least */
#define STALLS_QUEUE (STALL_BIT(LG_THROTTLE) | STALL_BIT(LONG_SCOREBOARD))

struct host {
	double bytes, reads;	/* of a launch; reads: a lower bound */
	double all_s;		/* time that the link needs for them, s */
	double again;		/* how often each byte came over the run */
	double range;		/* host memory, bytes: no more can differ */
};

static bool
look(const struct rule_view *x, struct host *h)
{
	double sectors = rule_metric(x, METRIC_L2_SYSMEM);
	double copy_s = ceilings_copy_s(x->ceiling, COPY_BYTES, true, true);
	double asked = rule_metric(x, METRIC_L2_FROM_L1);
	double stored = x->load->l2_st * 32;

	if (isnan(sectors) || !(copy_s > 0))
		return false;
	/* Where L2 has two partitions, sectors that pass between them are
	 * counted in both. There are no more than L1 requested. */
	h->bytes = fmin(sectors, asked) * 32;
	h->reads = fmax(0, h->bytes - (isfinite(stored) ? stored : 0));
	h->all_s = h->bytes * copy_s / (double)COPY_BYTES;
	h->range = (double)x->run->peak_host_bytes;
	h->again = h->bytes * (double)x->kernel->launches / h->range;
	return true;
}

/*
 * The loads that warps wait for. Which of them go to the host is not counted,
 * but a trip there takes several times as long as any other.
 */
static void
give_lines(const struct rule_view *x, struct draft *d)
{
	const struct code *c = x->kernel->code;
	struct mark *m = c != NULL && c->sampled && c->disassembled ?
	    marks_new(x) : NULL;

	for (size_t i = 0; m != NULL && i < c->instructions; i++) {
		size_t use;

		if (inst_global(c, i) != INST_LOAD)
			continue;
		use = inst_first_use(c, i);
		m[i].weight = inst_stalled(c, i, STALLS_QUEUE) +
		    (use < c->instructions ? inst_stalled(c, use,
		    STALL_BIT(LONG_SCOREBOARD)) : 0);
	}
	lines_fill(x, d, m, NULL);
	for (size_t i = 0; i < d->f.hots; i++)
		d->f.hot[i].what = "of the stalls for loads";
	free(m);
	if (d->f.hots == 0)	/* no samples, or none of a waiting load */
		lines_loads(x, d);
}

/* The fix: the same bytes come from DRAM. Time that the link does not explain
 * stays, and each launch bears its part of the one copy. */
static void
set_fix(const struct rule_view *x, struct draft *d, const struct host *h)
{
	double body = x->load->time_s - x->load->fixed_s;
	double share = fmin(0.98, h->all_s / body);
	double dram = h->bytes / x->ceiling->dram_bytes_per_s / body;
	double copy = fmin(1, h->range / h->bytes) * share /
	    fmax(1, (double)x->kernel->launches);
	struct fix fix = FIX_NONE;

	fix.stall = fmin(1, 1 - share + dram + copy);
	rule_fix(d, &fix, 0.9, 1);
	share = fmin(1, h->all_s / READS_LEAST / body);
	d->fix[VIEW_HIGH].stall = fmin(fix.stall, 1 - share + dram + copy);
	/* If the stores went there, too, copying back takes as long. */
	if (h->reads < 0.5 * h->bytes)
		d->fix[VIEW_LOW].stall = 1;
}

static enum rule_state
report(struct rule_view *x, const struct host *h, double share)
{
	struct draft *d = rule_found(x, NULL);

	set_fix(x, d, h);
	d->f.confidence = h->reads < 0.5 * h->bytes ? CONF_LOW : CONF_MEDIUM;
	rule_evidence(x, d, "host_sectors_ratio", share,
	    "L2 sectors of host memory, of all",
	    .derived = metric_table[METRIC_L2_SYSMEM].name, .key = "min_share");
	rule_evidence(x, d, "host_bytes", h->bytes,
	    "bytes a launch moves across the link",
	    .measured = metric_table[METRIC_L2_SYSMEM].name);
	rule_evidence(x, d, "link_ratio", fmin(1, h->all_s / x->load->time_s),
	    "what the link takes for them / the kernel's time",
	    .source = x->ceiling->calibrated ? "derived" : "estimated",
	    .from = "bandwidth of large pinned copies", .key = "min_link");
	rule_evidence(x, d, "reads_ratio", h->reads / h->bytes,
	    "of them reads, at least",
	    .derived = metric_table[METRIC_GLOBAL_ST_SECTORS].name);
	rule_evidence(x, d, "again_ratio", h->again,
	    "bytes of all launches / pinned and managed memory",
	    .derived = "memory activity records", .key = "min_again");
	d->f.summary = arena_format(x->arena, "each launch moves %s between "
	    "the GPU and host memory; over %s launches that is %s times all "
	    "the pinned and managed memory", say_bytes(x->arena, h->bytes),
	    say_count(x->arena, x->kernel->launches),
	    say_plain(x->arena, h->again));
	d->f.advice = "copy what kernels read more than once to device memory "
	    "(cudaMemcpyAsync once, or cudaMemPrefetchAsync of managed memory "
	    "before the first launch) and pass that pointer; zero-copy access "
	    "pays for what is read once";
	d->f.gain_note = "the same reads from DRAM, and one copy of the host "
	    "memory; nothing if the host changes all of it between launches";
	give_lines(x, d);
	return rule_settle(x, d);
}

enum rule_state
rule_host_memory_access(struct rule_view *x)
{
	double all = rule_metric(x, METRIC_L2_SECTORS), share;
	struct host h;

	if (!(x->load->time_s > 0) || !look(x, &h) || isnan(all))
		return rule_lacks(x);
	if (h.bytes < LEAST_BYTES)
		return RULE_CLEAN;
	share = fmin(1, rule_metric(x, METRIC_L2_SYSMEM) / all);
	if (!(share >= rule_value(x, "min_share")) ||
	    !(h.all_s / x->load->time_s >= rule_value(x, "min_link")))
		return RULE_CLEAN;
	if (h.range < LEAST_BYTES)
		return rule_unmeasured(x, REASON_NO_HOST_BYTES);
	return h.again >= rule_value(x, "min_again") ? report(x, &h, share) :
	    RULE_CLEAN;
}
