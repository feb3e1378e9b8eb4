#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "base/error.h"
#include "unit/fixtures.h"
#include "unit/test.h"

static char *top;

static int
load(struct config *c, const char *text, struct error *e)
{
	char path[256];
	FILE *f;

	*e = (struct error)ERROR_INIT;
	snprintf(path, sizeof(path), "%s/c.conf", top);
	if ((f = fopen(path, "w")) == NULL)
		abort();
	fputs(text, f);
	fclose(f);
	return config_load(c, path, true, e);
}

static void
refused(const char *text, const char *line, const char *word)
{
	struct config c, fresh;
	struct error e;

	assert_int_equal(load(&c, text, &e), -1);
	assert_non_null(strstr(e.text, line));
	assert_non_null(strstr(e.text, word));
	config_init(&fresh);
	assert_memory_equal(&c, &fresh, sizeof(c));
}

TEST(shipped_file_is_the_defaults)
{
	struct config c, fresh;
	struct error e = ERROR_INIT;

	config_init(&fresh);
	assert_int_equal(config_load(&c, CONFIG_DIR "/cudadvised.conf", true,
	    &e), 0);
	assert_memory_equal(&c, &fresh, sizeof(c));
}

TEST(keys_are_taken)
{
	struct config c;
	struct error e;

	assert_int_equal(load(&c, "[http]\nport = 4711\n[run]\n"
	    "overhead_budget = 0.2\nmax_stall_ms = 7\nlevel = trace\n"
	    "[retention]\nruns=3\n"
	    "[daemon]\nlog_level = debug\n", &e), 0);
	assert_int_equal(c.tcp_port, 4711);
	assert_int_equal(c.level, 1);
	assert_int_equal(c.keep_runs, 3);
	assert_int_equal(c.log_level, 3);
	assert_int_equal(c.max_stall_ms, 7);
	assert_true(c.overhead_budget > 0.19 && c.overhead_budget < 0.21);
	config_clear(&c);
}

TEST(thresholds_are_taken)
{
	struct config c;
	struct error e;

	assert_int_equal(load(&c, "[rules]\n"
	    "uncoalesced-global-access.min_ratio = 1.5\n", &e), 0);
	assert_non_null(c.thresholds);
	config_clear(&c);
	assert_null(c.thresholds);
}

TEST(errors_name_the_line)
{
	refused("[http]\n\nprot = 1\n", "c.conf:3:", "prot");
	refused("[htpt]\nport = 1\n", "c.conf:2:", "htpt");
	refused("port = 1\n", "c.conf:1:", "port");
	refused("[http]\nport = 65536\n", "c.conf:2:", "65536");
	refused("[http]\nport = -1\n", "c.conf:2:", "-1");
	refused("[http]\nport = 1x\n", "c.conf:2:", "1x");
	refused("[http]\nport =\n", "c.conf:2:", "port");
	refused("[http]\nport\n", "c.conf:2:", "KEY = VALUE");
	refused("[run]\nlevel = all\n", "c.conf:2:", "all");
	refused("[run]\noverhead_budget = nan\n", "c.conf:2:", "nan");
	refused("[run]\nmax_stall_ms = 0\n", "c.conf:2:", "from 1 to 60000");
	refused("[run]\nmax_stall_ms = 60001\n", "c.conf:2:", "max_stall_ms");
	refused("[rules]\nnope.key = 1\n", "c.conf:2:", "nope.key");
	refused("[rules]\nuncoalesced-global-access.min_ratio = 1.5\n"
	    "uncoalesced-global-access.min_ratio = x\n", "c.conf:3:", "x");
	refused("# a comment\n[http]\nport = 1\nport = a\n", "c.conf:4:", "a");
}

TEST(a_long_line_is_an_error)
{
	char text[8192];

	snprintf(text, sizeof(text), "[http]\nport = %05000d\n", 1);
	refused(text, "c.conf:2:", "too long");
}

TEST(missing_file)
{
	struct error e = ERROR_INIT;
	struct config c;

	assert_int_equal(config_load(&c, "/nonexistent/x", false, &e), 0);
	assert_int_equal(config_load(&c, "/nonexistent/x", true, &e), -1);
	assert_non_null(strstr(e.text, "/nonexistent/x"));
}

static int
set_up(void **state)
{
	(void)state;
	top = fixture_mkdir();
	return 0;
}

static int
tear_down(void **state)
{
	(void)state;
	fixture_rmdir(top);
	return 0;
}

TEST_GROUP(set_up, tear_down)
