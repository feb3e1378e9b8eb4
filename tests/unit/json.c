/* The JSON of single documents, NaN, and strings of any bytes. */
#include <stdlib.h>
#include <strings.h>

#include "base/utf8.h"
#include "report/json.h"
#include "report/json_source.h"
#include "unit/noun.h"
#include "unit/test.h"

#include "unit/source_fixture.h"

static struct fixture f;
static struct source_fixture sf;

static int
setup(void **state)
{

	(void)state;
	fixture_fill(&f);
	return 0;
}

TEST_WITH(run_shape, setup, NULL)
{
	json_t *o = json_run(&f.run, &f.advice, 3);
	json_t *s, *idle;

	assert_noun_but(o, "Run", "number pinned revision capture_bytes");
	assert_noun(json_object_get(o, "source"), "RunSource");
	assert_text(o, "started_at", "2023-11-14T22:13:20.123Z");
	assert_text(o, "state", "finished");
	assert_count(o, "exit_code", 0);
	assert_json_null(o, "signal");
	assert_json_null(o, "label");
	assert_count(o, "worth_it", 2);
	assert_count(o, "changes", 2);
	assert_count(o, "analysis", 3);
	assert_noun(json_object_get(o, "kernels_measured"), "Measured");
	assert_count(o, "kernels_measured.full", 1);
	s = json_object_get(o, "summary");
	assert_noun(s, "Summary");
	assert_noun(json_object_get(s, "results"), "Summary.results");
	assert_true(fabs(json_real_value(json_object_get(s,
	    "gpu_busy_ratio")) - 0.61) < 1e-9);
	idle = json_object_get(s, "idle");
	assert_noun(idle, "Idle");
	assert_true(fabs(json_real_value(json_object_get(idle,
	    "host_ratio")) - 0.3) < 1e-9);
	assert_noun(json_object_get(o, "overhead"), "Overhead");
	assert_noun(json_object_get(o, "data"), "DataLoss");
	assert_json_true(o, "data.complete");
	assert_count(o, "rules.not_measured", 1);
	json_decref(o);
}

/* The cost that is paid once, and the cost of each launch. */
TEST_WITH(run_overhead_parts, setup, NULL)
{
	json_t *o, *cost;
	int i;

	for (i = 0; i < OVERHEAD_KINDS; i++)
		f.run.overhead_ns[i] = 1000000ull << i;
	o = json_run(&f.run, &f.advice, 1);
	cost = json_object_get(o, "overhead");
	assert_noun(json_object_get(cost, "by"), "OverheadParts");
	assert_true(number_at(cost, "by.wait_s") == 1e-3 * (1 <<
	    OVERHEAD_WAIT));
	assert_true(fabs(number_at(cost, "fixed_s") - 1e-3 * ((1 <<
	    OVERHEAD_SETUP) + (1 << OVERHEAD_COUNTERS) + (1 <<
	    OVERHEAD_SAMPLING) + (1 << OVERHEAD_SOURCE) + (1 << OVERHEAD_WAIT)))
	    < 1e-9);
	assert_true(fabs(number_at(cost, "per_launch_ns") - 1e6 * ((1 <<
	    OVERHEAD_CALLBACK) + (1 << OVERHEAD_CUPTI_BUFFER)) /
	    (double)f.run.launches) < 1e-6);
	json_decref(o);
	for (i = 0; i < OVERHEAD_KINDS; i++)
		f.run.overhead_ns[i] = UINT64_MAX;	/* no overflow */
	o = json_run(&f.run, &f.advice, 1);
	assert_true(number_at(o, "overhead.fixed_s") > 9e10);
	json_decref(o);
	f.run.launches = 0;
	o = json_run(&f.run, &f.advice, 1);
	assert_json_null(o, "overhead.per_launch_ns");
	json_decref(o);
}

