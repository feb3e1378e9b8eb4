/*
 * What opcodes do, loops, and which multiplications could be fused. Each case
 * is a few lines of SASS as compilers write it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/opcode.h"
#include "source/operand.h"
#include "source/sass.h"
#include "unit/test.h"

static void
parse(struct sass *s, const char *text)
{

	if (sass_parse(s, text, strlen(text)) != 0)
		fail_msg("not parsed: %s", text);
}

TEST(opcodes)
{
	static const struct {
		const char *text;
		uint32_t flags;
		unsigned space, bytes;
	} row[] = {
		{ "LDG.E R4,desc[UR4][R6.64]", SASS_LOAD, SPACE_GLOBAL, 4 },
		{ "LDG.E.128.CONSTANT R4,desc[UR4][R6.64+0x10]",
		  SASS_LOAD | SASS_READ_ONLY, SPACE_GLOBAL, 16 },
		{ "LDG.E.U8 R4,desc[UR4][R6.64]", SASS_LOAD, SPACE_GLOBAL, 1 },
		{ "LDG.E.S16.SYS R4,[R6]", SASS_LOAD, SPACE_GLOBAL, 2 },
		{ "LDG.E.ENL2.256 R4,R8,desc[UR4][R6.64]", SASS_LOAD,
		  SPACE_GLOBAL, 32 },
		{ "@P0 STG.E.64 desc[UR4][R2.64],R8",
		  SASS_STORE | SASS_CONDITIONAL, SPACE_GLOBAL, 8 },
		{ "LDS.U.64 R4,[R3+UR4]", SASS_LOAD, SPACE_SHARED, 8 },
		{ "LDSM.16.M88.4 R4,[R3]", SASS_LOAD, SPACE_SHARED, 16 },
		{ "STS [R3],R4", SASS_STORE, SPACE_SHARED, 4 },
		{ "STL [R1+0x4],R4", SASS_STORE, SPACE_LOCAL, 4 },
		{ "LDC.64 R6,c[0x0][0x210]", SASS_LOAD, SPACE_CONSTANT, 8 },
		{ "ULDC UR4,c[0x0][0x0]", SASS_LOAD, SPACE_CONSTANT, 4 },
		{ "LD.E R4,[R2.64]", SASS_LOAD, SPACE_GLOBAL, 4 },
		{ "LDGSTS.E.BYPASS.128 [R3],desc[UR4][R6.64]",
		  SASS_LOAD | SASS_ASYNC, SPACE_GLOBAL, 16 },
		{ "LDGDEPBAR", 0, SPACE_NONE, 0 },
		{ "UTMALDG.2D [UR8],[UR4],desc[UR6]", SASS_LOAD | SASS_ASYNC,
		  SPACE_GLOBAL, 0 },
		{ "RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64],R5",
		  SASS_ATOMIC, SPACE_GLOBAL, 4 },
		{ "REDG.E.ADD.64.STRONG.GPU desc[UR4][R2.64],R4", SASS_ATOMIC,
		  SPACE_GLOBAL, 8 },
		{ "ATOMG.E.CAS.STRONG.GPU PT,R5,[R2],R4,R5", SASS_ATOMIC,
		  SPACE_GLOBAL, 4 },
		{ "ATOMS.POPC.INC.32 RZ,[R2+URZ]", SASS_ATOMIC, SPACE_SHARED,
		  4 },
		{ "ATOM.E.ADD.F64.RN PT,R4,[R2],R6", SASS_ATOMIC,
		  SPACE_GLOBAL, 8 },
		{ "TEX.LL R4,R2,UR4,2D", SASS_LOAD, SPACE_TEXTURE, 0 },
		{ "FADD.FTZ R2,-R2,R3", SASS_FP32 | SASS_ADD, 0, 0 },
		{ "FFMA R2,R3,R4,R5", SASS_FP32 | SASS_FMA, 0, 0 },
		{ "DMUL R2,R4,R6", SASS_FP64 | SASS_MULTIPLY, 0, 0 },
		{ "HADD2.F32 R2,-RZ,R3.H0_H0", SASS_CONVERT, 0, 0 },
		{ "HFMA2.MMA R2,-RZ,RZ,0,0", 0, 0, 0 },
		{ "HFMA2 R2,R3,R4,R5", SASS_FP16 | SASS_FMA, 0, 0 },
		{ "MUFU.RCP R9,R0", SASS_FP32 | SASS_XU, 0, 0 },
		{ "MUFU.RCP64H R9,R3", SASS_FP64 | SASS_XU, 0, 0 },
		{ "F2F.F64.F32 R2,R4", SASS_CONVERT | SASS_F32_F64, 0, 0 },
		{ "F2I.TRUNC.NTZ R2,R4", SASS_CONVERT, 0, 0 },
		{ "I2FP.F32.S32 R2,R4", SASS_CONVERT, 0, 0 },
		{ "IMAD.WIDE R2,R3,0x4,R6", SASS_INT, 0, 0 },
		{ "ISETP.GE.AND P0,PT,R3,UR4,PT", SASS_INT | SASS_PREDICATE,
		  0, 0 },
		{ "SHFL.BFLY PT,R5,R4,0x10,0x1f", SASS_SHUFFLE, 0, 0 },
		{ "REDUX.SUM UR4,R2", SASS_SHUFFLE, 0, 0 },
		{ "BAR.SYNC.DEFER_BLOCKING 0x0", SASS_BARRIER, 0, 0 },
		{ "HMMA.16816.F32 R4,R8,R12,R4", SASS_TENSOR, 0, 0 },
		{ "HGMMA.64x128x16.F32 R24,gdesc[UR4],R24", SASS_TENSOR, 0,
		  0 },
		{ "EXIT", SASS_EXIT, 0, 0 },
		{ "@!P1 EXIT", SASS_EXIT | SASS_CONDITIONAL, 0, 0 },
		{ "@PT EXIT", SASS_EXIT, 0, 0 },
		{ "RET.REL.NODEC R6,_Z1kPKfPfi", SASS_BRANCH, 0, 0 },
		{ "CALL.REL.NOINC f", SASS_BRANCH | SASS_CALL, 0, 0 },
		{ "BRX R2,-0x10", SASS_BRANCH, 0, 0 },
		{ "FROBNICATE.64 R1", 0, 0, 0 },
		{ "NOP", 0, 0, 0 },
	};
	char text[256];
	struct sass s;
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		snprintf(text, sizeof(text), "0000 %s\n", row[i].text);
		parse(&s, text);
		assert_int_equal(s.instructions, 1);
		assert_string_equal(s.instruction[0].text, row[i].text);
		if (s.instruction[0].flags != row[i].flags ||
		    s.instruction[0].space != row[i].space ||
		    s.instruction[0].bytes != row[i].bytes)
			fail_msg("%s: flags %x, space %u, %u bytes",
			    row[i].text, s.instruction[0].flags,
			    s.instruction[0].space, s.instruction[0].bytes);
		sass_free(&s);
	}
}

/* A generic address is a global one in a function that has no other memory. */
TEST(generic)
{
	static const char *const other[] = {
		"STS [R3],R4", "LDL R4,[R1+0x4]",
		"LDGSTS.E [R3],desc[UR4][R6.64]",
	};
	char text[128];
	struct sass s;

	for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++) {
		snprintf(text, sizeof(text), "0000 LD.E R4,[R2.64]\n0010 %s\n",
		    other[i]);
		parse(&s, text);
		assert_int_equal(s.instruction[0].space, SPACE_GENERIC);
		sass_free(&s);
	}
	parse(&s, "0000 LD.E R4,[R2.64]\n0010 LDG.E R4,[R6.64]\n"
	    "0020 ST.E [R2.64],R4\n");
	assert_int_equal(s.instruction[0].space, SPACE_GLOBAL);
	assert_int_equal(s.instruction[2].space, SPACE_GLOBAL);
	sass_free(&s);
}

