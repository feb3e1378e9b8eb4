/*
 * model/model.c: streams, and the way of each record to its handler.
 */
#include <stdlib.h>
#include <string.h>

#include "model/host.h"
#include "model/internal.h"

/* No program runs longer than a year, nor did one start longer before the
 * first record; times outside are nonsense, and would stretch the timeline. */
#define TIME_BEFORE (30ull * 86400 * SECOND)
#define TIME_AFTER (366ull * 86400 * SECOND)
#define TIME_MAX (1ull << 62)	/* so that differences fit an int64_t */

/* A real-time clock that runs away from the monotonic one faster than this
 * between two CLOCK records was set; slewing stays far below. */
#define CLOCK_STEP (20 * 1000000)

struct model *
model_new(void)
{

	return (calloc(1, sizeof(struct model)));
}

static void
stream_free(struct stream *s)
{

	idmap_clear(&s->string);
	idmap_clear(&s->signature);
	idmap_clear(&s->context);
	idmap_clear(&s->metric);
	idmap_clear(&s->device);
	idmap_clear(&s->queue);
	idmap_clear(&s->thread);
	free(s->text);
	free(s->copied);
	free(s->called);
	free(s);
}

static void
outputs_free(struct model *m)
{

	free(m->out_kernel);
	free(m->out_copy);
	free(m->out_process);
	free(m->out_device);
	free(m->out_small);
	free(m->out_sync);
	free(m->out_call);
	free(m->out_sequence);
	free(m->out_leak);
	free(m->out_failure);
	free(m->out_diagnostic);
	free(m->out_timeline);
	free(m->out_calibration);
}

static void
device_free(struct device_state *d)
{

	free(d->burst.item);
	free(d->burst.ring);
	free(d->line);
	free(d);
}

void
model_free(struct model *m)
{
	uint32_t i;

	if (m == NULL)
		return;
	for (i = 0; i < m->stream_count; i++)
		stream_free(m->stream[i]);
	for (i = 0; i < m->devices; i++)
		device_free(m->device[i]);
	for (i = 0; i < m->queues; i++)
		sequence_free(m->queue[i].tracker);
	for (i = 0; i < m->threads; i++)
		free(m->thread[i].wait);
	for (i = 0; i < m->calibrations; i++)
		free((char *)(uintptr_t)m->calibration[i].json);
	kernel_free(m);
	memory_free(m);
	idmap_clear(&m->streams);
	idmap_clear(&m->copy_map);
	spans_clear(&m->overhead);
	pool_clear(&m->pool);
	free(m->stream);
	free(m->device);
	free(m->copy);
	free(m->small);
	free(m->queue);
	free(m->thread);
	free(m->op);
	free(m->op_spare);
	free(m->sequence);
	free(m->sequence_hash);
	free(m->failure);
	free(m->diagnostic);
	free(m->calibration);
	outputs_free(m);
	free(m);
}

int
model_grow(void *array, uint32_t *cap, uint32_t count, uint32_t max,
    size_t size)
{
	uint32_t want;
	void *p, *old;

	if (count < *cap)
		return (0);
	if (count >= max)
		return (-1);
	want = *cap == 0 ? 16 : *cap > max / 2 ? max : 2 * *cap;
	if (want > max)
		want = max;
	memcpy(&old, array, sizeof(old));
	if ((p = realloc(old, want * size)) == NULL)
		return (-1);
	memset((char *)p + *cap * size, 0, (want - *cap) * size);
	memcpy(array, &p, sizeof(p));
	*cap = want;
	return (0);
}

bool
model_time(struct model *m, uint64_t start, uint64_t end)
{

	if (start == 0 || end < start || end > TIME_MAX)
		return (false);
	if (m->reference == 0)
		m->reference = start;
	if (add_sat(start, TIME_BEFORE) < m->reference ||
	    end > add_sat(m->reference, TIME_AFTER))
		return (false);
	if (m->seen_first == 0 || start < m->seen_first)
		m->seen_first = start;
	if (end > m->seen_last)
		m->seen_last = end;
	return (true);
}