TEST_WITH(run_held, setup, NULL)
{
	json_t *o = json_run(&f.run, &f.advice, 1), *held;

	/* Captures of older versions do not have it. */
	assert_json_null(o, "overhead.held");
	json_decref(o);
	fixture_held(&f, 48000000);
	f.run.held.replay_ns = 3000000000;
	f.run.held.replay_longest_ns = 2000000000;
	o = json_run(&f.run, &f.advice, 1);
	held = json_at(o, "overhead.held");
	assert_noun(held, "Held");
	assert_count(held, "count", 42);
	assert_true(fabs(number_at(held, "total_s") - 0.31) < 1e-9);
	assert_true(fabs(number_at(held, "longest_s") - 0.048) < 1e-9);
	assert_true(fabs(number_at(held, "setup_s") - 0.28) < 1e-9);
	assert_true(fabs(number_at(held, "setup_longest_s") - 0.25) < 1e-9);
	assert_true(fabs(number_at(held, "replay_s") - 3) < 1e-9);
	assert_true(fabs(number_at(held, "replay_longest_s") - 2) < 1e-9);
	assert_true(fabs(number_at(held, "limit_s") - 0.1) < 1e-9);
	json_decref(o);
	f.run.held.limit_ns = 0;
	o = json_run(&f.run, &f.advice, 1);
	assert_json_null(o, "overhead.held.limit_s");
	json_decref(o);
}

/* With several devices the idle times exceed one timeline: as shares they must
 * still add up to the idle share. */
TEST_WITH(run_idle_adds_up, setup, NULL)
{
	double sum = 0, idle;
	json_t *o, *s, *v;
	const char *key;

	f.run.idle_ns[IDLE_HOST] *= 8;
	o = json_run(&f.run, &f.advice, 1);
	s = json_object_get(o, "summary");
	json_object_foreach(json_object_get(s, "idle"), key, v)
		sum += json_number_value(v);
	idle = json_number_value(json_object_get(s, "idle_ratio"));
	assert_true(fabs(sum - idle) < 1e-9);
	json_decref(o);
}

/* A machine's other GPUs are seen, but not used. */
TEST_WITH(run_names_its_gpus, setup, NULL)
{
	struct device device[3] = { f.device[0], { .name = "other" },
	    { .name = "other" } };
	json_t *o;

	f.run.device = device;
	f.run.devices = 3;
	o = json_run(&f.run, &f.advice, 1);
	assert_int_equal(json_array_size(json_at(o, "devices")), 3);
	assert_int_equal(json_array_size(json_at(o, "devices_used")), 1);
	assert_text(o, "devices_used.0", "NVIDIA H200");
	json_decref(o);
	device[0].busy_ns = 0;
	o = json_run(&f.run, &f.advice, 1);
	assert_int_equal(json_array_size(json_at(o, "devices_used")), 3);
	json_decref(o);
}

TEST_WITH(run_that_did_nothing, setup, NULL)
{
	static const struct advice none;
	static struct run r;
	json_t *o;
	char *text;

	memset(&r, 0, sizeof(r));
	r.exit_code = -1;
	ceilings_settle(&r);
	o = json_run(&r, &none, 1);
	assert_non_null(o);
	assert_json_null(o, "started_at");
	assert_json_null(o, "exit_code");
	assert_json_null(o, "summary.gpu_busy_ratio");
	/* Contains nothing that JSON cannot represent. */
	text = json_dumps(o, 0);
	assert_non_null(text);
	free(text);
	json_decref(o);
}

static double
headline(const json_t *k, const char *name)
{
	const json_t *h = json_object_get(json_object_get(k, "headline"), name);

	assert_noun(h, "Headline");
	return json_is_null(json_object_get(h, "value")) ? NAN :
	    json_real_value(json_object_get(h, "value"));
}

static const char *
reason(const json_t *k, const char *name)
{

	return json_string_value(json_object_get(json_object_get(
	    json_object_get(k, "headline"), name), "reason"));
}

/* ${unit} must be the busiest unit of ${kernel}, and none may be more than
 * fully busy. */
static void
assert_busiest(const json_t *kernel, const char *unit)
{
	const json_t *list = json_object_get(kernel, "busy"), *item;
	const char *busiest = NULL;
	double most = 0, v;
	size_t i;

	json_array_foreach(list, i, item) {
		v = json_number_value(json_object_get(item, "ratio"));
		assert_true(v >= 0 && v <= 1);
		if (v > most)
			busiest = json_string_value(json_object_get(item,
			    "unit"));
		most = v > most ? v : most;
	}
	assert_non_null(busiest);
	assert_string_equal(busiest, unit);
}

