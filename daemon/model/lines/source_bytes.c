/*
 * model/lines/source_bytes.c: assembles cubins, source files and disassemblies from
 * pieces that arrive in any order. Several processes may send the same content: a
 * content that is complete is not written again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/lines/source_state.h"

#define FNV_START 0xcbf29ce484222325ull
#define FNV_PRIME 0x100000001b3ull

static void
bulk_free(struct bulk *b)
{

	free(b->bytes);
	free(b->piece);
	b->bytes = NULL;
	b->piece = NULL;
	b->pieces = b->pieces_cap = 0;
}

/* Index of the first piece that ends at or after ${at}. */
static uint32_t
piece_at(const struct bulk *b, uint64_t at)
{

	return FIRST_NOT(mid, 0, b->pieces, b->piece[mid].end < at);
}

/* Note that [start, end) has arrived; -1 without memory, 1 if that makes too many
 * separate pieces. */
static int
piece_note(struct bulk *b, uint64_t start, uint64_t end)
{
	uint32_t i = piece_at(b, start), j;

	for (j = i; j < b->pieces && b->piece[j].start <= end; j++) {
		start = b->piece[j].start < start ? b->piece[j].start : start;
		end = max_u64(end, b->piece[j].end);
	}
	if (j == i) {
		if (b->pieces >= MAX_PIECES)
			return 1;
		if (model_grow(&b->piece, &b->pieces_cap, b->pieces, MAX_PIECES,
		    sizeof(*b->piece)) != 0)
			return -1;
		memmove(b->piece + i + 1, b->piece + i,
		    (b->pieces - i) * sizeof(*b->piece));
		b->pieces++;
	} else {
		memmove(b->piece + i + 1, b->piece + j,
		    (b->pieces - j) * sizeof(*b->piece));
		b->pieces -= j - i - 1;
	}
	b->piece[i] = (struct piece){ start, end };
	return 0;
}

/* Copy a piece in. -1 only without memory. */
static int
bulk_put(struct bulk *b, uint64_t offset, struct wire_blob data)
{
	int rc;

	if (b->complete || b->damaged || data.len == 0 || b->size == 0 ||
	    offset >= b->size || data.len > b->size - offset)
		return 0;
	/* calloc: pages that are never written take no memory. */
	if (b->bytes == NULL && (b->bytes = calloc(1, b->size + 1)) == NULL)
		return -1;
	if ((rc = piece_note(b, offset, offset + data.len)) != 0) {
		b->damaged = rc > 0;
		return rc < 0 ? -1 : 0;
	}
	memcpy(b->bytes + offset, data.p, data.len);
	b->complete = b->pieces == 1 && b->piece[0].start == 0 &&
	    b->piece[0].end == b->size;
	return 0;
}

struct cubin_state *
source_cubin_of(const struct source_state *x, uint64_t id)
{
	uint32_t i = idmap_get(&x->cubin_map, id);

	return i == IDMAP_NONE ? NULL : &x->cubin[i];
}

int
source_cubin(struct model *m, struct stream *s, const struct record_CUBIN *r)
{
	struct source_state *x = m->source;
	struct cubin_state *c = source_cubin_of(x, r->id);
	bool over = r->size > CUBIN_MAX_BYTES ||
	    r->size > MAX_CUBIN_TOTAL - x->cubin_bytes;

	/* A cubin that one process withheld may come from another. */
	if (c != NULL && ((c->bulk.flags & CUBIN_WITHHELD) == 0 ||
	    (r->flags & CUBIN_WITHHELD) != 0 || over))
		return 0;
	if (c == NULL) {
		if (x->cubins >= MAX_CUBINS) {
			s->process.lost[LOSS_TABLE]++;
			return 0;
		}
		if (model_grow(&x->cubin, &x->cubins_cap, x->cubins,
		    MAX_CUBINS, sizeof(*x->cubin)) != 0 ||
		    idmap_put(&x->cubin_map, r->id, x->cubins) != 0)
			return -1;
		c = &x->cubin[x->cubins++];
		c->bulk.id = r->id;
	}
	c->bulk.flags = r->flags | (over ? CUBIN_WITHHELD : 0);
	if ((c->bulk.flags & CUBIN_WITHHELD) == 0) {
		c->bulk.size = r->size;
		x->cubin_bytes += r->size;
	}
	return 0;
}

