/*
 * Kernels of many small threads and blocks: the cost of starting them, and what
 * larger blocks and wider accesses save of it. Also findings about kernels of
 * which only some counters are known, or that belong to libraries.
 */
#include <math.h>
#include <string.h>

#include "rules/gain/gain.h"
#include "rules/code.h"
#include "rules/evidence/divided.h"
#include "rules/faults.h"
#include "unit/advise.h"

/* The speedup that ${rule} predicts; 0: no finding. */
static double
predicted(struct made *m, const char *rule, const char **first)
{
	struct advice *a = made_advised(m);
	const struct finding *f;
	double s;

	assert_non_null(a);
	f = made_finding(a, rule);
	s = f != NULL ? f->kernel_speedup : 0;
	if (first != NULL)
		*first = a->findings > 0 ? a->finding[0].rule : "";
	return s;
}

/* Blocks of ${threads} threads that do almost nothing, limited by the rate at
 * which blocks start. */
static struct kernel *
starting(struct made *m, uint32_t threads)
{
	struct kernel *k = made_counted(m, 0.05);

	k->shape.block_x = threads;
	k->shape.grid_x = (uint32_t)(195e-6 / 1.2 * m->device[0].ceilings.sm_hz);
	k->occupancy.blocks_per_sm = 32;
	k->occupancy.ratio = fmin(1, threads / 64.0);
	k->occupancy.limiter = threads < 64 ? LIMITER_BLOCKS : LIMITER_NONE;
	k->occupancy.waves = k->shape.grid_x / (132.0 * 32);
	k->metric[METRIC_OCCUPANCY] = 15;
	k->metric[METRIC_INST_EXECUTED] = 100.0 * k->shape.grid_x *
	    ((threads + 31) / 32);
	return k;
}

/* A kernel with a block of 256 threads for a row of ${row}, whose finding is returned:
 * without ${leaves} all wait at its barrier. */
static const struct finding *
padded(struct made *m, double row, const char *leaves)
{
	double blocks, *v;
	struct kernel *k;

	made_again(m);
	k = code_kernel(m, 0.1, code_text("padded", leaves));
	k->shape.block_x = 256;
	k->shape.grid_x = 100000;
	blocks = k->shape.grid_x;
	v = k->metric;
	v[METRIC_THREAD_INST] = 31 * v[METRIC_INST_EXECUTED];
	v[METRIC_THREAD_INST_PRED_ON] = NAN;
	v[METRIC_GLOBAL_LD_SECTORS] = v[METRIC_GLOBAL_ST_SECTORS] =
	    blocks * ceil(row / 8);
	v[METRIC_GLOBAL_LD_INST] = 8 * blocks;
	v[METRIC_GLOBAL_ST_INST] = blocks * ceil(row / 32);
	v[METRIC_INST_EXECUTED] = blocks * (strcmp(leaves, "") != 0 ?
	    15 * ceil(row / 32) + 4 * (8 - ceil(row / 32)) :
	    8 * 13 + 2 * ceil(row / 32));
	v[METRIC_THREAD_INST] = 31 * v[METRIC_INST_EXECUTED];
	return made_finding(made_advised(m), "idle-lanes");
}

/* Lanes are on, but most threads have no data: a row of 48 in a block of 256. Nothing is
 * found where half of them or more have some; less is gained where the others leave
 * before the barrier. */
MADE_TEST(test_threads_without_data)
{
	static const char leave[] = "ISETP.GT.AND P1,PT,R3,0x2f,PT | inst 100\n"
	    "@P1 EXIT | inst 100";
	const struct finding *f = padded(m, 48, "");
	double all;

	assert_non_null(f);
	assert_string_equal(f->title, "threads without data");
	assert_has(f->summary, "19 % of the threads load or store anything");
	assert_int_equal(f->confidence, CONF_LOW);
	assert_true(f->kernel_speedup > 1.3 && f->kernel_speedup < 4.5);
	assert_null(padded(m, 160, ""));
	all = f->kernel_speedup;
	f = padded(m, 48, leave);
	assert_non_null(f);
	assert_true(f->kernel_speedup < 1 + 0.7 * (all - 1));
}

/*
 * Whole warps have no data: those behind the end of their block's row, a length that is
 * loaded for the block, or a parameter. Nothing is found where other warps have work: they
 * load, read shared memory or store beside the row; where the guard is no row's end, but
 * the grid's, a constant, or each lane's own; or where warps leave, and no barrier waits.
 */
MADE_TEST(test_warps_without_data)
{
	static const char length[] = "LDG.E R6,desc[UR4][R4.64]",
	    parameter[] = "LDC R6,c[0x0][0x220]", skip[] = "BRA #15";
	static const struct {
		const char *bound, *number, *before, *stop;
		int warps;
		const char *behind;
		bool found;
	} row[] = {
		{ length, "R3", "NOP", skip, 100, "NOP", true },
		{ parameter, "R3", "NOP", skip, 100, "NOP", true },
		{ length, "R3", "@!P0 LDG.E R14,desc[UR4][R18.64]", skip, 100,
		  "NOP", true },
		{ length, "R3", "NOP", skip, 100, "@!P0 LDS R7,[R3]", true },
		{ length, "R3", "NOP", skip, 100, "STS [R3],R9", true },
		{ length, "R3", "NOP", skip, 500, "NOP", false },
		{ length, "R3", "NOP", "EXIT", 100, "NOP", false },
		{ "MOV R6,0x14", "R3", "NOP", skip, 100, "NOP", false },
		{ "LDG.E R6,desc[UR4][R18.64]", "R3", "NOP", skip, 100, "NOP",
		  false },
		{ parameter, "R20", "NOP", skip, 100, "NOP", false },
		{ length, "R21", "NOP", skip, 100, "NOP", false },
		/* a tile with a halo, of the same data or another row */
		{ length, "R3", "LDG.E R14,desc[UR4][R18.64]", skip, 100, "NOP",
		  false },
		{ length, "R3", "@!P2 LDG.E R14,desc[UR4][R18.64]", skip, 100,
		  "NOP", false },
		/* warps that work on what one has loaded */
		{ length, "R3", "NOP", skip, 100, "LDS R7,[R3]", false },
		{ length, "R3", "NOP", skip, 100, "@!P2 LDS R7,[R3]", false },
		{ length, "R3", "NOP", skip, 100, "STS [R3],R21", false },
		{ length, "R3", "NOP", skip, 100, "STG.E desc[UR4][R18.64],R9",
		  false },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct finding *f;
		struct kernel *k;
		double *v;

		made_again(m);
		k = code_kernel(m, 0.1, code_text("vacant", row[i].bound,
		    row[i].number, row[i].before, row[i].stop, row[i].warps,
		    row[i].behind));
		k->shape.block_x = 256;
		k->shape.grid_x = 100 * CODE_SCALE;
		v = k->metric;
		v[METRIC_THREAD_INST] = 31 * v[METRIC_INST_EXECUTED];
		v[METRIC_THREAD_INST_PRED_ON] = NAN;
		v[METRIC_OCCUPANCY] = 60;
		v[METRIC_GLOBAL_LD_INST] = CODE_SCALE * (row[i].warps +
		    (strncmp(row[i].bound, "LDG", 3) == 0 ? 800 : 0) +
		    (strstr(row[i].before, "LDG") != NULL ? 800 : 0));
		f = made_finding(made_advised(m), "idle-lanes");
		if ((f != NULL && strcmp(f->title, "warps without data") == 0) !=
		    row[i].found)
			fail_msg("case %zu", i);
		if (!row[i].found)
			continue;
		assert_has(f->summary, "13 % of the warps load any");
		assert_true(f->kernel_speedup > 2 && f->kernel_speedup < 8);
		made_quiet(m, "low-achieved-occupancy");
	}
}