TEST_WITH(kernel_shape, setup, NULL)
{
	json_t *o = json_kernel(&f.run, &f.kernel[0], &f.advice), *ids;

	assert_noun(o, "Kernel");
	assert_json_null(o, "library");
	assert_noun(json_object_get(o, "function"), "KernelFunction");
	assert_noun(json_object_get(o, "time"), "Kernel.time");
	assert_noun(json_object_get(o, "occupancy"), "Occupancy");
	assert_true(fabs(headline(o, "occupancy") - 0.415) < 1e-9);
	assert_true(fabs(headline(o, "coalescing") - 0.125) < 1e-9);
	assert_true(fabs(headline(o, "divergence") - 0.25) < 1e-9);
	/* No shared memory, so no bank conflicts; the reason says so. */
	assert_true(isnan(headline(o, "bank_conflicts")));
	assert_non_null(strstr(reason(o, "bank_conflicts"), "no shared"));
	assert_null(reason(o, "occupancy"));
	assert_text(o, "bound", "L2");
	assert_busiest(o, "L2");
	assert_json_null(o, "not_measured");
	assert_true(json_is_number(json_object_get(o, "instructions")));
	ids = json_object_get(o, "findings");
	assert_int_equal(json_array_size(ids), 1);
	assert_text(ids, "0", "00000000000000a1");
	json_decref(o);
}

/* The library of a kernel that is not the program's. */
TEST_WITH(kernel_library, setup, NULL)
{
	struct kernel k = f.kernel[0];
	json_t *o;

	k.name = "void cutlass::Kernel2<cutlass_80_simt_sgemm_64x64_8x5_tn>";
	o = json_kernel(&f.run, &k, &f.advice);
	assert_text(o, "library", "CUTLASS, FP32 without tensor cores");
	json_decref(o);
}

/* Kernels are launch shapes; users count functions. */
TEST_WITH(functions_of_shapes, setup, NULL)
{
	static const char *const names[] = { "_Z1av", "_Z1bv", "_Z1av",
		"(name lost)", "(name lost)", "_Z1av" };
	static const uint64_t shapes[] = { 3, 1, 3, 1, 1, 3 };
	static const uint32_t ids[] = { 1, 2, 1, 4, 5, 1 };
	struct kernel k[6];
	struct run run = f.run;
	json_t *list, *o, *of;
	uint32_t i;

	for (i = 0; i < 6; i++) {
		k[i] = f.kernel[0];
		k[i].id = i + 1;
		k[i].mangled = names[i];
		k[i].launches = 10 * i;
		k[i].total_ns = 1000 * i;
	}
	run.kernel = k;
	run.kernels = 6;
	list = json_kernels(&run, &f.advice);
	assert_int_equal(json_array_size(list), 6);
	json_array_foreach(list, i, o) {
		of = json_object_get(o, "function");
		assert_count(of, "shapes", shapes[i]);
		assert_count(of, "id", ids[i]);
	}
	of = json_at(list, "0.function");
	assert_count(of, "launches", 70);
	assert_count(of, "total_ns", 7000);
	json_decref(list);
	o = json_run(&run, &f.advice, 1);
	assert_count(o, "functions", 4);
	assert_count(o, "kernels", 6);
	json_decref(o);
}

TEST_WITH(kernel_roofline, setup, NULL)
{
	json_t *o, *roof, *bytes;
	struct kernel *k = &f.kernel[0];

	k->metric[METRIC_DRAM_READ] = 1e6;
	k->metric[METRIC_DRAM_WRITE] = 0;
	o = json_kernel(&f.run, k, &f.advice);
	roof = json_object_get(o, "roofline");
	bytes = json_object_get(o, "bandwidth");
	assert_noun(roof, "Roofline");
	/* Instructions were not counted: no operations are reported. */
	assert_json_null(roof, "flops");
	assert_json_null(roof, "flops_per_s");
	assert_non_null(strstr(json_string_value(json_object_get(roof,
	    "no_flops")), "--level auto"));
	assert_text(roof, "bound", "L2");
	assert_noun(bytes, "Bandwidth");
	/* 800 sectors, of which 4 bytes each were requested, in 1.0045 ms. */
	assert_true(fabs(json_number_value(json_object_get(bytes,
	    "used_bytes")) - 3200) < 1e-6);
	assert_true(fabs(json_number_value(json_object_get(bytes,
	    "dram_bytes_per_s")) * 1.0045e-3 / 1e6 - 1) < 1e-6);
	/* Of the three, L2's sectors were not counted. */
	assert_json_null(bytes, "l2_bytes");
	assert_non_null(json_string_value(json_object_get(bytes, "reason")));
	json_decref(o);
}

