/*
 * model/settle.c: struct run from the state.
 */
#include <stdlib.h>
#include <string.h>

#include "model/host.h"
#include "model/internal.h"

/* How long after work has ended its record may still be on its way. */
#define SETTLE_DELAY (5 * SECOND)

static int
resize(void *array, size_t count, size_t size)
{
	void *p, *old;

	memcpy(&old, array, sizeof(old));
	if ((p = realloc(old, (count > 0 ? count : 1) * size)) == NULL)
		return (-1);
	memcpy(array, &p, sizeof(p));
	return (0);
}

/* A time relative to the origin; what is unknown stays 0. */
static uint64_t
since(const struct model *m, uint64_t t)
{

	return (t == 0 ? 0 : sub_sat(t, m->run.origin_ns));
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
	/* The clock was set back over the beginning: there is no true length,
	 * but all that was seen has a place. */
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
		return (m->run.signal != 0 ? RUN_KILLED : RUN_FINISHED);
	/* The launcher outlives its program; without its last word it was
	 * killed, or the capture was cut. */
	for (i = 0; i < m->stream_count; i++) {
		processes += m->stream[i]->is_process;
		open += m->stream[i]->is_process &&
		    !m->stream[i]->process.ended;
	}
	if (m->launcher)
		return (RUN_KILLED);
	return (processes > 0 && open == 0 ? RUN_FINISHED : RUN_TRUNCATED);
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
	/* What the last record says was lost, and no record before it. */
	if (s->bye_lost > told)
		p->lost[LOSS_QUEUE] = add_sat(p->lost[LOSS_QUEUE],
		    s->bye_lost - told);
	p->start_ns = since(m, p->start_ns);
	p->end_ns = since(m, p->end_ns);
	p->exe = p->exe != NULL ? p->exe : none;
	p->command = p->command != NULL ? p->command : none;
	p->host = p->host != NULL ? p->host : none;
	p->library = p->library != NULL ? p->library : none;
}

static int
settle_processes(struct model *m)
{
	struct run *run = &m->run;
	struct process p;
	uint32_t i;
	int class;

	if (resize(&m->out_process, m->stream_count, sizeof(p)) != 0)
		return (-1);
	run->process = m->out_process;
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
	return (0);
}

/* The GPU had a measured launch to itself: by what it was longer than others the
 * GPU was busy because of us. Returns how much that was; *${told}: and of it, what
 * is known as overhead anyway. */
static uint64_t
settle_longer(const struct model *m, uint32_t device, struct device *out,
    uint64_t *told)
{
	uint64_t ns = min_u64(kernel_longer_on(m, device, told),
	    sub_sat(out->busy_ns, out->copy_ns));

	out->busy_ns -= ns;
	out->kernel_ns -= ns;
	out->idle_overhead_ns += ns;
	return (ns);
}

/* From the origin to the first work, and from the last to the end. */
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
	out->legacy_waits = d->legacy.waits;
	out->legacy_wait_ns = d->legacy.wait_ns;
	/* When the two take turns each waits for the other: moving either is
	 * enough. */
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

