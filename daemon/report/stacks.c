#include <math.h>

#include "report/format.h"
#include "report/reader.h"
#include "report/text_util.h"

#include "report/stacks.h"

struct walk {
	stack_visit *visit;
	void *arg;
	const char *kernel;
	double ns;		/* of the kernel */
	double samples;		/* of the kernel */
	double shown;		/* of those, already in stacks */
	struct stack stack;
};

static int
give(struct walk *w, const char *stall, double samples)
{
	double ns = w->samples > 0 ? w->ns * samples / w->samples : w->ns;

	w->shown += samples;
	w->stack.stall = stall;
	w->stack.ns = ns >= 0.5 && ns < 9e18 ? (uint64_t)llround(ns) : 0;
	return w->stack.ns > 0 ? w->visit(w->arg, &w->stack) : 0;
}

static const char *
path_of(const json_t *files, const json_t *index)
{
	const json_t *file;
	size_t i;

	json_array_foreach((json_t *)files, i, file)
		if (json_equal(json_object_get(file, "index"), index))
			return field_text(file, "path");
	return NULL;
}

/* Sets the frames of line ${i}: after the kernel's, the outermost caller first. */
static void
chain(struct walk *w, const json_t *source, size_t i)
{
	const json_t *lines = json_object_get(source, "lines"), *l,
	    *files = json_object_get(source, "files"), *at;
	size_t of[STACK_DEPTH], n = 0;
	const char *function;

	while (n < STACK_DEPTH && (l = json_array_get(lines, i)) != NULL) {
		of[n++] = i;
		at = json_object_get(l, "inlined_at");
		if (!json_is_integer(at) || json_integer_value(at) < 0)
			break;
		i = (size_t)json_integer_value(at);
	}
	w->stack.frames = 1;
	while (n-- > 0) {
		l = json_array_get(lines, of[n]);
		function = field_text(l, "function");
		w->stack.frame[w->stack.frames++] = (struct stack_frame){
		    .name = function != NULL ? function : w->kernel,
		    .file = path_of(files, json_object_get(l, "file")),
		    .line = field_count(l, "line") };
	}
}

static int
line_stacks(struct walk *w, const json_t *source, size_t i, const json_t *line)
{
	json_t *stalls = json_object_get(json_object_get(line, "samples"),
	    "stalls"), *count;
	const char *stall;
	int rc = 0;

	if (json_object_size(stalls) == 0)
		return 0;
	chain(w, source, i);
	json_object_foreach(stalls, stall, count)
		if (rc == 0 && json_integer_value(count) > 0)
			rc = give(w, stall, (double)json_integer_value(count));
	return rc;
}

static int
kernel_stacks(struct walk *w, const json_t *source)
{
	const json_t *lines = json_object_get(source, "lines"), *l;
	double all = field_number(json_object_get(json_object_get(source,
	    "totals"), "samples"), "all");
	size_t i;
	int rc = 0;

	w->samples = all > 0 ? all : 0;
	w->shown = 0;
	json_array_foreach((json_t *)lines, i, l)
		if (rc == 0 && w->samples > 0)
			rc = line_stacks(w, source, i, l);
	w->stack.frames = 1;
	/* The rest: instructions without a line; without samples all of it. */
	if (rc == 0 && (w->samples == 0 || w->samples - w->shown >= 1))
		rc = give(w, NULL, w->samples - w->shown);
	return rc;
}

int
stacks_each(const struct report *r, stack_visit *visit, void *arg)
{
	struct walk w = { .visit = visit, .arg = arg };
	const struct reader *reader = r->reader;
	json_t *source, *k;
	size_t i;
	int rc = 0;

	json_array_foreach((json_t *)r->kernels, i, k) {
		w.kernel = or_unknown(field_text(k, "name"));
		w.ns = field_number(json_object_get(k, "time"), "total_ns");
		if (rc != 0 || !(w.ns > 0))
			continue;
		w.stack.frame[0] = (struct stack_frame){ .name = w.kernel };
		source = reader->source(reader->arg, (uint32_t)field_count(k,
		    "id"));
		rc = kernel_stacks(&w, source);
		json_decref(source);
	}
	return rc;
}
