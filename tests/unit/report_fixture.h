/*
 * A run made by hand, for the tests of reports: two kernels, one of them
 * measured, copies, three findings, and strings as a hostile target sends them.
 */
#ifndef REPORT_FIXTURE_H
#define REPORT_FIXTURE_H

#include <math.h>
#include <string.h>

#include "model/model.h"
#include "report/json.h"
#include "report/text.h"
#include "rules/engine/finding.h"

struct fixture {
	struct run run;
	struct advice advice;
	struct process process[1];
	struct device device[1];
	struct kernel kernel[2];
	struct copy_class copy[1];
	struct diagnostic diagnostic[2];
	struct timeline timeline[1];
	struct finding finding[3];
	struct verdict verdict[4];
};

static inline void
fixture_kernels(struct fixture *f)
{
	struct kernel *k = f->kernel;
	size_t i, j;

	for (i = 0; i < 2; i++) {
		k[i].id = (uint32_t)i + 1;
		k[i].shape.grid_x = 256;
		k[i].shape.grid_y = k[i].shape.grid_z = 1;
		k[i].shape.block_x = 32;
		k[i].shape.block_y = k[i].shape.block_z = 1;
		k[i].shape.regs = 40;
		for (j = 0; j < METRIC_COUNT; j++)
			k[i].metric[j] = NAN;
	}
	k[0].mangled = "_Z23softmax_forward_kernel1PfPKfi";
	k[0].name = "softmax_forward_kernel1(float*, float const*, int)";
	k[0].short_name = "softmax_forward_kernel1";
	for (i = 0; i < 10; i++)
		stat_add(&k[0].time, 1000000 + 1000 * i);
	k[0].launches = 20000;
	k[0].total_ns = 4500000000;
	k[0].exposed_ns = 4.2e9;
	k[0].occupancy.known = true;
	k[0].occupancy.ratio = 0.5;
	k[0].occupancy.limiter = LIMITER_BLOCKS;
	k[0].occupancy.waves = 0.06;
	k[0].metric[METRIC_OCCUPANCY] = 41.5;
	k[0].metric[METRIC_INST_EXECUTED] = 1000;
	k[0].metric[METRIC_THREAD_INST] = 24000;
	k[0].metric[METRIC_GLOBAL_LD_SECTORS] = 800;
	k[0].metric[METRIC_GLOBAL_ST_SECTORS] = 0;
	k[0].metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 4;
	k[0].metric[METRIC_SHARED_WAVEFRONTS] = 0;
	k[0].metric[METRIC_SHARED_LD_CONFLICTS] = 0;
	k[0].metric[METRIC_SHARED_ST_CONFLICTS] = 0;
	k[0].metric[METRIC_L2_PCT] = 91;
	k[0].metric[METRIC_DRAM_PCT] = 20;
	k[0].metric_complete = true;
	k[0].metric_launches = 8;
	k[0].metric_mode = MODE_SPREAD;
	/* A name that would clear the screen and overwrite the prompt. */
	k[1].mangled = "\033[2J\033[Hevil\r\x9b\x31m\xff";
	k[1].name = k[1].short_name = k[1].mangled;
	stat_add(&k[1].time, 5000);
	k[1].launches = 1;
	k[1].total_ns = 5000;
	k[1].skip = SKIP_PERMISSION;
}

static inline void
fixture_findings(struct fixture *f)
{
	struct finding *x = f->finding;

	x[0] = (struct finding){ .id = "00000000000000a1",
	    .rule = "uncoalesced-global-access", .title = "uncoalesced loads",
	    .category = "memory", .severity = SEV_HIGH,
	    .confidence = CONF_HIGH, .worth_it = true,
	    .kernel = &f->kernel[0], .where = "softmax_forward_kernel1",
	    .location = "grid 256, block 32, 20,000 launches",
	    .location_missing = &reason_row[REASON_NO_LINEINFO],
	    .saves_s = 3.9, .saves_low_s = 3.4, .saves_high_s = 4.1,
	    .kernel_speedup = 7.1, .gain_note = "ideal sectors",
	    .summary = "8.0 × the sectors it needs",
	    .limiter = "limited by L2 (91 % busy)",
	    .advice = "let a warp walk a row: one thread walks it now, so 32 "
	    "lanes touch 32 rows.",
	    .bad_code = "v = in[row * C + i];",
	    .good_code = "for (i = lane; i < C; i += 32)\n\tv = in[row * C + i];",
	    .next = "ncu --section MemoryWorkloadAnalysis ./train",
	    .evidences = 2 };
	x[0].evidence[0] = (struct evidence){ "sectors_ratio",
	    "sectors / ideal sectors", 8.0, "ratio", "derived",
	    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 1.25,
	    "default: 25 % more than needed" };
	x[0].evidence[1] = (struct evidence){ "line", "an example", NAN, "",
	    "measured", NULL, NAN, NULL };
	x[1] = (struct finding){ .id = "00000000000000a2",
	    .rule = "unchecked-errors", .title = "an error was never read, "
	    "and the program went on with what it had",
	    .category = "correctness", .severity = SEV_MEDIUM,
	    .confidence = CONF_LOW, .worth_it = true, .where = "the run",
	    .saves_s = NAN, .saves_low_s = NAN, .saves_high_s = NAN,
	    .kernel_speedup = NAN,
	    .gain_note = "an error has no price in seconds",
	    .summary = "cudaMalloc failed once with \033[31mout of memory",
	    .advice = "Check what each call returns." };
	x[2] = (struct finding){ .id = "00000000000000a3",
	    .rule = "tail-effect", .title = "partial last wave",
	    .category = "launch", .severity = SEV_INFO,
	    .confidence = CONF_MEDIUM, .worth_it = false,
	    .kernel = &f->kernel[1], .where = f->kernel[1].short_name,
	    .saves_s = 0.001, .saves_low_s = 0, .saves_high_s = 0.002,
	    .kernel_speedup = 1.1, .summary = "1.2 waves",
	    .advice = "Whole waves." };
	f->verdict[0] = (struct verdict){ "uncoalesced-global-access",
	    RULE_FOUND, 1, 0, 1, NULL };
	f->verdict[1] = (struct verdict){ "unchecked-errors", RULE_FOUND, 1, 0,
	    0, NULL };
	f->verdict[2] = (struct verdict){ "grid-too-small", RULE_CLEAN, 0, 2, 0,
	    NULL };
	f->verdict[3] = (struct verdict){ "warp-divergence", RULE_NOT_MEASURED,
	    0, 0, 2, &reason_row[REASON_PERMISSION] };
	f->advice = (struct advice){ .finding = x, .findings = 3,
	    .verdict = f->verdict, .verdicts = 4, .together_s = 3.9,
	    .overlap = true, .active_s = 12.4, .noise_s = 0.02 };
}

