#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/stop.h"
#include "capture/enrich.h"
#include "capture/own_records.h"
#include "model/model.h"
#include "source/cubin.h"
#include "source/disasm.h"

#define BATCH 64u		/* functions per run of the tool */
#define BATCH_CODE (1u << 20)	/* bytes of their code */
#define TRIES 4			/* runs of the tool for a batch that contains code it
				 * rejects */
#define PART (256u << 10)	/* bytes of text of one record */
#define ARCHS 256u

enum state {
	WANTED,
	WHOLE,		/* the tool needs the whole cubin */
	DONE,		/* or given up */
};

/* A parsed cubin. */
struct opened {
	uint64_t id;
	struct cubin cubin;
	bool open;
};

struct item {
	const struct model_code_want *want;
	struct disasm_code code;
	enum state state;
};

struct enrich {
	struct model *model;
	struct disassembler tool;
	struct own_records notes;
	struct model_code_want *want;
	struct item *item;		/* functions, by time, longest first */
	size_t wants;
	struct opened *opened;
	size_t cubins;
	bool refused[ARCHS];		/* architectures that the tool refuses
					 * without a cubin */
	size_t text;			/* bytes so far */
	uint64_t deadline;
	size_t failed;			/* functions that could not be read */
	struct error why;		/* the first one */
};

/* Functions of one cubin, or of one architecture. */
struct batch {
	struct item *item[BATCH];
	size_t count;
};

/* Is there time and room for more? Sets the tool's time limit. */
static bool
may_go_on(struct enrich *r)
{
	uint64_t t = clock_mono();

	if (r->text >= ENRICH_TEXT || t >= r->deadline || stop_asked())
		return false;
	r->tool.ns = r->deadline - t;
	return true;
}

static int
text_write(struct enrich *r, const struct model_code_want *w, const char *text,
    struct error *e)
{
	size_t len = strlen(text), at = 0, n;
	struct record_DISASSEMBLY d = { .cubin = w->cubin,
	    .parts = (uint32_t)((len + PART - 1) / PART),
	    .function = wire_str_of(w->function),
	    .tool = wire_str_of(r->tool.version) };

	if (len == 0 || len > ENRICH_TEXT - r->text)
		return 0;
	for (; at < len; at += n, d.part++) {
		n = len - at < PART ? len - at : PART;
		d.text.p = (const uint8_t *)text + at;
		d.text.len = (uint32_t)n;
		if (OWN_RECORD(DISASSEMBLY, &r->notes, &d, e) != 0)
			return -1;
	}
	r->text += len;
	return 0;
}

static void
item_fail(struct enrich *r, struct item *i, const struct error *why)
{

	i->state = DONE;
	r->failed++;
	if (why != NULL)
		error_set(&r->why, "%s", why->text);
}

/* Writes the results of the batch from ${from} on, and frees them. */
static int
texts_write(struct enrich *r, const struct batch *b, size_t from,
    size_t count, char **text, struct error *e)
{
	struct item *one;
	size_t i;
	int rc = 0;

	for (i = 0; i < count; i++) {
		one = b->item[from + i];
		if (text[i] == NULL)
			item_fail(r, one, NULL);
		else if (rc == 0)
			rc = text_write(r, one->want, text[i], e);
		one->state = DONE;
		free(text[i]);
	}
	return rc;
}

/* --- with the whole cubin -------------------------------------------------- */

/* Disassembles; where a batch fails, each half separately: one function may
 * exceed the tool's time. */
static int
whole_run(struct enrich *r, const struct batch *b, size_t from, size_t count,
    struct error *e)
{
	const struct model_code_want *w = b->item[from]->want;
	struct error why = ERROR_INIT;
	uint32_t symbol[BATCH];
	char *text[BATCH] = { NULL };
	size_t i, half = (count + 1) / 2;

