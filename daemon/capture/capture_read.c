#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/text.h"
#include "capture/capture.h"
#include "capture/capture_index.h"
#include "capture/frame_file.h"
#include "model/model.h"
#include "wire/record.h"

#define PEEK_BYTES (64u << 10)	/* decoded first, to find the time of a frame */

/* A stream of the file while it is replayed. */
struct strand {
	uint64_t stream;
	uint64_t next;		/* next sequence number */
	UT_hash_handle hh;
};

struct loader {
	struct frame_file source;
	struct model *model;
	struct capture_index index;	/* all frames found; ${t_min} orders them */
	size_t cap;
	struct capture_index *out;	/* NULL: not requested */
	struct definitions definitions;
	struct strand *strands;
	struct error *e;
};

/* The time at which a record was written or began; used to merge streams. 0:
 * unknown. */
static uint64_t
order_time(const struct record *r)
{
	uint64_t from, to;

	switch (r->type) {
	case RECORD_HELLO:
		return r->u.HELLO.now_ns;
	case RECORD_BYE:
		return r->u.BYE.now_ns;
	case RECORD_RUN_BEGIN:
		return r->u.RUN_BEGIN.now_ns;
	case RECORD_RUN_END:
		return r->u.RUN_END.end_ns;
	case RECORD_CLOCK:
		return r->u.CLOCK.real_ns;
	default:
		return capture_record_time(r, &from, &to) ? from : 0;
	}
}

static uint64_t
frame_time(struct frame_file *s, const struct frame_header *h)
{
	uint32_t limit = PEEK_BYTES;
	const uint8_t *p;
	struct record r;
	size_t len, pos;
	uint64_t t;

	for (;;) {
		if ((p = frame_file_decode(s, h, limit, &len)) == NULL)
			return 0;
		for (pos = 0; record_next(p, len, &pos, &r) > 0;)
			if ((t = order_time(&r)) != 0)
				return t;
		if (limit >= h->raw)
			return 0;
		limit = FRAME_MAX_PAYLOAD;
	}
}

/* First pass: find all frames and their times. */
static int
scan(struct loader *l)
{
	struct frame_file *s = &l->source;
	struct capture_frame f;
	struct frame_header h;
	uint64_t offset;
	int rc = 0;

	while (!frame_file_stops(s) && (rc = frame_file_next(s, &h, &offset)) > 0) {
		memset(&f, 0, sizeof(f));
		f.offset = offset;
		f.stream = h.stream;
		f.sequence = h.sequence;
		f.stored = h.stored;
		f.records = h.records;
		f.t_min = frame_time(s, &h);
		s->stats.frames++;
		s->stats.raw_bytes += h.raw;
		if (l->index.frames >= CAPTURE_FRAMES) {
			s->stats.crowded = true;
			return error_set(l->e, "'%s' is in more than %u "
			    "pieces", s->name, CAPTURE_FRAMES);
		}
		if (capture_index_add(&l->index, &l->cap, &f) != 0)
			return error_memory(l->e);
	}
	if (rc < 0)
		return error_set(l->e, "cannot read '%s':", s->name);
	return frame_file_verdict(s, l->e);
}

COMPARE(by_sequence, struct capture_frame,
    ORDER(x->stream, y->stream) ?: ORDER(x->sequence, y->sequence) ?:
    ORDER(x->offset, y->offset))

COMPARE(by_first, struct capture_frame,
    ORDER(x->t_min, y->t_min) ?: by_sequence(x, y))

/* Sets the replay order: by time, and within a stream by sequence; so a frame gets at
 * least the time of the frame before it in its stream. A stream without any times holds
 * the daemon's own records about other streams: it comes last. */
static void
arrange(struct capture_index *x)
{
	struct capture_frame *f = x->frame;
	size_t i;

	qsort(f, x->frames, sizeof(*f), by_sequence);
	for (i = 1; i < x->frames; i++)
		if (f[i].stream == f[i - 1].stream &&
		    f[i].t_min < f[i - 1].t_min)
			f[i].t_min = f[i - 1].t_min;
	for (i = x->frames; i > 0; i--)
		if (f[i - 1].t_min == 0 && (i == x->frames ||
		    f[i].stream != f[i - 1].stream ||
		    f[i].t_min == UINT64_MAX))
			f[i - 1].t_min = UINT64_MAX;
	qsort(f, x->frames, sizeof(*f), by_first);
	for (i = x->frames; i > 0 && f[i - 1].t_min == UINT64_MAX; i--)
		f[i - 1].t_min = 0;
}

