/*
 * source/raw.c: disasm_code of disasm.h. The sections are concatenated in a
 * file of bare instructions; the tool lists it as one function. The file has no
 * symbols: names are filled in here.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "source/cubin.h"
#include "source/disasm.h"
#include "source/listing.h"
#include "source/print.h"
#include "source/tool.h"

#define ALIGN 128u
#define NAME_LONGEST 1024u
#define TEXT_BYTES (32u << 20)		/* of all functions */

/* One section. */
struct code_section {
	const struct cubin *cubin;
	uint32_t section;
	uint32_t at, size;	/* in the file */
	uint32_t *linked;	/* of each instruction: the symbol of its
				 * relocation; 0 none */
	uint32_t *begins;	/* of each instruction: 1 + the function that
				 * begins there */
};

struct raw {
	const struct disassembler *d;
	const struct disasm_code *want;
	size_t count;
	size_t *of;		/* the piece of each wanted function */
	struct code_section *piece;
	size_t pieces;
	uint8_t *code;
	uint32_t size;
	char path[PATH_MAX];
	struct listing listing;
};

size_t
disasm_code_bytes(const struct disasm_code *w)
{
	size_t size;

	if (w->cubin->arch < TOOL_OLDEST ||
	    w->function->offset % CUBIN_STEP != 0 ||
	    cubin_code(w->cubin, w->function->section, &size) == NULL ||
	    size > DISASM_CODE_BYTES - ALIGN)
		return 0;
	return (size + ALIGN - 1) / ALIGN * ALIGN;
}

/* --- the file -------------------------------------------------------------- */

/* If several functions begin at one address the tool names the longest. */
static void
begins_fill(struct code_section *p)
{
	const struct cubin *c = p->cubin;
	const struct cubin_function *f;
	size_t i, n = p->size / CUBIN_STEP;
	uint32_t *b;

	for (i = 0; i < c->functions; i++) {
		f = &c->function[i];
		if (f->section != p->section || f->offset % CUBIN_STEP != 0 ||
		    f->offset / CUBIN_STEP >= n)
			continue;
		b = &p->begins[f->offset / CUBIN_STEP];
		if (*b == 0 || c->function[*b - 1].size < f->size)
			*b = (uint32_t)i + 1;
	}
}

static int
piece_add(struct raw *r, const struct disasm_code *w, size_t *index)
{
	size_t bytes = disasm_code_bytes(w), n = bytes / CUBIN_STEP, i;
	struct code_section *p;

	for (i = 0; i < r->pieces; i++)
		if (r->piece[i].cubin == w->cubin &&
		    r->piece[i].section == w->function->section)
			break;
	*index = i;
	if (i < r->pieces)
		return 0;
	if (bytes == 0 || bytes > DISASM_CODE_BYTES - r->size ||
	    w->cubin->arch != r->want[0].cubin->arch)
		return 1;
	p = &r->piece[r->pieces++];
	p->cubin = w->cubin;
	p->section = w->function->section;
	p->at = r->size;
	p->size = (uint32_t)bytes;
	r->size += p->size;
	p->linked = calloc(n, sizeof(*p->linked));
	p->begins = calloc(n, sizeof(*p->begins));
	if (p->linked == NULL || p->begins == NULL)
		return -1;
	cubin_linked(p->cubin, p->section, p->linked, n);
	begins_fill(p);
	return 0;
}

static void
piece_copy(uint8_t *code, const struct code_section *p)
{
	/* NOP, the same in every architecture so far. */
	static const uint8_t nop[CUBIN_STEP] = { 0x18, 0x79,
	    [13] = 0xc0, [14] = 0x0f };
	size_t size;
	const uint8_t *from = cubin_code(p->cubin, p->section, &size);

	size -= size % CUBIN_STEP;
	memcpy(code + p->at, from, size);
	for (; size < p->size; size += CUBIN_STEP)
		memcpy(code + p->at + size, nop, CUBIN_STEP);
}

static int
raw_open(struct raw *r, struct error *e)
{
	size_t i;
	int rc;

	r->of = calloc(r->count + 1, sizeof(*r->of));
	r->piece = calloc(r->count + 1, sizeof(*r->piece));
	if (r->of == NULL || r->piece == NULL)
		return error_memory(e);
	for (i = 0; i < r->count; i++) {
		rc = piece_add(r, &r->want[i], &r->of[i]);
		if (rc != 0)
			return error_set(e, rc < 0 ? "out of memory" :
			    "the code cannot be read by itself");
	}
	if ((r->code = malloc(r->size + 1)) == NULL)
		return error_memory(e);
	for (i = 0; i < r->pieces; i++)
		piece_copy(r->code, &r->piece[i]);
	return tool_file(r->path, r->code, r->size, e);
}