/* Few lanes of a warp that goes through a row together are active: the rows are short,
 * and no branch is to blame. Where each lane has a row of its own, one is. */
MADE_TEST(test_rows_shorter_than_a_warp)
{
	for (int own = 0; own < 2; own++) {
		const char *rule = own ? "warp-divergence" : "idle-lanes";
		const struct finding *f;
		struct kernel *k;

		made_again(m);
		k = code_kernel(m, 0.1, code_text("row_by_warp", own ? "0x4" :
		    "0x80"));
		k->metric[METRIC_THREAD_INST] =
		    12 * k->metric[METRIC_INST_EXECUTED];
		k->metric[METRIC_BRANCH_DIVERGENT] = 1e5;
		k->metric[METRIC_BRANCH_UNIFORM] = 1e5;
		f = made_found(m, rule);
		assert_true((strcmp(f->title, "rows shorter than a warp") == 0)
		    == !own);
		made_quiet(m, own ? "idle-lanes" : "warp-divergence");
	}
}

/* The same where the lanes behind a row's end skip most of the code: the row is the
 * warp's, if its length is loaded for the whole warp and compared with the lane's number. */
MADE_TEST(test_rows_end_within_a_warp)
{
	static const struct {
		const char *mask, *of, *a, *b, *skip;
		uint32_t block;
		bool rows;
	} row[] = {
		{ "0x1f", "R0", "R3", "R6", "BRA #14", 256, true },
		{ "0x1f", "R0", "R6", "R3", "BRA #14", 256, true },
		{ "0x1f", "R0", "R4", "R6", "BRA #14", 32, true },
		{ "0x1f", "R0", "R3", "R6", "EXIT", 256, true },
		{ "0x1f", "R0", "R4", "R6", "BRA #14", 256, false },	/* block's */
		{ "0x7", "R0", "R3", "R6", "BRA #14", 256, false },
		{ "0x1f", "R4", "R3", "R6", "BRA #14", 256, false },	/* each lane's */
		{ "0x1f", "R0", "R3", "R7", "BRA #14", 256, false },	/* a parameter */
		{ "0x1f", "R0", "R3", "R6", "BRA #10", 256, false },	/* the loop is not */
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		const struct finding *f;
		struct kernel *k;

		made_again(m);
		k = code_kernel(m, 0.1, code_text("row_end", row[i].mask,
		    row[i].of, row[i].a, row[i].b, row[i].skip));
		k->shape.block_x = row[i].block;
		k->metric[METRIC_THREAD_INST] =
		    7 * k->metric[METRIC_INST_EXECUTED];
		k->metric[METRIC_BRANCH_DIVERGENT] = 1e5;
		k->metric[METRIC_BRANCH_UNIFORM] = 1e5;
		f = made_finding(made_advised(m), row[i].rows ? "idle-lanes" :
		    "warp-divergence");
		if (f == NULL)
			fail_msg("row %zu: not said", i);
		if ((strcmp(f->title, "rows shorter than a warp") == 0) !=
		    row[i].rows)
			fail_msg("row %zu: %s", i, f->title);
		made_quiet(m, row[i].rows ? "warp-divergence" : "idle-lanes");
	}
}

MADE_TEST(test_start_limits)
{
	struct fix half = FIX_NONE, warps = FIX_NONE;
	struct load l;

	starting(m, 64);
	load_of(&l, &m->kernel[0], &m->device[0]);
	assert_int_equal(l.limit, RES_START);
	assert_true(l.busy > 0.95);
	/* More warps or wider accesses do not start blocks faster. */
	warps.occupancy = 4;
	warps.spread = 2;
	warps.inst = 0.5;
	assert_true(gain_time(&l, &warps, VIEW_MID) > 0.95 * l.time_s);
	half.part[RES_START] = 0.5;
	assert_true(gain_time(&l, &half, VIEW_MID) < 0.52 * l.time_s);
	/* Also without counters; if starting took half of the time, or more
	 * than all of it, nothing would be found. */
	for (int i = 0; i < METRIC_COUNT; i++)
		m->kernel[0].metric[i] = NAN;
	load_of(&l, &m->kernel[0], &m->device[0]);
	assert_int_equal(l.limit, RES_START);
	assert_int_equal(l.grounds, GROUNDS_TRACE);
	m->kernel[0].shape.grid_x /= 2;
	load_of(&l, &m->kernel[0], &m->device[0]);
	assert_int_equal(l.limit, -1);
	m->kernel[0].shape.grid_x *= 4;
	load_of(&l, &m->kernel[0], &m->device[0]);
	assert_int_equal(l.limit, -1);
}

/* Blocks of which one lane goes through what they share: full warps are fewer blocks, and
 * read shared memory less often. Where each thread is by itself, only instructions go. */
MADE_TEST(test_one_lane_of_a_block)
{
	double alone, shared;
	struct kernel *k;

	fault_idle(m);
	k = &m->kernel[0];
	k->metric[METRIC_LSU_WAVEFRONTS] = 0.7 * 132 * stat_mean(&k->time) * 1e-9 *
	    m->device[0].ceilings.sm_hz;
	k->metric[METRIC_SHARED_LD_WAVEFRONTS] =
	    0.9 * k->metric[METRIC_LSU_WAVEFRONTS];
	k->shape.smem_static = k->shape.smem_dynamic = 0;
	alone = predicted(m, "idle-lanes", NULL);
	k->shape.smem_static = 4096;
	shared = predicted(m, "idle-lanes", NULL);
	if (!(alone > 1 && shared > 1.5 * alone))
		fail_msg("%g, %g", alone, shared);
}

/* A product's loop goes as a whole, not the larger part of it: what remains is what the
 * fragments take of shared memory. */
MADE_TEST(test_product_on_tensor_cores)
{
	double s;

	fault_matrices(m);
	s = predicted(m, "tensor-cores-unused", NULL);
	if (!(s > 2.5 && s < 8))
		fail_msg("%g", s);
}

/* Blocks of 16 threads: four times as many threads fill an SM with a quarter of
 * the blocks. */
MADE_TEST(test_tiny_blocks)
{
	const char *first;
	double s;

	starting(m, 16);
	s = predicted(m, "block-size-suboptimal", &first);
	assert_true(s > 3.5 && s < 4.5);
	assert_string_equal(first, "block-size-suboptimal");
	/* Low occupancy is a symptom of that. */
	assert_true(predicted(m, "low-achieved-occupancy", NULL) == 0);
	/* If the grid is not the limit, no gain is predicted. */
	made_again(m);
	starting(m, 16)->shape.grid_x /= 20;
	m->kernel[0].occupancy.waves /= 20;
	m->kernel[0].metric[METRIC_PIPE_FMA] = 95;
	s = predicted(m, "block-size-suboptimal", NULL);
	assert_true(s < 2.1);
}

/* One element of ${bytes} a thread, from a row in a table, added and stored, in
 * 100 of ${warps} warps. */
static struct kernel *
element(struct made *m, int bytes, int warps, const char *index,
    const char *loop)
{
	const char *type = bytes == 1 ? ".U8" : "";
	int sectors = 100 * bytes;
	struct kernel *k = starting(m, 64);
	uint32_t grid = k->shape.grid_x;

	code_make(m, k, code_text("element", warps, index, bytes, type, sectors,
	    sectors, type, sectors, sectors, loop), 1000);
	k->shape.grid_x = grid;
	return k;
}