static json_t *
line_of(const json_t *checklist, const char *id)
{
	json_t *groups = json_object_get(checklist, "groups"), *g, *line;
	size_t i, j;

	json_array_foreach(groups, i, g)
		json_array_foreach(json_object_get(g, "lines"), j, line)
			if (strcmp(json_string_value(json_object_get(line,
			    "id")), id) == 0)
				return line;
	fail_msg("no line %s", id);
	return NULL;
}

TEST_WITH(checklist_shape, setup, NULL)
{
	json_t *o = json_checklist(&f.run, &f.advice), *line, *one;
	size_t lines = 0, i;
	json_t *g;

	assert_noun(o, "Checklist");
	json_array_foreach(json_object_get(o, "groups"), i, g) {
		assert_noun(g, "ChecklistGroup");
		lines += json_array_size(json_object_get(g, "lines"));
	}
	assert_int_equal(lines, json_integer_value(json_object_get(o,
	    "passed")) + json_integer_value(json_object_get(o, "failed")) +
	    json_integer_value(json_object_get(o, "no_gain")) +
	    json_integer_value(json_object_get(o, "not_measured")));
	line = line_of(o, "coalescing");
	assert_noun(line, "ChecklistLine");
	assert_text(line, "state", "failed");
	one = json_array_get(json_object_get(line, "findings"), 0);
	assert_noun(one, "ChecklistFinding");
	assert_text(one, "id", "00000000000000a1");
	one = json_array_get(json_object_get(line, "facts"), 0);
	assert_noun(one, "ChecklistFact");
	assert_true(fabs(json_number_value(json_object_get(one, "value")) -
	    0.125) < 1e-9);
	json_decref(o);
}

TEST_WITH(kernel_unmeasured, setup, NULL)
{
	json_t *o = json_kernel(&f.run, &f.kernel[1], &f.advice);
	static const char *const names[] = { "occupancy", "coalescing",
		"bank_conflicts", "divergence" };
	size_t i;

	for (i = 0; i < 4; i++) {
		assert_true(isnan(headline(o, names[i])));
		assert_non_null(strstr(reason(o, names[i]), "administrators"));
	}
	assert_json_null(o, "bound");
	assert_non_null(json_string_value(json_object_get(o, "not_measured")));
	assert_json_null(o, "occupancy.theoretical_ratio");
	/* A name that is not UTF-8 must not lose the kernel. */
	assert_non_null(json_string_value(json_object_get(o, "name")));
	json_decref(o);
	f.kernel[1].skip = SKIP_STALL;
	o = json_kernel(&f.run, &f.kernel[1], &f.advice);
	assert_non_null(strstr(json_string_value(json_object_get(o,
	    "not_measured")), "raise --max-stall"));
	json_decref(o);
}

TEST_WITH(metrics_all_named, setup, NULL)
{
	json_t *list = json_metrics(&f.kernel[0]), *m;
	size_t i, values = 0;

	assert_int_equal(json_array_size(list), METRIC_COUNT);
	json_array_foreach(list, i, m) {
		assert_noun(m, "Metric");
		/* Exactly one of a value and a reason. */
		assert_true(json_is_null(json_object_get(m, "value")) !=
		    json_is_null(json_object_get(m, "reason")));
		values += !json_is_null(json_object_get(m, "value"));
	}
	assert_int_equal(values, 11);
	json_decref(list);
}

