/*
 * Lines and launch sites in findings, and what the rules read in code:
 * registers, addresses, the origin of an address, access patterns.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/evidence/access.h"
#include "rules/evidence/library.h"
#include "rules/evidence/stepped.h"
#include "rules/evidence/texts.h"
#include "source/operand.h"
#include "source/slice.h"

#include "unit/advise.h"

/* --- text ------------------------------------------------------------------ */

static struct operands
read_one(const char *sass)
{
	char text[160];
	struct operands o;
	struct sass s;

	snprintf(text, sizeof(text), "0000 %s\n", sass);
	assert_int_equal(sass_parse(&s, text, strlen(text)), 0);
	assert_true(operands_of(&o, &s.instruction[0]));
	sass_free(&s);
	return o;
}

TEST(test_operands)
{
	struct operands o;

	o = read_one("@P0 LDG.E.64.CONSTANT R4,desc[UR4][R6.64+0x10]");
	assert_true(o.guarded && o.has_address);
	assert_int_equal(o.def, 4);
	assert_int_equal(o.defs, 2);
	assert_int_equal(o.base, 6);
	assert_int_equal(o.uniform, REGISTER_NONE);
	assert_int_equal(o.offset, 0x10);
	/* Registers and offsets beyond the maximum are invalid. */
	o = read_one("FFMA.64 R0,UR255.64,R1,RZ");
	for (int i = 0; i < o.uses; i++)
		assert_true(o.use[i] < REGISTERS);
	o = read_one("LDG.E R4,[R6.64+-0x8000000000000000]");
	assert_true(o.offset == 0);
	o = read_one("STG.E desc[UR4][R2.64+-0x8],R7");
	assert_int_equal(o.def, REGISTER_NONE);
	assert_int_equal(o.base, 2);
	assert_int_equal(o.offset, -8);
	o = read_one("LDS R0,[R2+UR4+0x80]");
	assert_int_equal(o.base, 2);
	assert_int_equal(o.uniform, UNIFORM_REGISTER + 4);
	assert_int_equal(o.offset, 0x80);
	/* As nvdisasm -json prints it: no comma before a bracket. */
	o = read_one("@!P2 LDS.64 R48[R60+0x240]");
	assert_int_equal(o.def, 48);
	assert_int_equal(o.defs, 2);
	assert_true(o.has_address && o.base == 60 && o.offset == 0x240);
	assert_int_equal(o.guard, -3);
	assert_int_equal(o.predicates, 0);
	o = read_one("STS.128 [R3],R4");
	assert_true(o.def == REGISTER_NONE && o.base == 3 && o.uses == 2);
	o = read_one("LDC R1,c[0x0][0x28]");
	assert_true(o.def == 1 && o.parameter == 0x28);
	/* Predicates after the predicate of the instruction. */
	o = read_one("@UP1 ISETP.GE.U32.AND P3,PT,R2,UR6,P0");
	assert_int_equal(o.guard, 8 + 1 + 1);
	assert_int_equal(o.predicates, 1 << 3 | 1 << 0);
	o = read_one("@P6 R2P PR,R0,0x7f");
	assert_int_equal(o.guard, 7);
	assert_int_equal(o.predicates, UINT16_MAX);
	assert_int_equal(read_one("@PT NOP").guard, 0);
	o = read_one("IADD3 R2,P1,R2,-0x4,RZ");
	assert_int_equal(o.def, 2);
	assert_int_equal(o.uses, 1);
	assert_true(o.has_immediate && o.immediate == -4);
	o = read_one("ISETP.GE.AND P0,PT,R3,UR4,PT");
	assert_int_equal(o.def, REGISTER_NONE);
	assert_int_equal(o.uses, 2);
	o = read_one("SHFL.DOWN PT,R9,R8,0x10,0x1f");
	assert_int_equal(o.def, 9);
	o = read_one("IMAD.WIDE R6,R5,0x20,c[0x0][0x210]");
	assert_int_equal(o.def, 6);
	assert_int_equal(o.defs, 2);
	assert_int_equal(o.parameter, 0x210);
	assert_int_equal(o.immediate, 0x20);
	o = read_one("FMUL R5,R0.reuse,0.63661974668502807617");
	assert_true(o.has_float && fabs(o.number - 0.6366197) < 1e-6);
	assert_int_equal(o.use[0], 0);
	o = read_one("S2R R0,SR_TID.X");
	assert_int_equal(o.varies, VARIES_THREAD);
	o = read_one("S2UR UR6,SR_CTAID.Y");
	assert_int_equal(o.varies, VARIES_BLOCK);
	assert_int_equal(o.def, UNIFORM_REGISTER + 6);
	/* Invalid text is read without harm. */
	o = read_one("LDG.E R999,desc[UR4][R6.64+");
	o = read_one("BRA");
	o = read_one(",,[[]],c[0x0],c[0x0][");
}

/* The slice of the address of instruction ${at} of ${text}. */
static struct slice
slice_text(const char *text, uint32_t at)
{
	struct slices *t;
	struct kernel *k;
	struct slice s;
	struct made m;

	made_init(&m);
	k = made_kernel(&m, "k", 1, 1000);
	t = slices_new(&code_make(&m, k, text, 1)->code.sass);
	assert_non_null(t);
	slice_of(&s, t, at);
	slices_free(t);
	code_release(&m);
	return s;
}

/* Long chains, as those of unrolled loops that carry a value, are followed to the end. */
TEST(test_slice_long)
{
	static const char again[] = "IADD3 R5,R5,0x1,RZ\n";
	char text[300 * sizeof(again) + 128] = "S2R R5,SR_TID.X\n";
	struct slice s;

	for (int i = 0; i < 300; i++)
		strcat(text, again);
	strcat(text, "LDC.64 R2,c[0x0][0x210]\nIMAD.WIDE R2,R5,0x4,R2\n"
	    "LDG.E R0,desc[UR4][R2.64]\n");
	s = slice_text(text, 303);
	assert_true(s.known);
	assert_int_equal(s.varies, VARIES_THREAD);
	assert_int_equal(s.lane, 4);
}

