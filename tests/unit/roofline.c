/*
 * Floating-point operations of instructions, and the resulting position of a
 * kernel in the roofline.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/gain/gain.h"
#include "report/roofline.h"
#include "source/sass.h"
#include "unit/advise.h"

#define near(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs((double)(b)))

TEST(operations)
{
	static const struct {
		const char *text;
		int known;
		enum flop_kind kind;
		double lane, rate;
	} row[] = {
		{ "FADD.FTZ R2,-R2,R3", 1, FLOP_FP32, 1, 1 },
		{ "FMUL R2,R2,R3", 1, FLOP_FP32, 1, 1 },
		{ "FFMA R2,R3,R4,R5", 1, FLOP_FP32, 2, 1 },
		{ "FFMA2 R2,R4,R6,R8", 1, FLOP_FP32, 4, 1 },
		{ "DFMA R2,R4,R6,R8", 1, FLOP_FP64, 2, 1 },
		{ "DADD R2,R4,R6", 1, FLOP_FP64, 1, 1 },
		{ "HFMA2 R2,R3,R4,R5", 1, FLOP_FP16, 4, 1 },
		{ "HADD2.BF16_V2 R2,R3,R4", 1, FLOP_FP16, 2, 1 },
		/* No floating-point operation, or none that counts. */
		{ "HADD2.F32 R2,-RZ,R3.H0_H0", 0, 0, 0, 0 },
		{ "HFMA2.MMA R2,-RZ,RZ,0,0", 0, 0, 0, 0 },
		{ "MUFU.RCP R9,R0", 0, 0, 0, 0 },
		{ "FSETP.GT.AND P0,PT,R3,R4,PT", 0, 0, 0, 0 },
		{ "F2F.F64.F32 R2,R4", 0, 0, 0, 0 },
		{ "IMAD.WIDE R2,R3,0x4,R6", 0, 0, 0, 0 },
		{ "LDG.E R4,desc[UR4][R6.64]", 0, 0, 0, 0 },
		{ "IMMA.16832.S8.S8 R4,R8.ROW,R12.COL,R4", 0, 0, 0, 0 },
		/* 2·16·8·16 for a warp, 128 for a lane. */
		{ "HMMA.16816.F32 R4,R8,R12,R4", 1, FLOP_TENSOR, 128, 1 },
		{ "HMMA.1688.F32.TF32 R4,R8,R12,R4", 1, FLOP_TENSOR, 64, 0.5 },
		{ "HMMA.SP.16832.F32 R4,R8,R12,R4,R3,0x0", 1, FLOP_TENSOR, 256,
		  2 },
		{ "DMMA.884 R4,R8,R12,R4", 1, FLOP_TENSOR, 16, 1.0 / 16 },
		{ "DMMA.8x8x4 R4,R8,R12,R4", 1, FLOP_TENSOR, 16, 1.0 / 16 },
		{ "QMMA.16832.F32.E4M3.E4M3 R4,R8,R12,R4", 1, FLOP_TENSOR, 256,
		  2 },
		/* Four warps share it: 2·64·256·16 / 128. */
		{ "HGMMA.64x256x16.F32 R24,gdesc[UR4],R24", 1, FLOP_TENSOR,
		  4096, 1 },
		/* The shape is not in the code, or only partly. */
		{ "HMMA.884.F32.F32.STEP0 R4,R8,R12,R4", -1, 0, 0, 0 },
		{ "UTCHMMA gdesc[UR4],gdesc[UR6],tmem[UR8]", -1, 0, 0, 0 },
		{ "HGMMA.64x99999999999999999999x16 R24,gdesc[UR4],R24", -1, 0,
		  0, 0 },
		{ "HGMMA.64x0x16 R24,gdesc[UR4],R24", -1, 0, 0, 0 },
		{ "HGMMA.64x8 R24,gdesc[UR4],R24", -1, 0, 0, 0 },
		{ "HGMMA R24,gdesc[UR4],R24", -1, 0, 0, 0 },
	};
	char text[128];

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct flops f;
		struct sass s;

		snprintf(text, sizeof(text), "0000 %s\n", row[i].text);
		assert_int_equal(sass_parse(&s, text, strlen(text)), 0);
		assert_int_equal(s.instructions, 1);
		if (flops_of(&s.instruction[0], &f) != row[i].known)
			fail_msg("%s: not %d", row[i].text, row[i].known);
		if (row[i].known > 0) {
			assert_int_equal(f.kind, row[i].kind);
			near(f.lane, row[i].lane);
			near(f.rate, row[i].rate);
		}
		sass_free(&s);
	}
}

/* The roofline of kernel ${k}. */
static struct roofline
roof_of(const struct made *m, const struct kernel *k)
{
	struct roofline r;
	struct load load;

	load_of(&load, k, &m->device[0]);
	roofline_of(&r, k, &m->device[0].ceilings, &load);
	return r;
}