/* Names are matched completely, though others begin with them. */
TEST(table)
{
	static const char *const name[] = { "ATOM", "ATOMG", "BAR", "BRA",
	    "CALL", "DADD", "EXIT", "F2F", "FADD", "FADD2", "FMUL", "HADD2",
	    "HADD2_32I", "I2F", "IADD", "IADD3", "LD", "LDC", "LDG", "LDGSTS",
	    "LDS", "LDSM", "R2UR", "RED", "REDG", "S2R", "SHFL", "ST", "STS",
	    "TEX", "UBLKCP", "UISETP", "ULDC", "VIADD", "VOTE", "VOTEU",
	    "XMAD" };
	size_t i;

	for (i = 0; i < sizeof(name) / sizeof(name[0]); i++)
		if (opcode_find(name[i], strlen(name[i])) == NULL)
			fail_msg("%s", name[i]);
	assert_true(opcode_find("LDGSTS.E", 6)->flags == (SASS_LOAD | SASS_ASYNC));
	assert_true(opcode_find("LDG.E", 3)->flags == SASS_LOAD);
	assert_null(opcode_find("LDGX", 4));
	assert_null(opcode_find("", 0));
	assert_true(opcode_has("LDG.E.128.CONSTANT", "128"));
	assert_false(opcode_has("LDG.E.LTC128B", "128"));
}