TEST(test_slice)
{
	struct slice s;

	s = slice_text("LDC.64 R2,c[0x0][0x210]\n"
	    "S2R R5,SR_TID.X\n"
	    "IMAD.WIDE R2,R5,0x20,R2\n"
	    "LDG.E R0,desc[UR4][R2.64]\n", 3);
	assert_true(s.known && !s.loads && !s.changes);
	assert_int_equal(s.varies, VARIES_THREAD);
	assert_int_equal(s.scale, 0x20);
	assert_int_equal(s.parameters, 1);
	assert_int_equal(s.parameter[0], 0x210);
	/* An older value does not matter if a write under the same predicate replaces
	 * it, but it does if the predicate has changed since that write. */
	s = slice_text("LDG.E R2,desc[UR4][R8.64]\n"
	    "ISETP.GE.U32.AND P0,PT,R5,UR6,PT\n"
	    "@!P0 LDC.64 R2,c[0x0][0x210]\n"
	    "@!P0 LDG.E R0,desc[UR4][R2.64]\n", 3);
	assert_true(s.known && !s.loads);
	s = slice_text("LDG.E R2,desc[UR4][R8.64]\n"
	    "@!P0 LDC.64 R2,c[0x0][0x210]\n"
	    "ISETP.GE.U32.AND P0,PT,R5,UR6,PT\n"
	    "@!P0 LDG.E R0,desc[UR4][R2.64]\n", 3);
	assert_true(s.known && s.loads);
	s = slice_text("LDG.E R2,desc[UR4][R8.64]\n"
	    "@P0 LDC.64 R2,c[0x0][0x210]\n"
	    "@!P0 LDG.E R0,desc[UR4][R2.64]\n", 2);
	assert_true(s.loads);
	/* In a loop: the pointer grows by 16 in each iteration. */
	s = slice_text("LDC.64 R2,c[0x0][0x218]\n"
	    "LDG.E R0,desc[UR4][R2.64]\n"
	    "IADD3 R2,P1,R2,0x10,RZ\n"
	    "@P0 BRA #1\n", 1);
	assert_true(s.known && s.changes);
	assert_int_equal(s.step, 0x10);
	assert_int_equal(s.varies, 0);
	assert_true(slice_walks(&s));
	/* Unrolled, and copied back from another register: the same steps. */
	s = slice_text("LDC.64 R2,c[0x0][0x218]\n"
	    "LDG.E R0,desc[UR4][R2.64]\n"
	    "LDG.E R1,desc[UR4][R2.64+0x20]\n"
	    "IADD3 R4,P1,R2,0x40,RZ\n"
	    "MOV R2,R4\n"
	    "@P0 BRA #1\n", 1);
	assert_int_equal(s.step, 0x40);
	assert_true(slice_walks(&s));
	/* The code in between is left out: a different row in each iteration. */
	s = slice_text("LDC.64 R2,c[0x0][0x218]\n"
	    "LDG.E R0,desc[UR4][R2.64]\n"
	    "IADD3 R2,P1,R2,0x40,RZ\n"
	    "@P0 BRA #1\n", 1);
	assert_true(!slice_walks(&s));
	/* The index grows by one, with elements of 4 bytes. */
	s = slice_text("MOV R5,RZ\n"
	    "LDC.64 R2,c[0x0][0x218]\n"
	    "IMAD.WIDE R6,R5,0x4,R2\n"
	    "LDG.E R0,desc[UR4][R6.64]\n"
	    "IADD3 R5,R5,0x1,RZ\n"
	    "@P0 BRA #2\n", 3);
	assert_int_equal(s.step, 4);
	/* An offset that is added anew in each iteration is no step. */
	s = slice_text("LDC.64 R2,c[0x0][0x218]\n"
	    "LOP3.LUT R5,R4,0xf,RZ,0xc0,!PT\n"
	    "VIADD R5,R5,0x5\n"
	    "IMAD.WIDE R6,R5,0x4,R2\n"
	    "LDG.E R0,desc[UR4][R6.64]\n"
	    "@P0 BRA #1\n", 4);
	assert_true(s.known);
	assert_int_equal(s.step, 0);
	/* Rows of unknown length: an unknown step. */
	s = slice_text("MOV R5,RZ\n"
	    "LDC.64 R2,c[0x0][0x218]\n"
	    "IMAD R8,R5,R9,R4\n"
	    "IMAD.WIDE R6,R8,0x4,R2\n"
	    "LDG.E R0,desc[UR4][R6.64]\n"
	    "IADD3 R5,R5,0x1,RZ\n"
	    "@P0 BRA #2\n", 4);
	assert_true(s.changes);
	assert_int_equal(s.step, 0);
	/* A pointer in halves, of which one is copied by a product of zeros. */
	s = slice_text("ULDC UR6,c[0x0][0x228]\n"
	    "IMAD.U32 R4,RZ,RZ,UR6\n"
	    "LDC R5,c[0x0][0x22c]\n"
	    "LDG.E R0,desc[UR4][R4.64]\n", 3);
	assert_int_equal(s.parameters, 1);
	assert_int_equal(s.parameter[0], 0x228);
	/* A pointer chase: the address was loaded. */
	s = slice_text("LDG.E.64 R2,desc[UR4][R2.64]\n"
	    "@P0 BRA #0\n", 0);
	assert_true(s.known && s.loads);
}

/* The analysis is bounded for any text: here a long chain that redefines itself. */
TEST(test_slice_is_bounded)
{
	char text[512 * 40];
	size_t at = 0;
	struct slice s;

	for (int i = 0; i < 400; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at,
		    "IADD3 R%d,R%d,R%d,RZ\n", i % 200, (i + 1) % 200,
		    (i + 7) % 200);
	snprintf(text + at, sizeof(text) - at,
	    "LDG.E R0,desc[UR4][R3.64]\n@P0 BRA #0\n");
	s = slice_text(text, 400);
	assert_false(s.known);
}

/* --- patterns -------------------------------------------------------------- */

static enum access_pattern
pattern_at(builder *build, const char *opcode, unsigned nth)
{
	enum access_pattern p = PATTERNS;
	struct accesses all;
	struct rule_view x;
	struct made m;

	memset(&x, 0, sizeof(x));
	made_init(&m);
	build(&m);
	x.run = &m.run;
	x.kernel = &m.kernel[0];
	assert_int_equal(accesses_of(&all, &x), 0);
	for (size_t i = 0; i < x.kernel->code->instructions; i++)
		if (opcode_is(inst_sass(x.kernel->code, i), opcode) &&
		    nth-- == 0)
			p = (enum access_pattern)all.of[i].pattern;
	accesses_free(&all);
	code_release(&m);
	return p;
}

