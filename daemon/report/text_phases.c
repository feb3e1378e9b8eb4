/* Events that happen once or a few times are no finding. They are mentioned if
 * they take as much of the run as a finding of medium severity. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "facts/reason.h"
#include "report/out.h"
#include "report/text.h"
#include "report/text_parts.h"
#include "report/text_util.h"

#define PHASE_SHARE 0.02	/* of the run */

void
parts_label(struct out *o, const char *label)
{
	out_style(o, STYLE_BOLD);
	out_cell(o, label, LABEL_COLUMNS);
	out_style(o, STYLE_PLAIN);
}

/* Copies to the host whose data the host processed; returns the host's part, s. */
static double
text_results(struct out *o, const json_t *results, double wall)
{
	double copies = field_number(results, "copy_s");
	double host = field_number(results, "host_s");
	uint64_t n = field_count(results, "copies");
	char text[256], a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE];

	if (!(copies >= PHASE_SHARE * wall))
		return 0;
	snprintf(text, sizeof(text), "%s to the host (%s) and %s of host work after "
	    "that, probably checking results: in no finding",
	    number_of(a, n, "copy"), number_seconds(b, copies),
	    number_seconds(c, host));
	parts_label(o, "Left out");
	out_wrap(o, LABEL_COLUMNS, text);
	return host;
}

/* Time in which the GPU was not this program's. If kernels were stopped for ${turn} seconds now
 * and then, it was another's. */
static void
text_elsewhere(struct out *o, double ratio, double turn, double wall)
{
	char text[384], a[NUMBER_SIZE], b[NUMBER_SIZE], c[NUMBER_SIZE];

	if (!(ratio >= PHASE_SHARE))
		return;
	number_seconds(a, ratio * wall);
	number_percent(b, ratio);
	if (turn > 0)
		snprintf(text, sizeof(text), "for %s (%s of the run) the GPU did not begin what "
		    "was launched: another process has it in turns, as kernels of all kinds "
		    "last %s longer now and then; times are right only without it",
		    a, b, number_seconds(c, turn));
	else
		snprintf(text, sizeof(text), "for %s (%s of the run) the GPU did not begin what "
		    "was launched, though nothing else of this program was seen on it: other "
		    "processes have it in turns, a stream waited for the host or another "
		    "GPU, or kernels launched kernels", a, b);
	parts_label(o, "Elsewhere");
	out_wrap(o, LABEL_COLUMNS, text);
}

/* The site if its source file is known, else NULL: the program's name tells nothing. */
static const json_t *
lined(const json_t *site)
{
	const json_t *frame = json_array_get(json_object_get(site, "frames"),
	    (size_t)field_count(site, "first"));

	return field_text(frame, "file") != NULL ? site : NULL;
}

/* Does a finding of ${rule} that is worth a change have it? */
static bool
in_finding(const json_t *findings, const char *rule)
{
	const json_t *f;
	size_t i;

	json_array_foreach(json_object_get(findings, "items"), i, f)
		if (field_true(f, "worth_it") && field_text(f, "rule") != NULL &&
		    strcmp(field_text(f, "rule"), rule) == 0)
			return true;
	return false;
}

/* That no step was seen which could be judged. */
static void
text_unsteady(struct out *o, const json_t *findings)
{
	const json_t *rule;
	size_t i;

	json_array_foreach(json_object_get(findings, "rules"), i, rule) {
		const char *code = field_text(rule, "reason_code");

		if (code == NULL || strcmp(code, reason_row[REASON_UNSTEADY].name) != 0 ||
		    field_text(rule, "reason") == NULL)
			continue;
		parts_label(o, "Not steady");
		out_wrap(o, LABEL_COLUMNS, field_text(rule, "reason"));
		return;
	}
}

void
parts_phases(struct out *o, const struct report *r)
{
	const json_t *run = r->run, *s = json_object_get(run, "summary"), *gap;
	double wall = field_number(run, "wall_ns") / 1e9, longest, told;
	char a[NUMBER_SIZE], b[NUMBER_SIZE], *site, *text = NULL;
	const char *what, *call;

	told = text_results(o, json_object_get(s, "results"), wall);
	text_elsewhere(o, field_number(json_object_get(s, "idle"),
	    "elsewhere_ratio"), field_number(s, "turn_s"), wall);
	text_unsteady(o, r->findings);
	gap = json_object_get(s, "longest_idle");
	longest = field_number(gap, "s");
	what = field_text(gap, "cause");
	if (!(longest >= PHASE_SHARE * wall) || longest <= told || what == NULL ||
	    (field_true(gap, "compiling") && in_finding(r->findings, "recompilation")) ||
	    (field_true(gap, "recurs") && in_finding(r->findings, "gpu-idle-gaps")))
		return;
	/* Without the examples that follow the colon. */
	site = parts_site_text(lined(json_object_get(gap, "site")), NULL, false);
	call = field_text(json_object_get(gap, "site"), "call");
	if (asprintf(&text, "the GPU waited %s (%s of the run) "
	    "%.*s%s%s", number_seconds(a, longest), number_percent(b, longest / wall),
	    (int)strcspn(what, ":"), what, site == NULL ? "" :
	    call != NULL && strcmp(call, "launch") == 0 ?
	    ", until a kernel was " : ", until CUDA was ",
	    site != NULL ? site : "") < 0)
		text = NULL;
	free(site);
	if (text == NULL)
		return;
	parts_label(o, "One long gap");
	out_wrap(o, LABEL_COLUMNS, text);
	free(text);
}
