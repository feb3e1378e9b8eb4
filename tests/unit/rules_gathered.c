/*
 * How registers differ between threads, the access patterns that follow, and
 * the findings about accesses whose addresses were loaded.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/access.h"
#include "rules/evidence/affine.h"

#include "unit/advise.h"

/* --- differences between threads --------------------------------------------- */

/* The address of instruction ${at} of ${text}, in blocks of ${x} × ${y}. */
static struct affine
address_of(const char *text, uint32_t at, uint32_t x, uint32_t y)
{
	struct affine *all, one;
	struct kernel *k;
	struct made m;

	made_init(&m);
	k = made_kernel(&m, "k", 1, 1000);
	k->shape.block_x = x;
	k->shape.block_y = y;
	all = affine_addresses(&code_make(&m, k, text, 1)->code, &k->shape);
	assert_non_null(all);
	one = all[at];
	free(all);
	code_release(&m);
	return one;
}

static void
is_steps(struct affine a, int32_t x, int32_t y)
{
	assert_int_equal(a.kind, AFFINE_STEPS);
	assert_int_equal(a.x, x);
	assert_int_equal(a.y, y);
}

TEST(test_steps)
{
	is_steps(address_of(code_text("index_times_4"), 6, 256, 1), 4, 0);
	/* Three times the thread's index, by a shift and an addition. */
	is_steps(address_of(code_text("index_times_12"), 7, 256, 1), 12, 0);
	/* A row whose length is only known at launch. */
	is_steps(address_of(code_text("row_of_any_length"), 7, 256, 1), AFFINE_SOME, 0);
	/* Offset within the block's row, and in the next row: the width is known. */
	is_steps(address_of("S2R R0,SR_TID.X\n"
	    "S2R R1,SR_TID.Y\n"
	    "ULDC UR4,c[0x0][0x0]\n"
	    "IMAD R0,R1,UR4,R0\n"
	    "SHF.L.U32 R0,R0,0x2,RZ\n"
	    "LDS R8,[R0+UR5]\n", 5, 16, 16), 4, 64);
	/* The warp's number, and the lane in it. */
	is_steps(address_of(code_text("warp_and_lane"), 9, 256, 1), 8, 0);
	/* A value that all lanes load is not an index of their own. */
	is_steps(address_of("S2UR UR6,SR_CTAID.X\n"
	    "LDC.64 R2,c[0x0][0x210]\n"
	    "LDG.E R6,desc[UR4][UR6.64]\n"
	    "IMAD.WIDE R2,R6,0x4,R2\n"
	    "LDG.E R8,desc[UR4][R2.64]\n", 4, 256, 1), 0, 0);
}

TEST(test_ways)
{
	/* The value does not change in a loop. */
	is_steps(address_of(code_text("around_a_loop"), 6, 256, 1), 0x800, 0);
	/* Two possible values: unknown. */
	assert_int_equal(address_of(code_text("one_way_or_the_other"), 9, 256, 1).kind,
	    AFFINE_UNKNOWN);
	assert_int_equal(address_of(code_text("loaded_on_one_way"), 8, 256, 1).kind,
	    AFFINE_LOADED);
	/* A linked list: from element to element. */
	assert_int_equal(address_of(code_text("list"), 6, 256, 1).kind,
	    AFFINE_LOADED);
	/* A spilled register: unknown. */
	assert_int_equal(address_of(code_text("spilled"), 7, 256, 1).kind,
	    AFFINE_UNKNOWN);
	/* Another lane's value. */
	assert_int_equal(address_of(code_text("of_another_lane"), 7, 256, 1).kind,
	    AFFINE_UNKNOWN);
}

/* The step of "LDS R8,[R0]" if ${how} computes R0 from the thread's index. */
static struct affine
masked(const char *how)
{
	char text[256];

	snprintf(text, sizeof(text), "S2R R0,SR_TID.X\nSHF.L.U32 R0,R0,0x8,RZ\n"
	    "%s\nLDS R8,[R0]\n", how);
	return address_of(text, 3, 256, 1);
}

