/*
 * gpu-idle-gaps: between its first and last work the GPU waits for the host,
 * and no more specific rule says why. Only gaps that recur count, each for
 * about the same time. Reading the input, checking the results or single phases
 * are no pattern: a program has nothing to overlap them with. Gaps in which we
 * measured do not count either.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "rules/evidence/accumulated.h"
#include "rules/evidence/closure.h"
#include "rules/evidence/decomposed.h"
#include "rules/evidence/framework.h"
#include "rules/evidence/fresh.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/inputs.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/little.h"
#include "rules/evidence/looks.h"
#include "rules/evidence/outside.h"
#include "rules/evidence/pauses.h"
#include "rules/evidence/reads.h"
#include "rules/evidence/tuning.h"

/* Of the host's work that is longer than the GPU's, nothing can hide behind it. The share
 * believed to go where the host may do less, see host_goes: in Python the worker
 * processes of a loader share it: four leave a quarter, eight left 0.02 of it
 * (DataLoader, H200, 2026-11-23); half, as it may contain other work than a loader's. */
#define BEYOND 0.2
#define BEYOND_PYTHON 0.5

static bool
is_variant(const struct draft *d, const char *variant)
{
	return d->variant != NULL && strcmp(d->variant, variant) == 0;
}

/* Does the program itself make it late, within its model or between copies? */
static bool
is_made(const struct draft *d)
{
	return is_variant(d, "within") || is_variant(d, "convert");
}

/* Is it the work of a function of the program's own? */
static bool
is_own(const struct draft *d)
{
	return is_variant(d, "own") || is_variant(d, "calls");
}

/* Is it input that comes late, other than a loader's? */
static bool
is_late_input(const struct draft *d)
{
	return is_variant(d, "input") || is_variant(d, "kept") ||
	    is_variant(d, "between") || is_made(d);
}

/* Is it a loader's, or other processes' that the program has to prepare its input? */
static bool
is_loading(const struct draft *d)
{
	return is_variant(d, "loader") || is_variant(d, "workers") ||
	    is_variant(d, "crowded") || is_variant(d, "received") ||
	    is_variant(d, "started");
}

/* Is it what an interpreter takes from launch to launch? */
static bool
in_launches(const char *variant)
{
	static const char *const of[] = { "launches", "varied", "rows", "little", "busy",
	    "closure" };

	for (size_t i = 0; variant != NULL && i < sizeof(of) / sizeof(of[0]); i++)
		if (strcmp(variant, of[i]) == 0)
			return true;
	return false;
}

static const char *
limiter(double host, double api, double sync)
{
	if (host >= sync && host >= api)
		return "the host computes or does I/O while the GPU has "
		    "nothing queued";
	return sync >= api ? "the host queues the next work only after it has "
	    "waited for the GPU" : "the host is inside CUDA calls that launch "
	    "nothing";
}

#define INPUT_TOLD 0.2	/* late input is mentioned: with half of it or more it is the
			 * cause */

#define AWAY_TOLD 0.25	/* of several lines that copy input, the one in front of which the
			 * GPU waits longest is the place if it has so much: of labels and
			 * masks that are copied behind it, the others have little */
#define LOOKED_TOLD 0.5	/* the line in which the host is for so much of it: arithmetic, most */
#define WITHIN_TOLD 0.25	/* so is the line within whose calls so much lies: what
				 * backward passes launch has no line, half or more of it */

/* Do sequences that repeat have at least half of the ${s} seconds in which an interpreter
 * launches? Then they are the findings, and this is what they leave. */
static bool
in_sequences(const struct run *run, double s)
{
	double sum = 0;

	for (size_t i = 0; i < run->sequences; i++)
		sum += !run->sequence[i].in_graph ?
		    (double)run->sequence[i].idle_ns * 1e-9 : 0;
	return sum >= 0.5 * s;
}

static bool
calls_driver(const struct site *s, const char *function)
{
	for (size_t f = 0; f < s->frames; f++)
		if (s->frame[f].function != NULL &&
		    strstr(s->frame[f].function, function) != NULL)
			return true;
	return false;
}

/* Is it a copy to the GPU, as far as the driver's function says so? */
static bool
is_input(const struct site *s)
{
	return calls_driver(s, "cuMemcpyHtoD");
}

/* Does a line of Python call for it? */
static bool
is_python(const struct site *s)
{
	return s->first < s->frames && s->frame[s->first].python &&
	    s->frame[s->first].file != NULL;
}

/* The place of late input: the line of Python that copies it. Where a thread of the
 * framework does (XLA), the line that launches most is that of the step which it feeds. */
static void
place_input(const struct rule_view *x, struct draft *d)
{
	const struct site *copies;

	lines_site_of(x, d, CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC), is_input);
	lines_site_asked(x, d, lines_feeds);
	copies = d->f.site;
	if (copies == NULL || is_python(copies))
		return;
	lines_site_of(x, d, CALL_BIT(LAUNCH) | CALL_BIT(GRAPH_LAUNCH), is_python);
	if (!is_python(d->f.site))
		d->f.site = copies;
	else
		d->f.location = arena_format(x->arena, "%s for the steps that "
		    "this line launches", d->f.location);
}

/* Does the driver's function say that it is a copy to the host? */
static bool
is_output(const struct site *s)
{
	return calls_driver(s, "cuMemcpyDtoH");
}

/* Is it a copy within the GPU that Python calls for? */
static bool
is_move(const struct site *s)
{
	return is_python(s) && calls_driver(s, "cuMemcpyDtoD");
}

#define COPIES (CALL_BIT(MEMCPY) | CALL_BIT(MEMCPY_ASYNC))
#define WAITS (CALL_BIT(DEVICE_SYNC) | CALL_BIT(STREAM_SYNC) | CALL_BIT(EVENT_SYNC))

/* Do threads of a framework copy most of what goes to the host? No line of Python does. */
static bool
by_framework(const struct run *run)
{
	double all = 0, python = 0;

	for (size_t i = 0; i < run->sites; i++) {
		const struct site *s = &run->site[i];

		if (s->call >= 64 || !(COPIES >> s->call & 1) || !is_output(s))
			continue;
		all += (double)s->count;
		python += s->frames > 0 && s->frame[0].python ?
		    (double)s->count : 0;
	}
	return lines_python(run) && python < 0.5 * all;
}

/* The line whose ${n} calls precede gaps: copies to the host if ${output}, else waits. */
static const struct site *
site_after(const struct rule_view *x, bool output, double n)
{
	const struct run *run = x->run;
	double made = 0;

	for (size_t i = 0; output && i < run->copies; i++)
		made += run->copy[i].kind == COPY_D2H ?
		    (double)run->copy[i].count : 0;
	for (size_t i = 0; !output && i < run->syncs; i++)
		made += WAITS >> run->sync[i].call & 1 ?
		    (double)run->sync[i].count : 0;
	return gaps_after(x->arena, run, output ? COPIES : WAITS,
	    output ? is_output : NULL, made, n);
}

