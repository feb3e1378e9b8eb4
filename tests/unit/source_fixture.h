/*
 * Source-level data by hand for the run of report_fixture.h: two source files,
 * one of them not captured, a kernel with an inlined call, counts, samples and
 * instructions, a launch site, and hot lines in its first finding.
 */
#ifndef SOURCE_FIXTURE_H
#define SOURCE_FIXTURE_H

#include "unit/report_fixture.h"

#define FIXTURE_LINES 5
#define FIXTURE_INSTRUCTIONS 8

struct source_fixture {
	struct source_file file[2];
	struct source_line line[FIXTURE_LINES];
	struct instruction instruction[FIXTURE_INSTRUCTIONS];
	struct sass_instruction sass[FIXTURE_INSTRUCTIONS];
	struct code code;
	struct site_frame frame[3];
	struct site site[2];
};

static const char fixture_text[] =
    "#include \"reduce.cuh\"\n"
    "\n"
    "__global__ void\n"
    "softmax_forward_kernel1(float *out, const float *inp, int C)\n"
    "{\n"
    "\tint row = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "\tfloat maxval = -INFINITY, sum = 0;\n"
    "\n"
    "\tfor (int i = 0; i < C; i++)\n"
    "\t\tmaxval = fmaxf(maxval, inp[row * C + i]);\n"
    "\tfor (int i = 0; i < C; i++) {\n"
    "\t\tout[row * C + i] = expf(inp[row * C + i] - maxval);\n"
    "\t\tsum += out[row * C + i];\n"
    "\t}\n"
    "\tstore(out, row, C, 1 / sum);\n"
    "}\n"
    "\n"
    "// \033[2J no part of the kernel\n";

/* One row for each instruction, with its counts. */
static const struct {
	uint32_t line;		/* index of FIXTURE_LINES */
	const char *text;
	unsigned inst, loads, stores, sectors, ideal, uniform, divergent;
	unsigned samples, not_issued, stall_count;
	enum stall stall;
} fixture_rows[FIXTURE_INSTRUCTIONS] = {
	{ 0, "S2R R0, SR_CTAID.X", 256, 0, 0, 0, 0, 0, 0, 10, 8, 6,
	    STALL_SHORT_SCOREBOARD },
	{ 1, "LDG.E R7, desc[UR4][R2.64]", 204800, 204800, 0, 6553600, 819200,
	    0, 0, 9000, 8800, 8700, STALL_LONG_SCOREBOARD },
	{ 1, "FMNMX R6, R6, R7, !PT", 204800, 0, 0, 0, 0, 0, 0, 400, 300, 250,
	    STALL_WAIT },
	{ 1, "@P0 BRA 0x40", 204800, 0, 0, 0, 0, 204800, 0, 60, 20, 20,
	    STALL_BRANCH_RESOLVING },
	{ 2, "MUFU.EX2 R8, R9", 204800, 0, 0, 0, 0, 0, 0, 300, 200, 150,
	    STALL_MATH_THROTTLE },
	{ 2, "STG.E desc[UR4][R4.64], R8", 204800, 0, 204800, 409600, 409600,
	    0, 0, 200, 100, 90, STALL_LG_THROTTLE },
	{ 3, "FADD R10, R10, R8", 204800, 0, 0, 0, 0, 204700, 100, 30, 0, 0,
	    STALL_WAIT },
	{ 4, "FMUL R8, R8, R11", 256, 0, 0, 0, 0, 0, 0, 0, 0, 0, STALL_WAIT },
};

static inline void
fixture_tally(struct samples *s, double *value, size_t row, bool first)
{
	static const enum source_metric counted[] = { SOURCE_INST,
		SOURCE_GLOBAL_LD, SOURCE_GLOBAL_ST, SOURCE_GLOBAL_SECTORS,
		SOURCE_GLOBAL_IDEAL, SOURCE_BRANCH_UNIFORM,
		SOURCE_BRANCH_DIVERGENT };
	const unsigned *v = &fixture_rows[row].inst;
	size_t i;

	for (i = 0; first && i < SOURCE_COUNT; i++)
		value[i] = NAN;
	for (i = 0; i < sizeof(counted) / sizeof(counted[0]); i++)
		value[counted[i]] = (first ? 0 : value[counted[i]]) + v[i];
	s->all += fixture_rows[row].samples;
	s->not_issued += fixture_rows[row].not_issued;
	s->stall[fixture_rows[row].stall] += fixture_rows[row].stall_count;
	s->stall[STALL_SELECTED] += fixture_rows[row].samples -
	    fixture_rows[row].stall_count;
}