TEST_WITH(copies_processes_devices, setup, NULL)
{
	json_t *list, *o;

	list = json_copies(&f.run);
	o = json_array_get(list, 0);
	assert_noun(o, "Copy");
	/* The assumed bandwidth of a link that was not measured. */
	assert_true(fabs(json_real_value(json_object_get(o,
	    "ceiling_bytes_per_s")) / 12e9 - 1) < 1e-2);
	assert_true(fabs(json_real_value(json_object_get(o, "ceiling_ratio")) *
	    12e9 / 10.48576e9 - 1) < 1e-2);
	assert_text(o, "ceiling_source", "attribute");
	assert_text(o, "kind", "h2d");
	assert_text(o, "src", "pageable");
	assert_count(o, "size_class_bytes", 8 << 20);
	assert_true(fabs(json_real_value(json_object_get(o,
	    "bandwidth_bytes_per_s")) / 10.48576e9 - 1) < 1e-9);
	json_decref(list);
	list = json_processes(&f.run);
	/* JSON numbers cannot hold 64-bit ids. */
	assert_text(list, "0.stream", "fedcba9876543210");
	json_decref(list);
	list = json_devices(&f.run);
	assert_count(list, "0.sms", 132);
	o = json_at(list, "0.ceilings");
	assert_noun(o, "Ceilings");
	assert_text(o, "from", "device attributes");
	assert_int_equal(json_array_size(json_object_get(o, "items")), 7);
	json_decref(list);
}

TEST_WITH(diagnostics_have_remedies, setup, NULL)
{
	json_t *list = json_diagnostics(&f.run), *o;

	o = json_array_get(list, 0);
	assert_noun(o, "Diagnostic");
	assert_text(o, "code", "permission");
	assert_non_null(strstr(json_string_value(json_object_get(o, "remedy")),
	    "NVreg_RestrictProfilingToAdminUsers=0"));
	json_decref(list);
}

TEST_WITH(timeline_merges, setup, NULL)
{
	json_t *o = json_timeline(&f.run, 0, 10000000, 5), *row;

	assert_count(o, "bin_ns", 2000000);
	row = json_array_get(json_at(o, "devices.0.rows"), 0);
	assert_text(row, "row", "kernel");
	assert_int_equal(json_array_size(json_object_get(row, "busy_ratio")),
	    5);
	assert_true(fabs(json_real_value(json_array_get(json_object_get(row,
	    "busy_ratio"), 0)) - 0.75) < 1e-6);
	assert_count(row, "count.0", 3);
	json_decref(o);
	/* Invalid windows: reversed, beyond the end, no pixels. */
	o = json_timeline(&f.run, UINT64_MAX, 1, 0);
	assert_non_null(o);
	json_decref(o);
	f.timeline[0].bin_ns = UINT64_MAX / 2;
	o = json_timeline(&f.run, 0, 0, 1);
	assert_non_null(o);
	json_decref(o);
}

/* The change is the first clause of the advice; a stop within parentheses, a
 * number or a name does not end it. */
TEST_WITH(change_of_advice, setup, NULL)
{
	static const struct {
		const char *advice, *change;
	} cases[] = {
		{ "let a warp walk a row: one thread does now",
		  "let a warp walk a row" },
		{ "use float (0.5f; not 0.5: that is a double), in std::sin; "
		  "or not", "use float (0.5f; not 0.5: that is a double), in "
		  "std::sin" },
		{ "pad rows to 1.5 lines. Then measure.",
		  "pad rows to 1.5 lines" },
		{ "check it.", "check it" },
		{ "(open: never closed", "(open: never closed" },
		{ "", "" },
	};
	const char *change;
	json_t *o;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		f.finding[0].advice = cases[i].advice;
		o = json_finding(&f.finding[0], 1);
		change = json_string_value(json_object_get(o, "change"));
		assert_string_equal(change, cases[i].change);
		json_decref(o);
	}
	f.finding[0].advice = NULL;
	o = json_finding(&f.finding[0], 1);
	assert_json_null(o, "change");
	json_decref(o);
}

