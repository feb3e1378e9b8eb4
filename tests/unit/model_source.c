/* The source tier of the model: counts and samples of instructions, and the
 * bounds. */
#include <stdio.h>

#include "unit/model_feed.h"
#include "unit/source_feed.h"

TEST(test_names)
{
	char name[128];
	bool issued;
	int i;

	for (i = 0; i < SOURCE_COUNT; i++)
		assert_int_equal(source_metric_find(
		    source_metric_table[i].name,
		    strlen(source_metric_table[i].name)), i);
	assert_int_equal(source_metric_find("smsp__sass_inst_executed.sum",
	    28), SOURCE_COUNT);
	for (i = 0; i < STALL_OTHER; i++) {
		snprintf(name, sizeof(name),
		    "smsp__pcsamp_warps_issue_stalled_%s", stall_table[i].key);
		assert_int_equal(stall_find(name, strlen(name), &issued), i);
		assert_true(issued);
		strcat(name, "_not_issued");
		assert_int_equal(stall_find(name, strlen(name), &issued), i);
		assert_false(issued);
	}
	assert_int_equal(STALL_OTHER,
	    stall_find("smsp__pcsamp_warps_issue_stalled_new", 36, &issued));
	assert_int_equal(STALL_COUNT,
	    stall_find("smsp__pcsamp_sample_count", 25, &issued));
	assert_int_equal(STALL_COUNT,
	    stall_find("smsp__pcsamp_samples_data_dropped", 33, &issued));
	assert_int_equal(STALL_COUNT, stall_find("", 0, &issued));
}

/* A run at lower levels has none of it. */
KERNEL_TEST(test_none)
{
	const struct run *run;

	feed_kernel(f, 1, 0, 10, 20);
	run = feed_settle(f);
	assert_null(run->kernel[0].code);
	assert_int_equal(run->source_files + run->sites, 0);
}

FEED_TEST(test_counts)
{
	const struct code *c;
	const struct run *run;

	feed_metrics(f);
	feed_signature(f, 1, "_Z1kv");
	feed_kernel(f, 1, 0, 10, 20);
	feed_counts(f, 1, 0, 1, "_Z1kv", (struct cell3[]){
	    { 0x10, SOURCE_INST, 64 }, { 0x20, SOURCE_INST, 32 },
	    { 0x20, SOURCE_GLOBAL_SECTORS, 1024 },
	    { 0x20, 999, 7 } }, 4);
	run = model_settle(f->m, false);
	assert_null(run->kernel[0].code);
	run = feed_settle(f);
	c = run->kernel[0].code;
	assert_non_null(c);
	assert_true(c->counted);
	assert_null(c->uncounted);
	assert_false(c->sampled || c->disassembled || c->has_lines);
	assert_non_null(c->lineless);
	assert_non_null(c->no_sass);
	assert_int_equal(c->instructions, 2);
	assert_int_equal(c->instruction[0].pc, 0x10);
	assert_int_equal(c->instruction[0].line, LINE_NONE);
	assert_int_equal(c->instruction[0].sass, SASS_NONE);
	assert_true(c->instruction[1].value[SOURCE_GLOBAL_SECTORS] == 1024);
	/* Measured as 0; not measured. */
	assert_true(c->instruction[0].value[SOURCE_GLOBAL_SECTORS] == 0);
	assert_true(isnan(c->instruction[0].value[SOURCE_SHARED_ATOM]));
	assert_true(c->total[SOURCE_INST] == 96);
	assert_true(isnan(c->total[SOURCE_SHARED_ATOM]));
	assert_int_equal(run->source_launches, 1);
}

/* The last complete measurement counts; its parts may come in any order. */
FEED_TEST(test_parts)
{
	struct cell3 one = { 0x10, SOURCE_INST, 1 };
	struct cell3 two = { 0x20, SOURCE_INST, 2 };
	struct cell3 wrong = { 0x30, SOURCE_INST, 100 };
	const struct code *c;
	const struct run *run;

	feed_metrics(f);
	feed_signature(f, 1, "k");
	feed_counts(f, 1, 0, 1, "k", &wrong, 1);
	feed_counts(f, 1, 1, 2, "k", &two, 1);
	feed_counts(f, 1, 0, 2, "k", &one, 1);
	/* One that is never complete, and an invalid one. */
	feed_counts(f, 1, 0, 3, "k", &wrong, 1);
	feed_counts(f, 1, 1, 3, "k", &wrong, 1);
	feed_counts(f, 1, 5, 3, "k", &wrong, 1);
	feed_counts(f, 1, 0, 0, "k", &wrong, 1);
	feed_counts(f, 1, 0, UINT32_MAX, "k", &wrong, 1);
	feed_counts(f, 77, 0, 1, "k", &wrong, 1);
	run = feed_settle(f);
	c = run->kernel[0].code;
	assert_int_equal(c->instructions, 2);
	assert_true(c->total[SOURCE_INST] == 3);
	assert_int_equal(run->source_launches, 2);
}