/* Where gaps ${a} begin that end in front of copies to the GPU: "between copies to the host
 * in show() at run.py:27 and". */
static const char *
say_between(const struct rule_view *x, const struct again *a)
{
	const struct site *at = site_after(x, true, a->outputs);
	const struct site_frame *f;

	if (at == NULL)
		return "between copies to the host and";
	f = &at->frame[at->first];
	return arena_format(x->arena, f->function != NULL && f->line > 0 ?
	    "between copies to the host at %s:%u in %s() and" : f->line > 0 ?
	    "between copies to the host at %s:%u and" :
	    "between copies to the host in %s and", text_base_name(f->file), f->line,
	    f->function);
}

/* What precedes most of the ${idle} seconds in gaps ${a}, for the summary: ", 66 ms after
 * each of 99 copies to the host (7.08 MB) at run.py:175"; "" if nothing does. If its line
 * is known, it is the finding's place. */
static const char *
place_after(const struct rule_view *x, struct draft *d, const struct again *a,
    double idle)
{
	const struct run *run = x->run;
	bool output = a->output > 0.5 * idle;
	double n = output ? a->outputs : a->waits;
	const struct site *at;
	const struct site_frame *f;
	const char *what, *where = "";

	if (!output && !(a->waited > 0.5 * idle))
		return "";
	at = site_after(x, output, n);
	what = output ? arena_format(x->arena, "%s to the host (%s)",
	    say_counted(x->arena, n, "copy"),
	    say_bytes(x->arena, a->output_bytes / n)) :
	    arena_format(x->arena, "%s for the GPU",
	    say_counted(x->arena, n, "wait"));
	if (at != NULL) {
		f = &at->frame[at->first];
		where = arena_format(x->arena, f->line > 0 ? " at %s:%u" : " in %s",
		    text_base_name(f->file), f->line);
		d->f.site = at;
		d->f.location = arena_format(x->arena, "%s, most of it after %s",
		    d->f.location, output ? "this line's copies to the host" :
		    "this line's waits");
	} else if (output && by_framework(run)) {
		where = " by the framework's own threads";
	}
	return arena_format(x->arena, ", %s after each of %s%s",
	    say_seconds(x->arena, (output ? a->output : a->waited) / n), what,
	    where);
}

/* The line of small decompositions, whose gaps are not counted here; NULL. */
static const struct site *
decomposed_line(const struct rule_view *x)
{
	struct decomposed p;

	return decomposed_all(x, &p) != NULL ? lines_launched(x->run, p.most->id) : NULL;
}

/* The looks in the gaps that come again. */
static struct looks_of
looks_of(const struct rule_view *x)
{
	return (struct looks_of){ .least = rule_value(x, "min_gaps"),
	    .outside = decomposed_line(x) };
}

/* Can the host's work in the gaps ${a} of ${idle} seconds go, or be done by several, rather
 * than only be done while the GPU works? Input is prepared by several threads or
 * processes; what an interpreter does between launches goes with them; and of what is known of
 * its lines half goes, as between rounds. */
static bool
host_goes(const struct rule_view *x, const struct again *a, double idle)
{
	return a->input + (lines_python(x->run) ? a->brief : 0) > 0.5 * idle ||
	    looks_say(x, looks_of(x)) != NULL;
}

/* Idle time in which the next launch was on its way, not in longer gaps, s. */
static double
launching_s(const struct run *run)
{
	return fmax(0, (double)run->idle_ns[IDLE_LAUNCH] -
	    (double)run->idle_longest_by[IDLE_LAUNCH]) * 1e-9;
}

/* Is it a copy to the GPU that a framework's loader makes? */
static bool
is_loaded(const struct site *s)
{
	return is_input(s) && framework_loads(s) && !framework_within(s);
}

/* Does a loader make at least ${least} copies to the GPU? */
static bool
has_loader(const struct run *run, double least)
{
	double n = 0;

	for (size_t i = 0; i < run->sites; i++)
		if (run->site[i].call < 64 && (COPIES >> run->site[i].call & 1) &&
		    is_loaded(&run->site[i]))
			n += (double)run->site[i].count;
	return n >= least;
}

/* The share of the gaps' time in which the program's Python waits in a framework's loader, or
 * does its work; NAN: not known. */
static double
loading(const struct rule_view *x)
{
	return looks_or_apart(x->run, rule_value(x, "min_gaps"), framework_loads);
}

/* Adds to the gaps ${a} what the loader is waited for in longer ones: too few of them are
 * alike, as where a worker makes a whole batch, or an epoch has few of them. */
static void
add_loading(const struct rule_view *x, struct again *a)
{
	double waits, s = looks_apart(x->run, rule_value(x, "min_gaps"), framework_loads,
	    &waits);

	a->host += s;
	a->base += s;
	a->gaps += s > 0 ? waits - 1 : 0;
}

/* From this share on the loader is the cause, and below that one it is not, whatever is
 * copied: arithmetic, half and a quarter of what the GPU waits for. */
#define LOADING_MOST 0.5
#define LOADING_LEAST 0.25

/* What more workers leave of a loader's time: four a quarter (see BEYOND_PYTHON), two a
 * half; where it works as many already as there are cores, a third may be saved within
 * each. The GPU's work limits none of that: a batch is there sooner. */
static const double loader_goes[VIEWS] = { 0.33, 0.75, 1 };

/* From this share of the processors on, more processes that prepare input bring little:
 * the program's own thread and the one that copies need some, too. Arithmetic: half as
 * many again at most, which saves a third: the low value of loader_goes. */
#define CROWDED 0.67

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

/* Of what is made and copied each time, but stays the same, so much goes with the copies:
 * of the copies half must be the same, by comparison of their bytes (arithmetic). So it
 * does of what is made or converted on the CPU, and can be on the GPU. */
static const double kept_goes[VIEWS] = { 0.5, 0.9, 1 };

/* The seconds in which the GPU works. A kernel that waits for managed pages waits for the
 * host: no host work hides behind it. */
static double
busy_s(const struct run *run)
{
	return fmax(0, rule_wall_s(run) - (double)run->idle_total_ns * 1e-9 -
	    rule_fault_s(run));
}

/* The share of the ${late} seconds of late input in gaps ${a} that goes in the middle. Workers
 * that prepare it work for as long as the loop takes; if there were as many as two thirds of
 * the processors, for so much shorter, and only what exceeds the rest of the loop is waited
 * for. Arithmetic, as it is in CROWDED; some is left in any case (eight workers of a
 * DataLoader left 0.02 on an H200, 2026-11-23). */
static double
loader_mid(const struct draft *d, const struct again *a, double late)
{
	const struct site *s = d->f.site;
	double left;

	if (!is_variant(d, "workers") || !(late > 0))
		return loader_goes[VIEW_MID];
	left = fmax(0, a->base * s->workers / (CROWDED * s->processors) -
	    (a->base - late));
	return fmin(0.95, fmax(loader_goes[VIEW_LOW], 1 - left / late));
}

/* The seconds of late input in gaps ${a} that go with what the program makes of it itself;
 * 0: none. */
