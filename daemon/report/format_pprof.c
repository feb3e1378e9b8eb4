/*
 * pprof's profile: gzipped protobuf. Two concatenated messages are one message
 * with the fields of both, so each sample is written as a Profile of its own,
 * behind the strings, functions and lines that it is the first to use.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/build.h"
#include "pprof.pb-c.h"
#include "report/intern.h"
#include "report/stacks.h"
#include "report/text_util.h"

#include "report/format.h"

#define CHUNK 16384
#define GZIP 16			/* zlib.h, deflateInit2: a gzip header */

struct writing {
	ProtobufCBuffer base;	/* append, first: see append() */
	FILE *f;
	z_stream z;
	struct intern texts, functions, lines;
	bool failed;
};

/* Compresses the input in w->z. */
static void
squeeze(struct writing *w, int flush)
{
	uint8_t out[CHUNK];
	int rc;

	do {
		w->z.next_out = out;
		w->z.avail_out = sizeof(out);
		rc = deflate(&w->z, flush);
		w->failed |= rc == Z_STREAM_ERROR;
		fwrite(out, 1, sizeof(out) - w->z.avail_out, w->f);
	} while (!w->failed && (w->z.avail_out == 0 ||
	    (flush == Z_FINISH && rc != Z_STREAM_END)));
}

static void
append(ProtobufCBuffer *base, size_t len, const uint8_t *data)
{
	struct writing *w = (struct writing *)(void *)base;

	w->z.next_in = (uint8_t *)(uintptr_t)data;
	w->z.avail_in = (unsigned)len;
	squeeze(w, Z_NO_FLUSH);
}

static void
put(struct writing *w, const Pprof__Profile *p)
{

	protobuf_c_message_pack_to_buffer(&p->base, &w->base);
}

/* The index of a string; a new one is written. */
static int64_t
text(struct writing *w, const char *s)
{
	Pprof__Profile p = PPROF__PROFILE__INIT;
	char *one = (char *)(uintptr_t)s;
	bool fresh;
	uint32_t n = intern_text(&w->texts, s, &fresh);

	if (fresh) {
		p.n_string_table = 1;
		p.string_table = &one;
		put(w, &p);
	}
	return (int64_t)n - 1;	/* "" was the first */
}

static uint64_t
function(struct writing *w, const struct stack_frame *x)
{
	Pprof__Profile p = PPROF__PROFILE__INIT;
	Pprof__Function f = PPROF__FUNCTION__INIT, *one = &f;
	bool fresh;
	uint32_t n = intern_place(&w->functions, x->name, x->file, 0, &fresh);

	if (fresh) {
		f.id = n;
		f.name = f.system_name = text(w, x->name);
		f.filename = text(w, x->file != NULL ? x->file : "");
		p.n_function = 1;
		p.function = &one;
		put(w, &p);
	}
	return n;
}

static uint64_t
location(struct writing *w, const struct stack_frame *x)
{
	Pprof__Profile p = PPROF__PROFILE__INIT;
	Pprof__Location l = PPROF__LOCATION__INIT, *one = &l;
	Pprof__Line line = PPROF__LINE__INIT, *its = &line;
	bool fresh;
	uint32_t n = intern_place(&w->lines, x->name, x->file, x->line,
	    &fresh);

	if (fresh) {
		line.function_id = function(w, x);
		line.line = (int64_t)x->line;
		l.id = n;
		l.n_line = 1;
		l.line = &its;
		p.n_location = 1;
		p.location = &one;
		put(w, &p);
	}
	return n;
}

static int
write_stack(void *arg, const struct stack *s)
{
	struct writing *w = arg;
	Pprof__Profile p = PPROF__PROFILE__INIT;
	Pprof__Sample sample = PPROF__SAMPLE__INIT, *one = &sample;
	Pprof__Label label = PPROF__LABEL__INIT, *its = &label;
	uint64_t id[STACK_DEPTH + 1];
	int64_t ns = (int64_t)s->ns;
	size_t i;

	for (i = 0; i < s->frames; i++)
		id[s->frames - 1 - i] = location(w, &s->frame[i]);
	if (s->stall != NULL) {
		label.key = text(w, "stall");
		label.str = text(w, s->stall);
		sample.n_label = 1;
		sample.label = &its;
	}
	sample.n_location_id = s->frames;
	sample.location_id = id;
	sample.n_value = 1;
	sample.value = &ns;
	p.n_sample = 1;
	p.sample = &one;
	put(w, &p);
	return w->failed || w->texts.failed || w->functions.failed ||
	    w->lines.failed ? -1 : 0;
}

static void
write_head(struct writing *w, const struct report *r)
{
	Pprof__Profile p = PPROF__PROFILE__INIT;
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *one = &type;
	int64_t comment[2];

	text(w, "");		/* the format requires it first */
	type.type = text(w, "time");
	type.unit = text(w, "nanoseconds");
	comment[0] = text(w, "cudadvise " CUDADVISE_VERSION);
	comment[1] = text(w, or_unknown(field_text(r->run, "command")));
	p.n_sample_type = 1;
	p.sample_type = &one;
	p.period_type = one;
	p.period = 1;
	p.duration_nanos = (int64_t)field_count(r->run, "wall_ns");
	p.n_comment = 2;
	p.comment = comment;
	put(w, &p);
}

int
format_pprof(FILE *f, const struct report *r)
{
	struct writing w = { .base = { .append = append }, .f = f };
	int rc;

	if (deflateInit2(&w.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED,
	    MAX_WBITS + GZIP, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	write_head(&w, r);
	rc = stacks_each(r, write_stack, &w);
	w.z.next_in = NULL;
	w.z.avail_in = 0;
	squeeze(&w, Z_FINISH);
	deflateEnd(&w.z);
	intern_clear(&w.texts);
	intern_clear(&w.functions);
	intern_clear(&w.lines);
	return rc != 0 || w.failed ? -1 : 0;
}
