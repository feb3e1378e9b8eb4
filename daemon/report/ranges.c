/*
 * report/ranges.c: see ranges.h.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sort.h"
#include "base/text.h"
#include "report/json_util.h"
#include "report/reader.h"

#include "report/ranges.h"

#define NAME_MOST 200	/* bytes of a name; longer ones are cut */
#define THREADS_MOST 4096u
#define FOLDED_MOST 1024u	/* names kept that differ only in numbers */
#define DEPTH_MOST 64	/* nested ranges around a launch that are followed */

/* A name in a domain; its key consists of both. */
struct name {
	uint32_t fold;		/* the row for all names that differ only in
				 * numbers; its own if it has no numbers */
	uint32_t alike;		/* for such a row: the names folded into it */
	uint64_t count, host_ns, kernel_ns, own_ns, launches;
	uint64_t counted;	/* the launch that was counted last */
	const char *domain;	/* points into key; "": the default domain */
	UT_hash_handle hh;
	uint32_t row;
	char key[];		/* the name, a zero byte, the domain */
};

struct range_thread {
	struct {
		uint64_t process;
		uint64_t tid;	/* 0: ranges without a thread */
	} key;
	uint32_t number, first, end;	/* its spans */
	UT_hash_handle hh;
};

struct range_shown {
	uint64_t from, to;
	uint32_t row, parent;	/* parent: index + 1 of a range that began
				 * before; 0: none */
	uint16_t thread, depth;
};

struct ranges {
	uint64_t origin_ns;
	struct name *names;	/* hash */
	struct name **row;	/* by number */
	uint32_t rows;
	struct range_thread *threads;	/* hash */
	struct range_thread **thread;
	uint32_t thread_count;
	struct range_shown *span;
	size_t spans, cap;
	uint64_t count;		/* of all ranges */
	uint64_t left_out;	/* of those, ranges not kept */
	uint64_t least_ns;	/* all shorter ones are left out */
	uint64_t kernel_ns, inside_ns;	/* of all kernels; launched in a range */
	uint64_t launches;
	bool failed;
};

/* --- names ------------------------------------------------------------------- */

static struct name *
name_find(struct ranges *r, const char *key, size_t len)
{
	struct name *n;

	HASH_FIND(hh, r->names, key, len, n);
	return n;
}

static struct name *
name_add(struct ranges *r, const char *key, size_t len)
{
	struct name *n = calloc(1, sizeof(*n) + len);

	if (n == NULL) {
		r->failed = true;
		return NULL;
	}
	memcpy(n->key, key, len);
	n->domain = n->key + strlen(n->key) + 1;
	HASH_ADD_KEYPTR(hh, r->names, n->key, len, n);
	if (n->hh.tbl == NULL) {
		free(n);
		r->failed = true;
		return NULL;
	}
	n->row = n->fold = r->rows;
	r->row[r->rows++] = n;
	return n;
}

/* "step #" of "step 12", in place; the new length. */
static size_t
fold(char *key, size_t len)
{
	size_t from = 0, to = 0;

	while (from < len) {
		if (!isdigit((unsigned char)key[from])) {
			key[to++] = key[from++];
			continue;
		}
		while (from < len && isdigit((unsigned char)key[from]))
			from++;
		key[to++] = '#';
	}
	return to;
}

/* Cleaned text at ${out}, with its zero byte. */
static size_t
put_text(char *out, const char *text)
{
	size_t len;

	text_copy(out, NAME_MOST + 1, text);
	len = strlen(out);
	text_clean(out, len);
	return len + 1;
}

/* There may be any number of names with numbers: their folded names, and names
 * without numbers, have rows of their own. One more row is for names without room. */
static struct name *
name_of(struct ranges *r, const struct operation *op)
{
	static const char others[] = "(other ranges)\0";
	char key[2 * NAME_MOST + 2], folded[2 * NAME_MOST + 2];
	size_t len = put_text(key, op->range), short_len;
	struct name *n, *of;

	len += put_text(key + len, op->domain != NULL ? op->domain : "");
	if ((n = name_find(r, key, len)) != NULL)
		return n;
	memcpy(folded, key, len);
	short_len = fold(folded, len);
	if ((of = name_find(r, folded, short_len)) == NULL &&
	    r->rows + 1 < RANGES_NAMES)
		of = name_add(r, folded, short_len);
	if (of == NULL && (of = name_find(r, others, sizeof(others))) == NULL)
		of = name_add(r, others, sizeof(others));
	if (of == NULL || (short_len == len && memcmp(key, folded, len) == 0) ||
	    r->rows >= RANGES_NAMES / 4 * 3 || of->alike == FOLDED_MOST)
		return of;
	if ((n = name_add(r, key, len)) == NULL)
		return NULL;
	n->fold = of->row;
	of->alike++;
	return n;
}