/* Lane and warp are distinguished wherever their bits are. */
TEST(test_masked)
{
	is_steps(masked("LOP3.LUT R0,R0,0x1f00,RZ,0xc0,!PT"), 256, 0);
	is_steps(masked("LOP3.LUT R0,R0,0xffffe000,RZ,0xc0,!PT"), 0, 0);
	is_steps(masked("SHF.R.U32.HI R0,RZ,0x6,R0"), 4, 0);
	is_steps(masked("SHF.R.U32.HI R0,RZ,0xd,R0"), 0, 0);
	/* The lower half of a 64-bit number, and of one whose lower part is 0. */
	is_steps(masked("SHF.R.U64 R0,R0,0x6,R1"), 4, 0);
	is_steps(masked("SHF.R.U64 R0,R0,0xd,R1"), 0, 0);
	assert_int_equal(masked("SHF.R.U64 R0,R0,0x9,R1").kind, AFFINE_UNKNOWN);
	is_steps(masked("SHF.R.S64 R0,RZ,0x1e,R0"), 1024, 0);
	/* A signed number divided by 32 in the warp: its sign, corrected. */
	is_steps(address_of("S2R R0,SR_TID.X\n"
	    "SHF.R.S32.HI R1,RZ,0x1f,R0\n"
	    "LEA.HI R1,R1,R0,RZ,0x5\n"
	    "SHF.R.S32.HI R1,RZ,0x5,R1\n"
	    "LDS R8,[R1]\n", 4, 256, 1), 0, 0);
	/* A sum with the warp's number, which the upper bits are. */
	is_steps(address_of("S2R R0,SR_TID.X\n"
	    "LDC R2,c[0x0][0x210]\n"
	    "LEA.HI R1,R0,R2,RZ,0x1b\n"
	    "LDS R8,[R1]\n", 3, 256, 1), 0, 0);
	assert_int_equal(masked("LOP3.LUT R0,R0,0x700,RZ,0xc0,!PT").kind,
	    AFFINE_UNKNOWN);
	assert_int_equal(masked("SHF.R.U32.HI R0,RZ,0x9,R0").kind,
	    AFFINE_UNKNOWN);
}

/* Registers that one of the compiler's functions does not write are unchanged
 * after its call. */
TEST(test_called)
{
	static const char *const text = "S2R R5,SR_TID.X\n"
	    "CALL.REL.NOINC $__internal_1_$__cuda_sm3x_div_rn_noftz_f32_slowpath\n"
	    "IMAD.SHL.U32 R0,%s,0x4,RZ\n"
	    "LDG.E R8,desc[UR4][R0.64]\n"
	    "EXIT\n"
	    "FADD R5,R5,R5\n"
	    "RET.REL.NODEC R2,_Z1kPf\n"
	    "FADD R9,R8,R7\n"
	    "RET.REL.NODEC R2,_Z1kPf\n";
	char own[512], written[512];

	snprintf(own, sizeof(own), text, "R5");
	is_steps(address_of(own, 3, 256, 1), 4, 0);
	snprintf(written, sizeof(written), text, "R9");
	assert_int_equal(address_of(written, 3, 256, 1).kind, AFFINE_UNKNOWN);
	/* If the function is missing, what it writes is unknown. */
	*strstr(own, "FADD") = '\0';
	assert_int_equal(address_of(own, 3, 256, 1).kind, AFFINE_UNKNOWN);
}

static double
sectors(int32_t x, int32_t y, uint32_t bytes, uint32_t width, uint32_t height)
{
	struct record_SIGNATURE shape = { .block_x = width, .block_y = height };
	struct affine a = { .kind = AFFINE_STEPS, .x = x, .y = y };

	return affine_sectors(&a, bytes, &shape);
}

static double
wavefronts(int32_t x, int32_t y, uint32_t bytes, uint32_t width,
    uint32_t height)
{
	struct record_SIGNATURE shape = { .block_x = width, .block_y = height };
	struct affine a = { .kind = AFFINE_STEPS, .x = x, .y = y };

	return affine_wavefronts(&a, bytes, &shape);
}

