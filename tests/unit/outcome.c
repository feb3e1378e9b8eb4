/*
 * The doubts about a change: two documents, written in this file, that differ
 * in one thing.
 */
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "compare/conditions.h"
#include "compare/outcome.h"
#include "report/text_util.h"
#include "unit/test.h"

/* A run of kernels, each 1 ms in ten launches: "[{"name": …, …}, …]". */
static struct trial_run
run_of(const char *kernels)
{
	json_t *run = json_pack("{s:s, s:s, s:s, s:I, s:f, s:{s:f}}", "state",
	    "finished", "command", "./app", "level", "auto", "wall_ns",
	    (json_int_t)3000000, "active_s", 2e-3, "summary", "gpu_busy_ratio",
	    0.5), *list = json_loads(kernels, 0, NULL), *k, *whole;
	size_t i;

	assert_non_null(list);
	json_array_foreach(list, i, k) {
		whole = json_pack("{s:i, s:[i,i,i], s:[i,i,i], s:i, s:s,"
		    "s:{s:i, s:i, s:i}}", "id", (int)i + 1, "grid", 1, 1, 1,
		    "block", 32, 1, 1, "launches", 10, "measured", "full",
		    "time", "total_ns", 1000000, "mean_ns", 100000, "sd_ns", 0);
		json_object_update_missing(k, whole);
		json_decref(whole);
	}
	return (struct trial_run){ run, json_pack("{s:[], s:[{s:s, s:s},"
	    "{s:s, s:s}]}", "items", "rules", "rule", "low-ilp", "state", "clean",
	    "rule", "tail-effect", "state", "clean"), list, conditions_of(run, NULL, NULL) };
}

static void
drop(struct trial_run *r)
{

	json_decref((json_t *)r->run);
	json_decref((json_t *)r->findings);
	json_decref((json_t *)r->kernels);
	json_decref((json_t *)r->conditions);
}

/* The doubts about ${after}, as "code kernel, code kernel, ". */
static const char *
doubts(const char *before, const char *after)
{
	static char text[512];
	struct trial_run base = run_of(before), target = run_of(after);
	json_t *outcome = outcome_of(&base, &target, 0), *d;
	size_t i, n = 0;

	assert_non_null(outcome);
	text[0] = '\0';
	json_array_foreach(json_object_get(outcome, "doubts"), i, d) {
		assert_true(strlen(field_text(d, "text")) > 20);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %s, ",
		    field_text(d, "code"), field_text(d, "kernel"));
	}
	json_decref(outcome);
	drop(&base);
	drop(&target);
	return text;
}

#define PLAIN "[{\"name\": \"k\"}]"
#define WITH(member) "[{\"name\": \"k\", " member "}]"

TEST(test_nothing_to_doubt)
{
	assert_string_equal(doubts(PLAIN, PLAIN), "");
	assert_string_equal(doubts(WITH("\"bandwidth\": {\"dram_ratio\": 0.9}"),
	    WITH("\"bandwidth\": {\"dram_ratio\": 1.1}")), "");
}

TEST(test_faster_than_its_bytes_allow)
{
	assert_string_equal(doubts(PLAIN,
	    WITH("\"bandwidth\": {\"dram_ratio\": 1.4}")), "too-fast k, ");
	assert_string_equal(doubts(PLAIN,
	    WITH("\"bandwidth\": {\"l2_ratio\": 1.4}")), "too-fast k, ");
	/* The same before the change: the change did not cause it. */
	assert_string_equal(doubts(WITH("\"bandwidth\": {\"l2_ratio\": 40}"),
	    WITH("\"bandwidth\": {\"l2_ratio\": 39}")), "");
}

TEST(test_launched_without_a_time)
{
	assert_string_equal(doubts(PLAIN, WITH("\"time\": {\"total_ns\": 0,"
	    "\"mean_ns\": null, \"sd_ns\": null}")), "untimed k, ");
}

TEST(test_precision)
{
#define FLOPS(kinds) WITH("\"roofline\": {\"flops\": {" kinds "}}")
	assert_string_equal(doubts(FLOPS("\"fp64\": 5, \"fp32\": 0"),
	    FLOPS("\"fp64\": 0, \"fp32\": 5")), "precision k, ");
	assert_string_equal(doubts(FLOPS("\"fp32\": 5, \"tensor\": 0"),
	    FLOPS("\"fp32\": 0, \"tensor\": 5")), "precision k, ");
	/* More of one beside the other, or one that was not counted, is not a
	 * change. */
	assert_string_equal(doubts(FLOPS("\"fp64\": 5, \"fp32\": 1"),
	    FLOPS("\"fp64\": 5, \"fp32\": 9")), "");
	assert_string_equal(doubts(FLOPS("\"fp64\": 5"), PLAIN), "");
	assert_string_equal(doubts(FLOPS("\"fp32\": 5"),
	    FLOPS("\"fp64\": 5, \"fp32\": 0")), "");
}

