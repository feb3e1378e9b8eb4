/* facts/reason.def: each reason has a code and a text, and each SKIP of the
 * injection library has a reason of its own. */
#include <ctype.h>
#include <string.h>

#include "facts/reason.h"
#include "unit/test.h"

TEST(test_rows)
{
	const struct reason *r;
	const char *p;
	int i;

	for (i = REASON_NONE + 1; i < REASONS; i++) {
		r = &reason_row[i];
		assert_int_equal(r->code, i);
		assert_true(strlen(r->text) > 5);
		assert_memory_equal(r->text, r->why,
		    strlen(r->why));
		for (p = r->name; *p != '\0'; p++)
			assert_true(islower((unsigned char)*p) ||
			    isdigit((unsigned char)*p) || *p == '_');
	}
}

TEST(test_remedy)
{
	const struct reason *few = &reason_row[REASON_TOO_FEW_LAUNCHES];

	assert_string_equal(few->text, "too few launches (use --replay)");
	assert_string_equal(few->why, "too few launches");
	assert_string_equal(few->remedy, "use --replay");
	assert_null(reason_row[REASON_EXCLUDED].remedy);
}

TEST(test_skips)
{
	int i, j;

	assert_int_equal(reason_skip[SKIP_NONE]->code, REASON_NO_COUNTERS);
	assert_int_equal(reason_skip[SKIP_LATE]->code, REASON_LATE);
	for (i = 0; i < SKIP_REASONS; i++)
		for (j = 0; j < i; j++)
			assert_string_not_equal(
			    reason_skip[i]->name, reason_skip[j]->name);
}
