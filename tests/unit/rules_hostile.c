/*
 * Code that nobody would write, as a hostile capture may have it: what grew with the
 * square of the instructions, or with a power of them, must end all the same. Without
 * bounds most of these tests take from half a minute to hours each.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/finding.h"
#include "rules/evidence/affine.h"
#include "rules/evidence/divided.h"
#include "rules/evidence/pointwise.h"
#include "rules/evidence/range.h"
#include "rules/evidence/rounds.h"

#include "unit/model_feed.h"
#include "unit/source_feed.h"

#define PIECE (1u << 19)	/* bytes of a part of a disassembly */

/* Code under construction. */
struct listing {
	char *text;
	size_t len, room;
	uint32_t pc;
};

__attribute__((format(printf, 2, 3))) static void
add(struct listing *l, const char *format, ...)
{
	va_list ap;

	if (l->room - l->len < 256) {
		l->room = l->room == 0 ? 1 << 16 : 2 * l->room;
		l->text = realloc(l->text, l->room);
		assert_non_null(l->text);
	}
	l->len += (size_t)snprintf(l->text + l->len, l->room - l->len, "%04x ", l->pc);
	l->pc += 16;
	va_start(ap, format);
	l->len += (size_t)vsnprintf(l->text + l->len, l->room - l->len - 1, format,
	    ap);
	va_end(ap);
	l->text[l->len++] = '\n';
}

/* Frees ${l}. */
static void
parse(struct code *c, struct listing *l)
{
	memset(c, 0, sizeof(*c));
	assert_int_equal(sass_parse(&c->sass, l->text, l->len), 0);
	c->disassembled = true;
	free(l->text);
}

static void
feed_code(struct feed *f, const struct listing *l)
{
	uint32_t parts = (uint32_t)(l->len + PIECE - 1) / PIECE;

	for (uint32_t n = 0; n < parts; n++) {
		size_t at = (size_t)n * PIECE;
		size_t len = l->len - at < PIECE ? l->len - at : PIECE;

		FEED(f, DISASSEMBLY, .cubin = CUBIN_A, .part = n, .parts = parts,
		    .function = wire_str_of("a"), .tool = wire_str_of("t"),
		    .text = { (uint8_t *)l->text + at, (uint32_t)len });
	}
}

/* Counts that keep no unit busy: all rules look for what takes the time. */
static void
feed_counters(struct feed *f, uint32_t id)
{
	uint8_t blob[16 * METRIC_COUNT] = { 0 };

	for (uint32_t i = 0; i < METRIC_COUNT; i++) {
		bool share = strstr(metric_table[i].name, "pct") != NULL;
		double v = share ? 30 : 1e5;
		uint64_t bits;

		memcpy(&bits, &v, sizeof(bits));
		le32_put(blob + 16 * i, 200 + i);
		le64_put(blob + 16 * i + 8, bits);
		FEED(f, METRIC, .id = 200 + i,
		    .name = wire_str_of(metric_table[i].name));
	}
	FEED(f, COUNTERS, .signature = id, .mode = MODE_SPREAD, .launches = 1,
	    .complete = 1, .values = { blob, sizeof(blob) });
}

/* Advice on a run of ${kernels} launch shapes of a kernel with this code; frees it. */
static void
advise_on(struct feed *f, struct listing *l, uint32_t kernels)
{
	const struct run *run;
	struct advice *a;

	FEED(f, STRING, .id = 1001, .text = wire_str_of("a"));
	feed_code(f, l);
	for (uint32_t id = 1; id <= kernels; id++) {
		FEED(f, SIGNATURE, .id = id, .name = 1001, .grid_x = 1024 + id,
		    .grid_y = 1, .grid_z = 1, .block_x = 256, .block_y = 1,
		    .block_z = 1, .regs = 32, .carveout = 255);
		FEED(f, FUNCTION, .signature = id, .cubin = CUBIN_A,
		    .name = wire_str_of("a"));
		feed_counters(f, id);
	}
	for (uint32_t i = 0; i < 3 * kernels; i++)
		feed_kernel(f, 1 + i % kernels, i * MS, i * MS + 10 * US,
		    i * MS + 500 * US);
	feed_bye(f, (1 + 3 * kernels) * MS);
	run = feed_settle(f);
	assert_true(run->kernel[0].code->disassembled);
	assert_true(run->kernel[0].code->sass.instructions == l->pc / 16);
	a = advice_make(run, NULL);
	assert_non_null(a);
	advice_free(a);
	free(l->text);
}

