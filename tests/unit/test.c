/* The main program of each unit test. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "unit/test.h"

#define MAX 128		/* the largest has 97 */

static struct CMUnitTest tests[MAX];
static size_t count;
static CMFixtureFunction group_setup, group_teardown;

void
test_add(const char *name, CMUnitTestFunction f, CMFixtureFunction setup,
    CMFixtureFunction teardown)
{
	if (count == MAX)
		abort();
	tests[count++] = (struct CMUnitTest){ .name = name, .test_func = f,
	    .setup_func = setup, .teardown_func = teardown };
}

void
test_group(CMFixtureFunction setup, CMFixtureFunction teardown)
{
	group_setup = setup;
	group_teardown = teardown;
}

/* cmocka's macro needs the size of an array, which is not known at compile time.
 *
 * A failed test leaves by longjmp and frees nothing. LeakSanitizer would report that at
 * exit, and its report would remain after the test has passed when run again: so it is
 * not asked then. */
int
main(void)
{
	int failed;

	if (count == 0)
		return EXIT_FAILURE;
	failed = _cmocka_run_group_tests("tests", tests, count, group_setup,
	    group_teardown);
	if (failed == 0)
		return EXIT_SUCCESS;
	fflush(NULL);
	_exit(EXIT_FAILURE);
}
