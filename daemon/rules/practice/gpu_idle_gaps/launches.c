/*
 * Gaps that an interpreter takes from launch to launch: by what it launches, and how, the change
 * is another one.
 */
#include <math.h>

#include "base/text.h"
#include "rules/engine/same.h"
#include "rules/evidence/accumulated.h"
#include "rules/evidence/closure.h"
#include "rules/evidence/counters.h"
#include "rules/evidence/steps.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

/* Of the time between the launches of an interpreter so much goes with the launches, in
 * the middle. Arithmetic: of the shortest chain that eager-pointwise-chain counts, two of
 * three. */
#define LAUNCHES_GO 0.67
/* At worst: as of the other gaps. Batches half as large again do that. */
#define LAUNCHES_LOW 0.3

/* From this share of the time that recurs on the GPU is busy: launches that come ahead of its
 * work hide behind that. Arithmetic: twice the work at a time takes half of the idle time at
 * most, here a sixth of the whole, and the kernels longer. */
#define BUSY 0.67

/* Twice the work at a time halves what is lost between; four times leaves a quarter. On
 * the CPU nothing of it is left, but for the computing. */
static const double little_goes[VIEWS] = { 0.33, 0.5, 1 };

#define ROWS_MOST 0.5		/* of the launches; arithmetic: most */

/* Values that a loop reads one after another: so many in a row, the threshold of
 * many-small-copies, and so many for each launch; arithmetic: fewer are not what the loop
 * is about (half of the launches in the one program known that has such a loop). */
#define ELEMENTS_ROW 16
#define ELEMENTS_LEAST 0.1

/* Is the GPU busy for most of what recurs, and are the gaps ${a} of ${idle} seconds beside
 * waits and copies? Then the host falls behind at these, not at each launch. */
static bool
is_busy(const struct run *run, const struct again *a, double idle)
{
	double busy = 0;

	for (size_t i = 0; i < run->devices; i++)
		busy = fmax(busy, (double)run->device[i].busy_ns * 1e-9);
	return busy >= BUSY * a->base &&
	    a->output + a->waited + a->input + a->fed > 0.5 * idle;
}

/* Is most of what is launched one kernel that is as short as its launch? It works on a row or
 * an element at a time: no step of operators launches one of them so often. */
static bool
by_rows(const struct run *run)
{
	for (size_t i = 0; i < run->kernels; i++) {
		const struct kernel *k = &run->kernel[i];

		if ((double)k->launches > ROWS_MOST * (double)run->launches &&
		    little_is(run, k))
			return true;
	}
	return false;
}

bool
idle_by_little(const struct rule_view *x, struct idle_gaps *g)
{
	return g->brief && little_work(x->run, &g->little);
}

/* A graph of the step closes the gaps outside of it, too, and its place is known. */
bool
idle_by_busy(const struct rule_view *x, struct idle_gaps *g)
{
	return g->brief && is_busy(x->run, &g->a, g->idle);
}

bool
idle_by_rows(const struct rule_view *x, struct idle_gaps *g)
{
	return g->brief && by_rows(x->run);
}

/* The line of Python that reads most results; NULL. */
static const struct site_frame *
reading_line(const struct run *run)
{
	const struct site *most = NULL;

	for (size_t i = 0; i < run->sites; i++)
		if (counters_other(&run->site[i]) &&
		    (most == NULL || run->site[i].count > most->count))
			most = &run->site[i];
	return most != NULL ? &most->frame[most->first] : NULL;
}

bool
idle_by_elements(const struct rule_view *x, struct idle_gaps *g)
{
	const struct site *at = g->brief ? idle_launching_function(x) : NULL;
	const struct site_frame *f = reading_line(x->run);
	double copies = 0, groups = 0;

	if (at == NULL || f == NULL || !same_frame_function(f, &at->frame[at->first]))
		return false;
	for (size_t i = 0; i < x->run->smalls; i++)
		if (x->run->small[i].kind == COPY_D2H) {
			copies += (double)x->run->small[i].copies;
			groups += (double)x->run->small[i].groups;
		}
	return copies >= ELEMENTS_ROW * groups &&
	    copies >= ELEMENTS_LEAST * (double)x->run->launches;
}

bool
idle_by_closure(const struct rule_view *x, struct idle_gaps *g)
{
	return g->brief && closure_called(x->run);
}

bool
idle_by_launches(const struct rule_view *x, struct idle_gaps *g)
{
	return g->brief && gaps_repeated(x->run) > GAPS_REPEATED;
}

bool
idle_by_varied(const struct rule_view *x, struct idle_gaps *g)
{
	(void)x;
	return g->brief;
}