TEST(test_lanes)
{
	assert_true(sectors(4, 0, 4, 256, 1) == 4);
	assert_true(sectors(-4, 0, 4, 256, 1) == 4);
	assert_true(sectors(16, 0, 16, 256, 1) == 16);
	assert_true(sectors(12, 0, 4, 256, 1) == 12);
	assert_true(sectors(4096, 0, 4, 256, 1) == 32);
	assert_true(sectors(AFFINE_SOME, 0, 4, 256, 1) == 32);
	assert_true(sectors(0, 0, 4, 256, 1) == 1);
	/* Columns of a matrix whose width is only known at launch, two rows in
	 * a warp. */
	assert_true(sectors(AFFINE_SOME, 4, 4, 16, 16) == 16);
	assert_true(sectors(AFFINE_SOME, 64, 4, 16, 16) == 32);
	assert_true(sectors(AFFINE_SOME, AFFINE_SOME, 4, 16, 16) == 32);
	assert_true(sectors(AFFINE_SOME, -16, 4, 8, 8) == 16);
	assert_true(isnan(sectors(AFFINE_SOME, 4, 4, 16, 1)));
	assert_true(sectors(4, 4096, 4, 16, 16) == 4);
	assert_true(sectors(4, 4096, 4, 8, 8) == 4);
	assert_true(sectors(4096, 4, 4, 16, 16) == 16);
	assert_true(isnan(sectors(4, AFFINE_SOME, 4, 16, 16)));
	assert_true(isnan(sectors(4, 0, 4, 16, 1)));	/* half a warp */
	assert_true(isnan(sectors(4, 0, 0, 256, 1)));
	assert_true(wavefronts(4, 0, 4, 256, 1) == 1);
	assert_true(wavefronts(128, 0, 4, 256, 1) == 32);
	assert_true(wavefronts(132, 0, 4, 256, 1) == 1);
	assert_true(wavefronts(8, 0, 4, 256, 1) == 2);
	assert_true(wavefronts(8, 0, 8, 256, 1) == 2);
	assert_true(wavefronts(16, 0, 16, 256, 1) == 4);
	assert_true(wavefronts(0, 0, 16, 256, 1) == 1);
	assert_true(wavefronts(1, 0, 1, 256, 1) == 1);
	assert_true(wavefronts(4, 128, 4, 16, 16) == 2);
}

/* The analysis of long code gives up after a bounded time. */
TEST(test_bounded)
{
	char *text = malloc(480 * 40);
	size_t at = 0;

	assert_non_null(text);
	for (int i = 0; i < 400; i++)
		at += (size_t)snprintf(text + at, 480 * 40 - at,
		    "@P0 BRA #%d\n", (i * 7) % 400);
	snprintf(text + at, 480 * 40 - at, "LDG.E R0,desc[UR4][R3.64]\n");
	assert_true(address_of(text, 400, 256, 1).kind != AFFINE_STEPS);
	free(text);
	/* Invalid code is read without harm. */
	address_of("IMAD\nLEA R5\nSHF.L.U32 R5,R5\nLOP3.LUT R1,R2\n"
	    "LDC R5,c[0x0][\nSHF.R.U32.HI R4\nIMAD R5,R300,UR300,RZ\n"
	    "LDG.E R0,desc[UR4][R254.64+\nIADD3 R3,-,--,!\nVIADD R1,-R\n"
	    "LDC R2,c[0x0][U\nMOV R2,U\nMOV R2,c[\n", 7,
	    0, 0);
}

/* --- loaded addresses ---------------------------------------------------------- */

static void
spmv(struct made *m)
{
	struct kernel *k = made_measured(m, "_Z4spmvPf", 10000, 200000, 0.4);

	code_make(m, k, code_text("spmv"), CODE_SCALE);
	k->metric[METRIC_L2_PCT] = 91;
}

static struct kernel *
table(struct made *m, const char *element, const char *stride,
    const char *loads)
{
	struct kernel *k = made_measured(m, "_Z4lookPf", 10000, 200000, 0.4);

	code_make(m, k, code_text("table_lookup", element, stride, loads), CODE_SCALE);
	k->metric[METRIC_L2_PCT] = 91;
	return k;
}

static void
gather(struct made *m)
{
	table(m, "0x4", "0x4", "LDG.E R16,desc[UR4][R10.64] | inst 100 "
	    "sectors 3100 ideal 400 line 6\n");
}

/* Two fields of one object. */
static void
gather_objects(struct made *m)
{
	table(m, "0x20", "0x4", "LDG.E R16,desc[UR4][R10.64] | inst 100 "
	    "sectors 3100 ideal 400 line 6\n"
	    "LDG.E R17,desc[UR4][R10.64+0x4] | inst 100 sectors 3100 "
	    "ideal 400 line 6\n");
}

/* Indexed by the thread: the coalescing rule applies. */
static void
strided(struct made *m)
{
	table(m, "0x4", "0x4", "IMAD.WIDE R10,R5,0x400,R2 | inst 100 line 6\n"
	    "LDG.E R16,desc[UR4][R10.64] | inst 100 sectors 3200 ideal 400 "
	    "line 6\n");
}

static const struct finding *
uncoalesced(const struct advice *a)
{
	const struct finding *f = found_in(a, "uncoalesced-global-access");

	assert_null(made_finding(a, "array-of-structures"));
	return f;
}

