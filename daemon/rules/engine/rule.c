/*
 * rules/engine/rule.c: functions that all rules share, see rule.h.
 */
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "rules/engine/rule.h"

#define IDS_BITS (1u << 22)	/* 0.5 MiB: of 100,000 ids 2 % are searched for */

const char *const rule_state_name[] = {
	[RULE_FOUND] = "found", [RULE_CLEAN] = "clean",
	[RULE_NOT_MEASURED] = "not_measured"
};
const char *const severity_name[] = {
	[SEV_INFO] = "info", [SEV_LOW] = "low", [SEV_MEDIUM] = "medium",
	[SEV_HIGH] = "high"
};
const char *const confidence_name[] = {
	[CONF_LOW] = "low", [CONF_MEDIUM] = "medium", [CONF_HIGH] = "high"
};

int
severity_called(const char *name)
{
	int at = name != NULL ? SEV_HIGH : -1;

	while (at >= 0 && strcmp(severity_name[at], name) != 0)
		at--;
	return at;
}

double
rule_value(const struct rule_view *x, const char *key)
{
	for (size_t i = 0; i < THRESHOLDS_MAX; i++) {
		const struct rule_threshold *t = &x->rule->threshold[i];

		if (t->key == NULL)
			break;
		if (strcmp(t->key, key) != 0)
			continue;
		if (x->thresholds != NULL &&
		    isfinite(x->thresholds->value[x->order][i]))
			return x->thresholds->value[x->order][i];
		return t->value;
	}
	assert(!"threshold in rules.def");
	return NAN;
}

static const char *
origin_of(const struct rule_view *x, const char *key)
{
	for (size_t i = 0; i < THRESHOLDS_MAX; i++)
		if (x->rule->threshold[i].key != NULL &&
		    strcmp(x->rule->threshold[i].key, key) == 0)
			return x->thresholds != NULL &&
			    isfinite(x->thresholds->value[x->order][i]) ?
			    "configured" : x->rule->threshold[i].origin;
	return NULL;
}

/* Sets the id, which is the same for the same finding in every run of a program.
 * Returns the hash that it is made of. */
static uint64_t
set_id(struct draft *d, const struct rule_view *x, const char *key,
    uint32_t ordinal)
{
	static const char hex[] = "0123456789abcdef";
	XXH64_state_t state;
	uint64_t h, hash;

	XXH64_reset(&state, 0);
	XXH64_update(&state, x->rule->id, strlen(x->rule->id) + 1);
	if (x->kernel != NULL) {
		const struct record_SIGNATURE *s = &x->kernel->shape;
		const char *name = x->kernel->mangled != NULL ?
		    x->kernel->mangled : "";
		uint32_t shape[] = { s->grid_x, s->grid_y, s->grid_z,
		    s->block_x, s->block_y, s->block_z, s->smem_dynamic,
		    x->kernel->device };

		XXH64_update(&state, name, strlen(name) + 1);
		XXH64_update(&state, shape, sizeof(shape));
	}
	if (key != NULL)
		XXH64_update(&state, key, strlen(key) + 1);
	if (ordinal > 0)
		XXH64_update(&state, &ordinal, sizeof(ordinal));
	hash = h = XXH64_digest(&state);
	for (int i = 15; i >= 0; i--, h >>= 4)
		d->f.id[i] = hex[h & 15];
	d->f.id[16] = '\0';
	return hash;
}

uint64_t *
rule_ids_new(void)
{

	return calloc(IDS_BITS / 64, sizeof(uint64_t));
}

/* May an id of this hash have been made before? From now on it has been. */
static bool
id_seen(struct rule_view *x, uint64_t hash)
{
	uint64_t *word, bit = 1ull << hash % 64;
	bool seen;

	if (x->ids == NULL)
		return true;
	word = &x->ids[hash / 64 % (IDS_BITS / 64)];
	seen = *word & bit;
	*word |= bit;
	return seen;
}

/* Does an earlier draft have the id of ${d}? */
static bool
id_taken(const struct rule_view *x, const struct draft *d)
{
	for (size_t i = 0; i < x->drafts; i++)
		if (strcmp(x->draft[i].f.id, d->f.id) == 0)
			return true;
	return false;
}

