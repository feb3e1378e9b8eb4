/*
 * Invariants of all rules together: the catalogue matches the table, no second
 * is claimed twice, the order, thresholds, and text that is safe to paste.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "rules/engine/catalogue.h"
#include "rules/made.h"
#include "rules/engine/say.h"
#include "unit/advise.h"

#define MS 1000000ull
#define S (1000 * MS)

static const char *
member(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	return s != NULL ? s : "";
}

/* The pair has the practice's name, or is a Python program with underscores for
 * dashes. */
static void
pair_is_named(const struct rule_info *r)
{
	char program[128];

	if (strcmp(r->pair, r->id) == 0)
		return;
	snprintf(program, sizeof(program), "kernels/frameworks/%s.py", r->id);
	for (char *p = program; *p != '\0'; p++)
		*p = *p == '-' ? '_' : *p;
	assert_string_equal(r->pair, program);
}

TEST(test_catalogue)
{
	static const char *const texts[] = {
		"why", "detects", "advice", "bad_code", "good_code",
		"sources", "gain", "next"
	};
	size_t len, i;
	const char *text = catalogue_text(&len);
	json_error_t error;
	json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	json_t *rules = json_object_get(root, "rules"), *entry;

	if (root == NULL)
		fail_msg("%d: %s", error.line, error.text);
	assert_int_equal(json_array_size(rules), rule_count());
	json_array_foreach(rules, i, entry) {
		const struct rule_info *r = rule_find(member(entry, "id"));

		if (r == NULL)
			fail_msg("%s is not in the table", member(entry, "id"));
		/* The catalogue does not repeat what the table has. */
		assert_int_equal(json_object_size(entry),
		    1 + sizeof(texts) / sizeof(*texts));
		pair_is_named(r);
		for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
			assert_true(strlen(member(entry, texts[k])) > 4);
		/* The formula names exactly the thresholds. */
		for (size_t k = 0; k < r->thresholds; k++)
			if (strstr(r->detects, r->threshold[k].key) == NULL)
				fail_msg("%s: its `detects` does not name the "
				    "threshold %s", r->id, r->threshold[k].key);
	}
	for (i = 0; i < rule_count(); i++) {
		const struct rule_info *r = rule_info(i);

		if (*r->why == '\0')
			fail_msg("%s is not in the catalogue", r->id);
		assert_true(r->thresholds > 0);
		for (size_t k = 0; k < r->thresholds; k++) {
			assert_true(isfinite(r->threshold[k].value));
			assert_true(strlen(r->threshold[k].origin) > 4);
			assert_non_null(r->threshold[k].unit);
		}
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(r->id, rule_info(k)->id);
	}
	assert_null(rule_find("no-such-rule"));
	assert_null(rule_find(NULL));
	assert_null(rule_info(rule_count()));
	json_decref(root);
}

TEST(test_thresholds)
{
	struct thresholds *t = thresholds_new();
	struct made m;
	struct kernel *k;
	struct advice *a;

	assert_int_equal(thresholds_set(t, "tail-effect.max_waves", 8), 0);
	assert_int_equal(thresholds_set(t, "tail-effect.nope", 8), -1);
	assert_int_equal(thresholds_set(t, "nope.max_waves", 8), -1);
	assert_int_equal(thresholds_set(t, "tail-effect", 8), -1);
	assert_int_equal(thresholds_set(t, "", 8), -1);
	assert_int_equal(thresholds_set(t, "tail-effect.max_waves", NAN), -1);
	assert_int_equal(thresholds_set(t, "tail-effect.max_waves", -1), -1);

	made_init(&m);
	k = made_kernel(&m, "k", 10, 100000);
	k->occupancy.waves = 5.1;
	a = made_advice(&m);
	assert_int_equal(made_verdict(a, "tail-effect")->state, RULE_CLEAN);
	advice_free(a);
	a = advice_make(&m.run, t);
	assert_int_equal(made_verdict(a, "tail-effect")->state, RULE_FOUND);
	k = NULL;
	for (size_t i = 0; i < made_finding(a, "tail-effect")->evidences; i++) {
		const struct evidence *e =
		    &made_finding(a, "tail-effect")->evidence[i];

		if (e->threshold == 8)
			assert_string_equal(e->threshold_origin, "configured");
	}
	advice_free(a);
	thresholds_free(t);
	thresholds_free(NULL);
	advice_free(NULL);
}

/* Too few blocks for work of which nothing says that it can be divided: however much that
 * would save, it is of low severity. Iterations that are independent are certain. */
MADE_TEST(test_severity_of_the_unsure)
{
	struct kernel *k = made_measured(m, "k", 10000, 200000, 0.01);
	const struct finding *f;

	k->shape.grid_x = 20;
	k->occupancy.waves = 20.0 / 1056;
	k->shape.smem_static = 1024;	/* its warps work together */
	f = made_finding(made_advised(m), "grid-too-small");
	assert_non_null(f);
	assert_int_equal(f->confidence, CONF_LOW);
	assert_true(f->saves_s > 0.1 * made_kernel_s(k));
	assert_int_equal(f->severity, SEV_LOW);
	made_strides(k);
	f = made_finding(made_advised(m), "grid-too-small");
	assert_true(f->severity > SEV_LOW);
}

