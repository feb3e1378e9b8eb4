/*
 * Every rule three times: it fires on a run built to have the fault, is quiet
 * on the run without it (and so is every other rule), and says why where the
 * data is missing. A rule without a row here fails the test.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rules/made.h"

#define MS 1000000ull
#define S (1000 * MS)

/* 10,000 launches of 200 µs: 2 of the run's 10 seconds. */
static struct kernel *
base(struct made *m, double dram)
{
	struct kernel *k = made_kernel(m, "_Z4workPf", 10000, 200000);

	made_counters(m, k, dram);
	return k;
}

static struct kernel *
uncounted(struct made *m, enum wire_skip skip)
{
	struct kernel *k = made_kernel(m, "_Z4workPf", 10000, 200000);

	k->skip = skip;
	return k;
}

static void
good(struct made *m)
{
	base(m, 0.92);
}

static void
no_permission(struct made *m)
{
	uncounted(m, SKIP_PERMISSION);
}

static void
no_occupancy(struct made *m)
{
	base(m, 0.3)->occupancy.known = false;
}

static void
nothing(struct made *m)
{
	m->run.devices = 0;
}

static void
scattered(struct made *m)
{
	double *v = base(m, 0.4)->metric;

	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_GLOBAL_LD_REQUESTS] * 32;
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 4;
	v[METRIC_L2_READ] = v[METRIC_GLOBAL_LD_SECTORS];
	v[METRIC_L2_SECTORS] = v[METRIC_L2_READ] + v[METRIC_L2_WRITE];
	v[METRIC_L2_PCT] = 91;
}

static void
broadcast(struct made *m)	/* one sector, four bytes of it: as it should */
{
	double *v = base(m, 0.9)->metric;

	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_GLOBAL_LD_REQUESTS];
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 4;
}

static void
wide_unknown(struct made *m)
{
	double *v = base(m, 0.9)->metric;

	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_GLOBAL_LD_REQUESTS] * 8;
	v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = NAN;
}

static void
spilling(struct made *m)
{
	struct kernel *k = base(m, 0.5);

	k->shape.local_per_thread = 256;
	k->metric[METRIC_LOCAL_LD_SECTORS] =
	    k->metric[METRIC_GLOBAL_LD_SECTORS];
	k->metric[METRIC_LOCAL_ST_SECTORS] =
	    k->metric[METRIC_GLOBAL_LD_SECTORS];
	k->metric[METRIC_L2_SECTORS] *= 2;
	k->metric[METRIC_L2_PCT] = 85;
}

static void
conflicted(struct made *m)
{
	double *v = base(m, 0.1)->metric, waves = 0.85 * 200e-6 * 1.98e9 * 132;

	v[METRIC_SHARED_LD_WAVEFRONTS] = waves;
	v[METRIC_SHARED_LD_CONFLICTS] = waves * 31 / 32;
	v[METRIC_SHARED_LD_INST] = waves / 32;
	v[METRIC_SHARED_ST_WAVEFRONTS] = v[METRIC_SHARED_ST_INST] = waves / 32;
	v[METRIC_SHARED_WAVEFRONTS] = waves * 33 / 32;
	v[METRIC_LSU_WAVEFRONTS] = waves * 34 / 32;
}

static void
padded(struct made *m)		/* a little arbitration, wide accesses */
{
	double *v = base(m, 0.9)->metric, inst = 1e6;

	v[METRIC_SHARED_LD_WAVEFRONTS] = 4 * inst;
	v[METRIC_SHARED_LD_CONFLICTS] = 0.06 * 4 * inst;
	v[METRIC_SHARED_LD_INST] = inst;
	v[METRIC_SHARED_ST_WAVEFRONTS] = 1.05 * inst;
	v[METRIC_SHARED_ST_CONFLICTS] = 0.14 * inst;
	v[METRIC_SHARED_ST_INST] = inst;
	v[METRIC_SHARED_WAVEFRONTS] = 5.05 * inst;
}

