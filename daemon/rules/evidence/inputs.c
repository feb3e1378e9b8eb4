/*
 * rules/evidence/inputs.c: see inputs.h.
 */
#include <math.h>
#include <string.h>

#include "rules/engine/same.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/inputs.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/operator.h"

#define INPUTS_BEHIND 0.9	/* arithmetic: eight elements that one line copies one after the
				 * other (BATCH_COPIES in model/away.c) have seven behind
				 * another: 0.875 */
#define WITHIN 0.5		/* of a kernel's launches, or of the copies; arithmetic: most */
#define OUTSIDE_LEAST 10	/* batches that are copied elsewhere: as many as recurring gaps
				 * of gpu-idle-gaps */
#define COPIES (CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC))

/* Is it PyTorch's, below a module's forward that the program calls by that name, as
 * self.forward(x)? No frame of modules is on the stack then. */
static bool
in_forward(const struct site *s)
{
	char operator[OPERATOR_SIZE];

	if (!operator_of(operator, s))
		return false;
	for (size_t f = 0; f < s->frames; f++)
		if (same_text(s->frame[f].function, "forward") && site_own(&s->frame[f]) &&
		    !site_installed(&s->frame[f]))
			return !framework_loads(s);
	return false;
}

static bool
is_within(const struct site *s)
{
	return framework_within(s) || in_forward(s);
}

/* Does a line within a module's call copy a tensor to the host? A value alone, or how many
 * elements there are, is read by another operator. */
static bool
is_result(const struct site *s)
{
	return lines_reads(s) && is_within(s) && operator_copies(s);
}

static bool
calls_module(const struct site *s)
{
	return framework_calls_module(s) || in_forward(s);
}

bool
inputs_within(const struct site *s)
{
	return lines_feeds(s) && is_within(s);
}

bool
inputs_behind(const struct site *s)
{
	return lines_feeds(s) && !is_within(s) && !framework_loads(s) &&
	    s->behind_ns >= INPUTS_BEHIND * s->idle_ns;
}

/* Are most launches of kernel ${id} made within calls of modules? */
static bool
is_module_kernel(const struct run *run, uint32_t id)
{
	double all = 0, within = 0;
	size_t end, i = site_launches(run->site, run->sites, id, &end);

	for (; id != 0 && i < end; i++) {
		const struct site *s = &run->site[i];

		if (s->call != CALL_LAUNCH || s->kernel != id)
			continue;
		all += (double)s->count;
		within += calls_module(s) ? (double)s->count : 0;
	}
	return all > 0 && within > WITHIN * all;
}

bool
inputs_made(const struct run *run, const struct site *s)
{
	return inputs_within(s) && is_module_kernel(run, s->after);
}

struct inputs
inputs_of(const struct run *run)
{
	struct inputs in = { .s = 0 };

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];
		double idle = s->idle_ns * 1e-9;

		if (s->call >= 64 || !(COPIES >> s->call & 1))
			continue;
		in.results += is_result(s) ? (double)s->count : 0;
		if (!lines_feeds(s))
			continue;
		in.outside += !calls_module(s) ? (double)s->count : 0;
		if (!(idle > 0))
			continue;
		in.s += idle;
		if (inputs_made(run, s))
			in.within_s += idle;
		else if (inputs_behind(s))
			in.behind_s += idle;
	}
	return in;
}

/* The time by which copies from pageable memory to the GPU lengthened the run, but for small
 * ones, which no one waits for. */
static double
pageable_s(const struct run *run)
{
	double sum = 0;

	for (size_t i = 0; i < run->copies; i++) {
		const struct copy_class *c = &run->copy[i];
		double gpu = (double)c->gpu_ns;

		if (!c->memset && c->kind == COPY_H2D && c->src == MEMORY_PAGEABLE &&
		    c->size_class >= INPUTS_STAGED_CLASS)
			sum += isfinite(c->exposed_ns) ?
			    fmin(fmax(c->exposed_ns, 0), gpu) : gpu;
	}
	return sum * 1e-9;
}

bool
inputs_made_of(const struct run *run, struct inputs_made *m)
{
	struct inputs in = inputs_of(run);
	double all = 0, made = 0;

	*m = (struct inputs_made){ .part = 0 };
	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (!lines_feeds(s))
			continue;
		all += (double)s->count;
		if (!inputs_made(run, s))
			continue;
		made += (double)s->count;
		if (m->most == NULL || s->count > m->most->count)
			m->most = s;
	}
	if (!(made > WITHIN * all) || in.outside < OUTSIDE_LEAST)
		return false;
	m->part = made / all;
	m->copy_s = m->part * pageable_s(run);
	m->idle_s = in.within_s;
	return true;
}
