/* facts/reason.def: each reason has a code and a text, and the injection
 * library's each have their own. */
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
		r = reason_of((enum reason_code)i);
		assert_int_equal(r->code, i);
		assert_true(strlen(reason_text(r)) > 5);
		assert_memory_equal(reason_text(r), reason_why(r),
		    strlen(reason_why(r)));
		for (p = reason_name(r); *p != '\0'; p++)
			assert_true(islower((unsigned char)*p) ||
			    isdigit((unsigned char)*p) || *p == '_');
	}
	assert_null(reason_text(NULL));
	assert_null(reason_name(NULL));
}

TEST(test_remedy)
{
	const struct reason *few = reason_of(REASON_TOO_FEW_LAUNCHES);

	assert_string_equal(reason_text(few), "too few launches (use --replay)");
	assert_string_equal(reason_why(few), "too few launches");
	assert_string_equal(reason_remedy(few), "use --replay");
	assert_null(reason_remedy(reason_of(REASON_EXCLUDED)));
}

TEST(test_skips)
{
	int i, j;

	assert_int_equal(reason_skip(SKIP_NONE)->code, REASON_NO_COUNTERS);
	assert_int_equal(reason_skip((enum wire_skip)9999)->code,
	    REASON_NO_COUNTERS);
	assert_int_equal(reason_skip(SKIP_LATE)->code, REASON_LATE);
	for (i = 0; i < SKIP_REASONS; i++)
		for (j = 0; j < i; j++)
			assert_string_not_equal(
			    reason_name(reason_skip((enum wire_skip)i)),
			    reason_name(reason_skip((enum wire_skip)j)));
}