#define OWN_INDEX "MOV R16,R5 | inst 100 line 4\n"
/* 1 sector for all lanes: a row from a table. */
#define ONE_ROW "LDG.E R16,desc[UR4][R6.64] | inst 100 sectors 100 ideal 100 " \
	"tags 100 line 4\n"
#define GATHER "LDG.E R16,desc[UR4][R6.64] | inst 100 sectors 400 ideal 400 " \
	"tags 100 line 4\n"

#define COLUMN "LOP3.LUT R16,R5,0x3ff,RZ,0xc0,!PT | inst 100 line 4\n"
#define HASHED "SHF.R.U32.HI R7,RZ,0x10,R5 | inst 100 line 4\n" \
	"LOP3.LUT R16,R7,R5,RZ,0x3c,!PT | inst 100 line 4\n"
#define REMAINDER "IABS R7,R5 | inst 100 line 4\n" \
	"IMAD.HI.U32 R16,R9,R7,RZ | inst 100 line 4\n" \
	"IMAD R16,R16,0x7,R7 | inst 100 line 4\n"
/* Ten instructions that compute a random number from the position. */
#define MIX(from) "LOP3.LUT R12," from ",R5,RZ,0x3c,!PT | inst 100 line 4\n" \
	"IMAD R12,R12,0x7feb352d,RZ | inst 100 line 4\n"
#define RANDOM MIX("R6") MIX("R12") MIX("R12") MIX("R12") MIX("R12") OWN_INDEX
#define LINEAR "IMAD R12,R5,0x7,R6 | inst 100 line 4\n" \
	"IMAD R12,R12,0x7,R6 | inst 100 line 4\n"
#define POSITION LINEAR LINEAR LINEAR LINEAR LINEAR OWN_INDEX

/* Eight instructions that are decided by what ${of} is. */
#define CHOOSE "SEL R13,R6,R7,P0 | inst 100 line 4\n" \
	"SEL R14,R7,R6,P0 | inst 100 line 4\n"
#define DECIDED(of) MIX("R6") \
	"ISETP.GE.U32.AND P0,PT," of ",R6,PT | inst 100 line 4\n" \
	CHOOSE CHOOSE CHOOSE CHOOSE OWN_INDEX
/* Code around which the same leads: ten instructions. */
#define JUMPED(of) MIX("R6") \
	"ISETP.GE.U32.AND P0,PT," of ",R6,PT | inst 100 line 4\n" \
	"@P0 BRA #20 | inst 100 line 4\n" \
	"MOV R13,R15 | inst 100 line 4\nMOV R13,R15 | inst 100 line 4\n" \
	"MOV R13,R15 | inst 100 line 4\nMOV R13,R15 | inst 100 line 4\n" \
	"MOV R13,R15 | inst 100 line 4\nMOV R13,R15 | inst 100 line 4\n" \
	"MOV R13,R15 | inst 100 line 4\nMOV R13,R15 | inst 100 line 4\n" \
	OWN_INDEX
/* Hashes of four values that grow with the position: the next element's are sums. */
#define VALUE(to) "IMAD " to ",R5,0x7,R6 | inst 100 line 4\n"
#define OWN_VALUE(from) "IMAD.HI.U32 R12," from ",R6,RZ | inst 100 line 4\n"
#define ONE_VALUE VALUE("R17") VALUE("R17") VALUE("R17") VALUE("R17") \
	OWN_VALUE("R17") OWN_VALUE("R17") OWN_VALUE("R17") OWN_VALUE("R17")
#define FOUR_VALUES VALUE("R17") VALUE("R18") VALUE("R19") VALUE("R20") \
	OWN_VALUE("R17") OWN_VALUE("R18") OWN_VALUE("R19") OWN_VALUE("R20")

/* Twelve instructions that work on what one access brought: 8 bytes for each lane, or 4
 * for all lanes. */
#define WORK "FMUL R20,R20,R21 | inst 100 line 4\nFADD R20,R20,R21 | inst 100 line 4\n" \
	"FMUL R20,R20,R21 | inst 100 line 4\nFADD R20,R20,R21 | inst 100 line 4\n"
#define ON_OWN "LDG.E.64 R20,desc[UR4][R6.64] | inst 100 sectors 800 ideal 800 " \
	"tags 200 line 4\n" WORK WORK WORK OWN_INDEX
#define ON_ROW "LDG.E R20,desc[UR4][R6.64] | inst 100 sectors 100 ideal 100 " \
	"tags 100 line 4\n" WORK WORK WORK OWN_INDEX

static double
narrow_of(int bytes, int warps, const char *index, const char *loop)
{
	struct made m;
	double s;

	made_init(&m);
	element(&m, bytes, warps, index, loop);
	s = predicted(&m, "narrow-access", NULL);
	code_release(&m);
	return s;
}

static double
narrow(const char *index, const char *loop)
{
	return narrow_of(1, 100, index, loop);
}

/* With 16 elements a thread there are a 16th of the threads. */
TEST(test_one_element)
{
	double s = narrow(OWN_INDEX, "");

	assert_true(s > 6 && s < 16);
	s = narrow(ONE_ROW, "");
	assert_true(s > 5 && s < 16);
	assert_true(narrow(GATHER, "") == 0);
	/* If few threads find an element, there are too many already. */
	assert_true(narrow_of(1, 190, OWN_INDEX, "") > 2);
	assert_true(narrow_of(1, 300, OWN_INDEX, "") == 0);
	/* A thread that loops starts only once. */
	assert_true(narrow(OWN_INDEX, "@P0 BRA #8 | inst 6400 uniform 6400\n")
	    == 0);
	/* A thread that meets others at a barrier cannot take over their part. */
	assert_true(narrow(OWN_INDEX, "BAR.SYNC.DEFER_BLOCKING 0x0 | inst 100\n")
	    == 0);
	/* With 4 bytes a lane accesses are already full: the number of blocks
	 * is the fault. */
	assert_true(narrow_of(4, 100, OWN_INDEX, "") == 0);
}

/* What is computed from the position of an element alone is computed for each, if
 * the next one's does not follow from it, and so is what such a value decides; and if
 * that is where it lies, no vector holds it and its neighbours. */
TEST(test_each_element)
{
	double s = narrow(POSITION, "");

	assert_true(narrow(COLUMN, "") > 6);
	assert_true(narrow(HASHED, "") == 0);
	assert_true(narrow(REMAINDER, "") == 0);
	assert_true(s > 6);
	s /= narrow(RANDOM, "");
	assert_true(s > 1.3 && s < 10);
	assert_true(narrow(DECIDED("R5"), "") > 1.2 * narrow(DECIDED("R12"), ""));
	assert_true(narrow(JUMPED("R5"), "") > 1.2 * narrow(JUMPED("R12"), ""));
	assert_true(narrow(ONE_VALUE OWN_INDEX, "") >
	    1.1 * narrow(FOUR_VALUES OWN_INDEX, ""));
	/* However wide the load was that brought it. */
	assert_true(narrow(ON_ROW, "") > 1.3 * narrow(ON_OWN, ""));
}

/* Half of the loads touch a line for each lane, half one address: the mean of
 * 16.5 sectors hides that a load takes 16.5 wavefronts. */