TEST(opcode_names)
{
	struct sass_instruction add = { .opcode = "IADD3.X" };
	struct sass_instruction multiply = { .opcode = "IMAD" };

	assert_true(opcode_is_any(&add, "MOV IADD3"));
	assert_true(opcode_is_any(&add, "IADD3 MOV"));
	assert_false(opcode_is_any(&add, "IADD IADD32I X"));
	assert_true(opcode_is_any(&multiply, "IMAD"));
	assert_false(opcode_is_any(&multiply, ""));
	assert_false(opcode_is_any(NULL, "IMAD"));
	assert_true(opcode_adds(&add));
	assert_false(opcode_adds(&multiply));
}

TEST(branches)
{
	struct sass s;

	parse(&s, "0000 @P0 BRA 0x30\n0010 BRA P1,0x0\n"
	    "0020 BRA.DIV UR4,0x40\n0030 BRA 0x30\n0040 BRA 0x5000\n"
	    "0050 MOV R2,0x10\n0060 CALL.REL.NOINC 0x0\n");
	assert_int_equal(s.instruction[0].target, 0x30);
	assert_int_equal(s.instruction[0].flags,
	    SASS_BRANCH | SASS_CONDITIONAL);
	assert_int_equal(s.instruction[1].target, 0);
	assert_int_equal(s.instruction[1].flags,
	    SASS_BRANCH | SASS_CONDITIONAL | SASS_BACKWARD);
	assert_int_equal(s.instruction[2].flags,
	    SASS_BRANCH | SASS_CONDITIONAL);
	assert_int_equal(s.instruction[3].flags, SASS_BRANCH);
	assert_int_equal(s.instruction[4].target, 0x5000);
	assert_int_equal(s.instruction[5].target, SASS_NONE);
	assert_int_equal(s.instruction[6].flags, SASS_BRANCH | SASS_CALL);
	assert_int_equal(sass_at(&s, 0x50), 5);
	assert_int_equal(sass_at(&s, 0x58), SASS_NONE);
	sass_free(&s);
}