/* --- ranges ------------------------------------------------------------------ */

static struct range_thread *
thread_of(struct ranges *r, uint64_t process, uint32_t tid, bool add)
{
	struct range_thread *t, key;

	memset(&key, 0, sizeof(key));
	key.key.process = process;
	key.key.tid = tid;
	HASH_FIND(hh, r->threads, &key.key, sizeof(key.key), t);
	if (t != NULL || !add || r->thread_count == THREADS_MOST)
		return t;
	if ((t = calloc(1, sizeof(*t))) == NULL) {
		r->failed = true;
		return NULL;
	}
	t->key = key.key;
	HASH_ADD(hh, r->threads, key, sizeof(t->key), t);
	if (t->hh.tbl == NULL) {
		free(t);
		r->failed = true;
		return NULL;
	}
	t->number = r->thread_count;
	return r->thread[r->thread_count++] = t;
}

static struct range_shown *
span_new(struct ranges *r)
{
	size_t cap = r->cap > 0 ? 2 * r->cap : 1024;
	struct range_shown *grown;

	if (r->spans == r->cap) {
		if ((grown = realloc(r->span, cap * sizeof(*grown))) == NULL) {
			r->failed = true;
			return NULL;
		}
		r->span = grown;
		r->cap = cap;
	}
	return &r->span[r->spans++];
}

/* The longest first. */
COMPARE(by_span, struct range_shown, ORDER(y->to - y->from, x->to - x->from))

/* Ranges around others are worth the most, and are recorded last: drops the
 * shorter half. */
static void
make_room(struct ranges *r)
{
	const struct range_shown *last;

	qsort(r->span, r->spans, sizeof(*r->span), by_span);
	r->left_out += r->spans - r->spans / 2;
	r->spans /= 2;
	last = &r->span[r->spans - 1];
	r->least_ns = last->to - last->from;
}

static int
take_range(void *arg, const struct operation *op)
{
	struct ranges *r = arg;
	struct range_thread *t;
	struct range_shown *s;
	struct name *n;

	if (op->range == NULL)
		return 0;
	r->count++;
	if ((n = name_of(r, op)) == NULL)
		return r->failed;
	n->count++;
	n->host_ns += op->to - op->from;
	if (r->spans == RANGES_MOST)
		make_room(r);
	t = op->to - op->from >= r->least_ns ? thread_of(r, op->process,
	    op->thread, true) : NULL;
	if (t == NULL || (s = span_new(r)) == NULL) {
		r->left_out++;
		return r->failed;
	}
	*s = (struct range_shown){ .from = op->from, .to = op->to, .row = n->row,
	    .thread = (uint16_t)t->number };
	return 0;
}

/* For sorting: by thread, outer ranges first. */
COMPARE(by_start, struct range_shown,
    ORDER(x->thread, y->thread) ?: ORDER(x->from, y->from) ?:
    ORDER(y->to, x->to))

/* Sets the parents. Ranges that are started and ended separately may overlap:
 * then the one that began before counts as the outer one, and each launch
 * checks whether it is still open. */
static void
nest(struct ranges *r)
{
	struct range_shown *s;
	struct range_thread *t;
	uint32_t open = 0;	/* index + 1 */
	size_t i;

	qsort(r->span, r->spans, sizeof(*r->span), by_start);
	for (i = 0; i < r->spans; i++) {
		s = &r->span[i];
		t = r->thread[s->thread];
		if (i == 0 || s[-1].thread != s->thread) {
			t->first = (uint32_t)i;
			open = 0;
		}
		t->end = (uint32_t)i + 1;
		while (open != 0 && r->span[open - 1].to <= s->from)
			open = r->span[open - 1].parent;
		s->parent = open;
		s->depth = open == 0 ? 0 : r->span[open - 1].depth;
		s->depth += open != 0 && s->depth < UINT16_MAX;
		open = (uint32_t)i + 1;
	}
}

/* --- kernels ----------------------------------------------------------------- */

/* The last range of ${t} that began at or before ${at}: index + 1; 0: none. */
static uint32_t
last_before(const struct ranges *r, const struct range_thread *t, uint64_t at)
{
	uint32_t low = FIRST_NOT(mid, t->first, t->end,
	    r->span[mid].from <= at);

	return low > t->first ? low : 0;
}

