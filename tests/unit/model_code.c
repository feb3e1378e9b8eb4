/*
 * The source tier of the model: cubins, lines, text, disassembly. The cubins
 * are those of captures/cubins; the lines of interest are searched in their
 * sources, so that these may be edited.
 */
#include <stdio.h>

#include "unit/model_feed.h"
#include "unit/source_feed.h"

static const struct source_line *
line_at(const struct run *run, const struct code *c, const char *file,
    uint32_t line, uint32_t inlined_at)
{
	const struct source_line *l;
	size_t i;

	for (i = 0; i < c->lines; i++) {
		l = &c->line[i];
		if (l->line == line && l->inlined_at == inlined_at &&
		    strstr(run->source_file[l->file].path, file) != NULL)
			return l;
	}
	return NULL;
}

static const struct source_line *
line_of_pc(const struct code *c, uint32_t pc)
{
	size_t i;

	for (i = 0; i < c->instructions; i++)
		if (c->instruction[i].pc == pc &&
		    c->instruction[i].line != LINE_NONE)
			return &c->line[c->instruction[i].line];
	return NULL;
}

static void
feed_softmax(struct feed *f)
{

	feed_metrics(f);
	feed_signature(f, 1, SOFTMAX);
	feed_kernel(f, 1, 0, 10, 20);
	feed_cubin(f, CUBIN_A, "softmax.cubin", 1000, false);
	feed_function(f, 1, CUBIN_A, SOFTMAX);
	/* The loads of both calls, and the store. */
	feed_counts(f, 1, 0, 1, SOFTMAX, (struct cell3[]){
	    { 0x0f0, SOURCE_INST, 10 }, { 0x110, SOURCE_INST, 10 },
	    { 0x120, SOURCE_INST, 100 }, { 0x210, SOURCE_INST, 1000 },
	    { 0x240, SOURCE_INST, 10000 } }, 5);
}

/* The header, and the call that it was inlined at. */
FEED_TEST(test_inlined)
{
	const struct source_line *load, *mean, *store, *call;
	const struct run *run;
	const struct code *c;
	uint32_t sum = line_with("rows.cuh", "sum += row");
	uint32_t out = line_with("softmax.cu", "out[i] =");
	size_t i;

	feed_softmax(f);
	run = feed_settle(f);
	c = run->kernel[0].code;
	assert_true(c->has_lines);
	assert_null(c->lineless);
	assert_false(c->debug);
	load = line_of_pc(c, 0x0f0);
	assert_non_null(load);
	assert_non_null(strstr(run->source_file[load->file].path, "rows.cuh"));
	assert_int_equal(load->line, sum);
	assert_non_null(load->function);
	assert_non_null(strstr(load->function, "row_sum"));
	assert_int_not_equal(load->inlined_at, LINE_NONE);
	call = &c->line[load->inlined_at];
	assert_int_equal(call->line, out);
	assert_int_equal(call->inlined_at, LINE_NONE);
	assert_non_null(strstr(run->source_file[call->file].path,
	    "softmax.cu"));
	mean = line_of_pc(c, 0x210);
	assert_non_null(mean);
	assert_non_null(strstr(run->source_file[mean->file].path, "mean.cuh"));
	assert_int_equal(mean->line, line_with("mean.cuh", "return"));
	assert_true(mean->value[SOURCE_INST] == 1000);
	store = line_of_pc(c, 0x240);
	assert_int_equal(store->line, out);
	assert_int_equal(store->inlined_at, LINE_NONE);
	assert_true(store->value[SOURCE_INST] == 10000);
	assert_ptr_equal(line_at(run, c, "softmax.cu", out, LINE_NONE), store);
	/* The order of the lines, and that nothing is counted twice. */
	for (i = 0; i < c->lines; i++) {
		assert_in_range(c->line[i].file, 0, run->source_files - 1);
		if (i > 0)
			assert_true(c->line[i - 1].file < c->line[i].file ||
			    (c->line[i - 1].file == c->line[i].file &&
			    c->line[i - 1].line <= c->line[i].line));
	}
}