MADE_TEST(test_counted_lines)
{
	struct fix f = FIX_NONE;
	struct kernel *k;
	struct load l;

	k = made_counted(m, 0.05);
	code_make(m, k,
	    code_text("counted_lines"), 3000);
	k->metric[METRIC_LSU_WAVEFRONTS] = NAN;
	k->metric[METRIC_GLOBAL_ST_SECTORS] = 0;
	k->metric[METRIC_ISSUE_ACTIVE] = 4;
	k->metric[METRIC_L1_HIT_RATE] = 97;
	k->metric[METRIC_L2_SECTORS] = k->metric[METRIC_L2_READ] = 1e6;
	k->metric[METRIC_L2_WRITE] = 0;
	load_of(&l, k, &m->device[0]);
	assert_true(fabs(l.wavefronts[USER_GLOBAL_LD] /
	    (16.5 * l.requests_ld) - 1) < 1e-6);
	assert_true(l.limit == RES_L1);
	/* Coalesced, each takes one. */
	f.global_ld = 2000.0 / 13200;
	assert_true(gain_time(&l, &f, VIEW_HIGH) < l.time_s / 8);
	/* Two lines touched by five sectors are loaded together. */
	made_again(m);
	k = made_counted(m, 0.05);
	code_make(m, k,
	    "LDG.E R0,desc[UR4][R2.64] | inst 400 sectors 2000 ideal 1600 "
	    "tags 800 line 4\n"
	    "EXIT | inst 100\n", 3000);
	k->metric[METRIC_LSU_WAVEFRONTS] = NAN;
	load_of(&l, k, &m->device[0]);
	assert_true(l.wavefronts[USER_GLOBAL_LD] < 1.3 * l.requests_ld);
}

/* The size of memory also limits how much data can be different. */
MADE_TEST(test_reuse_without_dram)
{
	fault_naive_product(m);
	m->kernel[0].metric[METRIC_DRAM_READ] = NAN;
	m->kernel[0].metric[METRIC_DRAM_WRITE] = NAN;
	m->run.peak_memory_bytes = 64ull << 20;
	assert_true(predicted(m, "redundant-global-traffic", NULL) > 1.1);
	m->run.peak_memory_bytes = 1ull << 44;
	assert_true(predicted(m, "redundant-global-traffic", NULL) == 0);
	m->run.peak_memory_bytes = 0;	/* not recorded */
	assert_true(predicted(m, "redundant-global-traffic", NULL) == 0);
}

/* 31 waves of blocks cost nearly as much as 32: the gain changes in small steps. If
 * most warps end at the first check, there are more of them for the actual work. */
MADE_TEST(test_many_blocks_by_little_steps)
{
	static const char rule[] = "too-many-blocks-little-work";
	struct kernel k;
	double last = 0, s, few;

	for (double waves = 10; waves <= 60; waves += 0.5) {
		made_again(m);
		fault_short_blocks(m);
		m->kernel[0].occupancy.waves = waves;
		s = predicted(m, rule, NULL);
		s = s > 0 ? 1 - 1 / s : 0;	/* share of the time saved */
		if (waves > 10)
			assert_true(s >= last - 0.02 && s < last + 0.12);
		last = s;
	}
	assert_true(last > 0.3);
	made_again(m);
	fault_short_blocks(m);
	m->kernel[0].occupancy.waves = 20;
	few = predicted(m, rule, NULL);
	k = m->kernel[0];
	code_make(m, &m->kernel[0],
	    code_text("many_blocks"), 1);
	k.code = m->kernel[0].code;
	m->kernel[0] = k;	/* the counters stay the same */
	assert_true(predicted(m, rule, NULL) > few + 0.1);
}

/* Blocks of ${threads} threads, of which ${left} of 1000 warps go on behind the first
 * check, which follows ${first}. */
static const struct finding *
checking(struct made *m, uint32_t threads, int left, const char *first)
{
	struct kernel k;

	made_again(m);
	fault_short_blocks(m);
	k = m->kernel[0];
	code_make(m, &m->kernel[0], code_text("empty_blocks", first, left, left), 1);
	k.code = m->kernel[0].code;
	k.shape.block_x = threads;
	k.metric[METRIC_INST_EXECUTED] *= threads / 256.0;
	k.metric[METRIC_THREAD_INST] = k.metric[METRIC_THREAD_INST_PRED_ON] =
	    k.metric[METRIC_INST_EXECUTED] * 32;
	/* One for each warp that starts. */
	k.metric[METRIC_LSU_WAVEFRONTS] = k.shape.grid_x * threads / 32.0;
	m->kernel[0] = k;
	return made_found(m, "too-many-blocks-little-work");
}

/* Where nearly all warps end at the first check, the grid is at fault. Not if each block
 * has a warp with work, or if what was loaded tells which warps have. */
MADE_TEST(test_grid_larger_than_data)
{
	static const char title[] = "grid larger than the data";
	const struct finding *f = checking(m, 256, 5, "");

	assert_string_equal(f->title, title);
	assert_non_null(strstr(f->advice, "about 528: its size / 256"));
	assert_non_null(strstr(f->summary, "4,224 of the 844,800 warps"));
	assert_true(f->kernel_speedup > 2 && f->kernel_speedup < 4);
	f = checking(m, 240, 5, "");	/* eight warps, too */
	assert_non_null(strstr(f->advice, "about 528: its size / 240"));
	f = checking(m, 256, 110, "");
	assert_string_not_equal(f->title, title);
	f = checking(m, 1024, 40, "");
	assert_string_not_equal(f->title, title);
	f = checking(m, 1024, 20, "");
	assert_string_equal(f->title, title);
	f = checking(m, 256, 5, "LDG.E R0,desc[UR4][R4.64] | inst 1000 "
	    "sectors 4000 ideal 4000 line 3\n");
	assert_string_not_equal(f->title, title);
}

/* Without the blocks that have no work, neither their start nor what the L1 pipe does
 * for each warp that starts takes time. */
MADE_TEST(test_blocks_without_work_go)
{
	const struct finding *f;
	struct kernel *k;

	checking(m, 256, 5, "");
	k = &m->kernel[0];
	made_counters(m, k, 1e-4);
	k->metric[METRIC_OCCUPANCY] = 26;
	k->shape.grid_x = (uint32_t)(195e-6 / 1.2 * m->device[0].ceilings.sm_hz);
	k->occupancy.waves = k->shape.grid_x / 1056.0;
	k->metric[METRIC_INST_EXECUTED] = 3.0 * 8 * k->shape.grid_x;
	k->metric[METRIC_THREAD_INST] = k->metric[METRIC_THREAD_INST_PRED_ON] =
	    k->metric[METRIC_INST_EXECUTED] * 32;
	k->metric[METRIC_LSU_WAVEFRONTS] = 8.0 * k->shape.grid_x;
	f = made_found(m, "too-many-blocks-little-work");
	assert_true(f->kernel_speedup > 40);
}

/* Blocks of 16 threads are many because they are small, and the finding says
 * so: with 256 threads there would be 15 waves. */
MADE_TEST(test_many_small_blocks)
{
	static const char rule[] = "too-many-blocks-little-work";
	struct kernel *k;

	fault_short_blocks(m);
	k = &m->kernel[0];
	assert_true(predicted(m, rule, NULL) > 0);
	k->shape.block_x = 16;
	k->shape.grid_x = 132 * 32 * 62;
	k->occupancy.waves = 62;
	k->occupancy.ratio = 0.5;
	k->occupancy.blocks_per_sm = 32;
	k->occupancy.limiter = LIMITER_BLOCKS;
	assert_true(predicted(m, "block-size-suboptimal", NULL) > 0);
	assert_true(predicted(m, rule, NULL) == 0);
	k->occupancy.waves *= 4;	/* still too many */
	k->shape.grid_x *= 4;
	assert_true(predicted(m, rule, NULL) > 0);
}

/* A single thread has no others to fill its warp with; a thousand blocks of one
 * thread have. */
