/*
 * rules/evidence/accumulated.c: see accumulated.h.
 *
 * How often a line runs no record says, and stacks are taken of a kernel's first launches
 * only. But a call of a module that comes once for each batch launches as often as there are
 * batches: several places of the program agree on that number. PyTorch's AccumulateGrad
 * launches an addition for each parameter that has a gradient already, so all batches of a
 * step but the first have one, or all where gradients are set to zero, not dropped.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/engine/same.h"
#include "rules/evidence/accumulated.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/library.h"

/* An optimizer launches most of its kernels once in a step, or several times: the number that
 * this share of its kernels is at or below. Arithmetic: of an optimizer that goes over
 * single parameters, one in ten has a shape of its own. */
#define STEPS_PART 0.1

/* It goes on for as long as the training; arithmetic: most. State that it makes in its first
 * step is none. */
#define THROUGHOUT 0.5

/* Places agree if their numbers differ by so little: the recording ends within a step, and
 * the last batch of an epoch within another. At least so many: two may do by chance. In the
 * recording of a language model (H200, 2026-11-30) six are at 547 or 548, of 549 batches. */
#define ALIKE 1.02
#define PLACES 3

/* Two batches for each step, less what was cut off; arithmetic. */
#define BATCHES_LEAST 1.8
/* Above what a number follows from by counts that may be a little lower; arithmetic. */
#define MARGIN 1.1
/* So close must it be to a whole number, relatively (547 / 136 is 4.02, likewise). */
#define WHOLE 0.05
/* So few launches may come less often: reports, or kernels that several places launch, of
 * which the stacks of the first launches give them a wrong part (1 %, likewise). */
#define SELDOM_MOST 0.1
/* Of the batches so many have input of their own; arithmetic: all. */
#define INPUT_LEAST 0.9

/* What a batch takes of the GPU's memory may grow with its size, all of it at most. */
#define MEMORY_PART 0.9

/* Kernels that leave SMs idle hardly take longer for more, if their grid grows with the batch:
 * of products for the weights' gradients only the sums do. Half, arithmetic. */
#define GROWS 0.5

struct spot {
	uint64_t stack;		/* of Python's frames, a hash */
	double launches;
};

/* Is it a step of an optimizer, and not what is in files beside it (averages of weights)? */
static bool
steps(const struct site *s)
{
	for (size_t f = 0; f < s->frames; f++) {
		const struct site_frame *at = &s->frame[f];

		if (at->file != NULL && strstr(at->file, "/torch/optim/") != NULL &&
		    at->function != NULL && (strcmp(at->function, "step") == 0 ||
		    strcmp(at->function, "wrapper") == 0))
			return true;
	}
	return false;
}

/* Does ${k} launch for most of the time from the first to the last launch of those in ${of}? */
static bool
is_throughout(const struct run *run, const struct kernel *k, const bool *of)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (size_t i = 0; i < run->kernels; i++) {
		if (!of[i])
			continue;
		first = run->kernel[i].first_ns < first ? run->kernel[i].first_ns : first;
		last = run->kernel[i].last_ns > last ? run->kernel[i].last_ns : last;
	}
	return last > first && (double)(k->last_ns - k->first_ns) >=
	    THROUGHOUT * (double)(last - first);
}

static int
compare(const void *a, const void *b)
{
	double p = *(const double *)a, q = *(const double *)b;

	return (p > q) - (p < q);
}

/* The steps of the optimizer, whose kernels are ${of}; ${n} is room for a number of each. */
static double
steps_of(const struct run *run, const bool *of, double *n)
{
	size_t kernels = 0;

	for (size_t i = 0; i < run->kernels; i++)
		if (of[i] && is_throughout(run, &run->kernel[i], of))
			n[kernels++] = (double)run->kernel[i].launches;
	qsort(n, kernels, sizeof(*n), compare);
	return kernels > 0 ? n[(size_t)(STEPS_PART * (double)kernels)] : 0;
}

/* Does one line of the program start all backward passes that are known, outside of an
 * optimizer? */