TEST(loops)
{
	const struct sass_loop *l;
	struct sass s;

	/* A nested loop; blocks after EXIT that jump back are no loops. */
	parse(&s,
	    "0000 MOV R0,RZ\n"
	    "0010 IADD3 R0,R0,0x1,RZ\n"
	    "0020 MOV R1,RZ\n"
	    "0030 IADD3 R1,R1,0x1,RZ\n"
	    "0040 BRA.DIV UR4,0xa0\n"
	    "0050 ISETP.GE.AND P0,PT,R1,R2,PT\n"
	    "0060 @!P0 BRA 0x30\n"
	    "0070 ISETP.GE.AND P0,PT,R0,R2,PT\n"
	    "0080 @!P0 BRA 0x10\n"
	    "0090 EXIT\n"
	    "00a0 NOP\n"
	    "00b0 BRA 0x50\n"
	    "00c0 BRA 0xc0\n");
	assert_int_equal(s.loops, 2);
	assert_int_equal(s.loop[0].head, 1);
	assert_int_equal(s.loop[0].tail, 8);
	assert_int_equal(s.loop[0].depth, 0);
	assert_int_equal(s.loop[1].head, 3);
	assert_int_equal(s.loop[1].tail, 6);
	assert_int_equal(s.loop[1].depth, 1);
	assert_null(sass_loop_of(&s, 0));
	l = sass_loop_of(&s, 2);
	assert_ptr_equal(l, &s.loop[0]);
	assert_ptr_equal(sass_loop_of(&s, 3), &s.loop[1]);
	assert_ptr_equal(sass_loop_of(&s, 6), &s.loop[1]);
	assert_ptr_equal(sass_loop_of(&s, 7), &s.loop[0]);
	assert_null(sass_loop_of(&s, 9));
	assert_null(sass_loop_of(&s, 1000));
	sass_free(&s);
	/* Two ways back to one head are one loop. */
	parse(&s, "0000 NOP\n0010 NOP\n0020 @P0 BRA 0x10\n0030 NOP\n"
	    "0040 @P1 BRA 0x10\n0050 EXIT\n");
	assert_int_equal(s.loops, 1);
	assert_int_equal(s.loop[0].tail, 4);
	sass_free(&s);
	/* A jump into the middle: no loop from source code. */
	parse(&s, "0000 @P0 BRA 0x30\n0010 NOP\n0020 NOP\n0030 NOP\n"
	    "0040 @P1 BRA 0x10\n0050 EXIT\n");
	assert_int_equal(s.loops, 0);
	sass_free(&s);
}

#define END "0100 STG.E desc[UR4][R2.64],R9\n0110 EXIT\n"