TEST(test_patterns)
{
	assert_int_equal(pattern_at(fault_code_clean, "LDG", 0), PATTERN_GOOD);
	assert_int_equal(pattern_at(fault_fields, "LDG", 1), PATTERN_FIELDS);
	assert_int_equal(pattern_at(fault_fields, "STG", 0), PATTERN_GOOD);
	assert_int_equal(pattern_at(fault_rows, "LDG", 1), PATTERN_SCATTERED);
	assert_int_equal(pattern_at(fault_shifted, "LDG", 0),
	    PATTERN_MISALIGNED);
	assert_int_equal(pattern_at(fault_stencil, "LDG", 0), PATTERN_SLIDING);
	assert_int_equal(pattern_at(fault_stencil, "LDG", 2), PATTERN_SLIDING);
	assert_int_equal(pattern_at(fault_filter, "LDG", 0), PATTERN_SLIDING);
	assert_int_equal(pattern_at(fault_uniform, "LDG", 1), PATTERN_UNIFORM);
	assert_int_equal(pattern_at(fault_narrow, "LDG", 0), PATTERN_GOOD);
}

/* Data that all threads walk fits into a tile, from which 16 bytes are loaded at
 * once, if it is too large for constant memory; from there each load is an operand. */
MADE_TEST(test_bodies)
{
	const struct finding *f;
	struct advice *a = advised(fault_bodies, m);
	double tile;

	f = found_in(a, "uniform-global-load");
	assert_has(f->advice, "tile");
	tile = f->kernel_speedup;
	a = advised(fault_few_bodies, m);
	f = found_in(a, "uniform-global-load");
	assert_has(f->advice, "__constant__");
	/* 3 of 11 instructions are saved. */
	if (!(tile > 1.2 && tile < 1.45))
		fail_msg("× %g", tile);
}

/* A block's broadcasts are many, and the pipe is full: constants, or several results. */
MADE_TEST(test_crowded)
{
	const struct finding *f;
	struct advice *a = advised(fault_crowded_in_block, m);

	f = found_in(a, "uniform-global-load");
	assert_has(f->summary, "a whole block");
	assert_has(f->advice, "several results");
	if (!(f->kernel_speedup > 1.2 && f->kernel_speedup < 4))
		fail_msg("× %g", f->kernel_speedup);
}

/* Bytes: a request carries a quarter of a line, and the address goes with it. */
MADE_TEST(test_bytes_in_turn)
{
	const struct finding *f;
	struct advice *a = advised(fault_bytes_in_turn, m);
	struct load l;
	struct code *c;
	double *v;

	f = found_in(a, "narrow-access");
	assert_ptr_equal(f, &a->finding[0]);
	assert_int_equal(f->confidence, CONF_LOW);
	assert_has(f->advice, "uint4");
	if (!(f->kernel_speedup > 1.2 && f->kernel_speedup < 4))
		fail_msg("× %g", f->kernel_speedup);
	/* L1 seems to be the limit, and is hardly more than half busy. */
	made_again(m);
	fault_bytes_in_turn(m);
	v = m->kernel[0].metric;
	v[METRIC_LSU_WAVEFRONTS] = 27e6;
	v[METRIC_STALL_LONG_SCOREBOARD] = NAN;
	c = &m->code[0]->code;
	c->sampled = true;
	c->samples.all = 1000;
	c->samples.stall[STALL_LG_THROTTLE] = 600;
	c->samples.stall[STALL_LONG_SCOREBOARD] = 250;
	made_load(m, &l);
	assert_int_equal(l.limit, RES_L1);
	assert_true(l.bound > 0.5 && l.busy < 0.55);
	f = made_found(m, "narrow-access");
	assert_true(f->kernel_speedup > 1.1 && f->kernel_speedup < 4);
	/* DRAM is idle: they wait for something else. */
	made_again(m);
	fault_bytes_in_turn(m);
	made_counters(m, &m->kernel[0], 0.02);
	made_quiet(m, "narrow-access");
}

/* A search loads one element at a time: a batch of them goes out together. */
MADE_TEST(test_search)
{
	const struct finding *f;
	struct advice *a = advised(fault_searching, m);

	f = found_in(a, "loop-not-unrolled");
	assert_ptr_equal(f, &a->finding[0]);
	assert_has(f->title, "search");
	assert_has(f->advice, "a batch");
	/* DRAM is busy half of the time: up to its usual share. */
	if (!(f->kernel_speedup > 1.4 && f->kernel_speedup < 1.9))
		fail_msg("× %g", f->kernel_speedup);
}

/* The same where the compiler unrolled all of the loop: none is left in the code. */
MADE_TEST(test_search_unrolled_whole)
{
	const struct finding *f = found_in(advised(fault_searching_ladder, m),
	    "loop-not-unrolled");

	assert_has(f->title, "search");
	assert_has(f->summary, "about 64 elements");
	assert_has(f->good_code, "float next[8]");
	if (!(f->kernel_speedup > 1.4 && f->kernel_speedup < 1.9))
		fail_msg("× %g", f->kernel_speedup);
}