/* Counts a kernel of ${ns} for every name around its launch, each once, and as
 * the innermost one's own, unless ${known}: it was counted as another's.
 * Returns whether it has been counted as own. */
static bool
count_in(struct ranges *r, const struct range_thread *t, uint64_t at, uint64_t ns,
    bool known)
{
	uint32_t i, looked = 0;
	struct name *n;

	for (i = last_before(r, t, at); i != 0 && looked < DEPTH_MOST;
	    i = r->span[i - 1].parent, looked++) {
		if (r->span[i - 1].to <= at)
			continue;
		n = r->row[r->span[i - 1].row];
		if (!known)
			n->own_ns += ns;
		known = true;
		if (n->counted == r->launches)
			continue;
		n->counted = r->launches;
		n->kernel_ns += ns;
		n->launches++;
	}
	return known;
}

static int
take_kernel(void *arg, const struct operation *op)
{
	struct ranges *r = arg;
	const struct range_thread *own, *across;
	uint64_t ns = op->to - op->from;
	bool inside = false;

	if (op->range != NULL || op->host || op->row != ROW_KERNEL)
		return 0;
	r->launches++;		/* starts at 1 */
	r->kernel_ns += ns;
	if (op->launched == 0)
		return 0;
	own = op->thread != 0 ? thread_of(r, op->process, op->thread, false) :
	    NULL;
	across = thread_of(r, op->process, 0, false);
	if (own != NULL)
		inside = count_in(r, own, op->launched, ns, false);
	if (across != NULL)
		inside = count_in(r, across, op->launched, ns, inside);
	r->inside_ns += inside ? ns : 0;
	return 0;
}

/* --- the document ------------------------------------------------------------ */

/* Merges names that differ only in numbers, where there are many of them. */
static void
merge_alike(struct ranges *r)
{
	struct name *n, *to;
	uint32_t i;

	for (i = 0; i < r->rows; i++) {
		n = r->row[i];
		to = r->row[n->fold];
		if (n == to || to->alike <= RANGES_ALIKE)
			continue;
		to->count += n->count;
		to->host_ns += n->host_ns;
		to->kernel_ns += n->kernel_ns;
		to->own_ns += n->own_ns;
		to->launches += n->launches;
		n->count = 0;
	}
}

static int
by_kernels(const void *a, const void *b)
{
	const struct name *x = *(struct name *const *)a,
	    *y = *(struct name *const *)b;

	return ORDER(y->kernel_ns, x->kernel_ns) ?:
	    ORDER(y->host_ns, x->host_ns) ?: strcmp(x->key, y->key);
}

static json_t *
domain_or_null(const struct name *n)
{

	return n->domain[0] != '\0' ? json_text(n->domain) : json_null();
}

static json_t *
json_item(const struct name *n, uint64_t all)
{

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "name", json_text(n->key),
	    "domain", domain_or_null(n),
	    "alike", json_count(n->alike > RANGES_ALIKE ? n->alike : 1),
	    "count", json_count(n->count),
	    "launches", json_count(n->launches),
	    "host_s", json_seconds(n->host_ns),
	    "kernel_s", json_seconds(n->kernel_ns),
	    "own_s", json_seconds(n->own_ns),
	    "share_ratio", json_number(all > 0 ? (double)n->kernel_ns /
	    (double)all : 0));
}

static json_t *
json_items(struct ranges *r, uint64_t *rows)
{
	struct name **order = calloc(r->rows + 1, sizeof(struct name *));
	json_t *items = json_array();
	size_t i, n = 0;

	if (order == NULL) {
		json_decref(items);
		return NULL;
	}
	for (i = 0; i < r->rows; i++)
		if (r->row[i]->count > 0)
			order[n++] = r->row[i];
	qsort(order, n, sizeof(struct name *), by_kernels);
	for (i = 0; i < n && i < RANGES_ITEMS; i++)
		json_array_append_new(items, json_item(order[i],
		    r->kernel_ns));
	*rows = n;
	free(order);
	return items;
}

struct longest {
	uint64_t ns;
	uint32_t index;
};

COMPARE(by_length, struct longest,
    ORDER(y->ns, x->ns) ?: ORDER(x->index, y->index))

COMPARE(by_index, struct longest, ORDER(x->index, y->index))

static json_t *
json_track(const struct range_thread *t)
{
	char process[20];

	snprintf(process, sizeof(process), "%016" PRIx64, t->key.process);
	return json_pack("{s:s, s:o}", "process", process, "thread",
	    t->key.tid != 0 ? json_count(t->key.tid) : json_null());
}

