#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "model/model.h"
#include "report/ending.h"
#include "report/functions.h"
#include "report/json_roofline.h"
#include "report/json_source.h"
#include "report/json_util.h"
#include "report/kin.h"
#include "report/names.h"
#include "rules/engine/finding.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/offloaded.h"
#include "rules/evidence/pauses.h"
#include "rules/evidence/tuning.h"
#include "rules/evidence/turns.h"

#include "report/json.h"

/* RFC 3339 with milliseconds, UTC; null when the start is not known. */
static json_t *
json_instant(uint64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000u);
	char date[32], full[48];
	struct tm tm;

	if (ns == 0 || gmtime_r(&seconds, &tm) == NULL ||
	    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%S", &tm) == 0)
		return json_null();
	snprintf(full, sizeof(full), "%s.%03uZ", date,
	    (unsigned)(ns / 1000000u % 1000u));
	return json_string(full);
}

/*
 * The idle causes are summed over all devices in use; here they are shares of
 * the busiest device's idle time, so that they add up to 1 with the busy share.
 */
static json_t *
json_idle(const struct run *r)
{
	json_t *idle = json_object();
	double sum = 0, scale = 1;
	char key[32];
	size_t i;

	for (i = 0; i < IDLE_CAUSES; i++)
		sum += (double)r->idle_ns[i];
	sum += (double)r->idle_overhead_ns;
	if (sum > (double)r->idle_total_ns && sum > 0)
		scale = (double)r->idle_total_ns / sum;
	for (i = 0; idle != NULL && i < IDLE_CAUSES; i++) {
		snprintf(key, sizeof(key), "%s_ratio", idle_cause_name[i]);
		json_object_set_new(idle, key,
		    json_ratio((double)r->idle_ns[i] * scale,
		    (double)r->wall_ns));
	}
	if (idle != NULL)
		json_object_set_new(idle, "measuring_ratio",
		    json_ratio((double)r->idle_overhead_ns * scale,
		    (double)r->wall_ns));
	return idle;
}

static const struct device *
busiest_device(const struct run *r)
{
	const struct device *d = NULL;
	size_t i;

	for (i = 0; i < r->devices; i++)
		if (d == NULL || r->device[i].busy_ns > d->busy_ns)
			d = &r->device[i];
	return d != NULL && d->busy_ns > 0 ? d : NULL;
}

/* The names of the GPUs that had work to do; of all that were seen, if none had. */
static json_t *
json_devices_used(const struct run *r)
{
	bool any = busiest_device(r) != NULL;
	json_t *names = json_array();

	for (size_t i = 0; names != NULL && i < r->devices; i++)
		if (!any || r->device[i].busy_ns > 0)
			json_array_append_new(names, json_text(r->device[i].name));
	return names;
}

static const char compiler_cause[] = "for a compiler that makes code, or tries it out";

/* What the host mostly did in the longest gap, which ended at ${s}; NULL: not known. */
static const char *
longest_cause(const struct run *r, const struct site *s)
{
	static const char *const text[IDLE_CAUSES] = {
		[IDLE_HOST] = "for the host's own work: reading input, "
		    "preparing, checking",
		[IDLE_AFTER_SYNC] = "for the host's own work after it had "
		    "waited",
		[IDLE_LAUNCH] = "for a launch that was called for before",
		[IDLE_ALLOCATION] = "for allocations",
		[IDLE_API] = "for CUDA calls that launch nothing",
		[IDLE_ELSEWHERE] = "for its turn: it had been launched before",
	};
	int i, most = IDLE_HOST;

	for (i = 0; i < IDLE_STARTUP; i++)
		if (r->idle_longest_by[i] > r->idle_longest_by[most])
			most = i;
	/* Where more than half of a kernel's launches are a compiler's, so is this one. */
	if (most == IDLE_HOST && s != NULL && (framework_compiles(s) ||
	    (s->call == CALL_LAUNCH && tuning_throughout(r) &&
	    framework_launches(r, s->kernel) > 0.5)))
		return compiler_cause;
	return text[most];
}

/* Where the host went on after the longest gap, if that is known. */
static const struct site *
longest_site(const struct run *r)
{
	const struct site *s = NULL;

	for (size_t i = 0; i < r->sites; i++)
		if (r->site[i].idle_longest_ns > r->idle_longest_ns / 2 &&
		    (s == NULL || r->site[i].idle_longest_ns > s->idle_longest_ns))
			s = &r->site[i];
	if (s == NULL && r->idle_longest_kernel != 0)
		s = lines_launched(r, r->idle_longest_kernel);
	return s;
}