/* What one rule explains no other rule reports. */
MADE_TEST(test_each_once)
{
	static const struct {
		builder *build;
		const char *says, *silent;
	} cases[] = {
		{ fault_fields, "array-of-structures",
		  "uncoalesced-global-access" },
		{ fault_shifted, "misaligned-access",
		  "uncoalesced-global-access" },
		{ fault_rows, "uncoalesced-global-access",
		  "array-of-structures" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct advice *a = advised(cases[i].build, m);

		assert_non_null(made_finding(a, cases[i].says));
		assert_null(made_finding(a, cases[i].silent));
	}
}

/* --- lines and sites ------------------------------------------------------- */

MADE_TEST(test_lines)
{
	const struct finding *f;
	struct advice *a;

	a = advised(fault_fields, m);
	f = made_finding(a, "array-of-structures");
	assert_int_equal(f->hots, 2);
	assert_string_equal(f->hot[0].file, "tests/kernel.cu");
	assert_true(f->hot[0].line == 41 || f->hot[0].line == 42);
	assert_true(fabs(f->hot[0].share - 0.5) < 1e-9);
	assert_string_equal(f->hot[0].what, "32 sectors per request");
	assert_has(f->hot[0].sass, "LDG.E.CONSTANT");
	assert_null(f->hot[0].text);
	assert_null(f->hot[0].called_file);
	assert_has(f->location, "kernel.cu:4");
	assert_has(f->location, "grid 12672");
	assert_null(f->location_missing);
}

MADE_TEST(test_line_text)
{
	static const char source[] = "one\n\t  if (a)\tb(\x01);  \nlast";
	const struct finding *f;
	struct code_made *c;

	made_again(m);
	fault_fields(m);
	c = m->code[0];
	for (size_t i = 0; i < c->code.lines; i++)
		if (c->code.line[i].line >= 41)
			c->code.line[i].line -= 39;	/* 2 and 3 */
	c->file[0].text = source;
	c->file[0].size = sizeof(source) - 1;
	f = made_found(m, "array-of-structures");
	for (size_t i = 0; i < f->hots; i++)
		assert_string_equal(f->hot[i].text, f->hot[i].line == 2 ?
		    "if (a) b( );" : "last");
	/* Beyond the end of the file there is no text. */
	for (size_t i = 0; i < c->code.lines; i++)
		c->code.line[i].line += 1000;
	f = made_found(m, "array-of-structures");
	assert_null(f->hot[0].text);
}

/* Each line of a file whose lines' starts are known, and of one read from its start. */
TEST(test_text_by_line)
{
	static char text[1000];
	struct source_file file[] = { { .text = text }, { .path = "missing" } };
	struct run run = { .source_file = file, .source_files = 2 };
	struct texts *t = texts_new(&run);
	size_t len = 0, want = 0, lines = 0, i;
	const char *s;
	uint32_t n;

	assert_non_null(t);
	for (i = 0; i < sizeof(text); i++)
		text[i] = i * i % 7 == 2 ? '\n' : (char)('a' + i % 26);
	for (i = 0; i < sizeof(text); i++)
		lines += text[i] == '\n';
	assert_true(lines > 200);
	file[0].size = sizeof(text);
	for (n = 0; n < lines + 200; n++) {
		s = texts_line(t, &run, 0, n, &len);
		assert_ptr_equal(s, texts_line(NULL, &run, 0, n, &want));
		assert_int_equal(s != NULL, n > 0 && n <= lines + 1);
		assert_true(s == NULL || len == want);
		assert_null(texts_line(t, &run, 1, n, &len));
	}
	texts_free(t);
}

/* Inlined code names its own line and the line that it was inlined at; a
 * circular chain ends. */
MADE_TEST(test_inlined)
{
	const struct finding *f;
	struct code *c;
	uint32_t line, at;

	fault_fields(m);
	c = &m->code[0]->code;
	for (line = 0; c->line[line].line != 41; line++)
		;
	for (at = 0; c->line[at].line != 3; at++)
		;
	c->line[line].inlined_at = at;
	c->line[line].function = "load(body const *)";
	f = made_found(m, "array-of-structures");
	for (size_t i = 0; i < f->hots; i++) {
		if (f->hot[i].line != 41)
			continue;
		assert_string_equal(f->hot[i].function, "load(body const *)");
		assert_string_equal(f->hot[i].called_file, "tests/kernel.cu");
		assert_int_equal(f->hot[i].called_line, 3);
	}
	c->line[at].inlined_at = line;
	made_found(m, "array-of-structures");
	c->line[line].inlined_at = c->line[at].inlined_at = 4000000000u;
	c->line[line].file = 99;
	made_found(m, "array-of-structures");
}

/* A line in CUDA's own headers is replaced by the line that calls it. */
MADE_TEST(test_toolkit)
{
	struct source_file file[] = {
		{ .path = "/usr/local/cuda/include/sm_20_atomic_functions.hpp" },
		{ .path = "src/sum.cuh" }, { .path = "src/main.cu" },
	};
	const struct finding *f;
	struct code *c;
	uint32_t line, at;

	fault_contended(m);
	c = &m->code[0]->code;
	m->run.source_file = file;
	m->run.source_files = 3;
	for (line = 0; c->line[line].line != 5; line++)
		;
	for (at = 0; c->line[at].line != 4; at++)
		;
	for (size_t i = 0; i < c->lines; i++)
		c->line[i].file = 2;
	c->line[line].file = 0;
	c->line[line].inlined_at = at;
	c->line[at].file = 1;
	c->line[at].inlined_at = 0;	/* in main.cu:3 */
	f = made_found(m, "global-atomic-contention");
	assert_string_equal(f->hot[0].file, "src/sum.cuh");
	assert_int_equal(f->hot[0].line, 4);
	assert_string_equal(f->hot[0].called_file, "src/main.cu");
	assert_has(f->location, "sum.cuh:4 in main.cu:3");
	/* No caller is known: the line itself is given. */
	c->line[line].inlined_at = LINE_NONE;
	f = made_found(m, "global-atomic-contention");
	assert_has(f->location, "sm_20_atomic_functions.hpp:5");
}

/* One lane of each warp adds for all, to a place that the code shows to be a
 * single one: the time that they take in one line is sufficient evidence. */
MADE_TEST(test_atomics_of_one_place)
{
#define ADD	"REDG.E.ADD.STRONG.GPU desc[UR4][R6.64],R9 | inst 100000 "	\
	"lanes 1 sectors 100000 ideal 100000 wait 900 line 5\n"
	static const char to_one[] = ADD;
	static const char to_own[] = "IMAD.WIDE R6,R9,0x4,R6 | inst 100\n" ADD;
	static const char rule[] = "global-atomic-contention";
	const struct finding *f;
	struct kernel *k;

	for (int own = 0; own < 2; own++) {
		made_again(m);
		k = code_kernel(m, 0.1, code_text("adding", own ?
		    to_own : to_one));
		/* 10⁸ of them in 80 ms. */
		k->total_ns = 80000000ull * k->launches;
		k->time.sum = k->total_ns;
		k->metric[METRIC_DURATION] = NAN;
		f = made_finding(made_advised(m), rule);
		assert_true(own ? f == NULL : f != NULL &&
		    f->kernel_speedup > 5);
	}
}

/* Threads that read much and add once at their end: atomics are one access in a
 * hundred, but all to one place, where they take the kernel's time. Nothing is found
 * where they would take a tenth of it, each thread has a place of its own, or what a lane
 * adds for its warp is hidden behind the reads. */
MADE_TEST(test_few_atomics_of_one_place)
{
#define READ	"LDG.E R4,[R2.64] | inst 310000 lanes 32 sectors 1240000 "	\
	"ideal 1240000 wait 100 line 4\n"
#define ADD_LAST	"REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64],R9 | "	\
	"inst 3000 lanes 32 sectors 3000 ideal 3000 wait 900 line 5\n"
	static const struct {
		const char *code;
		double ms;		/* a launch; 96 million atomics take 168 */
		bool found;
	} row[] = {
		{ READ ADD_LAST, 200, true },
		{ READ ADD_LAST, 1700, false },
		{ "IMAD.WIDE R6,R9,0x4,R6 | inst 3000\n" READ ADD_LAST, 200,
		    false },
		{ READ "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64],R9 | "
		  "inst 3000 lanes 1 sectors 3000 ideal 3000 wait 900 line 5\n",
		    6, false },
		{ "LDG.E R4,[R2.64] | inst 31000 lanes 32 sectors 124000 ideal "
		  "124000 wait 100 line 4\n"
		  "REDG.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R6.64],R9 | "
		  "inst 3000 lanes 1 sectors 3000 ideal 3000 wait 900 line 5\n",
		    6.25, true },
	};
	const struct finding *f;
	struct kernel *k;

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
		made_again(m);
		k = code_kernel(m, 0.1, code_text("adding", row[i].code));
		k->total_ns = (uint64_t)(row[i].ms * 1e6) * k->launches;
		k->time.sum = k->total_ns;
		k->metric[METRIC_DURATION] = NAN;
		f = made_finding(made_advised(m), "global-atomic-contention");
		if (!row[i].found) {
			assert_null(f);
			continue;
		}
		assert_non_null(f);
		assert_has(f->summary, "all to one place, take 84 %");
		assert_true(f->kernel_speedup > 2);
		assert_int_equal(f->hot[0].line, 5);
	}
}