/* A 10 % fix of 90 % of the run comes before an 80 % fix of 2 %. */
MADE_TEST(test_order)
{
	struct kernel *large, *small;
	struct advice *a;

	small = made_measured(m, "small", 1000, 200000, 0.01);
	small->shape.grid_x = 20;
	small->occupancy.waves = 20.0 / 1056;
	made_strides(small);
	large = made_measured(m, "large", 40000, 200000, 0.1);
	large->metric[METRIC_ISSUE_ACTIVE] = 90;
	large->metric[METRIC_THREAD_INST] *= 23.0 / 32;
	large->metric[METRIC_BRANCH_DIVERGENT] =
	    large->metric[METRIC_BRANCH_UNIFORM];
	a = made_advised(m);
	assert_true(a->findings >= 2);
	assert_string_equal(a->finding[0].where, "large");
	assert_int_equal(a->finding[0].severity, SEV_HIGH);
	assert_string_equal(made_finding(a, "grid-too-small")->where, "small");
	assert_true(made_finding(a, "grid-too-small")->saves_s < 0.2);
	assert_true(made_finding(a, "grid-too-small")->kernel_speedup > 2);
}

/* If the host keeps the GPU waiting, no kernel saves a second: first comes the
 * one that saves most GPU time. */
MADE_TEST(test_order_of_hidden)
{
	for (int i = 0; i < 2; i++) {
		struct kernel *k;
		struct advice *a;

		made_again(m);
		for (int n = 0; n < 2; n++) {
			k = made_kernel(m, n == 0 ? "_Z1av" : "_Z1bv",
			    n == i ? 1000 : 10, 100000);
			k->occupancy.waves = 1.1;
			k->exposed_ns = 0;
		}
		a = made_advised(m);
		assert_true(a->findings >= 2);
		assert_true(a->finding[0].saves_s == 0);
		assert_ptr_equal(a->finding[0].kernel, &m->kernel[i]);
	}
}

MADE_TEST(test_overlap)
{
	struct kernel *k;
	struct advice *a;
	double sum = 0;

	k = made_measured(m, "k", 10000, 200000, 0.2);
	k->shape.block_x = 32;
	k->occupancy.ratio = 0.3;
	k->occupancy.blocks_per_sm = 19;
	k->occupancy.limiter = LIMITER_REGISTERS;
	k->metric[METRIC_OCCUPANCY] = 15;
	made_gaps(m, IDLE_AFTER_SYNC, 20000, 50000);
	m->sync[0] = (struct sync_class){ .call = CALL_DEVICE_SYNC,
	    .count = 20000, .idle_after_ns = S, .followed = 20000 };
	m->run.syncs = 1;
	m->copy[0] = (struct copy_class){ .kind = COPY_D2H,
	    .src = MEMORY_DEVICE, .dst = MEMORY_PINNED, .count = 20000,
	    .bytes = 80000, .gpu_ns = MS, .exposed_ns = 1e6,
	    .idle_after_ns = S, .idle_waited_ns = S };
	m->run.copies = 1;
	a = made_advised(m);
	assert_non_null(made_finding(a, "device-sync-overuse"));
	assert_non_null(made_finding(a, "synchronous-copies"));
	for (size_t i = 0; i < a->findings; i++)
		if (a->finding[i].worth_it)
			sum += a->finding[i].saves_s;
	assert_true(a->overlap);
	assert_true(a->together_s < 0.8 * sum);
	assert_true(a->together_s <= made_kernel_s(k) + 1 + 0.001);
	assert_true(a->together_s >= a->finding[0].saves_s);
}

/* Two fixes remove the same time: the second shows what is left of it, with the
 * severity of that; a fix of other time comes before it. */
MADE_TEST(test_left)
{
	const struct finding *f, *other;
	struct kernel *k, *l;
	struct advice *a;
	double sum = 0;

	k = made_measured(m, "k", 40000, 100000, 0.01);
	k->metric[METRIC_ISSUE_ACTIVE] = 90;
	k->shape.block_x = 48;		/* a warp and a half */
	k->metric[METRIC_THREAD_INST] *= 16.0 / 32;
	k->metric[METRIC_BRANCH_DIVERGENT] =
	    k->metric[METRIC_BRANCH_UNIFORM];
	l = made_measured(m, "l", 3000, 100000, 0.01);
	l->shape.grid_x = 1;
	made_strides(l);
	a = made_advised(m);
	assert_string_equal(a->finding[0].rule, "warp-divergence");
	assert_true(a->finding[0].left_s == a->finding[0].saves_s);
	assert_int_equal(a->finding[0].after, 0);
	f = made_finding(a, "block-not-warp-multiple");
	other = made_finding(a, "grid-too-small");
	assert_true(f->saves_s > other->saves_s);
	assert_true(f->left_s < 0.1 * f->saves_s);
	assert_int_equal(f->after, 1);
	assert_true(other < f && other->left_s == other->saves_s);
	assert_true(f->severity < other->severity);
	for (size_t i = 0; i < a->findings; i++)
		if (a->finding[i].worth_it)
			sum += a->finding[i].left_s;
	assert_true(sum <= 1.001 * a->together_s);
}

