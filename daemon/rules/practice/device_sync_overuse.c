/*
 * device-sync-overuse: the host waits for the whole device again and again,
 * and the GPU runs dry before the next launch arrives.
 */
#include <math.h>

#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"

/* A loop of short kernels, 30,000 launches with and without a wait after each, H200,
 * 2026-11-23: what a host that does nothing but launch takes for each while it is
 * traced, and how long after the GPU's work it knows of its end. */
#define LAUNCH_S 6.1e-6
#define WAKE_S 2.4e-6

/* Where the host only launches between two waits, most of a gap is the way there and
 * back, which needs no GPU work to hide behind: what stays is the launch, as far as
 * it is longer than the work. */
static struct gain
queued(const struct run *run, double idle, double waits)
{
	double busy = rule_wall_s(run) - (double)run->idle_total_ns * 1e-9;
	double stays = waits * fmax(0, LAUNCH_S - fmax(0, busy) / waits);
	struct gain g = rule_queued(run, idle, (uint64_t)waits, 0);

	g.mid = fmax(g.mid, rule_turn(idle, (uint64_t)waits) *
	    (fmin(g.high, idle + waits * WAKE_S) - stays));
	return g;
}

enum rule_state
rule_device_sync_overuse(struct rule_view *x)
{
	const struct run *run = x->run;
	double idle = 0, wait = 0, active = rule_active_s(run);
	uint64_t count = 0, followed = 0;
	struct draft *d;

	for (size_t i = 0; i < run->syncs; i++) {
		const struct sync_class *s = &run->sync[i];

		if (s->call != CALL_DEVICE_SYNC)
			continue;
		count += s->count;
		followed += s->followed;
		idle += (double)s->idle_after_ns * 1e-9;
		wait += (double)s->wait_ns * 1e-9;
	}
	/* What follows only a few of them is a phase of the host's own. */
	idle = fmin(idle, gaps_s(run, rule_value(x, "min_count")));
	if ((double)count < rule_value(x, "min_count") || followed == 0 ||
	    idle < rule_value(x, "min_share") * active)
		return RULE_CLEAN;
	d = rule_found(x, "device");
	if (d == NULL)
		return RULE_NOT_MEASURED;
	lines_site(x, d, CALL_BIT(DEVICE_SYNC));
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_AFTER_SYNC) |
	    POOL_IDLE(IDLE_LAUNCH) | POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API), queued(run, idle,
	    (double)followed) };
	d->claims = 1;
	d->cause_s = idle;
	d->f.location = arena_format(x->arena, "%s of "
	    "cudaDeviceSynchronize", say_counted(x->arena, (double)count,
	    "call"));
	d->f.location_missing = reason_of(REASON_LINE_NO_SITE);
	rule_evidence(x, d, (struct evidence){ .name = "syncs",
	    .label = "device synchronisations", .value = (double)count,
	    .unit = "call", .source = "measured",
	    .from = "synchronisation records" }, "min_count");
	rule_evidence(x, d, (struct evidence){ .name = "idle_after_ratio",
	    .label = "GPU idle after them, part of first to last "
	    "GPU work",
	    .value = idle / active, .unit = "ratio", .source = "measured",
	    .from = "synchronisation and kernel records" }, "min_share");
	rule_evidence(x, d, (struct evidence){ .name = "idle_each_s",
	    .label = "GPU idle after each", .unit = "s", .source = "derived",
	    .value = idle / (double)followed,
	    .from = "synchronisation and kernel records" }, NULL);
	rule_evidence(x, d, (struct evidence){ .name = "wait_s",
	    .label = "host blocked in them", .value = wait, .unit = "s",
	    .source = "measured", .from = "synchronisation records" }, NULL);
	d->f.confidence = CONF_HIGH;
	d->f.summary = arena_format(x->arena, "%s device synchronisations; "
	    "after each the GPU is idle for %s, %s in all",
	    say_count(x->arena, count),
	    say_seconds(x->arena, idle / (double)followed),
	    say_seconds(x->arena, idle));
	d->f.limiter = "the GPU runs dry while the host waits for it";
	d->f.advice = "remove cudaDeviceSynchronize between launches of one "
	    "stream: order is kept without it; where the host needs a "
	    "result, wait for that stream or an event only";
	d->f.gain_note = "work behind the synchronisation enqueued before it";
	d->f.next = say_tool(x->arena, run, "nsys profile --trace=cuda,osrt");
	return RULE_FOUND;
}
