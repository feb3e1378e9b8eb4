/*
 * What the tests of rules share: the advice on a run that was made for it.
 */
#ifndef ADVISE_H
#define ADVISE_H

#include "rules/code.h"
#include "rules/faults.h"
#include "unit/test.h"

typedef void builder(struct made *m);

static inline struct advice *
advise(builder *build, struct made *m)
{
	struct advice *a;

	made_init(m);
	build(m);
	a = made_advice(m);
	assert_non_null(a);
	return a;
}

/* Of a run with code (rules/code.h). */
static inline void
finish(struct advice *a, struct made *m)
{
	advice_free(a);
	code_release(m);
}

#endif
