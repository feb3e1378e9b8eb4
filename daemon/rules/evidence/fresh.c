/*
 * rules/evidence/fresh.c: convolutions and products of ever new sizes, see fresh.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "rules/evidence/fresh.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/library.h"
#include "rules/evidence/tuning.h"

/* A shape is rare that is launched so often or less. Arithmetic: a deep network launches one
 * shape for each of its like blocks when it meets a size (ResNet-101 has 23 of one kind), and
 * a loop whose sizes stay launches it again in each step. */
#define RARE 32

#define QUARTERS 4		/* of the second half: in each of them shapes are new */
#define FAMILIAR 0.5		/* of the launches; arithmetic: most */

/* Of time ${from} to ${to}. */
struct when {
	double from, to;
};

/* Is it a kernel of a library that plans for the size of a convolution or product, at the
 * call? XLA plans when it compiles. */
static bool
is_planned(const struct run *run, const struct kernel *k)
{
	static const char *const plans[] = { "cuDNN", "cuBLAS", "CUTLASS" };
	struct library l;

	if (k->launches == 0 || !library_of(&l, run, k) || library_launched_by(run, k, "xla"))
		return false;
	for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++)
		if (strcmp(l.name, plans[i]) == 0)
			return true;
	return false;
}

static bool
is_rare(const struct kernel *k)
{
	return k->launches <= RARE;
}

/* Has the model lost anything because a table was full? */
static bool
has_lost(const struct run *run)
{
	for (size_t i = 0; i < run->processes; i++)
		if (run->process[i].lost[LOSS_TABLE] > 0)
			return true;
	return false;
}

/* The time in which a new shape would be known: see fresh_of. */
static struct when
known_time(const struct run *run)
{
	struct when w = { INFINITY, 0 };
	bool lost = has_lost(run);

	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];

		if (k->launches == 0)
			continue;
		w.from = fmin(w.from, (double)k->first_ns);
		w.to = fmax(w.to, (double)(lost ? k->first_ns : k->last_ns));
	}
	return w;
}

/* Where ${ns} lies in it: 0 at its start, 1 at its end. */
static double
part_of(const struct when *w, uint64_t ns)
{
	return w->to > w->from ? ((double)ns - w->from) / (w->to - w->from) : 0;
}

/* Are most launches of kernels that were there in the first half and still are at the end? */
static bool
is_loop(const struct run *run, const struct when *w)
{
	double all = 0, both = 0;

	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];

		all += (double)k->launches;
		if (part_of(w, k->first_ns) < 0.5 &&
		    part_of(w, k->last_ns) > 1 - 0.5 / QUARTERS)
			both += (double)k->launches;
	}
	return both > FAMILIAR * all;
}

/* By kernel index, the seconds in front of a planned kernel's launches beyond the mean of
 * other kernels' launches; NAN: no planned kernel. NULL without memory. */
static double *
beyond_new(const struct run *run)
{
	double *beyond = calloc(run->kernels + 1, sizeof(*beyond));
	double s = 0, launches = 0;

	if (beyond == NULL)
		return NULL;
	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];

		beyond[i] = (double)k->host_before_ns * 1e-9;
		if (is_planned(run, k))
			continue;
		s += beyond[i];
		launches += (double)k->launches;
		beyond[i] = NAN;
	}
	for (size_t i = 0; i < run->kernels; i++)
		if (!isnan(beyond[i]))
			beyond[i] = fmax(0, beyond[i] - (launches > 0 ? s / launches : 0) *
			    (double)run->kernel[i].launches);
	return beyond;
}

/* Adds the rare kernel ${k}, with ${s} seconds; it counts in ${late} if it was new in one of
 * these quarters. */
static void
add_rare(struct fresh *f, double late[QUARTERS], const struct kernel *k, double s,
    const struct when *w)
{
	double part = part_of(w, k->first_ns);

	f->launches += (double)k->launches;
	f->s += s;
	if (part < 0.5)
		return;
	late[(size_t)fmin(QUARTERS - 1, (part - 0.5) * 2 * QUARTERS)]++;
	f->late++;
	f->late_s += s;
}

struct fresh
fresh_of(const struct run *run, double least)
{
	struct when w = known_time(run);
	double late[QUARTERS] = { 0 }, others = 0, *beyond;
	struct fresh f = { .shapes = 0 };

	if (run->xla_modules > 0 || tuning_throughout(run) || !is_loop(run, &w) ||
	    (beyond = beyond_new(run)) == NULL)
		return f;
	for (size_t i = 0; i < run->kernels; i++) {
		if (isnan(beyond[i]))
			continue;
		f.shapes++;
		if (is_rare(&run->kernel[i]))
			add_rare(&f, late, &run->kernel[i], beyond[i], &w);
		else
			others += beyond[i];
	}
	free(beyond);
	f.beside_s = fmin(others, f.s);
	for (size_t i = 0; i < QUARTERS; i++)
		if (late[i] < least)
			return (struct fresh){ .shapes = f.shapes };
	return f;
}

/* What the launch site ${s} stands for, of the launches of kernel ${id}: a stack that was met
 * once may be counted for none, and stands for as much. */
static double
stands_for(const struct site *s, uint32_t id)
{
	return s->call == CALL_LAUNCH && s->kernel == id ? fmax(0.5, (double)s->count) : 0;
}

/* Adds to ${w} the launch sites of kernel ${id}, among which ${seconds} are divided. */
static void
add_sites(struct gaps_within *w, const struct run *run, uint32_t id, double seconds)
{
	size_t end, from = site_launches(run->site, run->sites, id, &end);
	double all = 0;

	for (size_t i = from; i < end; i++)
		all += stands_for(&run->site[i], id);
	for (size_t i = from; i < end; i++)
		if (stands_for(&run->site[i], id) > 0)
			gaps_within_add(w, &run->site[i], seconds *
			    stands_for(&run->site[i], id) / all);
}

const struct site *
fresh_place(const struct run *run, struct arena *arena, double least_s)
{
	struct gaps_within *w = gaps_within_new();
	double *beyond = beyond_new(run), s;
	const struct site *at;

	for (size_t i = 0; beyond != NULL && i < run->kernels; i++)
		if (beyond[i] > 0 && is_rare(&run->kernel[i]))
			add_sites(w, run, run->kernel[i].id, beyond[i]);
	at = gaps_within_find(w, arena, least_s, &s);
	free(beyond);
	gaps_within_free(w);
	return at;
}