/* A zeroed slot for one more draft; without memory the spare one, which is
 * never read. */
static struct draft *
draft_add(struct rule_view *x)
{
	size_t room = x->room ? x->room * 2 : 64;
	struct draft *grown;

	if (x->drafts < x->room)
		return &x->draft[x->drafts];
	grown = realloc(x->draft, room * sizeof(*grown));
	if (grown == NULL) {
		x->arena->failed = true;
		return &x->spare;
	}
	x->draft = grown;
	x->room = room;
	return &x->draft[x->drafts];
}

void
rule_drop(struct rule_view *x, const struct draft *d)
{
	x->drafts -= d != &x->spare;
}

struct draft *
rule_found(struct rule_view *x, const char *key)
{
	static const struct fix none = FIX_NONE;
	uint32_t ordinal = 0;
	uint64_t hash;
	struct draft *d = draft_add(x);

	memset(d, 0, sizeof(*d));
	/* The store and the API find a finding by its id: it must be unique. All
	 * drafts are searched only if the hash may be there: 16,000 kernels make
	 * 100,000 drafts. */
	do
		hash = set_id(d, x, key, ordinal++);
	while (id_seen(x, hash) && id_taken(x, d));
	x->drafts += d != &x->spare;
	d->rule = x->rule;
	d->order = x->order;
	d->load = x->load;
	d->estimated = x->own != NULL;
	d->cap = x->rule->severity;
	for (int v = 0; v < VIEWS; v++)
		d->fix[v] = none;
	d->f.rule = x->rule->id;
	d->f.title = x->rule->title;
	d->f.category = x->rule->category;
	d->f.confidence = CONF_MEDIUM;
	d->f.kernel = rule_kernel(x);
	d->f.where = PLACE_RUN;
	d->f.saves_s = d->f.saves_low_s = d->f.saves_high_s = NAN;
	d->f.kernel_speedup = NAN;
	d->f.summary = d->f.advice = "";
	if (x->kernel != NULL) {
		d->f.where = x->kernel->short_name != NULL ?
		    x->kernel->short_name : "(unnamed kernel)";
		d->f.location = say_shape(x->arena, x->kernel);
		d->f.limiter = rule_limiter(x);
	}
	return d;
}

enum rule_state
rule_unmeasured_for(struct rule_view *x, const struct reason *reason)
{
	x->reason = reason;
	return RULE_NOT_MEASURED;
}

enum rule_state
rule_unmeasured(struct rule_view *x, enum reason_code code)
{
	return rule_unmeasured_for(x, &reason_row[code]);
}

const struct reason *
rule_reason(const struct rule_view *x, enum reason_code code, const char *fmt,
    ...)
{
	struct reason *r = arena_get(x->arena, sizeof(*r));
	va_list ap;

	if (r == NULL)
		return &reason_row[code];
	va_start(ap, fmt);
	*r = reason_row[code];
	r->text = arena_vformat(x->arena, fmt, ap);
	va_end(ap);
	return r;
}

enum rule_state
rule_lacks(struct rule_view *x)
{
	return rule_unmeasured_for(x, reason_skip[x->kernel->skip]);
}

/* The unit that the name of a value implies. */
static const char *
unit_of(const char *name)
{
	static const struct { const char *end, *unit; } units[] = {
		{ "_ratio", "ratio" }, { "_bytes", "B" },
		{ "_bytes_per_s", "B/s" }, { "_s", "s" },
	};
	size_t length = strlen(name), i, end;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		end = strlen(units[i].end);
		if (length >= end &&
		    strcmp(name + length - end, units[i].end) == 0)
			return units[i].unit;
	}
	return "";
}

void
rule_evidence_add(const struct rule_view *x, struct draft *d,
    const char *name, double value, const char *label, struct evidence_from o)
{
	const struct { const char *source, *from; } known[] = {
		{ "measured", o.measured }, { "derived", o.derived },
		{ "estimated", o.estimated }, { "attribute", o.attribute },
		{ o.source, o.from },
	};
	size_t i = 0;

	if (d->f.evidences == EVIDENCE_MAX)
		return;
	while (i < sizeof(known) / sizeof(known[0]) - 1 && known[i].from == NULL)
		i++;
	d->f.evidence[d->f.evidences++] = (struct evidence){ .name = name,
	    .label = label, .value = value,
	    .source = known[i].source, .from = known[i].from,
	    .unit = o.unit != NULL ? o.unit : unit_of(name),
	    .threshold = o.key != NULL ? rule_value(x, o.key) : NAN,
	    .threshold_origin = o.key != NULL ? origin_of(x, o.key) : NULL };
}

