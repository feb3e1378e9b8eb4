/* The model as a whole: definitions, aggregates, processes, bad input. */
#include <stdio.h>

#include "unit/model_feed.h"
#include "wire/le.h"

static const struct call_class *
call_of(const struct run *run, enum wire_call call)
{
	size_t i;

	for (i = 0; i < run->calls; i++)
		if (run->call[i].call == call)
			return &run->call[i];
	return NULL;
}

TEST(test_empty)
{
	struct model *m = model_new();
	const struct run *run;

	assert_non_null(m);
	run = model_settle(m, false);
	assert_int_equal(run->state, RUN_LIVE);
	assert_int_equal(run->kernels + run->devices + run->processes, 0);
	assert_string_equal(run->command, "");
	run = model_settle(m, true);
	assert_int_equal(run->state, RUN_TRUNCATED);
	assert_int_equal(run->exit_code, -1);
	model_free(m);
	model_free(NULL);
}

TEST(test_names)
{
	int i, j;

	for (i = 0; i < METRIC_COUNT; i++) {
		assert_non_null(metric_table[i].name);
		assert_int_equal(metric_find(metric_table[i].name,
		    strlen(metric_table[i].name)), i);
		for (j = 0; j < i; j++)
			assert_string_not_equal(metric_table[i].name,
			    metric_table[j].name);
	}
	assert_int_equal(metric_find("dram__bytes_read.su", 19), METRIC_COUNT);
	assert_int_equal(metric_find("", 0), METRIC_COUNT);
	for (i = 0; i < LIMITER_COUNT; i++)
		assert_non_null(limiter_name[i]);
	for (i = 0; i < IDLE_CAUSES; i++)
		assert_non_null(idle_cause_name[i]);
	for (i = RUN_LIVE; i <= RUN_TRUNCATED; i++)
		assert_non_null(run_state_name[i]);
}

/* One kernel in two processes with different ids; another shape is another kernel. */
FEED_TEST(test_signatures)
{
	struct feed child = { .m = f->m };
	const struct run *run;

	feed_process(&child, 43);
	feed_signature(f, 1, "_ZN2at6kernelIfEEvPf");
	feed_signature(&child, 9, "_ZN2at6kernelIfEEvPf");
	FEED(f, SIGNATURE, .id = 2, .name = 1001, .grid_x = 1, .grid_y = 1,
	    .grid_z = 1, .block_x = 256, .block_y = 1, .block_z = 1,
	    .regs = 32, .carveout = 255);
	feed_kernel(f, 1, 0, 10 * US, 20 * US);
	feed_kernel(&child, 9, 0, 30 * US, 60 * US);
	feed_kernel(f, 2, 0, 70 * US, 80 * US);
	run = feed_settle(f);
	assert_int_equal(run->kernels, 2);
	assert_int_equal(run->kernel[0].id, 1);
	assert_int_equal(run->kernel[0].launches, 2);
	assert_int_equal(run->kernel[0].total_ns, 40 * US);
	assert_int_equal(run->kernel[0].time.max, 30 * US);
	assert_int_equal(run->kernel[0].first_ns, 10 * US);
	assert_int_equal(run->kernel[0].last_ns, 60 * US);
	assert_string_equal(run->kernel[0].name, "void at::kernel<float>(float*)");
	assert_string_equal(run->kernel[0].short_name, "at::kernel");
	assert_true(run->kernel[0].occupancy.known);
	assert_true(run->kernel[0].occupancy.ratio == 1);
	assert_int_equal(run->kernel[1].launches, 1);
	assert_int_equal(run->launches, 3);
	assert_string_equal(run->device[0].name, "NVIDIA H200");
	assert_string_equal(run->uuid, "0123456789abcdef0123456789abcdef");
}

static void
counters(struct feed *f, uint32_t metric, double value, uint32_t launches,
    uint32_t complete)
{
	uint8_t blob[32] = { 0 };
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	le32_put(blob, metric);
	le64_put(blob + 8, bits);
	le32_put(blob + 16, 999);		/* no such metric */
	FEED(f, COUNTERS, .signature = 1, .mode = MODE_SPREAD,
	    .launches = launches, .complete = complete,
	    .values = { blob, sizeof(blob) });
}

KERNEL_TEST(test_counters)
{
	const struct run *run;
	const struct kernel *k;

	FEED(f, METRIC, .id = 5, .name = wire_str_of("dram__bytes_read.sum"));
	FEED(f, METRIC, .id = 6, .name = wire_str_of("smsp__inst_issued.sum"));
	FEED(f, METRIC, .id = 7, .name = wire_str_of("some__other.sum"));
	run = feed_settle(f);
	assert_true(isnan(run->kernel[0].metric[METRIC_DRAM_READ]));
	counters(f, 5, 100, 1, 0);
	FEED(f, SKIPPED, .signature = 1, .reason = SKIP_BUSY);
	FEED(f, SKIPPED, .signature = 1, .reason = 12345);
	assert_true(feed_settle(f)->kernel[0].metric[METRIC_DRAM_READ] == 100);
	assert_int_equal(feed_settle(f)->kernel[0].skip, SKIP_BUSY);
	counters(f, 5, 200, 3, 1);	/* complete values replace partial ones */
	counters(f, 5, 300, 1, 0);	/* partial values do not replace
					 * complete ones */
	counters(f, 6, 7, 1, 0);	/* but add missing ones */
	counters(f, 6, INFINITY, 9, 1);	/* not a number */
	counters(f, 7, 3.5, 9, 1);
	run = feed_settle(f);
	k = &run->kernel[0];
	assert_true(k->metric[METRIC_DRAM_READ] == 200);
	assert_true(k->metric[METRIC_INST_ISSUED] == 7);
	assert_true(isnan(k->metric[METRIC_DRAM_WRITE]));
	assert_true(k->metric_complete);
	assert_int_equal(k->metric_launches, 9);
	assert_int_equal(k->metric_mode, MODE_SPREAD);
	assert_int_equal(k->skip, SKIP_NONE);	/* complete in the end */
	assert_int_equal(run->extras, 1);
	assert_string_equal(run->extra_name[0], "some__other.sum");
	assert_true(k->extra[0] == 3.5);
}

/* Patched instructions are counted in another launch: the counts are scaled to
 * the launch that the hardware counted, if that had more to do. */