/* If two findings claim idle time, the second gets what the first leaves. */
MADE_TEST(test_left_idle)
{
	struct advice *a;

	made_counters(m, made_kernel(m, "k", 10000, 200000), 0.9);
	made_gaps(m, IDLE_AFTER_SYNC, 20000, 50000);
	m->sync[0] = (struct sync_class){ .call = CALL_DEVICE_SYNC,
	    .count = 20000, .idle_after_ns = S, .followed = 20000 };
	m->run.syncs = 1;
	m->copy[0] = (struct copy_class){ .kind = COPY_H2D,
	    .src = MEMORY_PINNED, .dst = MEMORY_DEVICE, .count = 20000,
	    .bytes = 80000, .gpu_ns = MS, .exposed_ns = 1e6,
	    .idle_after_ns = S, .idle_waited_ns = S };
	m->run.copies = 1;
	a = made_advised(m);
	assert_true(a->finding[0].saves_s > 0.5);
	assert_true(a->finding[1].saves_s > 0.5);
	assert_true(a->finding[1].left_s < 0.5 * a->finding[1].saves_s);
	assert_int_equal(a->finding[1].after, 1);
	assert_true(a->finding[0].left_s + a->finding[1].left_s <=
	    1.001 * a->together_s);
}

/* 20,000 steps of 20 launches: the host is 40 us late for five of them, and
 * waits at the end of each step; ${syncs} of these waits are in the sequence. */
static const struct advice *
waiting_steps(struct made *m, uint64_t syncs, uint64_t each_ns)
{
	made_again(m);
	fault_launch_bound(m);
	m->run.wall_ns = 20 * S;
	m->sequence[0].gaps = 100000;
	m->sequence[0].idle_ns = 4 * S;
	m->sequence[0].syncs = syncs;
	m->run.idle_ns[IDLE_LAUNCH] = 4 * S;
	m->run.idle_total_ns += 3 * S;
	made_gaps(m, IDLE_AFTER_SYNC, 20000, each_ns);
	m->sync[0] = (struct sync_class){ .call = CALL_DEVICE_SYNC,
	    .count = 20000, .wait_ns = S, .idle_after_ns = 20000 * each_ns,
	    .followed = 20000 };
	m->run.syncs = 1;
	return made_advised(m);
}

/* A wait in each step must be removed first, though a graph would save more,
 * because no capture can contain it. Not if it is elsewhere, or costs less than
 * what the graph certainly saves beside it. */
MADE_TEST(test_wait_first)
{
	const struct finding *wait, *graph;
	const struct advice *a = waiting_steps(m, 20000, 40000);

	wait = found_in(a, "device-sync-overuse");
	graph = found_in(a, "launch-bound-graph-candidate");
	assert_true(wait->saves_s > graph->saves_low_s &&
	    graph->left_s > wait->left_s);
	assert_ptr_equal(wait, &a->finding[0]);
	assert_int_equal(wait->behind, 0);
	assert_ptr_equal(graph, &a->finding[1]);
	assert_int_equal(graph->behind, 1);
	a = waiting_steps(m, 2000, 40000);
	assert_string_equal(a->finding[0].rule, "launch-bound-graph-candidate");
	assert_int_equal(a->finding[0].behind, 0);
	a = waiting_steps(m, 20000, 10000);
	wait = found_in(a, "device-sync-overuse");
	graph = found_in(a, "launch-bound-graph-candidate");
	assert_true(wait->worth_it && wait->saves_s < graph->saves_low_s);
	assert_ptr_equal(graph, &a->finding[0]);
}

/* Taking waits out of a loop gains no more than the host was blocked in them: one that is
 * slower than the GPU waits for little, and is idle's cause by its own work. */
MADE_TEST(test_blocked_little)
{
	const struct finding *f;
	double before;

	made_counters(m, made_kernel(m, "k", 10000, 200000), 0.9);
	made_gaps(m, IDLE_LAUNCH, 20000, 50000);
	m->copy[0] = (struct copy_class){ .kind = COPY_H2D, .src = MEMORY_PAGEABLE,
	    .dst = MEMORY_DEVICE, .async = true, .count = 20000, .bytes = 80000,
	    .gpu_ns = MS, .exposed_ns = 1e6, .idle_after_ns = S, .idle_waited_ns = S,
	    .waits = 20000, .waits_idle_ns = S };
	m->run.copies = 1;
	m->sync[0] = (struct sync_class){ .call = CALL_STREAM_SYNC, .count = 20000,
	    .wait_ns = 2 * S };
	m->run.syncs = 1;
	before = made_found(m, "synchronous-copies")->saves_s;
	assert_true(before > 0.5);
	m->sync[0].wait_ns = 100 * MS;
	f = made_found(m, "synchronous-copies");
	assert_true(f->saves_s < 0.15);
}

/* The same for memory that each step allocates: cudaMalloc and cudaFree end a
 * capture. */
