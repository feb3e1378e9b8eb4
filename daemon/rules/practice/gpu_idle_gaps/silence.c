/*
 * The GPU had nothing to do until a signal ended the run, while the program was at work on the
 * host.
 */
#include "rules/evidence/silence.h"
#include "rules/practice/gpu_idle_gaps/idle.h"

bool
idle_find_silence(struct rule_view *x)
{
	const struct run *run = x->run;
	double s = silence_s(run), wall = rule_wall_s(run);
	const char *looked;
	struct draft *d;

	if (!(s > 0))
		return false;
	d = rule_found(x, "silence");
	d->variant = "silence";
	d->feeds = true;
	/* Nobody knows how it would have gone on: half is between nothing and all. */
	d->claim[0] = (struct claim){ POOL_IDLE(IDLE_SHUTDOWN), { 0, 0.5 * s, s } };
	d->claims = 1;
	d->f.confidence = CONF_LOW;
	d->f.site = silence_place(x->arena, run);
	d->f.location = "the host is in this function, or in what it calls";
	d->f.location_missing = &reason_row[REASON_LINE_HOST];
	rule_evidence(x, d, "silence_ratio", s / wall, "of the run, behind the GPU's last work",
	    .measured = "kernel and copy records");
	rule_evidence(x, d, "silence_s", s, "from the GPU's last work to the signal",
	    .measured = "kernel and copy records");
	d->f.summary = arena_format(x->arena, "the program gave the GPU no more work for %s, "
	    "until signal %d ended it (%s of the run)", say_seconds(x->arena, s), run->signal,
	    say_percent(x->arena, s / wall));
	looked = looks_say(x, silence_looks(run));
	d->f.limiter = looked == NULL ? "the host works alone" : arena_format(x->arena,
	    "meanwhile the host is in %s", looked);
	d->f.advice = "look at this loop on the host: whether what it waits or searches for can "
	    "come at all; if it only takes long, vectorise it, or do it on the GPU";
	d->f.gain_note = "all of it, if the loop should have ended at once; nothing, if the run "
	    "had no more to do on the GPU";
	return true;
}
