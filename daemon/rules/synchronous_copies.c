/*
 * synchronous-copies: the host waits in a blocking copy, and launches the next
 * work only after it: the GPU idles meanwhile.
 */
#include <math.h>

#include "rules/gaps.h"
#include "rules/lines.h"

enum rule_state
rule_synchronous_copies(struct rule_view *x)
{
	const struct run *run = x->run;
	double idle = 0, host = 0, exposed = 0, active = rule_active_s(run);
	uint64_t count = 0, bytes = 0;
	struct draft *d;

	for (size_t i = 0; i < run->copies; i++) {
		const struct copy_class *c = &run->copy[i];

		/* Within the device neither a copy nor a memset blocks the
		 * host, whatever the call. */
		if (c->async || c->kind == COPY_D2D || (c->memset && c->dst != MEMORY_PINNED &&
		    c->dst != MEMORY_PAGEABLE && c->dst != MEMORY_MANAGED))
			continue;
		count += c->count;
		bytes += c->bytes;
		idle += (double)c->idle_waited_ns * 1e-9;
		host += (double)c->host_ns * 1e-9;
		if (c->exposed_ns > 0)
			exposed += c->exposed_ns * 1e-9;
	}
	/* What follows only a few of them is a phase of the host's own. */
	idle = fmin(idle, gaps_s(run, rule_value(x, "min_count")));
	if ((double)count < rule_value(x, "min_count") ||
	    idle < rule_value(x, "min_share") * active)
		return RULE_CLEAN;
	d = rule_found(x, "blocking");
	if (d == NULL)
		return RULE_NOT_MEASURED;
	lines_site(x, d, CALL_BIT(MEMCPY) | CALL_BIT(MEMSET));
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_AFTER_SYNC) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_LAUNCH), rule_queued(run, idle, count, count) };
	/* Beside other work the copies may be hidden as well, unless the host
	 * computes with them first. */
	d->claim[1] = (struct claim){ POOL_COPY, { 0, 0.5 * exposed *
	    rule_turn(idle, count), exposed } };
	d->claims = 2;
	d->f.where = "blocking copies";
	d->f.location = arena_format(x->arena, "%s blocking copies, %s",
	    say_count(x->arena, count), say_bytes(x->arena, (double)bytes));
	d->f.location_missing = "line not known: call sites are not recorded";
	rule_evidence(x, d, (struct evidence){ .name = "blocking_copies",
	    .label = "blocking copies", .value = (double)count,
	    .unit = "copy", .source = "measured", .from = "copy records" },
	    "min_count");
	rule_evidence(x, d, (struct evidence){ .name = "idle_after_ratio",
	    .label = "GPU idle after them, part of first to last "
	    "GPU work",
	    .value = idle / active, .unit = "ratio", .source = "measured",
	    .from = "copy and kernel records" }, "min_share");
	rule_evidence(x, d, (struct evidence){ .name = "idle_each_s",
	    .label = "GPU idle after each", .value = idle / (double)count,
	    .unit = "s", .source = "derived",
	    .from = "copy and kernel records" }, NULL);
	if (host > 0)
		rule_evidence(x, d, (struct evidence){ .name = "host_s",
		    .label = "host blocked in them", .value = host,
		    .unit = "s", .source = "measured",
		    .from = "API records" }, NULL);
	d->f.summary = arena_format(x->arena, "%s blocking copies leave the "
	    "GPU idle for %s after each, %s in all", say_count(x->arena,
	    count), say_seconds(x->arena, idle / (double)count),
	    say_seconds(x->arena, idle));
	d->f.limiter = "the host waits for the copy before it goes on";
	d->f.advice = "use cudaMemcpyAsync on a stream with pinned memory and "
	    "enqueue the next work behind it; wait once, where the host "
	    "needs the data";
	d->f.gain_note = "holds as far as the next work does not depend on "
	    "what the host read";
	d->f.next = say_tool(x->arena, run, "nsys profile --trace=cuda");
	return RULE_FOUND;
}