static struct strand *
strand_of(struct loader *l, uint64_t stream)
{
	struct strand *t;

	HASH_FIND(hh, l->strands, &stream, sizeof(stream), t);
	if (t != NULL)
		return t;
	if ((t = calloc(1, sizeof(*t))) == NULL)
		return NULL;
	t->stream = stream;
	HASH_ADD(hh, l->strands, stream, sizeof(stream), t);
	if (t->hh.tbl == NULL) {
		free(t);
		return NULL;
	}
	l->source.stats.streams++;
	return t;
}

static int
take_record(struct loader *l, struct capture_frame *f, uint64_t sequence,
    const struct record *r)
{

	frame_note(f, sequence, r);
	if (l->model != NULL &&
	    model_feed(l->model, f->stream, sequence, r) != 0)
		return -1;
	if (l->out == NULL)
		return 0;
	return definitions_note(&l->definitions, f->stream, r, l->out);
}

/* Feeds those records of a frame that were not replayed before. */
static int
replay_frame(struct loader *l, const struct capture_frame *f)
{
	struct capture_stats *stats = &l->source.stats;
	struct capture_frame span;
	struct strand *t = strand_of(l, f->stream);
	const uint8_t *p = NULL;
	struct frame_header h;
	struct record r;
	size_t len = 0, pos = 0;
	uint64_t sequence = f->sequence, end = f->sequence + f->records;
	int rc = 1;

	if (t == NULL)
		return error_memory(l->e);
	if (end <= t->next && f->records > 0) {
		stats->duplicate += f->records;
		return 0;
	}
	if (frame_file_at(&l->source, f->offset, &h) == 0)
		p = frame_file_decode(&l->source, &h, UINT32_MAX, &len);
	if (p == NULL) {
		stats->damaged++;
		return 0;
	}
	frame_open(&span, f->stream);
	span.offset = f->offset;
	span.stored = f->stored;
	for (; sequence < end; sequence++) {
		if ((rc = record_next(p, len, &pos, &r)) <= 0)
			break;
		if (sequence < t->next) {
			stats->duplicate++;
			continue;
		}
		stats->missing += sequence - t->next;
		t->next = sequence + 1;
		if (take_record(l, &span, sequence, &r) != 0)
			return error_memory(l->e);
	}
	stats->damaged += rc <= 0;
	stats->records += span.records;
	/* Reuses the array of frames that are already replayed: it has at most as
	 * many. */
	if (l->out != NULL && span.records > 0)
		l->out->frame[l->out->frames++] = span;
	return 0;
}

static void
loader_clear(struct loader *l)
{

	HASH_FREE(l->strands);
	definitions_clear(&l->definitions);
	capture_index_clear(&l->index);
	frame_file_close(&l->source);
}

/* Replays l->source, which is open. Closes it. */
static int
load(struct loader *l, struct model *m, struct capture_stats *stats,
    struct capture_index *x, struct error *e)
{
	struct capture_frame f;
	size_t i;
	int rc;

	l->model = m;
	l->out = x;
	l->e = e;
	if ((rc = scan(l)) == 0) {
		arrange(&l->index);
		if (x != NULL)
			x->frame = l->index.frame;
		for (i = 0; i < l->index.frames && rc == 0 &&
		    !frame_file_stops(&l->source); i++) {
			f = l->index.frame[i];
			rc = replay_frame(l, &f);
		}
		if (x != NULL)
			l->index.frame = NULL;
		if (rc == 0)
			rc = frame_file_verdict(&l->source, e);
	}
	if (stats != NULL)
		*stats = l->source.stats;
	if (rc != 0 && x != NULL)
		capture_index_clear(x);
	loader_clear(l);
	return rc;
}

int
capture_load_fd(int fd, const char *name, struct model *m,
    struct capture_stats *stats, struct capture_index *x, struct error *e)
{
	struct loader l;

	memset(&l, 0, sizeof(l));
	if (x != NULL)
		memset(x, 0, sizeof(*x));
	if (frame_file_open(&l.source, fd, name, e) != 0)
		return -1;
	return load(&l, m, stats, x, e);
}

int
capture_load_file(const char *path, struct model *m,
    struct capture_stats *stats, struct capture_index *x, struct error *e)
{
	struct loader l;

