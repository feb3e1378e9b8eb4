/* base/error.h: callers decide by a code; it is errno's if the message ends in
 * errno's text. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "unit/test.h"

TEST(test_code_of_errno)
{
	static const struct {
		int number;
		enum error_code code;
	} rows[] = {
		{ ENOENT, ERROR_NOT_FOUND }, { ENOTDIR, ERROR_NOT_FOUND },
		{ EACCES, ERROR_PERMISSION }, { EROFS, ERROR_PERMISSION },
		{ ENOSPC, ERROR_NO_SPACE }, { EDQUOT, ERROR_NO_SPACE },
		{ ENOMEM, ERROR_MEMORY }, { EIO, ERROR_OTHER },
	};
	struct error e;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		e = (struct error)ERROR_INIT;
		errno = rows[i].number;
		assert_int_equal(error_set(&e, "cannot write '%s':", "x"), -1);
		assert_int_equal(e.code, rows[i].code);
		assert_non_null(strstr(e.text, strerror(rows[i].number)));
		assert_int_equal(errno, rows[i].number);
	}
}

/* Without that text errno does not belong to this error. */
TEST(test_code_of_caller)
{
	struct error e = ERROR_INIT, busy = ERROR_INIT, own = ERROR_INIT;

	errno = ENOSPC;
	error_set(&e, "no CUDA");
	assert_int_equal(e.code, ERROR_OTHER);
	error_code(&busy, ERROR_BUSY, "cannot start:");
	assert_int_equal(busy.code, ERROR_BUSY);
	error_memory(&own);
	assert_int_equal(own.code, ERROR_MEMORY);
	assert_string_equal(own.text, "out of memory");
	error_memory(&e);	/* the first error stays */
	assert_int_equal(e.code, ERROR_OTHER);
	assert_string_equal(e.text, "no CUDA");
}