TEST_WITH(findings_shape, setup, NULL)
{
	json_t *o = json_findings(&f.run, &f.advice), *x, *saves;

	assert_noun(o, "Findings");
	x = json_array_get(json_object_get(o, "items"), 0);
	assert_noun(x, "Finding");
	assert_json_null(x, "site");
	saves = json_object_get(x, "saves");
	assert_noun(saves, "Finding.saves");
	assert_true(fabs(json_real_value(json_object_get(saves,
	    "share_ratio")) - 3.9 / 12.4) < 1e-9);
	assert_int_equal(json_array_size(json_object_get(x, "evidence")), 2);
	x = json_array_get(json_object_get(o, "items"), 1);
	assert_json_null(x, "saves.s");
	assert_json_null(x, "kernel_id");
	assert_noun(json_array_get(json_object_get(o, "rules"), 3),
	    "Verdict");
	json_decref(o);
}

/* One change that fixes several findings counts once; a practice about code that is
 * all a library's is not among those not measured. */
TEST_WITH(counted_once, setup, NULL)
{
	struct finding one = f.finding[1];
	const struct reason *reason = f.verdict[3].reason;
	json_t *o;

	f.finding[1] = f.finding[0];
	f.verdict[3].reason = &reason_row[REASON_LIBRARY];
	o = json_run(&f.run, &f.advice, 1);
	assert_count(o, "worth_it", 2);
	assert_count(o, "changes", 1);
	assert_count(o, "rules.not_measured", 0);
	assert_count(o, "rules.not_applicable", 1);
	json_decref(o);
	o = json_findings(&f.run, &f.advice);
	assert_json_null(o, "items.0.same_as");
	assert_count(o, "items.1.same_as", 1);
	json_decref(o);
	f.finding[1] = one;
	f.verdict[3].reason = reason;
}

/* A finding about the run has a place in the host's code: its line is not missing. */
TEST_WITH(host_place, setup, NULL)
{
	struct site site = { .call = CALL_MEMCPY, .count = 3 };
	struct finding *x = &f.finding[1];
	const struct reason *missing = x->location_missing;
	json_t *o;
	int i;

	x->location_missing = &reason_row[REASON_LINE_NO_SITE];
	for (i = 0; i < 2; i++) {
		x->site = i == 0 ? NULL : &site;
		o = json_findings(&f.run, &f.advice);
		assert_int_equal(json_is_null(json_at(o,
		    "items.1.location_missing")), i);
		json_decref(o);
	}
	x->location_missing = missing;
	x->site = NULL;
}

TEST_WITH(rules_all_complete, setup, NULL)
{
	json_t *list = json_rules(), *r;
	size_t i;

	assert_int_equal(json_array_size(list), rule_count());
	assert_true(json_array_size(list) > 0);
	json_array_foreach(list, i, r)
		assert_noun(r, "Rule");
	json_decref(list);
}

static int
setup_source(void **state)
{

	(void)state;
	fixture_fill(&f);
	fixture_source(&f, &sf);
	return 0;
}

static double
value_of(const json_t *line, const char *metric)
{

	return json_number_value(json_object_get(json_object_get(line,
	    "values"), metric));
}

TEST_WITH(source_shape, setup_source, NULL)
{
	json_t *o = json_source(&f.run, &f.kernel[0], &f.advice), *lines, *l;

	assert_noun(o, "Source");
	assert_noun(json_object_get(o, "missing"), "Source.missing");
	/* A counter that was not collected is not a metric of this kernel. */
	assert_int_equal(json_array_size(json_object_get(o, "metrics")), 7);
	assert_int_equal(json_array_size(json_object_get(o, "files")), 2);
	lines = json_object_get(o, "lines");
	assert_int_equal(json_array_size(lines), FIXTURE_LINES);
	l = json_array_get(lines, 1);
	assert_noun(l, "SourceLine");
	assert_count(l, "line", 10);
	assert_true(value_of(l, "global_sectors") == 6553600);
	assert_true(value_of(l, "global_ideal") == 819200);
	assert_null(json_at(l, "values.global_st"));
	assert_null(json_at(l, "values.shared_wavefronts"));
	assert_text(l, "findings.0", f.finding[0].id);
	assert_count(l, "samples.stalls.long_scoreboard", 8700);
	/* An inlined line has its caller. */
	l = json_array_get(lines, 4);
	assert_count(l, "inlined_at", 3);
	assert_count(l, "file", 1);
	assert_true(value_of(json_object_get(o, "totals"), "inst") ==
	    1229312);
	json_decref(o);
}