static void
few_lanes(struct made *m, double lanes, double divergent)
{
	double *v = base(m, 0.1)->metric;

	v[METRIC_THREAD_INST] = v[METRIC_INST_EXECUTED] * lanes;
	v[METRIC_THREAD_INST_PRED_ON] = v[METRIC_THREAD_INST];
	v[METRIC_BRANCH_DIVERGENT] = v[METRIC_BRANCH_UNIFORM] * divergent;
	v[METRIC_ISSUE_ACTIVE] = 85;
}

static void
divergent(struct made *m)
{
	few_lanes(m, 16, 0.3);
}

static void
idle(struct made *m)
{
	few_lanes(m, 8, 0);
}

static void
ragged_block(struct made *m)
{
	struct kernel *k;

	few_lanes(m, 16.5, 0);
	k = &m->kernel[0];
	k->shape.block_x = 33;
}

static void
one_block(struct made *m)
{
	struct kernel *k = base(m, 0.01);

	k->shape.grid_x = 1;
	k->occupancy.waves = 1.0 / 1056;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 1;
	k->metric[METRIC_SM_CYCLES_ACTIVE_MAX] = 132;
	k->metric[METRIC_OCCUPANCY] = 12.5;
}

/* As many blocks as SMs, a grid-stride loop, DRAM full: a good kernel. */
static void
persistent(struct made *m)
{
	struct kernel *k = base(m, 0.85);

	k->shape.grid_x = 132;
	k->occupancy.waves = 1.0 / 8;
	k->metric[METRIC_OCCUPANCY] = 12.5;
}

static void
tiny_blocks(struct made *m)
{
	struct kernel *k = base(m, 0.2);

	k->shape.block_x = 32;
	k->shape.grid_x *= 8;
	k->occupancy.ratio = 0.5;
	k->occupancy.blocks_per_sm = 32;
	k->occupancy.limiter = LIMITER_BLOCKS;
	k->occupancy.waves = 24;
	k->metric[METRIC_OCCUPANCY] = 20;
}

static void
many_registers(struct made *m)
{
	struct kernel *k = base(m, 0.2);

	k->shape.regs = 128;
	k->occupancy.ratio = 0.25;
	k->occupancy.blocks_per_sm = 2;
	k->occupancy.limiter = LIMITER_REGISTERS;
	k->occupancy.best_ratio = 0.3125;
	k->occupancy.waves = 48;
	k->metric[METRIC_OCCUPANCY] = 24;
}

/* Low occupancy that does no harm: the tensor pipe is full. */
static void
tensor_kernel(struct made *m)
{
	struct kernel *k;

	many_registers(m);
	k = &m->kernel[0];
	k->metric[METRIC_PIPE_TENSOR] = 92;
}

static void
partial_wave(struct made *m)
{
	struct kernel *k = base(m, 0.2);

	k->occupancy.waves = 1.1;
	k->shape.grid_x = 1162;
	k->metric[METRIC_ISSUE_ACTIVE] = 85;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 56;
}

static void
uneven(struct made *m)
{
	struct kernel *k = base(m, 0.2);

	k->metric[METRIC_OCCUPANCY] = 22;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 60;
}

static void
small_copies(struct made *m)
{
	good(m);
	m->small[0] = (struct small_copies){ .kind = COPY_H2D,
	    .host = MEMORY_PINNED, .groups = 10, .copies = 200000,
	    .bytes = 200000 * 4096ull, .gpu_ns = 400 * MS,
	    .span_ns = 1500 * MS };
	m->run.smalls = 1;
	m->copy[0] = (struct copy_class){ .kind = COPY_H2D,
	    .src = MEMORY_PINNED, .dst = MEMORY_DEVICE, .async = true,
	    .size_class = 12, .count = 200000, .bytes = 200000 * 4096ull,
	    .gpu_ns = 400 * MS, .exposed_ns = 400e6 };
	m->run.copies = 1;
	m->run.idle_ns[IDLE_API] = 1100 * MS;
	m->run.idle_total_ns += 1100 * MS;
}