TEST(test_one_doubt_about_many)
{
	struct trial_run base = run_of("[{\"name\": \"k\"}, {\"name\": \"j\"}, "
	    "{\"name\": \"i\"}]"), target = run_of("[{\"name\": \"k\"}]");
	json_t *outcome = outcome_of(&base, &target, 0), *list;

	list = json_object_get(outcome, "doubts");
	assert_int_equal(json_array_size(list), 1);
	assert_string_equal(field_text(json_array_get(list, 0), "code"), "vanished");
	assert_int_equal(field_count(json_array_get(list, 0), "others"), 1);
	json_decref(outcome);
	drop(&base);
	drop(&target);
}

TEST(test_kernels_that_vanished)
{
#define TWO "[{\"name\": \"k\"}, {\"name\": \"j\"}]"
	assert_string_equal(doubts(TWO, PLAIN), "vanished j, ");
	assert_string_equal(doubts(PLAIN, TWO), "");
	/* One kernel in place of one is assumed to be the same; one in place of
	 * two may do the work of both. */
	assert_string_equal(doubts(TWO, "[{\"name\": \"k\"}, {\"name\": \"new\"}]"), "");
	assert_string_equal(doubts("[{\"name\": \"k\"}, {\"name\": \"j\"}, "
	    "{\"name\": \"i\"}]", "[{\"name\": \"k\"}, {\"name\": \"new\"}]"),
	    "replaced new, ");
}

TEST(test_what_the_program_times_no_more)
{
#define STREAM(kind) WITH("\"stream_kind\": " kind)
#define WAITED(how) WITH("\"waited_for\": " how)
	assert_string_equal(doubts(STREAM("\"default\""), STREAM("\"other\"")),
	    "untimed-stream k, ");
	assert_string_equal(doubts(STREAM("\"default\""),
	    STREAM("\"blocking\"")), "");
	assert_string_equal(doubts(STREAM("null"), STREAM("\"other\"")), "");
	assert_string_equal(doubts(STREAM("\"other\""), STREAM("\"other\"")), "");
	assert_string_equal(doubts(WAITED("true"), WAITED("false")),
	    "unwaited k, ");
	assert_string_equal(doubts(WAITED("false"), WAITED("false")), "");
	assert_string_equal(doubts(WAITED("true"), WAITED("null")), "");
	/* Recordings made before this was recorded. */
	assert_string_equal(doubts(PLAIN, WAITED("false")), "");
}

/* A finding of rule ${rule} at kernel 1, which would save 0.5 ms, 0.4 at least. */
static void
found(struct trial_run *r, const char *id, const char *rule)
{

	json_array_append_new(json_object_get(r->findings, "items"),
	    json_pack("{s:s, s:s, s:s, s:s, s:b, s:i, s:{s:f, s:f, s:f, s:f}}", "id", id,
	    "rule", rule, "title", rule, "where", "k", "worth_it", 1, "kernel_id", 1,
	    "saves", "s", 5e-4, "low_s", 4e-4, "high_s", 6e-4, "kernel_speedup_ratio",
	    2.0));
}

/* The outcome of the finding if the kernel takes ${ms} after the change and ${rule} is
 * found there instead (NULL: nothing is), as "state: what moved". */
static const char *
became(const char *time, const char *rule)
{
	static char text[256];
	struct trial_run base = run_of(PLAIN), target = run_of(time);
	const json_t *item;
	json_t *outcome;

	found(&base, "1111111111111111", "low-ilp");
	if (rule != NULL)
		found(&target, strcmp(rule, "low-ilp") == 0 ? "1111111111111111" :
		    "2222222222222222", rule);
	assert_non_null(outcome = outcome_of(&base, &target, 0));
	item = json_array_get(json_object_get(outcome, "items"), 0);
	snprintf(text, sizeof(text), "%s: %s", or_unknown(field_text(item, "state")),
	    or_unknown(field_text(json_object_get(item, "moved_to"), "rule")));
	json_decref(outcome);
	drop(&base);
	drop(&target);
	return text;
}

TEST(test_where_the_time_went_instead)
{
#define TAKES(us) WITH("\"time\": {\"total_ns\": " us "0000, \"mean_ns\": " us "000, "	\
    "\"sd_ns\": 0}")
	assert_string_equal(became(TAKES("50"), NULL), "kept: unknown");
	assert_string_equal(became(TAKES("50"), "tail-effect"), "kept: unknown");
	assert_string_equal(became(TAKES("80"), "tail-effect"),
	    "partly: tail-effect");
	assert_string_equal(became(TAKES("80"), NULL), "partly: unknown");
	assert_string_equal(became(TAKES("100"), "tail-effect"),
	    "missed: tail-effect");
	assert_string_equal(became(TAKES("100"), "low-ilp"), "missed: unknown");
}