static double
made_s(const struct run *run, const struct draft *d, const struct again *a)
{
	struct inputs in;

	if (!is_made(d))
		return 0;
	in = inputs_of(run);
	return fmin(a->input, is_variant(d, "within") ? in.within_s : in.behind_s);
}

/* The claim on idle time of ${d}, of which the gaps ${a} have ${idle} seconds and late
 * launches ${launching}. */
static void
claim_idle(const struct rule_view *x, struct draft *d, const struct again *a,
    double idle, double launching)
{
	const struct run *run = x->run;
	bool goes = host_goes(x, a, idle);
	double share = loading(x), busy = busy_s(run), mid, high;
	double late = share > 0 ? share * idle : a->input + a->fed;
	double made = made_s(run, d, a);

	/* Host work hides behind GPU work only as far as there is any. With
	 * work queued ahead, launches leave no gaps either. */
	mid = 0.85 * fmin(idle, busy);
	high = idle + launching;
	if (goes)
		mid += (lines_python(run) ? BEYOND_PYTHON : BEYOND) *
		    fmax(0, idle - busy);
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC) |
	    POOL_IDLE(IDLE_LAUNCH), { 0.3 * fmin(idle, busy), mid,
	    goes ? high : fmin(high, busy) } };
	d->claims = 1;
	if (is_variant(d, "little"))
		d->claim[0].s = (struct gain){ little_goes[VIEW_LOW] * high,
		    little_goes[VIEW_MID] * high, little_goes[VIEW_HIGH] * high };
	else if (is_loading(d))
		d->claim[0].s = (struct gain){ loader_goes[VIEW_LOW] * late,
		    loader_mid(d, a, late) * late + 0.85 * fmin(idle - late, busy),
		    loader_goes[VIEW_HIGH] * high };
	else if (is_variant(d, "kept"))
		d->claim[0].s = (struct gain){ fmax(d->claim[0].s.low,
		    kept_goes[VIEW_LOW] * a->input), fmax(mid,
		    kept_goes[VIEW_MID] * a->input), fmax(high,
		    d->claim[0].s.high) };
	else if (is_made(d))	/* the rest is as it was */
		d->claim[0].s = (struct gain){ kept_goes[VIEW_LOW] * made,
		    kept_goes[VIEW_MID] * made, kept_goes[VIEW_HIGH] * a->input };
	else if (in_launches(d->variant) && !is_variant(d, "busy"))
		d->claim[0].s = (struct gain){ fmax(d->claim[0].s.low,
		    LAUNCHES_LOW * (a->brief + launching)), fmax(mid,
		    LAUNCHES_GO * (a->brief + launching)), fmax(high,
		    d->claim[0].s.high) };
}

/* Is most of what is copied to the GPU what is there already? */
static bool
copies_again(const struct run *run)
{
	double all = 0, same = 0;

	for (size_t i = 0; i < run->copies; i++)
		all += run->copy[i].kind == COPY_H2D && !run->copy[i].memset ?
		    (double)run->copy[i].bytes : 0;
	for (size_t i = 0; i < run->resents; i++)
		same += run->resent[i].kind == RESENT_SAME ||
		    run->resent[i].kind == RESENT_PART ?
		    (double)run->resent[i].bytes : 0;
	return same > 0.5 * all;
}

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

/* Late input whose place says that no loader is the cause of most of it: what a model makes
 * within its calls, if batches are copied elsewhere, or what the loop does between the
 * copies of a batch. NULL: neither, or too little of it is known. */
static const char *
made_late(const struct rule_view *x, const struct again *a)
{
	struct inputs in = inputs_of(x->run);

	if (!lines_python(x->run) || in.s < 0.5 * a->input)
		return NULL;
	if (in.within_s > 0.5 * in.s && in.outside >= rule_value(x, "min_gaps"))
		return "within";
	return in.behind_s > 0.5 * in.s ? "convert" : NULL;
}

/* A function of the program's own has so much of the longer gaps: arithmetic, a third. What
 * an interpreter takes from launch to launch is no function's own work. */
#define OWN_TOLD 0.33
#define OWN_SHORTEST_S (2 * BRIEF_S)

/* The function of the program's own with most of the longer gaps, *${share} of them; NULL. */
static const struct site *
own_work(const struct rule_view *x, double *share)
{
	struct looks_of of = looks_of(x);
	const struct site *s;

	of.shortest_s = OWN_SHORTEST_S;
	s = looks_function(x->arena, x->run, of, share);
	return s != NULL && *share >= OWN_TOLD ? s : NULL;
}

/* Between calls of jitted functions, is most of the time in shorter gaps than this? Then it is
 * what the calls take, and not other work: a call with many arrays of NumPy's takes 1 to 2 ms
 * (IQL, JAX 0.11, H200, 2026-11-30). */
#define CALL_S 10e-3

static bool
is_calling(const struct rule_view *x)
{
	struct looks_of all = { .least = rule_value(x, "min_gaps"),
	    .shortest_s = OWN_SHORTEST_S }, longer = all;

	longer.shortest_s = CALL_S;
	return x->run->xla_modules > 0 && looks_s(x->run, longer) <
	    0.5 * looks_s(x->run, all);
}

#define ROWS_MOST 0.5		/* of the launches; arithmetic: most */

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

/* The words for the gaps ${a} of ${idle} seconds, besides which the GPU waits for
 * launches for ${launching} seconds in an interpreter; NULL: the general ones. */
static const char *
variant_of(const struct rule_view *x, const struct again *a, double idle,
    double launching, struct little *little)
{
	const struct run *run = x->run;
	bool python = lines_python(run);
	bool brief = python && a->brief + launching > 0.5 * (idle + launching);
	const char *made = a->input > fmax(0.5 * idle, launching) ? made_late(x, a) : NULL;
	double own;

	if (python && loading(x) >= LOADING_MOST && idle > launching)
		return "loader";
	if (made != NULL)
		return made;
	if (python && a->input + a->fed > fmax(0.5 * idle, launching) &&
	    !(loading(x) < LOADING_LEAST) && has_loader(run, rule_value(x, "min_gaps")))
		return "loader";
	if (a->input > fmax(0.5 * idle, launching) && copies_again(run))
		return "kept";
	if (python && !brief && own_work(x, &own) != NULL)
		return is_calling(x) ? "calls" : "own";
	if (a->input > fmax(0.5 * idle, launching))
		return a->between > 0.5 * idle ? "between" : "input";
	if (brief && little_work(run, little))
		return "little";
	/* A graph of the step closes the gaps outside of it, too, and its place is
	 * known. */
	if (brief && is_busy(run, a, idle))
		return "busy";
	if (brief && by_rows(run))
		return "rows";
	if (brief && closure_called(run))
		return "closure";
	if (brief)
		return gaps_repeated(run) > GAPS_REPEATED ? "launches" : "varied";
	return python && !host_goes(x, a, idle) ? "work" : NULL;
}

/* The processes that the program had to prepare its input, and the processors, at the site
 * with the most. */