static void
one_copy(struct made *m, enum wire_memory host, uint64_t count)
{
	good(m);
	/* 8 MiB each at 11 GB/s, or 53 GB/s. */
	m->copy[0] = (struct copy_class){ .kind = COPY_H2D, .src = host,
	    .dst = MEMORY_DEVICE, .async = true, .size_class = 23,
	    .count = count, .bytes = count << 23, .gpu_ns = count *
	    (host == MEMORY_PAGEABLE ? 762000 : 158000) };
	m->copy[0].exposed_ns = (double)m->copy[0].gpu_ns;
	m->run.copies = 1;
}

static void
pageable(struct made *m)
{
	one_copy(m, MEMORY_PAGEABLE, 1000);
}

static void
pinned(struct made *m)
{
	one_copy(m, MEMORY_PINNED, 1000);
}

static void
taking_turns(struct made *m)
{
	one_copy(m, MEMORY_PINNED, 10000);
	m->device[0].copy_ns = m->copy[0].gpu_ns;
}

static void
overlapped(struct made *m)
{
	taking_turns(m);
	m->device[0].copy_hidden_ns = m->device[0].copy_ns * 9 / 10;
	m->copy[0].exposed_ns *= 0.1;
}

static void
allocating(struct made *m)
{
	good(m);
	m->call[0] = (struct call_class){ .call = CALL_MALLOC, .count = 5001,
	    .total_ns = 700 * MS, .hot_count = 5000, .hot_ns = 600 * MS,
	    .hot_idle_ns = 500 * MS };
	m->run.calls = 1;
	m->run.idle_ns[IDLE_ALLOCATION] = 500 * MS;
	m->run.idle_total_ns += 500 * MS;
}

static void
allocating_once(struct made *m)
{
	good(m);
	m->call[0] = (struct call_class){ .call = CALL_MALLOC, .count = 50,
	    .total_ns = 700 * MS };
	m->run.calls = 1;
}

static void
launch_bound(struct made *m)
{
	made_kernel(m, "_Z5smallPf", 400000, 2000);
	m->sequence[0] = (struct sequence){ .length = 20, .repeats = 20000,
	    .kernel = { 1 }, .kernel_ns = 800 * MS, .idle_ns = 1200 * MS,
	    .gaps = 400000 };
	m->run.sequences = 1;
	m->run.idle_ns[IDLE_LAUNCH] = 1200 * MS;
	m->run.idle_total_ns += 1200 * MS;
}

static void
in_graph(struct made *m)
{
	launch_bound(m);
	m->sequence[0].in_graph = true;
	m->sequence[0].idle_ns = m->run.idle_ns[IDLE_LAUNCH] = 300 * MS;
	m->kernel[0].graph_launches = m->kernel[0].launches;
}

static void
blocking(struct made *m)
{
	one_copy(m, MEMORY_PINNED, 1000);
	m->copy[0].async = false;
	m->copy[0].idle_after_ns = 400 * MS;
	m->run.idle_ns[IDLE_AFTER_SYNC] = 400 * MS;
	m->run.idle_total_ns += 400 * MS;
}

static void
syncing(struct made *m)
{
	good(m);
	m->sync[0] = (struct sync_class){ .call = CALL_DEVICE_SYNC,
	    .count = 10000, .wait_ns = 2 * S, .idle_after_ns = 400 * MS,
	    .followed = 9999 };
	m->run.syncs = 1;
	m->run.idle_ns[IDLE_AFTER_SYNC] = 400 * MS;
	m->run.idle_total_ns += 400 * MS;
}

static void
syncing_once(struct made *m)
{
	syncing(m);
	m->sync[0].count = m->sync[0].followed = 3;
	m->sync[0].idle_after_ns = MS;
	m->run.idle_ns[IDLE_AFTER_SYNC] = MS;
}

static void
waiting(struct made *m)
{
	good(m);
	m->run.idle_ns[IDLE_HOST] = 3 * S;
	m->run.idle_total_ns += 3 * S;
	m->run.idle_gaps = 1000;
	m->run.idle_longest_ns = 10 * MS;
}