static struct stream *
stream_find(struct model *m, uint64_t id)
{
	struct stream *s, **grown;
	uint32_t i;

	if (m->latest != NULL && m->latest->id == id)
		return (m->latest);
	if ((i = idmap_get(&m->streams, id)) != IDMAP_NONE)
		return (m->latest = m->stream[i]);
	if ((s = calloc(1, sizeof(*s))) == NULL)
		return (NULL);
	s->id = s->process.stream = id;
	grown = realloc(m->stream, (m->stream_count + 1) * sizeof(*grown));
	if (grown != NULL)
		m->stream = grown;
	if (grown == NULL || idmap_put(&m->streams, id, m->stream_count) != 0) {
		free(s);
		return (NULL);
	}
	m->stream[m->stream_count++] = s;
	return (m->latest = s);
}

/* Keep the first text that is not empty. */
static int
text_keep(struct model *m, const char **to, struct wire_str s)
{

	if ((*to != NULL && **to != '\0') || s.len == 0)
		return (0);
	return ((*to = pool_text(&m->pool, s)) == NULL ? -1 : 0);
}

static void
uuid_keep(struct model *m, struct wire_str s)
{
	uint32_t i;

	if (m->run.uuid[0] != '\0' || s.len != 32)
		return;
	for (i = 0; i < 32; i++)
		if (strchr("0123456789abcdef", s.p[i]) == NULL || s.p[i] == 0)
			return;
	memcpy(m->run.uuid, s.p, 32);
}

static int
feed_hello(struct model *m, struct stream *s, const struct record_HELLO *r)
{
	struct process *p = &s->process;

	s->is_process = true;
	p->pid = r->pid;
	p->ppid = r->ppid;
	p->cupti_version = r->cupti_version;
	p->driver_version = r->driver_version;
	p->level = (enum wire_level)r->level;
	if (m->reference == 0)
		m->reference = r->now_ns;
	if (model_time(m, r->start_ns, r->start_ns))
		p->start_ns = r->start_ns;
	else if (model_time(m, r->now_ns, r->now_ns))
		p->start_ns = r->now_ns;
	if (!m->run_begin && m->run.level == 0)
		m->run.level = (enum wire_level)r->level;
	uuid_keep(m, r->run);
	if (text_keep(m, &p->library, r->library) != 0 ||
	    text_keep(m, &p->host, r->host) != 0 ||
	    text_keep(m, &p->exe, r->exe) != 0 ||
	    text_keep(m, &p->command, r->command) != 0 ||
	    text_keep(m, &m->run.command, r->command) != 0 ||
	    text_keep(m, &m->run.host, r->host) != 0 ||
	    text_keep(m, &m->run.cwd, r->cwd) != 0 ||
	    text_keep(m, &m->run.label, r->label) != 0)
		return (-1);
	return (0);
}

static int
feed_run_begin(struct model *m, const struct record_RUN_BEGIN *r)
{

	m->launcher = true;
	if (m->run_begin)
		return (0);
	m->run_begin = true;
	/* The launcher knows better than the first process to say hello. */
	m->run.command = m->run.cwd = m->run.host = m->run.label = NULL;
	m->run.level = (enum wire_level)r->level;
	m->run.budget = r->budget >= 0 && r->budget <= 1e6 ? r->budget : 0;
	if (m->reference == 0)
		m->reference = r->now_ns;
	if (model_time(m, r->now_ns, r->now_ns))
		m->begin_ns = r->now_ns;
	uuid_keep(m, r->run);
	if (text_keep(m, &m->run.command, r->command) != 0 ||
	    text_keep(m, &m->run.cwd, r->cwd) != 0 ||
	    text_keep(m, &m->run.host, r->host) != 0 ||
	    text_keep(m, &m->run.label, r->label) != 0 ||
	    text_keep(m, &m->run.version, r->version) != 0)
		return (-1);
	return (0);
}

static void
feed_run_end(struct model *m, const struct record_RUN_END *r)
{

	m->launcher = true;
	m->run_end = true;
	m->run.exit_code = r->exit_code <= 255 ? (int)r->exit_code : -1;
	m->run.signal = r->signal <= 128 ? (int)r->signal : 0;
	if (r->end_ns > 0 && model_time(m, r->end_ns, r->end_ns))
		m->end_ns = r->end_ns;
	if (r->start_ns > 0 && r->start_ns <= r->end_ns &&
	    model_time(m, r->start_ns, r->start_ns))
		m->begin_ns = r->start_ns;
}