static json_t *
json_longest(const struct run *r)
{
	const struct site *s = longest_site(r);
	const char *cause = longest_cause(r, s);

	if (r->idle_longest_ns == 0)
		return json_null();
	return json_pack("{s:o, s:s, s:b, s:b, s:o}",
	    "s", json_seconds(r->idle_longest_ns),
	    "cause", cause,
	    "compiling", cause == compiler_cause,
	    "recurs", pauses_again(r).longest_ns == r->idle_longest_ns,
	    "site", json_site(s));
}

static json_t *
json_results(const struct results *r)
{

	return json_pack("{s:o, s:o, s:o, s:o, s:o}",
	    "phases", json_count(r->phases),
	    "copies", json_count(r->copies),
	    "bytes", json_count(r->bytes),
	    "copy_s", json_seconds(r->copy_ns),
	    "host_s", json_seconds(r->host_ns));
}

static json_t *
json_summary(const struct run *r)
{
	const struct device *d = busiest_device(r);
	double wall = d != NULL ? (double)r->wall_ns : 0, turn = turns_s(r);
	struct results results = offloaded_results(r);

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "gpu_busy_ratio", json_ratio(d ? (double)d->busy_ns : 0, wall),
	    "kernel_ratio", json_ratio(d ? (double)d->kernel_ns : 0, wall),
	    "copy_ratio", json_ratio(d ? (double)d->copy_ns : 0, wall),
	    "copy_hidden_ratio",
	    json_ratio(d ? (double)d->copy_hidden_ns : 0, wall),
	    "idle_ratio", json_ratio((double)r->idle_total_ns, wall),
	    "idle", json_idle(r),
	    "turn_s", turn > 0 ? json_number(turn) : json_null(),
	    "longest_idle", json_longest(r),
	    "results", json_results(&results));
}

static json_t *
json_held(const struct held *h)
{

	if (!h->known)
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "count", json_count(h->count),
	    "total_s", json_seconds(h->total_ns),
	    "longest_s", json_seconds(h->longest_ns),
	    "setup_s", json_seconds(h->setup_ns),
	    "setup_longest_s", json_seconds(h->setup_longest_ns),
	    "replay_s", json_seconds(h->replay_ns),
	    "replay_longest_s", json_seconds(h->replay_longest_ns),
	    "limit_s", h->limit_ns > 0 ? json_seconds(h->limit_ns) :
	    json_null());
}

static json_t *
json_overhead(const struct run *r)
{
	const uint64_t *o = r->overhead_ns;
	/* The values may be anything: their sum could overflow an integer. */
	double fixed = (double)o[OVERHEAD_SETUP] +
	    (double)o[OVERHEAD_COUNTERS] + (double)o[OVERHEAD_SAMPLING] +
	    (double)o[OVERHEAD_SOURCE] + (double)o[OVERHEAD_WAIT];

	return json_pack("{s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
	    "s:o}, s:o, s:o, s:o, s:o, s:o}",
	    "total_s", json_seconds(r->overhead_total_ns),
	    "ratio", json_ratio((double)r->overhead_total_ns,
	    (double)r->wall_ns),
	    "by",
	    "setup_s", json_seconds(o[OVERHEAD_SETUP]),
	    "counters_s", json_seconds(o[OVERHEAD_COUNTERS]),
	    "cupti_s", json_seconds(o[OVERHEAD_UNKNOWN] +
	    o[OVERHEAD_CUPTI_BUFFER] + o[OVERHEAD_CUPTI_INSTRUMENT] +
	    o[OVERHEAD_CUPTI_RESOURCE] + o[OVERHEAD_CUPTI_OTHER]),
	    "callback_s", json_seconds(o[OVERHEAD_CALLBACK]),
	    "source_s", json_seconds(o[OVERHEAD_SOURCE]),
	    "sampling_s", json_seconds(o[OVERHEAD_SAMPLING]),
	    "kernels_s", json_seconds(r->overhead_longer_ns),
	    "wait_s", json_seconds(o[OVERHEAD_WAIT]),
	    "fixed_s", json_number(fixed / 1e9),
	    "per_launch_ns", json_ratio((double)o[OVERHEAD_CALLBACK] +
	    (double)o[OVERHEAD_CUPTI_BUFFER], (double)r->launches),
	    "held", json_held(&r->held),
	    "profiled_launches", json_count(r->profiled_launches),
	    "budget_ratio", json_number(r->budget));
}

static json_t *
json_losses(const uint64_t *lost, uint64_t missing)
{
	json_t *by = json_object();
	int i;

	for (i = 0; by != NULL && i < LOSS_CLASSES; i++)
		json_object_set_new(by, name_loss(i), json_count(lost[i]));
	if (by != NULL)
		json_object_set_new(by, "sequence", json_count(missing));
	return by;
}