/* Without a line table the instruction is named, and the flag to add. */
MADE_TEST(test_no_lines)
{
	const struct finding *f;
	struct code *c;
	struct advice *a;

	fault_fields(m);
	c = &m->code[0]->code;
	c->has_lines = false;
	c->lineless = &reason_row[REASON_NO_LINEINFO];
	for (size_t i = 0; i < c->instructions; i++)
		c->instruction[i].line = LINE_NONE;
	f = made_found(m, "array-of-structures");
	assert_int_equal(f->hots, 2);
	assert_null(f->hot[0].file);
	assert_int_equal(f->hot[0].line, 0);
	assert_int_equal(f->hot[0].pc, 7 * 16);
	assert_non_null(f->hot[0].sass);
	assert_int_equal(f->location_missing->code, REASON_NO_LINEINFO);
	/* Without any source data, the level that provides it. */
	a = advised(fault_scattered, m);
	f = made_finding(a, "uncoalesced-global-access");
	assert_int_equal(f->hots, 0);
	assert_int_equal(f->location_missing->code, REASON_NEEDS_AUTO);
}

MADE_TEST(test_sites)
{
	struct site_frame frame = { .function = "main", .file = "main.cu",
	    .line = 12 };
	struct site site[] = {
		{ .call = CALL_LAUNCH, .kernel = 2, .count = 900,
		  .frame = &frame, .frames = 1 },
		{ .call = CALL_LAUNCH, .kernel = 1, .count = 10,
		  .frame = &frame, .frames = 1 },
		{ .call = CALL_LAUNCH, .kernel = 1, .count = 20,
		  .frame = &frame, .frames = 1 },
		{ .call = CALL_MALLOC, .count = 5, .frame = &frame,
		  .frames = 1 },
		{ .call = CALL_DEVICE_SYNC, .count = 7, .frame = &frame,
		  .frames = 1 },
		{ .call = CALL_DEVICE_SYNC, .count = 8 },	/* no frames */
	};

	fault_scattered(m);
	m->run.site = site;
	m->run.sites = sizeof(site) / sizeof(site[0]);
	assert_ptr_equal(made_found(m, "uncoalesced-global-access")->site,
	    &site[2]);
	made_again(m);
	fault_syncing(m);
	m->run.site = site;
	m->run.sites = sizeof(site) / sizeof(site[0]);
	assert_ptr_equal(made_found(m, "device-sync-overuse")->site, &site[4]);
	made_again(m);
	fault_allocating(m);
	m->run.site = site;
	m->run.sites = sizeof(site) / sizeof(site[0]);
	assert_ptr_equal(made_found(m, "allocation-in-hot-path")->site,
	    &site[3]);
}

/* --- reasons and order ------------------------------------------------------ */

MADE_TEST(test_reasons)
{
	struct advice *a;

	a = advised(fault_good, m);
	assert_int_equal(made_verdict(a, "array-of-structures")->reason->code,
	    REASON_NEEDS_AUTO);
	assert_int_equal(made_verdict(a, "debug-build")->reason->code,
	    REASON_NEEDS_AUTO);
	a = advised(fault_no_disassembler, m);
	assert_int_equal(made_verdict(a, "unfused-multiply-add")->reason->code,
	    REASON_NO_DISASSEMBLER);
	/* Counts are enough for the others. */
	assert_int_equal(made_verdict(a, "global-atomic-contention")->state,
	    RULE_CLEAN);
	a = advised(fault_not_counted, m);
	assert_int_equal(made_verdict(a, "loop-not-unrolled")->reason->code,
	    REASON_COOPERATIVE);
	a = advised(fault_no_cubin, m);
	assert_int_equal(made_verdict(a, "missing-lineinfo")->reason->code,
	    REASON_NO_CODE);
	/* Advice that the user cannot follow is not given. */
	a = advised(fault_library, m);
	assert_int_equal(made_verdict(a, "missing-lineinfo")->state,
	    RULE_NOT_MEASURED);
	assert_int_equal(made_verdict(a, "narrow-access")->reason->code,
	    REASON_LIBRARY);
}

/* Code that is available is judged at any level; without it, the launch must
 * suffice. */
MADE_TEST(test_debug_at_default)
{
	const struct verdict *v;
	struct advice *a;

	for (uint32_t regs = 30; regs <= 240; regs += 210) {
		made_again(m);
		fault_debug(m);
		m->run.level = LEVEL_COUNTERS;
		m->code[0]->code.counted = false;
		a = made_advised(m);
		assert_string_equal(a->finding[0].rule, "debug-build");
		made_again(m);
		fault_good(m);
		m->kernel[0].shape.local_per_thread = 64;
		m->kernel[0].shape.regs = regs;
		a = made_advised(m);
		v = made_verdict(a, "debug-build");
		assert_int_equal(v->state, RULE_NOT_MEASURED);
		/* Spilled, not unoptimised, if no register is left. */
		assert_int_equal(v->reason->code, regs == 30 ?
		    REASON_LIKE_DEBUG : REASON_NEEDS_AUTO);
	}
}

