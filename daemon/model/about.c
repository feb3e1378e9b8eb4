/*
 * model/about.c: records about the run, its processes and the measurement itself:
 * overhead, holds, losses, diagnostics.
 */
#include <stdlib.h>
#include <string.h>

#include "model/internal.h"

/* CLOCK_REALTIME was set if it moves by more than this against CLOCK_MONOTONIC between
 * two CLOCK records; slewing stays far below. */
#define CLOCK_STEP (20 * 1000000)	/* ns */

/* Keep the first text that is not empty. */
static int
text_keep(struct model *m, const char **to, struct wire_str s)
{

	if ((*to != NULL && **to != '\0') || s.len == 0)
		return 0;
	return (*to = pool_text(&m->pool, s)) == NULL ? -1 : 0;
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

int
about_hello(struct model *m, struct stream *s, const struct record_HELLO *r)
{
	struct process *p = &s->process;

	s->is_process = true;
	p->pid = r->pid;
	p->ppid = r->ppid;
	p->cupti_version = r->cupti_version;
	p->driver_version = r->driver_version;
	p->level = (enum wire_level)r->level;
	m->jit_unknown = m->jit_unknown || (r->flags & HELLO_JIT) == 0;
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
		return -1;
	return 0;
}

int
about_run_begin(struct model *m, struct stream *s,
    const struct record_RUN_BEGIN *r)
{

	(void)s;
	m->launcher = true;
	if (m->run_begin)
		return 0;
	m->run_begin = true;
	/* RUN_BEGIN of the launcher overrides the HELLO of a process. */
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
		return -1;
	return 0;
}

int
about_run_end(struct model *m, struct stream *s, const struct record_RUN_END *r)
{

	(void)s;
	m->launcher = true;
	m->run_end = true;
	m->run.exit_code = r->exit_code <= 255 ? (int)r->exit_code : -1;
	m->run.signal = r->signal <= 128 ? (int)r->signal : 0;
	if (r->conditions.len > 0 &&
	    r->conditions.len <= MAX_CONDITIONS_BYTES &&
	    (m->run.conditions = pool_text(&m->pool, (struct wire_str){
	    (const char *)r->conditions.p, r->conditions.len })) == NULL)
		return -1;
	if (r->end_ns > 0 && model_time(m, r->end_ns, r->end_ns))
		m->end_ns = r->end_ns;
	if (r->start_ns > 0 && r->start_ns <= r->end_ns &&
	    model_time(m, r->start_ns, r->start_ns))
		m->begin_ns = r->start_ns;
	return 0;
}

int
about_calibration(struct model *m, struct stream *s,
    const struct record_CALIBRATION *r)
{
	struct calibration *c, *grown;
	char *json;
	uint32_t i;

	(void)s;
	if (r->json.len == 0)
		return 0;
	if (m->calibrations >= MAX_CALIBRATIONS ||
	    r->json.len > MAX_CALIBRATION_BYTES) {
		m->lost++;
		return 0;
	}
	grown = realloc(m->calibration, (m->calibrations + 1) * sizeof(*c));
	if (grown == NULL)
		return -1;
	m->calibration = grown;
	if ((json = malloc(r->json.len + 1)) == NULL)
		return -1;
	memcpy(json, r->json.p, r->json.len);
	json[r->json.len] = '\0';
	for (i = 0; i < m->calibrations; i++)
		if (m->calibration[i].length == r->json.len && memcmp(json,
		    m->calibration[i].json, r->json.len) == 0) {
			free(json);
			return 0;
		}
	c = &m->calibration[m->calibrations];
	if ((c->gpu = pool_text(&m->pool, r->gpu)) == NULL) {
		free(json);
		return -1;
	}
	c->json = json;
	c->length = r->json.len;
	m->calibrations++;
	return 0;
}

/* Note what CUPTI refused, by the name that the injection library gives the place. */
static void
note_refused(struct run *run, struct wire_str where)
{
	static const char *const name[REFUSED_KINDS] = {
		[REFUSED_CUPTI] = "CUPTI",
		[REFUSED_FREE] = "cuptiSubscribe",
		[REFUSED_TRACE] = "cuptiActivityRegisterCallbacks",
		[REFUSED_KERNELS] = "kernel tracing",
		[REFUSED_AGAIN] = "kernel tracing, on again",
		[REFUSED_COPIES] = "copy tracing",
		[REFUSED_MEMSETS] = "memset tracing",
		[REFUSED_MEMORY] = "allocation tracing",
		[REFUSED_CALLS] = "cuptiEnableCallback",
		[REFUSED_JIT] = "JIT tracing",
		[REFUSED_XLA] = "copy tracing, beside XLA",
	};
	int i;

	for (i = 0; i < REFUSED_KINDS; i++)
		if (where.len == strlen(name[i]) &&
		    memcmp(where.p, name[i], where.len) == 0)
			run->refused |= 1u << i;
}

int
about_diagnostic(struct model *m, struct stream *s,
    const struct record_DIAGNOSTIC *r)
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

	(void)s;
	note_refused(&m->run, r->where);
	if ((d.where = pool_text(&m->pool, r->where)) == NULL ||
	    (d.text = pool_text(&m->pool, r->text)) == NULL)
		return -1;
	return diagnostic_add(m, &d);
}

