/*
 * device-sync-overuse: the host waits for the whole device again and again,
 * and the GPU runs dry before the next launch arrives.
 */
#include <math.h>

#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"

/* What the host does between a wait and the next launch can hide behind the GPU's
 * work, the round trip needs none. */
static struct gain
queued(const struct run *run, double idle, uint64_t waits)
{
	struct gain g = rule_queued(run, idle, waits, 0);

	g.mid = fmax(g.mid, rule_turn(idle, waits) *
	    rule_unwaited(run, idle, waits, 0, ROUND_TRIP_S));
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
	lines_site(x, d, CALL_BIT(DEVICE_SYNC));
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_AFTER_SYNC) |
	    POOL_IDLE(IDLE_LAUNCH) | POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API), queued(run, idle,
	    followed) };
	d->claims = 1;
	d->cause_s = idle;
	d->f.location = arena_format(x->arena, "%s of "
	    "cudaDeviceSynchronize", say_counted(x->arena, (double)count,
	    "call"));
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
	return RULE_FOUND;
}