	if (!may_go_on(r))
		return 0;
	for (i = 0; i < count; i++)
		symbol[i] = b->item[from + i]->code.function->symbol;
	if (disasm_run(&r->tool, w->bytes, w->size, symbol, count, text,
	    &why) == 0)
		return texts_write(r, b, from, count, text, e);
	if (count == 1) {
		item_fail(r, b->item[from], &why);
		return 0;
	}
	if (whole_run(r, b, from, half, e) != 0)
		return -1;
	return whole_run(r, b, from + half, count - half, e);
}

/* The remaining functions in the cubin of r->item[first], in batches. */
static int
cubin_run(struct enrich *r, size_t first, struct error *e)
{
	const struct cubin *c = r->item[first].code.cubin;
	struct batch b = { .count = 0 };
	size_t i;
	int rc = 0;

	for (i = first; i < r->wants && rc == 0; i++) {
		if (r->item[i].state != WHOLE || r->item[i].code.cubin != c)
			continue;
		b.item[b.count++] = &r->item[i];
		if (b.count == BATCH) {
			rc = whole_run(r, &b, 0, b.count, e);
			b.count = 0;
		}
	}
	if (rc == 0 && b.count > 0)
		rc = whole_run(r, &b, 0, b.count, e);
	return rc;
}

/* --- with the code alone --------------------------------------------------- */

static const struct opened *
cubin_of(struct enrich *r, const struct model_code_want *w)
{
	struct error why = ERROR_INIT;
	struct opened *o;
	size_t i;

	for (i = 0; i < r->cubins; i++)
		if (r->opened[i].id == w->cubin)
			return &r->opened[i];
	o = &r->opened[r->cubins++];
	o->id = w->cubin;
	o->open = cubin_open(&o->cubin, w->bytes, w->size, &why) == 0;
	if (!o->open)
		error_set(&r->why, "%s", why.text);
	return o;
}

/* Looks the function up and decides how to disassemble it. */
static void
item_open(struct enrich *r, struct item *i)
{
	const struct opened *o = cubin_of(r, i->want);

	i->code.cubin = &o->cubin;
	i->code.function = !o->open ? NULL : cubin_find(&o->cubin,
	    i->want->function, i->want->symbol);
	if (i->code.function == NULL)
		item_fail(r, i, NULL);
	else if (disasm_code_bytes(&i->code) == 0 ||
	    r->refused[o->cubin.arch % ARCHS])
		i->state = WHOLE;
}

/* The next functions of one architecture. */
static void
batch_fill(struct enrich *r, struct batch *b)
{
	size_t i, size = 0, n;
	struct item *one;

	b->count = 0;
	for (i = 0; i < r->wants && b->count < BATCH; i++) {
		one = &r->item[i];
		if (one->state == WANTED && clock_mono() < r->deadline)
			item_open(r, one);
		if (one->state != WANTED || one->code.function == NULL ||
		    (b->count > 0 && one->code.cubin->arch !=
		    b->item[0]->code.cubin->arch))
			continue;
		n = disasm_code_bytes(&one->code);
		if (b->count > 0 && n > BATCH_CODE - size)
			continue;
		b->item[b->count++] = one;
		size += n;
		if (size >= BATCH_CODE)
			break;
	}
}

static void
batch_drop(struct batch *b, size_t i)
{

	b->item[i]->state = WHOLE;
	memmove(b->item + i, b->item + i + 1, (b->count - i - 1) *
	    sizeof(*b->item));
	b->count--;
}

static int
code_run(struct enrich *r, struct batch *b, struct error *e)
{
	uint32_t arch = b->item[0]->code.cubin->arch;
	struct disasm_code code[BATCH];
	struct error why;
	char *text[BATCH];
	size_t i, bad = 0;
	int tries;

	for (tries = 0; tries < TRIES && b->count > 0; tries++) {
		if (!may_go_on(r))
			return 0;
		for (i = 0; i < b->count; i++)
			code[i] = b->item[i]->code;
		why = (struct error)ERROR_INIT;
		if (disasm_code(&r->tool, code, b->count, text, &bad,
		    &why) == 0)
			return texts_write(r, b, 0, b->count, text, e);
		log_debug("code by itself: %s", why.text);
		if (bad >= b->count) {
			r->refused[arch % ARCHS] = true;
			break;
		}
		batch_drop(b, bad);
	}
	while (b->count > 0)
		batch_drop(b, b->count - 1);
	return 0;
}