static int
feed_calibration(struct model *m, const struct record_CALIBRATION *r)
{
	struct calibration *c, *grown;
	char *json;
	uint32_t i;

	if (r->json.len == 0)
		return (0);
	if (m->calibrations >= MAX_CALIBRATIONS ||
	    r->json.len > MAX_CALIBRATION_BYTES) {
		m->lost++;
		return (0);
	}
	grown = realloc(m->calibration, (m->calibrations + 1) * sizeof(*c));
	if (grown == NULL)
		return (-1);
	m->calibration = grown;
	if ((json = malloc(r->json.len + 1)) == NULL)
		return (-1);
	memcpy(json, r->json.p, r->json.len);
	json[r->json.len] = '\0';
	for (i = 0; i < m->calibrations; i++)
		if (m->calibration[i].length == r->json.len && memcmp(json,
		    m->calibration[i].json, r->json.len) == 0) {
			free(json);
			return (0);
		}
	c = &m->calibration[m->calibrations];
	if ((c->gpu = pool_text(&m->pool, r->gpu)) == NULL) {
		free(json);
		return (-1);
	}
	c->json = json;
	c->length = r->json.len;
	m->calibrations++;
	return (0);
}

static int
feed_diagnostic(struct model *m, const struct record_DIAGNOSTIC *r)
{
	struct diagnostic d = {
		.code = r->code < DIAG_CODES ? (enum wire_diag)r->code :
		    DIAG_NONE,
		.severity = r->severity >= SEVERITY_INFO &&
		    r->severity <= SEVERITY_ERROR ?
		    (enum wire_severity)r->severity : SEVERITY_WARNING,
		.error = r->error,
		.count = 1,
	};

	if ((d.where = pool_text(&m->pool, r->where)) == NULL ||
	    (d.text = pool_text(&m->pool, r->text)) == NULL)
		return (-1);
	return (diagnostic_add(m, &d));
}

/* Times in records are not corrected: CUPTI stamps kernels with the same clock
 * and a run with a step in it is not worth more than being told so. */
static int
feed_clock(struct model *m, struct stream *s, const struct record_CLOCK *r)
{
	struct diagnostic d = {
		.code = DIAG_CLOCK_STEP, .severity = SEVERITY_WARNING,
		.count = 1, .where = "CLOCK_REALTIME",
		.text = "the system's clock was set while the run was "
		    "measured: times around that moment are wrong",
	};
	uint64_t mono = r->mono_before_ns / 2 + r->mono_after_ns / 2;
	int64_t offset = (int64_t)(r->real_ns - mono), step;
	bool known = s->clock_known;

	model_time(m, r->real_ns, r->real_ns);
	step = (int64_t)((uint64_t)offset - (uint64_t)s->clock_offset);
	s->clock_offset = offset;
	s->clock_known = true;
	/* A reading that was interrupted says nothing. */
	if (!known || sub_sat(r->mono_after_ns, r->mono_before_ns) >
	    CLOCK_STEP / 2)
		return (0);
	if (step > -CLOCK_STEP && step < CLOCK_STEP)
		return (0);
	return (diagnostic_add(m, &d));
}

static int
feed_overhead(struct model *m, const struct record_OVERHEAD *r)
{
	uint32_t kind = r->kind < OVERHEAD_KINDS ? r->kind : OVERHEAD_UNKNOWN;

	if (!model_time(m, r->start_ns, r->end_ns))
		return (0);
	m->run.overhead_ns[kind] = add_sat(m->run.overhead_ns[kind],
	    r->end_ns - r->start_ns);
	return (spans_add(&m->overhead, r->start_ns, r->end_ns));
}

/* CUpti_ActivityUnifiedMemoryCounterKind: 1 and 2 are transfers between host
 * and device, 8 between devices; 3 and 4 page faults of CPU and GPU. */
static void
feed_uvm(struct model *m, const struct record_UVM *r)
{
	bool timed = model_time(m, r->start_ns, r->end_ns);

	if (r->kind == 1 || r->kind == 2 || r->kind == 8)
		m->run.uvm_bytes = add_sat(m->run.uvm_bytes, r->bytes);
	else if (r->kind == 3 || r->kind == 4)
		m->run.uvm_faults = add_sat(m->run.uvm_faults,
		    r->bytes > 0 ? r->bytes : 1);
	else
		return;
	if (timed)
		m->run.uvm_ns = add_sat(m->run.uvm_ns,
		    r->end_ns - r->start_ns);
}