static void
copy_workers(const struct run *run, struct site *to)
{
	for (size_t i = 0; i < run->sites; i++) {
		if (run->site[i].workers <= to->workers)
			continue;
		to->workers = run->site[i].workers;
		to->processors = run->site[i].processors;
	}
}

/* What a backward pass launches is due to what was called before. */
static bool
is_forward(const struct site *s)
{
	return !framework_waits_for_backward(s);
}

/* What the host was in while the GPU waited is a better place than what it did next, if a
 * line has most of it. Of what is made and copied each time the copies are the place. */
static void
place_looks(const struct rule_view *x, struct draft *d, const struct again *a)
{
	bool loader = is_variant(d, "loader"), own = is_own(d);
	struct looks_of of = looks_of(x);
	double share = 0;
	const struct site *at;
	struct site *site;
	double s;

	if (is_variant(d, "kept") || is_made(d))
		return;
	of.is = loader ? framework_loads : NULL;
	of.apart = loader;
	at = own ? own_work(x, &share) : NULL;
	if (in_launches(d->variant)) {
		of.is = is_forward;
		at = looks_function(x->arena, x->run, of, &share);
		at = share >= OWN_TOLD ? at : NULL;
	}
	own = at != NULL;
	if (at == NULL)
		at = looks_place(x->arena, x->run, of, LOOKED_TOLD, &s);
	if (at == NULL || (site = arena_get(x->arena, sizeof(*site))) == NULL)
		return;
	*site = *at;
	if (loader || is_variant(d, "input"))
		copy_workers(x->run, site);
	d->f.site = site;
	d->f.location = arena_format(x->arena, loader ? "%s, in which the host is in the "
	    "loader, here" : own ? "%s, in which the host is in this function more than in any "
	    "other of the program's" : "%s, in which the host is mostly in what this line does",
	    say_counted(x->arena, a->gaps, "gap"));
}

/* The place of the gaps ${a} of ${idle} seconds. Returns what is in front of them, for the
 * summary. */
static const char *
set_place(const struct rule_view *x, struct draft *d, const struct again *a,
    double idle)
{
	const struct run *run = x->run;
	const struct site *place;
	const char *after = "";
	double within, least = rule_value(x, "min_gaps");
	bool whole;

	d->f.location = say_counted(x->arena, a->gaps, "gap");
	if (is_variant(d, "loader")) {
		d->waits = idle >= GAPS_LATE_S * a->gaps ? BAR_INPUT : 0;
		d->f.location = arena_format(x->arena, "%s, most of it beside "
		    "copies to the GPU that the loader makes", d->f.location);
		d->f.site = gaps_away(x->arena, run, AWAY_TOLD * idle, least, is_loaded);
		if (d->f.site == NULL)
			lines_site_of(x, d, COPIES, is_loaded);
	} else if (is_late_input(d)) {
		d->waits = idle >= GAPS_LATE_S * a->gaps ? BAR_INPUT : 0;
		d->f.location = arena_format(x->arena, "%s, most of it %s copies to the "
		    "GPU", d->f.location, is_variant(d, "between") ?
		    say_between(x, a) : is_variant(d, "within") ?
		    "within calls of modules, in front of" : is_variant(d, "convert") ?
		    "between a batch's" : "in front of");
		d->f.site = is_made(d) ?
		    gaps_away(x->arena, run, 0, least, is_variant(d, "within") ?
		    inputs_within : inputs_behind) :
		    gaps_away(x->arena, run, AWAY_TOLD * idle, least, is_input);
		if (d->f.site == NULL)
			place_input(x, d);
	} else if (*(after = place_after(x, d, a, idle)) != '\0' &&
	    d->f.site != NULL) {
		/* What the host does with it lies behind that line. */
	} else if ((place = gaps_away(x->arena, run, 0.5 * idle, least, NULL)) !=
	    NULL) {
		d->f.site = place;
		d->f.location = arena_format(x->arena, "%s, most of it in front of "
		    "what this line calls", d->f.location);
	} else if (a->moved > 0.5 * idle && (place = gaps_after(x->arena, run,
	    COPIES, is_move, 1, 1)) != NULL) {
		/* A step of XLA begins with one. */
		d->f.site = place;
		d->f.location = arena_format(x->arena, "%s, most of it in front "
		    "of the work that this line starts", d->f.location);
	} else if ((place = gaps_place(run, 0.5 * idle, &whole)) != NULL) {
		d->f.site = place;
		d->f.location = arena_format(x->arena, "%s, most of it in front "
		    "of %s", d->f.location, whole ? "what this function launches" :
		    "these launches");
	} else if ((place = gaps_within(x->arena, run, WITHIN_TOLD * idle,
	    &within)) != NULL) {
		d->f.site = place;
		d->f.location = arena_format(x->arena, "%s, %s of it within what "
		    "this line calls", d->f.location, say_percent(x->arena,
		    fmin(1, within / idle)));
	}
	if (d->f.site == NULL && in_launches(d->variant)) {
		lines_site_of(x, d, CALL_BIT(LAUNCH) | CALL_BIT(GRAPH_LAUNCH),
		    is_python);
		if (d->f.site != NULL && is_python(d->f.site))
			d->f.location = arena_format(x->arena, "%s; this line "
			    "launches most", d->f.location);
		else
			d->f.site = NULL;
	}
	if (!is_late_input(d) && !is_variant(d, "loader") && a->input > INPUT_TOLD * idle)
		d->f.location = arena_format(x->arena, "%s, %s of it in front of "
		    "copies to the GPU", d->f.location,
		    say_percent(x->arena, a->input / idle));
	place_looks(x, d, a);
	return after;
}

/* Processes that the loop waits for work nearly all the time; those that use a processor for
 * less have batches in time, and are waited for because of the way from them. Arithmetic: a
 * worker that reads files waits for these, too, a third of the time. */
#define WORKING_LEAST 0.67

/* Do the workers have time left, and does no thread pin what they make? */
static bool
has_batches_in_time(const struct run *run)
{
	double pageable = 0, pinned = 0;

	for (size_t i = 0; i < run->copies; i++) {
		const struct copy_class *c = &run->copy[i];

		if (c->memset || c->kind != COPY_H2D)
			continue;
		pageable += c->src == MEMORY_PAGEABLE ? (double)c->count : 0;
		pinned += c->src == MEMORY_PINNED ? (double)c->count : 0;
	}
	return run->working > 0 && run->working < WORKING_LEAST && pageable > pinned;
}

/* Of the waits for a loader so much is in starting and ending its workers: arithmetic, a
 * third. */
#define STARTING_LEAST 0.33

static bool
starts_workers(const struct rule_view *x)
{
	return looks_or_apart(x->run, rule_value(x, "min_gaps"), framework_starts_workers) >
	    STARTING_LEAST * loading(x);
}

/* Says of late input how many processes prepare it already, where that is known: then it
 * is these that are too slow. What is said in "loader" for any number is said for some, or
 * for as many as there is room for. */
