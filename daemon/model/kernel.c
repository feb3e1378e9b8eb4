/*
 * model/kernel.c: kernels by signature, over all processes and streams.
 *
 * One kernel is one mangled name on one device with one launch shape. Settings that
 * the driver chose at the launch (the shared memory configuration, the local memory
 * pool) are not part of the shape: they may differ between two launches that the
 * program's author would call the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/host.h"
#include "facts/chip.h"
#include "model/internal.h"
#include "model/occupancy.h"
#include "wire/le.h"

#define EMPTY_NS 1000	/* no kernel takes less on a GPU of these years */
#define HELD_NS 1900000000u	/* a launch this long may have waited for the host: a
				 * trial holds that for 2 s, from before the start */

struct kernel_entry {
	struct kernel_key key;
	uint32_t index;
	UT_hash_handle hh;
};

static void
key_make(struct kernel_key *key, const char *mangled, uint32_t device,
    const struct record_SIGNATURE *r)
{
	const uint32_t shape[17] = {
		r->grid_x, r->grid_y, r->grid_z,
		r->block_x, r->block_y, r->block_z,
		r->cluster_x, r->cluster_y, r->cluster_z,
		r->regs, r->smem_static, r->smem_dynamic, r->smem_optin,
		r->carveout, r->local_per_thread, r->cache_config,
		r->flags & SIGNATURE_COOPERATIVE,
	};

	memset(key, 0, sizeof(*key));	/* padding is hashed too */
	key->mangled = mangled;
	key->device = device;
	memcpy(key->shape, shape, sizeof(shape));
}

static int
kernel_add(struct model *m, const struct kernel_key *key,
    const struct record_SIGNATURE *r)
{
	struct kernel_entry *e;
	struct kernel *k;
	int i;

	if (model_grow(&m->kernel, &m->kernels_cap, m->kernels, MAX_KERNELS,
	    sizeof(*m->kernel)) != 0 ||
	    (e = calloc(1, sizeof(*e))) == NULL)
		return -1;
	e->key = *key;
	e->index = m->kernels;
	HASH_ADD(hh, m->kernel_table, key, sizeof(e->key), e);
	if (e->hh.tbl == NULL) {
		free(e);
		return -1;
	}
	k = &m->kernel[m->kernels].out;
	k->id = ++m->kernels;
	k->device = key->device;
	k->mangled = key->mangled;
	m->kernel[e->index].name = hash_text(key->mangled);
	k->shape = *r;
	for (i = 0; i < METRIC_COUNT; i++)
		k->metric[i] = NAN;
	return pool_names(&m->pool, k->mangled, &k->name, &k->short_name);
}

int
kernel_define(struct model *m, struct stream *s,
    const struct record_SIGNATURE *r)
{
	const char *mangled = stream_text(s, r->name);
	uint32_t device = define_device_of(m, s, r->device);
	struct kernel_key key;
	struct kernel_entry *e;
	struct kernel *k;
	int rc;

	if (mangled == NULL)
		mangled = "(name lost)";
	key_make(&key, mangled, device, r);
	HASH_FIND(hh, m->kernel_table, &key, sizeof(key), e);
	rc = device == IDMAP_NONE || (e == NULL && m->kernels >= MAX_KERNELS) ?
	    1 : model_put(m, &s->signature, r->id, e != NULL ? e->index :
	    m->kernels, MAX_KERNELS);
	if (rc != 0) {
		s->process.lost[LOSS_TABLE] += rc > 0;
		return rc < 0 ? -1 : 0;
	}
	if (e == NULL)
		return kernel_add(m, &key, r);
	k = &m->kernel[e->index].out;
	k->shape.flags |= r->flags;
	if (r->smem_executed > k->shape.smem_executed)
		k->shape.smem_executed = r->smem_executed;
	if (r->local_total > k->shape.local_total)
		k->shape.local_total = r->local_total;
	return 0;
}

/* The call comes before the start on the GPU, even if the two clocks disagree. */
static uint64_t
launch_time(uint64_t launch, uint64_t start)
{

	return launch > start ? start : launch;
}

static int
kernel_push(struct model *m, struct stream *s, struct kernel_state *k,
    const struct record_KERNEL *r)
{
	struct op op = {
		.start = r->start_ns, .end = r->end_ns,
		.launch = launch_time(r->launch_ns, r->start_ns),
		.index = k->out.id - 1, .device = (uint8_t)k->out.device,
		.kind = OP_KERNEL, .row = ROW_KERNEL,
	};

	if (r->flags & KERNEL_PROFILED)
		op.flags |= OP_PROFILED;
	if (r->graph != 0)
		op.flags |= OP_IN_GRAPH;
	op.queue = define_queue(m, s, k->out.device, r->context, r->stream);
	if (op.queue == IDMAP_NONE)
		return -1;
	k->queue = op.queue + 1;
	op.thread = host_thread(m, s, r->tid);
	return model_push(m, &op);
}

/* Count the time from the call of a measured launch to its start as our overhead: CUPTI
 * prepares the launch, saves and restores memory, and runs all passes but the last. No
 * other work runs meanwhile: CUPTI waited for the GPU before. */