static int
settle_devices(struct model *m)
{
	struct run *run = &m->run;
	uint64_t most = 0, told = 0;
	uint32_t i, busiest = 0;

	if (resize(&m->out_device, m->devices, sizeof(*run->device)) != 0 ||
	    resize(&m->out_timeline, m->devices, sizeof(*run->timeline)) != 0)
		return (-1);
	run->device = m->out_device;
	run->timeline = m->out_timeline;
	run->devices = run->timelines = m->devices;
	memset(run->idle_ns, 0, sizeof(run->idle_ns));
	memset(run->idle_longest_by, 0, sizeof(run->idle_longest_by));
	memset(run->gap, 0, sizeof(run->gap));
	run->idle_total_ns = run->wall_ns;
	run->idle_longest_ns = run->idle_gaps = run->idle_overhead_ns = 0;
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
	run->gpus_busy_ns = max_u64(most,
	    sub_sat(m->gpus_busy, run->overhead_longer_ns));
	run->overhead_longer_ns = sub_sat(run->overhead_longer_ns, told);
	run->overhead_total_ns = min_u64(run->wall_ns,
	    add_sat(spans_total(&m->overhead), run->overhead_longer_ns));
	if (m->devices == 0)
		return (0);
	memcpy(run->idle_ns, run->device[busiest].idle_ns,
	    sizeof(run->idle_ns));
	run->idle_total_ns = sub_sat(run->wall_ns,
	    run->device[busiest].busy_ns);
	run->idle_longest_ns = m->device[busiest]->idle_longest;
	memcpy(run->idle_longest_by, m->device[busiest]->idle_longest_by,
	    sizeof(run->idle_longest_by));
	run->idle_gaps = m->device[busiest]->idle_gaps;
	run->idle_near_ns = run->device[busiest].idle_near_ns;
	memcpy(run->gap, m->device[busiest]->gap, sizeof(run->gap));
	run->jit_startup_ns = spans_overlap(&m->jit, run->origin_ns,
	    add_sat(run->origin_ns, run->idle_ns[IDLE_STARTUP]));
	run->idle_overhead_ns = run->device[busiest].idle_overhead_ns;
	return (0);
}

static int
settle_kernels(struct model *m)
{
	enum wire_level level = about_level(m);
	double exposed = m->exposed - results_settle(m, &m->run.results);
	struct kernel *k;
	uint32_t i;

	if (resize(&m->out_kernel, m->kernels, sizeof(*k)) != 0)
		return (-1);
	for (i = 0; i < m->kernels; i++) {
		k = &m->out_kernel[i];
		kernel_settle(m, &m->kernel[i], level, k);
		k->first_ns = since(m, k->first_ns);
		k->last_ns = since(m, k->last_ns);
		k->extra = m->kernel[i].extra;
		/* Launches that we disturbed were not swept; a kernel counts
		 * them as exposed as the others, and so does the run. */
		if (k->exposed_ns > m->kernel[i].exposed)
			exposed += k->exposed_ns - m->kernel[i].exposed;
	}
	/* 0 is not known. */
	m->run.gpu_exposed_ns = !(exposed < 1.8e19) ? UINT64_MAX :
	    exposed > 1 ? (uint64_t)exposed : m->exposed > 0;
	m->run.kernel = m->out_kernel;
	m->run.kernels = m->kernels;
	m->run.extra_name = m->extra_name;
	m->run.extras = m->extras;
	return (0);
}

static int
settle_copies(struct model *m)
{
	const struct copy_state *c;
	uint32_t i;

	if (resize(&m->out_copy, m->copies, sizeof(*m->out_copy)) != 0 ||
	    resize(&m->out_small, m->smalls, sizeof(*m->out_small)) != 0)
		return (-1);
	for (i = 0; i < m->copies; i++) {
		c = &m->copy[i];
		m->out_copy[i] = c->out;
		m->out_copy[i].exposed_ns = c->swept_ns == 0 ? 0 :
		    (c->exposed - results_apart(m, c)) *
		    ((double)c->out.gpu_ns / (double)c->swept_ns);
	}
	if (m->smalls > 0)
		memcpy(m->out_small, m->small,
		    m->smalls * sizeof(*m->small));
	m->run.copy = m->out_copy;
	m->run.copies = m->copies;
	m->run.small = m->out_small;
	m->run.smalls = m->smalls;
	return (0);
}

static int
settle_transfers(struct model *m)
{

	if (resize(&m->out_resent, m->resents, sizeof(*m->out_resent)) != 0 ||
	    resize(&m->out_peer, m->peers, sizeof(*m->out_peer)) != 0)
		return (-1);
	if (m->resents > 0)
		memcpy(m->out_resent, m->resent,
		    m->resents * sizeof(*m->resent));
	if (m->peers > 0)
		memcpy(m->out_peer, m->peer, m->peers * sizeof(*m->peer));
	m->run.resent = m->out_resent;
	m->run.resents = m->resents;
	m->run.peer = m->out_peer;
	m->run.peers = m->peers;
	m->run.unified.fault_ns = unified_fault_ns(m);
	return (0);
}

