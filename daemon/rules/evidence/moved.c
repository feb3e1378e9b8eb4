/*
 * rules/evidence/moved.c: see moved.h.
 */
#include <math.h>
#include <string.h>

#include "rules/engine/same.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/looks.h"
#include "rules/evidence/moved.h"
#include "rules/evidence/operator.h"

/* So many looks at lines that copy tell which of them takes longer. Arithmetic: as many as
 * gaps that recur; of two lines one with a tenth of the time has one of ten. */
#define LOOKS_LEAST 10
/* Of the time in front of the copies, which records tell, looks must be so much of it. Looks
 * fall late where the host holds the interpreter's lock: a line with 1.3 to 2 ms in front of
 * each of 1,424 copies had looks for 0.57 of what the records say. */
#define LOOKED_LEAST 0.33
/* The host may be at a line that copies for so many times as long as the copies take. Measured:
 * 1.1 where they are most of it; arithmetic: of more than twice, most is something else. */
#define WAITED 2
#define FEW 0.1			/* arithmetic */
#define GAPS_LEAST 10		/* alike, as in gpu-idle-gaps */

/* Where the driver's function says that a copy goes. */
enum way { WAY_OTHER, WAY_UNKNOWN, WAY_THIS };

static enum way
way_of(const struct site *s, enum wire_copy kind)
{
	static const struct {
		const char *function;
		enum wire_copy kind;
	} way[] = {
		{ "cuMemcpyHtoD", COPY_H2D },
		{ "cuMemcpyDtoH", COPY_D2H },
		{ "cuMemcpyDtoD", COPY_D2D },
	};

	for (size_t f = 0; f < s->frames; f++)
		for (size_t i = 0; s->frame[f].function != NULL &&
		    i < sizeof(way) / sizeof(way[0]); i++)
			if (strstr(s->frame[f].function, way[i].function) != NULL)
				return way[i].kind == kind ? WAY_THIS : WAY_OTHER;
	return WAY_UNKNOWN;
}

static bool
is_copy(const struct site *s)
{
	return s->frames > 0 && (s->call == CALL_MEMCPY || s->call == CALL_MEMCPY_ASYNC);
}

/* Is the look's thread where ${s} makes its call: in the same function, below the same line of
 * the program's? */
static bool
is_at(const struct site *look, const struct site *s)
{
	struct site own = *look;

	own.first = gaps_own_frame(look);
	return own.first < own.frames && same_site(&own, s) &&
	    same_frame_function(&look->frame[0], &s->frame[0]);
}

/* Is ${s} one of few copies, of at most ${most} at a line, at a line that launches kernels, too?
 * Then the host is there for these, as where a library makes a table once. */
static bool
is_aside(const struct run *run, const struct site *s, double most)
{
	if ((double)s->count >= FEW * most)
		return false;
	for (size_t i = 0; i < run->sites; i++)
		if (run->site[i].call == CALL_LAUNCH && is_at(&run->site[i], s))
			return true;
	return false;
}

/* The seconds of looks at ${s}, and in *${looks} how many. */
static double
looked_s(const struct run *run, const struct site *s, size_t *looks)
{
	double sum = 0;

	*looks = 0;
	for (size_t i = 0; i < run->looks; i++)
		if (run->look[i].site != NULL && is_at(run->look[i].site, s)) {
			sum += run->look[i].s;
			(*looks)++;
		}
	return sum;
}

/* A place, and what it is chosen by, the first that differs. */
struct candidate {
	const struct site *site;
	int way;
	double looked;
};

static bool
is_better(const struct candidate *a, const struct candidate *b)
{
	bool mine, other;

	if (b->site == NULL || a->way != b->way)
		return b->site == NULL || a->way > b->way;
	mine = framework_tunes(a->site);
	other = framework_tunes(b->site);
	if (mine != other)
		return other;
	if (fabs(a->looked - b->looked) > 0)
		return a->looked > b->looked;
	return a->site->count > b->site->count;
}

/* How many copies that way the line with most of them makes. */
static double
most_of(const struct run *run, enum wire_copy kind)
{
	double most = 0;

	for (size_t i = 0; i < run->sites; i++)
		if (is_copy(&run->site[i]) && way_of(&run->site[i], kind) == WAY_THIS)
			most = fmax(most, (double)run->site[i].count);
	return most;
}

