/*
 * device-memory-leak: device memory that was still allocated when its context
 * was destroyed or the process ended.
 */
#include <math.h>
#include <string.h>

#include "rules/evidence/framework.h"
#include "rules/evidence/lines.h"

#define FINDINGS 8

/* Pools and workspaces are allocated during warm-up, in different sizes, and
 * kept until the end. A leak that grows goes on until the end of the run, or
 * comes from one statement in a loop (equal sizes). */
static bool
grows(const struct rule_view *x, const struct leak *l)
{
	double many = rule_value(x, "growing_count");

	return (double)l->late >= many ||
	    (l->equal && (double)l->count >= many);
}

/* The calls that allocate what ${l} lost. */
static uint64_t
calls_of(const struct leak *l)
{
	return l->kind == MEMORY_ARRAY ? CALL_BIT(MALLOC_ARRAY) : CALL_BIT(MALLOC) |
	    CALL_BIT(MALLOC_ASYNC) | CALL_BIT(MALLOC_MANAGED);
}

/* Arithmetic: no one else made as many. */
#define MOST 0.5

/* Does a framework's caching allocator make most of these calls? What it has in the end it
 * kept for later tensors, as it should; workspaces of libraries are beside it. */
static bool
is_pool(const struct run *run, uint64_t calls)
{
	double all = 0, pool = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call >= 64 || !(calls >> s->call & 1) || s->frames == 0)
			continue;
		all += (double)s->count;
		pool += framework_pools(s) ? (double)s->count : 0;
	}
	return pool > MOST * all;
}

static bool
is_direct(const struct site *s)
{
	return !framework_pools(s);
}

static void
found(struct rule_view *x, const struct leak *l)
{
	bool array = l->kind == MEMORY_ARRAY;
	const char *kind = l->kind == MEMORY_MANAGED ? "managed" : array ?
	    "array" : "device", *pair = array ? "cudaMallocArray with a "
	    "cudaFreeArray" : "cudaMalloc with a cudaFree";
	bool growing = grows(x, l);
	struct draft *d = rule_found(x, arena_format(x->arena, "%s %u %s", kind,
	    l->device, l->site != NULL ? l->site : ""));

	lines_site_of(x, d, calls_of(l), is_direct);
	/* A framework's words are about its arrays, but for what is allocated
	 * under it by CUDA's own calls. */
	if (d->f.site != NULL)
		d->variant = "direct";
	d->cap = growing ? SEV_MEDIUM : SEV_LOW;
	d->minor = !growing;
	d->f.confidence = growing ? CONF_HIGH : CONF_MEDIUM;
	d->f.where = arena_format(x->arena, "%s memory", kind);
	d->f.location = l->site;
	if (l->site == NULL)
		d->f.location_missing = &reason_row[REASON_LINE_NO_ALLOCATION];
	rule_evidence(x, d, "leaked_bytes", (double)l->bytes,
	    "bytes still allocated at the end", .measured = "memory records",
	    .key = "min_bytes");
	rule_evidence(x, d, "leaked_allocations", (double)l->count,
	    "allocations never freed", .measured = "memory records",
	    .unit = "allocation", .key = "growing_count");
	if (x->run->peak_memory_bytes > 0)
		rule_evidence(x, d, "peak_bytes",
		    (double)x->run->peak_memory_bytes,
		    "most device memory in use at once",
		    .measured = "memory records");
	d->f.summary = arena_format(x->arena, "%s of %s memory in %s "
	    "allocation%s never freed (largest %s)", say_bytes(x->arena,
	    (double)l->bytes), kind, say_count(x->arena, l->count),
	    l->count == 1 ? "" : "s",
	    say_bytes(x->arena, (double)l->largest));
	d->f.advice = arena_format(x->arena, growing ? "pair every %s: so many "
	    "live allocations grow with the run and end in out of memory" :
	    "pair every %s; at the end of a process the driver cleans up, in a "
	    "library or server nobody does", pair);
	d->f.gain_note = "memory issue; no saving estimated";
}

enum rule_state
rule_device_memory_leak(struct rule_view *x)
{
	size_t n = 0;

	if (!x->run->contexts_gone)
		return rule_unmeasured(x, REASON_NO_END);
	for (size_t i = 0; i < x->run->leaks && n < FINDINGS; i++) {
		const struct leak *l = &x->run->leak[i];

		if ((l->kind != MEMORY_DEVICE && l->kind != MEMORY_MANAGED &&
		    l->kind != MEMORY_ARRAY) || l->count == 0 ||
		    (double)l->bytes < rule_value(x, "min_bytes") ||
		    is_pool(x->run, calls_of(l)))
			continue;
		found(x, l);
		n++;
	}
	return n > 0 ? RULE_FOUND : RULE_CLEAN;
}