/* A debug build comes first, and missing optimisations of its code are not reported. */
MADE_TEST(test_debug_leads)
{
	struct advice *a;

	fault_short_loop(m);
	m->code[0]->code.debug = true;
	m->kernel[0].metric[METRIC_LOCAL_LD_SECTORS] =
	    m->kernel[0].metric[METRIC_GLOBAL_LD_SECTORS];
	a = made_advised(m);
	assert_string_equal(a->finding[0].rule, "debug-build");
	assert_null(made_finding(a, "loop-not-unrolled"));
	assert_null(made_finding(a, "local-memory-spill"));
	assert_int_equal(made_verdict(a, "loop-not-unrolled")->reason->code,
	    REASON_DEBUG_BUILD);
}

/* Launches from a kernel: counted at their line, or assumed, and then with low
 * confidence; other findings on the kernel come after it. */
MADE_TEST(test_device_launches)
{
	static const char rule[] = "dynamic-parallelism-overhead";
	const struct finding *f;
	struct advice *a;

	a = advised(fault_launching, m);
	f = made_finding(a, rule);
	assert_ptr_equal(f, &a->finding[0]);
	assert_int_equal(f->severity, SEV_HIGH);
	assert_int_equal(f->hots, 1);
	assert_int_equal(f->hot[0].line, 5);
	assert_has(f->summary, "launches 1,056 kernels");
	assert_has(f->limiter, "launch");
	/* 0.95 of the 1.61 us of each. */
	assert_true(fabs(f->saves_s - 1.7 * 0.95 / 1.61) < 0.01);
	/* A kernel's record ends before its children: the rest is idle time. */
	made_again(m);
	fault_launching(m);
	m->kernel[0].gap_after_ns = 9 * m->kernel[0].total_ns / 10;
	m->run.idle_ns[IDLE_LAUNCH] = m->kernel[0].gap_after_ns;
	f = made_found(m, rule);
	assert_true(fabs(f->saves_s - 1.7 * 0.95 / 1.61) < 0.01);
	a = advised(fault_launching_uncounted, m);
	f = made_finding(a, rule);
	assert_int_equal(f->severity, SEV_LOW);
	assert_int_equal(f->confidence, CONF_LOW);
	assert_has(f->summary, "up to 1,056");
	assert_has(f->gain_note, "not counted");
	/* Through a function that may launch or not: at most as many. */
	made_again(m);
	fault_launching(m);
	m->code[0]->code.launch[0].direct = false;
	f = made_found(m, rule);
	assert_int_equal(f->confidence, CONF_LOW);
	assert_has(f->summary, "up to 1,056");
	a = advised(fault_launching_seldom, m);
	assert_null(made_finding(a, rule));
	assert_int_equal(made_verdict(a, rule)->state, RULE_CLEAN);
	/* The function is not in the captured code. */
	made_again(m);
	fault_launching(m);
	m->code[0]->code.launches_known = false;
	assert_int_equal(made_state(m, rule), RULE_NOT_MEASURED);
}

/* One finding for a function, whatever shapes it is launched in. */
MADE_TEST(test_once_a_function)
{
	struct advice *a;
	size_t said = 0;

	fault_without_lines(m);
	for (int i = 0; i < 5; i++) {
		struct kernel *k = made_kernel(m, "_Z4workPf", 300, 200000);

		k->code = m->kernel[0].code;
		k->shape.grid_x += (uint32_t)i;
	}
	made_kernel(m, "other", 10000, 200000);
	a = made_advised(m);
	for (size_t i = 0; i < a->findings; i++)
		said += strcmp(a->finding[i].rule, "missing-lineinfo") == 0;
	assert_int_equal(said, 1);
	assert_ptr_equal(made_finding(a, "missing-lineinfo")->kernel,
	    &m->kernel[0]);
}

/* Spilled registers are at constant places of the stack, arrays are not. */
MADE_TEST(test_spill_kinds)
{
	static const struct {
		const char *sass, *advice;
	} cases[] = {
		{ "STL [R1+0x8],R4 | inst 100 local 400 line 5\n"
		  "LDL R4,[R1+0x8] | inst 100 local 400 line 6\n"
		  "EXIT | inst 100\n", "__launch_bounds__" },
		{ "STL [R7],R4 | inst 100 local 400 line 5\n"
		  "LDL R4,[R7+0x4] | inst 100 local 400 line 6\n"
		  "EXIT | inst 100\n", "indexed at run time" },
		/* Four words of each lane are 16 sectors where all lanes access the
		 * same elements. */
		{ "STL.128 [R7],R4 | inst 100 local 1600 line 5\n"
		  "LDL.128 R4,[R7+0x10] | inst 100 local 1600 line 6\n"
		  "EXIT | inst 100\n", "two turns out" },
		{ "STL.128 [R7],R4 | inst 100 local 6400 line 5\n"
		  "LDL.128 R4,[R7+0x10] | inst 100 local 6400 line 6\n"
		  "EXIT | inst 100\n", "interleaved" },
	};
	static const char *const what[] = { "4 sectors an access",
	    "4 sectors an access", "16 sectors an access", "64 sectors an access" };

	for (size_t i = 0; i < 4; i++) {
		const struct finding *f;
		struct kernel *k;

		made_again(m);
		k = made_measured(m, "k", 10000, 200000, 0.5);
		code_make(m, k, cases[i].sass, 1e5);
		k->metric[METRIC_LOCAL_LD_INST] = 1e7;
		k->metric[METRIC_L2_PCT] = 85;
		if (i >= 2) {
			k->metric[METRIC_LOCAL_ST_INST] = 1e7;
			k->metric[METRIC_LOCAL_ST_SECTORS] =
			    k->metric[METRIC_LOCAL_LD_SECTORS] =
			    i == 2 ? 16e7 : 64e7;
		}
		f = made_found(m, "local-memory-spill");
		assert_has(f->advice, cases[i].advice);
		assert_int_equal(f->hots, 2);
		assert_string_equal(f->hot[0].what, what[i]);
	}
}

/* Buffers that take turns are written anew by every second step; an address that moves
 * on is a record of the steps, and across a fence another block may read them. */