TEST(pairs)
{
	static const struct {
		const char *what, *text;
		uint32_t multiply, pair;
	} row[] = {
		{ "plain", "0010 FMUL R5,R6,R7\n0020 FADD R9,R5,R8\n" END,
		  0, 1 },
		{ "subtracted", "0010 FMUL R5,R6,R7\n0020 FADD R9,R8,-R5\n" END,
		  0, 1 },
		{ "into itself", "0010 FMUL R5,R6,R7\n0020 FADD R5,R5,R8\n"
		  "0030 STG.E desc[UR4][R2.64],R5\n0040 EXIT\n", 0, 1 },
		{ "reused", "0010 FMUL R5,R6.reuse,R7\n"
		  "0020 FADD R9,R5.reuse,R8\n" END, 0, 1 },
		{ "flushed", "0010 FMUL.FTZ R5,R6,R7\n"
		  "0020 FADD.FTZ R9,R5,R8\n" END, 0, 1 },
		{ "double", "0010 DMUL R4,R6,R12\n0020 DADD R8,R4,R10\n"
		  "0030 STG.E.64 desc[UR4][R2.64],R8\n0040 EXIT\n", 0, 1 },
		{ "half", "0010 HMUL2 R5,R6,R7\n0020 HADD2 R9,R5,R8\n" END,
		  0, 1 },
		{ "in a loop", "0010 LDS R6,[R3]\n0020 FMUL R5,R6,R7\n"
		  "0030 FADD R9,R9,R5\n0040 @P0 BRA 0x10\n" END, 1, 2 },
		{ "past a meeting", "0000 BSSY B0,0x50\n0010 @P0 BRA 0x40\n"
		  "0020 FMUL R5,R6,R7\n0030 FADD R9,R5,R8\n0040 BSYNC B0\n"
		  "0050 NOP\n" END, 2, 3 },
		{ "by a constant", "0010 FMUL R5,R6,c[0x0][0x210]\n"
		  "0020 FADD R9,R5,R8\n" END, 0, 1 },
		/* not fusible: */
		{ "stored too", "0010 FMUL R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  "0030 STG.E desc[UR4][R2.64],R5\n" END, 0, SASS_NONE },
		{ "stored first", "0010 FMUL R5,R6,R7\n"
		  "0020 STG.E desc[UR4][R2.64],R5\n0030 FADD R9,R5,R8\n" END,
		  0, SASS_NONE },
		{ "stored wide", "0010 FMUL R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  "0030 STG.E.64 desc[UR4][R2.64],R4\n" END, 0, SASS_NONE },
		{ "two adds", "0010 FMUL R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  "0030 FADD R9,R5,R9\n" END, 0, SASS_NONE },
		{ "twice in one", "0010 FMUL R5,R6,R7\n0020 FADD R9,R5,R5\n"
		  END, 0, SASS_NONE },
		{ "a magnitude", "0010 FMUL R5,R6,R7\n0020 FADD R9,|R5|,R8\n"
		  END, 0, SASS_NONE },
		{ "with nothing", "0010 FMUL R5,R6,R7\n0020 FADD R9,-R5,-RZ\n"
		  END, 0, SASS_NONE },
		{ "rounded up", "0010 FMUL.RP R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  END, 0, SASS_NONE },
		{ "flushed once", "0010 FMUL.FTZ R5,R6,R7\n"
		  "0020 FADD R9,R5,R8\n" END, 0, SASS_NONE },
		{ "saturated", "0010 FMUL.SAT R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  END, 0, SASS_NONE },
		{ "two constants", "0010 FMUL R5,R6,c[0x0][0x210]\n"
		  "0020 FADD R9,R5,1\n" END, 0, SASS_NONE },
		{ "another kind", "0010 FMUL R5,R6,R7\n0020 HADD2 R9,R5,R8\n"
		  END, 0, SASS_NONE },
		{ "half of it", "0010 HMUL2 R5,R6,R7\n"
		  "0020 HADD2 R9,R5.H0_H0,R8\n" END, 0, SASS_NONE },
		{ "sometimes", "0010 @P0 FMUL R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  END, 0, SASS_NONE },
		{ "sometimes added", "0010 FMUL R5,R6,R7\n"
		  "0020 @P0 FADD R9,R5,R8\n" END, 0, SASS_NONE },
		{ "overwritten before", "0010 FMUL R5,R6,R7\n"
		  "0020 IMAD.WIDE R4,R6,0x4,R2\n0030 FADD R9,R5,R8\n" END, 0,
		  SASS_NONE },
		{ "half overwritten", "0010 DMUL R4,R6,R12\n"
		  "0020 MOV R5,R6\n0030 DADD R8,R4,R10\n" END, 0, SASS_NONE },
		{ "lives on", "0010 FMUL R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  "0030 @P0 BRA 0x60\n0040 MOV R5,RZ\n0050 NOP\n"
		  "0060 STG.E desc[UR4][R2.64],R5\n" END, 0, SASS_NONE },
		{ "another block", "0010 FMUL R5,R6,R7\n0020 @P0 BRA 0x30\n"
		  "0030 FADD R9,R5,R8\n" END, 0, SASS_NONE },
		{ "a call", "0010 FMUL R5,R6,R7\n0020 CALL.REL.NOINC f\n"
		  "0030 FADD R9,R5,R8\n" END, 0, SASS_NONE },
		{ "a call behind", "0010 FMUL R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  "0030 CALL.REL.NOINC f\n" END, 0, SASS_NONE },
		{ "a return", "0010 FMUL R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  "0030 RET.REL.NODEC R20,k\n" END, 0, SASS_NONE },
		{ "jumps anywhere", "0010 FMUL R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  "0030 BRX R4,-0x10\n" END, 0, SASS_NONE },
		{ "unknown reader", "0010 FMUL R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  "0030 FROBNICATE R20\n" END, 0, SASS_NONE },
		{ "a matrix", "0010 FMUL R5,R6,R7\n0020 FADD R9,R5,R8\n"
		  "0030 HMMA.16816.F32 R12,R16,R20,R12\n" END, 0, SASS_NONE },
	};
	struct sass s;
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		parse(&s, row[i].text);
		if (s.instruction[row[i].multiply].pair != row[i].pair)
			fail_msg("%s: the pair of %s is %d", row[i].what,
			    s.instruction[row[i].multiply].text,
			    (int)s.instruction[row[i].multiply].pair);
		sass_free(&s);
	}
	/* Of two products in one add, one can be fused. */
	parse(&s, "0010 FMUL R5,R6,R7\n0020 FMUL R4,R8,R7\n"
	    "0030 FADD R9,R5,R4\n" END);
	assert_int_equal((s.instruction[0].pair == 2) +
	    (s.instruction[1].pair == 2), 1);
	sass_free(&s);
}

TEST(no_sass)
{
	static const char *const row[] = { "", "\n", "EXIT\n", "0000\n",
	    "00g0 EXIT\n", "0010 NOP\n0000 EXIT\n", "0010 NOP\n0010 EXIT\n",
	    "fffffffff NOP\n", " 0000 NOP\n" };
	struct sass s;
	size_t i;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++)
		assert_int_equal(sass_parse(&s, row[i], strlen(row[i])), -1);
	/* No line end, control characters, only a pc and blanks. */
	parse(&s, "0000 NOP\n\n0010 \033[1mMOV R1\n0020  \n0030 EXIT");
	assert_int_equal(s.instructions, 4);
	assert_null(strchr(s.instruction[1].text, '\033'));
	assert_string_equal(s.instruction[2].opcode, "");
	assert_int_equal(s.instruction[3].flags, SASS_EXIT);
	sass_free(&s);
}

/* The largest accepted input, in its most expensive forms. */
TEST(large)
{
	size_t n = SASS_MAX_INSTRUCTIONS, i, len = 0, cap = n * 40;
	char *text = malloc(cap);
	struct sass s;

	assert_non_null(text);
	for (i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, cap - len,
		    "%zx @P0 BRA 0x%zx\n", i * 16,
		    i % 3 == 0 ? 0 : i % 3 == 1 ? i * 8 / 16 * 16 :
		    (n - i) * 16);
	assert_int_equal(sass_parse(&s, text, len), 0);
	assert_int_equal(s.instructions, n);
	sass_free(&s);
	len += (size_t)snprintf(text + len, cap - len, "%zx NOP\n", n * 16);
	assert_int_equal(sass_parse(&s, text, len), -1);
	for (i = 0, len = 0; i < n; i++)
		len += (size_t)snprintf(text + len, cap - len,
		    i % 2 == 0 ? "%zx FMUL R%zu,R1,R2\n" :
		    "%zx @P0 BRA 0x%zx\n", i * 16,
		    i % 2 == 0 ? i / 2 % 250 : (i * 7919 % n) * 16);
	assert_int_equal(sass_parse(&s, text, len), 0);
	sass_free(&s);
	free(text);
}

/* Operands are read once, when the function is parsed, and are those that the text has;
 * the widest registers and the last offset of a parameter fit. */
TEST(operands)
{
	struct operands kept, read;
	struct sass s;

	parse(&s, "0000 @!P3 LDG.E.128 R252,desc[UR4][R254.64+0x7ffffff0]\n"
	    "0010 UIADD3 UR62,UP0,UPT,UR61,-0x80000000,URZ\n"
	    "0020 FFMA R7,R3,-1.5,c[0x0][0xfffc]\n");
	assert_int_equal(s.instructions, 3);
	for (size_t i = 0; i < s.instructions; i++) {
		assert_non_null(s.instruction[i].operands);
		assert_true(operands_of(&kept, &s.instruction[i]));
		s.instruction[i].operands = NULL;
		assert_true(operands_of(&read, &s.instruction[i]));
		assert_memory_equal(&kept, &read, sizeof(kept));
	}
	operands_of(&kept, &s.instruction[0]);
	assert_int_equal(kept.def, 252);
	assert_int_equal(kept.defs, 4);
	assert_int_equal(kept.guard, -4);
	assert_int_equal(kept.base, 254);
	assert_int_equal(kept.offset, 0x7ffffff0);
	operands_of(&kept, &s.instruction[2]);
	assert_int_equal(kept.parameter, 0xfffc);
	assert_true(kept.has_float);
	sass_free(&s);
}
