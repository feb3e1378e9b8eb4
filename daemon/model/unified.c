/*
 * model/unified.c: managed memory: pages that move, and faults that make them.
 *
 * Pages that the program asked for (cudaMemPrefetchAsync) move like any copy
 * on a stream, and go the way of copies as well. What moves for a fault belongs
 * to the kernel or to the host code that waits for it.
 */
#include "model/internal.h"

/* CUPTI names the host by this, in place of a device. */
#define UVM_HOST UINT32_MAX

/* No stream of the program's has these. */
#define UVM_CONTEXT UINT32_MAX
#define UVM_STREAM UINT32_MAX

static bool
is_device(const struct stream *s, uint32_t id)
{

	return (id != UVM_HOST && idmap_get(&s->device, id) != IDMAP_NONE);
}

/* Pages that were asked for, as a copy. */
static int
asked(struct model *m, struct stream *s, const struct record_UVM *r)
{
	bool up = r->kind == UVM_H2D;
	struct record_COPY c = {
		.device = up ? r->dst_device : r->src_device,
		.context = UVM_CONTEXT, .stream = UVM_STREAM,
		.start_ns = r->start_ns, .end_ns = r->end_ns,
		.bytes = r->bytes, .flags = COPY_ASYNC,
		.kind = up ? COPY_H2D : COPY_D2H, .src = MEMORY_MANAGED,
		.dst = MEMORY_MANAGED,
	};

	c.src_device = c.dst_device = c.device;
	m->run.unified.asked_bytes = add_sat(m->run.unified.asked_bytes,
	    r->bytes);
	if (r->kind == UVM_D2D || !is_device(s, c.device))
		return (0);
	return (copy_feed(m, s, &c));
}

static int
moved(struct model *m, struct stream *s, const struct record_UVM *r)
{
	struct unified *u = &m->run.unified;
	bool timed = model_time(m, r->start_ns, r->end_ns);

	if (r->flags == UVM_USER)
		return (asked(m, s, r));
	if (r->flags == UVM_EVICTION) {
		u->evicted_bytes = add_sat(u->evicted_bytes, r->bytes);
		return (0);
	}
	if (r->kind == UVM_D2H) {
		u->down_bytes = add_sat(u->down_bytes, r->bytes);
		if (timed)
			u->down_ns = add_sat(u->down_ns,
			    r->end_ns - r->start_ns);
		return (0);
	}
	u->up_bytes = add_sat(u->up_bytes, r->bytes);
	return (timed ? spans_add(&m->faults, r->start_ns, r->end_ns) : 0);
}

int
unified_feed(struct model *m, struct stream *s, const struct record_UVM *r)
{
	struct unified *u = &m->run.unified;

	if (r->kind == UVM_WATCHED) {
		u->used = true;
		u->watched = u->watched || r->flags == 0;
		if (r->flags != 0)
			u->refused = r->flags;
		return (0);
	}
	if (r->kind >= UVM_KINDS)
		return (0);
	u->used = u->watched = true;
	switch (r->kind) {
	case UVM_H2D:
	case UVM_D2H:
	case UVM_D2D:
		return (moved(m, s, r));
	case UVM_CPU_FAULT:
		/* Old writers put an address where others put 1. */
		u->cpu_faults++;
		return (0);
	case UVM_GPU_FAULT:
		u->gpu_faults = add_sat(u->gpu_faults,
		    r->bytes > 0 ? r->bytes : 1);
		return (model_time(m, r->start_ns, r->end_ns) ?
		    spans_add(&m->faults, r->start_ns, r->end_ns) : 0);
	case UVM_THRASHING:
		u->thrashing++;
		return (0);
	case UVM_THROTTLING:
		if (model_time(m, r->start_ns, r->end_ns))
			u->throttled_ns = add_sat(u->throttled_ns,
			    r->end_ns - r->start_ns);
		return (0);
	default:
		u->remote_maps++;
		return (0);
	}
}