static int
settle_host(struct model *m)
{
	struct run *run = &m->run;
	const struct sync_state *s;
	struct sync_class *out;
	uint32_t i;

	if (resize(&m->out_sync, CALL_COUNT, sizeof(*out)) != 0 ||
	    resize(&m->out_call, CALL_COUNT, sizeof(*run->call)) != 0)
		return (-1);
	run->sync = m->out_sync;
	run->call = m->out_call;
	run->syncs = run->calls = 0;
	for (i = 0; i < CALL_COUNT; i++) {
		s = &m->sync[i];
		if (s->sync_count + s->api_count > 0) {
			out = &run->sync[run->syncs++];
			*out = s->out;
			out->call = (enum wire_call)i;
			/* One wait may come as both kinds of record. */
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
	return (0);
}

static int
settle_rest(struct model *m, bool final)
{
	struct run *run = &m->run;
	uint32_t i;

	if (resize(&m->out_sequence, m->sequences,
	    sizeof(*run->sequence)) != 0 ||
	    resize(&m->out_leak, MAX_LEAKS, sizeof(*run->leak)) != 0 ||
	    resize(&m->out_failure, m->failures, sizeof(*run->failure)) != 0 ||
	    resize(&m->out_diagnostic, m->diagnostics,
	    sizeof(*run->diagnostic)) != 0 ||
	    resize(&m->out_check, m->checks, sizeof(*run->check)) != 0 ||
	    resize(&m->out_defect, m->defects, sizeof(*run->defect)) != 0 ||
	    resize(&m->out_calibration, m->calibrations,
	    sizeof(*run->calibration)) != 0)
		return (-1);
	if (m->sequences > 0)
		memcpy(m->out_sequence, m->sequence,
		    m->sequences * sizeof(*run->sequence));
	if (m->diagnostics > 0)
		memcpy(m->out_diagnostic, m->diagnostic,
		    m->diagnostics * sizeof(*run->diagnostic));
	if (m->checks > 0)
		memcpy(m->out_check, m->check,
		    m->checks * sizeof(*run->check));
	for (i = 0; i < m->checks; i++) {
		m->out_check[i].start_ns = since(m, m->check[i].start_ns);
		m->out_check[i].end_ns = since(m, m->check[i].end_ns);
	}
	if (m->defects > 0)
		memcpy(m->out_defect, m->defect,
		    m->defects * sizeof(*run->defect));
	if (m->calibrations > 0)
		memcpy(m->out_calibration, m->calibration,
		    m->calibrations * sizeof(*run->calibration));
	failure_settle(m, m->out_failure);
	for (i = 0; i < m->failures; i++)
		m->out_failure[i].first_ns =
		    since(m, m->out_failure[i].first_ns);
	run->leaks = memory_leaks(m, m->out_leak, final);
	run->sequence = m->out_sequence;
	run->sequences = m->sequences;
	run->leak = m->out_leak;
	run->failure = m->out_failure;
	run->failures = m->failures;
	run->diagnostic = m->out_diagnostic;
	run->diagnostics = m->diagnostics;
	run->check = m->out_check;
	run->checks = m->checks;
	run->defect = m->out_defect;
	run->defects = m->defects;
	run->calibration = m->out_calibration;
	run->calibrations = m->calibrations;
	return (0);
}

const struct run *
model_settle(struct model *m, bool final)
{
	struct run *run = &m->run;

	/* Without memory for a sweep the rest is still true. */
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
	run->jit_traced = m->stream_count > 0 && !m->jit_unknown;
	if (!m->run_end)
		run->exit_code = -1;
	if (settle_processes(m) != 0 || settle_devices(m) != 0 ||
	    settle_kernels(m) != 0 || settle_copies(m) != 0 ||
	    settle_transfers(m) != 0 ||
	    settle_host(m) != 0 || (final && source_settle(m) != 0) ||
	    about_names(m) != 0 || settle_rest(m, final) != 0)
		return (NULL);
	return (run);
}