/* --- all of it ------------------------------------------------------------- */

/* Not written to the capture: the next analysis may find a disassembler. */
static int
say(struct model *m, enum wire_diag code, const char *where, const char *text,
    struct error *e)
{
	struct record_DIAGNOSTIC d = { .code = code,
	    .severity = SEVERITY_INFO, .where = wire_str_of(where),
	    .text = wire_str_of(text) };
	struct own_records n;

	if (own_records_open(&n, m, NULL, NULL, e) != 0)
		return -1;
	OWN_RECORD(DIAGNOSTIC, &n, &d, e);
	return own_records_close(&n, e);
}

static int
say_failed(struct enrich *r, struct error *e)
{
	char text[768];
	size_t i;

	for (i = 0; i < r->wants; i++)
		if (r->item[i].state != DONE) {
			r->failed++;
			error_set(&r->why, "there was no more time");
		}
	if (r->failed == 0)
		return 0;
	snprintf(text, sizeof(text), "%zu of %zu kernels could not be "
	    "disassembled%s%s: their findings rest on counters and samples "
	    "alone", r->failed, r->wants, r->why.set ? ": " : "",
	    r->why.text);
	log_debug("%s", text);
	return say(r->model, DIAG_DISASSEMBLY_FAILED, r->tool.version, text,
	    e);
}

static int
run(struct enrich *r, struct capture_writer *w, struct capture_index *x,
    struct error *e)
{
	struct batch b;
	size_t i;
	int rc = 0;

	if (own_records_open(&r->notes, r->model, w, x, e) != 0)
		return -1;
	for (i = 0; i < r->wants; i++)
		r->item[i].want = &r->want[i];
	/* All functions of one architecture together take the tool as long as
	 * one function with its cubin: whole cubins come last. */
	while (rc == 0 && may_go_on(r)) {
		batch_fill(r, &b);
		if (b.count == 0)
			break;
		rc = code_run(r, &b, e);
	}
	for (i = 0; i < r->wants && rc == 0; i++)
		if (r->item[i].state == WHOLE)
			rc = cubin_run(r, i, e);
	if (own_records_close(&r->notes, e) != 0)
		rc = -1;
	return rc;
}

static void
release(struct enrich *r)
{
	size_t i;

	for (i = 0; i < r->cubins; i++)
		if (r->opened[i].open)
			cubin_close(&r->opened[i].cubin);
	free(r->opened);
	free(r->item);
	free(r->want);
}

int
enrich_model(struct model *m, struct capture_writer *w,
    struct capture_index *x, struct error *e)
{
	struct enrich r = { .model = m, .deadline = clock_mono() + ENRICH_NS,
	    .why = ERROR_INIT };
	int rc = -1;

	r.want = calloc(ENRICH_FUNCTIONS, sizeof(*r.want));
	r.item = calloc(ENRICH_FUNCTIONS, sizeof(*r.item));
	r.opened = calloc(ENRICH_FUNCTIONS, sizeof(*r.opened));
	if (r.want == NULL || r.item == NULL || r.opened == NULL) {
		error_memory(e);
		goto out;
	}
	r.wants = model_wants_disassembly(m, r.want, ENRICH_FUNCTIONS);
	if (r.wants == 0)
		rc = 0;
	else if (disasm_find(&r.tool) != 0)
		rc = say(m, DIAG_NO_DISASSEMBLER, "nvdisasm", "there is no "
		    "disassembler: what is told by opcodes is missing", e);
	else if ((rc = run(&r, w, x, e)) == 0)
		rc = say_failed(&r, e);
out:
	release(&r);
	return rc;
}