double
rule_metric(const struct rule_view *x, enum metric_id id)
{
	return metric(x->kernel, id);
}

/* "79 % busy"; for resources of the SMs, and a grid smaller than their number:
 * "79 % busy on the 8 SMs at work". */
static const char *
say_busy(const struct rule_view *x)
{
	const struct load *l = x->load;
	double blocks = rule_blocks(x->kernel);
	const char *busy = say_percent(x->arena, l->busy);

	if (l->limit == RES_DRAM || l->limit == RES_L2 || x->device == NULL ||
	    !(blocks >= 1 && blocks < x->device->limits.sms))
		return arena_format(x->arena, "%s busy", busy);
	return arena_format(x->arena, "%s busy on the %s at work", busy,
	    say_counted(x->arena, blocks, "SM"));
}

const char *
rule_limiter(const struct rule_view *x)
{
	const struct load *l = x->load;

	if (l == NULL || l->limit < 0 || !isfinite(l->busy))
		return NULL;
	if (l->bound >= 0.5 && l->bound == l->memory_queue)
		return arena_format(x->arena, "limited by memory queueing "
		    "(%s %s with scattered accesses)", resource_said[l->limit],
		    say_busy(x));
	if (l->bound >= 0.5)
		return arena_format(x->arena, "limited by %s (%s)",
		    resource_said[l->limit], say_busy(x));
	if (l->unexplained >= 0.5)
		return arena_format(x->arena, "latency-bound: no unit "
		    "saturated, and neither memory's nor instructions' latency "
		    "explains it (busiest: %s, %s)", resource_said[l->limit],
		    say_percent(x->arena, l->busy));
	return arena_format(x->arena, "latency-bound: no %sunit saturated "
	    "(busiest: %s, %s)", isnan(l->resource_s[RES_DRAM]) ||
	    isnan(l->resource_s[RES_L2]) ? "counted " : "",
	    resource_said[l->limit], say_percent(x->arena, l->busy));
}

void
rule_fix(struct draft *d, const struct fix *f, double low, double mid)
{
	d->fix[VIEW_LOW] = fix_part(f, low);
	d->fix[VIEW_MID] = fix_part(f, mid);
	d->fix[VIEW_HIGH] = *f;
}

void
rule_fix_near(struct draft *d, const struct fix *f, double low, double mid)
{
	rule_fix(d, f, low, mid);
	d->fix[VIEW_MID] = fix_power(f, mid);
}

/* Does ${f} relieve a resource whose utilisation is not known? */
static bool
relieves_unknown(const struct load *l, const struct fix *f)
{
	bool traffic = f->global_ld < 1 || f->global_st < 1 || f->local < 1;
	bool shared = f->shared_ld < 1 || f->shared_st < 1;

	for (int r = 0; r < RES_COUNT; r++)
		if (isnan(l->resource_s[r]) && (f->part[r] < 1 ||
		    (traffic && (r == RES_DRAM || r == RES_L2)) ||
		    ((traffic || shared) && r == RES_L1) ||
		    (f->inst < 1 && r == RES_ISSUE)))
			return true;
	return false;
}

enum rule_state
rule_settle(struct rule_view *x, struct draft *d)
{
	double t = x->load->time_s;
	double new = gain_time(x->load, &d->fix[VIEW_MID], VIEW_MID);

	if (t > 0 && new <= t * (1 - PAYS_LEAST))
		return RULE_FOUND;
	rule_drop(x, d);
	return relieves_unknown(x->load, &d->fix[VIEW_HIGH]) ?
	    rule_unmeasured(x, REASON_LIMIT_UNKNOWN) : RULE_CLEAN;
}

