/* Kernel time by NVTX range: the ranges around a launch, overlapping ranges,
 * names that differ in numbers, and what does not fit. */
#include <stdio.h>
#include <string.h>

#include <jansson.h>

#include "report/ranges.h"
#include "report/reader.h"
#include "report/text.h"
#include "report/text_parts.h"

#include "unit/noun.h"
#include "unit/text_page.h"

#define ORIGIN 1000000u
#define OPERATIONS 20000

struct made {
	struct operation op[OPERATIONS];
	char name[OPERATIONS][32];
	size_t n;
};

static struct operation *
range(struct made *m, uint32_t thread, uint64_t from, uint64_t to,
    const char *name)
{
	struct operation *op = &m->op[m->n++];

	*op = (struct operation){ .row = ROW_COUNT, .host = true,
	    .process = 7, .thread = thread, .across = thread == 0,
	    .from = ORIGIN + from, .to = ORIGIN + to, .range = name };
	return op;
}

static void
kernel(struct made *m, uint32_t thread, uint64_t launched, uint64_t ns)
{

	m->op[m->n++] = (struct operation){ .row = ROW_KERNEL, .process = 7,
	    .thread = thread, .launched = launched == 0 ? 0 :
	    ORIGIN + launched, .from = ORIGIN + 5000,
	    .to = ORIGIN + 5000 + ns };
}

static int
visit_all(void *arg, operation_visit *visit, void *visited)
{
	const struct made *m = arg;
	int rc = 0;

	for (size_t i = 0; i < m->n && rc == 0; i++)
		rc = visit(visited, &m->op[i]);
	return rc;
}

/* More short ranges than are kept, each shorter than the one before, a
 * kernel in none of them, and one range around all. */
static int
visit_many(void *arg, operation_visit *visit, void *visited)
{
	struct operation op = *(struct operation *)arg;
	const struct operation launch = { .row = ROW_KERNEL, .process = 7,
	    .thread = 1, .launched = ORIGIN, .from = ORIGIN, .to = ORIGIN + 9 };
	uint32_t i;
	int rc = visit(visited, &launch);

	for (i = 0; i <= RANGES_MOST && rc == 0; i++) {
		op.from = ORIGIN + 10;
		op.to = op.from + 2 * RANGES_MOST - i;
		rc = visit(visited, &op);
	}
	op.range = "outer";
	op.from = ORIGIN;
	op.to = ORIGIN + 4 * (uint64_t)RANGES_MOST;
	return rc != 0 ? rc : visit(visited, &op);
}

static json_t *
read_all(struct made *m)
{
	struct reader r = { .arg = m, .origin_ns = ORIGIN,
	    .operations = visit_all };
	json_t *j = ranges_read(&r);

	assert_non_null(j);
	assert_noun(j, "Ranges");
	return j;
}

static const json_t *
item(const json_t *j, const char *name)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(j, "items"), i, row)
		if (strcmp(json_string_value(json_object_get(row, "name")),
		    name) == 0)
			return row;
	return NULL;
}

static long long
ns(const json_t *row, const char *field)
{
	return (long long)(json_number_value(json_object_get(row, field)) * 1e9 +
	    0.5);
}

static long long
number(const json_t *row, const char *field)
{
	return json_integer_value(json_object_get(row, field));
}

static struct made made;

/* A range's record comes at its end: the outer range's last. */
TEST(a_kernel_counts_for_each_range_around_its_launch)
{
	json_t *j;

	made.n = 0;
	kernel(&made, 1, 20, 100);	/* inner, outer */
	range(&made, 1, 10, 30, "inner");
	kernel(&made, 1, 40, 30);	/* outer */
	kernel(&made, 2, 20, 7);	/* of another thread */
	kernel(&made, 1, 0, 5);		/* launch time unknown */
	kernel(&made, 1, 100, 2);	/* at the end of outer: not in it */
	range(&made, 1, 0, 100, "outer");
	j = read_all(&made);
	assert_int_equal(ns(item(j, "inner"), "kernel_s"), 100);
	assert_int_equal(ns(item(j, "inner"), "own_s"), 100);
	assert_int_equal(ns(item(j, "inner"), "host_s"), 20);
	assert_int_equal(ns(item(j, "outer"), "kernel_s"), 130);
	assert_int_equal(ns(item(j, "outer"), "own_s"), 30);
	assert_int_equal(number(item(j, "outer"), "launches"), 2);
	assert_int_equal(ns(j, "kernel_s"), 144);
	assert_int_equal(ns(j, "inside_s"), 130);
	/* The outer range first, and the inner one a level deeper. */
	assert_int_equal(json_array_size(json_object_get(j, "drawn")), 2);
	assert_int_equal(json_integer_value(json_array_get(json_array_get(
	    json_object_get(j, "drawn"), 1), 2)), 1);
	json_decref(j);
}

/* A name nested in itself counts once; ranges without a thread contain every
 * thread's launches, and may overlap. */
TEST(recursion_and_overlap)
{
	json_t *j;

	made.n = 0;
	range(&made, 1, 0, 100, "again");
	range(&made, 1, 10, 90, "again");
	range(&made, 0, 0, 60, "first");
	range(&made, 0, 40, 100, "second");
	range(&made, 0, 45, 50, "short");
	kernel(&made, 1, 20, 1);
	kernel(&made, 2, 55, 10);
	kernel(&made, 2, 70, 100);
	j = read_all(&made);
	assert_int_equal(ns(item(j, "again"), "kernel_s"), 1);
	assert_int_equal(number(item(j, "again"), "count"), 2);
	assert_int_equal(ns(item(j, "first"), "kernel_s"), 11);
	assert_int_equal(ns(item(j, "second"), "kernel_s"), 110);
	assert_int_equal(ns(item(j, "second"), "own_s"), 110);
	assert_int_equal(ns(item(j, "short"), "kernel_s"), 0);
	assert_int_equal(ns(j, "inside_s"), 111);
	json_decref(j);
}

