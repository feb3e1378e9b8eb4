/*
 * Comparison of two runs: which kernels correspond, what a change gained, and
 * the verdict on each prediction. The documents are written in this file.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "report/compare.h"
#include "report/text.h"
#include "unit/test.h"

#include "unit/text_page.h"

#define near(a, b) assert_true(fabs((a) - (b)) <= 1e-9)

/* A run of ${wall_ns}: start-up, end and measuring take a tenth each, kernels half. */
static json_t *
run_of(long long wall_ns)
{
	return json_pack("{s:s, s:s, s:[s], s:s, s:I, s:{s:i}, s:{s:f, s:{s:f,"
	    "s:f, s:f}}}", "command", "./app", "level", "counters", "devices",
	    "GPU", "state", "finished", "wall_ns", (json_int_t)wall_ns,
	    "data", "lost", 0, "summary", "kernel_ratio", 0.5, "idle",
	    "startup_ratio", 0.1, "shutdown_ratio", 0.1, "measuring_ratio",
	    0.1);
}

static json_t *
kernel_of(int id, const char *name, int grid, int launches, double mean_ns)
{
	return json_pack("{s:i, s:s, s:[i,i,i], s:[i,i,i], s:i, s:s, s:{s:f,"
	    "s:f, s:f}}", "id", id, "name", name, "grid", grid, 1, 1, "block",
	    256, 1, 1, "launches", launches, "measured", "full", "time",
	    "total_ns", launches * mean_ns, "mean_ns", mean_ns, "sd_ns",
	    mean_ns / 100);
}

/* A finding about kernel ${kernel}, 0: about the run. It would save 2 s, 1 to 2.5. */
static json_t *
finding_of(const char *id, const char *rule, int kernel, bool worth_it)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:{s:f, s:f, s:f,"
	    "s:f}}", "id", id, "rule", rule, "title", rule, "where",
	    kernel > 0 ? "kernel" : "the run", "worth_it", worth_it,
	    "kernel_id", kernel > 0 ? json_integer(kernel) : json_null(),
	    "saves", "s", 2.0, "low_s", 1.0, "high_s", 2.5,
	    "kernel_speedup_ratio", 3.0);
}

/* ${f} as a finding about two launch shapes. */
static json_t *
json_of_shapes(json_t *f, int first, int second)
{
	json_object_set_new(f, "shapes", json_pack("{s:i, s:i, s:[{s:i},"
	    "{s:i}]}", "count", 2, "left_out", 0, "items", "kernel_id", first,
	    "kernel_id", second));
	return f;
}

struct side {
	json_t *run, *findings, *kernels;
};

static struct side
side_of(long long wall_ns)
{
	struct side s = { run_of(wall_ns), json_pack("{s:[], s:[]}", "items",
	    "rules"), json_array() };

	return s;
}

static void
add_finding(struct side *s, json_t *finding)
{
	json_array_append_new(json_object_get(s->findings, "items"), finding);
}

static void
add_verdict(struct side *s, const char *rule, const char *state)
{
	json_array_append_new(json_object_get(s->findings, "rules"),
	    json_pack("{s:s, s:s, s:s}", "rule", rule, "state", state, "reason",
	    "needs --level source"));
}

/* Compares the two, and frees them. */
static json_t *
compare_as(struct side *base, struct side *target, bool one_program)
{
	struct compare_side b = { base->run, base->findings, base->kernels };
	struct compare_side t = { target->run, target->findings,
	    target->kernels };
	json_t *o = compare_runs(&b, &t, one_program);
	struct side *sides[] = { base, target };

	assert_non_null(o);
	for (int i = 0; i < 2; i++) {
		json_decref(sides[i]->run);
		json_decref(sides[i]->findings);
		json_decref(sides[i]->kernels);
	}
	return o;
}

static json_t *
compare(struct side *base, struct side *target)
{
	return compare_as(base, target, true);
}