bool
rule_is_blind(const struct rule_view *x)
{
	const struct record_SIGNATURE *s = &x->kernel->shape;

	if (x->load->limit < 0)
		return true;
	return isnan(rule_metric(x, METRIC_PIPE_TENSOR)) && s->regs >= 128 &&
	    (uint64_t)s->smem_static + s->smem_dynamic >= 32768;
}

void
rule_blind(const struct rule_view *x, struct draft *d)
{
	if (!rule_is_blind(x))
		return;
	d->f.confidence = CONF_LOW;
	if (d->cap > SEV_LOW)
		d->cap = SEV_LOW;
	if (x->load->limit < 0) {
		d->f.gain_note = "without counters it is not known whether "
		    "latency limits this kernel";
		return;
	}
	d->f.gain_note = "built like a tensor-core kernel, and the tensor pipe "
	    "was not counted: more warps may gain nothing";
	d->fix[VIEW_MID] = fix_part(&d->fix[VIEW_MID], 0.1);
	d->fix[VIEW_LOW] = fix_part(&d->fix[VIEW_LOW], 0);
}

bool
rule_is_debug(const struct rule_view *x)
{
	return x->kernel->code != NULL && x->kernel->code->debug;
}

const struct kernel *
rule_kernel(const struct rule_view *x)
{
	return x->own != NULL ? x->own : x->kernel;
}

static bool
explains(const struct rule *rule, const char *id)
{
	for (size_t i = 0; rule->explains[i] != NULL; i++)
		if (strcmp(rule->explains[i], id) == 0)
			return true;
	return false;
}

bool
rule_is_explained(const struct rule_view *x)
{
	for (size_t i = 0; i < x->drafts; i++)
		if (x->draft[i].f.kernel == rule_kernel(x) &&
		    explains(x->draft[i].rule, x->rule->id))
			return true;
	return false;
}

bool
rule_said(const struct rule_view *x, const char *id)
{
	for (size_t i = 0; i < x->drafts; i++)
		if (x->draft[i].f.kernel == rule_kernel(x) &&
		    strcmp(x->draft[i].f.rule, id) == 0)
			return true;
	return false;
}

double
rule_busy(const struct rule_view *x, enum resource r)
{
	double body = x->load->time_s - x->load->fixed_s;
	double s = x->load->resource_s[r];

	return body > 0 && isfinite(s) ? fmin(1, s / body) : NAN;
}

bool
rule_is_bound(const struct rule_view *x, enum resource r)
{
	return x->load->limit == (int)r && x->load->bound >= 0.5;
}

double
rule_blocks(const struct kernel *k)
{
	return (double)k->shape.grid_x * k->shape.grid_y * k->shape.grid_z;
}

uint32_t
rule_threads(const struct kernel *k)
{
	uint64_t n = (uint64_t)k->shape.block_x * k->shape.block_y *
	    k->shape.block_z;

	return n > UINT32_MAX ? 0 : (uint32_t)n;
}

double
rule_part_of_gpu(const struct run *run, const struct kernel *k)
{
	double sms = run->device[k->device].limits.sms;
	double resident = k->occupancy.known ? k->occupancy.blocks_per_sm : 1;

	return fmin(1, rule_blocks(k) / fmax(1, sms * fmax(1, resident)));
}

double
rule_wall_s(const struct run *run)
{
	return (double)run->wall_ns * 1e-9;
}

double
rule_window_s(const struct run *run)
{
	return fmax(0, rule_wall_s(run) -
	    (double)run->idle_ns[IDLE_STARTUP] * 1e-9 -
	    (double)run->idle_ns[IDLE_SHUTDOWN] * 1e-9);
}

double
rule_active_s(const struct run *run)
{
	double s = rule_window_s(run) - (double)run->idle_overhead_ns * 1e-9;

	return s < 1e-9 ? 0 : s;	/* times are whole nanoseconds */
}

double
rule_own_s(const struct run *run)
{
	return fmax(0, rule_wall_s(run) -
	    (double)run->idle_overhead_ns * 1e-9);
}