MADE_TEST(test_stepped)
{
	static const struct {
		const char *next, *between;
		double part;
	} cases[] = {
		{ "MOV R10,R6", "BAR.SYNC.DEFER_BLOCKING 0x0", 1 },
		{ "IADD3 R10,R6,0x1000,RZ", "BAR.SYNC.DEFER_BLOCKING 0x0", 0 },
		{ "MOV R10,R14", "BAR.SYNC.DEFER_BLOCKING 0x0", 0 },
		{ "MOV R10,R6", "BAR.SYNC.DEFER_BLOCKING 0x0 | inst 40000\n"
		  "MEMBAR.SC.GPU", 0 },
		{ "MOV R10,R6", "NOP", 0 },
	};
	double speedup[5];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;
		struct kernel *k;
		struct stepped_state s;
		double *v;

		made_again(m);
		k = made_measured(m, "k", 10000, 200000, 0.01);
		stepped_of(&s, &code_make(m, k, code_text("stepped",
		    cases[i].next, cases[i].between), 70)->code);
		assert_true(fabs(s.part - cases[i].part) < 0.01);
		assert_float_equal(s.bytes, 4 * cases[i].part, 1e-9);
		v = k->metric;
		v[METRIC_LSU_WAVEFRONTS] = 0.92 * 198.5e-6 * 132 *
		    m->device[0].ceilings.sm_hz;
		v[METRIC_GLOBAL_LD_BYTES_PER_SECTOR] = 28;
		v[METRIC_L1_HIT_RATE] = 80;
		v[METRIC_L2_READ] = 0.2 * v[METRIC_GLOBAL_LD_SECTORS];
		v[METRIC_L2_WRITE] = v[METRIC_GLOBAL_ST_SECTORS];
		v[METRIC_L2_SECTORS] = v[METRIC_L2_READ] + v[METRIC_L2_WRITE];
		v[METRIC_L2_PCT] = 70;
		v[METRIC_ISSUE_ACTIVE] = 40;
		v[METRIC_PIPE_FMA] = 12;
		m->run.peak_memory_bytes = 15000000;
		if (i == 2)	/* from loaded places: no tile holds them */
			continue;
		f = made_found(m, "redundant-global-traffic");
		assert_true((strstr(f->advice, "over all steps") != NULL) ==
		    (cases[i].part > 0));
		speedup[i] = f->kernel_speedup;
	}
	if (!(speedup[0] > 1.2 * speedup[1]))
		fail_msg("%g %g", speedup[0], speedup[1]);
}

/* Values that are only stored on the stack, and not loaded here, are arguments
 * of a function (printf): not a lack of registers. Without such a function they are those
 * of an array behind a pointer, which the compiler keeps in registers as well. */
MADE_TEST(test_arguments_are_no_spills)
{
	static const char *const sass[] = {
		"STL [R1],R4 | inst 100 local 400 line 5\n"
		"CALL.ABS.NOINC R8 | inst 100 line 5\nEXIT | inst 100\n",
		"STL [R1],R4 | inst 100 local 400 line 5\n"
		"CALL.ABS.NOINC R8 | inst 100 line 5\n"
		"LDL R4,[R1] | inst 100 local 400 line 6\nEXIT | inst 100\n",
		"STL [R16],R4 | inst 100 local 400 line 5\nEXIT | inst 100\n",
	};

	for (size_t i = 0; i < 3; i++) {
		struct kernel *k;
		struct advice *a;

		made_again(m);
		k = made_measured(m, "k", 10000, 200000, 0.5);
		code_make(m, k, sass[i], 1e5);
		k->metric[METRIC_LOCAL_LD_INST] = i == 1 ? 1e7 : 0;
		k->metric[METRIC_L2_PCT] = 85;
		a = made_advised(m);
		if (i == 0)
			assert_null(made_finding(a, "local-memory-spill"));
		else
			assert_non_null(made_finding(a, "local-memory-spill"));
	}
}

MADE_TEST(test_conflict_lines)
{
	const struct finding *f;
	struct kernel *k;

	k = made_measured(m, "k", 10000, 200000, 0.1);
	code_make(m, k,
	    code_text("conflict_lines"), 13000);
	f = made_found(m, "shared-bank-conflicts");
	assert_int_equal(f->hots, 1);	/* wide accesses are no conflict */
	assert_int_equal(f->hot[0].line, 6);
	assert_string_equal(f->hot[0].what, "32 wavefronts an access");
	/* Most of them run with no active lane, and take no wavefront. */
	for (size_t i = 0; i < m->code[0]->code.instructions; i++) {
		double *v = m->code[0]->code.instruction[i].value;

		if (v[SOURCE_SHARED_WAVEFRONTS] > 0)
			v[SOURCE_INST] *= 100;
	}
	f = made_found(m, "shared-bank-conflicts");
	for (size_t i = 0; i < f->evidences; i++)
		if (strcmp(f->evidence[i].name, "wavefronts_per_inst") == 0)
			assert_true(f->evidence[i].value >= 1);
}

/* Each math function is recognised by instructions that only it has. */
MADE_TEST(test_math_names)
{
	static const struct {
		const char *sass, *name;
	} cases[] = {
		{ "FMUL R6,R2.reuse,0.63661974668502807617", "sinf" },
		{ "FADD R7,R0.reuse,-12583039", "expf" },
		{ "FFMA R2,R5,1.1920928955078125e-07,R2", "logf" },
		{ "FFMA R7,R6,R15,0.0032181653659790754318", "powf" },
		{ "FMUL R0,|R6|.reuse,2.8853900432586669922", "tanhf" },
		{ "FSEL R4,R4,8.4834944573231041431e-05,P0", "erff" },
		{ "FADD R7,R0.reuse,-12583037", "coshf" },
		{ "FFMA R9,R0,R9,-0.015681877732276916504", "atan2f" },
		{ "FFMA R9,R0,R9,-0.014396979473531246185", "atanf" },
		{ "FFMA R9,R0,R9,0.030762933194637298584", "acosf" },
		{ "FFMA R9,R0,R9,0.046769052743911743164", "asinf" },
		{ "FFMA R9,R0,R9,-0.16641564667224884033", "log1pf" },
		{ "FFMA R9,R0,R9,0.041667830199003219604", "expm1f" },
		{ "FCHK P0,R0,R3", "division" },
		{ "IADD3 R2,R0,0x1800000,RZ", "division" },
		{ "FMUL R6,R2,0.5", NULL },
		{ "FFMA R2,R5,R6,R2", NULL },
		{ "IADD3 R2,R0,0x180000,RZ", NULL },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct finding *f;
		struct kernel *k;

		made_again(m);
		k = made_measured(m, "k", 10000, 200000, 0.1);
		code_make(m, k, code_text("math_names", cases[i].sass), 1e4);
		k->metric[METRIC_ISSUE_ACTIVE] = 90;
		f = made_finding(made_advised(m), "slow-math-functions");
		if (cases[i].name == NULL) {
			assert_null(f);
		} else {
			if (f == NULL || !strstr(f->summary, cases[i].name))
				fail_msg("%s is no %s", cases[i].sass,
				    cases[i].name);
			assert_int_equal(f->hot[0].line, 3);
		}
	}
}