/* Sixteen layers have a row each; a thousand steps share one; names without
 * numbers have their own row, however many there are. */
TEST(names_that_differ_in_numbers)
{
	json_t *j;
	size_t i;

	made.n = 0;
	for (i = 0; i < RANGES_NAMES + 100; i++) {
		snprintf(made.name[i], sizeof(made.name[i]), "step %zu", i);
		range(&made, 1, 10 + 2 * i, 11 + 2 * i, made.name[i]);
		if (i < 1000)
			kernel(&made, 1, 10 + 2 * i, 1);
	}
	for (i = 0; i < RANGES_ALIKE; i++) {
		snprintf(made.name[OPERATIONS - 1 - i],
		    sizeof(made.name[0]), "layer %zu of %zu", i, i * i);
		range(&made, 2, 10 + 2 * i, 11 + 2 * i,
		    made.name[OPERATIONS - 1 - i]);
	}
	range(&made, 1, 1, 100000, "epoch")->domain = "library";
	range(&made, 1, 0, 100000, "epoch");
	j = read_all(&made);
	assert_int_equal(number(item(j, "step #"), "count"),
	    RANGES_NAMES + 100);
	assert_int_equal(ns(item(j, "step #"), "kernel_s"), 1000);
	assert_true(number(item(j, "step #"), "alike") > RANGES_ALIKE);
	assert_null(item(j, "step 17"));
	assert_int_equal(number(item(j, "layer 3 of 9"), "count"), 1);
	assert_null(item(j, "layer # of #"));
	assert_int_equal(ns(item(j, "epoch"), "kernel_s"), 1000);
	assert_int_equal(number(j, "rows"), 1 + RANGES_ALIKE + 2);
	assert_int_equal(json_array_size(json_object_get(j, "drawn")),
	    RANGES_DRAWN);
	json_decref(j);
}

/* More than are kept: the longest are kept, the outer ones, which come last. */
TEST(the_longest_are_kept)
{
	struct operation one = { .row = ROW_COUNT, .host = true, .process = 7,
	    .thread = 1, .range = "short" };
	struct reader r = { .arg = &one, .origin_ns = ORIGIN,
	    .operations = visit_many };
	json_t *j = ranges_read(&r);

	assert_non_null(j);
	assert_int_equal(number(j, "count"), RANGES_MOST + 2);
	assert_int_equal(number(j, "left_out"), RANGES_MOST / 2 + 1);
	assert_int_equal(number(item(j, "outer"), "launches"), 1);
	assert_int_equal(number(item(j, "short"), "count"), RANGES_MOST + 1);
	json_decref(j);
}

/* Any bytes become text, without control characters. */
TEST(hostile_names)
{
	struct report r = { .ranges = NULL };
	char name[5000];
	struct page p;
	json_t *j;

	memset(name, '9', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	made.n = 0;
	range(&made, 1, 0, 100, "<b>\033[31m\377")->domain = "\t\342\200\256";
	range(&made, 1, 0, 100, name);
	range(&made, 1, 0, 100, "")->from = 0;	/* before the run */
	kernel(&made, 1, 50, 1000);
	kernel(&made, 3, 50, 1000);
	j = read_all(&made);
	r.ranges = j;
	page_open(&p, 60, true);
	parts_ranges(&p.out, &r);
	page_close(&p);
	assert_null(strchr(p.text, '\033'));
	assert_non_null(strstr(p.text, "50 %"));
	assert_non_null(strstr(p.text, "launched outside of any range"));
	free(p.text);
	json_decref(j);
}

/* A program without ranges has no such section. */
TEST(none)
{
	struct report r = { .ranges = NULL };
	struct page p;
	json_t *j;

	made.n = 0;
	kernel(&made, 1, 50, 1000);
	j = read_all(&made);
	assert_true(json_is_null(json_object_get(j, "reason")));
	r.ranges = j;
	page_open(&p, 60, true);
	parts_ranges(&p.out, &r);
	page_close(&p);
	assert_string_equal(p.text, "");
	free(p.text);
	json_decref(j);
	j = ranges_none("why");
	assert_noun(j, "Ranges");
	json_decref(j);
}

/* XLA's names carry keys: the first value is the name. A program's own stay. */
TEST(names_of_xla)
{
	static const struct {
		const char *name, *says;
	} cases[] = {
		{ "XlaModule:#hlo_module=jit_step,program_id=7#", "  jit_step · 1 range" },
		{ "XlaModule:#hlo_module=fusion.1#", "  fusion.1 · " },
		{ "Thunk:#name=jit(f)/while,hlo_op=while.1#", "  jit(f)/while · " },
		{ "load #1: a=b, c", "  load #1: a=b, c · " },
		{ "step", "  step · " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *j = json_pack("{s:f, s:f, s:[{s:s, s:f, s:f, s:f, s:i}]}",
		    "kernel_s", 1.0, "inside_s", 1.0, "items", "name",
		    cases[i].name, "kernel_s", 1.0, "own_s", 1.0, "share_ratio",
		    1.0, "count", 1);
		struct report r = { .ranges = j };
		struct page p;

		page_open(&p, 90, true);
		parts_ranges(&p.out, &r);
		page_close(&p);
		assert_non_null(strstr(p.text, cases[i].says));
		free(p.text);
		json_decref(j);
	}
}