static double
lines_total(const struct code *c)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < c->lines; i++)
		sum += c->line[i].value[SOURCE_INST];
	return sum;
}

/* Pieces in any order, twice, from two processes. */
FEED_TEST(test_pieces)
{
	const struct code *c;

	feed_metrics(f);
	feed_signature(f, 1, SOFTMAX);
	feed_cubin(f, CUBIN_A, "softmax.cubin", 333, true);
	feed_cubin(f, CUBIN_A, "softmax.cubin", 4096, false);
	feed_process(f, 43);
	feed_cubin(f, CUBIN_A, "gemm.cubin", 4096, false);
	/* Beyond its end, of an unknown cubin, of an unknown kind. */
	FEED(f, BYTES, .kind = BYTES_CUBIN, .id = CUBIN_A,
	    .offset = UINT64_MAX, .data = { (const uint8_t *)"x", 1 });
	FEED(f, BYTES, .kind = BYTES_CUBIN, .id = 12345,
	    .data = { (const uint8_t *)"x", 1 });
	FEED(f, BYTES, .kind = 99, .id = CUBIN_A,
	    .data = { (const uint8_t *)"x", 1 });
	feed_process(f, 44);
	feed_metrics(f);
	feed_signature(f, 1, SOFTMAX);
	feed_counts(f, 1, 0, 1, SOFTMAX, (struct cell3[]){
	    { 0x0f0, SOURCE_INST, 10 }, { 0x240, SOURCE_INST, 10 } }, 2);
	FEED(f, FUNCTION, .signature = 1, .cubin = CUBIN_A,
	    .name = wire_str_of(SOFTMAX));
	c = feed_settle(f)->kernel[0].code;
	/* feed_counts uses CUBIN_A. */
	assert_true(c->has_lines);
	assert_true(lines_total(c) == 20);
	model_settle(f->m, true);
}

FEED_TEST(test_pieces_missing)
{
	const struct code *c;
	struct file file;

	feed_signature(f, 1, SOFTMAX);
	feed_function(f, 1, CUBIN_A, SOFTMAX);
	file_read(&file, "softmax.cubin");
	FEED(f, CUBIN, .id = CUBIN_A, .size = file.size);
	FEED(f, BYTES, .kind = BYTES_CUBIN, .id = CUBIN_A,
	    .data = { file.p, 4096 });
	free(file.p);
	c = feed_settle(f)->kernel[0].code;
	assert_false(c->has_lines);
	assert_int_equal(c->lineless->code, REASON_CODE_LOST);
	assert_non_null(c->no_sass);
}

KERNEL_TEST(test_withheld)
{
	const struct run *run;

	feed_signature(f, 2, "b");
	feed_signature(f, 3, "c");
	feed_function(f, 1, 1, "a");
	feed_function(f, 2, 2, "b");
	feed_function(f, 3, 3, "c");
	FEED(f, CUBIN, .id = 1, .size = 100, .flags = CUBIN_WITHHELD);
	FEED(f, CUBIN, .id = 2, .size = UINT64_MAX);
	FEED(f, BYTES, .kind = BYTES_CUBIN, .id = 2,
	    .data = { (const uint8_t *)"x", 1 });
	FEED(f, CUBIN, .id = 3, .size = 4);
	FEED(f, BYTES, .kind = BYTES_CUBIN, .id = 3,
	    .data = { (const uint8_t *)"junk", 4 });
	run = feed_settle(f);
	assert_int_equal(run->kernel[0].code->lineless->code, REASON_CODE_LIMIT);
	assert_int_equal(run->kernel[1].code->lineless->code, REASON_CODE_LIMIT);
	assert_int_equal(run->kernel[2].code->lineless->code,
	    REASON_CODE_DAMAGED);
}

