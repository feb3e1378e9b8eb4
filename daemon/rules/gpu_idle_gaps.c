/*
 * gpu-idle-gaps: between its first and last work the GPU waits for the host,
 * and no more specific rule says why. The longest gap is left out: one phase
 * of the program's own is not a pattern.
 */
#include <math.h>

#include "rules/rule.h"

/* Seconds idle for ${cause}, the longest gap apart. */
static double
without_longest(const struct run *run, enum idle_cause cause)
{
	return fmax(0, (double)run->idle_ns[cause] -
	    (double)run->idle_longest_by[cause]) * 1e-9;
}

static const char *
limiter(double host, double api, double sync)
{
	if (host >= sync && host >= api)
		return "the host computes or does I/O while the GPU has "
		    "nothing queued";
	return sync >= api ? "the host goes on only after it has waited for "
	    "the GPU" : "the host is inside CUDA calls that launch nothing";
}

enum rule_state
rule_gpu_idle_gaps(struct rule_view *x)
{
	const struct run *run = x->run;
	double host = without_longest(run, IDLE_HOST);
	double api = without_longest(run, IDLE_API);
	double sync = without_longest(run, IDLE_AFTER_SYNC);
	double wall = rule_wall_s(run), window = rule_window_s(run);
	double longest = (double)run->idle_longest_ns * 1e-9;
	double idle = host + api + sync, busy, mid;
	struct draft *d;

	if (!(window > 0) ||
	    (double)run->idle_gaps < rule_value(x, "min_gaps") ||
	    idle < rule_value(x, "min_share") * window)
		return RULE_CLEAN;
	d = rule_found(x, "host");
	if (d == NULL)
		return RULE_NOT_MEASURED;
	busy = fmax(0, wall - (double)run->idle_total_ns * 1e-9);
	/* Host work hides behind GPU work only as far as there is any; with
	 * work ahead in the queue launches are no gaps either. */
	mid = 0.85 * fmin(idle, busy) + 0.2 * fmax(0, idle - busy);
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC) |
	    POOL_IDLE(IDLE_LAUNCH), { 0.3 * fmin(idle, busy), mid,
	    idle + without_longest(run, IDLE_LAUNCH) } };
	d->claims = 1;
	d->residual = true;
	d->residual_min_s = rule_value(x, "min_share") * window;
	d->f.location = arena_format(x->arena, "%s gaps",
	    say_count(x->arena, run->idle_gaps));
	d->f.location_missing = "line not known: the host's own code is not "
	    "sampled";
	rule_evidence(x, d, (struct evidence){ .name = "idle_ratio",
	    .label = "GPU idle between first and last work, without the "
	    "longest gap", .value = idle / window, .unit = "ratio",
	    .source = "measured", .from = "kernel and copy records" },
	    "min_share");
	rule_evidence(x, d, (struct evidence){ .name = "gaps",
	    .label = "gaps over 1 µs", .value = (double)run->idle_gaps,
	    .unit = "gap", .source = "measured",
	    .from = "kernel and copy records" }, "min_gaps");
	rule_evidence(x, d, (struct evidence){ .name = "idle_host_s",
	    .label = "idle while the host computed or did I/O",
	    .value = host, .unit = "s", .source = "derived",
	    .from = "kernel and API records" }, NULL);
	rule_evidence(x, d, (struct evidence){ .name = "idle_after_sync_s",
	    .label = "idle after the host had waited", .value = sync,
	    .unit = "s", .source = "derived",
	    .from = "synchronisation records" }, NULL);
	rule_evidence(x, d, (struct evidence){ .name = "longest_s",
	    .label = "longest gap", .value = longest, .unit = "s",
	    .source = "measured", .from = "kernel and copy records" }, NULL);
	d->f.summary = arena_format(x->arena, "between its first and last work "
	    "the GPU waits %s for the host (%s of that time)",
	    say_seconds(x->arena, idle), say_percent(x->arena, idle / window));
	d->f.limiter = limiter(host, api, sync);
	d->f.advice = "prepare the next step on the host while the GPU works "
	    "on this one: another thread, double buffers, launches enqueued "
	    "ahead of the work that needs no result";
	d->f.gain_note = "host work hidden behind GPU work, as far as there "
	    "is GPU work to hide behind; what other findings recover is not "
	    "counted here";
	d->f.next = say_tool(x->arena, run,
	    "nsys profile --trace=cuda,osrt,nvtx --sample=process-tree");
	return RULE_FOUND;
}
