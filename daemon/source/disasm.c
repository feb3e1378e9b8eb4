/*
 * source/disasm.c: see disasm.h.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text.h"
#include "source/child.h"
#include "source/cubin.h"
#include "source/disasm.h"
#include "source/listing.h"
#include "source/print.h"
#include "source/tool.h"

#define MAX_SYMBOLS 4096u	/* of one call */

static const struct child_limits version_limits = {
	.ns = 3000000000u, .cpu_seconds = 3, .memory = 4ull << 30,
	.output = 64u << 10,
};

/* --- finding it ------------------------------------------------------------ */

static bool
is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	    access(path, X_OK) == 0;
}

/* A relative PATH entry could be under anybody's control. */
static int
search_path(char *out, size_t cap)
{
	const char *p = getenv("PATH"), *end;
	int n;

	for (; p != NULL && *p != '\0'; p = *end == '\0' ? end : end + 1) {
		end = p + strcspn(p, ":");
		n = snprintf(out, cap, "%.*s/nvdisasm", (int)(end - p), p);
		if (*p == '/' && n > 0 && (size_t)n < cap && is_program(out))
			return 0;
	}
	return -1;
}

/* "Cuda compilation tools, release 13.0, V13.0.85" */
static int
ask_version(struct disassembler *d)
{
	char option[] = "--version", *argv[] = { d->path, option, NULL };
	struct error e = ERROR_INIT;
	struct child_output o;
	const char *p;
	size_t n;

	if (child_run(d->path, argv, &version_limits, &o, &e) != 0)
		return -1;
	text_copy(d->version, sizeof(d->version), "nvdisasm");
	if (o.status == 0 && (p = strstr(o.text, ", V")) != NULL) {
		p += 2;
		n = strspn(p, "V0123456789.");
		snprintf(d->version, sizeof(d->version), "nvdisasm %.*s",
		    (int)(n < 32 ? n : 32), p);
	}
	free(o.text);
	return 0;
}

int
disasm_find(struct disassembler *d)
{
	static const char usual[] = "/usr/local/cuda/bin/nvdisasm";
	const char *told = getenv("CUDADVISE_NVDISASM");

	memset(d, 0, sizeof(*d));
	if (told != NULL) {
		if (told[0] != '/' || !is_program(told) ||
		    text_copy(d->path, sizeof(d->path), told) != 0)
			goto none;
	} else if (search_path(d->path, sizeof(d->path)) != 0) {
		if (!is_program(usual))
			goto none;
		text_copy(d->path, sizeof(d->path), usual);
	}
	if (ask_version(d) == 0)
		return 0;
none:
	memset(d, 0, sizeof(*d));
	return -1;
}

/* --- one run --------------------------------------------------------------- */

struct disasm_job {
	const struct disassembler *d;
	struct cubin cubin;
	const struct cubin_function **wanted;	/* NULL: no such symbol */
	size_t count;
	char *asked;		/* "13": the argument of -fun, the symbols
				 * wanted */
	char *within;		/* "6,13": also the functions inside them */
	char path[PATH_MAX];
	struct listing listing;
};

static const struct cubin_function *
function_at(const struct cubin *c, uint32_t symbol)
{
	size_t i;

	for (i = 0; i < c->functions; i++)
		if (c->function[i].symbol == symbol)
			return &c->function[i];
	return NULL;
}