/* Nothing measured, or only a part of it: null, false and the reason. */
TEST_WITH(source_missing_parts, setup_source, NULL)
{
	json_t *o = json_source(&f.run, &f.kernel[1], &f.advice), *x;

	assert_json_false(o, "counted");
	assert_non_null(strstr(json_string_value(json_at(o, "missing.lines")),
	    "nothing of its code"));
	json_decref(o);
	f.run.level = LEVEL_AUTO;
	sf.code.sampled = false;
	o = json_source(&f.run, &f.kernel[0], &f.advice);
	assert_text(o, "missing_code.samples", "needs_source");
	json_decref(o);
	assert_int_equal(source_missing("counters", "finished")->code,
	    REASON_NEEDS_AUTO);
	assert_int_equal(source_missing("source", "live")->code,
	    REASON_RUN_LIVE);
	/* The code is there but was not sampled, because that was not requested. */
	sf.code.sampled = false;
	f.run.level = LEVEL_AUTO;
	o = json_source(&f.run, &f.kernel[0], &f.advice);
	assert_text(o, "missing.samples", "needs --level source");
	json_decref(o);
	f.run.level = LEVEL_SOURCE;
	sf.code.counted = sf.code.sampled = sf.code.has_lines = false;
	sf.code.lines = 0;
	sf.code.uncounted = &reason_row[REASON_TOO_FEW_LAUNCHES];
	sf.code.lineless = &reason_row[REASON_NO_LINEINFO];
	o = json_source(&f.run, &f.kernel[0], &f.advice);
	x = json_object_get(o, "missing");
	assert_text(x, "counts", "too few launches (use --replay)");
	assert_text(o, "missing_code.counts", "too_few_launches");
	assert_non_null(strstr(json_string_value(json_object_get(x, "lines")),
	    "-lineinfo"));
	assert_non_null(json_string_value(json_object_get(x, "samples")));
	assert_json_null(x, "sass");
	x = json_object_get(o, "totals");
	assert_json_null(x, "samples");
	assert_int_equal(json_object_size(json_object_get(x, "values")), 0);
	json_decref(o);
}

TEST_WITH(source_instructions, setup_source, NULL)
{
	size_t len = 0;
	char *text = json_instructions(&f.kernel[0], &len);
	json_t *list, *x;

	assert_non_null(text);
	assert_int_equal(strlen(text), len);
	list = json_loads(text, 0, NULL);
	assert_int_equal(json_array_size(list), FIXTURE_INSTRUCTIONS);
	x = json_array_get(list, 1);
	assert_noun(x, "Instruction");
	assert_count(x, "pc", 16);
	assert_true(value_of(x, "global_ld") == 204800);
	json_decref(list);
	free(text);
	/* Text of any bytes gives valid JSON. */
	sf.sass[1].text = "LDG \"R7\"\\ \033[2J\xff\n";
	text = json_instructions(&f.kernel[0], &len);
	list = json_loads(text, 0, NULL);
	assert_non_null(list);
	assert_text(list, "1.text", "LDG \"R7\"\\ \033[2J\xef\xbf\xbd\n");
	json_decref(list);
	free(text);
	/* Indices out of range give null, and read no memory. */
	sf.instruction[1].line = LINE_NONE;
	sf.instruction[1].sass = SASS_NONE;
	text = json_instructions(&f.kernel[0], &len);
	list = json_loads(text, 0, NULL);
	x = json_array_get(list, 1);
	assert_json_null(x, "line");
	assert_json_null(x, "text");
	json_decref(list);
	free(text);
	text = json_instructions(&f.kernel[1], &len);
	assert_string_equal(text, "[]");
	free(text);
}

/* Every metric of the table has a key of its own. */
TEST(source_keys)
{
	static const char *const names[SOURCE_COUNT] = {
#define SOURCE_METRIC(name, cupti, unit, label) [SOURCE_##name] = #name,
#include "model/lines/source.def"
	};
	size_t i;

	for (i = 0; i < SOURCE_COUNT; i++) {
		assert_int_equal(strcasecmp(names[i], source_metric_key(i)),
		    0);
		assert_string_not_equal(names[i], source_metric_key(i));
	}
}

