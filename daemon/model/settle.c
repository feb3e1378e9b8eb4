/*
 * model/settle.c: fills struct run from the state of the model.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "model/host.h"
#include "model/internal.h"

/* A record may arrive this long after the end of its work. */
#define SETTLE_DELAY (5 * SECOND)

static int
resize(void *array, size_t count, size_t size)
{
	void *p, *old;

	memcpy(&old, array, sizeof(old));
	if ((p = realloc(old, (count > 0 ? count : 1) * size)) == NULL)
		return -1;
	memcpy(array, &p, sizeof(p));
	return 0;
}

/* Room for the arrays that the functions below fill. */
static int
settle_room(struct model *m)
{
	struct run *run = &m->run;

#define OUTPUT(type, name, count, room)					\
	if (resize(&run->name, room, sizeof(*run->name)) != 0)		\
		return -1;
#define COPIED(type, name, count)
#include "model/output.def"
	return 0;
}

static int
settle_copied(struct model *m)
{
	struct run *run = &m->run;
	size_t i;

#define OUTPUT(type, name, count, room)
#define COPIED(type, name, count)					\
	if (resize(&run->name, m->count, sizeof(*run->name)) != 0)	\
		return -1;						\
	for (i = 0; i < m->count; i++)					\
		run->name[i] = m->name[i];				\
	run->count = m->count;
#include "model/output.def"
	for (i = 0; i < m->smalls; i++)
		results_leave(m, (uint32_t)i, &run->small[i]);
	return 0;
}

/* A time relative to the origin; an unknown time stays 0. */
static uint64_t
since(const struct model *m, uint64_t t)
{

	return t == 0 ? 0 : sub_sat(t, m->run.origin_ns);
}

static void
settle_clock(struct model *m)
{
	uint64_t first = 0, last = 0, end;
	const struct process *p;
	uint32_t i;

	for (i = 0; i < m->stream_count; i++) {
		p = &m->stream[i]->process;
		if (p->start_ns != 0 && (first == 0 || p->start_ns < first))
			first = p->start_ns;
		last = max_u64(last, p->end_ns);
	}
	if (m->begin_ns != 0)
		first = m->begin_ns;
	m->run.origin_ns = first != 0 ? first : m->seen_first;
	end = m->end_ns != 0 ? m->end_ns : max_u64(last, m->seen_last);
	/* The clock was set back to before the beginning: the true length is not
	 * known, but every time that was seen lies within the run. */
	if (end < m->run.origin_ns && m->seen_first != 0) {
		m->run.origin_ns = m->seen_first < end ? m->seen_first : end;
		end = max_u64(end, m->seen_last);
	}
	m->run.wall_ns = sub_sat(end, m->run.origin_ns);
}

static enum run_state
settle_state(const struct model *m)
{
	uint32_t i, open = 0, processes = 0;

	if (m->run_end)
		return m->run.signal != 0 ? RUN_KILLED : RUN_FINISHED;
	/* The launcher outlives its program; without its RUN_END it was
	 * killed, or the capture was cut. */
	for (i = 0; i < m->stream_count; i++) {
		processes += m->stream[i]->is_process;
		open += m->stream[i]->is_process &&
		    !m->stream[i]->process.ended;
	}
	if (m->launcher)
		return RUN_KILLED;
	return processes > 0 && open == 0 ? RUN_FINISHED : RUN_TRUNCATED;
}

static void
settle_process(struct model *m, const struct stream *s, struct process *p)
{
	static const char *const none = "";
	uint64_t told = 0;
	int i;

	*p = s->process;
	for (i = 0; i < LOSS_CLASSES; i++)
		told = add_sat(told, p->lost[i]);
	/* Losses that BYE reports and no record before it did. */
	if (s->bye_lost > told)
		p->lost[LOSS_QUEUE] = add_sat(p->lost[LOSS_QUEUE],
		    s->bye_lost - told);
	p->start_ns = since(m, p->start_ns);
	p->end_ns = since(m, p->end_ns);
	p->exe = p->exe != NULL ? p->exe : none;
	p->python = strncmp(text_base_name(p->exe), "python", strlen("python")) == 0;
	p->command = p->command != NULL ? p->command : none;
	p->host = p->host != NULL ? p->host : none;
	p->library = p->library != NULL ? p->library : none;
}