/* Every atomic is behind branches, whose predicate is far away. */
FEED_TEST(atomics_behind_branches)
{
	struct listing l = { .pc = 0 };

	add(&l, "ISETP.EQ.AND P0,PT,R0,RZ,PT");
	while (l.pc < 16 * 14000)
		add(&l, "ISETP.EQ.AND P1,PT,R0,RZ,PT");
	while (l.pc < 16 * 15000)
		add(&l, "@P0 EXIT");
	while (l.pc < 16 * 16000)
		add(&l, "RED.E.ADD.STRONG.GPU [UR4],R5");
	add(&l, "EXIT");
	advise_on(f, &l, 1);
}

/* One loop of barriers, each of which is asked whether the loop is a round. */
TEST(a_loop_of_barriers)
{
	struct kernel kernel = { .shape = { .block_x = 256, .block_y = 1,
	    .block_z = 1, .grid_x = 100, .grid_y = 1, .grid_z = 1 } };
	struct arena arena = { 0 };
	const struct rule_view x = { .kernel = &kernel, .arena = &arena };
	struct listing l = { .pc = 0 };
	struct mark mark = { 0 };
	struct code c;

	add(&l, "S2R R0,SR_TID.X");
	while (l.pc < 16 * 250000) {
		add(&l, "LDS R4,[R0]");
		add(&l, "STS [R0],R4");
		add(&l, "BAR.SYNC.DEFER_BLOCKING 0x0");
	}
	add(&l, "@P0 BRA 0x10");
	add(&l, "EXIT");
	parse(&c, &l);
	kernel.code = &c;
	assert_true(rounds_of(&x, &mark).barriers == 0);	/* not counted */
	assert_false(arena.failed);
	sass_free(&c.sass);
}

/* One loop of loads at a loaded address, each of which is one of as many pieces. */
FEED_TEST(a_loop_of_gathers)
{
	struct listing l = { .pc = 0 };

	add(&l, "S2R R0,SR_TID.X");
	add(&l, "LDG.E.64 R2,[UR4]");
	while (l.pc < 16 * 40000)
		add(&l, "LDG.E R4,[R2.64+0x%x]", l.pc % 4096);
	add(&l, "@P0 BRA 0x20");
	add(&l, "EXIT");
	advise_on(f, &l, 8);
}

/* Half of the code are points where threads meet, at the ends of 500 blocks. */
TEST(many_meetings)
{
	const struct record_SIGNATURE shape = { .block_x = 256, .block_y = 1,
	    .block_z = 1 };
	struct listing l = { .pc = 0 };
	struct affine *address;
	struct code c;

	while (l.pc < 16 * 50000)
		add(&l, "BSSY B0,0x%x", 16 * 51002);
	for (int i = 0; i < 500; i++) {
		add(&l, "@P0 BSYNC B0");
		add(&l, "IADD3 R%d,R%d,0x1,RZ", 4 + i % 200, 4 + i % 200);
	}
	while (l.pc < 16 * 51010)
		add(&l, "LDG.E R4,[R2.64]");
	add(&l, "EXIT");
	parse(&c, &l);
	address = affine_addresses(&c, &shape);
	assert_non_null(address);
	assert_int_equal(address[51005].kind, AFFINE_UNKNOWN);
	free(address);
	sass_free(&c.sass);
}