static bool
one_line(const struct run *run)
{
	const struct site_frame *line = NULL;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];
		const struct site_frame *f;

		if (!framework_waits_for_backward(s))
			continue;
		if (s->first >= s->frames || !s->frame[s->first].python || steps(s))
			return false;
		f = &s->frame[s->first];
		if (line != NULL && (line->line != f->line || !same_text(line->file, f->file)))
			return false;
		line = f;
	}
	return line != NULL;
}

/* The most batches for each of ${steps} that two facts allow. Each backward pass begins with
 * the gradient of its loss, a launch of a kernel that others may use, too. And it adds to
 * the gradients of parameters that have some: of a shape that is one parameter's alone, once
 * for each batch but the first. */
static double
most(const struct run *run, double steps)
{
	double begun = INFINITY, added = INFINITY;

	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];
		double n = (double)k->launches / steps;
		size_t end, at;

		if (steps_all(run, k, framework_accumulates))
			added = fmin(added, n);
		at = site_launches(run->site, run->sites, k->id, &end);
		for (; at < end; at++)
			if (run->site[at].call == CALL_LAUNCH &&
			    run->site[at].kernel == k->id &&
			    framework_begins_backward(&run->site[at]))
				begun = fmin(begun, n);
	}
	return isinf(begun) || isinf(added) ? 0 : fmin(begun, added + 1);
}

static uint64_t
hash(uint64_t h, const void *data, size_t n)
{
	const unsigned char *p = data;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3u;	/* FNV-1a */
	return h;
}

/* The stack of Python's frames; 0: none. */
static uint64_t
stack_of(const struct site *s)
{
	uint64_t h = 0;

	for (size_t f = 0; f < s->frames && s->frame[f].python; f++) {
		if (s->frame[f].file != NULL)
			h = hash(h != 0 ? h : 0xcbf29ce484222325u, s->frame[f].file,
			    strlen(s->frame[f].file));
		h = hash(h, &s->frame[f].line, sizeof(s->frame[f].line));
	}
	return h;
}

static int
compare_stacks(const void *a, const void *b)
{
	const struct spot *p = a, *q = b;

	return (p->stack > q->stack) - (p->stack < q->stack);
}

static int
compare_places(const void *a, const void *b)
{
	const struct spot *p = a, *q = b;

	return (p->launches > q->launches) - (p->launches < q->launches);
}

/* Lists in ${p}, by number of launches, the places of Python that launch what is no
 * optimizer's and begins no backward pass. */
static size_t
list_places(const struct run *run, struct spot *p)
{
	size_t n = 0, places = 0;

	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];
		size_t end, first = site_launches(run->site, run->sites, k->id, &end);
		double all = 0;

		for (size_t at = first; at < end; at++)
			if (run->site[at].call == CALL_LAUNCH && run->site[at].kernel == k->id)
				all += (double)run->site[at].count;
		for (size_t at = first; all > 0 && at < end; at++) {
			const struct site *s = &run->site[at];

			if (s->call != CALL_LAUNCH || s->kernel != k->id || stack_of(s) == 0 ||
			    steps_by_optimizer(s) || framework_waits_for_backward(s))
				continue;
			p[n++] = (struct spot){ .stack = stack_of(s),
			    .launches = (double)s->count / all * (double)k->launches };
		}
	}
	qsort(p, n, sizeof(*p), compare_stacks);
	for (size_t i = 0; i < n; i++)
		if (places > 0 && p[places - 1].stack == p[i].stack)
			p[places - 1].launches += p[i].launches;
		else
			p[places++] = p[i];
	qsort(p, places, sizeof(*p), compare_places);
	return places;
}

/* The number of batches: the smallest that several of ${n} places ${p} launch, more often than
 * the ${steps}; 0: none, or too much is launched less often. */
static double
batches_of(const struct spot *p, size_t n, double steps)
{
	double all = 0, seldom = 0, batches = 0;

	for (size_t i = 0; i + PLACES <= n && batches == 0; i++)
		if (p[i].launches >= BATCHES_LEAST * steps &&
		    p[i + PLACES - 1].launches <= ALIKE * p[i].launches)
			batches = p[i].launches;
	for (size_t i = 0; i < n; i++) {
		all += p[i].launches;
		seldom += p[i].launches * MARGIN < batches ? p[i].launches : 0;
	}
	return seldom <= SELDOM_MOST * all ? batches : 0;
}

