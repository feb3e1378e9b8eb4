/*
 * unit/test.h: defines tests. TEST(name) { ... } defines a test and registers
 * it with unit/test.c, which runs the tests in the order of the file: no test
 * can be forgotten. Its body may use cmocka's `void **state`.
 */
#ifndef CADV_TEST_H
#define CADV_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* ${text} contains ${part}; does not contain it. */
#define assert_has(text, part) assert_non_null(strstr(text, part))
#define assert_lacks(text, part) assert_null(strstr(text, part))

/* A test without a fixture, or with functions that run before and after it; NULL
 * for none. */
#define TEST(name) TEST_WITH(name, NULL, NULL)
#define TEST_WITH(name, setup, teardown)				\
	static void name(void **state);					\
	__attribute__((constructor)) static void			\
	add_##name(void)						\
	{								\
		test_add(#name, name, setup, teardown);			\
	}								\
	static void							\
	name(__attribute__((unused)) void **state)

/* Functions that run before the first test and after the last, at most once in a
 * program; NULL for none. */
#define TEST_GROUP(setup, teardown)					\
	__attribute__((constructor)) static void			\
	add_group(void)							\
	{								\
		test_group(setup, teardown);				\
	}

/* Called by the macros, before main. ${name} is not copied. */
void test_add(const char *name, CMUnitTestFunction f, CMFixtureFunction setup,
    CMFixtureFunction teardown);
void test_group(CMFixtureFunction setup, CMFixtureFunction teardown);

#endif