struct gain
idle_launches_gain(const struct draft *d, const struct idle_gaps *g, struct gain hidden)
{
	double high = g->idle + g->late, brief = g->a.brief + g->late;

	if (idle_is(d, "little"))
		return (struct gain){ little_goes[VIEW_LOW] * high,
		    little_goes[VIEW_MID] * high, little_goes[VIEW_HIGH] * high };
	if (idle_is(d, "busy"))
		return hidden;
	return (struct gain){ fmax(hidden.low, LAUNCHES_LOW * brief),
	    fmax(hidden.mid, LAUNCHES_GO * brief), fmax(high, hidden.high) };
}

bool
idle_in_sequences(const struct run *run, double s)
{
	double sum = 0;

	for (size_t i = 0; i < run->sequences; i++)
		sum += !run->sequence[i].in_graph ?
		    (double)run->sequence[i].idle_ns * 1e-9 : 0;
	return sum >= 0.5 * s;
}

const char *
idle_launch_limiter(const struct run *run, const struct draft *d, double all)
{
	if (idle_is(d, "busy"))
		return "the host falls behind where it waits or copies: the GPU is busy for "
		    "most of the loop";
	return all > idle_busy_s(run) ? "what the interpreter does for each launch takes "
	    "longer than the launch's work" : "the interpreter: short work is done "
	    "before the next launch arrives";
}

void
idle_say_little(const struct rule_view *x, struct draft *d, const struct little *l)
{
	rule_evidence(x, d, "little_ratio", l->launches, "launches whose kernels are "
	    "about as short as a launch and leave SMs idle",
	    .measured = "kernel records");
	rule_evidence(x, d, "little_s", l->kernel_s, "mean time of these",
	    .measured = "kernel records");
	rule_evidence(x, d, "launches_per_wait", l->each,
	    "launches for each copy that the host waits for",
	    .measured = "kernel and copy records", .unit = "launch");
	d->residual = false;
	d->f.summary = arena_format(x->arena, "too little work at a time for the GPU: "
	    "%s of the launches take %s on average, and the host waits for a copy "
	    "every %s; %s", say_percent(x->arena, l->launches),
	    say_seconds(x->arena, l->kernel_s), say_counted(x->arena, l->each,
	    "launch"), d->f.summary);
	d->f.limiter = "the host's launches and waits: the work between them is small";
	d->f.gain_note = "twice the work at a time halves what is lost between "
	    "launches; on the CPU nothing of it is left, but the computing is";
}

void
idle_say_accumulated(const struct rule_view *x, struct draft *d, double all, double sync)
{
	struct gain *s = &d->claim[0].s;
	struct accumulated a;
	double goes, part = sync / all;

	if (!idle_is_of(d->variant, IDLE_LAUNCHING) || idle_is(d, "rows") || idle_is(d, "busy") ||
	    !accumulated_of(x, &a))
		return;
	goes = accumulated_goes(&a) * a.goes * all;
	s->mid = fmax(s->mid, goes);
	s->high = fmax(s->high, goes);
	d->claim[1] = (struct claim){ POOL_IDLE(IDLE_AFTER_SYNC),
	    { part * s->low, part * s->mid, part * s->high } };
	d->claim[0].pools &= ~POOL_IDLE(IDLE_AFTER_SYNC);
	*s = (struct gain){ (1 - part) * s->low, (1 - part) * s->mid, (1 - part) * s->high };
	d->claims = 2;
	steps_parts(x, d, a.gone);
	d->lead = accumulated_advice(x, &a);
	accumulated_say(x, d, &a);
}

void
idle_say_unit(const struct rule_view *x, struct draft *d)
{
	const struct sequence *s = gaps_unit(x->run);
	const struct site *at = s != NULL ? lines_launched(x->run, s->kernel[0]) : NULL;

	if (!idle_is(d, "varied") || d->more != NULL)
		return;
	if (s != NULL && at != NULL && idle_from_python(at))
		d->more = arena_format(x->arena, "a unit of %u launches, beginning at %s:%u, "
		    "repeats %s times, and can be one graph", s->length,
		    text_base_name(at->frame[at->first].file), at->frame[at->first].line,
		    say_count(x->arena, s->repeats));
	else if (gaps_varied(x->run) > GAPS_REPEATED)
		d->more = "what repeats launches the same functions in other shapes each time, "
		    "which no graph takes unless they are padded to a few sizes";
}

void
idle_say_counters(const struct rule_view *x, struct draft *d)
{
	struct counters c = counters_of(x->run);

	if (c.copies > 0 && d->lead == NULL && idle_is_of(d->variant, IDLE_LAUNCHING))
		d->lead = counters_advice(&c);
}
