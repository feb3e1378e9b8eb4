#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/demangle.h"
#include "base/error.h"
#include "base/paths.h"
#include "base/text.h"
#include "unit/fixtures.h"
#include "unit/test.h"

TEST(runtime_is_made_private)
{
	struct error e = ERROR_INIT;
	char dir[PATH_MAX], out[PATH_MAX];
	char *top = fixture_mkdir();
	struct stat st;

	snprintf(dir, sizeof(dir), "%s/a/b", top);
	setenv("CUDADVISE_RUNTIME_DIR", dir, 1);
	assert_int_equal(paths_runtime(out, &e), 0);
	assert_string_equal(out, dir);
	assert_int_equal(stat(out, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(paths_ingest_socket(out, &e), 0);
	assert_non_null(strstr(out, "/a/b/ingest.sock"));
	fixture_rmdir(top);
}

TEST(open_directory_is_refused)
{
	struct error e = ERROR_INIT;
	char out[PATH_MAX];
	char *top = fixture_mkdir();

	chmod(top, 0755);
	setenv("CUDADVISE_STATE_DIR", top, 1);
	assert_int_equal(paths_state(out, &e), -1);
	assert_non_null(strstr(e.text, "open to other users"));
	assert_non_null(strstr(e.remedy, "chmod 700"));
	fixture_rmdir(top);
}

TEST(file_in_the_way)
{
	struct error e = ERROR_INIT;
	char out[PATH_MAX];

	setenv("CUDADVISE_STATE_DIR", "/dev/null/x", 1);
	assert_int_equal(paths_state(out, &e), -1);
	assert_non_null(strstr(e.text, "/dev/null"));
	assert_true(e.remedy[0] != '\0');
}

TEST(socket_path_too_long)
{
	struct error e = ERROR_INIT;
	char out[PATH_MAX], dir[PATH_MAX];
	char *top = fixture_mkdir();

	snprintf(dir, sizeof(dir), "%s/%0100d", top, 1);
	setenv("CUDADVISE_RUNTIME_DIR", dir, 1);
	assert_int_equal(paths_ingest_socket(out, &e), -1);
	assert_non_null(strstr(e.text, "107"));
	assert_non_null(strstr(e.remedy, "CUDADVISE_RUNTIME_DIR"));
	fixture_rmdir(top);
}

TEST(path_too_long)
{
	char big[PATH_MAX + 10], out[PATH_MAX];
	struct error e = ERROR_INIT;

	memset(big, 'a', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	assert_int_equal(paths_join(out, big, "b", &e), -1);
	assert_true(e.set);
}

TEST(xdg_places)
{
	struct error e = ERROR_INIT;
	char out[PATH_MAX], expected[PATH_MAX];
	char *top = fixture_mkdir();

	unsetenv("CUDADVISE_RUNTIME_DIR");
	unsetenv("CUDADVISE_STATE_DIR");
	unsetenv("CUDADVISE_CONFIG");
	setenv("XDG_RUNTIME_DIR", top, 1);
	setenv("XDG_STATE_HOME", top, 1);
	setenv("XDG_CONFIG_HOME", top, 1);
	snprintf(expected, sizeof(expected), "%s/cudadvise", top);
	assert_int_equal(paths_runtime(out, &e), 0);
	assert_string_equal(out, expected);
	assert_int_equal(paths_state(out, &e), 0);
	assert_string_equal(out, expected);
	snprintf(expected, sizeof(expected), "%s/cudadvise/cudadvised.conf",
	    top);
	assert_int_equal(paths_config(out, &e), 0);
	assert_string_equal(out, expected);
	/* A relative path is ignored. */
	setenv("XDG_STATE_HOME", "relative", 1);
	setenv("HOME", top, 1);
	assert_int_equal(paths_state(out, &e), 0);
	assert_non_null(strstr(out, "/.local/state/cudadvise"));
	fixture_rmdir(top);
}

static void
shorten(const char *mangled, const char *expected)
{
	struct demangling d = { 0 };
	char *name = demangle_name(&d, mangled), out[256];

	text_shorten(out, sizeof(out), name);
	assert_string_equal(out, expected);
	free(name);
}

TEST(names_for_people)
{
	shorten("_Z7saxpy_kPfS_f", "saxpy_k");
	shorten("plain_c_kernel", "plain_c_kernel");
	shorten("void at::native::vectorized_elementwise_kernel<4, "
	    "at::native::(anonymous namespace)::F, std::array<char*, 3ul> >"
	    "(int, at::native::F, std::array<char*, 3ul>)",
	    "vectorized_elementwise_kernel");
	shorten("(anonymous namespace)::softmax<float, (bool)1>(float*)",
	    "softmax");
	shorten("void outer(int)::inner<float>(float*)", "inner");
	shorten("ns::T::operator()(int) const", "operator()");
	shorten("bool ns::operator<(int, int)", "operator<");
	shorten("bool ns::operator<< <char>(int, int)", "operator<<");
	shorten("void f<(a > 3)>(int)", "f");
	shorten("ns::{lambda(int)#1}::operator()(int) const", "operator()");
	shorten("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, "
	    "double>(int)", "gemvx::kernel");
	shorten("void ns::T<float>::kernel(int)", "T::kernel");
	shorten("void kernel<float>(int)", "kernel");
	shorten("void ns::(anonymous namespace)::kernel(int)", "kernel");
	shorten("void ns::a_kernel(int)", "a_kernel");
	shorten("::kernel", "kernel");
	shorten("_ZN8__main__1A5sweepB2v3B8cw51cXTLE5ArrayIfLi1E1CE", "sweep");
	shorten("__main__::sweep[abi:v3][abi:cw51](Array<float, 1, C>)", "sweep");
	shorten("f[abi:cxx11]", "f");
	shorten("T::operator[](int)", "operator[]");
	shorten("f[abi:", "f[abi:");
	shorten("", "");
	shorten("<", "<");
	shorten("((((", "((((");
	shorten("_Z", "_Z");
}

TEST(text_helpers)
{
	char out[8], dirty[] = "a\x01\xff\xc3\xa9\xed\xa0\x80z";
	double d;
	uint64_t v;
	int64_t ns;

	assert_int_equal(text_copy(out, 4, "abcdef"), -1);
	assert_string_equal(out, "abc");
	assert_int_equal(text_copy(out, 3, "a\xc3\xa9"), -1);
	assert_string_equal(out, "a");
	assert_int_equal(text_u64("18446744073709551615", 0, UINT64_MAX, &v),
	    0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(text_u64("18446744073709551616", 0, UINT64_MAX, &v),
	    -1);
	assert_int_equal(text_u64("-1", 0, UINT64_MAX, &v), -1);
	assert_int_equal(text_u64("1 ", 0, 5, &v), -1);
	assert_int_equal(text_u64("", 0, 5, &v), -1);
	assert_int_equal(text_double("1e3", 0, 1e4, &d), 0);
	assert_int_equal(text_double("nan", 0, 1e4, &d), -1);
	assert_int_equal(text_double("0x10", 0, 1e4, &d), -1);
	assert_int_equal(text_double("1e999", 0, 1e308, &d), -1);
	assert_int_equal(text_instant("1970-01-02", &ns), 0);
	assert_true(ns == 86400 * INT64_C(1000000000));
	assert_int_equal(text_instant("2026-11-22T23:07:36.123Z", &ns), 0);
	assert_true(ns == INT64_C(1795388856123000000));
	assert_int_equal(text_instant("2026-11-22T23:07:36.0000000019", &ns), 0);
	assert_true(ns == INT64_C(1795388856000000001));
	assert_int_equal(text_instant("yesterday", &ns), -1);
	assert_int_equal(text_instant("1969-12-31", &ns), -1);
	assert_int_equal(text_instant("2026-11-22T25:00", &ns), -1);
	assert_int_equal(text_instant("2026-11-22 23:07", &ns), -1);
	assert_true(text_is_hex("00ff", 4));
	assert_false(text_is_hex("00FF", 4));
	assert_false(text_is_hex("00ff0", 4));
	text_clean(dirty, sizeof(dirty) - 1);
	assert_string_equal(dirty, "a??\xc3\xa9???z");
}