static void
say_workers(struct rule_view *x, struct draft *d)
{
	const struct site *s = d->f.site;

	if ((!is_variant(d, "input") && !is_variant(d, "loader")) || s == NULL ||
	    s->workers == 0 || s->processors == 0)
		return;
	d->variant = starts_workers(x) ? "started" :
	    has_batches_in_time(x->run) ? "received" :
	    s->workers < CROWDED * s->processors ? "workers" : "crowded";
	/* They work beside the loop: if its launches take less, it waits for them longer. */
	d->residual = false;
	d->f.gain_note = "a batch is waited for until the workers have it, whatever else "
	    "the loop does meanwhile";
	d->f.location = arena_format(x->arena, "%s, with %s for %s", d->f.location,
	    say_counted(x->arena, s->workers, "worker process"),
	    say_counted(x->arena, s->processors, "processor"));
	rule_evidence(x, d, "workers", s->workers, "processes that the program has forked "
	    "to prepare its input", .measured = "the kernel's list of them",
	    .unit = "process");
	if (x->run->working > 0)
		rule_evidence(x, d, "working_ratio", x->run->working, "of the time each of "
		    "them uses a processor, in the mean", .measured =
		    "the kernel's account of their time");
	rule_evidence(x, d, "processors", s->processors, "processors that it may use",
	    .measured = "its affinity", .unit = "processor");
}

/* What late input that the program makes itself is taken from. */
static void
say_made(struct rule_view *x, struct draft *d, const struct again *a)
{
	double s = made_s(x->run, d, a);

	if (is_variant(d, "within"))
		rule_evidence(x, d, "within_s", s, "GPU idle in front of copies to it that "
		    "are made within calls of modules, behind such kernels",
		    .derived = "kernel and API records, call stacks");
	if (is_variant(d, "convert"))
		rule_evidence(x, d, "between_copies_s", s, "GPU idle between a batch's "
		    "copies to it", .derived = "kernel and API records, call stacks");
}

/* Batches that a loader stacks from tensors on the GPU, element by element: a finding of
 * its own, as its change and its place are known. */
static void
find_collating(struct rule_view *x, const struct again *a)
{
	struct in_front f = gaps_in_front(x->run, framework_collates);
	struct draft *d;

	if (f.site == NULL || f.launches < rule_value(x, "min_gaps") ||
	    f.s < rule_value(x, "min_share") * a->base)
		return;
	d = rule_found(x, "collate");
	d->variant = "collate";
	/* What is in its place takes a launch or two. */
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC),
	    { 0.5 * f.s, 0.95 * f.s, f.s } };
	d->claims = 1;
	d->cause_s = f.s;
	d->f.site = f.site;
	d->f.location = say_counted(x->arena, f.launches, "launch");
	rule_evidence(x, d, "collate_s", f.s, "GPU idle in front of launches that "
	    "put a batch together", .measured = "kernel and API records");
	rule_evidence(x, d, "launches", f.launches, "such launches",
	    .measured = "kernel records", .unit = "launch");
	d->f.summary = arena_format(x->arena, "the loader puts batches together on "
	    "the GPU, one element at a time: the GPU waits %s for it",
	    say_seconds(x->arena, f.s));
	d->f.limiter = "the host, which takes each element of a batch by itself";
	d->f.advice = "take a whole batch from the device's arrays at once, by an "
	    "array of indices";
	d->f.gain_note = "a batch that is taken at once needs one launch for each "
	    "array";
	reads_doubt_idle(x, d);
}

/* What a function on the host takes for which the GPU's program waits goes with it; at worst
 * half does: it may be called half as often, or the program needs what it returns. */
static const double callback_goes[VIEWS] = { 0.5, 0.95, 1 };

/* Functions on the host that a program on the GPU calls, and waits for, of the gaps ${a}: a
 * finding of its own, since their work goes, and need not hide behind the GPU's. */
static void
find_callbacks(struct rule_view *x, const struct again *a)
{
	double gaps, s = fmin(gaps_away_s(x->run, framework_calls_back, &gaps),
	    a->host + a->api + a->sync);
	struct draft *d;

	if (gaps < rule_value(x, "min_gaps") || s < rule_value(x, "min_share") * a->base)
		return;
	d = rule_found(x, "callback");
	d->variant = "callback";
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC),
	    { callback_goes[VIEW_LOW] * s, callback_goes[VIEW_MID] * s,
	    callback_goes[VIEW_HIGH] * s } };
	d->claims = 1;
	d->cause_s = s;
	d->f.site = gaps_away(x->arena, x->run, 0, 1, framework_calls_back);
	d->f.location = arena_format(x->arena, "%s, in callbacks to the host from what "
	    "this line runs on the GPU", say_counted(x->arena, gaps, "gap"));
	d->f.location_missing = &reason_row[REASON_LINE_HOST];
	rule_evidence(x, d, "callback_s", s, "GPU idle while a function on the host that "
	    "its program calls was not done", .derived = "kernel and API records");
	rule_evidence(x, d, "callbacks", gaps, "gaps in which one was called",
	    .measured = "API records", .unit = "gap", .key = "min_gaps");
	d->f.summary = arena_format(x->arena, "the program on the GPU calls functions on "
	    "the host and waits for them, %s in all, %s each (%s of GPU work and the gaps "
	    "in it, one-off phases excluded)", say_seconds(x->arena, s),
	    say_seconds(x->arena, s / gaps), say_percent(x->arena, fmin(1, s / a->base)));
	d->f.limiter = "the GPU has nothing to do until the host's function is done";
	d->f.advice = "take the callbacks to the host out of the program, call them "
	    "seldom, or return what they report and do it after the run";
	d->f.gain_note = "what the callbacks do goes with them; it need not hide behind "
	    "the GPU's work";
	reads_doubt_idle(x, d);
}

/* Long gaps that come again at one line, between rounds of the GPU's work: a finding of its
 * own, as they are few, and their place is known. Returns whether there are any. */
