/*
 * fuzz_cubin.c: code that a measured program delivered: a cubin with its line
 * table, the disassembler's output for it, and the text that captures keep of
 * that. Each input is used as all three.
 */
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "source/cubin.h"
#include "source/listing.h"
#include "source/parts.h"
#include "source/sass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sink;	/* makes the reads below observable */

static void
use_text(const char *s)
{

	for (; s != NULL && *s != '\0'; s++)
		sink += (unsigned char)*s;
}

static void
use_lines(const struct cubin *c, const struct cubin_function *f)
{
	const struct line_row *row;
	struct lines l;
	size_t i, k;

	if (lines_read(&l, c, f, NULL) != 0)
		return;
	for (i = 0; i < l.files; i++)
		use_text(l.file[i]);
	for (i = 0; i < l.rows; i++) {
		row = &l.row[i];
		if (row->depth > LINE_DEPTH || row->pc >= f->size ||
		    (i > 0 && row->pc <= row[-1].pc) ||
		    lines_at(&l, row->pc) != row)
			abort();
		for (k = 0; k < row->depth; k++) {
			if (row->place[k].file >= l.files)
				abort();
			use_text(row->place[k].function);
		}
	}
	lines_free(&l);
}

/* Calls what names a function's instructions in a listing without symbols. */
static void
use_links(const struct cubin *c, const struct cubin_function *f)
{
	struct cubin_launch launch[LAUNCHES_MAX];
	uint32_t symbol[64] = { 0 };
	const uint8_t *code;
	size_t i, size;

	if ((code = cubin_code(c, f->section, &size)) == NULL ||
	    size < f->offset + (uint64_t)f->size)
		abort();
	sink += code[size - 1];
	for (i = cubin_launches(c, f, launch); i > 0; i--)
		if (launch[i - 1].pc >= f->size)
			abort();
	cubin_linked(c, f->section, symbol, 64);
	for (i = 0; i < 64; i++)
		use_text(cubin_symbol(c, symbol[i]));
}

static void
use_cubin(const uint8_t *data, size_t size)
{
	struct cubin c;
	size_t i;

	if (cubin_open(&c, data, size, NULL) != 0)
		return;
	/* Functions that overlap are read again for each function. */
	for (i = 0; i < c.functions; i++) {
		if (c.function[i].offset + (uint64_t)c.function[i].size >
		    size || cubin_find(&c, c.function[i].name,
		    c.function[i].symbol) != &c.function[i])
			abort();
		if (i < 64) {
			use_lines(&c, &c.function[i]);
			use_links(&c, &c.function[i]);
		}
	}
	cubin_close(&c);
}

/* Reads the input as a line table, without a valid file around it. */
static void
use_table(const uint8_t *data, size_t size)
{
	static const char names[] = "\0_Z1fv\0_Z1gi";
	const struct cubin_function f = { .name = "f", .section = 1,
	    .offset = 0x20, .size = 0x4000 };
	struct cubin_parts p = { .line = data, .line_size = size,
	    .string = names, .string_size = sizeof(names), .only = 1 };
	struct cubin c = { .bytes = data, .size = size, .lines = true,
	    .parts = &p };

	if (lines_index(&p) == 0)
		use_lines(&c, &f);
	free(p.sequence);
}

static void
use_sass(const char *text, size_t size)
{
	const struct sass_instruction *in;
	const struct sass_loop *l;
	struct sass s;
	uint32_t i;

	if (sass_parse(&s, text, size) != 0)
		return;
	for (i = 0; i < s.instructions; i++) {
		in = &s.instruction[i];
		use_text(in->text);
		use_text(in->opcode);
		l = sass_loop_of(&s, i);
		if (sass_at(&s, in->pc) != i || in->space >= SPACE_COUNT ||
		    (in->pair != SASS_NONE && (in->pair <= i ||
		    in->pair >= s.instructions)) ||
		    (l != NULL && (i < l->head || i > l->tail)))
			abort();
	}
	for (i = 0; i < s.loops; i++)
		if (s.loop[i].head > s.loop[i].tail ||
		    s.loop[i].tail >= s.instructions)
			abort();
	sass_free(&s);
}

static void
use_listing(int (*read)(struct listing *, const char *, size_t),
    const char *text, size_t size)
{
	struct listing l;
	size_t i;

	if (read(&l, text, size) != 0)
		return;
	for (i = 0; i < l.instructions; i++) {
		use_text(l.instruction[i].predicate);
		use_text(l.instruction[i].opcode);
		use_text(l.instruction[i].operands);
	}
	for (i = 0; i < l.functions; i++) {
		use_text(l.function[i].name);
		if (l.function[i].first + l.function[i].count >
		    l.instructions)
			abort();
	}
	listing_free(&l);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{

	use_cubin(data, size);
	use_table(data, size);
	use_sass((const char *)data, size);
	use_listing(listing_json, (const char *)data, size);
	use_listing(listing_text, (const char *)data, size);
	return 0;
}