static double
number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static const char *
text(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* The kernel called ${name} in the comparison. */
static const json_t *
kernel(const json_t *o, const char *name)
{
	const json_t *k;
	size_t i;

	json_array_foreach(json_object_get(o, "kernels"), i, k)
		if (strcmp(text(k, "name"), name) == 0)
			return k;
	fail_msg("no kernel %s", name);
	return NULL;
}

static const json_t *
item(const json_t *o, size_t i)
{
	return json_array_get(json_object_get(json_object_get(o, "findings"),
	    "items"), i);
}

TEST(kernels_are_matched)
{
	struct side b = side_of(10000000000), t = side_of(8000000000);
	const json_t *k;
	json_t *o;

	/* The same kernel; its number of launches does not matter. */
	json_array_append_new(b.kernels, kernel_of(1, "alike", 100, 100, 1e7));
	json_array_append_new(t.kernels, kernel_of(7, "alike", 100, 300, 5e6));
	/* Half the grid, twice the launches. */
	json_array_append_new(b.kernels, kernel_of(2, "split", 64, 100, 1e7));
	json_array_append_new(t.kernels, kernel_of(8, "split", 32, 200, 4e6));
	/* Changed by no more than its spread. */
	json_array_append_new(b.kernels, kernel_of(3, "same", 9, 100, 1e6));
	json_array_append_new(t.kernels, kernel_of(9, "same", 9, 100, 1.001e6));
	/* Several kernels without a counterpart on either side: they are not
	 * matched. */
	json_array_append_new(b.kernels, kernel_of(4, "old", 1, 100, 2e6));
	json_array_append_new(t.kernels, kernel_of(10, "new", 1, 100, 2e6));
	json_array_append_new(t.kernels, kernel_of(11, "newer", 1, 100, 2e6));
	o = compare(&b, &t);
	k = kernel(o, "alike");
	assert_string_equal(text(k, "match"), "shape");
	near(number(k, "speedup_ratio"), 2);
	/* Of one second; kernels were not busy for longer than the sum of their
	 * times. */
	near(number(k, "saved_s"), 0.5);
	assert_true(json_is_true(json_object_get(k, "significant")));
	k = kernel(o, "split");
	assert_string_equal(text(k, "match"), "name");
	near(number(k, "speedup_ratio"), 1.0 / 0.8);
	near(number(k, "saved_s"), 0.2);
	assert_true(json_is_false(json_object_get(kernel(o, "same"),
	    "significant")));
	assert_null(text(kernel(o, "old"), "match"));
	assert_true(json_is_null(json_object_get(kernel(o, "old"), "target")));
	assert_true(json_is_null(json_object_get(kernel(o, "newer"), "base")));
	/* The largest difference comes first. */
	assert_string_equal(text(json_array_get(json_object_get(o, "kernels"),
	    0), "name"), "alike");
	near(number(o, "wall_saved_s"), 2);
	near(number(o, "active_saved_s"), 2 * 0.7);
	near(number(o, "kernel_saved_s"), 1);
	near(number(o, "other_saved_s"), 0.4);
	json_decref(o);
}

/* A renamed kernel is matched if it is the only one left, except for kernels
 * that are too short. */
TEST(the_rest_is_matched)
{
	struct side b = side_of(10000000000), t = side_of(8000000000);
	json_t *o;

	json_array_append_new(b.kernels, kernel_of(1, "f<false>", 8, 10, 1e7));
	json_array_append_new(t.kernels, kernel_of(1, "f<true>", 4, 10, 2e6));
	json_array_append_new(t.kernels, kernel_of(2, "tiny", 1, 1, 1e3));
	add_finding(&b, finding_of("a", "idle-lanes", 1, true));
	add_verdict(&t, "idle-lanes", "clean");
	o = compare(&b, &t);
	assert_string_equal(text(kernel(o, "f<false>"), "match"), "rest");
	near(number(kernel(o, "f<false>"), "speedup_ratio"), 5);
	assert_string_equal(text(item(o, 0), "state"), "gone");
	near(number(json_object_get(item(o, 0), "achieved"), "s"), 0.08);
	json_decref(o);
}

/* The single kernel of a different program is not a change of this one's, and a
 * kernel that the other program does not launch was not made faster. */
TEST(another_program_keeps_no_promise)
{
	for (int common = 0; common <= 1; common++) {
		struct side b = side_of(10000000000), t = side_of(8000000000);
		json_t *o;

		json_array_append_new(b.kernels, kernel_of(1, "f", 8, 10,
		    1e7));
		json_array_append_new(t.kernels, kernel_of(1, common == 1 ?
		    "f" : "g", 8, 10, 2e6));
		add_finding(&b, finding_of("1", "idle-lanes", 1, true));
		add_finding(&b, finding_of("2", "gpu-idle-gaps", 0, true));
		add_finding(&b, finding_of("3", "many-small-copies", 0, true));
		add_finding(&t, finding_of("3", "many-small-copies", 0, true));
		add_finding(&t, finding_of("4", "tail-effect", 1, true));
		add_verdict(&t, "idle-lanes", "clean");
		add_verdict(&t, "gpu-idle-gaps", "clean");
		o = compare_as(&b, &t, false);
		if (common == 1) {
			assert_string_equal(text(item(o, 0), "state"), "gone");
			json_decref(o);
			continue;
		}
		assert_null(text(kernel(o, "f"), "match"));
		assert_null(text(kernel(o, "g"), "match"));
		near(number(json_object_get(o, "findings"), "unknown"), 3);
		near(number(json_object_get(o, "findings"), "new"), 2);
		for (size_t i = 0; i < 3; i++) {
			assert_string_equal(text(item(o, i), "state"),
			    "unknown");
			assert_true(json_is_null(json_object_get(item(o, i),
			    "achieved")));
			assert_non_null(strstr(text(item(o, i), "reason"),
			    "another program"));
		}
		json_decref(o);
	}
}

/* Kernels that ran at the same time share that time. */
TEST(concurrent_kernels_share_time)
{
	struct side b = side_of(2000000000), t = side_of(2000000000);
	json_t *o;

	/* Two seconds each, within one second in which any kernel ran. */
	for (int i = 1; i <= 2; i++) {
		json_array_append_new(b.kernels, kernel_of(i, i == 1 ? "a" :
		    "b", 1, 100, 2e7));
		json_array_append_new(t.kernels, kernel_of(i, i == 1 ? "a" :
		    "b", 1, 100, i == 1 ? 1e7 : 2e7));
	}
	o = compare(&b, &t);
	near(number(kernel(o, "a"), "saved_s"), 0.25);
	json_decref(o);
}

TEST(fates)
{
	struct side b = side_of(10000000000), t = side_of(8000000000);
	const json_t *f;
	json_t *o;

	json_array_append_new(b.kernels, kernel_of(1, "k", 1, 100, 3e7));
	json_array_append_new(b.kernels, kernel_of(2, "lost", 1, 100, 1e6));
	json_array_append_new(t.kernels, kernel_of(5, "k", 1, 100, 1.5e7));
	json_array_append_new(t.kernels, kernel_of(6, "x", 1, 100, 1e6));
	json_array_append_new(t.kernels, kernel_of(7, "y", 1, 100, 1e6));
	add_finding(&b, finding_of("1", "idle-lanes", 1, true));
	add_finding(&b, finding_of("2", "tail-effect", 1, true));
	add_finding(&b, finding_of("3", "warp-divergence", 1, true));
	add_finding(&b, finding_of("4", "idle-lanes", 2, true));
	add_finding(&b, finding_of("5", "gpu-idle-gaps", 0, true));
	add_finding(&b, finding_of("6", "narrow-access", 1, true));
	add_finding(&b, finding_of("7", "many-small-copies", 0, false));
	/* Found again under another id; no longer worth a change; new. */
	add_finding(&t, finding_of("9", "tail-effect", 5, true));
	add_finding(&t, finding_of("3", "warp-divergence", 5, false));
	add_finding(&t, finding_of("8", "many-small-copies", 0, true));
	add_verdict(&t, "idle-lanes", "clean");
	add_verdict(&t, "warp-divergence", "found");
	add_verdict(&t, "gpu-idle-gaps", "clean");
	add_verdict(&t, "narrow-access", "not_measured");
	o = compare(&b, &t);
	f = json_object_get(o, "findings");
	near(number(f, "gone"), 3);
	near(number(f, "still"), 1);
	near(number(f, "unknown"), 2);
	near(number(f, "new"), 1);
	f = item(o, 0);		/* idle-lanes of k, beside warp-divergence */
	assert_string_equal(text(f, "state"), "gone");
	near(number(f, "shared_with"), 1);
	near(number(json_object_get(f, "predicted"), "s"), 2);
	near(number(json_object_get(f, "achieved"), "s"), 1.5);
	near(number(json_object_get(f, "achieved"), "kernel_speedup_ratio"), 2);
	/* There is no way to tell the shares of the two. */
	assert_true(json_is_null(json_object_get(f, "within")));
	f = item(o, 1);
	assert_string_equal(text(f, "state"), "still");
	assert_string_equal(text(f, "target_id"), "9");
	assert_true(json_is_null(json_object_get(f, "achieved")));
	assert_string_equal(text(item(o, 2), "state"), "gone");
	f = item(o, 3);
	assert_string_equal(text(f, "state"), "unknown");
	assert_non_null(strstr(text(f, "reason"), "not in the second run"));
	f = item(o, 4);		/* about the run: the part that kernels do not
				 * explain */
	assert_string_equal(text(f, "state"), "gone");
	near(number(json_object_get(f, "achieved"), "s"), 0.4);
	assert_true(json_is_false(json_object_get(f, "within")));
	f = item(o, 5);
	assert_string_equal(text(f, "state"), "unknown");
	assert_non_null(strstr(text(f, "reason"), "--level source"));
	f = item(o, 6);
	assert_string_equal(text(f, "state"), "new");
	assert_string_equal(text(f, "rule"), "many-small-copies");
	json_decref(o);
}

/* One change to a function with two shapes: it is matched whichever shape
 * represents it, and its gain is that of both. */
TEST(shapes_are_one)
{
	struct side b = side_of(10000000000), t = side_of(8000000000);
	const json_t *f;
	json_t *o;

	for (int i = 1; i <= 2; i++) {
		json_array_append_new(b.kernels, kernel_of(i, "k", i, 100,
		    i * 1e7));
		json_array_append_new(t.kernels, kernel_of(i + 4, "k", i, 100,
		    i * 0.5e7));
	}
	add_finding(&b, json_of_shapes(finding_of("1", "idle-lanes", 2, true),
	    2, 1));
	add_finding(&b, json_of_shapes(finding_of("2", "tail-effect", 2, true),
	    2, 1));
	add_finding(&t, json_of_shapes(finding_of("3", "tail-effect", 5, true),
	    5, 6));
	add_verdict(&t, "idle-lanes", "clean");
	o = compare(&b, &t);
	f = json_object_get(o, "findings");
	near(number(f, "gone"), 1);
	near(number(f, "still"), 1);
	near(number(f, "new"), 0);
	f = json_object_get(item(o, 0), "achieved");
	near(number(f, "s"), 1.5);
	near(number(f, "kernel_speedup_ratio"), 2);
	assert_string_equal(text(item(o, 1), "target_id"), "3");
	json_decref(o);
}

static json_t *
named(json_t *kernel, const char *name)
{
	json_object_set_new(kernel, "short_name", json_string(name));
	return kernel;
}

/* A finding about the run whose kernels were replaced by another gets the gain of
 * that; a finding about start-up gets the time by which start-up became shorter. */
TEST(what_a_run_s_finding_is_about)
{
	struct side b = side_of(10000000000), t = side_of(8000000000);
	json_t *o, *fused = finding_of("1", "kernel-fusion-candidate", 0, true);
	json_t *start = finding_of("2", "jit-at-startup", 0, true);

	json_array_append_new(b.kernels, named(kernel_of(1, "f(int)", 1, 100,
	    1e7), "f"));
	json_array_append_new(b.kernels, named(kernel_of(2, "g(int)", 1, 100,
	    1e7), "g"));
	json_array_append_new(t.kernels, named(kernel_of(1, "both(int)", 1, 100,
	    1.2e7), "both"));
	json_object_set_new(fused, "where", json_string("f + g"));
	json_object_set_new(start, "evidence", json_pack("[{s:s, s:f}]",
	    "name", "startup_s", "value", 0.9));
	add_finding(&b, fused);
	add_finding(&b, start);
	add_finding(&b, finding_of("3", "gpu-idle-gaps", 0, true));
	add_verdict(&t, "kernel-fusion-candidate", "clean");
	add_verdict(&t, "jit-at-startup", "clean");
	add_verdict(&t, "gpu-idle-gaps", "clean");
	o = compare(&b, &t);
	near(number(json_object_get(item(o, 0), "achieved"), "s"), 0.4 + 0.8);
	near(number(json_object_get(item(o, 1), "achieved"), "s"), 0.4 + 0.2);
	near(number(json_object_get(item(o, 2), "achieved"), "s"), 0.4);
	json_decref(o);
}

TEST(what_differs_is_noted)
{
	struct side b = side_of(1000000000), t = side_of(1000000000);
	json_t *o;

	json_object_set_new(t.run, "level", json_string("trace"));
	json_object_set_new(t.run, "devices", json_pack("[s]", "other GPU"));
	json_object_set_new(t.run, "state", json_string("killed"));
	json_object_set_new(b.run, "checks", json_pack("[s]", "memcheck"));
	o = compare(&b, &t);
	assert_int_equal(json_array_size(json_object_get(o, "notes")), 4);
	json_decref(o);
}

/* Documents that lack every member, or have anything in its place. */
TEST(wrong_documents)
{
	static const char *const odd[] = { "{}", "[]", "[1, null, \"x\", {}]",
		"[{\"id\": -1, \"name\": 5, \"grid\": 3, \"launches\": \"x\"}]",
		"[{\"id\": 9223372036854775807, \"name\": \"\\u0001\", "
		"\"launches\": -5, \"time\": {\"total_ns\": -1e300, "
		"\"mean_ns\": 1e300, \"sd_ns\": 1e300}}]",
		"{\"items\": [{}, {\"worth_it\": true}, {\"worth_it\": true, "
		"\"kernel_id\": -1, \"saves\": {\"s\": \"x\"}}], "
		"\"rules\": [{}, 1]}",
		"{\"wall_ns\": \"x\", \"summary\": [], \"devices\": 3}" };
	size_t n = sizeof(odd) / sizeof(odd[0]);

	for (size_t i = 0; i < n * n * n; i++) {
		struct side b = { json_loads(odd[i % n], 0, NULL),
			json_loads(odd[i / n % n], 0, NULL),
			json_loads(odd[i / n / n], 0, NULL) };
		struct side t = { json_loads(odd[i / n % n], 0, NULL),
			json_loads(odd[i % n], 0, NULL),
			json_loads(odd[i / n / n], 0, NULL) };
		json_t *o = compare(&b, &t);
		struct page p;
		char *dump = json_dumps(o, 0);

		assert_non_null(dump);
		free(dump);
		page_open(&p, 80, true);
		text_compare_head(&p.out, o, "1", "2");
		text_compare(&p.out, o);
		text_outcomes(&p.out, o, "1", "2");
		page_close(&p);
		assert_safe(p.text, 80);
		free(p.text);
		json_decref(o);
	}
}

TEST(golden)
{
	struct side b = side_of(12400000000), t = side_of(8700000000);
	struct page p;
	json_t *o;

	json_array_append_new(b.kernels, kernel_of(1,
	    "softmax_forward_kernel1(float*, float const*, int)", 256, 20000,
	    225e3));
	json_array_append_new(t.kernels, kernel_of(1,
	    "softmax_forward_kernel1(float*, float const*, int)", 256, 20000,
	    32e3));
	json_array_append_new(b.kernels, kernel_of(2, "add(float*)", 64, 500,
	    40e3));
	json_array_append_new(t.kernels, kernel_of(2, "add(float*)", 64, 500,
	    40e3));
	json_array_append_new(b.kernels, kernel_of(3, "scale(float*)", 64, 500,
	    40e3));
	json_array_append_new(t.kernels, kernel_of(3, "scale(float*)", 32, 1000,
	    50e3));
	add_finding(&b, finding_of("1", "uncoalesced-global-access", 1, true));
	add_finding(&b, finding_of("2", "idle-lanes", 1, true));
	add_finding(&b, finding_of("3", "pageable-host-memory", 0, true));
	add_finding(&b, finding_of("4", "narrow-access", 3, true));
	add_finding(&t, finding_of("3", "pageable-host-memory", 0, true));
	add_finding(&t, finding_of("8", "tail-effect", 2, true));
	add_verdict(&t, "uncoalesced-global-access", "clean");
	add_verdict(&t, "idle-lanes", "clean");
	add_verdict(&t, "narrow-access", "not_measured");
	o = compare(&b, &t);
	page_open(&p, 80, true);
	text_compare_head(&p.out, o, "41", "42");
	text_compare(&p.out, o);
	text_outcomes(&p.out, o, "41", "42");
	page_close(&p);
	assert_safe(p.text, 80);
	assert_golden("compare", p.text);
	free(p.text);
	/* On a page without room beside the numbers. */
	page_open(&p, 60, true);
	text_compare_head(&p.out, o, "41", "42");
	text_compare(&p.out, o);
	page_close(&p);
	assert_safe(p.text, 60);
	assert_non_null(strstr(p.text, "\nWhat became of the predictions\n"));
	free(p.text);
	json_decref(o);
}