static bool
overlap(const struct cubin_function *a, const struct cubin_function *b)
{

	return a->section == b->section &&
	    a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* Is it wanted, or, with ${within}, inside a wanted one? */
static bool
is_asked(const struct disasm_job *j, const struct cubin_function *f, bool within)
{
	size_t i;

	for (i = 0; i < j->count; i++)
		if (j->wanted[i] != NULL && (j->wanted[i] == f ||
		    (within && overlap(f, j->wanted[i]))))
			return true;
	return false;
}

static char *
symbols_list(const struct disasm_job *j, bool within)
{
	const struct cubin *c = &j->cubin;
	size_t i, n = 0, len = 0, cap = (size_t)MAX_SYMBOLS * 11 + 1;
	char *list = malloc(cap);

	if (list == NULL)
		return NULL;
	list[0] = '\0';
	for (i = 0; i < c->functions && n < MAX_SYMBOLS; i++)
		if (is_asked(j, &c->function[i], within))
			len += (size_t)snprintf(list + len, cap - len, "%s%u",
			    n++ == 0 ? "" : ",", c->function[i].symbol);
	return list;
}

static int
job_open(struct disasm_job *j, const uint8_t *bytes, size_t size,
    const uint32_t *symbols, size_t count, struct error *e)
{
	size_t i;

	if (cubin_open(&j->cubin, bytes, size, e) != 0)
		return -1;
	if (j->cubin.arch != 0 && j->cubin.arch < TOOL_OLDEST)
		return error_set(e, "code for sm_%u cannot be read",
		    j->cubin.arch);
	j->wanted = calloc(count + 1, sizeof(*j->wanted));
	if (j->wanted == NULL)
		return error_memory(e);
	for (i = 0; i < count; i++)
		j->wanted[i] = function_at(&j->cubin, symbols[i]);
	j->count = count;
	j->asked = symbols_list(j, false);
	j->within = symbols_list(j, true);
	if (j->asked == NULL || j->within == NULL)
		return error_memory(e);
	return tool_file(j->path, bytes, size, e);
}

static void
job_close(struct disasm_job *j)
{

	if (j->path[0] != '\0')
		unlink(j->path);
	cubin_close(&j->cubin);
	listing_free(&j->listing);
	free(j->wanted);
	free(j->asked);
	free(j->within);
}

/* ${option}: "-json", or "-c" for the text format of older releases. */
static int
job_run(struct disasm_job *j, const char *option, char *symbols, struct error *e)
{
	char how[8], fun[] = "-fun", path[sizeof(j->d->path)];
	char *argv[] = { path, how, fun, symbols, j->path, NULL };

	text_copy(how, sizeof(how), option);
	text_copy(path, sizeof(path), j->d->path);
	return tool_run(j->d, argv, strcmp(option, "-json") == 0,
	    &j->listing, e);
}

/* --- the text -------------------------------------------------------------- */

/* The cubin's function with this name in the listing. Several of one name are
 * distinguished by their start, if that suffices. */
static const struct cubin_function *
function_named(const struct disasm_job *j, const struct listed_function *f)
{
	const struct cubin *c = &j->cubin;
	const struct cubin_function *found = cubin_find(c, f->name, 0);
	size_t i;

	if (found != NULL)
		return found;
	for (i = 0; i < c->functions; i++) {
		if (strcmp(c->function[i].name, f->name) != 0 ||
		    c->function[i].offset != f->pc)
			continue;
		if (found != NULL)
			return NULL;
		found = &c->function[i];
	}
	return found;
}

COMPARE(by_pc, struct listed_function,
    ORDER(x->pc, y->pc) ?: ORDER(x->first, y->first))

/* The listed instructions between a function's begin and end, in order. */
static char *
function_text(const struct disasm_job *j, const struct cubin_function *const *owner,
    const struct cubin_function *f)
{
	const struct listing *l = &j->listing;
	const struct listed_function *one;
	const struct listed *in;
	const struct print_place at = { .base = f->offset,
	    .end = f->offset + f->size };
	struct print t = { .p = NULL };
	uint32_t next = f->offset;
	size_t i, k;

	for (i = 0; i < l->functions; i++) {
		one = &l->function[i];
		if (owner[i] == NULL || owner[i]->section != f->section)
			continue;
		for (k = 0; k < one->count; k++) {
			in = &l->instruction[one->first + k];
			if (in->pc < next || in->pc - f->offset >= f->size ||
			    *in->opcode == '\0')
				continue;
			next = in->pc + 1;
			if (print_line(&t, in, &at, NULL) != 0) {
				free(t.p);
				return NULL;
			}
		}
	}
	return t.p;
}

static int
texts_make(struct disasm_job *j, char **text, struct error *e)
{
	const struct cubin_function **owner;
	size_t i;

	owner = calloc(j->listing.functions + 1, sizeof(*owner));
	if (owner == NULL)
		return error_memory(e);
	qsort(j->listing.function, j->listing.functions,
	    sizeof(*j->listing.function), by_pc);
	for (i = 0; i < j->listing.functions; i++)
		owner[i] = function_named(j, &j->listing.function[i]);
	for (i = 0; i < j->count; i++)
		if (j->wanted[i] != NULL)
			text[i] = function_text(j, owner, j->wanted[i]);
	free(owner);
	return 0;
}

int
disasm_run(const struct disassembler *d, const uint8_t *cubin, size_t size,
    const uint32_t *symbols, size_t count, char **text, struct error *e)
{
	struct error first = ERROR_INIT;
	struct disasm_job j = { .d = d };
	int rc = -1;

	memset(text, 0, count * sizeof(*text));
	if (job_open(&j, cubin, size, symbols, count, e) != 0)
		goto out;
	rc = 0;
	if (j.asked[0] == '\0')
		goto out;
	/* The tool may refuse functions that are not kernels; before CUDA 12 it
	 * had no -json. */
	rc = job_run(&j, "-json", j.within, &first);
	if (rc > 0 && strcmp(j.asked, j.within) != 0)
		rc = job_run(&j, "-json", j.asked, &first);
	if (rc > 0)
		rc = job_run(&j, "-c", j.asked, &first);
	if (rc != 0) {
		rc = error_set(e, "%s", first.text);
		goto out;
	}
	rc = texts_make(&j, text, e);
out:
	job_close(&j);
	return rc;
}
