/*
 * unchecked-errors: a CUDA call or launch failed, and the program went on
 * without reading the error: its later results may be worthless.
 */
#include <math.h>

#include "rules/engine/rule.h"

#define FINDINGS 8
#define NOT_READY 600	/* cudaErrorNotReady: the answer to a query, not a failure */

static void
found(struct rule_view *x, const struct failure *f)
{
	const char *call = f->call != NULL && *f->call ? f->call : "a call";
	const char *error = f->error != NULL && *f->error ? f->error :
	    arena_format(x->arena, "error %u", f->result);
	struct draft *d = rule_found(x, arena_format(x->arena, "%s %s", call,
	    error));

	d->cap = f->launch ? SEV_HIGH : SEV_MEDIUM;
	d->f.confidence = CONF_HIGH;
	d->f.title = f->launch ? "failed launch nobody noticed" :
	    "CUDA error nobody read";
	d->f.where = call;
	d->f.location = arena_format(x->arena, "%s after the run's start",
	    say_seconds(x->arena, (double)f->first_ns * 1e-9));
	d->f.location_missing = &reason_row[REASON_LINE_NO_SITE];
	rule_evidence(x, d, "unread_errors", (double)f->unread,
	    "errors that nobody read", .measured = "failure records",
	    .unit = "error", .key = "min_count");
	rule_evidence(x, d, "result", f->result, error,
	    .measured = "failure records", .unit = "");
	d->f.summary = arena_format(x->arena, "%s returned %s %s time%s%s%s "
	    "and the program went on", call, error,
	    say_count(x->arena, f->count), f->count == 1 ? "" : "s",
	    f->detail != NULL && *f->detail ? ": " : "",
	    f->detail != NULL ? f->detail : "");
	d->f.advice = f->launch ? "check cudaGetLastError() after every "
	    "launch: this kernel never ran, and what follows used old data" :
	    "check the result of every CUDA call and stop or recover";
	d->f.gain_note = "correctness issue; no saving estimated";
}

enum rule_state
rule_unchecked_errors(struct rule_view *x)
{
	size_t n = 0;

	for (size_t i = 0; i < x->run->failures && n < FINDINGS; i++) {
		const struct failure *f = &x->run->failure[i];

		if ((double)f->unread < rule_value(x, "min_count") ||
		    f->unread == 0 || f->result == NOT_READY)
			continue;
		found(x, f);
		n++;
	}
	return n > 0 ? RULE_FOUND : RULE_CLEAN;
}