/* The time of the copies of a direction on the GPU. */
static double
copies_s(const struct run *run, enum wire_copy kind)
{
	double ns = 0;

	for (size_t i = 0; i < run->copies; i++)
		if (!run->copy[i].memset && run->copy[i].kind == kind)
			ns += (double)run->copy[i].gpu_ns;
	return ns * 1e-9;
}

/* The best place; with ${looked} by the time that the host is there. *${looks}: how many looks
 * at any of them; 0 if those at one stand for longer than the copies explain, as where
 * the host waits there for the work before. */
static const struct site *
best_of(const struct run *run, enum wire_copy kind, bool bytes, bool looked, size_t *looks)
{
	struct candidate best = { NULL, 0, 0 };
	bool longer = false;
	double most = most_of(run, kind), explained = WAITED * copies_s(run, kind);
	size_t n;

	*looks = 0;
	for (size_t i = 0; i < run->sites; i++) {
		struct candidate c = { &run->site[i], 0, 0 };

		if (!is_copy(c.site) || (c.way = (int)way_of(c.site, kind)) == WAY_OTHER)
			continue;
		if (bytes && operator_reads_value(c.site))
			c.way = WAY_UNKNOWN;
		if (looked && c.way == WAY_THIS && lines_feeds(c.site) &&
		    !is_aside(run, c.site, most)) {
			c.looked = looked_s(run, c.site, &n);
			*looks += n;
			longer |= c.looked > explained;
		}
		if (is_better(&c, &best))
			best = c;
	}
	if (longer)
		*looks = 0;
	return best.site;
}

void
moved_site(const struct rule_view *x, struct draft *d, enum wire_copy kind, bool bytes)
{
	/* A call that copies pageable memory to the GPU lasts as long as the copy; one from it
	 * also waits for the work before. */
	bool looked = bytes && kind == COPY_H2D;
	size_t looks;
	const struct site *s = best_of(x->run, kind, bytes, looked, &looks);

	if (looked && looks < LOOKS_LEAST)
		s = best_of(x->run, kind, bytes, false, &looks);
	if (s != NULL)
		d->f.site = s;
	if (x->rule->scope == SCOPE_RUN)
		d->f.location_missing = &reason_row[REASON_LINE_NO_SITE];
}

static bool
same_function(const struct site_frame *a, const struct site_frame *b)
{
	return a->function != NULL && same_frame_function(a, b);
}

/* The time for which the GPU waits, and the host makes no call, in front of the copies of a
 * function. */
static double
waited_s(const struct run *run, const struct site_frame *function)
{
	double ns = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (lines_feeds(s) && same_function(&s->frame[s->first], function))
			ns += s->idle_ns;
	}
	return ns * 1e-9;
}

/* Is the host at a line of ${function} that copies nothing, and in no Python below it? */
static bool
is_gather(const struct run *run, const struct site *look, const struct site_frame *function)
{
	if (look == NULL || look->frames == 0 || gaps_own_frame(look) != 0 ||
	    !same_function(&look->frame[0], function))
		return false;
	for (size_t i = 0; i < run->sites; i++)
		if (lines_feeds(&run->site[i]) && is_at(look, &run->site[i]))
			return false;
	return true;
}

double
moved_gathered(const struct run *run, const struct site *at)
{
	struct looks_of of = { .least = GAPS_LEAST };
	char operator[OPERATOR_SIZE];
	double waited, sum = 0;
	size_t looks = 0;

	if (at == NULL || !lines_feeds(at) || framework_loads(at) ||
	    !operator_of(operator, at))
		return 0;
	waited = waited_s(run, &at->frame[at->first]);
	for (size_t i = 0; i < run->looks; i++) {
		const struct look *l = &run->look[i];

		if (!looks_counts(run, l, of) ||
		    !is_gather(run, l->site, &at->frame[at->first]))
			continue;
		sum += l->s;
		looks++;
	}
	return looks >= LOOKS_LEAST && sum >= LOOKED_LEAST * waited ? waited : 0;
}
