/*
 * rules/analysed.h: a capture and the advice on it, for tests.
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

/* analysed_load(a, path, held): replay ${path}, without the records that
 * ${held} withholds (or NOTHING_HELD), and advise on it. -1 if it cannot be
 * read whole, with the reason printed. analysed_release frees everything. */
int analysed_load(struct analysed *a, const char *path, enum withheld held);
void analysed_release(struct analysed *a);

#endif