MADE_TEST(test_one_thread)
{
	static const char rule[] = "block-not-warp-multiple";
	struct kernel *k = made_measured(m, "work(float *)", 1, 10000000, 0.01);

	k->shape.block_x = 1;
	k->shape.grid_x = 1;
	assert_true(predicted(m, rule, NULL) == 0);
	k->shape.grid_x = 4;
	k->shape.block_x = 24;		/* three warps for four */
	assert_true(predicted(m, rule, NULL) < 4. / 3 + 0.01);
	k->shape.grid_x = 100000;
	k->shape.block_x = 1;
	assert_true(predicted(m, rule, NULL) > 1);
}

/* In full warps there are fewer accesses, each of which takes the L1 pipe a
 * wavefront; those that bank conflicts take stay. */
MADE_TEST(test_ragged_block_and_shared)
{
	static const char rule[] = "block-not-warp-multiple";
	struct kernel *k = made_counted(m, 0.05);
	double *v = k->metric, s;

	k->shape.block_x = 18;
	k->shape.grid_x = 100000;
	k->shape.smem_static = 2664;
	v[METRIC_LSU_WAVEFRONTS] = 0.93 * 195e-6 *
	    m->device[0].ceilings.sm_hz * m->device[0].limits.sms;
	v[METRIC_ISSUE_ACTIVE] = 50;
	v[METRIC_SHARED_LD_INST] = v[METRIC_SHARED_ST_INST] = NAN;
	s = predicted(m, rule, NULL);
	if (!(s > 1.5 && s < 32. / 18 + 0.01))
		fail_msg("× %g", s);
	v[METRIC_SHARED_LD_INST] = v[METRIC_LSU_WAVEFRONTS] / 32;
	v[METRIC_SHARED_ST_INST] = 0;
	assert_true(predicted(m, rule, NULL) < 1.1);
}

/* Registers and block sizes of a library's kernel are not the user's choice. */
MADE_TEST(test_library_shape)
{
	starting(m, 16);
	m->kernel[0].metric[METRIC_PIPE_FMA] = NAN;
	m->kernel[0].name = "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_kernel";
	assert_true(predicted(m, "block-size-suboptimal", NULL) == 0);
	assert_true(predicted(m, "block-not-warp-multiple", NULL) == 0);
	m->kernel[0].shape.regs = 254;
	m->kernel[0].occupancy.ratio = 0.125;
	m->kernel[0].occupancy.limiter = LIMITER_REGISTERS;
	assert_true(predicted(m, "low-theoretical-occupancy", NULL) == 0);
	m->kernel[0].name = "work(float *)";
	assert_true(predicted(m, "low-theoretical-occupancy", NULL) > 0);
}

/* With too few warps to hide them, accurate functions are what each warp waits for. */
MADE_TEST(test_math_of_few_warps)
{
	fault_sines(m);
	m->kernel[0].metric[METRIC_ISSUE_ACTIVE] = 38;
	m->kernel[0].metric[METRIC_PIPE_FMA] = 20;
	m->kernel[0].metric[METRIC_OCCUPANCY] = 25;
	assert_true(predicted(m, "slow-math-functions", NULL) > 1.05);
	m->kernel[0].metric[METRIC_OCCUPANCY] = 95;
	assert_true(predicted(m, "slow-math-functions", NULL) == 0);
}

/* A fix that costs precision comes after one that does not. */
MADE_TEST(test_precision_yields)
{
	double alone, *v;

	fault_matrices(m);
	v = m->kernel[0].metric;
	v[METRIC_LSU_WAVEFRONTS] = 0.9 * 198.5e-6 * 132 * m->device[0].ceilings.sm_hz;
	v[METRIC_SHARED_LD_WAVEFRONTS] = v[METRIC_SHARED_WAVEFRONTS] =
	    v[METRIC_LSU_WAVEFRONTS];
	v[METRIC_PIPE_FMA] = 20;
	v[METRIC_SHARED_LD_INST] = v[METRIC_LSU_WAVEFRONTS];
	v[METRIC_SHARED_ST_INST] = v[METRIC_SHARED_LD_INST];
	assert_true(predicted(m, "redundant-global-traffic", NULL) == 0);
	alone = predicted(m, "tensor-cores-unused", NULL);
	v[METRIC_SHARED_ST_INST] /= 32;
	assert_true(predicted(m, "redundant-global-traffic", NULL) > 1.05);
	assert_true(predicted(m, "tensor-cores-unused", NULL) < 0.8 * alone);
}

/* The run waits for neither kernel: the longer one comes first. */
MADE_TEST(test_order_of_nothing)
{
	const char *first;
	struct kernel *k;

	starting(m, 16)->exposed_ns = 0;
	k = made_measured(m, "few", 10, 20000, 0.01);
	k->shape.grid_x = 4;
	k->occupancy.waves = 4.0 / 1056;
	k->exposed_ns = 0;
	made_strides(k);
	assert_true(predicted(m, "grid-too-small", &first) > 2);
	assert_string_equal(first, "block-size-suboptimal");
	k->exposed_ns = (double)k->total_ns;
	assert_true(predicted(m, "grid-too-small", &first) > 2);
	assert_string_equal(first, "grid-too-small");
}

/* Each thread adds to one word, as in an H200's counters: 8 million atomics of
 * lanes in 14 ms. Nothing else is known. */
static struct kernel *
in_line(struct made *m)
{
	double adds = 8e6, time_s = adds * 1.75e-9, *v;
	struct kernel *k;

	made_again(m);
	k = made_kernel(m, "sum", 20, (uint64_t)(time_s * 1e9));
	k->skip = SKIP_NONE;
	v = k->metric;
	v[METRIC_L2_SECTORS] = 1.5 * adds;
	v[METRIC_L2_SYSMEM] = 0;
	v[METRIC_L2_FROM_L1] = adds + adds / 8;
	v[METRIC_GLOBAL_LD_SECTORS] = adds / 8;
	v[METRIC_GLOBAL_ST_SECTORS] = 0;
	v[METRIC_GLOBAL_LD_INST] = adds / 32;
	v[METRIC_GLOBAL_ST_INST] = 0;
	v[METRIC_LSU_WAVEFRONTS] = adds + adds / 32;
	v[METRIC_DRAM_READ] = adds * 4;
	v[METRIC_DRAM_WRITE] = 0;
	v[METRIC_INST_EXECUTED] = adds / 32 * 15;
	v[METRIC_OCCUPANCY] = 80;
	v[METRIC_SM_CYCLES_ACTIVE_AVG] = time_s * m->device[0].ceilings.sm_hz;
	v[METRIC_SM_CYCLES_ACTIVE_MAX] = v[METRIC_SM_CYCLES_ACTIVE_AVG];
	return k;
}

static enum rule_state
state_of(const struct made *m, const char *rule)
{
	struct advice *a = made_advised(m);
	enum rule_state state;

	assert_non_null(a);
	state = made_verdict(a, rule)->state;
	return state;
}

#define CONTENTION "global-atomic-contention"