/* A lost record makes a set incomplete: the next set's part must not complete it. */
FEED_TEST(test_parts_lost)
{
	struct cell3 one = { 0x10, SOURCE_INST, 1 };
	struct cell3 two = { 0x20, SOURCE_INST, 2 };
	const struct run *run;

	feed_metrics(f);
	feed_signature(f, 1, "k");
	feed_counts(f, 1, 0, 2, "k", &one, 1);
	f->sequence += 2;	/* its part 1, and part 0 of the next set */
	feed_counts(f, 1, 1, 2, "k", &two, 1);
	run = feed_settle(f);
	assert_null(run->kernel[0].code);
	assert_int_equal(run->source_launches, 0);
	assert_int_equal(run->process[0].missing, 2);
}

FEED_TEST(test_parts_twice)
{
	struct cell3 one = { 0x10, SOURCE_INST, 1 };
	struct cell3 two = { 0x20, SOURCE_INST, 2 };
	const struct run *run;

	/* A part that exists already belongs to another measurement. */
	feed_metrics(f);
	feed_signature(f, 1, "k");
	feed_counts(f, 1, 0, 2, "k", &two, 1);
	feed_counts(f, 1, 0, 2, "k", &one, 1);
	feed_counts(f, 1, 1, 2, "k", &two, 1);
	run = feed_settle(f);
	assert_int_equal(run->kernel[0].code->instructions, 2);
	assert_true(run->kernel[0].code->total[SOURCE_INST] == 3);
}

/* Two processes may number their metrics, stalls and signatures differently. */
FEED_TEST(test_processes)
{
	struct cell3 cell = { 0x10, 0, 50 };
	const struct code *c;
	const struct run *run;

	feed_metrics(f);
	feed_stalls(f, 0);
	feed_signature(f, 1, "k");
	feed_kernel(f, 1, 0, 10, 20);
	feed_samples(f, CUBIN_A, "k", (struct cell3[]){
	    { 0x10, 2 * STALL_WAIT + 1, 5 } }, 1);
	FEED(f, SAMPLING, .period = 1024, .samples = 9, .dropped = 1);

	feed_process(f, 43);
	feed_signature(f, 9, "k");
	FEED(f, METRIC, .id = 7,
	    .name = wire_str_of("smsp__sass_inst_executed"));
	feed_stalls(f, 500);
	cell.what = 7;
	feed_counts(f, 9, 0, 1, "k", &cell, 1);
	feed_samples(f, CUBIN_A, "k", (struct cell3[]){
	    { 0x10, 500 + 2 * STALL_WAIT + 1, 6 },
	    { 0x10, 500 + 2 * STALL_WAIT, 4 },
	    { 0x10, 2 * STALL_WAIT, 1000 } }, 3);
	FEED(f, SAMPLING, .period = 1024, .samples = 11, .dropped = 2);
	run = feed_settle(f);
	assert_int_equal(run->kernels, 1);
	c = run->kernel[0].code;
	assert_true(c->counted);
	assert_true(c->sampled);
	assert_true(c->total[SOURCE_INST] == 50);
	assert_int_equal(c->samples.all, 11);
	assert_int_equal(c->samples.not_issued, 4);
	assert_int_equal(c->samples.stall[STALL_WAIT], 11);
	assert_int_equal(c->sample_period, 1024);
	assert_int_equal(c->sample_kernels, 1);
	assert_int_equal(run->samples, 20);
	assert_int_equal(run->samples_dropped, 3);
}

/* Samples belong to the function; its signatures share them. */
FEED_TEST(test_sample_kernels)
{
	const struct run *run;
	size_t i;

	feed_stalls(f, 0);
	feed_signature(f, 1, "k");
	FEED(f, STRING, .id = 1002, .text = wire_str_of("k"));
	FEED(f, SIGNATURE, .id = 2, .name = 1002, .grid_x = 7, .grid_y = 1,
	    .grid_z = 1, .block_x = 32, .block_y = 1, .block_z = 1);
	feed_function(f, 1, CUBIN_A, "k");
	feed_function(f, 2, CUBIN_A, "k");
	feed_samples(f, CUBIN_A, "k", (struct cell3[]){
	    { 0, 2 * STALL_MEMBAR + 1, 3 } }, 1);
	feed_samples(f, CUBIN_A, "k", (struct cell3[]){
	    { 0, 2 * STALL_MEMBAR + 1, 4 } }, 1);
	run = feed_settle(f);
	assert_int_equal(run->kernels, 2);
	for (i = 0; i < 2; i++) {
		assert_int_equal(run->kernel[i].code->samples.all, 7);
		assert_int_equal(run->kernel[i].code->sample_kernels, 2);
	}
}

