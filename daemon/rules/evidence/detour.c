/*
 * rules/evidence/detour.c: see detour.h.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "rules/engine/arena.h"
#include "rules/evidence/detour.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"

#define SAME_SIZE 0.01		/* of the mean size: classes are of sizes within a factor of
				 * two, and a batch's last tensor is smaller (arithmetic) */
#define AS_MANY 2.0		/* times: passes that only evaluate have no gradients, and are
				 * fewer than those of the training (arithmetic) */
#define LINES_MOST 8		/* of more that copy at the start nothing is said */

static bool
calls(const struct site *s, const char *function)
{
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].function != NULL &&
		    strstr(s->frame[f].function, function) != NULL)
			return true;
	return false;
}

/* Is it a gradient's way back, to the host or from it? */
static bool
gives_back(const struct site *s, const char *function)
{
	return s->call < 64 && ((CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC)) >> s->call & 1) &&
	    framework_copies_back(s) && calls(s, function);
}

/* Does a line of the program's own make the copy to the GPU: no loader, no backward pass, and
 * no model that is moved? */
static bool
is_forward(const struct site *s)
{
	return lines_feeds(s) && gaps_own_frame(s) < s->frames && !framework_loads(s) &&
	    !framework_moves(s) && !framework_differentiates(s) &&
	    !framework_waits_for_backward(s);
}

static bool
same_function(const struct site *a, const struct site *b)
{
	size_t i = gaps_own_frame(a), k = gaps_own_frame(b);
	const struct site_frame *f = a->frame + i, *g = b->frame + k;

	return i < a->frames && k < b->frames && f->file != NULL && g->file != NULL &&
	    f->function != NULL && g->function != NULL &&
	    strcmp(f->function, g->function) == 0 && strcmp(f->file, g->file) == 0;
}

/* Does a line of the function that makes the copy ${s} to the GPU, in front of that, write
 * tensors of the GPU into one of the CPU? Batches are copied in front of what is done with
 * them; and what is saved is copied by the framework's own lines. */
static bool
fills(const struct run *run, const struct site *s)
{
	for (size_t i = 0; i < run->sites; i++) {
		const struct site *t = &run->site[i];

		if (lines_reads(t) && framework_copies_into(t) && t->count >= GAPS_ALIKE &&
		    gaps_own_frame(t) == 0 && same_function(s, t) &&
		    t->frame[0].line < s->frame[gaps_own_frame(s)].line)
			return true;
	}
	return false;
}

/* The line that copies in each forward pass what the CPU has: what it was filled with comes
 * from the GPU, or it is within a module's call, or all such lines are of one function. Of
 * others it is not known whether a batch is copied. */
static const struct site *
forward_of(const struct run *run)
{
	const struct site *best = NULL, *most = NULL;
	bool best_fills = false, one = true;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];
		bool filled;

		if (s->count < GAPS_ALIKE || !is_forward(s))
			continue;
		one = one && (most == NULL || same_function(s, most));
		most = most == NULL || s->count > most->count ? s : most;
		filled = fills(run, s);
		if (!filled && (best_fills || !framework_within(s)))
			continue;
		if (best == NULL || filled > best_fills || s->count > best->count) {
			best = s;
			best_fills = filled;
		}
	}
	return best != NULL || !one ? best : most;
}

/* Is ${down} as many copies to the host as ${up} are to the GPU, of one size? */
static bool
is_pair(const struct copy_class *up, const struct copy_class *down)
{
	double n = (double)up->count, m = (double)down->count;
	double size = n > 0 ? (double)up->bytes / n : 0;

	return !up->memset && !down->memset && up->kind == COPY_H2D &&
	    down->kind == COPY_D2H && up->src == MEMORY_PAGEABLE &&
	    down->dst == MEMORY_PAGEABLE && up->size_class == down->size_class &&
	    up->device == down->device && fmin(n, m) >= GAPS_ALIKE &&
	    fmax(n, m) <= AS_MANY * fmin(n, m) &&
	    fabs((double)down->bytes / m - size) <= SAME_SIZE * size;
}

