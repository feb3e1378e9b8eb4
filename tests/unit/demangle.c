#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "unit/fixtures.h"
#include "unit/test.h"

static const char hard[] = FIXTURE_HARD_NAME;

static void
expect(struct demangling *d, const char *mangled, const char *expected)
{
	char *name = demangle_name(d, mangled);

	assert_non_null(name);
	assert_string_equal(name, expected);
	free(name);
}

TEST(names_are_spelled_out)
{
	struct demangling d = { 0 };

	expect(&d, "_Z7saxpy_kPfS_f", "saxpy_k(float*, float*, float)");
	expect(&d, "plain_c_kernel", "plain_c_kernel");
	expect(&d, "_Z", "_Z");
	expect(&d, "", "");
	assert_int_equal(d.raw, 0);
	assert_int_equal(d.bytes, strlen("_Z7saxpy_kPfS_f_Z"));
}

/* nvcc's namespace for a file is two hashes, which are removed. */
TEST(static_names_are_bare)
{
	struct demangling d = { 0 };

	expect(&d, "_ZN24_INTERNAL_0ab_4_a_cu_0cd3mixEj", "mix(unsigned int)");
	expect(&d, "_Z1fN24_INTERNAL_0ab_4_a_cu_0cd1sE", "f(s)");
	expect(&d, "_ZN13my_INTERNAL_x1fEv", "my_INTERNAL_x::f()");
	expect(&d, "_Z12_INTERNAL_abv", "_INTERNAL_ab()");
}

/* The test is that the call returns. */
TEST(a_name_without_end_stays_raw)
{
	struct demangling d = { 0 };

	expect(&d, hard, hard);
	assert_int_equal(d.raw, 1);
	expect(&d, "_Z1fi", "f(int)");
	expect(&d, hard, hard);
	assert_int_equal(d.raw, 2);
	assert_true(d.spent_ns > 0);
}

TEST(a_run_has_so_much_time)
{
	struct demangling d = { .spent_ns = DEMANGLE_RUN_NS +
	    DEMANGLE_BYTE_NS * 5 };

	expect(&d, "_Z1fi", "_Z1fi");
	assert_int_equal(d.raw, 1);
	d.spent_ns = DEMANGLE_RUN_NS;
	expect(&d, "_Z1fi", "f(int)");
	assert_int_equal(d.raw, 1);
}

/* Names over 64 KiB stay mangled: they would not be readable. */
TEST(a_long_name_stays_raw)
{
	char longest[20000] = "_Z1f";
	struct demangling d = { 0 };

	memset(longest + 4, 'i', sizeof(longest) - 5);
	expect(&d, longest, longest);
	assert_int_equal(d.raw, 0);
}

static void *
many(void *arg)
{
	struct demangling d = { 0 };
	int i;

	for (i = 0; i < 5; i++) {
		free(demangle_name(&d, hard));
		free(demangle_name(&d, "_Z1fi"));
	}
	*(uint64_t *)arg = d.raw;
	return NULL;
}

TEST(threads_end_only_their_own)
{
	pthread_t thread[3];
	uint64_t raw[3];
	int i;

	for (i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, many,
		    &raw[i]), 0);
	for (i = 0; i < 3; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(raw[i], 5);
	}
}

/* The time limit also works in a thread that blocks signals, and they stay blocked. */
TEST(a_blocked_signal_comes)
{
	struct demangling d = { 0 };
	sigset_t all, before, after;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	expect(&d, hard, hard);
	pthread_sigmask(SIG_SETMASK, &before, &after);
	assert_int_equal(d.raw, 1);
	assert_true(sigismember(&after, SIGVTALRM));
}