/* At most 128 MiB of cubins a run, whatever is announced. */
FEED_TEST(test_cubin_total)
{
	const struct run *run;
	char name[8];
	uint32_t i;

	for (i = 1; i <= 4; i++) {
		snprintf(name, sizeof(name), "k%u", i);
		feed_signature(f, i, name);
		feed_function(f, i, i, name);
		FEED(f, CUBIN, .id = i, .size = 60 << 20);
		FEED(f, BYTES, .kind = BYTES_CUBIN, .id = i,
		    .data = { (const uint8_t *)"x", 1 });
	}
	run = feed_settle(f);
	assert_int_equal(run->kernel[1].code->lineless->code, REASON_CODE_LOST);
	assert_int_equal(run->kernel[2].code->lineless->code, REASON_CODE_LIMIT);
	assert_int_equal(run->kernel[3].code->lineless->code, REASON_CODE_LIMIT);
}

FEED_TEST(test_lineless)
{
	const struct code *c;

	feed_metrics(f);
	feed_signature(f, 1, GEMM);
	feed_cubin(f, CUBIN_B, "gemm.cubin", 4096, false);
	feed_function(f, 1, CUBIN_B, GEMM);
	c = feed_settle(f)->kernel[0].code;
	assert_false(c->has_lines);
	assert_int_equal(c->lineless->code, REASON_NO_LINEINFO);
	assert_int_equal(c->lines, 0);
	assert_non_null(c->no_sass);
}

FEED_TEST(test_debug)
{
	const struct code *c;

	feed_metrics(f);
	feed_signature(f, 1, SOFTMAX);
	feed_cubin(f, CUBIN_A, "debug.cubin", 4096, false);
	feed_function(f, 1, CUBIN_A, SOFTMAX);
	feed_counts(f, 1, 0, 1, SOFTMAX, (struct cell3[]){
	    { 0x100, SOURCE_INST, 10 } }, 1);
	c = feed_settle(f)->kernel[0].code;
	assert_true(c->debug);
	assert_true(c->has_lines);
	assert_int_not_equal(c->instruction[0].line, LINE_NONE);
}

/* Where a kernel launches others is known without counts, with its line. */
FEED_TEST(test_launches)
{
	const struct source_line *line;
	const struct run *run;
	const struct code *c;

	feed_metrics(f);
	feed_signature(f, 1, "_Z6parentPf");
	feed_signature(f, 2, "_Z5childPf");
	feed_signature(f, 3, "_Z4gonePf");
	feed_cubin(f, CUBIN_A, "launch.cubin", 4096, false);
	feed_function(f, 1, CUBIN_A, "_Z6parentPf");
	feed_function(f, 2, CUBIN_A, "_Z5childPf");
	feed_function(f, 3, CUBIN_A, "_Z4gonePf");
	run = feed_settle(f);
	c = run->kernel[0].code;
	assert_true(c->launches_known);
	assert_int_equal(c->launches, 1);
	assert_int_equal(c->launch[0].pc, 0x1b0);
	line = line_of_pc(c, 0x1b0);
	assert_non_null(line);	/* in the toolkit's header, inlined */
	assert_int_not_equal(line->inlined_at, LINE_NONE);
	line = &c->line[line->inlined_at];
	assert_int_equal(line->line, line_with("launch.cu", "p + 32 *"));
	assert_true(isnan(line->value[SOURCE_INST]));
	assert_true(run->kernel[1].code->launches_known);
	assert_int_equal(run->kernel[1].code->launches, 0);
	assert_false(run->kernel[2].code->launches_known);
}

/* A function that was not inlined is placed after its kernel: its counts and
 * samples belong to this kernel alone. */