	memset(&l, 0, sizeof(l));
	if (x != NULL)
		memset(x, 0, sizeof(*x));
	if (frame_file_open_path(&l.source, path, e) != 0)
		return -1;
	return load(&l, m, stats, x, e);
}

int
capture_load(const char *path, struct model *m, struct capture_stats *stats,
    struct error *e)
{

	return capture_load_file(path, m, stats, NULL, e);
}

int
capture_load_index(const char *path, struct capture_index *x,
    struct error *e)
{

	return capture_load_file(path, NULL, NULL, x, e);
}

/* Passes the records of one frame to ${fn}; 1: stop. */
static int
visit_frame(struct frame_file *s, const struct capture_frame *f, uint64_t max,
    int64_t *given, capture_visit *fn, void *arg, int *more)
{
	struct frame_header h;
	struct record r;
	const uint8_t *p;
	size_t len, pos = 0;
	uint64_t sequence;

	if (frame_file_at(s, f->offset, &h) != 0 || h.stream != f->stream ||
	    (p = frame_file_decode(s, &h, UINT32_MAX, &len)) == NULL)
		return 0;
	for (sequence = h.sequence; sequence < f->sequence + f->records;
	    sequence++) {
		if (record_next(p, len, &pos, &r) <= 0)
			break;
		if (sequence < f->sequence)
			continue;
		if ((uint64_t)*given >= max) {
			*more = 1;
			return 1;
		}
		++*given;
		if (fn(arg, f->stream, sequence, &r) != 0)
			return 1;
	}
	return 0;
}

int64_t
capture_window(const char *path, const struct capture_index *x, uint64_t from,
    uint64_t to, uint64_t max, capture_visit *fn, void *arg, int *more,
    struct error *e)
{
	struct frame_file s;
	int64_t given = 0;
	int ignored;
	size_t i;

	if (more == NULL)
		more = &ignored;
	*more = 0;
	if (frame_file_open_path(&s, path, e) != 0)
		return -1;
	for (i = 0; i < x->frames && !frame_file_stops(&s); i++) {
		if (from > 0 && (x->frame[i].t_min == 0 ||
		    x->frame[i].t_max < from))
			continue;
		if (x->frame[i].t_min >= to)
			continue;
		if (visit_frame(&s, &x->frame[i], max, &given, fn, arg,
		    more) != 0)
			break;
	}
	if (frame_file_stops(&s) && frame_file_verdict(&s, e) != 0)
		given = -1;
	frame_file_close(&s);
	return given;
}

static void
note_origin(struct capture_origin *o, const struct frame_header *h,
    const uint8_t *p, size_t len)
{
	struct wire_str run = { NULL, 0 };
	struct record r;
	size_t pos = 0;

	o->ended = false;
	while (record_next(p, len, &pos, &r) > 0) {
		o->ended = r.type == RECORD_BYE || r.type == RECORD_RUN_END;
		if (o->run[0] != '\0')
			continue;
		if (r.type == RECORD_HELLO) {
			run = r.u.HELLO.run;
			o->pid = r.u.HELLO.pid;
			o->birth = (struct proc_birth){
			    r.u.HELLO.start_ns, r.u.HELLO.now_ns,
			    r.u.HELLO.now_mono_ns };
			o->pidns = r.u.HELLO.pidns;
		} else if (r.type == RECORD_RUN_BEGIN)
			run = r.u.RUN_BEGIN.run;
		if (run.len == 32) {
			memcpy(o->run, run.p, 32);
			o->run[32] = '\0';
			if (!text_is_hex(o->run, 32))
				o->run[0] = '\0';
			o->stream = h->stream;
		}
	}
}

int
capture_peek(const char *path, struct capture_origin *o, struct error *e)
{
	struct frame_header h;
	struct frame_file s;
	const uint8_t *p;
	uint64_t offset;
	size_t len;
	int rc = 0;

	memset(o, 0, sizeof(*o));
	if (frame_file_open_path(&s, path, e) != 0)
		return -1;
	while (!frame_file_stops(&s) && (rc = frame_file_next(&s, &h, &offset)) > 0) {
		s.stats.frames++;
		if (s.stats.frames == 1)
			o->stream = h.stream;
		if ((p = frame_file_decode(&s, &h, UINT32_MAX, &len)) != NULL)
			note_origin(o, &h, p, len);
	}
	if (rc < 0)
		error_set(e, "cannot read '%s':", path);
	else
		rc = frame_file_verdict(&s, e);
	frame_file_close(&s);
	return rc;
}
