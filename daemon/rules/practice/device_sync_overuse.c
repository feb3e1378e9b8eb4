/*
 * device-sync-overuse: behind each launch the host waits for the whole device,
 * a stream or an event, again and again, and the GPU runs out of work before
 * the next launch arrives. Waits for a copy are synchronous-copies'.
 */
#include <math.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/operator.h"

static const struct way {
	enum wire_call call;
	uint64_t bit;
	const char *name, *advice;
} way[] = {
	{ CALL_DEVICE_SYNC, CALL_BIT(DEVICE_SYNC), "cudaDeviceSynchronize",
	    "remove cudaDeviceSynchronize between launches of one "
	    "stream: order is kept without it; where the host needs a "
	    "result, wait for that stream or an event only" },
	{ CALL_STREAM_SYNC, CALL_BIT(STREAM_SYNC), "cudaStreamSynchronize",
	    "remove cudaStreamSynchronize between launches of one "
	    "stream: order is kept without it (in Thrust: "
	    "thrust::cuda::par_nosync); wait once, where the host needs a "
	    "result" },
	{ CALL_EVENT_SYNC, CALL_BIT(EVENT_SYNC), "cudaEventSynchronize",
	    "do not wait for an event after each launch: to time them, record "
	    "one pair of events around all, or a pair each that is read after "
	    "the loop; another stream waits by cudaStreamWaitEvent" },
};
#define WAYS (sizeof(way) / sizeof(way[0]))

struct waiting {
	uint64_t count, followed;
	double idle_s, wait_s;
	const struct way *most;		/* the one with most idle time */
	bool several;			/* other calls wait, too */
};

/* A compiler that tries out variants, or a benchmark, waits in order to time: only the
 * rest of each way is the program's. */
static void
collect(const struct run *run, struct waiting *w)
{
	double most = 0;

	for (size_t i = 0; i < run->syncs; i++) {
		const struct sync_class *s = &run->sync[i];

		for (size_t k = 0; k < WAYS; k++) {
			double own, idle;

			if (s->call != way[k].call || s->followed == 0)
				continue;
			own = 1 - framework_tuned(run, way[k].bit);
			idle = own * (double)s->idle_after_ns * 1e-9;
			w->several = w->several || w->count > 0;
			w->count += (uint64_t)(own * (double)s->count);
			w->followed += (uint64_t)(own * (double)s->followed);
			w->idle_s += idle;
			w->wait_s += own * (double)s->wait_ns * 1e-9;
			if (w->most == NULL || idle > most) {
				w->most = &way[k];
				most = idle;
			}
		}
	}
}

/* The host's work between a wait and the next launch can hide behind the GPU's
 * work; the round trip goes in any case. */
static struct gain
queued(const struct run *run, double all, uint64_t waits)
{
	/* Even queued kernels have a gap between them. */
	double idle = fmax(0, all - (double)waits * run->ceilings->launch_gap_s);
	struct gain g = rule_queued(run, idle, waits);

	g.mid = fmax(g.mid, rule_turn(idle, waits) *
	    rule_unwaited(run, idle, waits, 0, ROUND_TRIP_S));
	return g;
}

enum rule_state
rule_device_sync_overuse(struct rule_view *x)
{
	const struct run *run = x->run;
	double idle, active = rule_active_s(run);
	struct waiting w = { .count = 0 };
	char operator[OPERATOR_SIZE];
	struct draft *d;

	collect(run, &w);
	/* A wait that only a few kernels follow ends a phase of the host's own. A
	 * gap longer than TURN_S is the host computing: gpu-idle-gaps reports that. */
	idle = fmin(w.idle_s, gaps_s(run, rule_value(x, "min_count"), TURN_S));
	if ((double)w.followed < rule_value(x, "min_count") ||
	    idle < rule_value(x, "min_share") * active)
		return RULE_CLEAN;
	d = rule_found(x, "device");
	lines_site(x, d, w.most->bit);
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_AFTER_SYNC) |
	    POOL_IDLE(IDLE_LAUNCH) | POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API), queued(run, idle, w.followed) };
	d->claims = 1;
	d->cause_s = idle;
	d->waits = BAR_WAIT;
	d->f.location = arena_format(x->arena, "%s of %s%s",
	    say_counted(x->arena, (double)w.count, "call"), w.most->name,
	    w.several ? " and the like" : "");
	if (operator_of(operator, d->f.site))
		d->f.location = arena_format(x->arena, "%s, here by %s itself",
		    d->f.location, operator);
	rule_evidence(x, d, "syncs", (double)w.followed,
	    "waits of the host for kernels",
	    .measured = "synchronisation and kernel records", .unit = "call",
	    .key = "min_count");
	rule_evidence(x, d, "idle_after_ratio", idle / active,
	    "GPU idle after them, part of first to last GPU work",
	    .measured = "synchronisation and kernel records",
	    .key = "min_share");
	rule_evidence(x, d, "idle_each_s", idle / (double)w.followed,
	    "GPU idle after each",
	    .derived = "synchronisation and kernel records");
	rule_evidence(x, d, "wait_s", w.wait_s, "host blocked in them",
	    .measured = "synchronisation records");
	d->f.confidence = CONF_HIGH;
	d->f.summary = arena_format(x->arena, "%s waits for kernels; "
	    "after each kernel the GPU is idle for %s, %s in all",
	    say_count(x->arena, w.followed),
	    say_seconds(x->arena, idle / (double)w.followed),
	    say_seconds(x->arena, idle));
	d->f.limiter = "nothing is queued while the host waits";
	d->f.advice = w.most->advice;
	d->f.gain_note = "work behind the synchronisation enqueued before it";
	return RULE_FOUND;
}
