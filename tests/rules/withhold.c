/*
 * rules/withhold.c: see withhold.h. Records are left out or rewritten between
 * the capture and the model, and renumbered, so that none seems to be missing.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "capture/capture.h"
#include "model/model.h"
#include "rules/withhold.h"
#include "wire/record.h"

#define STREAMS 64

const char *const withheld_name[HELD_KINDS] = {
	[HELD_COUNTERS] = "counters", [HELD_PERMISSION] = "permission",
	[HELD_LEVEL] = "level",
	[HELD_DEFAULT] = "default", [HELD_SOURCE] = "source",
	[HELD_SAMPLES] = "samples", [HELD_CODE] = "code",
	[HELD_CUBIN] = "cubin", [HELD_KERNELS] = "kernels",
	[HELD_WORK] = "work",
	[HELD_TRACE] = "trace", [HELD_COPIES] = "copies",
	[HELD_CALLS] = "calls", [HELD_MEMORY] = "memory",
	[HELD_LOST] = "lost", [HELD_ALL] = "all",
};

struct strand {
	uint64_t stream, sequence;
	uint64_t lost;		/* records left out as lost */
};

struct feeder {
	struct model *model;
	enum withheld what;
	struct strand strand[STREAMS];
	size_t strands;
	bool failed;
};

static bool
is_counter(uint16_t type)
{
	return type == RECORD_COUNTERS;
}

static bool
is_sample(uint16_t type)
{
	return type == RECORD_SAMPLES || type == RECORD_SAMPLING ||
	    type == RECORD_STALL;
}

static bool
is_cubin(const struct record *r)
{
	return r->type == RECORD_CUBIN || r->type == RECORD_FUNCTION ||
	    r->type == RECORD_DISASSEMBLY || (r->type == RECORD_BYTES &&
	    r->u.BYTES.kind == BYTES_CUBIN);
}

/* Whether only --level source makes such records. */
static bool
is_source(const struct record *r)
{
	return is_cubin(r) || is_sample(r->type) || r->type == RECORD_SOURCE ||
	    r->type == RECORD_BYTES || r->type == RECORD_INSTRUCTIONS;
}

static bool
is_launch(uint16_t type)
{
	return type == RECORD_KERNEL || type == RECORD_GRAPH;
}

static bool
is_copy(uint16_t type)
{
	return type == RECORD_COPY || type == RECORD_MEMSET;
}

static bool
is_call(uint16_t type)
{
	return type == RECORD_API || type == RECORD_SYNC ||
	    type == RECORD_FAILURE;
}

/* Whether it is about kernels: a program that launches none has no such records. */
static bool
is_kernel(const struct record *r)
{
	return is_launch(r->type) || r->type == RECORD_SIGNATURE ||
	    is_counter(r->type) || r->type == RECORD_SKIPPED || is_source(r) ||
	    (r->type == RECORD_SITE && r->u.SITE.kind == CALL_LAUNCH) ||
	    (r->type == RECORD_API && (r->u.API.call == CALL_LAUNCH ||
	    r->u.API.call == CALL_GRAPH_LAUNCH));
}

/* Whether it is about the program, not about the measurement. */
static bool
is_event(const struct record *r)
{
	return is_launch(r->type) || is_copy(r->type) || is_call(r->type) ||
	    r->type == RECORD_MEMORY || r->type == RECORD_UVM;
}

static bool
is_left_out(enum withheld what, const struct record *r)
{
	switch (what) {
	case HELD_COUNTERS:
		/* The counts of instructions are counters too. */
		return is_counter(r->type) || r->type == RECORD_INSTRUCTIONS ||
		    r->type == RECORD_SKIPPED;
	case HELD_PERMISSION:
		return is_counter(r->type) || is_sample(r->type) ||
		    r->type == RECORD_INSTRUCTIONS ||
		    r->type == RECORD_SKIPPED;
	case HELD_LEVEL:
		return is_counter(r->type) || r->type == RECORD_SKIPPED ||
		    r->type == RECORD_METRIC || is_source(r);
	case HELD_DEFAULT:
		return is_sample(r->type) || r->type == RECORD_INSTRUCTIONS;
	case HELD_SOURCE:
		return r->type == RECORD_INSTRUCTIONS;
	case HELD_SAMPLES:
		return is_sample(r->type);
	case HELD_CODE:
		return r->type == RECORD_DISASSEMBLY;
	case HELD_CUBIN:
		return is_cubin(r);
	case HELD_KERNELS:
		return is_kernel(r);
	case HELD_WORK:
		return is_kernel(r) || is_copy(r->type);
	case HELD_TRACE:
		return is_launch(r->type);
	case HELD_COPIES:
		return is_copy(r->type);
	case HELD_CALLS:
		return is_call(r->type);
	case HELD_MEMORY:
		return r->type == RECORD_MEMORY;
	case HELD_LOST:
		return is_event(r);
	case HELD_ALL:
		return r->type != RECORD_HELLO && r->type != RECORD_BYE &&
		    r->type != RECORD_RUN_BEGIN && r->type != RECORD_RUN_END;
	default:
		return false;
	}
}