FEED_TEST(test_subroutine)
{
	static const char two[] = "_Z3twoPKfPfi";
	static const char one[] = "_Z3oneIfEvPKT_PS0_i";
	static const char slow[] = "$_Z3twoPKfPfi$_Z4slowfi";
	const struct source_line *line;
	const struct run *run;
	const struct code *c;

	feed_metrics(f);
	feed_stalls(f, 0);
	feed_signature(f, 1, two);
	feed_signature(f, 2, one);
	feed_cubin(f, CUBIN_A, "m.cubin", 4096, false);
	feed_function(f, 1, CUBIN_A, two);
	feed_function(f, 2, CUBIN_A, one);
	feed_counts(f, 1, 0, 1, two, &(struct cell3){ 0x10, SOURCE_INST, 8 },
	    1);
	feed_counts(f, 1, 0, 1, slow, &(struct cell3){ 0x20, SOURCE_INST, 5 },
	    1);
	feed_samples(f, CUBIN_A, slow, (struct cell3[]){
	    { 0x20, 2 * STALL_WAIT + 1, 3 } }, 1);
	run = feed_settle(f);
	c = run->kernel[0].code;
	assert_string_equal(c->function, two);
	assert_true(c->counted && c->sampled);
	assert_int_equal(c->instructions, 2);
	assert_true(c->total[SOURCE_INST] == 13);
	assert_int_equal(c->samples.all, 3);
	/* Its position in m.cubin. */
	assert_int_equal(c->instruction[1].pc, 0x490 + 0x20);
	line = line_of_pc(c, 0x4b0);
	assert_non_null(line);
	assert_in_range(line->line, line_with("m.cu", "float slow"),
	    line_with("m.cu", "return x") + 1);
	c = run->kernel[1].code;
	assert_int_equal(c->instructions, 0);
	assert_false(c->sampled);
}

/* The kernel's cubin was not named, but only one cubin has the kernel. */
FEED_TEST(test_fallback)
{
	const struct run *run;

	feed_signature(f, 1, SOFTMAX);
	feed_signature(f, 2, "nowhere");
	feed_cubin(f, CUBIN_B, "gemm.cubin", 4096, false);
	feed_cubin(f, CUBIN_A, "softmax.cubin", 4096, false);
	run = feed_settle(f);
	assert_non_null(run->kernel[0].code);
	assert_int_equal(run->kernel[0].code->cubin, CUBIN_A);
	assert_true(run->kernel[0].code->has_lines);
	assert_null(run->kernel[1].code);
	/* Two cubins have it: unknown. */
	feed_cubin(f, 3, "softmax.cubin", 4096, false);
	run = feed_settle(f);
	assert_null(run->kernel[0].code);
}

FEED_TEST(test_source_text)
{
	const struct source_line *load;
	const struct source_file *file;
	const struct run *run;
	size_t i;

	feed_softmax(f);
	feed_source(f, "rows.cuh", 0);
	feed_source(f, "mean.cuh", 1);	/* with a wrong id */
	run = feed_settle(f);
	load = line_of_pc(run->kernel[0].code, 0x0f0);
	file = &run->source_file[load->file];
	assert_non_null(file->text);
	assert_null(file->missing);
	assert_int_equal(strlen(file->text), file->size);
	assert_non_null(strstr(file->text, "row_sum"));
	assert_int_not_equal(file->id, 0);
	for (i = 0; i < run->source_files; i++)
		if (strstr(run->source_file[i].path, "mean.cuh") != NULL) {
			assert_null(run->source_file[i].text);
			assert_non_null(run->source_file[i].missing);
			return;
		}
	fail();
}