bool
rule_allocates(enum wire_call call)
{
	switch (call) {
	case CALL_MALLOC: case CALL_FREE: case CALL_MALLOC_HOST:
	case CALL_FREE_HOST: case CALL_HOST_REGISTER:
	case CALL_HOST_UNREGISTER: case CALL_MALLOC_MANAGED:
	case CALL_MALLOC_ARRAY: case CALL_FREE_ARRAY:
		return true;
	default:
		return call_is_object(call);
	}
}

double
rule_allocating_s(const struct run *run, uint64_t *calls)
{
	uint64_t count = 0;
	double s = 0;

	for (size_t i = 0; i < run->calls; i++) {
		if (!rule_allocates(run->call[i].call))
			continue;
		count += run->call[i].hot_count;
		s += (double)run->call[i].hot_ns * 1e-9;
	}
	if (calls != NULL)
		*calls = count;
	return s;
}

double
rule_turn(double idle_s, uint64_t waits)
{
	return idle_s > 0 ? fmin(1, (double)waits * TURN_S / idle_s) : 1;
}

static double
busy_s(const struct run *run)
{
	return fmax(0, rule_wall_s(run) - (double)run->idle_total_ns * 1e-9);
}

struct gain
rule_queued(const struct run *run, double idle_s, uint64_t waits)
{
	double turn = rule_turn(idle_s, waits), hidden = fmin(idle_s, busy_s(run));
	/* GPU idle time behind other waits and launches. */
	double rest = fmax(0, (double)(run->idle_ns[IDLE_AFTER_SYNC] +
	    run->idle_ns[IDLE_LAUNCH]) * 1e-9 - idle_s);

	return (struct gain){ 0.4 * hidden, hidden * (0.8 + 0.2 * turn),
	    fmax(idle_s, hidden) + turn * rest };
}

double
rule_unwaited(const struct run *run, double idle_s, uint64_t waits,
    uint64_t copies, double trip_s)
{
	double busy = busy_s(run), calls = (double)run->launches, host;

	for (size_t i = 0; i < run->copies; i++)
		calls += (double)run->copy[i].count;
	host = fmax(0, idle_s - (double)waits * trip_s) +
	    fmax(0, calls - (double)copies) * run->ceilings->launch_s;
	return fmin(idle_s, fmax(0, idle_s + busy - fmax(busy, host)));
}

double
rule_copy_exposure(const struct run *run)
{
	double exposed = 0, all = 0;

	for (size_t i = 0; i < run->copies; i++) {
		double gpu = (double)run->copy[i].gpu_ns;
		double e = run->copy[i].exposed_ns;

		all += gpu;
		exposed += isfinite(e) ? fmin(fmax(e, 0), gpu) : gpu;
	}
	return all > 0 ? exposed / all : 0;
}

double
rule_kernel_exposure(const struct run *run)
{
	double exposed = 0, all = 0;

	for (size_t i = 0; i < run->kernels; i++) {
		double total = (double)run->kernel[i].total_ns;
		double e = run->kernel[i].exposed_ns;

		all += total;
		exposed += isfinite(e) ? fmin(fmax(e, 0), total) : total;
	}
	return all > 0 ? exposed / all : 0;
}

double
rule_fault_s(const struct run *run)
{
	double kernels = 0;

	for (size_t i = 0; i < run->devices; i++)
		kernels += (double)run->device[i].kernel_ns * 1e-9;
	return fmin(kernels, (double)run->unified.fault_ns * 1e-9);
}

void
rule_gpus(const struct run *run, struct gpus *t)
{
	*t = (struct gpus){ .busy_s = (double)run->gpus_busy_ns * 1e-9 };
	for (size_t i = 0; i < run->devices; i++) {
		double s = (double)run->device[i].kernel_ns * 1e-9;

		t->seen += !run->device[i].hidden;
		t->most_s = fmax(t->most_s, s);
	}
	for (size_t i = 0; i < run->devices; i++) {
		double s = (double)run->device[i].kernel_ns * 1e-9;

		if (!(s > 0) || s < USED_LEAST * t->most_s)
			continue;
		t->used++;
		t->work_s += s;
	}
	if (t->used == 0)
		return;
	t->turns_s = fmax(0, fmin(t->busy_s, t->work_s) - t->most_s);
	t->uneven_s = fmax(0, t->most_s - t->work_s / (double)t->used);
}