static struct strand *
strand_of(struct feeder *f, uint64_t stream)
{
	for (size_t i = 0; i < f->strands; i++)
		if (f->strand[i].stream == stream)
			return &f->strand[i];
	if (f->strands == STREAMS)
		return NULL;
	f->strand[f->strands] = (struct strand){ .stream = stream };
	return &f->strand[f->strands++];
}

static int
feed(struct feeder *f, struct strand *s, const struct record *r)
{
	return model_feed(f->model, s->stream, s->sequence++, r);
}

static bool
is_refused(enum withheld what)
{
	return what == HELD_COUNTERS || what == HELD_PERMISSION;
}

/* Adds what the library sends right after HELLO: what CUPTI refused. */
static int
tell_refused(struct feeder *f, struct strand *s, uint64_t now_ns)
{
	static const char *const where[HELD_KINDS] = {
		[HELD_TRACE] = "kernel tracing", [HELD_COPIES] = "copy tracing",
		[HELD_CALLS] = "cuptiEnableCallback",
		[HELD_MEMORY] = "allocation tracing",
		[HELD_COUNTERS] = "counters", [HELD_PERMISSION] = "counters",
	};
	struct record r = { .type = RECORD_DIAGNOSTIC };

	if (where[f->what] == NULL)
		return 0;
	r.u.DIAGNOSTIC.code = is_refused(f->what) ? DIAG_PERMISSION :
	    DIAG_UNSUPPORTED_GPU;
	r.u.DIAGNOSTIC.severity = SEVERITY_WARNING;
	r.u.DIAGNOSTIC.now_ns = now_ns;
	r.u.DIAGNOSTIC.where = wire_str_of(where[f->what]);
	r.u.DIAGNOSTIC.text = wire_str_of("refused");
	return feed(f, s, &r);
}

static int
tell_lost(struct feeder *f, struct strand *s)
{
	struct record r = { .type = RECORD_LOSS };

	if (s->lost == 0)
		return 0;
	r.u.LOSS.class = LOSS_CUPTI;
	r.u.LOSS.count = s->lost;
	s->lost = 0;
	return feed(f, s, &r);
}

/* Adds that the driver refused this signature's counters. */
static int
tell_skipped(struct feeder *f, struct strand *s, uint32_t signature)
{
	struct record r = { .type = RECORD_SKIPPED };

	r.u.SKIPPED.signature = signature;
	r.u.SKIPPED.reason = SKIP_PERMISSION;
	return feed(f, s, &r);
}

/* The level of a run that has no more data than what is left. */
static uint32_t
level_of(enum withheld what, uint32_t level)
{
	uint32_t most = what == HELD_LEVEL ? LEVEL_TRACE :
	    what == HELD_DEFAULT ? LEVEL_COUNTERS : LEVEL_SOURCE;

	return level_parts(level) < level_parts(most) ? level : most;
}

static int
take(struct feeder *f, struct strand *s, struct record r)
{
	if (is_left_out(f->what, &r)) {
		s->lost += f->what == HELD_LOST;
		return 0;
	}
	if (r.type == RECORD_HELLO)
		r.u.HELLO.level = (uint16_t)level_of(f->what, r.u.HELLO.level);
	if (r.type == RECORD_RUN_BEGIN)
		r.u.RUN_BEGIN.level = level_of(f->what, r.u.RUN_BEGIN.level);
	if (r.type == RECORD_BYE && tell_lost(f, s) != 0)
		return -1;
	if (r.type == RECORD_BYE)	/* the library knows how much it sent */
		r.u.BYE.lost = 0;
	if (feed(f, s, &r) != 0)
		return -1;
	if (r.type == RECORD_HELLO)
		return tell_refused(f, s, r.u.HELLO.now_ns);
	if (r.type == RECORD_SIGNATURE && is_refused(f->what))
		return tell_skipped(f, s, r.u.SIGNATURE.id);
	return 0;
}

static int
visit(void *arg, uint64_t stream, uint64_t sequence, const struct record *r)
{
	struct feeder *f = arg;
	struct strand *s = strand_of(f, stream);

	(void)sequence;
	f->failed = s == NULL || take(f, s, *r) != 0;
	return f->failed;
}

int
withhold_load(const char *path, enum withheld what, struct model *m,
    struct error *e)
{
	struct feeder f = { .model = m, .what = what };
	struct capture_index x;
	int64_t n;

	if (capture_load_index(path, &x, e) != 0)
		return -1;
	n = capture_window(path, &x, 0, UINT64_MAX, UINT64_MAX, visit, &f, NULL,
	    e);
	capture_index_clear(&x);
	return n > 0 && !f.failed ? 0 : -1;
}