MADE_TEST(test_allocation_first)
{
	const struct finding *own, *graph;
	const struct advice *a;

	waiting_steps(m, 0, 1);
	m->run.syncs = 0;
	m->sequence[0].allocations = 20000;
	m->call[0] = (struct call_class){ .call = CALL_MALLOC, .count = 20000,
	    .hot_count = 20000, .total_ns = S, .hot_ns = S,
	    .hot_idle_ns = 800 * MS };
	m->run.calls = 1;
	m->run.idle_ns[IDLE_ALLOCATION] = 800 * MS;
	m->run.idle_total_ns += 800 * MS;
	a = made_advised(m);
	own = found_in(a, "allocation-in-hot-path");
	graph = found_in(a, "launch-bound-graph-candidate");
	assert_true(own->saves_s > graph->saves_low_s &&
	    graph->left_s > own->left_s);
	assert_ptr_equal(own, &a->finding[0]);
	assert_int_equal(graph->behind, 1);
	m->sequence[0].allocations = 2000;
	a = made_advised(m);
	assert_string_equal(a->finding[0].rule, "launch-bound-graph-candidate");
}

/* The same for input that is later than the time of a launch: with a graph the
 * loop only waits for it earlier. Shorter gaps before copies are launch overhead; and what is
 * late for one repeat in ten is no part of what a graph holds. */
MADE_TEST(test_input_first)
{
	static const struct {
		uint64_t gaps, ns;
		bool first;
	} input[] = { { 20000, 110000, true }, { 40000, 50000, false },
	    { 2000, MS, false } };
	const struct advice *a;

	for (size_t k = 0; k < sizeof(input) / sizeof(input[0]); k++) {
		waiting_steps(m, 0, 1);
		m->run.syncs = 0;
		made_gaps(m, IDLE_HOST, input[k].gaps, input[k].ns);
		for (int i = 0; i < GAP_CLASSES; i++)
			m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST];
		a = made_advised(m);
		assert_true(found_in(a, "gpu-idle-gaps")->saves_s >
		    found_in(a, "launch-bound-graph-candidate")->saves_low_s);
		assert_string_equal(a->finding[0].rule, input[k].first ?
		    "gpu-idle-gaps" : "launch-bound-graph-candidate");
		assert_int_equal(found_in(a, "launch-bound-graph-candidate")->behind,
		    input[k].first);
	}
}

/* The general rule does not count idle time that a specific rule explains. */
MADE_TEST(test_residual)
{
	struct advice *a;

	made_counters(m, made_kernel(m, "k", 10000, 200000), 0.9);
	made_gaps(m, IDLE_AFTER_SYNC, 40000, 50000);
	assert_true(made_found(m, "gpu-idle-gaps")->worth_it);
	m->sync[0] = (struct sync_class){ .call = CALL_DEVICE_SYNC,
	    .count = 40000, .idle_after_ns = 2 * S, .followed = 40000 };
	m->run.syncs = 1;
	a = made_advised(m);
	assert_string_equal(a->finding[0].rule, "device-sync-overuse");
	assert_false(made_finding(a, "gpu-idle-gaps")->worth_it);
	assert_true(a->together_s <= 2);
}

/* Nor gaps in which the host waits for pages of managed memory. */
MADE_TEST(test_residual_pages)
{
	struct advice *a;

	made_counters(m, made_kernel(m, "k", 10000, 200000), 0.9);
	made_gaps(m, IDLE_HOST, 1000, 2 * MS);
	m->run.unified = (struct unified){ .used = true, .watched = true,
	    .gpu_faults = 100000, .fault_ns = S, .host_ns = S };
	a = made_advised(m);
	assert_string_equal(a->finding[0].rule, "unified-memory-faults");
	assert_true(a->finding[0].saves_s > 1.7);
	assert_has(a->finding[0].summary, "its own faults");
	assert_true(made_finding(a, "gpu-idle-gaps")->saves_s < 1);
	assert_has(made_finding(a, "gpu-idle-gaps")->summary,
	    "pages of managed memory");
	m->run.unified.host_ns = 2 * S;
	assert_false(made_found(m, "gpu-idle-gaps")->worth_it);
}

/* While kernels wait for pages there is no work that could hide the host's. */
MADE_TEST(test_gaps_beside_faults)
{
	const struct finding *f;

	made_counters(m, made_kernel(m, "k", 10000, 200000), 0.9);
	made_gaps(m, IDLE_HOST, 1000, 2 * MS);
	m->run.idle_total_ns = m->run.wall_ns - 2 * S;
	assert_true(fabs(made_found(m, "gpu-idle-gaps")->saves_s - 0.85 * 2) <
	    0.01);
	m->run.unified = (struct unified){ .used = true, .watched = true,
	    .gpu_faults = 100000, .fault_ns = 1500 * MS };
	f = made_found(m, "gpu-idle-gaps");
	assert_true(fabs(f->saves_s - 0.85 * 0.5) < 0.01);
	assert_true(f->saves_high_s < 0.51);
	/* Input can be prepared by several threads. */
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i].input_ns = m->run.gap[i].idle_ns[IDLE_HOST];
	f = made_found(m, "gpu-idle-gaps");
	assert_true(fabs(f->saves_s - (0.85 * 0.5 + 0.2 * 1.5)) < 0.01);
	assert_true(f->saves_high_s > 1.9);
}

