/*
 * gpu-idle-gaps: between its first and last work the GPU waits for the host,
 * and no more specific rule says why. Only gaps that recur count, each for
 * about the same time. Reading the input, checking the results or single phases
 * are no pattern: a program has nothing to overlap them with. Gaps in which we
 * measured do not count either.
 */
#include <math.h>

#include "base/text.h"
#include "rules/evidence/gaps.h"
#include "rules/evidence/lines.h"
#include "rules/evidence/reads.h"

/* Of the host's work that is longer than the GPU's, nothing can hide behind it. The share
 * believed to go where the host may do less, see host_goes: in Python the worker
 * processes of a loader share it: four leave a quarter, eight left 0.02 of it
 * (DataLoader, H200, 2026-11-23); half, as it may contain other work than a loader's. */
#define BEYOND 0.2
#define BEYOND_PYTHON 0.5

/* A gap this long is late input, not slow launching: it is the longest gap that
 * the model counts as part of a sequence. */
#define LATE_S 100e-6

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

#define WITHIN_TOLD 0.25	/* so is the line within whose calls so much lies: what
				 * backward passes launch has no line, half or more of it */

/* From this share of the launches on that belong to repeated sequences, a step is one
 * that a graph could launch. */
#define REPEATED 0.3

/* The share of the launches that belong to such a sequence. */
static double
repeated(const struct run *run)
{
	double n = 0;

	for (size_t i = 0; i < run->sequences; i++)
		if (run->sequence[i].repeats >= 10)
			n += (double)run->sequence[i].length *
			    (double)run->sequence[i].repeats;
	return run->launches > 0 ? n / (double)run->launches : 0;
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

/* What precedes most of the ${idle} seconds in gaps ${a}, for the summary: ", 66 ms after
 * each of 99 copies to the host (7.08 MB) at run.py:175"; "" if nothing does. If its line
 * is known, it is the finding's place. */
static const char *
place_after(const struct rule_view *x, struct draft *d, const struct again *a,
    double idle)
{
	const struct run *run = x->run;
	bool output = a->output > 0.5 * idle;
	double made = 0, n = output ? a->outputs : a->waits;
	const struct site *at;
	const struct site_frame *f;
	const char *what, *where = "";

	if (!output && !(a->waited > 0.5 * idle))
		return "";
	for (size_t i = 0; output && i < run->copies; i++)
		made += run->copy[i].kind == COPY_D2H ?
		    (double)run->copy[i].count : 0;
	for (size_t i = 0; !output && i < run->syncs; i++)
		made += WAITS >> run->sync[i].call & 1 ?
		    (double)run->sync[i].count : 0;
	at = gaps_after(x->arena, run, output ? COPIES : WAITS,
	    output ? is_output : NULL, made, n);
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

/* Can the host's work in the gaps ${a} of ${idle} seconds go, or be done by several, rather
 * than only be done while the GPU works? Input is prepared by several threads or
 * processes; what an interpreter does between launches goes with them. */
static bool
host_goes(const struct rule_view *x, const struct again *a, double idle)
{
	return a->input + (lines_python(x->run) ? a->brief : 0) > 0.5 * idle;
}

enum rule_state
rule_gpu_idle_gaps(struct rule_view *x)
{
	const struct run *run = x->run;
	struct again a = gaps_again(run, rule_value(x, "min_gaps"),
	    rule_value(x, "min_gap"));
	double wall = rule_wall_s(run);
	double longest = (double)run->idle_longest_ns * 1e-9;
	double idle = a.host + a.api + a.sync, busy, mid, high, within;
	const struct site *place;
	const char *after = "";
	bool whole;
	struct draft *d;

	if (!(a.base > 0) || a.gaps < rule_value(x, "min_gaps") ||
	    idle < rule_value(x, "min_share") * a.base)
		return RULE_CLEAN;
	d = rule_found(x, "host");
	/* A kernel that waits for managed pages waits for the host: no host
	 * work hides behind it. */
	busy = fmax(0, wall - (double)run->idle_total_ns * 1e-9 -
	    rule_fault_s(run));
	/* Host work hides behind GPU work only as far as there is any. With
	 * work queued ahead, launches leave no gaps either. */
	mid = 0.85 * fmin(idle, busy);
	high = idle + fmax(0, (double)run->idle_ns[IDLE_LAUNCH] -
	    (double)run->idle_longest_by[IDLE_LAUNCH]) * 1e-9;
	if (host_goes(x, &a, idle))
		mid += (lines_python(run) ? BEYOND_PYTHON : BEYOND) *
		    fmax(0, idle - busy);
	else
		high = fmin(high, busy);
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_HOST) |
	    POOL_IDLE(IDLE_API) | POOL_IDLE(IDLE_AFTER_SYNC) |
	    POOL_IDLE(IDLE_LAUNCH), { 0.3 * fmin(idle, busy), mid,
	    high } };
	d->claims = 1;
	d->residual = true;
	d->cause_s = idle;
	d->residual_min_s = rule_value(x, "min_share") * a.base;
	d->f.location = say_counted(x->arena, a.gaps, "gap");
	d->f.location_missing = &reason_row[REASON_LINE_HOST];
	if (a.input > 0.5 * idle) {
		d->variant = "input";
		d->waits = idle >= LATE_S * a.gaps ? BAR_INPUT : 0;
		d->f.location = arena_format(x->arena, "%s, most of it in front "
		    "of copies to the GPU", d->f.location);
		place_input(x, d);
	} else if (*(after = place_after(x, d, &a, idle)) != '\0' &&
	    d->f.site != NULL) {
		/* What the host does with it lies behind that line. */
	} else if (a.moved > 0.5 * idle && (place = gaps_after(x->arena, run,
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
	if (d->variant == NULL && a.input > INPUT_TOLD * idle)
		d->f.location = arena_format(x->arena, "%s, %s of it in front of "
		    "copies to the GPU", d->f.location,
		    say_percent(x->arena, a.input / idle));
	if (d->variant == NULL && lines_python(run) && a.brief > 0.5 * idle) {
		/* A graph of the step closes the gaps outside of it, too, and its
		 * place is known. */
		d->barred = repeated(run) > REPEATED ? BAR_STEP : 0;
		d->variant = d->barred != 0 ? "launches" : "varied";
	}
	if (d->variant == NULL && lines_python(run) && !host_goes(x, &a, idle))
		d->variant = "work";
	rule_evidence(x, d, "idle_ratio", idle / a.base, "GPU idle in gaps "
	    "that come again, part of first to last work without its phases",
	    .measured = "kernel and copy records", .key = "min_share");
	rule_evidence(x, d, "gaps", a.gaps,
	    "gaps that come again, about as long",
	    .measured = "kernel and copy records", .unit = "gap",
	    .key = "min_gaps");
	rule_evidence(x, d, "idle_host_s", a.host,
	    "idle while the host computed or did I/O",
	    .derived = "kernel and API records");
	rule_evidence(x, d, "idle_after_sync_s", a.sync,
	    "idle after the host had waited",
	    .derived = "synchronisation records");
	rule_evidence(x, d, "longest_s", longest, "longest gap of all",
	    .measured = "kernel and copy records");
	d->f.summary = arena_format(x->arena, "the GPU waits for the host "
	    "again and again, %s in all (%s of GPU-active time, one-off phases "
	    "excluded)%s%s",
	    say_seconds(x->arena, idle), say_percent(x->arena, idle / a.base), after,
	    run->unified.host_ns > 0 ? arena_format(x->arena, "; for %s of it "
	    "the host waits for pages of managed memory",
	    say_seconds(x->arena, fmin(idle,
	    (double)run->unified.host_ns * 1e-9))) : "");
	d->f.limiter = limiter(a.host, a.api, a.sync);
	d->f.advice = "prepare the next step on the host while the GPU works "
	    "on this one: another thread, double buffers, launches enqueued "
	    "ahead of the work that needs no result; or do on the GPU what the "
	    "host does to its results";
	d->f.gain_note = "host work hidden behind GPU work, as far as there "
	    "is GPU work to hide behind; what other findings recover is not "
	    "counted here";
	reads_doubt_idle(x, d);
	return RULE_FOUND;
}