static inline void
fixture_code(struct source_fixture *s)
{
	static const struct source_line lines[FIXTURE_LINES] = {
		{ .file = 0, .line = 6, .inlined_at = LINE_NONE },
		{ .file = 0, .line = 10, .inlined_at = LINE_NONE },
		{ .file = 0, .line = 12, .inlined_at = LINE_NONE },
		{ .file = 0, .line = 15, .inlined_at = LINE_NONE },
		{ .file = 1, .line = 4, .inlined_at = 3,
		    .function = "store(float*, int, int, float)" },
	};
	struct instruction *x;
	struct source_line *l;
	size_t i;

	memcpy(s->line, lines, sizeof(lines));
	for (i = 0; i < FIXTURE_INSTRUCTIONS; i++) {
		x = &s->instruction[i];
		l = &s->line[fixture_rows[i].line];
		x->pc = s->sass[i].pc = 16 * (uint32_t)i;
		x->line = fixture_rows[i].line;
		x->sass = (uint32_t)i;
		s->sass[i].text = fixture_rows[i].text;
		fixture_tally(&x->samples, x->value, i, true);
		fixture_tally(&l->samples, l->value, i, l->instructions++ == 0);
		fixture_tally(&s->code.samples, s->code.total, i, i == 0);
	}
	s->code.function = "_Z23softmax_forward_kernel1PfPKfi";
	s->code.counted = s->code.sampled = s->code.disassembled = true;
	s->code.has_lines = true;
	s->code.instruction = s->instruction;
	s->code.instructions = FIXTURE_INSTRUCTIONS;
	s->code.line = s->line;
	s->code.lines = FIXTURE_LINES;
	s->code.sass.instruction = s->sass;
	s->code.sass.instructions = FIXTURE_INSTRUCTIONS;
	s->code.sample_period = 1u << 14;
	s->code.sample_kernels = 1;
}

static inline void
fixture_sites(struct source_fixture *s)
{

	s->frame[0] = (struct site_frame){ .function = "step",
	    .file = "/home/ann/train.py", .line = 31, .python = true };
	s->frame[1] = (struct site_frame){ .function = "cudaLaunchKernel",
	    .module = "libcudart.so.12", .nearest = true };
	s->frame[2] = (struct site_frame){
	    .function = "softmax_forward(float*, float const*, int)",
	    .file = "/home/ann/softmax.cu", .line = 212,
	    .module = "libsoftmax.so" };
	s->site[0] = (struct site){ .call = CALL_LAUNCH, .kernel = 1,
	    .count = 3, .frame = s->frame, .frames = 3, .first = 0 };
	s->site[1] = (struct site){ .call = CALL_MEMCPY, .count = 500,
	    .frame = s->frame + 1, .frames = 1, .first = 0 };
}

/* Makes ${f} a run of level source; ${s} must outlive it. */
static inline void
fixture_source(struct fixture *f, struct source_fixture *s)
{

	memset(s, 0, sizeof(*s));
	s->file[0] = (struct source_file){ .path = "/home/ann/softmax.cu",
	    .text = fixture_text, .size = sizeof(fixture_text) - 1, .id = 77 };
	s->file[1] = (struct source_file){ .path = "/home/ann/reduce.cuh",
	    .missing = "the file could not be read during the run" };
	fixture_code(s);
	fixture_sites(s);
	f->run.level = LEVEL_SOURCE;
	f->run.source_file = s->file;
	f->run.source_files = 2;
	f->run.site = s->site;
	f->run.sites = 2;
	f->run.samples = 10100;
	f->run.samples_dropped = 100;
	f->run.source_launches = 1;
	f->run.overhead_ns[OVERHEAD_SOURCE] = 30000000;
	f->run.overhead_ns[OVERHEAD_SAMPLING] = 5000000;
	f->kernel[0].code = &s->code;
	f->finding[0].location_missing = NULL;
	f->finding[0].site = &s->site[0];
	f->finding[0].hots = 2;
	f->finding[0].hot[0] = (struct hot_line){
	    .file = "/home/ann/softmax.cu", .line = 10, .pc = 16,
	    .sass = fixture_rows[1].text,
	    .text = "maxval = fmaxf(maxval, inp[row * C + i]);",
	    .share = 0.94, .value = 32, .what = "32 sectors a request" };
	f->finding[0].hot[1] = (struct hot_line){
	    .file = "/home/ann/reduce.cuh", .line = 4, .pc = 112,
	    .function = "store(float*, int, int, float)",
	    .called_file = "/home/ann/softmax.cu", .called_line = 15,
	    .share = 0.06, .value = NAN };
}

#endif
