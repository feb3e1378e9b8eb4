/*
 * facts/reason.h: why something was not measured: a code that programs compare, and a
 * text that people read. Both are defined in reason.def only.
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

/* Code holds a reason as a pointer to such a struct, NULL for none. It points to a row
 * of reason.def or to a copy of a row with a more detailed text. */
struct reason {
	enum reason_code code;
	const char *name;	/* in the API: "too_few_launches" */
	const char *text;	/* "too few launches (use --replay)": */
	const char *why, *remedy;	/* the two parts of ${text}; ${remedy} may be
					 * NULL */
};

/* The rows, indexed by code; REASON_NONE has none. */
extern const struct reason reason_row[REASONS];

/* Why a kernel lacks counters, or some of them, indexed by enum wire_skip. */
extern const struct reason *const reason_skip[SKIP_REASONS];

#endif