static json_t *
json_data(const struct run *r)
{
	uint64_t lost[LOSS_CLASSES] = { 0 }, missing = 0;
	size_t unended = unended_processes(r), i, j;

	for (i = 0; i < r->processes; i++) {
		missing += r->process[i].missing;
		for (j = 0; j < LOSS_CLASSES; j++)
			lost[j] += r->process[i].lost[j];
	}
	return json_pack("{s:o, s:o, s:o, s:b, s:o, s:o}",
	    "records", json_count(r->records),
	    "lost", json_count(r->lost),
	    "lost_by", json_losses(lost, missing),
	    "complete", r->lost == 0 && r->state == RUN_FINISHED &&
	    unended == 0,
	    "unended", json_count(unended),
	    "late", json_count(r->late));
}

static json_t *
json_measured(const struct run *r)
{
	size_t n[MEASURED_KINDS] = { 0 }, i;
	json_t *o = json_object();

	for (i = 0; i < r->kernels; i++)
		n[measured_of(&r->kernel[i])]++;
	for (i = 0; o != NULL && i < MEASURED_KINDS; i++)
		json_object_set_new(o, name_measured((enum measured)i),
		    json_count(n[i]));
	return o;
}

/* How much of the run has data by line and instruction. */
static json_t *
json_source_tier(const struct run *r)
{
	size_t counted = 0, sampled = 0, i;
	const struct code *c;

	for (i = 0; i < r->kernels; i++) {
		if ((c = r->kernel[i].code) == NULL)
			continue;
		counted += c->counted;
		sampled += c->sampled;
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o}",
	    "launches", json_count(r->source_launches),
	    "kernels_counted", json_count(counted),
	    "kernels_sampled", json_count(sampled),
	    "samples", json_count(r->samples),
	    "samples_dropped", json_count(r->samples_dropped));
}

/* The correctness tools of `cudadvise sanitize`. */
static json_t *
json_checks(const struct run *r)
{
	json_t *list = json_array();
	const struct tool_run *c;
	size_t i;

	for (i = 0; list != NULL && i < r->checks; i++) {
		c = &r->check[i];
		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o,"
		    "s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		    "tool", wire_tool_name(c->tool),
		    "state", name_check((int)c->state),
		    "start_ns", json_count(c->start_ns),
		    "end_ns", json_count(c->end_ns),
		    "exit_code", json_count(c->exit_code),
		    "signal", c->signal > 0 ? json_count(c->signal) :
		    json_null(),
		    "errors", json_count(c->errors),
		    "warnings", json_count(c->warnings),
		    "unreported", json_count(c->unreported),
		    "version", json_text(c->version),
		    "text", json_text(c->text)));
	}
	return list;
}

static json_t *
json_verdict_counts(const struct advice *a)
{
	size_t n[3] = { 0 }, library = 0, i;

	for (i = 0; i < a->verdicts; i++) {
		if ((unsigned)a->verdict[i].state < 3)
			n[a->verdict[i].state]++;
		library += a->verdict[i].state == RULE_NOT_MEASURED &&
		    a->verdict[i].reason != NULL &&
		    a->verdict[i].reason->code == REASON_LIBRARY;
	}
	return json_pack("{s:o, s:o, s:o, s:o}",
	    "found", json_count(n[RULE_FOUND]),
	    "clean", json_count(n[RULE_CLEAN]),
	    "not_measured", json_count(n[RULE_NOT_MEASURED] - library),
	    "not_applicable", json_count(library));
}

