/*
 * allocation-in-hot-path: memory is allocated and released between launches;
 * cudaFree waits for the whole device, cudaMalloc maps memory.
 */
#include <math.h>

#include "rules/lines.h"

static bool
allocates(enum wire_call call)
{
	switch (call) {
	case CALL_MALLOC: case CALL_FREE: case CALL_MALLOC_HOST:
	case CALL_FREE_HOST: case CALL_HOST_REGISTER:
	case CALL_HOST_UNREGISTER: case CALL_MALLOC_MANAGED:
		return true;
	default:
		return false;
	}
}

enum rule_state
rule_allocation_in_hot_path(struct rule_view *x)
{
	const struct run *run = x->run;
	const struct call_class *top = NULL;
	double hot = 0, idle = 0;
	uint64_t count = 0;
	struct draft *d;

	for (size_t i = 0; i < run->calls; i++) {
		const struct call_class *c = &run->call[i];

		if (!allocates(c->call))
			continue;
		count += c->hot_count;
		hot += (double)c->hot_ns * 1e-9;
		idle += (double)c->hot_idle_ns * 1e-9;
		if (top == NULL || c->hot_ns > top->hot_ns)
			top = c;
	}
	if (top == NULL || (double)count < rule_value(x, "min_count") ||
	    hot < rule_value(x, "min_share") * rule_wall_s(run))
		return RULE_CLEAN;
	d = rule_found(x, "hot");
	if (d == NULL)
		return RULE_NOT_MEASURED;
	lines_site(x, d, CALL_BIT(MALLOC) | CALL_BIT(FREE) |
	    CALL_BIT(MALLOC_HOST) | CALL_BIT(FREE_HOST) |
	    CALL_BIT(MALLOC_MANAGED));
	idle = fmin(idle, hot);
	/* The GPU may also starve after the call, until the host catches up. */
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_ALLOCATION) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_LAUNCH) | POOL_IDLE(IDLE_AFTER_SYNC),
	    { 0.8 * idle, idle, fmax(idle, hot) } };
	d->claims = 1;
	d->f.where = "the run";
	d->f.location = arena_format(x->arena, "%s calls between launches, "
	    "most time in %s", say_count(x->arena, count),
	    wire_call_name((uint16_t)top->call));
	d->f.location_missing = "line not known: call sites are not recorded";
	rule_evidence(x, d, (struct evidence){ .name = "hot_calls",
	    .label = "allocations and releases between launches",
	    .value = (double)count, .unit = "call", .source = "measured",
	    .from = "API records" }, "min_count");
	rule_evidence(x, d, (struct evidence){ .name = "hot_ratio",
	    .label = "their part of the run", .value = hot / rule_wall_s(run),
	    .unit = "ratio", .source = "measured", .from = "API records" },
	    "min_share");
	rule_evidence(x, d, (struct evidence){ .name = "idle_s",
	    .label = "GPU idle meanwhile", .value = idle, .unit = "s",
	    .source = "measured", .from = "API and kernel records" }, NULL);
	d->f.confidence = CONF_HIGH;
	d->f.summary = arena_format(x->arena, "%s allocations and releases "
	    "between launches take %s; the GPU is idle for %s of it",
	    say_count(x->arena, count), say_seconds(x->arena, hot),
	    say_seconds(x->arena, idle));
	d->f.limiter = "the host is inside the allocator, and the GPU waits";
	d->f.advice = "allocate once before the loop and reuse, or take "
	    "stream-ordered memory: cudaMallocAsync and cudaFreeAsync with a "
	    "release threshold on the pool";
	d->f.gain_note = "the GPU idle time inside these calls";
	d->f.next = say_tool(x->arena, run,
	    "nsys profile --trace=cuda --cuda-memory-usage=true");
	return RULE_FOUND;
}