/* Adds such pairs to ${d}. Of one with more copies than the other the part counts that has
 * its like there. */
static void
add_pairs(const struct run *run, struct detour *d)
{
	for (size_t i = 0; i < run->copies; i++)
		for (size_t k = 0; k < run->copies; k++) {
			const struct copy_class *up = &run->copy[i], *down = &run->copy[k];
			double n, of_up, of_down;

			if (!is_pair(up, down))
				continue;
			n = fmin((double)up->count, (double)down->count);
			of_up = n / (double)up->count;
			of_down = n / (double)down->count;
			d->copies += 2 * n;
			d->s += 1e-9 * (of_up * (double)(up->idle_after_ns +
			    up->idle_before_ns) + of_down * (double)down->idle_after_ns);
			d->copy_s += 1e-9 * of_down * down->exposed_ns;
		}
}

bool
detour_of(const struct run *run, struct detour *d)
{
	double before = 0, back = 0;

	*d = (struct detour){ .gradients = 0 };
	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		d->gradients += gives_back(s, "cuMemcpyDtoH") ? (double)s->count : 0;
		if (!gives_back(s, "cuMemcpyHtoD"))
			continue;
		back += (double)s->count;
		before += s->idle_ns * 1e-9;
	}
	if (d->gradients < GAPS_ALIKE)
		return false;
	add_pairs(run, d);
	if (d->copies > 0)
		d->site = forward_of(run);
	d->s += d->copies > 0 ? before : 0;	/* longer than what classes count */
	/* Results that the program copies back to the GPU may be as large. */
	if (d->site == NULL && back < GAPS_ALIKE)
		d->s = d->copy_s = 0;
	return true;
}

/* Is the line of ${run}'s site ${at} one of those before it? */
static bool
is_repeated(const struct run *run, size_t at)
{
	const struct site_frame *f = &run->site[at].frame[gaps_own_frame(&run->site[at])];

	for (size_t i = 0; i < at; i++) {
		const struct site *s = &run->site[i];

		if (is_forward(s) && s->frame[gaps_own_frame(s)].line == f->line &&
		    strcmp(s->frame[gaps_own_frame(s)].file, f->file) == 0)
			return true;
	}
	return false;
}

/* The lines that copy to the GPU, as "train.py:33, 34"; NULL: in several files, or many. */
static const char *
lines_of(struct arena *arena, const struct run *run)
{
	uint32_t line[LINES_MOST];
	const char *file = NULL, *text;
	size_t n = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];
		const struct site_frame *f;
		size_t at;

		if (!is_forward(s) || is_repeated(run, i))
			continue;
		f = &s->frame[gaps_own_frame(s)];
		if (n == LINES_MOST || (file != NULL && strcmp(file, f->file) != 0))
			return NULL;
		file = f->file;
		for (at = n++; at > 0 && line[at - 1] > f->line; at--)
			line[at] = line[at - 1];
		line[at] = f->line;
	}
	if (n == 0)
		return NULL;
	text = arena_format(arena, "%s:%u", text_base_name(file), line[0]);
	for (size_t i = 1; i < n; i++)
		text = arena_format(arena, "%s, %u", text, line[i]);
	return text;
}

void
detour_say(struct arena *arena, const struct run *run, struct draft *d)
{
	struct detour o;
	const char *lines;

	if (!detour_of(run, &o) || o.copies > 0)
		return;
	lines = lines_of(arena, run);
	d->more = arena_format(arena, "%s%sfirst make on the GPU what is differentiated by, "
	    "torch.tensor(…, device=\"cuda\", requires_grad=True): of a leaf on the CPU that "
	    ".to() or .cuda() has copied (%s) each backward pass copies the gradient to the "
	    "host and waits, which no graph can hold; or .detach().requires_grad_() behind the "
	    "copy", d->more != NULL ? d->more : "", d->more != NULL ? "; " : "",
	    lines != NULL ? lines : "in front of the loop");
}