/* Each definition may come from any one before it: the ways grow with the power. */
TEST(ranges_of_ranges)
{
	struct listing l = { .pc = 0 };
	struct ranges *r;
	unsigned bytes, need;
	struct code c;

	for (int i = 0; i < 250; i++)
		add(&l, "@P0 SEL R4,R4,R4,P1");
	add(&l, "STG.E [R2.64],R4");
	add(&l, "EXIT");
	parse(&c, &l);
	r = ranges_new(&c);
	assert_non_null(r);
	need = range_stored(r, 250, &bytes);
	assert_int_equal(need, bytes);
	ranges_free(r);
	sass_free(&c.sass);
}

/* Pointers that are sums of sums of eight, only one of which leads anywhere. */
TEST(sums_of_sums)
{
	const struct record_SIGNATURE shape = { .block_x = 256, .block_y = 1,
	    .block_z = 1, .grid_x = 100, .grid_y = 1, .grid_z = 1 };
	struct listing l = { .pc = 0 };
	struct code c;
	double all;

	add(&l, "LDC.64 R20,c[0x0][0x210]");
	add(&l, "IADD3 R10,R9,R9,R9,R9,R9,R9,R9,R9");
	for (int i = 10; i < 15; i++) {
		add(&l, "IADD3 R%d,R%d,R%d,R%d,R%d,R%d,R%d,R%d,R%d", i + 1, i, i, i,
		    i, i, i, i, i);
		add(&l, "IADD3 R%d,R%d,R%d,R%d,R%d,R%d,R%d,R%d,R%d", i + 11, i + 10,
		    i, i, i, i, i, i, i);
		while (l.pc % (16 * 4000) != 0)
			add(&l, "FADD R200,R201,R202");
	}
	for (int i = 0; i < 30; i++)
		add(&l, "LDG.E R4,[R25.64]");
	add(&l, "EXIT");
	parse(&c, &l);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pointwise_taken(&c, &shape, &all), 0);
	sass_free(&c.sass);
}

/* A tile, whose places are all different. */
TEST(a_tile_without_end)
{
	struct listing l = { .pc = 0 };
	struct code c;

	add(&l, "S2R R0,SR_TID.X");
	add(&l, "STS [R0],R4");
	add(&l, "BAR.SYNC.DEFER_BLOCKING 0x0");
	while (l.pc < 16 * 250000) {
		add(&l, "LDS R4,[R0+0x%x]", l.pc);
		add(&l, "STS [R0+0x%x],R4", l.pc);
	}
	add(&l, "@P0 BRA 0x10");
	add(&l, "EXIT");
	parse(&c, &l);
	assert_int_equal(c.sass.loops, 1);
	assert_int_equal(divided_loop(&c, 0), DIVIDED_NOT);
	sass_free(&c.sass);
}

/* The list of each register's writers is what a search backwards would find. */
TEST(writers)
{
	struct listing l = { .pc = 0 };
	struct code c;

	add(&l, "LDG.E.128 R4,[R2.64]");
	add(&l, "@P0 MOV R5,R4");
	add(&l, "ULDC UR4,c[0x0][0x210]");
	add(&l, "MOV R5,R6");
	add(&l, "EXIT");
	parse(&c, &l);
	assert_int_equal(sass_writer(&c.sass, 0, 4), SASS_NONE);
	assert_int_equal(sass_writer(&c.sass, 1, 4), 0);
	assert_int_equal(sass_writer(&c.sass, 5, 4), 0);
	assert_int_equal(sass_writer(&c.sass, 5, 7), 0);
	assert_int_equal(sass_writer(&c.sass, 5, 8), SASS_NONE);
	assert_int_equal(sass_writer(&c.sass, 1, 5), 0);
	assert_int_equal(sass_writer(&c.sass, 3, 5), 1);
	assert_int_equal(sass_writer(&c.sass, 4, 5), 3);
	assert_int_equal(sass_writer(&c.sass, 4, 256 + 4), 2);
	assert_int_equal(sass_writer(&c.sass, 4, -1), SASS_NONE);
	assert_int_equal(sass_writer(&c.sass, 4, 511), SASS_NONE);
	assert_int_equal(sass_writer(&c.sass, 4, 512), SASS_NONE);
	sass_free(&c.sass);
}
