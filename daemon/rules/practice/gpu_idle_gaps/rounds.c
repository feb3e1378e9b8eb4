/*
 * Long gaps between rounds (epochs) of the GPU's work: few, but each at the same line.
 */
#include <math.h>

#include "rules/evidence/pauses.h"
#include "rules/evidence/reads.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

bool
idle_find_rounds(struct rule_view *x)
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