static struct source_text *
text_of(const struct source_state *x, uint64_t id)
{
	uint32_t i = idmap_get(&x->text_map, id);

	return i == IDMAP_NONE ? NULL : &x->text[i];
}

int
source_text(struct model *m, struct stream *s, const struct record_SOURCE *r)
{
	struct source_state *x = m->source;
	struct source_text *t = text_of(x, r->id);
	bool over = r->size > MAX_SOURCE_BYTES ||
	    r->size > MAX_SOURCE_TOTAL - x->text_bytes;
	const char *path = pool_text(&m->pool, r->path);

	if (path == NULL)
		return -1;
	if (t != NULL || *path == '\0')
		return 0;
	if (x->texts >= MAX_SOURCES) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	if (model_grow(&x->text, &x->texts_cap, x->texts, MAX_SOURCES,
	    sizeof(*x->text)) != 0 ||
	    idmap_put(&x->text_map, r->id, x->texts) != 0)
		return -1;
	t = &x->text[x->texts++];
	t->path = path;
	t->bulk.id = r->id;
	t->bulk.flags = r->flags | (over ? SOURCE_WITHHELD : 0);
	if ((t->bulk.flags & SOURCE_WITHHELD) == 0) {
		t->bulk.size = r->size;
		x->text_bytes += r->size;
	}
	return 0;
}

static uint64_t
fnv(uint64_t h, const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		h = (h ^ p[i]) * FNV_PRIME;
	return h;
}

/* Make text printable: invalid UTF-8 and control characters other than newline and tab
 * become '?'. */
static void
text_printable(char *p, size_t len)
{
	size_t i, start = 0;

	for (i = 0; i <= len; i++) {
		if (i < len && p[i] == '\r' && i + 1 < len && p[i + 1] == '\n')
			p[i] = ' ';
		if (i < len && p[i] != '\n' && p[i] != '\t')
			continue;
		text_clean(p + start, i - start);
		start = i + 1;
	}
}

/* The id is a hash of path and text: if it differs, the text is damaged or belongs to
 * another file, and is dropped. */
static void
text_check(struct source_text *t)
{
	/* With its terminator, so that path and text cannot run together. */
	uint64_t h = fnv(FNV_START, (const uint8_t *)t->path,
	    strlen(t->path) + 1);

	if (fnv(h, t->bulk.bytes, t->bulk.size) != t->bulk.id) {
		t->bulk.complete = false;
		t->bulk.damaged = true;
		bulk_free(&t->bulk);
		return;
	}
	t->checked = true;
	text_printable((char *)t->bulk.bytes, t->bulk.size);
}

int
source_bytes(struct model *m, struct stream *s, const struct record_BYTES *r)
{
	struct source_state *x = m->source;
	struct cubin_state *c;
	struct source_text *t;

	(void)s;
	if (r->kind == BYTES_CUBIN && (c = source_cubin_of(x, r->id)) != NULL)
		return bulk_put(&c->bulk, r->offset, r->data);
	if (r->kind != BYTES_SOURCE || (t = text_of(x, r->id)) == NULL)
		return 0;
	if (bulk_put(&t->bulk, r->offset, r->data) != 0)
		return -1;
	if (t->bulk.complete && !t->checked)
		text_check(t);
	return 0;
}