static bool
find_rounds(struct rule_view *x)
{
	struct pauses p = pauses_again(x->run);
	struct looks_of in = { .rounds = &p };
	double active = rule_active_s(x->run), s;
	const struct site *at;
	const char *looked;
	struct site *site;
	struct draft *d;

	if (p.gaps == 0 || p.s < rule_value(x, "min_share") * active)
		return false;
	d = rule_found(x, "rounds");
	d->variant = "rounds";
	d->feeds = true;
	/* Hidden beside a round as the other gaps are, by a worker in all of its time and not
	 * only while the GPU works; of what is longer half goes with a faster way. */
	d->claim[0] = (struct claim){ POOL_ROUNDS, { 0.3 * p.busy_s, 0.85 * p.beside_s +
	    BEYOND_PYTHON * (p.s - p.beside_s), p.s } };
	d->claims = 1;
	if ((site = arena_get(x->arena, sizeof(*site))) != NULL) {
		*site = *p.site;
		site->first = gaps_own_frame(site);
		d->f.site = site;
	}
	at = looks_place(x->arena, x->run, in, LOOKED_TOLD, &s);
	d->f.site = at != NULL ? at : d->f.site;
	d->f.location = arena_format(x->arena, at != NULL ? "%s; meanwhile the host is mostly "
	    "in what this line does" : "%s, in front of what this line calls",
	    say_counted(x->arena, p.gaps, "long gap"));
	rule_evidence(x, d, "rounds_ratio", p.s / active, "GPU idle in long gaps in front of "
	    "one line, part of first to last work", .measured = "kernel and API records",
	    .key = "min_share");
	rule_evidence(x, d, "rounds", p.gaps, "such gaps",
	    .measured = "kernel and API records", .unit = "gap");
	rule_evidence(x, d, "round_launches", p.launches, "launches between two of them, or "
	    "more", .measured = "kernel records", .unit = "launch");
	rule_evidence(x, d, "beside_s", p.beside_s, "of the host's part, what takes no longer "
	    "than the round that follows", .derived = "kernel and API records");
	rule_evidence(x, d, "longest_s", (double)p.longest_ns * 1e-9, "longest of them",
	    .measured = "kernel and copy records");
	d->f.summary = arena_format(x->arena, "between rounds of its work the GPU waits for the "
	    "host %s, %s each, %s in all (%s of first to last GPU work)",
	    say_counted(x->arena, p.gaps, "time"), say_seconds(x->arena, p.s / p.gaps),
	    say_seconds(x->arena, p.s), say_percent(x->arena, fmin(1, p.s / active)));
	looked = looks_say(x, in);
	d->f.limiter = looked != NULL ? arena_format(x->arena, "meanwhile the host is in %s",
	    looked) : "the host works alone until the next round begins";
	d->f.advice = at != NULL ? "vectorise what the host does between two rounds (epochs), "
	    "in this line, or do it on the GPU, or in a worker for the next round while the "
	    "GPU works on this one" : "vectorise what the host does between two rounds "
	    "(epochs), in front of this line, or do it on the GPU, or in a worker for the "
	    "next round while the GPU works on this one";
	d->f.gain_note = "a worker hides it beside the round as far as that is long, and of the "
	    "rest half goes with a faster way; a loop in Python that is vectorised goes nearly "
	    "whole";
	reads_doubt_idle(x, d);
	return true;
}

/* Of the plans for ever new sizes so much goes where inputs are padded to a few: those few
 * have theirs, and what is padded is computed (arithmetic: sizes rounded up by a tenth). At
 * worst as of the other gaps: what lies in front of a library's call need not be its plan. */
static const double shapes_go[VIEWS] = { 0.3, 0.8, 1 };

/* Convolutions and products of ever new sizes, of the gaps ${a}: a finding of its own, since
 * that work goes, and need not hide behind the GPU's. The second half alone must have enough
 * of it for the whole: what is planned while a loop warms up comes once. Returns whether there
 * is one. */
static bool
find_shapes(struct rule_view *x, const struct again *a)
{
	struct fresh f = fresh_of(x->run, rule_value(x, "min_gaps"));
	double all = f.s + f.beside_s;
	struct draft *d;

	if (f.late == 0 || 2 * f.late_s < rule_value(x, "min_share") * a->base)
		return false;
	d = rule_found(x, "shapes");
	d->variant = "shapes";
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC),
	    { shapes_go[VIEW_LOW] * f.s, shapes_go[VIEW_MID] * (f.s + 0.5 * f.beside_s),
	    shapes_go[VIEW_HIGH] * all } };
	d->claims = 1;
	d->cause_s = all;
	d->f.site = fresh_place(x->run, x->arena, WITHIN_TOLD * f.s);
	d->f.location = arena_format(x->arena, d->f.site != NULL ? "%s of sizes that come "
	    "seldom, most of it within what this line calls" :
	    "%s of sizes that come seldom", say_counted(x->arena, f.launches, "launch"));
	d->f.location_missing = &reason_row[REASON_LINE_HOST];
	rule_evidence(x, d, "late_shapes", f.late, "launch shapes of convolutions and products "
	    "that were new in the second half of the run",
	    .measured = "kernel records", .unit = "shape");
	rule_evidence(x, d, "late_ratio", 2 * f.late_s / a->base, "GPU idle in front of these, "
	    "twice, part of first to last work without its phases",
	    .derived = "kernel and API records", .key = "min_share");
	rule_evidence(x, d, "planning_s", f.s, "GPU idle in front of launches of such "
	    "seldom shapes, beyond what is in front of other launches",
	    .derived = "kernel and API records");
	rule_evidence(x, d, "planning_beside_s", f.beside_s, "the same of these libraries' "
	    "other shapes, as much at most", .derived = "kernel and API records");
	d->f.summary = arena_format(x->arena, "convolutions and products of ever new sizes: %s "
	    "of their %s were new in the second half of the run, and the GPU waits %s for what "
	    "the host does in front of those that come seldom (%s of GPU work and the gaps in "
	    "it)", say_whole(x->arena, f.late), say_counted(x->arena, f.shapes,
	    "launch shape"), say_seconds(x->arena, f.s), say_percent(x->arena,
	    fmin(1, f.s / a->base)));
	d->f.limiter = "the host, on which cuDNN and cuBLAS choose an algorithm and build a plan "
	    "for each new size";
	d->f.advice = "pad inputs to a few sizes, or group those of one size: cuDNN and cuBLAS "
	    "plan anew for each new one; keep their plans and handles from call to call";
	d->f.gain_note = "the plans go but for those of the few sizes that are left; what is "
	    "padded is computed";
	reads_doubt_idle(x, d);
	return true;
}

/* Of the time in front of operators that JAX launches one by one so much goes with jit: a call
 * of the whole is left, and at worst half of it is calls of what is jitted already. */
static const double launching_goes[VIEWS] = { 0.5, 0.9, 1 };

/* Of the compiler's time for them, as one function of them all is compiled as well: see
 * jit_goes of recompilation. */
static const double compiling_goes[VIEWS] = { 0.25, 0.5, 1 };

/* The GPU's wait for compilations, if they are none of recompilation's: later than the first
 * fifth of the launches, its min_late, or most of the run they are. */
#define EARLY 0.2
#define EARLY_MOST 0.5

static double
compiled_early_s(const struct run *run)
{
	const struct compiling *c = &run->compiling;
	double s = 0;

	for (size_t i = 0; i < c->times; i++) {
		if ((double)c->time[i].at > EARLY * (double)run->launches)
			return 0;
		s += (double)c->time[i].idle_ns * 1e-9;
	}
	return looks_compiling(run) > 0 || s > EARLY_MOST * rule_wall_s(run) ? 0 : s;
}

/* The words of a finding about functions that are called outside of jit, ${s} seconds of the
 * gaps and ${compile_s} of the compiler. */
