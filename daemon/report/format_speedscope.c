/*
 * speedscope's own format (file-format-schema.json of its package): one sampled
 * profile of all kernels, in nanoseconds. Frames, samples and weights are separate
 * arrays, so the stacks are walked three times rather than held in memory.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/build.h"
#include "base/text.h"
#include "report/intern.h"
#include "report/json_util.h"
#include "report/stacks.h"
#include "report/text_util.h"

#include "report/format.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"

struct writing {
	FILE *f;
	struct intern frames;
	uint64_t total;		/* ns */
	const char *comma;
};

/* ${o} (stolen) after a comma. */
static int
put(struct writing *w, json_t *o)
{

	if (o == NULL)
		return -1;
	fputs(w->comma, w->f);
	w->comma = ",\n";
	json_dumpf(o, w->f, JSON_COMPACT | JSON_ENCODE_ANY);
	json_decref(o);
	return 0;
}

/* "rows.cu:43 step(float*)": speedscope shows a frame's line only beside the
 * pointer, and those of one function would all look alike. */
static json_t *
frame_name(const struct stack_frame *x)
{
	char *text = NULL;
	json_t *o;

	if (x->file == NULL || x->line == 0)
		return json_text(x->name);
	if (asprintf(&text, "%s:%" PRIu64 " %s", text_base_name(x->file), x->line,
	    x->name) < 0)
		return NULL;
	o = json_text(text);
	free(text);
	return o;
}

/* The number of a frame; with ${write} a new one is written. */
static uint32_t
frame_number(struct writing *w, const struct stack_frame *x, bool write)
{
	bool fresh;
	uint32_t n = intern_place(&w->frames, x->name, x->file, x->line,
	    &fresh);
	json_t *o;

	if (!fresh || !write || n == 0)
		return n;
	o = json_pack("{s:o}", "name", frame_name(x));
	if (o != NULL && x->file != NULL)
		json_object_set_new(o, "file", json_text(x->file));
	if (o != NULL && x->line > 0)
		json_object_set_new(o, "line", json_count(x->line));
	return put(w, o) == 0 ? n : 0;
}

/* The stall reason is the innermost frame. */
static size_t
frames_of(const struct stack *s, struct stack_frame out[STACK_DEPTH + 2],
    char stall[64])
{
	size_t i;

	for (i = 0; i < s->frames; i++)
		out[i] = s->frame[i];
	if (s->stall == NULL)
		return i;
	snprintf(stall, 64, "[%s]", s->stall);
	out[i] = (struct stack_frame){ .name = stall };
	return i + 1;
}

static int
write_frames(void *arg, const struct stack *s)
{
	struct stack_frame x[STACK_DEPTH + 2];
	struct writing *w = arg;
	char stall[64];
	size_t n = frames_of(s, x, stall), i;

	w->total += s->ns;
	for (i = 0; i < n; i++)
		if (frame_number(w, &x[i], true) == 0)
			return -1;
	return 0;
}

static int
write_sample(void *arg, const struct stack *s)
{
	struct stack_frame x[STACK_DEPTH + 2];
	struct writing *w = arg;
	char stall[64];
	size_t n = frames_of(s, x, stall), i;
	uint32_t number;

	fprintf(w->f, "%s[", w->comma);
	w->comma = ",\n";
	for (i = 0; i < n; i++) {
		if ((number = frame_number(w, &x[i], false)) == 0)
			return -1;
		fprintf(w->f, "%s%" PRIu32, i > 0 ? "," : "", number - 1);
	}
	putc(']', w->f);
	return 0;
}

static int
write_weight(void *arg, const struct stack *s)
{
	struct writing *w = arg;

	fprintf(w->f, "%s%" PRIu64, w->comma, s->ns);
	w->comma = ",";
	return 0;
}

/* "name" and its text. */
static int
name(struct writing *w, const char *text)
{

	fputs("\"name\":", w->f);
	w->comma = "";
	return put(w, json_text(text));
}

static int
profile(struct writing *w, const struct report *r)
{

	fputs("]},\n\"profiles\":[{\"type\":\"sampled\",\"name\":\"kernels\","
	    "\"unit\":\"nanoseconds\",\"startValue\":0,", w->f);
	fprintf(w->f, "\"endValue\":%" PRIu64 ",\n\"samples\":[", w->total);
	w->comma = "";
	if (stacks_each(r, write_sample, w) != 0)
		return -1;
	fputs("],\n\"weights\":[", w->f);
	w->comma = "";
	if (stacks_each(r, write_weight, w) != 0)
		return -1;
	fputs("]}]}\n", w->f);
	return 0;
}

int
format_speedscope(FILE *f, const struct report *r)
{
	struct writing w = { .f = f };
	int rc = -1;

	fputs("{\"$schema\":\"" SCHEMA "\",\"exporter\":\"cudadvise "
	    CUDADVISE_VERSION "\",\n", f);
	if (name(&w, or_unknown(field_text(r->run, "command"))) != 0)
		return -1;
	fputs(",\n\"shared\":{\"frames\":[", f);
	w.comma = "";
	if (stacks_each(r, write_frames, &w) == 0)
		rc = profile(&w, r);
	intern_clear(&w.frames);
	return rc;
}