static void
parts_free(struct source_state *x, struct function_state *f)
{
	uint32_t i;

	for (i = 0; i < f->parts; i++) {
		x->disassembly_bytes -= f->part[i].len;
		free(f->part[i].p);
	}
	free(f->part);
	f->part = NULL;
	f->parts = f->parts_there = 0;
}

/* All parts have arrived: join them to one text. */
static int
parts_join(struct source_state *x, struct function_state *f)
{
	size_t len = 0;
	uint32_t i;

	for (i = 0; i < f->parts; i++)
		len += f->part[i].len;
	if ((f->text = malloc(len + 1)) == NULL)
		return -1;
	for (i = 0; i < f->parts; i++) {
		if (f->part[i].len > 0)
			memcpy(f->text + f->text_len, f->part[i].p,
			    f->part[i].len);
		f->text_len += f->part[i].len;
	}
	f->text[len] = '\0';
	parts_free(x, f);
	x->disassembly_bytes += len;
	return 0;
}

static int
part_put(struct source_state *x, struct cubin_part *p, struct wire_blob text)
{

	if (text.len > 0) {
		if ((p->p = malloc(text.len)) == NULL)
			return -1;
		memcpy(p->p, text.p, text.len);
	}
	p->len = text.len;
	p->there = true;
	x->disassembly_bytes += text.len;
	return 0;
}

int
source_disassembly(struct model *m, struct stream *s,
    const struct record_DISASSEMBLY *r)
{
	const char *name = pool_text(&m->pool, r->function);
	struct source_state *x = m->source;
	struct function_state *f;
	uint32_t i;

	if (name == NULL)
		return -1;
	if (*name == '\0' || r->parts == 0 || r->parts > MAX_PARTS ||
	    r->part >= r->parts)
		return 0;
	if (r->text.len > MAX_TEXT_TOTAL - x->disassembly_bytes ||
	    (i = source_function(m, r->cubin, name)) == IDMAP_NONE) {
		s->process.lost[LOSS_TABLE]++;
		return 0;
	}
	f = &x->function[i];
	if (f->text != NULL)
		return 0;		/* complete already, from any process */
	if (f->parts != r->parts) {
		parts_free(x, f);
		f->part = calloc(r->parts, sizeof(*f->part));
		if (f->part == NULL)
			return -1;
		f->parts = r->parts;
	}
	if (f->part[r->part].there)
		return 0;
	if (part_put(x, &f->part[r->part], r->text) != 0)
		return -1;
	if (++f->parts_there < f->parts)
		return 0;
	return parts_join(x, f);
}

static const struct reason *
cubin_missing(const struct bulk *b)
{

	if ((b->flags & CUBIN_WITHHELD) != 0)
		return &reason_row[REASON_CODE_LIMIT];
	if (b->damaged || b->pieces > 0)
		return &reason_row[REASON_CODE_LOST];
	return &reason_row[REASON_NO_CODE];
}

const struct cubin *
source_cubin_open(struct model *m, struct cubin_state *c)
{
	struct error e = ERROR_INIT;

	if (c->tried)
		return c->opened ? &c->cubin : NULL;
	c->tried = true;
	if (!c->bulk.complete) {
		c->why = cubin_missing(&c->bulk);
		return NULL;
	}
	if (cubin_open(&c->cubin, c->bulk.bytes, c->bulk.size, &e) == 0) {
		c->opened = true;
		return &c->cubin;
	}
	c->why = pool_reason(&m->pool, REASON_CODE_DAMAGED, e.text);
	return NULL;
}

void
source_bytes_free(struct source_state *x)
{
	uint32_t i;

	for (i = 0; i < x->cubins; i++) {
		if (x->cubin[i].opened)
			cubin_close(&x->cubin[i].cubin);
		bulk_free(&x->cubin[i].bulk);
	}
	for (i = 0; i < x->texts; i++)
		bulk_free(&x->text[i].bulk);
	free(x->cubin);
	free(x->text);
	idmap_clear(&x->cubin_map);
	idmap_clear(&x->text_map);
}