static void
tell_outside(struct rule_view *x, struct draft *d, const struct outside *o, double s,
    double compile_s)
{
	const struct site_frame *f = &o->site->frame[o->site->first];

	rule_evidence(x, d, "outside_s", s, "that time",
	    .derived = "looks at its stacks, kernel and API records");
	rule_evidence(x, d, "outside_looks", o->looks, "looks that found it there in such gaps",
	    .measured = "looks at its stacks", .unit = "look");
	if (compile_s > 0)
		rule_evidence(x, d, "outside_compile_s", compile_s, "GPU idle while operators "
		    "of these functions are compiled one by one",
		    .derived = "looks at its stacks, kernel and API records");
	d->f.location = arena_format(x->arena, "%s of it within what this line calls",
	    say_percent(x->arena, o->within));
	d->f.summary = arena_format(x->arena, "%s calls functions of JAX's outside of jit: the "
	    "GPU waits %s while their operators are launched one by one%s", f->function ==
	    NULL || strcmp(f->function, "<module>") == 0 ? "the program" :
	    arena_format(x->arena, "%s()", f->function), say_seconds(x->arena, s),
	    !(compile_s > 0) ? "" : arena_format(x->arena, ", and %s while each of them is "
	    "compiled", say_seconds(x->arena, compile_s)));
	d->f.limiter = "Python, which goes through vmap, grad and each operator again at each call";
	d->f.advice = "compile what this function does as a whole, in place of one operator "
	    "after the other";
	d->f.gain_note = compile_s > 0 ? "a call of the whole is left; half of the compiling is, "
	    "too, for the one function, and comes once in a run" :
	    "a call of the whole is left, of what is launched one by one";
}

/* JAX's functions that the loop calls outside of jit, of the gaps ${a} of ${idle} seconds: a
 * finding of its own, since what Python does there goes, and need not hide behind the GPU's
 * work. Returns whether there is one. */
static bool
find_outside(struct rule_view *x, const struct again *a, double idle)
{
	struct outside o = outside_of(x, rule_value(x, "min_gaps"));
	double s = o.share * idle, compile_s;
	struct gain *g;
	struct draft *d;

	if (o.looks == 0 || s < rule_value(x, "min_share") * a->base)
		return false;
	compile_s = fmin(o.compile_s, compiled_early_s(x->run));
	d = rule_found(x, "outside");
	d->variant = "outside";
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) | POOL_IDLE(IDLE_API) |
	    POOL_IDLE(IDLE_AFTER_SYNC) | POOL_IDLE(IDLE_LAUNCH), { 0, 0, 0 } };
	g = &d->claim[0].s;
	g->low = launching_goes[VIEW_LOW] * s + compiling_goes[VIEW_LOW] * compile_s;
	g->mid = launching_goes[VIEW_MID] * s + compiling_goes[VIEW_MID] * compile_s;
	g->high = launching_goes[VIEW_HIGH] * s + compiling_goes[VIEW_HIGH] * compile_s;
	d->claims = 1;
	d->cause_s = s;
	d->f.site = o.site;
	rule_evidence(x, d, "outside_ratio", s / a->base, "GPU idle while the host goes through "
	    "JAX's operators one by one, part of first to last work without its phases",
	    .derived = "looks at its stacks, kernel and API records", .key = "min_share");
	tell_outside(x, d, &o, s, compile_s);
	reads_doubt_idle(x, d);
	return true;
}

static void
say_little(const struct rule_view *x, struct draft *d, const struct little *l)
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

/* Of gradients that are added up over several batches, one batch as large as these: what lies
 * between the launches of each, ${all} seconds with the optimizer's, goes for all but one. So
 * do waits, ${sync} of it: what is left of them is left to others. */
