/*
 * model/unified.c: managed memory: pages that move, and the faults that cause it.
 *
 * Pages that the program prefetches (cudaMemPrefetchAsync) move like a copy in a
 * stream, and are counted as copies. Pages that move for a fault belong to the kernel
 * or the host code that waits for them.
 */
#include "model/internal.h"

/* CUPTI's device id for the host. */
#define UVM_HOST UINT32_MAX

/*
 * Not every driver reports faults of GPUs; all report the copies that serve them.
 * Measured on an H200: the copies of a batch follow each other at once; then 80 us pass
 * (94 in the longest of a hundred gaps) before the next batch begins, in which its
 * faults are fetched, and their pages unmapped and allocated. If that time is counted
 * before each batch, 95 % of a kernel that does nothing but fault are covered.
 */
#define BATCH_NS 5000		/* gaps between two batches are longer */
#define SERVE_NS 100000

/*
 * A fault of the host: 10 us (9 to 12) pass from the trap to the copy of the first
 * page; after the copies, 25 us and 0.08 ns per byte (0.33 us per page of 4 KiB) until
 * the pages are mapped and the host continues. Measured on an H200: 3,840 faults of a
 * stencil whose fields the host writes to a file after every 10 steps, less the time
 * that the host needs for that in the variant with explicit copies. The 7,300 faults of
 * a second program had the same distance (2026-11-23).
 */
#define HOST_TRAP_NS 10000
#define HOST_MAP_NS 25000
#define HOST_MAP_BYTES 12	/* mapped per ns */

/* Ids that no context or stream of the program has. */
#define UVM_CONTEXT UINT32_MAX
#define UVM_STREAM UINT32_MAX

static bool
is_device(const struct stream *s, uint32_t id)
{

	return id != UVM_HOST && idmap_get(&s->device, id) != IDMAP_NONE;
}

/* Count pages that the program prefetched as a copy. */
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
		return 0;
	return copy_feed(m, s, &c);
}

/* Pages moved to a device for a fault. */
static int
served(struct model *m, uint64_t start, uint64_t end)
{
	uint64_t from = start > SERVE_NS ? start - SERVE_NS : 0;

	if (start > m->up_end_ns && start - m->up_end_ns > BATCH_NS)
		m->run.unified.up_batches++;
	if (end > m->up_end_ns)
		m->up_end_ns = end;
	return spans_add(&m->faults, start, end) != 0 ? -1 :
	    spans_add(&m->served, from, end);
}

/* Pages moved to the host for a fault. */
static int
fetched(struct model *m, const struct record_UVM *r)
{
	uint64_t from = sub_sat(r->start_ns, HOST_TRAP_NS);

	return spans_add(&m->host_faults, from, add_sat(r->end_ns,
	    HOST_MAP_NS + r->bytes / HOST_MAP_BYTES));
}

static int
moved(struct model *m, struct stream *s, const struct record_UVM *r)
{
	struct unified *u = &m->run.unified;
	bool timed = model_time(m, r->start_ns, r->end_ns);

	if (r->flags == UVM_USER)
		return asked(m, s, r);
	if (r->flags == UVM_EVICTION) {
		u->evicted_bytes = add_sat(u->evicted_bytes, r->bytes);
		return 0;
	}
	if (r->kind == UVM_D2H) {
		u->down_bytes = add_sat(u->down_bytes, r->bytes);
		return timed ? fetched(m, r) : 0;
	}
	u->up_bytes = add_sat(u->up_bytes, r->bytes);
	return timed ? served(m, r->start_ns, r->end_ns) : 0;
}

static const struct spans *
faults(const struct model *m)
{

	return m->run.unified.gpu_faults > 0 ? &m->faults : &m->served;
}

uint64_t
unified_fault_ns(const struct model *m)
{

	return spans_total(faults(m));
}

uint64_t
unified_fault_in(const struct model *m, uint64_t start, uint64_t end)
{

	return spans_overlap(faults(m), start, end);
}

uint64_t
unified_host_in(const struct model *m, uint64_t start, uint64_t end)
{

	return spans_overlap(&m->host_faults, start, end);
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
		return 0;
	}
	if (r->kind >= UVM_KINDS)
		return 0;
	u->used = u->watched = true;
	switch (r->kind) {
	case UVM_H2D:
	case UVM_D2H:
	case UVM_D2D:
		return moved(m, s, r);
	case UVM_CPU_FAULT:
		/* One fault; old writers put an address where others put 1. */
		u->cpu_faults++;
		return 0;
	case UVM_GPU_FAULT:
		u->gpu_faults = add_sat(u->gpu_faults,
		    r->bytes > 0 ? r->bytes : 1);
		return model_time(m, r->start_ns, r->end_ns) ?
		    spans_add(&m->faults, r->start_ns, r->end_ns) : 0;
	case UVM_THRASHING:
		u->thrashing++;
		return 0;
	case UVM_THROTTLING:
		if (model_time(m, r->start_ns, r->end_ns))
			u->throttled_ns = add_sat(u->throttled_ns,
			    r->end_ns - r->start_ns);
		return 0;
	default:
		u->remote_maps++;
		return 0;
	}
}