json_t *
json_run(const struct run *r, const struct advice *a, int analysis)
{
	size_t worth_it = 0, i;

	for (i = 0; i < a->findings; i++)
		worth_it += a->finding[i].worth_it;
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:s, s:o, s:o, s:o,"
	    "s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
	    "s:o, s:b, s:o, s:o, s:o, s:i, s:o, s:o, s:o, s:o}",
	    "id", r->uuid,
	    "label", json_text(r->label),
	    "command", json_text(r->command),
	    "cwd", json_text(r->cwd),
	    "host", json_text(r->host),
	    "version", json_text(r->version),
	    "state", run_state_name[r->state],
	    "level", name_level((int)r->level),
	    "started_at", json_instant(r->origin_ns),
	    "wall_ns", json_count(r->wall_ns),
	    "exit_code", r->exit_code >= 0 ? json_integer(r->exit_code) :
	    json_null(),
	    "signal", r->signal > 0 ? json_integer(r->signal) : json_null(),
	    "devices", JSON_LIST(d, r->devices, json_text(r->device[d].name)),
	    "devices_used", json_devices_used(r),
	    "kernels", json_count(r->kernels),
	    "functions", json_count(functions_count(r)),
	    "launches", json_count(r->launches),
	    "processes", json_count(r->processes),
	    "findings", json_count(a->findings),
	    "worth_it", json_count(worth_it),
	    "changes", json_count(kin_changes(a)),
	    "together_s", json_number(a->together_s),
	    "summary", json_summary(r),
	    "overhead", json_overhead(r),
	    "data", json_data(r),
	    "rules", json_verdict_counts(a),
	    "calibrated", r->ceilings->calibrated,
	    "ceilings_from", json_text(r->ceilings->from),
	    "active_s", json_number(a->active_s),
	    "noise_s", json_number(a->noise_s),
	    "analysis", analysis,
	    "kernels_measured", json_measured(r),
	    "source", json_source_tier(r),
	    "checks", json_checks(r),
	    "conditions", json_conditions(r));
}

static json_t *
json_process(const struct process *p)
{

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
	    "s:o, s:s, s:b, s:o, s:o, s:o, s:o}",
	    "stream", json_id(p->stream),
	    "pid", json_count(p->pid),
	    "ppid", json_count(p->ppid),
	    "exe", json_text(p->exe),
	    "command", json_text(p->command),
	    "host", json_text(p->host),
	    "library", json_text(p->library),
	    "start_ns", json_count(p->start_ns),
	    "end_ns", json_count(p->end_ns),
	    "cupti_version", json_count(p->cupti_version),
	    "driver_version", json_count(p->driver_version),
	    "level", name_level((int)p->level),
	    "ended", p->ended,
	    "bye", p->ended ? json_text(name_bye((int)p->bye)) : json_null(),
	    "records", json_count(p->records),
	    "missing", json_count(p->missing),
	    "lost", json_losses(p->lost, p->missing));
}

json_t *
json_processes(const struct run *r)
{

	return JSON_LIST(i, r->processes, json_process(&r->process[i]));
}

static json_t *
json_device(const struct device *d)
{
	const struct record_DEVICE *l = &d->limits;
	json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "id", json_count(d->id),
	    "name", json_text(d->name),
	    "chip", json_text(d->chip),
	    "uuid", json_text(d->uuid),
	    "busy_ns", json_count(d->busy_ns),
	    "kernel_ns", json_count(d->kernel_ns),
	    "copy_ns", json_count(d->copy_ns),
	    "copy_hidden_ns", json_count(d->copy_hidden_ns),
	    "first_ns", json_count(d->first_ns));

	if (o == NULL)
		return NULL;
	json_object_set_new(o, "last_ns", json_count(d->last_ns));
#define LIMIT(field) json_object_set_new(o, #field, json_count(l->field))
	LIMIT(cc_major);
	LIMIT(cc_minor);
	LIMIT(sms);
	LIMIT(max_threads_per_sm);
	LIMIT(max_threads_per_block);
	LIMIT(max_blocks_per_sm);
	LIMIT(max_warps_per_sm);
	LIMIT(warp_size);
	LIMIT(regs_per_sm);
	LIMIT(regs_per_block);
	LIMIT(smem_per_sm);
	LIMIT(smem_per_block);
	LIMIT(smem_per_block_optin);
	LIMIT(smem_reserved);
	LIMIT(core_khz);
	LIMIT(memory_khz);
	LIMIT(memory_bus_bits);
	LIMIT(memory_bytes);
	LIMIT(l2_bytes);
	LIMIT(memory_bandwidth);
	LIMIT(async_engines);
#undef LIMIT
	json_object_set_new(o, "mig", json_boolean(l->mig));
	json_object_set_new(o, "ceilings", json_ceilings(&d->ceilings));
	return o;
}

json_t *
json_devices(const struct run *r)
{

	return JSON_LIST(i, r->devices, json_device(&r->device[i]));
}

json_t *
json_diagnostics(const struct run *r)
{
	json_t *list = json_array();
	const struct diagnostic *d;
	size_t i;

	for (i = 0; list != NULL && i < r->diagnostics; i++) {
		d = &r->diagnostic[i];
		json_array_append_new(list,
		    json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o}",
		    "code", name_diagnostic((int)d->code),
		    "severity", name_severity((int)d->severity),
		    "error", json_count(d->error),
		    "count", json_count(d->count),
		    "where", json_text(d->where),
		    "text", json_text(d->text),
		    "remedy", json_text(remedy_diagnostic((int)d->code))));
	}
	return list;
}