static void
settle_processes(struct model *m)
{
	struct run *run = &m->run;
	struct process p;
	uint32_t i;
	int class;

	run->processes = 0;
	run->lost = add_sat(m->lost, m->pool.refused);
	run->held = (struct held){ 0 };
	for (i = 0; i < m->stream_count; i++) {
		settle_process(m, m->stream[i], &p);
		about_held_add(&run->held, &p.held);
		run->lost = add_sat(run->lost, p.missing);
		for (class = 0; class < LOSS_CLASSES; class++)
			run->lost = add_sat(run->lost, p.lost[class]);
		if (m->stream[i]->is_process)
			run->process[run->processes++] = p;
	}
}

/* A measured launch runs alone on the GPU: the time by which it was longer than others
 * moves from busy time to overhead. Returns that time; added to *${told}: the part of
 * it that is in m->overhead as well. */
static uint64_t
settle_longer(const struct model *m, uint32_t device, struct device *out,
    uint64_t *told)
{
	uint64_t ns = min_u64(kernel_longer_on(m, device, told),
	    sub_sat(out->busy_ns, out->copy_ns));

	out->busy_ns -= ns;
	out->kernel_ns -= ns;
	out->idle_overhead_ns += ns;
	return ns;
}

/* Settle one device; adds the idle time before its first and after its last work. */
static void
settle_device(const struct model *m, const struct device_state *d,
    struct device *out)
{
	const struct run *run = &m->run;
	uint64_t end = add_sat(run->origin_ns, run->wall_ns);
	uint64_t last = d->used ? d->frontier : end, first, ours;
	const struct legacy_side *side;
	int i;

	*out = d->out;
	for (i = 0; i < IDLE_CAUSES; i++)
		out->idle_ns[i] = d->idle[i];
	out->idle_overhead_ns = d->idle_overhead;
	out->cycle_ns = cycle_total(&d->cycle);
	out->early_ns = cycle_early(&d->cycle);
	out->released_ns = released_saved(&d->released);
	out->released_streams = (uint32_t)
	    __builtin_popcountll(d->released.streams);
	out->legacy_waits = d->legacy.waits;
	out->legacy_wait_ns = d->legacy.wait_ns;
	/* If the two sides take turns each waits for the other: it is enough to
	 * move the work of one to non-blocking streams. */
	side = &d->legacy.null;
	if (d->legacy.blocking.copies + d->legacy.blocking.kernels >
	    side->copies + side->kernels)
		side = &d->legacy.blocking;
	out->legacy_copies_ns = side->copies;
	out->legacy_kernels_ns = side->kernels;
	first = d->used ? d->out.first_ns : end;
	ours = spans_overlap(&m->overhead, run->origin_ns, first);
	out->idle_ns[IDLE_STARTUP] = sub_sat(first, run->origin_ns);
	out->idle_ns[IDLE_STARTUP] = sub_sat(out->idle_ns[IDLE_STARTUP], ours);
	out->idle_overhead_ns += ours;
	ours = last < end ? spans_overlap(&m->overhead, last, end) : 0;
	out->idle_ns[IDLE_SHUTDOWN] = sub_sat(sub_sat(end, last), ours);
	out->idle_overhead_ns += ours;
	out->first_ns = d->used ? since(m, d->out.first_ns) : 0;
	out->last_ns = d->used ? since(m, d->frontier) : 0;
}

/* The memory that kernels can reach is known only if no allocation can be missing. */
static void
settle_memory(struct run *run)
{
	bool all = run->peak_memory_bytes > 0 && run->lost == 0 &&
	    !(run->refused & 1U << REFUSED_MEMORY);

	for (size_t i = 0; i < run->devices; i++)
		run->device[i].memory_bytes = all ?
		    add_sat(add_sat(run->peak_memory_bytes,
		    run->peak_host_bytes), run->static_bytes) : 0;
}

COMPARE(by_pause, struct pause, ORDER(x->start_ns, y->start_ns))