/* One long phase on the host, and a slow start: not a pattern. */
static void
one_phase(struct made *m)
{
	good(m);
	m->run.idle_ns[IDLE_STARTUP] = 4 * S;
	m->run.idle_ns[IDLE_HOST] = 3 * S;
	m->run.idle_total_ns = 7 * S;
	m->run.idle_gaps = 40;
	m->run.idle_longest_ns = 3 * S - 5 * MS;
}

static void
failing(struct made *m)
{
	good(m);
	m->failure[0] = (struct failure){ .call = "cudaLaunchKernel",
	    .error = "cudaErrorInvalidConfiguration", .result = 9, .count = 3,
	    .unread = 3, .launch = true };
	m->run.failures = 1;
}

static void
failing_checked(struct made *m)
{
	failing(m);
	m->failure[0].unread = 0;
	m->failure[1] = (struct failure){ .call = "cudaEventQuery",
	    .error = "cudaErrorNotReady", .result = 600, .count = 3,
	    .unread = 3 };
	m->run.failures = 2;
}

static void
leaking(struct made *m)
{
	good(m);
	m->leak[0] = (struct leak){ .kind = MEMORY_DEVICE, .count = 100,
	    .bytes = 100 << 20, .largest = 1 << 20 };
	m->run.leaks = 1;
}

static void
still_running(struct made *m)
{
	leaking(m);
	m->run.contexts_gone = false;
}

typedef void builder(struct made *m);

static const struct row {
	const char *rule;
	builder *fires, *quiet[2], *nodata;
} rows[] = {
	{ "uncoalesced-global-access", scattered, { good, broadcast },
	  no_permission },
	{ "local-memory-spill", spilling, { good }, no_permission },
	{ "shared-bank-conflicts", conflicted, { good, padded },
	  no_permission },
	{ "warp-divergence", divergent, { good, idle }, no_permission },
	{ "idle-lanes", idle, { good, divergent }, no_permission },
	{ "grid-too-small", one_block, { good, persistent }, nothing },
	{ "block-not-warp-multiple", ragged_block, { good }, nothing },
	{ "block-size-suboptimal", tiny_blocks, { good }, no_occupancy },
	{ "low-theoretical-occupancy", many_registers, { good, tiny_blocks },
	  no_occupancy },
	{ "tail-effect", partial_wave, { good, one_block }, no_occupancy },
	{ "low-achieved-occupancy", uneven, { good, persistent },
	  no_permission },
	{ "many-small-copies", small_copies, { good, pinned }, nothing },
	{ "pageable-host-memory", pageable, { good, pinned }, nothing },
	{ "no-copy-compute-overlap", taking_turns, { good, overlapped },
	  nothing },
	{ "allocation-in-hot-path", allocating, { good, allocating_once },
	  nothing },
	{ "launch-bound-graph-candidate", launch_bound, { good, in_graph },
	  nothing },
	{ "synchronous-copies", blocking, { good, pinned }, nothing },
	{ "device-sync-overuse", syncing, { good, syncing_once }, nothing },
	{ "gpu-idle-gaps", waiting, { good, one_phase }, nothing },
	{ "unchecked-errors", failing, { good, failing_checked }, nothing },
	{ "device-memory-leak", leaking, { good }, still_running },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static struct advice *
advise(builder *build, struct made *m)
{
	struct advice *a;

	made_init(m);
	build(m);
	a = made_advice(m);
	assert_non_null(a);
	return a;
}

static void
check(const struct row *row, builder *build, enum rule_state want)
{
	struct made m;
	struct advice *a = advise(build, &m);
	const struct verdict *v = made_verdict(a, row->rule);

	assert_non_null(v);
	if (v->state != want)
		fail_msg("%s is %s, not %s (%s)", row->rule,
		    rule_state_name[v->state], rule_state_name[want],
		    v->reason ? v->reason : "");
	if (want == RULE_NOT_MEASURED)
		assert_true(v->reason != NULL && strlen(v->reason) > 5);
	advice_free(a);
}

static void
test_quiet(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		for (int q = 0; q < 2; q++)
			if (rows[i].quiet[q] != NULL)
				check(&rows[i], rows[i].quiet[q], RULE_CLEAN);
}

static void
test_nodata(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		check(&rows[i], rows[i].nodata, RULE_NOT_MEASURED);
}

static void
check_text(const struct finding *f)
{
	assert_true(strlen(f->id) == 16);
	assert_true(strlen(f->summary) > 20 && strlen(f->advice) > 20);
	assert_true(f->where != NULL && f->next != NULL);
	assert_true(strlen(f->bad_code) > 4 && strlen(f->good_code) > 4);
	assert_true(f->location != NULL || f->location_missing != NULL);
	assert_true(f->evidences > 0 && f->gain_note != NULL);
	assert_null(strstr(f->summary, "unknown"));
	assert_null(strstr(f->advice, "unknown"));
	for (size_t i = 0; i < f->evidences; i++) {
		assert_true(f->evidence[i].name && f->evidence[i].label);
		assert_true(f->evidence[i].source && f->evidence[i].from);
		assert_true(isfinite(f->evidence[i].value));
		assert_true(isnan(f->evidence[i].threshold) ==
		    (f->evidence[i].threshold_origin == NULL));
	}
}

/* Found, complete, first on the list, and worth seconds. */
static void
test_fires(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		const struct row *row = &rows[i];
		bool correctness = strcmp(row->rule, "unchecked-errors") == 0 ||
		    strcmp(row->rule, "device-memory-leak") == 0;
		struct made m;
		struct advice *a = advise(row->fires, &m);
		const struct finding *f = made_finding(a, row->rule);

		check(row, row->fires, RULE_FOUND);
		assert_non_null(f);
		check_text(f);
		if (!f->worth_it)
			fail_msg("%s saves only %g s", row->rule, f->saves_s);
		if (correctness) {
			assert_true(isnan(f->saves_s));
			assert_true(f->severity >= SEV_MEDIUM);
		} else {
			assert_true(f->severity > SEV_INFO);
			assert_true(f->saves_s > 0 && f->saves_s <= 10);
			assert_true(f->saves_low_s <= f->saves_s);
			assert_true(f->saves_high_s >= f->saves_s);
		}
		if (a->finding != f && a->finding[0].worth_it)
			print_message("note: %s comes after %s (%.3g, %.3g)\n",
			    row->rule, a->finding[0].rule, f->saves_s,
			    a->finding[0].saves_s);
		advice_free(a);
	}
}

