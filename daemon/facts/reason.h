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
 * reason.def, or its code with a text that says more. */
struct reason {
	enum reason_code code;
	const char *text;	/* "too few launches (use --replay)" */
};

/* reason_of(code): the row, REASON_NONE < code < REASONS. Static storage. */
const struct reason *reason_of(enum reason_code code);

/* reason_skip(skip): why a kernel has no counters, or not all; SKIP_NONE and
 * unknown numbers are REASON_NO_COUNTERS. Never NULL. */
const struct reason *reason_skip(enum wire_skip skip);

/* reason_name(r): the code as the API has it, "too_few_launches". NULL of NULL. */
const char *reason_name(const struct reason *r);

/* reason_text(r): its text; NULL of NULL. */
const char *reason_text(const struct reason *r);

/* reason_why(r), reason_remedy(r): the two halves of the row of ${r}; the remedy
 * is NULL where there is none. ${r} is not NULL. */
const char *reason_why(const struct reason *r);
const char *reason_remedy(const struct reason *r);

#endif