/* Nor gaps whose cause a specific rule knows, even if it expects only part of
 * them to go: the host decides by each result. */
MADE_TEST(test_residual_cause)
{
	struct advice *a;

	made_counters(m, made_kernel(m, "k", 10000, 200000), 0.9);
	made_gaps(m, IDLE_AFTER_SYNC, 10000, 200000);
	m->copy[0] = (struct copy_class){ .kind = COPY_D2H,
	    .src = MEMORY_DEVICE, .dst = MEMORY_PINNED, .count = 10000,
	    .bytes = 40000, .gpu_ns = 10 * MS, .exposed_ns = 1e7,
	    .idle_after_ns = 2 * S, .idle_waited_ns = 2 * S };
	m->run.copies = 1;
	a = made_advised(m);
	assert_string_equal(a->finding[0].rule, "synchronous-copies");
	assert_true(a->finding[0].saves_s < 1);
	assert_false(made_finding(a, "gpu-idle-gaps")->worth_it);
}

/* Kernels and copies that lengthen the run at the same time: one finding, or
 * all together, save no more than both lengthened it. */
MADE_TEST(test_exposed)
{
	struct kernel *k;
	struct advice *a;

	k = made_measured(m, "k", 10000, 200000, 0.01);
	made_strides(k);
	k->shape.grid_x = 1;
	m->copy[0] = (struct copy_class){ .kind = COPY_H2D, .count = 1000,
	    .src = MEMORY_PAGEABLE, .dst = MEMORY_DEVICE, .size_class = 23,
	    .bytes = 8000 * 1000000ull, .gpu_ns = 2 * S, .exposed_ns = 2e9 };
	m->run.copies = 1;
	a = made_advised(m);
	assert_true(made_finding(a, "grid-too-small")->saves_s > 1.5);
	assert_true(made_finding(a, "pageable-host-memory")->saves_s > 1);
	assert_true(a->together_s > 2.5);
	m->run.gpu_exposed_ns = S;
	a = made_advised(m);
	assert_true(made_finding(a, "grid-too-small")->saves_s <= 1);
	assert_true(made_finding(a, "grid-too-small")->saves_high_s <= 1);
	assert_true(made_finding(a, "pageable-host-memory")->saves_s <= 1);
	assert_true(a->together_s <= 1 && a->together_s > 0.99);
	assert_true(a->overlap);
}

/* Processes that prepare data and work for 0.9 of the time are the limit of what makes the
 * loop faster, but where there may be more of them; of their own finding they are not. */
MADE_TEST(test_bound_by_workers)
{
	struct kernel *k = made_measured(m, "k", 10000, 200000, 0.01);
	const struct finding *f;
	double wall = (double)m->run.wall_ns * 1e-9, high;

	made_strides(k);
	k->shape.grid_x = 1;
	f = made_finding(made_advised(m), "grid-too-small");
	assert_true(f->saves_s > 0.15 * wall);
	assert_null(strstr(f->gain_note != NULL ? f->gain_note : "", "processes"));
	high = f->saves_high_s;
	m->run.working = 0.9;
	f = made_finding(made_advised(m), "grid-too-small");
	assert_true(fabs(f->saves_s - 0.1 * wall) < 0.02 * wall);
	assert_true(f->saves_low_s <= f->saves_s);
	assert_true(f->saves_high_s == high);
	assert_non_null(strstr(f->gain_note, "processes that prepare its data"));
}

/* If it is known when they worked, what runs at other times is bounded by that alone. */
MADE_TEST(test_bound_meanwhile)
{
	static struct timeline line;
	struct kernel *k = made_measured(m, "k", 10000, 200000, 0.01);
	uint64_t half = m->run.wall_ns / 2;
	struct working_time worked[] = {
		{ m->run.origin_ns, m->run.origin_ns + half, 0, 0, 0 },
		{ m->run.origin_ns + half, m->run.origin_ns + 2 * half, 0, 0, 0 },
	};
	double all, wall = (double)m->run.wall_ns * 1e-9;

	made_strides(k);
	k->shape.grid_x = 1;
	all = made_finding(made_advised(m), "grid-too-small")->saves_s;
	assert_true(all > 0.15 * wall && all < 0.5 * wall);
	line = (struct timeline){ .bin_ns = half, .bins = 2 };
	line.count[ROW_KERNEL][0] = line.count[ROW_KERNEL][1] = 5000;
	m->run.timeline = &line;
	m->run.timelines = 1;
	worked[0].ns = worked[1].ns = (double)half;
	worked[0].used_ns = 0.1 * (double)half;
	worked[1].used_ns = (double)half;
	m->run.worked = worked;
	m->run.workeds = 2;
	m->run.working = 0.55;
	/* All the time: in the second half nothing is gained. */
	assert_true(fabs(made_finding(made_advised(m), "grid-too-small")->saves_s -
	    0.5 * all) < 0.02 * all);
	/* In the first half alone, where they have time left. */
	k->first_ns = 0;
	k->last_ns = half;
	assert_true(made_finding(made_advised(m), "grid-too-small")->saves_s > 0.98 * all);
	k->first_ns = half;
	k->last_ns = 2 * half;
	assert_false(made_finding(made_advised(m), "grid-too-small")->worth_it);
	/* Counted for less than half of it: it is not known. */
	m->run.workeds = 1;
	k->first_ns = 0;
	worked[0].ns *= 0.4;
	assert_true(made_finding(made_advised(m), "grid-too-small")->saves_s > 0.98 * all);
}

