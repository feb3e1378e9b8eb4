/*
 * Noise in the records of the source tier: nothing may crash, and the result
 * must be consistent, whatever the input. Half of the noise is about real code,
 * so that it gets past the first check.
 */
#include <stdio.h>

#include "unit/model_feed.h"
#include "unit/source_feed.h"

static uint64_t
next_random(uint64_t *x)
{

	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

static struct wire_str
some_name(uint64_t *x)
{
	static const char *const name[] = { SOFTMAX, GEMM, "k", "",
	    SOURCES "rows.cuh", SOURCES "softmax.cu",
	    "smsp__sass_inst_executed", "smsp__sass_sectors_mem_global",
	    "smsp__pcsamp_warps_issue_stalled_wait",
	    "smsp__pcsamp_warps_issue_stalled_wait_not_issued",
	    "/a.py\t3\tf\n/b.py\t4\tg\n", "\x01\xff\t\t\n",
	    "0000 LDC R1,c[0x0][0x28]\n" };

	return wire_str_of(name[next_random(x) %
	    (sizeof(name) / sizeof(name[0]))]);
}

/* Often small numbers, so that ids match; sometimes any number. */
static uint64_t
some_number(uint64_t *x)
{
	static const uint64_t number[] = { 0, 1, 2, 3, 7, 16, 0xf0, 0x240,
	    CUBIN_A, CUBIN_B, 4096, 7424, UINT32_MAX, UINT64_MAX, 1 << 20 };
	uint64_t r = next_random(x);

	if (r % 16 == 0)
		return next_random(x) >> r % 61;
	return number[r / 16 % (sizeof(number) / sizeof(number[0]))];
}

/* All fields of all kinds of records, from the table. */
#define U8(n) r->n = (uint8_t)some_number(x);
#define U16(n) r->n = (uint16_t)some_number(x);
#define U32(n) r->n = (uint32_t)some_number(x);
#define U64(n) r->n = some_number(x);
#define F64(n) r->n = (double)some_number(x);
#define STR(n) r->n = some_name(x);
#define BLOB(n) r->n = some_blob(x, blob);
#define RECORD(name, number, doc, fields)				\
	static void							\
	some_##name(uint64_t *x, uint8_t *blob, struct record_##name *r) \
	{								\
		(void)x;						\
		(void)blob;						\
		fields							\
	}

static struct wire_blob
some_blob(uint64_t *x, uint8_t *blob)
{
	uint32_t i, n = (uint32_t)(next_random(x) % 400);

	for (i = 0; i + 4 <= n; i += 4)
		le32_put(blob + i, (uint32_t)some_number(x));
	return (struct wire_blob){ blob, n };
}

#include "wire/record.def"

static void
some_record(uint64_t *x, uint8_t *blob, struct record *r)
{
	static const uint16_t type[] = { RECORD_CUBIN, RECORD_FUNCTION,
	    RECORD_SOURCE, RECORD_BYTES, RECORD_DISASSEMBLY,
	    RECORD_INSTRUCTIONS, RECORD_INSTRUCTIONS, RECORD_STALL,
	    RECORD_SAMPLES, RECORD_SAMPLING, RECORD_MAPPING, RECORD_SITE,
	    RECORD_FRAME, RECORD_METRIC, RECORD_SIGNATURE, RECORD_STRING,
	    RECORD_SKIPPED };

	memset(r, 0, sizeof(*r));
	r->type = type[next_random(x) % (sizeof(type) / sizeof(type[0]))];
	switch (r->type) {
#define RECORD(name, number, doc, fields)				\
	case number:							\
		some_##name(x, blob, &r->u.name);			\
		break;
#include "wire/record.def"
	default:
		break;
	}
	if (r->type == RECORD_INSTRUCTIONS && next_random(x) % 4 != 0) {
		r->u.INSTRUCTIONS.part %= 2;
		r->u.INSTRUCTIONS.parts = 2;
	}
	if (r->type == RECORD_SIGNATURE)
		r->u.SIGNATURE.device = 0;
}

static void
check_code(const struct run *run, const struct code *c)
{
	size_t i;
	uint64_t samples = 0;
	double inst = 0;

	assert_non_null(c->function);
	assert_true(c->counted == (c->uncounted == NULL));
	assert_true(c->has_lines == (c->lineless == NULL));
	assert_true(c->disassembled == (c->no_sass == NULL));
	for (i = 0; i < c->instructions; i++) {
		const struct instruction *p = &c->instruction[i];

		assert_true(i == 0 || c->instruction[i - 1].pc < p->pc);
		assert_true(p->line == LINE_NONE || p->line < c->lines);
		assert_true(p->sass == SASS_NONE ||
		    p->sass < c->sass.instructions);
		samples += p->samples.all;
		inst += p->value[SOURCE_INST];
	}
	assert_int_equal(samples, c->samples.all);
	assert_true(c->instructions == 0 || isnan(inst) ||
	    inst == c->total[SOURCE_INST]);
	for (i = 0; i < c->lines; i++) {
		const struct source_line *l = &c->line[i];

		assert_in_range(l->file, 0, run->source_files - 1);
		assert_true(l->inlined_at == LINE_NONE ||
		    l->inlined_at < c->lines);
		assert_int_not_equal(l->inlined_at, i);
	}
}

static void
check_run(const struct run *run)
{
	size_t i;

	for (i = 0; i < run->kernels; i++)
		if (run->kernel[i].code != NULL)
			check_code(run, run->kernel[i].code);
	for (i = 0; i < run->source_files; i++) {
		assert_non_null(run->source_file[i].path);
		assert_true((run->source_file[i].text == NULL) ==
		    (run->source_file[i].missing != NULL));
	}
	for (i = 0; i < run->sites; i++) {
		assert_in_range(run->site[i].frames, 0, SITE_DEPTH);
		assert_true(run->site[i].first < run->site[i].frames ||
		    run->site[i].frames == 0);
		assert_true(run->site[i].kernel <= run->kernels);
	}
}

static void
feed_noise(struct feed *f, uint64_t seed, uint32_t records)
{
	uint64_t sequence[4] = { 0 }, x = seed;
	uint8_t blob[512];
	struct record r;
	uint32_t i;

	feed_metrics(f);
	feed_stalls(f, 0);
	feed_signature(f, 1, SOFTMAX);
	feed_signature(f, 2, GEMM);
	feed_kernel(f, 1, 0, 10, 20);
	feed_cubin(f, CUBIN_A, "softmax.cubin", 4096, false);
	feed_cubin(f, CUBIN_B, "gemm.cubin", 4096, false);
	feed_source(f, "rows.cuh", 0);
	sequence[0] = f->sequence;
	for (i = 0; i < records; i++) {
		some_record(&x, blob, &r);
		/* The process, two more, and the daemon. */
		assert_int_equal(model_feed(f->m, 42 + i % 4,
		    sequence[i % 4]++, &r), 0);
		if (i % 1000 == 500)
			assert_non_null(model_settle(f->m, false));
	}
}

FEED_TEST(test_noise)
{
	struct model_code_want want[16];
	const struct run *run;
	uint64_t seed;
	size_t i, n;

	for (seed = 1; seed <= 40; seed++) {
		model_free(f->m);
		f->m = model_new();
		feed_process(f, 42);
		feed_noise(f, 0x9e3779b97f4a7c15ull * seed, 3000);
		n = model_wants_disassembly(f->m, want, 16);
		assert_in_range(n, 0, 16);
		for (i = 0; i < n; i++)
			assert_true(want[i].size > 0 && want[i].bytes != NULL);
		run = model_settle(f->m, true);
		assert_non_null(run);
		check_run(run);
		run = model_settle(f->m, true);
		assert_non_null(run);
		check_run(run);
	}
}