/* If "not issued" is not part of all samples, it is their remainder. */
FEED_TEST(test_samples_apart)
{
	const struct code *c;

	feed_stalls(f, 0);
	feed_signature(f, 1, "k");
	feed_samples(f, CUBIN_A, "k", (struct cell3[]){
	    { 0, 2 * STALL_WAIT + 1, 3 }, { 0, 2 * STALL_WAIT, 10 },
	    { 16, 2 * STALL_WAIT + 1, 5 } }, 3);
	c = feed_settle(f)->kernel[0].code;
	assert_int_equal(c->samples.all, 18);
	assert_int_equal(c->samples.not_issued, 10);
	assert_int_equal(c->instruction[0].samples.stall[STALL_WAIT], 13);
}

KERNEL_TEST(test_uncounted)
{
	const struct run *run;

	feed_signature(f, 2, "b");
	feed_function(f, 1, CUBIN_A, "a");
	feed_function(f, 2, CUBIN_A, "b");
	run = feed_settle(f);
	assert_int_equal(run->kernel[0].code->uncounted->code,
	    REASON_NEEDS_AUTO);
	FEED(f, RUN_BEGIN, .now_ns = T0, .level = LEVEL_SOURCE);
	FEED(f, SKIPPED, .signature = 2, .reason = SKIP_COOPERATIVE);
	run = feed_settle(f);
	assert_int_equal(run->kernel[0].code->uncounted->code,
	    REASON_NOT_CHOSEN);
	assert_int_equal(run->kernel[1].code->uncounted->code,
	    REASON_COOPERATIVE);
	FEED(f, SKIPPED, .signature = 2, .reason = SKIP_STALL);
	assert_int_equal(feed_settle(f)->kernel[1].code->uncounted->code,
	    REASON_STALL);
	/* A graph's nodes are not too few because the captured calls were few. */
	FEED(f, SKIPPED, .signature = 2, .reason = SKIP_TOO_FEW_LAUNCHES);
	FEED(f, KERNEL, .signature = 2, .context = 1, .stream = 1, .graph = 3,
	    .start_ns = T0 + US, .end_ns = T0 + 2 * US);
	assert_int_equal(feed_settle(f)->kernel[1].code->uncounted->code,
	    REASON_GRAPH);
}

/* More functions than are analysed: the shortest report that they were left out. */
FEED_TEST(test_left_out)
{
	const struct run *run;
	size_t i, left = 0;
	char name[16];
	uint32_t id;

	for (id = 1; id <= 1100; id++) {
		snprintf(name, sizeof(name), "k%u", id);
		feed_signature(f, id, name);
		feed_kernel(f, id, 10000ull * id, 10000ull * id,
		    10000ull * id + id);
		feed_function(f, id, 1, name);
	}
	run = feed_settle(f);
	for (i = 0; i < run->kernels; i++) {
		assert_non_null(run->kernel[i].code);
		if (run->kernel[i].code->lineless->code !=
		    REASON_LEFT_OUT_KERNELS)
			continue;
		left++;
		assert_in_range(i, 0, 75);
	}
	assert_int_equal(left, 76);
}

/* The instructions of all kernels together are bounded; so are cells. */
FEED_TEST(test_instructions_bounded)
{
	static struct cell3 cell[32768];
	const struct run *run;
	uint64_t total = 0;
	uint32_t i, part, k;
	size_t j;
	char name[8];

	feed_metrics(f);
	for (k = 1; k <= 5; k++) {
		snprintf(name, sizeof(name), "k%u", k);
		feed_signature(f, k, name);
		for (part = 0; part < 10; part++) {
			for (i = 0; i < 32768; i++)
				cell[i] = (struct cell3){
				    16 * (32768 * part + i), SOURCE_INST, 1 };
			feed_counts(f, k, part, 10, name, cell, 32768);
		}
	}
	run = feed_settle(f);
	for (j = 0; j < run->kernels; j++)
		if (run->kernel[j].code != NULL)
			total += run->kernel[j].code->instructions;
	assert_in_range(total, 32768 * 10, 1 << 20);
}