/* The longest gaps of device ${d}; their sites are known later (site_settle). */
static void
settle_pauses(const struct model *m, const struct device_state *d, struct run *run)
{

	run->pauses = d->pauses;
	memcpy(run->pause, d->pause, d->pauses * sizeof(*run->pause));
	qsort(run->pause, run->pauses, sizeof(*run->pause), by_pause);
	for (size_t i = 0; i < run->pauses; i++) {
		run->pause[i].start_ns = since(m, run->pause[i].start_ns);
		run->pause[i].end_ns = since(m, run->pause[i].end_ns);
	}
}

static void
settle_devices(struct model *m)
{
	struct run *run = &m->run;
	uint64_t most = 0, told = 0;
	uint32_t i, busiest = 0;

	run->devices = run->timelines = m->devices;
	memset(run->idle_ns, 0, sizeof(run->idle_ns));
	memset(run->idle_longest_by, 0, sizeof(run->idle_longest_by));
	memset(run->gap, 0, sizeof(run->gap));
	run->idle_total_ns = run->wall_ns;
	run->idle_longest_ns = run->idle_gaps = run->idle_overhead_ns = 0;
	run->idle_longest_kernel = 0;
	run->pauses = 0;
	run->overhead_longer_ns = run->idle_near_ns = 0;
	for (i = 0; i < m->devices; i++) {
		settle_device(m, m->device[i], &run->device[i]);
		run->overhead_longer_ns = add_sat(run->overhead_longer_ns,
		    settle_longer(m, i, &run->device[i], &told));
		most = max_u64(most, run->device[i].kernel_ns);
		timeline_out(m->device[i]->line, run->origin_ns,
		    &run->timeline[i]);
		run->timeline[i].device = i;
		if (run->device[i].busy_ns > run->device[busiest].busy_ns)
			busiest = i;
	}
	settle_memory(run);
	run->gpus_busy_ns = max_u64(most,
	    sub_sat(m->gpus_busy, run->overhead_longer_ns));
	run->overhead_longer_ns = sub_sat(run->overhead_longer_ns, told);
	run->overhead_total_ns = min_u64(run->wall_ns,
	    add_sat(spans_total(&m->overhead), run->overhead_longer_ns));
	if (m->devices == 0)
		return;
	memcpy(run->idle_ns, run->device[busiest].idle_ns,
	    sizeof(run->idle_ns));
	run->idle_total_ns = sub_sat(run->wall_ns,
	    run->device[busiest].busy_ns);
	run->idle_longest_ns = m->device[busiest]->idle_longest;
	memcpy(run->idle_longest_by, m->device[busiest]->idle_longest_by,
	    sizeof(run->idle_longest_by));
	run->idle_longest_kernel = m->device[busiest]->idle_longest_kernel;
	run->working = m->working.ns > 0 ? m->working.used_ns / m->working.ns : 0;
	settle_pauses(m, m->device[busiest], run);
	run->idle_gaps = m->device[busiest]->idle_gaps;
	run->idle_near_ns = run->device[busiest].idle_near_ns;
	run->unified.host_ns = run->device[busiest].idle_fault_ns;
	idle_again(m->device[busiest], run->gap);
	run->compiling = m->device[busiest]->compiling;
	run->jit_startup_ns = spans_overlap(&m->jit, run->origin_ns,
	    add_sat(run->origin_ns, run->idle_ns[IDLE_STARTUP]));
	run->idle_overhead_ns = run->device[busiest].idle_overhead_ns;
}

static void
settle_kernels(struct model *m)
{
	enum wire_level level = about_level(m);
	double exposed = m->exposed - results_settle(m, &m->run.results) +
	    (burst_prepares(m) ? m->hidden : 0);
	struct kernel *k;
	double swept;
	uint32_t i;

	for (i = 0; i < m->kernels; i++) {
		k = &m->run.kernel[i];
		kernel_settle(m, &m->kernel[i], level, k);
		k->first_ns = since(m, k->first_ns);
		k->last_ns = since(m, k->last_ns);
		k->extra = m->kernel[i].extra;
		/* Disturbed launches were not swept: the kernel counts them as
		 * exposed as its others, and so does the run. */
		swept = m->kernel[i].exposed +
		    (burst_prepares(m) ? m->kernel[i].hidden : 0);
		if (k->exposed_ns > swept)
			exposed += k->exposed_ns - swept;
	}
	/* At least 1 if anything was exposed: 0 means unknown. */
	m->run.gpu_exposed_ns = !(exposed < 1.8e19) ? UINT64_MAX :
	    exposed > 1 ? (uint64_t)exposed : m->exposed > 0;
	m->run.kernels = m->kernels;
	m->run.extra_name = m->extra_name;
	m->run.extras = m->extras;
}