KERNEL_TEST(test_counters_of_two_launches)
{
	static const struct { const char *name; double value; } v[] = {
		{ "smsp__inst_executed.sum", 4000 },
		{ "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 800 },
		{ "smsp__sass_inst_executed.sum", 1000 },
		{ "smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ld.sum",
		  700 },
		{ "smsp__sass_inst_executed_op_shared_ld.sum", 30 },
	};
	const struct kernel *k;

	for (uint32_t i = 0; i < 5; i++) {
		FEED(f, METRIC, .id = 5 + i, .name = wire_str_of(v[i].name));
		counters(f, 5 + i, v[i].value, 2, 1);
	}
	k = &feed_settle(f)->kernel[0];
	assert_true(k->metric[METRIC_INST_EXECUTED] == 4000);
	assert_true(k->metric[METRIC_GLOBAL_LD_SECTORS] == 800);
	assert_true(k->metric[METRIC_SHARED_LD_INST] == 120);
	assert_false(k->accesses_vary);
	/* As many instructions but different sectors: only the accesses differ. */
	counters(f, 7, 4000, 2, 1);
	k = &feed_settle(f)->kernel[0];
	assert_true(k->metric[METRIC_SHARED_LD_INST] == 30);
	assert_true(k->accesses_vary);
	counters(f, 8, 800, 2, 1);
	assert_false(feed_settle(f)->kernel[0].accesses_vary);
}

/* Loads by generic addresses and asynchronous copies move sectors, but are not
 * among the counted loads. */
KERNEL_TEST(test_requests_not_counted)
{
	static const struct { const char *name; double value; } v[] = {
		{ "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 3300 },
		{ "smsp__inst_executed_op_global_ld.sum", 100 },
		{ "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 0 },
		{ "smsp__inst_executed_op_global_st.sum", 0 },
	};
	const double *metric;

	for (uint32_t i = 0; i < 4; i++) {
		FEED(f, METRIC, .id = 5 + i, .name = wire_str_of(v[i].name));
		counters(f, 5 + i, v[i].value, 2, 1);
	}
	metric = feed_settle(f)->kernel[0].metric;
	assert_true(isnan(metric[METRIC_GLOBAL_LD_INST]));
	assert_true(metric[METRIC_GLOBAL_ST_INST] == 0);
	counters(f, 6, 104, 2, 1);
	metric = feed_settle(f)->kernel[0].metric;
	assert_true(metric[METRIC_GLOBAL_LD_INST] == 104);
}

/* A captured kernel is called once for each capture; what ran were nodes of a
 * graph, which replay does not measure. */
KERNEL_TEST(test_nodes_are_not_measured)
{
	FEED(f, SKIPPED, .signature = 1, .reason = SKIP_TOO_FEW_LAUNCHES);
	feed_kernel(f, 1, 0, 10 * US, 20 * US);
	assert_int_equal(feed_settle(f)->kernel[0].skip, SKIP_TOO_FEW_LAUNCHES);
	for (uint64_t i = 1; i < 3; i++)
		FEED(f, KERNEL, .signature = 1, .context = 1, .stream = 7,
		    .graph = 3, .start_ns = T0 + 100 * i * US,
		    .end_ns = T0 + (100 * i + 10) * US);
	assert_int_equal(feed_settle(f)->kernel[0].skip, SKIP_GRAPH);
}

FEED_TEST(test_run)
{
	struct feed launcher = { .m = f->m, .stream = 1 };
	const struct run *run;

	FEED(&launcher, RUN_BEGIN, .now_ns = T0 - 10 * US,
	    .run = wire_str_of("0123456789abcdef0123456789abcdef"),
	    .command = wire_str_of("./train --epochs 1"),
	    .label = wire_str_of("base"), .level = LEVEL_COUNTERS,
	    .budget = 0.05);
	FEED(&launcher, CALIBRATION, .gpu = wire_str_of("GPU-1"),
	    .json = { (const uint8_t *)"{}", 2 });
	FEED(&launcher, CALIBRATION, .gpu = wire_str_of("GPU-1"),
	    .json = { (const uint8_t *)"{}", 2 });
	feed_bye(f, S);
	run = feed_settle(f);
	assert_int_equal(run->state, RUN_KILLED);	/* the launcher was killed */
	FEED(&launcher, RUN_END, .start_ns = T0 - 5 * US, .end_ns = T0 + 2 * S,
	    .exit_code = 3);
	run = feed_settle(f);
	assert_int_equal(run->state, RUN_FINISHED);
	assert_int_equal(run->exit_code, 3);
	assert_int_equal(run->signal, 0);
	assert_int_equal(run->wall_ns, 2 * S + 5 * US);
	assert_true(run->origin_ns == T0 - 5 * US);
	assert_string_equal(run->command, "./train --epochs 1");
	assert_string_equal(run->label, "base");
	assert_true(run->budget == 0.05);
	assert_int_equal(run->processes, 1);
	assert_true(run->process[0].ended);
	assert_int_equal(run->process[0].pid, 100);
	assert_int_equal(run->calibrations, 1);
	assert_string_equal(run->calibration[0].json, "{}");
	assert_int_equal(run->calibration[0].length, 2);
}

FEED_TEST(test_states)
{
	assert_int_equal(feed_settle(f)->state, RUN_TRUNCATED);
	feed_bye(f, S);
	assert_int_equal(feed_settle(f)->state, RUN_FINISHED);
	FEED(f, RUN_END, .start_ns = T0, .end_ns = T0 + S, .signal = 9);
	assert_int_equal(feed_settle(f)->state, RUN_KILLED);
	assert_int_equal(feed_settle(f)->signal, 9);
}

KERNEL_TEST(test_missing)
{
	const struct run *run;

	f->sequence += 5;			/* five records are missing */
	feed_kernel(f, 1, 0, 10 * US, 20 * US);
	f->sequence--;				/* this one came twice */
	feed_kernel(f, 1, 0, 10 * US, 20 * US);
	FEED(f, LOSS, .class = LOSS_QUEUE, .count = 7);
	FEED(f, LOSS, .class = 4000, .count = 1);
	FEED(f, BYE, .now_ns = T0 + S, .reason = BYE_EXIT, .lost = 10);
	run = feed_settle(f);
	assert_int_equal(run->launches, 1);
	assert_int_equal(run->process[0].missing, 5);
	assert_int_equal(run->process[0].lost[LOSS_QUEUE], 10);
	assert_int_equal(run->lost, 15);
}

/* Twelve launches as warm-up, then cudaMalloc between launches. */
KERNEL_TEST(test_hot_calls)
{
	const struct call_class *c;
	uint64_t i, at = 0;

	feed_api(f, CALL_MALLOC, US, 3 * US);		/* set-up */
	for (i = 0; i < 50; i++) {
		at += 10 * US;
		if (i >= 5)
			feed_api(f, CALL_MALLOC, at - 5 * US, at - 3 * US);
		feed_kernel(f, 1, at, at + US, at + 2 * US);
	}
	feed_api(f, CALL_FREE, at + 10 * US, at + 60 * US); /* clean-up */
	c = call_of(feed_settle(f), CALL_MALLOC);
	assert_int_equal(c->count, 46);
	assert_int_equal(c->total_ns, 46 * 2 * US);
	/* The 10th launch is number 9; the calls before 10 to 49 are hot. */
	assert_int_equal(c->hot_count, 40);
	assert_int_equal(c->hot_ns, 40 * 2 * US);
	assert_int_equal(c->hot_idle_ns, 40 * 2 * US);
	c = call_of(feed_settle(f), CALL_FREE);
	assert_int_equal(c->count, 1);
	assert_int_equal(c->hot_count, 0);
}

/* Blocks of eight calls with the same mix of sizes; in a few of them one was delayed. */
KERNEL_TEST(test_delayed_calls)
{
	uint64_t i, at = 0, ns;

	for (i = 0; i < 20; i++, at += 10 * US)
		feed_kernel(f, 1, at, at + US, at + 2 * US);
	for (i = 0; i < 80; i++, at += 100 * MS) {
		ns = i % 8 == 0 ? 90 * US : 10 * US;
		feed_api(f, CALL_MALLOC, at, at + (i == 50 ? 90 * MS : ns));
		feed_kernel(f, 1, at + 95 * MS, at + 95 * MS, at + 96 * MS);
	}
	/* 10 blocks of 160 us, and one call of 90 ms instead of 10 us. */
	assert_true(fabs(feed_settle(f)->allocating_delayed - 89.99 / 91.59) < 0.01);
}

/* Small results that the host checks one by one at the end, or after each of many
 * launches. */
static const struct run *
feed_checks(struct feed *f, uint64_t phases)
{
	uint64_t at = 0;

	for (uint64_t p = 0; p < phases; p++) {
		feed_kernel(f, 1, at, at + US, at + 100 * US);
		at += 200 * US;
		for (int i = 0; i < 100; i++, at += 30 * US)
			feed_copy(f, COPY_D2H, 4, false, at, at + 5 * US, at + 7 * US);
	}
	feed_bye(f, at);
	return feed_settle(f);
}

KERNEL_TEST(test_checks_apart)
{
	const struct run *run = feed_checks(f, 2);

	assert_int_equal(run->smalls, 1);
	assert_int_equal(run->small[0].groups, 0);
	assert_int_equal(run->small[0].copies, 0);
	assert_int_equal(run->small[0].span_ns, 0);
	assert_int_equal(run->copy[0].count, 200);
	assert_int_equal(run->copy[0].checked, 200);
	assert_int_equal(run->copy[0].idle_waited_ns, 0);
}

KERNEL_TEST(test_checks_each_step)
{
	const struct run *run = feed_checks(f, 20);

	assert_int_equal(run->small[0].groups, 20);
	assert_int_equal(run->small[0].copies, 2000);
	assert_int_equal(run->copy[0].checked, 0);
	assert_true(run->copy[0].idle_waited_ns > 0);
}

/* The same launch has a copy in front of it in each step. */
KERNEL_TEST(test_moved_in_sequence)
{
	const struct sequence *q;
	uint64_t i, at = 0, moved = 0;

	feed_signature(f, 2, "b");
	for (i = 0; i < 100; i++, at += 40 * US) {
		feed_kernel(f, 1, at, at + US, at + 2 * US);
		feed_kernel(f, 2, at, at + 3 * US, at + 4 * US);
		feed_kernel(f, 2, at, at + 5 * US, at + 6 * US);
		feed_copy(f, COPY_D2H, 4, false, at + 7 * US, at + 8 * US, at + 9 * US);
	}
	q = &feed_settle(f)->sequence[0];
	assert_int_equal(q->length, 3);
	for (i = 0; i < 3; i++) {
		moved += q->moved[i];
		assert_true(q->moved[i] == 0 || (q->moved[i] == q->repeats &&
		    q->kernel[i] == 1));
	}
	assert_int_equal(moved, q->repeats);
}

/* Without launches, calls after the first ten allocations are hot. */
FEED_TEST(test_hot_without_launches)
{
	const struct call_class *c;

	for (uint64_t at = 0; at < 30 * 10 * US; at += 10 * US)
		feed_api(f, CALL_MALLOC, at, at + 2 * US);
	feed_api(f, CALL_DEVICE_SYNC, 400 * US, 450 * US);
	c = call_of(feed_settle(f), CALL_MALLOC);
	assert_int_equal(c->count, 30);
	assert_int_equal(c->hot_count, 20);
	assert_int_equal(c->hot_ns, 20 * 2 * US);
	assert_int_equal(call_of(feed_settle(f), CALL_DEVICE_SYNC)->hot_count, 0);
	/* A launch after all: the calls were set-up. */
	feed_signature(f, 1, "a");
	feed_kernel(f, 1, 500 * US, 510 * US, 520 * US);
	assert_int_equal(call_of(feed_settle(f), CALL_MALLOC)->hot_count, 0);
}

/* Texture and surface objects are counted by their calls, and only what succeeds. */
FEED_TEST(test_objects)
{
	static const uint16_t calls[] = { CALL_CREATE_TEXTURE,
	    CALL_CREATE_SURFACE, CALL_DESTROY_TEXTURE, CALL_DESTROY_SURFACE };
	const struct run *run;

	feed_api(f, CALL_DESTROY_TEXTURE, 1 * US, 2 * US);
	for (uint64_t i = 0; i < 40; i++)
		feed_api(f, calls[i % 4], (10 * i + 10) * US,
		    (10 * i + 12) * US);
	run = feed_settle(f);
	assert_int_equal(run->objects, 20);
	assert_int_equal(run->peak_objects, 2);
	assert_int_equal(run->allocations, 0);
	/* Without a launch, what follows the first ten such calls is hot. */
	assert_int_equal(call_of(run, CALL_CREATE_TEXTURE)->hot_count, 7);
}

/* The API record of a blocking copy may arrive before or after the copy's. */
FEED_TEST(test_copy_host_time)
{
	const struct run *run;

	FEED(f, API, .call = CALL_MEMCPY, .tid = 7, .correlation = 1,
	    .start_ns = T0 + US, .end_ns = T0 + 31 * US);
	feed_copy(f, COPY_H2D, 1 << 20, false, US, 10 * US, 30 * US);
	feed_copy(f, COPY_H2D, 1 << 20, false, 40 * US, 50 * US, 70 * US);
	FEED(f, API, .call = CALL_MEMCPY, .tid = 7, .correlation = 2,
	    .start_ns = T0 + 40 * US, .end_ns = T0 + 72 * US);
	run = feed_settle(f);
	assert_int_equal(run->copies, 1);
	assert_int_equal(run->copy[0].count, 2);
	assert_int_equal(run->copy[0].bytes, 2 << 20);
	assert_int_equal(run->copy[0].host_ns, 62 * US);
	assert_int_equal(run->copy[0].size_class, 20);
	assert_int_equal(run->copy[0].src, MEMORY_PAGEABLE);
}

static void
small_row(struct feed *f, uint64_t from, int n, uint64_t bytes)
{
	int i;

	for (i = 0; i < n; i++)
		feed_copy(f, COPY_H2D, bytes, true, from,
		    from + (uint64_t)i * 10 * US,
		    from + (uint64_t)i * 10 * US + 2 * US);
}

KERNEL_TEST(test_small_copies)
{
	const struct run *run;

	small_row(f, 1 * MS, 15, 4096);		/* one too few */
	small_row(f, 10 * MS, 20, 4096);
	small_row(f, 20 * MS, 30, 65537);	/* not small */
	small_row(f, 30 * MS, 10, 64);		/* a kernel in between */
	feed_kernel(f, 1, 0, 30 * MS + 95 * US, 30 * MS + 99 * US);
	small_row(f, 30 * MS + 100 * US, 10, 64);
	small_row(f, 50 * MS, 16, 64);
	run = feed_settle(f);
	assert_int_equal(run->smalls, 1);
	assert_int_equal(run->small[0].kind, COPY_H2D);
	assert_int_equal(run->small[0].host, MEMORY_PAGEABLE);
	assert_int_equal(run->small[0].groups, 2);
	assert_int_equal(run->small[0].copies, 36);
	assert_int_equal(run->small[0].bytes, 20 * 4096 + 16 * 64);
	assert_int_equal(run->small[0].gpu_ns, 36 * 2 * US);
	assert_int_equal(run->small[0].span_ns, 192 * US + 152 * US);
}

static void
memory(struct feed *f, uint8_t operation, enum wire_memory kind,
    uint64_t address, uint64_t bytes)
{

	FEED(f, MEMORY, .operation = operation, .kind = (uint8_t)kind,
	    .context = 1, .address = address, .bytes = bytes,
	    .now_ns = T0 + MS, .source = 77);
}

FEED_TEST(test_leaks)
{
	const struct run *run;

	FEED(f, STRING, .id = 77, .text = wire_str_of("app+0x12"));
	memory(f, 1, MEMORY_DEVICE, 0x1000, 1 << 20);
	memory(f, 1, MEMORY_DEVICE, 0x2000, 2 << 20);
	memory(f, 1, MEMORY_DEVICE, 0x3000, 4 << 20);
	memory(f, 1, MEMORY_PINNED, 0x4000, 8 << 20);
	memory(f, 2, MEMORY_DEVICE, 0x3000, 0);
	memory(f, 2, MEMORY_DEVICE, 0x9999, 0);		/* unknown */
	memory(f, 1, MEMORY_STATIC, 0x5000, 64);
	/* __managed__ variables: the host can reach them, but they are no
	 * allocation. */
	FEED(f, MEMORY, .operation = 1, .kind = MEMORY_MANAGED,
	    .flags = MEMORY_GLOBAL, .bytes = 1 << 20, .now_ns = T0 + MS);
	FEED(f, MEMORY, .operation = 1, .kind = MEMORY_DEVICE,
	    .flags = MEMORY_INTERNAL, .address = 0x6000, .bytes = 1 << 30);
	run = feed_settle(f);
	assert_int_equal(run->leaks, 0);	/* the program may still run */
	assert_false(run->contexts_gone);
	assert_int_equal(run->peak_memory_bytes, 7 << 20);
	assert_int_equal(run->peak_host_bytes, 9 << 20);
	assert_true(run->unified.used);
	assert_int_equal(run->static_bytes, 64);
	assert_int_equal(run->device[0].memory_bytes, (16 << 20) + 64);
	assert_int_equal(run->allocations, 4);
	assert_int_equal(run->peak_allocations, 4);
	assert_int_equal(run->sizes, 3);
	assert_int_equal(run->size[2].bytes, 4 << 20);
	assert_int_equal(run->size[2].live, 0);
	assert_int_equal(run->size[2].most, 1);
	feed_bye(f, S);
	run = feed_settle(f);
	assert_true(run->contexts_gone);
	assert_int_equal(run->leaks, 2);
	assert_int_equal(run->leak[0].kind, MEMORY_DEVICE);
	assert_int_equal(run->leak[0].count, 2);
	assert_int_equal(run->leak[0].bytes, 3 << 20);
	assert_int_equal(run->leak[0].largest, 2 << 20);
	assert_false(run->leak[0].equal);
	assert_string_equal(run->leak[0].site, "app+0x12");
	assert_int_equal(run->leak[1].kind, MEMORY_PINNED);
}

/* Allocations that continue until the end are distinguished from those at the
 * beginning. */
KERNEL_TEST(test_leaks_grow)
{
	const struct run *run;
	uint64_t i;

	for (i = 0; i < 20; i++) {
		feed_kernel(f, 1, i * MS, i * MS + 2 * US, i * MS + 9 * US);
		FEED(f, MEMORY, .operation = 1, .kind = MEMORY_DEVICE,
		    .context = 1, .address = 0x1000 + (i << 20),
		    .bytes = 4096, .now_ns = T0 + i * MS + 10 * US);
	}
	feed_bye(f, S);
	run = feed_settle(f);
	assert_int_equal(run->leaks, 1);
	assert_int_equal(run->leak[0].count, 20);
	assert_int_equal(run->leak[0].late, 10);
	assert_true(run->leak[0].equal);
	assert_int_equal(run->sizes, 1);
	assert_int_equal(run->size[0].most, 20);
}

/* A pool fills in the first step, however long that takes, and a long run has
 * more launches than are remembered. */
KERNEL_TEST(test_leaks_of_warm_up)
{
	const struct run *run;
	uint64_t i, at;

	for (i = 0; i < 1001; i++) {
		at = i < 100 ? i * 10 * MS : S + i * 10 * US;
		feed_kernel(f, 1, at, at + 2 * US, at + 9 * US);
		if (i < 100 || i == 480 || i == 520)
			FEED(f, MEMORY, .operation = 1, .kind = MEMORY_DEVICE,
			    .context = 1, .address = 0x1000 + (i << 20),
			    .bytes = 4096 + i, .now_ns = T0 + at + US);
	}
	feed_bye(f, 2 * S);
	run = feed_settle(f);
	assert_int_equal(run->leaks, 1);
	assert_int_equal(run->leak[0].count, 102);
	assert_int_equal(run->leak[0].late, 1);
}

/* Killed before clean-up; a destroyed context still shows leaks. */
FEED_TEST(test_leaks_killed)
{
	memory(f, 1, MEMORY_DEVICE, 0x1000, 1 << 20);
	FEED(f, BYE, .now_ns = T0 + S, .reason = BYE_SIGNAL);
	assert_int_equal(feed_settle(f)->leaks, 0);
	FEED(f, CONTEXT, .id = 1, .destroyed = 1);
	assert_int_equal(feed_settle(f)->leaks, 1);
}

static void
defect(struct feed *f, enum wire_defect kind, const char *function,
    uint32_t line, uint32_t thread)
{

	FEED(f, DEFECT, .tool = TOOL_MEMCHECK, .kind = kind,
	    .severity = SEVERITY_ERROR, .flags = DEFECT_THREAD, .count = 1,
	    .address = 0x1000 + thread, .bytes = 4, .thread_x = thread,
	    .line = line, .text = wire_str_of("Invalid read"),
	    .detail = wire_str_of("is out of bounds"),
	    .function = wire_str_of(function), .kernel = wire_str_of(function),
	    .file = wire_str_of(line > 0 ? "a.cu" : ""),
	    .site = wire_str_of("main"), .site_line = thread);
}

/* Reports of the correctness tools: those about one line are one defect,
 * whatever the number of threads and launch sites. */
FEED_TEST(test_checks)
{
	const struct defect *d;
	const struct run *run;
	uint32_t i;

	FEED(f, CHECK, .tool = TOOL_MEMCHECK, .state = RAN_PARTIAL,
	    .start_ns = T0 + MS, .end_ns = T0 + 3 * MS, .exit_code = 1,
	    .errors = 40, .unreported = 3, .version = wire_str_of("2025.1"));
	FEED(f, CHECK, .tool = 99, .state = 99, .start_ns = 5, .end_ns = 1);
	for (i = 0; i < 5; i++)
		defect(f, DEFECT_BOUNDS, "k(int *)", 7, i);
	defect(f, DEFECT_BOUNDS, "k(int *)", 8, 0);
	defect(f, DEFECT_MISALIGNED, "k(int *)", 7, 0);
	/* Reports of host calls are distinguished by caller. */
	defect(f, DEFECT_LEAK, "", 0, 1);
	defect(f, DEFECT_LEAK, "", 0, 1);
	defect(f, DEFECT_LEAK, "", 0, 2);
	FEED(f, DEFECT, .tool = 99, .kind = 99, .severity = 99);
	run = feed_settle(f);
	assert_int_equal(run->checks, 2);
	assert_int_equal(run->check[0].tool, TOOL_MEMCHECK);
	assert_int_equal(run->check[0].state, RAN_PARTIAL);
	assert_int_equal(run->check[0].end_ns - run->check[0].start_ns,
	    2 * MS);
	assert_int_equal(run->check[0].unreported, 3);
	assert_string_equal(run->check[0].version, "2025.1");
	assert_int_equal(run->check[1].tool, TOOL_UNKNOWN);
	assert_int_equal(run->check[1].state, RAN_UNKNOWN);
	assert_int_equal(run->check[1].start_ns, 0);

	assert_int_equal(run->defects, 6);
	d = &run->defect[0];
	assert_int_equal(d->reports, 5);
	assert_int_equal(d->count, 5);
	assert_int_equal(d->bytes, 4);
	assert_int_equal(d->examples, DEFECT_EXAMPLES);
	assert_int_equal(d->example[2].thread[0], 2);
	assert_int_equal(d->example[2].address, 0x1002);
	assert_string_equal(d->example[0].detail, "is out of bounds");
	assert_int_equal(run->defect[3].kind, DEFECT_LEAK);
	assert_int_equal(run->defect[3].reports, 2);
	assert_int_equal(run->defect[3].bytes, 8);
	assert_int_equal(run->defect[4].reports, 1);
	d = &run->defect[5];
	assert_int_equal(d->kind, DEFECT_UNKNOWN);
	assert_int_equal(d->severity, SEVERITY_ERROR);
	assert_string_equal(d->kernel, "");
	assert_int_equal(run->processes, 1);	/* the launcher does not count */
}

/* The table is bounded, whatever the number of places, and says so. */
FEED_TEST(test_checks_bounded)
{
	const struct run *run;
	uint32_t i;

	for (i = 0; i < 1100; i++)
		defect(f, DEFECT_BOUNDS, "k", i + 1, 0);
	for (i = 0; i < 40; i++)
		FEED(f, CHECK, .tool = TOOL_RACECHECK, .state = RAN_DONE);
	run = feed_settle(f);
	assert_int_equal(run->defects, 1024);
	assert_int_equal(run->checks, 32);
	assert_int_equal(run->lost, 1100 - 1024 + 40 - 32);
}

static void
failure(struct feed *f, enum wire_call call, uint32_t result, uint64_t at,
    uint32_t read)
{

	FEED(f, FAILURE, .call = (uint16_t)call, .result = result, .tid = f->tid,
	    .now_ns = T0 + at, .read = read, .call_name = wire_str_of("call"),
	    .error_name = wire_str_of("error"));
}

KERNEL_TEST(test_failures)
{
	const struct run *run;

	failure(f, CALL_LAUNCH, 9, 10 * US, 0);		/* the error is never read */
	failure(f, CALL_LAUNCH, 9, 20 * US, 0);
	f->tid = 8;
	failure(f, CALL_LAUNCH, 9, 30 * US, 0);		/* the error is read */
	failure(f, CALL_LAUNCH, 9, 31 * US, 1);
	failure(f, CALL_OTHER, 600, 32 * US, 0);	/* "not ready" is no error */
	failure(f, CALL_MALLOC, 2, 40 * US, 0);		/* the program continued
							 * after it */
	feed_kernel(f, 1, 50 * US, 51 * US, 52 * US);
	failure(f, CALL_MALLOC, 2, 60 * US, 0);		/* the program stopped
							 * after it */
	run = feed_settle(f);
	assert_int_equal(run->failures, 2);
	assert_true(run->failure[0].launch);
	assert_int_equal(run->failure[0].count, 3);
	assert_int_equal(run->failure[0].unread, 2);
	assert_int_equal(run->failure[0].first_ns, 10 * US);
	assert_string_equal(run->failure[0].call, "call");
	assert_false(run->failure[1].launch);
	assert_int_equal(run->failure[1].count, 2);
	assert_int_equal(run->failure[1].unread, 1);
}

/* The parameters of failed launches are kept, by kernel. */
FEED_TEST(test_failed_launch)
{
	static const char *const kernel[] = { "_Z1aPf", "_Z1aPf", "_Z1bPf" };
	const struct failure *e;
	const struct run *run;
	int i;

	for (i = 0; i < 3; i++)
		FEED(f, FAILURE, .call = CALL_LAUNCH, .result = 1,
		    .tid = f->tid, .now_ns = T0 + (uint64_t)i * US,
		    .call_name = wire_str_of("cuLaunchKernel"),
		    .flags = FAILURE_LAUNCH | FAILURE_FUNCTION, .device = 0,
		    .grid_x = 5, .grid_y = 6, .grid_z = 7, .block_x = 8,
		    .block_y = 9, .block_z = 10, .smem_dynamic = 11,
		    .regs = 12, .smem_static = 13, .threads_max = 14,
		    .smem_dynamic_max = 15, .kernel = wire_str_of(kernel[i]));
	failure(f, CALL_LAUNCH, 1, 9 * US, 0);		/* from an older library */
	run = feed_settle(f);
	assert_int_equal(run->failures, 3);
	e = &run->failure[0];
	assert_int_equal(e->count, 2);
	assert_string_equal(e->kernel, "_Z1aPf");
	assert_string_equal(e->name, "a");
	assert_int_equal(e->device, 0);
	assert_int_equal(e->grid[0] * 100 + e->grid[1] * 10 + e->grid[2], 567);
	assert_int_equal(e->block[2], 10);
	assert_int_equal(e->smem_dynamic + e->smem_static, 24);
	assert_int_equal(e->regs + e->threads_max + e->smem_dynamic_max, 41);
	assert_string_equal(run->failure[1].name, "b");
	assert_int_equal(run->failure[2].flags, 0);
	assert_int_equal(run->failure[2].device, UINT32_MAX);
	assert_null(run->failure[2].kernel);
}

static void
jit(struct feed *f, enum wire_jit operation, uint64_t start, uint64_t end)
{

	FEED(f, JIT, .operation = operation, .start_ns = T0 + start,
	    .end_ns = T0 + end);
}

/* Compilations at the same time are a union; only a library that reports them
 * can show that there were none. */
FEED_TEST(test_jit)
{
	const struct run *run;

	assert_false(feed_settle(f)->jit_traced);	/* an older library */
	f->stream = 43;
	f->sequence = 0;
	jit(f, JIT_COMPILE, 10 * MS, 40 * MS);
	jit(f, JIT_COMPILE, 30 * MS, 60 * MS);	/* another thread */
	jit(f, JIT_STORE, 60 * MS, 70 * MS);
	jit(f, JIT_LOAD, 80 * MS, 90 * MS);
	f->stream = 42;
	feed_signature(f, 1, "a");
	feed_kernel(f, 1, 49 * MS, 50 * MS, 200 * MS);
	run = feed_settle(f);
	assert_int_equal(run->jit_compiles, 2);
	assert_int_equal(run->jit_loads, 1);
	assert_int_equal(run->jit_ns, 50 * MS);
	assert_int_equal(run->jit_startup_ns, 40 * MS);
}

/* XLA names what it compiles in ranges: the same name again is compiled again. */
FEED_TEST(test_xla_modules)
{
	static const char *const name[] = { "XlaCompile:#module=jit_step#",
	    "XlaCompile:#module=jit_mul,program_id=7#", "XlaModule:#hlo_module=jit_a#" };
	static const uint64_t order[] = { 0, 1, 0, 2, 0 };
	const struct run *run;

	for (uint32_t i = 0; i < 3; i++)
		FEED(f, STRING, .id = 500 + i, .text = wire_str_of(name[i]));
	for (uint64_t i = 0; i < 5; i++)
		FEED(f, RANGE, .name = (uint32_t)(500 + order[i]),
		    .start_ns = T0 + 9 * i * MS, .end_ns = T0 + 8 * i * MS + 5 * MS);
	run = feed_settle(f);
	assert_int_equal(run->xla_modules, 2);
	assert_string_equal(run->xla_module[0].name, "jit_step");
	assert_int_equal(run->xla_module[0].times, 3);
	assert_int_equal(run->xla_module[0].host_ns, 9 * MS);
	assert_int_equal(run->xla_module[0].first_ns, 5 * MS);
	assert_string_equal(run->xla_module[1].name, "jit_mul");
	assert_int_equal(run->xla_module[1].times, 1);
}

static void
xla_pass(struct feed *f, const char *module, uint64_t start, uint64_t end, uint32_t flags)
{
	static uint32_t id = 600;
	char name[128];

	snprintf(name, sizeof(name), "Xla%s", module);
	FEED(f, STRING, .id = ++id, .text = wire_str_of(name));
	FEED(f, RANGE, .name = id, .start_ns = T0 + start, .end_ns = T0 + end,
	    .flags = flags);
}

/* A signal ends the program while XLA compiles: no range of the compilation is recorded, but
 * passes over the module are. ${flags}: of a compilation's range at ${at}; 0: none. */
static const struct xla_unfinished *
xla_killed(struct feed *f, uint64_t compiled, uint32_t flags, int signal)
{
	const struct run *run;

	feed_signature(f, 1, "a");
	xla_pass(f, "Pass:#name=dce,module=jit_step,program_id=1#", 10 * MS, 20 * MS, 0);
	xla_pass(f, "Compile:#module=jit_step,program_id=1#", 9 * MS, 40 * MS, 0);
	feed_kernel(f, 1, 49 * MS, 50 * MS, 100 * MS);
	xla_pass(f, "Pass:#name=cse,module=jit_all,program_id=2#", 80 * MS, 90 * MS, 0);
	xla_pass(f, "Pass:#name=dce,module=tuned.1,program_id=3#", 95 * MS, 150 * MS, 0);
	if (compiled > 0)
		xla_pass(f, "Compile:#module=jit_all,program_id=2#", 79 * MS, compiled,
		    flags);
	FEED(f, RUN_END, .start_ns = T0, .end_ns = T0 + S, .signal = signal);
	run = feed_settle(f);
	return &run->xla_unfinished;
}

FEED_TEST(test_xla_killed)
{
	const struct xla_unfinished *u = xla_killed(f, 0, 0, 15);

	assert_string_equal(u->name, "jit_all");
	assert_int_equal(u->start_ns, 80 * MS);
	assert_true(u->idle_ns > 800 * MS && u->idle_ns <= 900 * MS);
}

/* It had compiled to the end. */
FEED_TEST(test_xla_not_killed)
{
	assert_null(xla_killed(f, 160 * MS, 0, 15)->name);
}

/* Without a signal ranges that are missing were lost; one that was open tells. */
FEED_TEST(test_xla_lost)
{
	assert_null(xla_killed(f, 0, 0, 0)->name);
}

FEED_TEST(test_xla_cut)
{
	const struct xla_unfinished *u = xla_killed(f, 990 * MS, RANGE_CUT, 0);

	assert_string_equal(u->name, "jit_all");
	assert_int_equal(u->start_ns, 79 * MS);
	assert_true(u->idle_ns > 0);
}

FEED_TEST(test_jit_told)
{
	struct feed told = { .m = model_new(), .stream = 1 };
	const struct run *run;

	(void)f;
	FEED(&told, HELLO, .flags = HELLO_JIT, .now_ns = T0, .start_ns = T0);
	run = model_settle(told.m, true);
	assert_true(run->jit_traced);
	assert_int_equal(run->jit_compiles, 0);
	model_free(told.m);
}

FEED_TEST(test_diagnostics)
{
	const struct run *run;
	uint64_t i;

	for (i = 0; i < 3; i++)
		FEED(f, DIAGNOSTIC, .code = DIAG_PERMISSION,
		    .severity = SEVERITY_WARNING, .error = 35,
		    .where = wire_str_of("cuptiProfilerInitialize"),
		    .text = wire_str_of("no permission"));
	for (i = 0; i < 5; i++)			/* a steady clock */
		FEED(f, CLOCK, .mono_before_ns = i * S,
		    .real_ns = T0 + i * S + 50, .mono_after_ns = i * S + 100);
	assert_int_equal(feed_settle(f)->diagnostics, 1);
	FEED(f, CLOCK, .mono_before_ns = 6 * S, .real_ns = T0 + 8 * S,
	    .mono_after_ns = 6 * S + 100);
	run = feed_settle(f);
	assert_int_equal(run->diagnostics, 2);
	assert_int_equal(run->diagnostic[0].count, 3);
	assert_int_equal(run->diagnostic[0].error, 35);
	assert_int_equal(run->diagnostic[1].code, DIAG_CLOCK_STEP);
}

#define HOUR (3600 * S)

/* The system clock is changed by hours during a run: all work is there, the run
 * has a length, and a diagnostic tells that times are unreliable. */
static void
clock_set(struct feed *f, int64_t step)
{
	const uint64_t t = T0 + (uint64_t)step;
	const struct run *run;

	FEED(f, RUN_BEGIN, .now_ns = T0);
	feed_signature(f, 1, "a");
	FEED(f, CLOCK, .mono_before_ns = S, .real_ns = T0 + S,
	    .mono_after_ns = S);
	feed_kernel(f, 1, 1000 * MS, 1100 * MS, 1300 * MS);
	FEED(f, CLOCK, .mono_before_ns = 2 * S, .real_ns = t + 2 * S,
	    .mono_after_ns = 2 * S);
	feed_kernel(f, 1, (uint64_t)step + 2000 * MS,
	    (uint64_t)step + 2100 * MS, (uint64_t)step + 2300 * MS);
	FEED(f, RUN_END, .start_ns = T0, .end_ns = t + 3 * S);
	run = feed_settle(f);
	assert_int_equal(run->launches, 2);
	assert_true(run->wall_ns >= 3 * S);
	assert_true(run->wall_ns <= 11 * HOUR);
	assert_int_equal(run->diagnostics, 1);
	assert_int_equal(run->diagnostic[0].code, DIAG_CLOCK_STEP);
}

FEED_TEST(test_clock_set_back)
{
	clock_set(f, -(int64_t)(3 * HOUR));
}

FEED_TEST(test_clock_set_forward)
{
	clock_set(f, 10 * HOUR);
}

/* Undefined ids, and impossible times. */
KERNEL_TEST(test_unknown)
{
	const struct run *run;

	feed_kernel(f, 999, 0, 10 * US, 20 * US);
	FEED(f, COUNTERS, .signature = 999);
	FEED(f, SKIPPED, .signature = 999);
	FEED(f, KERNEL, .signature = 1, .start_ns = T0 + 20, .end_ns = T0 + 10);
	FEED(f, KERNEL, .signature = 1, .start_ns = 1, .end_ns = UINT64_MAX);
	FEED(f, KERNEL, .signature = 1, .start_ns = UINT64_MAX - 5,
	    .end_ns = UINT64_MAX);
	FEED(f, SIGNATURE, .id = 3, .name = 5555);
	run = feed_settle(f);
	assert_int_equal(run->process[0].lost[LOSS_TABLE], 3);
	assert_int_equal(run->process[0].lost[LOSS_TIMESTAMP], 3);
	assert_int_equal(run->lost, 6);
	assert_int_equal(run->kernel[0].launches, 3);
	assert_int_equal(run->kernel[0].time.count, 0);
	assert_string_equal(run->kernel[1].name, "(name lost)");
	assert_false(run->kernel[1].occupancy.known);
	assert_int_equal(run->device[0].busy_ns, 0);
}

/* 28 back references that stand for 2^26 names: it stays mangled. */
FEED_TEST(test_name_bomb)
{
	static const char digit[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const struct run *run;
	char name[512];
	size_t i, n;

	n = (size_t)snprintf(name, sizeof(name), "_Z1f1a1bIS_S_E");
	for (i = 1; i < 26; i++)
		n += (size_t)snprintf(name + n, sizeof(name) - n,
		    "S0_IS%c_S%c_E", digit[i], digit[i]);
	feed_signature(f, 1, name);
	run = feed_settle(f);
	assert_string_equal(run->kernel[0].name, name);
}

/* Tables stop at their bounds, and count what did not fit. */
KERNEL_TEST(test_bounds)
{
	struct feed other = { .m = f->m };
	const struct run *run;
	char name[32];
	uint32_t i;

	for (i = 0; i < 70000; i++) {
		snprintf(name, sizeof(name), "k%u", i);
		FEED(f, STRING, .id = 5000 + i, .text = wire_str_of(name));
	}
	for (i = 0; i < 20000; i++)
		FEED(f, SIGNATURE, .id = 10 + i, .name = 1001,
		    .grid_x = 2 + i, .block_x = 32);
	for (i = 0; i < 1000; i++)
		FEED(f, DIAGNOSTIC, .code = DIAG_CALL_FAILED,
		    .text = wire_str_of((snprintf(name, sizeof(name), "d%u", i),
		    name)));
	for (i = 0; i < 1000; i++)
		failure(f, CALL_LAUNCH, i + 1, US, 0);
	for (i = 0; i < 100; i++)
		FEED(f, DEVICE, .id = 1 + i);
	for (i = 0; i < 2000; i++) {
		other.stream = 100 + i;
		other.sequence = 0;
		FEED(&other, HELLO, .now_ns = T0, .start_ns = T0);
	}
	run = feed_settle(f);
	assert_int_equal(run->kernels, 16384);
	assert_int_equal(run->diagnostics, 256);
	assert_int_equal(run->failures, 256);
	assert_int_equal(run->devices, 64);
	assert_int_equal(run->processes, 1024);
	assert_true(run->process[0].lost[LOSS_TABLE] >= 70000 - 65536 + 3617);
	assert_true(run->lost > run->process[0].lost[LOSS_TABLE]);
}

static uint64_t
next_random(uint64_t *x)
{

	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static bool noise_times;	/* some times are impossible */

/* A time that is mostly plausible. */
static uint64_t
some_time(uint64_t *x)
{
	uint64_t r = next_random(x);

	if (noise_times && r % 1024 == 0)
		return next_random(x) >> (r >> 58);
	return T0 + (r >> 8) % (r % 64 == 0 ? 4 * S : 2 * S);
}

/* Fill a record's bytes with noise, then make what must be valid valid. */
static void
some_record(uint64_t *x, struct record *r)
{
	static const uint16_t type[] = { RECORD_KERNEL, RECORD_KERNEL,
	    RECORD_KERNEL, RECORD_COPY, RECORD_MEMSET, RECORD_SYNC, RECORD_API,
	    RECORD_MEMORY, RECORD_UVM, RECORD_GRAPH, RECORD_FAILURE,
	    RECORD_SKIPPED, RECORD_CLOCK, RECORD_LOSS, RECORD_OVERHEAD,
	    RECORD_CONTEXT, RECORD_SIGNATURE, RECORD_BYE, 9999 };
	uint64_t bytes[sizeof(r->u) / 8];
	size_t i;

	for (i = 0; i < sizeof(bytes) / 8; i++)
		bytes[i] = next_random(x) >> (next_random(x) % 64);
	memset(r, 0, sizeof(*r));
	r->type = type[next_random(x) % (sizeof(type) / sizeof(type[0]))];
	if (r->type != RECORD_FAILURE)
		memcpy(&r->u, bytes, sizeof(bytes));
	switch (r->type) {
	case RECORD_KERNEL:
		r->u.KERNEL.signature %= 8;
		r->u.KERNEL.start_ns = some_time(x);
		r->u.KERNEL.end_ns = r->u.KERNEL.start_ns + bytes[3] % MS;
		r->u.KERNEL.launch_ns = some_time(x);
		r->u.KERNEL.tid %= 4;
		r->u.KERNEL.context %= 4;
		r->u.KERNEL.stream %= 4;
		break;
	case RECORD_COPY:
		r->u.COPY.device %= 4;
		r->u.COPY.start_ns = some_time(x);
		r->u.COPY.end_ns = r->u.COPY.start_ns + bytes[3] % MS;
		r->u.COPY.launch_ns = some_time(x);
		r->u.COPY.tid %= 4;
		break;
	case RECORD_SYNC:
		r->u.SYNC.kind %= 6;
		r->u.SYNC.tid %= 4;
		r->u.SYNC.start_ns = some_time(x);
		r->u.SYNC.end_ns = some_time(x);
		break;
	case RECORD_API:
		r->u.API.call %= 40;
		r->u.API.tid %= 4;
		r->u.API.start_ns = some_time(x);
		r->u.API.end_ns = r->u.API.start_ns + bytes[3] % MS;
		break;
	case RECORD_OVERHEAD:
		r->u.OVERHEAD.start_ns = some_time(x);
		r->u.OVERHEAD.end_ns = r->u.OVERHEAD.start_ns + bytes[3] % MS;
		break;
	case RECORD_CONTEXT:
		r->u.CONTEXT.device %= 4;
		r->u.CONTEXT.id %= 4;
		r->u.CONTEXT.now_ns = some_time(x);
		break;
	case RECORD_MEMSET:
		r->u.MEMSET.device %= 4;
		r->u.MEMSET.start_ns = some_time(x);
		r->u.MEMSET.end_ns = r->u.MEMSET.start_ns + bytes[3] % MS;
		break;
	case RECORD_MEMORY:
		r->u.MEMORY.device %= 4;
		r->u.MEMORY.operation = 1 + bytes[0] % 2;
		r->u.MEMORY.kind %= 8;
		r->u.MEMORY.address %= 4096;
		r->u.MEMORY.now_ns = some_time(x);
		break;
	case RECORD_GRAPH:
		r->u.GRAPH.device %= 4;
		r->u.GRAPH.start_ns = some_time(x);
		r->u.GRAPH.end_ns = r->u.GRAPH.start_ns + bytes[3] % MS;
		break;
	case RECORD_CLOCK:
		r->u.CLOCK.real_ns = some_time(x);
		break;
	case RECORD_UVM:
		r->u.UVM.start_ns = some_time(x);
		r->u.UVM.end_ns = r->u.UVM.start_ns + 10;
		break;
	case RECORD_BYE:
		r->u.BYE.now_ns = some_time(x);
		break;
	case RECORD_SIGNATURE:
		r->u.SIGNATURE.id %= 8;
		r->u.SIGNATURE.device %= 4;
		r->u.SIGNATURE.name = 1001 + (uint32_t)(bytes[2] % 3);
		r->u.SIGNATURE.grid_x = (uint32_t)(bytes[3] % 3);
		break;
	case RECORD_FAILURE:
		r->u.FAILURE.result = (uint32_t)(bytes[0] % 5);
		r->u.FAILURE.read = bytes[1] % 2;
		r->u.FAILURE.now_ns = some_time(x);
		break;
	default:
		break;
	}
}

static void
check_sane(const struct run *run)
{
	const struct device *d;
	uint64_t sum;
	size_t i, j;

	for (i = 0; i < run->devices; i++) {
		d = &run->device[i];
		assert_true(d->kernel_ns <= d->busy_ns);
		assert_true(d->copy_ns <= d->busy_ns);
		assert_int_equal(d->kernel_ns + d->copy_ns - d->copy_hidden_ns,
		    d->busy_ns);
		sum = d->busy_ns + d->idle_overhead_ns;
		for (j = 0; j < IDLE_CAUSES; j++)
			sum += d->idle_ns[j];
		assert_int_equal(sum, run->wall_ns);
	}
	for (i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];

		assert_true(k->exposed_ns >= 0);
		assert_true(k->exposed_ns <= (double)k->total_ns * 1.0001 + 1);
		assert_true(k->alone_ns <= (double)k->total_ns * 1.0001 + 1);
		assert_true(k->device < run->devices);
	}
}

static void
feed_noise(struct model *m, uint64_t seed, uint64_t records)
{
	struct feed f = { .m = m };
	struct record r;
	uint64_t x = seed, i;

	for (i = 1; i <= 3; i++) {
		feed_process(&f, i);
		feed_signature(&f, 1, "_Z1aPf");
		feed_signature(&f, 2, "_Z1bPf");
	}
	/* Before the first record, so that the origin is the start. */
	FEED(&f, RUN_BEGIN, .now_ns = T0);
	for (i = 0; i < records; i++) {
		some_record(&x, &r);
		assert_int_equal(model_feed(m, 1 + i % 3, 1000 + i / 3, &r), 0);
		if (i % 50000 == 49999)
			assert_non_null(model_settle(m, false));
	}
}

/* Noise must not crash the model or violate its sums, and the same noise must
 * give the same run. */
TEST(test_noise)
{
	struct model *a, *b;
	const struct run *x, *y;
	uint64_t seed;

	for (seed = 1; seed <= 4; seed++) {
		noise_times = seed % 2 == 0;
		a = model_new();
		b = model_new();
		assert_true(a != NULL && b != NULL);
		feed_noise(a, seed, 200000);
		feed_noise(b, seed, 200000);
		x = model_settle(a, true);
		y = model_settle(b, true);
		assert_true(x != NULL && y != NULL);
		check_sane(x);
		assert_int_equal(x->kernels, y->kernels);
		assert_int_equal(x->wall_ns, y->wall_ns);
		assert_int_equal(x->late, y->late);
		assert_memory_equal(x->idle_ns, y->idle_ns,
		    sizeof(x->idle_ns));
		assert_int_equal(x->devices, y->devices);
		assert_memory_equal(x->timeline, y->timeline,
		    x->timelines * sizeof(*x->timeline));
		assert_int_equal(x->sequences, y->sequences);
		assert_true(x->kernels == 0 || x->kernel[0].exposed_ns ==
		    y->kernel[0].exposed_ns);
		model_free(a);
		model_free(b);
	}
}