TEST(test_gathered)
{
	const struct finding *f, *g;
	struct advice *a, *b;
	struct made m, n;

	a = advise(gather, &m);
	f = uncoalesced(a);
	assert_has(f->title, "gathered");
	assert_has(f->advice, "sort or renumber");
	assert_lacks(f->advice, "threadIdx.x the fastest");
	assert_lacks(f->advice, "float4");
	assert_int_equal(f->hot[0].line, 6);
	/* No order of the indices may help: the low view has no gain. */
	assert_true(f->saves_low_s < 1e-9 && f->saves_s > 0);
	b = advise(strided, &n);
	g = uncoalesced(b);
	assert_has(g->advice, "threadIdx.x the fastest");
	assert_true(g->saves_low_s > 0 && g->saves_s > f->saves_s);
	/* If sorted, all lanes may load the same word: with full sectors it is 0.85. */
	assert_true(f->saves_high_s / g->saves_high_s > 0.86);
	finish(a, &m);
	finish(b, &n);
	a = advise(gather_objects, &m);
	assert_has(uncoalesced(a)->advice, "float4");
	finish(a, &m);
}

/* The first lane of a row comes from a division, which affine.h does not know; where its
 * row begins was loaded. The same number of sectors each time is a stride. */
MADE_TEST(test_gathered_by_division)
{
	const struct finding *f;

	code_kernel(m, 0.3, code_text("row_of_eight", "688", "2680"));
	f = uncoalesced(made_advised(m));
	assert_has(f->title, "gathered");
	assert_lacks(f->advice, "threadIdx.x the fastest");
	made_again(m);
	code_kernel(m, 0.3, code_text("row_of_eight", "800", "3200"));
	assert_has(uncoalesced(made_advised(m))->title, "uncoalesced");
}

/* What is said of half a warp for each row of a table, at random; NULL: nothing. */
static const struct finding *
rows_advice(struct made *m, const char *rule, const char *length, const char *lanes,
    const char *sectors)
{
	made_again(m);
	code_kernel(m, 0.8, code_text("rows_at_random", length, lanes, sectors));
	return made_finding(made_advised(m), rule);
}

/* Rows of 15 words begin anywhere: 2.75 sectors each, and 2 if padded to 16. */
MADE_TEST(test_rows_at_random)
{
	static const char rule[] = "misaligned-access";
	const struct finding *f;

	f = rows_advice(m, rule, "0xf", "30", "550");
	assert_non_null(f);
	assert_has(f->advice, "pad each row from 60 to 64 bytes");
	if (!(f->kernel_speedup > 1.1 && f->kernel_speedup < 1.375))
		fail_msg("× %g", f->kernel_speedup);
	assert_has(f->summary, "5.5 sectors per request where 4 would do");
	assert_null(rows_advice(m, "uncoalesced-global-access", "0xf", "30", "550"));
	/* Other counts than their length gives. */
	assert_null(rows_advice(m, rule, "0xf", "30", "700"));
	/* A part of a longer row: its length does not tell where parts begin. */
	assert_null(rows_advice(m, rule, "0x1e1", "32", "575"));
	assert_null(rows_advice(m, rule, "0x1f", "32", "575"));
	/* Rows of whole sectors. */
	assert_null(rows_advice(m, rule, "0x10", "32", "575"));
}

/* The finding about rows of whole sectors behind a header, if the launch takes ${sectors};
 * NULL: none. */
static const struct finding *
header_advice(struct made *m, const char *sectors)
{
	made_again(m);
	code_kernel(m, 0.8, code_text("rows_behind_header", sectors));
	return made_finding(made_advised(m), "misaligned-access");
}

/* All rows begin as far within a sector as the header is long: 3 sectors each, not 2. */
MADE_TEST(test_rows_behind_header)
{
	const struct finding *f = header_advice(m, "2400");

	assert_non_null(f);
	assert_has(f->summary, "6 sectors per request where 4 would do");
	/* They lie as far apart as before: DRAM reads, here half of what it moves, fall
	 * as the sectors do. */
	if (!(f->kernel_speedup > 1.1 && f->kernel_speedup < 1.5))
		fail_msg("× %g", f->kernel_speedup);
	assert_has(f->advice, "rows of 64 bytes are whole sectors");
	assert_has(f->advice, "header");
	/* Rows drawn at random may be neighbours, which share a sector. */
	assert_non_null(header_advice(m, "2399"));
	/* Positions that are aligned now and then, or that share more. */
	assert_null(header_advice(m, "2390"));
	assert_null(header_advice(m, "2401"));
}