MADE_TEST(test_atomics_in_line)
{
	const char *first;
	double x;

	in_line(m);
	x = predicted(m, CONTENTION, &first);
	assert_string_equal(first, CONTENTION);
	assert_true(x > 50);
	/* Early exits of warps do not matter. */
	assert_true(predicted(m, "low-achieved-occupancy", NULL) == 0);
	/* Nor is it found if most accesses are loads, and nothing else is known. */
	in_line(m)->metric[METRIC_GLOBAL_LD_SECTORS] += 8e6 * 6;
	m->kernel[0].metric[METRIC_L2_FROM_L1] += 8e6 * 6;
	assert_true(predicted(m, CONTENTION, NULL) == 0);
	assert_true(predicted(m, "low-achieved-occupancy", NULL) == 0);
	m->kernel[0].metric[METRIC_L2_FROM_L1] -= 7e6;
	assert_true(predicted(m, "low-achieved-occupancy", NULL) > 0);
	/* The loads that remain still need their trips, whatever is done about
	 * the atomics: here a tenth of the time. */
	in_line(m)->metric[METRIC_GLOBAL_LD_INST] = 0.1 * 0.8 * 14e-3 *
	    m->device[0].ceilings.sm_hz * m->device[0].limits.sms *
	    m->device[0].limits.max_warps_per_sm / 800;
	x = predicted(m, CONTENTION, NULL);
	assert_true(x > 7 && x < 10.1);
	/* With two thirds of the time the gain is that share. */
	in_line(m)->metric[METRIC_L2_FROM_L1] -= 2e6;
	x = predicted(m, CONTENTION, NULL);
	assert_true(x > 2 && x < 4.2);
}

/* The code of the run's kernel, without counts. */
static void
give_code(struct made *m, const char *text)
{
	struct kernel before = m->kernel[0];
	struct code *c = &code_make(m, &m->kernel[0], text, 1)->code;

	memcpy(m->kernel[0].metric, before.metric, sizeof(before.metric));
	c->counted = false;
	for (int s = 0; s < SOURCE_COUNT; s++) {
		c->total[s] = NAN;
		for (size_t i = 0; i < c->instructions; i++)
			c->instruction[i].value[s] = NAN;
	}
}

/* Atomics on integers are queued for less than half as long as on floats. */
MADE_TEST(test_integers_in_line)
{
	in_line(m);
	give_code(m, code_text("adds", "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU "
	    "desc[UR4][R2.64],R7"));
	assert_true(predicted(m, CONTENTION, NULL) > 50);
	in_line(m);
	give_code(m, code_text("adds", "REDG.E.ADD.64.STRONG.GPU "
	    "desc[UR4][R2.64],R6"));
	assert_true(predicted(m, CONTENTION, NULL) == 0);
	in_line(m);
	m->kernel[0].metric[METRIC_L2_FROM_L1] += 11e6;	/* more of them */
	m->kernel[0].metric[METRIC_LSU_WAVEFRONTS] += 11e6;
	m->kernel[0].metric[METRIC_L2_SECTORS] += 11e6;
	give_code(m, code_text("adds", "REDG.E.ADD.64.STRONG.GPU "
	    "desc[UR4][R2.64],R6"));
	assert_true(predicted(m, CONTENTION, NULL) > 20);
}

/* As many atomics, but no evidence that they were queued. */
MADE_TEST(test_atomics_elsewhere)
{
	/* Faster than one place can execute them; or a small part of the time. */
	in_line(m)->metric[METRIC_L2_FROM_L1] *= 4;
	m->kernel[0].metric[METRIC_LSU_WAVEFRONTS] *= 4;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	in_line(m)->metric[METRIC_L2_FROM_L1] = 3e6;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	/* Few warps, whose trips to memory would take as long. */
	in_line(m)->metric[METRIC_OCCUPANCY] = 0.5;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	/* Not through L1's data pipe, or local arrays. */
	in_line(m)->metric[METRIC_LSU_WAVEFRONTS] = 1e6;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	in_line(m)->shape.local_per_thread = 64;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	m->kernel[0].metric[METRIC_LOCAL_LD_SECTORS] = 0;
	m->kernel[0].metric[METRIC_LOCAL_ST_SECTORS] = 0;
	assert_int_equal(state_of(m, CONTENTION), RULE_FOUND);
	/* It waits for pages of managed memory, or for host memory. */
	in_line(m);
	m->run.unified.used = m->run.unified.watched = true;
	m->run.unified.fault_ns = m->kernel[0].total_ns;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	in_line(m);
	m->run.unified.used = true;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	in_line(m)->metric[METRIC_L2_SYSMEM] = 1e6;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	/* Its code is known, and has no atomics. */
	in_line(m);
	give_code(m, "LDG.E R8,desc[UR4][R2.64]\nEXIT\n");
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
	code_release(m);
	/* If a unit is busy, or hardly any atomics are possible, it is clean. */
	in_line(m)->metric[METRIC_ISSUE_ACTIVE] = 70;
	assert_int_equal(state_of(m, CONTENTION), RULE_CLEAN);
	in_line(m)->metric[METRIC_L2_FROM_L1] = 1e6;
	assert_int_equal(state_of(m, CONTENTION), RULE_CLEAN);
	in_line(m)->metric[METRIC_L2_FROM_L1] = NAN;
	assert_int_equal(state_of(m, CONTENTION), RULE_NOT_MEASURED);
}

/* The line is known from the code, without counts. */
MADE_TEST(test_atomics_line)
{
	const struct finding *f;
	struct advice *a;

	in_line(m);
	give_code(m, "LDG.E R8,desc[UR4][R2.64]\n"
	    "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64],R8\nEXIT\n");
	a = made_advised(m);
	assert_non_null(a);
	f = found_in(a, CONTENTION);
	assert_int_equal(f->hots, 1);
	assert_int_equal(f->hot[0].pc, 16);
}

/* A kernel without shared memory has no barriers: what its few counters do not
 * explain has another cause, and more warps do not help. */
MADE_TEST(test_unexplained_without_detail)
{
	struct kernel *k;
	struct load l;

	k = in_line(m);
	load_of(&l, k, &m->device[0]);
	assert_true(l.unexplained > 0.8);
	k->shape.smem_static = 1024;
	load_of(&l, k, &m->device[0]);
	assert_true(l.unexplained == 0);
	k->metric[METRIC_SHARED_LD_INST] = k->metric[METRIC_SHARED_ST_INST] = 0;
	load_of(&l, k, &m->device[0]);
	assert_true(l.unexplained > 0.8);
}

/* A small grid is a fault only if there is work for more blocks, as the code
 * shows; an algorithm of dependent steps has none, and neither has a kernel
 * whose grid follows its data. */
MADE_TEST(test_small_grid_of_steps)
{
	const struct finding *f;
	struct advice *a;

	fault_one_block(m);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup <= 2);
	assert_true(f->saves_low_s > 0 && f->saves_low_s < f->saves_s);
	m->kernel[0].shape.smem_static = 4096;	/* its warps work together */
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup <= 2 && f->saves_low_s == 0);
	assert_int_equal(f->confidence, CONF_LOW);
	made_strides(&m->kernel[0]);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 10 && f->kernel_speedup <= 132);
	assert_true(f->saves_low_s < f->saves_s * 0.6);
	*made_kernel(m, "other", 1, 1000) = m->kernel[0];
	m->kernel[1].id = 2;
	m->kernel[1].shape.grid_x = 64;
	for (int i = 0; i < 2; i++)	/* one iteration a thread */
		m->kernel[i].metric[METRIC_INST_EXECUTED] =
		    m->kernel[i].shape.grid_x * 8 * 4;
	a = made_advised(m);
	for (size_t i = 0; i < a->findings; i++)
		if (strcmp(a->finding[i].rule, "grid-too-small") == 0)
			assert_true(a->finding[i].kernel_speedup <= 2);
}

/* What threads do together at barriers ends at their block: that must be divided before more
 * blocks are launched, unless the code shows that it is, or has other grids. */
