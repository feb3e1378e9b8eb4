/*
 * idle-gpus: the program uses several GPUs, and they do not work at the same
 * time, or one works much more than the rest. A program that uses one of many
 * is told so without seconds: the others may be in use by somebody else.
 */
#include <math.h>

#include "rules/evidence/lines.h"

static void
evidence_common(struct rule_view *x, struct draft *d, const struct gpus *t)
{
	rule_evidence(x, d, "gpus_seen", (double)t->seen,
	    "GPUs that the program sees", .attribute = "device records",
	    .unit = "GPU");
	rule_evidence(x, d, "gpus_used", (double)t->used,
	    "of them at work for ≥ 5 % of the busiest one's time",
	    .measured = "kernel records", .unit = "GPU");
}

static enum rule_state
found_one(struct rule_view *x, const struct gpus *t)
{
	struct draft *d = rule_found(x, "one");

	evidence_common(x, d, t);
	d->f.confidence = CONF_LOW;
	d->f.where = PLACE_RUN;
	d->f.location_missing = &reason_row[REASON_LINE_NO_LAUNCH];
	d->f.summary = arena_format(x->arena, "one of the %zu GPUs that the "
	    "program sees does all the work", t->seen);
	d->f.advice = "if the others are there for this program, split the "
	    "work over them; if not, hide them with CUDA_VISIBLE_DEVICES, so "
	    "that nothing is set up on them";
	d->f.gain_note = "no prediction: a program for one GPU on a machine "
	    "with several is nothing unusual";
	d->f.next = say_tool(x->arena, x->run,
	    "nsys profile --trace=cuda --stats=true");
	return RULE_FOUND;
}

static enum rule_state
found_turns(struct rule_view *x, const struct gpus *t)
{
	struct draft *d = rule_found(x, "turns");
	bool in_turn = t->turns_s > t->uneven_s;
	double spare = t->turns_s + t->uneven_s;

	lines_site(x, d, CALL_BIT(DEVICE_SYNC) | CALL_BIT(STREAM_SYNC) |
	    CALL_BIT(EVENT_SYNC) | CALL_BIT(MEMCPY));
	/* While the others work, the busiest GPU is idle, for whatever cause. */
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_AFTER_SYNC) |
	    POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API) |
	    POOL_IDLE(IDLE_LAUNCH), { 0.1 * t->turns_s, 0.8 * t->turns_s,
	    t->turns_s } };
	d->claim[1] = (struct claim){ POOL_SHARE, { 0, 0.5 * t->uneven_s,
	    t->uneven_s } };
	d->claims = 2;
	evidence_common(x, d, t);
	rule_evidence(x, d, "spare_ratio", spare / t->busy_s,
	    "gained by sharing evenly, of the time any GPU works",
	    .derived = "kernel records", .key = "min_share");
	rule_evidence(x, d, "busy_s", t->busy_s, "at least one GPU at work",
	    .measured = "kernel records");
	rule_evidence(x, d, "work_s", t->work_s, "work of all GPUs together",
	    .measured = "kernel records");
	rule_evidence(x, d, "most_s", t->most_s, "work of the busiest",
	    .measured = "kernel records");
	d->f.confidence = CONF_LOW;
	d->f.where = arena_format(x->arena, "%zu GPUs", t->used);
	d->f.summary = arena_format(x->arena, "%zu GPUs do %s of work in %s: "
	    "%s at work at a time", t->used, say_seconds(x->arena, t->work_s),
	    say_seconds(x->arena, t->busy_s),
	    say_plain(x->arena, t->work_s / t->busy_s));
	d->f.limiter = in_turn ? "the GPUs work one after the other" :
	    "one GPU has more to do than the others";
	d->f.advice = in_turn ? "enqueue the work of all GPUs before waiting "
	    "for any: asynchronous copies, a stream on each device, one wait "
	    "at the end; or a host thread for each GPU" :
	    "split by measured time, not by number of items; small chunks "
	    "that each GPU fetches when it is done";
	d->f.gain_note = "an upper bound: it assumes that work can be moved "
	    "between GPUs, and that they are equally fast";
	return RULE_FOUND;
}

enum rule_state
rule_idle_gpus(struct rule_view *x)
{
	struct gpus t;

	rule_gpus(x->run, &t);
	if (t.used >= 2)
		return t.busy_s > 0 && t.turns_s + t.uneven_s >=
		    rule_value(x, "min_share") * t.busy_s ?
		    found_turns(x, &t) : RULE_CLEAN;
	return t.used == 1 && t.seen > 1 ? found_one(x, &t) : RULE_CLEAN;
}