static void
raw_close(struct raw *r)
{
	size_t i;

	if (r->path[0] != '\0')
		unlink(r->path);
	for (i = 0; i < r->pieces; i++) {
		free(r->piece[i].linked);
		free(r->piece[i].begins);
	}
	listing_free(&r->listing);
	free(r->piece);
	free(r->code);
	free(r->of);
}

/* --- running --------------------------------------------------------------- */

/* "Unrecognized operation for functional unit 'uC' at address 0x00000c20" */
static size_t
blamed(const struct raw *r, const char *complaint)
{
	const char *p = strstr(complaint, "address 0x");
	const struct code_section *one;
	unsigned long at;
	size_t i;

	if (p == NULL)
		return SIZE_MAX;
	at = strtoul(p + sizeof("address ") - 1, NULL, 16);
	for (i = 0; i < r->count; i++) {
		one = &r->piece[r->of[i]];
		if (at >= one->at && at - one->at < one->size)
			return i;
	}
	return SIZE_MAX;
}

/* Printed instructions have no pc: if one is missing all later ones would be
 * wrong. */
static int
raw_run(struct raw *r, size_t *bad, struct error *e)
{
	char b[] = "-b", json[] = "-json", arch[16];
	char path[sizeof(r->d->path)];
	char *argv[] = { path, b, arch, json, r->path, NULL };
	const struct listing *l = &r->listing;
	int rc;

	text_copy(path, sizeof(path), r->d->path);
	snprintf(arch, sizeof(arch), "SM%u", r->want[0].cubin->arch);
	rc = tool_run(r->d, argv, true, &r->listing, e);
	if (rc > 0)
		*bad = blamed(r, e->text);
	if (rc != 0)
		return -1;
	if (l->functions != 1 || l->function[0].pc != 0 ||
	    l->instructions != r->size / CUBIN_STEP)
		return error_set(e, "nvdisasm listed %zu of %u instructions",
		    l->instructions, r->size / CUBIN_STEP);
	return 0;
}

/* --- the text -------------------------------------------------------------- */

/* The function that a call or return names, as the tool prints it where it has
 * the symbols. NULL: its number is right. */
static const char *
name_of(const struct code_section *p, const struct listed *in)
{
	uint32_t i = (in->pc - p->at) / CUBIN_STEP, begins;
	const char *last = strrchr(in->operands, ','), *name;
	unsigned long pc;

	if (!in->flow)
		return NULL;
	if (p->linked[i] != 0) {
		name = cubin_symbol(p->cubin, p->linked[i]);
		return name == NULL || *name == '\0' ||
		    strlen(name) > NAME_LONGEST ? "?" : name;
	}
	if (strncmp(in->opcode, "CALL", 4) != 0 &&
	    strncmp(in->opcode, "RET", 3) != 0)
		return NULL;
	last = last == NULL ? in->operands : last + 1;
	pc = strtoul(last, NULL, 16);
	if (strncmp(last, "0x", 2) != 0 || pc < p->at ||
	    pc - p->at >= p->size || (pc - p->at) % CUBIN_STEP != 0)
		return NULL;
	begins = p->begins[(pc - p->at) / CUBIN_STEP];
	if (begins == 0)
		return NULL;
	name = p->cubin->function[begins - 1].name;
	return strlen(name) > NAME_LONGEST ? NULL : name;
}

static char *
function_text(const struct raw *r, size_t i)
{
	const struct cubin_function *f = r->want[i].function;
	const struct code_section *p = &r->piece[r->of[i]];
	const struct print_place at = { .base = p->at + f->offset,
	    .begin = p->at, .end = p->at + p->size };
	const struct listed *in = &r->listing.instruction[at.base /
	    CUBIN_STEP];
	struct print t = { .p = NULL };
	uint32_t pc;

	for (pc = 0; pc + CUBIN_STEP <= f->size; pc += CUBIN_STEP, in++)
		if (*in->opcode != '\0' &&
		    print_line(&t, in, &at, name_of(p, in)) != 0) {
			free(t.p);
			return NULL;
		}
	return t.p;
}

int
disasm_code(const struct disassembler *d, const struct disasm_code *want,
    size_t count, char **text, size_t *bad, struct error *e)
{
	struct raw r = { .d = d, .want = want, .count = count };
	size_t i, total = 0;
	int rc;

	memset(text, 0, count * sizeof(*text));
	*bad = SIZE_MAX;
	if (count == 0)
		return 0;
	rc = raw_open(&r, e);
	if (rc == 0)
		rc = raw_run(&r, bad, e);
	for (i = 0; i < count && rc == 0 && total < TEXT_BYTES; i++)
		if ((text[i] = function_text(&r, i)) != NULL)
			total += strlen(text[i]);
	raw_close(&r);
	return rc;
}
