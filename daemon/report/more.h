/*
 * report/more.h: what a run at the next level of measuring would add to a report. Pure.
 */
#ifndef CADV_MORE_H
#define CADV_MORE_H

#include <stddef.h>

struct report;

struct more {
	const char *level;	/* "auto" or "source"; NULL: it would add nothing */
	size_t lines;		/* findings whose lines it would tell */
	size_t practices;	/* that are checked only there */
};

/* more_of(r): nothing where kernels are hardly any of the run's time. */
struct more more_of(const struct report *r);

/* more_text(out, m): "the lines of 2 findings and 18 more practices". */
#define MORE_SIZE 128
const char *more_text(char out[MORE_SIZE], const struct more *m);

#endif