/* A range as numbers: name, track, depth, start, duration. ${number} and
 * ${track} map rows and threads to numbers; UINT32_MAX: none yet. */
static json_t *
json_drawn(const struct ranges *r, const struct range_shown *s, uint32_t *number,
    json_t *names, uint32_t *track, json_t *tracks)
{

	if (number[s->row] == UINT32_MAX) {
		number[s->row] = (uint32_t)json_array_size(names);
		json_array_append_new(names, json_text(r->row[s->row]->key));
	}
	if (track[s->thread] == UINT32_MAX) {
		track[s->thread] = (uint32_t)json_array_size(tracks);
		json_array_append_new(tracks, json_track(r->thread[s->thread]));
	}
	return json_pack("[I, I, I, o, o]", (json_int_t)number[s->row],
	    (json_int_t)track[s->thread], (json_int_t)s->depth,
	    json_count(s->from > r->origin_ns ? s->from - r->origin_ns : 0),
	    json_count(s->to - s->from));
}

/* Adds the longest ranges, sorted by thread and start. */
static bool
add_drawn(const struct ranges *r, json_t *out)
{
	struct longest *l = calloc(r->spans + 1, sizeof(*l));
	uint32_t *number = malloc((r->rows + r->thread_count + 1) *
	    sizeof(*number)), *track = number + r->rows;
	size_t n = r->spans < RANGES_DRAWN ? r->spans : RANGES_DRAWN, i;
	json_t *drawn = json_array(), *names = json_array(),
	    *tracks = json_array();
	bool ok = l != NULL && number != NULL;

	for (i = 0; ok && i < r->spans; i++)
		l[i] = (struct longest){ r->span[i].to - r->span[i].from,
		    (uint32_t)i };
	for (i = 0; ok && i < r->rows + r->thread_count; i++)
		number[i] = UINT32_MAX;
	if (ok) {
		qsort(l, r->spans, sizeof(*l), by_length);
		qsort(l, n, sizeof(*l), by_index);
	}
	for (i = 0; ok && i < n; i++)
		json_array_append_new(drawn, json_drawn(r,
		    &r->span[l[i].index], number, names, track, tracks));
	json_object_set_new(out, "tracks", tracks);
	json_object_set_new(out, "names", names);
	json_object_set_new(out, "drawn", drawn);
	free(number);
	free(l);
	return ok;
}

static json_t *
json_all(struct ranges *r)
{
	uint64_t rows = 0;
	json_t *items, *out;

	merge_alike(r);
	if ((items = json_items(r, &rows)) == NULL)
		return NULL;
	out = json_pack("{s:n, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "reason",
	    "count", json_count(r->count),
	    "left_out", json_count(r->left_out),
	    "kernel_s", json_seconds(r->kernel_ns),
	    "inside_s", json_seconds(r->inside_ns),
	    "rows", json_count(rows),
	    "items", items);
	if (out != NULL && !add_drawn(r, out)) {
		json_decref(out);
		out = NULL;
	}
	return out;
}

json_t *
ranges_none(const char *reason)
{

	return json_pack("{s:o, s:i, s:i, s:f, s:f, s:i, s:[], s:[], s:[], s:[]}",
	    "reason", json_text(reason), "count", 0, "left_out", 0,
	    "kernel_s", 0.0, "inside_s", 0.0, "rows", 0, "items", "tracks",
	    "names", "drawn");
}

static void
ranges_free(struct ranges *r)
{
	uint32_t i;

	HASH_CLEAR(hh, r->names);
	HASH_CLEAR(hh, r->threads);
	for (i = 0; i < r->rows; i++)
		free(r->row[i]);
	for (i = 0; i < r->thread_count; i++)
		free(r->thread[i]);
	free(r->row);
	free(r->thread);
	free(r->span);
}

json_t *
ranges_read(const struct reader *reader)
{
	struct ranges r = { .origin_ns = reader->origin_ns };
	json_t *out = NULL;

	r.row = calloc(RANGES_NAMES + 1, sizeof(struct name *));
	r.thread = calloc(THREADS_MOST, sizeof(struct range_thread *));
	if (r.row == NULL || r.thread == NULL ||
	    reader->operations(reader->arg, take_range, &r) != 0)
		goto out;
	if (r.count == 0) {
		out = ranges_none(NULL);
		goto out;
	}
	nest(&r);
	if (reader->operations(reader->arg, take_kernel, &r) == 0)
		out = json_all(&r);
out:
	ranges_free(&r);
	return out;
}
