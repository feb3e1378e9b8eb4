/*
 * report/text.h: the terminal report, drawn only from the JSON nouns
 * (report/json.h), so that it cannot differ from the API.
 */
#ifndef CADV_TEXT_REPORT_H
#define CADV_TEXT_REPORT_H

#include <jansson.h>
#include <stdbool.h>

struct out;
struct reader;

struct report {
	const json_t *run;		/* json_run */
	const json_t *findings;		/* json_findings */
	const json_t *kernels;		/* array of json_kernel */
	const json_t *diagnostics;	/* json_diagnostics */
	const json_t *operators;	/* json_operators; NULL not known */
	const json_t *ranges;		/* json_ranges; NULL not known */
	const json_t *copies;		/* json_copies; NULL not known: formats only */
	const json_t *compare;		/* with a baseline (report/compare.h), … */
	const json_t *was;		/* … the items of its findings; NULL: none */
	const struct reader *reader;	/* for the rest; NULL: documents only */
	const char *name;		/* the run's name in commands: "41", "x.cadv" */
	bool newest;			/* the run that commands without a name mean */
	bool verbose;			/* informational diagnostics too */
};

/* text_report(o, r): the first screen. Missing or wrong fields are left out,
 * never fatal. */
void text_report(struct out *o, const struct report *r);

/* text_findings(o, r, all): what ran, then the findings worth a change in full;
 * with ${all} also the others. */
void text_findings(struct out *o, const struct report *r, bool all);

/* text_checklist(o, r, checklist): every line with its state and evidence
 * (json_checklist). */
void text_checklist(struct out *o, const struct report *r,
    const json_t *checklist);

/* text_compare_head(o, compare, base, target): the two runs (report/compare.h),
 * their times, and why they may not be comparable; ${base} and ${target}: their
 * names in commands.
 * text_compare(o, compare): then predicted and achieved savings, and the kernels. */
void text_compare_head(struct out *o, const json_t *compare,
    const char *base, const char *target);
void text_compare(struct out *o, const json_t *compare);

/* text_outcomes(o, compare, base, target): only predicted and achieved savings,
 * and nothing if no prediction can be checked: the end of a report. */
void text_outcomes(struct out *o, const json_t *compare, const char *base,
    const char *target);

/* text_rule(o, rule): one rule of the catalogue (json_rule): the `explain` page. */
void text_rule(struct out *o, const json_t *rule);

#endif