/* A finding below the run's noise never has a high severity. */
MADE_TEST(test_not_worth_it)
{
	struct kernel *k;
	struct advice *a;

	k = made_measured(m, "k", 10, 100000, 0.01);
	k->shape.grid_x = 1;
	a = made_advised(m);
	assert_true(a->active_s > 8.999 && a->active_s < 9.001);
	assert_true(a->noise_s > 0.0449 && a->noise_s < 0.0451);
	assert_false(made_finding(a, "grid-too-small")->worth_it);
	assert_int_equal(made_finding(a, "grid-too-small")->severity, SEV_INFO);
	assert_true(a->together_s == 0);
}

/* Ten milliseconds of GPU work in a run of ten seconds: what matters to them is
 * worth a change, but has no high severity in the whole run. */
MADE_TEST(test_short_program)
{
	struct kernel *k;
	const struct finding *f;
	struct advice *a;

	k = made_measured(m, "k", 100, 100000, 0.01);
	k->shape.grid_x = 66;
	m->run.idle_ns[IDLE_STARTUP] = 7 * S;
	m->run.idle_ns[IDLE_SHUTDOWN] = S - 10 * MS;
	a = made_advised(m);	/* 2.01 s between first and last work */
	assert_true(a->noise_s > 0.010);
	assert_false(made_finding(a, "grid-too-small")->worth_it);

	m->run.idle_overhead_ns = 2 * S;	/* of which we measured 2 s */
	a = made_advised(m);
	f = made_finding(a, "grid-too-small");
	assert_true(fabs(a->active_s - 0.01) < 1e-6);
	assert_true(fabs(a->noise_s - 50e-6) < 1e-9);
	assert_true(f->worth_it && f->saves_s > 0.001 && f->saves_s < 0.01);
	assert_int_equal(f->severity, SEV_LOW);
	assert_ptr_equal(f, &a->finding[0]);
	assert_true(a->together_s > 0 && a->together_s < 0.01);

	/* A defect comes before savings that are not noticeable in the whole run. */
	m->failure[0] = (struct failure){ .call = "cudaMalloc",
	    .error = "cudaErrorMemoryAllocation", .detail = "out of memory",
	    .result = 2, .count = 1, .unread = 1 };
	m->run.failures = 1;
	a = made_advised(m);
	assert_string_equal(a->finding[0].rule, "unchecked-errors");
	assert_string_equal(a->finding[1].rule, "grid-too-small");
	assert_true(a->finding[1].worth_it);
}

/* The noise is at least the variation of one launch; without GPU work it is
 * that of the whole run. */
MADE_TEST(test_noise)
{
	struct advice *a;

	made_counters(m, made_kernel(m, "k", 1, 5000), 0.01);
	m->run.idle_ns[IDLE_STARTUP] = 10 * S - 5000;
	a = made_advised(m);
	assert_true(fabs(a->noise_s - 10e-6) < 1e-12);
	for (size_t i = 0; i < a->findings; i++)
		assert_false(a->finding[i].worth_it);
	m->run.idle_ns[IDLE_STARTUP] = 10 * S;
	m->run.idle_overhead_ns = S;	/* impossible */
	a = made_advised(m);
	assert_true(a->active_s == 0 && fabs(a->noise_s - 0.05) < 1e-12);
}

MADE_TEST(test_stable_ids)
{
	struct kernel *k;
	struct advice *a, *b;

	k = made_kernel(m, "k", 100, 100000);
	k->shape.block_x = 33;
	a = made_advised(m);
	stat_add(&k->time, 777777);	/* another run */
	k->launches++;
	b = made_advised(m);
	assert_string_equal(made_finding(a, "block-not-warp-multiple")->id,
	    made_finding(b, "block-not-warp-multiple")->id);
	k->shape.block_x = 65;		/* another shape */
	b = made_advised(m);
	assert_string_not_equal(made_finding(a, "block-not-warp-multiple")->id,
	    made_finding(b, "block-not-warp-multiple")->id);
}

static const char *
command(struct arena *a, const char *text)
{
	struct run run = { .command = text };

	return say_command(a, &run);
}

