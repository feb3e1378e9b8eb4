/*
 * device-memory-leak: device memory that was still allocated when its context
 * was destroyed or the process ended.
 */
#include <math.h>
#include <string.h>

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

/* A framework's caching allocator, which keeps the memory of freed tensors for
 * the next. */
static bool
is_pool(const struct site *s)
{
	static const char *const pools[] = { "libc10_cuda", "cupy_backends",
	    "xla_cuda_plugin", "xla_extension" };

	for (size_t f = 0; s != NULL && f < s->frames; f++)
		for (size_t i = 0; i < sizeof(pools) / sizeof(pools[0]); i++)
			if (s->frame[f].module != NULL &&
			    strstr(s->frame[f].module, pools[i]) != NULL)
				return true;
	return false;
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

	lines_site(x, d, array ? CALL_BIT(MALLOC_ARRAY) : CALL_BIT(MALLOC) |
	    CALL_BIT(MALLOC_ASYNC) | CALL_BIT(MALLOC_MANAGED));
	/* A framework's words are about its arrays, but for what is allocated
	 * under it by CUDA's own calls. */
	if (d->f.site != NULL && !is_pool(d->f.site))
		d->variant = "direct";
	growing = growing && !is_pool(d->f.site);
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
		    (double)l->bytes < rule_value(x, "min_bytes"))
			continue;
		found(x, l);
		n++;
	}
	return n > 0 ? RULE_FOUND : RULE_CLEAN;
}