/* No alarm of any rule on runs that have nothing to be alarmed about. */
static void
test_no_alarm(void **state)
{
	static builder *const clean[] = {
		good, broadcast, padded, persistent, tensor_kernel, pinned,
		overlapped, allocating_once, in_graph, syncing_once,
		one_phase, failing_checked, wide_unknown, no_permission,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(clean) / sizeof(clean[0]); i++) {
		struct made m;
		struct advice *a = advise(clean[i], &m);

		for (size_t k = 0; k < a->findings; k++)
			if (a->finding[k].severity > SEV_LOW)
				fail_msg("run %zu: %s saves %g s", i,
				    a->finding[k].rule, a->finding[k].saves_s);
		advice_free(a);
	}
}

static void
test_all_rules_have_cases(void **state)
{
	(void)state;
	assert_int_equal(rule_count(), ROWS);
	for (size_t i = 0; i < ROWS; i++)
		assert_non_null(rule_find(rows[i].rule));
}

static void
test_special_reasons(void **state)
{
	struct made m;
	struct advice *a;

	(void)state;
	a = advise(wide_unknown, &m);
	assert_non_null(strstr(made_verdict(a,
	    "uncoalesced-global-access")->reason, "wide"));
	advice_free(a);
	made_init(&m);
	uncounted(&m, SKIP_NCCL);
	a = made_advice(&m);
	assert_non_null(strstr(made_verdict(a, "warp-divergence")->reason,
	    "communication"));
	advice_free(a);
	made_init(&m);
	m.run.kernels = 0;
	a = made_advice(&m);
	assert_non_null(strstr(made_verdict(a, "tail-effect")->reason,
	    "no kernel"));
	advice_free(a);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_rules_have_cases),
		cmocka_unit_test(test_fires),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_nodata),
		cmocka_unit_test(test_no_alarm),
		cmocka_unit_test(test_special_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
