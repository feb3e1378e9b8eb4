/*
 * report/names.h: names of enumeration values in reports, and remedies for
 * diagnostics. Never NULL unless stated.
 */
#ifndef CADV_NAMES_H
#define CADV_NAMES_H

#include "wire/record.h"

const char *name_level(int level);		/* "counters" */
const char *name_copy(int kind);		/* "h2d" */
const char *name_memory(int memory);		/* "pageable" */
const char *name_bye(int bye);			/* "exit" */
const char *name_loss(int loss);		/* "queue" */
const char *name_severity(int severity);	/* "warning" */
const char *name_diagnostic(int code);		/* "permission" */
const char *name_check(int state);		/* "done" */

/* What to do about a diagnostic; NULL: nothing. */
const char *remedy_diagnostic(int code);

/* How much of its counters a kernel has: all, at least one, none. */
struct kernel;
enum measured { MEASURED_FULL, MEASURED_PART, MEASURED_NONE, MEASURED_KINDS };
enum measured measured_of(const struct kernel *k);
const char *name_measured(enum measured m);	/* "full" … */

#endif