static inline void
fixture_diagnostics(struct fixture *f)
{

	f->diagnostic[0] = (struct diagnostic){ .code = DIAG_PERMISSION,
	    .severity = SEVERITY_WARNING, .error = 35, .count = 1,
	    .where = "counters", .text = "GPU counters were refused" };
	f->diagnostic[1] = (struct diagnostic){ .code = DIAG_SPOOLED,
	    .severity = SEVERITY_INFO, .count = 1, .where = "sender",
	    .text = "12 frames went to the spool file" };
	f->run.diagnostic = f->diagnostic;
	f->run.diagnostics = 2;
}

static inline void
fixture_fill(struct fixture *f)
{
	struct run *r = &f->run;

	memset(f, 0, sizeof(*f));
	memcpy(r->uuid, "0123456789abcdef0123456789abcdef", 33);
	r->command = "./train --epochs 1";
	r->host = "node7";
	r->cwd = "/home/ann";
	r->version = "0.1.0";
	r->state = RUN_FINISHED;
	r->level = LEVEL_COUNTERS;
	r->budget = 0.05;
	r->origin_ns = 1700000000123456789;
	r->wall_ns = 12400000000;
	r->records = 212000;
	r->launches = 20001;
	r->process = f->process;
	r->processes = 1;
	f->process[0] = (struct process){ .stream = 0xfedcba9876543210,
	    .pid = 4711, .exe = "/home/ann/train", .ended = true,
	    .bye = BYE_EXIT, .records = 212000, .level = LEVEL_COUNTERS };
	r->device = f->device;
	r->devices = 1;
	f->device[0].name = "NVIDIA H200";
	f->device[0].sm = chip_of(9, 0);
	f->device[0].limits.sms = 132;
	f->device[0].busy_ns = 7564000000;
	f->device[0].kernel_ns = 6448000000;
	f->device[0].copy_ns = 1116000000;
	f->device[0].copy_hidden_ns = 248000000;
	ceilings_settle(r);
	r->idle_total_ns = 4836000000;
	r->idle_ns[IDLE_HOST] = 3720000000;
	r->idle_ns[IDLE_AFTER_SYNC] = 1116000000;
	r->overhead_ns[OVERHEAD_SETUP] = 60000000;
	r->overhead_ns[OVERHEAD_COUNTERS] = 20000000;
	r->overhead_total_ns = 80000000;
	r->kernel = f->kernel;
	r->kernels = 2;
	r->copy = f->copy;
	r->copies = 1;
	f->copy[0] = (struct copy_class){ .kind = COPY_H2D,
	    .src = MEMORY_PAGEABLE, .dst = MEMORY_DEVICE, .size_class = 23,
	    .count = 500, .bytes = 500ull << 23, .gpu_ns = 400000000 };
	r->timeline = f->timeline;
	r->timelines = 1;
	f->timeline[0].bin_ns = 1000000;
	f->timeline[0].bins = 10;
	f->timeline[0].busy_ns[ROW_KERNEL][0] = 500000;
	f->timeline[0].busy_ns[ROW_KERNEL][1] = 1000000;
	f->timeline[0].count[ROW_KERNEL][0] = 3;
	fixture_kernels(f);
	fixture_findings(f);
	fixture_diagnostics(f);
}

/* 42 holds, the longest ${longest_ns}; 100 ms were allowed. */
static inline void
fixture_held(struct fixture *f, uint64_t longest_ns)
{

	f->run.held = (struct held){ .known = true, .count = 42,
	    .total_ns = 310000000, .longest_ns = longest_ns,
	    .setup_ns = 280000000, .setup_longest_ns = 250000000,
	    .limit_ns = 100000000 };
}

static inline void
report_free(struct report *r)
{

	json_decref((json_t *)r->run);
	json_decref((json_t *)r->findings);
	json_decref((json_t *)r->kernels);
	json_decref((json_t *)r->diagnostics);
}

/* The report of the fixture; valid until the next call. */
static inline struct report *
report_of(const struct fixture *f)
{
	static struct report r;

	report_free(&r);
	r = (struct report){
		.run = json_run(&f->run, &f->advice, 1),
		.findings = json_findings(&f->run, &f->advice),
		.kernels = json_kernels(&f->run, &f->advice),
		.diagnostics = json_diagnostics(&f->run),
		.name = "41",
	};
	json_object_set_new((json_t *)r.run, "number", json_integer(41));
	return &r;
}

#endif