/* The copies of the host's memory to the GPU. */
static double
inputs(const struct run *run)
{
	double n = 0;

	for (size_t i = 0; i < run->copies; i++)
		n += run->copy[i].kind == COPY_H2D && !run->copy[i].memset ?
		    (double)run->copy[i].count : 0;
	return n;
}

/* The largest divisor of ${over} by which all memory in use may grow, and fits; 0 unknown. */
static unsigned
fits(const struct run *run, unsigned over)
{
	double peak = (double)run->peak_memory_bytes, room = 0;

	for (size_t i = 0; i < run->devices; i++)
		room = fmax(room, (double)run->device[i].limits.memory_bytes);
	for (unsigned t = over; t > 1 && peak > 0; t--)
		if (over % t == 0 && t * peak <= MEMORY_PART * room)
			return t;
	return 0;
}

double
accumulated_goes(const struct accumulated *a)
{
	return 1 - 1.0 / a->times;
}

/* Sets what goes of each kernel's launches: additions to gradients, and what small kernels
 * take several times where once does; and of the gaps in front of them. */
static bool
price(const struct rule_view *x, const bool *optimizer, struct accumulated *a)
{
	const struct run *run = x->run;
	struct gone *gone = arena_get(x->arena, (run->kernels + 1) * sizeof(*gone));
	double all = 0, other = 0, goes = accumulated_goes(a);

	if (gone == NULL)
		return false;
	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];
		double n = (double)k->launches, part;

		all += (double)k->gap_before_ns;
		if (optimizer[i])
			continue;
		other += (double)k->gap_before_ns;
		if (steps_all(run, k, framework_accumulates)) {
			for (int v = 0; v < VIEWS; v++)
				gone[i].launches[v] = goes * n;
		} else if (!library_fills(run, k)) {
			part = fmax(0, 1 - fmax(1.0 / a->times, rule_part_of_gpu(run, k)));
			gone[i].launches[VIEW_MID] = GROWS * part * n;
			gone[i].launches[VIEW_HIGH] = part * n;
		}
	}
	a->gone = gone;
	a->goes = all > 0 ? other / all : 0;
	return true;
}

bool
accumulated_of(const struct rule_view *x, struct accumulated *a)
{
	const struct run *run = x->run;
	bool *of = arena_get(x->arena, (run->kernels + 1) * sizeof(*of));
	double *n = arena_get(x->arena, (run->kernels + 1) * sizeof(*n));
	struct spot *p = arena_get(x->arena, (run->sites + 1) * sizeof(*p));
	double each, batches, begun;

	if (of == NULL || n == NULL || p == NULL || !one_line(run))
		return false;
	for (size_t i = 0; i < run->kernels; i++)
		of[i] = steps_all(run, &run->kernel[i], steps);
	if (!((each = steps_of(run, of, n)) > 0) || !((begun = most(run, each)) > 0))
		return false;
	batches = batches_of(p, list_places(run, p), each);
	*a = (struct accumulated){ .batches = batches / each };
	a->over = (unsigned)(a->batches + 0.5);
	if (a->over < 2 || fabs(a->batches - a->over) > WHOLE * a->over ||
	    a->batches > MARGIN * begun || inputs(run) < INPUT_LEAST * batches ||
	    (a->times = fits(run, a->over)) == 0)
		return false;
	return price(x, of, a);
}

const char *
accumulated_advice(const struct rule_view *x, const struct accumulated *a)
{
	return arena_format(x->arena, "raise the batch size %u-fold and accumulate gradients "
	    "over %u in place of %u: the same training (but for batch norm) with 1/%u of the "
	    "launches and waits", a->times, a->over / a->times, a->over, a->times);
}

void
accumulated_say(const struct rule_view *x, struct draft *d, const struct accumulated *a)
{
	rule_evidence(x, d, "batches_per_step", a->batches, "batches whose gradients are added "
	    "up for each step of the optimizer", .estimated = "kernel records, call sites",
	    .unit = "batch");
}
