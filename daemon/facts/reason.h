/*
 * facts/reason.h: why something was not measured, as a value: a code that
 * programs compare, and the text that people read. Both stand in reason.def
 * alone.
 */
#ifndef CADV_FACTS_REASON_H
#define CADV_FACTS_REASON_H

#include "wire/record.h"

enum reason_code {
	REASON_NONE,
#define REASON(NAME, ...) REASON_##NAME,
#include "facts/reason.def"
	REASONS
};

/* A reason is a pointer to one of these, NULL where there is none: a row of
 * reason.def, or one with a text that says more. */
struct reason {
	enum reason_code code;
	const char *name;	/* as the API has it: "too_few_launches" */
	const char *text;	/* "too few launches (use --replay)": */
	const char *why, *remedy;	/* its halves; the second may be NULL */
};

/* The rows, by code; none is REASON_NONE. */
extern const struct reason reason_row[REASONS];

/* Why a kernel has no counters, or not all, by its enum wire_skip. */
extern const struct reason *const reason_skip[SKIP_REASONS];

#endif