MADE_TEST(test_small_grid_together)
{
	struct kernel *k = made_kernel(m, "k", 100, 200000);
	const struct finding *f;

	made_counters(m, k, 0.01);
	k->shape.grid_x = 1;
	k->shape.block_x = 32;
	k->shape.regs = 62;
	k->occupancy.waves = 1.0 / 1056;
	f = made_found(m, "grid-too-small");
	assert_lacks(f->advice, "do together");
	code_make(m, k, code_text("turns", "FFMA R4,R4,R5,R5\n"
	    "BAR.SYNC.DEFER_BLOCKING 0x0 | inst 6400"), 1);
	f = made_found(m, "grid-too-small");
	assert_has(f->advice, "split what its threads do together over blocks");
	assert_has(f->advice, "more threads, up to 1,024;");
	assert_has(f->advice, "then launch");
	assert_has(f->good_code, "part");
	k->shape.regs = 120;
	assert_has(made_found(m, "grid-too-small")->advice, "up to 544;");
	k->shape.block_x = 1024;
	assert_lacks(made_found(m, "grid-too-small")->advice, "more threads");
}

/* Two for each four SMs, which only compute: with a fourth of the threads in
 * each block, twice as many SMs work. */
MADE_TEST(test_loose_warps)
{
	struct kernel *k = made_kernel(m, "k", 100, 200000);
	const struct finding *f;

	made_counters(m, k, 0.01);
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 0.5;
	k->metric[METRIC_SM_CYCLES_ACTIVE_MAX] = 1;
	k->metric[METRIC_PIPE_ALU] = 98;
	k->shape.grid_x = 66;
	k->occupancy.waves = 66.0 / 1056;
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 1.9 && f->kernel_speedup < 2.1);
	assert_has(f->advice, "the warps of one do not cooperate");
	k->shape.grid_x = 8;	/* 64 warps do not fill 1,056 blocks */
	f = made_found(m, "grid-too-small");
	assert_has(f->advice, "launch up to 64 blocks");
	k->shape.grid_x = 66;
	k->shape.block_x = 32;	/* one warp each: nothing to distribute */
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup < 1.5 && f->saves_low_s == 0);
}

/* Whether the iterations of the loop "turns" with ${line} in it can be divided
 * among threads. */
static void
is_divided(const char *line, enum division by)
{
	struct made m;
	struct code *c;

	made_init(&m);
	c = &code_make(&m, made_kernel(&m, "k", 1, 1000), code_text("turns",
	    line), 1)->code;
	assert_int_equal(c->sass.loops, 1);
	if (divided_loop(c, 0) != by)
		fail_msg("%s: %d", line, divided_loop(c, 0));
	code_release(&m);
}

/* Values that an iteration passes to the next: counters and sums do not prevent
 * dividing. */
TEST(test_divided_turns)
{
	is_divided("FFMA R4,R5,R5,R4 | inst 6400", DIVIDED_SUMS);
	is_divided("FMNMX R4,R4,R5,!PT | inst 6400", DIVIDED_SUMS);
	is_divided("@P2 FADD R4,R4,R5 | inst 6400", DIVIDED_SUMS);
	is_divided("STG.E desc[UR4][R10.64],R5 | inst 6400", DIVIDED_FREELY);
	is_divided("STG.E desc[UR4][R2.64],R5 | inst 6400", DIVIDED_FREELY);
	/* Needs the sum of all before it, also where it stores that in place. */
	is_divided("FADD R4,R4,R5\nSTG.E desc[UR4][R10.64],R4 | inst 6400",
	    DIVIDED_SCAN);
	is_divided("STG.E desc[UR4][R2.64],R4\nFADD R4,R4,R5 | inst 6400",
	    DIVIDED_SCAN);
	/* Not divisible: the next iteration multiplies this one's result, or
	 * follows its pointer; reads what this one stored; or it is unknown
	 * whether there is a next one, as its data or their sum decide. */
	is_divided("FFMA R4,R4,R5,R5 | inst 6400", DIVIDED_NOT);
	is_divided("LDG.E.64 R2,desc[UR4][R2.64] | inst 6400", DIVIDED_NOT);
	is_divided("STG.E desc[UR4][R2.64+0x4],R5 | inst 6400", DIVIDED_NOT);
	is_divided("ISETP.EQ.AND P2,PT,R5,RZ,PT\n@P2 EXIT | inst 6400",
	    DIVIDED_NOT);
	is_divided("IADD3 R4,R4,R5,RZ\nISETP.GT.AND P2,PT,R4,R6,PT\n@P2 EXIT "
	    "| inst 6400", DIVIDED_NOT);
	is_divided("BAR.SYNC.DEFER_BLOCKING 0x0 | inst 6400", DIVIDED_NOT);
	is_divided("FSETP.GT.AND P2,PT,R5,R4,PT\n@P2 MOV R4,R5 | inst 6400",
	    DIVIDED_NOT);
}

/* A prefix sum of several elements an iteration, in place: none is touched again, unless
 * the iterations overlap. */
TEST(test_prefix_sum)
{
	static const char *const step[] = { "0x8", "0x4" };

	for (int i = 0; i < 2; i++) {
		struct made m;
		struct code *c;

		made_init(&m);
		c = &code_make(&m, made_kernel(&m, "k", 1, 1000),
		    code_text("prefix", step[i]), 1)->code;
		assert_int_equal(divided_loop(c, 0), i == 0 ? DIVIDED_SCAN :
		    DIVIDED_NOT);
		code_release(&m);
	}
}

static void
is_tiled(const char *barrier, const char *more, const char *behind, bool divided)
{
	struct made m;
	struct code *c;

	made_init(&m);
	c = &code_make(&m, made_kernel(&m, "k", 1, 1000), code_text("staged",
	    barrier, more, behind), 1)->code;
	assert_int_equal(c->sass.loops, 1);
	if (divided_loop(c, 0) != (divided ? DIVIDED_SUMS : DIVIDED_NOT))
		fail_msg("%s; %s; %s", barrier, more, behind);
	code_release(&m);
}

/* What an iteration stores to shared memory and loads behind a barrier is its own:
 * other blocks can take iterations over. */
TEST(test_divided_tiles)
{
	static const char barrier[] = "BAR.SYNC.DEFER_BLOCKING 0x0";

	is_tiled(barrier, "NOP", "NOP", true);
	/* A value for the next iteration: in shared memory, loaded before, or
	 * stored elsewhere each time; in a register that only some lanes write. */
	is_tiled("NOP", "NOP", "NOP", false);
	is_tiled(barrier, "STS [R12+0x4],R4", "NOP", false);
	is_tiled(barrier, "STS [R2],R8", "NOP", false);
	is_tiled(barrier, "ATOMS.ADD RZ,[R12],R8", "NOP", false);
	is_tiled(barrier, "FMUL R9,R5,R5", "NOP", false);
	is_tiled(barrier, "NOP", "STG.E desc[UR4][R10.64],R5", false);
}

/* Blocks of which one in twenty has almost all of the work: dealt out evenly they
 * are done in little more than a twentieth of the time, not in a tenth at least. */
MADE_TEST(test_very_uneven)
{
	struct kernel *k = made_kernel(m, "k", 100, 200000);
	const struct finding *f;

	made_counters(m, k, 0.01);
	k->shape.grid_x = 1320;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 1;
	k->metric[METRIC_SM_CYCLES_ACTIVE_MAX] = 20;
	f = made_found(m, "sm-imbalance");
	assert_true(f->kernel_speedup > 12 && f->kernel_speedup < 20);
}

/* A grid of one wave, of whose blocks of eight warps ${warps} reside in the mean cycle of
 * an SM; all SMs work as long. Its loop has the instruction ${barrier}, and ${behind}
 * follows. */