static void
say_accumulated(const struct rule_view *x, struct draft *d, double all, double sync)
{
	struct gain *s = &d->claim[0].s;
	struct accumulated a;
	double goes, part = sync / all;

	if (!in_launches(d->variant) || is_variant(d, "rows") || is_variant(d, "busy") ||
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

/* Leaves ${gaps} of the gaps ${a}, and ${waits} of the waits in front of them. */
static void
keep_part(struct again *a, double gaps, double waits)
{
	a->host *= gaps;
	a->api *= gaps;
	a->sync *= gaps;
	a->brief *= gaps;
	a->gaps *= gaps;
	a->waited *= waits;
	a->waits *= waits;
}

/* The share of the gaps' time in which the program's Python is in a compiler; NAN: not known.
 * Stacks of launches say less of it: most are taken of a kernel's first launches. */
static double
in_compiler(const struct rule_view *x)
{
	return looks_share(x->run, looks_of(x), framework_in_compiler);
}

/* Takes out of the gaps ${a}, and out of the ${launching} seconds of late launches, what is
 * in front of trials of a library's variants: with each shape they come once. Returns what
 * is left of the launching. */
static double
leave_tried(const struct rule_view *x, struct again *a, double launching)
{
	const struct run *run = x->run;
	double looked = in_compiler(x), idle = a->host + a->api + a->sync;
	struct tried t = gaps_tried(run, looked >= 0 ?
	    framework_tunes_itself : framework_tunes);
	double compiled = looked > 0 ? looked * idle : 0;
	double left = idle > 0 ? 1 - fmin(1, (t.s + compiled) / idle) : 1;
	double late = run->launches > 0 ?
	    fmin(1, t.launches / (double)run->launches) : 0;
	double waits = t.launches > 0 ? 1 - framework_tuned(run, WAITS) : 1;

	a->base -= (1 - left) * idle + late * launching;
	keep_part(a, left, waits);
	return (1 - late) * launching;
}

/* Takes out of the gaps ${a}, and of the ${launching} seconds of late launches, those in front
 * of the kernels of small decompositions: grid-too-small has them, and no larger batch and no
 * graph reaches into the library's call. Returns what is left of the launching. */
static double
leave_decomposed(const struct rule_view *x, struct again *a, double launching)
{
	double idle = a->host + a->api + a->sync, host, late;
	struct decomposed p;

	if (decomposed_all(x, &p) == NULL)
		return launching;
	host = fmin(idle, p.gap_s - p.late_s);
	late = fmin(launching, p.late_s);
	a->base -= host + late;
	if (idle > 0)
		keep_part(a, 1 - host / idle, 1 - host / idle);
	return launching - late;
}

/* What limits an interpreter's launches of ${d} that are late for ${all} seconds. */
static const char *
launch_limiter(const struct run *run, const struct draft *d, double all)
{
	if (is_variant(d, "busy"))
		return "the host falls behind where it waits or copies: the GPU is busy for "
		    "most of the loop";
	return all > busy_s(run) ? "what the interpreter does for each launch takes "
	    "longer than the launch's work" : "the interpreter: short work is done "
	    "before the next launch arrives";
}

static bool
is_any(const struct site *s)
{
	return s->frames > 0;
}

/* The same of what is in front of what compilers launch, to try it out or while they
 * compile: no change to the program's loop makes that shorter. */
static double
leave_compiling(const struct rule_view *x, struct again *a, double launching)
{
	const struct run *run = x->run;
	double idle = a->host + a->api + a->sync, all = gaps_in_front(run, is_any).s;
	double looked = in_compiler(x);
	double own = 1 - (looked >= 0 ? looked : gaps_in_front(run, framework_compiles).s /
	    fmax(fmax(all, idle), 1e-9));

	a->base -= (1 - own) * (idle + launching);
	keep_part(a, own, own);
	return own * launching;
}

/* Why nothing is said about the gaps ${a} of a run that mostly tried out algorithms. */
static const struct reason *
unsteady(const struct rule_view *x, const struct again *a)
{
	double all = rule_active_s(x->run);

	return rule_reason(x, REASON_UNSTEADY, "%s; one-off phases are %s of the %s from "
	    "first to last GPU work (%s)", reason_row[REASON_UNSTEADY].why,
	    say_seconds(x->arena, fmax(0, all - a->base)), say_seconds(x->arena, all),
	    reason_row[REASON_UNSTEADY].remedy);
}

#define OWN_ADVICE "make this function faster: keep what it makes anew each time, vectorise its " \
	"loops, or do on the GPU what it does on the host; or do it ahead, beside the GPU's work"

/* What to do, by variant; the first row for those without a row. */
static const struct {
	const char *variant, *advice;
} advice[] = {
	{ "", "prepare the next step on the host while the GPU works on this one: another "
	    "thread, double buffers, launches enqueued ahead of the work that needs no result; "
	    "or do on the GPU what the host does to its results" },
	{ "kept", "make what does not change once, in front of the loop, and keep it on the "
	    "GPU; what does, make there" },
	{ "own", OWN_ADVICE },
	{ "calls", OWN_ADVICE },
	{ "rows", "do what this does for single rows or elements as one operation on arrays of "
	    "indices, or on the host, and copy the result once" },
	{ "within", "make on the GPU what the model makes on the host and copies, or once, in "
	    "front of the loop" },
	{ "convert", "convert input once, in front of the loop, or on the GPU, behind its copy: "
	    "between the copies the GPU waits for it" },
	{ "between", "prepare the next input in another thread while the GPU works; work on "
	    "its results in another, too, or on the GPU" },
	{ "busy", "let the host run ahead of the GPU: read results a step later, or seldom, and "
	    "copy the next input meanwhile; larger batches or a graph change little" },
};

static void
set_advice(struct draft *d)
{
	d->f.advice = advice[0].advice;
	for (size_t i = 1; i < sizeof(advice) / sizeof(advice[0]); i++)
		if (is_variant(d, advice[i].variant))
			d->f.advice = advice[i].advice;
}

enum rule_state
rule_gpu_idle_gaps(struct rule_view *x)
{
	const struct run *run = x->run;
	struct again a = gaps_again(run, rule_value(x, "min_gaps"),
	    rule_value(x, "min_gap"));
	double longest = (double)run->idle_longest_ns * 1e-9, idle, all;
	double late, launching;
	struct little little;
	const char *after, *variant;
	const char *looked;
	struct looks_of of;
	enum rule_state none;
	struct draft *d;

	late = (tuning_throughout(run) ? leave_compiling : leave_tried)(x, &a,
	    launching_s(run));
	late = leave_decomposed(x, &a, late);
	/* An interpreter's launches are late for the same reason. */
	launching = lines_python(run) ? late : 0;
	add_loading(x, &a);
	idle = all = a.host + a.api + a.sync;
	none = a.base > 0 && !gaps_unsteady(run) && find_rounds(x) ? RULE_FOUND : RULE_CLEAN;
	if (a.base > 0 && find_shapes(x, &a))
		none = RULE_FOUND;
	if (!(a.base > 0) || a.gaps < rule_value(x, "min_gaps") ||
	    idle + launching < rule_value(x, "min_share") * a.base)
		return none;
	if (gaps_unsteady(run))
		return none == RULE_FOUND ? none : rule_unmeasured_for(x, unsteady(x, &a));
	if (find_outside(x, &a, idle + launching))
		none = RULE_FOUND;
	variant = variant_of(x, &a, idle, launching, &little);
	if (in_launches(variant))
		all += launching;
	if (all < rule_value(x, "min_share") * a.base)
		return none;
	find_collating(x, &a);
	find_callbacks(x, &a);
	d = rule_found(x, "host");
	d->variant = variant;
	d->residual = !in_launches(variant) || in_sequences(run, a.brief + launching);
	d->cause_s = all;
	d->residual_min_s = rule_value(x, "min_share") * a.base;
	d->f.location_missing = &reason_row[REASON_LINE_HOST];
	after = set_place(x, d, &a, idle);
	say_workers(x, d);
	d->feeds = is_loading(d) || is_variant(d, "input");
	claim_idle(x, d, &a, idle, late);
	rule_evidence(x, d, "idle_ratio", all / a.base, "GPU idle in gaps "
	    "that come again, part of first to last work without its phases",
	    .measured = "kernel and copy records", .key = "min_share");
	rule_evidence(x, d, "gaps", a.gaps,
	    "gaps that come again, about as long",
	    .measured = "kernel and copy records", .unit = "gap",
	    .key = "min_gaps");
	rule_evidence(x, d, "idle_host_s", a.host,
	    "idle while the host computed or did I/O",
	    .derived = "kernel and API records");
	if (all > idle)
		rule_evidence(x, d, "idle_launching_s", launching,
		    "idle until the next launch arrived",
		    .derived = "kernel and API records");
	rule_evidence(x, d, "idle_after_sync_s", a.sync,
	    "idle after the host had waited",
	    .derived = "synchronisation records");
	rule_evidence(x, d, "longest_s", longest, "longest gap of all",
	    .measured = "kernel and copy records");
	d->f.summary = arena_format(x->arena, "the GPU waits for the host "
	    "again and again, %s in all (%s of GPU work and the gaps in it, one-off phases "
	    "excluded)%s%s",
	    say_seconds(x->arena, all), say_percent(x->arena, all / a.base), after,
	    run->unified.host_ns > 0 ? arena_format(x->arena, "; for %s of it "
	    "the host waits for pages of managed memory",
	    say_seconds(x->arena, fmin(idle,
	    (double)run->unified.host_ns * 1e-9))) : "");
	d->f.limiter = all > idle ? launch_limiter(run, d, all) :
	    limiter(a.host, a.api, a.sync);
	of = looks_of(x);
	of.apart = is_loading(d);
	looked = looks_say(x, of);
	if (looked != NULL && in_launches(variant))
		d->f.summary = arena_format(x->arena, "%s; meanwhile the host is in %s",
		    d->f.summary, looked);
	else if (looked != NULL)
		d->f.limiter = arena_format(x->arena, "meanwhile the host is in %s", looked);
	if (d->f.gain_note == NULL)
		d->f.gain_note = "host work hidden behind GPU work, as far as there "
		    "is GPU work to hide behind; what other findings recover is not "
		    "counted here";
	set_advice(d);
	say_made(x, d, &a);
	if (is_variant(d, "little"))
		say_little(x, d, &little);
	say_accumulated(x, d, all, a.sync);
	reads_doubt_idle(x, d);
	return RULE_FOUND;
}
