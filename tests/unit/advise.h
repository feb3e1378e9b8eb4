/*
 * unit/advise.h: shared by the tests of rules: a run made for a test, and the
 * advice on it.
 */
#ifndef ADVISE_H
#define ADVISE_H

#include "rules/code.h"
#include "rules/faults.h"
#include "unit/test.h"

typedef void builder(struct made *m);

/* A test about a made run: its body has `struct made *m`, an empty run. Code
 * and advice made in it are released after the test. */
#define MADE_TEST(name)							\
	static void name##_made(struct made *m);			\
	TEST(name)							\
	{								\
		made_run_test(name##_made);				\
	}								\
	static void							\
	name##_made(struct made *m)

void made_run_test(builder *test);

/* Start another run: ${m} is empty again. */
void made_again(struct made *m);

/* made_advice: advice on the run as it is. made_advised: on what ${build} makes
 * of a new run. Both belong to the test. */
struct advice *made_advised(const struct made *m);
struct advice *advised(builder *build, struct made *m);

/* The finding of ${rule} in ${a}, or in the advice on the run as it is. The
 * test fails if there is none. */
#define found_in(a, rule) found_at(a, rule, __FILE__, __LINE__)
#define made_found(m, rule) found_in(made_advised(m), rule)
const struct finding *found_at(const struct advice *a, const char *rule,
    const char *file, int line);

/* The run must have no finding of ${rule}; the state of the rule. */
#define made_quiet(m, rule)						\
	assert_null(made_finding(made_advised(m), rule))
#define made_state(m, rule) (made_verdict(made_advised(m), rule)->state)

/* For tests with more than one run, which release what they made with finish. */
struct advice *advise(builder *build, struct made *m);
void finish(struct advice *a, struct made *m);

#endif
