/*
 * rules/analysed.h: a capture and all that is said of it, for tests.
 */
#ifndef TEST_ANALYSED_H
#define TEST_ANALYSED_H

#include "model/model.h"
#include "rules/engine/finding.h"
#include "rules/withhold.h"

struct analysed {
	struct model *model;
	const struct run *run;
	struct advice *advice;
};

#define NOTHING_HELD HELD_KINDS

/* analysed_load(a, path, held): replay ${path}, without the records that ${held}
 * takes away (or NOTHING_HELD), and judge it. -1, and a line of why, if it cannot
 * be read whole. analysed_release gives it all back. */
int analysed_load(struct analysed *a, const char *path, enum withheld held);
void analysed_release(struct analysed *a);

#endif