static void
one_wave(struct made *m, const char *barrier, const char *behind, double warps)
{
	struct kernel *k;

	made_again(m);
	k = code_kernel(m, 0.02, code_text("meets", barrier, behind));
	m->code[0]->code.counted = false;
	k->shape.grid_x = 132 * 4;
	k->occupancy.waves = 0.5;
	k->metric[METRIC_OCCUPANCY] = 100 * 4 * warps / 64;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] =
	    k->metric[METRIC_SM_CYCLES_ACTIVE_MAX];
}

/* Where all warps meet at a barrier in each turn, none has exited before its block: few
 * reside as most blocks have ended. In sound programs some end earlier, too. */
MADE_TEST(test_blocks_within)
{
	static const char block[] = "BAR.SYNC.DEFER_BLOCKING 0x0";
	static const char some[] = "BAR.SYNC.DEFER_BLOCKING 0x1,0x40";
	static const char first[] = "ISETP.GT.AND P1,PT,R0,0x1f,PT\n@P1 EXIT\n"
	    "LDG.E R7,desc[UR4][R2.64]\nISETP.NE.AND P0,PT,R7,RZ,PT\n"
	    "@P0 BRA #12";
	const struct finding *f;

	one_wave(m, block, "NOP", 1.2);
	made_quiet(m, "serial-kernel");
	f = made_found(m, "sm-imbalance");
	assert_has(f->summary, "15 %");
	assert_true(f->kernel_speedup > 1.5 && f->kernel_speedup < 8 / 1.2);
	m->kernel[0].metric[METRIC_SM_CYCLES_ACTIVE_AVG] /= 2;
	f = made_found(m, "sm-imbalance");
	assert_has(f->summary, "7.5 %");
	one_wave(m, block, "NOP", 3);
	made_found(m, "sm-imbalance");
	m->kernel[0].occupancy.waves = 1;
	m->kernel[0].occupancy.blocks_per_sm = 4;
	made_found(m, "sm-imbalance");
	made_quiet(m, "low-achieved-occupancy");
	m->kernel[0].occupancy.waves = 1.5;	/* others follow */
	made_quiet(m, "sm-imbalance");
	one_wave(m, block, "NOP", 0.6 * 8);
	made_quiet(m, "sm-imbalance");
	/* Without the barrier, or with one of some warps, the others may have exited. */
	one_wave(m, "NOP", "NOP", 1.2);
	made_found(m, "serial-kernel");
	made_quiet(m, "sm-imbalance");
	one_wave(m, some, "NOP", 1.2);
	made_found(m, "serial-kernel");
	made_quiet(m, "sm-imbalance");
	/* All wait for the last at the end; the first warp goes on alone. */
	one_wave(m, "NOP", block, 1.2);
	made_quiet(m, "serial-kernel");
	made_found(m, "sm-imbalance");
	one_wave(m, block, first, 1.2);
	made_found(m, "serial-kernel");
	made_quiet(m, "sm-imbalance");
}

/* A block for each SM, the last of which have next to nothing to do: that the grid is
 * small, too, does not explain it. A block more on half of the SMs it does. */
MADE_TEST(test_uneven_and_few)
{
	struct kernel *k = made_kernel(m, "k", 100, 200000);

	made_counters(m, k, 0.01);
	k->shape.grid_x = 132;
	k->occupancy.waves = 132.0 / 1056;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 1;
	k->metric[METRIC_SM_CYCLES_ACTIVE_MAX] = 2;
	made_found(m, "grid-too-small");
	made_found(m, "sm-imbalance");
	k->shape.grid_x = 198;
	k->occupancy.waves = 198.0 / 1056;
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 1.5;
	made_found(m, "grid-too-small");
	made_quiet(m, "sm-imbalance");
}

/* One thread for each sum, and few sums: the iterations of its loop can be
 * divided among many. */
MADE_TEST(test_divided_sum)
{
	struct kernel *k = made_kernel(m, "k", 100, 200000);
	const struct finding *f;
	double sums;

	made_counters(m, k, 0.01);
	k->shape.grid_x = 33;
	k->shape.block_x = 32;
	k->occupancy.waves = 33.0 / 1056;
	code_make(m, k, code_text("turns", "FFMA R4,R5,R5,R4 | inst 6400"), 1);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 4 && f->kernel_speedup < 64);
	assert_has(f->advice, "whose sums are added");
	sums = f->kernel_speedup;
	code_make(m, k, code_text("turns", "FADD R4,R4,R5\n"
	    "STG.E desc[UR4][R10.64],R4 | inst 6400"), 1);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 1.2 && f->kernel_speedup < 0.7 * sums);
	assert_has(f->advice, "cub::BlockScan");
	code_make(m, k, code_text("turns", "FFMA R4,R4,R5,R5 | inst 6400"), 1);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup < 2 && f->saves_low_s == 0);
}

/* A division calls the compiler's own function for rare arguments, which computes what
 * the code before the call does otherwise; another function may do anything. */
MADE_TEST(test_divided_division)
{
	for (int own = 0; own < 2; own++) {
		struct code *c;

		made_again(m);
		c = &code_make(m, made_kernel(m, "k", 1, 1000),
		    code_text("turns", code_text("by_division", own ?
		    "$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath" :
		    "other")), 1)->code;
		assert_int_equal(c->sass.loops, 1);
		assert_int_equal(divided_loop(c, 0),
		    own ? DIVIDED_SUMS : DIVIDED_NOT);
	}
}

/* Work that the program distributes to its warps could be distributed to more,
 * even if an iteration needs the previous one. */
MADE_TEST(test_dealt_turns)
{
	struct kernel *k = made_kernel(m, "k", 100, 200000);
	const struct finding *f;

	made_counters(m, k, 0.01);
	k->shape.grid_x = 33;
	k->shape.smem_static = 4096;
	k->occupancy.waves = 33.0 / 1056;
	code_make(m, k, code_text("dealt", "0x8"), 1);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 4 && f->saves_low_s > 0);
	code_make(m, k, code_text("dealt", "0x10"), 1);	/* unrolled */
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 4);
	code_make(m, k, code_text("dealt", "0x3"), 1);	/* not distributed */
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup < 2 && f->saves_low_s == 0);
}

/* One block, while two fit on each of 132 SMs: the distributed work can fill
 * all of them. */
MADE_TEST(test_dealt_to_all)
{
	struct kernel *k = made_kernel(m, "k", 100, 20000000);
	const struct finding *f;

	made_counters(m, k, 0.0001);
	k->metric[METRIC_SM_CYCLES_ACTIVE_AVG] = 100 / 132.0;
	k->metric[METRIC_OCCUPANCY] = 50;
	k->metric[METRIC_ISSUE_ACTIVE] = 0.05;
	k->shape.grid_x = 1;
	k->shape.block_x = 1024;
	k->shape.smem_static = 4096;
	k->occupancy.waves = 1 / 264.0;
	made_strides(k);
	f = made_found(m, "grid-too-small");
	assert_true(f->kernel_speedup > 200 && f->kernel_speedup < 264);
}

/* One block on each SM, and only as many: no SM gets a second one. */
MADE_TEST(test_no_second_block)
{
	fault_many_registers(m);
	m->kernel[0].shape.grid_x = 132;
	m->kernel[0].occupancy.waves =
	    1.0 / m->kernel[0].occupancy.blocks_per_sm;
	made_quiet(m, "low-theoretical-occupancy");
	/* A grid that fills all places grows with them. */
	made_again(m);
	fault_many_registers(m);
	m->kernel[0].shape.grid_x = 132 *
	    m->kernel[0].occupancy.blocks_per_sm;
	m->kernel[0].occupancy.waves = 1;
	assert_true(predicted(m, "low-theoretical-occupancy", NULL) > 1.1);
}