int
about_names(struct model *m)
{
	struct diagnostic d = {
		.code = DIAG_NAMES_RAW, .severity = SEVERITY_INFO,
		.where = "demangling",
		.text = "names that take too long to spell out in C++ are "
		    "shown as the compiler wrote them",
		.count = m->pool.names.raw - m->names_told,
	};

	if (d.count == 0)
		return 0;
	m->names_told = m->pool.names.raw;
	return diagnostic_add(m, &d);
}

/* Report a step of the clock. Times in records are not corrected: CUPTI stamps kernels
 * with the same clock, and a run with a step in it is not worth more effort. */
int
about_clock(struct model *m, struct stream *s, const struct record_CLOCK *r)
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
	/* A reading that took too long was interrupted, and is not used. */
	if (!known || sub_sat(r->mono_after_ns, r->mono_before_ns) >
	    CLOCK_STEP / 2)
		return 0;
	if (step > -CLOCK_STEP && step < CLOCK_STEP)
		return 0;
	return diagnostic_add(m, &d);
}

/* Does overhead of this kind hold the host? CUPTI's own may be in its own threads, and
 * that of callbacks is reported as one sum at the end. */
static bool
holds_host(uint32_t kind)
{

	return kind == OVERHEAD_COUNTERS || kind == OVERHEAD_SETUP ||
	    kind == OVERHEAD_SOURCE || kind == OVERHEAD_SAMPLING ||
	    kind == OVERHEAD_WAIT;
}

int
about_overhead(struct model *m, struct stream *s,
    const struct record_OVERHEAD *r)
{
	uint32_t kind = r->kind < OVERHEAD_KINDS ? r->kind : OVERHEAD_UNKNOWN;

	(void)s;
	if (!model_time(m, r->start_ns, r->end_ns))
		return 0;
	m->run.overhead_ns[kind] = add_sat(m->run.overhead_ns[kind],
	    r->end_ns - r->start_ns);
	if (spans_add(&m->overhead, r->start_ns, r->end_ns) != 0)
		return -1;
	return holds_host(kind) ? spans_add(&m->held, r->start_ns,
	    r->end_ns) : 0;
}

int
about_jit(struct model *m, struct stream *s, const struct record_JIT *r)
{

	(void)s;
	if (r->operation == JIT_LOAD)
		m->run.jit_loads = add_sat(m->run.jit_loads, 1);
	if (r->operation != JIT_COMPILE)
		return 0;
	m->run.jit_compiles = add_sat(m->run.jit_compiles, 1);
	if (r->start_ns == 0 || !model_time(m, r->start_ns, r->end_ns))
		return 0;
	return spans_add(&m->jit, r->start_ns, r->end_ns);
}

int
about_bye(struct model *m, struct stream *s, const struct record_BYE *r)
{

	s->process.ended = true;
	s->process.bye = (enum wire_bye)r->reason;
	s->bye_lost = r->lost;
	if (model_time(m, r->now_ns, r->now_ns))
		s->process.end_ns = r->now_ns;
	return 0;
}

int
about_loss(struct model *m, struct stream *s, const struct record_LOSS *r)
{
	uint32_t class = r->class < LOSS_CLASSES ? r->class : LOSS_QUEUE;

	(void)m;
	s->process.lost[class] = add_sat(s->process.lost[class], r->count);
	return 0;
}

/* Each HELD record has the totals so far: the last one counts. */
int
about_held(struct model *m, struct stream *s, const struct record_HELD *r)
{

	(void)m;
	s->process.held = (struct held){
		.known = true, .count = r->count, .total_ns = r->total_ns,
		.longest_ns = r->longest_ns, .setup_ns = r->setup_ns,
		.setup_longest_ns = r->setup_longest_ns,
		.replay_ns = r->replay_ns,
		.replay_longest_ns = r->replay_longest_ns,
		.limit_ns = r->limit_ns,
	};
	return 0;
}

void
about_held_add(struct held *sum, const struct held *of)
{

	if (!of->known)
		return;
	/* The limit of the process with the longest hold. */
	if (!sum->known || of->longest_ns > sum->longest_ns)
		sum->limit_ns = of->limit_ns;
	sum->known = true;
	sum->count = add_sat(sum->count, of->count);
	sum->total_ns = add_sat(sum->total_ns, of->total_ns);
	sum->longest_ns = max_u64(sum->longest_ns, of->longest_ns);
	sum->setup_ns = add_sat(sum->setup_ns, of->setup_ns);
	sum->setup_longest_ns = max_u64(sum->setup_longest_ns,
	    of->setup_longest_ns);
	sum->replay_ns = add_sat(sum->replay_ns, of->replay_ns);
	sum->replay_longest_ns = max_u64(sum->replay_longest_ns,
	    of->replay_longest_ns);
}

enum wire_level
about_level(const struct model *m)
{
	enum wire_level level = m->run.level;
	uint32_t i;

	for (i = 0; i < m->stream_count; i++)
		if (level_parts(m->stream[i]->process.level) >
		    level_parts(level))
			level = m->stream[i]->process.level;
	return level;
}