static int
kernel_held(struct model *m, struct stream *s,
    const struct record_KERNEL *r)
{
	const struct record_OVERHEAD held = { .kind = OVERHEAD_COUNTERS,
	    .tid = r->tid, .start_ns = r->launch_ns, .end_ns = r->start_ns };

	if (r->launch_ns == 0 || r->launch_ns >= r->start_ns)
		return 0;
	return about_overhead(m, s, &held);
}

int
kernel_launch(struct model *m, struct stream *s,
    const struct record_KERNEL *r)
{
	uint32_t i = idmap_get(&s->signature, r->signature);
	struct kernel_state *k;
	uint64_t ns;

	if (i == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	k = &m->kernel[i];
	if (k->out.launches++ == 0)
		k->out.stream = r->stream;
	k->out.streams_vary |= r->stream != k->out.stream;
	m->run.launches++;
	if (r->graph != 0)
		k->out.graph_launches++;
	if (r->flags & KERNEL_PROFILED)
		m->run.profiled_launches++;
	if ((r->flags & KERNEL_NO_TIME) != 0) {
		k->untimed++;
		return 0;
	}
	if (!model_time(m, r->start_ns, r->end_ns)) {
		k->untimed++;
		s->process.lost[LOSS_TIMESTAMP]++;
		return 0;
	}
	ns = r->end_ns - r->start_ns;
	if (r->flags & KERNEL_PROFILED) {
		k->profiled++;
		k->profiled_ns = add_sat(k->profiled_ns, ns);
		if (kernel_held(m, s, r) != 0)
			return -1;
	} else
		stat_add(ns < HELD_NS ? &k->out.time : &k->waited, ns);
	if (k->out.first_ns == 0 || r->start_ns < k->out.first_ns)
		k->out.first_ns = r->start_ns;
	if (r->end_ns > k->out.last_ns)
		k->out.last_ns = r->end_ns;
	s->work_last = max_u64(s->work_last,
	    r->launch_ns != 0 ? r->launch_ns : r->start_ns);
	return kernel_push(m, s, k, r);
}

int
kernel_graph(struct model *m, struct stream *s, const struct record_GRAPH *r)
{
	struct op op = {
		.start = r->start_ns, .end = r->end_ns,
		.launch = launch_time(r->launch_ns, r->start_ns),
		.kind = OP_GRAPH, .row = ROW_KERNEL, .flags = OP_IN_GRAPH,
	};
	uint32_t device = define_device_of(m, s, r->device);

	if (device == IDMAP_NONE ||
	    !model_time(m, r->start_ns, r->end_ns)) {
		s->process.lost[LOSS_TIMESTAMP]++;
		return 0;
	}
	op.device = (uint8_t)device;
	op.queue = define_queue(m, s, device, r->context, r->stream);
	if (op.queue == IDMAP_NONE)
		return -1;
	op.thread = host_thread(m, s, r->tid);
	return model_push(m, &op);
}

int
kernel_skipped(struct model *m, struct stream *s,
    const struct record_SKIPPED *r)
{
	uint32_t i = idmap_get(&s->signature, r->signature);

	if (i == IDMAP_NONE)
		s->process.lost[LOSS_TABLE]++;
	else if (r->reason < SKIP_REASONS)
		m->kernel[i].out.skip = (enum wire_skip)r->reason;
	return 0;
}

enum wire_skip
kernel_skip(const struct kernel_state *k)
{

	/* Too few launch calls, because most launches were nodes of a graph. */
	return k->out.skip == SKIP_TOO_FEW_LAUNCHES &&
	    k->out.graph_launches > k->out.launches / 2 ? SKIP_GRAPH :
	    k->out.skip;
}

/* Did launches hang that wait for the host, while we held the host for a trial? Shorter
 * launches show that the kernel is not that long by itself. */
static bool
kernel_waited(const struct kernel_state *k)
{

	return kernel_skip(k) == SKIP_WAITS && k->waited.count > 0 &&
	    k->out.time.count > 0;
}

static uint64_t
kernel_undisturbed(const struct kernel_state *k)
{

	return k->out.time.count + (kernel_waited(k) ? 0 : k->waited.count);
}

static uint64_t
kernel_disturbed_count(const struct kernel_state *k)
{

	return k->profiled + (kernel_waited(k) ? k->waited.count : 0);
}

/* A lower bound in ns of one launch, for a kernel that ran only in measured launches
 * without a counter of their duration: their records span the whole window, in which
 * code was patched or each instruction counted. It is the time to issue its warp
 * instructions on all schedulers, or that of an empty kernel. 0: not such a kernel. */
static double
kernel_least(const struct model *m, const struct kernel_state *k)
{
	const struct device *d = &m->device[k->out.device]->out;
	double issued = d->sm->schedulers * (double)d->limits.sms *
	    (double)d->limits.core_khz * 1e3;
	double least = EMPTY_NS, measured = k->out.metric[METRIC_DURATION];

	if (kernel_undisturbed(k) > 0 || measured > 0 || k->profiled == 0)
		return 0;
	if (issued > 0)
		least = fmax(least, (double)k->counted_inst / issued * 1e9);
	return least < (double)k->profiled_ns / (double)k->profiled ?
	    least : 0;
}

/* ns of one typical launch: the mean of the undisturbed ones; else the duration that
 * the counters have, else kernel_least, else the mean of the measured ones. */
static double
kernel_mean(const struct model *m, const struct kernel_state *k)
{
	double measured = k->out.metric[METRIC_DURATION], least;
	double sum = (double)k->out.time.sum;

	if (!kernel_waited(k))
		sum += (double)k->waited.sum;
	if (kernel_undisturbed(k) > 0)
		return sum / (double)kernel_undisturbed(k);
	if (measured > 0 && measured < 1e18)
		return measured;
	if ((least = kernel_least(m, k)) > 0)
		return least;
	if (k->profiled > 0)
		return (double)k->profiled_ns / (double)k->profiled;
	return 0;
}

/* ns by which the disturbed launches were longer than as many others: counted by
 * instruction, a kernel runs many times as long. Faults on managed memory are left out:
 * an undisturbed launch would have had them as well. */
static uint64_t
kernel_longer(const struct model *m, const struct kernel_state *k)
{
	double own = kernel_mean(m, k) * (double)kernel_disturbed_count(k);
	uint64_t ns = k->profiled_ns;

	if (kernel_waited(k))
		ns = add_sat(ns, k->waited.sum);
	if (!(own < 1.8e19))
		return 0;
	return sub_sat(sub_sat(ns, k->profiled_fault_ns), (uint64_t)own);
}

uint64_t
kernel_longer_on(const struct model *m, uint32_t device, uint64_t *told)
{
	const struct kernel_state *k;
	uint64_t ns = 0, longer;
	uint32_t i;

	for (i = 0; i < m->kernels; i++) {
		k = &m->kernel[i];
		if (k->out.device != device)
			continue;
		longer = kernel_longer(m, k);
		ns = add_sat(ns, longer);
		*told = add_sat(*told, min_u64(longer, k->profiled_told_ns));
	}
	return ns;
}

bool
kernel_disturbed(const struct model *m, const struct op *op)
{

	return (op->flags & OP_PROFILED) != 0 || (op->kind == OP_KERNEL &&
	    op->end - op->start >= HELD_NS &&
	    kernel_waited(&m->kernel[op->index]));
}

uint64_t
kernel_length(const struct model *m, const struct op *op)
{
	uint64_t ns = op->end - op->start;
	double own;

	if ((op->flags & OP_PROFILED) == 0)
		return ns;
	own = kernel_mean(m, &m->kernel[op->index]);
	return own < (double)ns ? (uint64_t)own : ns;
}

void
kernel_settle(struct model *m, struct kernel_state *k, enum wire_level level,
    struct kernel *out)
{
	struct device_state *d = m->device[k->out.device];
	double total, part;

	if (!k->out.occupancy.known && d->complete)
		occupancy_of(&k->out.occupancy, &d->out.limits,
		    &k->out.shape);
	*out = k->out;
	counters_settle(k, out);
	if (!kernel_waited(k))
		stat_merge(&out->time, &k->waited);
	total = (double)out->time.sum + kernel_mean(m, k) *
	    (double)(kernel_disturbed_count(k) + k->untimed);
	out->total_ns = total < 1.8e19 ? (uint64_t)total : UINT64_MAX;
	/* Measured after all: in another process, or a later launch. */
	if (out->metric_complete)
		out->skip = SKIP_NONE;
	else if (out->skip == SKIP_NONE && out->metric_launches == 0 &&
	    !level_profiles(level))
		out->skip = SKIP_LEVEL;
	else
		out->skip = kernel_skip(k);
	counters_represent(out);
	out->total_estimated = out->time.count == 0 && out->launches > 0;
	out->total_least = kernel_least(m, k) > 0;
	out->waits = kernel_waited(k);
	out->noise_ns = repeat_noise(&k->repeat);
	out->queue = k->queue > 0 ? m->queue[k->queue - 1].kind : QUEUE_OTHER;
	out->unwaited = out->last_ns > add_sat(m->waited_ns, CLOCK_SLACK);
	/* Scaled from the launches that were swept to all. */
	out->exposed_ns = out->alone_ns = out->fault_part = 0;
	out->hidden_ns = 0;
	if (k->swept_ns > 0) {
		out->fault_part = (double)k->fault_ns / (double)k->swept_ns;
		part = (double)out->total_ns / (double)k->swept_ns;
		if (burst_prepares(m))
			out->hidden_ns = k->hidden * part;
		out->exposed_ns = k->exposed * part + out->hidden_ns;
		out->alone_ns = (double)k->alone_ns * part;
	} else if (out->total_estimated) {
		/* No undisturbed launch was swept: as if it always ran alone. */
		out->exposed_ns = out->alone_ns = (double)out->total_ns;
	}
}

void
kernel_free(struct model *m)
{
	uint32_t i;

	HASH_FREE(m->kernel_table);
	for (i = 0; i < m->kernels; i++)
		counters_free(&m->kernel[i]);
	free(m->kernel);
}