TEST(test_text)
{
	struct arena a = ARENA_INIT;
	struct kernel k = { .mangled = "x'; rm -rf / #\n" };
	struct run run = { .command = "./app -n 3" };

	assert_string_equal(say_seconds(&a, 3.94), "3.94 s");
	assert_string_equal(say_seconds(&a, 4.1e-6), "4.1 µs");
	assert_string_equal(say_seconds(&a, 0.2123), "212 ms");
	assert_string_equal(say_bytes(&a, 8388608), "8.39 MB");
	assert_string_equal(say_rate(&a, 11.04e9), "11 GB/s");
	assert_string_equal(say_percent(&a, 0.914), "91 %");
	assert_string_equal(say_percent(&a, 0.0061), "0.6 %");
	assert_string_equal(say_count(&a, 20000), "20,000");
	assert_string_equal(say_count(&a, 0), "0");
	assert_string_equal(say_counted(&a, 1, "copy"), "1 copy");
	assert_string_equal(say_counted(&a, 20000, "copy"), "20,000 copies");
	assert_string_equal(say_counted(&a, 2, "gap"), "2 gaps");
	assert_string_equal(say_counted(&a, 1, "gap"), "1 gap");
	assert_string_equal(say_plain(&a, 123456), "123,000");
	assert_string_equal(command(&a, "./app -n 3"), "./app -n 3");
	assert_string_equal(command(&a, "./a 'b c' \"d e\""),
	    "./a 'b c' \"d e\"");
	assert_string_equal(command(&a, "./a; rm -rf /"),
	    "'./a;' rm -rf /");
	assert_string_equal(command(&a, "./a $(id)"), "./a '$(id)'");
	assert_string_equal(command(&a, "./a \"$(id)\""),
	    "./a '\"$(id)\"'");
	assert_string_equal(command(&a, "./a 'b"), "./a ''\\''b'");
	assert_string_equal(command(&a, ""), "PROGRAM");
	assert_has(say_ncu(&a, &run, &k, "--set full"),
	    "'x'\\''; rm -rf / #?'");
	assert_false(a.failed);
	arena_free(&a);
}

static uint64_t
pick(uint64_t below)
{
	return (uint64_t)rand() % below;
}

static double
odd(double high)
{
	static const double strange[] = { 0, -1, 1e300, 1e-300 };

	switch (pick(20)) {
	case 0: return NAN;
	case 1: return INFINITY;
	case 2: return strange[pick(4)];
	default: return high * (double)rand() / RAND_MAX;
	}
}

static uint64_t
time_ns(void)
{
	return pick(50) == 0 ? UINT64_MAX >> pick(40) : pick(3 * S);
}

static void
random_kernel(struct made *m)
{
	struct kernel *k = made_kernel(m, "_Z1kv", 1 + pick(5), pick(MS));

	k->launches = pick(100000);
	k->total_ns = time_ns();
	k->exposed_ns = odd(3e9);
	k->alone_ns = odd(3e9);
	k->device = pick(20) == 0 ? 7 : 0;
	k->skip = (enum wire_skip)pick(SKIP_REASONS);
	k->shape.grid_x = (uint32_t)pick(3) ? (uint32_t)pick(4000) : ~0u;
	k->shape.grid_y = (uint32_t)pick(3);
	k->shape.block_x = (uint32_t)pick(1100);
	k->shape.block_y = (uint32_t)pick(3);
	k->shape.regs = (uint32_t)pick(300);
	k->shape.local_per_thread = (uint32_t)pick(2) * 256;
	k->occupancy.known = pick(5) != 0;
	k->occupancy.ratio = odd(1);
	k->occupancy.best_ratio = odd(1);
	k->occupancy.best_block = (uint32_t)pick(1025);
	k->occupancy.blocks_per_sm = (uint32_t)pick(33);
	k->occupancy.limiter = (enum limiter)pick(LIMITER_COUNT);
	k->occupancy.waves = odd(8);
	if (pick(2))
		made_counters(m, k, 0.5);
	for (int i = 0; i < METRIC_COUNT; i++)
		if (pick(3) == 0)
			k->metric[i] = odd(1e9);
}

