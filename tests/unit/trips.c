/*
 * How often loops turn, from their code: each case is a loop as compilers write it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/often.h"
#include "source/sass.h"
#include "source/trips.h"
#include "unit/test.h"

static const struct trips_launch launch = { 256, 16384 };

/* A listing of one instruction a line, as text with pcs. */
static void
parse(struct sass *s, const char *const *line)
{
	char text[4096] = "";
	size_t at = 0;

	for (unsigned i = 0; line[i] != NULL; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
		    "%04x %s\n", i * 16, line[i]);
	if (sass_parse(s, text, at) != 0)
		fail_msg("not parsed: %s", text);
}

struct loop_case {
	const char *line[16];
	double turns[2];
};

static void
check(const struct loop_case *c)
{
	struct sass s;
	double *turns;

	parse(&s, c->line);
	turns = trips_find(&s, &launch);
	assert_non_null(turns);
	assert_true(s.loops > 0);
	for (size_t i = 0; i < s.loops; i++)
		if (fabs(turns[i] - c->turns[i]) > 1e-9)
			fail_msg("%s: loop %zu: %g, not %g", c->line[0], i,
			    turns[i], c->turns[i]);
	free(turns);
	sass_free(&s);
}

TEST(constants)
{
	static const struct loop_case cases[] = {
		/* Forward, in steps of an unrolled loop, from 16 on. */
		{ { "IMAD.MOV.U32 R13,RZ,RZ,0x10", "IADD3 R13,R13,0x20,RZ",
		    "FADD R4,R4,R5", "ISETP.NE.AND P1,PT,R13,0xc010,PT",
		    "@P1 BRA 0x10", "EXIT" }, { 1536 } },
		/* From 0, by another way to write it. */
		{ { "HFMA2.MMA R3,-RZ,RZ,0,0", "VIADD R3,R3,0x1",
		    "ISETP.GE.AND P0,PT,R3,0x64,PT", "@!P0 BRA 0x10", "EXIT" },
		  { 100 } },
		/* Down from an integer that is two halves. */
		{ { "HFMA2.MMA R3,-RZ,RZ,0,5.9604644775390625e-07",
		    "IADD3 R3,R3,-0x1,RZ", "ISETP.NE.AND P0,PT,R3,RZ,PT",
		    "@P0 BRA 0x10", "EXIT" }, { 10 } },
		/* A uniform counter, and two steps a turn. */
		{ { "UMOV UR4,URZ", "UIADD3 UR4,UR4,0x4,URZ", "FADD R4,R4,R5",
		    "UIADD3 UR4,UR4,0x4,URZ",
		    "ISETP.LE.AND P0,PT,R9,R8,PT",
		    "UISETP.NE.AND UP0,UPT,UR4,0x80,UPT", "@UP0 BRA 0x10",
		    "EXIT" }, { 16 } },
		/* 768 elements, a block of 256 at a time. */
		{ { "S2R R9,SR_TID.X", "LDC R12,c[0x0][RZ]", "FADD R4,R4,R5",
		    "IADD3 R9,R12,R9,RZ", "ISETP.GE.AND P0,PT,R9,0x300,PT",
		    "@!P0 BRA 0x20", "EXIT" }, { 3 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);
}

TEST(not_told)
{
	static const struct loop_case cases[] = {
		/* To a parameter. */
		{ { "IMAD.MOV.U32 R3,RZ,RZ,RZ", "VIADD R3,R3,0x1",
		    "ISETP.GE.AND P0,PT,R3,c[0x0][0x210],PT", "@!P0 BRA 0x10",
		    "EXIT" }, { 0 } },
		{ { "IMAD.MOV.U32 R3,RZ,RZ,RZ", "VIADD R3,R3,0x1",
		    "ISETP.GE.AND P0,PT,R3,UR4,PT", "@!P0 BRA 0x10", "EXIT" },
		  { 0 } },
		/* From a loaded value. */
		{ { "LDG.E R3,desc[UR4][R6.64]", "VIADD R3,R3,0x1",
		    "ISETP.GE.AND P0,PT,R3,0x64,PT", "@!P0 BRA 0x10", "EXIT" },
		  { 0 } },
		/* Something else may end it. */
		{ { "IMAD.MOV.U32 R3,RZ,RZ,RZ", "VIADD R3,R3,0x1",
		    "@P2 EXIT", "ISETP.GE.AND P0,PT,R3,0x64,PT",
		    "@!P0 BRA 0x10", "EXIT" }, { 0 } },
		{ { "IMAD.MOV.U32 R3,RZ,RZ,RZ", "VIADD R3,R3,0x1",
		    "@P2 BRA 0x60", "ISETP.GE.AND P0,PT,R3,0x64,PT",
		    "@!P0 BRA 0x10", "FADD R4,R4,R5", "EXIT" }, { 0 } },
		/* It doubles. */
		{ { "IMAD.MOV.U32 R3,RZ,RZ,0x1", "IADD3 R3,R3,R3,RZ",
		    "ISETP.GE.AND P0,PT,R3,0x64,PT", "@!P0 BRA 0x10", "EXIT" },
		  { 0 } },
		{ { "IMAD.MOV.U32 R3,RZ,RZ,0x1", "SHF.L.U32 R3,R3,0x1,RZ",
		    "ISETP.GE.AND P0,PT,R3,0x64,PT", "@!P0 BRA 0x10", "EXIT" },
		  { 0 } },
		/* By what floats decide. */
		{ { "IMAD.MOV.U32 R3,RZ,RZ,RZ", "VIADD R3,R3,0x1",
		    "FSETP.GE.AND P0,PT,R7,R8,PT", "@!P0 BRA 0x10", "EXIT" },
		  { 0 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);
}

/* 16 KiB of shared memory, 256 threads, 4 bytes each, or 8: at most 16 turns, or 8. */
TEST(fills_shared_memory)
{
	static const struct loop_case cases[] = {
		{ { "LDG.E R4,desc[UR4][R6.64]", "STS [R8],R4",
		    "ISETP.GE.AND P0,PT,R3,UR4,PT", "@!P0 BRA 0x0", "EXIT" },
		  { 16 } },
		{ { "LDG.E.64 R4,desc[UR4][R6.64]", "STS.64 [R8],R4",
		    "ISETP.GE.AND P0,PT,R3,UR4,PT", "@!P0 BRA 0x0", "EXIT" },
		  { 8 } },
		/* It works on what is there, or fills it again and again. */
		{ { "LDS R4,[R6]", "STS [R8],R4",
		    "ISETP.GE.AND P0,PT,R3,UR4,PT", "@!P0 BRA 0x0", "EXIT" },
		  { 0 } },
		{ { "STS [R8],R4", "BAR.SYNC.DEFER_BLOCKING 0x0",
		    "ISETP.GE.AND P0,PT,R3,UR4,PT", "@!P0 BRA 0x0", "EXIT" },
		  { 0 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);
}

/* What an unrolled loop leaves: by a mask of the length, or in the steps of the same
 * counter. */
TEST(rest)
{
	static const struct loop_case cases[] = {
		{ { "LOP3.LUT R3,R2,0x3,RZ,0xc0,!PT", "FADD R4,R4,R5",
		    "IADD3 R3,R3,-0x1,RZ", "ISETP.NE.AND P0,PT,R3,RZ,PT",
		    "@P0 BRA 0x10", "EXIT" }, { 3 / 4.0 } },
		{ { "LDC R3,c[0x0][0x210]", "FADD R4,R4,R5",
		    "IADD3 R3,R3,-0x10,RZ", "ISETP.GT.AND P0,PT,R3,0xc,PT",
		    "@P0 BRA 0x10", "FADD R4,R4,R5", "IADD3 R3,R3,-0x4,RZ",
		    "ISETP.NE.AND P0,PT,R3,RZ,PT", "@P0 BRA 0x50", "EXIT" },
		  { 0, 4 / 4.0 } },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i]);
}

/* What is known of loops goes into how often their instructions run; what is behind
 * the code never does. */
TEST(often)
{
	static const char *const line[] = {
		"IMAD.MOV.U32 R3,RZ,RZ,RZ",		/* 0 */
		"FADD R4,R4,R5",			/* 1: a loop of unknown turns */
		"VIADD R3,R3,0x1",			/* 2: in it one of 100 */
		"ISETP.GE.AND P0,PT,R3,0x64,PT",
		"@!P0 BRA 0x20",
		"IMAD.MOV.U32 R3,RZ,RZ,RZ",
		"ISETP.GE.AND P1,PT,R7,R8,PT",
		"@!P1 BRA 0x10",
		"EXIT",					/* 8 */
		"BRA 0x90",				/* 9: to itself */
		"NOP", NULL
	};
	struct often *o;
	struct sass s;

	parse(&s, line);
	o = often_make(&s, &launch);
	assert_non_null(o);
	assert_true(o[0].times[0] == 1 && !o[0].never);
	assert_true(o[1].times[1] == 1);
	assert_true(o[2].times[1] == 100 && o[2].times[2] == 0);
	assert_true(!o[8].never && o[9].never && o[10].never);
	free(o);
	/* Without it both loops turn as often. */
	o = often_make(&s, NULL);
	assert_non_null(o);
	assert_true(o[2].times[2] == 1 && o[9].never);
	free(o);
	sass_free(&s);
}

/* Nor does what only calls the compiler's code for a rare argument, behind a branch around
 * it. A call that nothing leads around is no such. */
TEST(rare_calls)
{
	static const char *const line[] = {
		"MUFU.RSQ R0,R3",
		"ISETP.GT.U32.AND P0,PT,R8,0x727fffff,PT",
		"@!P0 BRA 0x80",
		"IMAD.MOV.U32 R0,RZ,RZ,R3",		/* 3 */
		"MOV R20,0x60",
		"CALL.REL.NOINC $__internal_0_$__cuda_sm20_sqrt_rn_f32_slowpath",
		"IMAD.MOV.U32 R18,RZ,RZ,R3",
		"BRA 0x90",
		"FMUL.FTZ R18,R3,R0",			/* 8 */
		"BSYNC B0",
		"EXIT",
		"MOV R4,R20",				/* 11: the function */
		"RET.REL.NODEC R4 0x0", NULL
	};
	struct often *o;
	struct sass s;

	parse(&s, line);
	o = often_make(&s, &launch);
	assert_non_null(o);
	for (int i = 0; i <= 12; i++)
		assert_true(o[i].never == ((i >= 3 && i <= 7) || i >= 11));
	free(o);
	sass_free(&s);
	parse(&s, line + 3);
	o = often_make(&s, &launch);
	assert_non_null(o);
	assert_true(!o[0].never && !o[2].never && !o[4].never);
	free(o);
	sass_free(&s);
}

/* In code with very many loops none is looked at: it would take as long as there are loops
 * for each instruction. */
TEST(too_many_loops)
{
	static const char one[] = "%04x IMAD.MOV.U32 R3,RZ,RZ,RZ\n"
	    "%04x VIADD R3,R3,0x1\n%04x ISETP.GE.AND P0,PT,R3,0x64,PT\n"
	    "%04x @!P0 BRA 0x%x\n";
	size_t room = 2000 * 160;
	char *text = malloc(room);

	assert_non_null(text);
	for (unsigned n = 500; n <= 2000; n += 1500) {
		struct often *o;
		struct sass s;
		size_t len = 0;

		for (unsigned i = 0; i < n; i++)
			len += (size_t)snprintf(text + len, room - len, one,
			    i * 64, i * 64 + 16, i * 64 + 32, i * 64 + 48,
			    i * 64 + 16);
		assert_int_equal(sass_parse(&s, text, len), 0);
		assert_int_equal(s.loops, n);
		o = often_make(&s, &launch);
		assert_non_null(o);
		assert_true(o[1].times[0] == (n == 500 ? 100 : 0));
		assert_true(o[1].times[1] == (n == 500 ? 0 : 1));
		free(o);
		sass_free(&s);
	}
	free(text);
}