MADE_TEST(test_walked)
{
	const struct finding *f;
	struct advice *a;

	a = advised(spmv, m);
	f = uncoalesced(a);
	assert_has(f->title, "walks a row");
	assert_has(f->advice, "to a warp");
	assert_true(f->saves_low_s > 0 && f->saves_low_s < f->saves_s);
	assert_true(f->saves_s < f->saves_high_s);
}

/* Lookups of 99 MB of sectors in ${memory} bytes, L2 a quarter of 80 MB, of which
 * ${read} bytes come from DRAM. */
static void
look_up(struct made *m, double memory, double read)
{
	struct kernel *k = made_measured(m, "_Z4lookPf", 10000, 45000, 0.4);
	double *v = k->metric;

	code_make(m, k, code_text("table_lookup", "0x4", "0x4",
	    "LDG.E R16,desc[UR4][R10.64] | inst 100 sectors 3100 ideal 400 "
	    "line 6\n"), CODE_SCALE);
	v[METRIC_DRAM_PCT] = 92;
	v[METRIC_L2_PCT] = 30;
	v[METRIC_DRAM_READ] = read;
	m->run.peak_memory_bytes = (uint64_t)memory;
	m->device[0].limits.l2_bytes = 20u << 20;
}

/* A table larger than L2, each sector of which is looked up more than once, is better
 * taken by segments; not one that L2 holds, that is looked up once, or that is. */
MADE_TEST(test_lookups)
{
	static const struct {
		double memory, read;
		bool found;
	} cases[] = {
		{ 80e6, 150e6, true },
		{ 80e6, 60e6, false },		/* L2 has what comes again */
		{ 300e6, 150e6, false },	/* nothing comes again */
		{ 30e6, 150e6, false },		/* L2 holds most of it */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;

		made_again(m);
		look_up(m, cases[i].memory, cases[i].read);
		f = made_finding(made_advised(m), "l2-thrash");
		if ((f != NULL && strcmp(f->title, "lookups miss L2") == 0) !=
		    cases[i].found)
			fail_msg("case %zu: %s", i, f == NULL ? "nothing" :
			    f->title);
		if (f != NULL && cases[i].found)
			assert_has(f->advice, "bucket the indices");
	}
}

/* The row continues in the outer loop: a warp still walks it, and also the list
 * of rows: one finding covers both. */
MADE_TEST(test_walked_outside)
{
	const struct finding *f;
	struct advice *a;

	code_kernel(m, 0.3, code_text("rows_by_element"));
	a = made_advised(m);
	f = uncoalesced(a);
	assert_has(f->title, "walks a row");
	assert_true(f->kernel_speedup > 3);
	assert_true(f->shapes <= 1);
}

/* Two faults of one kernel are not two shapes of it. */
MADE_TEST(test_two_faults)
{
	struct kernel *k = code_kernel(m, 0.3, code_text("table_lookup", "0x4",
	    "0x100", "LDG.E R16,desc[UR4][R10.64] | inst 100 sectors 3200 "
	    "ideal 400 line 6"));
	struct code *c = (struct code *)k->code;
	struct advice *a;
	size_t found = 0;

	for (size_t i = 0; i < c->instructions; i++)
		if (c->instruction[i].value[SOURCE_GLOBAL_ST] > 0) {
			double *v = c->instruction[i].value;

			c->total[SOURCE_GLOBAL_SECTORS] +=
			    7 * v[SOURCE_GLOBAL_SECTORS];
			v[SOURCE_GLOBAL_SECTORS] *= 8;
		}
	a = made_advised(m);
	for (size_t i = 0; i < a->findings; i++) {
		if (strcmp(a->finding[i].rule, "uncoalesced-global-access"))
			continue;
		found++;
		assert_int_equal(a->finding[i].shapes, 0);
	}
	assert_int_equal(found, 2);
}

/* Only sums were counted, but the code was read. */
MADE_TEST(test_uncounted)
{
	static builder *const build[] = { gather, strided };
	struct advice *a;

	for (size_t i = 0; i < 2; i++) {
		made_again(m);
		build[i](m);
		m->code[0]->code.counted = false;
		m->kernel[0].metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 7;
		a = made_advised(m);
		assert_true((strstr(uncoalesced(a)->title, "gathered") != NULL)
		    == (i == 0));
	}
}