static unsigned
below(unsigned n)
{
	return (unsigned)rand() % n;
}

/* An instruction of any kind, and impossible counts. */
static int
random_row(char *out, size_t room, unsigned rows)
{
	static const char *const shape[] = {
		"LDG.E%s R%u,desc[UR4][R%u.64+0x%x]",
		"STG.E%s desc[UR4][R%u.64+0x%x],R%u",
		"LDS%s R%u,[R%u+0x%x]", "STS%s [R%u+0x%x],R%u",
		"ATOMS.CAST.SPIN%s R%u,[R%u],R%u",
		"REDG.E.ADD%s desc[UR4][R%u.64+0x%x],R%u",
		"IADD3%s R%u,R%u,0x%x,RZ", "IMAD.WIDE%s R%u,R%u,0x%x,R2",
		"FMUL%s R%u,R%u,R%u", "FADD%s R%u,R%u,R%u",
		"DFMA%s R%u,R%u,R%u,R8", "F2F.F64.F32%s R%u,R%u,R%u",
		"FMUL%s R%u,R%u,0.6366197466%u", "LDL%s R%u,[R%u+0x%x]",
		"BAR.SYNC%s 0x0,0x%x,0x%x,0x%x", "LDC.64%s R%u,c[0x0][0x%x],R%u",
		"ISETP.NE.AND%s P0,PT,R%u,R%u,PT,R%u", "EXIT%s R%u,R%u,R%u",
	};
	static const char *const width[] = { "", ".64", ".128", ".U8" };
	int n;

	if (below(8) == 0)
		n = snprintf(out, room, "@P0 BRA #%u", below(rows));
	else
		n = snprintf(out, room, shape[below(sizeof(shape) /
		    sizeof(shape[0]))], width[below(4)], below(200),
		    below(200), below(128));
	n += snprintf(out + n, room - (size_t)n, " | inst %u lanes %u "
	    "sectors %u ideal %u local %u waves %u least %u divergent %u "
	    "line %u long_scoreboard %u barrier %u\n", below(100000),
	    below(33), below(4000000), below(400000), below(100),
	    below(400000), below(100000), below(100), 1 + below(20),
	    below(100), below(100));
	return n;
}

/* For any code and counts: no crash, shares of a whole, gains in order and
 * within the run. */
MADE_TEST(test_any_code)
{
	char *text = malloc(128 * 320);

	assert_non_null(text);
	srand(7);
	for (int round = 0; round < 1500; round++) {
		unsigned rows = 2 + below(100);
		struct advice *a;
		struct kernel *k;
		size_t at = 0;

		made_again(m);
		k = made_measured(m, "k", 10000, 200000, below(100) / 100.0);
		for (unsigned i = 0; i < rows; i++)
			at += (size_t)random_row(text + at, 320, rows);
		code_make(m, k, text, 1 + below(1000));
		k->metric[METRIC_ISSUE_ACTIVE] = below(101);
		k->metric[METRIC_PIPE_LSU] = below(101);
		k->metric[METRIC_PIPE_XU] = below(101);
		for (int i = 0; i < 3; i++)
			m->code[0]->code.instruction[below(rows)].value[
			    below(SOURCE_COUNT)] = below(2) ? NAN : 1e300;
		a = made_advised(m);
		assert_non_null(a);
		for (size_t i = 0; i < a->findings; i++) {
			const struct finding *f = &a->finding[i];
			double sum = 0;

			for (size_t h = 0; h < f->hots; h++)
				sum += f->hot[h].share;
			assert_true(sum >= 0 && sum <= 1 + 1e-9);
			if (isnan(f->saves_s))
				continue;
			assert_true(f->saves_low_s >= 0 &&
			    f->saves_low_s <= f->saves_s &&
			    f->saves_s <= f->saves_high_s &&
			    f->saves_high_s <= 10);
		}
	}
	free(text);
}

MADE_TEST(test_library)
{
	struct site_frame torch[] = {
		{ .module = "libcudart.so.13" },
		{ .module = "/opt/lib/libtorch_cuda.so" }, { .module = "python3" },
	}, own[] = { { .module = "libcudart.so.13" }, { .module = "app" } };
	struct site site = { .call = CALL_LAUNCH, .kernel = 1, .count = 1,
	    .frame = torch, .frames = 3 };
	struct kernel *k;

	k = made_kernel(m, "work(float *)", 1, 1000);
	assert_false(library_owns(&m->run, k));
	m->run.site = &site;
	m->run.sites = 1;
	assert_true(library_owns(&m->run, k));
	site.frame = own;
	site.frames = 2;
	assert_false(library_owns(&m->run, k));
	k->name = "void cutlass::Kernel2<cutlass_80_tensorop>";
	assert_true(library_owns(&m->run, k));
	/* A matrix multiplication by the user may have such a name. */
	k->name = "sgemm_naive(int, int, int, float *)";
	assert_false(library_owns(&m->run, k));
	k->name = "void tiled_gemm_kernel<float>(float *)";
	assert_false(library_owns(&m->run, k));
	k->name = "sgemm_largek_lds64";
	assert_true(library_owns(&m->run, k));
	k->name = "void setup<cutlass::half_t>(curandStateXORWOW *)";
	assert_false(library_owns(&m->run, k));
	/* A transform of the program's own, of whatever function, is as good as its
	 * own kernel; a library's is not. */
	k->name = "void cub::CUB_1::detail::transform::transform_kernel<cub::policy, "
	    "int, thrust::plus<float>, float *>(int)";
	assert_true(library_owns(&m->run, k));
	assert_true(library_transforms(&m->run, k));
	site.frame = torch;
	site.frames = 3;
	assert_false(library_transforms(&m->run, k));
	site.frame = own;
	site.frames = 2;
	k->name = "void cub::CUB_1::detail::for_each::static_kernel<cub::policy, long, "
	    "thrust::cuda_cub::__transform::unary_transform_f<thrust::"
	    "permutation_iterator<float *, int *>, float *, F> >(long)";
	assert_false(library_transforms(&m->run, k));
}