TEST_WITH(source_files_and_sites, setup_source, NULL)
{
	json_t *o = json_source_files(&f.run), *x;

	assert_int_equal(json_array_size(o), 2);
	assert_noun(json_array_get(o, 0), "SourceFile");
	json_decref(o);
	o = json_source_file(&f.run, 0);
	assert_text(o, "text", fixture_text);
	json_decref(o);
	o = json_source_file(&f.run, 1);
	assert_json_null(o, "text");
	assert_non_null(json_string_value(json_object_get(o, "missing")));
	json_decref(o);
	assert_null(json_source_file(&f.run, 2));
	o = json_sites(&f.run);
	x = json_array_get(o, 0);
	assert_noun(x, "Site");
	assert_text(x, "function", "step");
	assert_count(x, "line", 31);
	assert_noun(json_array_get(json_object_get(x, "frames"), 2),
	    "Frame");
	x = json_array_get(o, 1);
	assert_text(x, "call", "cudaMemcpy");
	assert_json_null(x, "kernel_id");
	json_decref(o);
	/* An empty stack, and an index of the shown frame outside the stack. */
	f.run.site[0].frames = 0;
	o = json_site(&f.run.site[0]);
	assert_json_null(o, "first");
	assert_json_null(o, "function");
	json_decref(o);
}

TEST_WITH(hot_lines_shape, setup_source, NULL)
{
	json_t *o = json_finding_of(&f.run, &f.advice, 0), *x;

	x = json_object_get(o, "hot_lines");
	assert_int_equal(json_array_size(x), 2);
	x = json_array_get(x, 1);
	assert_noun(x, "HotLine");
	assert_json_null(x, "value");
	assert_count(x, "called_line", 15);
	assert_count(o, "site.line", 31);
	json_decref(o);
}

/* A finding's location has a field for each part. */
TEST_WITH(location_shape, setup_source, NULL)
{
	json_t *o, *x;

	f.kernel[0].stream = 7;
	o = json_finding_of(&f.run, &f.advice, 0);
	x = json_object_get(o, "location");
	assert_noun(x, "Location");
	assert_noun(json_object_get(x, "launch_site"), "LaunchSite");
	assert_text(x, "text", f.finding[0].location);
	assert_text(x, "kernel", f.kernel[0].name);
	assert_count(x, "grid.0", f.kernel[0].shape.grid_x);
	assert_count(x, "block.0", f.kernel[0].shape.block_x);
	assert_text(x, "file", "/home/ann/softmax.cu");
	assert_count(x, "line", 10);
	assert_count(x, "launch_site.line", 31);
	assert_count(x, "stream", 7);
	assert_true(json_is_integer(json_object_get(x, "device")));
	json_decref(o);
	/* In several streams; and of a finding about no kernel. */
	f.kernel[0].streams_vary = true;
	o = json_finding_of(&f.run, &f.advice, 0);
	assert_json_null(o, "location.stream");
	json_decref(o);
	o = json_finding_of(&f.run, &f.advice, 1);
	x = json_object_get(o, "location");
	assert_json_null(x, "kernel");
	assert_json_null(x, "grid");
	assert_json_null(x, "launch_site");
	assert_true(json_is_integer(json_object_get(x, "device")));
	json_decref(o);
}

TEST(utf8_cases)
{
	assert_true(utf8_valid("a × µ €", strlen("a × µ €")));
	assert_false(utf8_valid("\xc0\x80", 2));	/* overlong */
	assert_false(utf8_valid("\xed\xa0\x80", 3));	/* surrogate */
	assert_false(utf8_valid("\xf4\x90\x80\x80", 4));/* over U+10FFFF */
	assert_false(utf8_valid("\xe2\x82", 2));	/* cut */
	assert_int_equal(utf8_columns("a×é", strlen("a×é")), 3);
	assert_int_equal(utf8_columns("漢", strlen("漢")), 2);
}