static void
random_run(struct made *m)
{
	made_init(m);
	m->run.wall_ns = time_ns();
	m->device[0].limits.sms = (uint32_t)pick(200);
	m->device[0].copy_ns = time_ns();
	m->device[0].kernel_ns = time_ns();
	m->device[0].copy_hidden_ns = time_ns();
	m->device[0].cycle_ns = time_ns();
	for (int i = 0; i < IDLE_CAUSES; i++)
		m->run.idle_ns[i] = pick(2) ? time_ns() : 0;
	m->run.idle_total_ns = time_ns();
	m->run.idle_gaps = pick(1000);
	for (int i = 0; i < GAP_CLASSES; i++)
		m->run.gap[i] = (struct gap_class){ .count = pick(30),
		    .idle_ns = { [IDLE_HOST] = time_ns() } };
	m->run.idle_longest_ns = time_ns();
	m->run.idle_longest_by[pick(IDLE_CAUSES)] = m->run.idle_longest_ns;
	m->run.contexts_gone = pick(2);
	for (uint64_t n = pick(MADE_MAX); n > 0; n--)
		random_kernel(m);
	m->run.copies = m->run.smalls = m->run.syncs = m->run.calls =
	    m->run.sequences = m->run.leaks = m->run.failures = pick(MADE_MAX);
	for (size_t i = 0; i < m->run.copies; i++) {
		m->copy[i] = (struct copy_class){ .kind = (enum wire_copy)
		    pick(COPY_KINDS), .memset = pick(2),
		    .src = (enum wire_memory)pick(MEMORY_KINDS),
		    .dst = (enum wire_memory)pick(MEMORY_KINDS),
		    .async = pick(2), .size_class = (uint32_t)pick(40),
		    .device = (uint32_t)pick(2), .count = pick(1000),
		    .bytes = time_ns(), .gpu_ns = time_ns(),
		    .exposed_ns = odd(1e9), .host_ns = time_ns(),
		    .idle_after_ns = time_ns(), .idle_waited_ns = time_ns() };
		m->small[i] = (struct small_copies){ .kind = COPY_H2D,
		    .device = (uint32_t)pick(2), .groups = pick(20),
		    .copies = pick(5000), .bytes = time_ns(),
		    .gpu_ns = time_ns(), .span_ns = time_ns() };
		m->sync[i] = (struct sync_class){ .call = (enum wire_call)
		    pick(CALL_COUNT), .count = pick(100), .wait_ns = time_ns(),
		    .idle_after_ns = time_ns(), .followed = pick(100) };
		m->call[i] = (struct call_class){ .call = (enum wire_call)
		    pick(CALL_COUNT), .count = pick(100),
		    .hot_count = pick(100), .hot_ns = time_ns(),
		    .hot_idle_ns = time_ns() };
		m->sequence[i] = (struct sequence){ .length = (uint32_t)pick(
		    100), .device = (uint32_t)pick(2), .repeats = pick(100),
		    .kernel_ns = time_ns(), .idle_ns = time_ns(),
		    .gaps = pick(1000), .syncs = pick(2) };
		m->leak[i] = (struct leak){ .kind = MEMORY_DEVICE,
		    .count = pick(20), .late = pick(20), .equal = pick(2),
		    .bytes = time_ns() };
		m->failure[i] = (struct failure){ .result = (uint32_t)pick(800),
		    .count = 1, .unread = pick(2), .launch = pick(2) };
	}
}

/* Whether a later finding requires ${at} to be fixed first. */
static bool
is_needed(const struct advice *a, size_t at)
{
	for (size_t i = at + 1; i < a->findings; i++)
		if (a->finding[i].behind > 0 && a->finding[i].behind <= at + 1)
			return true;
	return false;
}

static void
check_advice(const struct advice *a, double wall)
{
	int group = 0;

	assert_true(isfinite(a->together_s) && a->together_s >= 0);
	assert_true(a->together_s <= wall && isfinite(a->noise_s));
	for (size_t i = 0; i < a->findings; i++) {
		const struct finding *f = &a->finding[i];
		bool correctness = strcmp(f->category, "correctness") == 0;
		int g = !f->worth_it ? 4 :
		    correctness ? (f->severity > SEV_LOW ? 1 : 3) :
		    f->saves_s >= 0.005 * wall ? 0 : 2;

		assert_true(g >= group);
		if (g == group && i > 0 && g != 4 && !correctness &&
		    !is_needed(a, i - 1))
			assert_true(f->left_s <= f[-1].left_s);
		group = g;
		if (correctness) {
			assert_true(isnan(f->saves_s));
			continue;
		}
		assert_true(f->saves_s >= 0 && f->saves_s <= wall);
		assert_true(f->saves_low_s >= 0);
		assert_true(f->saves_low_s <= f->saves_s);
		assert_true(f->saves_s <= f->saves_high_s);
		assert_true(f->saves_high_s <= wall);
		assert_true(f->left_s >= 0 && f->left_s <= f->saves_s);
		assert_true(f->after <= i && f->behind <= i);
		if (f->worth_it)
			assert_true(a->together_s >= f->saves_s * 0.999);
		assert_true(!isfinite(f->kernel_speedup) ||
		    f->kernel_speedup >= 1 - 1e-9);
	}
}

TEST(test_property)
{
	srand(7);
	for (int round = 0; round < 5000; round++) {
		static struct made m;
		struct advice *a;

		random_run(&m);
		if (pick(2))
			ceilings_settle(&m.run);
		a = made_advice(&m);
		assert_non_null(a);
		check_advice(a, (double)m.run.wall_ns * 1e-9);
		advice_free(a);
	}
}

/* Ten thousand faulty kernels: all counted, in a bounded list. */
MADE_TEST(test_many_kernels)
{
	enum { MANY = 10000 };
	struct kernel *k = calloc(MANY, sizeof(*k));
	struct advice *a;

	assert_non_null(k);
	made_kernel(m, "k", 10, 1000000);
	made_counters(m, &m->kernel[0], 0.2);
	m->kernel[0].shape.block_x = 33;
	for (int i = 0; i < MANY; i++) {
		k[i] = m->kernel[0];
		k[i].shape.grid_y = (uint32_t)i + 1;
	}
	m->run.kernel = k;
	m->run.kernels = MANY;
	a = made_advised(m);
	assert_non_null(a);
	assert_int_equal(made_verdict(a, "block-not-warp-multiple")->found,
	    MANY);
	assert_true(a->findings <= 10000);
	check_advice(a, 10);
	free(k);
}
