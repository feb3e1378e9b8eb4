/*
 * rules/evidence/offloaded.c: see offloaded.h.
 */
#include "rules/evidence/framework.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/offloaded.h"

/* Round trips of single tensors. Arithmetic: models have tens of parameters, and a layer
 * that a program moves by itself a few. */
#define TRIPS_FEW 10
/* Of the copies to the host. Arithmetic: more than half of them say what they are for. */
#define PART 0.5

double
offloaded_part(const struct run *run, bool (*is)(const struct site *s))
{
	double all = 0, moved = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_MEMCPY && s->call != CALL_MEMCPY_ASYNC)
			continue;
		if (!is(s))
			continue;
		all += (double)s->count;
		moved += framework_moves(s) ? (double)s->count : 0;
	}
	return all > 0 ? moved / all : 0;
}

bool
offloaded_of(const struct run *run, struct offloaded *o)
{

	*o = (struct offloaded){ 0 };
	for (size_t i = 0; i < run->resents; i++) {
		const struct resent *r = &run->resent[i];

		if (r->kind != RESENT_ROUND || r->count == 0)
			continue;
		o->count += (double)r->count;
		o->bytes += (double)r->bytes;
		o->up_s += (double)r->gpu_ns * 1e-9;
		o->down_s += (double)r->down_ns * 1e-9;
		o->size += (double)r->bytes * ((double)r->ranges /
		    (double)r->count);
	}
	return o->count > TRIPS_FEW && offloaded_part(run, lines_reads) > PART;
}

struct results
offloaded_results(const struct run *run)
{
	struct offloaded o;

	return run->results.copies > 0 && offloaded_of(run, &o) ?
	    (struct results){ 0 } : run->results;
}