static void
feed_bye(struct model *m, struct stream *s, const struct record_BYE *r)
{

	s->process.ended = true;
	s->process.bye = (enum wire_bye)r->reason;
	s->bye_lost = r->lost;
	if (model_time(m, r->now_ns, r->now_ns))
		s->process.end_ns = r->now_ns;
}

static void
feed_loss(struct stream *s, const struct record_LOSS *r)
{
	uint32_t class = r->class < LOSS_CLASSES ? r->class : LOSS_QUEUE;

	s->process.lost[class] = add_sat(s->process.lost[class], r->count);
}

static int
feed_measured(struct model *m, struct stream *s, const struct record *r)
{

	switch (r->type) {
	case RECORD_KERNEL:
		return (kernel_launch(m, s, &r->u.KERNEL));
	case RECORD_COPY:
		return (copy_feed(m, s, &r->u.COPY));
	case RECORD_MEMSET:
		return (copy_memset(m, s, &r->u.MEMSET));
	case RECORD_GRAPH:
		return (kernel_graph(m, s, &r->u.GRAPH));
	case RECORD_SYNC:
		return (host_sync(m, s, &r->u.SYNC));
	case RECORD_API:
		return (host_api(m, s, &r->u.API));
	case RECORD_MEMORY:
		return (memory_feed(m, s, &r->u.MEMORY));
	case RECORD_UVM:
		feed_uvm(m, &r->u.UVM);
		return (0);
	case RECORD_FAILURE:
		return (failure_feed(m, s, &r->u.FAILURE));
	case RECORD_COUNTERS:
		return (kernel_counters(m, s, &r->u.COUNTERS));
	case RECORD_SKIPPED:
		kernel_skipped(m, s, &r->u.SKIPPED);
		return (0);
	default:
		return (0);
	}
}

static int
feed_record(struct model *m, struct stream *s, const struct record *r)
{

	switch (r->type) {
	case RECORD_HELLO:
		return (feed_hello(m, s, &r->u.HELLO));
	case RECORD_BYE:
		feed_bye(m, s, &r->u.BYE);
		return (0);
	case RECORD_RUN_BEGIN:
		return (feed_run_begin(m, &r->u.RUN_BEGIN));
	case RECORD_RUN_END:
		feed_run_end(m, &r->u.RUN_END);
		return (0);
	case RECORD_CALIBRATION:
		return (feed_calibration(m, &r->u.CALIBRATION));
	case RECORD_STRING:
		return (define_string(m, s, &r->u.STRING));
	case RECORD_DEVICE:
		return (define_device(m, s, &r->u.DEVICE));
	case RECORD_CONTEXT:
		return (define_context(m, s, &r->u.CONTEXT));
	case RECORD_METRIC:
		return (define_metric(m, s, &r->u.METRIC));
	case RECORD_SIGNATURE:
		return (kernel_define(m, s, &r->u.SIGNATURE));
	case RECORD_CLOCK:
		return (feed_clock(m, s, &r->u.CLOCK));
	case RECORD_LOSS:
		feed_loss(s, &r->u.LOSS);
		return (0);
	case RECORD_OVERHEAD:
		return (feed_overhead(m, &r->u.OVERHEAD));
	case RECORD_DIAGNOSTIC:
		return (feed_diagnostic(m, &r->u.DIAGNOSTIC));
	default:
		/* Measurements without a HELLO: its frame was lost. */
		if (r->type >= RECORD_KERNEL && r->type < RECORD_CLOCK)
			s->is_process = true;
		return (feed_measured(m, s, r));
	}
}

int
model_feed(struct model *m, uint64_t stream, uint64_t sequence,
    const struct record *r)
{
	struct stream *s;

	m->run.records++;
	if (m->stream_count >= MAX_STREAMS &&
	    idmap_get(&m->streams, stream) == IDMAP_NONE) {
		m->lost++;
		return (0);
	}
	if ((s = stream_find(m, stream)) == NULL)
		return (-1);
	if (sequence < s->next)
		return (0);		/* seen before */
	s->process.missing = add_sat(s->process.missing, sequence - s->next);
	s->next = add_sat(sequence, 1);
	s->process.records++;
	return (feed_record(m, s, r));
}