MADE_TEST(a_kernel_near_its_fp32_roof)
{
	struct kernel *k;
	struct roofline r;
	double fp32 = 700000000.0 * 32 * 2 + 1000000.0 * 16;

	k = made_measured(m, "fma", 100, 1000000, 0.1);
	code_make(m, k, code_text("fma"), 1);
	k->metric[METRIC_DRAM_READ] = 128e6;
	k->metric[METRIC_DRAM_WRITE] = 0;
	k->metric[METRIC_L2_SECTORS] = 4e6;
	r = roof_of(m, k);
	assert_null(r.no_flops);
	near(r.flops[FLOP_FP32], fp32);
	near(r.flops[FLOP_FP64], 32e6);
	near(r.all_flops, fp32 + 32e6);
	assert_int_equal(r.kind, FLOP_FP32);
	near(r.compute_ceiling, m->device[0].ceilings.fp32_flops);
	near(r.compute_ratio, fp32 / 1e-3 / m->device[0].ceilings.fp32_flops);
	near(r.dram_bytes, 128e6);
	near(r.dram_ratio, 128e6 / 1e-3 / m->device[0].ceilings.dram_bytes_per_s);
	near(r.l2_bytes, 128e6);
	assert_true(r.compute_ratio >= ROOF_NEAR);
	assert_string_equal(r.bound, "FP32");
	/* The same in ten times the time is far from any roof. */
	memset(&k->time, 0, sizeof(k->time));
	stat_add(&k->time, 10000000);
	r = roof_of(m, k);
	near(r.compute_ratio, fp32 / 1e-2 / m->device[0].ceilings.fp32_flops);
	assert_string_not_equal(r.bound, "FP32");
}

MADE_TEST(operations_that_are_not_known)
{
	struct kernel *k;
	struct roofline r;

	k = made_measured(m, "k", 100, 1000000, 0.9);
	r = roof_of(m, k);
	assert_int_equal(r.no_flops->code, REASON_NEEDS_AUTO);
	assert_true(isnan(r.all_flops) && isnan(r.compute_ratio));
	assert_int_equal(r.kind, FLOP_KINDS);
	assert_string_equal(r.bound, "DRAM");
	/* One matrix instruction's shape is not in the code. */
	code_make(m, k, "UTCHMMA gdesc[UR4],gdesc[UR6],tmem[UR8] | inst 10 "
	    "lanes 32\nEXIT | inst 10 lanes 32\n", 1);
	r = roof_of(m, k);
	assert_int_equal(r.no_flops->code, REASON_SHAPE_UNSAID);
	assert_true(isnan(r.flops[FLOP_FP32]));
	code_release(m);
	/* Part of the code was not disassembled. */
	code_make(m, k, "FFMA R0,R0,R1,R2 | inst 100 lanes 32\n"
	    "EXIT | inst 10 lanes 32\n", 1);
	m->code[0]->code.instruction[0].sass = SASS_NONE;
	r = roof_of(m, k);
	assert_int_equal(r.no_flops->code, REASON_SASS_PARTIAL);
	code_release(m);
	/* Never executed: known to be no operations. */
	code_make(m, k, "FFMA R0,R0,R1,R2 | inst 0 lanes 0\n"
	    "EXIT | inst 10 lanes 32\n", 1);
	r = roof_of(m, k);
	assert_null(r.no_flops);
	near(r.all_flops + 1, 1);
	assert_int_equal(r.kind, FLOP_KINDS);
}

MADE_TEST(bytes_that_are_not_known)
{
	struct kernel *k;
	struct roofline r;

	k = made_kernel(m, "k", 100, 1000000);
	r = roof_of(m, k);
	assert_non_null(r.no_bytes);
	assert_true(isnan(r.used_bytes) && isnan(r.dram_ratio));
	assert_null(r.bound);
	made_counters(m, k, 0.5);
	k->metric[METRIC_GLOBAL_LD_SECTORS] = 1000;
	k->metric[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 8;
	k->metric[METRIC_GLOBAL_ST_SECTORS] = 0;
	k->metric[METRIC_GLOBAL_ST_BYTES_PER_SECTOR] = NAN;
	r = roof_of(m, k);
	near(r.used_bytes, 8000);
	k->metric[METRIC_GLOBAL_ST_SECTORS] = 10;	/* of unknown size */
	r = roof_of(m, k);
	assert_true(isnan(r.used_bytes));
	/* A launch without a time has no rate. */
	memset(&k->time, 0, sizeof(k->time));
	k->launches = 0;
	k->total_ns = 0;
	r = roof_of(m, k);
	assert_false(isfinite(r.dram_ratio));
}