static void
settle_copies(struct model *m)
{
	const struct copy_state *c;
	struct copy_class *out;
	uint32_t i;

	for (i = 0; i < m->copies; i++) {
		c = &m->copy[i];
		out = &m->run.copy[i];
		*out = c->out;
		out->exposed_ns = c->swept_ns == 0 ? 0 :
		    (c->exposed - results_apart(m, c)) *
		    ((double)c->out.gpu_ns / (double)c->swept_ns);
		results_leave_copy(m, c, out);
	}
	m->run.copies = m->copies;
	m->run.unified.fault_ns = unified_fault_ns(m);
}

static void
settle_host(struct model *m)
{
	struct run *run = &m->run;
	const struct sync_state *s;
	struct sync_class *out;
	uint32_t i, k;

	run->syncs = run->calls = 0;
	run->allocating_delayed = host_delayed(m);
	for (i = 0; i < CALL_COUNT; i++) {
		s = &m->sync[i];
		if (s->sync_count + s->api_count > 0) {
			out = &run->sync[run->syncs++];
			*out = s->out;
			out->call = (enum wire_call)i;
			for (k = 0; k < m->devices; k++)
				idle_waits(m->device[k], i, out);
			/* One wait may have both a SYNC and an API record. */
			out->count = max_u64(s->sync_count, s->api_count);
			out->wait_ns = s->sync_count >= s->api_count ?
			    s->sync_ns : s->api_ns;
		}
		if (m->call[i].count > 0) {
			run->call[run->calls] = m->call[i];
			run->call[run->calls].call = (enum wire_call)i;
			host_hot(m, &run->call[run->calls++]);
		}
	}
}

static void
settle_rest(struct model *m, bool final)
{
	struct run *run = &m->run;
	uint32_t i;

	for (i = 0; i < m->checks; i++) {
		run->check[i].start_ns = since(m, m->check[i].start_ns);
		run->check[i].end_ns = since(m, m->check[i].end_ns);
	}
	failure_settle(m, run->failure);
	run->failures = m->failures;
	for (i = 0; i < m->failures; i++)
		run->failure[i].first_ns = since(m, run->failure[i].first_ns);
	run->leaks = memory_leaks(m, run->leak, final);
}

const struct run *
model_settle(struct model *m, bool final)
{
	struct run *run = &m->run;

	/* If there is no memory for a sweep, the other results still hold. */
	if (final)
		(void)sweep_all(m);
	else
		(void)sweep_until(m, sub_sat(m->seen_last, SETTLE_DELAY));
	settle_clock(m);
	if (final)
		results_end(m, add_sat(run->origin_ns, run->wall_ns));
	run->command = run->command != NULL ? run->command : "";
	run->label = run->label != NULL ? run->label : "";
	run->host = run->host != NULL ? run->host : "";
	run->cwd = run->cwd != NULL ? run->cwd : "";
	run->version = run->version != NULL ? run->version : "";
	run->state = final ? settle_state(m) : RUN_LIVE;
	run->contexts_gone = memory_contexts_gone(m);
	run->jit_ns = spans_total(&m->jit);
	run->xla_module = m->xla;
	run->xla_modules = m->xlas;
	run->jit_traced = m->stream_count > 0 && !m->jit_unknown;
	if (!m->run_end)
		run->exit_code = -1;
	if (settle_room(m) != 0)
		return NULL;
	settle_processes(m);
	settle_devices(m);
	xla_settle(m);
	settle_kernels(m);
	settle_copies(m);
	settle_host(m);
	look_settle(m, run);
	if (resent_settle(m) != 0 || (final && source_settle(m) != 0) ||
	    about_names(m) != 0 || settle_copied(m) != 0)
		return NULL;
	settle_rest(m, final);
	ceilings_settle(run);
	return run;
}
