/*
 * report/text.h: the terminal report, drawn from the JSON nouns (report/json.h)
 * and from nothing else, so that it cannot say other things than the API.
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
	const json_t *compare;		/* with a baseline (report/compare.h), and … */
	const json_t *was;		/* … the items of its findings; NULL: none */
	const struct reader *reader;	/* of the rest; NULL: documents alone */
	const char *name;		/* how commands call it: "41", "x.cadv" */
	bool newest;			/* what commands mean without a name */
	bool verbose;			/* informational diagnostics too */
};

/* The first screen. Missing or wrong fields are left out, never fatal. */
void text_report(struct out *o, const struct report *r);

/* Findings, under what ran: those worth it in full, with ${all} also the others. */
void text_findings(struct out *o, const struct report *r, bool all);

/* The checklist: every line with its state and evidence (json_checklist). */
void text_checklist(struct out *o, const struct report *r,
    const json_t *checklist);

/* Two runs (report/compare.h): which ones, their times and why they may not be
 * comparable; then what became of the predictions, and the kernels. ${base} and
 * ${target} are how commands call the runs. */
void text_compare_head(struct out *o, const json_t *compare,
    const char *base, const char *target);
void text_compare(struct out *o, const json_t *compare);

/* Of that only what became of the predictions, and nothing if none can be
 * checked: the end of a report. */
void text_outcomes(struct out *o, const json_t *compare, const char *base,
    const char *target);

/* One rule of the catalogue (json_rule): the `explain` page. */
void text_rule(struct out *o, const json_t *rule);

#endif
