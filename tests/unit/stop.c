/* Long work is abandoned when the process must end, and its data stays as it was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/stop.h"
#include "report/analyse.h"
#include "capture/capture.h"
#include "model/model.h"
#include "source/child.h"
#include "unit/fixtures.h"
#include "unit/test.h"

static char *top;
static char path[200], copy[200];

static int
set_up(void **state)
{
	struct fixture f;

	(void)state;
	top = fixture_mkdir();
	snprintf(path, sizeof(path), "%s/a.cadv", top);
	snprintf(copy, sizeof(copy), "%s/b.cadv", top);
	fixture_init(&f, 5);
	fixture_process(&f, FIXTURE_RUN, 1, 400, 20);
	fixture_write(&f, path, f.len);
	fixture_free(&f);
	return 0;
}

static int
tear_down(void **state)
{

	(void)state;
	stop_ask(false);
	fixture_rmdir(top);
	return 0;
}

static int
visit(void *arg, uint64_t stream, uint64_t sequence, const struct record *r)
{

	(void)stream;
	(void)sequence;
	(void)r;
	++*(int *)arg;
	return 0;
}

TEST_WITH(captures_are_left, set_up, tear_down)
{
	const char *const one[] = { path };
	struct error e = ERROR_INIT;
	struct capture_index x;
	struct model *m = model_new();
	int seen = 0;

	assert_int_equal(capture_load_index(path, &x, &e), 0);
	stop_ask(true);
	assert_int_equal(capture_load(path, m, NULL, &e), -1);
	assert_non_null(strstr(e.text, "ending"));
	e = (struct error)ERROR_INIT;
	assert_int_equal(capture_window(path, &x, 0, UINT64_MAX, UINT64_MAX,
	    visit, &seen, NULL, &e), -1);
	assert_int_equal(seen, 0);
	e = (struct error)ERROR_INIT;
	assert_int_equal(capture_concat(one, 1, copy, &e), -1);
	e = (struct error)ERROR_INIT;
	assert_int_equal(capture_copy(path, &x, copy, &e), -1);
	stop_ask(false);
	e = (struct error)ERROR_INIT;
	assert_int_equal(capture_load(path, m, NULL, &e), 0);
	model_free(m);
	capture_index_clear(&x);
}

TEST_WITH(an_analysis_is_left, set_up, tear_down)
{
	struct error e = ERROR_INIT;
	struct documents *docs;
	struct model *m = model_new();

	assert_int_equal(capture_load(path, m, NULL, &e), 0);
	stop_ask(true);
	assert_null(analyse(m, true, NULL, 0, NULL));
	assert_int_equal(analyse_error(&e), -1);
	assert_non_null(strstr(e.text, "ending"));
	stop_ask(false);
	docs = analyse(m, true, NULL, 0, NULL);
	assert_non_null(docs);
	documents_free(docs);
	model_free(m);
}

/* The child would run for an hour. */
TEST_WITH(a_child_is_left, set_up, tear_down)
{
	char *const argv[] = { "sleep", "3600", NULL };
	const struct child_limits limits = { .ns = 3600000000000ull,
	    .cpu_seconds = 10, .memory = 1 << 30, .output = 1 << 20 };
	struct child_output o;
	struct error e = ERROR_INIT;

	stop_ask(true);
	assert_int_equal(child_run("/bin/sleep", argv, &limits, &o, &e), -1);
	assert_non_null(strstr(e.text, "ending"));
}