/* Control characters are removed, because the text goes to terminals and pages. */
FEED_TEST(test_source_clean)
{
	const struct run *run;
	const char bad[] = "a\x1b[31m\r\n\tb\xff\n\0c";
	uint64_t id = fnv_of("/x.cu", bad, sizeof(bad) - 1);

	FEED(f, SOURCE, .id = id, .size = sizeof(bad) - 1,
	    .path = wire_str_of("/x.cu"));
	FEED(f, BYTES, .kind = BYTES_SOURCE, .id = id,
	    .data = { (const uint8_t *)bad, sizeof(bad) - 1 });
	FEED(f, SOURCE, .id = 5, .size = 2 << 20,
	    .path = wire_str_of("/long.cu"));
	FEED(f, SOURCE, .id = 6, .size = 10, .flags = SOURCE_WITHHELD,
	    .path = wire_str_of("/secret.cu"));
	run = feed_settle(f);
	assert_int_equal(run->source_files, 3);
	assert_string_equal(run->source_file[0].text, "a?[31m \n\tb?\n?c");
	assert_null(run->source_file[1].text);
	assert_non_null(run->source_file[1].missing);
	assert_null(run->source_file[2].text);
}

FEED_TEST(test_disassembly)
{
	struct model_code_want want[4];
	struct file file;
	const struct code *c;

	feed_softmax(f);
	assert_int_equal(model_wants_disassembly(f->m, want, 4), 1);
	assert_int_equal(want[0].cubin, CUBIN_A);
	assert_string_equal(want[0].function, SOFTMAX);
	assert_true(want[0].size > 4096);
	file_read(&file, "softmax.sass");
	/* From the daemon's own stream, in two parts. */
	f->stream = 99;
	f->sequence = 0;
	FEED(f, DISASSEMBLY, .cubin = CUBIN_A, .part = 1, .parts = 2,
	    .function = wire_str_of(SOFTMAX), .tool = wire_str_of("t"),
	    .text = { file.p + 100, (uint32_t)file.size - 100 });
	assert_int_equal(model_wants_disassembly(f->m, want, 4), 1);
	FEED(f, DISASSEMBLY, .cubin = CUBIN_A, .part = 0, .parts = 2,
	    .function = wire_str_of(SOFTMAX), .tool = wire_str_of("t"),
	    .text = { file.p, 100 });
	FEED(f, DISASSEMBLY, .cubin = CUBIN_A, .part = 3, .parts = 2,
	    .function = wire_str_of(SOFTMAX));
	free(file.p);
	assert_int_equal(model_wants_disassembly(f->m, want, 4), 0);
	assert_int_equal(feed_settle(f)->processes, 1);
	c = feed_settle(f)->kernel[0].code;
	assert_true(c->disassembled);
	assert_null(c->no_sass);
	assert_int_equal(c->instructions, 0x270 / 16);
	assert_int_equal(c->instruction[15].pc, 0xf0);
	assert_string_equal(
	    c->sass.instruction[c->instruction[15].sass].opcode, "LDG.E");
	assert_true(c->instruction[15].value[SOURCE_INST] == 10);
	assert_true(c->instruction[14].value[SOURCE_INST] == 0);
	assert_non_null(line_of_pc(c, 0xe0));
}

FEED_TEST(test_wants_order)
{
	struct model_code_want want[2];

	feed_signature(f, 1, GEMM);
	feed_signature(f, 2, SOFTMAX);
	feed_kernel(f, 1, 0, 10, 20);
	feed_kernel(f, 2, 20, 30, 90);
	feed_cubin(f, CUBIN_A, "softmax.cubin", 4096, false);
	feed_cubin(f, CUBIN_B, "gemm.cubin", 4096, false);
	feed_function(f, 1, CUBIN_B, GEMM);
	feed_function(f, 2, CUBIN_A, SOFTMAX);
	assert_int_equal(model_wants_disassembly(f->m, want, 2), 2);
	assert_string_equal(want[0].function, SOFTMAX);
	assert_int_equal(model_wants_disassembly(f->m, want, 1), 1);
	assert_int_equal(model_wants_disassembly(f->m, want, 0), 0);
}

FEED_TEST(test_no_disassembler)
{
	feed_softmax(f);
	FEED(f, DIAGNOSTIC, .code = DIAG_NO_DISASSEMBLER,
	    .severity = SEVERITY_INFO);
	assert_int_equal(feed_settle(f)->kernel[0].code->no_sass->code,
	    REASON_NO_DISASSEMBLER);
}
